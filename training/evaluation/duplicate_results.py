"""What came of matches at tables of several seats: means, differences, summaries.

The unit of replication is the deal: its value is the mean over all seats, or at one position that
of one seat. A position is counted from the dealer's left, since that, not the number of the seat,
is what matters: the first of n positions is the first to act in every round, the last is the
dealer. In a game without a dealer positions are seats. Nets are counted in the game's unit (such as
antes) a hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.registry import Agent
from parlour.envs import Game
from parlour.envs.core.deals import bank_seeds
from parlour.envs.core.options import to_plain

from .compare import pairs
from .duplicate_play import DuplicateResults, play_duplicate
from .evaluate import Progress
from .stats import Estimate, TestedMean, student_mean, student_means

DEALER = "dealer"
"""What the last position is called, where a seat deals."""


class DuplicateSpec(NamedTuple):
    """What is played: deals ``first`` .. ``first + deals - 1`` of a bank, by one set of rules.

    With several ``hands`` each deal is a session of so many (see `hands.hand_seeds`). ``variant``
    names the rules; ``seed`` is that of the agents' own random choices, ``key`` the secret that
    all draws come from.
    """

    game: Game
    rules: Any
    variant: str
    bank: str
    first: int
    deals: int
    hands: int
    seed: int
    key: str
    confidence: float

    @property
    def players(self) -> int:
        """How many seats there are."""
        return self.game.num_players(self.rules)

    @property
    def unit(self) -> float:
        """The chips of one unit."""
        return self.game.reward_unit(self.rules)

    @property
    def unit_name(self) -> str:
        """What nets are counted in."""
        return "antes" if hasattr(self.rules, "ante") else "stakes"

    def play(
        self, agent: Agent, field: Sequence[Agent], key: str, progress: Progress | None
    ) -> DuplicateResults:
        """Let an agent play all deals from every seat; the field's order shifts with the deal."""
        numbers = range(self.first, self.first + self.deals)
        return play_duplicate(
            self.game,
            self.rules,
            agent,
            field,
            bank_seeds(self.bank, numbers),
            order=np.array(numbers),
            hands=self.hands,
            key=key,
            progress=progress,
        )

    def summary(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "game": self.game.name,
            "variant": self.variant,
            "rules": to_plain(self.rules),
            "rules_digest": self.game.rules_digest(self.rules),
            "bank": self.bank,
            "first": self.first,
            "hands": self.hands,
            "seed": self.seed,
            "key": self.key,
            "confidence": self.confidence,
            "unit": self.unit_name,
        }


@dataclass(frozen=True, eq=False)
class Match:
    """How an agent did, in every seat of the same deals, with others in the other seats.

    ``field`` names the others, those that see hidden cards with `evaluate.SEES_ALL`; in a ``pair``
    it is one agent in all of them. ``looks_ahead``: a saved agent that does not play by its policy.
    """

    setting: DuplicateSpec
    agent: str
    sees_all: bool
    looks_ahead: bool
    field: tuple[str, ...]
    pair: bool
    results: DuplicateResults

    @property
    def deals(self) -> np.ndarray:
        """The numbers of the deals in their bank, int64 (n,)."""
        return np.arange(self.setting.first, self.setting.first + self.setting.deals)

    @cached_property
    def nets(self) -> np.ndarray:
        """The net of each deal at each position, in units a hand, float64 (n, players)."""
        return np.asarray(self.results.nets / (self.results.hands * self.setting.unit))

    @cached_property
    def net(self) -> Estimate:
        """The mean net over all seats."""
        return student_mean(self.nets.mean(axis=1), self.setting.confidence)

    @cached_property
    def by_position(self) -> list[Estimate]:
        """The mean net at each position."""
        return [student_mean(column, self.setting.confidence) for column in self.nets.T]

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """The mean of each fact a hand: of ``won`` and other facts of yes or no a share."""
        return {
            name: student_mean(values.mean(axis=1) / self.results.hands, self.setting.confidence)
            for name, values in self.results.facts.items()
        }

    def summary(self) -> dict[str, Any]:
        """Return all of it as JSON has it: an ``{"mean", "low", "high", "n"}`` for each fact."""
        return {
            **self.setting.summary(),
            "agent": self.agent,
            "sees_all": self.sees_all,
            "looks_ahead": self.looks_ahead,
            "field": list(self.field),
            "net": self.net._asdict(),
            "positions": [one._asdict() for one in self.by_position],
            **{name: found._asdict() for name, found in self.estimates.items()},
            "ms_per_decision": self.results.milliseconds,
        }


class DuplicateDifference(NamedTuple):
    """How much more ``agent`` won than ``minus``, in the same seats of the same deals and field.

    ``net`` is the mean over all seats; ``positions`` has each single one, corrected for their
    number by Holm's method.
    """

    variant: str
    agent: str
    minus: str
    net: Estimate
    positions: list[TestedMean]

    @property
    def below(self) -> list[int]:
        """The positions, from 1, at which it lies wholly below 0 after the correction."""
        return [place for place, one in enumerate(self.positions, 1) if one.holm.high < 0]

    @property
    def above(self) -> list[int]:
        """The positions, from 1, at which it lies wholly above 0 after the correction."""
        return [place for place, one in enumerate(self.positions, 1) if one.holm.low > 0]

    def summary(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "variant": self.variant,
            "agent": self.agent,
            "minus": self.minus,
            "net": self.net._asdict(),
            "positions": [
                one.own._asdict()
                | {"holm": {"low": one.holm.low, "high": one.holm.high, "p": one.p}}
                for one in self.positions
            ],
            "below": self.below,
            "above": self.above,
        }


@dataclass(frozen=True, eq=False)
class DuplicateComparison:
    """What agents did in one field, and each among seats that were all played by one other."""

    matches: list[Match]

    @cached_property
    def variants(self) -> dict[str, list[Match]]:
        """The matches in the field, by variant, in the order of the agents."""
        return {
            variant: [one for one in self._of(variant) if not one.pair]
            for variant in dict.fromkeys(one.setting.variant for one in self.matches)
        }

    def pairs(self, variant: str) -> dict[tuple[str, str], Match]:
        """Return the matches of an agent among seats all played by another, by their names."""
        return {(one.agent, one.field[0]): one for one in self._of(variant) if one.pair}

    def _of(self, variant: str) -> list[Match]:
        return [one for one in self.matches if one.setting.variant == variant]

    @cached_property
    def differences(self) -> list[DuplicateDifference]:
        """The paired differences in the field of all agents, each less those given before it.

        Neighbours come first: of a, b and c they are b - a, c - b, then c - a.
        """
        return [
            DuplicateDifference(
                one.setting.variant,
                one.agent,
                other.agent,
                student_mean((one.nets - other.nets).mean(axis=1), one.setting.confidence),
                student_means(one.nets - other.nets, one.setting.confidence),
            )
            for group in self.variants.values()
            for one, other in pairs(group)
        ]

    def summary(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            "results": [one.summary() for one in self.matches if not one.pair],
            "pairs": [one.summary() for one in self.matches if one.pair],
            "differences": [one.summary() for one in self.differences],
        }


def per_hand(setting: DuplicateSpec) -> str:
    """Return what nets are counted in, as headings have it."""
    return f"{setting.unit_name} a {'hand' if setting.game.has_dealer else 'game'}"


def position_names(setting: DuplicateSpec) -> list[str]:
    """Return what positions are called: by number, the last one dealer."""
    names = [str(place) for place in range(1, setting.players + 1)]
    return [*names[:-1], DEALER] if setting.game.has_dealer else names
