"""Perfect-information Monte Carlo: solve sampled worlds and play the action that wins in most.

The agent resamples the hidden cards many times. In each sampled world, the game's exact solver
determines after which actions the game can still be won. The agent plays the action for which this
holds in most worlds (Ginsberg, "GIB: Imperfect information in a computationally challenging game",
2001; in planning "hindsight optimization", Chong, Givan and Chang, 2000). The result is not exact,
because the agent assumes that it will know later what it does not know now (Frank and Basin,
"Search in games with incomplete information", 1998). If hidden cards are revealed soon anyway,
little is lost.
"""

from time import perf_counter
from typing import Any

import numpy as np

from parlour.envs import GAMES, Game
from parlour.envs.core.kernel.rng import mix64
from parlour.envs.core.rows import copy_states, resample_copies
from parlour.envs.core.turn import Agent, Judgement, Turn, agent_field, check_agent

from ..agent_spec import check_milliseconds, choose_number
from ..explanation import Explanation, mask_illegal, one_hot_choice, rows_with_choice
from .inference import DRAWS, check_auction, keep_likeliest

PIMC_WORLDS = 40
"""Default number of sampled worlds per decision."""
BLOCK = 8
"""Worlds of every game between checks of the clock."""
ALIKE = 16
"""If this many sampled worlds of a game are equal, the game counts as one without hidden cards."""
MAX_WORLDS = 1000
"""Maximum number of worlds per decision under a time limit."""
KNOWN_LIMIT = 1_000_000
"""Node limit of the solver if no cards are hidden."""
CHUNK = 1 << 14
"""Maximum number of worlds in memory."""
PRIOR_WORLDS = 8
"""Number of worlds that the policy of the guide counts for."""
SURE = 4.0
"""Lead of a policy's first choice, in log probability, above which it is played without a search.
"""
SALT = np.uint64(0x50494D43)


