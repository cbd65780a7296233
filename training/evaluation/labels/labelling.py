"""Creation of solver labels: solve every deal of a deal set, in parallel.

Worker processes on this machine or a cluster solve chunks of deals. The task cache
(`tasks.run_cached`) saves finished chunks, from which an interrupted run resumes.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parlour.envs import Game
from parlour.envs.core.kernel.cards import default_deal_set
from parlour.envs.core.kernel.jit import digest_code
from parlour.envs.core.options import check_range
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.solve import solver_of

from ...files import sole_use
from ...parallel.tasks import SUFFIX, Cluster, Packing, run_cached
from ..evaluation_spec import DEALS
from ..play import Progress
from .label_comparison import verify_solution
from .labels import (
    COLUMN_TYPES,
    OWN_FOLDER,
    Labels,
    columns_of,
    deck_digests,
    decks_of,
    file_stem,
    find_settled,
    is_scored,
    load_labels,
    save_labels,
    shipped_file,
)

CHUNK = 50
"""Number of deals of one task: large enough for little overhead, small enough to repeat."""

CHUNK_NAME = re.compile(rf"(\d+)-(\d+)\{SUFFIX}")


class LabelTask(NamedTuple):
    """Deals ``first`` .. ``first + n - 1`` of a deal set that one task solves."""

    game: Game
    rules: Any
    deal_set: str
    first: int
    n: int
    optimal: bool
    limit: int | None


def make_labels(
    game: Game,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    deal_set: str | None = None,
    first: int = 0,
    deals: int = DEALS,
    optimal: bool = True,
    limit: int | None = None,
    jobs: int | None = None,
    backend: str | None = None,
    address: str | None = None,
    out: Path | str = OWN_FOLDER,
    progress: Progress | None = None,
) -> Path:
    """Solve numbered deals of a deal set, and return the file of their labels.

    Finished chunks are saved in a hidden folder next to the file until the file is written. A
    second call with the same arguments, or with more ``deals``, resumes from them. An existing file
    with all these labels is returned unchanged. Final labels of a file with fewer deals or a lower
    limit, and of the labels that ship with Parlour, are reused if the same solver code found them.
    The game's kernel plays every solution.

    Args:
        game: The game.
        variant: The variant (None: the game's default).
        options: Rule options that override those of the variant.
        deal_set: The deal set (None: the game's own).
        first: The number of the first deal.
        deals: The number of deals.
        optimal: Whether to search for shortest wins, too.
        limit: Maximum number of positions to search per deal (None: the solver's own limit).
        jobs: Number of worker processes, see `tasks.Cluster`.
        backend: Backend of the worker processes, see `tasks.Cluster`.
        address: Address of a cluster, see `tasks.Cluster`.
        out: The folder of the file.
        progress: Called with numbers of solved deals.

    Raises:
        ValueError: The rules are invalid, a number is out of range, there is no solver, or the file
            has labels of more deals, of shortest wins, or with a higher limit, which would be
            lost.
        label_comparison.Contradiction: A solution does not win.
    """
    rules = game.make_rules(variant, options)
    check_range("deals", deals, 1)
    check_range("first", first, 0)
    check_range("limit", 1 if limit is None else limit, 1)
    cluster = Cluster(backend, jobs, address)
    solver = digest_code(solver_of(game, rules))
    deal_set = deal_set or default_deal_set(game.name)
    target = Path(out) / f"{file_stem(game, rules, deal_set, first)}.parquet"
    whole = LabelTask(game, rules, deal_set, first, deals, optimal, limit)
    if target.exists() and not target.is_file():
        raise ValueError(f"{target} must be a file or missing: remove it, or choose another folder")
    folder = target.with_name(f".{target.stem}.{_chunk_digest(whole, solver)}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with sole_use(target, "made"):
        old = _load_old(target, whole, solver)
        is_target = old is not None and old.source == target.resolve()
        if old is None or not is_target or not _has_labels(old, whole, solver):
            folder.mkdir(exist_ok=True)
            columns = _solve_all(whole, old, folder, cluster, progress)
            columns["deck"] = deck_digests(decks_of(game, rules, deal_set, first, deals))
            ordered = {name: columns[name] for name in COLUMN_TYPES if name in columns}
            name = describe_rules(game, rules, variant)
            labels = Labels(game, rules, name, deal_set, first, optimal, limit, ordered, solver)
            save_labels(labels, target)
        _drop(folder, whole)
    return target


def _drop(folder: Path, whole: LabelTask) -> None:
    """Remove the chunks of deals that are now in the file; keep other chunks."""
    for path in folder.glob(f"*{SUFFIX}"):
        match = CHUNK_NAME.fullmatch(path.name)
        first, n = map(int, match.groups()) if match else (-1, 0)
        if whole.first <= first and first + n <= whole.first + whole.n:
            path.unlink()
    for path in folder.glob(".*.part"):
        path.unlink()
    with suppress(OSError):  # the folder is missing, or has chunks of other deals
        folder.rmdir()


def _load_old(target: Path, whole: LabelTask, solver: str) -> Labels | None:
    """Return the labels to reuse, from the file or shipped; None if there are none.

    Raises ValueError if the file has better labels: more deals, shortest wins, or a higher limit.
    """
    old = _load_sound(target)
    if old is not None:
        if _has_labels(old, whole, solver):
            return old
        _refuse_loss(old, whole, solver)
    fits = [
        labels
        for labels in (old, _load_sound(shipped_file(target.name)))
        if labels is not None
        and (labels.solver, labels.optimal) == (solver, whole.optimal)
        and _limit(labels.limit) <= _limit(whole.limit)
    ]
    return max(fits, key=lambda labels: (_limit(labels.limit), len(labels)), default=None)


def _load_sound(path: Path) -> Labels | None:
    try:
        return load_labels(path)
    except (OSError, ValueError):  # a missing or damaged file is made again
        return None


def _has_labels(old: Labels, whole: LabelTask, solver: str) -> bool:
    """Return whether old labels include everything that is requested."""
    same = (old.solver, old.optimal, old.limit) == (solver, whole.optimal, whole.limit)
    return same and len(old) >= whole.n


def _limit(limit: int | None) -> float:
    return float("inf") if limit is None else limit


def _refuse_loss(old: Labels, whole: LabelTask, solver: str) -> None:
    higher = _limit(old.limit) > _limit(whole.limit)
    if len(old) > whole.n or old.optimal > whole.optimal or higher:
        kind = "with shortest wins" if old.optimal else "without shortest wins"
        kind += ", found with a higher limit" if higher else ""
        kind += "" if old.solver == solver else ", found by another version of the solver"
        raise ValueError(
            f"{old.source} has labels of {len(old)} deals ({kind}), which the new labels would "
            "replace. Choose another folder, or remove the file"
        )


def _take_over(old: Labels | None, task: LabelTask) -> dict[str, np.ndarray] | None:
    """Return the columns of a chunk from old labels; None if a new search could find more."""
    if old is None:
        return None
    rows = slice(task.first - old.first, task.first - old.first + task.n)
    part = {name: values[rows] for name, values in old.columns.items() if name != "deck"}
    settled = old.limit == task.limit or find_settled(task.optimal, part).all()
    return part if rows.stop <= len(old) and settled else None


def _chunk_digest(task: LabelTask, solver: str) -> str:
    """Return the digest of everything that chunks depend on, except the number of deals."""
    parts = (task.game.rules_digest(task.rules), *task[2:4], *task[5:], CHUNK, solver)
    return sha256(repr(parts).encode()).hexdigest()[:16]


def _solve_all(
    whole: LabelTask,
    old: Labels | None,
    folder: Path,
    cluster: Cluster,
    progress: Progress | None,
) -> dict[str, np.ndarray]:
    """Return the columns of all deals, from old labels, finished chunks, and the solver."""
    firsts = range(whole.first, whole.first + whole.n, CHUNK)
    end = whole.first + whole.n
    tasks = [whole._replace(first=first, n=min(CHUNK, end - first)) for first in firsts]
    named = {f"{task.first}-{task.n}": task for task in tasks}
    chunks = {
        name: columns
        for name, task in named.items()
        if (columns := _take_over(old, task)) is not None
    }
    report = progress or (lambda _: None)
    report(sum(named[name].n for name in chunks))
    left = {name: task for name, task in named.items() if name not in chunks}
    packing = Packing(dict, partial(_check_columns, is_scored(whole.game)))
    for name, columns in run_cached(solve_task, left, replace(cluster, chunks=folder), packing):
        chunks[name] = columns
        report(named[name].n)
    names = chunks[next(iter(named))]
    return {name: np.concatenate([chunks[chunk][name] for chunk in named]) for name in names}


def _check_columns(scored: bool, columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the columns of a saved chunk; ValueError unless they have the form of `solve_task`."""
    expected = {name: array.dtype for name, array in columns_of([], scored).items()}
    lengths = {array.shape for array in columns.values()}
    if {name: array.dtype for name, array in columns.items()} != expected or len(lengths) != 1:
        raise ValueError(f"columns must be {', '.join(expected)}, all of the same length")
    return dict(columns)


def solve_task(task: LabelTask) -> dict[str, np.ndarray]:
    """Solve the deals of a task, and return their columns (`labels.columns_of`)."""
    game, rules = task.game, task.rules
    assert game.solve is not None
    rows = Rows(game, rules, task.n)
    rows.deal_numbered(task.deal_set, range(task.first, task.first + task.n))
    solutions = []
    for i in range(task.n):
        state = rows.states[i : i + 1]
        answer = game.solve(state, rules, optimal=task.optimal, limit=task.limit)
        solutions.append(verify_solution(game, rules, state, answer))
    return columns_of(solutions, is_scored(game))
