"""Datasets of labeled decisions in Parquet files, and a card that describes them.

A dataset is a folder with the card ``README.md`` and the subfolder ``data``. Each file in ``data``,
a shard, has the decisions of `SHARD` games, with the columns of `decisions.COLUMNS`. The metadata
of each file, JSON under ``parlour``, describe the dataset and have statistics of the shard. A shard
is written completely or not at all, and depends only on the dataset and its number. So an
interrupted dataset resumes with the missing shards.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from parlour.agents.validation import join_lines, shorten
from parlour.envs import Game, find_game
from parlour.envs.core.contract import LOST, UNDECIDED, WINNABLE

from ..evaluation.labels.labels import NO_SCORE
from ..evaluation.play import Progress
from ..evaluation.reviews.review_judges import find_regrets
from ..files import check_folder, sole_use, write_bytes
from ..parallel.tasks import Cluster, run_tasks
from .dataset_card import make_card
from .decisions import COLUMNS, DatasetSpec, are_equal, play_decisions

SHARD = 500
"""Number of games in a file: few enough to repeat and to hold in memory."""
CARD, DATA = "README.md", "data"
"""Names of the card and of the folder of shards."""
METADATA = b"parlour"
"""Key of the metadata of a Parquet file."""
STATISTICS = "statistics"
"""Key of a shard's statistics in its metadata; all other metadata are those of the dataset."""
KINDS = {"winnable": WINNABLE, "not winnable": LOST, "undecided": UNDECIDED}


def make_schema(game: Game) -> pa.Schema:
    """Return the schema of the decisions of a game, without metadata."""
    return pa.schema(
        {
            "episode": pa.int64(),
            "step": pa.int32(),
            "seat": pa.int8(),
            "agent": pa.dictionary(pa.int8(), pa.string()),
            "observation": pa.list_(pa.int8(), game.features.width),
            "action_mask": pa.list_(pa.bool_(), game.actions),
            "action": pa.int16(),
            "values": pa.list_(pa.float32(), game.actions),
            "winnable": pa.int8(),
            "best_score": pa.int32(),
            "won": pa.bool_(),
            "score": pa.int32(),
            "return": pa.float32(),
            "truncated": pa.bool_(),
        }
    )


class ShardTask(NamedTuple):
    """A shard that one task makes: games ``first`` .. ``first + episodes - 1`` of a dataset."""

    spec: DatasetSpec
    description: Mapping[str, Any]
    first: int
    episodes: int


def make_shard(task: ShardTask) -> bytes:
    """Play the games of a shard, and return the content of its Parquet file."""
    columns = play_decisions(task.spec, task.first, task.episodes)
    names = [agent["name"] for agent in task.description["agents"]]
    statistics = _summarize(task.spec.game, columns, names) | {"episodes": task.episodes}
    schema = make_schema(task.spec.game)
    arrays = {
        name: _make_array(schema.field(name).type, columns.get(name), len(columns["step"]))
        for name in schema.names
        if name != "agent"
    }
    different = list(dict.fromkeys(names))
    numbers = np.array([different.index(name) for name in names], np.int8)[columns["agent"]]
    arrays["agent"] = pa.DictionaryArray.from_arrays(pa.array(numbers), pa.array(different))
    metadata = json.dumps({**task.description, STATISTICS: statistics})
    table = pa.table(arrays, schema=schema.with_metadata({METADATA: metadata.encode()}))
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return sink.getvalue().to_pybytes()


def _make_array(kind: pa.DataType, values: np.ndarray | None, n: int) -> pa.Array:
    """Return a column of n entries; null for missing labels, and for values that are all NaN."""
    if values is None:
        return pa.nulls(n, kind)
    if values.ndim == 1:
        nulls = values == NO_SCORE if values.dtype == np.int32 else None
        return pa.array(values, kind, mask=nulls)
    nulls = np.isnan(values).all(axis=1) if values.dtype.kind == "f" else np.zeros(n, np.bool_)
    flat = pa.array(values.reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, values.shape[1], mask=pa.array(nulls))


