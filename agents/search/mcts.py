"""An agent that searches: a tree of what may come, grown where it looks best, in many worlds.

Information-set Monte Carlo tree search with a single observer (Cowling, Powley and Whitehouse,
"Information Set Monte Carlo Tree Search", 2012). Every iteration deals the hidden cards anew, goes
down the tree by UCB1 for subset-armed bandits (there) or, where something ranks the actions, by
PUCT (Rosin, "Multi-armed bandits with episode context", 2011; Silver et al., "Mastering the game of
Go without human knowledge", 2017), adds one place, judges it by playing on, by a table of values or
by a network, and gives the result to all actions on its way, each counting it for its own seat.

Differences from the paper: what the searching seat would see is the key of a place where it acts
(orders of moves meet again: Childs, Brodeur and Kocsis, "Transpositions and move groups in Monte
Carlo tree search", 2008); all actions of the root are tried in the same worlds; the bonus for what
was tried less is counted in standard deviations of the results, so it means the same in any game.
A secret move of another seat, as in the duel of Poker Squares, is a branch of the tree as if it had
been seen: the known limit of a single observer.
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

from .. import saved as artefact
from ..baselines.greedy import GreedyAgent
from ..explanation import Explanation, certain, of_legal
from ..networks.value_table import ValueTableAgent
from .mcts_kernel import make_iterate
from .mcts_tree import (
    LOGITS,
    NO_PRIOR,
    PLAY_OUT,
    RANKED,
    VALUE_NETWORK,
    VALUE_TABLE,
    SearchConfig,
    make_tree,
    root_statistics,
    slots_for,
)

ITERATIONS = 400
"""Iterations for each decision, where no budget is named."""
MAX_ITERATIONS = 8192
"""Under a clock: after so many iterations a tree grows no more, but is still gone through."""
BLOCK = 8
"""Iterations of every game between two looks at the clock."""
MEMORY = 400 * 2**20
"""Bytes for the trees that grow side by side."""
EXPLORE = 2.0
"""Standard deviations that the bonus of an action counts; see `tree`."""
EPSILON = 0.0
"""Share of random moves in games played out by a heuristic or a table."""

MEAN_UNIT = "mean result of the games of the search"

NetworkFunction = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Logits float32 (n, actions) and values (n,) of ``codes`` observations, int8 (n, width)."""


class SearchGuide(NamedTuple):
    """What of a player leads the search: see `tree.SearchConfig` and `descent.make_iterate`.

    ``player`` names the rule agent that scores; ``weights`` None: the game's own. ``reward`` says
    what a network's values are values of.
    """

    prior: int
    leaf: int
    epsilon: float = 0.0
    player: str | None = None
    weights: np.ndarray | None = None
    table: np.ndarray | None = None
    network: NetworkFunction | None = None
    reward: int = Reward.PROGRESS


