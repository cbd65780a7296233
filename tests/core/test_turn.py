"""Turns: what an agent is shown, that it can change nothing, and how its answer is checked."""

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.kernel.rng import mix64
from parlour.envs.core.rows import observation_codes
from parlour.envs.core.turn import (
    Agent,
    FixedAgent,
    IllegalActionError,
    Turn,
    choose_actions,
    prepare_turn,
    random_floats,
)
from tests.core.tiny import CARDS, GAME, LEAVE, TAKE, begin, play


class Answers:
    """Gives the answer that it was made with."""

    name = "tester"

    def __init__(self, answer: Any = None, sees_all: bool = False) -> None:
        self.answer, self.sees_all = answer, sees_all

    def act(self, turn: Turn) -> np.ndarray:
        return self.answer


def ask(n: int = 3, sees_all: bool = False, seed: Any = 0, **options: Any) -> Turn:
    rows = begin(n, **options)
    return prepare_turn(Answers(sees_all=sees_all), GAME, rows.rules, rows.states, seed)


# What is shown


def test_hidden_cards_are_resampled_unless_the_agent_sees_all() -> None:
    assert ask().states["deck"].tolist() != [list(CARDS)] * 3
    assert ask(sees_all=True).states["deck"].tolist() == [list(CARDS)] * 3


def test_agents_do_not_get_the_generator() -> None:
    rows = begin(3)
    assert not np.isin(ask().states["rng"], rows.states["rng"]).any()


def test_the_seed_resamples_hidden_cards() -> None:
    assert ask(seed=1).states.tobytes() == ask(seed=1).states.tobytes()
    assert ask(seed=1).states.tobytes() != ask(seed=2).states.tobytes()


def test_a_seed_for_each_state_does_not_depend_on_its_neighbours() -> None:
    rows, seeds = begin(4), np.arange(4, dtype=np.uint64)
    whole = prepare_turn(Answers(), GAME, rows.rules, rows.states, seeds).states
    part = prepare_turn(Answers(), GAME, rows.rules, rows.states[2:], seeds[2:]).states
    assert np.array_equal(whole[2:], part)


def test_masks_are_the_legal_actions() -> None:
    rows = begin(2, forced=True)
    play(rows, TAKE)
    rows.step(np.array([TAKE, TAKE]), np.array([True, False]))
    turn = prepare_turn(Answers(), GAME, rows.rules, rows.states, 0)
    assert turn.masks.dtype == np.bool_
    assert turn.masks.tolist() == [[False, True, False], [True, True, True]]


def test_observations_are_those_of_the_true_states() -> None:
    assert np.array_equal(ask().observations, observation_codes(begin(3).states))


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("sees_all", [False, True])
def test_an_agent_cannot_change_the_game(n: int, sees_all: bool) -> None:
    rows = begin(n)
    before = rows.states.tobytes()
    given = prepare_turn(Answers(sees_all=sees_all), GAME, rows.rules, rows.states, 0)
    for array in (given.states, given.observations, given.masks):
        assert not array.flags.writeable
        array.flags.writeable = True  # whoever wants to can: what he then writes into is his own
        array.view(np.uint8)[:] = 77
    assert rows.states.tobytes() == before


def test_the_seeds_of_a_turn_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        ask().seeds[0] = 1


# What is answered


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        (np.array([1, 0, 1]), r"must be 1 \(leave\), got 0 \(take\)$"),
        (np.array([1, 99, 1]), r"must be 1 \(leave\), got 99$"),
        (np.array([-1, 1, 1]), r"must be 1 \(leave\), got -1$"),
        (np.array([1, 1]), r"must be integers of shape \(3,\), got int64 of shape \(2,\)"),
        (np.array([1.0, 1.0, 1.0]), "got float64"),
        (np.array([True, True, True]), "got bool"),
        (None, "got object"),
    ],
)
def test_the_error_for_invalid_actions_names_the_agent(answer: Any, output: str) -> None:
    rows = begin(3, forced=True)
    play(rows, TAKE, TAKE)
    turn = prepare_turn(Answers(), GAME, rows.rules, rows.states, 0)
    with pytest.raises(IllegalActionError, match=f"^actions? of agent 'tester' .*{output}"):
        choose_actions(Answers(answer), turn)


@pytest.mark.parametrize(
    "answer", [[0, 1, 2], np.array([0, 1, 2], np.uint8), np.arange(6)[::2] // 2]
)
def test_a_legal_answer_is_returned_as_int64(answer: Any) -> None:
    result = choose_actions(Answers(answer), ask())
    assert (result.tolist(), result.dtype, result.flags.c_contiguous) == ([0, 1, 2], np.int64, True)


def test_an_answer_is_judged_by_the_mask_as_it_was() -> None:
    rows = begin(1, forced=True)
    play(rows, LEAVE, LEAVE)

    class Forger(Answers):
        def act(self, turn: Turn) -> np.ndarray:
            turn.masks.flags.writeable = True
            turn.masks[:] = True
            return np.array([TAKE])

    with pytest.raises(IllegalActionError, match=r"^action of agent .* must be .*, got "):
        choose_actions(Forger(), prepare_turn(Forger(), GAME, rows.rules, rows.states, 0))


# Agents as they were, and numbers to draw by


def test_a_fixed_agent_stays_as_it_was() -> None:
    agent = Answers()
    fixed = FixedAgent(agent)
    agent.sees_all, agent.name = True, "other"
    assert (fixed.name, fixed.sees_all) == ("tester", False)
    assert isinstance(fixed, Agent)


def test_a_fixed_agent_keeps_max_batch_and_other_rules() -> None:
    agent = Answers()
    assert (FixedAgent(agent).max_batch, FixedAgent(agent).other_rules) == (None, False)
    vars(agent).update(max_batch=5, other_rules=True)
    assert (FixedAgent(agent).max_batch, FixedAgent(agent).other_rules) == (5, True)


SEEDS = np.arange(10_000, dtype=np.uint64)


def test_random_numbers_are_spread_evenly_below_1() -> None:
    result = random_floats(SEEDS)
    assert result.min() >= 0 and result.max() < 1
    assert (abs(np.histogram(result, 10, (0, 1))[0] - 1000) < 120).all()


def test_random_numbers_are_the_upper_53_bits_of_a_mixed_seed() -> None:
    word = int(mix64(mix64(SEEDS[5:6]))[0])
    assert random_floats(SEEDS[5:6]).tolist() == [(word >> 11) / 2**53]


def test_another_salt_gives_other_numbers() -> None:
    assert not np.isin(random_floats(SEEDS, 1), random_floats(SEEDS)).any()
    assert np.array_equal(random_floats(SEEDS, -1), random_floats(SEEDS, 2**64 - 1))
