"""Twenty-Eight: hands dealt and played for the tests of its reference."""

from typing import Any

from tests.reference.twenty_eight import PLAY, TRUMPS, Game
from tests.reference.twenty_eight_cards import (
    ASK,
    BIDS,
    CARDS,
    DOUBLE,
    FIRST_CARDS,
    NO_TRUMPS,
    PASS,
    REDEAL,
    REDOUBLE,
    REVERSED,
    SET,
    SEVENTH,
    SHOW,
    SINGLE,
    full_pack,
)
from tests.reference.twenty_eight_options import make_options

WORDS = {
    **dict(enumerate(CARDS)),
    **{action: str(number) for action, number in BIDS.items()},
    PASS: "pass",
    DOUBLE: "double",
    REDOUBLE: "redouble",
    ASK: "ask",
    SHOW: "show",
    SINGLE: "single",
    60: "clubs",
    61: "diamonds",
    62: "hearts",
    63: "spades",
    SEVENTH: "seventh",
    NO_TRUMPS: "no-trumps",
    REVERSED: "reversed",
    REDEAL: "redeal",
    SET: "set",
}

SUIT_EACH = (
    "Jc 9c Ac Tc Kc Qc 8c 7c",
    "Jd 9d Ad Td Kd Qd 8d 7d",
    "Jh 9h Ah Th Kh Qh 8h 7h",
    "Js 9s As Ts Ks Qs 8s 7s",
)
"""Four hands of one suit each: the leader wins every trick unless another suit is trumps."""

FOUR_HEARTS = (
    "Jh 9h Kh Qh Jc Ac Td 8d",  # no spades
    "Jd 9d Ad Kd Js 9s As Th",  # no clubs
    "Kc Qc 8c 7c Ks Qs 8s 7s",  # neither diamonds nor hearts
    "9c Tc Qd 7d Ah 8h 7h Ts",
)
"""Seat 0 has long hearts; seats 0 to 2 lack a suit each, or two."""


def new(*hands: str, game: str = "28", dealer: int | None = None, **options: Any) -> Game:
    """A game in which the seats hold these cards, from the first speaker on.

    A hand is listed as it is dealt, first cards first. Without hands the pack is dealt as
    `full_pack` lists it. With 3 or 6 hands there are so many players.
    """
    if hands and len(hands) != 4:
        options = {"players": len(hands), **options}
    chosen = make_options(game, **options)
    if not hands:
        return Game(chosen, full_pack(chosen.players), dealer)
    dealt, size = [hand.split() for hand in hands], FIRST_CARDS[chosen.players]
    deck = [card for at in (0, size) for hand in dealt for card in hand[at : at + size]]
    return Game(chosen, deck, dealer)


def new29(*hands: str, **options: Any) -> Game:
    """The same by the defaults of Twenty-Nine."""
    return new(*hands, game="29", **options)


def do(game: Game, words: str) -> Game:
    """The game after these actions, such as "15 pass double pass clubs Jh ask"."""
    for word in words.split():
        game.step(next(action for action, each in WORDS.items() if each == word))
    return game


def can(game: Game) -> str:
    """What is legal, in words, by action numbers."""
    return " ".join(WORDS[action] for action in sorted(game.legal()))


def passed_out(game: Game) -> Game:
    """The game after passes to the next choice of trumps, or to the play."""
    while game.phase not in (TRUMPS, PLAY) and not game.over:
        game.step(PASS)
    return game


def trumps(game: Game, calls: str, trump: str) -> Game:
    """The game after these calls, passes of all others, this choice of trumps, and more passes."""
    return passed_out(do(passed_out(do(game, calls)), trump))


def bid14(*hands: str, **options: Any) -> Game:
    """A game of 28 in which seat 0 has bid 14 and all others have passed."""
    return passed_out(do(new(*hands, **options), "14"))


def bid15(*hands: str, **options: Any) -> Game:
    """A game of 29 in which seat 0 has bid 15 and all others have passed."""
    return passed_out(do(new29(*hands, **options), "15"))


def played_out(game: Game) -> Game:
    """The game after the lowest legal action of each seat to the end; nobody asks who may not."""
    while not game.over:
        game.step(min(game.legal()))
    return game


def trick(game: Game, at: int = -1) -> list[str]:
    """The cards of a trick in the order of play."""
    return game.tricks[at].cards()
