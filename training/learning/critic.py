"""Critics that see more than the player: for training alone.

What a policy does is judged by values. A critic that sees the hidden cards tells luck from skill
better (Pinto and others, "Asymmetric actor critic for image-based robot learning", 2018; in card
games Suphx and PerfectDou). It is a second network, which reads the player's observation with one
more piece behind it; the policy reads the observation alone, and the critic is not saved with it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from parlour.envs import Game
from parlour.envs.core.features import Features, Piece, whole_number
from parlour.envs.keywords import observation_space

from .sb3 import CardVecEnv

POSITIONS = 1000
"""Positions that the solver may look at for one action; where they do not suffice it says nothing.
"""


class Privilege(NamedTuple):
    """What a critic sees beyond the player."""

    piece: Piece
    read: Callable[[np.ndarray, Any], np.ndarray]
    """From states and rules to codes, int8 (n, ``piece.size``)."""


def see_cards(game: Game) -> Privilege:
    """Let the critic see the hidden cards."""
    assert game.hidden_cards is not None
    piece, read = game.hidden_cards
    return Privilege(piece, lambda states, rules: read(states))


def ask_solver(game: Game) -> Privilege:
    """Let the critic know whether a win is left."""

    def read(states: np.ndarray, rules: Any) -> np.ndarray:
        assert game.winnable_after is not None
        best = game.winnable_after(states, rules, POSITIONS).max(axis=1, keepdims=True)
        return np.select([best == 1, best == 0], [2, 1], 0).astype(np.int8)

    doc = "whether a win is left, all cards known: 1 no, 2 yes, 0 not found out"
    return Privilege(Piece("winnable", 1, whole_number(2), doc), read)


PRIVILEGES: dict[str, Callable[[Game], Privilege]] = {"cards": see_cards, "solver": ask_solver}
"""What critics see, by the setting ``critic``."""


def show_to_critic(game: Game, piece: Piece) -> Game:
    """Return a game as a critic sees it: with one more piece at the end of its observation."""
    own = game.features
    pieces = [*own.declared_pieces, piece]
    return replace(game, features=Features(pieces, own.bonds, own.actions_on, own.symmetries))


class CriticVecEnv(CardVecEnv):
    """`CardVecEnv` whose observations have behind the player's own what a critic sees, too.

    ``critic`` is a key of `PRIVILEGES`; ``critic_game`` says of what pieces they are made.
    """

    def __init__(self, game: Game, num_envs: int, variant: str | None, *, critic: str, **rest: Any):
        self.privilege = PRIVILEGES[critic](game)
        self.critic_game = show_to_critic(game, self.privilege.piece)
        super().__init__(game, num_envs, variant, **rest)
        self.observation_space = observation_space(self.critic_game, self.encoding)

    @property
    def features(self) -> Features:
        """See `CardVecEnv.features`."""
        return self.critic_game.features

    def _see(self, states: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return np.concatenate([codes, self.privilege.read(states, self.rules)], axis=1)
