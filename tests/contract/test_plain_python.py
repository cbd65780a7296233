"""The compiled kernels do what the same source does as plain Python over dicts of ints."""

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.batch import Autoreset, DealSource, IllegalMode, Reward, StepConfig
from parlour.envs.core.contract import Buffers
from parlour.envs.core.kernel.jit import plain_python
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import Rows
from tests.contract.cases import Case, random_cases
from tests.marks import slow_if
from tests.walkers import WALKERS

SETTINGS = [
    StepConfig(reset=int(Autoreset.NEXT_STEP), max_moves=25, max_steps=70),
    StepConfig(
        reset=int(Autoreset.SAME_STEP),
        max_steps=30,
        reward=int(Reward.SCORE),
        illegal=int(IllegalMode.PENALTY),
    ),
    StepConfig(
        reset=int(Autoreset.NEXT_STEP),
        max_moves=40,
        max_steps=70,
        skip_forced=1,
        reward=int(Reward.WIN),
        illegal=int(IllegalMode.RANDOM),
    ),
]


def as_plain(value: Any) -> Any:
    """A record as a dict, an array as a list, a number as an int: at every depth."""
    if value.dtype.names:
        if value.shape:
            return [as_plain(row) for row in value]
        return {name: as_plain(value[name]) for name in value.dtype.names}
    return value.tolist()


def as_ints(value: Any) -> Any:
    """The same after plain Python has played: what NumPy's constants made of ints is int again."""
    if isinstance(value, dict):
        return {key: as_ints(inner) for key, inner in value.items()}
    return [as_ints(inner) for inner in value] if isinstance(value, list) else int(value)


def rules_of(case: Case) -> Any:
    """The rules as kernels take them: ints, and tuples of them."""
    numbers = {field: as_plain(value) for field, value in zip(*whole(case.rules), strict=True)}
    return case.rules._replace(**numbers)


def whole(rules: Any) -> tuple[tuple[str, ...], Any]:
    return rules._fields, as_record(rules)[0]


class Interpreted:
    """One row, played by the kernels' source itself."""

    def __init__(self, rows: Rows, rules: Any) -> None:
        game = rows.game
        self.rules = rules
        self.begin, self.play = (
            plain_python(game.kernels.reset_rows),
            plain_python(game.kernels.step_rows),
        )
        assert not hasattr(self.play, "py_func")
        self.states = as_plain(rows.states)
        rewards, masks = [[0.0] * game.max_players], [[0] * game.actions]
        self.out = Buffers(rewards, [False], [False], masks, [None], [-1], [0])  # type: ignore[arg-type]

    def start(self, config: StepConfig, source: DealSource) -> None:
        self.begin(self.states, [self.rules], [config], [True], int(source), self.out)

    def step(self, config: StepConfig, action: int) -> None:
        self.play(self.states, [self.rules], [config], [True], [action], self.out)

    def same(self, rows: Rows, ended: bool) -> None:
        """Assert that the two are equal in every field of the state and all that a step writes."""
        states = as_ints(self.states)
        for row, state in zip(as_plain(rows.states), states, strict=True):
            assert row == state, {name for name in row if row[name] != state[name]}
        out = rows.buffers
        assert self.out.rewards == out.rewards.tolist()
        assert [bool(flag) for flag in self.out.terminated] == out.terminated.tolist()
        assert [bool(flag) for flag in self.out.truncated] == out.truncated.tolist()
        assert as_ints(self.out.masks) == out.masks.tolist()
        assert as_ints(self.out.played) == out.played.tolist()
        assert not ended or as_ints(self.out.final_states)[0] is not None


