"""Klondike (patience, one player): a slow, plain reference for the fast kernel.

Written only from the project's rule page `docs/rules/klondike.md`. No code is shared with, or taken
from, the kernel.

Actions: DEAL 0, REDEAL 1, waste to foundation 2, waste to column k 3 + k, column k to foundation
10 + k, column i to column j from 17 on, by i and then j, foundation to column j from 59 on, two for
each column. Columns are numbered from 0 here. Cards are strings such as "Th"; the stock is listed
from its top, a column from its oldest card, the waste too: its top is its last card.

Readings taken where the page leaves something open:

1. The two actions that bring a card back to a column say its suit: of the colour that the column's
   last card wants, the lower suit first (clubs, diamonds, hearts, spades). Onto an empty column the
   first brings back a black king, the second a red one, each the lower suit's if both lie there.
2. An ace never comes back from a foundation. From the waste or a column it may go onto a two of the
   other colour, as any card onto one higher by one.
3. With `passes` 0 a REDEAL needs that something but DEAL and REDEAL was legal in a position since
   the last one, the position after it, or the dealt one, and the present one among them.
4. `standard`: each redeal begins a pass; with `draw` 1 every one costs 100, with `draw` 3 the third
   and later ones 20. The score is never below 0, after each single change. A card turned up counts
   after the move that turned it up.
5. `vegas` counts the cards on the foundations, five each, less 52, at every moment, with any
   number of passes.
6. Without `partial_runs` a column moves with all its cards that lie face up, or not at all.
7. `thoughtful` changes what is known, never what is legal.
8. A king moves from a column to an empty column only if it leaves cards behind.
9. Every action is a move for `max_moves`. A move that reaches it and wins, or loses, wins or loses.
10. The clock of `standard` runs before the move that it counts: first the 2 points for each tenth
   second that passes, then the points of the move, last the bonus of a win, rounded down.
"""

from collections.abc import Sequence

RANKS, SUITS = "A23456789TJQK", "cdhs"
COLUMNS, PACK = 7, 52
DEAL, REDEAL, WASTE_UP = 0, 1, 2
WASTE_TO, COLUMN_UP, COLUMN_TO, BACK = 3, 10, 17, 59
ACTIONS = 73
FREE_REDEALS = {1: 0, 3: 2}
REDEAL_COST = {1: 100, 3: 20}


def value(card: str) -> int:
    """1 for an ace to 13 for a king."""
    return RANKS.index(card[0]) + 1


def is_red(card: str) -> bool:
    return card[1] in "dh"


def column_to(source: int, target: int) -> int:
    """The action that moves a run from one column to another one."""
    others = [column for column in range(COLUMNS) if column != source]
    return COLUMN_TO + source * (COLUMNS - 1) + others.index(target)


def from_and_to(action: int) -> tuple[int, int]:
    """The columns of that action."""
    source, place = divmod(action - COLUMN_TO, COLUMNS - 1)
    return source, [column for column in range(COLUMNS) if column != source][place]


