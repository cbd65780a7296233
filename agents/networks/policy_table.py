"""An agent that plays with a table of action probabilities, one row per observation."""

from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.turn import Turn, random_floats

from ..explanation import Explanation
from ..saved import SavedAgentError, load_saved_agent
from ..validation import name_file_in_errors

POLICY_TABLE_NETWORK = "chances"
"""The network name of such an agent in ``agent.json``, and the name of its tensor."""
ENCODING = "codes"
"""The encoding of the observations in the table."""
KEYS_TENSOR = "keys"
"""The name of the tensor with the digests of the observations."""


def observation_digests(observations: np.ndarray) -> np.ndarray:
    """Return a digest, uint64 (n,), of each of the ``codes`` observations (n, width)."""
    rows = np.ascontiguousarray(observations)
    digests = b"".join(blake2b(row, digest_size=8).digest() for row in rows)
    return np.frombuffer(digests, "<u8").astype(np.uint64)


class PolicyTableAgent:
    """Agent that samples its action from a table of probabilities by observation.

    Args:
        keys: digests of the observations in the table, uint64 (m,), ascending; see
            `observation_digests`.
        policy: the probabilities of the actions for each observation, float64 (m, actions).
        name: the name of the agent.
        seed: seed of the sampled actions, combined with the seeds of the turn.
    """

    sees_all = False

    def __init__(
        self, keys: np.ndarray, policy: np.ndarray, name: str = "table", seed: int = 0
    ) -> None:
        self.keys, self.policy, self.name, self.seed = keys, policy, name, seed

    @classmethod
    def load(cls, path: str | Path, game: Game, rules: Any = None) -> "PolicyTableAgent":
        """Load a saved table.

        Args:
            path: The agent's folder, or its ``agent.json``.
            game: The game to play.
            rules: The rules to play by (None: the rules of the table).

        Raises:
            SavedAgentError: The agent cannot be used. SavedAgentError is a ValueError; its message
                names the file and the reason.
        """
        row = 8 * (1 + game.actions)
        saved = load_saved_agent(
            path, game, rules, lambda network: row * network["width"], lambda _: ENCODING
        )
        with name_file_in_errors(saved.folder, SavedAgentError):
            if saved.network["name"] != POLICY_TABLE_NETWORK:
                raise ValueError(
                    f"the agent must be a table of probabilities, got network "
                    f"{saved.network['name']!r}"
                )
            keys, policy = saved.weights[KEYS_TENSOR], saved.weights[POLICY_TABLE_NETWORK]
            are_keys = keys.dtype == np.uint64 and keys.ndim == 1 and len(keys) > 0
            if not are_keys or (keys[1:] <= keys[:-1]).any():
                raise ValueError(
                    f"tensor {KEYS_TENSOR!r} must be different uint64 numbers in ascending order"
                )
            fits = policy.dtype == np.float64 and policy.shape == (len(keys), game.actions)
            if not fits or not _are_probabilities(policy):
                raise ValueError(
                    f"tensor {POLICY_TABLE_NETWORK!r} must be float64 ({len(keys)}, {game.actions})"
                    " with rows of nonnegative numbers of sum 1, got "
                    f"{policy.dtype} {policy.shape}"
                )
        return cls(keys, policy, saved.name)

    def probabilities(self, turn: Turn) -> np.ndarray:
        """Return the probability of each action, float64 (n, actions).

        Raises:
            ValueError: An observation is not in the table.
        """
        wanted = observation_digests(turn.observations)
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = self.keys[places] == wanted
        if not known.all():
            row = turn.observations[int(np.argmin(known))]
            shown = {name: v for name, v in turn.game.features.explain(row).items() if np.any(v)}
            raise ValueError(f"the table of agent {self.name!r} has no entry for {shown}")
        return np.asarray(self.policy[places])

    def act(self, turn: Turn) -> np.ndarray:
        """Return one action for each game, int64 (n,), sampled from its probabilities."""
        return self._draw(turn, self.probabilities(turn))

    def _draw(self, turn: Turn, probabilities: np.ndarray) -> np.ndarray:
        below = probabilities.cumsum(axis=1)
        shares = random_floats(turn.seeds, self.seed)[:, None] * below[:, -1:]
        return np.asarray((below <= shares).sum(axis=1), np.int64)

    def explain(self, turn: Turn) -> Explanation:
        """Return the probabilities, and the actions sampled from them."""
        policy = self.probabilities(turn)
        return Explanation(self.name, turn, self._draw(turn, policy), policy, policy)


def _are_probabilities(rows: np.ndarray) -> bool:
    return bool((rows >= 0).all() and (np.abs(rows.sum(axis=1) - 1) < 1e-6).all())
