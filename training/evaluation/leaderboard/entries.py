"""The leaderboard file: a CSV file in which each line claims the result of an agent.

The first cells of a line are its entry (`ENTRY`), the agent and the deals, and are written by hand.
``parlour leaderboard --update`` plays the deals and fills in the result (`Claim`) and a seal, a
digest of the line that reveals later edits. The seal is no proof, since anybody can compute it;
`claims` verifies the cells themselves. The last cell, the mark, has the reason why the claim failed
its last verification; it is empty for a verified claim.

A leaderboard file may come from anybody, so its agents are resolved without importing code or
reading the current folder, and without depending on a clock.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from parlour.agents import registry
from parlour.agents.agent_spec import AgentSpec, SpecKind, parse_spec
from parlour.agents.validation import (
    name_file_in_errors,
    name_part_in_errors,
    read_number,
    read_text,
    shorten,
)
from parlour.envs import Game, find_game
from parlour.envs.core.game import digest16
from parlour.envs.core.kernel.cards import default_deal_set
from parlour.envs.core.rules_table import describe_rules

from ...files import write_bytes
from ..evaluation_spec import DEALS, read_options

ENTRY = ("game", "variant", "options", "agent", "deal_set", "deals")
"""The cells that are written by hand. Empty cells mean the game's default variant, no options, the
deal set GAME-1, and 10,000 deals."""
MOST_DEALS = 100_000_000
LINE_LEAST, LINE_MOST = 100, 100_000
"""Limits of the number of deals of a line, which are deals 0 to ``deals - 1`` of its deal set. Up
to the upper limit, the six digits of a rate determine the number of deals won."""
DEAL_SETS = (1, 2)
"""The deal sets of a leaderboard are GAME-1 and GAME-2. A deal set's name seeds its deals, so free
names would allow a search for lucky deals."""
HUMAN = "human"
BY_WORD = (SpecKind.BUILT_IN, SpecKind.RULE_AGENT, SpecKind.PRETRAINED, SpecKind.ORACLE)
"""Kinds of agents that are named by a single word."""


class Claim(NamedTuple):
    """The result that a line claims; numbers are rounded as in the file.

    ``score`` is the game's measure with its 95 % interval ``low`` to ``high``: the share of deals
    won, the mean score, or in a game with several seats the mean net result of a hand. ``bound``
    is the upper bound from the solver labels that ship for these deals (None: there are none),
    ``ms`` the time per decision. ``sees_all`` tells whether the agent sees hidden cards.
    ``first_digest`` is the digest of the results of the first ``first`` deals. ``agent_digest`` is
    empty for an agent that is not a saved one. ``parlour``, ``machine``, and ``date`` say where the
    result was measured.
    """

    score: float
    low: float
    high: float
    bound: float | None
    ms: float
    sees_all: bool
    first: int
    first_digest: str
    rules_digest: str
    agent_digest: str
    parlour: str
    machine: str
    date: str


COLUMNS = (*ENTRY, *Claim._fields, "seal", "mark")


@dataclass(frozen=True, eq=False)
class Entry:
    """One line of a leaderboard; ``claim`` is None if it has not been played yet.

    ``rules`` are made from ``variant`` and ``options`` (``"passes=2 undo=yes"``). ``seal`` is the
    seal that the line states, ``line`` its number in the file, from 1. Paths in ``agent`` are
    relative to ``folder``, that of the leaderboard file.
    """

    game: Game
    rules: Any
    variant: str
    options: str
    agent: str
    deal_set: str
    deals: int
    claim: Claim | None = None
    seal: str = ""
    mark: str = ""
    line: int = 0
    folder: Path = Path()

    @property
    def key(self) -> tuple[str, ...]:
        """The cells of the entry, which are unique in a file."""
        return (
            self.game.name,
            self.variant,
            self.options,
            self.agent,
            self.deal_set,
            str(self.deals),
        )

    @property
    def title(self) -> str:
        """The name of the line in reports."""
        return f"{self.game.name} {self.rules_name}: {self.agent} on {self.deal_set}"

    @property
    def is_multiplayer(self) -> bool:
        """Whether the game has several seats."""
        return self.game.num_players(self.rules) > 1

    @property
    def is_rate(self) -> bool:
        """Whether the score is the share of deals won."""
        return self.game.measure == "won"

    @property
    def times(self) -> int:
        """The factor of the score in tables: 100 for shares of deals won, shown in percent."""
        return 100 if self.is_rate else 1

    @cached_property
    def rules_name(self) -> str:
        """The rules' name for tables (``"classic"``, ``"classic + passes=2"``)."""
        return describe_rules(self.game, self.rules, self.variant)

    @property
    def is_sealed(self) -> bool:
        """Whether the line is unchanged since the command wrote it."""
        return self.seal == seal_of(self)


