"""States from outside: copied if sound, else refused with row, field and what is allowed."""

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.read_states import field_at, read_states
from tests.core.tiny import GAME, STATE, begin


def read(states: Any, n: int = 2) -> np.ndarray:
    rows = begin()
    return read_states(GAME, rows.rules, rows.rules_record, states, n)


def test_sound_states_are_read_as_copies() -> None:
    states = begin(2).states
    found = read(states)
    assert found.tobytes() == states.tobytes()
    assert found.dtype == STATE
    assert not np.shares_memory(found, states)


def test_states_that_lie_apart_in_memory_are_read() -> None:
    states = begin(6).states
    assert read(states[::3]).tobytes() == states[::3].tobytes()


@pytest.mark.parametrize("wrong", [None, 5, [], "x", begin(3).states, np.zeros(2)])
def test_what_is_no_record_array_of_that_length_is_refused(wrong: Any) -> None:
    said = rf"Take or Leave is a record array \(2,\) of {STATE.itemsize} bytes a row; got "
    with pytest.raises(ValueError, match=said):
        read(wrong)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("turn", 1, "turn=1: allowed is the number of a seat"),
        ("legal", 0, "legal=0: allowed is a set of actions, not empty while the game runs"),
        ("deck", 4, r"deck=\[4, 4, 4, 4, 4, 4\]: allowed is every card of the pack once"),
        ("over", 1, "over=1: allowed is 0, as the other fields have it"),
    ],
)
def test_row_field_and_what_is_allowed_are_named(field: str, value: int, said: str) -> None:
    states = begin(2).states
    states[field][1] = value
    with pytest.raises(ValueError, match=f"^state of Take or Leave, row 1: {said}"):
        read(states)


def test_a_shown_code_is_named_with_its_bound() -> None:
    states = begin(2).states
    states["shown"]["target"][1] = 22
    with pytest.raises(ValueError, match=r"row 1: shown\.target=22: allowed is 0 to 21$"):
        read(states)


NESTED = np.dtype(
    [("a", "<i4"), ("b", "i1", (2, 3)), ("c", [("x", "i1"), ("y", "<i2")], (2,)), ("d", "<i8")]
)


@pytest.mark.parametrize(
    ("byte", "field", "start"),
    [
        (0, "a", 0), (3, "a", 0), (4, "b[0][0]", 4), (9, "b[1][2]", 9), (10, "c[0].x", 10),
        (12, "c[0].y", 11), (14, "c[1].y", 14), (15, "c[1].y", 14), (16, "d", 16), (23, "d", 16),
    ],
)  # fmt: skip
def test_the_field_of_a_byte_is_found_inside_records_and_rows(
    byte: int, field: str, start: int
) -> None:
    assert field_at(NESTED, byte)[::2] == (field, start)
