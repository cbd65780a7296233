"""An agent that plays by a trained network: the likeliest legal action, or one drawn."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from parlour.envs import Game

from . import artefact
from .agent import Turn
from .networks import CardNetwork, build, masked_logits

CHUNK = 4096
"""Games that go through the network at once."""


class LearnedAgent:
    """Plays by a `CardNetwork`: the likeliest action, or one drawn (``deterministic=False``)."""

    sees_all = False

    def __init__(
        self,
        network: CardNetwork,
        name: str = "learned",
        *,
        deterministic: bool = True,
        seed: int = 0,
    ) -> None:
        self.network, self.name, self.deterministic = network, name, deterministic
        self.device = next(network.parameters()).device
        self.generator = torch.Generator(self.device).manual_seed(seed)

    @classmethod
    def load(
        cls, path: str | Path, game: Game, rules: Any = None, *, deterministic: bool = True
    ) -> "LearnedAgent":
        """Load a saved agent to play ``game`` by ``rules`` (None: those that it was trained by).

        Raises `artefact.ArtefactError`, a ValueError, naming the file and the reason.
        """
        found = artefact.load(path, game, rules)
        net = found.network
        with artefact.blame(found.folder):
            network = build(net["name"], game, net["width"], net["depth"], net["options"])
            weights = {name: torch.from_numpy(array) for name, array in found.weights.items()}
            network.load_state_dict(weights)
        return cls(network.eval(), found.name, deterministic=deterministic)

    @classmethod
    def from_policy(cls, policy: Any, name: str = "learned") -> "LearnedAgent":
        """Return an agent that plays by the network of a policy being trained, as it is then."""
        return cls(policy.network, name)

    def act(self, turn: Turn) -> np.ndarray:
        """Return one legal action for each game, int64 (n,)."""
        actions = turn.masks.argmax(axis=1)  # right where only one is legal: no network needed
        open_rows = np.flatnonzero(turn.masks.sum(axis=1) > 1)
        for i in range(0, len(open_rows), CHUNK):
            rows = open_rows[i : i + CHUNK]
            actions[rows] = self._ask(turn, rows)
        return np.asarray(actions, np.int64)

    @torch.inference_mode()
    def _ask(self, turn: Turn, rows: np.ndarray) -> np.ndarray:
        seen = turn.observations[rows]
        if self.network.encoding == "onehot":
            seen = turn.game.features.onehot(seen)
        logits, _ = self.network(torch.as_tensor(seen, device=self.device))
        marks = torch.as_tensor(turn.masks[rows], device=self.device)
        logits = masked_logits(logits, marks)
        if self.deterministic:
            actions = logits.argmax(dim=1)
        else:
            chances = logits.softmax(dim=1)
            actions = torch.multinomial(chances, 1, generator=self.generator).squeeze(1)
        return np.asarray(actions.cpu().numpy())
