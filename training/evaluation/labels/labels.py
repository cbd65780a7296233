"""Solver labels of the deals of a deal set, in files whose content is verified.

A label file is a Parquet file with one row per deal and these columns:

- ``deck``, uint64: the first 8 bytes of the SHA-256 of the cards in dealing order.
- ``winnable``, int8: 1 yes, 0 no, -1 undecided.
- ``fewest``, int16: number of moves of the shortest win, -1 unknown.
- ``score``, int32, in games played for their score: the best score found.
- ``nodes``, int64: number of positions that the solver searched.

The metadata, JSON under ``parlour``, describe the deals and have the SHA-256 of all decks, of each
column, and of the metadata themselves. `load_labels` rejects a file unless all of them agree.
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
"""Value of ``fewest`` if the shortest win is unknown."""
NO_SCORE = -(2**31)
"""Value of ``score`` if no score was found."""
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
"""Value that requests no labels."""
KEY = "parlour"
COLUMN_TYPES: dict[str, Any] = {
    "deck": np.uint64,
    "winnable": np.int8,
    "fewest": np.int16,
    "score": np.int32,
    "nodes": np.int64,
}
MOST_BYTES = 1 << 32
"""Most bytes of a label file."""
HASH_BYTES = 8
"""Bytes of the hash of each deck."""
AT_ONCE = 4096
"""Number of deals dealt in one batch."""


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of deals ``first`` .. ``first + n - 1`` of a deal set, for one set of rules.

    ``columns`` has an array (n,) for each column of the file (`COLUMN_TYPES`). ``optimal`` tells
    whether the solver searched for shortest wins, ``limit`` how many positions it searched at most
    (None: its own limit). ``solver`` is the digest of the solver's code, ``variant`` the rules'
    name for tables, and ``source`` the file.
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
        """Return the number of labeled deals."""
        return len(self.columns["deck"])

    @property
    def winnable(self) -> np.ndarray:
        """Whether each deal is winnable, int8 (n,): 1 yes, 0 no, -1 undecided."""
        return self.columns["winnable"]

    @property
    def fewest(self) -> np.ndarray:
        """The number of moves of each deal's shortest win, int16 (n,); -1: unknown."""
        return self.columns["fewest"]

    @property
    def score(self) -> np.ndarray:
        """The best score found for each deal, int32 (n,); `NO_SCORE`: none."""
        return self.columns.get("score", np.full(len(self), NO_SCORE, np.int32))

    @property
    def nodes(self) -> np.ndarray:
        """The number of searched positions, int64 (n,)."""
        return self.columns["nodes"]

    def overlap(self, first: int, deals: int) -> tuple[slice, slice]:
        """Return the overlap of deals ``first`` .. ``first + deals - 1`` with the labels.

        The first slice selects from the deals, the second from the labels.
        """
        low, high = max(first, self.first), min(first + deals, self.first + len(self))
        if low >= high:
            return slice(0, 0), slice(0, 0)
        return slice(low - first, high - first), slice(low - self.first, high - self.first)

    def metadata(self) -> dict[str, Any]:
        """Return the metadata of the file: the description of the deals, and the digests."""
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
    """Return the columns of solutions without ``deck``; with ``score`` if ``scored`` is set."""
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
    """Return whether a game is played for its score, so that labels have the best score."""
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
    """Write labels to a file, which appears whole or not at all."""
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
    """Load and verify a label file.

    Raises ValueError, naming file and field, if the content was changed, is impossible, or does not
    fit the deal set; OSError if the file cannot be read.
    """
    path = Path(path).resolve()
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise ValueError(f"label file {path} does not exist") from error
    return _load(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _load(path: Path, _time: int, _size: int) -> Labels:
    """Load a file once for each modification time and size, since verification takes long."""
    metadata, columns = _read(path)
    try:
        return _make_checked(metadata, columns, path)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} must be a label file, got invalid metadata: {error!r}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        content = read_bytes(path, MOST_BYTES)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {join_lines(error)}") from error
    try:
        # Without threads, since a thread that runs at the end of the process would abort it.
        file = pq.ParquetFile(pa.BufferReader(content), pre_buffer=False)
        metadata = json.loads((file.schema_arrow.metadata or {})[KEY.encode()])
        rows = file.metadata.num_rows
        check_metadata(metadata, rows)  # before the columns take memory
        if rows * HASH_BYTES > len(content):  # digests of decks do not compress
            raise ValueError(
                f"number of rows must fit the file's {len(content):,} bytes, got {rows:,}"
            )
        table = file.read(use_threads=False)
        # Not to_numpy(), which imports pandas: that takes 0.5 s.
        columns = {
            name: np.from_dlpack(table[name].combine_chunks()) for name in table.column_names
        }
    except (pa.ArrowException, OSError, KeyError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{path} must be a label file, got a damaged file ({join_lines(error)})"
        ) from error
    return metadata, columns


