"""Pyramid: whether a deal can be won, and in how few moves, all cards known."""

from .solve import outcomes, solve

__all__ = ["outcomes", "solve"]
