"""Records from outside: each field of the head, the deck, what is shown, what follows."""

from typing import Any

import numpy as np
import pytest

from parlour.envs.core import checks as state_check
from parlour.envs.core.batch import Over
from parlour.envs.core.checks import field_at, read_states
from parlour.envs.core.kernel.jit import plain_python
from tests.core.tiny import CARDS, FEATURES, GAME, LABELS, STATE, as_python, begin

ACTIONS = len(LABELS)
PACK = sum(1 << card for card in CARDS)
SOUND = {"moves": 0, "steps": 0, "over": 0, "won": 0, "illegal": 0, "turn": 0, "legal": 0b111}
find_wrong_head = plain_python(state_check.find_wrong_head)
is_complete_deck = plain_python(state_check.is_complete_deck)


def named(number: int) -> str:
    return state_check.HEAD_ALLOWED[number - 1][0] if number else ""


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("moves", -1),
        ("steps", -1),
        ("over", -1),
        ("over", Over.ENDED_BEFORE_TURN),
        ("won", -1),
        ("won", 2),
        ("illegal", -1),
        ("illegal", 0b10),
        ("turn", -1),
        ("turn", 1),
        ("legal", 0),
        ("legal", 1 << ACTIONS),
        ("legal", -1),
    ],
)
def test_a_field_out_of_range_is_found(field: str, value: int) -> None:
    assert named(find_wrong_head({**SOUND, field: value}, 1, ACTIONS)) == field


@pytest.mark.parametrize(
    ("field", "value", "players"),
    [
        ("legal", 1, 1),
        ("over", Over.TRUNCATED, 1),
        ("won", 1, 1),
        ("illegal", 1, 1),
        ("over", Over.ENDED_BEFORE_TURN, 2),
        ("illegal", 0b11, 2),
        ("turn", 1, 2),
    ],
)
def test_a_field_at_its_bound_is_taken(field: str, value: int, players: int) -> None:
    assert find_wrong_head({**SOUND, field: value}, players, ACTIONS) == 0


def test_a_finished_game_needs_nothing_legal() -> None:
    assert find_wrong_head({**SOUND, "over": 1, "legal": 0}, 1, ACTIONS) == 0


@pytest.mark.parametrize(
    ("deck", "whole"),
    [
        ([4, 8, 12], True),
        ([12, 4, 8], True),
        ([4, 8, 12, 0], True),
        ([4, 8, 8], False),
        ([4, 8, 16], False),
        ([4, 8, 0], False),
        ([4, 8, 12, 4], False),
        ([4, 8, 12 + 64], False),
        ([4, 8, -52], False),
    ],
)
def test_a_deck_has_every_card_once_and_zeros_behind(deck: list[int], whole: bool) -> None:
    assert is_complete_deck(deck, 1 << 4 | 1 << 8 | 1 << 12, 3) == whole


RUNNING, TERMINATED, TRUNCATED, UNTOLD = Over


@pytest.mark.parametrize(
    ("derived", "output", "illegal", "result"),
    [
        (RUNNING, RUNNING, 0, RUNNING),
        (RUNNING, TRUNCATED, 0, TRUNCATED),
        (RUNNING, TERMINATED, 1, TERMINATED),
        (RUNNING, TERMINATED, 0, RUNNING),
        (RUNNING, UNTOLD, 0, RUNNING),
        (TERMINATED, UNTOLD, 0, UNTOLD),
        (TERMINATED, TRUNCATED, 0, TERMINATED),
        (TERMINATED, RUNNING, 0, TERMINATED),
    ],
)
def test_a_game_is_over_as_the_record_says_where_that_can_be(
    derived: Over, output: Over, illegal: int, result: Over
) -> None:
    s = {"over": derived, "illegal": illegal}
    plain_python(state_check.copy_end)(s, output)
    assert s["over"] == result


def checked(states: np.ndarray, **parts: Any) -> tuple[int, int, int]:
    """What the check finds in states of the game of these tests."""
    kernel = as_python(state_check.make_state_check(STATE, FEATURES, ACTIONS, **parts).check)
    room = np.append(states, np.zeros(1, STATE))
    raw = room.view(np.int8).reshape(len(room), -1)
    return kernel(room, raw, begin().rules_record, 1, PACK, len(CARDS))


