"""Perfect-information Monte Carlo: what would win most often if one could see the rest.

The hidden cards are dealt anew many times; in each such world the game's exact solver says after
which actions a win is left, and the action that leaves one in most worlds is taken (Ginsberg, "GIB:
Imperfect information in a computationally challenging game", 2001; in planning "hindsight
optimization", Chong, Givan and Chang, 2000). The agent counts on knowing later what it does not
know now, so it is no exact answer (Frank and Basin, "Search in games with incomplete information",
1998), but where the hidden cards come to light anyway it loses little.
"""

from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from parlour.envs import GAMES, Game
from parlour.envs.core.kernel.rng import mix64
from parlour.envs.core.rows import copy_states, resample_copies
from parlour.envs.core.turn import Agent, Judgement, Turn, agent_field, check_agent

from ..explanation import Explanation, certain, of_legal
from .inference import DRAWS, check_auction, keep_likeliest

PIMC_WORLDS = 40
"""Worlds for each decision, where no budget is named."""
BLOCK = 8
"""Worlds of every game between two looks at the clock."""
ALIKE = 16
"""A game of which so many worlds are alike is taken for one without hidden cards."""
MAX_WORLDS = 1000
"""Worlds for each decision at most, however much time there is."""
KNOWN_LIMIT = 1_000_000
"""Positions looked at where nothing is hidden any more."""
CHUNK = 1 << 14
"""Worlds that lie in memory at once."""
POLICY_SCALE = 0.05
"""Share of wins that a unit of a policy's log probability stands for: `distill` learns by it."""
PRIOR_WORLDS = 8
"""The opinion of a policy counts as so many worlds."""
SURE = 4.0
"""A policy's first choice is played at once if its log probability is so far ahead."""
SALT = np.uint64(0x50494D43)


