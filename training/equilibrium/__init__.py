"""Exact equilibria of small games, and the exploitability of agents in them."""
