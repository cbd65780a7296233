"""An agent that plays by a table: for each observation, how likely it takes each action."""

from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.turn import Turn, random_floats

from .. import saved as artefact
from ..explanation import Explanation

POLICY_TABLE_NETWORK = "chances"
"""What ``agent.json`` calls the network of such an agent, and the name of its table."""
ENCODING = "codes"
"""The encoding of the observations in the table."""
KEYS_TENSOR = "keys"
"""The name of the tensor of digests of the observations."""


def observation_digests(observations: np.ndarray) -> np.ndarray:
    """Return a digest of each observation, ``codes`` (n, width): uint64 (n,)."""
    rows = np.ascontiguousarray(observations)
    found = b"".join(blake2b(row, digest_size=8).digest() for row in rows)
    return np.frombuffer(found, "<u8").astype(np.uint64)


class PolicyTableAgent:
    """Draws its action by ``chances``, float64 (m, actions), of the observation before it.

    ``keys``, uint64 (m,), ascending, are the `observation_digests` of the observations. What it
    draws depends on the turn and on ``seed`` alone.
    """

    sees_all = False

    def __init__(
        self, keys: np.ndarray, chances: np.ndarray, name: str = "table", seed: int = 0
    ) -> None:
        self.keys, self.chances, self.name, self.seed = keys, chances, name, seed

    @classmethod
    def load(cls, path: str | Path, game: Game, rules: Any = None) -> "PolicyTableAgent":
        """Load a saved table to play ``game`` by ``rules`` (None: those that it was made for).

        Raises `artefact.ArtefactError`, a ValueError, naming the file and the reason.
        """
        row = 8 * (1 + game.actions)
        found = artefact.load_artefact(
            path, game, rules, lambda network: row * network["width"], lambda _: ENCODING
        )
        with artefact.blame_file(found.folder):
            if found.network["name"] != POLICY_TABLE_NETWORK:
                raise ValueError(f"no table of chances but a network {found.network['name']!r}")
            keys, chances = found.weights[KEYS_TENSOR], found.weights[POLICY_TABLE_NETWORK]
            ascend = keys.dtype == np.uint64 and keys.ndim == 1 and len(keys) > 0
            if not ascend or (keys[1:] <= keys[:-1]).any():
                raise ValueError(f"tensor {KEYS_TENSOR!r}: ascending uint64 are needed")
            fits = chances.dtype == np.float64 and chances.shape == (len(keys), game.actions)
            if not fits or not _are_chances(chances):
                raise ValueError(
                    f"tensor {POLICY_TABLE_NETWORK!r}: float64 ({len(keys)}, {game.actions}) is "
                    f"needed, each row of numbers from 0 adding up to 1; got {chances.dtype} "
                    f"{chances.shape}"
                )
        return cls(keys, chances, found.name)

    def probabilities(self, turn: Turn) -> np.ndarray:
        """Return the chance with which each action is played, float64 (n, actions).

        Raises ValueError for an observation that is not in the table.
        """
        wanted = observation_digests(turn.observations)
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = self.keys[places] == wanted
        if not known.all():
            row = turn.observations[int(np.argmin(known))]
            said = {name: v for name, v in turn.game.features.explain(row).items() if np.any(v)}
            raise ValueError(f"agent {self.name!r} has no entry in its table for {said}")
        return np.asarray(self.chances[places])

    def act(self, turn: Turn) -> np.ndarray:
        """Return an action for each game, int64 (n,), drawn from its chances."""
        return self._draw(turn, self.probabilities(turn))

    def _draw(self, turn: Turn, chances: np.ndarray) -> np.ndarray:
        below = chances.cumsum(axis=1)
        shares = random_floats(turn.seeds, self.seed)[:, None] * below[:, -1:]
        return np.asarray((below <= shares).sum(axis=1), np.int64)

    def explain(self, turn: Turn) -> Explanation:
        """Return its chances, and what it draws by them."""
        chances = self.probabilities(turn)
        return Explanation(self.name, turn, self._draw(turn, chances), chances, chances)


def _are_chances(rows: np.ndarray) -> bool:
    return bool((rows >= 0).all() and (np.abs(rows.sum(axis=1) - 1) < 1e-6).all())
