"""Parlour: a reinforcement-learning suite of card games.

Importing this package loads nothing else. Import `parlour.envs`, `parlour.agents` or
`parlour.training` for what you need.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
"""Version of Parlour."""
