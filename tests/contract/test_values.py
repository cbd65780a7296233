"""Afterstate values that games compute incrementally equal full sums over the active features."""

import numpy as np
import pytest

from parlour.agents.networks.value_table import (
    ValueTableAgent,
    afterstate_scorers,
    require_afterstates,
)
from parlour.agents.registry import prepare_turn
from parlour.envs.core.afterstates import put_on_top, win_bonus_points
from parlour.envs.core.legal import list_actions
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import Rows, resample_copies
from tests.contract.cases import CASES, Case, positions, random_cases
from tests.marks import slow_if

VALUED = [case for case in CASES if case.game.afterstates]
WITH_VALUES = [case for case in VALUED if case.players == 1]
"""Cases whose values add up to a score, which exists only in games for one player."""
DEFAULT_QUICK = [
    pytest.param(case, marks=[] if case.variant == case.game.default else [pytest.mark.slow])
    for case in WITH_VALUES
]
QUICK = [case for case in WITH_VALUES if str(case) == "puss_in_the_corner-no-redeal"]
"""Cases of the fast tests. The kernel of the other game takes long to compile."""
CLOSE = 1e-3


def table_of(case: Case) -> np.ndarray:
    """Return a table of random values, which are small so that float32 sums are accurate."""
    size = require_afterstates(case.game).num_features
    return np.random.default_rng(1).normal(0, 0.1, size).astype(np.float32)


def judge(case: Case, table: np.ndarray, states: np.ndarray, width: int = 0) -> np.ndarray:
    scores = np.zeros((len(states), case.game.actions))
    ids, rules = (
        np.zeros(require_afterstates(case.game).max_active, np.int32),
        as_record(case.rules),
    )
    result = afterstate_scorers(case.game.name)
    if width:
        work = np.zeros(1, case.game.state)
        result.score_by_expectation(states, rules, table, ids, scores, work, width)
    else:
        result.score_by_value(states, rules, table, ids, scores)
    return scores


def played(case: Case, state: np.ndarray, action: int) -> np.ndarray:
    rows = Rows(case.game, case.rules, 1)
    rows.restore(state)
    rows.step(np.array([action]))
    return rows.states


def summed(case: Case, table: np.ndarray, state: np.ndarray, action: int) -> float:
    """Return the score after an action plus the sum of the values of its afterstate."""
    values = require_afterstates(case.game)
    ids = np.zeros(values.max_active, np.int32)
    result = values.active_features(state[0], as_record(case.rules)[0], action, ids)
    assert 0 <= result <= values.max_active
    numbers = ids[:result]
    assert ((numbers >= -1) & (numbers < values.num_features)).all()
    return float(played(case, state, action)["score"][0] + table[numbers[numbers >= 0]].sum())


def base_of(case: Case, table: np.ndarray, state: np.ndarray) -> float:
    values = require_afterstates(case.game)
    ids = np.zeros(values.max_active, np.int32)
    return float(values.state_value(state[0], as_record(case.rules)[0], table, ids))


def check_sums(case: Case, games: int) -> None:
    table = table_of(case)
    env = case.env(encoding="codes")
    for _ in positions(env, games, seed=3, every=3):
        state = env.rows.states.copy()
        if state["over"][0]:
            continue
        before = state.tobytes()
        scores, base = judge(case, table, state)[0], base_of(case, table, state)
        assert state.tobytes() == before, "scoring has changed the state"
        for action in np.flatnonzero(env.action_masks()).tolist():
            assert base + scores[action] == pytest.approx(
                summed(case, table, state, action), abs=CLOSE
            )


@pytest.mark.parametrize("valued", DEFAULT_QUICK, ids=str)
def test_incremental_scores_equal_full_sums(valued: Case) -> None:
    check_sums(valued, 4)


def test_incremental_scores_equal_full_sums_with_random_options() -> None:
    for case in random_cases(8, seed=5):
        if case.game.afterstates and case.players == 1:
            check_sums(case, 1)


@pytest.mark.parametrize("every", [8, slow_if(True, 1)])
@pytest.mark.parametrize(
    "valued",
    [slow_if(case not in QUICK, case, name=str(case)) for case in WITH_VALUES],
)
def test_expectation_is_the_mean_over_the_next_cards(valued: Case, every: int) -> None:
    """The expected result is computed in plain Python: the best next action for every next card."""
    values, table = require_afterstates(valued.game), table_of(valued)
    env = valued.env(encoding="codes")
    for step in positions(env, 2, seed=8, every=17):
        state = env.rows.states.copy()
        if state["over"][0]:
            continue
        cards = np.zeros(64, np.int8)
        count = values.possible_cards(state[0], cards)
        scores = judge(valued, table, state, width=64)[0]
        for action in np.flatnonzero(env.action_masks())[::every].tolist():
            worths = []
            for card in cards[:count].tolist() or [0]:
                drawn = state.copy()
                if card:
                    put_on_top(drawn[0], card)
                then = played(valued, drawn, action)
                answers = list_actions(then["legal"][0])
                worths.append(
                    max(summed(valued, table, then, answer) for answer in answers)
                    if not then["over"][0]
                    else float(
                        then["score"][0] + win_bonus_points(valued.game.kernels) * then["won"][0]
                    )
                )
            assert scores[action] == pytest.approx(np.mean(worths), abs=CLOSE), (step, action)


@pytest.mark.parametrize("width", [0, 4])
@pytest.mark.parametrize("valued", VALUED, ids=str)
def test_choices_do_not_depend_on_hidden_cards(valued: Case, width: int) -> None:
    agent = ValueTableAgent(table_of(valued), width=width)
    env = valued.whole(encoding="codes")
    for step in positions(env, 3, seed=9, every=11):
        if env.rows.states["over"][0]:
            continue
        others = resample_copies(valued.game, valued.rules, env.rows.states.repeat(4), step)
        others["rng"] = env.rows.states["rng"]
        turn = prepare_turn(agent, valued.game, valued.rules, others, step)._replace(states=others)
        assert len(set(agent.act(turn).tolist())) == 1


@pytest.mark.parametrize("valued", WITH_VALUES, ids=str)
def test_points_of_the_parts_add_up_to_the_score(valued: Case) -> None:
    values = require_afterstates(valued.game)
    env = valued.env(encoding="codes")
    for _ in positions(env, 2, seed=4):
        if env.rows.states["over"][0]:
            points = np.zeros(values.max_active)
            values.part_scores(env.rows.states[0], as_record(valued.rules)[0], points)
            if values.num_parts:
                assert points[: values.num_parts].sum() == env.rows.states["score"][0]
