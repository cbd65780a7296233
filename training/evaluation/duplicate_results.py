"""What came of matches at tables of several seats: means, differences, summaries.

The unit of replication is the deal: its value is the mean over all seats, or at one position that
of one seat. A position is counted from the dealer's left, since that, not the number of the seat,
is what matters: the first of n positions is the first to act in every round, the last is the
dealer. In a game without a dealer positions are seats. Nets are counted in the game's unit (such as
antes) a hand.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .compare import ordered_pairs
from .duplicate_play import DuplicateResults
from .result import Presented
from .spec import EvaluationSpec
from .stats import Estimate, TestedMean, student_mean, student_means

DEALER = "dealer"
"""What the last position is called, where a seat deals."""


@dataclass(frozen=True, eq=False, repr=False)
class DuplicateEvaluation(Presented):
    """How an agent did, in every seat of the same deals, with others in the other seats."""

    spec: EvaluationSpec
    agent: str
    """Its name in tables."""
    sees_all: bool
    looks_ahead: bool
    """Whether it is a saved agent that does not play by its policy."""
    field: tuple[str, ...]
    """The names of the others, marked as in tables: `evaluate.SEES_ALL`, `evaluate.OTHER_RULES`."""
    pair: bool
    """Whether one other agent sits in all other seats, for the table of pairs."""
    results: DuplicateResults
    other_rules: bool = False
    """Whether it was trained by other rules than those played."""
    partner: str | None = None
    """The name of who has the other seats of its side; None: it has them, too."""
    report = "duplicate_report"

    def headline(self) -> str:
        """See `Presented.headline`."""
        spec = self.spec
        played = f"{spec.game.name}, {spec.variant}, {spec.deals_text}"
        among, net = ", ".join(self.field), f"{self.net.text()} {per_hand(spec)}"
        return f"{played}: {self.agent} among {among}, {net}"

    @property
    def deals(self) -> np.ndarray:
        """The numbers of the deals in their bank, int64 (n,)."""
        return self.spec.numbers

    @cached_property
    def nets(self) -> np.ndarray:
        """The net of each deal at each position, in units a hand, float64 (n, players)."""
        return np.asarray(self.results.nets / (self.results.hands * unit_chips(self.spec)))

    @cached_property
    def net(self) -> Estimate:
        """The mean net over all seats."""
        return student_mean(self.nets.mean(axis=1), self.spec.confidence)

    @cached_property
    def position_means(self) -> list[Estimate]:
        """The mean net at each position."""
        return [student_mean(column, self.spec.confidence) for column in self.nets.T]

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """The mean of each fact a hand: of ``won`` and other facts of yes or no a share."""
        return {
            name: student_mean(values.mean(axis=1) / self.results.hands, self.spec.confidence)
            for name, values in self.results.facts.items()
        }

    def summary(self) -> dict[str, Any]:
        """Return all of it as JSON has it: an ``{"mean", "low", "high", "n"}`` for each fact."""
        spec = self.spec
        return {
            **spec.rules_summary(),
            "bank": spec.bank,
            "first": spec.first,
            "hands": spec.hands,
            "seed": spec.seed,
            "key": spec.key,
            "confidence": spec.confidence,
            "unit": unit_name(spec),
            "agent": self.agent,
            "sees_all": self.sees_all,
            "looks_ahead": self.looks_ahead,
            "other_rules": self.other_rules,
            "field": list(self.field),
            "partner": self.partner,
            "net": self.net._asdict(),
            "positions": [one._asdict() for one in self.position_means],
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


@dataclass(frozen=True, eq=False, repr=False)
class DuplicateComparison(Presented):
    """What agents did in one field, and each among seats that were all played by one other."""

    matches: list[DuplicateEvaluation]
    report = "duplicate_report"

    def headline(self) -> str:
        """See `Presented.headline`."""
        spec, names = self.matches[0].spec, (one.agent for one in self.matches)
        who, variants = ", ".join(dict.fromkeys(names)), ", ".join(self.variants)
        return f"{spec.game.name}, {variants}, {spec.deals_text}: {who}"

    @cached_property
    def variants(self) -> dict[str, list[DuplicateEvaluation]]:
        """The matches in the field, by variant, in the order of the agents."""
        return {
            variant: [one for one in self._of(variant) if not one.pair]
            for variant in dict.fromkeys(one.spec.variant for one in self.matches)
        }

    def pairs(self, variant: str) -> dict[tuple[str, str], DuplicateEvaluation]:
        """Return the matches of an agent among seats all played by another, by their names."""
        return {(one.agent, one.field[0]): one for one in self._of(variant) if one.pair}

    def _of(self, variant: str) -> list[DuplicateEvaluation]:
        return [one for one in self.matches if one.spec.variant == variant]

    @cached_property
    def differences(self) -> list[DuplicateDifference]:
        """The paired differences in the field of all agents, each less those given before it.

        Neighbours come first: of a, b and c they are b - a, c - b, then c - a.
        """
        return [
            DuplicateDifference(
                one.spec.variant,
                one.agent,
                other.agent,
                student_mean((one.nets - other.nets).mean(axis=1), one.spec.confidence),
                student_means(one.nets - other.nets, one.spec.confidence),
            )
            for group in self.variants.values()
            for one, other in ordered_pairs(group)
        ]

    def summary(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            "results": [one.summary() for one in self.matches if not one.pair],
            "pairs": [one.summary() for one in self.matches if one.pair],
            "differences": [one.summary() for one in self.differences],
        }


def as_comparison(found: DuplicateComparison | DuplicateEvaluation) -> DuplicateComparison:
    """Return what can be shown as a comparison: a match as one of a single agent."""
    if isinstance(found, DuplicateComparison):
        return found
    return DuplicateComparison([replace(found, pair=False)])


def unit_chips(spec: EvaluationSpec) -> float:
    """Return the chips of one unit, in which nets are counted."""
    return spec.game.reward_unit(spec.rules)


def unit_name(spec: EvaluationSpec) -> str:
    """Return what that unit is called."""
    return "antes" if hasattr(spec.rules, "ante") else "stakes"


def per_hand(spec: EvaluationSpec) -> str:
    """Return what nets are counted in, as headings have it."""
    return f"{unit_name(spec)} a {'hand' if spec.game.has_dealer else 'game'}"


def position_names(spec: EvaluationSpec) -> list[str]:
    """Return what positions are called: by number, the last one dealer."""
    names = [str(place) for place in range(1, spec.num_players + 1)]
    return [*names[:-1], DEALER] if spec.game.has_dealer else names
