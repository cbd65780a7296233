"""Optuna's side of a search for settings: storage that is shared, trials asked for and told.

A trial that its process left behind, by Ctrl-C or a death, is marked failed, and its settings are
queued once more under the name of its run: the next process goes on with that run. Whether a
process lives is told by its number on this machine, and by a mark that it renews.
"""

import json
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import optuna
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, Trial, TrialState

from parlour.agents.validation import one_line, shorten

from .space import Dimension, Value
from .trial import TunedTrial, TunePlan

BEAT, STALE = 15.0, 120.0
"""Seconds between two marks of a process, and after which one without a mark counts as dead."""
STARTUP = 5
"""Trials that are whole before one is pruned."""
MOST_DEATHS = 3
"""So many processes may die of one trial."""
PLAN, OWNER, MARK, RUN, ERROR, DEATHS = "plan", "owner", "mark", "run", "error", "deaths"
"""Attributes: of the study; of a trial: who has it, when that was alive, its run, what failed."""
STATES = ("done", "pruned", "failed", "running")
"""What a trial is called that counts, in the order in which they are shown."""
RUN_NAME = "trial-{:04d}"


def open_storage(plan: TunePlan) -> BaseStorage:
    """Return the storage of a search; it is made where it is missing.

    Raises ValueError naming a storage that cannot be opened.
    """
    try:
        if "://" not in plan.storage:
            return JournalStorage(JournalFileBackend(plan.storage))
        # A data base in a file has one writer at a time: the others wait, not give up.
        wait = {"connect_args": {"timeout": STALE}} if plan.storage.startswith("sqlite") else {}
        return RDBStorage(plan.storage, engine_kwargs=wait)
    except Exception as error:  # of SQLAlchemy, of a driver that is missing ...
        raise ValueError(f"storage={plan.storage!r}: {one_line(error)}") from error


def open_study(plan: TunePlan) -> optuna.Study:
    """Return the study of a search; a new one begins with what its base settings say.

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
    described = json.loads(json.dumps(describe_plan(plan)))
    kept = study.user_attrs.get(PLAN)
    if kept is None:
        study.set_user_attr(PLAN, described)
        first = {one.name: getattr(plan.base, one.name) for one in plan.space}
        first = {one.name: first[one.name] for one in plan.space if one.holds(first[one.name])}
        study.enqueue_trial(first, skip_if_exists=True)
    elif kept != described:
        _refuse(plan, kept, described)
    return study


def describe_plan(plan: TunePlan) -> dict[str, Any]:
    """Return what must be the same when a search goes on, as JSON has it."""
    base = {
        name: value for name, value in plan.base.plain().items() if name not in ("runs", "name")
    }
    space = {one.name: one.plain() for one in plan.space}
    return base | {"space": space, "evaluations": plan.parts}


def _refuse(plan: TunePlan, kept: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    names = sorted(name for name in kept.keys() | now.keys() if kept.get(name) != now.get(name))
    differ = "; ".join(
        f"{name} was {shorten(kept.get(name))} and is now {shorten(now.get(name))}"
        for name in names
    )
    raise ValueError(
        f"{plan.folder} is a search by other settings: {differ}; choose another --name"
    )


def make_pruner(plan: TunePlan) -> optuna.pruners.BasePruner:
    """Return what ends trials early: by median, by hyperband, or none."""
    if plan.pruner == "median":
        return optuna.pruners.MedianPruner(n_startup_trials=STARTUP, n_warmup_steps=2)
    if plan.pruner == "hyperband":
        return optuna.pruners.HyperbandPruner(min_resource=1, max_resource=plan.parts)
    return optuna.pruners.NopPruner()


def make_sampler(seed: int, number: int) -> optuna.samplers.BaseSampler:
    """Return the sampler of one trial: no two trials draw the same numbers, in any process."""
    (drawn,) = np.random.SeedSequence([seed, number]).generate_state(1)
    return optuna.samplers.TPESampler(seed=int(drawn), constant_liar=True)


def draw_params(plan: TunePlan, trial: Any) -> dict[str, Any]:
    """Let a trial say what it tries, by setting."""
    return {one.name: _draw(trial, one) for one in plan.space}


def _draw(trial: Any, one: Dimension) -> Value:
    if one.values:
        drawn: Value = trial.suggest_categorical(one.name, one.values)
    elif one.whole:
        step = int(one.step or 1)
        drawn = trial.suggest_int(one.name, int(one.low), int(one.high), step=step, log=one.log)
    else:
        drawn = trial.suggest_float(one.name, one.low, one.high, step=one.step, log=one.log)
    return drawn


def ask(study: optuna.Study, plan: TunePlan) -> Trial | None:
    """Return the next trial, which is then this process's; None when there are enough.

    Those that a dead process has left are queued again before.
    """
    requeue_dead(study)
    if len(list_counted(study)) >= plan.trials:
        return None
    trial = study.ask()
    claim(trial)
    before = [one for one in list_counted(study) if one.number < trial.number]
    if len(before) >= plan.trials:  # another process has asked at the same moment
        study.tell(trial, state=TrialState.FAIL)
        return None
    study.sampler = make_sampler(plan.seed, trial.number)
    return trial


def claim(trial: Any) -> str:
    """Write down that a trial is this process's; return the name of its run."""
    run: str = trial.user_attrs.get(RUN) or RUN_NAME.format(trial.number)
    trial.set_user_attr(MARK, time.time())
    trial.set_user_attr(OWNER, [socket.gethostname(), os.getpid()])
    trial.set_user_attr(RUN, run)
    return run


