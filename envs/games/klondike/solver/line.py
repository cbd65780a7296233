"""Klondike solver: convert a line of commits or of whole-run moves to actions of the game."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ....core.type_aliases import Action, CardCode
from ..rules import BACK as BACK_ACTION
from ..rules import COLUMN_UP, DEAL, MOVE, REDEAL, WASTE_DOWN, WASTE_UP
from .card_sets import (
    ACES,
    CARD_AT,
    KING,
    KINGS,
    SUITS,
    cards_next,
    cards_up,
    height,
    is_red,
    open_pairs,
    place_of,
)
from .depth_first import (
    KING_DOWN,
    LOOSE_UP,
    REVEAL,
    REVEAL_UP,
    STOCK_DOWN,
    STOCK_UP,
    cleared_by,
    kind_of,
    number_of,
)
from .whole_runs import BACK, UP


def rank_of(card: CardCode) -> int:
    """Return the rank of a card code: 0 for an ace."""
    return (card >> 2) - 1


def fits(card: CardCode, carrier: CardCode) -> bool:
    """Return whether a card may be put on another."""
    return rank_of(card) + 1 == rank_of(carrier) and is_red(card) != is_red(carrier)


@dataclass
class Table:
    """The cards of a position, and the actions that led to it."""

    columns: list[list[CardCode]]
    hidden: list[int]
    """The number of face-down cards of each column."""
    waste: list[CardCode]
    stock: list[CardCode]
    """From the top."""
    up: int
    draw: int
    actions: list[Action] = field(default_factory=list)

    def find_card(self, card: CardCode) -> int:
        """Return the column of a card; -1 if it is not in a column."""
        for column, cards in enumerate(self.columns):
            if card in cards[self.hidden[column] :]:
                return column
        return -1

    def find_room(self, card: CardCode, carrier: CardCode = 0) -> int:
        """Return a column that takes a card. If ``carrier`` is not 0, the column ends with it."""
        for column, cards in enumerate(self.columns):
            last = cards[-1] if cards else 0
            takes = fits(card, last) if last else rank_of(card) == KING
            if takes and carrier in (0, last):
                return column
        raise RuntimeError(f"no column takes card {card}")

    def lift(self, column: int, first: int) -> list[CardCode]:
        """Take all cards from a row on off a column, and turn up the card under them."""
        cards = self.columns[column]
        lifted = cards[first:]
        del cards[first:]
        self.hidden[column] = min(self.hidden[column], max(len(cards) - 1, 0))
        return lifted

    def move_run(self, column: int, first: int, carrier: CardCode = 0) -> None:
        """Move all cards of a column from a row on to a column that takes them."""
        target = self.find_room(self.columns[column][first], carrier)
        self.columns[target] += self.lift(column, first)
        self.actions.append(MOVE + 6 * column + target - (target > column))

    def send_up(self, suit: int) -> None:
        """Send the next card of a suit up from the tableau. Cards on it move to its twin."""
        card = 4 * (height(self.up, suit) + 1) + suit
        column = self.find_card(card)
        place = self.columns[column].index(card)
        if place + 1 < len(self.columns[column]):
            self.move_run(column, place + 1)
        self.lift(column, place)
        self.up += 1 << 4 * suit
        self.actions.append(COLUMN_UP + column)

    def bring_back(self, suit: int, carrier: CardCode = 0) -> None:
        """Bring the top card of a suit back to the tableau."""
        card = 4 * height(self.up, suit) + suit
        column = self.find_room(card, carrier)
        second = suit >> 1 if self.columns[column] else is_red(card)
        self.columns[column].append(card)
        self.up -= 1 << 4 * suit
        self.actions.append(BACK_ACTION + 2 * column + second)

    def turn_to(self, card: CardCode) -> None:
        """Turn cards of the stock until a card is in play."""
        for _ in range(2 * (len(self.stock) + len(self.waste)) + 2):
            if self.waste and self.waste[-1] == card:
                return
            if self.stock:
                self.waste += self.stock[: self.draw]
                del self.stock[: self.draw]
                self.actions.append(DEAL)
            else:
                self.stock, self.waste = self.waste, []
                self.actions.append(REDEAL)
        raise RuntimeError(f"card {card} is not in stock or waste")

    def play_stock(self, card: CardCode, to_foundation: bool, carrier: CardCode = 0) -> None:
        """Play a card of stock or waste."""
        self.turn_to(card)
        self.waste.pop()
        if to_foundation:
            self.up += 1 << 4 * (card & 3)
            self.actions.append(WASTE_UP)
            return
        column = self.find_room(card, carrier)
        self.columns[column].append(card)
        self.actions.append(WASTE_DOWN + column)

    def finish(self) -> None:
        """Send all cards up, the lowest first."""
        while True:
            heights = [height(self.up, suit) for suit in range(SUITS)]
            suit = heights.index(min(heights))
            if heights[suit] > KING:
                return
            card = 4 * (heights[suit] + 1) + suit
            if self.find_card(card) >= 0:
                self.send_up(suit)
            else:
                self.play_stock(card, True)


class Step(NamedTuple):
    """A card that goes up or comes back between two commits."""

    suit: int
    change: int
    """1 for up, -1 for back."""


def find_steps(start: int, goal: int, known: int, heads: int, free: int) -> list[Step]:
    """Return the steps that change the foundations from ``start`` to ``goal``.

    ``known``, ``heads`` and ``free`` are as in a `position.Sight`.
    """
    came_from: dict[int, tuple[int, Step]] = {start: (start, Step(0, 0))}
    queue = deque([start])
    while goal not in came_from:
        up = queue.popleft()
        visible = known & ~cards_up(up)
        loose = visible & ~heads
        carriers = open_pairs(visible, loose)
        rises = loose & cards_next(up) & carriers
        room = carriers >> 4 | (KINGS if free > (loose & KINGS).bit_count() else 0)
        steps = []
        for suit in range(SUITS):
            rank = height(up, suit)
            if rank <= KING and rises >> place_of(4 * (rank + 1) + suit) & 1:
                steps.append(Step(suit, 1))
            if rank > 1 and room & ~ACES & known & 1 << place_of(4 * rank + suit):
                steps.append(Step(suit, -1))
        for step in steps:
            new = up + step.change * (1 << 4 * step.suit)
            if new not in came_from:
                came_from[new] = up, step
                queue.append(new)
    way = []
    while goal != start:
        goal, step = came_from[goal]
        way.append(step)
    return way[::-1]


def change_foundations(table: Table, goal: int) -> None:
    """Change the foundations of a table to ``goal`` by moves that can be taken back."""
    if goal == table.up:
        return
    heads, known, free = 0, 0, 0
    for column, cards in enumerate(table.columns):
        open_cards = cards[table.hidden[column] :]
        known |= sum(1 << place_of(card) for card in open_cards)
        if cards and (table.hidden[column] or rank_of(cards[0]) != KING):
            heads |= 1 << place_of(open_cards[0])
        else:
            free += 1
    known |= int(cards_up(table.up))
    for step in find_steps(table.up, goal, known, heads, free):
        if step.change > 0:
            table.send_up(step.suit)
        else:
            table.bring_back(step.suit)


def play_commit(table: Table, commit: int, cards: np.ndarray) -> None:
    """Play a commit on a table. ``cards`` has the cards of the stock by number, as sets."""
    kind, number, cleared = kind_of(commit), number_of(commit), cleared_by(commit)
    change_foundations(table, commit & 0xFFFF)
    if cleared >= 0:
        table.move_run(cleared, 0)
    if kind == REVEAL:
        table.move_run(number, table.hidden[number])
    elif kind == REVEAL_UP:
        table.send_up(table.columns[number][table.hidden[number]] & 3)
    elif kind in (STOCK_DOWN, STOCK_UP):
        card = int(CARD_AT[int(cards[number]).bit_length() - 1])
        table.play_stock(card, kind == STOCK_UP)
    elif kind == KING_DOWN:
        table.bring_back(number)
    elif kind == LOOSE_UP:
        table.send_up(number)


def carrier_of(card: CardCode, twin: int) -> CardCode:
    """Return the first or second of the twins that can carry a card; 0 for a king."""
    if rank_of(card) == KING:
        return 0
    return int(CARD_AT[(place_of(card) & ~1) + 4 + twin])


def play_whole_run(table: Table, move: int, cards: np.ndarray) -> None:
    """Play a move of `whole_runs` on a table. ``cards`` is as in `play_commit`."""
    kind, number, twin = move & 15, move >> 4 & 31, move >> 9
    if kind == UP:
        table.send_up(number)
    elif kind == BACK:
        card = 4 * height(table.up, number) + number
        table.bring_back(number, carrier_of(card, twin))
    elif kind == REVEAL:
        first = table.hidden[number]
        table.move_run(number, first, carrier_of(table.columns[number][first], twin))
    else:
        card = int(CARD_AT[int(cards[number]).bit_length() - 1])
        table.play_stock(card, kind == STOCK_UP, carrier_of(card, twin))


def spell_whole_line(table: Table, moves: Iterable[int], cards: np.ndarray) -> list[Action]:
    """Return the actions of a line of `whole_runs` and the actions that finish the game."""
    for move in moves:
        play_whole_run(table, int(move), cards)
    table.finish()
    return table.actions


def spell_line(table: Table, commits: Iterable[int], cards: np.ndarray) -> list[Action]:
    """Return the actions of a line of commits and the actions that finish the game."""
    for commit in commits:
        play_commit(table, int(commit), cards)
    table.finish()
    return table.actions
