"""Klondike by hindsight: how the cards that lie face down could lie."""

import numpy as np

from ....core.aliases import Word
from ....core.kernel.jit import jit
from ....core.kernel.rng import GAMMA, finish_word
from ..solver.frames import COLUMNS, LONGEST_COLUMN, Search
from ..solver.position import left_in
from .plans import cards_under
from .tree import MOST_HIDDEN, Tree, board_of, write_board

S32 = np.uint64(32)


@jit
def count_hidden(columns: int) -> int:
    """How many cards lie face down: all that lie as dealt but the heads."""
    found = 0
    for column in range(COLUMNS):
        found += max(left_in(columns, column) - 1, 0)
    return found


@jit
def cards_face_down(columns: int, search: Search) -> int:
    """The cards that lie face down, as a set."""
    cards = 0
    for column in range(COLUMNS):
        for row in range(left_in(columns, column) - 1):
            cards |= search["dealt"][column, row]
    return cards


@jit
def deal_world(columns: int, hidden: int, word: Word, search: Search) -> Word:
    """Deal the cards face down, a set, anew; return the next word of the generator."""
    cards, size = np.empty(MOST_HIDDEN, np.int64), 0
    while hidden:
        cards[size] = hidden & -hidden
        hidden &= hidden - 1
        size += 1
    for column in range(COLUMNS):
        buried = 0
        for row in range(left_in(columns, column)):
            if row < left_in(columns, column) - 1:
                word = word + GAMMA
                drawn = np.int64(((finish_word(word) >> S32) * np.uint64(size)) >> S32)
                size -= 1
                search["dealt"][column, row], cards[drawn] = cards[drawn], cards[size]
            search["buried"][column, row] = buried
            buried |= search["dealt"][column, row]
    return word


@jit
def keep_world(tree: Tree, search: Search) -> None:
    """Keep the world that the search has, and how the win that was found turns its cards up."""
    world = tree["worlds"][tree["world_count"]]
    tree["world_count"] += 1
    for column in range(COLUMNS):
        for row in range(LONGEST_COLUMN):
            world["dealt"][column, row] = search["dealt"][column, row]
            world["buried"][column, row] = search["buried"][column, row]
    size = 0
    for depth in range(search["depth"]):
        frame = search["frames"][depth]
        if cards_under(frame["columns"], frame["commit"], search) > 0:
            turn = world["turns"][size]
            write_board(turn, board_of(frame))
            turn["commit"] = frame["commit"]
            size += 1


@jit
def load_world(tree: Tree, number: int, search: Search) -> None:
    """Give a world that was kept to the search."""
    world = tree["worlds"][number]
    for column in range(COLUMNS):
        for row in range(LONGEST_COLUMN):
            search["dealt"][column, row] = world["dealt"][column, row]
            search["buried"][column, row] = world["buried"][column, row]
