"""How well agents play: evaluation, comparison, duplicate play, banks and their labels."""
