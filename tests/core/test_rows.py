"""Rows: views and copies of states, chosen and numbered deals, what is put back, what is hidden."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from parlour.envs.core import rows as module
from parlour.envs.core.batch import DealSource
from parlour.envs.core.game import GAMES
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.kernel.rng import draw_seed
from parlour.envs.core.rows import (
    Rows,
    copy_states,
    first_illegal,
    observation_codes,
    resample_copies,
    view_states,
    write_states,
)
from tests.core.tiny import CARDS, GAME, LEAVE, STATE, STOP, TAKE, Rules, begin, make_game, play


def test_codes_are_a_view_of_what_is_shown() -> None:
    rows = begin(2)
    assert np.shares_memory(rows.codes, rows.states)
    rows.states["shown"]["target"][1] = 17
    assert rows.codes.tolist() == [[4, 1, 6, 0, 0], [4, 1, 17, 0, 0]]


@pytest.mark.parametrize("way", [copy.deepcopy, lambda rows: pickle.loads(pickle.dumps(rows))])
def test_a_copy_looks_at_its_own_states(way: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, GAME.name, GAME)
    rows = begin()
    other = way(rows)
    play(other, LEAVE)
    assert np.shares_memory(other.codes, other.states)
    assert (rows.codes[0, 0], other.codes[0, 0]) == (CARDS[0], CARDS[1])


def test_rewards_and_seats_are_those_of_the_player() -> None:
    rows = begin(2, players=2)
    play(rows, TAKE)
    assert rows.rewards.shape == (2,)
    assert np.shares_memory(rows.rewards, rows.buffers.rewards)
    assert rows.seats.tolist() == [1, 1]
    assert rows.goal_name == "won"


def test_equal_seeds_are_equal_games_and_others_are_not() -> None:
    rows = begin(3)
    rows.seed([5, 6, 5])
    rows.start(DealSource.SEED)
    assert rows.states[0] == rows.states[2] != rows.states[1]


def test_a_row_is_seeded_by_one_draw() -> None:
    rows = begin(2)
    rows.reseed(1, np.random.default_rng(3))
    assert rows.states["rng"].tolist() == [1, draw_seed(np.random.default_rng(3))]


def test_deals_of_a_deal_set_have_the_seeds_of_the_deal_set() -> None:
    rows, other = begin(2), begin(2)
    rows.deal_numbered("mine", [4, 9])
    other.seed(deal_seeds("mine", [4, 9]))
    other.start(DealSource.SEED)
    assert rows.states.tobytes() == other.states.tobytes()


def test_a_chosen_deck_is_dealt_on_every_row() -> None:
    rows = begin(2)
    rows.deal_deck("6c 5c 4c 3c 2c Ac")
    assert rows.states["deck"].tolist() == [list(CARDS[::-1])] * 2


def test_behind_a_deck_smaller_than_its_room_there_is_nothing() -> None:
    rows = begin(game=make_game(pack=lambda rules: CARDS[:4]), deck=CARDS[:4])
    rows.states["deck"] = 9
    rows.deal_deck(list(CARDS[:4]))
    assert rows.states["deck"].tolist() == [[*CARDS[:4], 0, 0]]


def test_a_wrong_deck_changes_nothing() -> None:
    rows = begin()
    before = rows.states.tobytes()
    with pytest.raises(ValueError, match="card 2: Ac is in the deck twice"):
        rows.deal_deck("Ac Ac")
    assert rows.states.tobytes() == before


DEALT = make_game(state=np.dtype([*((n, STATE[n]) for n in STATE.names or ()), ("dealer", "i1")]))


def test_a_dealer_may_be_chosen_on_the_rows_that_are_dealt() -> None:
    rows = begin(2, game=DEALT, players=3)
    rows.start(DealSource.DRAW, np.array([True, False]), dealer=1)
    assert rows.states["dealer"].tolist() == [1, 2]
    assert rows.states["deck"][0].tolist() != list(CARDS)


def test_the_dealer_of_a_chosen_deck_is_the_last_seat() -> None:
    assert begin(game=DEALT, players=2).states["dealer"] == [1]


def test_the_dealer_of_a_chosen_deck_may_be_named() -> None:
    rows = begin(game=DEALT, players=3)
    rows.deal_deck(list(CARDS), dealer=0)
    assert rows.states["dealer"] == [0]


def test_a_restored_game_continues_where_it_was() -> None:
    rows, other = begin(target=1), begin(target=1)
    play(rows, TAKE)
    here = rows.states.copy()
    paid = play(rows, TAKE, STOP)
    other.restore(here)
    assert play(other, TAKE, STOP) == paid
    assert other.states.tobytes() == rows.states.tobytes()


def test_restored_rows_have_masks_and_flags_and_no_rewards() -> None:
    rows = begin(3, forced=True)
    play(rows, TAKE, TAKE)
    here = rows.states.copy()
    here["over"] = [0, 1, 2]
    rows.buffers.rewards[:] = rows.buffers.masks[:] = 7
    rows.take_over(here)
    assert not rows.rewards.any()
    assert rows.buffers.masks.tolist() == [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
    assert rows.buffers.terminated.tolist() == [False, True, False]
    assert rows.buffers.truncated.tolist() == [False, False, True]


def test_a_rejected_record_changes_nothing() -> None:
    rows = begin()
    before = rows.states.tobytes()
    wrong = rows.states.copy()
    wrong["turn"] = 7
    with pytest.raises(ValueError, match="turn must be the number of a seat, got 7"):
        rows.restore(wrong)
    assert rows.states.tobytes() == before


def test_a_saved_state_is_a_copy_and_is_loaded() -> None:
    rows, other = begin(), begin()
    play(rows, TAKE)
    saved = rows.state_dict()
    play(rows, TAKE)
    other.load_state_dict(saved)
    assert other.states["moves"] == [1]


def test_results_are_told_of_the_rows_that_ended() -> None:
    rows = begin(2, target=1)
    play(rows, TAKE, STOP)
    result = rows.results(rows.states[1:], np.array([False, True]))
    assert {name: array.tolist() for name, array in result.items()}["score"] == [1]


@pytest.mark.parametrize(
    ("actions", "row"),
    [
        ([0, 1, 2], -1),
        ([0, 0, 0], -1),
        ([0, 1, 3], 2),
        ([0, -1, 0], 1),
        ([63, 0, 0], 0),
        ([0, 64, 0], 1),
        ([2**40, 0, 9], 0),
    ],
)
def test_the_first_illegal_action_is_found(actions: list[int], row: int) -> None:
    assert first_illegal(begin(3).states, np.array(actions), GAME.actions) == row


def test_finished_rows_take_any_action() -> None:
    rows = begin(2)
    rows.step(np.array([STOP, LEAVE]))
    assert first_illegal(rows.states, np.array([99, 0]), GAME.actions) == -1


@pytest.mark.parametrize(
    "which", [slice(None), slice(1, 3), slice(None, None, -1), np.array([2, 0])]
)
def test_copies_of_some_states_are_apart(which: Any) -> None:
    states = begin(3).states
    result = copy_states(states, which)
    assert result.dtype == states.dtype
    assert result["rng"].tolist() == states["rng"][which].tolist()
    assert not np.shares_memory(result, states)


def test_states_are_written_into_the_rows_that_are_named() -> None:
    states = begin(3).states
    write_states(states, np.array([2, 0]), begin(2).states)
    assert states["rng"].tolist() == [2, 2, 1]


def test_another_seats_view_is_a_copy() -> None:
    rows = begin(2, players=2)
    seen = view_states(GAME, rows.rules, rows.states, np.array([0, 1]))
    assert seen["shown"]["card"].tolist() == [CARDS[0], 0]
    assert rows.states["shown"]["card"].tolist() == [CARDS[0]] * 2


def test_a_game_for_one_has_one_view() -> None:
    rows = begin()
    alone = make_game(seats=None)
    assert view_states(alone, rows.rules, rows.states, np.array([1])) == rows.states


def test_observations_are_copies_of_what_is_shown() -> None:
    rows = begin(2)
    result = observation_codes(rows.states)
    assert np.array_equal(result, rows.codes)
    assert not np.shares_memory(result, rows.states)


def resampled(seed: Any, n: int = 1) -> np.ndarray:
    rows = begin(n)
    return resample_copies(GAME, rows.rules, rows.states, seed)


def test_hidden_cards_are_resampled_in_a_copy() -> None:
    rows = begin(8)
    result = resample_copies(GAME, rows.rules, rows.states, 3)
    assert rows.states["deck"].tolist() == [list(CARDS)] * 8
    assert (result["deck"][:, 0] == CARDS[0]).all()
    assert len({deck.tobytes() for deck in result["deck"]}) > 4


def test_hidden_cards_follow_from_the_seed_alone() -> None:
    assert resampled(3).tobytes() == resampled(3).tobytes() != resampled(4).tobytes()


def test_a_seed_for_each_state_does_not_depend_on_its_neighbours() -> None:
    seeds = np.arange(4, dtype=np.uint64)
    assert resampled(seeds, 4)[2:]["deck"].tolist() == resampled(seeds[2:], 2)["deck"].tolist()


def test_a_seed_of_hidden_cards_is_not_that_of_a_deal() -> None:
    """Equal seeds must give nothing away."""
    drawn = np.random.default_rng(3).integers(0, 2**63, 1, np.uint64)
    assert resampled(3)["deck"].tolist() != resampled(drawn)["deck"].tolist()
    assert module.HIDDEN_SALT


def test_a_limit_of_the_configuration_reaches_the_kernel() -> None:
    rows = Rows(GAME, Rules(), 1)
    assert rows.config_record["reset"] == [2]
    assert begin(max_steps=5).config_record["max_steps"] == [5]
