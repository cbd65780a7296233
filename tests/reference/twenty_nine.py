"""Twenty-Nine: the reference of Twenty-Eight, which plays both by their options."""

from tests.reference.twenty_eight import OVER, PLAY, TRUMPS, Game, Options, refused

__all__ = ["OVER", "PLAY", "TRUMPS", "Game", "Options", "refused"]
