"""What of a game is compiled to try its actions out: in dealt worlds, each played to its end."""

from collections.abc import Callable
from functools import cache

import numpy as np

from parlour.envs import find_game
from parlour.envs.core.aliases import RulesRecord, RulesRecords, Seat, State, States
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.kernel.rng import GAMMA
from parlour.envs.core.legal import has_action
from parlour.envs.core.values import best_legal, win_bonus_points

from .playout import Guide, Playout, is_hopeless, playout_kernels

HALVING_SHARE = 4
"""After a share of 1 / HALVING_SHARE of the worlds the worse half of the actions is dropped."""
ROLLOUT_WIDTH = 4
"""By a table of values only so many actions are tried out: those that it thinks best."""
DROPPED_SCORE = -1e18
TIE = 1e-6
"""Added to a standard error: a gain must be more than nothing."""


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
