"""Evaluation: one agent plays numbered deals of a bank; what came of each deal, with intervals.

The deals depend on the bank alone, so all agents that are compared meet the same ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents.registry import Agent, FixedAgent, is_person, load_agent
from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES
from parlour.envs.core.kernel.rng import derive_key

from ..parallel.tasks import Cluster
from .deal_play import EpisodeResults as EpisodeResults
from .deal_play import Progress as Progress
from .deal_play import play_deals as play_deals
from .labels.labels import Labels
from .labels.truth import Truth, check_against_labels, measure_truth
from .parts import play_parts
from .replays.recording import record_deals
from .result import Presented
from .spec import DEALS, EvaluationSpec, make_specs
from .stats import CONFIDENCE, Estimate, bootstrap_mean, wilson_rate

SEES_ALL, LOOKS_AHEAD, OTHER_RULES = "*", "+", "~"
"""Behind an agent's name in tables: it sees the hidden cards; it looks a step ahead; it was trained
by other rules."""


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Presented):
    """How an agent plays what a specification says: the results of its deals.

    ``to_pandas()`` and ``save(folder)`` hand them on: see `presented.Presented`.
    """

    spec: EvaluationSpec
    agent: str
    """Its name in tables."""
    sees_all: bool
    looks_ahead: bool
    """Whether it is a saved agent that does not play by its policy."""
    results: EpisodeResults
    other_rules: bool = False
    """Whether it was trained by other rules than those played."""
    report = "report"

    def headline(self) -> str:
        """See `Presented.headline`."""
        found = ", ".join(
            f"{fact} {self.estimate(fact).text()}" for fact in dict.fromkeys((self.goal, "score"))
        )
        return f"{self.game.name}, {self.variant}, {self.spec.deals_text}: {self.agent}, {found}"

    @property
    def goal(self) -> str:
        """The fact that says whether the game's aim was reached, ``"won"`` in most games."""
        return self.game.goal_name(self.rules)

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.spec.game

    @property
    def rules(self) -> Any:
        """The rules that it was played by."""
        return self.spec.rules

    @property
    def variant(self) -> str:
        """The rules' name for tables (``"classic"``, ``"classic + passes=2"``)."""
        return self.spec.variant

    @property
    def key(self) -> str:
        """The secret that all draws came from: with it the same games can be played again."""
        return self.spec.key

    @property
    def deals(self) -> np.ndarray:
        """The numbers of the deals in their bank, int64 (n,)."""
        return self.spec.numbers

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """For each fact its rate (yes or no) or mean (a number), with an interval."""
        return {
            name: (wilson_rate if values.dtype == np.bool_ else bootstrap_mean)(
                values, self.spec.confidence
            )
            for name, values in self.results.facts.items()
        }

    @cached_property
    def truth(self) -> Truth | None:
        """How the agent played beside what could be reached; None where nothing is labelled."""
        spec = self.spec
        if spec.labels is None:
            return None
        return measure_truth(spec.labels, self.results.facts, spec.first, spec.confidence)

    def estimate(self, fact: str) -> Estimate:
        """Return the rate or mean of one fact, such as ``"won"``."""
        return self.estimates[fact]

    def summary(self) -> dict[str, Any]:
        """Return all of it as JSON has it: an ``{"mean", "low", "high", "n"}`` for each fact."""
        spec = self.spec
        return {
            **spec.rules_summary(),
            "agent": self.agent,
            "sees_all": self.sees_all,
            "looks_ahead": self.looks_ahead,
            "other_rules": self.other_rules,
            "bank": spec.bank,
            "first": spec.first,
            "seed": spec.seed,
            "key": spec.key,
            "confidence": spec.confidence,
            "won": None,  # in a game that nobody wins
            **{name: found._asdict() for name, found in self.estimates.items()},
            "ms_per_decision": self.results.milliseconds,
            "truth": None if self.truth is None else self.truth.summary(),
        }


