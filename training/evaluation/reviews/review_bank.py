"""An agent reviewed over a bank: loss per decision, by kind of action and phase, and the worst."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.registry import Agent, FixedAgent
from parlour.envs import Game, find_game
from parlour.envs.core.game import digest16
from parlour.envs.core.kernel.rng import derive_key
from parlour.envs.core.upper_bound import deal_position

from ...parallel.task_cache import run_kept
from ...parallel.tasks import Cluster
from ..evaluate import load_player, refuse_people
from ..labels.truth import NO_LABELS
from ..parts import digest_given
from ..play_steps import Progress, play_deal
from ..result import Presented
from ..spec import EvaluationSpec, make_specs
from ..stats import Estimate, bootstrap_mean
from .review import PHASES, Review, review_deal
from .review_arrays import make_packing
from .review_judges import WORLDS, Judge, PlayOutJudge, check_seat, describe_judge, make_judge

DEALS = 100
"""Deals that are reviewed, where no number is named."""
CHUNK = 5
"""Of one part, where several are reviewed side by side."""
WORST = 10
"""Decisions that are named."""


@dataclass(frozen=True, eq=False, repr=False)
class BankReview(Presented):
    """The reviews of an agent's games on deals of a bank, in the order of the deals.

    ``to_pandas()`` has a row for each decision of each; ``save(folder)`` as `Review` has it.
    """

    spec: EvaluationSpec
    agent: str
    reviews: list[Review]
    lost_from: int | None = None
    """Of how many deals these are the first, or all, of those lost though winnable; None: they are
    those that the specification names (see `review_lost`)."""
    report = "review_report"

    def headline(self) -> str:
        """See `Presented.headline`."""
        n, lost = len(self.reviews), self.number_text(self.estimates["loss"].mean)
        where = f"{self.game.name}, {self.spec.variant}, bank {self.spec.bank}"
        which = "deals" if self.lost_from is None else "deals lost though winnable"
        return f"{where}: {self.agent}, {n} {which}, {lost} lost a deal"

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.spec.game

    @property
    def judge(self) -> Judge:
        """By whom the decisions were judged."""
        return self.reviews[0].judge

    def number_text(self, value: float, sign: bool = False) -> str:
        """Write a chance, a value or a loss: see `Review.number_text`."""
        return self.reviews[0].number_text(value, sign)

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """The mean over deals of each of `Review.totals`, with a bootstrap interval."""
        totals = [one.totals() for one in self.reviews if len(one.actions)]
        return {
            name: bootstrap_mean(np.array([one[name] for one in totals]), self.spec.confidence)
            for name in totals[0]
        }

    @property
    def winnable(self) -> int | None:
        """Deals that could be won from the start; None without a truth."""
        truths = [one.truths[0] for one in self.reviews if one.truths is not None]
        return int(sum(truth == 1 for truth in truths)) if truths else None

    @property
    def thrown(self) -> int | None:
        """Deals that could be won, and were thrown away; None without a truth."""
        if self.winnable is None:
            return None
        return sum(bool(one.threw_away.any()) for one in self.reviews)

    @cached_property
    def by_kind(self) -> list[dict[str, Any]]:
        """The choices of each kind of action taken: see `_group`; the costliest kinds first."""
        kinds = np.concatenate([one.kinds for one in self.reviews])
        groups = [self._group(kind, kinds == kind) for kind in np.unique(kinds)]
        found = [group for group in groups if group["decisions"]]
        return sorted(found, key=lambda group: -group["loss_a_deal"])

    @cached_property
    def by_phase(self) -> list[dict[str, Any]]:
        """The choices in each third of the games: see `_group`."""
        phases = np.concatenate([one.phases for one in self.reviews])
        return [self._group(phase, phases == phase) for phase in PHASES]

    def _group(self, name: str, which: np.ndarray) -> dict[str, Any]:
        """Some decisions, of those with a choice: how many, what they lost, deals thrown away."""
        some = which & self._joined("choices")
        losses = self._joined("losses")[some]
        return {
            "name": str(name),
            "decisions": int(some.sum()),
            "loss": float(losses.mean()) if len(losses) else 0.0,
            "loss_a_deal": float(losses.sum() / len(self.reviews)),
            "lossy": float((losses > 0).mean()) if len(losses) else 0.0,
            "threw_away": int(self._joined("threw_away")[which].sum()),
        }

    def _joined(self, name: str) -> np.ndarray:
        return np.concatenate([getattr(one, name) for one in self.reviews])

    @cached_property
    def worst(self) -> list[tuple[Review, int]]:
        """The decisions that lost most, at most `WORST`: the review, and which of it."""
        losses = self._joined("losses")
        sizes = [len(one.actions) for one in self.reviews]
        places = [(one, i) for one, n in zip(self.reviews, sizes, strict=True) for i in range(n)]
        order = np.argsort(-losses, kind="stable")[:WORST]
        return [places[row] for row in order if losses[row] > 0]

    def summary(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            **self.spec.rules_summary(),
            "agent": self.agent,
            "bank": self.spec.bank,
            "first": self.spec.first,
            "deals": len(self.reviews),
            "lost_though_winnable": self.lost_from,
            "key": self.spec.key,
            **describe_judge(self.judge),
            "winnable": self.winnable,
            "threw_away": self.thrown,
            **{name: found._asdict() for name, found in self.estimates.items()},
            "by_kind": self.by_kind,
            "by_phase": self.by_phase,
            "worst": [{"deal": one.deal, **one.decisions()[i]} for one, i in self.worst],
        }


def review_spec(
    spec: EvaluationSpec,
    agent: Any,
    judge: Judge,
    *,
    seat: int = 0,
    field: Sequence[Any] = ("greedy",),
    progress: Callable[[str], Progress | None] | None = None,
    finished: list[Review] | None = None,
    cluster: Cluster | None = None,
) -> BankReview:
    """Let an agent play what a specification says, and review each of its games.

    ``field`` plays the other seats, taken round. ``progress`` is called with the agent's name, and
    what it returns as deals are done. ``finished``, a list of one's own, gets the reviews that are
    done, in the order of the deals: what is in it stays if the rest is stopped. ``cluster`` reviews
    parts of the deals side by side (None: this process does). Raises as `evaluate.evaluate` does.
    """
    check_seat(judge, seat)
    first = load_player(spec, agent)
    others = [load_player(spec, one) for one in field]
    around = [others[i % len(others)] for i in range(spec.num_players - 1)]
    seated = [*around[len(around) - seat :], first, *around[: len(around) - seat]]
    update = progress(first.name) if progress else None
    found = [] if finished is None else finished
    part = ReviewPart(spec, tuple(spec.numbers.tolist()), seated, seat, judge)
    review_parts(part, [agent, *field], found, cluster, update)
    return BankReview(spec, first.name, list(found))


class ReviewPart(NamedTuple):
    """Deals of a specification that are reviewed in one go; ``agents`` are those in the seats."""

    spec: EvaluationSpec
    deals: tuple[int, ...]
    agents: Sequence[FixedAgent]
    seat: int
    judge: Judge


def review_parts(
    whole: ReviewPart,
    given: Sequence[Agent | str],
    found: list[Review],
    cluster: Cluster | None = None,
    update: Progress | None = None,
    check: Callable[[int, Review], None] | None = None,
) -> None:
    """Review deals, each in turn or, in parts, where a cluster says; ``found`` gets the reviews.

    ``given`` are the agents as they were named; ``check`` is called with the place of a deal among
    all and its review. Of work that is stopped, ``found`` has what was done. Raises ValueError for
    a person who is to play on a cluster.
    """
    size = 1 if cluster is None else CHUNK
    parts = [
        whole._replace(deals=whole.deals[i : i + size]) for i in range(0, len(whole.deals), size)
    ]
    done: Iterator[tuple[int, list[Review]]] = enumerate(map(review_part, parts))
    if cluster is not None:
        refuse_people(whole.agents)
        done = _review_on(cluster, parts, given)
    reviews = {}
    try:
        for number, some in done:
            for place, one in enumerate(some, number * size):
                if check is not None:
                    check(place, one)
                reviews[place] = one
            if update is not None:
                update(len(some))
    finally:
        found += [reviews[place] for place in sorted(reviews)]


def review_part(part: ReviewPart) -> list[Review]:
    """Review some deals."""
    spec, deals, agents, seat, judge = part
    return [review_numbered(spec, deal, agents, seat, judge) for deal in deals]


def _review_on(
    cluster: Cluster, parts: Sequence[ReviewPart], given: Sequence[Agent | str]
) -> Iterator[tuple[int, list[Review]]]:
    """Review parts where a cluster says; yield the number and the reviews of each as it is done."""
    spec, _, agents, seat, judge = parts[0]
    told = (describe_judge(judge), seat, [agent.name for agent in agents])
    players = [judge.given] if isinstance(judge, PlayOutJudge) else []
    same = digest_given(spec, "review", [*given, *players]), told
    numbers = {digest16(same, part.deals): i for i, part in enumerate(parts)}
    named = dict(zip(numbers, parts, strict=True))
    for name, some in run_kept(review_part, named, cluster, make_packing(judge)):
        yield numbers[name], some


def review_bank(
    game: Game | str,
    agent: Any = "greedy",
    *,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    bank: str | None = None,
    first: int = 0,
    key: str | None = None,
    worlds: int = WORLDS,
    seed: int = 0,
    player: Any = None,
    any_rules: bool = False,
    **how: Any,
) -> BankReview:
    """Let an agent play deals of a bank, and review each of its games; the others are greedy.

    ``variant`` to ``first``, ``key`` and ``any_rules`` are those of `evaluate.evaluate`,
    ``worlds``, ``seed`` and ``player`` those of `review.review_game`; ``how`` goes to
    `review_spec`. Raises ValueError naming what is unknown or out of range.
    """
    game = find_game(game) if isinstance(game, str) else game
    several = game.num_players(game.make_rules(variant, options)) > 1
    spec = make_review_spec(
        game,
        variant,
        options,
        several=several,
        deals=deals,
        bank=bank,
        first=first,
        key=key,
        any_rules=any_rules,
    )
    return review_spec(spec, agent, make_judge(game, spec.rules, worlds, seed, player), **how)


def make_review_spec(
    game: Game, variant: str | None, options: Mapping[str, Any] | None, **given: Any
) -> EvaluationSpec:
    """Return what is played: see `spec.make_specs`, of which ``given`` are keywords.

    The truth is found anew for each game, so no labels are looked for. One deal is enough.
    """
    variants = None if variant is None else [variant]
    one = given["several"] and given["deals"] == 1
    (spec,) = make_specs(
        game, variants, options, **given | {"deals": 2 if one else given["deals"]}, truth=NO_LABELS
    )
    return replace(spec, deals=1) if one else spec


def review_numbered(
    spec: EvaluationSpec, deal: int, agents: Sequence[FixedAgent], seat: int, judge: Judge
) -> Review:
    """Play one deal, with the draws that it has in an evaluation by the same key, and review it."""
    game, rules, name = spec.game, spec.rules, agents[seat].name
    state, limit = deal_position(game, rules, spec.bank, deal), spec.max_moves or 0
    actions = play_deal(game, rules, state, agents, derive_key(spec.key, name), limit)
    given: dict[str, Any] = {"bank": spec.bank, "agent": name, "max_moves": limit}
    return review_deal(judge, deal, actions, seat=seat, **given)