def _summarize(
    game: Game, columns: Mapping[str, np.ndarray], names: Sequence[str]
) -> dict[str, Any]:
    """Return counts and sums of a shard, which add up to those of the dataset."""
    values, seats = columns["values"], columns["seat"]
    regrets = find_regrets(game, values, columns["action"].astype(np.int64))
    judged = ~np.isnan(regrets)
    _, first = np.unique(columns["episode"], return_index=True)
    _, first_of_seat = np.unique(np.stack([columns["episode"], seats]), axis=1, return_index=True)
    agents: dict[str, dict[str, float]] = {}
    for seat, name in enumerate(names):
        own = (seats == seat) & judged
        ends = first_of_seat[seats[first_of_seat] == seat]
        sums = {
            "decisions": int((seats == seat).sum()),
            "judged": int(own.sum()),
            "regret": float(regrets[own].sum()),
            "mistakes": int((regrets[own] > 0).sum()),
            "games": len(ends),
            "won": int(columns["won"][ends].sum()),
            "score": int(columns["score"][ends].sum()),
        }
        agents[name] = _add(agents[name], sums) if name in agents else sums
    winnable = columns.get("winnable")
    labels = (
        {} if winnable is None else {k: int((winnable[first] == KINDS[k]).sum()) for k in KINDS}
    )
    return {
        "decisions": len(seats),
        "choices": int((columns["action_mask"].sum(axis=1) > 1).sum()),
        "judged": int(judged.sum()),
        "equal": int(are_equal(game, values)[judged].sum()),
        "truncated": int(columns["truncated"][first].sum()),
        "labels": labels,
        "agents": agents,
    }


