"""Reviews: what each decision of a game cost."""
