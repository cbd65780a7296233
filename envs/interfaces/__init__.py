"""Interfaces over the rules kernels: Gymnasium, PettingZoo, OpenSpiel, RLlib, Stable-Baselines3."""
