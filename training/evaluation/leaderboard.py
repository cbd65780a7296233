"""The leaderboard: claims of how well agents play, a line each in a CSV file.

The first cells of a line are its entry, written by hand: who plays what (`ENTRY`). The others are
its claim, what came of it (`Claim`), written by ``parlour board --run``, and a seal that tells when
somebody has changed the line since. Last comes a mark: why the claim does not hold, empty if
nothing is known against it.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from parlour.agents.reading import naming, naming_part, read_number, read_text, shorten
from parlour.envs import Game, find_game
from parlour.envs.core.deals import default_bank
from parlour.envs.core.game import digest16
from parlour.envs.core.rules_table import describe_rules

from ..files import write_bytes
from .spec import DEALS, read_options

ENTRY = ("game", "variant", "options", "agent", "bank", "deals")
"""The cells that are written by hand; empty: the game's default variant, no options, its own bank,
as many deals as usual."""
MOST_DEALS = 100_000_000


class Claim(NamedTuple):
    """What came of an entry: the cells behind its own, numbers as they were rounded for the file.

    ``score`` is what players of the game are compared by, with its 95 % interval: a share of deals
    won, a score, or at a table of several what is won a hand. ``bound`` is what labels of the same
    deals allow (None: there are none), ``ms`` the time of a decision. ``first_digest`` is of the
    results of the first ``first`` deals, ``first_score`` their mean. ``agent_digest`` is empty for
    an agent that is no saved one.
    """

    score: float
    low: float
    high: float
    bound: float | None
    ms: float
    sees_all: bool
    first: int
    first_score: float
    first_digest: str
    rules_digest: str
    agent_digest: str
    code_digest: str
    parlour: str
    machine: str
    date: str


COLUMNS = (*ENTRY, *Claim._fields, "seal", "mark")


@dataclass(frozen=True, eq=False)
class Entry:
    """One line: who plays what, and what came of it (None: it has not been played yet).

    ``rules`` are the game's, made of ``variant`` and ``options`` (``"passes=2 undo=yes"``).
    ``seal`` is what the line says its seal is; ``line`` its number in the file, from 1.
    """

    game: Game
    rules: Any
    variant: str
    options: str
    agent: str
    bank: str
    deals: int
    claim: Claim | None = None
    seal: str = ""
    mark: str = ""
    line: int = 0

    @property
    def key(self) -> tuple[str, ...]:
        """The cells of the entry: no two lines have the same."""
        return (self.game.name, self.variant, self.options, self.agent, self.bank, str(self.deals))

    @property
    def title(self) -> str:
        """What progress and reports call it."""
        return f"{self.game.name} {self.rules_name}: {self.agent} on {self.bank}"

    @property
    def is_multiplayer(self) -> bool:
        """Whether it is played at a table of several seats."""
        return self.game.num_players(self.rules) > 1

    @property
    def times(self) -> int:
        """What a claim is multiplied by to be read: 100 for shares of deals won, as per cent."""
        return 100 if self.game.measure == "won" else 1

    @cached_property
    def rules_name(self) -> str:
        """The rules' name for tables (``"classic"``, ``"classic + passes=2"``)."""
        return describe_rules(self.game, self.rules, self.variant)

    @property
    def is_sealed(self) -> bool:
        """Whether the line is as the command wrote it."""
        return self.seal == seal_of(self)


