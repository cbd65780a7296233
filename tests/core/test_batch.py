"""The batch kernel, as plain Python, on a game of a few lines: one promise each."""

from typing import Any

import numpy as np
import pytest

from parlour.envs.core.batch import (
    Autoreset,
    DealSource,
    Over,
    Reward,
    StepConfig,
    make_batch_kernels,
    make_buffers,
    make_resample_rows,
    make_score_rows,
    make_state_head,
    make_view_rows,
)
from parlour.envs.core.kernel.jit import jit, plain_python
from parlour.envs.core.kernel.rng import next_random_word
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import Rows
from tests.core.tiny import (
    CARDS,
    LEAVE,
    SCORE_SCALE,
    STATE,
    STOP,
    TAKE,
    UNIT,
    WIN_BONUS,
    as_python,
    begin,
    make_game,
    make_kernels,
    play,
)

TOP_BIT = 1 << 63
PENALTY = -1.0
HEAD = ("moves", "steps", "score", "over", "won", "illegal", "turn")
"""What batch sets to 0 at a deal."""


def head(rows: Rows, row: int = 0) -> dict[str, int]:
    return {name: int(rows.states[name][row]) for name in HEAD}


# A new game


@pytest.mark.parametrize("field", HEAD)
def test_a_deal_resets(field: str) -> None:
    rows = begin()
    rows.states[field] = 1
    rows.start(DealSource.DECK)
    assert rows.states[field] == [0]


def test_a_drawn_deal_has_the_next_word_without_its_top_bit_as_seed() -> None:
    rows, again = begin(), begin()
    for seed in range(8):
        rows.seed([seed])
        rows.start(DealSource.DRAW)
        again.seed([plain_python(next_random_word)({"rng": seed}) % TOP_BIT])
        again.start(DealSource.SEED)
        assert rows.states.tobytes() == again.states.tobytes()


def test_a_numbered_deal_takes_the_generator_as_it_stands() -> None:
    decks = []
    for _ in range(2):
        rows = begin()
        rows.seed([TOP_BIT + 5])
        rows.start(DealSource.SEED)
        decks.append(rows.states["deck"].tolist())
    assert decks[0] == decks[1] != [list(CARDS)]


def test_a_chosen_deck_is_not_shuffled_and_draws_nothing() -> None:
    rows = begin(deck=CARDS[::-1])
    rows.seed([5])
    rows.start(DealSource.DECK)
    assert rows.states["deck"].tolist() == [list(CARDS[::-1])]
    assert rows.states["rng"] == [5]


def test_only_the_given_rows_are_dealt() -> None:
    rows = begin(3)
    before = rows.states.copy()
    rows.start(DealSource.DRAW, np.array([False, True, False]))
    assert [rows.states[i] == before[i] for i in range(3)] == [True, False, True]


def test_a_reset_pays_nothing_and_ends_nothing() -> None:
    rows = begin()
    play(rows, TAKE, STOP)
    rows.start(DealSource.DRAW)
    out = rows.buffers
    assert (out.rewards[0].any(), out.terminated[0], out.truncated[0]) == (False, False, False)


def test_a_reset_takes_back_that_a_game_was_truncated() -> None:
    rows = begin(max_steps=1)
    play(rows, LEAVE)
    rows.start(DealSource.DRAW)
    assert not rows.buffers.truncated[0]


def test_a_game_that_is_over_at_the_deal_is_paid_at_the_reset() -> None:
    rows = begin(dead=True)
    assert rows.rewards.tolist() == [6 * SCORE_SCALE + WIN_BONUS]
    assert rows.buffers.terminated[0]


def test_a_game_that_is_over_at_the_deal_is_paid_at_the_autoreset() -> None:
    rows = begin(dead=True, reset=Autoreset.NEXT_STEP)
    assert play(rows, TAKE) == [6 * SCORE_SCALE + WIN_BONUS]
    assert rows.buffers.terminated[0]


# Masks


def test_the_mask_is_what_is_legal() -> None:
    rows = begin(forced=True)
    assert rows.buffers.masks.tolist() == [[1, 1, 1]]
    play(rows, TAKE, TAKE)
    assert rows.buffers.masks.tolist() == [[0, 1, 0]]


