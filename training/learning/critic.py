"""What networks read behind the player's own observation, in training or at play, too.

What a policy does is judged by values. A critic that sees the hidden cards tells luck from skill
better (Pinto and others, "Asymmetric actor critic for image-based robot learning", 2018; in card
games Suphx and PerfectDou). It is a second network, which reads the player's observation with one
more piece behind it; the policy reads the part in front alone, and the critic is not saved with it.

A policy that corrects a player by rule (`parlour.agents.networks.residual`) reads what that one would play,
in training and at play; the critic sees this, too.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.networks.residual import base_piece, mark_base_actions, show_more
from parlour.envs import Game
from parlour.envs.core.rows import copy_states
from parlour.envs.core.rules_table import RulesTable
from parlour.envs.core.schema import Features, Piece, whole_number
from parlour.envs.interfaces.arguments import observation_space

from .sb3 import CardVecEnv

POSITIONS = 1000
"""Positions that the solver may look at for one action; where they do not suffice it says nothing.
"""


class MoreSeen(NamedTuple):
    """What is read beyond the player's own observation."""

    piece: Piece
    read: Callable[[np.ndarray, RulesTable], np.ndarray]
    """From states and the rules played to codes, int8 (n, ``piece.size``)."""


def see_cards(game: Game) -> MoreSeen:
    """Let the critic see the hidden cards."""
    assert game.hidden_cards is not None
    piece, read = game.hidden_cards
    return MoreSeen(piece, lambda states, table: read(states))


def ask_solver(game: Game) -> MoreSeen:
    """Let the critic know whether a win is left."""

    def read(states: np.ndarray, table: RulesTable) -> np.ndarray:
        assert game.winnable_after is not None
        best = game.winnable_after(states, table.only, POSITIONS).max(axis=1, keepdims=True)
        return np.select([best == 1, best == 0], [2, 1], 0).astype(np.int8)

    doc = "whether a win is left, all cards known: 1 no, 2 yes, 0 not found out"
    return MoreSeen(Piece("winnable", 1, whole_number(2), doc), read)


def ask_base(game: Game, base: str) -> MoreSeen:
    """Let all networks know what a player by rule would play."""

    def read(states: np.ndarray, table: RulesTable) -> np.ndarray:
        found = np.zeros((len(states), game.actions), np.int8)
        for number, places in table.split(states):
            rules, some = table.rules[number], copy_states(states, places)
            found[places] = mark_base_actions(game, rules, some, base)
        return found

    return MoreSeen(base_piece(game, base), read)


CRITICS: dict[str, Callable[[Game], MoreSeen]] = {"cards": see_cards, "solver": ask_solver}
"""What critics see, by the setting ``critic``, beside ``own``."""


class WiderVecEnv(CardVecEnv):
    """`CardVecEnv` whose observations have behind the player's own what else is read.

    First, with ``base``, what that player by rule would play; then what ``critic``, a key of
    `CRITICS`, sees. ``wide_game`` says of what pieces they are made.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        variant: str | None = None,
        *,
        critic: str | None = "own",
        base: str | None = None,
        **rest: Any,
    ):
        self.more = [] if base is None else [ask_base(game, base)]
        self.more += [] if critic in (None, "own") else [CRITICS[critic](game)]
        self.wide_game = game
        for one in self.more:
            self.wide_game = show_more(self.wide_game, one.piece)
        super().__init__(game, num_envs, variant, **rest)
        self.observation_space = observation_space(self.wide_game, self.encoding)

    @property
    def features(self) -> Features:
        """See `CardVecEnv.features`."""
        return self.wide_game.features

    def _see(self, states: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return np.concatenate([codes, *(one.read(states, self.table) for one in self.more)], axis=1)