def write_cell(value: Any) -> str:
    """Write a value as a cell has it: numbers with six digits, yes or no, nothing for None."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)


def _read_float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number


def _read_yes(text: str) -> bool:
    return {"yes": True, "no": False}[text]


READERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    **dict.fromkeys(("score", "low", "high", "ms", "first_score"), ("a number", _read_float)),
    "bound": ("a number or nothing", lambda text: _read_float(text) if text else None),
    "sees_all": ("yes or no", _read_yes),
    "first": ("a whole number", int),
}
"""How cells of a claim are read, and what is said to be needed there; others are text."""


def make_entry(cells: Mapping[str, str], line: int = 0) -> Entry:
    """Return the entry of a line's cells, by their columns; missing ones are empty.

    Raises ValueError naming the field, its value and what is allowed.
    """
    given = {name: cells.get(name, "").strip() for name in COLUMNS}
    with naming_part("game"):
        game = find_game(given["game"])
    variant = given["variant"] or game.default
    with naming_part("options" if variant in game.variants else "variant"):
        rules = game.make_rules(variant, read_options(given["options"].split()))
    if not given["agent"] or not given["agent"].isprintable():
        raise ValueError(f"agent: the name of an agent is needed, got {shorten(given['agent'])}")
    return Entry(
        game,
        rules,
        variant,
        given["options"],
        given["agent"],
        given["bank"] or default_bank(game.name),
        _read_deals(given["deals"], game.num_players(rules)),
        _read_claim(given),
        given["seal"],
        given["mark"],
        line,
    )


def _read_deals(text: str, players: int) -> int:
    lowest = 1 if players == 1 else 2  # Student's interval needs two values
    try:
        deals = read_number(text or str(DEALS))
    except ValueError:
        deals = -1
    if not lowest <= deals <= MOST_DEALS:
        allowed = f"a whole number from {lowest} to {MOST_DEALS:,}"
        raise ValueError(f"deals: {allowed} is needed, got {shorten(text)}")
    return deals


def _read_claim(given: Mapping[str, str]) -> Claim | None:
    """Return what a line claims: None where all these cells are empty."""
    if not any(given[name] for name in Claim._fields):
        return None
    return Claim(**{name: _read_value(name, given[name]) for name in Claim._fields})


def _read_value(name: str, text: str) -> Any:
    needed, read = READERS.get(name, ("text", str))
    try:
        return read(text)
    except (ValueError, KeyError):
        raise ValueError(f"{name}: {needed} is needed, got {shorten(text)}") from None


def entry_cells(entry: Entry) -> list[str]:
    """Return all cells of an entry's line."""
    claim = entry.claim or (None,) * len(Claim._fields)
    return [*map(write_cell, (*entry.key, *claim)), entry.seal, entry.mark]


def seal_of(entry: Entry) -> str:
    """Return 16 hex digits that differ when an entry or its claim does; empty without a claim."""
    return digest16(entry_cells(entry)[: -len(("seal", "mark"))]) if entry.claim else ""


def make_claimed(entry: Entry, claim: Claim) -> Entry:
    """Return an entry with a new claim, sealed, without a mark."""
    new = replace(entry, claim=claim, mark="")
    return replace(new, seal=seal_of(new))


def read_board(path: Path) -> list[Entry]:
    """Return the entries of a file, in its order.

    Raises ValueError naming the file, the line by its number, the field, its value and what is
    allowed; also for two lines with the same entry.
    """
    with naming(path):
        reader = csv.reader(StringIO(read_text(path)), strict=True)
        found: dict[tuple[str, ...], Entry] = {}
        try:
            _check_head(next(reader, []))
            for cells in reader:
                if cells:
                    _add_entry(found, cells, reader.line_num)
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num}: no line of CSV: {error}") from error
    return list(found.values())


def _check_head(cells: Sequence[str]) -> None:
    if tuple(cells) != COLUMNS:
        raise ValueError(f"line 1: the names of the columns are needed: {','.join(COLUMNS)}")


def _add_entry(found: dict[tuple[str, ...], Entry], cells: Sequence[str], line: int) -> None:
    """Read a line into the entries found so far; ValueError naming it."""
    with naming_part(f"line {line}"):
        if len(cells) > len(COLUMNS):
            raise ValueError(f"{len(cells)} cells; at most {len(COLUMNS)} are allowed")
        entry = make_entry(dict(zip(COLUMNS, cells, strict=False)), line)
        if other := found.get(entry.key):
            raise ValueError(f"the same entry as line {other.line}: leave one of them out")
    found[entry.key] = entry


def write_board(path: Path, entries: Sequence[Entry]) -> None:
    """Write a file of entries, whole or not at all."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([COLUMNS, *map(entry_cells, entries)])
    write_bytes(path, text.getvalue().encode())


def put_entry(path: Path, entry: Entry) -> None:
    """Write an entry over the line with the same one; others stay as they are in the file by now.

    Nothing is written where that line has gone, or is the same. Raises as `read_board` does.
    """
    entries = read_board(path)
    new = [entry if one.key == entry.key else one for one in entries]
    if list(map(entry_cells, new)) != list(map(entry_cells, entries)):
        write_board(path, new)
