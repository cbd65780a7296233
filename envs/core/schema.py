"""Named pieces of an observation: one schema for dtype, encodings, explanation and documentation.

A game lists its pieces. Together they are the record ``shown`` in its state, int8 throughout, and
the bytes of that record are the ``codes`` observation. ``onehot`` is made from it: a value
``v >= 1`` sets column ``v - 1`` of its entry, 0 sets none. A game declares an option once, as a
field of its ``Rules``: `option_pieces` makes the pieces of all options, `show_options` writes them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from itertools import permutations
from types import MappingProxyType
from typing import Any, NamedTuple, get_origin, get_type_hints

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .kernel.cards import FIRST_CARD, PACK_SIZE, RANKS, card_name
from .kernel.jit import jit
from .type_aliases import Codes, RulesRecord

ENCODINGS = ("onehot", "codes")
"""How an observation may be written: a 0 or 1 for each value, or the codes themselves."""
CODE_LIMIT = 64
"""A code is below this."""


class Kind(NamedTuple):
    """How the codes of a piece are read.

    The value is ``(code >> shift) - offset``, one-hot over 1..num_values (all zeros for 0).
    ``max_code`` is the largest code, and ``read`` turns a code into what people read.
    """

    max_code: int
    num_values: int
    shift: int = 0
    offset: int = 0
    read: Callable[[int], Any] = int


def whole_number(high: int) -> Kind:
    """A whole number 0..high, below `CODE_LIMIT`."""
    if not 0 < high < CODE_LIMIT:
        raise ValueError(f"whole_number({high}): allowed are 1..{CODE_LIMIT - 1}")
    return Kind(high, high)


def _rank(code: int) -> str:
    return RANKS[(code >> 2) - 1] if code else "--"


CARD = Kind(FIRST_CARD + PACK_SIZE - 1, PACK_SIZE, offset=FIRST_CARD - 1, read=card_name)
"""A card, or 0 for none: one-hot over the 52 cards."""
RANK = Kind(FIRST_CARD + PACK_SIZE - 1, len(RANKS), shift=2, read=card_name)
"""A card of which only the value matters: one-hot over the 13 values."""
FLAG = Kind(1, 1, read=bool)
"""No or yes."""
DIGIT_BITS = 4
DIGIT_BASE = 1 << DIGIT_BITS
DIGIT = Kind(DIGIT_BASE - 1, DIGIT_BASE - 1)
"""A digit of a number too large for a code, to base `DIGIT_BASE`; the highest comes first."""


def choice(kind: type[IntEnum]) -> Kind:
    """A member of an enumeration 0, 1 ...; read as its name, in small letters."""
    top = int(max(kind))
    return Kind(top, top, read=partial(_member_name, kind))


def _member_name(kind: type[IntEnum], code: int) -> str:
    return kind(code).name.lower()


def digit_piece(name: str, size: int, doc: str) -> "Piece":
    """Return a piece that tells a number by its digits."""
    return Piece(name, size, DIGIT, f"{doc}: digits to base {DIGIT_BASE}", read=_number)


def _number(codes: list[int]) -> int:
    number = 0
    for digit in codes:
        number = DIGIT_BASE * number + digit
    return number


class Piece(NamedTuple):
    """One named part of an observation: ``size`` entries of one kind.

    ``where``, of a piece of cards, names a piece of equal size which says where each card is
    (0: nowhere); without it a card's entry says that. ``marks`` names a piece of cards of equal
    size whose cards are marked; ``by_rank``: there is one entry for each rank, ace to king. These
    are for networks that read cards by what they are.
    """

    name: str
    size: int
    kind: Kind
    doc: str
    where: str | None = None
    read: Callable[[list[int]], Any] | None = None
    """What `Features.explain` makes of all its codes together, where that is not a list of them."""
    marks: str | None = None
    by_rank: bool = False


class RepeatedPieces(NamedTuple):
    """Pieces that there are once for each of several things, such as seats: thing by thing.

    Piece ``up`` of thing 2 of ``seats`` has the name ``"seats.2.up"``; the record's field is
    ``seats``, a record of the pieces for each thing.
    """

    name: str
    times: int
    pieces: tuple[Piece, ...]

    @property
    def dtype(self) -> np.dtype:
        """The record of one thing's pieces."""
        return _record(self.pieces)


