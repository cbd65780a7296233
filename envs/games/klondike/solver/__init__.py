"""Klondike: the solver. `solve` has its two functions, `solve` and `winnable_after`."""
