"""Observations as dictionaries: ``{"observation", "action_mask"}``, for libraries that want that.

The mask is the one in ``info["action_mask"]``, where it stays, too. Put these wrappers outermost:
wrappers that change observations do not expect a dictionary.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

Masked = dict[str, np.ndarray]
"""``observation`` as the environment gives it, and ``action_mask``, int8, 1 for legal actions."""


def masked_space(observation: gym.Space[Any], action: gym.Space[Any]) -> gym.spaces.Dict:
    """Return the space of an observation with its mask; TypeError if actions are not Discrete."""
    if not isinstance(action, gym.spaces.Discrete):
        raise TypeError(f"an action mask needs a Discrete action space, not {action}")
    mask = gym.spaces.Box(0, 1, (int(action.n),), np.int8)
    return gym.spaces.Dict({"observation": observation, "action_mask": mask})


class DictObservation(gym.Wrapper[Any, np.int64, Any, np.int64], RecordConstructorArgs):
    """A single environment whose observations are ``{"observation", "action_mask"}``.

    For any environment with a Discrete action space that puts ``action_mask`` into each info.
    """

    def __init__(self, env: gym.Env[np.ndarray, np.int64]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self.observation_space = masked_space(env.observation_space, env.action_space)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Masked, dict[str, Any]]:
        """Begin a new game, as the environment does."""
        observation, info = self.env.reset(seed=seed, options=options)
        return _with_mask(observation, info), info

    def step(self, action: np.int64) -> tuple[Masked, Any, bool, bool, dict[str, Any]]:
        """Play an action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return _with_mask(observation, info), reward, terminated, truncated, info


class DictVectorObservation(
    VectorWrapper[Masked, np.ndarray, np.ndarray, np.ndarray, np.ndarray], RecordConstructorArgs
):
    """A `CardVectorEnv` whose observations are ``{"observation", "action_mask"}``.

    With SAME_STEP the entries of ``infos["final_obs"]`` are such dictionaries, too. Inside
    Gymnasium's own vector environments wrap each single one (`DictObservation`) instead: after a
    partial reset they give the masks of the rows begun anew alone.
    """

    def __init__(self, env: VectorEnv[np.ndarray, np.ndarray, np.ndarray]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self.single_observation_space = masked_space(
            env.single_observation_space, env.single_action_space
        )
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Masked, dict[str, Any]]:
        """Begin new games, as the environment does."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return _with_mask(observations, infos), infos

    def step(
        self, actions: np.ndarray
    ) -> tuple[Masked, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one action in every game."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        if "final_obs" in infos:
            infos = infos | {"final_obs": _finals(infos)}
        return _with_mask(observations, infos), rewards, terminated, truncated, infos


def _with_mask(observation: np.ndarray, info: dict[str, Any]) -> Masked:
    return {"observation": observation, "action_mask": info["action_mask"]}


def _finals(infos: dict[str, Any]) -> np.ndarray:
    """The last observations of the games that ended in this step, each with its mask."""
    masks = infos["final_info"]["action_mask"]
    finals = np.full(len(masks), None, dtype=object)
    for i in np.flatnonzero(infos["_final_obs"]):
        finals[i] = {"observation": infos["final_obs"][i], "action_mask": masks[i]}
    return finals
