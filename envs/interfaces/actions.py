"""Validation of actions, for one game and for many."""

from typing import Any

import gymnasium as gym
import numpy as np

from ..core.options import is_whole, one_line
from ..core.rows import Rows, first_illegal
from ..core.scene.scene import ansi


def whole_number(action: Any) -> int:
    """Return an action as a whole number; ValueError for anything else.

    An action is an integer of Python or NumPy, or an array or tensor of an integer type without
    dimensions: what `gymnasium.spaces.Discrete` contains, and also tensors. Booleans, floats,
    lists, and arrays with dimensions are not actions. `check_actions` applies the same rule to
    many games.
    """
    if is_whole(action):
        return int(action)
    array = as_array(action)
    if array.dtype.kind in "iu" and array.shape == ():
        return int(array)
    has_item = array.shape and array.size == 1 and hasattr(action, "item")
    hint = "; take its only number by action.item()" if has_item else ""
    raise ValueError(f"action={one_line(action)}: allowed is a whole number, such as 0{hint}")


def kernel_action(action: int) -> int:
    """Return an action as an int64; a number that does not fit becomes -1, which is illegal."""
    return action if -(2**63) <= action < 2**63 else -1


def as_array(value: Any) -> np.ndarray:
    """Return a value as an array; an object array if NumPy cannot read it or entries are masked."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        return np.zeros((), object)
    try:
        return np.asarray(value)
    except Exception:  # lists of different lengths, tensors of another device, any object
        return np.zeros((), object)


def check_actions(actions: Any, n: int) -> np.ndarray:
    """Return actions as int64 (n,); ValueError for any other type or shape.

    ``actions`` is a list, an array or a tensor of n actions; see `whole_number`. Numbers that
    do not fit int64 become -1, which is illegal.
    """
    array = as_array(actions)
    is_read = array.dtype.kind in "iu" or not isinstance(actions, list | tuple | np.ndarray)
    if not is_read and array.shape == (n,) and all(map(is_whole, actions)):
        array = np.array([kernel_action(int(action)) for action in actions], np.int64)
    if array.dtype.kind not in "iu" or array.shape != (n,):
        raise ValueError(
            f"actions must be whole numbers, shape ({n},), got {array.dtype} {array.shape}"
        )
    return array if array.dtype != np.uint64 else np.minimum(array, 2**63 - 1).astype(np.int64)


def refuse_illegal(rows: Rows, actions: np.ndarray) -> None:
    """Raise InvalidAction naming the first row whose action, int64 (n,), is not legal."""
    row = first_illegal(rows.states, actions, rows.game.actions)
    if row >= 0:
        table = ansi(rows.scene(row))
        raise gym.error.InvalidAction(f"row {row}: action {actions[row]} is not legal\n{table}")
