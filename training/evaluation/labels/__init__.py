"""Solver labels of deal sets: made, verified and compared with what agents reach."""
