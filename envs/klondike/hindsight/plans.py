"""Klondike by hindsight: which plans there are."""

from typing import Any

from ...core.jit import jit
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
from .tree import LINE, MOST_FIRST, NONE, QUEUE, Tree, add_plan, add_weight, find_plan

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
def board_of(position: Any) -> Board:
    """The board of a frame, a step or a plan."""
    return Board(position["columns"], position["stock"], position["waste"], position["redeals"])


@jit
def propose_plan(tree: Tree, node: int, search: Search) -> None:
    """Add the plan with which the win begins that the solver has just found."""
    depth = 0
    while (
        cards_under(search["frames"][depth]["columns"], search["frames"][depth]["commit"], search)
        <= 0
    ):
        depth += 1
    frame = search["frames"][depth]
    board, commit = board_of(frame), frame["commit"]
    plan = find_plan(tree, node, board, commit, search["worry_back"])
    if plan == NONE:
        if node == ROOT and (tree["plan_count"] == MOST_FIRST or depth >= LINE):
            return
        plan = add_plan(tree, node, board, commit)
        if node == ROOT:
            tree["length"][plan] = depth + 1
            for number in range(depth + 1):
                tree["line"][plan, number] = search["frames"][number]["commit"]
    add_weight(tree, node, plan)


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
    step["columns"], step["stock"] = board.columns, board.stock
    step["waste"], step["redeals"] = board.waste, board.redeals
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
                if tree["plan_count"] < MOST_FIRST and step["length"] < LINE:
                    write_line(tree, add_plan(tree, ROOT, board, commit), begin - 1, commit)
            elif end < QUEUE:
                after, risen = board_after(board, commit, search), up_after(board, commit, search)
                write_step(tree, end, after, risen, begin - 1, commit)
                end += 1
    plan = tree["nodes"][ROOT]["plan"]
    while plan != NONE:
        add_weight(tree, ROOT, plan)
        plan = tree["plans"][plan]["next"]
