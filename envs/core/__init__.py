"""What every game stands on; nothing in here knows a game.

What users of the suite need of it is named here: turns and agents, states, scenes, truth.
"""

from .cards import name as card_name
from .cards import parse as parse_card
from .deals import bank_seeds
from .features import Features, Piece
from .game import Game
from .rows import Rows
from .scene import Scene, ansi, svg
from .truth import Solution, solver_of
from .turn import Agent, IllegalChoice, Turn, choose, draws, look

__all__ = [
    "Agent",
    "Features",
    "Game",
    "IllegalChoice",
    "Piece",
    "Rows",
    "Scene",
    "Solution",
    "Turn",
    "ansi",
    "bank_seeds",
    "card_name",
    "choose",
    "draws",
    "look",
    "parse_card",
    "solver_of",
    "svg",
]
