"""Solver labels of deal sets: creation, verification, and comparison with agents."""