def test_the_mask_of_a_finished_game_is_all_ones() -> None:
    rows = begin(forced=True)
    play(rows, STOP)
    assert rows.states["legal"] == [0]
    assert rows.buffers.masks.tolist() == [[1, 1, 1]]


def test_the_mask_of_a_truncated_game_is_what_is_legal() -> None:
    rows = begin(forced=True, max_steps=2)
    play(rows, TAKE, TAKE)
    assert rows.states["over"] == [Over.TRUNCATED]
    assert rows.buffers.masks.tolist() == [[0, 1, 0]]


def test_a_reset_writes_the_masks_of_rows_that_it_does_not_deal() -> None:
    rows = begin(2)
    rows.buffers.masks[:] = 7
    rows.start(DealSource.DRAW, np.array([False, False]))
    assert rows.buffers.masks.tolist() == [[1, 1, 1]] * 2


# Rewards of one player


def test_progress_pays_each_change_of_score_by_the_scale() -> None:
    assert play(begin(target=21), TAKE, LEAVE, TAKE) == [SCORE_SCALE, 0.0, 3 * SCORE_SCALE]


def test_progress_pays_a_bonus_for_a_win_and_none_for_a_loss() -> None:
    assert play(begin(target=1), TAKE, STOP) == [SCORE_SCALE, WIN_BONUS]
    assert play(begin(target=2), TAKE, STOP) == [SCORE_SCALE, 0.0]


def test_win_pays_one_at_a_win_and_nothing_before() -> None:
    assert play(begin(target=1, reward=Reward.WIN), TAKE, TAKE, STOP) == [0.0, 0.0, 1.0]
    assert play(begin(target=9, reward=Reward.WIN), TAKE, TAKE, STOP) == [0.0, 0.0, 0.0]


def test_score_pays_the_whole_score_at_the_end_and_nothing_before() -> None:
    assert play(begin(reward=Reward.SCORE), TAKE, TAKE, STOP) == [0.0, 0.0, 3.0]


def test_score_pays_at_a_truncation_too() -> None:
    assert play(begin(reward=Reward.SCORE, max_steps=2), TAKE, TAKE) == [0.0, 3.0]


def test_scale_and_bonus_are_those_of_the_game() -> None:
    game = make_game(kernels=make_kernels(score_scale=2.0, win_bonus=-3.0))
    assert play(begin(game=game, target=1), TAKE, STOP) == [2.0, -3.0]
    assert (game.kernels.score_scale, game.kernels.win_bonus) == (2.0, -3.0)


# Illegal actions


@pytest.mark.parametrize("action", [-(2**40), -1, 3, 63, 64, 2**40])
def test_an_invalid_action_ends_a_game_for_one_player(action: int) -> None:
    rows = begin()
    assert play(rows, action) == [PENALTY]
    assert rows.buffers.terminated[0] and not rows.buffers.truncated[0]


def test_an_action_that_is_not_legal_now_ends_the_game_of_one_player() -> None:
    rows = begin(forced=True)
    assert play(rows, TAKE, TAKE, TAKE)[2] == PENALTY
    assert rows.buffers.terminated[0]


def test_an_illegal_action_is_noted_and_not_played() -> None:
    rows = begin()
    play(rows, TAKE, 9)
    assert head(rows) == {
        "moves": 1, "steps": 2, "score": 1, "over": 1, "won": 0, "illegal": 1, "turn": 0,
    }  # fmt: skip


@pytest.mark.parametrize("reward", Reward)
def test_an_illegal_action_costs_the_same_by_every_kind_of_reward(reward: Reward) -> None:
    assert play(begin(target=0, reward=reward), TAKE, 9)[1] == PENALTY


def test_an_illegal_action_is_terminated_not_truncated_at_a_limit() -> None:
    rows = begin(max_steps=1)
    play(rows, 9)
    assert (rows.buffers.terminated[0], rows.buffers.truncated[0]) == (True, False)


# Truncation


