"""Hyperparameter search with Optuna: `tune`, its result `Tuned`, and the workers that run trials.

Every worker is a process on this machine or on a Ray cluster, and runs the same loop: ask the study
for a trial, train, and tell the study the result. The study is the only thing that workers share.

A trial whose process was interrupted or crashed is marked as failed. Its settings are queued again
with the name of its run, so that the next worker resumes that run. A process counts as dead if its
process id no longer exists on this machine, or if it has not updated its heartbeat for `STALE`
seconds.
"""

import json
import math
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna import Study, TrialPruned
from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, Trial, TrialState

from parlour.agents.validation import join_lines, shorten
from parlour.envs.core.options import unknown_text

from ..evaluation.result import Result
from ..learning.run import format_measure
from ..learning.settings.base import Settings
from ..learning.settings.files import preset
from ..parallel.processes import (
    RAY,
    block_signals,
    find_ray,
    join_ray,
    unblock_signals,
    watch_parent,
)
from ..parallel.tasks import Cluster, run_tasks
from . import check_extras
from .trial import (
    Dimension,
    TunedTrial,
    TunePlan,
    Value,
    make_space,
    read_space,
    run_trial,
)

TRIALS, PARTS, MOST_TRIALS, MOST_PARTS, MOST_JOBS = 20, 5, 10**6, 1000, 1024
PRUNERS = ("median", "hyperband", "none")
JOURNAL = "journal.log"
LEAST_DONE = 5
"""Minimum number of finished trials with different values for computing importance."""
BEAT, STALE = 15.0, 120.0
"""Seconds between heartbeats of a process, and seconds without one after which it counts as dead.
"""
DATABASE_TRIES, DATABASE_SECONDS = 3, 1.0
"""How often a database is opened before an error is final, and the seconds between the tries."""
STARTUP = 5
"""Number of trials that must finish before any trial can be pruned."""
MOST_DEATHS = 3
"""Number of process crashes after which a trial counts as failed."""
PLAN, OWNER, MARK, RUN, ERROR, DEATHS = "plan", "owner", "mark", "run", "error", "deaths"
"""Attribute names. Study: its plan. Trial: its process, its last heartbeat, the name of its run,
its error, and the number of its processes that crashed."""
STATES = ("done", "pruned", "failed", "running")
"""Names of the states of trials that count, in the order of the table."""
RUN_NAME = "trial-{:04d}"
ROUNDS = 3
"""Number of times that worker processes are started if some of them crash."""
PATIENCE = 30.0
"""Seconds that a worker process may take to stop after Ctrl-C, before it is interrupted again."""
FAILED = 2