class PimcAgent:
    """Takes the action after which most worlds can still be won; among equals ``player`` chooses.

    A player with a policy (``log_probabilities(turn)``, as learned ones have) leads the search:
    where it is sure no worlds are dealt, and elsewhere its opinion counts as some worlds more.

    It sees what its player sees. ``worlds`` for each decision, or as many as ``milliseconds`` allow
    (a decision, on average over the games asked about at once; what it then plays depends on the
    machine). With ``by_bids`` worlds in which the others would have bid as they did are preferred
    (`inference`). Raises ValueError for a game or rules without an exact solver.
    """

    sees_all = False

    def __init__(
        self,
        game: Game,
        rules: Any,
        player: Agent,
        worlds: int | None = None,
        milliseconds: float | None = None,
        by_bids: bool = False,
    ) -> None:
        if game.solving is None or game.winnable_after is None:
            solved = ", ".join(one.name for one in GAMES.values() if one.winnable_after is not None)
            raise ValueError(f"pimc: {game.title} has no exact solver; there is one for {solved}")
        game.winnable_after(np.zeros(0, game.state), rules)  # refuses rules that it cannot solve
        worlds = PIMC_WORLDS if worlds is None else worlds
        if worlds < 1:
            raise ValueError(f"worlds={worlds}: allowed are numbers from 1")
        player = check_agent(player)
        if player.sees_all:
            raise ValueError(f"pimc: {player.name} sees the hidden cards; name one who does not")
        if by_bids:
            check_auction(game)
        self.player, self.worlds, self.milliseconds = player, worlds, milliseconds
        self.by_bids = by_bids
        looks_ahead = agent_field(player, "lookahead_config") is not None  # by values, not policy
        self.policy = None if looks_ahead else getattr(player, "log_probabilities", None)
        self.sure = SURE
        self.world_limit, self.known_limit = game.solving.world_limit, KNOWN_LIMIT
        self.encoding = agent_field(player, "encoding")  # it is handed on what this agent gets
        kind = "pimc-bids" if by_bids else "pimc"
        self.name = kind if player.name == "greedy" else f"{player.name}-{kind}"

    def act(self, turn: Turn) -> np.ndarray:
        """Return the chosen legal action of each game, int64 (n,)."""
        return self.explain(turn).actions

    def explain(self, turn: Turn) -> Explanation:
        """Return the share of worlds in which a win is left after each action.

        ``votes`` are these worlds (half a one: undecided), ``worlds`` all that were dealt: 1 where
        nothing is hidden, 0 where only one action is legal or the player is sure. By
        ``milliseconds`` there may be another number of them the next time.
        """
        actions, policy = turn.masks.argmax(axis=1), None
        shares, worlds = np.full(turn.masks.shape, np.nan), np.zeros(len(actions), np.int64)
        rows = np.flatnonzero(turn.masks.sum(axis=1) > 1)
        if self.policy is not None:
            policy = certain(turn, actions)
            opinion = self.policy(turn.take(rows)) if len(rows) else np.zeros((0, policy.shape[1]))
            chances = np.exp(opinion - opinion.max(axis=1, keepdims=True)) * turn.masks[rows]
            policy[rows] = chances / chances.sum(axis=1, keepdims=True)
            actions[rows] = opinion.argmax(axis=1)
            rows = rows[lead_of_best(opinion) < self.sure]
        if len(rows):
            judged, shares[rows], counts = self._judge(turn.take(rows))
            actions[rows] = judged.actions
            worlds[rows] = np.where(np.isinf(counts), 1, counts)
        return Explanation(
            self.name,
            turn,
            actions,
            certain(turn, actions),
            policy,
            action_values=of_legal(turn, shares),
            unit="share of worlds in which a win is left",
            statistics={"worlds": worlds, "votes": of_legal(turn, shares * worlds[:, None])},
        )

    def judge(self, turn: Turn) -> Judgement:
        """Return for each action the share of worlds in which a win is left after it."""
        return self._judge(turn)[0]

    def _judge(self, turn: Turn) -> tuple[Judgement, np.ndarray, np.ndarray]:
        """The judgement, and what it comes from: see `_shares`."""
        found, counts = self._shares(turn)
        shares = np.where(turn.masks, found, -1.0)
        if self.policy is None:
            best = shares >= shares.max(axis=1, keepdims=True) - 1e-9
            chosen = np.asarray(self.player.act(turn._replace(masks=best)))
            return Judgement(np.where(turn.masks, shares, 0.0), chosen), found, counts
        opinion = self.policy(turn)
        opinion = POLICY_SCALE * (opinion - opinion.max(axis=1, keepdims=True))
        weights = (PRIOR_WORLDS / (PRIOR_WORLDS + counts))[:, None]
        believed = shares.max(axis=1, keepdims=True) + opinion
        values = (1 - weights) * shares + np.maximum(weights, 1e-6) * believed
        values = np.where(turn.masks, values, -np.inf)
        judged = Judgement(np.where(turn.masks, values, 0.0), values.argmax(axis=1))
        return judged, found, counts

    def _shares(self, turn: Turn) -> tuple[np.ndarray, np.ndarray]:
        """For each action the share of worlds in which a win is left after it, (n, actions).

        The second array, float64 (n,), has the number of worlds; where all is known, infinity.
        """
        n = len(turn.masks)
        total = np.zeros((n, turn.game.actions))
        counts = np.full(n, np.inf)
        open_rows = self._solve_known(turn, np.arange(n), total)
        begun, done = perf_counter(), 0
        most = self.worlds if self.milliseconds is None else MAX_WORLDS
        while done < most and len(open_rows):
            block = min(BLOCK, most - done)
            self._add_worlds(turn, open_rows, done, block, total)
            done += block
            spent = 1000 * (perf_counter() - begun)
            if self.milliseconds is not None and spent >= self.milliseconds * len(open_rows):
                break
        total[open_rows] /= max(done, 1)
        counts[open_rows] = done
        return total, counts

    def _solve_known(self, turn: Turn, rows: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Settle the games of which nothing is hidden; return the rows of the others."""
        assert turn.game.winnable_after is not None
        states = copy_states(turn.states, rows)
        worlds = sample_worlds(turn.game, turn.rules, states, turn.seeds[rows], 0, ALIKE)
        whole = worlds.view(f"V{worlds.itemsize}").reshape(len(rows), ALIKE)
        same = (whole == whole[:, :1]).all(axis=1)
        known = rows[same]
        if len(known):
            first = copy_states(worlds, np.flatnonzero(same) * ALIKE)
            total[known] = turn.game.winnable_after(first, turn.rules, self.known_limit)
        return rows[~same]

    def _add_worlds(
        self, turn: Turn, rows: np.ndarray, first: int, worlds: int, total: np.ndarray
    ) -> None:
        """Add up what is left in some more worlds of each of these rows."""
        assert turn.game.winnable_after is not None
        size = max(1, CHUNK // worlds)
        for i in range(0, len(rows), size):
            some = rows[i : i + size]
            roots, seeds = copy_states(turn.states, some), turn.seeds[some]
            states = self._sample(turn, roots, seeds, first, worlds)
            values = turn.game.winnable_after(states, turn.rules, self.world_limit)
            total[some] += values.reshape(len(some), worlds, -1).sum(axis=1)

    def _sample(
        self, turn: Turn, roots: np.ndarray, seeds: np.ndarray, first: int, worlds: int
    ) -> np.ndarray:
        """Deal worlds; by bids the best of some each."""
        draws = DRAWS if self.by_bids else 1
        number, many = first * draws, worlds * draws
        drawn = sample_worlds(turn.game, turn.rules, roots, seeds, number, many)
        return keep_likeliest(turn.game, turn.rules, drawn) if self.by_bids else drawn


PIMC_BIDS = partial(PimcAgent, by_bids=True)
"""Makes one that prefers worlds which fit the bids."""


def lead_of_best(opinion: np.ndarray) -> np.ndarray:
    """Return how far the highest of each row is ahead of the next, float64 (n,)."""
    first_two = np.partition(opinion, -2, axis=1)[:, -2:]
    return np.asarray(first_two[:, 1] - first_two[:, 0])


def sample_worlds(
    game: Game, rules: Any, states: np.ndarray, seeds: np.ndarray, first: int, worlds: int
) -> np.ndarray:
    """Deal the hidden cards of states (n,) anew, ``worlds`` times each, numbered from ``first``.

    Returns states (n * worlds,), those of the first state first, as whoever is to act could be in
    them: they depend on what that seat knows and on ``seeds``, uint64 (n,), alone.
    """
    copies = copy_states(states, np.repeat(np.arange(len(states)), worlds))
    numbers = np.tile(np.arange(first, first + worlds, dtype=np.uint64), len(states))
    mixed = mix64(np.repeat(seeds, worlds) ^ SALT) + numbers
    dealt = resample_copies(game, rules, copies, mix64(mixed))
    dealt["rng"] = 0
    return dealt
