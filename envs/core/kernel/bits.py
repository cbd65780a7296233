"""Sets of the numbers 0 to 62 in an int64: size, lowest and highest member.

The number n is in the set x if bit n of x is set. The sign bit is never set. In a kernel, each
function is one processor instruction, if the processor has it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .jit import jit


def _instruction(name: str, *flags: int) -> Any:
    """Return an LLVM instruction on an int64 as a function for kernels."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, name)(*arguments, *(ir.Constant(ir.IntType(1), f) for f in flags))

    def instruction(typing: Any, x: Any) -> Any:
        return types.int64(types.int64), build

    return intrinsic(instruction)


_ones = _instruction("ctpop")
_zeros_below = _instruction("cttz", 1)  # 1: the argument is never 0, so LLVM need not test it.
_zeros_above = _instruction("ctlz", 1)


def _plain_count(x: int) -> int:
    return int(x).bit_count()


def _plain_lowest(x: int) -> int:
    return (int(x) & -int(x)).bit_length() - 1


def _plain_highest(x: int) -> int:
    return int(x).bit_length() - 1


@jit(twin=_plain_count)
def count(x: int) -> int:
    """Return the number of members of a set."""
    return _ones(x)


@jit(twin=_plain_lowest)
def lowest(x: int) -> int:
    """Return the lowest member of a nonempty set."""
    return _zeros_below(x)


@jit(twin=_plain_highest)
def highest(x: int) -> int:
    """Return the highest member of a nonempty set."""
    return 63 - _zeros_above(x)
