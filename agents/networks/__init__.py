"""Networks, and the agents that play with them."""
