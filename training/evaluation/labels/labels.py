"""Solver labels of the deals of a deal set, in files whose content is verified.

A file is Parquet, a row a deal: ``deck``, uint64, the first 8 bytes of the SHA-256 of its cards in
dealing order; ``winnable``, int8, 1 yes, 0 no, -1 undecided; ``fewest``, int16, the moves of the
shortest win, -1 unknown; ``nodes``, int64, the positions that the solver looked at; and, in a game
that is played for its score, ``score``, int32, the best found. Its metadata, JSON under
``parlour``, say whose deals they are, and have the SHA-256 of all decks, of each column and of all
together. A file is refused unless all of that is so.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from parlour import __version__
from parlour.agents.validation import (
    TABLE,
    TEXT,
    YES_OR_NO,
    Field,
    check_fields,
    check_known,
    join_lines,
    maybe,
    read_bytes,
    shorten,
    whole,
)
from parlour.envs import Game, find_game
from parlour.envs.core.contract import LOST, UNDECIDED, WINNABLE, Solution
from parlour.envs.core.kernel.cards import decks_digest, default_deal_set
from parlour.envs.core.options import replace_options, to_plain
from parlour.envs.core.rows import Rows

from ...files import write_bytes

FORMAT = 1
UNKNOWN_FEWEST = -1
"""``fewest`` where the shortest win is not known."""
NO_SCORE = -(2**31)
"""``score`` where none was found."""
MOST_DEALS = 10**8
"""Most deals in one file, far more than a solver can solve."""
METADATA: dict[str, Field] = {
    "format": whole(FORMAT, FORMAT),
    "parlour": TEXT,
    "game": TEXT,
    "variant": Field("a str", lambda value: isinstance(value, str)),
    "rules": TABLE,
    "rules_digest": TEXT,
    "deal_set": Field("a str", lambda value: isinstance(value, str)),
    "first": whole(0, 10**18),
    "n": whole(1, MOST_DEALS),
    "optimal": YES_OR_NO,
    "limit": maybe(whole(1, 10**18))._replace(optional=False),
    "solver": TEXT,
    "decks": TEXT,
    "columns": TABLE,
    "content": TEXT,
}
OWN_FOLDER = Path("runs/labels")
"""Default folder of label files that `labelling.make_labels` writes."""
SHIPPED_FOLDER = Path(__file__).parent / "data"
"""Folder of the label files that ship with Parlour."""
NO_LABELS = "no"
"""Instead of labels: none are looked for."""
KEY = "parlour"
COLUMN_TYPES: dict[str, Any] = {
    "deck": np.uint64,
    "winnable": np.int8,
    "fewest": np.int16,
    "score": np.int32,
    "nodes": np.int64,
}
MOST_BYTES = 1 << 32
"""Bytes that a file of labels may have."""
HASH_BYTES = 8
"""Bytes of the hash of each deck."""
AT_ONCE = 4096
"""Deals that are dealt in one batch."""


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of deals ``first`` .. ``first + n - 1`` of a deal set, by one set of rules.

    ``columns`` has an array (n,) for each column of the file (`COLUMN_TYPES`). ``optimal``:
    shortest wins were asked for; ``limit``: how many positions the solver might look at (None: its
    own limit); ``solver``: the digest of the solver's code. ``variant`` names the rules for tables,
    ``source`` the file they were read from.
    """

    game: Game
    rules: Any
    variant: str
    deal_set: str
    first: int
    optimal: bool
    limit: int | None
    columns: dict[str, np.ndarray]
    solver: str
    source: Path | None = None

    def __len__(self) -> int:
        """How many deals are labelled."""
        return len(self.columns["deck"])

    @property
    def winnable(self) -> np.ndarray:
        """Whether each deal can be won, int8 (n,): 1 yes, 0 no, -1 undecided."""
        return self.columns["winnable"]

    @property
    def fewest(self) -> np.ndarray:
        """The moves of each deal's shortest win, int16 (n,): -1 where that is not known."""
        return self.columns["fewest"]

    @property
    def score(self) -> np.ndarray:
        """The best score found of each deal, int32 (n,): `NO_SCORE` where there is none."""
        return self.columns.get("score", np.full(len(self), NO_SCORE, np.int32))

    @property
    def nodes(self) -> np.ndarray:
        """The positions looked at, int64 (n,)."""
        return self.columns["nodes"]

    def overlap(self, first: int, deals: int) -> tuple[slice, slice]:
        """Return where deals ``first`` .. ``first + deals - 1`` and the labels have the same ones.

        The first slice is of those deals, the second of the labels.
        """
        low, high = max(first, self.first), min(first + deals, self.first + len(self))
        if low >= high:
            return slice(0, 0), slice(0, 0)
        return slice(low - first, high - first), slice(low - self.first, high - self.first)

    def metadata(self) -> dict[str, Any]:
        """Return all that the file says of itself: whose deals these are, and the hashes."""
        decks = decks_of(self.game, self.rules, self.deal_set, self.first, len(self))
        metadata = {
            "format": FORMAT,
            "parlour": __version__,
            "game": self.game.name,
            "variant": self.variant,
            "rules": to_plain(self.rules),
            "rules_digest": self.game.rules_digest(self.rules),
            "deal_set": self.deal_set,
            "first": self.first,
            "n": len(self),
            "optimal": self.optimal,
            "limit": self.limit,
            "decks": decks_digest(decks),
            "columns": {name: _column_digest(values) for name, values in self.columns.items()},
            "solver": self.solver,
        }
        return metadata | {"content": _metadata_digest(metadata)}


