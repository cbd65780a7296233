"""Games that a person plays, in the terminal or on the page."""
