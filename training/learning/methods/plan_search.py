"""Plan-search: a network that values the positions after plans, learned from a search.

The run first plays games with the search, which the network does not guide, and stores the plans
that the search tried. Then the network learns from all of them: its softmax over the plans of a
position learns the search's share of visits, and its value of the chosen plan learns the outcome of
the game. These are the targets of expert iteration (Anthony, Tian and Barber, "Thinking
fast and slow with deep learning and tree search", 2017).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from parlour.envs.core.plan_values import SearchedPlans

from .. import checkpoint
from ..plan_run import PlanRun
from ..settings.methods import PlanSearchSettings


class StoredPlans(NamedTuple):
    """The plans of all positions, in the order of play."""

    ids: np.ndarray
    """Features of the position after each plan, int16 (n, most)."""
    visits: np.ndarray
    """Number of visits of each plan, int64 (n,), at least 1."""
    chosen: np.ndarray
    """Whether each plan was played, bool (n,)."""
    won: np.ndarray
    """Whether the game of each plan was won, bool (n,)."""
    starts: np.ndarray
    """The first plan of each position, int64 (positions,)."""


def store_games(games: list[SearchedPlans]) -> StoredPlans:
    """Return the plans of games. The only plan of a position may have no visits, and gets one."""
    counts = np.concatenate([np.bincount(game.positions) for game in games])
    return StoredPlans(
        np.concatenate([game.ids for game in games]),
        np.maximum(np.concatenate([game.visits for game in games]), 1),
        np.concatenate([game.chosen for game in games]),
        np.concatenate([np.full(len(game.ids), game.won) for game in games]),
        np.cumsum(counts) - counts,
    )


def join_plans(first: StoredPlans, second: StoredPlans) -> StoredPlans:
    """Return the plans of both arguments, in order."""
    shifted = second._replace(starts=second.starts + len(first.ids))
    return StoredPlans(*(np.concatenate(columns) for columns in zip(first, shifted, strict=True)))


def imitation_loss(logits: Tensor, position: Tensor, visits: Tensor, num_positions: int) -> Tensor:
    """Return the mean cross-entropy of the softmax over each position's plans to their visits.

    Args:
        logits: Logits of the plans, float32 (n,).
        position: The position of each plan, int64 (n,).
        visits: Number of visits of each plan, float32 (n,).
        num_positions: Number of positions.
    """
    total = torch.zeros(num_positions).index_add(0, position, visits)
    highest = torch.full((num_positions,), -torch.inf).scatter_reduce(
        0, position, logits.detach(), "amax"
    )
    shifted = logits - highest[position]
    norm = torch.zeros(num_positions).index_add(0, position, shifted.exp()).log()
    shares = visits / total[position]
    return -(shares * (shifted - norm[position])).sum() / num_positions


class PlanSearchRun(PlanRun):
    """A run of plan-search. After the last games, each iteration is one epoch of learning."""

    settings: PlanSearchSettings
    memory: StoredPlans | None = None
    epochs = 0
    """Number of epochs since the last games."""

    def prepare(self, saved: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        super().prepare(saved)
        if saved:
            self.epochs = saved.values["epochs"]
            self.memory = StoredPlans(*(saved.arrays[f"memory/{x}"] for x in StoredPlans._fields))

    def saved_arrays(self) -> Mapping[str, np.ndarray]:
        """See `PlanRun.saved_arrays`."""
        assert self.memory is not None  # a checkpoint follows an iteration
        return {f"memory/{name}": array for name, array in self.memory._asdict().items()}

    def checkpoint_values(self) -> dict[str, Any]:
        """See `Run.checkpoint_values`."""
        return super().checkpoint_values() | {"epochs": self.epochs}

    def share_done(self) -> float:
        """See `Run.share_done`. A run ends after the last epoch, also with a time limit."""
        return min(super().share_done(), self.epochs / self.settings.n_epochs)

    def iterate(self) -> dict[str, float]:
        """Play games with the search, or learn from all games."""
        draws, seeds = self.begin_iteration()
        self.iterations += 1
        if self.memory is None or super().share_done() < 1:
            return self._play(seeds)
        return self._learn_epoch(self.memory, draws)

    def _play(self, seeds: np.ndarray) -> dict[str, float]:
        """Play one deal for each seed, and store its plans."""
        search_game = self.values.search_game
        assert search_game is not None  # checked by the settings
        limit = self.settings.search_iterations
        games = [search_game(self.rules, limit, int(seed)) for seed in seeds]
        new = store_games(games)
        self.memory = new if self.memory is None else join_plans(self.memory, new)
        self.steps, self.epochs = self.steps + len(new.starts), 0
        return {"play/won": float(np.mean([game.won for game in games]))}

    def _learn_epoch(self, memory: StoredPlans, draws: np.random.Generator) -> dict[str, float]:
        """Learn from each position once."""
        settings, losses = self.settings, []
        order = draws.permutation(len(memory.starts))
        num_batches = max(-(-len(order) // settings.batch_size), 1)
        for batch, drawn in enumerate(np.array_split(order, num_batches)):
            done = (self.epochs + batch / num_batches) / settings.n_epochs
            rate = self.set_learning_rate(1 - done)
            losses.append(self._learn(memory, drawn, draws))
        for weights in self.module.export():
            self.require_convergence(weights)
        self.epochs += 1
        return {"train/loss": float(np.mean(losses)), "train/learning_rate": rate}

    def _learn(self, memory: StoredPlans, drawn: np.ndarray, draws: np.random.Generator) -> float:
        """Learn from a minibatch of positions, and return the loss."""
        counts = np.diff(memory.starts, append=len(memory.ids))[drawn]
        position = np.repeat(np.arange(len(drawn)), counts)
        offsets = np.arange(len(position)) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = memory.starts[drawn][position] + offsets
        logits = self.evaluate_ids(memory.ids[rows], draws)
        visits = torch.from_numpy(memory.visits[rows].astype(np.float32))
        loss = imitation_loss(logits, torch.from_numpy(position), visits, len(drawn))
        chosen = torch.from_numpy(memory.chosen[rows])
        outcomes = torch.from_numpy(memory.won[rows].astype(np.float32))
        loss = loss + nn.functional.binary_cross_entropy_with_logits(
            logits[chosen], outcomes[chosen]
        )
        return self.descend(loss)


METHOD = PlanSearchRun
