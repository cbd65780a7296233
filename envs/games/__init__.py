"""The card games, each in a package of its own, and what some of them share."""
