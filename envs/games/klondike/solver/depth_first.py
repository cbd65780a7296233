"""Klondike with all cards known: can a position be won? A search in depth that forgets nothing."""

import numpy as np

from ....core.contract import LOST, UNDECIDED, WINNABLE
from ....core.kernel.jit import jit
from .expand import open_position
from .frames import Search
from .moves import board_after, up_after
from .position import Board
from .relaxed import ALL_UP
from .table import FREE, SLOTS, double_keys, find_slot, key_of, make_keys


@jit
def is_won(board: Board, up: int, search: Search) -> bool:
    """Whether nothing can go wrong: all cards on the tableau are in sight, and the rest at hand.

    Then the lowest card that is not up can always go up: no lower one lies on it.
    """
    if board.stock and not (search["draw"] == 1 and search["any_passes"]):
        return False
    columns = board.columns
    return up == ALL_UP or columns & 0x6666666 == 0


@jit
def push_position(
    board: Board, up: int, depth: int, keys: np.ndarray, search: Search
) -> np.ndarray:
    """Put a position and its commits on their stacks; return the table."""
    frame = search["frames"][depth]
    frame["columns"], frame["stock"] = board.columns, board.stock
    frame["waste"], frame["redeals"] = board.waste, board.redeals
    frame["up"], frame["first"] = up, search["size"]
    search["depth"] = depth
    if 2 * search["used"] + 2 > len(keys):
        keys = double_keys(keys)
    keys = open_position(board, up, keys, search)
    frame["next"] = search["size"]
    return keys


@jit
def decide_winnable(board: Board, up: int, search: Search) -> int:
    """Say whether a position can be won; a win is on the stack of frames, up to ``depth``.

    After ``limit`` positions, and where there is no room for all commits, it stays `UNDECIDED`.
    """
    search["used"] = search["full"] = search["size"] = search["depth"] = 0
    keys = make_keys(SLOTS)
    if is_won(board, up, search):
        return WINNABLE
    keys = push_position(board, up, 0, keys, search)
    depth = 0
    while depth >= 0:
        frame = search["frames"][depth]
        if frame["next"] == frame["first"]:
            depth -= 1
            continue
        frame["next"] -= 1
        commit = search["commits"][frame["next"]]
        frame["commit"] = commit
        before = Board(frame["columns"], frame["stock"], frame["waste"], frame["redeals"])
        after, up = board_after(before, commit, search), up_after(before, commit, search)
        if keys[find_slot(keys, key_of(after, up))] != FREE:
            continue
        search["size"] = frame["next"]
        depth += 1
        if is_won(after, up, search):
            last = search["frames"][depth]
            last["columns"], last["stock"], last["up"] = after.columns, after.stock, up
            search["depth"] = depth
            return WINNABLE
        if search["used"] >= search["limit"]:
            return UNDECIDED
        keys = push_position(after, up, depth, keys, search)
    return UNDECIDED if search["full"] else LOST
