"""Named pieces of an observation: one schema for dtype, encodings, explanation and documentation.

A game lists its pieces. Together they are the record ``shown`` in its state, int8 throughout, and
that record's bytes are the ``codes`` observation. ``onehot`` is made from it: a value ``v >= 1``
sets column ``v - 1`` of its entry, 0 sets none. Nothing about an observation is written twice.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .aliases import Codes
from .kernel.cards import FIRST_CARD, PACK_SIZE, RANKS, card_name
from .kernel.jit import jit

ENCODINGS = ("onehot", "codes")
"""How an observation may be written: a 0 or 1 for each value, or the codes themselves."""
CODE_LIMIT = 64
"""A code is below this."""


class Kind(NamedTuple):
    """How the codes of a piece are read: ``v = (code >> shift) - base``, one-hot over 1..top."""

    high: int
    top: int
    shift: int = 0
    base: int = 0
    read: Callable[[int], Any] = int


def whole_number(high: int) -> Kind:
    """A whole number 0..high, below `CODE_LIMIT`."""
    if not 0 < high < CODE_LIMIT:
        raise ValueError(f"whole_number({high}): allowed are 1..{CODE_LIMIT - 1}")
    return Kind(high, high)


def _rank(code: int) -> str:
    return RANKS[(code >> 2) - 1] if code else "--"


CARD = Kind(FIRST_CARD + PACK_SIZE - 1, PACK_SIZE, base=FIRST_CARD - 1, read=card_name)
"""A card, or 0 for none: one-hot over the 52 cards."""
RANK = Kind(FIRST_CARD + PACK_SIZE - 1, len(RANKS), shift=2, read=card_name)
"""A card of which only the value matters: one-hot over the 13 values."""
FLAG = Kind(1, 1, read=bool)
"""No or yes."""
DIGIT_BASE = 16
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
    found = 0
    for digit in codes:
        found = DIGIT_BASE * found + digit
    return found


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
    or with its suits in another order (`suit_orders.SuitOrder`).
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
        tops = np.array([kind.top for kind in kinds], np.int64)
        self.width = len(kinds)
        self.columns = int(tops.sum())
        self.high = np.array([kind.high for kind in kinds], np.int8)
        self.column_tables = Columns(
            np.concatenate([[0], np.cumsum(tops)[:-1]]).astype(np.int64),
            np.array([kind.shift for kind in kinds], np.int64),
            np.array([kind.base for kind in kinds], np.int64),
        )
        self.onehot_places = self._places()

    def _places(self) -> np.ndarray:
        first, shift, base = (table[:, None] for table in self.column_tables)
        values = (np.arange(CODE_LIMIT) >> shift) - base
        last = np.append(self.column_tables.first[1:], self.columns)[:, None] - 1
        return np.minimum(first + np.maximum(values, 1) - 1, last).astype(np.int32)

    def with_pieces(self, changes: Mapping[str, Piece | None]) -> "Features":
        """Return the schema with pieces of other kinds or sizes, or without them (None).

        Pieces of `RepeatedPieces` are named ``"seats.paid"``. So a game says what an earlier
        version of it showed. Raises ValueError for a piece that is not there.
        """
        left = dict(changes)

        def change(piece: Piece, prefix: str = "") -> list[Piece]:
            changed = left.pop(prefix + piece.name, piece)
            return [] if changed is None else [changed]

        pieces: list[Piece | RepeatedPieces] = []
        for piece in self.declared_pieces:
            if isinstance(piece, RepeatedPieces):
                own = [one for part in piece.pieces for one in change(part, f"{piece.name}.")]
                pieces.append(piece._replace(pieces=tuple(own)))
            else:
                pieces += change(piece)
        if left:
            raise ValueError(f"no pieces {', '.join(left)}")
        return Features(pieces, self.bonds, self.actions_on, self.symmetries)

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
        said: dict[str, Any] = {}
        start = 0
        for piece in self.pieces:
            own = [int(code) for code in codes[start : start + piece.size]]
            start += piece.size
            if piece.read:
                said[piece.name] = piece.read(own)
                continue
            read = _rank if flat and piece.kind is RANK else piece.kind.read
            values = [read(code) for code in own]
            said[piece.name] = values if piece.size > 1 else values[0]
        return said

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
                found = row[entry].tolist()
                raise ValueError(f"observation: {piece.name} has {found}; allowed is {allowed}")

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
        found, sums = np.zeros(self.width, np.int64), np.zeros(self.width)
        for entry in range(self.width):
            part = row[first[entry] : last[entry]]
            sums[entry] = part.sum() if np.isin(part, (0, 1)).all() else np.nan
            if part.any():
                found[entry] = (int(part.argmax()) + 1 + base[entry]) << shift[entry]
        self._refuse(~(sums <= 1), sums, "a single 1 among zeros, or zeros")
        return found

    def markdown_table(self) -> str:
        """The pieces as a Markdown table: entries of ``codes``, columns of ``onehot``, meaning."""
        lines = ["| piece | `codes` | `onehot` | what it says |", "|---|---|---|---|"]
        entry = column = 0
        for given in self.declared_pieces:
            things = given.times if isinstance(given, RepeatedPieces) else 1
            first = entry, column
            for piece in given.pieces if isinstance(given, RepeatedPieces) else (given,):
                width = piece.size * piece.kind.top
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
