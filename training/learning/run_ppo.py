"""One training seed of a run by PPO whose games may be played by several processes.

The learner holds the games between two rollouts, as states, so checkpoints are those of any run.
For each rollout it sends the policy's weights and the states to the actors, joins what they played
(`collector`), and learns from it.
"""

from typing import Any, cast

import numpy as np
import torch

from parlour.envs.core.rows import copy_states

from . import checkpoint
from .actors import Actors
from .collector import Job, Part, split_rows
from .ray_actors import RayActors
from .run_network import NetworkRun
from .settings import PPOSettings

CREWS: dict[str, type[Actors] | type[RayActors]] = {"processes": Actors, "ray": RayActors}
"""Who plays, by the setting ``backend``."""


class PPORun(NetworkRun):
    """A run of MaskablePPO; with ``actors`` of 2 and more other processes play its games."""

    crew: Actors | RayActors | None = None

    def prepare(self, found: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        super().prepare(found)
        settings = cast(PPOSettings, self.settings)
        if settings.actors > 1:
            self.parts = split_rows(settings.n_envs, settings.actors)
            self.crew = CREWS[settings.backend](settings, self.parts)

    def close(self) -> None:
        """See `Run.close`; end the actors."""
        if self.crew is not None:
            self.crew.close()
        super().close()

    def collect(self) -> None:
        """See `NetworkRun.collect`."""
        if self.crew is None:
            return super().collect()
        parts = self.crew.collect(self._list_jobs())
        with self.clock("buffer"):
            self._join(parts)
        for phase, seconds in parts[0].seconds.items():
            self.clock.seconds[phase] += seconds if phase != "other" else 0

    def _list_jobs(self) -> list[Job]:
        """Say what each actor is to do."""
        model, env = self.model, self.env
        state = model.policy.state_dict()
        weights = {name: one.detach().cpu().numpy() for name, one in state.items()}
        generator = torch.get_rng_state().numpy()
        states, starts = copy_states(env.rows.states), np.asarray(model._last_episode_starts)
        jobs = []
        for rows in self.parts:
            own = slice(rows.start, rows.stop)
            part = copy_states(states, own), env.returns[own].copy(), starts[own]
            jobs.append(Job(weights, generator, env.table.rules, *part))
        return jobs

    def _join(self, parts: list[Part]) -> None:
        """Go on as if the model itself had played all parts."""
        model, env, buffer = self.model, self.env, cast(Any, self.model.rollout_buffer)
        buffer.reset()
        for rows, part in zip(self.parts, parts, strict=True):
            for name, array in part.arrays.items():
                getattr(buffer, name)[:, rows.start : rows.stop] = array
        buffer.pos, buffer.full = buffer.buffer_size, True
        steps = np.concatenate([part.ended_in for part in parts])
        games = np.concatenate([part.games for part in parts])
        env.ended_games.add(games[np.argsort(steps, kind="stable")])
        states = np.concatenate([part.states for part in parts])
        returns = np.concatenate([part.returns for part in parts])
        model._last_obs = env.take_over(states, returns)
        model._last_episode_starts = np.concatenate([part.starts for part in parts])
        model.num_timesteps += buffer.buffer_size * env.num_envs
        torch.set_rng_state(torch.from_numpy(parts[0].generator.copy()))
