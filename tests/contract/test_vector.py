"""Row i of the vector environment is the single environment seeded with s + i, in everything.

Held against Gymnasium's own ``SyncVectorEnv`` over single environments: observations, masks,
rewards, flags, terminal observations, final infos and the states themselves.
"""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from parlour.envs import CardVectorEnv, Game
from parlour.envs.core.baselines import UniformAgent
from tests.contract.cases import CASES, Case, Crowd, random_cases
from tests.marks import slow_if

MODES = list(AutoresetMode)
SETTINGS: list[dict[str, Any]] = [
    {"encoding": "onehot"},
    {"encoding": "codes", "skip_forced": True, "reward": "win", "max_episode_steps": 8},
    {"encoding": "codes", "reward": "score", "max_moves": 20, "max_episode_steps": 25},
    {"encoding": "onehot", "skip_forced": True, "max_moves": 25},
]
SETTINGS_OF_SEVERAL: list[dict[str, Any]] = [
    {"encoding": "onehot"},
    {
        "encoding": "codes",
        "skip_forced": True,
        "reward": "win",
        "opponents": "greedy",
        "seat": 1,
        "max_episode_steps": 12,
    },
    {"encoding": "codes", "reward": "score", "opponents": UniformAgent(seed=5)},
    {"encoding": "onehot", "skip_forced": True, "opponents": [UniformAgent(3)], "seat": 1},
]
"""Agents that choose by the seeds of the turn."""
SEED = 11
WINNABLE = {("pyramid", name) for name in ("turn-back", "web", "three-passes", "open-stock")}
"""Games and variants of which the walkers win some."""
WON = [case for case in CASES if (case.game.name, case.variant) in WINNABLE]
REWARDS = ("progress", "win", "score")


ALWAYS = {"_action_mask", "_played_action"}
"""Masks of Gymnasium's that are all ones where ours are left out."""


def same(one: Any, other: Any, what: str) -> None:
    """Assert that two values are equal to the type; of arrays of objects, each of them."""
    assert type(one) is type(other), what
    if isinstance(one, dict):
        assert one.keys() - ALWAYS == other.keys() - ALWAYS, what
        for key in one:
            same(one[key], other[key] if key in other else np.ones_like(one[key]), f"{what}/{key}")
    elif isinstance(one, np.ndarray) and one.dtype == object:
        assert other.dtype == object, what
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            same(a, b, f"{what}[{i}]")
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, what
        assert np.array_equal(one, other), what
    else:
        assert one == other, what


def ended_only(infos: dict[str, Any], done: np.ndarray, mode: AutoresetMode) -> dict[str, Any]:
    """Gymnasium's infos as ours: they say at every step what ours say at the end of a game."""
    result = {}
    for key, values in infos.items():
        if key.lstrip("_") in ("action_mask", "played_action", "final_obs", "final_info"):
            result[key] = values
        elif mode is not AutoresetMode.SAME_STEP and done.any():
            result[key] = np.where(done, values, np.zeros_like(values))
    return result


