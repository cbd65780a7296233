"""The compiled Twenty-Eight and Twenty-Nine beside their reference: who plays, what is compared.

`compare` compares the state of row 0, and the observation of each seat, with the reference. Used by
the tests of both games.
"""

from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows, view_states
from parlour.envs.games.twenty_eight.rules import CARDS, CODES, FACE_DOWN, HELD, OWN, PLAYED, UNSEEN
from tests.reference import twenty_eight_walkers
from tests.reference.bidding_comparison import SUITS, Walkers, make_begin, make_count
from tests.reference.match import Match, legal_now, make_special_deals
from tests.reference.twenty_eight import Game as Reference
from tests.reference.twenty_eight import Options, would_be_redealt
from tests.reference.twenty_eight_branches import branches

NAMES = [card_name(int(code)) for code in CODES]
STRAINS = {None: 0, "c": 1, "d": 2, "h": 3, "s": 4, "n": 5, "r": 6}

begin = make_begin(Reference, Options, would_be_redealt)


def cards(members: Any) -> set[str]:
    return {NAMES[card] for card in range(CARDS) if int(members) >> card & 1}


def seat_or_none(seat: Any) -> int | None:
    return None if seat < 0 else int(seat)


def compare(rows: Rows, reference: Reference) -> None:
    s = rows.states[0]
    assert legal_now(rows) == reference.legal()
    assert bool(s["over"]) == reference.over
    if not reference.over:
        assert s["turn"] == reference.seat
    compare_hands(s, reference)
    compare_contract(s, reference)
    rewards = [reference.reward(seat) for seat in range(rows.rules.players)]
    unit = 2 if rows.rules.players == 3 else 1
    assert s["net"][: rows.rules.players].tolist() == [unit * one for one in rewards]
    for seat in range(rows.rules.players):
        viewed = view_states(rows.game, rows.rules, rows.states, np.array([seat]))[0]
        compare_view(viewed["shown"], reference, seat)


def compare_hands(s: Any, reference: Reference) -> None:
    """Who holds what, and what everybody knows of it."""
    for seat, hand in enumerate(reference.hands):
        assert cards(s["hands"][seat]) == set(hand) | set(reference.laid_away[seat])
        flags = s["seats"][seat]["voids"]
        result = {suit for suit, flag in zip(SUITS, flags, strict=True) if flag}
        seen = cards(s["seen"][seat])
        assert result - {card[1] for card in seen} == reference.voids[seat] - {
            card[1] for card in seen
        }
    card = NAMES[s["card"] - 1] if s["card"] else None
    assert card == reference.face_down


def compare_contract(s: Any, reference: Reference) -> None:
    """What was said, what trumps are, what was taken."""
    shown = s["shown"]
    assert s["made"] == STRAINS[reference.strain]
    assert bool(shown["trumps_shown"]) == reference.shown
    assert seat_or_none(s["bidder"]) == reference.bidder
    assert (int(shown["bid"]) or None) == reference.number
    assert (int(shown["target"]) or None) == reference.counts
    assert shown["doubled"] == reference.doubles
    assert seat_or_none(s["alone"]) == reference.single
    assert seat_or_none(s["pair_by"]) == reference.pair
    points = [0] * len(reference.points)
    for seat in range(reference.options.players):
        points[reference.side(seat)] += int(s["seats"][seat]["points"])
    assert points == reference.points


def compare_view(shown: Any, reference: Reference, seat: int) -> None:
    """What a seat sees of cards and trumps."""
    seen, players = reference.seen_by(seat), reference.options.players

    def turned(other: int) -> int:
        return (other - seat) % players

    where = dict.fromkeys(NAMES, UNSEEN) | dict.fromkeys(seen["hand"], OWN)
    where |= dict.fromkeys(seen["laid_away"], OWN)
    if seen["face_down"] and seen["laid"]:
        where[seen["laid"]] = FACE_DOWN
    if seen["laid_is_back"]:
        where[seen["laid"]] = HELD + turned(seen["maker"])
    if seen["pair"] is not None:
        for rank in "KQ":
            where[rank + seen["strain"]] = HELD + turned(seen["pair"])
    if seen["redealt"] is not None:
        where |= dict.fromkeys(seen["shown_hand"], HELD + turned(seen["redealt"]))
    when = dict.fromkeys(NAMES, 0)
    for number, trick in enumerate(seen["tricks"]):
        for other, card in trick["plays"]:
            where[card], when[card] = PLAYED + turned(other), 1 + number
    assert dict(zip(NAMES, shown["where"].tolist(), strict=True)) == where
    assert dict(zip(NAMES, shown["when"].tolist(), strict=True)) == when
    assert shown["trumps"] == STRAINS[seen["strain"]]
    assert shown["setter"] == (0 if seen["setter"] is None else 1 + turned(seen["setter"]))
    winners = [trick["winner"] for trick in seen["tricks"] if trick["winner"] is not None]
    assert [one - 1 for one in shown["winners"] if one] == [turned(one) for one in winners]
    sizes = [int(shown["seats"][turned(other)]["hand"]) for other in range(players)]
    away = [len(hand) for hand in reference.laid_away]
    assert sizes == [a + b for a, b in zip(seen["hand_sizes"], away, strict=True)]


def special_deck(rules: Any, rng: np.random.Generator, seed: int) -> list[str] | None:
    """One of the decks that bring rare branches; None where it would be dealt again."""
    options, decks = Options(**to_plain(rules)), list(twenty_eight_walkers.DECKS.values())
    deck = decks[seed % len(decks)](options, rng)
    return None if would_be_redealt(deck, options) else deck


def make_match(game: Game) -> Match[Reference]:
    """Return how the game is played beside its reference."""
    own = Walkers(begin)
    walkers, deal = own.make_all(twenty_eight_walkers.WALKERS), make_special_deals(special_deck)
    return Match(game, own.begin, compare, make_count(branches), 0, walkers, deal=deal)
