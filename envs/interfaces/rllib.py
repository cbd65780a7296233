"""Environments for Ray RLlib, with the same names as in Gymnasium.

Install RLlib with ``pip install "parlour[ray]" "ray[rllib]"``. Multi-agent environments also need
``"parlour[pettingzoo]"``. Call `register` once, and pass the arguments of the environment as
``env_config``::

    import gymnasium as gym
    from ray.rllib.algorithms.ppo import PPOConfig
    from parlour.envs.interfaces import rllib

    rllib.register()
    config = (
        PPOConfig()
        .environment("parlour/Pyramid-v0", env_config={"variant": "web", "passes": 2})
        .env_runners(gym_env_vectorize_mode=gym.VectorizeMode.VECTOR_ENTRY_POINT)
    )

With ``VECTOR_ENTRY_POINT``, all games of an environment runner are one
`parlour.envs.CardVectorEnv`; without it, they are single environments. Names with ``-table``, such
as ``parlour/SevenTwentySeven-table-v0``, are multi-agent environments in which RLlib plays all
seats. Observations are ``{"observations": ..., "action_mask": ...}`` in float32, the input of
RLlib's ``ActionMaskingTorchRLModule``.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

from ..core.game import GAMES, Game, find_game
from ..core.options import shorten
from . import arguments
from .single import CardEnv
from .vector import CardVectorEnv
from .wrappers import DictObservation, DictVectorObservation, masked_form

try:
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.tune.registry import register_env
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"parlour.envs.interfaces.rllib needs Ray's RLlib ({error}): "
        'pip install "parlour[ray]" "ray[rllib]"',
        name=error.name,
    ) from error

__all__ = ["CardMultiAgentEnv", "make_env", "make_multi_agent_env", "register", "table_id"]

FORM = {"observation_key": "observations", "dtype": "float32", "mask_dtype": "float32"}
"""Keys and dtypes that RLlib's masking module expects."""


def register() -> list[str]:
    """Register every game with Ray, and multiplayer games also as multi-agent environments.

    Returns:
        The registered names.
    """
    makers: dict[str, Callable[[Mapping[str, Any]], Any]] = {}
    for game in GAMES.values():
        makers[game.id] = partial(make_env, game.name)
        if game.max_players > 1:
            makers[table_id(game)] = partial(make_multi_agent_env, game.name)
    for name, make in makers.items():
        register_env(name, make)
    return list(makers)


def table_id(game: Game) -> str:
    """Return the name of a game's multi-agent environment.

    For Seven Twenty-Seven, the name is ``parlour/SevenTwentySeven-table-v0``.

    Args:
        game: The game.
    """
    stem, _, version = game.id.rpartition("-")
    return f"{stem}-table-{version}"


def make_env(game: str, context: Mapping[str, Any]) -> DictObservation | DictVectorObservation:
    """Make a single environment, or a vector environment if ``num_envs`` is in the context.

    Args:
        game: Name of the game.
        context: The ``env_config``: arguments of `parlour.envs.CardEnv` or
            `parlour.envs.CardVectorEnv`.

    Raises:
        ValueError: An argument is invalid.
    """
    card_game, keywords = find_game(game), dict(context)
    if "num_envs" not in keywords:
        return DictObservation(CardEnv(card_game, **keywords), **FORM)
    mode = arguments.autoreset_mode(keywords.get("autoreset_mode", AutoresetMode.NEXT_STEP))
    if mode != AutoresetMode.NEXT_STEP:
        raise ValueError(f"autoreset_mode must be NEXT_STEP for RLlib, got {mode.name}")
    return DictVectorObservation(CardVectorEnv(card_game, **keywords), **FORM)


def make_multi_agent_env(game: str, context: Mapping[str, Any]) -> "CardMultiAgentEnv":
    """Make a multi-agent environment.

    Args:
        game: Name of the game.
        context: The ``env_config``: arguments of `pettingzoo.CardAECEnv`.

    Raises:
        ValueError: An argument is invalid.
        ModuleNotFoundError: PettingZoo is not installed.
    """
    from .pettingzoo import env as make_aec_env

    return CardMultiAgentEnv(make_aec_env(game, **dict(context)))


class CardMultiAgentEnv(MultiAgentEnv):
    """RLlib multi-agent environment that wraps a `pettingzoo.CardAECEnv`.

    Observations contain only the seat that acts next. Rewards contain all seats in every step. All
    seats terminate together. If a hand is over at the deal, one seat is still asked for an action,
    which is ignored. RLlib's environment checker plays illegal actions. With ``illegal="raise"``,
    disable the checker (``disable_env_checking=True``).

    Args:
        table: The PettingZoo environment.
    """

    def __init__(self, table: Any) -> None:
        super().__init__()
        self.table = table
        self.form = masked_form(mask_key="action_mask", **FORM)
        self.possible_agents: list[str] = list(table.possible_agents)
        self.agents: list[str] = list(table.possible_agents)
        first = self.agents[0]
        seen, action = table.observation_space(first)["observation"], table.action_space(first)
        self.observation_spaces = {seat: self.form.space(seen, action) for seat in self.agents}
        self.action_spaces = {seat: table.action_space(seat) for seat in self.agents}
        self._has_ended = True

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new hand; see `pettingzoo.CardAECEnv.reset`."""
        self.table.reset(seed=seed, options=options or None)
        asked = self.table.agent_selection
        seen = self._see(asked)
        self._has_ended = False
        if self._is_over():
            seen["action_mask"] = np.ones_like(seen["action_mask"])
        return {asked: seen}, {asked: self.table.infos[asked]}

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Play the action of the seat that acts.

        Args:
            action_dict: Actions by seat. Only the action of the acting seat is used.

        Raises:
            ResetNeeded: No hand has begun, or the hand is over.
            ValueError: The action of the acting seat is missing or not an integer.
        """
        if self._has_ended:
            raise gym.error.ResetNeeded("no hand is running: call reset() first")
        table = self.table
        if not self._is_over():
            table.step(self._read_action(action_dict))
        self._has_ended = self._is_over()
        asked = self.possible_agents if self._has_ended else [table.agent_selection]
        return (
            {seat: self._see(seat) for seat in asked},
            dict(table.rewards),
            {**table.terminations, "__all__": all(table.terminations.values())},
            {**table.truncations, "__all__": all(table.truncations.values())},
            {seat: table.infos[seat] for seat in asked},
        )

    def render(self) -> Any:
        """Return the rendered table as the acting seat sees it."""
        return self.table.render()

    def close(self) -> None:
        """Close the PettingZoo environment."""
        self.table.close()

    def _is_over(self) -> bool:
        table = self.table
        return all(table.terminations[seat] or table.truncations[seat] for seat in self.agents)

    def _read_action(self, given: Mapping[str, Any]) -> Any:
        asked = self.table.agent_selection
        if asked not in given:
            raise ValueError(
                f"action_dict must contain {asked}, whose turn it is, got {shorten(list(given))}"
            )
        return given[asked]

    def _see(self, seat: str) -> dict[str, np.ndarray]:
        seen = self.table.observe(seat)
        return self.form.join(seen["observation"], seen["action_mask"])
