"""Sums of embeddings straight from ``codes``, on the processor. See `networks.Embedding`."""

import numpy as np

from parlour.envs.core.aliases import Codes
from parlour.envs.core.kernel.jit import jit


@jit
def find_row(code: int, first: int, shift: int, base: int) -> int:
    """The row that an entry names: ``first + v`` for a value v >= 1, else 0 (see `CodeReader`)."""
    value = (code >> shift) - base
    return first + value if value > 0 else 0


@jit
def sum_rows(
    codes: Codes,
    first: np.ndarray,
    shift: np.ndarray,
    base: np.ndarray,
    table: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Fill ``sums`` (n, width) with the sum of the table's rows that each observation names."""
    for i in range(len(codes)):
        for k in range(sums.shape[1]):
            sums[i, k] = 0
        for e in range(codes.shape[1]):
            row = find_row(codes[i, e], first[e], shift[e], base[e])
            if row > 0:
                for k in range(sums.shape[1]):
                    sums[i, k] += table[row, k]


@jit
def add_to_rows(
    codes: Codes,
    first: np.ndarray,
    shift: np.ndarray,
    base: np.ndarray,
    gradient: np.ndarray,
    of_table: np.ndarray,
) -> None:
    """Add each observation's gradient (n, width) to those rows whose sum it was: `sum_rows`."""
    for i in range(len(codes)):
        for e in range(codes.shape[1]):
            row = find_row(codes[i, e], first[e], shift[e], base[e])
            if row > 0:
                for k in range(gradient.shape[1]):
                    of_table[row, k] += gradient[i, k]
