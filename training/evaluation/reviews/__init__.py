"""Reviews: the loss of each decision of a game."""
