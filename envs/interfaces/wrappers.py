"""Observations as dictionaries: ``{"observation", "action_mask"}``, for libraries that want that.

The mask is the one in ``info["action_mask"]``, where it stays, too. Libraries differ in how they
call the two and which types they want: ``observation_key``, ``mask_key``, ``dtype`` and
``mask_dtype`` say it. Put these wrappers outermost: wrappers that change observations do not expect
a dictionary.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from ..core.options import shorten

Masked = dict[str, np.ndarray]
"""``observation`` as the environment gives it, and ``action_mask``, 1 for legal actions."""

if TYPE_CHECKING:
    MaskedVectorWrapper = VectorWrapper[Masked, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
else:
    MaskedVectorWrapper = VectorWrapper  # below Gymnasium 1.4 it is no generic class


class MaskedForm(NamedTuple):
    """How observations with masks are called, and their types (names of NumPy's; None: as is)."""

    observation_key: str
    mask_key: str
    dtype: str | None
    mask_dtype: str

    def space(self, observation: gym.Space[Any], action: gym.Space[Any]) -> gym.spaces.Dict:
        """Return the space of an observation with its mask; TypeError if a part is no array."""
        if not isinstance(action, gym.spaces.Discrete):
            raise TypeError(f"an action mask needs a Discrete action space, not {action}")
        mask = gym.spaces.Box(0, 1, (int(action.n),), np.dtype(self.mask_dtype).type)
        if self.dtype is not None:
            if not isinstance(observation, gym.spaces.Box):
                raise TypeError(f"dtype={self.dtype!r} needs a Box of observations: {observation}")
            kind = np.dtype(self.dtype)
            low, high = observation.low.astype(kind), observation.high.astype(kind)
            observation = gym.spaces.Box(low, high, dtype=kind.type)
        return gym.spaces.Dict({self.observation_key: observation, self.mask_key: mask})

    def join(self, observation: Any, mask: np.ndarray) -> Masked:
        """Return an observation, or a batch of them, with its mask."""
        seen = observation if self.dtype is None else observation.astype(self.dtype)
        mask = mask if mask.dtype == self.mask_dtype else mask.astype(self.mask_dtype)
        return {self.observation_key: seen, self.mask_key: mask}


def masked_form(observation_key: str, mask_key: str, dtype: Any, mask_dtype: Any) -> MaskedForm:
    """Check what a wrapper was given. Raises ValueError naming it."""
    for field, key in (("observation_key", observation_key), ("mask_key", mask_key)):
        if not isinstance(key, str) or not key:
            raise ValueError(f"{field}={shorten(key)}: allowed is a non-empty string")
    if observation_key == mask_key:
        raise ValueError(
            f"mask_key={shorten(mask_key)}: allowed is a string other than observation_key"
        )
    kind = None if dtype is None else _type_name("dtype", dtype)
    mask_kind = _type_name("mask_dtype", mask_dtype)
    return MaskedForm(observation_key, mask_key, kind, mask_kind)


def _type_name(field: str, given: Any) -> str:
    try:
        kind = np.dtype("O" if given is None else given)  # None is no float64 here
    except Exception:  # NumPy may raise any exception here
        kind = np.dtype("O")
    if kind.kind not in "biuf":
        raise ValueError(
            f"{field}={shorten(given)}: allowed are NumPy number types and bool, such as 'float32'"
        )
    return kind.name


class DictObservation(gym.Wrapper[Any, np.int64, Any, np.int64], RecordConstructorArgs):
    """A single environment whose observations are ``{"observation", "action_mask"}``.

    For any environment with a Discrete action space that puts ``action_mask`` into each info.

    Arguments:
        env: The environment.
        observation_key: What the observation is called.
        mask_key: What the mask is called.
        dtype: The type of the observation, such as ``"float32"``; None: as the environment has it.
        mask_dtype: The type of the mask, such as ``"bool"``.

    RLlib wants ``observation_key="observations"`` and ``dtype="float32"``, Tianshou ``"obs"``,
    ``mask_key="mask"`` and ``mask_dtype="bool"``. ValueError for what is no key or no type.
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
        """Begin a new game, as the environment does."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self.form.join(observation, info["action_mask"]), info

    def step(self, action: np.int64) -> tuple[Masked, Any, bool, bool, dict[str, Any]]:
        """Play an action."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        seen = self.form.join(observation, info["action_mask"])
        return seen, reward, terminated, truncated, info


class DictVectorObservation(MaskedVectorWrapper, RecordConstructorArgs):
    """A `CardVectorEnv` whose observations are ``{"observation", "action_mask"}``.

    Keywords are those of `DictObservation`. With SAME_STEP the entries of ``infos["final_obs"]``
    are such dictionaries, too. Inside Gymnasium's own vector environments wrap each single one
    (`DictObservation`) instead: after a partial reset they give the masks of the rows begun anew
    alone.
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
        """When the next game of a row begins, as the environment has it."""
        mode: AutoresetMode = self.env.metadata["autoreset_mode"]
        return mode

    def call(self, name: str, *args: Any, **keywords: Any) -> tuple[Any, ...]:
        """Return what `CardVectorEnv.call` does."""
        values: tuple[Any, ...] = self.env.call(name, *args, **keywords)  # type: ignore[attr-defined]
        return values

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return what `CardVectorEnv.get_attr` does."""
        return self.call(name)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Masked, dict[str, Any]]:
        """Begin new games, as the environment does."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self.form.join(observations, infos["action_mask"]), infos

    def step(
        self, actions: np.ndarray
    ) -> tuple[Masked, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one action in every game."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        if "final_obs" in infos:
            infos = infos | {"final_obs": self._finals(infos)}
        seen = self.form.join(observations, infos["action_mask"])
        return seen, rewards, terminated, truncated, infos

    def _finals(self, infos: dict[str, Any]) -> np.ndarray:
        """The last observations of the games that ended in this step, each with its mask."""
        masks = infos["final_info"]["action_mask"]
        finals = np.full(len(masks), None, dtype=object)
        for i in np.flatnonzero(infos["_final_obs"]):
            finals[i] = self.form.join(infos["final_obs"][i], masks[i])
        return finals
