"""The arrays that a batch writes into, owned by who calls it."""

import numpy as np

from .contract import Buffers


def make_buffers(n: int, actions: int, state: np.dtype, seats: int = 1) -> Buffers:
    """Return zeroed buffers for n rows of a game with so many actions and seats and that state."""
    return Buffers(
        np.zeros((n, seats)),
        np.zeros(n, np.bool_),
        np.zeros(n, np.bool_),
        np.zeros((n, actions), np.int8),
        np.zeros(n, state),
        np.full(n, -1),
        np.zeros(n, np.int64),
    )
