"""Decks and games of Poker Squares for two that the tests of its reference share."""

from typing import Any

from tests.reference.poker_squares import PACK
from tests.reference.poker_squares_duel import Duel

EVERYWHERE = set(range(25))

# Row by row royal flush, straight flush, four of a kind, full house, flush; column by column
# straight, three times high card but for a pair in the fourth: 287 American, 104 English.
RICH = """
    Ah Jh Qh Kh Th
    5s 6s 7s 8s 9s
    3c 3d 3h 3s 2c
    4c 4d 4h Kd Kc
    2d 7d 8d Jd Qd
"""

ROWS_FIRST = list(range(25))
COLUMNS_FIRST = [5 * row + column for column in range(5) for row in range(5)]

# The ace of hearts and the two of diamonds exchanged: 167, as royal flush and flush are gone
SPOILT = [20, *range(1, 20), 0, *range(21, 25)]

SPIRAL = [12, 13, 8, 7, 6, 11, 16, 17, 18, 19, 14, 9, 4, 3, 2, 1, 0, 5, 10, 15, 20, 21, 22, 23, 24]


def deck_with(first: str = "") -> list[str]:
    """A deck that begins with these cards; then the rest in pack order, aces first."""
    begin = first.split()
    return begin + [card for card in PACK if card not in begin]


def play(game: Duel, *squares: int) -> Duel:
    """The game after these placings, the two seats in turn."""
    for square in squares:
        game.step(square)
    return game


def in_turn(first: list[int], second: list[int]) -> list[int]:
    """The squares of player_0 and of player_1, card by card."""
    return [square for both in zip(first, second, strict=True) for square in both]


def fill(first: list[int], second: list[int], **options: Any) -> Duel:
    """A finished game with the cards of RICH, row by row; each seat places them in its order."""
    return play(Duel(deck_with(RICH), **options), *in_turn(first, second))


def lying(**squares: int) -> list[str | None]:
    """A grid with these cards on these squares, and else empty."""
    grid: list[str | None] = [None] * 25
    for card, square in squares.items():
        grid[square] = card
    return grid
