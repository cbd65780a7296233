"""Train a small policy on a dataset of labeled decisions, and compare it with greedy.

    python examples/learn_from_dataset.py --games 2000
    python examples/learn_from_dataset.py FOLDER    # a dataset of `parlour dataset make`

The loss is the cross-entropy of the action taken (behavior cloning) plus the expected regret under
the values of the actions. Only decisions with values are used, since the others have no choice. The
last tenth of the episodes is held out to measure the regret.
"""

import argparse
import time

import numpy as np
import torch
from torch import nn

from parlour.envs import find_game
from parlour.training import DatasetSpec, compare, load_dataset, make_dataset
from parlour.training.datasets.decisions import find_regrets

REGRET_WEIGHT = 20
"""Weight of the expected regret in the loss."""


class Policy:
    """Plays the legal action with the highest logit."""

    encoding = "onehot"
    name = "learned"

    def __init__(self, game) -> None:
        self.network = nn.Sequential(
            nn.Linear(game.features.columns, 128),
            nn.ReLU(),
            nn.Linear(128, 128),
            nn.ReLU(),
            nn.Linear(128, game.actions),
        )

    def logits(self, observations, masks):
        """Return logits, (n, actions), very low for illegal actions."""
        seen = torch.tensor(observations, dtype=torch.float32)
        return self.network(seen).masked_fill(~torch.tensor(masks), -1e9)

    def act(self, turn):
        """Return an action for each row of a turn."""
        with torch.inference_mode():
            return self.logits(turn.observations, turn.masks).argmax(dim=1).numpy()


def learn(policy, observations, masks, values, actions, epochs) -> None:
    """Fit the policy to the actions taken and to the regrets of all actions."""
    regrets = np.where(masks, np.nanmax(values, axis=1, keepdims=True) - values, 0)
    regrets, taken = torch.tensor(regrets), torch.tensor(actions)
    optimizer = torch.optim.Adam(policy.network.parameters(), lr=1e-3)
    for epoch in range(epochs):
        losses = []
        for rows in torch.randperm(len(actions)).split(256):
            logits = policy.logits(observations[rows], masks[rows])
            regret = (logits.softmax(dim=1) * regrets[rows]).sum(dim=1).mean()
            loss = nn.functional.cross_entropy(logits, taken[rows]) + REGRET_WEIGHT * regret
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}")


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", nargs="?", help="folder of a dataset (default: make one)")
    parser.add_argument(
        "--games", type=int, default=2000, help="games of a new dataset of Pyramid (default: 2000)"
    )
    parser.add_argument("--epochs", type=int, default=5, help="passes over the data (default: 5)")
    parser.add_argument("--deals", type=int, default=1000, help="deals to compare (default: 1000)")
    arguments = parser.parse_args()

    folder = arguments.dataset or f"datasets/pyramid-{arguments.games}"
    if arguments.dataset is None:
        written = make_dataset(DatasetSpec(find_game("pyramid"), episodes=arguments.games), folder)
        print(f"dataset: {folder}, {written.statistics['decisions']:,} decisions")

    torch.manual_seed(0)
    begun = time.perf_counter()
    data = load_dataset(folder)
    known = np.flatnonzero(~np.isnan(data.regrets))
    observations = data.game.features.onehot(data["observation"][known])
    masks, values = data["action_mask"][known], data["values"][known]
    actions, episodes = data["action"][known].astype(np.int64), data["episode"][known]
    held_out = episodes >= np.quantile(np.unique(episodes), 0.9)
    policy = Policy(data.game)
    train = [column[~held_out] for column in (observations, masks, values, actions)]
    learn(policy, *train, arguments.epochs)
    with torch.inference_mode():
        chosen = policy.logits(observations[held_out], masks[held_out]).argmax(dim=1).numpy()
    for name, played in (("learned", chosen), ("in the dataset", actions[held_out])):
        regrets = find_regrets(data.game, values[held_out], played)
        print(f"mean regret {name}: {regrets.mean():.4f} ({len(regrets):,} decisions held out)")
    variant = data.game.variant_name(data.rules)
    print(compare(data.game.name, ["greedy", policy], variants=variant, deals=arguments.deals))
    print(f"{len(known) / (time.perf_counter() - begun):,.0f} steps/s")


if __name__ == "__main__":
    main()
