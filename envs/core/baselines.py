"""The baselines uniform and greedy, and the game's rule-based agents."""

from collections.abc import Sequence

import numpy as np

from .game import Game
from .kernel.jit import jit
from .kernel.rng import WORD_MASK
from .options import unknown_text
from .rows import copy_states
from .seat_kernels import ASKED, SCORED, UNIFORM, TurnTable
from .turn import Agent, Turn, best_actions, random_floats
from .type_aliases import Masks


@jit
def pick_uniform(masks: Masks, shares: np.ndarray, actions: np.ndarray) -> None:
    """Choose for each row the legal action at a relative position ``shares``, 0 <= x < 1."""
    for i in range(len(masks)):
        total = 0
        for action in range(masks.shape[1]):
            total += masks[i, action]
        left = int(shares[i] * total)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1


class UniformAgent:
    """Agent that chooses uniformly among the legal actions.

    Args:
        seed: Number that selects one of several independent random streams.
    """

    name = "uniform"
    sees_all = False

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def act(self, turn: Turn) -> np.ndarray:
        """Return a random legal action for each game, int64 (n,)."""
        actions = np.zeros(len(turn.masks), np.int64)
        pick_uniform(turn.masks, random_floats(turn.seeds, self.seed), actions)
        return actions

    def probabilities(self, turn: Turn) -> np.ndarray:
        """Return the probability of each action, float64 (n, actions)."""
        return turn.masks / turn.masks.sum(axis=1, keepdims=True)


class HeuristicAgent:
    """Agent that chooses the action with the highest score of `Game.score_actions`.

    Ties go to the lowest action.

    Args:
        name: Name of the agent (None: ``"greedy"``).
        weights: Weights of the heuristic, float64 (None: the game's default weights).
        rule_agent: Name of the rule-based agent that scores (None: the heuristic).
    """

    name = "greedy"
    sees_all = False

    def __init__(
        self,
        name: str | None = None,
        weights: np.ndarray | None = None,
        rule_agent: str | None = None,
    ) -> None:
        self.name, self.weights, self.rule_agent = name or self.name, weights, rule_agent

    def act(self, turn: Turn) -> np.ndarray:
        """Return the legal action with the highest score for each game, int64 (n,)."""
        return best_actions(turn.masks, self.score(turn))

    def score(self, turn: Turn) -> np.ndarray:
        """Return the scores of the actions, float64 (n, actions)."""
        states = copy_states(turn.states)  # A read-only array would compile the kernel again.
        return turn.game.score_actions(states, turn.rules, self.weights, self.rule_agent)


def make_turn_table(agents: Sequence[Agent], game: Game, scratch_rows: int = 1) -> TurnTable | None:
    """Return the agents in the form that kernels take; None if no agent is a baseline.

    Args:
        agents: The agents.
        game: The game.
        scratch_rows: Number of rows of the scratch space. Threads that share the rows of a batch
            need as many as the batch has, because each uses those of its own part.
    """
    kinds = np.full(len(agents), ASKED)
    salts = np.zeros(len(agents), np.uint64)
    weights = np.tile(game.default_weights, (len(agents), 1))
    names = [None, *game.rule_agents]
    for i, agent in enumerate(agents):
        owner, method = getattr(agent.act, "__self__", None), getattr(agent.act, "__func__", None)
        if isinstance(owner, UniformAgent) and method is UniformAgent.act:
            kinds[i], salts[i] = UNIFORM, owner.seed & WORD_MASK
        elif isinstance(owner, HeuristicAgent) and method is HeuristicAgent.act:
            kinds[i] = SCORED + names.index(owner.rule_agent)
            if owner.weights is not None:
                weights[i] = owner.weights
    scores = np.zeros((scratch_rows, game.actions))
    return None if (kinds == ASKED).all() else TurnTable(kinds, salts, weights, scores)


def make_baseline(name: str, game: Game, seed: int = 0) -> Agent:
    """Return a baseline by its name.

    Args:
        name: ``"uniform"``, ``"greedy"`` or the name of a rule-based agent of the game.
        game: The game.
        seed: Seed of the uniform agent.

    Raises:
        ValueError: The game has no baseline of that name.
    """
    if name == UniformAgent.name:
        return UniformAgent(seed)
    if name == HeuristicAgent.name:
        return HeuristicAgent()
    if not isinstance(name, str) or name not in game.rule_agents:
        raise ValueError(
            unknown_text("agent", name, (UniformAgent.name, HeuristicAgent.name, *game.rule_agents))
        )
    return HeuristicAgent(name, rule_agent=name)
