"""Card games as Gymnasium environments: the rules kernels and the shells over them.

Importing this package registers every game with Gymnasium::

    import gymnasium as gym
    import parlour.envs

    env = gym.make("parlour/Pyramid-v0", variant="three-passes")
"""

if __name__ != "parlour.envs":
    raise ImportError(
        "this folder is the package parlour.envs: install the repository (pip install -e .) and "
        "write 'import parlour.envs'; a bare 'import envs' is not supported"
    )

from typing import Any

import gymnasium as gym

from .core.game import GAMES, Game, find_game, register
from .core.kernel.compiling import watch_compilations
from .games import (
    fifty_six,
    klondike,
    poker_squares,
    puss_in_the_corner,
    pyramid,
    seven_twenty_seven,
    twenty_eight,
    twenty_nine,
)
from .interfaces.single import CardEnv
from .interfaces.vector import CardVectorEnv
from .interfaces.wrappers import DictObservation, DictVectorObservation
from .render.pictures import KNOWN_METADATA, draw_grid, draw_picture, save_picture


def make(game_name: str, variant: str | None = None, **keywords: Any) -> CardEnv:
    """Make a single environment by the game's name: what `gymnasium.make` calls."""
    return CardEnv(find_game(game_name), variant, **keywords)


def make_vec(
    game_name: str, num_envs: int = 1, variant: str | None = None, **keywords: Any
) -> CardVectorEnv:
    """Make a vector environment by the game's name: what `gymnasium.make_vec` calls."""
    return CardVectorEnv(find_game(game_name), num_envs, variant, **keywords)


watch_compilations()
# Gymnasium reads from the entry point which render modes there are ("ansi_list" stands on that).
make.metadata = KNOWN_METADATA  # type: ignore[attr-defined]
make_vec.metadata = KNOWN_METADATA  # type: ignore[attr-defined]

_MODULES = (
    pyramid,
    poker_squares,
    puss_in_the_corner,
    klondike,
    seven_twenty_seven,
    twenty_eight,
    twenty_nine,
    fifty_six,
)
"""The packages of the games: a game that is not here is known to nobody."""

for _module in _MODULES:
    _game = register(_module.GAME)
    gym.register(
        id=_game.id,
        entry_point="parlour.envs:make",
        vector_entry_point="parlour.envs:make_vec",
        kwargs={"game_name": _game.name},
    )

__all__ = [
    "GAMES",
    "CardEnv",
    "CardVectorEnv",
    "DictObservation",
    "DictVectorObservation",
    "Game",
    "draw_grid",
    "draw_picture",
    "find_game",
    "make",
    "make_vec",
    "save_picture",
]