def _add(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sums of two nested dictionaries of numbers with the same keys."""
    return {
        key: _add(value, second[key]) if isinstance(value, Mapping) else value + second[key]
        for key, value in first.items()
    }


class WrittenDataset(NamedTuple):
    """A complete dataset on disk: its folder, its size in bytes, and its statistics."""

    folder: Path
    bytes: int
    statistics: dict[str, Any]


def make_dataset(
    spec: DatasetSpec,
    folder: Path | str,
    cluster: Cluster | None = None,
    progress: Progress = lambda _: None,
) -> WrittenDataset:
    """Play the games of a dataset, label their decisions, and write them with a card.

    If the folder has shards of the same dataset, the function keeps them and makes the missing
    ones. More ``episodes`` extend a dataset. The files do not depend on interruptions or on the
    cluster.

    Args:
        spec: The dataset.
        folder: Folder of the dataset.
        cluster: Makes the shards in worker processes (None: all in this process).
        progress: Called with numbers of finished games.

    Raises:
        ValueError: The folder has another dataset or more games, or an agent cannot be loaded.
    """
    folder = Path(folder)
    check_folder(folder, [CARD])
    if (folder / CARD).exists() and not any((folder / DATA).glob("*.parquet")):
        raise ValueError(f"{folder}: must be empty or have a dataset, got a foreign {CARD}")
    description = spec.describe()
    shards = {
        folder / DATA / f"{number:06}.parquet": ShardTask(
            spec, description, first, min(SHARD, spec.episodes - first)
        )
        for number, first in enumerate(range(0, spec.episodes, SHARD))
    }
    (folder / DATA).mkdir(parents=True, exist_ok=True)
    with sole_use(folder, "written"):
        left = dict(shards)
        for path in sorted((folder / DATA).glob("*.parquet")):
            if _is_finished(path, shards.get(path), description):
                progress(left.pop(path).episodes)
        (folder / CARD).unlink(missing_ok=True)  # The card marks a complete dataset.
        paths = list(left)
        for number, data in _make_shards([*left.values()], cluster):
            write_bytes(paths[number], data)
            progress(left[paths[number]].episodes)
        for path in (folder / DATA).glob(".*.part"):
            path.unlink()
        statistics = [_read_metadata(path)[STATISTICS] for path in shards]
        total = statistics[0]
        for other in statistics[1:]:
            total = _add(total, other)
        size = sum(path.stat().st_size for path in shards)
        write_bytes(
            folder / CARD,
            make_card(spec, make_schema(spec.game), description, total, size).encode(),
        )
    return WrittenDataset(folder, size, total)


def _make_shards(
    tasks: Sequence[ShardTask], cluster: Cluster | None
) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the content of each shard as it is finished."""
    if cluster is None:
        return enumerate(map(make_shard, tasks))
    return run_tasks(make_shard, tasks, cluster)


def _is_finished(path: Path, task: ShardTask | None, description: Mapping[str, Any]) -> bool:
    """Return whether a file has all games of a shard.

    Raises ValueError if the file is of another dataset, or has games that would be lost.
    """
    old = _read_metadata(path)
    statistics = old.pop(STATISTICS)
    new = json.loads(json.dumps(description))
    different = [key for key in new if old.get(key) != new[key]]
    if different:
        key = different[0]
        raise ValueError(
            f"{path.parent.parent} has another dataset: {key} is {_shorten_json(old.get(key))} "
            f"there and {_shorten_json(new[key])} here. Choose another folder"
        )
    if task is None or statistics["episodes"] > task.episodes:
        raise ValueError(
            f"episodes must be at least the number of games in {path.parent.parent}, which would "
            "be lost. Choose another folder"
        )
    return bool(statistics["episodes"] == task.episodes)


def _shorten_json(value: Any) -> str:
    return shorten(value if isinstance(value, str) else json.dumps(value))


def _read_metadata(path: Path) -> dict[str, Any]:
    """Return the metadata of a shard; ValueError if the file is damaged or of another kind."""
    try:
        metadata: dict[str, Any] = json.loads(pq.read_schema(path).metadata[METADATA])
        metadata[STATISTICS]["episodes"]
    except Exception as error:  # pyarrow raises errors of many types for damaged files
        raise ValueError(
            f"{path} must be a file of a dataset of Parlour: {join_lines(error)}"
        ) from error
    return metadata


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """The decisions of a dataset in memory.

    ``data["action"]`` is the array of a column, with one row per decision.

    Attributes:
        columns: The arrays by name. Columns that have only nulls are missing. Decisions without
            values have NaN, and deals without a best score have -2**31.
        metadata: The description of the dataset: rules, agents, judge, names of pieces and actions.
    """

    columns: dict[str, np.ndarray]
    metadata: dict[str, Any]

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a column; KeyError if it is missing."""
        return self.columns[name]

    def __repr__(self) -> str:
        """Return the game, the number of decisions and the names of the columns."""
        named = ", ".join(self.columns)
        return f"<Dataset: {self.game.name}, {len(self):,} decisions, {named}>"

    @property
    def game(self) -> Game:
        """The game."""
        return find_game(self.metadata["game"])

    @property
    def rules(self) -> Any:
        """The rules of all games."""
        return self.game.make_rules(None, self.metadata["rules"])

    @cached_property
    def regrets(self) -> np.ndarray:
        """The regret of each action taken, float64 (n,): the best value minus its value.

        UNDO does not count as the best action. Decisions without values have NaN.
        """
        if "values" not in self.columns:
            return np.full(len(self), np.nan)
        return find_regrets(self.game, self["values"], self["action"].astype(np.int64))


def load_dataset(path: Path | str, columns: Sequence[str] | None = None) -> Dataset:
    """Load a dataset that ``parlour dataset make`` wrote.

    Args:
        path: Folder of the dataset, or one of its Parquet files.
        columns: Names of the columns to load (None: all).

    Returns:
        The decisions in order of episodes and steps.

    Raises:
        ValueError: There is no dataset, a file is damaged, the files are of different datasets, or
            a column is unknown.
    """
    path = Path(path)
    files = [path] if path.is_file() else sorted((path / DATA).glob("*.parquet"))
    if not files:
        raise ValueError(f"path must be the folder of a dataset or a Parquet file, got {path}")
    wrong = [name for name in columns or () if name not in COLUMNS]
    if wrong:
        raise ValueError(f"columns must be of {', '.join(COLUMNS)}, got {wrong[0]!r}")
    descriptions = [_read_metadata(file) for file in files]
    for file, description in zip(files, descriptions, strict=True):
        del description[STATISTICS]
        if description != descriptions[0]:
            raise ValueError(f"{file} must be of the same dataset as {files[0]}")
    try:
        table = pa.concat_tables(
            pq.read_table(file, columns=columns, page_checksum_verification=True) for file in files
        )
    except (OSError, pa.ArrowException) as error:
        raise ValueError(f"{path} has a damaged file: {join_lines(error)}") from error
    arrays = {
        name: _read_array(table[name].combine_chunks())
        for name in table.column_names
        if len(table) == 0 or table[name].null_count < len(table)
    }
    return Dataset(arrays, descriptions[0])


def _read_array(column: pa.Array) -> np.ndarray:
    """Return a column as an array, (n,) or (n, entries)."""
    if pa.types.is_dictionary(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if not pa.types.is_fixed_size_list(column.type):
        whole = column.fill_null(NO_SCORE) if column.null_count else column
        return np.asarray(whole.to_numpy(zero_copy_only=False))
    known = np.asarray(column.is_valid().to_numpy(zero_copy_only=False))
    flat = np.asarray(column.flatten().to_numpy(zero_copy_only=False))
    rows = flat.reshape(-1, column.type.list_size)
    if known.all():
        return rows
    array = np.full((len(column), column.type.list_size), np.nan, rows.dtype)
    array[known] = rows
    return array
