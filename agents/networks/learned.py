"""Agents that play by a trained network: by its policy, or by its values one step ahead.

The network is one of ours (`LearnedAgent`), or the policy of a Stable-Baselines3 model
(`from_sb3`).
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from parlour.envs import Game
from parlour.envs.core.batch import StepConfig
from parlour.envs.core.rows import copy_states, resample_copies
from parlour.envs.core.turn import Turn, random_floats

from .. import saved as artefact
from ..explanation import Explanation, certain, of_legal
from ..search.lookahead import ActionValues, look_ahead
from .build import (
    CardNetwork,
    build_network,
    make_value_function,
    masked_logits,
    network_class,
    not_finite_text,
    weigh,
)
from .residual import mark_base_actions

CHUNK = 4096
"""Games that go through the network at once."""


CRITIC_UNIT = "reward to come"
"""What a network's values count: the reward that it was trained by."""
LOOKAHEAD_WORLDS = 2
"""In how many ways hidden cards are dealt anew when the agent looks a step ahead."""


class PolicyAgent:
    """Plays by logits: the likeliest action, or one drawn (``deterministic=False``).

    What it draws depends on the turn (`Turn.seeds`) and on ``seed`` alone. A subclass says by
    `logits` what it makes of the rows of a turn.
    """

    sees_all = False

    def __init__(self, name: str, deterministic: bool, seed: int) -> None:
        self.name, self.deterministic, self.seed = name, deterministic, seed

    def logits(self, turn: Turn, rows: np.ndarray) -> torch.Tensor:
        """Return unmasked logits of some rows, float32 (k, actions)."""
        raise NotImplementedError

    def act(self, turn: Turn) -> np.ndarray:
        """Return one legal action for each game, int64 (n,)."""
        actions = turn.masks.argmax(axis=1)  # right where only one is legal: no network needed
        for rows in open_chunks(turn):
            actions[rows] = self._act_on(turn, rows)
        return np.asarray(actions, np.int64)

    def _act_on(self, turn: Turn, rows: np.ndarray) -> np.ndarray:
        return self._choose(turn, rows, self._chances(turn, rows))

    def _choose(self, turn: Turn, rows: np.ndarray, chances: np.ndarray) -> np.ndarray:
        if self.deterministic:
            return np.asarray(chances.argmax(axis=1))
        shares = random_floats(turn.seeds[rows], self.seed)[:, None]
        below = chances.cumsum(axis=1) <= shares * chances.sum(axis=1, keepdims=True)
        return np.minimum(below.sum(axis=1), _last_legal(turn.masks[rows]))

    def explain(self, turn: Turn) -> Explanation:
        """Return its policy, what it plays by it, and the values of its critic if it has one."""
        actions = turn.masks.argmax(axis=1)
        policy = certain(turn, actions)
        for rows in open_chunks(turn):  # as `act` does it: a network may round by the batch
            chances = self._chances(turn, rows)
            actions[rows] = self._choose(turn, rows, chances)
            policy[rows] = chances / chances.sum(axis=1, keepdims=True)
        played = certain(turn, actions) if self.deterministic else policy
        values = self.state_values(turn)
        unit = "" if values is None else CRITIC_UNIT
        return Explanation(self.name, turn, actions, played, policy, values, unit=unit)

    def state_values(self, turn: Turn) -> np.ndarray | None:
        """Return what a critic thinks the positions worth, float64 (n,); None if there is none."""
        return None

    def probabilities(self, turn: Turn) -> np.ndarray:
        """Return the chance with which each action is played, float64 (n, actions)."""
        chances = self._chances(turn, np.arange(len(turn.masks)))
        if self.deterministic:
            return np.eye(turn.game.actions)[chances.argmax(axis=1)]
        return chances / chances.sum(axis=1, keepdims=True)

    @torch.inference_mode()
    def log_probabilities(self, turn: Turn) -> np.ndarray:
        """Return the policy's log probabilities, float64 (n, actions); -1e8 if illegal."""
        logits = self._finite_logits(turn, np.arange(len(turn.masks)))
        marks = torch.as_tensor(turn.masks.copy(), device=logits.device)  # torch may write
        logs = masked_logits(logits, marks).log_softmax(dim=1)
        return np.asarray(logs.cpu().numpy(), np.float64)

    def _finite_logits(self, turn: Turn, rows: np.ndarray) -> torch.Tensor:
        """Return `logits`. Raises ValueError if one of them is NaN or infinite.

        A single NaN would make the probabilities of all actions NaN, also of illegal ones.
        """
        logits = self.logits(turn, rows)
        if not torch.isfinite(logits).all():
            raise ValueError(not_finite_text(self.name))
        return logits

    @torch.inference_mode()
    def _chances(self, turn: Turn, rows: np.ndarray) -> np.ndarray:
        logits = self._finite_logits(turn, rows)
        marks = torch.as_tensor(turn.masks[rows], device=logits.device)
        chances = masked_logits(logits, marks).softmax(dim=1)
        return np.asarray(chances.cpu().numpy(), np.float64)


