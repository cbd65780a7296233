"""Pieces of an observation: their entries, encodings, explanation and validation."""

from enum import IntEnum
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np
import pytest

from parlour.envs import GAMES, find_game
from parlour.envs.core.kernel.jit import jit, plain_python
from parlour.envs.core.options import Option, as_record, describe_options
from parlour.envs.core.rows import Rows, observation_codes
from parlour.envs.core.schema import (
    CARD,
    FLAG,
    RANK,
    Earlier,
    Features,
    Piece,
    Relation,
    RepeatedPieces,
    Schema,
    digit_piece,
    option_pieces,
    show_options,
    whole_number,
    write_onehot,
)
from parlour.training.learning.methods.distill import Positions, augment_symmetry, reorder

FEATURES = Features(
    [
        Piece("card", 1, CARD, "a card"),
        Piece("ranks", 2, RANK, "two cards"),
        RepeatedPieces("seats", 2, (Piece("lives", 1, whole_number(3), "lives"),)),
        digit_piece("target", 2, "a number"),
        Piece("open", 1, FLAG, "a switch"),
    ]
)
CODES = np.array([42, 4, 0, 3, 0, 2, 5, 1], np.int8)
EXPLAINED = {"card": "Th", "ranks": ["Ac", "--"], "seats.0.lives": 3, "seats.1.lives": 0,
        "target": 37, "open": True}  # fmt: skip
COLUMNS = (52, 13, 13, 3, 3, 15, 15, 1)
"""Number of one-hot columns of each entry."""
ONES = [38, 52, 52 + 26 + 2, 52 + 26 + 6 + 1, 52 + 26 + 6 + 15 + 4, sum(COLUMNS) - 1]
"""The one-hot columns of `CODES` that are 1."""


def flat(codes: np.ndarray = CODES) -> np.ndarray:
    return FEATURES.onehot(codes[None])[0]


@pytest.mark.parametrize("high", [0, -1, 64])
def test_a_code_is_below_64(high: int) -> None:
    with pytest.raises(ValueError, match=rf"high must be an integer from 1 to 63, got {high}"):
        whole_number(high)
    assert whole_number(63).max_code == 63


def test_width_and_columns_are_the_sums_of_the_pieces() -> None:
    assert (FEATURES.width, FEATURES.columns) == (len(CODES), sum(COLUMNS))


def test_the_record_is_the_codes_byte_for_byte() -> None:
    record = CODES.view(FEATURES.dtype)[0]
    assert FEATURES.dtype.itemsize == FEATURES.width
    assert (record["card"], record["ranks"].tolist(), record["open"]) == (42, [4, 0], 1)
    assert record["seats"]["lives"].tolist() == [3, 0]


def test_each_entry_has_its_highest_code() -> None:
    assert FEATURES.high.tolist() == [55, 55, 55, 3, 3, 15, 15, 1]


@pytest.mark.parametrize(
    ("name", "entries"),
    [("card", range(1)), ("ranks", range(1, 3)), ("seats.1.lives", range(4, 5)),
     ("open", range(7, 8))],
)  # fmt: skip
def test_a_piece_has_its_entries(name: str, entries: range) -> None:
    assert FEATURES.entry_range(name) == entries


def test_an_unknown_piece_is_named() -> None:
    with pytest.raises(
        ValueError, match=r"piece must be one of card, ranks, seats\.0\..*, got 'cards'"
    ):
        FEATURES.entry_range("cards")


def test_onehot_sets_the_column_of_each_code_and_none_for_0() -> None:
    assert np.flatnonzero(flat()).tolist() == ONES
    assert flat().max() == 1


@pytest.mark.parametrize("suit", range(4))
def test_a_rank_has_one_column_for_all_suits(suit: int) -> None:
    codes = CODES.copy()
    codes[1] = 13 * 4 + suit
    assert flat(codes)[52 + 12] == 1


def column_of(entry: int, code: int) -> int:
    """Return the column of a code within the columns of its entry."""
    return code - 4 if entry == 0 else (code >> 2) - 1 if entry in (1, 2) else code - 1


def test_every_code_has_its_column_within_its_entry() -> None:
    for entry, high in enumerate(FEATURES.high):
        for code in range(4 if entry < 3 else 1, int(high) + 1):
            codes = np.zeros(FEATURES.width, np.int8)
            codes[entry] = code
            wanted = [sum(COLUMNS[:entry]) + column_of(entry, code)]
            assert np.flatnonzero(flat(codes)).tolist() == wanted


def test_onehot_overwrites_the_buffer() -> None:
    out = np.full((1, FEATURES.columns), 9, np.uint8)
    assert FEATURES.onehot(CODES[None], out) is out
    assert np.array_equal(out[0], flat())


def test_compiled_and_plain_write_the_same() -> None:
    out: Any = [[9] * FEATURES.columns]
    codes: Any = [CODES.tolist()]
    plain_python(write_onehot)(codes, FEATURES.onehot_places, out)
    assert out[0] == flat().tolist()


def test_codes_are_explained() -> None:
    assert FEATURES.explain(CODES) == FEATURES.explain(CODES[None]) == EXPLAINED


