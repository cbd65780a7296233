"""Solver of Puss in the Corner, with the order of the stock known."""