class MCTSAgent:
    """Takes the action that a tree search came back to most often; of equals the better mean.

    ``player`` plays games on to their end (uniform, greedy, a player by rule) or judges places (one
    with a table of values, one with a network). A network's policy is the prior; of one that looks
    ahead only the values count. At a table of several seats values are not used, for they are those
    of the seat that acts alone: the policy is the prior, and greedy plays on.

    It sees what its seat sees, and draws by `Turn.seeds` and ``seed`` alone. With ``milliseconds``
    a decision takes about that long instead of ``iterations``: how far it comes, and so what it
    chooses, then depends on the machine. Raises ValueError for another player or a wrong budget.
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
        iterations = ITERATIONS if iterations is None else iterations
        if iterations < 1:
            raise ValueError(f"iterations={iterations}: allowed are whole numbers from 1")
        if milliseconds is not None and not milliseconds > 0:
            raise ValueError(f"milliseconds={milliseconds}: allowed are numbers above 0")
        self.guide = make_guide(player, epsilon, reward)
        self.iterations, self.milliseconds, self.explore = iterations, milliseconds, explore
        self.name, self.seed = f"{player.name}-mcts", seed
        self.iterated = 0
        """Iterations of each game at the last decision."""

    def act(self, turn: Turn) -> np.ndarray:
        """Return one legal action for each game, int64 (n,); the only one without a search."""
        return self.explain(turn).actions

    def explain(self, turn: Turn) -> Explanation:
        """Return how often the search came to each action, and the mean of what came of it.

        By ``milliseconds`` another search may come to something else.
        """
        actions = turn.masks.argmax(axis=1)
        visits, values = np.zeros(turn.masks.shape, np.int64), np.full(turn.masks.shape, np.nan)
        worlds = np.zeros(len(actions), np.int64)
        for some, search in self._searches(turn, np.flatnonzero(turn.masks.sum(axis=1) > 1)):
            masks = turn.masks[some]
            visits[some], means = search.statistics(masks)
            values[some] = np.where(visits[some] > 0, means, np.nan)
            actions[some], worlds[some] = search.best(masks), self.iterated
        return Explanation(
            self.name,
            turn,
            actions,
            certain(turn, actions),
            action_values=of_legal(turn, values),
            unit=MEAN_UNIT,
            statistics={"worlds": worlds, "visits": visits},
        )

    def judge(self, turn: Turn) -> Judgement:
        """Return the mean of each action's games; of one never tried, the worst mean there is."""
        values, actions = np.zeros(turn.masks.shape), turn.masks.argmax(axis=1)
        for some, search in self._searches(turn, np.arange(len(turn.masks))):
            masks = turn.masks[some]
            visits, means = search.statistics(masks)
            tried = masks & (visits > 0)
            worst = means.min(axis=1, keepdims=True, where=tried, initial=np.inf)
            values[some] = np.where(tried, means, np.where(masks & np.isfinite(worst), worst, 0.0))
            actions[some] = search.best(masks)
        return Judgement(values, actions)

    def _searches(self, turn: Turn, rows: np.ndarray) -> Iterator[tuple[np.ndarray, "TreeSearch"]]:
        """Search from some rows, so many at once as memory allows: those rows, and their trees."""
        chunk = max(1, MEMORY // self._bytes(turn.game))
        for first in range(0, len(rows), chunk):
            some = rows[first : first + chunk]
            search = TreeSearch(self.guide, turn, some, self._room, self.explore, self.seed)
            self._grow(search)
            yield some, search

    @property
    def _room(self) -> int:
        return self.iterations if self.milliseconds is None else MAX_ITERATIONS

    def _bytes(self, game: Game) -> int:
        """The memory of one game's search."""
        logits = 4 * game.actions if self.guide.prior == LOGITS else 0
        return 28 * slots_for(self._room) + logits * (self._room + 1) + 4 * game.state.itemsize

    def _grow(self, search: "TreeSearch") -> None:
        if self.milliseconds is None:
            search.iterate(self.iterations)
            self.iterated = self.iterations
            return
        search.iterate(0)  # compiles: that is not to count
        end = perf_counter() + len(search.tree.roots) * self.milliseconds / 1000
        self.iterated = 0
        while self.iterated == 0 or perf_counter() < end:
            search.iterate(BLOCK)
            self.iterated += BLOCK


class TreeSearch:
    """The trees of some games at one turn of theirs, and what makes them grow.

    ``rows`` int64 (k,) are those games of ``turn``; ``room`` is for how many iterations.
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
        further = int(reward == Reward.PROGRESS)  # such values are of what is still to come
        self.plan = SearchConfig(guide.prior, leaf, explore, guide.epsilon, scale, bonus, further)
        weights = game.default_weights if guide.weights is None else guide.weights
        table = np.zeros(0, np.float32) if guide.table is None else guide.table
        self.given = as_record(turn.rules), weights, table, self.plan
        self.guide, self.kernel = guide, make_iterate(game.name, guide.player)
        logits = guide.prior == LOGITS
        self.tree = make_tree(turn, rows, room, logits, seed)
        if logits and guide.network is not None and len(rows):
            self.tree.logits[:, 0] = guide.network(turn.observations[rows])[0]

    def iterate(self, rounds: int) -> None:
        """Make so many iterations for every game."""
        values = np.zeros(len(self.tree.roots))
        if self.guide.network is None:
            self.kernel(self.tree, *self.given, rounds, values)
            return
        for _ in range(rounds):
            self.kernel(self.tree, *self.given, 1, values)
            self._ask(self.guide.network, values)
        self.kernel(self.tree, *self.given, 0, values)  # takes the last answers

    def _ask(self, network: NetworkFunction, values: np.ndarray) -> None:
        """Write what the network says of all games' new places at once."""
        fresh = np.flatnonzero(self.tree.leaf >= 0)
        if len(fresh):
            logits, found = network(np.ascontiguousarray(self.tree.codes[fresh]))
            values[fresh] = found
            if self.guide.prior == LOGITS:
                self.tree.logits[fresh, self.tree.leaf[fresh]] = logits

    def statistics(self, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how often each root's actions were tried, int64 (k, a), and the means of these."""
        visits, means = np.zeros(masks.shape, np.int64), np.zeros(masks.shape)
        root_statistics(self.tree, visits, means)
        return visits, means

    def best(self, masks: np.ndarray) -> np.ndarray:
        """Return the action that was chosen most often at each root, by ``masks`` bool (k, a)."""
        visits, means = self.statistics(masks)
        most = visits == visits.max(axis=1, keepdims=True, where=masks, initial=0)
        return best_actions(masks & most, means)


def make_guide(
    player: Agent, epsilon: float = EPSILON, reward: int = Reward.PROGRESS
) -> SearchGuide:
    """Return what of a player leads a search; ValueError if it can lead none."""
    if isinstance(player, UniformAgent):
        return SearchGuide(NO_PRIOR, PLAY_OUT, 1.0)
    if isinstance(player, GreedyAgent):
        return SearchGuide(RANKED, PLAY_OUT, epsilon, player.rule_agent, player.weights)
    if isinstance(player, ValueTableAgent) and not player.width:
        return SearchGuide(RANKED, VALUE_TABLE, epsilon, table=player.table)
    if getattr(getattr(player, "network", None), "base", None):
        raise ValueError(
            f"agent {agent_name(player)!r} corrects a player by rule, whom a tree does not ask: it "
            "can lead pimc"
        )
    if hasattr(player, "network"):  # as `LearnedAgent`, which cannot be imported without torch
        from ..networks.build import make_network_function

        ahead = getattr(player, "lookahead_config", None)
        return SearchGuide(
            RANKED if ahead else LOGITS,
            VALUE_NETWORK,
            epsilon,
            network=make_network_function(player.network, agent_name(player)),
            reward=ahead.reward if ahead else reward,
        )
    raise ValueError(
        f"agent {agent_name(player)!r} can lead no search: only uniform, greedy, players by "
        "rule and agents with a table of values or a network can"
    )


def trained_reward(folder: Path, game: Game, rules: Any) -> int:
    """Return by what reward a saved agent was trained, if there is one in the folder."""
    if not folder.is_dir():
        return Reward.PROGRESS
    settings = artefact.load_artefact(folder, game, rules).trained.get("settings", {})
    return Reward[settings.get("reward", "progress").upper()]
