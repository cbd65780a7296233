"""Sets of actions of one word and of several: compiled, in plain Python and by NumPy the same."""

import random
from typing import Any

import numpy as np
import pytest

from parlour.envs.core import legal as sets
from parlour.envs.core.kernel.jit import jit, plain_python
from parlour.envs.core.legal import (
    ONE_WORD,
    WORD_ACTIONS,
    add_action,
    clear_actions,
    count_actions,
    count_words,
    first_action,
    fits_actions,
    has_action,
    has_choice,
    is_empty,
    list_actions,
    make_legal_field,
    next_action,
    nth_action,
    unpack_actions,
    write_actions,
)
from tests.marks import slow_if

SIZES = (7, 63, 64, 73, 255)


def make_states(actions: int, chosen: list[set[int]]) -> np.ndarray:
    """States that have these sets of actions, with something before and behind the field."""
    states = np.zeros(len(chosen), [("x", np.int8), make_legal_field(actions), ("y", np.int8)])
    states["x"] = states["y"] = -1
    for state, wanted in zip(states, chosen, strict=True):
        if actions <= ONE_WORD:
            state["legal"] = sum(1 << action for action in wanted)
        for action in wanted if actions > ONE_WORD else ():
            state["legal"][action // WORD_ACTIONS] |= 1 << action % WORD_ACTIONS
    return states


def draw_sets(actions: int) -> list[set[int]]:
    """The empty set, the whole one, sets of one, and random ones."""
    drawn, every = random.Random(actions), range(actions)
    result = [set(), set(every), {0}, {actions - 1}]
    result += [{action} for action in drawn.sample(every, min(actions, 9))]
    return result + [set(drawn.sample(every, drawn.randint(1, actions))) for _ in range(60)]


@jit
def ask(states: Any, actions: int, result: Any) -> None:
    """All that can be asked of a set: counts, the walk through it, and each action."""
    for i in range(len(states)):
        legal = states[i]["legal"]
        result[i, 0] = count_actions(legal)
        result[i, 1] = is_empty(legal)
        result[i, 2] = has_choice(legal)
        result[i, 3] = fits_actions(legal, actions)
        for action in range(actions):
            result[i, 4 + action] = has_action(legal, action)
        write_actions(legal, False, result[i, 4 + 3 * actions :], actions)
        write_actions(legal, True, result[i, 4 + 4 * actions :], actions)
        if not is_empty(legal):
            action, k = first_action(legal), 0
            while action >= 0:
                result[i, 4 + actions + k] = action + 1
                result[i, 4 + 2 * actions + k] = nth_action(legal, k) + 1
                action = next_action(legal, action)
                k += 1


def expect(wanted: set[int], actions: int) -> list[int]:
    listed = [action + 1 for action in sorted(wanted)] + [0] * (actions - len(wanted))
    head = [len(wanted), not wanted, len(wanted) > 1, True]
    mask = [action in wanted for action in range(actions)]
    return [*head, *mask, *listed, *listed, *mask, *[True] * actions]


@pytest.mark.parametrize("actions", [slow_if(n == 73, n) for n in SIZES])
def test_properties_of_a_set(actions: int) -> None:
    chosen = draw_sets(actions)
    states = make_states(actions, chosen)
    result = np.zeros((len(chosen), 4 + 5 * actions), np.int64)
    ask(states, actions, result)
    expected = np.array([expect(wanted, actions) for wanted in chosen])
    np.testing.assert_array_equal(result, expected)
    plain = np.zeros_like(result)
    plain_python(ask)([{"legal": state["legal"].tolist()} for state in states], actions, plain)
    np.testing.assert_array_equal(plain, expected)
    masks = unpack_actions(states["legal"], actions)
    np.testing.assert_array_equal(masks, expected[:, 4 : 4 + actions])
    assert [list_actions(state["legal"]) for state in states] == list(map(sorted, chosen))
    assert (states["x"] == -1).all() and (states["y"] == -1).all()


@jit
def rebuild(states: Any, wanted: Any) -> None:
    """Write sets of several words anew, from masks."""
    for i in range(len(states)):
        clear_actions(states[i]["legal"])
        for action in range(wanted.shape[1]):
            if wanted[i, action]:
                add_action(states[i]["legal"], action)


@pytest.mark.parametrize("actions", [n for n in SIZES if n > ONE_WORD])
def test_a_set_of_several_words_is_written(actions: int) -> None:
    chosen = draw_sets(actions)
    states, others = make_states(actions, chosen), make_states(actions, chosen[::-1])
    rebuild(others, unpack_actions(states["legal"], actions))
    assert others.tobytes() == states.tobytes()


@jit
def fit(states: Any, actions: int) -> Any:
    return fits_actions(states[0]["legal"], actions)


@pytest.mark.parametrize("actions", SIZES)
def test_invalid_action_sets_do_not_fit(actions: int) -> None:
    states = make_states(actions, [set(range(actions))])
    assert fit(states, actions)
    assert not fit(states, actions - 1)
    words = states["legal"].reshape(-1)
    for k in range(len(words)):
        for wrong in (-1, -(2**63), 1 << 62 if actions < 63 else -2):
            other = states.copy()
            other["legal"].reshape(-1)[k] = wrong
            assert not fit(other, actions)
            assert not plain_python(fit)([{"legal": other["legal"][0].tolist()}], actions)


def test_words_and_their_number() -> None:
    assert [count_words(n) for n in (1, 63, 64, 96, 97, 255)] == [1, 1, 2, 3, 4, 8]
    assert sets.MOST_ACTIONS <= 8 * WORD_ACTIONS
