"""Klondike's solver: what a search works with, and its stack of positions."""

from typing import Any, TypeAlias

import numpy as np

COLUMNS = 7
LONGEST_COLUMN = 7
STOCK = 24
FRAMES = 256
"""More than the longest line of commits: every card leaves its place once, and goes up once."""
QUEUE = 1 << 16
"""Room for the foundations of all positions that moves which can be taken back lead to."""
FOUND = 1 << 18
COMMITS = 1 << 20
FRAME = np.dtype(
    [
        ("columns", np.int64),  # as in a `Board`
        ("stock", np.int64),
        ("waste", np.int64),
        ("redeals", np.int64),
        ("up", np.int64),  # the foundations with which it was entered
        ("first", np.int64),  # its commits on their stack: from here on ...
        ("next", np.int64),  # ... to here; the last comes next
        ("commit", np.int64),  # the one that is tried
    ]
)
"""A position whose commits are tried."""
SEARCH = np.dtype(
    [
        ("dealt", np.int64, (COLUMNS, LONGEST_COLUMN)),  # a column's cards from below, as sets
        ("buried", np.int64, (COLUMNS, LONGEST_COLUMN)),  # the cards below each of them, as sets
        ("cards", np.int64, STOCK),  # of waste, from below, and stock, from above, as sets
        ("draw", np.int64),
        ("any_passes", np.int64),
        ("worry_back", np.int64),
        ("limit", np.int64),
        ("used", np.int64),  # positions in the table
        ("full", np.int64),  # whether commits were left out for want of room
        ("depth", np.int64),  # of the deepest frame
        ("size", np.int64),  # commits on their stack
        ("reached", np.int64),  # cards listed in ``reach``
        ("reach", np.int64, (STOCK, 5)),  # see `stock.list_reachable`
        ("queue", np.int64, QUEUE),
        ("found", np.int64, FOUND),  # the commits of a position
        ("commits", np.int64, COMMITS),
        ("frames", FRAME, FRAMES),
    ]
)
"""What one search works with, but for the table, which grows.

A record, because Numba counts the references to an array at every call.
"""
Search: TypeAlias = Any
"""One record of SEARCH."""