def _make_checked(metadata: dict[str, Any], columns: dict[str, np.ndarray], path: Path) -> Labels:
    for name, digest in metadata["columns"].items():
        if name not in columns or _column_digest(columns[name]) != digest:
            raise ValueError(f"column {name} was changed: its SHA-256 differs")
    if set(columns) != set(metadata["columns"]):
        raise ValueError(
            f"columns must be those of the metadata, got a difference in "
            f"{sorted(set(columns) ^ set(metadata['columns']))}"
        )
    if _metadata_digest(metadata) != metadata["content"]:
        raise ValueError("the metadata were changed: their SHA-256 (content) differs")
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
    """Reject labels of another version of the game, or of other deals than the deal set's."""
    game, rules = labels.game, labels.rules
    if game.rules_digest(rules) != metadata["rules_digest"]:
        raise ValueError(
            f"rules_digest belongs to another version of {game.title}: make the labels again"
        )
    wanted = {
        name: COLUMN_TYPES[name] for name in COLUMN_TYPES if is_scored(game) or name != "score"
    }
    if {name: values.dtype for name, values in labels.columns.items()} != wanted:
        needed = ", ".join(f"{name} {np.dtype(kind)}" for name, kind in wanted.items())
        raise ValueError(f"columns must be {needed}, without nulls")
    decks = decks_of(game, rules, labels.deal_set, labels.first, len(labels))
    if decks_digest(decks) != metadata["decks"]:
        raise ValueError(
            f"decks must be those of deal set {labels.deal_set!r}, but their SHA-256 differs"
        )
    other = np.flatnonzero(deck_digests(decks) != labels.columns["deck"])
    if len(other):
        raise ValueError(
            f"deck must be that of deal {labels.first + other[0]} of the deal set, got another deck"
        )


def _column_digest(values: np.ndarray) -> str:
    """Return the SHA-256 of a column: its type and its values, little-endian."""
    named = f"{values.dtype.name}/{len(values)}/".encode()
    little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    return sha256(named + little.tobytes()).hexdigest()


def _metadata_digest(metadata: dict[str, Any]) -> str:
    """Return the SHA-256 of all metadata, including the columns' digests."""
    hashed = {name: value for name, value in metadata.items() if name != "content"}
    return sha256(json.dumps(hashed, sort_keys=True).encode()).hexdigest()


def check_metadata(metadata: Any, rows: int) -> None:
    """Raise ValueError, naming field, value, and allowed values, for invalid metadata.

    ``rows`` is the number of rows of the file. Digests and deals are not checked here.
    """
    if not isinstance(metadata, dict):
        raise ValueError("metadata must be a JSON object")
    if metadata.get("format") != FORMAT:
        raise ValueError(f"format must be {FORMAT}, got {shorten(metadata.get('format'))}")
    check_fields(metadata, METADATA)
    check_known(metadata, METADATA)
    if metadata["n"] != rows:
        raise ValueError(f"n must be the number of rows, {rows}, got {metadata['n']}")


def check_values(game: Game, rules: Any, first: int, columns: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError for columns, (n,) each, that contradict each other or the rules.

    The error names column, deal, value, and allowed values. ``first`` is the number of the first
    deal.
    """
    winnable, fewest, nodes = columns["winnable"], columns["fewest"], columns["nodes"]
    known = fewest != UNKNOWN_FEWEST
    least = game.shortest(rules)
    checks = {
        "winnable": (~np.isin(winnable, (UNDECIDED, LOST, WINNABLE)), "-1, 0 or 1"),
        "nodes": (nodes < 0, "at least 0"),
        "fewest": (known & (fewest < least), f"-1 or at least {least}"),
    }
    _refuse(checks, columns, first)
    without = known & (winnable != WINNABLE)
    _refuse({"fewest": (without, "-1 for a deal that is not labeled winnable")}, columns, first)
    if "score" in columns:
        low, high = game.score_range
        beyond = (columns["score"] < low) | (columns["score"] > high)
        beyond &= columns["score"] != NO_SCORE
        _refuse({"score": (beyond, f"from {low} to {high}")}, columns, first)
        _refuse(
            {"winnable": (winnable != UNDECIDED, "-1 in a game without winners")}, columns, first
        )


def find_settled(optimal: bool, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return whether the label of each deal is final, whatever the limit, bool (n,)."""
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
                f"column {name} must be {allowed}, got {columns[name][row]} at deal {first + row}"
            )


def file_stem(game: Game, rules: Any, deal_set: str, first: int = 0) -> str:
    """Return the name of a label file without its suffix.

    The name is GAME-VARIANT (or the digest of unnamed rules), followed by ``@DEAL_SET`` for another
    deal set than the game's own, and by ``+FIRST`` if the first deal is not 0.
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
    """Return the path of shipped labels with this name, even if they do not exist."""
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

    ``folder`` None means only shipped labels. Of several files, the function returns the one that
    covers most of deals ``first`` .. ``first + deals - 1`` (``deals`` None: the longest), and
    prefers files in ``folder``. It returns None if there are none, or pyarrow is not installed.
    Raises ValueError for a damaged file.
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
    except ModuleNotFoundError:  # pyarrow is optional for environments and agents
        return None


def find_requested_labels(
    requested: Labels | Path | str | None,
    game: Game,
    rules: Any,
    deal_set: str,
    first: int,
    deals: int,
) -> Labels | None:
    """Return the requested labels: of a file, existing ones (None), or none (`NO_LABELS`).

    If labels cover none of the deals, the function returns None. Raises ValueError if the labels
    belong to another game, other rules, or another deal set.
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
            raise ValueError(f"{name} of labels {labels.source} must be {wanted}, got {has}")
