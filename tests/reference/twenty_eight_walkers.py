"""Who plays the reference Twenty-Eight at random, and with which decks and options, so that rare
branches come up.

A walker takes (game, rng) and returns a legal action. Of rng only `random()` is used, so both
Python's and NumPy's generators will do. `branches` (of `twenty_eight_branches`) names what is hit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.reference.bidding_walkers import (
    Rng,
    favor_side,
    pick,
    play_card,
    shuffle,
    sort_loosely,
    swap,
)
from tests.reference.twenty_eight import PLAY, TRUMPS, Game, Options
from tests.reference.twenty_eight_branches import branches
from tests.reference.twenty_eight_cards import (
    ASK,
    BIDS,
    CARDS,
    DOUBLE,
    FIRST_CARDS,
    NO_TRUMPS,
    PASS,
    POINTS,
    RANKS,
    REDEAL,
    REDOUBLE,
    REVERSED,
    SET,
    SEVENTH,
    SHOW,
    SINGLE,
    SUIT_ACTIONS,
    full_pack,
    of_suit,
)
from tests.reference.twenty_eight_options import ALLOWED

__all__ = ["DECKS", "STYLES", "WALKERS", "Rng", "Walker", "branches", "mixed", "random_options"]

Walker = Callable[[Game, Rng], int]


@dataclass(frozen=True)
class Style:
    """How eager a seat is: the chances, from 0 to 1, that it does what it may.

    bid: to bid instead of a pass. step: to go one higher, again and again, from the lowest bid.
    double (redouble and set, too), single, redeal, ask, show: to do so. apart: to name the seventh,
    or no trumps. long: to take the longest suit as trump. high, short: to play the highest card, or
    one of the shortest suit; else any card. trump: to play a trump of its own making where it may.
    """

    bid: float = 0.25
    step: float = 0.2
    double: float = 0.3
    single: float = 0.05
    redeal: float = 0.3
    ask: float = 0.5
    show: float = 0.7
    apart: float = 0.4
    long: float = 0.6
    high: float = 0.3
    short: float = 0.2
    trump: float = 0.1

    def __call__(self, game: Game, rng: Rng) -> int:
        """Choose one of the legal actions."""
        can = sorted(game.legal())
        if game.phase == TRUMPS:
            return self._make_trumps(game.hands[game.seat], can, rng)
        if game.phase != PLAY:
            return self._call(can, rng)
        for action, chance in ((SHOW, self.show), (ASK, self.ask)):
            if action in can and (can == [action] or rng.random() < chance):
                return action
        return self._play(game, [action for action in can if action < len(CARDS)], rng)

    def _call(self, can: list[int], rng: Rng) -> int:
        if REDEAL in can and rng.random() < self.redeal:
            return REDEAL
        for action in (DOUBLE, REDOUBLE, SET, SINGLE):
            if action in can:
                chance = self.single if action == SINGLE else self.double
                return action if rng.random() < chance else PASS
        bids = [action for action in can if action in BIDS]
        if PASS in can and (not bids or rng.random() >= self.bid):
            return PASS
        higher = 0
        while higher < len(bids) - 1 and rng.random() < self.step:
            higher += 1
        return bids[higher]

    def _make_trumps(self, hand: list[str], can: list[int], rng: Rng) -> int:
        others = [action for action in can if action in (SEVENTH, NO_TRUMPS, REVERSED)]
        if others and rng.random() < self.apart:
            return pick(others, rng)
        suits = [action for action in can if action not in others]
        if rng.random() < self.long:
            return max(suits, key=lambda action: len(of_suit(hand, _suit(action))))
        return pick(suits, rng)

    def _play(self, game: Game, cards: list[int], rng: Rng) -> int:
        hand, which = game.hands[game.seat], rng.random()
        trumps = [action for action in cards if CARDS[action][1] == game.trump]
        if trumps and rng.random() < self.trump:
            return pick(trumps, rng)
        return play_card(hand, cards, CARDS, RANKS, which, self.high, self.short, rng)


def _suit(action: int) -> str:
    return SUIT_ACTIONS[action] if action in SUIT_ACTIONS else CARDS[action][1]


def uniform(game: Game, rng: Rng) -> int:
    """Any legal action, all alike."""
    return pick(sorted(game.legal()), rng)


STYLES: dict[str, Walker] = {
    "uniform": uniform,
    "timid": Style(bid=0.02, step=0, double=0.1),
    "quiet": Style(bid=0.1, step=0, ask=0, single=0, short=0.7),
    "eager": Style(bid=0.7, step=0.7),
    "climber": Style(bid=0.9, step=0.05, single=0),
    "doubler": Style(double=0.8, step=0.5, ask=0.8),
    "asker": Style(bid=0.1, ask=1, high=0.5, single=0),
    "shower": Style(bid=0.1, step=0.1, ask=1, show=1, long=1, high=0.6, single=0, apart=0),
    "keeper": Style(bid=0.1, ask=0.9, show=0.5, high=0, trump=0.6, single=0),
    "emptier": Style(bid=0.1, ask=0.1, long=0, high=0, short=0.9, single=0),
    "alone": Style(bid=0.1, single=0.5, high=0.8),
    "grabber": Style(bid=0.3, step=0.3, long=1, high=0.9, short=0),
}


def mixed(game: Game, rng: Rng) -> int:
    """Each seat plays in a style of its own."""
    styles = list(STYLES.values())
    return styles[(game.seat + game.dealer) % len(styles)](game, rng)


WALKERS: dict[str, Walker] = {**STYLES, "mixed": mixed}

# Decks


def shuffled_deck(options: Options, rng: Rng) -> list[str]:
    """The pack, shuffled."""
    return shuffle(full_pack(options.players), rng)


def owners(options: Options) -> list[int]:
    """For each place in the deck the seat that gets the card, the first speaker being 0."""
    size, count = FIRST_CARDS[options.players], len(full_pack(options.players))
    return [at // size % options.players for at in range(count)]


def lopsided_deck(options: Options, rng: Rng) -> list[str]:
    """A deck in which nearly all of one suit goes to one side."""
    suit = "cdhs"[int(rng.random() * 4)]
    return _drawn(options, rng, lambda card: card[1] == suit, 0.5 + rng.random())


def rich_deck(options: Options, rng: Rng) -> list[str]:
    """A deck in which nearly all points go to one side, so that high bids are made."""
    return _drawn(options, rng, lambda card: POINTS[card[0]] > 0, 0.9)


def royal_deck(options: Options, rng: Rng) -> list[str]:
    """A deck in which one seat has most kings and queens."""
    deck, whose = shuffled_deck(options, rng), int(rng.random() * options.players)
    mine = [at for at, seat in enumerate(owners(options)) if seat == whose]
    wanted = [at for at, card in enumerate(deck) if card[0] in "KQ" and at not in mine]
    spare = [at for at in mine if deck[at][0] not in "KQ"]
    return swap(deck, wanted, spare, 0.7, rng)


def sorted_deck(options: Options, rng: Rng) -> list[str]:
    """A deck with runs of one suit: long suits, early voids, hands of nothing but trumps."""
    return sort_loosely(full_pack(options.players), FIRST_CARDS[options.players], rng)


def pointless_deck(options: Options, rng: Rng) -> list[str]:
    """A deck whose first speaker has no point in the first cards."""
    deck, size = shuffled_deck(options, rng), FIRST_CARDS[options.players]
    first = [at for at in range(size) if POINTS[deck[at][0]]]
    others = [at for at in range(size, len(deck)) if POINTS[deck[at][0]] == 0]
    return swap(deck, first, others, 1, rng)


def _drawn(options: Options, rng: Rng, is_wanted: Callable[[str], bool], share: float) -> list[str]:
    """A shuffled deck in which this share of the wanted cards has gone to one side."""
    deck, side = shuffled_deck(options, rng), int(rng.random() * 2)
    return favor_side(deck, owners(options), side, is_wanted, share, rng)


DECKS = {
    "shuffled": shuffled_deck,
    "lopsided": lopsided_deck,
    "sorted": sorted_deck,
    "rich": rich_deck,
    "royal": royal_deck,
    "pointless": pointless_deck,
}

# Options

RARE_SETS: list[dict[str, Any]] = [
    {"overtrump": True, "force": "whole", "ask": "may"},
    {"pair": True, "min_bid": 15, "ask": "must", "asker_trumps": False, "pair_from": 17},
    {"pair": True, "min_bid": 17, "last_trick": 1, "ask": "must", "early_end": True},
    {"trump_by": "suit", "seventh": True, "ask": "may", "force": "later"},
    {"trump_by": "suit", "seventh": True, "second_auction": 23, "ask": "may", "force": "whole"},
    {"trump_by": "suit", "no_trumps": True, "never_shown": "void", "ask": "may"},
    {"players": 3, "min_bid": 12, "single_hand": True, "void_without": True},
    {"scoring": "graded", "doubles": True, "auto_double": 20, "cot": True, "early_end": True},
    {"doubles": True, "set_bid": True, "trumps_first": True, "trump_by": "suit", "seventh": True},
    {"doubles": True, "set_bid": True, "second_auction": 23, "one_bid": True},
]
"""Settings that go together, for branches which few random options allow."""


def rare_options(rng: Rng) -> Options:
    """Options of one of `RARE_SETS`."""
    return Options(**pick(RARE_SETS, rng))


def random_options(rng: Rng) -> Options:
    """Options drawn alike from all that is not refused; half the time with `trump_by` card."""
    by_card = rng.random() < 0.5
    while True:
        chosen = {name: pick(list(allowed), rng) for name, allowed in ALLOWED.items()}
        chosen["trump_by"] = "card" if by_card else "suit"
        if by_card:
            chosen.update(seventh=False, no_trumps=False, never_shown="plays")
        try:
            return Options(**chosen)
        except ValueError:
            continue
