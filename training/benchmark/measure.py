"""Measurement of an agent on a task: one value per deal, and the time per decision."""

from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.agent_spec import parse_spec
from parlour.agents.registry import Agent, choose_actions, load_agent, prepare_turn
from parlour.envs.core.batch import MAX_MOVES, Autoreset, StepConfig
from parlour.envs.core.rows import Rows

from ..evaluation.compare import ProgressFactory
from ..evaluation.leaderboard.claims import play_spec
from ..evaluation.leaderboard.entries import HUMAN
from ..parallel.tasks import Cluster
from .tasks import DEAL_SET, EVALUATION_SEED, Task

SINGLE_DECISIONS, SINGLE_SECONDS = 200, 5.0
"""Limits of the measurement of single decisions."""


class Measured(NamedTuple):
    """The values of an agent on a task.

    ``values`` float64 (n,) has one value per deal: 0 or 1 for ``won``, a score, or a net result per
    hand. ``ms`` is the time per decision in milliseconds, in batches of many games, and
    ``decisions`` the number of decisions.
    """

    values: np.ndarray
    sees_all: bool
    ms: float
    decisions: int


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
        ValueError: The agent cannot play the task, or is a person.
    """
    if isinstance(agent, str) and parse_spec(agent, task.game_object).innermost.text == HUMAN:
        raise ValueError("agent must not be human: its results cannot be repeated")
    if task.kind == "exploitability":
        return _measure_exploitability(task, agent)
    values, sees_all, milliseconds, decisions = [], False, 0.0, 0
    for spec in task.make_specs(deals, deal_set, record, first):
        played = play_spec(spec, agent, report, cluster)
        values.append(np.asarray(played.values, np.float64))
        sees_all |= played.sees_all
        milliseconds += played.milliseconds * played.decisions
        decisions += played.decisions
    ms = milliseconds / max(decisions, 1)
    return Measured(np.concatenate(values), sees_all, ms, decisions)


def _measure_exploitability(task: Task, agent: Agent | str) -> Measured:
    """Return minus the exploitability of an agent, in antes per hand, as the only value."""
    from ..equilibrium.cfr import exploit
    from ..equilibrium.exploitability import extract_policy
    from ..equilibrium.game_tree import build_tree

    loaded = load_agent(agent, task.game_object, task.rules) if isinstance(agent, str) else agent
    tree = build_tree(task.rules)
    exploitability = exploit(tree, extract_policy(loaded, tree).policy).exploitability
    return Measured(np.array([-exploitability]), False, time_decisions(task, loaded), 0)


def time_decisions(task: Task, agent: Agent | str) -> float:
    """Return the time per decision of an agent that plays one game at a time, in milliseconds.

    The first decision, which may compile, does not count. In games for several players, the agent
    has all seats. The measurement ends after `SINGLE_DECISIONS` decisions or `SINGLE_SECONDS`.
    """
    game, rules = task.game_object, task.list_test_rules()[0]
    mismatch = task.kind == "rules"
    loaded = load_agent(agent, game, rules, 0, mismatch) if isinstance(agent, str) else agent
    rows = Rows(game, rules, 1, StepConfig(reset=Autoreset.SAME_STEP, max_moves=MAX_MOVES))
    rows.deal_numbered(EVALUATION_SEED, [0])
    times: list[float] = []
    while len(times) <= SINGLE_DECISIONS and sum(times[1:]) < SINGLE_SECONDS:
        turn = prepare_turn(loaded, game, rules, rows.states, len(times))
        begun = perf_counter()
        actions = choose_actions(loaded, turn)
        times.append(perf_counter() - begun)
        rows.step(actions)
    return 1000 * float(np.mean(times[1:]))
