"""Agents with the method ``predict`` of Stable-Baselines3, for ordinary loops over environments."""

from copy import copy
from typing import Any

import numpy as np

from parlour.envs.core.rows import Rows
from parlour.envs.core.turn import Agent, choose_actions, legal_masks, prepare_turn

from .adapters import as_agent
from .registry import load_agent


class Policy:
    """An agent that acts in one environment; `load_policy` makes it.

    The agent reads the current positions from the environment, with resampled hidden cards, because
    a search agent needs more than an observation.

    Attributes:
        agent: The agent.
        env: The environment.
    """

    def __init__(self, agent: Agent, env: Any, tables: list[Rows], seed: int) -> None:
        self.agent, self.env = agent, env
        self._tables, self._game = tables, tables[0].game
        self._rng = np.random.default_rng(seed)

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool | None = None,
        action_masks: Any = None,
    ) -> tuple[Any, Any]:
        """Return the agent's actions in the current positions of the environment.

        Args:
            observation: The last observation of the environment, of one game or of all rows. Only
                its shape is used; the positions come from the environment.
            state: Ignored; for compatibility with Stable-Baselines3.
            episode_start: Ignored; for compatibility with Stable-Baselines3.
            deterministic: Whether a learned agent plays its most likely action instead of sampling
                (None: as it was saved).
            action_masks: Masks of legal actions, (actions,) or (n, actions) (None: those of the
                environment). A mask must not forbid an action that the environment allows, because
                an agent chooses among all legal actions.

        Returns:
            The action, an integer, or the actions, int64 (n,); and ``state``. Rows whose game is
            over get the action 0, which a vector environment ignores.

        Raises:
            ValueError: No game is running, or the masks differ from those of the environment.
        """
        states = np.concatenate([rows.states for rows in self._tables])
        running = legal_masks(self._game, states).any(axis=1)
        if not running.any():
            raise ValueError("environment must have a running game: call reset() first")
        rules = self._tables[0].rules
        agent = self._with_sampling(deterministic)
        seed = int(self._rng.integers(2**63))
        turn = prepare_turn(agent, self._game, rules, states[running], seed)
        if action_masks is not None:
            masks = np.asarray(action_masks).reshape(len(states), -1).astype(np.bool_)
            if not np.array_equal(masks[running], turn.masks):
                raise ValueError(
                    "action_masks must be those of the environment's current positions"
                )
        actions = np.zeros(len(states), np.int64)
        actions[running] = choose_actions(agent, turn)
        return (actions if self._is_batch(observation) else int(actions[0])), state

    def _with_sampling(self, deterministic: bool | None) -> Agent:
        if deterministic is None or not hasattr(self.agent, "deterministic"):
            return self.agent
        agent = copy(self.agent)
        agent.deterministic = deterministic
        return agent

    def _is_batch(self, observation: Any) -> bool:
        """Return whether an observation has a row for each game."""
        space = getattr(self.env, "single_observation_space", self.env.observation_space)
        if callable(space):  # PettingZoo, where one seat observes at a time
            return False
        if isinstance(observation, dict):
            key = next(iter(observation))
            observation, space = observation[key], space[key]
        return np.ndim(observation) > len(space.shape)


def load_policy(agent: Any, env: Any, seed: int = 0) -> Policy:
    """Return a policy that plays in an environment.

    Example:
        >>> import gymnasium as gym
        >>> from parlour.agents import load_policy
        >>> env = gym.make("parlour/Pyramid-v0")
        >>> policy = load_policy("greedy", env)
        >>> observation, info = env.reset(seed=0)
        >>> action, _ = policy.predict(observation, action_masks=info["action_mask"])

    Args:
        agent: The spec of an agent, such as ``"pretrained"`` or ``"mcts@100"`` (see `load_agent`),
            or an object that `as_agent` accepts.
        env: A Parlour environment, wrapped or not: Gymnasium, single or vector; PettingZoo; or
            Stable-Baselines3.
        seed: Seed of the agent and of the resampled hidden cards.

    Raises:
        ValueError: The agent cannot be loaded, or the environment is not a Parlour environment.
    """
    tables = find_tables(env)
    if isinstance(agent, str):
        agent = load_agent(agent, tables[0].game, tables[0].rules, seed)
    return Policy(as_agent(agent), env, tables, seed)


def find_tables(env: Any) -> list[Rows]:
    """Return the rows of games of an environment: one `Rows`, or one for each of its environments.

    Raises:
        ValueError: The environment is not one of Parlour, or its games have different rules.
    """
    inner = getattr(env, "unwrapped", env)
    rows = getattr(inner, "rows", None)
    if isinstance(rows, Rows):
        return [rows]
    if hasattr(inner, "envs"):  # Gymnasium's SyncVectorEnv, and DummyVecEnv of Stable-Baselines3
        tables = [table for one in inner.envs for table in find_tables(one)]
        if any((one.game, one.rules) != (tables[0].game, tables[0].rules) for one in tables):
            raise ValueError("env must have environments of one game with the same rules")
        return tables
    if hasattr(inner, "venv"):  # wrappers of Stable-Baselines3
        return find_tables(inner.venv)
    raise ValueError(f"env must be a Parlour environment, got {env!r}")
