"""Agents that play with the policy of a trained network.

The network is a Parlour network (`LearnedAgent`), a torch module (`from_torch`), or belongs to a
Stable-Baselines3 model (`from_sb3`).
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from parlour.envs import Game
from parlour.envs.core.rows import copy_states
from parlour.envs.core.turn import Turn, random_floats

from ..explanation import Explanation, mask_illegal, one_hot_choice, rows_with_choice
from ..saved import SavedAgentError, load_saved_agent, read_description
from ..validation import name_file_in_errors
from .build import (
    CardNetwork,
    adapt_network,
    build_network,
    count_weight_bytes,
    make_value_function,
    masked_logits,
    network_class,
    not_finite_text,
)
from .options import mark_base_actions

CHUNK = 4096
"""Maximum number of games in one batch of the network."""
CRITIC_UNIT = "expected future reward"
"""Unit of a network's values: the reward that it was trained on."""


class PolicyAgent:
    """Agent that plays the most likely action of a policy, or samples from the policy.

    A sampled action depends only on the turn (`Turn.seeds`) and on ``seed``. Subclasses define
    `logits`.
    """

    sees_all = False

    def __init__(self, name: str, deterministic: bool, seed: int) -> None:
        self.name, self.deterministic, self.seed = name, deterministic, seed

    def logits(self, turn: Turn, rows: np.ndarray) -> torch.Tensor:
        """Return the unmasked logits of some rows of a turn, float32 (k, actions)."""
        raise NotImplementedError

    def act(self, turn: Turn) -> np.ndarray:
        """Return one legal action for each game, int64 (n,)."""
        actions = turn.masks.argmax(axis=1)  # a single legal action needs no network
        for rows in _chunks_with_choice(turn):
            actions[rows] = self._choose(turn, rows, self._probabilities(turn, rows))
        return np.asarray(actions, np.int64)

    def _choose(self, turn: Turn, rows: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
        if self.deterministic:
            return np.asarray(probabilities.argmax(axis=1))
        shares = random_floats(turn.seeds[rows], self.seed)[:, None]
        below = probabilities.cumsum(axis=1) <= shares * probabilities.sum(axis=1, keepdims=True)
        return np.minimum(below.sum(axis=1), _last_legal(turn.masks[rows]))

    def explain(self, turn: Turn) -> Explanation:
        """Return the policy, the actions, and the values of the critic if there is one."""
        actions = turn.masks.argmax(axis=1)
        policy = one_hot_choice(turn, actions)
        for rows in _chunks_with_choice(turn):  # as in `act`: rounding may depend on the batch
            probabilities = self._probabilities(turn, rows)
            actions[rows] = self._choose(turn, rows, probabilities)
            policy[rows] = probabilities / probabilities.sum(axis=1, keepdims=True)
        played = one_hot_choice(turn, actions) if self.deterministic else policy
        values = self.state_values(turn)
        unit = "" if values is None else CRITIC_UNIT
        return Explanation(self.name, turn, actions, played, policy, values, unit=unit)

    def state_values(self, turn: Turn) -> np.ndarray | None:
        """Return the critic's values of the positions, float64 (n,); None without a critic."""
        return None

    def probabilities(self, turn: Turn) -> np.ndarray:
        """Return the probability of each action, float64 (n, actions)."""
        probabilities = self._probabilities(turn, np.arange(len(turn.masks)))
        if self.deterministic:
            return np.eye(turn.game.actions)[probabilities.argmax(axis=1)]
        return probabilities / probabilities.sum(axis=1, keepdims=True)

    @torch.inference_mode()
    def log_probabilities(self, turn: Turn) -> np.ndarray:
        """Return log probabilities, float64 (n, actions); about -1e8 for illegal actions."""
        logits = self._finite_logits(turn, np.arange(len(turn.masks)))
        marks = torch.as_tensor(turn.masks.copy(), device=logits.device)  # torch may write
        logs = masked_logits(logits, marks).log_softmax(dim=1)
        return np.asarray(logs.cpu().numpy(), np.float64)

    def _finite_logits(self, turn: Turn, rows: np.ndarray) -> torch.Tensor:
        """Return `logits`. Raises ValueError if one of them is NaN or infinite.

        A single NaN would make the probabilities of all actions NaN, including illegal actions.
        """
        logits = self.logits(turn, rows)
        if not torch.isfinite(logits).all():
            raise ValueError(not_finite_text(self.name))
        return logits

    @torch.inference_mode()
    def _probabilities(self, turn: Turn, rows: np.ndarray) -> np.ndarray:
        logits = self._finite_logits(turn, rows)
        marks = torch.as_tensor(turn.masks[rows], device=logits.device)
        probabilities = masked_logits(logits, marks).softmax(dim=1)
        return np.asarray(probabilities.cpu().numpy(), np.float64)


class LearnedAgent(PolicyAgent):
    """Agent that plays with the policy of a `CardNetwork`, a network with policy and value heads.

    Args:
        network: The network.
        name: Name of the agent.
        deterministic: Whether to play the most likely action instead of sampling.
        seed: Seed of the sampled actions, combined with the seeds of the turn.
        temperature: Temperature of the distillation of the policy from action values: log
            probabilities times the temperature estimate values (None: the policy was trained in
            another way).
    """

    def __init__(
        self,
        network: CardNetwork,
        name: str = "learned",
        *,
        deterministic: bool = True,
        seed: int = 0,
        temperature: float | None = None,
    ) -> None:
        super().__init__(name, deterministic, seed)
        self.network, self.temperature = network, temperature
        self.device = next(network.parameters()).device

    @classmethod
    def load(
        cls, path: str | Path, game: Game, rules: Any = None, *, deterministic: bool | None = None
    ) -> "LearnedAgent":
        """Load a saved agent.

        Args:
            path: the agent's folder, or its ``agent.json``.
            game: the game to play.
            rules: the rules to play by (None: the rules of the training).
            deterministic: whether to play the most likely action (None: as it was saved).

        Raises:
            SavedAgentError: the agent cannot be used. SavedAgentError is a ValueError; its message
                names the file and the reason.
        """
        digest = read_description(Path(path))["features_digest"]
        schema = game.find_schema(digest)
        saved = load_saved_agent(
            path,
            game,
            rules,
            lambda net: count_weight_bytes(game, net, schema),
            lambda net: network_class(net["name"]).encoding,
        )
        net = saved.network
        with name_file_in_errors(saved.folder, SavedAgentError):
            tensors = dict(saved.weights)
            needed = count_weight_bytes(game, net, schema)
            size = sum(array.nbytes for array in tensors.values())
            if size != needed:  # checked before a network of that size is allocated
                raise ValueError(
                    f"weights must have {needed:,} bytes for this network, got {size:,}"
                )
            for name, array in tensors.items():
                if array.dtype != np.float32:
                    raise ValueError(f"tensor {name!r} must be float32, got {array.dtype}")
            shape = net["width"], net["depth"]
            network = build_network(net["name"], game, *shape, net["options"], schema)
            weights = {name: torch.from_numpy(array) for name, array in tensors.items()}
            network.load_state_dict(weights)
            if digest != game.features_digest:
                network = adapt_network(network, game)
        deterministic = not saved.samples if deterministic is None else deterministic
        temperature = saved.trained.get("settings", {}).get("temperature")
        return cls(network.eval(), saved.name, deterministic=deterministic, temperature=temperature)

    def logits(self, turn: Turn, rows: np.ndarray) -> torch.Tensor:
        """Return the unmasked logits of some rows of a turn, float32 (k, actions)."""
        seen = self.network.features.encode(self._observe(turn, rows), self.network.encoding)
        logits: torch.Tensor = self.network(torch.as_tensor(seen, device=self.device))[0]
        return logits

    def _observe(self, turn: Turn, rows: np.ndarray | slice) -> np.ndarray:
        """Return a copy of the codes of some rows, as the network reads them."""
        codes, base = turn.observations[rows], self.network.base
        if base is None:
            return codes.copy()  # torch may write
        marks = mark_base_actions(turn.game, turn.rules, copy_states(turn.states, rows), base)
        return np.concatenate([codes, marks], axis=1)

    def state_values(self, turn: Turn) -> np.ndarray:
        """Return the critic's values of the positions, float64 (n,)."""
        value = make_value_function(self.network, self.name)
        chunks = range(0, len(turn.masks), CHUNK)
        values = [value(self._observe(turn, slice(i, i + CHUNK))) for i in chunks]
        return np.concatenate([np.zeros(0), *values])


class Sb3Agent(PolicyAgent):
    """Plays with the policy of a Stable-Baselines3 model. Created by `from_sb3`."""

    def __init__(self, model: Any, name: str, deterministic: bool, seed: int) -> None:
        super().__init__(name, deterministic, seed)
        self.model = model
        self.encoding = "codes" if model.observation_space.dtype == np.int8 else "onehot"

    def logits(self, turn: Turn, rows: np.ndarray) -> torch.Tensor:
        """See `PolicyAgent.logits`. The logits of a DQN are its action values.

        Raises ValueError if the model was trained on another game.
        """
        seen, space = turn.observations[rows], self.model.observation_space
        actions = int(self.model.action_space.n)
        if seen.shape[1:] != space.shape or actions != turn.game.actions:
            raise ValueError(
                f"agent {self.name!r} must be trained on observations {seen.shape[1:]} "
                f"({self.encoding}) and {turn.game.actions} actions to play {turn.game.title}, got "
                f"{space.shape} and {actions}"
            )
        policy = self.model.policy
        policy.set_training_mode(False)
        inputs = torch.as_tensor(seen, device=self.model.device)
        if hasattr(policy, "q_net"):
            return cast(torch.Tensor, policy.q_net(inputs))
        return cast(torch.Tensor, policy.get_distribution(inputs).distribution.logits)

    @torch.inference_mode()
    def state_values(self, turn: Turn) -> np.ndarray | None:
        """See `PolicyAgent.state_values`; None for a DQN."""
        policy = self.model.policy
        if not hasattr(policy, "predict_values"):
            return None
        inputs = torch.as_tensor(turn.observations.copy(), device=self.model.device)
        return np.asarray(policy.predict_values(inputs).cpu().numpy()[:, 0], np.float64)

    @torch.inference_mode()
    def explain(self, turn: Turn) -> Explanation:
        """See `PolicyAgent.explain`; for a DQN, the explanation also has its action values."""
        explanation = super().explain(turn)
        if not hasattr(self.model.policy, "q_net"):
            return explanation
        values = self.logits(turn, np.arange(len(turn.masks))).cpu().numpy()
        return replace(explanation, action_values=mask_illegal(turn, values), unit=CRITIC_UNIT)


class TorchAgent(PolicyAgent):
    """Plays with the logits of a torch module. Created by `from_torch`."""

    def __init__(
        self, module: torch.nn.Module, encoding: str, name: str, deterministic: bool, seed: int
    ) -> None:
        super().__init__(name, deterministic, seed)
        self.module, self.encoding = module, encoding
        parameter = next(module.parameters(), None)
        self.device = torch.device("cpu") if parameter is None else parameter.device

    def logits(self, turn: Turn, rows: np.ndarray) -> torch.Tensor:
        """See `PolicyAgent.logits`. Raises ValueError if the module returns another shape."""
        seen = torch.as_tensor(turn.observations[rows], dtype=torch.float32, device=self.device)
        output = self.module(seen)
        logits = output[0] if isinstance(output, tuple) else output
        shape = getattr(logits, "shape", None)
        if shape != (len(rows), turn.game.actions):
            raise ValueError(
                f"agent {self.name!r}: the module must return logits of shape "
                f"({len(rows)}, {turn.game.actions}), got {shape and tuple(shape)}"
            )
        return cast(torch.Tensor, logits)


def from_torch(
    module: torch.nn.Module,
    *,
    encoding: str = "onehot",
    deterministic: bool = True,
    name: str | None = None,
    seed: int = 0,
) -> TorchAgent:
    """Return an agent that plays with a torch module.

    Illegal actions are masked. The function does not change the mode of the module: call
    ``module.eval()`` first if it has dropout or batch normalization.

    Args:
        module: Maps observations, float32 (n, features), to logits (n, actions), or to a tuple
            that begins with the logits.
        encoding: Encoding of the observations, ``"onehot"`` as in the environments, or ``"codes"``.
        deterministic: Whether to play the most likely action instead of sampling.
        name: Name of the agent (None: the name of the module's class).
        seed: Seed of the sampled actions, combined with the seeds of the turn.

    Raises:
        ValueError: ``module`` is not a torch module.
    """
    if not isinstance(module, torch.nn.Module):
        raise ValueError(f"module must be a torch.nn.Module, got {type(module).__name__}")
    name = type(module).__name__ if name is None else name
    return TorchAgent(module, encoding, name, deterministic, seed)


def from_sb3(
    model: Any, *, deterministic: bool = True, name: str | None = None, seed: int = 0
) -> Sb3Agent:
    """Return an agent that plays with a trained model of Stable-Baselines3 or sb3-contrib.

    The agent masks illegal actions, whether or not the model was trained with masks.

    Args:
        model: a MaskablePPO, PPO, A2C or DQN model, trained on a Parlour environment. The agent
            uses the encoding that the model was trained on.
        deterministic: whether to play the most likely action instead of sampling.
        name: the name of the agent (None: the name of the model's class).
        seed: seed of the sampled actions, combined with the seeds of the turn.

    Raises:
        ValueError: the model is none of these, or its spaces are not a Box and a Discrete space.
    """
    policy, kind = getattr(model, "policy", None), type(model).__name__
    space = getattr(model, "observation_space", None)
    has_logits = hasattr(policy, "q_net") or hasattr(policy, "get_distribution")
    if not has_logits or hasattr(policy, "lstm_actor"):
        raise ValueError(f"model must be a MaskablePPO, PPO, A2C or DQN, got {kind}")
    if getattr(space, "shape", None) is None or not hasattr(model.action_space, "n"):
        raise ValueError(
            f"model {kind} must be trained on the Box and Discrete spaces of a Parlour environment,"
            f" got {space} and {model.action_space}"
        )
    return Sb3Agent(model, kind if name is None else name, deterministic, seed)


def _chunks_with_choice(turn: Turn) -> Iterator[np.ndarray]:
    """Yield the rows with several legal actions, in chunks of at most `CHUNK` rows."""
    rows = rows_with_choice(turn)
    for i in range(0, len(rows), CHUNK):
        yield rows[i : i + CHUNK]


def _last_legal(masks: np.ndarray) -> np.ndarray:
    """Return the last legal action of each row, for draws above a sum that is rounded below 1."""
    return np.asarray(masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1))
