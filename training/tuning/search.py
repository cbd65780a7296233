"""The search for settings: `tune`, and its result `Tuned`."""

import importlib.util
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlour.envs.core.options import unknown_text

from ..evaluation.result import Result
from ..learning.settings.base import Settings
from ..learning.settings.files import preset
from .trial import TunedTrial, TunePlan, make_space, read_space

if TYPE_CHECKING:
    from optuna import Study

TRIALS, PARTS, MOST_TRIALS, MOST_PARTS, MOST_JOBS = 20, 5, 10**6, 1000, 1024
PRUNERS = ("median", "hyperband", "none")
BACKENDS = ("processes", "ray")
JOURNAL = "journal.log"
LEAST_DONE = 5
"""Number of finished trials with different values from which importance is computed."""


def check_extras(backend: str) -> None:
    """Raise ImportError, naming the extras, if a search lacks a package; load none of them.

    Raises:
        ValueError: the backend is unknown.
        ImportError: Optuna, or Ray for that backend, is not installed.
    """
    if backend not in BACKENDS:
        raise ValueError(unknown_text("backend", backend, BACKENDS))
    needed = {"optuna": "tune"} | ({"ray": "ray"} if backend == "ray" else {})
    missing = {
        name: extra for name, extra in needed.items() if importlib.util.find_spec(name) is None
    }
    if missing:
        extras = ",".join(missing.values())
        raise ImportError(
            f"this needs {' and '.join(missing)}, which is not installed: "
            f'pip install "parlour[{extras}]"'
        )


@dataclass(frozen=True, eq=False, repr=False)
class Tuned(Result):
    """The result of a search: its trials, the best one first.

    ``to_pandas()``, ``plot()`` and ``save(folder)``: see `result.Result`. ``importance`` is
    the share of each setting in the differences between trials (PED-ANOVA), summing to 1; it is
    empty if there are too few finished trials.
    """

    plan: TunePlan
    trials: list[TunedTrial]
    importance: Mapping[str, float]
    report = "parlour.training.tuning.report"

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
        """The settings of the best trial, for `train`."""
        return replace(self.plan.base, **self.best.settings)

    def headline(self) -> str:
        """See `Result.headline`."""
        from ..learning.run import measured  # torch takes seconds to load

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
    """Search for the settings with which a run does best on its validation deals.

    Optuna's TPE sampler draws the settings of each trial, and each trial is an ordinary run. A
    search that exists resumes, up to the number of ``trials``.

    Args:
        base: settings of all trials, or the name of a game for its preset ``default``.
        trials: number of trials, including those of an earlier call.
        space: settings to search: a TOML file, or a table of one (default: Parlour's).
        seed: training seed of all trials, and seed of the search.
        evaluations: number of evaluations of each run. Method ``cma-es`` has one, at its end.
        pruner: ``"median"``, ``"hyperband"`` or ``"none"``: ends runs early.
        folder: folder of trials and results (default: ``RUNS/GAME-VARIANT-tune-NAME``).
        storage: Optuna's storage: a URL such as ``sqlite:///FILE``, which several machines can
            share, or a file (default: a journal in the folder).
        jobs: number of worker processes.
        backend: ``"processes"`` on this machine, or ``"ray"``.
        address: where a Ray cluster runs.
        quiet: print no line for each trial.

    Returns:
        All trials, the best one first.

    Raises:
        ValueError: an argument is wrong. The message says what is allowed.
        ImportError: an extra is missing. The message names it.
        KeyboardInterrupt: after Ctrl-C. The next call resumes the runs that were interrupted.
    """
    check_extras(backend)
    plan = make_plan(base, trials, space, seed, evaluations, pruner, folder, storage, quiet)
    plan.base.resolve_device()  # a wrong device is an error now, not one of each trial
    _check_range("jobs", jobs, MOST_JOBS)
    if address is not None and backend != "ray":
        raise ValueError(f"address={address!r}: allowed with backend 'ray' alone")
    plan.folder.mkdir(parents=True, exist_ok=True)
    from .study import work, work_by_processes, work_by_ray

    if backend == "ray":
        work_by_ray(plan, jobs, address)
    elif jobs == 1:
        work(plan)
    else:
        work_by_processes(plan, jobs)
    result = read_result(plan)
    result.save(plan.folder)
    return result


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
    """Return the plan of a search; see `tune`. Raises ValueError if an argument is wrong."""
    base = preset(base) if isinstance(base, str) else base
    base = replace(base, seeds=(seed,))  # raises ValueError for a wrong seed
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
    storage = storage or str(place / JOURNAL)
    return TunePlan(base, searched, place, storage, trials, seed, evaluations, pruner, quiet)


def _check_range(name: str, value: Any, most: int) -> None:
    if type(value) is not int or not 1 <= value <= most:
        raise ValueError(f"{name}={value!r}: allowed are whole numbers from 1 to {most}")


def read_result(plan: TunePlan) -> Tuned:
    """Return the result of a search so far; ValueError if no trial is finished."""
    from .study import open_study, read_trials

    study = open_study(plan)
    rows = read_trials(study)
    if not any(row.state == "done" for row in rows):
        failed = [f"; trial {row.number}: {row.error}" for row in rows if row.error]
        raise ValueError(f"{plan.folder}: none of {len(rows)} trials is done{''.join(failed[-1:])}")
    return Tuned(plan, rows, _compute_importance(study))


def _compute_importance(study: "Study") -> dict[str, float]:
    """Return the importance of each setting; nothing if too few trials differ."""
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

    trials = study.get_trials(deepcopy=False)
    done = [trial.value for trial in trials if trial.state.name == "COMPLETE"]
    if len(set(done)) < LEAST_DONE:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns if the best tenth is all of the trials
        importance = get_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
    return {name: float(value) for name, value in importance.items()}