class LearnedAgent(PolicyAgent):
    """Plays by a `CardNetwork`: see `PolicyAgent`.

    With ``lookahead_config`` it goes by the network's values instead: it plays the action whose
    outcome, over `LOOKAHEAD_WORLDS` deals of what it cannot see, is worth most.
    """

    def __init__(
        self,
        network: CardNetwork,
        name: str = "learned",
        *,
        deterministic: bool = True,
        lookahead_config: StepConfig | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(name, deterministic, seed)
        self.network, self.lookahead_config = network, lookahead_config
        self.device = next(network.parameters()).device

    @classmethod
    def load(
        cls, path: str | Path, game: Game, rules: Any = None, *, deterministic: bool | None = None
    ) -> "LearnedAgent":
        """Load a saved agent to play ``game`` by ``rules`` (None: those that it was trained by).

        ``deterministic`` None: as it was trained to play. Raises `artefact.ArtefactError`, a
        ValueError, naming the file and the reason.
        """
        found = artefact.load_artefact(
            path,
            game,
            rules,
            lambda net: weigh(game, net),
            lambda net: network_class(net["name"]).encoding,
        )
        net = found.network
        with artefact.blame_file(found.folder):
            tensors = found.weights
            needed, size = weigh(game, net), sum(one.nbytes for one in tensors.values())
            if size != needed:  # said before a network of that size is made
                raise ValueError(f"weights of {size:,} bytes; such a network has {needed:,}")
            for name, array in tensors.items():
                if array.dtype != np.float32:
                    raise ValueError(f"tensor {name!r} must be float32, got {array.dtype}")
            network = build_network(net["name"], game, net["width"], net["depth"], net["options"])
            weights = {name: torch.from_numpy(array) for name, array in tensors.items()}
            network.load_state_dict(weights)
        lookahead_config = StepConfig(**found.lookahead) if found.lookahead else None
        deterministic = not found.samples if deterministic is None else deterministic
        return cls(
            network.eval(),
            found.name,
            deterministic=deterministic,
            lookahead_config=lookahead_config,
        )

    def logits(self, turn: Turn, rows: np.ndarray) -> torch.Tensor:
        """See `PolicyAgent.logits`; only the rows asked about are encoded."""
        seen = self.network.features.encode(self._observe(turn, rows), self.network.encoding)
        logits: torch.Tensor = self.network(torch.as_tensor(seen, device=self.device))[0]
        return logits

    def _observe(self, turn: Turn, rows: np.ndarray | slice) -> np.ndarray:
        """Return the codes that the network reads of some rows, in an array of their own."""
        codes, base = turn.observations[rows], self.network.base
        if base is None:
            return codes.copy()  # torch may write
        marks = mark_base_actions(turn.game, turn.rules, copy_states(turn.states, rows), base)
        return np.concatenate([codes, marks], axis=1)

    def _act_on(self, turn: Turn, rows: np.ndarray) -> np.ndarray:
        if self.lookahead_config is None:
            return super()._act_on(turn, rows)
        return self._act_by_values(turn, rows)

    def _act_by_values(self, turn: Turn, rows: np.ndarray) -> np.ndarray:
        return self._look_ahead(turn, rows).best()

    def _look_ahead(self, turn: Turn, rows: np.ndarray) -> ActionValues:
        """What each legal action of some rows is worth, over the worlds that are dealt."""
        assert self.lookahead_config is not None
        states, masks = copy_states(turn.states, rows), turn.masks[rows]
        worths = []
        for world in range(LOOKAHEAD_WORLDS):
            seeds = states["rng"] + np.uint64(world)  # as they were dealt to this agent: no secret
            dealt = resample_copies(turn.game, turn.rules, states, seeds)
            ahead = look_ahead(
                turn.game,
                turn.rules,
                dealt,
                masks,
                make_value_function(self.network, self.name),
                self.lookahead_config,
            )
            worths.append(ahead.values)
        return ahead._replace(values=np.mean(worths, axis=0))

    def probabilities(self, turn: Turn) -> np.ndarray:
        """See `PolicyAgent.probabilities`."""
        if self.lookahead_config is not None:
            return np.eye(turn.game.actions)[self.act(turn)]
        return super().probabilities(turn)

    def explain(self, turn: Turn) -> Explanation:
        """See `PolicyAgent.explain`; of one that looks ahead the values of the actions instead."""
        if self.lookahead_config is None:
            return super().explain(turn)
        actions = turn.masks.argmax(axis=1)
        values, worlds = np.full(turn.masks.shape, np.nan), np.zeros(len(actions), np.int64)
        for rows in open_chunks(turn):
            ahead = self._look_ahead(turn, rows)
            actions[rows], worlds[rows] = ahead.best(), LOOKAHEAD_WORLDS
            values[rows[ahead.rows], ahead.actions] = ahead.values
        return Explanation(
            self.name,
            turn,
            actions,
            certain(turn, actions),
            state_values=self.state_values(turn),
            action_values=values,
            unit=CRITIC_UNIT,
            statistics={"worlds": worlds},
        )

    def state_values(self, turn: Turn) -> np.ndarray:
        """See `PolicyAgent.state_values`."""
        value = make_value_function(self.network, self.name)
        chunks = range(0, len(turn.masks), CHUNK)
        found = [value(self._observe(turn, slice(i, i + CHUNK))) for i in chunks]
        return np.concatenate([np.zeros(0), *found])


class Sb3Agent(PolicyAgent):
    """Plays by the policy of a Stable-Baselines3 model; `from_sb3` makes one."""

    def __init__(self, model: Any, name: str, deterministic: bool, seed: int) -> None:
        super().__init__(name, deterministic, seed)
        self.model = model
        self.encoding = "codes" if model.observation_space.dtype == np.int8 else "onehot"

    def logits(self, turn: Turn, rows: np.ndarray) -> torch.Tensor:
        """See `PolicyAgent.logits`; of a DQN they are the values of actions.

        Raises ValueError for another game than the model was trained on.
        """
        seen, space = turn.observations[rows], self.model.observation_space
        actions = int(self.model.action_space.n)
        if seen.shape[1:] != space.shape or actions != turn.game.actions:
            raise ValueError(
                f"agent {self.name!r} was trained on observations {space.shape} and {actions} "
                f"actions; {turn.game.title} has {seen.shape[1:]} ({self.encoding}) and "
                f"{turn.game.actions}"
            )
        policy = self.model.policy
        policy.set_training_mode(False)
        given = torch.as_tensor(seen, device=self.model.device)
        if hasattr(policy, "q_net"):
            return cast(torch.Tensor, policy.q_net(given))
        return cast(torch.Tensor, policy.get_distribution(given).distribution.logits)

    @torch.inference_mode()
    def state_values(self, turn: Turn) -> np.ndarray | None:
        """See `PolicyAgent.state_values`; a DQN has none."""
        policy = self.model.policy
        if not hasattr(policy, "predict_values"):
            return None
        given = torch.as_tensor(turn.observations.copy(), device=self.model.device)
        return np.asarray(policy.predict_values(given).cpu().numpy()[:, 0], np.float64)

    @torch.inference_mode()
    def explain(self, turn: Turn) -> Explanation:
        """See `PolicyAgent.explain`; of a DQN with the values of the actions."""
        found = super().explain(turn)
        if not hasattr(self.model.policy, "q_net"):
            return found
        values = self.logits(turn, np.arange(len(turn.masks))).cpu().numpy()
        return replace(found, action_values=of_legal(turn, values), unit=CRITIC_UNIT)


def from_sb3(
    model: Any, *, deterministic: bool = True, name: str | None = None, seed: int = 0
) -> Sb3Agent:
    """Return the agent that plays by a trained model of Stable-Baselines3 or sb3-contrib.

    ``model`` is a MaskablePPO, PPO, A2C or DQN, trained on one of Parlour's environments by either
    encoding, which the agent then asks for. Illegal actions are masked whether or not the model was
    trained with masks. ``deterministic=False`` draws by the policy, from the seeds of the turn and
    ``seed``. ``name`` None is that of the model's class. Raises ValueError for a model that has no
    logits of single actions, naming what is allowed.
    """
    policy, kind = getattr(model, "policy", None), type(model).__name__
    space = getattr(model, "observation_space", None)
    has_logits = hasattr(policy, "q_net") or hasattr(policy, "get_distribution")
    if not has_logits or hasattr(policy, "lstm_actor"):
        raise ValueError(f"model {kind}: allowed are MaskablePPO, PPO, A2C and DQN")
    if getattr(space, "shape", None) is None or not hasattr(model.action_space, "n"):
        raise ValueError(
            f"model {kind}: trained on {space} and {model.action_space}; allowed are the Box and "
            "the Discrete of an environment of Parlour"
        )
    return Sb3Agent(model, kind if name is None else name, deterministic, seed)


def open_chunks(turn: Turn) -> Iterator[np.ndarray]:
    """Yield the rows in which several actions are legal, at most `CHUNK` at once."""
    rows = np.flatnonzero(turn.masks.sum(axis=1) > 1)
    for i in range(0, len(rows), CHUNK):
        yield rows[i : i + CHUNK]


def _last_legal(masks: np.ndarray) -> np.ndarray:
    """The last legal action of each row: where rounding leaves a sum of chances below 1."""
    return np.asarray(masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1))
