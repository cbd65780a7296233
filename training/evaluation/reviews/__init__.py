"""Reviews: the cost of each decision of a game."""