def write_cell(value: Any) -> str:
    """Return the text of a cell: six significant digits, yes or no, empty for None."""
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
    **dict.fromkeys(("score", "low", "high", "ms"), ("a number", _read_float)),
    "bound": ("a number or nothing", lambda text: _read_float(text) if text else None),
    "sees_all": ("yes or no", _read_yes),
    "first": ("an integer", int),
}
"""Allowed values of a cell, for error messages, and its reader; other cells are text."""


def make_entry(cells: Mapping[str, str], line: int = 0, folder: Path | None = None) -> Entry:
    """Return the entry of a line from its cells by column name; missing cells are empty.

    Paths of agents are relative to ``folder`` (None: the current folder). Raises ValueError naming
    the cell, its value, and the allowed values.
    """
    given = {name: cells.get(name, "").strip() for name in COLUMNS}
    with name_part_in_errors("game"):
        game = find_game(given["game"])
    variant = given["variant"] or game.default
    with name_part_in_errors("options" if variant in game.variants else "variant"):
        rules = game.make_rules(variant, read_options(given["options"].split()))
    if not given["agent"] or not given["agent"].isprintable():
        raise ValueError(f"agent: must be the name of an agent, got {shorten(given['agent'])}")
    return Entry(
        game,
        rules,
        variant,
        given["options"],
        given["agent"],
        given["deal_set"] or default_deal_set(game.name),
        _read_deals(given["deals"], game.num_players(rules)),
        _read_claim(given),
        given["seal"],
        given["mark"],
        line,
        folder or Path(),
    )


def _read_deals(text: str, players: int) -> int:
    lowest = 1 if players == 1 else 2  # Student's interval needs two values
    try:
        deals = read_number(text or str(DEALS))
    except ValueError:
        deals = -1
    if not lowest <= deals <= MOST_DEALS:
        allowed = f"an integer from {lowest} to {MOST_DEALS:,}"
        raise ValueError(f"deals: must be {allowed}, got {shorten(text)}")
    return deals


def _read_claim(given: Mapping[str, str]) -> Claim | None:
    """Return the claim of a line, None if all of its cells are empty."""
    if not any(given[name] for name in Claim._fields):
        return None
    return Claim(**{name: _read_value(name, given[name]) for name in Claim._fields})


def _read_value(name: str, text: str) -> Any:
    needed, read = READERS.get(name, ("text", str))
    try:
        return read(text)
    except (ValueError, KeyError):
        raise ValueError(f"{name}: must be {needed}, got {shorten(text)}") from None


def entry_cells(entry: Entry) -> list[str]:
    """Return all cells of a line."""
    claim = entry.claim or (None,) * len(Claim._fields)
    return [*map(write_cell, (*entry.key, *claim)), entry.seal, entry.mark]


def seal_of(entry: Entry) -> str:
    """Return the digest of an entry and its claim, 16 hex digits; empty without a claim."""
    return digest16(entry_cells(entry)[: -len(("seal", "mark"))]) if entry.claim else ""


def make_claimed(entry: Entry, claim: Claim) -> Entry:
    """Return an entry with a new claim and its seal, without a mark."""
    new = replace(entry, claim=claim, mark="")
    return replace(new, seal=seal_of(new))


def read_leaderboard(path: Path) -> list[Entry]:
    """Return the entries of a leaderboard file, in its order.

    Raises ValueError naming file, line number, cell, value, and allowed values, also for two lines
    with the same entry; OSError if the file cannot be read.
    """
    with name_file_in_errors(path):
        reader = csv.reader(StringIO(read_text(path)), strict=True)
        entries: dict[tuple[str, ...], Entry] = {}
        try:
            _check_head(next(reader, []))
            for cells in reader:
                if cells:
                    _add_entry(entries, cells, reader.line_num, path.absolute().parent)
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num}: must be CSV: {error}") from error
    return list(entries.values())


def _check_head(cells: Sequence[str]) -> None:
    if tuple(cells) != COLUMNS:
        raise ValueError(f"line 1: must name the columns: {','.join(COLUMNS)}")


def _add_entry(
    entries: dict[tuple[str, ...], Entry], cells: Sequence[str], line: int, folder: Path
) -> None:
    """Read a line into ``entries``; ValueError naming the line."""
    with name_part_in_errors(f"line {line}"):
        if len(cells) > len(COLUMNS):
            raise ValueError(f"must have at most {len(COLUMNS)} cells, got {len(cells)}")
        entry = make_entry(dict(zip(COLUMNS, cells, strict=False)), line, folder)
        _check_line(entry)
        if other := entries.get(entry.key):
            raise ValueError(
                f"must not have the same entry as line {other.line}: remove one of them"
            )
    entries[entry.key] = entry


