"""The games as environments of TRL's ``GRPOTrainer``; TRL itself is not imported here.

``environment_factory=make_factory("pyramid", "classic")`` gives the model the tool ``play``. The
trainer passes the columns of the data set to `CardTools.reset`.
"""

from collections.abc import Callable
from typing import Any

from .text import TextEnv

__all__ = ["CardTools", "make_factory"]

INSTRUCTION = """\
Call the tool play with one legal move, exactly as listed before the colon, such as "{example}"."""


def make_factory(game: Any, variant: str | None = None, **keywords: Any) -> Callable[[], Any]:
    """Return the argument ``environment_factory`` of ``GRPOTrainer``.

    Args:
        game: The game, or its name.
        variant: Name of the variant (None: the default variant).
        **keywords: Further arguments of `TextEnv`, such as ``reward`` and ``penalty``.
    """
    keywords = {"instruction": INSTRUCTION} | keywords
    TextEnv(game, variant, **keywords)  # raises ValueError before the training begins
    return lambda: CardTools(TextEnv(game, variant, **keywords))


class CardTools:
    """One game as tools of a model. Public methods except ``reset`` and ``get_reward`` are tools.

    Args:
        env: The environment, which only these tools use.
    """

    def __init__(self, env: TextEnv) -> None:
        self._env = env
        self._total, self._done = 0.0, True

    def reset(self, seed: int | None = None, deal: int | None = None, **_: Any) -> str:
        """Begin a game and return its prompt, which the trainer appends to the user's message.

        Args:
            seed: Seed of a random deal, a column of the data set (None: the next random deal).
            deal: Number of a deal, a column of the data set (None: a random deal).
        """
        options = None if deal is None else {"deal": int(deal)}
        self._total, self._done = 0.0, False
        return self._env.reset(seed=None if seed is None else int(seed), options=options)

    def play(self, move: str) -> str:
        """Play one move of the card game.

        Args:
            move: A legal move, exactly as listed before the colon.

        Returns:
            The new position with its legal moves, or the result of the game.
        """
        if self._done:
            return "The game is over."
        observation, reward, self._done, _ = self._env.step(move)
        self._total += reward
        return observation

    def get_reward(self) -> float:
        """Return the sum of the rewards of the game so far."""
        return self._total
