"""Judged positions: what a player saw, its legal actions, and their values by a search.

They are saved as Parquet, one file for each round, so that any network can be trained on them:

- ``observation``: the ``codes``, int8 (features.width,);
- ``action_mask``: bool (actions,);
- ``values``: the search's value of each action, float16 (actions,), 0 for illegal ones;
- ``action``: the action that the search would play, int16.

The schema's metadata name the game, its rules, the features digest, and a SHA-256 of all this.
Without it, damaged files would be read as other positions, since Parquet has no checksum here.
"""

import json
import re
import warnings
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from parlour.agents.networks.options import BASE_PIECE
from parlour.agents.validation import join_lines, read_bytes
from parlour.envs import Game
from parlour.envs.core.rules_table import RulesTable
from parlour.envs.core.schema import Features, SuitOrder

from ..files import MOST, FileDigest, digest_bytes, write_bytes
from . import checkpoint
from .save_agent import describe_table

METADATA = b"parlour"
DIGEST = "content_sha256"
"""Metadata key of the SHA-256 of the positions and the other metadata."""
FOLDER = "positions"
"""Subfolder of a seed's folder in which a run saves positions."""
ROUND = re.compile(r"[0-9]{12}\.parquet")
"""Pattern of a file name: the number of steps done after the round."""


class Positions(NamedTuple):
    """Judged positions, n of them: see the module for the columns."""

    observations: np.ndarray
    masks: np.ndarray
    values: np.ndarray
    actions: np.ndarray

    def take(self, rows: np.ndarray) -> "Positions":
        """Return some of them, by number (k,) or bool (n,)."""
        return Positions(*(part[rows] for part in self))


def make_room(game: Game, n: int) -> Positions:
    """Return n empty positions of a game."""
    return Positions(
        np.zeros((n, game.features.width), np.int8),
        np.zeros((n, game.actions), np.bool_),
        np.zeros((n, game.actions), np.float16),
        np.zeros(n, np.int16),
    )


def concatenate(parts: list[Positions]) -> Positions:
    """Return all positions of several parts, in their order."""
    return Positions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def describe(table: RulesTable, game: Game) -> dict[str, Any]:
    """Return the metadata of positions: game, features digest and rules.

    ``game`` is the table's, with the pieces that networks read beside the player's own.
    """
    about = {"game": game.name, "features_digest": game.features_digest}
    return about | describe_table(table)


def is_round(file: Path) -> bool:
    """Return whether a file has the name of a round that a run has saved."""
    return ROUND.fullmatch(file.name) is not None


def write_positions(path: Path, positions: Positions, about: dict[str, Any]) -> FileDigest:
    """Write a file of positions, whole or not at all, and return its digest.

    ``about`` is what `describe` returned.
    """
    about = about | {DIGEST: _content_digest(positions, about)}
    columns = {
        "observation": _lists(positions.observations),
        "action_mask": _lists(positions.masks),
        "values": _lists(positions.values),
        "action": pa.array(positions.actions),
    }
    table = pa.table(columns).replace_schema_metadata({METADATA: json.dumps(about).encode()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    data = sink.getvalue().to_pybytes()
    write_bytes(path, data)
    return digest_bytes(data)


def _content_digest(positions: Positions, about: Mapping[str, Any]) -> str:
    """Return the SHA-256 of positions and their metadata."""
    content = {name: value for name, value in about.items() if name != DIGEST}
    digest = sha256(json.dumps(content, sort_keys=True).encode())
    for part in positions:
        digest.update(f"{part.dtype.str} {part.shape}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _lists(array: np.ndarray) -> pa.Array:
    flat = pa.array(np.ascontiguousarray(array).reshape(-1))
    return pa.FixedSizeListArray.from_arrays(flat, array.shape[1])


def read_positions(path: Path, game: Game) -> Positions:
    """Return the positions of a file.

    Raises ValueError, naming the file, for one that cannot be read, was changed, or is of another
    game.
    """
    try:
        table = pq.read_table(pa.BufferReader(read_bytes(path, MOST)))
        about = json.loads(table.schema.metadata[METADATA])
        positions, wanted = _read_columns(table), about[DIGEST]
    except Exception as error:  # pyarrow raises errors of many types for damaged files
        raise ValueError(f"{path}: not a file of judged positions: {join_lines(error)}") from error
    digest = _content_digest(positions, about)
    if digest != wanted:
        raise ValueError(f"{path} was changed: expected {DIGEST} {wanted}, got {digest}")
    shapes = [part.shape[1:] for part in make_room(game, 0)]
    fits = [part.shape[1:] for part in positions] == shapes
    if about.get("features_digest") != game.features_digest or not fits:
        raise ValueError(
            f"{path}: positions of {about.get('game')!r} with features digest "
            f"{about.get('features_digest')}; {game.name!r} has {game.features_digest}"
        )
    return positions


def read_folder(folder: Path, game: Game) -> list[Positions]:
    """Return the positions of all rounds in a folder, in their order.

    In the folder of the run that saved them, these are the rounds that the newest checkpoint lists,
    and each file must exist unchanged. Files with other names are ignored,
    with a warning. Raises ValueError, naming the folder or the file, if there are no rounds or one
    cannot be read.
    """
    saved = checkpoint.latest(folder.parent) if folder.name == FOLDER else None
    if saved is not None:
        wanted, reason = {folder.parent / name for name in saved.files}, "no checkpoint lists it"
    else:
        wanted = {file for file in folder.glob("*.parquet") if is_round(file)}
        reason = "the file name must be STEPS.parquet, with 12 digits"
    for file in sorted(set(folder.glob("*.parquet")) - wanted):
        warnings.warn(f"{file} is ignored: {reason}", stacklevel=3)
    if not wanted:
        raise ValueError(f"{folder}: no files of judged positions (STEPS.parquet, 12 digits)")
    return [read_positions(file, game) for file in sorted(wanted)]


def _read_columns(table: pa.Table) -> Positions:
    arrays = []
    for name in ("observation", "action_mask", "values"):
        column = table[name].combine_chunks()
        flat = column.flatten().to_numpy(zero_copy_only=False)
        arrays.append(flat.reshape(len(column), column.type.list_size))
    return Positions(arrays[0], arrays[1], arrays[2], table["action"].to_numpy())


def reorder(game: Game, order: np.ndarray | SuitOrder) -> SuitOrder:
    """Return the reordering of observations and actions for another order of places or suits.

    ``order`` is one of ``game.features.symmetries``.
    """
    features = game.features
    entries, actions = np.arange(features.width), np.arange(game.actions)
    if isinstance(order, SuitOrder):
        entries[: len(order.entries)] = order.entries
        return mark_reordered(features, order._replace(entries=entries))
    for piece in features.pieces:
        if features.actions_on in (piece.name, piece.marks):
            entries[list(features.entry_range(piece.name))] = (
                features.entry_range(piece.name).start + order
            )
    actions[: len(order)] = order
    none = np.zeros((0, 128), np.int8)
    return mark_reordered(features, SuitOrder(entries, actions, np.zeros(0, np.int64), none))


def mark_reordered(features: Features, order: SuitOrder) -> SuitOrder:
    """Return an order in which the marks of a rule-based agent's actions follow the actions."""
    if features.pieces[-1].name == BASE_PIECE:
        places = features.entry_range(BASE_PIECE)
        order.entries[list(places)] = places.start + order.actions
    return order
