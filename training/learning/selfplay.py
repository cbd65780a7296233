"""Self-play: PPO at all seats that are the learner's, with a magnet (`magnet`).

A seat beside the learner's own is the learner's with the chance ``self_share``, else that of one of
the ``opponents``; who sits where is drawn anew for each hand.
"""

from functools import partial
from typing import cast

from parlour.agents.networks.learned import LearnedAgent
from parlour.agents.registry import Agent, load_agent

from ..evaluation.evaluate import EpisodeResults
from . import checkpoint
from .magnet import MagnetPPO
from .ppo import CardPPO
from .run_network import NetworkRun, make_model
from .settings import SelfplaySettings
from .table_rows import make_table_rows


class SelfplayRun(NetworkRun):
    """A run of PPO against itself and others; see the module."""

    settings: SelfplaySettings

    def prepare(self, found: checkpoint.Checkpoint | None) -> None:
        """See `Run.prepare`."""
        names = self.settings.opponents
        self.field = [load_agent(name, self.game, self.rules, 1) for name in names]
        super().prepare(found)
        if not found:
            cast(MagnetPPO, self.model).follow(1.0)  # to what the run begins with

    def _make_model(self) -> CardPPO:
        make = partial(make_table_rows, self.field, self.settings.self_share)
        return make_model(self.settings, self.seed, make)

    @property
    def samples(self) -> bool:  # type: ignore[override]
        """Whether the agent draws its actions from its policy."""
        return self.settings.samples

    def agent(self) -> LearnedAgent:
        """See `Run.agent`."""
        return LearnedAgent(self.network, deterministic=not self.samples)

    def play_by(self, agent: Agent) -> EpisodeResults:
        """Let an agent play among the opponents, in turn."""
        return self.play_at_tables(agent, self.field)
