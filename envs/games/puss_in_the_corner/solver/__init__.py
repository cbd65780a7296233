"""Puss in the Corner: solver with the order of the stock known."""
