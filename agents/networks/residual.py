"""Networks that correct a player by rule: what it would play stands in what they read.

A network that begins as greedy plays need not learn first what greedy knows: it begins there, and
learns where another action is better (Silver and others, "Residual policy learning", 2018, arXiv
1812.06298; Johannink and others, "Residual reinforcement learning for robot control", 2019). Behind
the player's own observation stands one flag for each action, set for the one that the player by
rule would play. The logit of that one is always the same; those of the others, which begin near 0,
are learned.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.baselines import HeuristicAgent
from parlour.envs.core.legal import unpack_actions
from parlour.envs.core.options import unknown_text
from parlour.envs.core.schema import FLAG, Features, Piece
from parlour.envs.core.turn import best_actions

BASE = "base"
"""Of a network's options: the player by rule that it corrects."""
BASE_PIECE = "base_action"
MOST_LIFT = 20
LIFT, LIFT_OPTION = 3.0, "lift"
"""The logit of its choice: of five actions it has a chance of 83 % then, to begin with."""


def show_more(game: Game, piece: Piece) -> Game:
    """Return a game as a network sees it: with one more piece at the end of its observation."""
    own = game.features
    pieces = [*own.declared_pieces, piece]
    return replace(game, features=Features(pieces, own.bonds, own.actions_on, own.symmetries))


def check_base(game: Game, base: Any, lift: Any = LIFT) -> None:
    """Raise ValueError unless ``base`` names a player by rule of the game, and ``lift`` a logit."""
    if not isinstance(lift, int | float) or not 0 <= lift <= MOST_LIFT:
        raise ValueError(f"{LIFT_OPTION}={lift!r}: allowed are numbers from 0 to {MOST_LIFT}")
    known = (HeuristicAgent.name, *game.rule_agents)
    if base not in known:
        raise ValueError(unknown_text(BASE, base, known))


def base_piece(game: Game, base: str) -> Piece:
    """Return the piece that says what a player by rule would play."""
    return Piece(BASE_PIECE, game.actions, FLAG, f"what {base} would play")


def mark_base_actions(game: Game, rules: Any, states: np.ndarray, base: str) -> np.ndarray:
    """Return what the player by rule would play in states, int8 (n, actions): 1 for that action.

    Where no action is legal, in a game that is over, all are 0.
    """
    masks = unpack_actions(states["legal"], game.actions)
    scores = game.score_actions(states, rules, rule_agent=None if base == "greedy" else base)
    found = np.zeros(masks.shape, np.int8)
    found[np.arange(len(found)), best_actions(masks, scores)] = 1
    return np.asarray(found * masks, np.int8)
