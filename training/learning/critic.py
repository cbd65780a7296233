"""Environments that show networks more than the player's own observation.

A critic that sees the hidden cards tells luck from skill better (Pinto and others, "Asymmetric
actor critic for image-based robot learning", 2018; in card games Suphx and PerfectDou). It is a
second network, which reads the player's observation with one more piece at its end; the policy
reads only the part in front, and the critic is not part of the saved agent.

A network that corrects a rule-based agent (`parlour.agents.networks.options`) reads which action
that agent would play, in training and in play.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.networks.options import base_piece, mark_base_actions, show_more
from parlour.envs import Game
from parlour.envs.core.rows import copy_states
from parlour.envs.core.rules_table import RulesTable
from parlour.envs.core.schema import Features, Piece, whole_number
from parlour.envs.interfaces.arguments import observation_space
from parlour.envs.interfaces.sb3 import CardVecEnv

POSITIONS = 1000
"""Search limit of the solver for one action, in positions; beyond it the answer is "not known"."""


class ExtraPiece(NamedTuple):
    """A piece of an observation beyond the player's own."""

    piece: Piece
    read: Callable[[np.ndarray, RulesTable], np.ndarray]
    """Returns the codes, int8 (n, ``piece.size``), of states and the rules played."""


def see_cards(game: Game) -> ExtraPiece:
    """Return the hidden cards as a piece."""
    assert game.hidden_cards is not None
    piece, read = game.hidden_cards
    return ExtraPiece(piece, lambda states, table: read(states))


def ask_solver(game: Game) -> ExtraPiece:
    """Return as a piece whether the game can still be won."""

    def read(states: np.ndarray, table: RulesTable) -> np.ndarray:
        assert game.winnable_after is not None
        best = game.winnable_after(states, table.only, POSITIONS).max(axis=1, keepdims=True)
        return np.select([best == 1, best == 0], [2, 1], 0).astype(np.int8)

    doc = "whether a win is left, all cards known: 1 no, 2 yes, 0 not found out"
    return ExtraPiece(Piece("winnable", 1, whole_number(2), doc), read)


def ask_base(game: Game, base: str) -> ExtraPiece:
    """Return as a piece which action a rule-based agent would play."""

    def read(states: np.ndarray, table: RulesTable) -> np.ndarray:
        marks = np.zeros((len(states), game.actions), np.int8)
        for number, rows in table.split(states):
            rules, states_of_rules = table.rules[number], copy_states(states, rows)
            marks[rows] = mark_base_actions(game, rules, states_of_rules, base)
        return marks

    return ExtraPiece(base_piece(game, base), read)


CRITICS: dict[str, Callable[[Game], ExtraPiece]] = {"cards": see_cards, "solver": ask_solver}
"""The pieces that critics see, by the setting ``critic``; ``own`` has none."""


class WiderVecEnv(CardVecEnv):
    """`CardVecEnv` with further pieces at the end of its observations.

    They are, with ``base``, the action that this rule-based agent would play, then what ``critic``,
    a key of `CRITICS`, sees. ``wide_game`` is the game with all these pieces.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        variant: str | None = None,
        *,
        critic: str = "own",
        base: str | None = None,
        **rest: Any,
    ):
        self.extra = [] if base is None else [ask_base(game, base)]
        self.extra += [] if critic == "own" else [CRITICS[critic](game)]
        self.wide_game = game
        for one in self.extra:
            self.wide_game = show_more(self.wide_game, one.piece)
        super().__init__(game, num_envs, variant, **rest)
        self.observation_space = observation_space(self.wide_game, self.encoding)

    @property
    def features(self) -> Features:
        """See `CardVecEnv.features`."""
        return self.wide_game.features

    def _see(self, states: np.ndarray, codes: np.ndarray) -> np.ndarray:
        pieces = [one.read(states, self.table) for one in self.extra]
        return np.concatenate([codes, *pieces], axis=1)
