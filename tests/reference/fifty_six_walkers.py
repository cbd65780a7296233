"""Random walkers and special decks for the reference Fifty-Six, which reach rare branches.

A walker takes (game, rng) and returns a legal action. Of rng only `random()` is used, so both
Python's and NumPy's generators will do. `branches` (of `fifty_six_branches`) names what is hit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from tests.reference.bidding_walkers import (
    Rng,
    favor_side,
    pick,
    play_card,
    shuffle,
    sort_loosely,
)
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

Walker = Callable[[Game, Rng], int]


@dataclass(frozen=True)
class Style:
    """How eager a seat is, each weight against the others of its line.

    bid (any number), pass_, double, redouble: the calls. step: the chance to go one higher, again
    and again, from the lowest legal number. ask: against playing a card at once. long: the chance
    of the longest suit as strain, or to lay down. high, short: the chances to play the highest
    card, and one of the shortest suit; else any card. form: the chance of a form of the bid besides
    the number first.
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
    form: float = 0.5

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
        forms = sorted(game.legal() - set(STRAINS))
        if forms and rng.random() < self.form:
            return pick(forms, rng)
        if rng.random() < self.long:
            hand = game.hands[game.seat]
            return max(STRAINS, key=lambda action: len(of_suit(hand, STRAINS[action])))
        return pick(list(STRAINS), rng)

    def _lay(self, cards: list[int], rng: Rng) -> int:
        if rng.random() < self.long:
            hand = [CARDS[action] for action in cards]
            return max(cards, key=lambda action: len(of_suit(hand, CARDS[action][1])))
        return pick(cards, rng)

    def _play(self, hand: list[str], cards: list[int], rng: Rng) -> int:
        return play_card(hand, cards, CARDS, RANKS, rng.random(), self.high, self.short, rng)


def uniform(game: Game, rng: Rng) -> int:
    """Any legal action, all alike."""
    return pick(sorted(game.legal()), rng)


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
    return shuffle(full_pack(options.players, options.small_pack, options.six_each), rng)


def owners(options: Options, size: int) -> list[int]:
    """For each place in a deck of this size the seat that gets the card, the first speaker is 0."""
    return [at // (3 if options.six_each else 4) % options.players for at in range(size)]


def lopsided_deck(options: Options, rng: Rng) -> list[str]:
    """A deck in which nearly all of one suit goes to one side."""
    deck = shuffled_deck(options, rng)
    suit, side = "cdhs"[int(rng.random() * 4)], int(rng.random() * 2)
    share, seats = 0.5 + rng.random(), owners(options, len(deck))
    return favor_side(deck, seats, side, lambda card: card[1] == suit, share, rng)


def sorted_deck(options: Options, rng: Rng) -> list[str]:
    """A deck with runs of one suit: long suits, early voids, hands of nothing but trumps."""
    return sort_loosely(full_pack(options.players, options.small_pack, options.six_each), 4, rng)


def pointless_deck(options: Options, rng: Rng) -> list[str]:
    """A deck whose first speaker has few points or none."""
    deck = shuffled_deck(options, rng)
    first = [at for at, seat in enumerate(owners(options, len(deck))) if seat == 0]
    others = [at for at in range(len(deck)) if at not in first and POINTS[deck[at][0]] == 0]
    for a, b in zip([at for at in first if POINTS[deck[at][0]]], others, strict=False):
        deck[a], deck[b] = deck[b], deck[a]
    return deck


def rich_deck(options: Options, rng: Rng) -> list[str]:
    """A deck in which nearly all points go to one side, so that high contracts are made."""
    deck, side = shuffled_deck(options, rng), int(rng.random() * 2)
    seats = owners(options, len(deck))
    return favor_side(deck, seats, side, lambda card: POINTS[card[0]] > 0, 0.9, rng)


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
        chosen = {name: pick(list(allowed), rng) for name, allowed in ALLOWED.items()}
        if chosen["trumps"] == "hidden":
            chosen["leader"] = "bidder"
        try:
            return Options(**chosen)
        except ValueError:
            continue
