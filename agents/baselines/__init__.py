"""Baseline agents: uniform and greedy."""
