"""Options of rules: what is read from keywords, what is refused and how it is said."""

from enum import IntEnum
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from parlour.envs.core import options as opt
from parlour.envs.core.options import Option


class Colour(IntEnum):
    """A choice."""

    RED = 0
    DARK_BLUE = 3


class Rules(NamedTuple):
    """One option of each kind."""

    number: Annotated[int, Option("a number", -2, 9)] = 1
    switch: Annotated[bool, Option("a switch")] = False
    colour: Annotated[Colour, Option("a choice")] = Colour.RED
    row: Annotated[tuple[int, ...], Option("a row", 0, 5, 3)] = (1, 2, 3)


def replaced(**options: Any) -> Any:
    return opt.replace_options(Rules(), options)


@pytest.mark.parametrize(
    ("field", "given", "read"),
    [
        ("number", 9, 9),
        ("number", -2, -2),
        ("number", "7", 7),
        ("number", 7.0, 7),
        ("number", np.int8(7), 7),
        ("switch", True, True),
        ("switch", "YES", True),
        ("switch", 0, False),
        ("switch", "false", False),
        ("colour", Colour.DARK_BLUE, Colour.DARK_BLUE),
        ("colour", "Dark_Blue", Colour.DARK_BLUE),
        ("colour", 3, Colour.DARK_BLUE),
        ("colour", "3", Colour.DARK_BLUE),
        ("row", "0,5,1", (0, 5, 1)),
        ("row", [0, 5, 1], (0, 5, 1)),
        ("row", np.array([0, 5, 1]), (0, 5, 1)),
    ],
)
def test_values_are_read(field: str, given: Any, read: Any) -> None:
    result = getattr(replaced(**{field: given}), field)
    assert (result, type(result)) == (read, type(read))


@pytest.mark.parametrize(
    ("field", "wrong", "allowed"),
    [
        ("number", 10, "-2–9"),
        ("number", -3, "-2–9"),
        ("number", 1.5, "-2–9"),
        ("number", True, "-2–9"),
        ("number", None, "-2–9"),
        ("number", [1], "-2–9"),
        ("number", float("nan"), "-2–9"),
        ("switch", 2, "no, yes"),
        ("switch", "maybe", "no, yes"),
        ("colour", 1, "red, dark_blue"),
        ("colour", "blue", "red, dark_blue"),
        ("colour", False, "red, dark_blue"),
        ("row", "1,2", "3 numbers 0–5, with commas between"),
        ("row", [1, 2, 6], "3 numbers 0–5"),
        ("row", [1, 2, 3, 4], "3 numbers 0–5"),
        ("row", 5, "3 numbers 0–5"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(
    field: str, wrong: Any, allowed: str
) -> None:
    with pytest.raises(ValueError, match=rf"^option {field}=.*: allowed are {allowed}"):
        replaced(**{field: wrong})


def test_options_that_are_not_named_stay() -> None:
    assert replaced(switch="yes") == Rules(switch=True)


def test_an_unknown_option_is_named_with_the_nearest() -> None:
    output = "unknown option 'numbr'; did you mean 'number'? allowed: number, switch, colour, row"
    with pytest.raises(ValueError) as caught:
        replaced(numbr=1)
    assert str(caught.value) == output


def test_a_name_like_no_other_gets_no_hint() -> None:
    assert opt.unknown_text("agent", "xyz", ["greedy"]) == "unknown agent 'xyz'; allowed: greedy"


def test_long_values_are_cut_and_lines_joined() -> None:
    assert opt.shorten("a\n b") == r"'a\n b'"
    assert opt.shorten(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"
    assert opt.shorten("x" * 100) == f"'{'x' * (opt.TEXT_LENGTH - 1)}..."


@pytest.mark.parametrize(("given", "read"), [("no", False), ("Yes", True), (1, True)])
def test_a_boolean_keyword_is_read_as_options_are(given: Any, read: bool) -> None:
    assert opt.parse_bool("field", given) is read


def test_a_wrong_boolean_keyword_is_named() -> None:
    with pytest.raises(ValueError, match=r"^field='so': allowed are no, yes$"):
        opt.parse_bool("field", "so")


def test_plain_values_are_read_back() -> None:
    rules = Rules(5, True, Colour.DARK_BLUE, (0, 0, 1))
    plain = opt.to_plain(rules)
    assert plain == {"number": 5, "switch": True, "colour": "dark_blue", "row": [0, 0, 1]}
    assert replaced(**plain) == rules


def test_a_record_has_every_field_as_whole_numbers() -> None:
    record = opt.as_record(Rules(5, True, Colour.DARK_BLUE, (0, 4, 1)))
    assert (record.shape, record["row"].tolist()) == ((1,), [[0, 4, 1]])
    assert [int(record[name][0]) for name in ("number", "switch", "colour")] == [5, 1, 3]
    assert {record[name].dtype for name in Rules._fields} == {np.dtype(np.int64)}


def test_only_what_differs_is_changed() -> None:
    assert opt.changed_options(Rules(5, row=(1, 2, 4)), Rules()) == {"number": 5, "row": [1, 2, 4]}
    assert opt.changed_options(Rules(), Rules()) == {}


def test_options_are_described_with_their_defaults() -> None:
    assert [tuple(row) for row in opt.describe_options(Rules)] == [
        ("number", "-2–9", "1", "a number"),
        ("switch", "no, yes", "no", "a switch"),
        ("colour", "red, dark_blue", "red", "a choice"),
        ("row", "3 numbers 0–5, with commas between", "1,2,3", "a row"),
    ]


def test_the_values_of_rules_stand_for_the_defaults() -> None:
    assert opt.describe_options(Rules(number=4))[0].default == "4"


def test_values_are_written_as_a_command_line_takes_them() -> None:
    assert opt.options_text(opt.to_plain(Rules(switch=True))) == (
        "number=1, switch=yes, colour=red, row=1,2,3"
    )
