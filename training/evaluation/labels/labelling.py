"""Deal banks with truth: every deal of a bank solved, in parallel.

The work is cut into chunks, which are handed out to processes of this machine or to a cluster. A
chunk that is done is on disk at once, so a run that was stopped goes on from there.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parlour.envs import Game
from parlour.envs.core.kernel.cards import default_bank
from parlour.envs.core.kernel.jit import digest_code
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import describe_rules
from parlour.envs.core.upper_bound import solver_of

from ...files import pack_arrays, read_arrays, sole_use, write_bytes
from ...parallel.tasks import Cluster, run_tasks
from ..evaluate import Progress
from ..spec import DEALS, check_number
from .label_checks import find_settled
from .labels import (
    COLUMN_TYPES,
    OWN_FOLDER,
    Labels,
    columns_of,
    deck_digests,
    decks_of,
    file_stem,
    is_scored,
    load_labels,
    save_labels,
    shipped_file,
)
from .truth import verify_solution

CHUNK = 50
"""Deals of one task: enough for the hand-out to cost nothing, few enough to lose."""

CHUNK_NAME = re.compile(r"(\d+)-(\d+)\.npz")


class LabelTask(NamedTuple):
    """Deals ``first`` .. ``first + n - 1`` of a bank, to be solved in one go."""

    game: Game
    rules: Any
    bank: str
    first: int
    n: int
    optimal: bool
    limit: int | None


def make_labels(
    game: Game,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    bank: str | None = None,
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
    """Solve numbered deals of a bank (None: the game's own) and return the file of their labels.

    ``optimal`` asks for shortest wins, too; ``limit`` is how many positions the solver may look at
    for each deal. ``jobs``, ``backend`` and ``address`` say where: see `tasks.Cluster`. Finished
    chunks lie in a hidden folder beside the file until it is written, whole; a second call with the
    same arguments, or with more ``deals``, goes on from them. A file that has these labels, or more
    of the same, is returned as it is; of one with fewer deals, or with a lower limit, and of the
    labels that come with Parlour, what is settled is taken over, if the same code of the solver
    found it. Every way to win is played by the game's own kernel.

    Raises ValueError for wrong rules, numbers out of range, where there is no solver, or if
    the file has labels of more deals, shortest wins or a higher limit, which would be lost;
    `truth.Contradiction` if a way to win does not win.
    """
    rules = game.make_rules(variant, options)
    check_number("deals", deals, 1)
    check_number("first", first, 0)
    check_number("limit", 1 if limit is None else limit, 1)
    cluster = Cluster(backend, jobs, address)
    solver = digest_code(solver_of(game, rules))
    bank = bank or default_bank(game.name)
    target = Path(out) / f"{file_stem(game, rules, bank, first)}.parquet"
    whole = LabelTask(game, rules, bank, first, deals, optimal, limit)
    if target.exists() and not target.is_file():
        raise ValueError(f"{target} is no file: remove it, or choose another folder")
    folder = target.with_name(f".{target.stem}.{_chunk_digest(whole, solver)}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with sole_use(target, "made"):
        old = _load_old(target, whole, solver)
        there = old is not None and old.source == target.resolve()
        if old is None or not there or not _has_labels(old, whole, solver):
            folder.mkdir(exist_ok=True)
            columns = _solve_all(whole, old, folder, cluster, progress)
            columns["deck"] = deck_digests(decks_of(game, rules, bank, first, deals))
            ordered = {name: columns[name] for name in COLUMN_TYPES if name in columns}
            name = describe_rules(game, rules, variant)
            said = Labels(game, rules, name, bank, first, optimal, limit, ordered, solver)
            save_labels(said, target)
        _drop(folder, whole)
    return target


def _drop(folder: Path, whole: LabelTask) -> None:
    """Remove the chunks of deals that are in the file now; those of others stay."""
    for path in folder.glob("*.npz"):
        found = CHUNK_NAME.fullmatch(path.name)
        first, n = map(int, found.groups()) if found else (-1, 0)
        if whole.first <= first and first + n <= whole.first + whole.n:
            path.unlink()
    for path in folder.glob(".*.part"):
        path.unlink()
    with suppress(OSError):  # there is none, or it has chunks of other deals
        folder.rmdir()


def _load_old(target: Path, whole: LabelTask, solver: str) -> Labels | None:
    """Labels that can be gone on from, None if there are none: those of the file, or shipped ones.

    Raises ValueError if the file has better ones: of more deals, with shortest wins, a higher
    limit.
    """
    old = _load_sound(target)
    if old is not None:
        if _has_labels(old, whole, solver):
            return old
        _refuse_loss(old, whole, solver)
    fits = [
        found
        for found in (old, _load_sound(shipped_file(target.name)))
        if found is not None
        and (found.solver, found.optimal) == (solver, whole.optimal)
        and _limit(found.limit) <= _limit(whole.limit)
    ]
    return max(fits, key=lambda found: (_limit(found.limit), len(found)), default=None)


def _load_sound(path: Path) -> Labels | None:
    try:
        return load_labels(path)
    except (OSError, ValueError):  # none, or not as it was written: made anew
        return None


def _has_labels(old: Labels, whole: LabelTask, solver: str) -> bool:
    """Whether all that is wanted is there."""
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
            f"{old.source} has labels of {len(old)} deals, {kind}: remove it, or choose another "
            "folder"
        )


def _take_over(old: Labels | None, task: LabelTask) -> dict[str, np.ndarray] | None:
    """The columns of a chunk that old labels have and a new search would not better."""
    if old is None:
        return None
    rows = slice(task.first - old.first, task.first - old.first + task.n)
    part = {name: values[rows] for name, values in old.columns.items() if name != "deck"}
    settled = old.limit == task.limit or find_settled(task.optimal, part).all()
    return part if rows.stop <= len(old) and settled else None


def _chunk_digest(task: LabelTask, solver: str) -> str:
    """What chunks belong together: all but how many deals are wanted."""
    parts = (task.game.rules_digest(task.rules), *task[2:4], *task[5:], CHUNK, solver)
    return sha256(repr(parts).encode()).hexdigest()[:16]


def _solve_all(
    whole: LabelTask,
    old: Labels | None,
    folder: Path,
    cluster: Cluster,
    progress: Progress | None,
) -> dict[str, np.ndarray]:
    """The columns of all deals, from labels and chunks that are there and what is solved now."""
    tasks = [
        whole._replace(first=whole.first + i, n=min(CHUNK, whole.n - i))
        for i in range(0, whole.n, CHUNK)
    ]
    parts = {
        task: part
        for task in tasks
        if (part := _load_chunk(folder, task) or _take_over(old, task)) is not None
    }
    tell = progress or (lambda _: None)
    tell(sum(task.n for task in parts))
    left = [task for task in tasks if task not in parts]
    for number, part in run_tasks(solve_task, left, cluster):
        task = left[number]
        write_bytes(_path(folder, task), pack_arrays(part))
        parts[task] = part
        tell(task.n)
    names = parts[tasks[0]]
    return {name: np.concatenate([parts[task][name] for task in tasks]) for name in names}


def _path(folder: Path, task: LabelTask) -> Path:
    return folder / f"{task.first}-{task.n}.npz"


def _load_chunk(folder: Path, task: LabelTask) -> dict[str, np.ndarray] | None:
    """The columns of a chunk that was finished before; None if there is none that can be read."""
    path, scored = _path(folder, task), is_scored(task.game)
    wanted = {name: array.dtype for name, array in columns_of([], scored).items()}
    try:
        columns = read_arrays(path)
        fits = {name: array.dtype for name, array in columns.items()} == wanted
        return columns if fits and all(a.shape == (task.n,) for a in columns.values()) else None
    except Exception:  # whatever is wrong with it: it is made anew
        return None


def solve_task(task: LabelTask) -> dict[str, np.ndarray]:
    """Solve the deals of a task; return the columns that `labels.columns_of` makes."""
    game, rules = task.game, task.rules
    assert game.solve is not None
    rows = Rows(game, rules, task.n)
    rows.deal_bank(task.bank, range(task.first, task.first + task.n))
    found = []
    for i in range(task.n):
        state = rows.states[i : i + 1]
        answer = game.solve(state, rules, optimal=task.optimal, limit=task.limit)
        found.append(verify_solution(game, rules, state, answer))
    return columns_of(found, is_scored(game))