def columns_of(solutions: list[Solution], scored: bool) -> dict[str, np.ndarray]:
    """Return the columns of solutions, without ``deck``; ``scored``: of a game played for score."""
    columns = {
        "winnable": [one.winnable_code for one in solutions],
        "fewest": [UNKNOWN_FEWEST if one.fewest is None else one.fewest for one in solutions],
        "score": [NO_SCORE if one.score is None else one.score for one in solutions],
        "nodes": [one.nodes for one in solutions],
    }
    if not scored:
        del columns["score"]
    return {name: np.array(values, COLUMN_TYPES[name]) for name, values in columns.items()}


def is_scored(game: Game) -> bool:
    """Whether a game is played for its score, so that the best one is a column."""
    return game.measure != "won"


def decks_of(game: Game, rules: Any, deal_set: str, first: int, n: int) -> np.ndarray:
    """Return the decks of numbered deals, int8 (n, cards) in dealing order."""
    cards = len(game.pack(rules))
    decks = np.zeros((n, cards), np.int8)
    for begin in range(0, n, AT_ONCE):
        rows = Rows(game, rules, min(AT_ONCE, n - begin))
        rows.deal_numbered(deal_set, range(first + begin, first + begin + rows.n))
        decks[begin : begin + rows.n] = rows.states["deck"][:, :cards]
    return decks


def deck_digests(decks: np.ndarray) -> np.ndarray:
    """Return the first 8 bytes of each deck's SHA-256 as a number, uint64 (n,)."""
    hashes = [sha256(deck.tobytes()).digest()[:8] for deck in np.ascontiguousarray(decks, np.int8)]
    return np.array([int.from_bytes(digest, "little") for digest in hashes], np.uint64)