def test_numbers_of_any_type_are_explained() -> None:
    assert FEATURES.explain(CODES.astype(float)) == FEATURES.explain(CODES.tolist()) == EXPLAINED
    assert FEATURES.explain(flat().astype(float)) == FEATURES.explain(flat())


def test_onehot_is_explained_with_ranks_for_cards() -> None:
    assert FEATURES.explain(flat()) == {**EXPLAINED, "ranks": ["A", "--"]}


@pytest.mark.parametrize(
    ("entry", "code", "output"),
    [
        (0, 56, "card must be an integer from 0 to 55, got 56"),
        (0, -1, "card must be an integer from 0 to 55, got -1"),
        (0, 3, "card must be 0 or the code of a card, got 3"),
        (2, 2, "ranks must be 0 or the code of a card, got 2"),
        (4, 4, r"seats\.1\.lives must be an integer from 0 to 3, got 4"),
        (7, 0.5, "open must be an integer from 0 to 1, got 0.5"),
        (7, float("nan"), "open must be an integer from 0 to 1, got nan"),
        (7, 2**40, "open must be an integer from 0 to 1, got 1099511627776"),
    ],
)
def test_invalid_codes_are_named(entry: int, code: float, output: str) -> None:
    codes = CODES.astype(type(code))
    codes[entry] = code
    with pytest.raises(ValueError, match=f"^observation: {output}$"):
        FEATURES.explain(codes)


@pytest.mark.parametrize(("column", "value"), [(0, 1), (0, 2), (0, -1)])
def test_invalid_onehot_observations_are_named(column: int, value: int) -> None:
    wrong = flat().astype(int)
    wrong[column] = value
    with pytest.raises(
        ValueError, match=r"^observation: card must be zeros with at most one 1 .*, got "
    ):
        FEATURES.explain(wrong)


@pytest.mark.parametrize(
    "odd", [None, 5, "x", CODES[:-1], CODES[None, None], [[1], [2, 3]], CODES.astype(object)]
)
def test_invalid_observations_are_rejected(odd: object) -> None:
    with pytest.raises(
        ValueError, match=r"^observation must be .* \(8,\) for codes or \(115,\) for onehot, got "
    ):
        FEATURES.explain(odd)


def test_the_table_counts_entries_and_columns() -> None:
    assert FEATURES.markdown_table().splitlines()[2:] == [
        "| `card` | 0 | 0–51 | a card |",
        "| `ranks` | 1–2 | 52–77 | two cards |",
        "| `seats.0.lives` | 3 | 78–80 | lives |",
        "| `seats.1` … `seats.1` | next 1 each | next 3 each | the same for the others |",
        "| `target` | 5–6 | 84–113 | a number: digits to base 16 |",
        "| `open` | 7 | 114 | a switch |",
    ]


def test_options_share_a_row_of_the_table() -> None:
    text = (
        "options, in the order of the options table: a number as it is, no as 0 and yes as 1, a "
        "name as its index (from 0) in the list of values"
    )
    flags = [Piece(name, 1, FLAG, "option") for name in ("one", "two", "three")]
    digits = digit_piece("four", 2, "option")
    card = Piece("card", 1, CARD, "a card")
    assert Features([card, *flags, digits]).markdown_table().splitlines()[3:] == [
        "| `one` … `four` | 1–5 | 52–84 | " + text + "; `four`: 2 digits to base 16 each |"
    ]
    lines = Features([*flags[:2], card, flags[2]]).markdown_table().splitlines()[2:]
    assert [line.split("|")[1].strip() for line in lines] == ["`one`", "`two`", "`card`", "`three`"]


@pytest.mark.parametrize("name", GAMES)
def test_the_code_of_a_name_is_its_position_among_the_values(name: str) -> None:
    """The table of pieces documents this in its row of options."""
    hints = get_type_hints(GAMES[name].rules, include_extras=True)
    shown = {
        option.name: option.values.split(", ") for option in describe_options(GAMES[name].rules)
    }
    for option, hint in hints.items():
        kind = hint.__origin__
        if isinstance(kind, type) and issubclass(kind, IntEnum):
            assert [shown[option].index(one.name.lower()) for one in kind] == list(map(int, kind))


# ---- options in the observation -------------------------------------------------------------


class Color(IntEnum):
    """A choice."""

    RED = 0
    BLUE = 1


class Rules(NamedTuple):
    """One option of each kind that has a standard piece."""

    switch: Annotated[bool, Option("a switch")] = True
    color: Annotated[Color, Option("a choice")] = Color.BLUE
    number: Annotated[int, Option("a number", values=(1, 40))] = 40
    large: Annotated[int, Option("a number too large for a code", 0, 4000)] = 3210


OPTIONS = Features([Piece("before", 2, FLAG, "not an option"), *option_pieces(Rules)])
SHOWN_OPTIONS = {"before": [False, False], "switch": True, "color": "blue", "number": 40,
                 "large": 3210}  # fmt: skip


@jit
def show_row(shown: Any, rules: Any) -> None:
    show_options(shown[0], rules[0])


