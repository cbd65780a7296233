"""What every game stands on; nothing in here knows a game."""
