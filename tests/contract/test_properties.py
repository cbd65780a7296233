"""What holds for any game, any options, any deal and any moves: Hypothesis looks for exceptions."""

from dataclasses import replace
from enum import IntEnum
from typing import Any, get_type_hints

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from parlour.envs import GAMES, CardEnv, Game
from parlour.envs.core.batch import Over
from parlour.envs.core.legal import list_actions
from parlour.envs.core.options import to_plain
from parlour.envs.core.rules_table import random_options
from parlour.envs.core.schema import RANK
from tests.contract.cases import CASES, Case, random_cases, unit_of

BOUNDED = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=375,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
FEW = settings(BOUNDED, max_examples=60)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A variant of any game with any of its options changed, as long as the game allows it."""
    case = draw(st.sampled_from(CASES))
    some = random_options(case.game, np.random.default_rng(draw(st.integers(0, 10_000))))
    changed = draw(st.lists(st.sampled_from(sorted(some)), unique=True, max_size=6))
    options = {option: some[option] for option in changed}
    try:
        case.game.make_rules(case.variant, options)
    except ValueError:
        assume(False)
    return replace(case, options=options)


SEEDS = st.integers(0, 2**32 - 1)
MOVES = st.lists(st.integers(0, 11), min_size=1, max_size=150)
"""Which of the legal actions is taken; the list goes round until the game ends."""


class Played:
    """A game played to its end: the environment, what each step paid, what was shown.

    At a table of several, by one of its seats.
    """

    def __init__(self, case: Case, seed: int, moves: list[int], **keywords: Any) -> None:
        self.seat = seed % case.players
        if case.players > 1:
            keywords["seat"] = self.seat
        self.env = case.env(encoding="codes", max_moves=120, **keywords)
        self.rewards: list[float] = []
        observation, self.info = self.env.reset(seed=seed)
        self.observations = [observation]
        self.counts = [self.heads()]
        self.begun = self.progress()
        self.truncated = over = False
        while not over:
            can = np.flatnonzero(self.env.action_masks())
            action = int(can[moves[len(self.rewards) % len(moves)] % len(can)])
            observation, reward, terminated, self.truncated, self.info = self.env.step(action)
            self.rewards.append(reward)
            self.observations.append(observation)
            self.counts.append(self.heads())
            over = terminated or self.truncated

    def progress(self) -> int:
        """What the reward "progress" counts."""
        return int(self.env.game.kernels.progress(self.env.state))

    def heads(self) -> dict[str, Any]:
        state = self.env.state
        facts = {name: int(state[name]) for name in ("score", "moves", "over")}
        return {"legal": list_actions(state["legal"])} | facts


def check_counts(case: Case, seed: int, moves: list[int], skip_forced: bool) -> None:
    """Something is legal until the end, the score has its bounds, moves are counted upwards.

    At a table of several each step is one move and those of the others behind it, a game is never
    broken off, and it may be over before one's first turn, which the first step tells.
    """
    played = Played(case, seed, moves, skip_forced=skip_forced)
    *running, end = played.counts
    lowest, highest = case.game.score_range
    several = case.players > 1
    if several and running[0]["over"]:
        assert running == [running[0]]
        assert (running[0]["over"], end["over"]) == (Over.ENDED_BEFORE_TURN, Over.TERMINATED)
        assert not end["legal"]
        running = []
    assert all(count["legal"] for count in running)
    assert not any(count["over"] for count in running)
    assert end["over"] in ((1,) if several else (1, 2))
    assert all(lowest <= count["score"] <= highest for count in played.counts)
    for before, after in zip(running, played.counts[1:], strict=bool(running)):
        assert before["moves"] < after["moves"] if several else before["moves"] <= after["moves"]
        assert skip_forced or several or after["moves"] <= before["moves"] + 1
        assert not skip_forced or after["over"] or len(after["legal"]) > 1
    state = played.env.state
    assert played.info["score"] == (state["net"][played.seat] if several else end["score"])
    assert lowest <= played.info["score"] <= highest
    assert played.info["moves"] == end["moves"]
    assert played.info["illegal_action"] is False
    assert not (played.info[case.goal] and played.truncated)
    if several:
        assert played.info[case.goal] is (played.info["score"] > 0)
        assert state["net"].sum() == 0
        assert skip_forced or state["steps"] == end["moves"]
    else:
        assert state["steps"] == len(played.rewards)


@FEW
@given(cases(), SEEDS, MOVES, st.booleans())
def test_counts(case: Case, seed: int, moves: list[int], skip_forced: bool) -> None:
    check_counts(case, seed, moves, skip_forced)


@pytest.mark.slow
@BOUNDED
@given(cases(), SEEDS, MOVES, st.booleans())
def test_counts_of_many_games(case: Case, seed: int, moves: list[int], skip_forced: bool) -> None:
    check_counts(case, seed, moves, skip_forced)


def check_rewards(case: Case, seed: int, moves: list[int], skip_forced: bool) -> None:
    """Each kind of reward adds up to what it stands for: at a table of several the seat's net."""
    played = {
        reward: Played(case, seed, moves, reward=reward, skip_forced=skip_forced)
        for reward in ("progress", "win", "score")
    }
    infos = [one.info for one in played.values()]
    facts = [{key: value for key, value in info.items() if key != "action_mask"} for info in infos]
    assert facts[0] == facts[1] == facts[2]
    score, reached = facts[0]["score"], facts[0][case.goal]
    play = case.game.kernels
    gained = played["progress"].progress() - played["progress"].begun
    whole = gained * play.score_scale + reached * play.win_bonus
    if case.players > 1:
        whole = score / unit_of(case)
        assert not any(played["progress"].rewards[:-1])
    assert np.isclose(sum(played["progress"].rewards), whole)
    assert played["win"].rewards[-1] == reached
    assert not any(played["win"].rewards[:-1])
    assert played["score"].rewards[-1] == score
    assert not any(played["score"].rewards[:-1])


