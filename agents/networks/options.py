"""Names, sizes and options of networks. This module does not import torch.

The option ``base`` makes a residual policy: a network that improves on a rule-based agent, the
base. The network starts with the play of the base and learns where another action is better (Silver
and others, "Residual policy learning", 2018, arXiv 1812.06298; Johannink and others, "Residual
reinforcement learning for robot control", 2019). The observation ends with one flag per action,
which is set for the base's action. The logit of that action is constant; the logits of the other
actions start near 0 and are learned.
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

NETWORK_NAMES = ("mlp", "embedding", "bonds", "numbers", "ranks", "attention")
"""The names of the networks; `build.NETWORKS` has their classes, in the same order."""
WIDEST, DEEPEST = 8192, 128
"""The largest width and depth allowed, far above those of networks that play cards."""
BASE = "base"
"""The network option that names the base.

Saved agents contain this name and `LIFT_OPTION`: the options in ``agent.json`` are ``base`` and
``lift``, although the training settings are ``base_policy`` and ``base_logit``.
"""
BASE_PIECE = "base_action"
"""The name of the observation piece with the base's action."""
LIFT, LIFT_OPTION = 3.0, "lift"
"""The default logit of the base's action, and the network option that sets it. With a logit of 3.0,
the action has a probability of 83 % among five actions before training."""
MOST_LIFT = 20


def check_network(name: str) -> None:
    """Raise ValueError for an unknown network name."""
    if name not in NETWORK_NAMES:
        raise ValueError(unknown_text("network", name, NETWORK_NAMES))


def check_size(width: int, depth: int) -> None:
    """Raise ValueError for a width or depth out of range."""
    for name, value, high in (("width", width, WIDEST), ("depth", depth, DEEPEST)):
        if not 1 <= value <= high:
            raise ValueError(f"{name} must be an integer from 1 to {high}, got {value}")


def show_more(game: Game, piece: Piece) -> Game:
    """Return a game whose observation has one more piece at its end."""
    return replace(game, features=add_piece(game.features, piece))


def add_piece(features: Features, piece: Piece) -> Features:
    """Return an observation schema with one more piece at its end."""
    pieces = [*features.declared_pieces, piece]
    hints = features.bonds, features.actions_on, features.symmetries, features.relations
    return Features(pieces, *hints)


def check_base(game: Game, base: Any, lift: Any = LIFT) -> None:
    """Raise ValueError unless ``base`` is greedy or a rule-based agent and ``lift`` is in range."""
    if not isinstance(lift, int | float) or not 0 <= lift <= MOST_LIFT:
        raise ValueError(f"{LIFT_OPTION} must be a number from 0 to {MOST_LIFT}, got {lift!r}")
    known = (HeuristicAgent.name, *game.rule_agents)
    if base not in known:
        raise ValueError(unknown_text(BASE, base, known))


def base_piece(actions: int, base: str) -> Piece:
    """Return the observation piece with the base's action, in a game with ``actions`` actions."""
    return Piece(BASE_PIECE, actions, FLAG, f"what {base} would play")


def mark_base_actions(game: Game, rules: Any, states: np.ndarray, base: str) -> np.ndarray:
    """Return the base's action in each state as flags, int8 (n, actions).

    All flags are 0 for a finished game.
    """
    masks = unpack_actions(states["legal"], game.actions)
    scores = game.score_actions(states, rules, rule_agent=None if base == "greedy" else base)
    flags = np.zeros(masks.shape, np.int8)
    flags[np.arange(len(flags)), best_actions(masks, scores)] = 1
    return np.asarray(flags * masks, np.int8)
