"""The card games: one package for each, and `bidding`, what three of them share."""
