"""Does a network for Pyramid play better if it applies one block of layers several times?

    parlour train pyramid --preset distill --network-options relations yes --name teacher
    python -m research.iterated_network runs/pyramid-three-passes-teacher/seed-0/positions

All networks learn from the same saved positions in equal processor time, with the code of
`research.network_sizes`. The ordinary network is ``ranks`` with relations and two layers. The
iterated networks apply one shared layer T times and add the input at each iteration. Memory tokens,
which all ranks write to and read from, carry information from one iteration to the next. Training
either has a fixed T, or draws T from 1 to 8 for each minibatch and takes the loss after each
iteration, with weights proportional to the number of the iteration.

The table has the regret on held-out positions (the last file of each folder), the time of a
decision and the deals won without search, with 95 % intervals and paired differences.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import tyro
from torch import Tensor, nn

from benchmarks.reports import write_json
from parlour.agents.networks.build import CardNetwork, build_network
from parlour.agents.networks.card_network import linear, normal
from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.networks.tokens import RankTokens
from parlour.envs import Game, find_game
from parlour.training.evaluation.compare import evaluate
from parlour.training.evaluation.result import describe_machine
from parlour.training.evaluation.stats import Estimate
from parlour.training.learning.methods.distill import DistillLoss, Positions, concatenate

from . import network_sizes

WIDTH = 32
MOST = 8
"""Highest number of iterations in training with random numbers of iterations."""
MEMORY = 4
"""Number of memory tokens."""
SINGLE_GAMES = 15
"""Number of games, each played alone, for the time of a decision in a batch of one."""


class Shape(NamedTuple):
    """An iterated network: its memory tokens, and the iterations in training and in tests."""

    memory: int
    fixed: int | None
    """Number of iterations in training; None: random, with the loss after each iteration."""
    tested: tuple[int, ...]


HEADINGS = (
    *("network", "seed", "T", "parameters", "learned", "regret"),
    *("ms, batch", "ms, alone"),
)
ORDINARY = "ordinary"
SHAPES = {
    "fixed": Shape(MEMORY, 2, (2,)),
    "random": Shape(MEMORY, None, (1, 2, 4, 8, 16)),
    "no-memory": Shape(0, None, (1, 2, 4, 8, 16)),
}
"""The iterated networks; the ordinary network is the control."""


@dataclass(frozen=True)
class Options:
    """The networks to compare, and the conditions."""

    positions: tyro.conf.Positional[tuple[Path, ...]]
    """Folders of judged positions of runs."""
    networks: tuple[str, ...] = tuple(SHAPES)
    """Iterated networks to compare with the ordinary one: fixed, random or no-memory."""
    seeds: tuple[int, ...] = (0,)
    """Training seeds; each trains all networks."""
    minutes: float = 6.0
    """Processor time of learning, for each network and seed."""
    deals: int = 10_000
    deal_sets: tuple[str, ...] = ("pyramid-1", "pyramid-2")
    weights: Path | None = None
    """A folder for trained networks; networks that are in it are not trained again.

    Use a folder for each choice of positions.
    """
    json: Path | None = None
    """A file for all figures."""


class Memory(nn.Module):
    """Memory tokens: all rank tokens write to them and read from them, by attention."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.start = normal(size, width, std=1.0)
        self.query, self.key = linear(width, width, 1.0), linear(width, width, 1.0)
        self.write, self.read = linear(width, width, 1.0), linear(width, width, 1.0)
        self.norm = nn.LayerNorm(width)

    def forward(self, memory: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Return the next memory tokens (n, size, width), and what each rank token reads.

        Args:
            memory: the memory tokens, (n, size, width).
            hidden: the rank tokens, (n, ranks, width).
        """
        scores = self.query(memory) @ self.key(hidden).transpose(1, 2) / hidden.shape[2] ** 0.5
        memory = self.norm(memory + scores.softmax(dim=2) @ self.write(hidden))
        return memory, scores.softmax(dim=1).transpose(1, 2) @ self.read(memory)


class IteratedRanks(RankTokens):
    """`RankTokens` with relations that applies one layer several times.

    ``loss_weights`` has an entry for each iteration. The outputs are those of the iterations with
    positive weights, one after the other, with gradients scaled by the weights. Call
    `set_iterations` before the first use.
    """

    def __init__(self, game: Game, width: int, memory: int) -> None:
        super().__init__(game.features, game.actions, width, 1, relations=True)
        self.memory = Memory(width, memory) if memory else None
        self.loss_weights: list[float] = []

    def set_iterations(self, iterations: int, *, all_losses: bool = False) -> None:
        """Set the number of iterations, and whether the outputs of all of them are returned."""
        earlier = range(1, iterations) if all_losses else [0] * (iterations - 1)
        weights = [*earlier, iterations]
        self.loss_weights = [weight / sum(weights) for weight in weights]

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """See `CardNetwork.forward`.

        The observations contain one copy of the minibatch for each positive weight.
        """
        assert self.related is not None
        copies = sum(weight > 0 for weight in self.loss_weights)
        observations = observations[: len(observations) // copies]
        start = self.begin(observations)
        relations, hidden = self.related(observations), start
        memory = self.memory.start.expand(len(start), -1, -1) if self.memory else None
        outputs: list[tuple[Tensor, Tensor]] = []
        for weight in self.loss_weights:
            read = hidden + start
            if self.memory:
                memory, from_memory = self.memory(memory, hidden)
                read = read + from_memory
            hidden = self.layers[0](read, self.reader.bonds, relations)
            if weight > 0:
                logits, values = self.answer(hidden, observations)
                scale = copies * weight
                outputs.append((scale_gradient(logits, scale), scale_gradient(values, scale)))
        all_logits, all_values = zip(*outputs, strict=True)
        return torch.cat(all_logits), torch.cat(all_values)


def scale_gradient(values: Tensor, factor: float) -> Tensor:
    """Return the same values, with a gradient that is multiplied by the factor."""
    return values * factor + values.detach() * (1 - factor) if factor != 1 else values


class LossOfIterations(DistillLoss):
    """The distillation loss after each iteration, for a random number of iterations."""

    def loss(self, batch: Positions) -> Tensor:
        """See `DistillLoss.loss`; its gradient is that of the weighted mean of all losses."""
        assert isinstance(self.network, IteratedRanks)
        iterations = int(torch.randint(1, MOST + 1, ()))
        self.network.set_iterations(iterations, all_losses=True)
        return super().loss(concatenate([batch] * iterations))


def train(name: str, seed: int, game: Game, options: Options, known: Positions) -> Any:
    """Return a network and the number of positions that it learned."""
    file = options.weights and options.weights / f"{name}-{seed}-{options.minutes:g}.pt"
    torch.manual_seed(seed)
    network: CardNetwork
    loss: type[DistillLoss] = DistillLoss
    if name == ORDINARY:
        network = build_network("ranks", game, WIDTH, 2, {"relations": True})
    else:
        network = IteratedRanks(game, WIDTH, SHAPES[name].memory)
        network.set_iterations(SHAPES[name].fixed or 1)
        loss = DistillLoss if SHAPES[name].fixed else LossOfIterations
    if file and file.exists():
        saved = torch.load(file, weights_only=True)
        network.load_state_dict(saved["weights"])
        return network.eval(), saved["learned"]
    conditions = network_sizes.Options(options.positions[0], minutes=options.minutes)
    learned = network_sizes.learn(network.train(), game, conditions, known, loss)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        torch.save({"weights": network.state_dict(), "learned": learned}, file)
    return network.eval(), learned


def time_alone(game: Game, agent: LearnedAgent, deal_set: str) -> float:
    """Return the median over games of the milliseconds of a decision, each game played alone."""
    games = [
        evaluate(game.name, agent, deals=1, first=first, deal_set=deal_set, labels="no")
        for first in range(SINGLE_GAMES)
    ]
    return float(np.median([one.results.milliseconds for one in games]))


def measure(
    network: CardNetwork, game: Game, options: Options, held_out: Positions
) -> dict[str, Any]:
    """Return the figures of a network, with its evaluations by deal set."""
    agent = LearnedAgent(network, "network")
    played = {
        one: evaluate(game.name, agent, deals=options.deals, deal_set=one)
        for one in options.deal_sets
    }
    return {
        "parameters": sum(one.numel() for one in network.parameters()),
        "regret": network_sizes.find_regret(network, held_out),
        "batch": min(one.results.milliseconds for one in played.values()),
        "alone": time_alone(game, agent, options.deal_sets[0]),
        "played": played,
    }


def percent(estimate: Estimate, sign: str = "") -> str:
    """Return a rate or a difference in percent, with its interval."""
    mean, low, high = (100 * part for part in (estimate.mean, estimate.low, estimate.high))
    return f"{mean:{sign}.2f} [{low:{sign}.2f}, {high:{sign}.2f}]"


def describe(row: dict[str, Any], control: dict[str, Any], two: dict[str, Any] | None) -> list[str]:
    """Return the cells of a row; ``two`` is the row of the same network with T = 2."""
    cells = [row["network"], str(row["seed"]), str(row["T"]), f"{row['parameters']:,}"]
    cells += [f"{row['learned'] / 1e6:.2f} M", f"{row['regret']:.4f}"]
    cells += [f"{row['batch']:.3f}", f"{row['alone']:.2f}"]
    for deal_set, played in row["played"].items():
        cells.append(percent(played.estimate("won")))
        for other in (control, two):
            same = other is None or other is row
            other_played = None if other is None else other["played"][deal_set]
            cells.append("" if same else percent(played.subtract(other_played).reached, "+"))
    return cells


def show(cells: Sequence[str]) -> None:
    """Print a row of the table."""
    print(f"| {' | '.join(cells)} |", flush=True)


def main(options: Options) -> None:
    """Train and test the networks, and print the table."""
    if unknown := set(options.networks) - set(SHAPES):
        raise ValueError(f"networks must be of {', '.join(SHAPES)}, got {', '.join(unknown)}")
    torch.set_num_threads(1)
    game = find_game("pyramid")
    folders = [network_sizes.read_all(folder, game) for folder in options.positions]
    known, held_out = (concatenate(list(parts)) for parts in zip(*folders, strict=True))
    print(f"{len(known.actions):,} positions to learn, {len(held_out.actions):,} held out,")
    print(f"{options.minutes:g} minutes for each network, {options.deals:,} deals of each set")
    print(f"{describe_machine()}, one thread, torch {torch.__version__}\n")
    by_set = (f"{one}: won, % | minus {ORDINARY} | minus T = 2" for one in options.deal_sets)
    show([*HEADINGS, *by_set])
    show(["---"] * (len(HEADINGS) + 3 * len(options.deal_sets)))
    saved: list[dict[str, Any]] = []
    for seed in options.seeds:
        control: dict[str, Any] = {}
        for name in (ORDINARY, *options.networks):
            network, learned = train(name, seed, game, options, known)
            rows: dict[int | None, dict[str, Any]] = {}
            for tested in (None,) if name == ORDINARY else SHAPES[name].tested:
                if tested:
                    network.set_iterations(tested)
                row = {"network": name, "seed": seed, "T": tested or "", "learned": learned}
                rows[tested] = row | measure(network, game, options, held_out)
            control = control or rows[None]
            for row in rows.values():
                show(describe(row, control, rows.get(2)))
                played = {one: result.summary() for one, result in row["played"].items()}
                saved.append(row | {"played": played})
            if options.json:
                write_json(options.json, {"minutes": options.minutes, "rows": saved})


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