class Klondike:
    """A game from a deck in dealing order."""

    def __init__(
        self,
        deck: Sequence[str],
        *,
        draw: int = 3,
        passes: int = 0,
        partial_runs: bool = True,
        worry_back: bool = True,
        thoughtful: bool = False,
        scoring: str = "cards",
        seconds_per_move: int = 0,
        max_moves: int = 500,
    ) -> None:
        if sorted(deck) != sorted(rank + suit for rank in RANKS for suit in SUITS):
            raise ValueError("a deck has every card once")
        if draw not in (1, 3) or passes not in range(10):
            raise ValueError("draw is 1 or 3, passes 0 to 9")
        if scoring not in ("cards", "standard", "vegas"):
            raise ValueError("scoring is cards, standard or vegas")
        if seconds_per_move not in range(11):
            raise ValueError("seconds_per_move is 0 to 10")
        self.draw, self.passes = draw, passes
        self.partial_runs, self.worry_back, self.thoughtful = partial_runs, worry_back, thoughtful
        self.scoring, self.max_moves = scoring, max_moves
        self.seconds_per_move = seconds_per_move
        self._lay_out(list(deck))
        self.waste: list[str] = []
        self.foundations: dict[str, list[str]] = {suit: [] for suit in SUITS}
        self.seen = {column[-1] for column in self.columns}
        """The cards that have lain face up."""
        self.redeals_used = self.moves = self.points = 0
        self.had_choice = False
        """Whether something but DEAL and REDEAL was legal since the last redeal."""
        self.look()

    def _lay_out(self, deck: list[str]) -> None:
        """Row by row: to columns 1-7, to 2-7, ..., to 7; the rest is the stock."""
        self.columns: list[list[str]] = [[] for _ in range(COLUMNS)]
        for row in range(COLUMNS):
            for column in range(row, COLUMNS):
                self.columns[column].append(deck.pop(0))
        self.face_down = [len(column) - 1 for column in self.columns]
        self.stock = deck

    def look(self) -> None:
        """Record the legal actions of the current position except DEAL and REDEAL."""
        self.possible = self._moves()
        self.had_choice |= bool(self.possible)

    # What may be done

    def built(self) -> int:
        return sum(map(len, self.foundations.values()))

    def fits_foundation(self, card: str) -> bool:
        return len(self.foundations[card[1]]) == value(card) - 1

    def fits_column(self, card: str, column: int) -> bool:
        if not self.columns[column]:
            return card[0] == "K"
        last = self.columns[column][-1]
        return value(last) == value(card) + 1 and is_red(last) != is_red(card)

    def run_start(self, source: int, target: int) -> int | None:
        """Where in its column the run begins that may move to the target; None if none may."""
        column, first = self.columns[source], self.face_down[source]
        starts = range(first, len(column)) if self.partial_runs else [first]
        fitting = [k for k in starts if k < len(column) and self.fits_column(column[k], target)]
        assert len(fitting) <= 1
        if not fitting or (not self.columns[target] and fitting[0] == 0):
            return None
        return fitting[0]

    def card_back(self, action: int) -> str | None:
        """The card that this action brings back from a foundation; None if there is none."""
        column, second = divmod(action - BACK, 2)
        tops = {suit: pile[-1] for suit, pile in self.foundations.items() if pile}
        if self.columns[column]:
            colour = "cs" if is_red(self.columns[column][-1]) else "dh"
            card = tops.get(colour[second])
            return card if card and card[0] != "A" and self.fits_column(card, column) else None
        kings = [tops[suit] for suit in ("dh" if second else "cs") if suit in tops]
        return next((king for king in kings if king[0] == "K"), None)

    def _moves(self) -> set[int]:
        """The legal actions but DEAL and REDEAL."""
        result = set()
        if self.waste:
            top = self.waste[-1]
            result |= {WASTE_UP} if self.fits_foundation(top) else set()
            result |= {WASTE_TO + k for k in range(COLUMNS) if self.fits_column(top, k)}
        for source, column in enumerate(self.columns):
            if column and self.fits_foundation(column[-1]):
                result.add(COLUMN_UP + source)
            for target in range(COLUMNS):
                if target != source and self.run_start(source, target) is not None:
                    result.add(column_to(source, target))
        if self.worry_back:
            result |= {action for action in range(BACK, ACTIONS) if self.card_back(action)}
        return result

    def may_redeal(self) -> bool:
        if self.stock or not self.waste:
            return False
        return self.redeals_used < self.passes - 1 if self.passes else self.had_choice

    def legal(self) -> set[int]:
        if self.won:
            return set()
        result = self.possible | ({DEAL} if self.stock else set())
        return result | ({REDEAL} if self.may_redeal() else set())

    # How it ends

    @property
    def won(self) -> bool:
        return self.built() == PACK

    @property
    def lost(self) -> bool:
        return not self.won and not self.legal()

    @property
    def truncated(self) -> bool:
        return not self.won and not self.lost and 0 < self.max_moves <= self.moves

    @property
    def score(self) -> int:
        if self.scoring == "cards":
            return self.built()
        return self.points if self.scoring == "standard" else 5 * self.built() - 52

    @property
    def seconds(self) -> int:
        """The time on the clock, which only `standard` has."""
        return self.moves * self.seconds_per_move if self.scoring == "standard" else 0

    # What is done

    def step(self, action: int) -> None:
        """Play a legal action; ValueError for another one."""
        if self.truncated or action not in self.legal():
            raise ValueError(f"action {action} is not legal")
        before = self.seconds
        self.moves += 1
        for second in range(before + 1, self.seconds + 1):
            if second % 10 == 0:
                self._count(-2)
        if action == DEAL:
            for _ in range(min(self.draw, len(self.stock))):
                self.waste.append(self.stock.pop(0))
                self.seen.add(self.waste[-1])
        elif action == REDEAL:
            self._redeal()
        elif action == WASTE_UP:
            self._build(self.waste.pop())
        elif action < COLUMN_UP:
            self.columns[action - WASTE_TO].append(self.waste.pop())
            self._count(5)
        elif action < COLUMN_TO:
            self._build(self.columns[action - COLUMN_UP].pop())
            self._turn_up(action - COLUMN_UP)
        elif action < BACK:
            source, target = from_and_to(action)
            start = self.run_start(source, target)
            self.columns[target] += self.columns[source][start:]
            del self.columns[source][start:]
            self._turn_up(source)
        else:
            card = self.card_back(action)
            assert card
            self.foundations[card[1]].pop()
            self.columns[(action - BACK) // 2].append(card)
            self._count(-15)
        if self.won and self.seconds > 30:
            self._count(700_000 // self.seconds)
        self.look()

    def _redeal(self) -> None:
        self.stock, self.waste = self.waste, []
        self.redeals_used += 1
        self.had_choice = False
        if self.redeals_used > FREE_REDEALS[self.draw]:
            self._count(-REDEAL_COST[self.draw])

    def _build(self, card: str) -> None:
        self.foundations[card[1]].append(card)
        self._count(10)

    def _turn_up(self, column: int) -> None:
        if self.columns[column] and self.face_down[column] == len(self.columns[column]):
            self.face_down[column] -= 1
            self.seen.add(self.columns[column][-1])
            self._count(5)

    def _count(self, points: int) -> None:
        self.points = max(0, self.points + points)

    # What is known

    def knows(self, card: str) -> bool:
        """Whether the player knows where a card is: it has lain face up."""
        return self.thoughtful or card in self.seen

    def known_columns(self) -> list[list[str | None]]:
        return [[card if self.knows(card) else None for card in pile] for pile in self.columns]

    def known_stock(self) -> list[str | None]:
        return [card if self.knows(card) else None for card in self.stock]
