"""Use your own network as an agent, and compare it with Parlour's agents on the same deals.

    python examples/own_network.py

``encoding`` names the observations that the agent reads; `act` returns actions for many games. This
network is not trained: the example shows input and output of `act`.
"""

import time

import numpy as np
import torch
from torch import nn

from parlour.envs import find_game
from parlour.training import compare


class NetworkAgent:
    """Plays the legal action with the highest logit."""

    encoding = "onehot"
    name = "mine"

    def __init__(self, game_name: str = "pyramid") -> None:
        game = find_game(game_name)
        torch.manual_seed(0)
        self.network = nn.Sequential(
            nn.Linear(game.features.columns, 64), nn.ReLU(), nn.Linear(64, game.actions)
        )

    def act(self, turn):
        """Return an action for each row of ``turn.observations``, uint8 (n, columns)."""
        with torch.inference_mode():
            logits = self.network(torch.tensor(turn.observations, dtype=torch.float32)).numpy()
        return np.where(turn.masks, logits, -np.inf).argmax(axis=1)


if __name__ == "__main__":
    begun = time.perf_counter()
    comparison = compare("pyramid", ["uniform", "greedy", NetworkAgent()], deals=500)
    moves = sum(each.results.facts["moves"].sum() for each in comparison.evaluations)
    print(comparison)
    print(f"{moves / (time.perf_counter() - begun):,.0f} steps/s")