class PimcAgent:
    """Perfect-information Monte Carlo (PIMC) agent.

    The agent plays the action that keeps the largest number of sampled worlds winnable, and
    ``player`` breaks ties. A player whose policy was distilled from action values also guides the
    search: log probabilities (``log_probabilities(turn)``) times its ``temperature`` are values.
    If its most likely action leads by 4 or more in log probability (`SURE`), the agent plays this
    action without sampling worlds. Otherwise, the value of an action is a weighted mean of two
    numbers: the fraction of sampled worlds that can still be won, and an estimate from the policy.
    The estimate has the weight of 8 worlds (`PRIOR_WORLDS`).

    Args:
        game: the game to play, which must have an exact solver.
        rules: its rules.
        player: the agent that guides the search; it must not see hidden cards.
        worlds: number of sampled worlds per decision (None: `PIMC_WORLDS`, 40).
        milliseconds: time limit per decision, averaged over the games of a turn, in place of a
            number of worlds. Actions then depend on the machine.
        by_bids: whether to prefer sampled worlds in which the greedy heuristic makes the bids that
            the other seats made.

    Raises:
        ValueError: the game or the rules have no exact solver, or another argument is invalid.
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
        check_solver("pimc", game, rules)
        assert game.solving is not None
        player = check_agent(player)
        if player.sees_all:
            raise ValueError(
                f"the guide of pimc must be an agent that does not see the hidden cards, got "
                f"{player.name}"
            )
        if by_bids:
            check_auction(game)
        check_milliseconds(milliseconds)
        self.worlds = choose_number("worlds", worlds, PIMC_WORLDS)
        self.player, self.milliseconds, self.by_bids = player, milliseconds, by_bids
        self.temperature: float | None = getattr(player, "temperature", None)
        distilled = self.temperature is not None
        self.policy = getattr(player, "log_probabilities", None) if distilled else None
        self.sure = SURE
        self.world_limit, self.known_limit = game.solving.world_limit, KNOWN_LIMIT
        self.encoding = agent_field(player, "encoding")  # the player sees the same turn
        kind = "pimc-bids" if by_bids else "pimc"
        self.name = kind if player.name == "greedy" else f"{player.name}-{kind}"

    def act(self, turn: Turn) -> np.ndarray:
        """Return the chosen legal action of each game, int64 (n,)."""
        return self.explain(turn).actions

    def explain(self, turn: Turn) -> Explanation:
        """Return the fraction of worlds that can still be won after each action.

        The statistics are ``votes``, the number of these worlds (an undecided world counts half),
        and ``worlds``, the number of sampled worlds. ``worlds`` is 1 if nothing is hidden, and 0 if
        the agent did not search: only one action is legal, or the policy leads by `SURE`. Under a
        time limit, the statistics may differ between calls.
        """
        actions, policy = turn.masks.argmax(axis=1), None
        shares, worlds = np.full(turn.masks.shape, np.nan), np.zeros(len(actions), np.int64)
        rows = rows_with_choice(turn)
        if self.policy is not None:
            policy = one_hot_choice(turn, actions)
            opinion = self.policy(turn.take(rows)) if len(rows) else np.zeros((0, policy.shape[1]))
            probabilities = np.exp(opinion - opinion.max(axis=1, keepdims=True)) * turn.masks[rows]
            policy[rows] = probabilities / probabilities.sum(axis=1, keepdims=True)
            actions[rows] = opinion.argmax(axis=1)
            rows = rows[margin_of_best(opinion) < self.sure]
        if len(rows):
            judged, shares[rows], counts = self._judge(turn.take(rows))
            actions[rows] = judged.actions
            worlds[rows] = np.where(np.isinf(counts), 1, counts)
        return Explanation(
            self.name,
            turn,
            actions,
            one_hot_choice(turn, actions),
            policy,
            action_values=mask_illegal(turn, shares),
            unit="fraction of sampled worlds that can still be won",
            statistics={"worlds": worlds, "votes": mask_illegal(turn, shares * worlds[:, None])},
        )

    def judge(self, turn: Turn) -> Judgement:
        """Return the value of each action, as defined in the class, and the chosen actions."""
        return self._judge(turn)[0]

    def _judge(self, turn: Turn) -> tuple[Judgement, np.ndarray, np.ndarray]:
        """Return the judgment, and the two arrays of `_shares` behind it."""
        won_shares, counts = self._shares(turn)
        shares = np.where(turn.masks, won_shares, -1.0)
        if self.policy is None or self.temperature is None:
            best = shares >= shares.max(axis=1, keepdims=True) - 1e-9
            chosen = np.asarray(self.player.act(turn._replace(masks=best)))
            return Judgement(np.where(turn.masks, shares, 0.0), chosen), won_shares, counts
        opinion = self.policy(turn)
        opinion = self.temperature * (opinion - opinion.max(axis=1, keepdims=True))
        weights = (PRIOR_WORLDS / (PRIOR_WORLDS + counts))[:, None]
        believed = shares.max(axis=1, keepdims=True) + opinion
        values = (1 - weights) * shares + np.maximum(weights, 1e-6) * believed
        values = np.where(turn.masks, values, -np.inf)
        judged = Judgement(np.where(turn.masks, values, 0.0), values.argmax(axis=1))
        return judged, won_shares, counts

    def _shares(self, turn: Turn) -> tuple[np.ndarray, np.ndarray]:
        """Return the fraction of worlds that can still be won after each action, (n, actions).

        The second array, float64 (n,), is the number of worlds; infinity if nothing is hidden.
        """
        n = len(turn.masks)
        total = np.zeros((n, turn.game.actions))
        counts = np.full(n, np.inf)
        open_rows = self._solve_known(turn, np.arange(n), total)
        start, done = perf_counter(), 0
        limit = self.worlds if self.milliseconds is None else MAX_WORLDS
        while done < limit and len(open_rows):
            block = min(BLOCK, limit - done)
            self._add_worlds(turn, open_rows, done, block, total)
            done += block
            elapsed = 1000 * (perf_counter() - start)
            if self.milliseconds is not None and elapsed >= self.milliseconds * len(open_rows):
                break
        total[open_rows] /= max(done, 1)
        counts[open_rows] = done
        return total, counts

    def _solve_known(self, turn: Turn, rows: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Solve the games without hidden cards; return the rows of the others."""
        assert turn.game.winnable_after is not None
        states = copy_states(turn.states, rows)
        known, worlds = find_known(turn.game, turn.rules, states, turn.seeds[rows], ALIKE)
        if len(known):
            total[rows[known]] = turn.game.winnable_after(worlds, turn.rules, self.known_limit)
        return np.delete(rows, known)

    def _add_worlds(
        self, turn: Turn, rows: np.ndarray, first: int, worlds: int, total: np.ndarray
    ) -> None:
        """Solve further worlds of these rows, numbered from ``first``, and add their results."""
        assert turn.game.winnable_after is not None
        size = max(1, CHUNK // worlds)
        for i in range(0, len(rows), size):
            chunk = rows[i : i + size]
            roots, seeds = copy_states(turn.states, chunk), turn.seeds[chunk]
            states = self._sample(turn, roots, seeds, first, worlds)
            values = turn.game.winnable_after(states, turn.rules, self.world_limit)
            total[chunk] += values.reshape(len(chunk), worlds, -1).sum(axis=1)

    def _sample(
        self, turn: Turn, roots: np.ndarray, seeds: np.ndarray, first: int, worlds: int
    ) -> np.ndarray:
        """Sample worlds; with ``by_bids``, each is the one of several that fits the bids best."""
        draws = DRAWS if self.by_bids else 1
        sampled = sample_worlds(turn.game, turn.rules, roots, seeds, first * draws, worlds * draws)
        return keep_likeliest(turn.game, turn.rules, sampled) if self.by_bids else sampled


def check_solver(agent: str, game: Game, rules: Any) -> None:
    """Check that an agent has the exact solver that it needs.

    Raises ValueError if the game or the rules have none.
    """
    if game.winnable_after is None:
        solved = ", ".join(one.name for one in GAMES.values() if one.winnable_after is not None)
        raise ValueError(
            f"{agent} requires a game with an exact solver ({solved}), got {game.title}"
        )
    game.winnable_after(np.zeros(0, game.state), rules)  # raises for rules without a solver


def margin_of_best(opinion: np.ndarray) -> np.ndarray:
    """Return the difference between the two highest values of each row, float64 (n,)."""
    first_two = np.partition(opinion, -2, axis=1)[:, -2:]
    return np.asarray(first_two[:, 1] - first_two[:, 0])


def sample_worlds(
    game: Game, rules: Any, states: np.ndarray, seeds: np.ndarray, first: int, worlds: int
) -> np.ndarray:
    """Resample the hidden cards of states (n,) ``worlds`` times each, numbered from ``first``.

    Returns states (n * worlds,), with those of the first state first. The result depends only on
    the information of the seat to act and on ``seeds``, uint64 (n,).
    """
    copies = copy_states(states, np.repeat(np.arange(len(states)), worlds))
    numbers = np.tile(np.arange(first, first + worlds, dtype=np.uint64), len(states))
    mixed = mix64(np.repeat(seeds, worlds) ^ SALT) + numbers
    sampled = resample_copies(game, rules, copies, mix64(mixed))
    sampled["rng"] = 0
    return sampled


def find_known(
    game: Game, rules: Any, states: np.ndarray, seeds: np.ndarray, worlds: int
) -> tuple[np.ndarray, np.ndarray]:
    """Find the states (n,) without hidden cards: those whose sampled worlds are all equal.

    By chance, the worlds of another state may be equal, too: with two unknown cards, with
    probability ``2 ** (1 - worlds)``. A second world tells most states apart, so that few states
    need the others.

    Returns:
        The indices of the states, int64 (k,), and one world of each, (k,).
    """
    known, first = np.arange(len(states)), sample_worlds(game, rules, states, seeds, 0, 1)
    for start, stop in ((1, 2), (2, worlds)):
        roots, n = copy_states(states, known), stop - start
        others = sample_worlds(game, rules, roots, seeds[known], start, n)
        contents = others.view(f"V{others.itemsize}").reshape(len(known), n)
        known = known[(contents == first.view(contents.dtype)[known, None]).all(axis=1)]
    return known, copy_states(first, known)
