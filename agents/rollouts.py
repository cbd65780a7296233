"""An agent that tries every action out: games played to their end from worlds it can imagine."""

from collections.abc import Callable
from functools import cache
from time import perf_counter

import numpy as np

from parlour.envs import find_game
from parlour.envs.core.aliases import RulesRecord, RulesRecords, Seat, State, States
from parlour.envs.core.jit import jit
from parlour.envs.core.legal import has_action
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import copy_states
from parlour.envs.core.splitmix import GAMMA
from parlour.envs.core.turn import Agent, Judgement, Turn, best_actions
from parlour.envs.core.values import best_legal, win_bonus_points

from .explanation import Explanation, certain, of_legal
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
from .value_table import POINTS

ROLLOUT_WORLDS = 160
"""Deals of the hidden cards that each decision is tried out in, the same ones for all actions."""
HALVING_SHARE = 4
"""After a share of 1 / HALVING_SHARE of them the worse half of the actions is dropped."""
ROLLOUT_WIDTH = 4
"""By a table of values only so many actions are tried out: those that it thinks best."""
PROBE = 4
"""Worlds by which the speed is measured where time is the budget."""
DROPPED_SCORE = -1e18
CAUTION, TIE = 2.0, 1e-6
"""At a table another action than the player's own must gain by so many standard errors, and more
than nothing: much is tried out there, above all in an auction, and of many the one that was
luckiest would be taken."""
CAUTION_ALONE = 1.0
"""The same for a player by rule alone, who often knows better than some worlds can tell."""


@jit
def keep_best(kept: np.ndarray, n: int, values: np.ndarray, totals: np.ndarray) -> None:
    """Of the actions ``kept``, bool (actions,), drop all but the n best, of equals the lowest."""
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
    """Build a game's ``result(s, rules, seat)``: what a seat has from a game that is over.

    Alone it is the score and a bonus for reaching the goal, at a table of several the seat's net.
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

    ``totals``, float64 (n, actions), receives for each legal action the sum, over so many worlds,
    of what the seat at turn has in the end (`make_result`); for one that was dropped,
    `DROPPED_SCORE`. A guide's table also says which `ROLLOUT_WIDTH` actions are tried. ``counts``,
    int64 (n,), receives the worlds: fewer where one action was left before.
    """
    game = find_game(name)
    step, resample_rows, actions = game.kernels.step, game.resample_rows, game.actions
    result = make_result(name)
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
            keep_best(kept, width, playout.scores[0], totals)

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
        world, s = states[:1].copy(), playout.states[0]
        kept = np.empty(actions, np.bool_)
        for i in range(len(states)):
            begin(states[i], playout, rules, guide, kept, totals[i])
            rng = states[i]["rng"]
            for number in range(worlds):
                if number > 0 and number == worlds // HALVING_SHARE:
                    keep_best(kept, (kept.sum() + 1) // 2, totals[i], totals[i])
                if kept.sum() == 1:
                    break
                counts[i] += 1
                rng += GAMMA
                world[0] = states[i]
                world[0]["rng"] = rng
                resample_rows(world, rules, -1)
                for action in range(actions):
                    if kept[action]:
                        playout.states[0] = world[0]
                        step(s, rules[0], action)
                        play_on(playout, rules, guide, playout.line, 0)
                        totals[i, action] += result(s, rules[0], states[i]["turn"])

    return roll


@cache
def make_gain_rollouts(name: str, rule_agent: str | None = None) -> Callable[..., None]:
    """Build a game's ``roll(states, playout, rules, guide, worlds, trial, sums, errors, counts)``.

    ``sums``, float64 (n, actions), receives for each legal action the sum of what it gains over the
    player's own choice, whose sum is 0; ``errors`` the standard errors of these sums. After so many
    worlds as ``trial`` says (0: never) an action is dropped that has gained nothing, and one that
    the player calls hopeless is not tried out at all: `DROPPED_SCORE`. ``counts``, int64 (n,), as
    `make_rollouts` has them.
    """
    game = find_game(name)
    step, resample_rows, actions = game.kernels.step, game.resample_rows, game.actions
    result = make_result(name)
    rate, play_on = playout_kernels(name, rule_agent)

    @jit
    def begin(root: State, own: int, trial: int, scores: np.ndarray, sums: np.ndarray) -> int:
        """Drop what is hopeless, if anything may be dropped; return how many are to be tried."""
        left = 0
        for action in range(actions):
            if action != own and has_action(root["legal"], action):
                if trial and is_hopeless(scores[action]):
                    sums[action] = DROPPED_SCORE
                left += sums[action] == 0
        return left

    @jit
    def drop_losing(own: int, sums: np.ndarray, squares: np.ndarray) -> int:
        """Drop what has gained nothing; return how many are left."""
        left = 0
        for action in range(actions):
            if action != own and sums[action] <= 0:
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
        own: int,
        playout: Playout,
        rules: RulesRecords,
        guide: Guide,
        worlds: int,
        trial: int,
        sums: np.ndarray,
        squares: np.ndarray,
    ) -> int:
        world, rng, seat = playout.states.copy(), root["rng"], root["turn"]
        left = begin(root, own, trial, playout.scores[0], sums)
        for number in range(worlds):
            if number > 0 and number == trial:
                left = drop_losing(own, sums, squares)
            if left == 0:
                return number
            rng += GAMMA
            world[0] = root
            world[0]["rng"] = rng
            resample_rows(world, rules, -1)
            base = try_out(world[0], seat, playout, rules, guide, own)
            for action in range(actions):
                is_dropped = sums[action] == DROPPED_SCORE
                if action != own and has_action(root["legal"], action) and not is_dropped:
                    gain = try_out(world[0], seat, playout, rules, guide, action) - base
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
            own = best_legal(states[i]["legal"], playout.scores[0])
            counts[i] = sum_gains(
                states[i], own, playout, rules, guide, worlds, trial, sums[i], errors[i]
            )
            for action in range(actions):
                left = errors[i, action] - sums[i, action] ** 2 / worlds
                errors[i, action] = np.sqrt(max(left, 0.0)) + TIE if action != own else 0.0

    return roll


