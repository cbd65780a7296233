"""Runs that train a network on plans, which end when a card is turned up."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save as tensor_bytes
from torch import Tensor, nn

from parlour.agents.networks.plan_network import (
    PLAN_NETWORK,
    PlanNetworkAgent,
    require_plan_values,
)
from parlour.agents.saved import PLANS
from parlour.envs import Game, find_game
from parlour.envs.core.batch import DealSource
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.kernel.rng import TRAINING_SEED_MASK
from parlour.envs.core.options import as_record
from parlour.envs.core.plan_values import PlanNetwork
from parlour.envs.core.solve import play_actions

from . import checkpoint
from .run import StepRun, validation_deal_set
from .settings.methods import LEAST_GAMES, PlanSettings

STREAM = 0x504C414E
"""Separates the random numbers drawn here from those of other methods with the same seed."""
FIRST_SPREAD = 0.1
"""Standard deviation of new embeddings, and factor of new weights of the output."""
SAMPLE_GAMES = 100
"""Number of games that show how many actions a plan has."""
USED_PART = 0.85
"""Fraction of a limit of timesteps to plan for. Better plans may be longer."""
LEAST_ITERATIONS = 20
"""Smallest number of iterations of a run with a limit of timesteps."""


class PlanModule(nn.Module):
    """A `PlanNetwork` as a torch module.

    Args:
        num_features: Number of features.
        width: Width of the first layer.
        units: Number of units of the second layer.
    """

    def __init__(self, num_features: int, width: int, units: int) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(
            num_features + 1, width, mode="sum", padding_idx=num_features
        )
        self.hidden, self.output = nn.Linear(width, units), nn.Linear(units, 1)
        nn.init.normal_(self.embedding.weight, 0, FIRST_SPREAD)
        with torch.no_grad():
            self.embedding.weight[num_features] = 0
            self.output.weight *= FIRST_SPREAD

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits of winning, float32 (n,), of features int64 (n, most)."""
        logits = self.output(self.hidden(self.embedding(ids).relu()).relu())
        return logits.squeeze(1)

    def export(self) -> PlanNetwork:
        """Return a copy of the weights."""
        tensors = (
            *(self.embedding.weight[:-1], self.hidden.weight, self.hidden.bias),
            *(self.output.weight[0], self.output.bias),
        )
        return PlanNetwork(*(tensor.detach().numpy().copy() for tensor in tensors))

    @torch.no_grad()
    def load(self, network: PlanNetwork) -> None:
        """Replace the weights. Raises ValueError if the sizes differ."""
        current = self.export()
        for name, array in network._asdict().items():
            if array.shape != getattr(current, name).shape:
                raise ValueError(
                    f"setting initial must name an agent with {name} of shape "
                    f"{getattr(current, name).shape}, got {array.shape}. Set width and units as in "
                    "that agent"
                )
        self.embedding.weight[:-1] = torch.from_numpy(network.embedding)
        self.hidden.weight[:] = torch.from_numpy(network.hidden)
        self.hidden.bias[:] = torch.from_numpy(network.hidden_bias)
        self.output.weight[0] = torch.from_numpy(network.output)
        self.output.bias[:] = torch.from_numpy(network.output_bias)


def measure_plans(game: Game, rules: Any, network: PlanNetwork) -> float:
    """Return the mean number of actions of a plan in sample games.

    Actions before the first plan, which look through the stock, count as actions of the plans.
    """
    choose_plan = require_plan_values(game).choose_plan
    num_actions = num_plans = 0
    for seed in deal_seeds(validation_deal_set(game.name), range(SAMPLE_GAMES)):
        states = np.zeros(1, game.state)
        states["rng"] = seed
        game.kernels.begin(states[0], as_record(rules)[0], DealSource.SEED)
        while (plan := choose_plan(states, rules, network)).actions:
            states = play_actions(game, rules, states, plan.actions)
            num_actions += len(plan.actions)
            num_plans += plan.value is not None
    return num_actions / num_plans


