"""Klondike by hindsight: which plans there are."""

from ....core.kernel.jit import jit
from ..solver.expand import open_position
from ..solver.frames import Search
from ..solver.moves import (
    REVEAL,
    REVEAL_UP,
    board_after,
    cleared_by,
    kind_of,
    number_of,
    up_after,
)
from ..solver.position import Board, left_in, take_head
from ..solver.table import FREE, SLOTS, double_keys, find_slot, key_of, make_keys
from .tree import (
    MOST_FIRST,
    NONE,
    QUEUE,
    Tree,
    add_plan,
    add_weight,
    board_of,
    find_plan,
    note_plan,
    write_board,
)

ROOT = 0


@jit
def cards_under(columns: int, commit: int, search: Search) -> int:
    """How many cards lie under the head that a commit moves; 0 if it moves none."""
    if kind_of(commit) != REVEAL and kind_of(commit) != REVEAL_UP:
        return 0
    if cleared_by(commit) >= 0:
        columns = take_head(columns, cleared_by(commit), search)
    return left_in(columns, number_of(commit)) - 1


@jit
def first_turn(search: Search) -> int:
    """The depth at which the win that the solver has found turns its first card up."""
    depth = 0
    while True:
        frame = search["frames"][depth]
        if cards_under(frame["columns"], frame["commit"], search) > 0:
            return depth
        depth += 1


@jit
def propose_first(tree: Tree, search: Search) -> None:
    """Give the root the plan with which the win begins that the solver has found."""
    depth = first_turn(search)
    last = search["frames"][depth]
    board, commit, before = board_of(last), last["commit"], tree["plan_count"]
    known = find_plan(tree, ROOT, board, commit, search["worry_back"])
    if known == NONE and before == MOST_FIRST:
        return
    note_plan(tree, ROOT, board, commit, search["worry_back"])
    if known == NONE:
        tree["length"][before] = depth + 1
        for number in range(depth + 1):
            tree["line"][before, number] = search["frames"][number]["commit"]


@jit
def propose_plan(tree: Tree, node: int, search: Search) -> None:
    """Give a node but the root the plan with which the win begins that the solver has found."""
    frame = search["frames"][first_turn(search)]
    note_plan(tree, node, board_of(frame), frame["commit"], search["worry_back"])


@jit
def write_line(tree: Tree, plan: int, step: int, commit: int) -> None:
    """Write the commits of a plan of the root, from the last one back."""
    place = tree["steps"][step]["length"]
    tree["length"][plan] = place + 1
    while place >= 0:
        tree["line"][plan, place] = commit
        commit, step = tree["steps"][step]["commit"], tree["steps"][step]["before"]
        place -= 1


@jit
def write_step(tree: Tree, number: int, board: Board, up: int, before: int, commit: int) -> None:
    """Write down a position on the way, and how it is come to."""
    step = tree["steps"][number]
    write_board(step, board)
    step["up"], step["before"], step["commit"] = up, before, commit
    step["length"] = tree["steps"][before]["length"] + 1 if before != NONE else 0


@jit
def list_plans(tree: Tree, board: Board, up: int, most: int, search: Search) -> None:
    """Give the root all plans that begin in the first so many positions without turning a card up.

    The positions are looked at in the order of their distance.
    """
    keys = make_keys(SLOTS)
    search["used"] = search["full"] = 0
    write_step(tree, 0, board, up, NONE, 0)
    begin, end = 0, 1
    while begin < min(end, most):
        step = tree["steps"][begin]
        board, up = board_of(step), step["up"]
        begin += 1
        if keys[find_slot(keys, key_of(board, up))] != FREE:
            continue
        search["size"] = 0
        if 2 * search["used"] + 2 > len(keys):
            keys = double_keys(keys)
        keys = open_position(board, up, keys, search)
        for number in range(search["size"] - 1, -1, -1):
            commit = search["commits"][number]
            if cards_under(board.columns, commit, search) > 0:
                if find_plan(tree, ROOT, board, commit, search["worry_back"]) != NONE:
                    continue
                if tree["plan_count"] < MOST_FIRST:
                    write_line(tree, add_plan(tree, ROOT, board, commit), begin - 1, commit)
            elif end < QUEUE:
                after, risen = board_after(board, commit, search), up_after(board, commit, search)
                write_step(tree, end, after, risen, begin - 1, commit)
                end += 1
    plan = tree["nodes"][ROOT]["plan"]
    while plan != NONE:
        add_weight(tree, ROOT, plan)
        plan = tree["plans"][plan]["next"]
