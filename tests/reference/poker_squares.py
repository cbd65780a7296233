"""Poker Squares (one player): a slow, plain reference to test the fast kernel against.

Written only from the project's rule page `docs/rules/poker_squares.md`, which draws on 002 The
Ultimate Book of Card Games and on what is published about the game without a starter. No code
is shared with, or taken from, the kernel. The game for two is left out.

Actions are the squares 0-24, row by row from the top left; the centre is 12. Cards are strings
such as "Th"; a deck is listed in dealing order.

Readings taken where the page leaves something open:

1. `adjacent` "first" asks something of the first card after a starter alone. Without a starter
   there is no such card, so that it is the same as "none".
2. `adjacent` "all" holds for every card but the first one on an empty grid; the second card of
   a game without a starter must touch the first. Edges of the grid do not meet.
3. The starter is put down by nobody: it is no move, and 24 moves make the game. It counts in
   its row and its column like any other card.
4. A line scores from the moment when it is full, so that `score` grows (with `points` below 0:
   changes) during the game; at the end all ten lines are full. A shorter line scores nothing,
   whatever is already certain about it, and not even the points of a high card.
5. After the last placing no further card is turned up: 27 cards stay unseen.
6. A line has one category, the best that fits: a full house is no pair, a royal flush is not
   paid as a straight flush as well. A straight flush from the ace up to the five is not royal.
7. `target` 0 stands for the default: 70 with "english", 200 with "american" and "custom".
   `target` is compared at the end alone: reached is a total of at least the target.
8. `points` is checked under every `scoring`, but read for "custom" alone; its default are the
   American points. It may be any tuple or list of ten.
9. No two options exclude each other; an unknown option name is refused, and so is a number or
   a text in place of a switch and a bool in place of a number.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

RANKS = "A23456789TJQK"
SUITS = "cdhs"
PACK = [rank + suit for rank in RANKS for suit in SUITS]

SQUARES = range(25)
CENTRE = 12
ROWS = [[5 * row + column for column in range(5)] for row in range(5)]
COLUMNS = [[5 * row + column for row in range(5)] for column in range(5)]
LINES = ROWS + COLUMNS

# Both from the lowest to the highest category, the order of `points`
AMERICAN = {
    "high card": 0,
    "pair": 2,
    "two pair": 5,
    "three of a kind": 10,
    "straight": 15,
    "flush": 20,
    "full house": 25,
    "four of a kind": 50,
    "straight flush": 75,
    "royal flush": 100,
}
ENGLISH = {
    "high card": 0,
    "pair": 1,
    "two pair": 3,
    "three of a kind": 6,
    "straight": 12,
    "flush": 5,
    "full house": 10,
    "four of a kind": 16,
    "straight flush": 30,
    "royal flush": 30,
}
CATEGORIES = list(AMERICAN)

# "A2345", "23456", ..., "TJQKA"
STRAIGHTS = [(RANKS + "A")[low : low + 5] for low in range(10)]
ROYAL = STRAIGHTS[-1]

# How often the ranks of a hand occur, the most frequent first
PATTERNS = {
    (4, 1): "four of a kind",
    (3, 2): "full house",
    (3, 1, 1): "three of a kind",
    (2, 2, 1): "two pair",
    (2, 1, 1, 1): "pair",
}


def hand(cards: Sequence[str]) -> str:
    """The category of five cards; ValueError unless they are five different cards of a pack."""
    if len(set(cards)) != 5 or len(cards) != 5 or not set(cards) <= set(PACK):
        raise ValueError(f"not five cards: {cards}")
    ranks = [card[0] for card in cards]
    is_flush = len({card[1] for card in cards}) == 1
    is_straight = any(set(ranks) == set(run) for run in STRAIGHTS)
    if is_flush and set(ranks) == set(ROYAL):
        return "royal flush"
    if is_flush and is_straight:
        return "straight flush"
    if is_flush:
        return "flush"
    if is_straight:
        return "straight"
    counts = sorted(Counter(ranks).values(), reverse=True)
    return PATTERNS.get(tuple(counts), "high card")


def neighbours(square: int) -> set[int]:
    """The squares directly above, below, left and right of `square`."""
    row, column = divmod(square, 5)
    beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return {5 * r + c for r, c in beside if r in range(5) and c in range(5)}


@dataclass(frozen=True)
class Rules:
    """The options of one game, with their defaults."""

    starter: bool = False
    adjacent: str = "none"
    scoring: str = "american"
    points: Sequence[int] = tuple(AMERICAN.values())
    target: int = 0


TEXTS = {
    "adjacent": ("none", "first", "all"),
    "scoring": ("american", "english", "custom"),
}
POINTS = range(-128, 128)
TARGETS = range(0, 1271)


def refused(options: dict[str, Any]) -> bool:
    """Whether some option is unknown or out of range (those not named have their default)."""
    known = {option.name for option in fields(Rules)}
    return any(name not in known or _bad(name, setting) for name, setting in options.items())


def _bad(name: str, setting: Any) -> bool:
    """Whether `setting` is nothing that the option `name` can have."""
    if name == "starter":
        return not isinstance(setting, bool)
    if name in TEXTS:
        return not isinstance(setting, str) or setting not in TEXTS[name]
    if name == "target":
        return not _is_number(setting, TARGETS)
    if not isinstance(setting, tuple | list) or len(setting) != len(CATEGORIES):
        return True
    return not all(_is_number(each, POINTS) for each in setting)


def _is_number(setting: Any, allowed: range) -> bool:
    """Whether `setting` is an integer, not a bool, in `allowed`."""
    return isinstance(setting, int) and not isinstance(setting, bool) and setting in allowed


class PokerSquares:
    """One game of Poker Squares.

    deck: 52 cards in dealing order; with `starter` the first one goes to the centre.
    The other arguments are the options of the rule page, and the total to be reached.
    Raises ValueError for options that `refused` refuses and for a deck that is no pack.

    grid: the 25 squares, each with its card or None.
    card: the card to be placed now, or None when the game is over.
    moves: cards placed by the player.
    """

    def __init__(
        self,
        deck: list[str],
        *,
        starter: bool = False,
        adjacent: str = "none",
        scoring: str = "american",
        points: Sequence[int] = tuple(AMERICAN.values()),
        target: int = 0,
    ) -> None:
        options: dict[str, Any] = {
            "starter": starter,
            "adjacent": adjacent,
            "scoring": scoring,
            "points": points,
            "target": target,
        }
        if refused(options):
            raise ValueError(f"these options are refused: {options}")
        if sorted(deck) != sorted(PACK):
            raise ValueError(f"not a pack of 52 cards: {deck}")
        self._rules = Rules(**options)
        self._stock = list(deck)
        self.grid: list[str | None] = [None] * len(SQUARES)
        self.moves = 0
        if starter:
            self.grid[CENTRE] = self._stock.pop(0)
        self.card: str | None = self._stock.pop(0)

    # What the game says about itself

    @property
    def over(self) -> bool:
        """Whether all squares are filled."""
        return None not in self.grid

    @property
    def unseen(self) -> set[str]:
        """The cards that are neither on the grid nor in hand."""
        return {card for card in PACK if card not in self.grid and card != self.card}

    @property
    def score(self) -> int:
        """The points of the lines that are full."""
        full_hands = [cards for cards in map(self._cards_of, LINES) if len(cards) == 5]
        return sum(self._table()[hand(cards)] for cards in full_hands)

    @property
    def reached(self) -> bool:
        """Whether the game is over with at least the target."""
        return self.over and self.score >= self._target()

    def _cards_of(self, line: list[int]) -> list[str]:
        """The cards that lie on a line so far."""
        return [card for card in (self.grid[square] for square in line) if card is not None]

    def _table(self) -> dict[str, int]:
        """The points of each category."""
        if self._rules.scoring == "american":
            return AMERICAN
        if self._rules.scoring == "english":
            return ENGLISH
        return dict(zip(CATEGORIES, self._rules.points, strict=True))

    def _target(self) -> int:
        if self._rules.target > 0:
            return self._rules.target
        return 70 if self._rules.scoring == "english" else 200

    # What may be done

    def legal(self) -> set[int]:
        """The squares where the card may go; empty when the game is over."""
        empty = {square for square in SQUARES if self.grid[square] is None}
        if not self._must_touch():
            return empty
        return {square for square in empty if self._touches(square)}

    def _must_touch(self) -> bool:
        """Whether the card at hand must go next to another one."""
        if self._rules.adjacent == "all":
            return any(card is not None for card in self.grid)
        if self._rules.adjacent == "first":
            return self._rules.starter and self.moves == 0
        return False

    def _touches(self, square: int) -> bool:
        return any(self.grid[beside] is not None for beside in neighbours(square))

    # What is done

    def step(self, square: int) -> None:
        """Place the card on `square` and turn up the next; ValueError if it is not legal."""
        if square not in self.legal():
            raise ValueError(f"illegal square {square}; legal are {sorted(self.legal())}")
        self.grid[square] = self.card
        self.moves += 1
        self.card = None if self.over else self._stock.pop(0)