def states(**fields: Any) -> np.ndarray:
    """Three states, the second of them with other fields."""
    made = begin(3).states.copy()
    for name, value in fields.items():
        made[name][1] = value
    return made


def test_valid_records_pass() -> None:
    assert checked(states()) == (-1, 0, 0)


def test_the_row_of_an_invalid_head_is_returned() -> None:
    assert checked(states(turn=1)) == (1, state_check.TURN, 0)


def test_the_row_of_an_invalid_deck_is_returned() -> None:
    assert checked(states(deck=4)) == (1, state_check.DECK, 0)


@pytest.mark.parametrize("code", [-1, 22])
def test_the_byte_of_an_invalid_shown_code_is_returned(code: int) -> None:
    spoilt = states()
    spoilt["shown"]["target"][1] = code
    shown, inside = STATE.fields["shown"][1], FEATURES.dtype.fields["target"][1]  # type: ignore[index]
    assert checked(spoilt) == (1, state_check.SHOWN, shown + inside)


def test_faults_of_the_game_are_numbered_after_the_head() -> None:
    def find_wrong(s: Any, rules: Any) -> int:
        return 2 if s["next"] > 5 else 0

    head = len(state_check.HEAD_ALLOWED)
    assert checked(states(next=9), find_wrong=find_wrong) == (1, head + 2, 0)
    assert checked(states(next=5), find_wrong=find_wrong) == (-1, 0, 0)


def test_the_byte_of_an_underivable_field_is_returned() -> None:
    def derive(s: Any, rules: Any) -> None:
        s["over"], s["score"] = 0, 2 * s["moves"]

    start = STATE.fields["score"][1]  # type: ignore[index]
    assert checked(states(moves=3, score=7), derive=derive) == (1, state_check.DERIVED, start)
    assert checked(states(moves=3, score=6), derive=derive) == (-1, 0, 0)


def test_without_a_derivation_a_game_without_legal_actions_is_over() -> None:
    assert checked(states(legal=0, over=1)) == (-1, 0, 0)
    assert checked(states(legal=0, over=2))[:2] == (1, state_check.DERIVED)


def test_allowed_values_of_the_game_follow_the_head() -> None:
    made = state_check.make_state_check(STATE, FEATURES, ACTIONS, [("next", "a place")])
    assert made.allowed == (*state_check.HEAD_ALLOWED, ("next", "a place"))


# ---- reading --------------------------------------------------------------------------------


def read(states: Any, n: int = 2) -> np.ndarray:
    rows = begin()
    return read_states(GAME, rows.rules, rows.rules_record, states, n)


def test_valid_states_are_copied() -> None:
    states = begin(2).states
    result = read(states)
    assert result.tobytes() == states.tobytes()
    assert result.dtype == STATE
    assert not np.shares_memory(result, states)


def test_states_that_are_not_contiguous_are_read() -> None:
    states = begin(6).states
    assert read(states[::3]).tobytes() == states[::3].tobytes()


@pytest.mark.parametrize("wrong", [None, 5, [], "x", begin(3).states, np.zeros(2)])
def test_invalid_record_arrays_are_rejected(wrong: Any) -> None:
    size = STATE.itemsize
    output = (
        rf"Take or Leave must be a record array of shape \(2,\) with {size} bytes per row, got "
    )
    with pytest.raises(ValueError, match=output):
        read(wrong)


@pytest.mark.parametrize(
    ("field", "value", "output"),
    [
        ("turn", 1, "turn must be the number of a seat, got 1"),
        ("legal", 0, "legal must be a set of actions that is not empty while the game runs, got 0"),
        ("deck", 4, r"deck must be all cards .*, got \[4, 4, 4, 4, 4, 4\]"),
        ("over", 1, "over must be 0 to match the other fields, got 1"),
    ],
)
def test_errors_name_row_field_and_allowed_values(field: str, value: int, output: str) -> None:
    states = begin(2).states
    states[field][1] = value
    with pytest.raises(ValueError, match=f"^state of Take or Leave, row 1: {output}"):
        read(states)


def test_a_shown_code_is_named_with_its_bound() -> None:
    states = begin(2).states
    states["shown"]["target"][1] = 22
    with pytest.raises(
        ValueError, match=r"row 1: shown\.target must be an integer from 0 to 21, got 22$"
    ):
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
