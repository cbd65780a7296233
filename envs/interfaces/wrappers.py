"""Wrappers that return observations as dictionaries ``{"observation": ..., "action_mask": ...}``.

Some libraries need the action mask in the observation. The keys and dtypes that they expect differ,
so ``observation_key``, ``mask_key``, ``dtype`` and ``mask_dtype`` set them. The mask also stays in
``info["action_mask"]``. Apply these wrappers last, because most wrappers that change observations
do not support dictionaries.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from ..core.options import shorten

Masked = dict[str, np.ndarray]
"""Observation and action mask (1 for legal actions) by key."""

if TYPE_CHECKING:
    MaskedVectorWrapper = VectorWrapper[Masked, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
else:
    MaskedVectorWrapper = VectorWrapper  # The class is generic only since Gymnasium 1.4.


class MaskedForm(NamedTuple):
    """Keys and NumPy dtypes of observations with masks; ``dtype=None`` keeps the dtype."""

    observation_key: str
    mask_key: str
    dtype: str | None
    mask_dtype: str

    def space(self, observation: gym.Space[Any], action: gym.Space[Any]) -> gym.spaces.Dict:
        """Return the space of an observation with its mask; TypeError for unsupported spaces."""
        if not isinstance(action, gym.spaces.Discrete):
            raise TypeError(f"action space must be Discrete for an action mask, got {action}")
        mask = gym.spaces.Box(0, 1, (int(action.n),), np.dtype(self.mask_dtype).type)
        if self.dtype is not None:
            if not isinstance(observation, gym.spaces.Box):
                raise TypeError(
                    f"observation space must be a Box for dtype={self.dtype!r}, got {observation}"
                )
            kind = np.dtype(self.dtype)
            low, high = observation.low.astype(kind), observation.high.astype(kind)
            observation = gym.spaces.Box(low, high, dtype=kind.type)
        return gym.spaces.Dict({self.observation_key: observation, self.mask_key: mask})

    def join(self, observation: Any, mask: np.ndarray) -> Masked:
        """Return an observation with its mask, or a batch of observations with their masks."""
        seen = observation if self.dtype is None else observation.astype(self.dtype)
        mask = mask if mask.dtype == self.mask_dtype else mask.astype(self.mask_dtype)
        return {self.observation_key: seen, self.mask_key: mask}


def masked_form(observation_key: str, mask_key: str, dtype: Any, mask_dtype: Any) -> MaskedForm:
    """Return the form for the arguments of a wrapper; raise ValueError for an invalid one."""
    for field, key in (("observation_key", observation_key), ("mask_key", mask_key)):
        if not isinstance(key, str) or not key:
            raise ValueError(f"{field} must be a non-empty string, got {shorten(key)}")
    if observation_key == mask_key:
        raise ValueError(
            f"mask_key must be different from observation_key, got {shorten(mask_key)}"
        )
    kind = None if dtype is None else _type_name("dtype", dtype)
    mask_kind = _type_name("mask_dtype", mask_dtype)
    return MaskedForm(observation_key, mask_key, kind, mask_kind)


def _type_name(field: str, given: Any) -> str:
    try:
        kind = np.dtype("O" if given is None else given)  # NumPy would read None as float64.
    except Exception:  # NumPy may raise any exception here
        kind = np.dtype("O")
    if kind.kind not in "biuf":
        raise ValueError(
            f"{field} must be a NumPy number type or bool, such as 'float32', got {shorten(given)}"
        )
    return kind.name


class DictObservation(gym.Wrapper[Any, np.int64, Any, np.int64], RecordConstructorArgs):
    """Wrapper that returns observations as ``{"observation": ..., "action_mask": ...}``.

    The wrapper works for every environment with a Discrete action space whose ``info`` always has
    ``action_mask``. RLlib needs ``observation_key="observations"`` and ``dtype="float32"``;
    Tianshou needs ``observation_key="obs"``, ``mask_key="mask"`` and ``mask_dtype="bool"``.

    Arguments:
        env: The environment.
        observation_key: Key of the observation.
        mask_key: Key of the mask.
        dtype: NumPy dtype of the observation, such as ``"float32"`` (None: unchanged).
        mask_dtype: NumPy dtype of the mask, such as ``"bool"``.

    Raises:
        ValueError: A key or a dtype is invalid.
        TypeError: The action space is not Discrete, or ``dtype`` is set and the observation space
            is not a Box.
    """

    def __init__(
        self,
        env: gym.Env[np.ndarray, np.int64],
        observation_key: str = "observation",
        mask_key: str = "action_mask",
        dtype: Any = None,
        mask_dtype: Any = "int8",
    ) -> None:
        self.form = masked_form(observation_key, mask_key, dtype, mask_dtype)
        RecordConstructorArgs.__init__(self, **self.form._asdict())
        super().__init__(env)
        self.observation_space = self.form.space(env.observation_space, env.action_space)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Masked, dict[str, Any]]:
        """Reset the environment; see its ``reset``."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self.form.join(observation, info["action_mask"]), info

    def step(self, action: np.int64) -> tuple[Masked, Any, bool, bool, dict[str, Any]]:
        """Step the environment; see its ``step``."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        seen = self.form.join(observation, info["action_mask"])
        return seen, reward, terminated, truncated, info


class DictVectorObservation(MaskedVectorWrapper, RecordConstructorArgs):
    """Wrapper for `CardVectorEnv` that returns observations as dictionaries with the action masks.

    The arguments are those of `DictObservation`. With the autoreset mode SAME_STEP, the entries of
    ``infos["final_obs"]`` are dictionaries, too. In Gymnasium's own vector environments, wrap each
    single environment in `DictObservation` instead, because after a partial reset these vector
    environments return only the masks of the rows that were reset.
    """

    def __init__(
        self,
        env: VectorEnv[np.ndarray, np.ndarray, np.ndarray],
        observation_key: str = "observation",
        mask_key: str = "action_mask",
        dtype: Any = None,
        mask_dtype: Any = "int8",
    ) -> None:
        self.form = masked_form(observation_key, mask_key, dtype, mask_dtype)
        RecordConstructorArgs.__init__(self, **self.form._asdict())
        super().__init__(env)
        self.single_observation_space = self.form.space(
            env.single_observation_space, env.single_action_space
        )
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    @property
    def autoreset_mode(self) -> AutoresetMode:
        """The autoreset mode of the environment."""
        mode: AutoresetMode = self.env.metadata["autoreset_mode"]
        return mode

    def call(self, name: str, *args: Any, **keywords: Any) -> tuple[Any, ...]:
        """Return the result of `CardVectorEnv.call`."""
        values: tuple[Any, ...] = self.env.call(name, *args, **keywords)  # type: ignore[attr-defined]
        return values

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return the result of `CardVectorEnv.get_attr`."""
        return self.call(name)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Masked, dict[str, Any]]:
        """Reset the environment; see its ``reset``."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self.form.join(observations, infos["action_mask"]), infos

    def step(
        self, actions: np.ndarray
    ) -> tuple[Masked, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Step the environment; see its ``step``."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        if "final_obs" in infos:
            infos = infos | {"final_obs": self._finals(infos)}
        seen = self.form.join(observations, infos["action_mask"])
        return seen, rewards, terminated, truncated, infos

    def _finals(self, infos: dict[str, Any]) -> np.ndarray:
        """Return the last observation of each game that ended in this step, with its mask."""
        masks = infos["final_info"]["action_mask"]
        finals = np.full(len(masks), None, dtype=object)
        for i in np.flatnonzero(infos["_final_obs"]):
            finals[i] = self.form.join(infos["final_obs"][i], masks[i])
        return finals
