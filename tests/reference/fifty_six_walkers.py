"""Who plays the reference Fifty-Six at random, and with which decks, so that rare branches come up.

A walker takes (game, rng) and returns a legal action. Of rng only `random()` is used, so both
Python's and NumPy's generators will do. `branches` (of `fifty_six_branches`) names what is hit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol, TypeVar

from tests.reference.fifty_six import AUCTION, LAY, STRAIN, Game, Options
from tests.reference.fifty_six_branches import branches
from tests.reference.fifty_six_cards import (
    ASK,
    CARDS,
    DOUBLE,
    NUMBERS,
    PASS,
    POINTS,
    RANKS,
    REDOUBLE,
    STRAINS,
    full_pack,
    of_suit,
)
from tests.reference.fifty_six_options import ALLOWED

__all__ = ["DECKS", "STYLES", "WALKERS", "Rng", "Walker", "branches", "mixed", "random_options"]

T = TypeVar("T")


class Rng(Protocol):
    """What is needed of a generator."""

    def random(self) -> float:
        """A number from 0 to 1, 1 excluded."""


Walker = Callable[[Game, Rng], int]


@dataclass(frozen=True)
class Style:
    """How eager a seat is, each weight against the others of its line.

    bid (any number), pass_, double, redouble: the calls. step: the chance to go one higher, again
    and again, from the lowest legal number. ask: against playing a card at once. long: the chance
    of the longest suit as strain, or to lay down. high, short: the chances to play the highest
    card, and one of the shortest suit; else any card.
    """

    bid: float = 1
    pass_: float = 3
    double: float = 1
    redouble: float = 1
    step: float = 0.5
    ask: float = 0.5
    long: float = 0.5
    high: float = 0.2
    short: float = 0.2

    def __call__(self, game: Game, rng: Rng) -> int:
        """Choose one of the legal actions."""
        can = sorted(game.legal())
        if game.phase == AUCTION:
            return self._call(can, rng)
        if game.phase == STRAIN:
            return self._name_strain(game, rng)
        if ASK in can and rng.random() < self.ask:
            return ASK
        cards = [action for action in can if action < len(CARDS)]
        if game.phase == LAY:
            return self._lay(cards, rng)
        return self._play(game.hands[game.seat], cards, rng)

    def _call(self, can: list[int], rng: Rng) -> int:
        weights = {PASS: self.pass_, DOUBLE: self.double, REDOUBLE: self.redouble}
        calls = [action for action in can if action in weights]
        numbers = [action for action in can if action in NUMBERS]
        wish = [weights[action] for action in calls] + [self.bid] * bool(numbers)
        at = rng.random() * sum(wish)
        chosen = next(
            k for k, upto in enumerate(accumulate(wish)) if at < upto or upto == sum(wish)
        )
        if chosen < len(calls):
            return calls[chosen]
        higher = 0
        while higher < len(numbers) - 1 and rng.random() < self.step:
            higher += 1
        return numbers[higher]

    def _name_strain(self, game: Game, rng: Rng) -> int:
        if rng.random() < self.long:
            hand = game.hands[game.seat]
            return max(STRAINS, key=lambda action: len(of_suit(hand, STRAINS[action])))
        return _pick(list(STRAINS), rng)

    def _lay(self, cards: list[int], rng: Rng) -> int:
        if rng.random() < self.long:
            hand = [CARDS[action] for action in cards]
            return max(cards, key=lambda action: len(of_suit(hand, CARDS[action][1])))
        return _pick(cards, rng)

    def _play(self, hand: list[str], cards: list[int], rng: Rng) -> int:
        which = rng.random()
        if which < self.high:
            return max(cards, key=lambda action: RANKS.index(CARDS[action][0]))
        if which < self.high + self.short:
            return min(cards, key=lambda action: len(of_suit(hand, CARDS[action][1])))
        return _pick(cards, rng)


def uniform(game: Game, rng: Rng) -> int:
    """Any legal action, all alike."""
    return _pick(sorted(game.legal()), rng)


STYLES: dict[str, Walker] = {
    "uniform": uniform,
    "timid": Style(bid=0.1, step=0.1),
    "quiet": Style(bid=0.1, double=0, step=0, ask=0, short=0.7),
    "eager": Style(bid=2, pass_=1, step=0.8),
    "doubler": Style(bid=0.3, pass_=2, double=6, redouble=3, step=0.7),
    "opposer": Style(bid=0.3, pass_=2, double=6, redouble=0, step=0.8),
    "asker": Style(bid=0.2, step=0.2, ask=1, high=0.5),
    "emptier": Style(bid=0.2, ask=0.1, long=0, high=0, short=0.9),
    "grabber": Style(bid=0.3, step=0.3, long=1, high=0.9, short=0),
}


def mixed(game: Game, rng: Rng) -> int:
    """Each seat plays in a style of its own."""
    styles = list(STYLES.values())
    return styles[game.seat % len(styles)](game, rng)


WALKERS: dict[str, Walker] = {**STYLES, "mixed": mixed}

# Decks


def shuffled_deck(options: Options, rng: Rng) -> list[str]:
    """The pack, shuffled."""
    deck = full_pack(options.players, options.small_pack)
    return [deck[at] for at in _order(len(deck), rng)]


def lopsided_deck(options: Options, rng: Rng) -> list[str]:
    """A deck in which nearly all of one suit goes to one side."""
    deck, players = shuffled_deck(options, rng), options.players
    suit, side = "cdhs"[int(rng.random() * 4)], int(rng.random() * 2)
    swap_share = 0.5 + rng.random()
    mine = [at for at in range(len(deck)) if at // 4 % players % 2 == side]
    theirs = [at for at in range(len(deck)) if at // 4 % players % 2 != side]
    outside = [at for at in theirs if deck[at][1] == suit]
    inside = [at for at in mine if deck[at][1] != suit]
    for a, b in zip(outside, inside, strict=False):
        if rng.random() < swap_share:
            deck[a], deck[b] = deck[b], deck[a]
    return deck


def sorted_deck(options: Options, rng: Rng) -> list[str]:
    """A deck with runs of one suit: long suits, early voids, hands of nothing but trumps."""
    deck = full_pack(options.players, options.small_pack)
    noise = rng.random() * len(deck)
    keys = [at + rng.random() * noise for at in range(len(deck))]
    deck = [deck[at] for at in sorted(range(len(deck)), key=keys.__getitem__)]
    turned = 4 * int(rng.random() * len(deck) / 4)
    return deck[turned:] + deck[:turned]


def pointless_deck(options: Options, rng: Rng) -> list[str]:
    """A deck whose first speaker has few points or none."""
    deck, players = shuffled_deck(options, rng), options.players
    first = [at for at in range(len(deck)) if at // 4 % players == 0]
    others = [at for at in range(len(deck)) if at not in first and POINTS[deck[at][0]] == 0]
    for a, b in zip([at for at in first if POINTS[deck[at][0]]], others, strict=False):
        deck[a], deck[b] = deck[b], deck[a]
    return deck


def rich_deck(options: Options, rng: Rng) -> list[str]:
    """A deck in which nearly all points go to one side, so that high contracts are made."""
    deck, players = shuffled_deck(options, rng), options.players
    side = int(rng.random() * 2)
    seats = [at // 4 % players for at in range(len(deck))]
    theirs = [at for at, seat in enumerate(seats) if seat % 2 != side and POINTS[deck[at][0]]]
    mine = [at for at, seat in enumerate(seats) if seat % 2 == side and not POINTS[deck[at][0]]]
    for a, b in zip(theirs, mine, strict=False):
        if rng.random() < 0.9:
            deck[a], deck[b] = deck[b], deck[a]
    return deck


DECKS = {
    "shuffled": shuffled_deck,
    "lopsided": lopsided_deck,
    "sorted": sorted_deck,
    "pointless": pointless_deck,
    "rich": rich_deck,
}

# Options


def random_options(rng: Rng) -> Options:
    """Options drawn alike from all that is not refused; every second time trumps are hidden."""
    while True:
        chosen = {name: _pick(list(allowed), rng) for name, allowed in ALLOWED.items()}
        if chosen["trumps"] == "hidden":
            chosen["leader"] = "bidder"
        try:
            return Options(**chosen)
        except ValueError:
            continue


def _order(count: int, rng: Rng) -> list[int]:
    keys = [rng.random() for _ in range(count)]
    return sorted(range(count), key=keys.__getitem__)


def _pick(items: list[T], rng: Rng) -> T:
    return items[int(rng.random() * len(items))]