@dataclass(frozen=True, eq=False, repr=False)
class Tuned(Result):
    """The result of a hyperparameter search: its trials, best first.

    ``to_pandas()`` returns a row for each trial, ``plot()`` a Matplotlib figure, and
    ``save(folder)`` writes rows, summary and plot to files. ``importance`` is the share of the
    differences between trials that each setting explains (PED-ANOVA). The shares sum to 1.
    ``importance`` is empty if there are too few finished trials.
    """

    plan: TunePlan
    trials: list[TunedTrial]
    importance: Mapping[str, float]
    report = "parlour.training.tuning.report"

    @property
    def best(self) -> TunedTrial:
        """The best trial that ran to its end."""
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
        """Return game, variant, method, number of trials, and best result on one line."""
        base, best = self.plan.base, self.best
        return (
            f"{base.game}, {base.name_rules()}, {base.method}: {len(self.trials)} trials, best "
            f"{self.plan.measure} {format_measure(self.plan.measure, best.value or 0.0)} "
            f"(trial {best.number})"
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
    """Search for the settings that give the best result on the validation deals.

    Optuna's TPE sampler draws the settings of each trial, and each trial is an ordinary training
    run. An existing search resumes, and ends when it has ``trials`` trials.

    Args:
        base: settings of all trials, or the name of a game for its preset ``default``.
        trials: number of trials, including those of earlier calls.
        space: settings to search: a TOML file, or a table with its content (None: the file
            ``training/tuning/spaces.toml`` of Parlour).
        seed: training seed of all trials, and seed of the search.
        evaluations: number of evaluations per run. The methods ``cma-es`` and ``plan-search``
            evaluate only at the end of a run.
        pruner: ``"median"``, ``"hyperband"`` or ``"none"``. A pruner stops unpromising runs early.
        folder: folder of trials and results (default: ``RUNS/GAME-VARIANT-tune-NAME``).
        storage: Optuna's storage: a URL such as ``sqlite:///FILE``, which several machines can
            share, or a file (default: a journal in the folder).
        jobs: number of worker processes.
        backend: ``"processes"`` on this machine, or ``"ray"``.
        address: address of a running Ray cluster.
        quiet: whether to suppress the line that is printed for each trial.

    Returns:
        All trials, best first.

    Raises:
        ValueError: an argument is invalid.
        ImportError: a package is not installed. The message names the extra.
        KeyboardInterrupt: after Ctrl-C. The next call resumes the interrupted runs.
    """
    check_extras(backend)
    plan = make_plan(base, trials, space, seed, evaluations, pruner, folder, storage, quiet)
    plan.base.resolve_device()  # report a wrong device once, not in each trial
    _check_range("jobs", jobs, MOST_JOBS)
    if address is not None and backend != "ray":
        raise ValueError(f"address={address!r} requires backend 'ray', got backend {backend!r}")
    plan.folder.mkdir(parents=True, exist_ok=True)
    if backend == "ray":
        work_by_ray(plan, jobs, address)
    elif jobs == 1:
        run_trials(plan)
    else:
        work_by_processes(plan, jobs)
    result = load_tuned(plan)
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
    """Return the plan of a search; see `tune`. Raises ValueError if an argument is invalid."""
    base = preset(base) if isinstance(base, str) else base
    base = replace(base, seeds=(seed,))  # raises ValueError for an invalid seed
    _check_range("trials", trials, MOST_TRIALS)
    _check_range("evaluations", evaluations, MOST_PARTS)
    if pruner not in PRUNERS:
        raise ValueError(unknown_text("pruner", pruner, PRUNERS))
    if isinstance(space, Mapping):
        dimensions = make_space(base, space)
    else:
        dimensions = read_space(base, None if space is None else Path(space))
    name = f"{base.game}-{base.name_rules()}-tune-{base.name or base.method}"
    folder = (Path(base.runs) / name if folder is None else Path(folder)).resolve()
    storage = storage or str(folder / JOURNAL)
    return TunePlan(base, dimensions, folder, storage, trials, seed, evaluations, pruner, quiet)


def _check_range(name: str, value: Any, most: int) -> None:
    if type(value) is not int or not 1 <= value <= most:
        raise ValueError(f"{name} must be an integer from 1 to {most}, got {value!r}")


def load_tuned(plan: TunePlan) -> Tuned:
    """Return the result of a search so far. Raises ValueError if no trial has finished."""
    study = open_study(plan)
    rows = read_trials(study)
    if not any(row.state == "done" for row in rows):
        failed = [f"; trial {row.number}: {row.error}" for row in rows if row.error]
        raise ValueError(
            f"{plan.folder}: none of {len(rows)} trials has finished{''.join(failed[-1:])}"
        )
    return Tuned(plan, rows, _compute_importance(study))


def _compute_importance(study: Study) -> dict[str, float]:
    """Return the importance of each setting, or nothing if too few trials differ."""
    trials = study.get_trials(deepcopy=False)
    done = [trial.value for trial in trials if trial.state.name == "COMPLETE"]
    if len(set(done)) < LEAST_DONE:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Optuna warns if the best tenth has all trials
        importance = get_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
    return {name: float(value) for name, value in importance.items()}


def open_storage(plan: TunePlan) -> BaseStorage:
    """Return the storage of a search; create it if it does not exist.

    Raises ValueError if the storage cannot be opened.
    """
    try:
        if "://" not in plan.storage:
            return JournalStorage(JournalFileBackend(plan.storage))
        return _open_database(plan.storage)
    except Exception as error:  # errors of SQLAlchemy, a missing driver, ...
        raise ValueError(f"storage={plan.storage!r}: {join_lines(error)}") from error


def _open_database(url: str) -> BaseStorage:
    """Return a database as a storage; create its tables if they do not exist."""
    from sqlalchemy.exc import DBAPIError

    # A SQLite file has one writer at a time, so the others must wait.
    wait = {"connect_args": {"timeout": STALE}} if url.startswith("sqlite") else {}
    for _ in range(DATABASE_TRIES - 1):
        try:
            return RDBStorage(url, engine_kwargs=wait)
        except DBAPIError:  # perhaps another process is creating the tables at the same time
            time.sleep(DATABASE_SECONDS)
    return RDBStorage(url, engine_kwargs=wait)


def open_study(plan: TunePlan) -> Study:
    """Return the study of a search. A new study starts with the base settings in its queue.

    Raises ValueError if the storage has a search of that name with other settings.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(
        storage=open_storage(plan),
        study_name=plan.folder.name,
        direction="maximize",
        load_if_exists=True,
        pruner=make_pruner(plan),
    )
    description = json.loads(json.dumps(describe_plan(plan)))
    saved = study.user_attrs.get(PLAN)
    if saved is None:
        study.set_user_attr(PLAN, description)
        first = {dimension.name: getattr(plan.base, dimension.name) for dimension in plan.space}
        outside = {one.name for one in plan.space if not one.holds(first[one.name])}
        study.enqueue_trial(
            {name: value for name, value in first.items() if name not in outside},
            skip_if_exists=True,
        )
    elif saved != description:
        _refuse(plan, saved, description)
    return study


def describe_plan(plan: TunePlan) -> dict[str, Any]:
    """Return everything that must be unchanged when a search resumes, as JSON values."""
    settings = plan.base.plain()
    base = {name: value for name, value in settings.items() if name not in ("runs", "name")}
    space = {one.name: one.plain() for one in plan.space}
    return base | {"space": space, "evaluations": plan.parts}


def _refuse(plan: TunePlan, saved: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    names = sorted(name for name in saved.keys() | now.keys() if saved.get(name) != now.get(name))
    differences = "; ".join(
        f"{name} was {shorten(saved.get(name))} and is now {shorten(now.get(name))}"
        for name in names
    )
    raise ValueError(
        f"{plan.folder} has a search with other settings: {differences}. Choose another --name"
    )


def make_pruner(plan: TunePlan) -> optuna.pruners.BasePruner:
    """Return the pruner of a plan."""
    if plan.pruner == "median":
        return optuna.pruners.MedianPruner(n_startup_trials=STARTUP, n_warmup_steps=2)
    if plan.pruner == "hyperband":
        return optuna.pruners.HyperbandPruner(min_resource=1, max_resource=plan.parts)
    return optuna.pruners.NopPruner()


def make_sampler(seed: int, number: int) -> optuna.samplers.BaseSampler:
    """Return the sampler of one trial. Each trial has its own random numbers in any process."""
    (drawn,) = np.random.SeedSequence([seed, number]).generate_state(1)
    return optuna.samplers.TPESampler(seed=int(drawn), constant_liar=True)


def draw_params(plan: TunePlan, trial: Trial) -> dict[str, Any]:
    """Return the values of a trial for the settings in the space."""
    return {dimension.name: _draw(trial, dimension) for dimension in plan.space}


def _draw(trial: Trial, dimension: Dimension) -> Value:
    name, low, high = dimension.name, dimension.low, dimension.high
    value: Value
    if dimension.values:
        value = trial.suggest_categorical(name, dimension.values)
    elif dimension.whole:
        step = int(dimension.step or 1)
        value = trial.suggest_int(name, int(low), int(high), step=step, log=dimension.log)
    else:
        value = trial.suggest_float(name, low, high, step=dimension.step, log=dimension.log)
    return value


def ask_trial(study: Study, plan: TunePlan) -> Trial | None:
    """Return the next trial, owned by this process, or None if there are enough trials.

    Trials of dead processes are queued again first.
    """
    requeue_dead(study)
    if len(list_counted(study)) >= plan.trials:
        return None
    trial = study.ask()
    trial.set_user_attr(MARK, time.time())
    trial.set_user_attr(OWNER, [socket.gethostname(), os.getpid()])
    trial.set_user_attr(RUN, trial.user_attrs.get(RUN) or RUN_NAME.format(trial.number))
    before = [counted for counted in list_counted(study) if counted.number < trial.number]
    if len(before) >= plan.trials:  # another process has asked at the same moment
        study.tell(trial, state=TrialState.FAIL)
        return None
    study.sampler = make_sampler(plan.seed, trial.number)
    return trial


def list_counted(study: Study) -> list[FrozenTrial]:
    """Return the trials that count: all except waiting trials and those that were requeued."""
    left_out = (TrialState.WAITING, TrialState.FAIL)
    trials = study.get_trials(deepcopy=False)
    return [trial for trial in trials if trial.state not in left_out]


def read_trials(study: Study) -> list[TunedTrial]:
    """Return the trials that count, sorted by state, then by value, best first."""
    rows = [_read_trial(trial) for trial in list_counted(study)]
    return sorted(rows, key=lambda row: (STATES.index(row.state), -(row.value or 0), row.number))


def _read_trial(trial: FrozenTrial) -> TunedTrial:
    error = trial.user_attrs.get(ERROR)
    names = {
        TrialState.COMPLETE: "done",
        TrialState.PRUNED: "pruned",
        TrialState.RUNNING: "running",
    }
    return TunedTrial(
        trial.number,
        "failed" if error else names[trial.state],
        None if error else trial.value,
        trial.last_step or 0,
        trial.duration.total_seconds() if trial.duration else None,
        dict(trial.params),
        trial.user_attrs.get(RUN, ""),
        error,
    )


def requeue_dead(study: Study) -> None:
    """Queue the settings of trials whose process is dead again.

    After `MOST_DEATHS` crashes, the trial counts as failed.
    """
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        if _is_alive(trial):
            continue
        deaths = int(trial.user_attrs.get(DEATHS, 0)) + 1
        if deaths < MOST_DEATHS:
            requeue(study, trial, deaths)
        else:
            mark_failed(study, trial, f"the process crashed {deaths} times")


def requeue(study: Study, trial: FrozenTrial | Trial, deaths: int = 0) -> None:
    """Mark a trial as failed and queue its settings again, unless another process did."""
    with suppress(ValueError, RuntimeError):  # its result is already known
        study.tell(trial.number, state=TrialState.FAIL)
        attributes = {RUN: trial.user_attrs.get(RUN), DEATHS: deaths}
        study.enqueue_trial(
            trial.params, {name: value for name, value in attributes.items() if value}
        )


def mark_failed(study: Study, trial: FrozenTrial | Trial, reason: str) -> None:
    """Mark a trial as failed because of its settings: it counts, and is not repeated.

    Optuna stores it as pruned, so that the sampler avoids such settings. The sampler would ignore a
    trial that is stored as failed.
    """
    with suppress(ValueError, RuntimeError):  # its result is already known
        Trial(study, trial._trial_id).set_user_attr(ERROR, reason)
        study.tell(trial.number, state=TrialState.PRUNED)


def _is_alive(trial: FrozenTrial) -> bool:
    """Return whether the process of a running trial is alive, as far as this process can tell."""
    begun = trial.datetime_start.timestamp() if trial.datetime_start else 0.0
    if time.time() - float(trial.user_attrs.get(MARK, begun)) > STALE:
        return False
    host, process = trial.user_attrs.get(OWNER, ("", 0))
    if host != socket.gethostname():
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def mark_running(study: Study) -> Iterator[None]:
    """Update the heartbeats of this process's trials during a block."""
    ended = threading.Event()

    def mark() -> None:
        while not ended.wait(BEAT):
            with suppress(Exception):  # the trial has ended, or the storage is busy: retry later
                for trial in _list_own(study):
                    Trial(study, trial._trial_id).set_user_attr(MARK, time.time())

    thread = threading.Thread(target=mark, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _list_own(study: Study) -> list[FrozenTrial]:
    """Return the running trials of this process."""
    me = [socket.gethostname(), os.getpid()]
    running = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
    return [trial for trial in running if trial.user_attrs.get(OWNER) == me]


def run_trials(plan: TunePlan) -> None:
    """Run one trial after another until there are enough, including those of other processes."""
    study = open_study(plan)
    with mark_running(study):
        while _is_wanted() and (trial := ask_trial(study, plan)) is not None:
            _try(study, plan, trial)


def _is_wanted() -> bool:
    """Return whether the parent process, if there is one, is alive."""
    parent = multiprocessing.parent_process()
    return parent is None or parent.is_alive()


def _try(study: Study, plan: TunePlan, trial: Trial) -> None:
    """Run a trial, and tell the study its result."""

    def report(part: int, value: float) -> None:
        trial.report(value, part)
        if part < plan.parts and trial.should_prune():
            raise TrialPruned

    try:
        value = run_trial(plan, trial.user_attrs[RUN], draw_params(plan, trial), report)
        if not math.isfinite(value):
            raise ArithmeticError(f"the result must be a finite number, got {value}")
        study.tell(trial, value, skip_if_finished=True)
    except TrialPruned:
        study.tell(trial, state=TrialState.PRUNED, skip_if_finished=True)
    except (ValueError, ArithmeticError, RuntimeError) as error:  # incompatible settings
        mark_failed(study, trial, f"{type(error).__name__}: {join_lines(error)}")
    except BaseException:  # Ctrl-C, a full disk, ...: not caused by the settings
        requeue(study, trial)
        raise
    if not plan.quiet:
        _print_trial(plan, study, trial.number)


def _print_trial(plan: TunePlan, study: Study, number: int) -> None:
    """Print a line on stderr with the result of a trial and the best value so far."""
    rows = read_trials(study)
    row = next(row for row in rows if row.number == number)
    measure, value = plan.measure, row.error
    if row.value is not None:
        value = f"{measure} {format_measure(measure, row.value)}"
    done = [row for row in rows if row.state == "done"]
    best = f", best {format_measure(measure, done[0].value or 0.0)}" if done else ""
    print(
        f"trial {number}, {row.state}: {value}{best}, {row.seconds or 0:,.0f} s",
        file=sys.stderr,
        flush=True,
    )


def work_by_processes(plan: TunePlan, jobs: int) -> None:
    """Run trials in several worker processes. Crashed processes are restarted a few times.

    Ctrl-C is forwarded to the workers, and each saves a checkpoint before it ends.

    Raises:
        ChildProcessError: a worker raised an error, or workers keep crashing.
    """
    study = open_study(plan)
    context = multiprocessing.get_context("spawn")
    for _ in range(ROUNDS):
        requeue_dead(study)
        left = min(jobs, plan.trials - len(list_counted(study)))
        if left < 1:
            return
        errors = context.SimpleQueue()
        arguments = plan, errors, os.getpid()
        processes = [context.Process(target=_work_in_process, args=arguments) for _ in range(left)]
        with block_signals():
            for process in processes:
                process.start()
        try:
            for process in processes:
                process.join()
        except BaseException:
            _stop(processes)
            raise
        if not errors.empty():
            raise ChildProcessError(errors.get())
    raise ChildProcessError(f"worker processes of the search crashed {ROUNDS} times")


def _work_in_process(plan: TunePlan, errors: Any, parent: int) -> None:
    """Run `run_trials` in its own process, to which the parent process forwards Ctrl-C."""
    with suppress(AttributeError, OSError):
        os.setpgrp()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    watch_parent(parent, _leave)
    try:
        unblock_signals()
        run_trials(plan)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except Exception as error:
        errors.put(f"{type(error).__name__}: {join_lines(error)}")
        sys.exit(FAILED)


def _leave() -> None:
    """Stop as after Ctrl-C, with a checkpoint; end the process if that takes too long."""
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(PATIENCE)
    os._exit(FAILED)


def _stop(processes: list[Any]) -> None:
    """Forward Ctrl-C and wait: each process ends after its update, with a checkpoint."""
    for _ in range(2):  # a second signal ends a process without a checkpoint
        for process in processes:
            if process.is_alive():
                os.kill(process.pid, signal.SIGINT)
        for process in processes:
            process.join(PATIENCE)
    for process in processes:
        process.kill()


def work_by_ray(plan: TunePlan, jobs: int, address: str | None) -> None:
    """Run trials in Ray workers; Ray restarts workers that crash.

    Args:
        plan: plan of the search.
        jobs: number of workers if Ray is started on this machine.
        address: address of a running Ray cluster; its CPU cores determine the number of workers.

    Raises:
        ValueError: no cluster answers at the address, or its machines do not share the storage.
    """
    study = open_study(plan)
    requeue_dead(study)
    left = plan.trials - len(list_counted(study))
    if left < 1:
        return
    threads = getattr(plan.base, "threads", 1)
    with join_ray(address, jobs * threads):
        workers = min(left, count_workers(jobs, threads, address))
        for _ in run_tasks(_work_on_ray, [plan] * workers, Cluster(RAY, workers), threads):
            pass


def count_workers(jobs: int, threads: int, address: str | None) -> int:
    """Return the number of workers: ``jobs``, or as many as a running cluster has room for."""
    if find_ray(address) is None:
        return jobs
    import ray

    return max(1, int(ray.cluster_resources().get("CPU", 1)) // threads)


def _work_on_ray(plan: TunePlan) -> None:
    """Run `run_trials` on a machine of the cluster. Raises ValueError if the study is missing."""
    try:
        optuna.load_study(study_name=plan.folder.name, storage=open_storage(plan))
    except (KeyError, OSError, ValueError) as error:
        raise ValueError(
            f"storage {plan.storage!r} must be the same on all machines of the cluster. Use a "
            "shared folder, or --storage with the URL of a database"
        ) from error
    run_trials(plan)
