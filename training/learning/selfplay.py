"""Self-play: PPO at all seats that are the learner's, with a magnet (`magnet`).

A seat beside the learner's own is the learner's with the chance ``self_share``, else that of one of
the ``opponents``; who sits where is drawn anew for each hand.
"""

from functools import partial
from typing import cast

from parlour.agents.learned import LearnedAgent
from parlour.agents.registry import Agent, load_agent

from ..evaluation.duplicate_play import play_duplicate
from ..evaluation.evaluate import EpisodeResults
from . import checkpoint
from .magnet import MagnetPPO
from .ppo import CardPPO
from .run import validation_key
from .run_network import NetworkRun, make_model
from .settings import SelfplaySettings
from .table_rows import make_table_rows


class SelfplayRun(NetworkRun):
    """A run of PPO against itself and others; see the module."""

    settings: SelfplaySettings
    samples = True

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

    def agent(self) -> LearnedAgent:
        """See `Run.agent`."""
        return LearnedAgent(self.network, deterministic=False)

    def play_by(self, agent: Agent) -> EpisodeResults:
        """Let an agent play every deal from every seat among the players by rule, in turn."""
        key = validation_key(self.seed)
        found = play_duplicate(self.game, self.rules, agent, self.field, self.deals, key=key)
        nets = found.nets / self.game.reward_unit(self.rules)
        facts = {"won": (found.nets > 0).reshape(-1), "score": nets.mean(axis=1)}
        return EpisodeResults(facts, found.milliseconds)
