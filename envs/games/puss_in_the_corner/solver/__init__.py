"""Puss in the Corner: whether a deal can be won, its order known."""
