"""The compiled Fifty-Six compared with its reference: walkers and comparisons.

`compare` compares the state of row 0, and the observation of each seat, with the reference.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows, view_states
from parlour.envs.games.fifty_six.rules import CARDS, CODES, LOWEST_BID
from tests.reference import fifty_six_walkers
from tests.reference.bidding_comparison import SUITS, Walkers, make_begin, make_count
from tests.reference.fifty_six import Game as Reference
from tests.reference.fifty_six import Options, would_be_redealt
from tests.reference.fifty_six_branches import branches
from tests.reference.match import Match, legal_now, make_special_deals

NAMES = [card_name(int(code)) for code in CODES]
FORMS = ("", "first", "plus", "noes", "pass")
STRAINS = {None: 0, "c": 1, "d": 2, "h": 3, "s": 4, "n": 5}

begin = make_begin(Reference, Options, would_be_redealt)


def cards(hand: Any, twice: Any) -> list[str]:
    return sorted(
        NAMES[card] for held in (hand, twice) for card in range(CARDS) if int(held) >> card & 1
    )


def compare(rows: Rows, reference: Reference) -> None:
    s = rows.states[0]
    assert legal_now(rows) == reference.legal()
    assert bool(s["over"]) == reference.over
    if not reference.over:
        assert s["turn"] == reference.seat
    for seat, hand in enumerate(reference.hands):
        assert cards(s["hands"][seat], s["twice"][seat]) == sorted(hand)
        assert s["net"][seat] == reference.reward(seat)
        viewed = view_states(rows.game, rows.rules, rows.states, np.array([seat]))[0]
        compare_view(viewed["shown"], reference.seen_by(seat), reference)
    points = [int(s["seats"]["points"][side::2].sum()) for side in range(2)]
    assert points == reference.points


def compare_view(shown: Any, seen: dict[str, Any], reference: Reference) -> None:
    """All that a seat sees, and nothing else."""
    players, me = reference.options.players, seen["me"]

    def turned(other: int | None) -> int:
        return 0 if other is None else 1 + (other - me) % players

    assert cards_of(shown["own"]) == seen["hand"]
    assert shown["turn"] == (0 if reference.over else turned(seen["seat"]))
    assert shown["dealer"] == turned(seen["dealer"])
    assert shown["bidder"] == turned(seen["bidder"])
    assert shown["number"] == (seen["contract"] or (0, ""))[0]
    assert shown["doubled"] == seen["doubles"]
    assert bool(shown["apart"]) == seen["face_down"]
    assert bool(shown["laid_back"]) == seen["laid_is_back"]
    assert bool(shown["trumps_shown"]) == seen["shown"]
    assert bool(shown["must_trump"]) == seen["asked"]
    assert shown["laid"] == (0 if seen["laid"] is None else 1 + NAMES.index(seen["laid"]))
    if reference.phase in ("play", "over"):
        assert shown["trump_suit"] in (STRAINS[seen["trump"]], 5 * (seen["trump"] is None))
    for other in range(players):
        public = shown["seats"][turned(other) - 1]
        assert public["hand"] == seen["hand_sizes"][other]
        voids = {suit for suit, flag in zip(SUITS, public["voids"], strict=True) if flag}
        if seen["laid_is_back"] and other == seen["bidder"]:
            voids -= {seen["trump"]}  # the card that all see is not counted here
        assert sorted(voids) == seen["voids"][other]
    compare_calls(shown, seen["calls"], turned)
    compare_tricks(shown, seen["tricks"], turned)


def cards_of(counts: np.ndarray) -> list[str]:
    return sorted(name for name, count in zip(NAMES, counts, strict=True) for _ in range(count))


def compare_calls(
    shown: Any, calls: list[tuple[int, str]], turned: Callable[[int | None], int]
) -> None:
    """The auction: all calls follow from the bids, the doubles and the seat to act."""
    bids, strains, doubles, forms = ([0] * len(shown["bids"]) for _ in range(4))
    redoubler, last = 0, -1
    for seat, words in calls:
        if words[0].isdigit():
            last = int(words[:2]) - LOWEST_BID
            bids[last], strains[last] = turned(seat), STRAINS[words[2:3] or None]
            forms[last] = FORMS.index(words[4:])
        elif words == "double":
            doubles[last] = turned(seat)
        elif words == "redouble":
            redoubler = turned(seat)
    assert shown["bids"].tolist() == bids
    assert shown["strains"].tolist() == strains
    assert shown["forms"].tolist() == forms
    assert shown["doubles"].tolist() == doubles
    assert shown["redoubler"] == redoubler


def compare_tricks(
    shown: Any, tricks: list[dict[str, Any]], turned: Callable[[int | None], int]
) -> None:
    """The seat and trick of each played card, the winners, and when and why trumps were shown."""
    played: list[tuple[str, int, int]] = []
    for number, trick in enumerate(tricks, 1):
        played += [(card, turned(seat), number) for seat, card in trick["plays"]]
        if trick["shown_after"] is not None:
            assert (shown["shown_trick"], shown["shown_after"]) == (number, trick["shown_after"])
        if trick["asker"] is not None:
            assert shown["asker"] == turned(trick["asker"])
    result = [
        (NAMES[copy // 2], int(by), int(when))
        for copy, (by, when) in enumerate(zip(shown["played_by"], shown["when"], strict=True))
        if by
    ]
    assert sorted(result) == sorted(played)
    winners = [trick["winner"] for trick in tricks if trick["winner"] is not None]
    assert [int(one) for one in shown["winners"] if one] == [turned(one) for one in winners]
    if tricks and tricks[-1]["winner"] is None:
        now = [1 + NAMES.index(card) for _, card in tricks[-1]["plays"]]
        assert [int(card) for card in shown["trick"] if card] == now
        assert shown["lead_by"] == turned(tricks[-1]["leader"])


def special_deck(rules: Any, rng: np.random.Generator, _seed: int) -> list[str] | None:
    """One of the decks that bring rare branches; None where it would be dealt again.

    It is drawn: by the seed's number each walker would meet some of them only.
    """
    options, decks = Options(**to_plain(rules)), list(fifty_six_walkers.DECKS.values())
    deck = decks[rng.integers(len(decks))](options, rng)
    return None if would_be_redealt(deck, options) else deck


OWN = Walkers(begin)
MATCH = Match(
    GAMES["fifty_six"],
    OWN.begin,
    compare,
    make_count(branches),
    0,
    OWN.make_all(fifty_six_walkers.WALKERS),
    deal=make_special_deals(special_deck),
)
"""Functions with which the game and its reference are played together."""