@FEW
@given(cases(), SEEDS, MOVES, st.booleans())
def test_rewards(case: Case, seed: int, moves: list[int], skip_forced: bool) -> None:
    check_rewards(case, seed, moves, skip_forced)


@pytest.mark.slow
@BOUNDED
@given(cases(), SEEDS, MOVES, st.booleans())
def test_rewards_of_many_games(case: Case, seed: int, moves: list[int], skip_forced: bool) -> None:
    check_rewards(case, seed, moves, skip_forced)


def by_rank(game: Game, output: dict[str, Any]) -> dict[str, Any]:
    """What ``codes`` say, as ``onehot`` can say it: of some cards only the rank."""
    ranks = {piece.name for piece in game.features.pieces if piece.kind is RANK}

    def rank(names: Any) -> Any:
        if isinstance(names, list):
            return [rank(name) for name in names]
        return names if names == "--" else names[0]

    return {name: rank(value) if name in ranks else value for name, value in output.items()}


def observations_agree(case: Case, seed: int, moves: list[int]) -> None:
    """Both encodings lie in their spaces and say the same, piece by piece."""
    played = Played(case, seed, moves)
    game, features = case.game, case.game.features
    spaces = {encoding: CardEnv(game, encoding=encoding).observation_space for encoding in
              ("onehot", "codes")}  # fmt: skip
    codes = np.stack(played.observations)
    flat = features.onehot(codes)
    assert codes.dtype == np.int8
    assert flat.dtype == np.uint8
    assert ((codes >= 0) & (codes <= features.high)).all()
    assert flat.max() <= 1
    for i in range(0, len(codes), 9):
        assert codes[i] in spaces["codes"]
        assert flat[i] in spaces["onehot"]
        output, read = features.explain(codes[i]), features.explain(flat[i])
        assert list(output) == [piece.name for piece in features.pieces]
        assert by_rank(game, output) == read


@FEW
@given(cases(), SEEDS, MOVES)
def test_observations(case: Case, seed: int, moves: list[int]) -> None:
    observations_agree(case, seed, moves)


@pytest.mark.slow
@BOUNDED
@given(cases(), SEEDS, MOVES)
def test_observations_of_many_games(case: Case, seed: int, moves: list[int]) -> None:
    observations_agree(case, seed, moves)


def rules_are_shown(case: Case) -> None:
    """Every option is a piece of the observation, and has there the value that is played."""
    rules = to_plain(case.rules)
    env = case.env(encoding="codes")
    for observation in (env.reset(seed=1)[0], env.step(int(env.action_masks().argmax()))[0]):
        output = case.game.features.explain(observation)
        assert rules.keys() <= output.keys()
        assert all(np.array_equal(output[option], value) for option, value in rules.items())


def test_the_rules_are_in_the_observation(case: Case) -> None:
    rules_are_shown(case)


def test_the_rules_are_in_the_observation_with_random_options() -> None:
    for case in random_cases(20, seed=31):
        rules_are_shown(case)


@BOUNDED
@given(st.data())
def test_options_out_of_range_are_refused_by_name(data: st.DataObject) -> None:
    game = data.draw(st.sampled_from(list(GAMES.values())))
    hints = get_type_hints(game.rules, include_extras=True)
    kinds = {field: hint.__origin__ for field, hint in hints.items()}
    single = [field for field in sorted(kinds) if isinstance(kinds[field], type)]
    field = data.draw(st.sampled_from(single))
    kind, option = kinds[field], hints[field].__metadata__[0]
    words = {"yes", "no", "true", "false"} if kind is bool else set()
    low, high = (0, 1) if kind is bool else (option.low, option.high)
    if issubclass(kind, IntEnum):
        words = {member.name.lower() for member in kind}
        low, high = min(kind), max(kind)
    wrong = st.one_of(
        st.integers(high + 1, 10**9),
        st.integers(-(10**9), low - 1),
        st.floats(0.1, 0.9),
        st.text(max_size=4).filter(lambda text: not text.strip().lstrip("-").isdigit()),
        st.just([1]),
    )
    value = data.draw(wrong)
    assume(str(value).lower() not in words)
    try:
        gym.make(game.id, **{field: value})
    except ValueError as error:
        assert field in str(error)
        assert " must be " in str(error)
    else:
        raise AssertionError(f"{field}={value!r} was taken")