def check(case: Case, config: StepConfig, walker: str, steps: int, seed: int) -> int:
    """Play both side by side, through the ends of games; return how many games ended.

    All seats of a game for several are played, without limits, which such a game does not have.
    """
    if case.players > 1:
        config = config._replace(max_moves=0, max_steps=0)
    rows = Rows(case.game, case.rules, 1, config)
    rows.seed([seed])
    other = Interpreted(rows, rules_of(case))
    rows.start(DealSource.DRAW)
    other.start(config, DealSource.DRAW)
    other.same(rows, ended=False)
    rng = np.random.default_rng(seed)
    ends = 0
    for _ in range(steps):
        over = rows.states["over"][0]
        action = 0 if over else WALKERS[walker](rows, rng)
        if rng.random() < 0.01:
            action = int(rng.integers(-3, case.game.actions + 3))
        rows.step(np.array([action]))
        other.step(config, action)
        ended = bool(rows.buffers.terminated[0] or rows.buffers.truncated[0])
        other.same(rows, ended and config.reset == Autoreset.SAME_STEP)
        ends += ended
    return ends


@pytest.mark.parametrize("config", SETTINGS, ids=["next-step", "same-step", "skip-forced"])
def test_stepping(case: Case, config: StepConfig) -> None:
    if case.players == 1:
        assert all(check(case, config, walker, 90, seed) for seed, walker in enumerate(WALKERS))
        return
    for seed, walker in enumerate(WALKERS):
        lowest = walker == "lowest"  # folds soon: it gets to the end, and beyond
        ends = check(case, config, walker, 40 + 14 * case.players if lowest else 30, seed)
        assert ends or not lowest


@pytest.mark.parametrize("each", [3, slow_if(True, 10)])
def test_stepping_with_random_options(each: int) -> None:
    for i, case in enumerate(random_cases(each, seed=4)):
        check(case, SETTINGS[i % 3], list(WALKERS)[i % 3], 60, seed=i)


def test_settling(case: Case) -> None:
    """What a finished game pays: the whole of it at a table of several."""
    rows = Rows(case.game, case.rules, 1)
    rows.seed([6])
    rows.start(DealSource.DRAW)
    rng = np.random.default_rng(6)
    for _ in range(400):
        if rows.states["over"][0]:
            break
        rows.step(np.array([WALKERS["lowest"](rows, rng)]))
    for reward in Reward:
        config = StepConfig(reward=int(reward))
        other = Interpreted(rows, rules_of(case))
        settle = (rows.rules_record, as_record(config), rows.all_rows, rows.buffers)
        case.game.kernels.pay_finished(rows.states, *settle)
        plain_python(case.game.kernels.pay_finished)(
            other.states, [other.rules], [config], [True], other.out
        )
        assert other.out.rewards == rows.buffers.rewards.tolist()


def test_hiding_viewing_and_judging(case: Case) -> None:
    """From every seat, and from that whose turn it is."""
    game, rules = case.game, rules_of(case)
    hide, judge = plain_python(game.resample_rows), plain_python(game.score_rows)
    rows = Rows(game, case.rules, 1, StepConfig(reset=int(Autoreset.NEXT_STEP)))
    rows.seed([5])
    rows.start(DealSource.DRAW)
    rng = np.random.default_rng(5)
    for step in range(80 if case.players == 1 else 32):
        over = rows.states["over"][0]
        if step % 4 == 0 and not over:
            states, others = rows.states.copy(), as_plain(rows.states)
            scores = [[0.0] * game.actions]
            judge(others, [rules], list(game.heuristic_weights.values()), scores)
            assert game.score_actions(states, rules).tolist() == scores
            for seat in range(-1, case.players):
                game.resample_rows(states, as_record(rules), seat)
                hide(others, [rules], seat)
                assert as_plain(states) == as_ints(others)
                if game.seats is not None and seat >= 0:
                    game.seats.view(states, as_record(rules), np.array([seat]))
                    plain_python(game.seats.view)(others, [rules], [seat])
                    assert as_plain(states) == as_ints(others)
        rows.step(np.array([0 if over else WALKERS["lowest"](rows, rng)]))
