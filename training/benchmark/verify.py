"""Verification of benchmark entries: nothing that an entry says is trusted.

- The values of recorded games are computed again by the kernel, which also refuses illegal actions.
- An agent plays random deals of the benchmark again, or all of them if that is fast, and must
  repeat its values exactly.
- The agent also plays fresh deals. If its score there is much lower, it knew the deals of the
  benchmark.
- Whether the agent sees hidden cards is observed, and the time per decision is measured again.

Recorded games prove that the outcomes are possible, not that the player saw no hidden cards. An
agent's code could look anywhere, so people must read it. An entry may come from anybody, so its
agent is loaded without importing code unless the caller allows it, and never from the current
folder.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from math import sqrt
from pathlib import Path
from secrets import randbelow, token_hex

import numpy as np

from parlour.agents.agent_spec import SpecKind, parse_spec
from parlour.agents.registry import imports_code
from parlour.agents.validation import join_lines

from .entries import BenchmarkEntry, locate_entry
from .games import check_recordable, read_games, replay_values
from .measure import Measured, measure_task, time_decisions
from .run import digest_spec, find_agent
from .tasks import BUDGETS, NONE, OVERRUN, SLOW, TIME_CLASSES, Task

DEALS = 100
"""Default number of deals that an agent plays again, and of fresh deals."""
BLOCK = 4
"""Number of consecutive deals that are played again together."""
MOST_FRESH = 1000
"""Number of fresh deals of fast agents."""
ALL_SECONDS = 30.0
"""Most seconds of play of an entry of which verification plays all deals again."""
ERRORS = 4.0
"""Largest difference from the score on fresh deals, in standard errors. A true entry exceeds it by
chance once in 30,000 verifications."""
TIME_FACTOR = 3.0
"""Largest factor between the time per decision on this machine and the limit of the time class."""
MS_FACTOR, MS_LEAST = 20, 0.005
"""Largest factor between an entry's time per decision and that on this machine, since machine,
load, and batch size each account for a factor of a few. Times below `MS_LEAST` milliseconds count
as `MS_LEAST`, since they are mostly the overhead of the call."""
NAMED = (SpecKind.BUILT_IN, SpecKind.RULE_AGENT, SpecKind.PRETRAINED, SpecKind.ORACLE)
"""Kinds of agents that are part of Parlour."""
TOLERANCE = 1e-6
"""Largest relative difference between values, which are saved with nine digits."""


def verify_entry(
    entry: BenchmarkEntry, folder: Path, *, deals: int = DEALS, allow_code: bool = False
) -> list[str]:
    """Return the faults of an entry, each with its reason; an empty list if it holds.

    The function never raises because of an entry or its agent.

    Args:
        entry: The entry.
        folder: The folder of results, to which the paths of agents are relative.
        deals: Number of deals that the agent plays again, and of fresh deals, at least 2. Fast
            agents play all deals.
        allow_code: Whether to run agents given as ``module:Class``.
    """
    return list(_find_faults(entry, folder, deals, allow_code))


def _find_faults(
    entry: BenchmarkEntry, folder: Path, deals: int, allow_code: bool
) -> Iterator[str]:
    task = entry.task_object
    if entry.rules_digest != task.rules_digest:
        yield f"rules_digest: must be {task.rules_digest}, the digest of the current rules"
        return
    if entry.steps > OVERRUN * BUDGETS[entry.budget]:
        yield f"steps: must be at most {BUDGETS[entry.budget]:,} with budget {entry.budget}"
        return
    if entry.agent_digest and entry.budget == NONE:
        yield f"budget: must not be {NONE} for a trained agent"
        return
    if date.fromisoformat(entry.date) > date.today() + timedelta(days=1):  # time zones
        yield f"date: must not be in the future, got {entry.date}"
        return
    if TIME_CLASSES[entry.time_class] < entry.ms:
        yield f"time_class: {entry.time_class} must not be shorter than ms={entry.ms:g}"
        return
    if entry.agent and not (folder / entry.agent).resolve().is_relative_to(folder.resolve()):
        yield f"agent: {entry.agent!r} must not be outside the folder of results"
        return
    if entry.agent and not _is_available(entry, folder):
        yield f"agent: {entry.agent!r} must be a built-in agent or an existing folder"
        return
    if not entry.agent and (wrong := _find_unmeasurable(entry)):
        yield wrong
        return
    if entry.games:
        yield from _verify_games(entry, folder)
    if entry.agent:
        yield from _verify_agent(entry, folder, deals, allow_code)


def _find_unmeasurable(entry: BenchmarkEntry) -> str:
    """Return a fault of an entry without an agent: a fact that only an agent could confirm."""
    if entry.time_class != SLOW or entry.ms or entry.single_ms:
        return f"time_class: must be {SLOW}, and ms and single_ms 0, without an agent to measure"
    if entry.sees_all:
        return "sees_all: must be false without an agent that sees hidden cards"
    if entry.agent_digest:
        return "agent_digest: must be empty without an agent"
    return ""


def _is_available(entry: BenchmarkEntry, folder: Path) -> bool:
    """Return whether the agent is in the folder of results, or part of Parlour, or code."""
    spec = find_agent(folder, entry.agent)
    if spec != entry.agent:
        return True
    kind = parse_spec(spec, entry.task_object.game_object).innermost.kind
    return kind in NAMED or kind is SpecKind.CODE


def _verify_games(entry: BenchmarkEntry, folder: Path) -> Iterator[str]:
    task = entry.task_object
    try:
        check_recordable(task)
        path = locate_entry(folder, entry.method, entry.task, entry.seed).with_name(entry.games)
        actual = replay_values(task, read_games(path, task))
    except (ValueError, OSError) as error:
        yield f"games: {join_lines(error)}"
        return
    yield from _compare_values(entry, actual, 0)


def _verify_agent(
    entry: BenchmarkEntry, folder: Path, deals: int, allow_code: bool
) -> Iterator[str]:
    task, spec = entry.task_object, find_agent(folder, entry.agent)
    if imports_code(spec) and not allow_code:
        yield f"agent: {entry.agent!r} is code: add --allow-code to run it"
        return
    try:
        digest = digest_spec(task, spec)
        if digest != entry.agent_digest:
            got = entry.agent_digest or "nothing"
            yield f"agent_digest: must be {digest or 'empty'}, got {got}"
            return
        yield from _play_again(entry, spec, deals)
    except (Exception, SystemExit) as error:  # an agent's code may raise anything
        yield f"agent: cannot play task {task.name}: {type(error).__name__}: {join_lines(error)}"


def _play_again(entry: BenchmarkEntry, spec: str, deals: int) -> Iterator[str]:
    """Play deals that nobody can foresee: random deals of the benchmark, and fresh deals."""
    task = entry.task_object
    fresh = measure_task(task, spec, deals=min(deals, task.deals), deal_set=f"fresh-{token_hex(8)}")
    if fresh.sees_all != entry.sees_all:
        yield f"sees_all: must be {str(fresh.sees_all).lower()}, as observed"
        return
    per_deal = fresh.ms * fresh.decisions / 1000 / max(len(fresh.values), 1)
    if per_deal * task.num_values <= ALL_SECONDS or deals >= task.deals:
        yield from _compare_values(entry, measure_task(task, spec).values, 0)
        more = min(task.deals, MOST_FRESH)
        fresh = measure_task(task, spec, deals=more, deal_set=f"fresh-{token_hex(8)}")
    else:
        for _ in range(-(-deals // BLOCK)):
            first = randbelow(task.deals - BLOCK + 1)
            again = measure_task(task, spec, deals=BLOCK, first=first)
            yield from _compare_values(entry, again.values, first)
    yield from _compare_fresh(entry, task, fresh)
    limit = TIME_FACTOR * TIME_CLASSES[entry.time_class]
    ms = fresh.ms
    if ms > limit or not _is_plausible(entry.ms, ms):
        # Compiling, or another process, may have slowed the agent down: measure again.
        ms = min(ms, measure_task(task, spec, deals=min(deals, task.deals)).ms)
    if ms > limit:
        yield (
            f"time_class: {entry.time_class} needs at most {limit:g} ms per decision on this "
            f"machine, got {ms:.3g} ms"
        )
    single_ms = time_decisions(task, spec)
    for name, claimed, actual in (
        ("ms", entry.ms, ms),
        ("single_ms", entry.single_ms, single_ms),
    ):
        if not _is_plausible(claimed, actual):
            yield (
                f"{name}: must be within a factor of {MS_FACTOR} of {actual:.3g}, measured on this "
                f"machine, got {claimed:g}"
            )


def _is_plausible(claimed: float, actual: float) -> bool:
    """Return whether a claimed time per decision fits that on this machine."""
    ratio = max(claimed, MS_LEAST) / max(actual, MS_LEAST)
    return 1 / MS_FACTOR <= ratio <= MS_FACTOR


def _compare_values(entry: BenchmarkEntry, actual: np.ndarray, first: int) -> Iterator[str]:
    """Compare values with those of consecutive deals, from ``first`` on, of each set of rules."""
    task = entry.task_object
    table = np.asarray(entry.values).reshape(-1, task.deals)
    number = len(actual) // len(table)
    claimed = table[:, first : first + number].ravel()
    wrong = np.flatnonzero(~np.isclose(claimed, actual, rtol=TOLERANCE, atol=TOLERANCE))
    if len(wrong):
        at = int(wrong[0])
        yield (
            f"values: deal {first + at % number} must have {actual[at]:g}, the result of playing "
            f"it, got {claimed[at]:g} ({len(wrong)} of {len(claimed)} deals are wrong)"
        )


def _compare_fresh(entry: BenchmarkEntry, task: Task, fresh: Measured) -> Iterator[str]:
    """Compare the score with that on fresh deals.

    Each deal counts once, as the mean over all sets of rules: the results of one deal under
    different rules are not independent. The spread of the results comes from the fresh deals, since
    invented values may have any spread; for rates, it comes from the rate of all deals.
    """
    values = entry.deal_values
    others = fresh.values.reshape(task.test_sets or 1, -1).mean(axis=0)
    if len(values) < 2:
        return
    variance = others.var(ddof=1)
    if task.measure == "won" and not task.test_sets:
        rate = np.concatenate([values, others]).mean()
        variance = rate * (1 - rate)
    error = sqrt(variance / len(values) + variance / len(others))
    if values.mean() - others.mean() > ERRORS * error:
        yield (
            f"values: the score must not depend on the deals, got {values.mean():.4g} on the deals "
            f"of the benchmark and {others.mean():.4g} on {len(fresh.values)} fresh deals"
        )
