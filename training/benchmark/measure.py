"""Measurement of an agent on a task: one value per deal, and the time per decision.

The evaluation seed is fixed, so an agent repeats its values whenever it plays the same deals.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.agent_spec import check_repeatable, parse_spec
from parlour.agents.registry import Agent, choose_actions, load_agent, prepare_turn
from parlour.envs.core.batch import MAX_MOVES, Autoreset, StepConfig
from parlour.envs.core.rows import Rows

from ..evaluation.compare import ProgressFactory, compare_specs
from ..evaluation.evaluation_spec import EvaluationSpec
from ..parallel.tasks import Cluster
from .tasks import DEAL_SET, EVALUATION_SEED, OPPONENTS, Task

REPEATED_SECONDS = 1.0
"""Approximate seconds of play of the deals that must have the same values in a second run."""
REPEATED_LEAST, REPEATED_MOST = 10, 200
"""Limits of the number of these deals."""

SINGLE_DECISIONS, SINGLE_SECONDS = 200, 5.0
"""Limits of the measurement of single decisions."""


class Measured(NamedTuple):
    """The values of an agent on a task.

    ``values`` float64 (n,) has one value per deal: 0 or 1 for ``won``, a score, or a net result per
    hand. ``ms`` is the CPU time per decision in milliseconds, in batches of many games, and
    ``decisions`` the number of decisions.
    """

    values: np.ndarray
    sees_all: bool
    ms: float
    decisions: int


@contextmanager
def use_one_core() -> Iterator[None]:
    """Let PyTorch use a single thread, since times per decision are times on one core."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@use_one_core()
def measure_task(
    task: Task,
    agent: Agent | str,
    *,
    deals: int | None = None,
    deal_set: str = DEAL_SET,
    first: int = 0,
    record: Any = None,
    report: ProgressFactory | None = None,
    cluster: Cluster | None = None,
) -> Measured:
    """Measure an agent on a task.

    Args:
        task: The task.
        agent: The agent, or its spec.
        deals: The number of deals of each set of rules (None: all of the task).
        deal_set: The deal set.
        first: The number of the first deal.
        record: A new file for recorded games (None: no record).
        report: See `parlour.training.evaluation.compare.compare`.
        cluster: See `parlour.training.evaluation.compare.compare`.

    Raises:
        ValueError: The agent cannot play the task, or cannot repeat its results: it is a person, or
            a search with a time limit.
    """
    if isinstance(agent, str):
        check_repeatable(parse_spec(agent, task.game_object))
    if task.kind == "exploitability":
        return _measure_exploitability(task, agent)
    values, sees_all, milliseconds, decisions = [], False, 0.0, 0
    for spec in task.make_specs(deals, deal_set, record, first):
        played = _play(spec, agent, report, cluster)
        values.append(played.values)
        sees_all |= played.sees_all
        milliseconds += played.ms * played.decisions
        decisions += played.decisions
    ms = milliseconds / max(decisions, 1)
    return Measured(np.concatenate(values), sees_all, ms, decisions)


def _play(
    spec: EvaluationSpec,
    agent: Agent | str,
    report: ProgressFactory | None,
    cluster: Cluster | None,
) -> Measured:
    """Play an evaluation; in games for several players, against `OPPONENTS`."""
    opponents = OPPONENTS if spec.is_multiplayer else None
    comparison = compare_specs([spec], [agent], opponents=opponents, report=report, cluster=cluster)
    evaluation, results = comparison.evaluations[0], comparison.evaluations[0].results
    if spec.is_multiplayer:
        values = evaluation.nets.mean(axis=1)
    else:
        values = np.asarray(results.facts[spec.game.measure], np.float64)
    return Measured(values, evaluation.sees_all, results.milliseconds, results.decisions)


def check_repeated(task: Task, agent: Agent | str, measured: Measured) -> None:
    """Play the first deals of a task again.

    Raises:
        ValueError: The agent has other values than those of its measurement.
    """
    count = len(measured.values)
    per_deal = measured.ms * measured.decisions / 1000 / count
    most = min(REPEATED_MOST, int(REPEATED_SECONDS / max(per_deal * count / task.deals, 1e-9)))
    deals = min(task.deals, max(REPEATED_LEAST, most))
    first = measured.values.reshape(-1, task.deals)[:, :deals].ravel()
    if not np.array_equal(measure_task(task, agent, deals=deals).values, first):
        raise ValueError(
            f"agent {agent!r} must repeat its results on the same deals, got other results in a "
            f"second run of the first {deals} deals. Draw random numbers only from Turn.seeds"
        )


def _measure_exploitability(task: Task, agent: Agent | str) -> Measured:
    """Return minus the exploitability of an agent, in antes per hand, as the only value."""
    from ..equilibrium.cfr import exploit
    from ..equilibrium.exploitability import extract_policy
    from ..equilibrium.game_tree import build_tree

    loaded = load_agent(agent, task.game_object, task.rules) if isinstance(agent, str) else agent
    tree = build_tree(task.rules)
    exploitability = exploit(tree, extract_policy(loaded, tree).policy).exploitability
    ms = time_decisions(task, loaded)
    return Measured(np.array([-exploitability]), loaded.sees_all, ms, 0)


@use_one_core()
def time_decisions(task: Task, agent: Agent | str) -> float:
    """Return the CPU time per decision of an agent that plays one game at a time, in milliseconds.

    The first decision, which may compile, does not count. In games for several players, the agent
    has all seats. The measurement ends after `SINGLE_DECISIONS` decisions or `SINGLE_SECONDS`.
    """
    game, rules = task.game_object, task.list_test_rules()[0]
    mismatch = task.allows_rules_mismatch
    loaded = load_agent(agent, game, rules, 0, mismatch) if isinstance(agent, str) else agent
    rows = Rows(game, rules, 1, StepConfig(reset=Autoreset.SAME_STEP, max_moves=MAX_MOVES))
    rows.deal_numbered(EVALUATION_SEED, [0])
    times: list[float] = []
    while len(times) <= SINGLE_DECISIONS and sum(times[1:]) < SINGLE_SECONDS:
        turn = prepare_turn(loaded, game, rules, rows.states, len(times))
        begun = process_time()
        actions = choose_actions(loaded, turn)
        times.append(process_time() - begun)
        rows.step(actions)
    return 1000 * float(np.mean(times[1:]))
