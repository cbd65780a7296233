"""Solver of Pyramid. The module `solve` has its two functions, `solve` and `winnable_after`."""
