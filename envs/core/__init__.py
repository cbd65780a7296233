"""Building blocks that all games share.

This package exports the interfaces of agents, games, batches of states, observations, scenes and
solvers. No module here depends on a particular game.
"""

from .contract import Solution
from .game import Game
from .kernel.cards import card_name, deal_seeds, parse_card
from .rows import Rows
from .scene.drawing import card_art
from .scene.scene import Scene, ansi, svg, svg_grid
from .schema import Features, Piece
from .solve import solver_of
from .turn import Agent, IllegalActionError, Turn, choose_actions, prepare_turn, random_floats

__all__ = [
    "Agent",
    "Features",
    "Game",
    "IllegalActionError",
    "Piece",
    "Rows",
    "Scene",
    "Solution",
    "Turn",
    "ansi",
    "card_art",
    "card_name",
    "choose_actions",
    "deal_seeds",
    "parse_card",
    "prepare_turn",
    "random_floats",
    "solver_of",
    "svg",
    "svg_grid",
]
