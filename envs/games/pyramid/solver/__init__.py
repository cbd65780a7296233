"""Pyramid: whether a deal can be won, and in how few moves, all cards known."""
