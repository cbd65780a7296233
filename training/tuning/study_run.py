"""Search for settings by Optuna: trials that are ordinary runs, in one process or in many."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour.envs.core.options import unknown_text

from ..evaluation.result import Presented
from ..learning.run import measured
from ..learning.settings.base import Settings
from ..learning.settings.files import preset
from .extras import check_extras
from .space import make_space, read_space
from .trial import TunedTrial, TunePlan

if TYPE_CHECKING:
    from optuna import Study

TRIALS, PARTS, MOST_TRIALS, MOST_PARTS, MOST_JOBS = 20, 5, 10**6, 1000, 1024
PRUNERS = ("median", "hyperband", "none")
JOURNAL = "journal.log"
LEAST_DONE = 5
"""Trials by different values from which importance is said."""


@dataclass(frozen=True, eq=False, repr=False)
class Tuned(Presented):
    """What a search for settings has found: its trials, the best one first.

    ``to_pandas()``, ``plot()`` and ``save(folder)`` hand it on: see `presented.Presented`.
    ``importance`` says how much each setting decides, all together 1 (PED-ANOVA); it is empty
    where too few trials are done.
    """

    plan: TunePlan
    trials: list[TunedTrial]
    importance: Mapping[str, float]
    report = ".cluster.tune_report"

    @property
    def best(self) -> TunedTrial:
        """The best trial that was trained to its end."""
        return next(trial for trial in self.trials if trial.state == "done")

    @property
    def folder(self) -> Path:
        """The folder of the search."""
        return self.plan.folder

    @property
    def settings(self) -> Settings:
        """The settings of the best trial, for `train`: those of its base where it has none."""
        return replace(self.plan.base, **self.best.settings)

    def headline(self) -> str:
        """See `Presented.headline`."""
        base, best = self.plan.base, self.best
        return (
            f"{base.game}, {base.name_rules()}, {base.method}: {len(self.trials)} trials, best "
            f"{measured(self.plan.measure, best.value or 0.0)} (trial {best.number})"
        )


def tune(
    base: Settings | str,
    *,
    trials: int = TRIALS,
    space: Path | str | Mapping[str, Any] | None = None,
    seed: int = 0,
    evaluations: int = PARTS,
    pruner: str = "median",
    folder: Path | str | None = None,
    storage: str | None = None,
    jobs: int = 1,
    backend: str = "processes",
    address: str | None = None,
    quiet: bool = False,
) -> Tuned:
    """Search for settings by which a run does best on its validation deals; return all trials.

    Each trial is a run by ``base`` (settings, or the name of a game for those of its preset
    default), with the settings of ``space`` drawn by Optuna's TPE: a TOML file, or a table as it
    has them, or None for Parlour's own. All trials train with the one ``seed``. A run is evaluated
    ``evaluations`` times, and ended early where ``pruner`` (median, hyperband, none) says so;
    method cma-es is evaluated at its end alone.

    ``folder`` (``RUNS/GAME-VARIANT-tune-NAME``) keeps trials and results. A search that is there
    goes on to the number of ``trials``. ``storage`` is where Optuna keeps it: a URL such as
    ``sqlite:///FILE``, by which several machines can share it, or a file (None: in the folder).
    ``jobs`` processes search side by side; or Ray does (``backend="ray"``), on this machine or on
    the cluster at ``address``.

    Raises ValueError naming what is wrong and what is allowed, ImportError naming an extra that is
    missing, KeyboardInterrupt after Ctrl-C: what was being trained goes on with the next call.
    """
    check_extras(backend)
    plan = make_plan(base, trials, space, seed, evaluations, pruner, folder, storage, quiet)
    plan.base.resolve_device()  # or each trial would fail
    _check_range("jobs", jobs, MOST_JOBS)
    if address is not None and backend != "ray":
        raise ValueError(f"address={address!r}: allowed with backend 'ray' alone")
    plan.folder.mkdir(parents=True, exist_ok=True)
    if backend == "ray":
        from .ray_tune import work_by_ray

        work_by_ray(plan, jobs, address)
    else:
        from .work import work, work_by_processes

        work(plan) if jobs == 1 else work_by_processes(plan, jobs)
    found = read_result(plan)
    found.save(plan.folder)
    return found


def make_plan(
    base: Settings | str,
    trials: int = TRIALS,
    space: Path | str | Mapping[str, Any] | None = None,
    seed: int = 0,
    evaluations: int = PARTS,
    pruner: str = "median",
    folder: Path | str | None = None,
    storage: str | None = None,
    quiet: bool = False,
) -> TunePlan:
    """Return the plan of a search; see `tune`. Raises ValueError for what is wrong with it."""
    base = preset(base) if isinstance(base, str) else base
    base = replace(base, seeds=(seed,))  # ValueError for what is no seed
    _check_range("trials", trials, MOST_TRIALS)
    _check_range("evaluations", evaluations, MOST_PARTS)
    if pruner not in PRUNERS:
        raise ValueError(unknown_text("pruner", pruner, PRUNERS))
    if isinstance(space, Mapping):
        searched = make_space(base, space)
    else:
        searched = read_space(base, None if space is None else Path(space))
    name = f"{base.game}-{base.name_rules()}-tune-{base.name or base.method}"
    place = (Path(base.runs) / name if folder is None else Path(folder)).resolve()
    kept = storage or str(place / JOURNAL)
    return TunePlan(base, searched, place, kept, trials, seed, evaluations, pruner, quiet)


def _check_range(name: str, value: Any, most: int) -> None:
    if type(value) is not int or not 1 <= value <= most:
        raise ValueError(f"{name}={value!r}: allowed are whole numbers from 1 to {most}")


def read_result(plan: TunePlan) -> Tuned:
    """Return what a search has found so far; ValueError if no trial is done."""
    from .study import open_study, read_trials

    study = open_study(plan)
    rows = read_trials(study)
    if not any(row.state == "done" for row in rows):
        failed = [f"; trial {row.number}: {row.error}" for row in rows if row.error]
        raise ValueError(f"{plan.folder}: none of {len(rows)} trials is done{''.join(failed[-1:])}")
    return Tuned(plan, rows, _find_importance(study))


def _find_importance(study: "Study") -> dict[str, float]:
    """How much each setting decides; nothing where too few trials differ to tell."""
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

    trials = study.get_trials(deepcopy=False)
    done = [trial.value for trial in trials if trial.state.name == "COMPLETE"]
    if len(set(done)) < LEAST_DONE:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where the best tenth is all of them it says so
        found = get_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
    return {name: float(value) for name, value in found.items()}
