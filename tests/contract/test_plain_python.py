"""The compiled kernels do what the same source does as plain Python over dicts of ints."""

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.batch import Buffers, How, Reset, Reward, Source
from parlour.envs.core.jit import plain
from parlour.envs.core.options import compiled
from parlour.envs.core.rows import Rows
from tests.contract.cases import Case, random_cases
from tests.walkers import WALKERS

SETTINGS = [
    How(reset=int(Reset.NEXT_STEP), max_moves=25, max_steps=70),
    How(reset=int(Reset.SAME_STEP), max_steps=30, reward=int(Reward.SCORE)),
    How(
        reset=int(Reset.NEXT_STEP),
        max_moves=40,
        max_steps=70,
        skip_forced=1,
        reward=int(Reward.WIN),
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


class Interpreted:
    """One row, played by the kernels' source itself."""

    def __init__(self, rows: Rows) -> None:
        game = rows.game
        self.start, self.play = plain(game.play.start), plain(game.play.play)
        assert not hasattr(self.play, "py_func")
        self.states = as_plain(rows.states)
        self.out = Buffers([0.0], [False], [False], [[0] * game.actions], [None], [None])  # type: ignore[arg-type]

    def same(self, rows: Rows, ended: bool) -> None:
        """Assert that the two are equal in every field of the state and all that a step writes."""
        states = as_ints(self.states)
        for row, state in zip(as_plain(rows.states), states, strict=True):
            assert row == state, {name for name in row if row[name] != state[name]}
        out = rows.out
        assert self.out.rewards == out.rewards.tolist()
        assert [bool(flag) for flag in self.out.terminated] == out.terminated.tolist()
        assert [bool(flag) for flag in self.out.truncated] == out.truncated.tolist()
        assert as_ints(self.out.masks) == out.masks.tolist()
        assert as_ints(self.out.shown) == as_plain(out.shown)
        assert not ended or as_ints(self.out.ended)[0] is not None


def check(case: Case, how: How, walker: str, steps: int, seed: int) -> int:
    """Play both side by side, through the ends of games; return how many games ended."""
    rows = Rows(case.game, case.rules, 1, how)
    rows.seed([seed])
    other = Interpreted(rows)
    rows.start(Source.DRAW)
    other.start(other.states, [rows.rules], [True], int(Source.DRAW), other.out)
    other.same(rows, ended=False)
    rng = np.random.default_rng(seed)
    ends = 0
    for _ in range(steps):
        over = rows.states["over"][0]
        action = 0 if over else WALKERS[walker](rows, rng)
        if rng.random() < 0.01:
            action = int(rng.integers(-3, case.game.actions + 3))
        rows.step(np.array([action]))
        other.play(other.states, [rows.rules], [how], [action], other.out)
        ended = bool(rows.out.terminated[0] or rows.out.truncated[0])
        other.same(rows, ended and how.reset == Reset.SAME_STEP)
        ends += ended
    return ends


@pytest.mark.parametrize("how", SETTINGS, ids=["next-step", "same-step", "skip-forced"])
def test_stepping(case: Case, how: How) -> None:
    for number, walker in enumerate(WALKERS):
        assert check(case, how, walker, 90, seed=number)


def test_stepping_with_random_options() -> None:
    for i, case in enumerate(random_cases(30, seed=4)):
        check(case, SETTINGS[i % 3], list(WALKERS)[i % 3], 60, seed=i)


def test_hiding_and_judging(case: Case) -> None:
    game, rules = case.game, case.rules
    hide, judge = plain(game.hide), plain(game.judge)
    rows = Rows(game, case.rules, 1, How(reset=int(Reset.NEXT_STEP)))
    rows.seed([5])
    rows.start(Source.DRAW)
    rng = np.random.default_rng(5)
    for step in range(80):
        over = rows.states["over"][0]
        if step % 4 == 0 and not over:
            states, others = rows.states.copy(), as_plain(rows.states)
            scores = [[0.0] * game.actions]
            judge(others, [rules], list(game.weights.values()), scores)
            assert game.judged(states, rules).tolist() == scores
            game.hide(states, compiled(rules), 0)
            hide(others, [rules], 0)
            assert as_plain(states) == as_ints(others)
        rows.step(np.array([0 if over else WALKERS["lowest"](rows, rng)]))
