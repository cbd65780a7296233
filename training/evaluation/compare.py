"""Comparison: several agents on the same deals, deal by deal, by one or more sets of rules."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from parlour.agents.registry import Agent, FixedAgent, fix_agent, load_agent
from parlour.envs import Game
from parlour.envs import game as game_named
from parlour.envs.core.keys import new_key

from .evaluate import (
    DEALS,
    MAX_MOVES,
    Evaluation,
    Progress,
    check_numbers,
    check_player_count,
    evaluate,
)
from .labels import Labels
from .stats import CONFIDENCE, Estimate, difference
from .terminal import as_line

T = TypeVar("T")
ProgressFactory = Callable[[str, str], Progress | None]
"""Called with agent and variant before they play; returns what is called as deals end."""


class Difference(NamedTuple):
    """How much better ``agent`` did than ``minus`` on the same deals: means of goal and score.

    ``goal`` is the game's (see `Game`), ``"won"`` in most; ``reached`` is the difference in it.
    """

    variant: str
    agent: str
    minus: str
    goal: str
    reached: Estimate
    score: Estimate

    def summary(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        named = {"variant": self.variant, "agent": self.agent, "minus": self.minus}
        return named | {self.goal: self.reached._asdict(), "score": self.score._asdict()}


@dataclass(frozen=True, eq=False)
class Comparison:
    """What several agents made of the same deals: by variant, then in the order they were given."""

    evaluations: list[Evaluation]

    @property
    def variants(self) -> dict[str, list[Evaluation]]:
        """The evaluations of each variant."""
        found: dict[str, list[Evaluation]] = {}
        for one in self.evaluations:
            found.setdefault(one.variant, []).append(one)
        return found

    @cached_property
    def differences(self) -> list[Difference]:
        """The paired differences of all agents, each less those given before it.

        Neighbours come first: of a, b and c they are b - a, c - b, then c - a.
        """
        return [
            _difference(variant, one, other)
            for variant, group in self.variants.items()
            for one, other in pairs(group)
        ]

    def summary(self) -> dict[str, Any]:
        """Return all of it as JSON has it: ``{"results": [...], "differences": [...]}``."""
        return {
            "results": [one.summary() for one in self.evaluations],
            "differences": [one.summary() for one in self.differences],
        }


def compare(
    game: Game | str,
    agents: Sequence[Agent | str],
    *,
    variants: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    bank: str | None = None,
    first: int = 0,
    seed: int = 0,
    max_moves: int | None = MAX_MOVES,
    confidence: float = CONFIDENCE,
    report: ProgressFactory | None = None,
    finished: list[Evaluation] | None = None,
    truth: Labels | Path | str | None = None,
    key: str | None = None,
) -> Comparison:
    """Let each agent play the same deals by each variant (None: the game's default).

    The keywords are those of `evaluate`; what each agent draws comes from ``key`` and its name, so
    none learns from another what a seed stands for. ``finished``, a list of one's own, gets each
    evaluation as it ends, so that they are there if an agent fails later. Raises ValueError before
    any game is played if an agent cannot play one of the variants, or something is unknown or out
    of range.
    """
    game = game_named(game) if isinstance(game, str) else game
    check_numbers(deals, seed, max_moves)
    found = [] if finished is None else finished
    key = new_key() if key is None else key
    for variant, (_, players) in load_agents(game, agents, variants, options, seed).items():
        for name, player in players.items():
            one = evaluate(
                game,
                player,
                variant=variant,
                options=options,
                deals=deals,
                bank=bank,
                first=first,
                seed=seed,
                max_moves=max_moves,
                confidence=confidence,
                progress=report(name, variant) if report else None,
                truth=truth,
                key=key,
                name=name,
            )
            found.append(one)
    return Comparison(list(found))


def load_agents(
    game: Game,
    agents: Sequence[Agent | str],
    variants: Sequence[str] | None,
    options: Mapping[str, Any] | None,
    seed: int,
    several: bool = False,
) -> dict[str, tuple[Any, dict[str, FixedAgent]]]:
    """Return, by variant, the rules and the agents that play them, by names that tell them apart.

    All agents are loaded. Raises ValueError for rules that are not for one player, or with
    ``several`` for those that are.
    """
    if not agents:
        raise ValueError("agents: give at least one")
    known: dict[Any, str] = {}
    found = {}
    for variant in variants or [game.default]:
        rules = game.make_rules(variant, options)
        if rules in known:
            raise ValueError(f"variants {known[rules]!r} and {variant!r} are the same rules here")
        known[rules] = variant
        check_player_count(game, rules, variant, several)
        players = [
            fix_agent(load_agent(one, game, rules, seed) if isinstance(one, str) else one)
            for one in agents
        ]
        found[variant] = rules, dict(zip(_names(players, agents), players, strict=True))
    return found


def _names(players: Sequence[Agent], given: Sequence[Agent | str]) -> list[str]:
    """A name for each agent: its own, with its path or a number where two have the same."""
    names = [player.name for player in players]
    found = list(names)
    for i, spec in enumerate(given):
        if names.count(names[i]) > 1 and spec != names[i] and isinstance(spec, str):
            found[i] = f"{names[i]} ({as_line(spec)})"
    return number_names(found)


def number_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return names of which no two are the same, nor one of ``taken``: later ones get a number."""
    known, found = set(taken), []
    for name in names:
        numbered = (f"{name} #{number}" for number in count(2))
        free = next(one for one in chain([name], numbered) if one not in known)
        known.add(free)
        found.append(free)
    return found


def pairs(group: Sequence[T]) -> Iterator[tuple[T, T]]:
    """Yield all pairs, the later one first; neighbours come before those farther apart."""
    for apart in range(1, len(group)):
        for i in range(apart, len(group)):
            yield group[i], group[i - apart]


def _difference(variant: str, one: Evaluation, other: Evaluation) -> Difference:
    facts, others = one.results.facts, other.results.facts
    goal = one.game.goal_name(one.rules)
    reached, score = (difference(facts[f], others[f], one.confidence) for f in (goal, "score"))
    return Difference(variant, one.agent, other.agent, goal, reached, score)
