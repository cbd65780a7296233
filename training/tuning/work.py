"""Trials of a search for settings, one after the other: in this process, or in several."""

import math
import multiprocessing
import os
import signal
import sys
import time
from contextlib import suppress
from typing import Any

from optuna import Study, TrialPruned
from optuna.trial import Trial, TrialState

from parlour.agents.validation import one_line

from ..learning.run import measured
from ..parallel.parent import block_signals, unblock_signals, watch_parent
from .study import (
    RUN,
    ask,
    draw_params,
    fail,
    list_counted,
    marking,
    open_study,
    read_trials,
    requeue,
    requeue_dead,
)
from .trial import TunePlan, run_trial

ROUNDS = 3
"""How often processes are started anew when some of them have died."""
PATIENCE = 30.0
"""Seconds that a process has to end after Ctrl-C before it is told again."""
FAILED = 2


def work(plan: TunePlan) -> None:
    """Try settings until there are enough trials, other processes' among them."""
    study = open_study(plan)
    with marking(study):
        while _is_wanted() and (trial := ask(study, plan)) is not None:
            _try(study, plan, trial)


def _is_wanted() -> bool:
    """Whether the process that has started this one, if one has, still lives."""
    parent = multiprocessing.parent_process()
    return parent is None or parent.is_alive()


def _try(study: Study, plan: TunePlan, trial: Trial) -> None:
    """Run a trial, and tell the study how it ended."""

    def report(part: int, value: float) -> None:
        trial.report(value, part)
        if part < plan.parts and trial.should_prune():
            raise TrialPruned

    try:
        value = run_trial(plan, trial.user_attrs[RUN], draw_params(plan, trial), report)
        if not math.isfinite(value):
            raise ArithmeticError(f"it came to {value}")
        study.tell(trial, value, skip_if_finished=True)
    except TrialPruned:
        study.tell(trial, state=TrialState.PRUNED, skip_if_finished=True)
    except (ValueError, ArithmeticError, RuntimeError) as error:  # settings that do not go together
        fail(study, trial, f"{type(error).__name__}: {one_line(error)}")
    except BaseException:  # Ctrl-C, a full disk ...: it is not the settings' fault
        requeue(study, trial)
        raise
    if not plan.quiet:
        _say(plan, study, trial.number)


def _say(plan: TunePlan, study: Study, number: int) -> None:
    """Write a line on stderr: how a trial ended, and the best one so far."""
    rows = read_trials(study)
    row = next(row for row in rows if row.number == number)
    value = row.error if row.value is None else measured(plan.measure, row.value)
    done = [row for row in rows if row.state == "done"]
    best = f", best {measured('', done[0].value or 0.0, plan.measure)}" if done else ""
    print(
        f"trial {number}, {row.state}: {value}{best}, {row.seconds or 0:,.0f} s",
        file=sys.stderr,
        flush=True,
    )


def work_by_processes(plan: TunePlan, jobs: int) -> None:
    """Let processes work side by side; those that die are started anew, a few times.

    Raises ChildProcessError for what one of them raised, or if they die again and again.
    """
    study = open_study(plan)
    context = multiprocessing.get_context("spawn")
    for _ in range(ROUNDS):
        requeue_dead(study)
        left = min(jobs, plan.trials - len(list_counted(study)))
        if left < 1:
            return
        errors = context.SimpleQueue()
        given = plan, errors, os.getpid()
        processes = [context.Process(target=_work_aside, args=given) for _ in range(left)]
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
    raise ChildProcessError(f"processes of the search have died, {ROUNDS} times")


def _work_aside(plan: TunePlan, errors: Any, parent: int) -> None:
    """Work in a process that was started for it; the parent process hands Ctrl-C on."""
    with suppress(AttributeError, OSError):
        os.setpgrp()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    watch_parent(parent, _leave)
    try:
        unblock_signals()
        work(plan)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except Exception as error:
        errors.put(f"{type(error).__name__}: {one_line(error)}")
        sys.exit(FAILED)


def _leave() -> None:
    """Stop as after Ctrl-C, with a checkpoint; end the process if that takes too long."""
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(PATIENCE)
    os._exit(FAILED)


def _stop(processes: list[Any]) -> None:
    """Hand Ctrl-C on and wait: each process ends after its update, with a checkpoint."""
    for _ in range(2):  # a second one ends it at once
        for process in processes:
            if process.is_alive():
                os.kill(process.pid, signal.SIGINT)
        for process in processes:
            process.join(PATIENCE)
    for process in processes:
        process.kill()
