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
        ("number", 10, "an integer from -2 to 9"),
        ("number", -3, "an integer from -2 to 9"),
        ("number", 1.5, "an integer from -2 to 9"),
        ("number", True, "an integer from -2 to 9"),
        ("number", None, "an integer from -2 to 9"),
        ("number", [1], "an integer from -2 to 9"),
        ("number", float("nan"), "an integer from -2 to 9"),
        ("switch", 2, "True, False, yes or no"),
        ("switch", "maybe", "True, False, yes or no"),
        ("colour", 1, "one of red, dark_blue"),
        ("colour", "blue", "one of red, dark_blue"),
        ("colour", False, "one of red, dark_blue"),
        ("row", "1,2", "3 numbers 0–5, separated by commas"),
        ("row", [1, 2, 6], "3 numbers 0–5"),
        ("row", [1, 2, 3, 4], "3 numbers 0–5"),
        ("row", 5, "3 numbers 0–5"),
    ],
)
def test_the_error_for_an_invalid_value_names_the_allowed_values(
    field: str, wrong: Any, allowed: str
) -> None:
    with pytest.raises(ValueError, match=rf"^option {field} must be {allowed}.*, got "):
        replaced(**{field: wrong})


def test_options_that_are_not_given_are_kept() -> None:
    assert replaced(switch="yes") == Rules(switch=True)


def test_the_error_for_an_unknown_option_suggests_the_nearest() -> None:
    output = (
        "option must be one of number, switch, colour, row, got 'numbr'. Did you mean 'number'?"
    )
    with pytest.raises(ValueError) as caught:
        replaced(numbr=1)
    assert str(caught.value) == output


def test_a_name_without_a_near_match_gets_no_hint() -> None:
    assert opt.unknown_text("agent", "xyz", ["greedy"]) == "agent must be greedy, got 'xyz'"


def test_a_hint_prefers_an_alias() -> None:
    aliases = {"lr": "rate", "gone": "left out"}
    assert opt.unknown_text("key", "lr", ["rate", "lar"], aliases).endswith("Did you mean 'rate'?")
    assert opt.nearest_name("lr", ["rate", "lar"]) == "lar"
    assert opt.nearest_name("gone", ["rate"], aliases) is None


def test_long_values_are_shortened_to_one_line() -> None:
    assert opt.shorten("a\n b") == r"'a\n b'"
    assert opt.shorten(np.zeros((2, 2))) == "array([[0., 0.], [0., 0.]])"
    assert opt.shorten("x" * 100) == f"'{'x' * (opt.TEXT_LENGTH - 1)}..."


@pytest.mark.parametrize(("given", "read"), [("no", False), ("Yes", True), (1, True)])
def test_a_boolean_keyword_is_read_as_options_are(given: Any, read: bool) -> None:
    assert opt.parse_bool("field", given) is read


def test_the_error_for_an_invalid_boolean_names_the_keyword() -> None:
    with pytest.raises(ValueError, match=r"^field must be True, False, yes or no, got 'so'$"):
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


def test_only_differences_are_changed_options() -> None:
    assert opt.changed_options(Rules(5, row=(1, 2, 4)), Rules()) == {"number": 5, "row": [1, 2, 4]}
    assert opt.changed_options(Rules(), Rules()) == {}


def test_options_are_described_with_their_defaults() -> None:
    assert [tuple(row) for row in opt.describe_options(Rules)] == [
        ("number", "-2–9", "1", "a number"),
        ("switch", "no, yes", "no", "a switch"),
        ("colour", "red, dark_blue", "red", "a choice"),
        ("row", "3 numbers 0–5, separated by commas", "1,2,3", "a row"),
    ]


def test_the_values_of_rules_replace_the_defaults() -> None:
    assert opt.describe_options(Rules(number=4))[0].default == "4"


def test_values_are_written_as_a_command_line_takes_them() -> None:
    assert opt.options_text(opt.to_plain(Rules(switch=True))) == (
        "number=1, switch=yes, colour=red, row=1,2,3"
    )