def evaluate(
    game: Game | str,
    agent: Agent | str = "uniform",
    *,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    bank: str | None = None,
    first: int = 0,
    seed: int = 0,
    max_moves: int | None = MAX_MOVES,
    confidence: float = CONFIDENCE,
    progress: Progress | None = None,
    truth: Labels | Path | str | None = None,
    key: str | None = None,
    name: str | None = None,
    any_rules: bool = False,
    record: Path | str | None = None,
    cluster: Cluster | None = None,
) -> Evaluation:
    """Let an agent play deals of a bank (None: the game's own, such as ``"pyramid-1"``).

    ``agent`` is one, or what `parlour.agents.registry.load_agent` takes; ``seed`` is that of its
    own random choices; ``max_moves`` None or 0 never cuts a game off. ``key`` is the secret that
    draws come from (`play_deals`), None: a new one; give an evaluation's own to repeat it. ``name``
    is what tables call the agent (None: its own name), and tells the draws of two agents apart.
    ``truth`` are labels of the deals, or their file; None: those that `labels.find_labels` finds;
    ``"no"``: none. ``any_rules`` lets a saved agent play that was trained by other rules of the
    game: `Evaluation.other_rules` is then True, and tables mark it. ``record`` is a new file for
    the games (`load_replays` reads it). ``cluster`` plays parts of the deals side by side (None:
    this process plays). Raises ValueError naming what is unknown or out of range, and what is
    allowed; `truth.Contradiction` if a deal is won that is labelled not winnable.
    """
    (spec,) = make_specs(
        game,
        None if variant is None else [variant],
        options,
        deals=deals,
        bank=bank,
        first=first,
        seed=seed,
        key=key,
        confidence=confidence,
        max_moves=max_moves,
        truth=truth,
        any_rules=any_rules,
        record=record,
    )
    player = load_player(spec, agent)
    name = name or player.name
    results = play_alone(spec, name, player, agent, cluster, progress)
    return make_evaluation(spec, name, player, results)


def load_player(spec: EvaluationSpec, agent: Agent | str) -> FixedAgent:
    """Return an agent, given or named, that plays by the rules of a specification."""
    if isinstance(agent, str):
        agent = load_agent(agent, spec.game, spec.rules, spec.seed, spec.any_rules)
    return FixedAgent(agent)


def play_agent(
    spec: EvaluationSpec, name: str, agent: FixedAgent, progress: Progress | None = None
) -> EpisodeResults:
    """Let an agent, which tables call by ``name``, play alone what a specification says."""
    return play_deals(
        spec.game,
        spec.rules,
        agent,
        spec.seeds,
        max_moves=spec.max_moves,
        key=derive_key(spec.key, name),
        progress=progress,
        record=record_deals(spec, name),
    )


def play_alone(
    spec: EvaluationSpec,
    name: str,
    agent: FixedAgent,
    given: Agent | str,
    cluster: Cluster | None,
    progress: Progress | None,
) -> EpisodeResults:
    """Let an agent play by `play_agent`, in parts where ``cluster`` says; it was named ``given``.

    Raises ValueError for a person who is to play on a cluster.
    """
    if cluster is not None:
        refuse_people([agent])
    return play_parts(play_agent, spec, (name, agent), name, [given], cluster, progress)


def refuse_people(agents: Sequence[FixedAgent]) -> None:
    """Raise ValueError for a person among those who are to play on a cluster."""
    for agent in agents:
        if is_person(agent):
            raise ValueError(
                f"agent {agent.name!r} plays here: leave out --jobs, --backend and --address"
            )


def make_evaluation(
    spec: EvaluationSpec, name: str, agent: FixedAgent, results: EpisodeResults
) -> Evaluation:
    """Return what an agent's results say.

    Raises `truth.Contradiction` if a deal is won that is labelled not winnable.
    """
    if spec.labels is not None:
        check_against_labels(spec.labels, results.facts, spec.first, name)
    looks_ahead = agent.lookahead_config is not None
    return Evaluation(spec, name, agent.sees_all, looks_ahead, results, agent.other_rules)