def list_counted(study: optuna.Study) -> list[FrozenTrial]:
    """Return the trials that count: all but those that wait and those that were left behind."""
    left_out = (TrialState.WAITING, TrialState.FAIL)
    return [one for one in study.get_trials(deepcopy=False) if one.state not in left_out]


def read_trials(study: optuna.Study) -> list[TunedTrial]:
    """Return the trials that count, those that are done first, the best of them first of all."""
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


def requeue_dead(study: optuna.Study) -> None:
    """Mark trials failed whose process is dead, and queue their settings again.

    A trial of which so many processes have died counts as failed by its own fault.
    """
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        if _is_alive(trial):
            continue
        deaths = int(trial.user_attrs.get(DEATHS, 0)) + 1
        if deaths < MOST_DEATHS:
            requeue(study, trial, deaths)
        else:
            fail(study, trial, f"its process died {deaths} times")


def requeue(study: optuna.Study, trial: FrozenTrial | Trial, deaths: int = 0) -> None:
    """Mark a trial failed and queue its settings again; nothing if another process did."""
    with suppress(ValueError, RuntimeError):  # it is told already, or at this moment
        study.tell(trial.number, state=TrialState.FAIL)
        kept = {RUN: trial.user_attrs.get(RUN), DEATHS: deaths}
        study.enqueue_trial(trial.params, {name: one for name, one in kept.items() if one})


def fail(study: optuna.Study, trial: FrozenTrial | Trial, reason: str) -> None:
    """Mark a trial failed by its own fault: it counts, and is not tried again.

    For Optuna it is pruned: it then looks elsewhere, where it would forget a failed one.
    """
    with suppress(ValueError, RuntimeError):  # it is told already, or at this moment
        Trial(study, trial._trial_id).set_user_attr(ERROR, reason)
        study.tell(trial.number, state=TrialState.PRUNED)


def _is_alive(trial: FrozenTrial) -> bool:
    """Whether the process that has a running trial lives, as far as can be told."""
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
def marking(study: optuna.Study) -> Iterator[None]:
    """Renew the marks of this process's trials while the block lasts."""
    ended = threading.Event()

    def mark() -> None:
        while not ended.wait(BEAT):
            with suppress(Exception):  # told meanwhile, or a storage that is busy: the next time
                for trial in list_own(study):
                    Trial(study, trial._trial_id).set_user_attr(MARK, time.time())

    thread = threading.Thread(target=mark, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def list_own(study: optuna.Study) -> list[FrozenTrial]:
    """Return the running trials of this process."""
    me = [socket.gethostname(), os.getpid()]
    running = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
    return [trial for trial in running if trial.user_attrs.get(OWNER) == me]
