"""Sets of actions: the field ``legal`` of a state, in one or several words.

A game with up to 63 actions stores the set in one int64: action a is legal if bit a is set. A game
with more actions stores an array of int64 with 32 actions per word: action a is bit ``a & 31`` of
word ``a >> 5``, so the sign bit is never used. Kernels pass ``s["legal"]`` to the functions of this
module. The representation is known at compile time, so a set in one word has no overhead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .kernel.bits import count, lowest
from .kernel.jit import jit

MOST_ACTIONS = 255
"""Largest number of actions of a game."""
ONE_WORD = 63
"""Number of actions that fit into one int64 without its sign bit."""
WORD_ACTIONS = 32
"""Number of actions per word in sets of several words."""
WORD_SHIFT, WORD_MASK = 5, WORD_ACTIONS - 1


def count_words(actions: int) -> int:
    """Return the number of int64 words in a set of ``actions`` actions."""
    return 1 if actions <= ONE_WORD else -(-actions // WORD_ACTIONS)


def make_legal_field(actions: int) -> tuple[Any, ...]:
    """Return the field ``legal`` of a game's states for `numpy.dtype`."""
    words = count_words(actions)
    return ("legal", np.int64) if words == 1 else ("legal", np.int64, (words,))


@intrinsic  # type: ignore[untyped-decorator]
def _words(typing: Any, legal: Any) -> Any:
    """Return the number of words of a set."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if isinstance(legal, types.Integer):
            return context.get_constant(types.int64, 1)
        array = context.make_array(legal)(context, builder, arguments[0])
        return cgutils.unpack_tuple(builder, array.shape, 1)[0]

    return types.int64(legal), build


@intrinsic  # type: ignore[untyped-decorator]
def _word(typing: Any, legal: Any, k: Any) -> Any:
    """Return word k of a set."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if isinstance(legal, types.Integer):
            return context.cast(builder, arguments[0], legal, types.int64)
        array = context.make_array(legal)(context, builder, arguments[0])
        return builder.load(builder.gep(array.data, [arguments[1]]))

    return types.int64(legal, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def _shift(typing: Any, legal: Any) -> Any:
    """Return the number of low bits of an action that are its position within a word."""
    shift = ONE_WORD if isinstance(legal, types.Integer) else WORD_SHIFT

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_constant(types.int64, shift)

    return types.int64(legal), build


def _plain_actions(legal: Any) -> list[int]:
    if isinstance(legal, int | np.integer):
        return [action for action in range(ONE_WORD) if int(legal) >> action & 1]
    return [
        k * WORD_ACTIONS + bit
        for k, word in enumerate(legal)
        for bit in range(WORD_ACTIONS)
        if int(word) >> bit & 1
    ]


def _plain_has_action(legal: Any, action: int) -> bool:
    return action in _plain_actions(legal)


def _plain_count_actions(legal: Any) -> int:
    return len(_plain_actions(legal))


def _plain_is_empty(legal: Any) -> bool:
    return not _plain_actions(legal)


def _plain_has_choice(legal: Any) -> bool:
    return len(_plain_actions(legal)) > 1


def _plain_next_action(legal: Any, action: int) -> int:
    return next((one for one in _plain_actions(legal) if one > action), -1)


def _plain_first_action(legal: Any) -> int:
    return _plain_next_action(legal, -1)


def _plain_nth_action(legal: Any, k: int) -> int:
    return _plain_actions(legal)[k]


def _plain_fits_actions(legal: Any, actions: int) -> bool:
    if isinstance(legal, int | np.integer):
        return int(legal) >> actions == 0
    room = [min(max(actions - k * WORD_ACTIONS, 0), WORD_ACTIONS) for k in range(len(legal))]
    return all(int(word) >> bits == 0 for word, bits in zip(legal, room, strict=True))


@jit(twin=_plain_has_action)
def has_action(legal: Any, action: int) -> bool:
    """Return whether an action of the game is in the set."""
    if _shift(legal) == ONE_WORD:
        return (_word(legal, 0) >> action) & 1 != 0
    return (_word(legal, action >> WORD_SHIFT) >> (action & WORD_MASK)) & 1 != 0


@jit(twin=_plain_count_actions)
def count_actions(legal: Any) -> int:
    """Return the number of actions in the set."""
    found = 0
    for k in range(_words(legal)):
        found += count(_word(legal, k))
    return found


@jit(twin=_plain_is_empty)
def is_empty(legal: Any) -> bool:
    """Return whether the set is empty."""
    found = 0
    for k in range(_words(legal)):
        found |= _word(legal, k)
    return found == 0


@jit(twin=_plain_has_choice)
def has_choice(legal: Any) -> bool:
    """Return whether the set has more than one action."""
    several = others = 0
    for k in range(_words(legal)):
        word = _word(legal, k)
        several |= word & (word - 1)
        if k > 0:
            several |= word if others else 0
        others |= word
    return several != 0


@jit(twin=_plain_next_action)
def next_action(legal: Any, action: int) -> int:
    """Return the lowest action of the set above ``action``, or -1 if there is none.

    To iterate over a nonempty set, start with ``action = first_action(legal)`` and call this
    function while ``action >= 0``.
    """
    start = action + 1
    if _shift(legal) == ONE_WORD:
        rest = _word(legal, 0) >> start
        return start + lowest(rest) if rest else -1
    k, words = start >> WORD_SHIFT, _words(legal)
    if k >= words:
        return -1
    rest = _word(legal, k) >> (start & WORD_MASK)
    if rest:
        return start + lowest(rest)
    for later in range(k + 1, words):
        rest = _word(legal, later)
        if rest:
            return later * WORD_ACTIONS + lowest(rest)
    return -1


@jit(twin=_plain_first_action)
def first_action(legal: Any) -> int:
    """Return the lowest action of a set; for an empty set -1, or any number if it is one word."""
    if _shift(legal) == ONE_WORD:
        return lowest(_word(legal, 0))
    return next_action(legal, -1)


@jit(twin=_plain_nth_action)
def nth_action(legal: Any, k: int) -> int:
    """Return the action of the set at index k in ascending order; it must exist."""
    last = _words(legal) - 1
    for w in range(last):
        word = _word(legal, w)
        size = count(word)
        if k < size:
            for _ in range(k):
                word &= word - 1
            return w * WORD_ACTIONS + lowest(word)
        k -= size
    word = _word(legal, last)
    for _ in range(k):
        word &= word - 1
    return last * WORD_ACTIONS + lowest(word)


def _plain_write_actions(legal: Any, every: bool, mask: Any, actions: int) -> None:
    listed = _plain_actions(legal)
    for action in range(actions):
        mask[action] = every or action in listed


@jit(twin=_plain_write_actions)
def write_actions(legal: Any, every: bool, mask: np.ndarray, actions: int) -> None:
    """Write the set as a mask, int8 (actions,); all ones if ``every`` is True."""
    if _shift(legal) == ONE_WORD:
        word = -1 if every else _word(legal, 0)
        for action in range(actions):
            mask[action] = (word >> action) & 1
        return
    for k in range(_words(legal)):
        word = -1 if every else _word(legal, k)
        first = k * WORD_ACTIONS
        for bit in range(min(WORD_ACTIONS, actions - first)):
            mask[first + bit] = (word >> bit) & 1


@jit(twin=_plain_fits_actions)
def fits_actions(legal: Any, actions: int) -> bool:
    """Return whether all members of an unchecked set are below ``actions``."""
    if _shift(legal) == ONE_WORD:
        return _word(legal, 0) >> actions == 0
    outside = 0
    for k in range(_words(legal)):
        room = min(max(actions - k * WORD_ACTIONS, 0), WORD_ACTIONS)
        outside |= _word(legal, k) >> room
    return outside == 0


@jit
def clear_actions(legal: np.ndarray) -> None:
    """Remove all actions from a set of several words."""
    for k in range(len(legal)):
        legal[k] = 0


@jit
def add_action(legal: np.ndarray, action: int) -> None:
    """Add an action to a set of several words."""
    legal[action >> WORD_SHIFT] |= 1 << (action & WORD_MASK)


@jit
def add_members(legal: np.ndarray, members: int) -> None:
    """Add actions below 63, given as the bits of an int64, to a set of several words."""
    legal[0] |= members & ((1 << WORD_ACTIONS) - 1)
    legal[1] |= members >> WORD_ACTIONS


def unpack_actions(legal: np.ndarray, actions: int) -> np.ndarray:
    """Return sets of actions as masks.

    Args:
        legal: The field ``legal`` of n states, int64 (n,) or (n, words).
        actions: Number of actions of the game.

    Returns:
        bool (n, actions).
    """
    numbers = np.arange(actions)
    if legal.ndim == 1:
        return np.asarray(legal[:, None] >> numbers & 1).astype(np.bool_)
    words = legal[:, numbers >> WORD_SHIFT]
    return np.asarray(words >> (numbers & WORD_MASK) & 1).astype(np.bool_)


def list_actions(legal: Any) -> list[int]:
    """Return the actions of one state's set in ascending order."""
    return _plain_actions(legal)