class Both:
    """The vector environment and single ones in Gymnasium's, seeded and played alike."""

    def __init__(self, case: Case, n: int, mode: AutoresetMode, **keywords: Any) -> None:
        self.envs = case.vec(n, autoreset_mode=mode, **keywords)
        self.mode, self.goal = mode, case.goal
        self.single = SyncVectorEnv([lambda: case.env(**keywords)] * n, autoreset_mode=mode)
        self.ends = {"terminated": 0, "truncated": 0, "illegal": 0, "won": 0}

    def reset(self, **keywords: Any) -> None:
        observations, infos = self.envs.reset(**keywords)
        others, other_infos = self.single.reset(**keywords)  # takes reset_mask out of the options
        same(observations, others, "reset observations")
        self.compare_masks(infos)
        begun = other_infos["_action_mask"]
        same(infos["action_mask"][begun], other_infos["action_mask"][begun], "reset masks")
        assert infos.keys() - {"played_action"} == {"action_mask"}

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Step both, compare all that comes back; return which games ended."""
        results, others = self.envs.step(actions), self.single.step(actions)
        names = ("observations", "rewards", "terminated", "truncated", "infos")
        _, _, terminated, truncated, infos = results
        assert others[-1][f"_{self.goal}"].all(), "single environments say how games stand"
        others = *others[:-1], ended_only(others[-1], terminated | truncated, self.mode)
        for name, one, other in zip(names, results, others, strict=True):
            same(one, other, name)
        self.compare_masks(infos)
        facts = infos.get("final_info", infos)
        self.ends["terminated"] += terminated.sum()
        self.ends["truncated"] += truncated.sum()
        self.ends["illegal"] += np.sum(facts.get("illegal_action", 0))
        self.ends["won"] += np.sum(facts.get("won", 0))
        return terminated | truncated

    def compare_masks(self, infos: dict[str, Any]) -> None:
        states = np.concatenate([env.rows.states for env in self.single.envs])
        assert states.tobytes() == self.envs.states.tobytes(), "states"
        masks = np.stack(self.single.call("action_masks"))
        assert np.array_equal(masks, self.envs.action_masks())
        assert np.array_equal(masks, infos["action_mask"])


def play(
    case: Case, mode: AutoresetMode, n: int, steps: int, wrong: float = 0.004, **keywords: Any
) -> dict[str, int]:
    both = Both(case, n, mode, **keywords)
    crowd = Crowd(case, n, SEED, wrong)
    both.reset(seed=SEED)
    for _ in range(steps):
        done = both.step(crowd.choose(both.envs.states, both.envs.action_masks()))
        if mode is AutoresetMode.DISABLED and done.any():
            both.reset(options={"reset_mask": done})
    return both.ends


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_rows_are_single_environments(case: Case, mode: AutoresetMode) -> None:
    """2000 steps: 20 rows, 100 steps. Settings go round, so that each meets every mode.

    Of games for several 240 steps, with the turns of all others in between.
    """
    number = CASES.index(case) + MODES.index(mode)
    if case.players == 1:
        ends = play(case, mode, 20, 100, **SETTINGS[number % len(SETTINGS)])
    else:
        setting = SETTINGS_OF_SEVERAL[number % len(SETTINGS_OF_SEVERAL)]
        ends = play(case, mode, 4, 60, wrong=0.06, **setting)
        assert ends["terminated"] or ends["truncated"]
        assert not ends["truncated"] or "max_episode_steps" in setting
    assert ends["illegal"]


@pytest.mark.parametrize(
    "mode", [slow_if(mode is not MODES[0], mode, name=mode.name) for mode in MODES]
)
@pytest.mark.parametrize("won", WON, ids=str)
def test_rows_are_single_environments_where_games_are_won(won: Case, mode: AutoresetMode) -> None:
    """Without limits, which most games above run into; each mode with another reward."""
    setting = {"encoding": "codes", "reward": REWARDS[MODES.index(mode)]}
    ends = play(won, mode, 20, 250, skip_forced=won.variant == "three-passes", **setting)
    assert ends["won"] and ends["terminated"] > ends["won"]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_rows_are_single_environments_in_long_runs(case: Case, mode: AutoresetMode) -> None:
    """Steps with each setting: 25,000 in default variants, 5000 in others.

    In games for several players, 2000 and 400.
    """
    n, steps, settings = 50, 500, SETTINGS
    if case.players > 1:
        n, steps, settings = 10, 200, SETTINGS_OF_SEVERAL
    if case.variant != case.game.default:
        steps //= 5
    for setting in settings:
        ends = play(case, mode, n, steps, wrong=0.004 if case.players == 1 else 0.03, **setting)
        assert ends["illegal"]


@pytest.mark.parametrize("each", [3, slow_if(True, 10)])
def test_rows_are_single_environments_with_random_options(each: int) -> None:
    ends: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    for i, case in enumerate(random_cases(each, seed=5)):
        if case.players == 1:
            ends[False] += Counter(play(case, MODES[i % 3], 6, 80, **SETTINGS[i % 4]))
        else:
            setting = SETTINGS_OF_SEVERAL[i % 4]
            ends[True] += Counter(play(case, MODES[i % 3], 4, 40, wrong=0.03, **setting))
    assert ends[False]["illegal"] and ends[True]["illegal"]
    if each < 10:
        return
    assert all(ends[False][kind] for kind in ("terminated", "truncated", "illegal"))
    assert all(ends[True][kind] for kind in ("terminated", "won", "illegal"))
    assert ends[True]["truncated"]


def test_rows_given_seeds_of_their_own(game: Game) -> None:
    case = Case(game, game.default)
    both = Both(case, 4, AutoresetMode.NEXT_STEP)
    both.reset(seed=[7, 3, 7, 100])
    deck = both.envs.states["deck"].copy()
    assert np.array_equal(deck[0], deck[2])
    assert not np.array_equal(deck[0], deck[1])
    both.reset(seed=[None, 3, None, 8])
    assert np.array_equal(both.envs.states["deck"][1], deck[1])
    with pytest.raises(ValueError, match="seed must have 4 entries, one per row, got 2"):
        both.envs.reset(seed=[1, 2])


def test_rows_without_a_seed_differ(game: Game) -> None:
    """Also in the first reset, where a list leaves rows open, and from process to process."""
    for seed in (None, [None] * 5, [1, None, None, None, None]):
        decks = []
        for _ in range(2):
            envs = CardVectorEnv(game, 5)
            envs.reset(seed=seed)
            decks += [row.tobytes() for row in envs.states["deck"]]
        fixed = 0 if seed is None else sum(one is not None for one in seed)
        assert len(set(decks)) == 10 - fixed


def test_finished_rows_wait_for_a_reset_when_autoreset_is_disabled(case: Case) -> None:
    """They pay nothing, stay as they are and take any action; the others play on."""
    envs = case.vec(6, autoreset_mode="disabled", max_moves=12, encoding="codes")
    alone = case.vec(6, autoreset_mode="disabled", max_moves=12, encoding="codes")
    crowd = Crowd(case, 6, 3)
    envs.reset(seed=1)
    alone.reset(seed=1)
    over = np.zeros(6, np.bool_)
    finished = {}
    for _ in range(600):
        actions = crowd.choose(envs.states, envs.action_masks())
        strange = np.where(over, -5, actions)
        results, others = envs.step(actions), alone.step(strange)
        for one, other in zip(results[:4], others[:4], strict=True):
            assert np.array_equal(one, other)
        observations, rewards, terminated, truncated, infos = results
        assert (infos["action_mask"][over & terminated] == 1).all()
        assert (rewards[over] == 0).all()
        assert ((terminated | truncated)[over]).all()
        for row, (state, observation) in finished.items():
            assert envs.states[row].tobytes() == state
            assert np.array_equal(observations[row], observation)
        now = (terminated | truncated) & ~over
        if now.any():
            assert np.array_equal(infos[f"_{case.goal}"], now)
        else:
            assert case.goal not in infos
        for row in np.flatnonzero(now):
            finished[row] = envs.states[row].tobytes(), observations[row].copy()
        over |= now
        if over.all():
            return
    raise AssertionError("the games did not end")


def test_partial_resets_leave_other_rows_alone(game: Game) -> None:
    envs = CardVectorEnv(game, 4, autoreset_mode="disabled")
    with pytest.raises(Exception, match="first reset"):
        envs.reset(options={"reset_mask": np.ones(4, np.bool_)})
    envs.reset(seed=5)
    before = envs.clone()
    which = np.array([False, True, False, True])
    options = {"reset_mask": which}
    envs.reset(seed=90, options=options)
    assert options.keys() == {"reset_mask"}
    assert envs.states[~which].tobytes() == before[~which].tobytes()
    whole = CardVectorEnv(game, 4)
    whole.reset(seed=90)
    assert envs.states[which].tobytes() == whole.states[which].tobytes()
    wrong = (np.zeros(4, np.bool_), np.ones(3, np.bool_), np.ones(4), [True] * 3)
    for mask in wrong:
        with pytest.raises(ValueError, match="reset_mask"):
            envs.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("encoding", ["onehot", "codes"])
def test_without_copies_the_same_comes_in_the_same_buffers(
    game: Game, encoding: str, mode: AutoresetMode
) -> None:
    case = Case(game, game.default)
    keywords = {"encoding": encoding, "autoreset_mode": mode, "max_moves": 8}
    copying, sparing = case.vec(5, **keywords), case.vec(5, copy=False, **keywords)
    crowd = Crowd(case, 5, 1)
    first, _ = sparing.reset(seed=1)
    kept = [copying.reset(seed=1)[0]]
    for _ in range(40):
        actions = crowd.choose(copying.states, copying.action_masks())
        results, others = copying.step(actions), sparing.step(actions)
        for one, other in zip(results, others, strict=True):
            same(one, other, "with and without copies")
        assert np.shares_memory(first, others[0])
        assert not any(np.shares_memory(results[0], earlier) for earlier in kept)
        assert not np.shares_memory(results[0], copying.rows.codes)
        kept.append(results[0])


def test_final_observations_are_not_overwritten(case: Case) -> None:
    """Neither by the new game of the row nor by later steps, even without copies."""
    envs = case.vec(4, autoreset_mode="same_step", copy=False, max_moves=6, encoding="codes")
    crowd = Crowd(case, 4, 2)
    envs.reset(seed=0)
    held: list[tuple[np.ndarray, bytes]] = []
    for _ in range(60):
        infos = envs.step(crowd.choose(envs.states, envs.action_masks()))[4]
        for row in np.flatnonzero(infos.get("_final_obs", [])):
            final = infos["final_obs"][row]
            held.append((final, final.tobytes()))
    assert len(held) > 4
    assert all(final.tobytes() == was for final, was in held)
