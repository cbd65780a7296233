"""Rollouts: an agent that tries every action in sampled worlds and plays each to its end."""

from collections.abc import Callable
from functools import cache
from time import perf_counter

import numpy as np

from parlour.envs import find_game
from parlour.envs.core.afterstates import best_legal, win_bonus_points
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.legal import has_action
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import copy_states
from parlour.envs.core.turn import Agent, Judgement, Turn, best_actions
from parlour.envs.core.type_aliases import RulesRecord, RulesRecords, Seat, State, States

from ..agent_spec import check_milliseconds, choose_number
from ..explanation import Explanation, mask_illegal, one_hot_choice, rows_with_choice
from ..networks.value_table import POINTS
from .inference import is_bidding, make_resample
from .playout import (
    Guide,
    Playout,
    check_player,
    find_rule_agent,
    is_hopeless,
    make_guide,
    make_playout,
    playout_kernels,
)

ROLLOUT_WORLDS = 160
"""Default number of sampled worlds per decision. All actions are tried in the same worlds."""
PROBE = 4
"""Number of worlds for measuring the speed under a time limit."""
CAUTION = 2.0
"""Standard errors that an action must gain over the player's action, in games for several.

Many actions are compared there, especially in an auction, and the best of many is often only lucky.
"""
CAUTION_ALONE = 1.0
"""The same for a rule-based agent in a solitaire, which is often better than a few sampled worlds.
"""
HALVING_SHARE = 4
"""After 1 / HALVING_SHARE of the worlds, the worse half of the actions is dropped."""
ROLLOUT_WIDTH = 4
"""Number of actions that are tried with a table of values: those with the highest values."""
DROPPED_SCORE = -1e18
"""The sum of an action that was dropped."""
UNTRIED_GAIN = -0.1
"""Gain in place of that of an action which is not tried because ``player`` does not choose it."""
TIE = 1e-6
"""Added to standard errors, so that a gain of 0 does not count as a gain."""


