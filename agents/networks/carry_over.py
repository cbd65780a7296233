"""Carrying a network over to a game that shows more than it did when the network was trained.

What the pieces of both observations have in common is read by the same weights, what is new by
zeros: before any state that could be shown then, the network says exactly what it said.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from parlour.envs import Game
from parlour.envs.core.game import EarlierFeatures
from parlour.envs.core.schema import DIGIT, Features, Piece

from .build import read_alone
from .card_tokens import list_cards, list_common
from .rank_tokens import RankReader

Tensors = dict[str, np.ndarray]


def carry_over(network: str, weights: Tensors, earlier: EarlierFeatures, game: Game) -> Tensors:
    """Return the tensors of a network for what ``game`` shows today.

    ``weights`` are those of the network of that name for ``earlier``. Raises ValueError where they
    do not fit it.
    """
    carried = dict(weights)
    readers = {"first.weight": _carry_dense, "table": _carry_table}
    if network == "numbers":
        readers["first.weight"] = _carry_numbers
    if network == "ranks":
        readers = {
            "common.weight": partial(_carry_common, lambda one: RankReader(one).common.entries)
        }
    if network == "attention":
        _check_places(earlier.features, game.features)
        readers = {"table.weight": partial(_carry_common, list_common)}
    for name, carry in readers.items():
        if name in carried:
            carried[name] = carry(carried[name], earlier.features, game.features)
    heads = [name for name in carried if name.startswith("policy.")]
    last = max((int(name.split(".")[1]) for name in heads), default=0)
    for part in ("weight", "bias"):
        name = f"policy.{last}.{part}"
        if name in carried and len(carried[name]) == earlier.actions:
            carried[name] = _widen(carried[name], range(earlier.actions), game.actions)
    return carried


def _widen(array: np.ndarray, places: Iterator[int] | range | np.ndarray, size: int) -> np.ndarray:
    """Return zeros (size, ...) with the rows of an array at some places."""
    wide = np.zeros((size, *array.shape[1:]), array.dtype)
    wide[np.array(list(places), np.int64)] = array
    return wide


def _carry_dense(weight: np.ndarray, old: Features, new: Features) -> np.ndarray:
    _check_inputs(weight.shape[1], old.columns)
    return np.ascontiguousarray(_widen(weight.T, find_columns(old, new), new.columns).T)


def _carry_table(table: np.ndarray, old: Features, new: Features) -> np.ndarray:
    _check_inputs(len(table) - 1, old.columns)
    return _widen(table, np.append(0, 1 + find_columns(old, new)), 1 + new.columns)


def _carry_numbers(weight: np.ndarray, old: Features, new: Features) -> np.ndarray:
    """The weights of `networks.Numbers`: its shares, its sizes of numbers, its one-hot entries."""
    numbers = [[p.name for p in one.pieces if p.kind is DIGIT] for one in (old, new)]
    alone = [read_alone(one) for one in (old, new)]
    hot = [sum(piece.kind.high + 1 for piece in one) for one in alone]
    _check_inputs(weight.shape[1], old.width + len(numbers[0]) + hot[0])
    entries = find_entries(old, new)
    parts = weight.T
    shares = parts[: old.width] * (new.high[entries] / old.high)[:, None]  # shares of a new highest
    return np.concatenate(
        [
            _widen(shares.astype(weight.dtype), entries, new.width),
            _widen(
                parts[old.width : old.width + len(numbers[0])],
                (numbers[1].index(name) for name in numbers[0]),
                len(numbers[1]),
            ),
            _widen(parts[old.width + len(numbers[0]) :], _hot_places(*alone), hot[1]),
        ]
    ).T.copy()


def _carry_common(
    entries_of: Callable[[Features], list[int]], weight: np.ndarray, old: Features, new: Features
) -> np.ndarray:
    """The weights of the entries that stand in no token of their own, which `entries_of` lists."""
    before, after = entries_of(old), entries_of(new)
    _check_inputs(weight.shape[1], 2 * len(before))
    entries = find_entries(old, new)[before]
    places, size = [after.index(entry) for entry in entries], len(after)
    shares, flags = np.split(weight.T, 2)
    shares = shares * (new.high[entries] / old.high[before])[:, None]  # of a new highest
    wide = [_widen(part.astype(weight.dtype), np.array(places), size) for part in (shares, flags)]
    return np.concatenate(wide).T.copy()


def _check_places(old: Features, new: Features) -> None:
    """Refuse places that a network of attention did not have: it would attend to them, too."""
    before, after = ([piece[:3] for piece in list_cards(one)] for one in (old, new))
    if before != after:
        raise ValueError("network 'attention': the game shows cards on other places now")


def _hot_places(old: list[Piece], new: list[Piece]) -> Iterator[int]:
    firsts, place = {}, 0
    for piece in new:
        firsts[piece.name] = place
        place += piece.kind.high + 1
    for piece in old:
        yield from range(firsts[piece.name], firsts[piece.name] + piece.kind.high + 1)


def _check_inputs(found: int, wanted: int) -> None:
    if found != wanted:
        raise ValueError(f"a network of {found} inputs; the observation it was for has {wanted}")


def find_entries(old: Features, new: Features) -> np.ndarray:
    """Return for each entry of ``old`` its entry of ``new``, int64: of digits the last agree."""
    entries: list[int] = []
    for piece in old.pieces:
        there = new.entry_range(piece.name)
        entries += there[len(there) - piece.size :] if piece.kind is DIGIT else there[: piece.size]
    return np.array(entries, np.int64)


def find_columns(old: Features, new: Features) -> np.ndarray:
    """Return for each one-hot column of ``old`` its column of ``new``, int64."""
    tops = np.diff(np.append(old.column_tables.first, old.columns))
    firsts = new.column_tables.first[find_entries(old, new)]
    return np.concatenate([first + np.arange(top) for first, top in zip(firsts, tops, strict=True)])


__all__ = ["Tensors", "carry_over", "find_columns", "find_entries"]
