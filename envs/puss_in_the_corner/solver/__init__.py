"""Puss in the Corner: whether a deal can be won, its order known."""

from .solve import outcomes, solve

__all__ = ["outcomes", "solve"]
