"""Card games as Gymnasium environments.

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

from parlour.registration import NAMES

from .core.game import GAMES, Game, find_game
from .core.kernel.compiling import watch_compilations
from .interfaces.single import CardEnv
from .interfaces.vector import CardVectorEnv
from .interfaces.wrappers import DictObservation, DictVectorObservation
from .render.pictures import KNOWN_METADATA, draw_grid, draw_picture, save_picture


def make(game_name: str, variant: str | None = None, **keywords: Any) -> CardEnv:
    """Make an environment by the name of its game; the entry point of `gymnasium.make`.

    Args:
        game_name: Name of the game; see `find_game`.
        variant: Name of the variant (None: the default variant of the game).
        **keywords: Other arguments of `CardEnv`, and options of the game.

    Raises:
        ValueError: The game, the variant or another argument is invalid.
    """
    return CardEnv(find_game(game_name), variant, **keywords)


def make_vec(
    game_name: str, num_envs: int = 1, variant: str | None = None, **keywords: Any
) -> CardVectorEnv:
    """Make a vector environment by the name of its game; the entry point of `gymnasium.make_vec`.

    Args:
        game_name: Name of the game; see `find_game`.
        num_envs: Number of games.
        variant: Name of the variant (None: the default variant of the game).
        **keywords: Other arguments of `CardVectorEnv`, and options of the game.

    Raises:
        ValueError: The game, the variant or another argument is invalid.
    """
    return CardVectorEnv(find_game(game_name), num_envs, variant, **keywords)


watch_compilations()
# Gymnasium reads the render modes from the entry point; "ansi_list" depends on them.
make.metadata = KNOWN_METADATA  # type: ignore[attr-defined]
make_vec.metadata = KNOWN_METADATA  # type: ignore[attr-defined]

for _name in NAMES:
    GAMES.add_module(_name, f"parlour.envs.games.{_name}")

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
