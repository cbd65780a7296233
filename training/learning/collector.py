"""A part of a rollout: what an actor is told, what it plays, what it gives back.

An actor keeps nothing from one rollout to the next that it is not told anew: its games come and go
as states. So any other actor could play the same part, and a part that was lost is played again.

Actions are drawn as the learner alone would draw them: `torch.multinomial` divides the chances of
all rows by exponential draws and takes the greatest. An actor makes these draws for all rows and
uses those of its own, so a row's games do not depend on which actor plays it.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from torch import Tensor

from parlour.envs.core.rows import copy_states

from .ppo import ROLLOUT, CardPolicy, PhaseTimer
from .precision import learning_precision
from .recent import EPISODE_RECORD, RecentGames
from .run_network import make_model
from .sb3 import CardVecEnv
from .settings import PPOSettings

BLOCK = 16
"""Actors get whole blocks of so many rows where there are enough: see `split_rows`."""
SENT = (*ROLLOUT, "values")
"""What is sent of a rollout buffer, by its names there."""
SMALL = {"observations": np.int8, "action_masks": np.bool_}
"""As what they are sent: codes and the zeros and ones of one-hot columns are small numbers."""


class Job(NamedTuple):
    """All that a part of a rollout depends on."""

    weights: dict[str, np.ndarray]
    """The policy's, by name."""
    generator: np.ndarray
    """State of torch's generator, uint8, at the beginning of the rollout: the same for all parts.
    """
    rules: Sequence[Any]
    """The rules played now: another in the study."""
    states: np.ndarray
    """Of the rows, records (n,)."""
    returns: np.ndarray
    """What their games came to so far, float64 (n,)."""
    starts: np.ndarray
    """Which rows have begun a game in the last step, bool (n,)."""


class Part(NamedTuple):
    """What became of a `Job`."""

    arrays: dict[str, np.ndarray]
    """What is learned from, `SENT`, each (steps, n, ...)."""
    generator: np.ndarray
    states: np.ndarray
    returns: np.ndarray
    starts: np.ndarray
    games: np.ndarray
    """The games that ended, records of `EPISODE_RECORD`, in the order in which they did."""
    ended_in: np.ndarray
    """In which step each of them ended, int64."""
    seconds: dict[str, float]
    """Where the time went, by phase."""
    processor: float
    """Seconds of processor time that it took."""


def split_rows(n: int, actors: int) -> list[range]:
    """Return the rows of each actor, of n: as even as whole blocks of `BLOCK` rows allow.

    Products of matrices are made block by block, so a row is rounded alike in another whole block.
    Where there are not blocks enough rows are split one by one.
    """
    block = BLOCK if n >= BLOCK * actors else 1
    blocks = -(-n // block)
    bounds = [min(n, block * (blocks * i // actors)) for i in range(actors + 1)]
    return [range(*both) for both in pairwise(bounds)]


class EndedGames(RecentGames):
    """All games that end in a rollout, with their steps; as a callback it counts the steps."""

    def on_rollout_start(self) -> None:
        """Begin a rollout."""
        self.step = 0
        self.found: list[np.ndarray] = [np.zeros(0, EPISODE_RECORD)]
        self.steps: list[np.ndarray] = [np.zeros(0, np.int64)]

    def add(self, games: np.ndarray) -> None:
        """Add games that have ended in this step, records (n,)."""
        self.found.append(games)
        self.steps.append(np.full(len(games), self.step))

    def update_locals(self, names: dict[str, Any]) -> None:
        """Do without: nothing is looked at."""

    def on_step(self) -> bool:
        """Count a step; go on."""
        self.step += 1
        return True

    def on_rollout_end(self) -> None:
        """Nothing is left to do."""


class Collector:
    """Plays some rows of a run's games, on the processor and by one thread.

    ``rows`` are their numbers among all ``settings.n_envs``.
    """

    def __init__(self, settings: PPOSettings, rows: range) -> None:
        torch.set_num_threads(1)
        torch.distributions.Distribution.set_default_validate_args(False)
        self.settings, self.rows = replace(settings, device="cpu"), rows
        self.model = make_model(self.settings, 0, rows=len(rows))
        assert isinstance(self.model.env, CardVecEnv)
        self.env = self.model.env
        self.model._setup_learn(0)
        self.env.ended_games = self.games = EndedGames()
        cast(CardPolicy, self.model.policy).draw = self._draw

    def _draw(self, chances: Tensor) -> Tensor:
        """Draw actions int64 (n,) from chances (n, actions), as `torch.multinomial` does."""
        draws = torch.empty(self.settings.n_envs, chances.shape[1]).exponential_()
        return (chances / draws[self.rows.start : self.rows.stop]).argmax(dim=1)

    def collect(self, job: Job) -> Part:
        """Play the steps of a rollout."""
        begun = time.process_time()
        model, env, buffer = self.model, self.env, cast(Any, self.model.rollout_buffer)
        model.clock = PhaseTimer()
        weights = {name: torch.tensor(array) for name, array in job.weights.items()}
        model.policy.load_state_dict(weights)
        if env.table.rules != tuple(job.rules):
            env.set_rules(job.rules)
        model._last_obs = env.take_over(job.states, job.returns)
        model._last_episode_starts = job.starts
        torch.set_rng_state(torch.tensor(job.generator))
        with learning_precision(self.settings):
            model.collect_rollouts(env, self.games, buffer, self.settings.n_steps)
        sent = {name: getattr(buffer, name) for name in SENT}
        return Part(
            sent | {name: sent[name].astype(kind) for name, kind in SMALL.items()},
            torch.get_rng_state().numpy(),
            copy_states(env.rows.states),
            env.returns.copy(),
            np.asarray(model._last_episode_starts),
            np.concatenate(self.games.found),
            np.concatenate(self.games.steps),
            model.clock.split(),
            time.process_time() - begun,
        )