def _check_line(entry: Entry) -> None:
    """Raise ValueError for deals that a leaderboard does not allow."""
    deal_sets = [f"{entry.game.name}-{number}" for number in DEAL_SETS]
    if entry.deal_set not in deal_sets:
        raise ValueError(
            f"deal_set: must be {' or '.join(deal_sets)}, got {shorten(entry.deal_set)}"
        )
    if not LINE_LEAST <= entry.deals <= LINE_MOST:
        raise ValueError(f"deals: must be from {LINE_LEAST} to {LINE_MOST:,}, got {entry.deals}")


def write_leaderboard(path: Path, entries: Sequence[Entry]) -> None:
    """Write a leaderboard file atomically."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([COLUMNS, *map(entry_cells, entries)])
    write_bytes(path, text.getvalue().encode())


def put_entry(path: Path, entry: Entry) -> None:
    """Replace the line of the same entry, and keep the other lines of the current file.

    Writes nothing if the file no longer has that entry, or the line is unchanged. Raises as
    `read_leaderboard` does.
    """
    entries = read_leaderboard(path)
    new = [entry if one.key == entry.key else one for one in entries]
    if list(map(entry_cells, new)) != list(map(entry_cells, entries)):
        write_leaderboard(path, new)


class ResolvedAgent(NamedTuple):
    """The spec of an agent for `load_agent` in any folder, and the ``module:Class`` in it."""

    spec: str
    code: str = ""


def resolve_agent(entry: Entry) -> ResolvedAgent:
    """Return the agent of an entry, with paths relative to the leaderboard file made absolute.

    The function imports nothing. Raises ValueError for an unknown agent, and for agents with
    irreproducible results: a human player, or a search with a time limit.
    """
    return _resolve(parse_spec(entry.agent, entry.game, entry.folder), entry)


def _resolve(spec: AgentSpec, entry: Entry) -> ResolvedAgent:
    if spec.kind is SpecKind.SEARCH and spec.name is None:
        return _resolve_search(spec, entry)
    if spec.text == HUMAN:
        raise ValueError(
            f"agent {entry.agent!r} must not be a human player, whose results are irreproducible"
        )
    if spec.kind in BY_WORD and spec.name is None:
        return ResolvedAgent(spec.text)
    if spec.kind is SpecKind.SAVED and spec.name is None and spec.path.exists():
        return ResolvedAgent(str(spec.path.absolute()))
    is_module = spec.word.replace(".", "_").isidentifier()
    if spec.kind is SpecKind.CODE and spec.name is None and is_module:
        return ResolvedAgent(spec.text, spec.text)
    raise ValueError(
        f"agent must be a built-in agent or a folder, got {entry.agent!r}; folder "
        f"{entry.folder / spec.text} does not exist"
    )


def _resolve_search(spec: AgentSpec, entry: Entry) -> ResolvedAgent:
    if spec.budget is not None and spec.budget.endswith("ms"):
        raise ValueError(
            f"agent {entry.agent!r} must have a search budget without a time limit, such as "
            f"{spec.word}@100, got {spec.budget}: timed results cannot be reproduced"
        )
    head, colon, _ = spec.text.partition(":")
    if not colon or spec.leader is None:
        return ResolvedAgent(spec.text)
    leader = _resolve(spec.leader, entry)
    return ResolvedAgent(f"{head}:{leader.spec}", leader.code)


def find_folder(entry: Entry) -> Path | None:
    """Return the folder of the saved agent that an entry names, alone or within a search.

    Returns None if the entry names none. Raises ValueError as `resolve_agent` does, and for a
    folder without an agent.
    """
    return registry.find_saved(resolve_agent(entry).spec, entry.game, entry.rules)


def digest_saved(entry: Entry) -> str:
    """Return the digest of the saved agent that an entry names, empty if it names none."""
    return registry.digest_saved(resolve_agent(entry).spec, entry.game, entry.rules)


def check_code(entry: Entry, allow_code: bool) -> str:
    """Return the agent of an entry for `load_agent`.

    Raises ValueError as `resolve_agent` does, and for ``module:Class`` without ``allow_code``,
    since loading it would run code.
    """
    spec, code = resolve_agent(entry)
    if code and not allow_code:
        raise ValueError(
            f"agent {entry.agent!r} must be a built-in agent or a saved folder, got code: "
            f"add --allow-code to import {code}"
        )
    return spec
