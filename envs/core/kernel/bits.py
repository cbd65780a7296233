"""Sets of small numbers in an int64: how many members, the lowest, the highest.

Number n is in the set x if bit n of x is set, n from 0 to 62: the sign bit stays clear. In a kernel
each of the three is one instruction of the processor, where it has one.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .jit import jit


def _instruction(name: str, *flags: int) -> Any:
    """An instruction of LLVM on an int64 as a function for kernels."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, name)(*arguments, *(ir.Constant(ir.IntType(1), f) for f in flags))

    def instruction(typing: Any, x: Any) -> Any:
        return types.int64(types.int64), build

    return intrinsic(instruction)


_ones = _instruction("ctpop")
_zeros_below = _instruction("cttz", 1)  # 1: nobody asks for the zeros of 0, so no test for it
_zeros_above = _instruction("ctlz", 1)


def _plain_count(x: int) -> int:
    return int(x).bit_count()


def _plain_lowest(x: int) -> int:
    return (int(x) & -int(x)).bit_length() - 1


def _plain_highest(x: int) -> int:
    return int(x).bit_length() - 1


@jit(twin=_plain_count)
def count(x: int) -> int:
    """How many members the set has."""
    return _ones(x)


@jit(twin=_plain_lowest)
def lowest(x: int) -> int:
    """The lowest member of a set that is not empty."""
    return _zeros_below(x)


@jit(twin=_plain_highest)
def highest(x: int) -> int:
    """The highest member of a set that is not empty."""
    return 63 - _zeros_above(x)
