"""How well agents play: evaluation, comparison, duplicate play, deal sets and their labels."""