def test_a_limit_of_steps_truncates_at_that_step() -> None:
    rows = begin(max_steps=2)
    play(rows, LEAVE)
    assert not rows.buffers.truncated[0]
    play(rows, LEAVE)
    assert (rows.buffers.terminated[0], rows.buffers.truncated[0]) == (False, True)
    assert rows.states["over"] == [Over.TRUNCATED]


def test_a_limit_of_moves_counts_the_moves_of_the_game() -> None:
    rows = begin(max_moves=3)
    rows.states["moves"] = 1
    play(rows, LEAVE)
    assert not rows.buffers.truncated[0]
    play(rows, LEAVE)
    assert rows.buffers.truncated[0]


def test_a_game_that_ends_at_a_limit_is_terminated() -> None:
    rows = begin(max_steps=1, max_moves=1)
    play(rows, STOP)
    assert (rows.buffers.terminated[0], rows.buffers.truncated[0]) == (True, False)


def test_without_limits_nothing_is_truncated() -> None:
    rows = begin()
    rows.states["steps"] = rows.states["moves"] = 1_000_000
    play(rows, LEAVE)
    assert not rows.buffers.truncated[0]


# Forced moves


def test_forced_moves_are_played_if_they_are_to_be_skipped() -> None:
    rows = begin(forced=True, skip_forced=1, target=3)
    assert play(rows, TAKE, TAKE) == [SCORE_SCALE, 2 * SCORE_SCALE + WIN_BONUS]
    assert (rows.states["moves"], rows.states["steps"]) == ([6], [2])


def test_forced_moves_wait_if_they_are_not() -> None:
    rows = begin(forced=True)
    play(rows, TAKE, TAKE)
    assert rows.states["moves"] == [2]


def test_a_choice_is_never_skipped() -> None:
    rows = begin(skip_forced=1)
    play(rows, TAKE)
    assert rows.states["moves"] == [1]


def test_skipped_moves_stop_at_a_limit_of_moves() -> None:
    rows = begin(forced=True, skip_forced=1, max_moves=4)
    play(rows, TAKE, TAKE)
    assert (rows.states["moves"], rows.buffers.truncated[0]) == ([4], True)


# Autoreset


@pytest.mark.parametrize("end", [STOP, 9])
def test_next_step_resets_at_the_step_after_the_end(end: int) -> None:
    rows = begin(reset=Autoreset.NEXT_STEP)
    play(rows, TAKE, end)
    assert rows.states["over"] == [Over.TERMINATED]
    assert play(rows, TAKE) == [0.0]
    assert head(rows) == dict.fromkeys(HEAD, 0)
    assert not rows.buffers.terminated[0]


def test_next_step_draws_another_deal() -> None:
    rows = begin(reset=Autoreset.NEXT_STEP)
    play(rows, STOP, TAKE)
    assert rows.states["rng"] != [1]
    assert rows.states["deck"].tolist() != [list(CARDS)]


def test_same_step_resets_in_the_same_step_and_keeps_the_final_state() -> None:
    rows = begin(reset=Autoreset.SAME_STEP, target=1)
    assert play(rows, TAKE, STOP)[1] == WIN_BONUS
    assert rows.buffers.terminated[0]
    assert head(rows) == dict.fromkeys(HEAD, 0)
    assert rows.buffers.final_states["score"] == [1]
    assert rows.buffers.final_states["over"] == [Over.TERMINATED]


def test_same_step_reports_at_the_next_step_that_a_game_was_over_at_the_deal() -> None:
    rows = begin(reset=Autoreset.SAME_STEP, dead=True)
    for _ in range(2):
        rows.buffers.final_states["over"] = Over.RUNNING
        assert play(rows, TAKE) == [6 * SCORE_SCALE + WIN_BONUS]
        assert rows.buffers.terminated[0]
        assert rows.buffers.final_states["over"] == [Over.TERMINATED]


def test_same_step_has_the_mask_of_the_new_game() -> None:
    rows = begin(reset=Autoreset.SAME_STEP, forced=True)
    play(rows, TAKE, TAKE)
    assert rows.buffers.masks.tolist() == [[0, 1, 0]]
    play(rows, *[LEAVE] * 4)
    assert rows.buffers.masks.tolist() == [[1, 1, 1]]


