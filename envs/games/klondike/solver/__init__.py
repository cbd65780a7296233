"""Klondike: the solver, see `solve`."""