class PlanRun(StepRun):
    """A run that trains a network on plans. Its ``steps`` are plans."""

    settings: PlanSettings
    unit = "plans"

    @classmethod
    def limit_timesteps(cls, settings: Any, timesteps: int) -> PlanSettings:
        """See `Run.limit_timesteps`; sample games of a new network may show how long plans are."""
        game = find_game(settings.game)
        values = require_plan_values(game)
        length = values.max_length
        if length is None:
            with torch.random.fork_rng():
                torch.manual_seed(0)
                module = PlanModule(values.num_features, settings.width, settings.units)
            rules = settings.list_rules().rules[0]
            length = measure_plans(game, rules, module.export()) / USED_PART
        most = int(timesteps / length)
        games = max(min(settings.games, most // (LEAST_ITERATIONS * values.max_plans)), LEAST_GAMES)
        return replace(settings, total_steps=max(most - games * values.max_plans, 1), games=games)

    @property
    def timesteps(self) -> int:
        """See `Run.timesteps`; estimated from sample games of the current network."""
        return round(self.steps * measure_plans(self.game, self.rules, self.module.export()))

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        torch.set_num_threads(1)
        torch.manual_seed(self.seed)
        settings, self.values = self.settings, require_plan_values(self.game)
        self.total, self.steps, self.iterations = settings.total_steps, 0, 0
        self.symmetries = torch.from_numpy(self.values.symmetries)
        self.module = PlanModule(self.values.num_features, settings.width, settings.units)
        self.optimizer = torch.optim.Adam(self.module.parameters(), settings.learning_rate)
        initial = self.initial()
        if saved:
            self.steps, self.iterations = saved.values["steps"], saved.values["iterations"]
            checkpoint.set_tensors({"network": self.module}, self.optimizer, saved.arrays)
        elif initial:
            self.module.load(PlanNetworkAgent.load(initial, self.game).plan_network)

    def begin_iteration(self) -> tuple[np.random.Generator, np.ndarray]:
        """Return the random generator of the next iteration, and its games' seeds (games,)."""
        draws = np.random.default_rng([self.seed, STREAM, self.iterations])
        most, games = int(TRAINING_SEED_MASK), self.settings.games
        return draws, draws.integers(0, most, games, np.uint64, endpoint=True)

    def set_learning_rate(self, left: float) -> float:
        """Set and return the learning rate for the remaining fraction of the schedule."""
        rate = self.settings.learning_rate * (left if self.settings.schedule == "linear" else 1.0)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

    def require_convergence(self, values: np.ndarray) -> None:
        """Raise ValueError if weights or values of the network are missing or not finite."""
        if len(values) == 0 or not np.isfinite(values).all():
            raise ValueError(
                f"the network has diverged at step {self.steps} with "
                f"learning_rate={self.settings.learning_rate}. Start a new run with a smaller "
                "learning_rate"
            )

    def evaluate_ids(self, ids: np.ndarray, draws: np.random.Generator) -> Tensor:
        """Return logits of winning, float32 (n,), each under a random symmetry of its features.

        Args:
            ids: Features, int16 (n, most).
            draws: The random generator.
        """
        numbering = torch.from_numpy(draws.integers(0, len(self.symmetries), (len(ids), 1)))
        renumbered = self.symmetries[numbering, torch.from_numpy(ids).long()]
        logits: Tensor = self.module(renumbered)
        return logits

    def descend(self, loss: Tensor) -> float:
        """Make one step of the optimizer, and return the loss."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return loss.item()

    def agent(self) -> PlanNetworkAgent:
        """See `Run.agent`."""
        return PlanNetworkAgent(self.game, self.rules, self.module.export())

    def saved_arrays(self) -> Mapping[str, np.ndarray]:
        """Return arrays that a checkpoint needs besides the network and the optimizer."""
        return {}

    def save(self) -> None:
        """See `Run.save`."""
        network = checkpoint.tensor_arrays({"network": self.module}, self.optimizer)
        arrays = {**network, **self.saved_arrays()}
        values = self.checkpoint_values() | {"iterations": self.iterations}
        checkpoint.save_arrays(self.folder, arrays, values)

    def agent_weights(self) -> bytes:
        """See `Run.agent_weights`."""
        return tensor_bytes(self.module.export()._asdict())

    def network_spec(self) -> dict[str, Any]:
        """See `Run.network_spec`."""
        return {
            "name": PLAN_NETWORK,
            "encoding": PLANS,
            "width": self.settings.width,
            "depth": 2,
            "options": {"units": self.settings.units, "version": self.values.version},
        }