def test_same_step_leaves_the_finished_games_of_other_rows() -> None:
    rows = begin(2, reset=Autoreset.SAME_STEP)
    rows.step(np.array([STOP, TAKE]))
    assert rows.buffers.final_states["over"].tolist() == [1, 0]
    assert rows.states["moves"].tolist() == [0, 1]


def test_disabled_leaves_a_finished_row_as_it_is() -> None:
    rows = begin(reset=Autoreset.DISABLED, target=1)
    play(rows, TAKE, STOP)
    before = rows.states.tobytes()
    assert play(rows, TAKE, 9) == [0.0, 0.0]
    assert rows.states.tobytes() == before
    assert rows.buffers.terminated[0]
    assert rows.buffers.masks.all()


def test_a_step_leaves_other_rows_alone() -> None:
    rows = begin(2)
    rows.buffers.rewards[:] = rows.buffers.masks[:] = 7
    before = rows.states.copy()
    rows.step(np.array([TAKE, TAKE]), np.array([False, True]))
    assert rows.states[0] == before[0]
    assert rows.states["moves"].tolist() == [0, 1]
    assert rows.rewards.tolist() == [7.0, SCORE_SCALE]
    assert rows.buffers.masks.tolist() == [[7, 7, 7], [1, 1, 1]]


# Several seats


def rewards_of(rows: Rows, *actions: int) -> list[list[float]]:
    paid = []
    for action in actions:
        rows.step(np.array([action]))
        paid.append(rows.buffers.rewards[0].tolist())
    return paid


@pytest.mark.parametrize(
    ("reward", "paid"),
    [
        (Reward.PROGRESS, [-1 / UNIT, 2 / UNIT, -1 / UNIT]),
        (Reward.WIN, [0.0, 1.0, 0.0]),
        (Reward.SCORE, [-1.0, 2.0, -1.0]),
    ],
)
def test_seats_are_paid_their_net_at_the_end_alone(reward: Reward, paid: list[float]) -> None:
    rows = begin(players=3, reward=reward)
    assert rewards_of(rows, TAKE, TAKE, STOP) == [[0.0] * 3, [0.0] * 3, paid]


def test_seats_that_do_not_play_are_paid_nothing() -> None:
    assert rewards_of(begin(players=2), TAKE, TAKE, STOP)[2] == [-1 / UNIT, 1 / UNIT, 0.0]


def test_an_illegal_action_at_a_table_is_replaced_and_costs_its_seat() -> None:
    rows = begin(players=3)
    assert rewards_of(rows, TAKE, 9) == [[0.0] * 3, [0.0, PENALTY, 0.0]]
    assert rows.states["illegal"] == [1 << 1]
    assert rows.states["points"].tolist() == [[1, 0, 0]]
    assert (rows.states["moves"], rows.states["over"]) == ([2], [Over.RUNNING])


def test_illegal_actions_of_two_seats_are_both_noted() -> None:
    rows = begin(players=3)
    rewards_of(rows, 9, TAKE, 9)
    assert rows.states["illegal"] == [0b101]


def test_finished_games_pay_seats_their_whole_net() -> None:
    rows = begin(players=3)
    rewards_of(rows, TAKE, TAKE, STOP)
    rows.buffers.rewards[:] = 7
    pay_finished(rows)
    assert rows.buffers.rewards[0].tolist() == [-1 / UNIT, 2 / UNIT, -1 / UNIT]


def test_finished_games_pay_one_player_the_bonus_and_no_score_again() -> None:
    rows = begin(target=1)
    play(rows, TAKE, STOP)
    pay_finished(rows)
    assert rows.rewards.tolist() == [WIN_BONUS]


def test_only_finished_games_that_are_named_are_paid() -> None:
    rows = begin(2, players=3)
    play(rows, TAKE, TAKE, STOP)
    rows.buffers.rewards[:] = 7
    pay_finished(rows, np.array([False, True]))
    assert rows.rewards.tolist() == [7.0, -1 / UNIT]


