"""Twenty-Nine: the reference of Twenty-Eight, which plays both by their options.

Its rules are `docs/rules/twenty_nine.md`, which leads on to `docs/rules/twenty_eight.md`.
"""

from tests.reference.twenty_eight import OVER, PLAY, TRUMPS, Game, Options, refused

__all__ = ["OVER", "PLAY", "TRUMPS", "Game", "Options", "refused"]