def save_labels(labels: Labels, path: Path) -> None:
    """Write labels into a file, which appears whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(labels.columns)
    table = table.replace_schema_metadata({KEY: json.dumps(labels.metadata())})
    buffer = BytesIO()
    same = [name for name in labels.columns if name not in ("deck", "nodes")]
    pq.write_table(table, buffer, compression="zstd", compression_level=15, use_dictionary=same)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, buffer.getvalue())


def load_labels(path: Path | str) -> Labels:
    """Read labels. Raises ValueError, naming file and field, if anything in it is not as it was
    written, cannot be, or the deals are not those of the deal set; OSError if it cannot be read.
    """
    path = Path(path).resolve()
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise ValueError(f"{path}: there is no such file of labels") from error
    return _load(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _load(path: Path, _time: int, _size: int) -> Labels:
    """Time and size stand for the file's content: it is read, and proven, once."""
    metadata, columns = _read(path)
    try:
        return _make_checked(metadata, columns, path)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path}: no file of labels: {error!r} in its metadata") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    import pandas  # noqa: F401  # else Arrow imports it from C, where a Ctrl-C is lost
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        content = read_bytes(path, MOST_BYTES)
        # no threads: one that still runs when the process ends would abort it
        file = pq.ParquetFile(pa.BufferReader(content), pre_buffer=False)
        metadata = json.loads((file.schema_arrow.metadata or {})[KEY.encode()])
        rows = file.metadata.num_rows
        check_metadata(metadata, rows)  # before the columns take room
        if rows * HASH_BYTES > len(content):  # hashes of decks cannot be compressed
            raise ValueError(f"n must fit the file's {len(content):,} bytes, got {rows:,}")
        table = file.read(use_threads=False)
        columns = {name: table[name].to_numpy() for name in table.column_names}
    except (pa.ArrowException, OSError, KeyError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: no file of labels, or damaged: {join_lines(error)}") from error
    return metadata, columns


def _make_checked(metadata: dict[str, Any], columns: dict[str, np.ndarray], path: Path) -> Labels:
    for name, digest in metadata["columns"].items():
        if name not in columns or _column_digest(columns[name]) != digest:
            raise ValueError(f"column {name} is not as it was written: its SHA-256 differs")
    if set(columns) != set(metadata["columns"]):
        raise ValueError(f"columns {sorted(set(columns) ^ set(metadata['columns']))} do not belong")
    if _metadata_digest(metadata) != metadata["content"]:
        raise ValueError("the metadata are not as they were written: their SHA-256 (content)")
    game = find_game(metadata["game"])
    rules = replace_options(game.rules(), metadata["rules"])
    labels = Labels(
        game,
        rules,
        metadata["variant"],
        metadata["deal_set"],
        metadata["first"],
        metadata["optimal"],
        metadata["limit"],
        columns,
        metadata["solver"],
        path,
    )
    _check_shape(labels, metadata)
    check_values(game, rules, labels.first, columns)
    return labels


def _check_shape(labels: Labels, metadata: dict[str, Any]) -> None:
    """Refuse labels of another version of the game, or of deals that are not in the deal set."""
    game, rules = labels.game, labels.rules
    if game.rules_digest(rules) != metadata["rules_digest"]:
        raise ValueError(f"rules_digest: made by another version of {game.title}; make it anew")
    wanted = {
        name: COLUMN_TYPES[name] for name in COLUMN_TYPES if is_scored(game) or name != "score"
    }
    if {name: values.dtype for name, values in labels.columns.items()} != wanted:
        needed = ", ".join(f"{name} {np.dtype(kind)}" for name, kind in wanted.items())
        raise ValueError(f"columns: {needed} are needed, without gaps")
    decks = decks_of(game, rules, labels.deal_set, labels.first, len(labels))
    if decks_digest(decks) != metadata["decks"]:
        raise ValueError(f"decks: deal set {labels.deal_set!r} has others; their SHA-256 differs")
    other = np.flatnonzero(deck_digests(decks) != labels.columns["deck"])
    if len(other):
        raise ValueError(f"deck: deal {labels.first + other[0]} of the deal set has another")


def _column_digest(values: np.ndarray) -> str:
    """The SHA-256 of a column: its type and its values, little-endian."""
    named = f"{values.dtype.name}/{len(values)}/".encode()
    little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    return sha256(named + little.tobytes()).hexdigest()


def _metadata_digest(metadata: dict[str, Any]) -> str:
    """The SHA-256 of all metadata, the columns' hashes among them."""
    hashed = {name: value for name, value in metadata.items() if name != "content"}
    return sha256(json.dumps(hashed, sort_keys=True).encode()).hexdigest()


def check_metadata(metadata: Any, rows: int) -> None:
    """Refuse metadata of a file of ``rows`` rows: ValueError naming field, value, what is needed.

    They are not compared with hashes or deals here.
    """
    if not isinstance(metadata, dict):
        raise ValueError("its metadata are not a JSON object")
    if metadata.get("format") != FORMAT:
        raise ValueError(f"format {shorten(metadata.get('format'))}: this version reads {FORMAT}")
    check_fields(metadata, METADATA)
    check_known(metadata, METADATA)
    if metadata["n"] != rows:
        raise ValueError(f"n={metadata['n']}: the file has {rows} rows")


def check_values(game: Game, rules: Any, first: int, columns: Mapping[str, np.ndarray]) -> None:
    """Refuse columns, (n,) each, that contradict themselves or the game by its rules.

    Raises ValueError naming the column, the deal, its value and what is possible; ``first`` is the
    number of the first deal.
    """
    winnable, fewest, nodes = columns["winnable"], columns["fewest"], columns["nodes"]
    known = fewest != UNKNOWN_FEWEST
    least = game.shortest(rules)
    checks = {
        "winnable": (~np.isin(winnable, (UNDECIDED, LOST, WINNABLE)), "allowed are -1, 0 and 1"),
        "nodes": (nodes < 0, "allowed are numbers from 0"),
        "fewest": (known & (fewest < least), f"allowed are -1 and numbers from {least}"),
    }
    _refuse(checks, columns, first)
    without = known & (winnable != WINNABLE)
    _refuse({"fewest": (without, "the deal is not labelled winnable")}, columns, first)
    if "score" in columns:
        low, high = game.score_range
        beyond = (columns["score"] < low) | (columns["score"] > high)
        beyond &= columns["score"] != NO_SCORE
        _refuse({"score": (beyond, f"allowed are {low} to {high}")}, columns, first)
        _refuse({"winnable": (winnable != UNDECIDED, "nobody wins this game")}, columns, first)


def find_settled(optimal: bool, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return of which deals a higher limit would find nothing more, bool (n,)."""
    winnable = columns["winnable"]
    shortest = (columns["fewest"] != UNKNOWN_FEWEST) | (winnable == LOST)
    return (winnable != UNDECIDED) & (shortest | (not optimal))


def _refuse(
    checks: Mapping[str, tuple[np.ndarray, str]], columns: Mapping[str, np.ndarray], first: int
) -> None:
    for name, (wrong, allowed) in checks.items():
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(
                f"column {name}: {columns[name][row]} at deal {first + row}: {allowed}"
            )


def file_stem(game: Game, rules: Any, deal_set: str, first: int = 0) -> str:
    """Return the name of a file of labels, without its ending.

    It is GAME-VARIANT (or the digest of rules that have no name), ``@DEAL_SET`` where that is not
    the game's own, ``+FIRST`` where the first deal is not 0.
    """
    name = game.variant_name(rules) or game.rules_digest(rules)
    other = (
        deal_set
        if re.fullmatch(r"[\w.-]{1,60}", deal_set)
        else sha256(deal_set.encode()).hexdigest()[:16]
    )
    deal_set_part = "" if deal_set == default_deal_set(game.name) else f"@{other}"
    return f"{game.name}-{name}{deal_set_part}{f'+{first}' if first else ''}"


def shipped_file(name: str) -> Path:
    """Return the path of shipped labels of this name, whether they exist or not."""
    return SHIPPED_FOLDER / name


def find_labels(
    game: Game,
    rules: Any,
    deal_set: str | None = None,
    first: int = 0,
    deals: int | None = None,
    folder: Path | str | None = OWN_FOLDER,
) -> Labels | None:
    """Return the solver labels of a deal set (None: GAME-1), from ``folder`` or shipped.

    ``folder`` None means shipped labels only. Of several files, returns the one that covers the
    most of deals ``first`` .. ``first + deals - 1`` (``deals`` None: the longest), files in
    ``folder`` before shipped ones; None if there are none, or pyarrow is not installed. Raises
    ValueError for a damaged file.
    """
    deal_set = deal_set or default_deal_set(game.name)
    candidates = [
        labels
        for labels in map(_load_if_possible, _files(game, rules, deal_set, folder))
        if labels is not None and (labels.rules, labels.deal_set) == (rules, deal_set)
    ]

    def count_covered(labels: Labels) -> int:
        if deals is None:
            return len(labels)
        return len(range(deals)[labels.overlap(first, deals)[0]])

    return max(candidates, key=count_covered, default=None)


def _files(game: Game, rules: Any, deal_set: str, folder: Path | str | None) -> Iterator[Path]:
    name = file_stem(game, rules, deal_set)
    for place in [SHIPPED_FOLDER] if folder is None else [Path(folder), SHIPPED_FOLDER]:
        yield from place.glob(f"{name}.parquet")
        yield from sorted(place.glob(f"{name}+*.parquet"))


def _load_if_possible(path: Path) -> Labels | None:
    try:
        return load_labels(path)
    except ModuleNotFoundError:  # environments and agents alone can be installed without pyarrow
        return None


def find_requested_labels(
    requested: Labels | Path | str | None,
    game: Game,
    rules: Any,
    deal_set: str,
    first: int,
    deals: int,
) -> Labels | None:
    """Return the requested labels: those of a file, those found (None), or none (`NO_LABELS`).

    Labels that cover none of the deals are none. Raises ValueError if a file, or labels, are of
    another game, other rules or another deal set.
    """
    if requested == NO_LABELS:
        return None
    if requested is None:
        labels = find_labels(game, rules, deal_set, first, deals)
    else:
        labels = requested if isinstance(requested, Labels) else load_labels(requested)
        _check_same_deals(labels, game, rules, deal_set)
    return None if labels is None or labels.overlap(first, deals)[0] == slice(0, 0) else labels


def _check_same_deals(labels: Labels, game: Game, rules: Any, deal_set: str) -> None:
    compared = {
        "game": (labels.game.name, game.name),
        "rules": (labels.variant, "those played" if labels.rules != rules else labels.variant),
        "deal set": (labels.deal_set, deal_set),
    }
    for name, (has, wanted) in compared.items():
        if has != wanted:
            raise ValueError(f"labels {labels.source}: its {name}, {has}, is not {wanted}")
