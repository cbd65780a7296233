"""An agent that tries every action out: games played to their end from worlds it can imagine."""

from time import perf_counter

import numpy as np

from parlour.envs.core.options import as_record
from parlour.envs.core.rows import copy_states
from parlour.envs.core.turn import Agent, Judgement, Turn, best_actions

from ..explanation import Explanation, certain, of_legal
from ..networks.value_table import POINTS
from .inference import is_bidding
from .playout import check_player, find_rule_agent, make_guide, make_playout
from .rollout_kernels import DROPPED_SCORE, HALVING_SHARE, make_gain_rollouts, make_rollouts

ROLLOUT_WORLDS = 160
"""Deals of the hidden cards that each decision is tried out in, the same ones for all actions."""
PROBE = 4
"""Worlds by which the speed is measured where time is the budget."""
CAUTION = 2.0
"""At a table another action than the player's own must gain by so many standard errors: much is
tried out there, above all in an auction, and of many the one that was luckiest would be taken."""
CAUTION_ALONE = 1.0
"""The same for a player by rule alone, who often knows better than some worlds can tell."""


class RolloutAgent:
    """Takes the action after which ``player``, by heuristic, rule or table, ends best on average.

    At a table of several the player takes all seats from there on, and another action than its own
    is taken where that surely gains. So it is, with less caution, where a player by rule leads. It
    sees what its player sees: the hidden cards are dealt anew for each of ``worlds``. With
    ``milliseconds`` there are as many as fit into about that time, by the speed of the first few:
    the choice then depends on the machine. With ``cards_only`` it bids as its player does.
    """

    sees_all = False

    def __init__(
        self,
        player: Agent,
        worlds: int | None = None,
        milliseconds: float | None = None,
        cards_only: bool = False,
    ) -> None:
        player = check_player(player, "rollouts")
        worlds = ROLLOUT_WORLDS if worlds is None else worlds
        if worlds < 1:
            raise ValueError(f"worlds={worlds}: allowed are numbers from 1")
        if milliseconds is not None and not milliseconds > 0:
            raise ValueError(f"milliseconds={milliseconds}: allowed are numbers above 0")
        kind = "rollouts-cards" if cards_only else "rollouts"
        self.player, self.worlds, self.name = player, worlds, f"{player.name}-{kind}"
        self.cards_only = cards_only
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
        if self.cards_only:
            rows = self._bid(turn, rows, actions)
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

    def _bid(self, turn: Turn, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Write what the player does before the cards are played; return the other rows."""
        before = is_bidding(turn.game, turn.states)[rows]
        if before.any():
            actions[rows[before]] = self.player.act(turn.take(rows[before]))
        return rows[~before]

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
        if self.cards_only:
            every = np.arange(len(actions))
            sums[np.setdiff1d(every, self._bid(turn, every, actions))] = 0.0
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
