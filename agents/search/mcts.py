"""Information-set Monte Carlo tree search: one tree for all sampled worlds of a position.

The search has a single observer (Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree
Search", 2012). Each iteration has four steps:

- Resample the hidden cards.
- Go down the tree: by UCB1 for subset-armed bandits (ibid.), or by PUCT if the guide ranks the
  actions (Rosin, "Multi-armed bandits with episode context", 2011; Silver et al., "Mastering the
  game of Go without human knowledge", 2017).
- Add one node to the tree, and evaluate it by playing the game to its end, by a table of values or
  by a network.
- Give all actions on the path the result of their own seat.

Differences from the paper: a node where the searching seat acts is identified by that seat's
observation, so that different orders of moves lead to the same node (Childs, Brodeur and Kocsis,
"Transpositions and move groups in Monte Carlo tree search", 2008). All actions of the root are
tried in the same worlds. The exploration bonus is measured in standard deviations of the results,
so it means the same in every game.

Known limitation of a single observer: a secret move of another seat, as in the duel of Poker
Squares, is a branch of the tree as if it had been seen.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from parlour.envs import Game
from parlour.envs.core.baselines import UniformAgent
from parlour.envs.core.batch import Reward
from parlour.envs.core.options import as_record
from parlour.envs.core.turn import Agent, Judgement, Turn, agent_name, best_actions

from ..agent_spec import check_milliseconds, choose_number
from ..baselines import GreedyAgent
from ..explanation import Explanation, mask_illegal, one_hot_choice, rows_with_choice
from ..networks.value_table import ValueTableAgent
from ..saved import load_saved_agent
from .mcts_kernel import (
    LOGITS,
    NO_PRIOR,
    PLAY_OUT,
    RANKED,
    VALUE_NETWORK,
    VALUE_TABLE,
    SearchConfig,
    make_iterate,
    make_tree,
    root_statistics,
    slots_for,
)
from .playout import Guide

ITERATIONS = 400
"""Default number of iterations per decision."""
MAX_ITERATIONS = 8192
"""Number of iterations that a tree has room for under a time limit; later ones add no nodes."""
BLOCK = 8
"""Iterations of every game between checks of the clock."""
MEMORY = 400 * 2**20
"""Maximum size in bytes of the trees in memory."""
EXPLORE = 2.0
"""Default weight of the exploration bonus, in standard deviations of the results."""
EPSILON = 0.0
"""Default probability of random moves in games played to their end by a heuristic or a table."""

MEAN_UNIT = "mean result of the simulated games"

NetworkFunction = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Function from ``codes`` observations, int8 (n, width), to logits float32 (n, actions) and values
(n,)."""


class SearchGuide(NamedTuple):
    """The parts of an agent that guide a search."""

    prior: int
    """Source of priors; see `SearchConfig`."""
    leaf: int
    """Source of a leaf's value; see `SearchConfig`."""
    epsilon: float = 0.0
    """Probability of random moves in games played to their end."""
    rule_agent: str | None = None
    """Rule-based agent that scores actions (None: the game's heuristic)."""
    weights: np.ndarray | None = None
    """Weights of that heuristic (None: its own)."""
    table: np.ndarray | None = None
    """Table of values, which replaces the heuristic."""
    network: NetworkFunction | None = None
    """Network function."""
    reward: int = Reward.PROGRESS
    """Reward that the network's values estimate."""


