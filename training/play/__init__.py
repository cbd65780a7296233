"""Games for a human player, in the terminal or on the page."""