class RolloutAgent:
    """Agent that plays the action with the best average result if ``player`` continues the game.

    Each action is tried in the same sampled worlds, in which ``player`` plays all seats to the end
    of the game. In a multiplayer game, the agent deviates from ``player`` only if the gain exceeds
    2 standard errors (`CAUTION`). In a solitaire with a rule-based ``player``, the gain must exceed
    1 standard error (`CAUTION_ALONE`).

    Args:
        player: greedy, a rule-based agent, or an agent with a value table.
        worlds: number of sampled worlds per decision (None: `ROLLOUT_WORLDS`, 160).
        milliseconds: time limit per decision, averaged over the games of a turn, in place of a
            number of worlds. Actions then depend on the machine.
        cards_only: whether to bid like ``player``, and search only when playing a card.
        by_bids: whether to prefer sampled worlds in which ``player`` makes the bids that the other
            seats made. Only for games with an auction (`inference.check_auction`).

    Raises:
        ValueError: an argument is invalid.
    """

    sees_all = False

    def __init__(
        self,
        player: Agent,
        worlds: int | None = None,
        milliseconds: float | None = None,
        cards_only: bool = False,
        by_bids: bool = False,
    ) -> None:
        player = check_player(player, "rollouts")
        check_milliseconds(milliseconds)
        self.player, self.milliseconds = player, milliseconds
        self.cards_only, self.by_bids = cards_only, by_bids
        self.worlds = choose_number("worlds", worlds, ROLLOUT_WORLDS)
        suffix = ("-cards" if cards_only else "") + ("-bids" if by_bids else "")
        self.name = f"{player.name}-rollouts{suffix}"

    def act(self, turn: Turn) -> np.ndarray:
        """Return the best legal action of each game, int64 (n,); ties go to the lowest number."""
        return self.explain(turn).actions

    def explain(self, turn: Turn) -> Explanation:
        """Return the mean result of each action.

        The value is nan for actions that the search dropped early because of poor results.

        Under a time limit, the number of worlds may differ between calls.
        """
        actions = turn.masks.argmax(axis=1)
        values, worlds = np.full(turn.masks.shape, np.nan), np.zeros(len(actions), np.int64)
        rows = rows_with_choice(turn)
        if self.cards_only:
            rows = self._bid(turn, rows, actions)
        if len(rows):
            states = copy_states(turn.states, rows)
            totals, counts = self._totals(turn, states, self._affordable(turn, states))
            actions[rows], worlds[rows] = best_actions(turn.masks[rows], totals), counts
            tried = totals > DROPPED_SCORE / 2  # results may have been added to a dropped sum
            tried &= counts[:, None] > 0
            values[rows] = np.where(tried, totals / np.maximum(counts, 1)[:, None], np.nan)
        return Explanation(
            self.name,
            turn,
            actions,
            one_hot_choice(turn, actions),
            action_values=mask_illegal(turn, values),
            unit=POINTS,
            statistics={"worlds": worlds},
        )

    def _bid(self, turn: Turn, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Write the player's actions in auctions; return the rows in which cards are played."""
        bids = is_bidding(turn.game, turn.states)[rows]
        if bids.any():
            actions[rows[bids]] = self.player.act(turn.take(rows[bids]))
        return rows[~bids]

    def _totals(self, turn: Turn, states: np.ndarray, worlds: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums of the actions' results, (n, actions), and the worlds of each game."""
        game, rule_agent = turn.game, find_rule_agent(self.player)
        if game.num_players(turn.rules) > 1:
            sums, errors, counts = self._gains(turn, states, worlds)
            return sums - CAUTION * errors, counts
        if rule_agent is not None:
            trial = max(worlds // HALVING_SHARE, 1)
            sums, errors, counts = self._gains(turn, states, worlds, trial)
            return sums - CAUTION_ALONE * errors, counts
        totals, counts = np.zeros((len(states), game.actions)), np.zeros(len(states), np.int64)
        guide, rules = make_guide(self.player, game), as_record(turn.rules)
        roll = make_rollouts(game.name)
        roll(states, make_playout(game), rules, guide, worlds, totals, counts)
        return totals, counts

    def _gains(
        self, turn: Turn, states: np.ndarray, worlds: int, trial: int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the sums of gains over the player's actions, their errors, and the worlds.

        See `make_gain_rollouts`.
        """
        game = turn.game
        sums, errors = np.zeros((2, len(states), game.actions))
        counts = np.zeros(len(states), np.int64)
        guide, rules = make_guide(self.player, game), as_record(turn.rules)
        roll = make_gain_rollouts(game.name, find_rule_agent(self.player), self.by_bids)
        roll(states, make_playout(game), rules, guide, worlds, trial, sums, errors, counts)
        return sums, errors, counts

    def judge(self, turn: Turn) -> Judgement:
        """Return the mean gain of each action over the action that ``player`` would choose.

        The unit is that of the reward "progress". The chosen action differs from the action of
        ``player`` only if the gain is significant; see the class. With ``cards_only``, every other
        action in an auction has the gain `UNTRIED_GAIN`, so that a network that learns the gains
        bids like ``player``.
        """
        game, rows = turn.game, np.arange(len(turn.masks))
        actions, gains = np.zeros(len(rows), np.int64), np.zeros(turn.masks.shape)
        if self.cards_only:
            gains[:] = UNTRIED_GAIN
            rows = self._bid(turn, rows, actions)
            np.put_along_axis(gains, actions[:, None], 0.0, axis=1)
        if len(rows):
            sums, errors, _ = self._gains(turn, copy_states(turn.states, rows), self.worlds)
            actions[rows] = best_actions(turn.masks[rows], sums - CAUTION * errors)
            unit = 1 / game.reward_unit(turn.rules) if game.seats else game.kernels.score_scale
            gains[rows] = sums / self.worlds * unit
        return Judgement(np.where(turn.masks, gains, 0.0), actions)

    def _affordable(self, turn: Turn, states: np.ndarray) -> int:
        """Return the number of worlds; under a time limit, by the speed of the first few."""
        if self.milliseconds is None:
            return self.worlds
        self._totals(turn, states[:0], 0)  # compile before measuring
        start = perf_counter()
        self._totals(turn, states, PROBE)
        per_world = (perf_counter() - start) / PROBE
        left = len(states) * self.milliseconds / 1000 - per_world * PROBE
        # After the first 1 / HALVING_SHARE of the worlds, half of the actions are left.
        return max(1, int(left / per_world * 2 * HALVING_SHARE / (HALVING_SHARE + 1)))


# Kernels, compiled for each game.


@jit
def prune_actions(kept: np.ndarray, n: int, values: np.ndarray, totals: np.ndarray) -> None:
    """Drop all but the n best actions in ``kept``, bool (actions,); ties go to lower numbers."""
    left = kept.copy()
    for _ in range(n):
        best = -1
        for action in range(len(left)):
            if left[action] and (best < 0 or values[action] > values[best]):
                best = action
        left[best] = False
    for action in range(len(left)):
        if left[action]:
            kept[action] = False
            totals[action] = DROPPED_SCORE


@cache
def make_result(name: str) -> Callable[..., float]:
    """Build a game's ``result(s, rules, seat)``: the result of a seat in a finished game.

    In a solitaire, the result is the score plus a bonus for reaching the goal; in a game for
    several players, it is the seat's net.
    """
    game = find_game(name)
    bonus = win_bonus_points(game.kernels)

    @jit
    def of_one(s: State, rules: RulesRecord, seat: Seat) -> float:
        return s["score"] + bonus * s["won"]

    @jit
    def of_seat(s: State, rules: RulesRecord, seat: Seat) -> float:
        return s["net"][seat] if rules.players > 1 else s["score"] + bonus * s["won"]

    return of_one if game.seats is None else of_seat


@cache
def make_rollouts(name: str) -> Callable[..., None]:
    """Build a game's ``roll(states, playout, rules, guide, worlds, totals, counts)``.

    ``totals``, float64 (n, actions), receives the sum of the acting seat's results (`make_result`)
    over the worlds for each legal action; `DROPPED_SCORE` for a dropped action. If the guide has a
    table, only the `ROLLOUT_WIDTH` best actions are tried. ``counts``, int64 (n,), receives the
    number of worlds, which is below ``worlds`` if a single action remains.
    """
    game = find_game(name)
    step, actions = game.kernels.step, game.actions
    result, resample = make_result(name), make_resample(name)
    rate, play_on = playout_kernels(name)

    @jit
    def begin(
        s: State,
        playout: Playout,
        rules: RulesRecords,
        guide: Guide,
        kept: np.ndarray,
        totals: np.ndarray,
    ) -> None:
        for action in range(actions):
            kept[action] = has_action(s["legal"], action)
        if len(guide.table):
            playout.states[0] = s
            rate(playout.states, rules, guide, playout.ids, playout.scores)
            width = min(kept.sum(), ROLLOUT_WIDTH)
            prune_actions(kept, width, playout.scores[0], totals)

    @jit
    def roll(
        states: States,
        playout: Playout,
        rules: RulesRecords,
        guide: Guide,
        worlds: int,
        totals: np.ndarray,
        counts: np.ndarray,
    ) -> None:
        drawn, s = np.empty(2, states.dtype), playout.states[0]
        kept = np.empty(actions, np.bool_)
        for i in range(len(states)):
            begin(states[i], playout, rules, guide, kept, totals[i])
            rng = states[i]["rng"]
            for number in range(worlds):
                if number > 0 and number == worlds // HALVING_SHARE:
                    prune_actions(kept, (kept.sum() + 1) // 2, totals[i], totals[i])
                if kept.sum() == 1:
                    break
                counts[i] += 1
                rng = resample(states[i], drawn, playout, rules, guide, rng)
                for action in range(actions):
                    if kept[action]:
                        playout.states[0] = drawn[0]
                        step(s, rules[0], action)
                        play_on(playout, rules, guide, playout.line, 0)
                        totals[i, action] += result(s, rules[0], states[i]["turn"])

    return roll


@cache
def make_gain_rollouts(
    name: str, rule_agent: str | None = None, by_bids: bool = False
) -> Callable[..., None]:
    """Build a game's ``roll(states, playout, rules, guide, worlds, trial, sums, errors, counts)``.

    With ``by_bids``, the sampled worlds fit the bids (`inference.make_resample`).

    ``sums``, float64 (n, actions), receives for each legal action the sum of its gains over the
    player's own action, whose sum is 0. ``errors`` receives the standard errors of these sums. With
    ``trial`` above 0, actions that have gained nothing after that number of worlds are dropped, and
    actions that the player considers hopeless are not tried; both have `DROPPED_SCORE`. ``counts``
    is as in `make_rollouts`.
    """
    game = find_game(name)
    step, actions = game.kernels.step, game.actions
    result = make_result(name)
    rate, play_on = playout_kernels(name, rule_agent)
    resample = make_resample(name, rule_agent, by_bids)

    @jit
    def begin(
        root: State, base_action: int, trial: int, scores: np.ndarray, sums: np.ndarray
    ) -> int:
        """Drop hopeless actions if ``trial`` allows; return the number of actions to try."""
        left = 0
        for action in range(actions):
            if action != base_action and has_action(root["legal"], action):
                if trial and is_hopeless(scores[action]):
                    sums[action] = DROPPED_SCORE
                left += sums[action] == 0
        return left

    @jit
    def drop_losing(base_action: int, sums: np.ndarray, squares: np.ndarray) -> int:
        """Drop actions that have gained nothing; return the number of those left."""
        left = 0
        for action in range(actions):
            if action != base_action and sums[action] <= 0:
                sums[action], squares[action] = DROPPED_SCORE, 0.0
            left += sums[action] > 0
        return left

    @jit
    def try_out(
        world: State, seat: Seat, playout: Playout, rules: RulesRecords, guide: Guide, action: int
    ) -> float:
        playout.states[0] = world
        step(playout.states[0], rules[0], action)
        play_on(playout, rules, guide, playout.line, 0)
        return result(playout.states[0], rules[0], seat)

    @jit
    def sum_gains(
        root: State,
        base_action: int,
        playout: Playout,
        rules: RulesRecords,
        guide: Guide,
        worlds: int,
        trial: int,
        sums: np.ndarray,
        squares: np.ndarray,
    ) -> int:
        drawn = np.empty(2, playout.states.dtype)
        rng, seat = root["rng"], root["turn"]
        left = begin(root, base_action, trial, playout.scores[0], sums)
        for number in range(worlds):
            if number > 0 and number == trial:
                left = drop_losing(base_action, sums, squares)
            if left == 0:
                return number
            rng = resample(root, drawn, playout, rules, guide, rng)
            base_result = try_out(drawn[0], seat, playout, rules, guide, base_action)
            for action in range(actions):
                is_dropped = sums[action] == DROPPED_SCORE
                if action != base_action and has_action(root["legal"], action) and not is_dropped:
                    gain = try_out(drawn[0], seat, playout, rules, guide, action) - base_result
                    sums[action] += gain
                    squares[action] += gain * gain
        return worlds

    @jit
    def roll(
        states: States,
        playout: Playout,
        rules: RulesRecords,
        guide: Guide,
        worlds: int,
        trial: int,
        sums: np.ndarray,
        errors: np.ndarray,
        counts: np.ndarray,
    ) -> None:
        for i in range(len(states)):
            playout.states[0] = states[i]
            rate(playout.states, rules, guide, playout.ids, playout.scores)
            base_action = best_legal(states[i]["legal"], playout.scores[0])
            counts[i] = sum_gains(
                states[i], base_action, playout, rules, guide, worlds, trial, sums[i], errors[i]
            )
            for action in range(actions):
                left = errors[i, action] - sums[i, action] ** 2 / worlds
                errors[i, action] = np.sqrt(max(left, 0.0)) + TIE if action != base_action else 0.0

    return roll
