"""Sums of embeddings straight from ``codes``, on the processor. See `networks.Embedding`."""

import numpy as np

from parlour.envs.core.aliases import Codes
from parlour.envs.core.jit import jit


@jit
def sum_rows(
    codes: Codes,
    first: np.ndarray,
    shift: np.ndarray,
    base: np.ndarray,
    table: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Fill ``sums`` (n, width) with the sum of the table's rows that each observation names.

    Entry e with value v >= 1 names row ``first[e] + v``, other values none (see `CodeReader`).
    """
    for i in range(len(codes)):
        for k in range(sums.shape[1]):
            sums[i, k] = 0
        for e in range(codes.shape[1]):
            value = (codes[i, e] >> shift[e]) - base[e]
            if value > 0:
                row = first[e] + value
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
            value = (codes[i, e] >> shift[e]) - base[e]
            if value > 0:
                row = first[e] + value
                for k in range(gradient.shape[1]):
                    of_table[row, k] += gradient[i, k]
