"""Interfaces to the games: Gymnasium, PettingZoo, OpenSpiel, RLlib and Stable-Baselines3."""
