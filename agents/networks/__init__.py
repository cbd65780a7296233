"""Networks, and the agents that play by them."""