def test_every_option_has_the_piece_of_its_kind() -> None:
    pieces = {
        piece.name: (piece.size, piece.kind.max_code, piece.doc) for piece in OPTIONS.pieces[1:]
    }
    assert pieces == {
        "switch": (1, 1, "option"),
        "color": (1, 1, "option: 0 red, 1 blue"),
        "number": (1, 40, "option"),
        "large": (3, 15, "option: digits to base 16"),
    }


def test_options_are_written_into_the_observation_compiled_and_in_plain_python() -> None:
    shown, again = np.zeros(1, OPTIONS.dtype), np.zeros(1, OPTIONS.dtype)
    show_row(shown, as_record(Rules()))
    plain_python(show_options)(again[0], Rules())
    assert OPTIONS.explain(shown.view(np.int8)) == SHOWN_OPTIONS
    assert shown.tobytes() == again.tobytes()


def test_an_option_without_a_piece_is_left_out() -> None:
    few = Features(OPTIONS.pieces[:2])
    shown = np.zeros(1, few.dtype)
    show_row(shown, as_record(Rules()))
    assert few.explain(shown.view(np.int8)) == {"before": [False, False], "switch": True}


def test_a_game_may_have_its_own_piece_for_an_option() -> None:
    own = Piece("color", 1, whole_number(9), "of nine colors")
    assert option_pieces(Rules, {"color": own})[1] == own


@pytest.mark.parametrize(("kind", "low"), [(tuple[int, ...], 0), (int, -1)])
def test_an_option_without_a_standard_piece_is_named(kind: Any, low: int) -> None:
    class Row(NamedTuple):
        points: Annotated[kind, Option("points", low, 9, 3)] = 0

    with pytest.raises(ValueError, match="special must have a piece for option points"):
        option_pieces(Row)


# ---- symmetries -----------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["classic", "second-bid", "three"])
@pytest.mark.parametrize("number", [0, 7, 22])
def test_permuted_suits_give_equivalent_observations_and_actions(variant: str, number: int) -> None:
    tricks = find_game("twenty_eight")
    rules, rng = tricks.make_rules(variant), np.random.default_rng(number)
    order = reorder(tricks, tricks.features.symmetries[number])
    here, there = (Rows(tricks, rules, 1) for _ in range(2))
    deck = rng.permutation(tricks.pack(rules))
    # The suit that each suit becomes.
    suits = np.argsort(order.actions[60:64] - 60)
    here.deal_deck(deck.tolist())
    there.deal_deck([card // 4 * 4 + int(suits[card % 4]) for card in deck.tolist()])
    steps = 0
    while not here.states["over"][0]:
        seen = observation_codes(here.states)[:, order.entries]
        for entry, codes in zip(order.named, order.codes_of, strict=True):
            seen[:, entry] = codes[seen[:, entry]]
        np.testing.assert_array_equal(seen, observation_codes(there.states))
        mine, yours = (rows.buffers.masks.astype(bool) for rows in (here, there))
        np.testing.assert_array_equal(mine[:, order.actions], yours)
        action = int(rng.choice(np.flatnonzero(mine[0])))
        here.step(np.array([action]))
        there.step(np.array([int(np.flatnonzero(order.actions == action)[0])]))
        steps += 1
    assert steps > 24


def test_augmented_positions_stay_consistent() -> None:
    tricks = find_game("twenty_nine")
    orders = [reorder(tricks, one) for one in tricks.features.symmetries]
    assert len(orders) == 23
    rng = np.random.default_rng(0)
    values = rng.random((5, tricks.actions)).astype(np.float16)
    codes = np.zeros((5, tricks.features.width), np.int8)
    result = Positions(codes, values > 0.5, values, values.argmax(axis=1))
    for _ in range(10):
        turned = augment_symmetry(result, orders)
        assert (turned.values.argmax(axis=1) == turned.actions).all()
        assert (turned.masks == (turned.values > 0.5)).all()


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        (Relation("hand", np.ones((2, 2))), "piece of a relation"),
        (Relation("cards", np.ones((2, 3))), "square, with at most 3 rows for piece 'cards'"),
        (Relation("cards", np.ones((4, 4))), "square, with at most 3 rows for piece 'cards'"),
        (Relation("cards", np.ones((2, 2)), places=(1,)), "requires where= in piece 'cards'"),
    ],
)
def test_relations_must_fit_the_pieces(relation: Relation, message: str) -> None:
    pieces = [Piece("cards", 3, CARD, "cards")]
    with pytest.raises(ValueError, match=message):
        Features(pieces, relations=[relation])


def test_an_earlier_schema_keeps_the_relations_of_its_pieces() -> None:
    pieces = [Piece("cards", 3, CARD, "cards"), Piece("more", 2, CARD, "cards")]
    relations = [Relation(name, np.ones((2, 2), np.float32)) for name in ("cards", "more")]
    current = Schema(Features(pieces, relations=relations), 5)
    earlier = Earlier("more", 4).cut(current)
    assert [one.piece for one in earlier.features.relations] == ["cards"]
