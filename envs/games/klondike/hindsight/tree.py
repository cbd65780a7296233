"""Klondike by hindsight: what a search of plans works with, and the growth of its tree.

A *plan* is what is done up to the next card that is turned up: commits of the solver, of which the
last one turns it up. Nothing else comes to light on the way, so a plan can be played whatever lies
hidden. A *node* is a position in which a plan is to be chosen; its children are told apart by the
plan and by the card that it turned up.
"""

from typing import Any, TypeAlias

import numpy as np

from ....core.kernel.jit import jit
from ..solver.card_sets import RANKS
from ..solver.frames import COLUMNS, FRAMES, LONGEST_COLUMN
from ..solver.position import Board

MOST_ITERATIONS = 1 << 16
WORLDS = 100
"""Worlds that a search uses, those alone that can be won as the position stands."""
MOST_FIRST = 128
"""Plans at the root."""
QUEUE = 1024
CARDS = 4 * RANKS
MOST_HIDDEN = 21
COLUMNS_OF_COMMIT = 0xFF << 20
"""Where a commit has the column that it turns a card up in, and the one that it empties first."""
NONE = -1
"""No plan, no node."""

POSITION = [
    ("columns", np.int64),  # as in a `Board`
    ("stock", np.int64),
    ("waste", np.int64),
    ("redeals", np.int64),
]
TURN = [*POSITION, ("commit", np.int64)]
"""A commit that turns a card up, and the position before it."""
WORLD = np.dtype(
    [
        ("dealt", np.int64, (COLUMNS, LONGEST_COLUMN)),  # both as in the solver's search
        ("buried", np.int64, (COLUMNS, LONGEST_COLUMN)),
        ("turns", np.dtype(TURN), MOST_HIDDEN),  # of a way to win from the root
    ]
)
"""How the cards that lie face down could lie."""
STEP = np.dtype(
    [
        *POSITION,
        ("up", np.int64),
        ("before", np.int64),  # the step before this one
        ("commit", np.int64),  # the commit between them
        ("length", np.int64),  # commits up to here
    ]
)
"""A position on the way to plans that are listed."""
PLAN = np.dtype(
    [
        ("next", np.int64),  # another plan of the same node
        *TURN,
        ("weight", np.int64),  # how often it was found: what is tried first
        ("visits", np.int64),
        ("wins", np.float64),
        ("children", np.int32, CARDS),  # by the card that it turns up
    ]
)
NODE = np.dtype(
    [
        ("plan", np.int64),  # the first one of a list
        ("weight", np.int64),  # of all its plans
        ("solved", np.int64),  # how often it was a leaf
        ("visits", np.int64),
        ("wins", np.float64),
        ("value", np.float64),  # where nothing is hidden any more; before it is known: -1
    ]
)
TREE = np.dtype(
    [
        ("node_count", np.int64),
        ("plan_count", np.int64),
        ("world_count", np.int64),
        ("dealt", np.int64),  # worlds dealt in all
        ("line", np.int64, (MOST_FIRST, FRAMES)),  # commits of the root's plans
        ("length", np.int64, MOST_FIRST),
        ("worlds", WORLD, WORLDS),
        ("steps", STEP, QUEUE),
        ("way_nodes", np.int64, MOST_HIDDEN + 1),  # of the present walk
        ("way_plans", np.int64, MOST_HIDDEN + 1),
        ("nodes", NODE, MOST_ITERATIONS + 1),
        ("plans", PLAN, MOST_ITERATIONS + MOST_FIRST),
    ]
)
"""What one search works with: a record, as `frames.SEARCH` is."""
Tree: TypeAlias = Any
"""One record of TREE."""


@jit
def add_node(tree: Tree) -> int:
    """Add a node; return its number."""
    number = tree["node_count"]
    tree["node_count"] += 1
    node = tree["nodes"][number]
    node["plan"], node["value"] = NONE, -1.0
    node["weight"] = node["solved"] = node["visits"] = 0
    node["wins"] = 0.0
    return number


@jit
def board_of(position: Any) -> Board:
    """The board of a record that has a position."""
    return Board(position["columns"], position["stock"], position["waste"], position["redeals"])


@jit
def write_board(position: Any, board: Board) -> None:
    """Write a board into a record."""
    position["columns"], position["stock"] = board.columns, board.stock
    position["waste"], position["redeals"] = board.waste, board.redeals


@jit
def is_same_turn(one: Any, board: Board, commit: int, worry_back: bool) -> bool:
    """Whether a card is turned up in the same way.

    With ``worry_back`` the foundations are left out: between two such commits cards go up and come
    back. Where there is no room for that, a plan is judged by others that are almost the same.
    """
    compared = COLUMNS_OF_COMMIT if worry_back else ~0
    if (one["commit"] ^ commit) & compared or one["columns"] != board.columns:
        return False
    return one["stock"] == board.stock and one["waste"] == board.waste


@jit
def find_plan(tree: Tree, node: int, board: Board, commit: int, worry_back: bool) -> int:
    """Return the plan of a node that turns a card up in this way, NONE if there is none."""
    number = tree["nodes"][node]["plan"]
    while number != NONE and not is_same_turn(tree["plans"][number], board, commit, worry_back):
        number = tree["plans"][number]["next"]
    return number


@jit
def add_plan(tree: Tree, node: int, board: Board, commit: int) -> int:
    """Add a plan to a node; return its number."""
    number = tree["plan_count"]
    tree["plan_count"] += 1
    plan = tree["plans"][number]
    write_board(plan, board)
    plan["commit"], plan["next"] = commit, tree["nodes"][node]["plan"]
    plan["weight"] = plan["visits"] = 0
    plan["wins"] = 0.0
    for card in range(CARDS):
        plan["children"][card] = NONE
    tree["nodes"][node]["plan"] = number
    return number


@jit
def add_weight(tree: Tree, node: int, plan: int) -> None:
    """Note that a plan was found once more."""
    tree["plans"][plan]["weight"] += 1
    tree["nodes"][node]["weight"] += 1


@jit
def note_plan(tree: Tree, node: int, board: Board, commit: int, worry_back: bool) -> None:
    """Note that a plan was found, be it new or not."""
    plan = find_plan(tree, node, board, commit, worry_back)
    if plan == NONE:
        plan = add_plan(tree, node, board, commit)
    add_weight(tree, node, plan)
