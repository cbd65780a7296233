"""Temporary registration of the example as the only game.

While a test of this folder runs, no other game is registered, so the contract tests run on the
example only. Afterwards the tables are restored. A separate process must call `enter_alone` before
it unpickles anything, because a game is pickled as its name.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import gymnasium as gym

from parlour.envs import GAMES
from parlour.envs.core.game import register
from tests.example_game import GAME


def enter_alone() -> None:
    """Make the example the only game, and register it with Gymnasium as `parlour.envs` does."""
    GAMES.clear()
    gym.register(
        id=register(GAME).id,
        entry_point="parlour.envs:make",
        vector_entry_point="parlour.envs:make_vec",
        kwargs={"game_name": GAME.name},
    )


@contextmanager
def alone() -> Iterator[None]:
    """Make the example the only game and its variants the only test cases, temporarily."""
    from tests.contract.cases import CASES, Case

    games, cases = dict(GAMES), list(CASES)
    enter_alone()
    CASES[:] = [Case(GAME, variant) for variant in GAME.variants]
    try:
        yield
    finally:
        del gym.registry[GAME.id]
        GAMES.clear()
        GAMES.update(games)
        CASES[:] = cases
