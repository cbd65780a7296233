"""The card games, each in its own package, and modules that several games share."""
