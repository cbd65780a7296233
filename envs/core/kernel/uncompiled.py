"""Kernels as Python runs them, for a debugger: what `jit` returns where NUMBA_DISABLE_JIT is set.

Compiled code widens a small integer to 64 bits when it reads it, reads the field of a record by a
dot, and does not warn where a number runs over. Python does none of that with NumPy's arrays. So an
uncompiled kernel is handed views of them: what is read is an ordinary int, what is written goes
into the array. Words of 64 bits without a sign stay NumPy's, in which they run over as compiled.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

WORD = (1 << 64) - 1


class View:
    """An array or a record, as compiled code reads and writes it."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __getitem__(self, key: Any) -> Any:
        """Return an entry or a field: an int, a bool, a float, a word, or a view."""
        return show(self.array[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write an entry or a field; whole numbers run over as compiled."""
        if type(value) is int and self.array.dtype.kind in "iu":
            value = np.array(value & WORD, np.uint64).astype(self.array.dtype)
        self.array[key] = value.array if isinstance(value, View) else value

    def __getattr__(self, name: str) -> Any:
        """Return a field, as rules are read, or what an array has, such as its shape."""
        is_field = name in (self.array.dtype.names or ())
        return show(self.array[name] if is_field else getattr(self.array, name))

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self.array)

    def __array__(self, *given: Any, **keywords: Any) -> np.ndarray:
        """Return the array itself, to NumPy's functions."""
        return np.asarray(self.array, *given, **keywords)

    def __repr__(self) -> str:
        """Show the array, for a debugger; a record with the names of its fields."""
        names = self.array.dtype.names
        if names is None or self.array.shape:
            return repr(self.array)
        return repr({name: show(self.array[name]) for name in names})


def show(value: Any) -> Any:
    """Return what a kernel takes in the place of a value: views of arrays, ints of integers."""
    if isinstance(value, np.ndarray | np.void):
        return View(value)
    if isinstance(value, np.integer | np.bool_) and not isinstance(value, np.uint64):
        return value.item()
    if isinstance(value, tuple):
        shown = map(show, value)
        return type(value)(*shown) if hasattr(value, "_fields") else tuple(shown)
    return value


def run_uncompiled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that Python runs as it stands, on views of what it is handed."""

    @functools.wraps(kernel)
    def call(*given: Any) -> Any:
        with np.errstate(all="ignore"):
            return kernel(*map(show, given))

    return call