class MCTSAgent:
    """Agent that plays the action that a tree search visits most.

    Ties go to the action with the best mean result.

    Args:
        player: the agent that guides the search. Uniform, greedy and rule-based agents play
            rollouts: games from a leaf to the end. A value table or a network evaluates leaves, and
            the policy of a network is the prior. In multiplayer games, the search does not use the
            values of a network, because they belong to one seat. It uses the network's policy as
            the prior, and greedy plays the rollouts.
        iterations: number of iterations per decision (None: `ITERATIONS`, 400).
        milliseconds: time limit per decision, averaged over the games of a turn, in place of a
            number of iterations. Actions then depend on the machine.
        explore: weight of the exploration bonus, in standard deviations of the results.
        epsilon: probability of random moves in rollouts.
        reward: the reward function that the values of a network estimate (`Reward`).
        seed: seed of the search, combined with the seeds of the turn.

    Raises:
        ValueError: the player cannot guide a search, or another argument is invalid.
    """

    sees_all = False

    def __init__(
        self,
        player: Agent,
        iterations: int | None = None,
        milliseconds: float | None = None,
        *,
        explore: float = EXPLORE,
        epsilon: float = EPSILON,
        reward: int = Reward.PROGRESS,
        seed: int = 0,
    ) -> None:
        check_milliseconds(milliseconds)
        self.guide = make_search_guide(player, epsilon, reward)
        self.iterations = choose_number("iterations", iterations, ITERATIONS)
        self.milliseconds, self.explore = milliseconds, explore
        self.name, self.seed = f"{player.name}-mcts", seed
        self.iterated = 0
        """Number of iterations per game in the last decision."""

    def act(self, turn: Turn) -> np.ndarray:
        """Return one legal action for each game, int64 (n,)."""
        return self.explain(turn).actions

    def explain(self, turn: Turn) -> Explanation:
        """Return the visits of each action and the means of their results.

        Under a time limit, visits and means may differ between calls.
        """
        actions = turn.masks.argmax(axis=1)
        visits, values = np.zeros(turn.masks.shape, np.int64), np.full(turn.masks.shape, np.nan)
        worlds = np.zeros(len(actions), np.int64)
        for rows, search in self._searches(turn, rows_with_choice(turn)):
            masks = turn.masks[rows]
            visits[rows], means = search.statistics(masks)
            values[rows] = np.where(visits[rows] > 0, means, np.nan)
            actions[rows], worlds[rows] = search.best(masks), self.iterated
        return Explanation(
            self.name,
            turn,
            actions,
            one_hot_choice(turn, actions),
            action_values=mask_illegal(turn, values),
            unit=MEAN_UNIT,
            statistics={"worlds": worlds, "visits": visits},
        )

    def judge(self, turn: Turn) -> Judgement:
        """Return the mean result of each action; untried actions get the worst mean."""
        values, actions = np.zeros(turn.masks.shape), turn.masks.argmax(axis=1)
        for rows, search in self._searches(turn, np.arange(len(turn.masks))):
            masks = turn.masks[rows]
            visits, means = search.statistics(masks)
            tried = masks & (visits > 0)
            worst = means.min(axis=1, keepdims=True, where=tried, initial=np.inf)
            values[rows] = np.where(tried, means, np.where(masks & np.isfinite(worst), worst, 0.0))
            actions[rows] = search.best(masks)
        return Judgement(values, actions)

    def _searches(self, turn: Turn, rows: np.ndarray) -> Iterator[tuple[np.ndarray, "TreeSearch"]]:
        """Search from some rows in chunks that fit into memory; yield each with its search."""
        size = max(1, MEMORY // self._tree_bytes(turn.game))
        for first in range(0, len(rows), size):
            chunk = rows[first : first + size]
            search = TreeSearch(self.guide, turn, chunk, self._room, self.explore, self.seed)
            self._grow(search)
            yield chunk, search

    @property
    def _room(self) -> int:
        return self.iterations if self.milliseconds is None else MAX_ITERATIONS

    def _tree_bytes(self, game: Game) -> int:
        """Return the size in bytes of one game's tree."""
        logits = 4 * game.actions if self.guide.prior == LOGITS else 0
        return 28 * slots_for(self._room) + logits * (self._room + 1) + 4 * game.state.itemsize

    def _grow(self, search: "TreeSearch") -> None:
        if self.milliseconds is None:
            search.iterate(self.iterations)
            self.iterated = self.iterations
            return
        search.iterate(0)  # compile before measuring
        end = perf_counter() + len(search.tree.roots) * self.milliseconds / 1000
        self.iterated = 0
        while self.iterated == 0 or perf_counter() < end:
            search.iterate(BLOCK)
            self.iterated += BLOCK


class TreeSearch:
    """The trees of some games of a turn, and the kernel that grows them.

    Args:
        guide: the parts of an agent that guide the search.
        turn: the turn.
        rows: the games of the turn to search, int64 (k,).
        room: number of iterations that the trees have room for.
        explore: weight of the exploration bonus.
        seed: seed of the search, combined with the seeds of the turn.
    """

    def __init__(
        self, guide: SearchGuide, turn: Turn, rows: np.ndarray, room: int, explore: float, seed: int
    ) -> None:
        game, several = turn.game, turn.game.num_players(turn.rules) > 1
        leaf = PLAY_OUT if several else guide.leaf
        reward = guide.reward if leaf == VALUE_NETWORK else Reward.PROGRESS
        scale, bonus = {
            Reward.PROGRESS: (game.kernels.score_scale, game.kernels.win_bonus),
            Reward.WIN: (0.0, 1.0),
            Reward.SCORE: (1.0, 0.0),
        }[Reward(reward)]
        adds_score = int(reward == Reward.PROGRESS)  # its values exclude the score so far
        config = SearchConfig(guide.prior, leaf, explore, guide.epsilon, scale, bonus, adds_score)
        weights = game.default_weights if guide.weights is None else guide.weights
        table = np.zeros(0, np.float32) if guide.table is None else guide.table
        self.arguments = as_record(turn.rules), Guide(weights, table), config
        self.guide, self.kernel = guide, make_iterate(game.name, guide.rule_agent)
        has_logits = guide.prior == LOGITS
        self.tree = make_tree(turn, rows, room, has_logits, seed)
        if has_logits and guide.network is not None and len(rows):
            self.tree.logits[:, 0] = guide.network(turn.observations[rows])[0]

    def iterate(self, rounds: int) -> None:
        """Run a number of iterations for every game."""
        values = np.zeros(len(self.tree.roots))
        if self.guide.network is None:
            self.kernel(self.tree, *self.arguments, rounds, values)
            return
        for _ in range(rounds):
            self.kernel(self.tree, *self.arguments, 1, values)
            self._ask(self.guide.network, values)
        self.kernel(self.tree, *self.arguments, 0, values)  # uses the last answers

    def _ask(self, network: NetworkFunction, values: np.ndarray) -> None:
        """Write the network's logits and values of all games' new nodes, in one batch."""
        waiting = np.flatnonzero(self.tree.leaf >= 0)
        if len(waiting):
            logits, leaf_values = network(np.ascontiguousarray(self.tree.codes[waiting]))
            values[waiting] = leaf_values
            if self.guide.prior == LOGITS:
                self.tree.logits[waiting, self.tree.leaf[waiting]] = logits

    def statistics(self, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the visits of the roots' actions, int64 (k, actions), and their mean results."""
        visits, means = np.zeros(masks.shape, np.int64), np.zeros(masks.shape)
        root_statistics(self.tree, visits, means)
        return visits, means

    def best(self, masks: np.ndarray) -> np.ndarray:
        """Return the most visited action of each root; ``masks`` is bool (k, actions)."""
        visits, means = self.statistics(masks)
        most = visits == visits.max(axis=1, keepdims=True, where=masks, initial=0)
        return best_actions(masks & most, means)


def make_search_guide(
    player: Agent, epsilon: float = EPSILON, reward: int = Reward.PROGRESS
) -> SearchGuide:
    """Return the parts of an agent that guide a search. Raises ValueError if it cannot."""
    if isinstance(player, UniformAgent):
        return SearchGuide(NO_PRIOR, PLAY_OUT, 1.0)
    if isinstance(player, GreedyAgent):
        return SearchGuide(RANKED, PLAY_OUT, epsilon, player.rule_agent, player.weights)
    if isinstance(player, ValueTableAgent) and not player.width:
        return SearchGuide(RANKED, VALUE_TABLE, epsilon, table=player.table)
    if getattr(getattr(player, "network", None), "base", None):
        raise ValueError(
            f"agent {agent_name(player)!r} cannot guide a tree search, which does not support "
            "networks with a base policy. This agent can guide pimc"
        )
    if hasattr(player, "network"):  # a `LearnedAgent`, which cannot be imported without torch
        from ..networks.build import make_network_function

        network = make_network_function(player.network, agent_name(player))
        return SearchGuide(LOGITS, VALUE_NETWORK, epsilon, network=network, reward=reward)
    raise ValueError(
        "the guide of mcts must be uniform, greedy, a rule-based agent, or an agent with a table "
        f"of values or a network, got {agent_name(player)!r}"
    )


def trained_reward(folder: Path, game: Game, rules: Any) -> int:
    """Return the reward that a saved agent was trained on."""
    settings = load_saved_agent(folder, game, rules).trained.get("settings", {})
    return Reward[settings.get("reward", "progress").upper()]