def _record(pieces: Sequence[Piece | RepeatedPieces]) -> np.dtype:
    """The record of pieces, int8 throughout, without padding."""
    fields: list[Any] = []
    for piece in pieces:
        if isinstance(piece, RepeatedPieces):
            fields.append((piece.name, piece.dtype, (piece.times,)))
        else:
            fields.append((piece.name, np.int8, (piece.size,) if piece.size > 1 else ()))
    return np.dtype(fields)


def _flat(pieces: Sequence[Piece | RepeatedPieces]) -> Iterator[Piece]:
    for piece in pieces:
        if isinstance(piece, RepeatedPieces):
            for thing in range(piece.times):
                for one in piece.pieces:
                    yield one._replace(name=f"{piece.name}.{thing}.{one.name}")
        else:
            yield piece


class Columns(NamedTuple):
    """For each entry of ``codes``: its first one-hot column, and how its code is read."""

    first: np.ndarray
    shift: np.ndarray
    base: np.ndarray


class Features:
    """The schema of a game's observations.

    ``width`` int8 entries as ``codes``; ``columns`` uint8 columns as ``onehot``; ``dtype`` is the
    record of all pieces, without padding. ``bonds``, bool (64, 64), marks the pairs of card codes
    that have to do with each other, where the game has such pairs; ``actions_on`` names the piece
    of cards whose entry i action i is about, where there is one: hints for networks. The game
    is the same with these places in the order of one of ``symmetries`` (place i as place order[i]),
    or with its suits in another order (`SuitOrder`).
    """

    def __init__(
        self,
        pieces: Sequence[Piece | RepeatedPieces],
        bonds: np.ndarray | None = None,
        actions_on: str | None = None,
        symmetries: Sequence[Any] = (),
    ) -> None:
        self.declared_pieces = tuple(pieces)
        self.pieces = tuple(_flat(pieces))
        self.bonds, self.actions_on, self.symmetries = bonds, actions_on, tuple(symmetries)
        self.dtype = _record(pieces)
        kinds = [piece.kind for piece in self.pieces for _ in range(piece.size)]
        tops = np.array([kind.num_values for kind in kinds], np.int64)
        self.width = len(kinds)
        self.columns = int(tops.sum())
        self.high = np.array([kind.max_code for kind in kinds], np.int8)
        self.column_tables = Columns(
            np.concatenate([[0], np.cumsum(tops)[:-1]]).astype(np.int64),
            np.array([kind.shift for kind in kinds], np.int64),
            np.array([kind.offset for kind in kinds], np.int64),
        )
        self.onehot_places = self._places()

    def _places(self) -> np.ndarray:
        first, shift, base = (table[:, None] for table in self.column_tables)
        values = (np.arange(CODE_LIMIT) >> shift) - base
        last = np.append(self.column_tables.first[1:], self.columns)[:, None] - 1
        return np.minimum(first + np.maximum(values, 1) - 1, last).astype(np.int32)

    def entry_range(self, name: str) -> range:
        """Return the entries of ``codes`` that a piece has."""
        start = 0
        for piece in self.pieces:
            if piece.name == name:
                return range(start, start + piece.size)
            start += piece.size
        raise ValueError(f"no piece {name!r}; there are {', '.join(p.name for p in self.pieces)}")

    def size(self, encoding: str) -> int:
        """Return how many numbers an observation has in one of `ENCODINGS`."""
        return self.width if encoding == "codes" else self.columns

    def encode(self, codes: np.ndarray, encoding: str) -> np.ndarray:
        """Return ``codes`` (n, width) in one of `ENCODINGS`, in an array of their own."""
        if encoding not in ENCODINGS:
            raise ValueError(f"encoding={encoding!r}: allowed are {', '.join(ENCODINGS)}")
        return codes.copy() if encoding == "codes" else self.onehot(codes)

    def onehot(self, codes: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Encode ``codes`` (n, width) int8 as (n, columns) uint8, into ``out`` where given."""
        if out is None:
            out = np.empty((len(codes), self.columns), np.uint8)
        write_onehot(codes, self.onehot_places, out)
        return out

    def explain(self, observation: Any) -> dict[str, Any]:
        """Name what one observation says: piece name -> value, or list of values.

        Takes ``codes`` (width,) or ``onehot`` (columns,), told apart by their length. From a
        one-hot observation a card of kind RANK is read as its rank, since its suit is not in it.
        Raises ValueError for another shape, and naming the piece for what is no code of it.
        """
        row = self._read(observation)
        flat = len(row) == self.columns
        codes = self._decode(row) if flat else self._whole(row)
        explained: dict[str, Any] = {}
        start = 0
        for piece in self.pieces:
            piece_codes = [int(code) for code in codes[start : start + piece.size]]
            start += piece.size
            if piece.read:
                explained[piece.name] = piece.read(piece_codes)
                continue
            read = _rank if flat and piece.kind is RANK else piece.kind.read
            values = [read(code) for code in piece_codes]
            explained[piece.name] = values if piece.size > 1 else values[0]
        return explained

    def _read(self, observation: Any) -> np.ndarray:
        """Return the numbers of an observation; ValueError if it is none."""
        try:
            row = np.asarray(observation)
        except ValueError:  # lists of different lengths
            row = np.zeros((), object)
        row = row[0] if row.ndim == 2 and len(row) == 1 else row  # that of a batch of one
        if row.shape not in ((self.width,), (self.columns,)) or row.dtype.kind not in "biuf":
            raise ValueError(
                f"observation: got {row.dtype} {row.shape}; allowed are numbers, codes "
                f"({self.width},) or onehot ({self.columns},)"
            )
        return row

    def _refuse(self, wrong: np.ndarray, row: np.ndarray, allowed: str) -> None:
        """Raise ValueError naming the piece of the first wrong entry, if there is one."""
        if not wrong.any():
            return
        entry, start = int(wrong.argmax()), 0
        for piece in self.pieces:
            start += piece.size
            if entry < start:
                values = row[entry].tolist()
                raise ValueError(f"observation: {piece.name} has {values}; allowed is {allowed}")

    def _whole(self, row: np.ndarray) -> np.ndarray:
        """Return codes as whole numbers; ValueError for what is none, or out of its range."""
        high = self.high.astype(np.int64)
        for entry in np.unique(high):
            own = high == entry
            self._refuse(
                own & ~((row >= 0) & (row <= entry) & (row % 1 == 0)), row, f"0 to {entry}"
            )
        codes = row.astype(np.int64)
        none = (codes > 0) & ((codes >> self.column_tables.shift) <= self.column_tables.base)
        self._refuse(none, row, "0 or the code of a card")
        return codes

    def _decode(self, row: np.ndarray) -> np.ndarray:
        """Return the codes of a one-hot row; ValueError for what is none."""
        first, shift, base = self.column_tables
        last = np.append(first[1:], self.columns)
        codes, sums = np.zeros(self.width, np.int64), np.zeros(self.width)
        for entry in range(self.width):
            part = row[first[entry] : last[entry]]
            sums[entry] = part.sum() if np.isin(part, (0, 1)).all() else np.nan
            if part.any():
                codes[entry] = (int(part.argmax()) + 1 + base[entry]) << shift[entry]
        self._refuse(~(sums <= 1), sums, "a single 1 among zeros, or zeros")
        return codes

    def markdown_table(self) -> str:
        """The pieces as a Markdown table: entries of ``codes``, columns of ``onehot``, meaning."""
        lines = ["| piece | `codes` | `onehot` | what it says |", "|---|---|---|---|"]
        entry = column = 0
        for given in self.declared_pieces:
            things = given.times if isinstance(given, RepeatedPieces) else 1
            first = entry, column
            for piece in given.pieces if isinstance(given, RepeatedPieces) else (given,):
                width = piece.size * piece.kind.num_values
                span = _span(entry, piece.size), _span(column, width)
                name = f"{given.name}.0.{piece.name}" if things > 1 else piece.name
                lines.append(f"| `{name}` | {span[0]} | {span[1]} | {piece.doc} |")
                entry, column = entry + piece.size, column + width
            if things > 1:
                entries, columns = entry - first[0], column - first[1]
                lines.append(
                    f"| `{given.name}.1` … `{given.name}.{things - 1}` | each {entries} further | "
                    f"each {columns} further | the same of the others |"
                )
                entry, column = first[0] + things * entries, first[1] + things * columns
        return "\n".join(lines) + "\n"


def _span(start: int, size: int) -> str:
    return f"{start}" if size == 1 else f"{start}–{start + size - 1}"


@jit
def write_onehot(codes: Codes, places: np.ndarray, out: np.ndarray) -> None:
    """Write the one-hot rows of ``codes`` into ``out``; see `Features.onehot`.

    ``places``, int32 (width, CODES), has the column of each code of each entry; that of 0, "none",
    is any of the entry's: a 0 is written there, which needs no branch. The bit masks change
    nothing but tell the compiler that no index is negative: 1.4 times as fast.
    """
    for i in range(len(codes)):
        row, columns = codes[i], out[i]
        for column in range(len(columns)):
            columns[column] = 0
        for entry in range(len(row)):
            code = row[entry] & (CODE_LIMIT - 1)
            columns[places[entry, code] & 0x7FFFFFFF] = code > 0


# ---- options in the observation -------------------------------------------------------------


def option_pieces(
    rules: type[Any], special: Mapping[str, Piece] = MappingProxyType({})
) -> list[Piece]:
    """Return the pieces that show the options of a game, in the order of its ``Rules``.

    A switch is a `FLAG`, an enumeration a `choice`, a number a `whole_number`, or digits where it
    is too large for a code.

    Args:
        rules: The game's ``Rules``; see `options.Option`.
        special: The pieces of options that the game shows in a form of its own, by name.

    Raises:
        ValueError: An option has no standard piece, such as a tuple or a negative number.
    """
    hints = get_type_hints(rules, include_extras=True)
    return [
        special.get(name) or _option_piece(name, hint.__origin__, hint.__metadata__[0])
        for name, hint in hints.items()
    ]


def _option_piece(name: str, kind: Any, option: Any) -> Piece:
    if kind is bool:
        return Piece(name, 1, FLAG, "option")
    if get_origin(kind) is tuple or option.low < 0:
        raise ValueError(f"option {name}: a piece in `special` is needed to show it")
    if issubclass(kind, IntEnum):
        meaning = ", ".join(f"{int(one)} {one.name.lower()}" for one in kind if int(one))
        return Piece(name, 1, choice(kind), f"option: {meaning}")
    high = max(option.values, default=option.high)
    if high < CODE_LIMIT:
        return Piece(name, 1, whole_number(high), "option")
    return digit_piece(name, -(-high.bit_length() // DIGIT_BITS), "option")


@intrinsic  # type: ignore[untyped-decorator]
def _copy_options(typing: Any, shown: Any, rules: Any) -> Any:
    """Copy the fields of one record that another has, too, as one function of machine code."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        shown_record, rules_record = arguments
        byte = ir.IntType(8)
        for name in rules.fields:
            if name not in shown.fields or not isinstance(rules.typeof(name), types.Integer):
                continue
            source = cgutils.get_record_member(
                builder,
                rules_record,
                rules.offset(name),
                context.get_data_type(rules.typeof(name)),
            )
            value = context.unpack_value(builder, rules.typeof(name), source, 1)
            place, digits = shown.offset(name), _count_digits(shown.typeof(name))
            for digit in range(digits):
                code = value
                if digits > 1:
                    shift = ir.Constant(value.type, DIGIT_BITS * (digits - 1 - digit))
                    mask = ir.Constant(value.type, DIGIT_BASE - 1)
                    code = builder.and_(builder.lshr(value, shift), mask)
                target = cgutils.get_record_member(builder, shown_record, place + digit, byte)
                builder.store(builder.trunc(code, byte), target, align=1)
        return context.get_dummy_value()

    return types.void(shown, rules), build


def _count_digits(field: Any) -> int:
    """Return how many entries a piece has, by the type of its field."""
    return int(np.prod(field.shape)) if isinstance(field, types.NestedArray) else 1


def _plain_show_options(shown: Any, rules: Any) -> None:
    shown_names = shown if isinstance(shown, dict) else shown.dtype.names
    for name in getattr(rules, "_fields", None) or rules.dtype.names:
        value = getattr(rules, name)
        if name not in shown_names or not isinstance(value, int | np.integer):
            continue
        if isinstance(shown[name], int | np.integer):
            shown[name] = int(value)
        else:
            digits = len(shown[name])
            for digit in range(digits):
                shift = DIGIT_BITS * (digits - 1 - digit)
                shown[name][digit] = int(value) >> shift & DIGIT_BASE - 1


@jit(twin=_plain_show_options)
def show_options(shown: Any, rules: RulesRecord) -> None:
    """Write every option that has a piece into ``shown``: a number of several entries by digits.

    Options that are tuples are left to the game.
    """
    _copy_options(shown, rules)


# ---- symmetries -----------------------------------------------------------------------------

SUITS = 4


class SuitOrder(NamedTuple):
    """The observation and the actions of a game with its suits in another order.

    An observation ``codes`` is equivalent to ``codes[:, entries]`` with entry ``named[k]`` replaced
    by ``codes_of[k, value]``. Its action a is ``actions[a]`` of the game as it is.
    """

    entries: np.ndarray
    """int64 (features.width,)."""
    actions: np.ndarray
    """int64 (actions,)."""
    named: np.ndarray
    """Entries whose values are cards or suits, int64 (k,)."""
    codes_of: np.ndarray
    """int8 (k, 128)."""


def list_suit_orders(
    features: Features,
    actions: int,
    ranks: int,
    first_suit_action: int,
    *,
    by_card: Collection[str],
    by_suit: Collection[str],
    cards: Collection[str],
    suits: Collection[str],
) -> tuple[SuitOrder, ...]:
    """Return the 23 other orders of four suits.

    Pieces ``by_card`` have an entry for each card, those ``by_suit`` (the last part of their names)
    one for each suit; the values of ``cards`` are 1 more than a card, those of ``suits`` 1 more
    than a suit; other values stay. Cards are numbered by suit and rank, and so are the first
    actions; the four from ``first_suit_action`` on name suits.
    """
    orders = []
    for order in list(permutations(range(SUITS)))[1:]:
        new = np.array(order)  # the new number of each suit
        card = np.concatenate([suit * ranks + np.arange(ranks) for suit in new])
        old_card, old_suit = np.argsort(card), np.argsort(new)
        entries, named, codes_of = np.arange(features.width), [], []
        of_card, of_suit = np.arange(128, dtype=np.int8), np.arange(128, dtype=np.int8)
        of_card[1 : 1 + len(card)], of_suit[1 : 1 + SUITS] = 1 + card, 1 + new
        for piece in features.pieces:
            places = np.array(features.entry_range(piece.name))
            if piece.name in by_card:
                entries[places] = places[0] + old_card
            elif piece.name.split(".")[-1] in by_suit:
                entries[places] = places[0] + old_suit
            elif piece.name in cards or piece.name in suits:
                named += places.tolist()
                codes_of += [of_card if piece.name in cards else of_suit] * len(places)
        moved = np.arange(actions)
        moved[: len(card)] = old_card
        moved[first_suit_action : first_suit_action + SUITS] = first_suit_action + old_suit
        orders.append(SuitOrder(entries, moved, np.array(named), np.array(codes_of)))
    return tuple(orders)