def pay_finished(rows: Rows, which: np.ndarray | None = None) -> None:
    which = rows.all_rows if which is None else which
    given = rows.states, rows.rules_record, rows.config_record, which, rows.buffers
    rows.game.kernels.pay_finished(*given)


# Buffers, and the seeds of deals


def test_buffers_have_a_row_for_each_game_and_a_reward_for_each_seat() -> None:
    out = make_buffers(5, 3, STATE, 2)
    assert [array.shape for array in out] == [(5, 2), (5,), (5,), (5, 3), (5,), (5,), (5,)]
    kinds = [np.float64, np.bool_, np.bool_, np.int8, STATE, int, int]
    assert [array.dtype for array in out] == kinds


@jit
def nothing(s: Any, rules: Any) -> None:
    pass


@jit
def end(s: Any, rules: Any, action: int) -> None:
    s["over"] = 1


def test_seeds_drawn_in_play_are_never_in_the_reserved_half() -> None:
    """A game without cards leaves the seed of each deal in its state: 200 000 of them."""
    state = np.dtype([*make_state_head(1), ("shown", [("nothing", np.int8)])])
    play = make_batch_kernels(nothing, nothing, end, 1, 1.0)
    rows, out = np.zeros(1000, state), make_buffers(1000, 1, state)
    rows["rng"] = np.random.default_rng(0).integers(0, 2**64, 1000, np.uint64)
    rules, every = (0,), np.ones(1000, np.bool_)
    play.reset_rows(rows, rules, as_record(StepConfig()), every, int(DealSource.DRAW), out)
    rows["legal"] = 1
    drawn = []
    for mode in (Autoreset.NEXT_STEP, Autoreset.SAME_STEP):
        config = as_record(StepConfig(reset=int(mode)))
        for _ in range(100 * (2 - mode)):
            play.step_rows(rows, rules, config, every, np.zeros(1000, np.int64), out)
            drawn.append(rows["rng"].copy())
    seeds = np.concatenate(drawn)
    assert (seeds < TOP_BIT).all()
    assert len(np.unique(seeds)) >= 150_000
    assert 0.49 < np.mean(seeds >> np.uint64(62) & np.uint64(1)) < 0.51


# ---- loops over rows ------------------------------------------------------------------------


THREE_PLAYERS = begin(players=3).rules_record


def three_states() -> np.ndarray:
    made = np.zeros(3, STATE)
    made["turn"] = [0, 1, 2]
    made["illegal"] = 0b111
    return made


def note(s: Any, rules: Any, seat: int) -> None:
    """Leave in the state by which rules and for which seat it was called."""
    s["points"][0], s["points"][1] = rules.players, seat


@pytest.mark.parametrize(("seat", "seats"), [(-1, [0, 1, 2]), (0, [0, 0, 0]), (2, [2, 2, 2])])
def test_rows_are_resampled_for_a_seat_or_for_the_seat_to_act(seat: int, seats: list[int]) -> None:
    made = three_states()
    as_python(make_resample_rows(note))(made, THREE_PLAYERS, seat)
    assert made["points"][:, 1].tolist() == seats
    assert made["points"][:, 0].tolist() == [3, 3, 3]


@pytest.mark.parametrize(("seat", "left"), [(-1, [1, 2, 4]), (1, [2, 2, 2])])
def test_only_the_own_illegal_action_stays_known(seat: int, left: list[int]) -> None:
    made = three_states()
    as_python(make_resample_rows(note))(made, THREE_PLAYERS, seat)
    assert made["illegal"].tolist() == left


def test_each_row_is_viewed_by_its_own_seat() -> None:
    made = three_states()
    as_python(make_view_rows(note))(made, THREE_PLAYERS, np.array([2, 0, 1]))
    assert made["points"][:, :2].tolist() == [[3, 2], [3, 0], [3, 1]]


def test_each_row_is_scored_into_its_own_row() -> None:
    def score(s: Any, rules: Any, weights: Any, scores: Any) -> None:
        scores[s["turn"]] = rules.players + weights[0]

    scores = np.zeros((3, 3))
    as_python(make_score_rows(score))(three_states(), THREE_PLAYERS, np.array([0.5]), scores)
    assert np.array_equal(scores, 3.5 * np.eye(3))
