"""Exact equilibria of small games, and how exploitable agents are in them."""
