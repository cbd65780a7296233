"""Klondike's solver: the table of the positions met. One number stands for a position, exactly."""

import numpy as np

from ....core.kernel.jit import jit
from .frames import STOCK
from .position import UP_CODES, Board, code_board, code_up

FREE = -1
SLOTS = 1 << 12
"""So many slots at first; they double."""


@jit
def key_of(board: Board, up: int) -> int:
    """The number of a position, below 2**63."""
    return (code_board(board) * UP_CODES + code_up(up)) << STOCK | board.stock


@jit
def make_keys(size: int) -> np.ndarray:
    """Make a table of free slots; ``size`` is a power of two."""
    return np.full(size, FREE, np.int64)


@jit(inline="always")  # else Numba counts references to the array at every call
def find_slot(keys: np.ndarray, key: int) -> int:
    """The slot of a position, or the free one where it belongs."""
    mask = len(keys) - 1
    word = (key ^ key >> 31) * 0x1D8E4E27C47D124F
    slot = (word ^ (word >> 29) & 0x7FFFFFFFF) & mask
    while keys[slot] != FREE and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@jit
def double_keys(keys: np.ndarray) -> np.ndarray:
    """The table with twice the slots."""
    more = make_keys(2 * len(keys))
    for key in keys:
        if key != FREE:
            more[find_slot(more, key)] = key
    return more