class RolloutAgent:
    """Takes the action after which ``player``, by heuristic, rule or table, ends best on average.

    At a table of several the player takes all seats from there on, and another action than its own
    is taken where that surely gains. So it is, with less caution, where a player by rule leads. It
    sees what its player sees: the hidden cards are dealt anew for each of ``worlds``. With
    ``milliseconds`` there are as many as fit into about that time, by the speed of the first few:
    the choice then depends on the machine.
    """

    sees_all = False

    def __init__(
        self,
        player: Agent,
        worlds: int | None = None,
        milliseconds: float | None = None,
    ) -> None:
        player = check_player(player, "rollouts")
        worlds = ROLLOUT_WORLDS if worlds is None else worlds
        if worlds < 1:
            raise ValueError(f"worlds={worlds}: allowed are numbers from 1")
        if milliseconds is not None and not milliseconds > 0:
            raise ValueError(f"milliseconds={milliseconds}: allowed are numbers above 0")
        self.player, self.worlds, self.name = player, worlds, f"{player.name}-rollouts"
        self.milliseconds = milliseconds

    def act(self, turn: Turn) -> np.ndarray:
        """Return the best legal action of each game, int64 (n,); of equals the lowest."""
        return self.explain(turn).actions

    def explain(self, turn: Turn) -> Explanation:
        """Return what each action comes to on average; nan for those dropped on the way.

        By ``milliseconds`` it may be tried out in another number of worlds the next time.
        """
        actions = turn.masks.argmax(axis=1)
        values, worlds = np.full(turn.masks.shape, np.nan), np.zeros(len(actions), np.int64)
        rows = np.flatnonzero(turn.masks.sum(axis=1) > 1)
        if len(rows):
            states = copy_states(turn.states, rows)
            totals, counts = self._totals(turn, states, self._affordable(turn, states))
            actions[rows], worlds[rows] = best_actions(turn.masks[rows], totals), counts
            tried = totals > DROPPED_SCORE / 2  # sums go on from there where it is added to
            tried &= counts[:, None] > 0
            values[rows] = np.where(tried, totals / np.maximum(counts, 1)[:, None], np.nan)
        return Explanation(
            self.name,
            turn,
            actions,
            certain(turn, actions),
            action_values=of_legal(turn, values),
            unit=POINTS,
            statistics={"worlds": worlds},
        )

    def _totals(self, turn: Turn, states: np.ndarray, worlds: int) -> tuple[np.ndarray, np.ndarray]:
        """What all actions come to, and in how many worlds: see `make_rollouts`."""
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
        """What actions gain over the player's own, errors, worlds: see `make_gain_rollouts`."""
        game = turn.game
        sums, errors = np.zeros((2, len(states), game.actions))
        counts = np.zeros(len(states), np.int64)
        guide, rules = make_guide(self.player, game), as_record(turn.rules)
        roll = make_gain_rollouts(game.name, find_rule_agent(self.player))
        roll(states, make_playout(game), rules, guide, worlds, trial, sums, errors, counts)
        return sums, errors, counts

    def judge(self, turn: Turn) -> Judgement:
        """Return what actions gain over the player's own, by the reward "progress", and choices.

        Another action than the player's own is chosen where it surely gains.
        """
        game = turn.game
        sums, errors, _ = self._gains(turn, copy_states(turn.states), self.worlds)
        actions = best_actions(turn.masks, sums - CAUTION * errors)
        unit = 1 / game.reward_unit(turn.rules) if game.seats else game.kernels.score_scale
        return Judgement(np.where(turn.masks, sums / self.worlds * unit, 0.0), actions)

    def _affordable(self, turn: Turn, states: np.ndarray) -> int:
        """How many worlds there is time for."""
        if self.milliseconds is None:
            return self.worlds
        self._totals(turn, states[:0], 0)  # compiles: that is not to count
        begun = perf_counter()
        self._totals(turn, states, PROBE)
        spent = (perf_counter() - begun) / PROBE
        left = len(states) * self.milliseconds / 1000 - spent * PROBE
        # in all but the first of FIRST parts of them about half the actions are still tried out
        return max(1, int(left / spent * 2 * HALVING_SHARE / (HALVING_SHARE + 1)))
