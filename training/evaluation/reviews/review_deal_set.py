"""Reviews of an agent over a deal set, with losses by kind of action and by phase."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import hypot
from typing import Any, NamedTuple

import numpy as np

from parlour.agents.registry import Agent, FixedAgent
from parlour.envs import Game, find_game
from parlour.envs.core.contract import UNDECIDED, WINNABLE
from parlour.envs.core.game import digest16
from parlour.envs.core.kernel.rng import derive_key
from parlour.envs.core.solve import deal_position

from ...parallel.tasks import Cluster, Packing, run_cached
from ..evaluation_spec import EvaluationSpec, is_for_several, make_specs
from ..labels.labels import NO_LABELS, find_labels
from ..lineups import digest_given, refuse_people
from ..play import Progress, play_deal
from ..result import Result
from ..stats import CONFIDENCE, Estimate, bootstrap_mean, student_mean
from .review import PHASES, Review, review_deal
from .review_judges import (
    WORLDS,
    Judge,
    Judged,
    PlayOutJudge,
    check_seat,
    describe_judge,
    make_judge,
)

DEALS = 100
"""Default number of deals that are reviewed."""
CHUNK = 5
"""Number of deals of one chunk, for parallel reviews."""
WORST = 10
"""Most decisions that the list of worst decisions has."""
COUNT, FACT = "reviews", "fact."
FIELDS = (
    *("deal", "agent", "seat", "steps", "actions", "played", "outcome", "open_values", "points"),
    "positions",
)
"""The fields of a review that are packed as one array each, without those that are None."""


@dataclass(frozen=True, eq=False, repr=False)
class DealSetReview(Result):
    """Reviews of an agent's games on deals of a deal set, in the order of the deals.

    ``to_pandas()`` has a row for each decision of each game; for ``save(folder)`` see `Review`.
    """

    spec: EvaluationSpec
    agent: str
    reviews: list[Review]
    lost_from: int | None = None
    """Only in a result of `review_lost`: the number of winnable deals that the agent lost. The
    reviews cover the first ``len(reviews)`` of them. None: the reviews cover all deals of the
    specification."""
    report = "parlour.training.evaluation.reviews.review_report"

    def headline(self) -> str:
        """Return game, variant, deal set, agent, number of games, and mean loss on one line."""
        n, lost = len(self.reviews), self.number_text(self.estimates["loss"].mean)
        where = f"{self.game.name}, {self.spec.variant}, deal set {self.spec.deal_set}"
        which = "deals" if self.lost_from is None else "winnable deals that were lost"
        return f"{where}: {self.agent}, {n} {which}, {lost} lost per deal"

    @property
    def game(self) -> Game:
        """The game that was played."""
        return self.spec.game

    @property
    def judge(self) -> Judge:
        """The judge, which estimates the values of the actions; see `Review.judge`."""
        return self.reviews[0].judge

    def number_text(self, value: float, sign: bool = False) -> str:
        """Return a chance, value, or loss as text; see `Review.number_text`."""
        return self.reviews[0].number_text(value, sign)

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """The mean over deals of each term of `Review.totals`, with a bootstrap interval."""
        totals = [one.totals() for one in self.reviews if len(one.actions)]
        return {
            name: bootstrap_mean(np.array([one[name] for one in totals]), self.spec.confidence)
            for name in totals[0]
        }

    @cached_property
    def luck_corrected(self) -> Estimate | None:
        """The share of random deals that the agent wins, without the luck of the reviewed deals.

        See `correct_luck`. None without an exact solver, or without solver labels of other deals of
        the deal set; also for a review of lost deals, and if a game has no outcome.
        """
        totals = [one.totals() for one in self.reviews]
        if self.lost_from is not None or not self.judge.exact or len(totals) < 2:
            return None
        labels = find_labels(self.game, self.spec.rules, self.spec.deal_set)
        if labels is None or (labels.winnable == UNDECIDED).any():
            return None
        if any(one["luck"] is None or one["first_chance"] is None for one in totals):
            return None
        lost = np.array([float(one["loss"] or 0) + float(one["unseen"] or 0) for one in totals])
        return correct_luck(lost, labels.winnable == WINNABLE, self.spec.confidence)

    @property
    def winnable(self) -> int | None:
        """The number of winnable deals; None without a solver."""
        open_values = [one.open_values[0] for one in self.reviews if one.open_values is not None]
        return int(sum(value == 1 for value in open_values)) if open_values else None

    @property
    def made_unwinnable(self) -> int | None:
        """The number of winnable deals that the agent made unwinnable; None without a solver."""
        if self.winnable is None:
            return None
        return sum(bool(one.made_unwinnable.any()) for one in self.reviews)

    @cached_property
    def by_kind(self) -> list[dict[str, Any]]:
        """Statistics of the choices by kind of action, largest loss first.

        A choice is a decision with more than one legal action. Each dictionary has ``name``,
        ``decisions`` (number of choices), ``loss`` (mean loss of a choice), ``loss_a_deal`` (sum of
        the losses, divided by the number of deals), ``lossy`` (share of choices with a loss), and
        ``made_unwinnable`` (number of deals made unwinnable).
        """
        kinds = np.concatenate([one.kinds for one in self.reviews])
        groups = [self._group(kind, kinds == kind) for kind in np.unique(kinds)]
        used = [group for group in groups if group["decisions"]]
        return sorted(used, key=lambda group: -group["loss_a_deal"])

    @cached_property
    def by_phase(self) -> list[dict[str, Any]]:
        """Statistics of the choices in each third of the game; see `by_kind`."""
        phases = np.concatenate([one.phases for one in self.reviews])
        return [self._group(phase, phases == phase) for phase in PHASES]

    def _group(self, name: str, which: np.ndarray) -> dict[str, Any]:
        """Return counts, losses, and deals made unwinnable by the selected decisions."""
        chosen = which & self._joined("choices")
        losses = self._joined("losses")[chosen]
        return {
            "name": str(name),
            "decisions": int(chosen.sum()),
            "loss": float(losses.mean()) if len(losses) else 0.0,
            "loss_a_deal": float(losses.sum() / len(self.reviews)),
            "lossy": float((losses > 0).mean()) if len(losses) else 0.0,
            "made_unwinnable": int(self._joined("made_unwinnable")[which].sum()),
        }

    def _joined(self, name: str) -> np.ndarray:
        return np.concatenate([getattr(one, name) for one in self.reviews])

    @cached_property
    def worst(self) -> list[tuple[Review, int]]:
        """The decisions with the largest losses, at most 10, as pairs of review and index."""
        losses = self._joined("losses")
        sizes = [len(one.actions) for one in self.reviews]
        places = [(one, i) for one, n in zip(self.reviews, sizes, strict=True) for i in range(n)]
        order = np.argsort(-losses, kind="stable")[:WORST]
        return [places[row] for row in order if losses[row] > 0]

    def summary(self) -> dict[str, Any]:
        """Return the review for JSON."""
        return {
            **self.spec.rules_summary(),
            "agent": self.agent,
            "deal_set": self.spec.deal_set,
            "first": self.spec.first,
            "deals": len(self.reviews),
            "lost_though_winnable": self.lost_from,
            "evaluation_seed": self.spec.evaluation_seed,
            **describe_judge(self.judge),
            "winnable": self.winnable,
            "made_unwinnable": self.made_unwinnable,
            **{name: estimate._asdict() for name, estimate in self.estimates.items()},
            "luck_corrected": self.luck_corrected and self.luck_corrected._asdict(),
            "by_kind": self.by_kind,
            "by_phase": self.by_phase,
            "worst": [{"deal": one.deal, **one.decisions()[i]} for one, i in self.worst],
        }


def correct_luck(
    lost: np.ndarray, winnable: np.ndarray, confidence: float = CONFIDENCE
) -> Estimate:
    """Return the share of random deals that an agent wins, from what it lost on some deals.

    For each game, first chance - losses - unseen + luck = outcome. The mean luck is 0, and the mean
    first chance is the share of winnable deals. So that share minus the mean of losses and unseen
    is an unbiased estimate of the mean outcome, as in Burch and others, "AIVAT: a new variance
    reduction technique for agent evaluation in imperfect information games", 2018 (arXiv
    1612.06915). It varies less than the mean outcome if the agent loses little.

    Args:
        lost: Losses and unseen of each game, float64 (n,).
        winnable: Whether each of many deals is winnable, bool (m,). They may include the deals of
            the games, which makes the interval slightly too wide or too narrow if m is not much
            larger than n.
        confidence: The confidence level.
    """
    own, share = student_mean(lost, confidence), student_mean(winnable.astype(float), confidence)
    mean = share.mean - own.mean
    half = hypot(own.high - own.mean, share.high - share.mean)
    return Estimate(mean, mean - half, mean + half, own.n)


def review_spec(
    spec: EvaluationSpec,
    agent: Any,
    judge: Judge,
    *,
    seat: int = 0,
    opponents: Sequence[Any] = ("greedy",),
    progress: Callable[[str], Progress | None] | None = None,
    finished: list[Review] | None = None,
    cluster: Cluster | None = None,
) -> DealSetReview:
    """Play the deals of a specification with an agent, and review each game.

    Args:
        spec: The deals and the rules.
        agent: The agent to review, or its name.
        judge: The judge of the decisions.
        seat: The seat of the agent.
        opponents: The agents in the other seats, repeated in order.
        progress: Takes the agent's name and returns a progress function.
        finished: Receives the reviews in the order of the deals, even if an error stops the work.
        cluster: Reviews chunks of the deals in other processes (None: all in this process).

    Raises:
        ValueError: As `compare.evaluate` does.
    """
    check_seat(judge, seat)
    first = spec.load_agent(agent)
    others = [spec.load_agent(one) for one in opponents]
    around = [others[i % len(others)] for i in range(spec.num_players - 1)]
    seated = [*around[len(around) - seat :], first, *around[: len(around) - seat]]
    update = progress(first.name) if progress else None
    reviews = [] if finished is None else finished
    chunk = ReviewChunk(spec, tuple(spec.numbers.tolist()), seated, seat, judge)
    review_chunks(chunk, [agent, *opponents], reviews, cluster, update)
    return DealSetReview(spec, first.name, list(reviews))


class ReviewChunk(NamedTuple):
    """Deals of a specification that one task reviews; ``agents`` has the agent of each seat."""

    spec: EvaluationSpec
    deals: tuple[int, ...]
    agents: Sequence[FixedAgent]
    seat: int
    judge: Judge


def review_chunks(
    whole: ReviewChunk,
    given: Sequence[Agent | str],
    finished: list[Review],
    cluster: Cluster | None = None,
    update: Progress | None = None,
    check: Callable[[int, Review], None] | None = None,
) -> None:
    """Review deals one after the other, or in chunks on a cluster.

    Args:
        whole: The deals, the agents, and the judge.
        given: The agents as the caller gave them.
        finished: Receives the reviews in the order of the deals; after an error, the finished ones.
        cluster: Reviews the chunks (None: this process).
        update: Called with numbers of reviewed deals.
        check: Called with the index of each deal and its review.

    Raises:
        ValueError: A human player is given with a cluster.
    """
    size = 1 if cluster is None else CHUNK
    chunks = [
        whole._replace(deals=whole.deals[i : i + size]) for i in range(0, len(whole.deals), size)
    ]
    done: Iterator[tuple[int, list[Review]]] = enumerate(map(review_chunk, chunks))
    if cluster is not None:
        refuse_people(whole.agents)
        done = _review_on(cluster, chunks, given)
    reviews = {}
    try:
        for number, chunk_reviews in done:
            for place, one in enumerate(chunk_reviews, number * size):
                if check is not None:
                    check(place, one)
                reviews[place] = one
            if update is not None:
                update(len(chunk_reviews))
    finally:
        finished += [reviews[place] for place in sorted(reviews)]


def review_chunk(chunk: ReviewChunk) -> list[Review]:
    """Review the deals of a chunk."""
    spec, deals, agents, seat, judge = chunk
    return [review_numbered(spec, deal, agents, seat, judge) for deal in deals]


def _review_on(
    cluster: Cluster, chunks: Sequence[ReviewChunk], given: Sequence[Agent | str]
) -> Iterator[tuple[int, list[Review]]]:
    """Review chunks on a cluster; yield the index and the reviews of each finished chunk."""
    spec, _, agents, seat, judge = chunks[0]
    description = (describe_judge(judge), seat, [agent.name for agent in agents])
    players = [judge.given] if isinstance(judge, PlayOutJudge) else []
    digest = digest_given(spec, "review", [*given, *players]), description
    numbers = {digest16(digest, chunk.deals): i for i, chunk in enumerate(chunks)}
    named = dict(zip(numbers, chunks, strict=True))
    for name, reviews in run_cached(review_chunk, named, cluster, make_packing(judge)):
        yield numbers[name], reviews


def make_packing(judge: Judge) -> Packing:
    """Return the conversion of one judge's reviews to arrays and back."""
    return Packing(pack_reviews, partial(unpack_reviews, judge))


def pack_reviews(reviews: Sequence[Review]) -> dict[str, Any]:
    """Return reviews as arrays, without their judge."""
    arrays: dict[str, Any] = {COUNT: len(reviews)}
    for number, one in enumerate(reviews):
        values = {name: getattr(one, name) for name in FIELDS} | one.judged._asdict()
        values |= {f"{FACT}{name}": fact for name, fact in one.facts.items()}
        arrays |= {f"{number}.{name}": v for name, v in values.items() if v is not None}
    return arrays


def unpack_reviews(judge: Judge, arrays: Mapping[str, np.ndarray]) -> list[Review]:
    """Return the reviews from the arrays of `pack_reviews`, with their judge."""
    reviews = []
    for number in range(int(arrays[COUNT])):
        prefix = f"{number}."
        arrays_of_one = {
            name.removeprefix(prefix): v for name, v in arrays.items() if name.startswith(prefix)
        }
        judged = Judged(*(arrays_of_one.pop(name) for name in Judged._fields))
        facts = {
            name: arrays_of_one.pop(name).item()
            for name in list(arrays_of_one)
            if name.startswith(FACT)
        }
        values = {name: v if v.ndim else v.item() for name, v in arrays_of_one.items()}
        missing: dict[str, Any] = dict.fromkeys(("open_values", "points", "outcome"))
        reviews.append(
            Review(
                judge=judge,
                judged=judged,
                facts={name.removeprefix(FACT): fact for name, fact in facts.items()},
                **missing | values,
            )
        )
    return reviews


def review_deal_set(
    game: Game | str,
    agent: Any = "greedy",
    *,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    deal_set: str | None = None,
    first: int = 0,
    evaluation_seed: str | None = None,
    worlds: int = WORLDS,
    seed: int = 0,
    player: Any = None,
    allow_rules_mismatch: bool = False,
    **how: Any,
) -> DealSetReview:
    """Play deals of a deal set with an agent, and review each game.

    The default opponents are greedy.

    Args:
        game: The game, or its name.
        agent: The agent to review, or its name.
        variant: The variant (None: the game's default).
        options: Rule options that override those of the variant.
        deals: Number of deals.
        deal_set: The deal set (None: the game's own).
        first: Number of the first deal.
        evaluation_seed: Any text, from which the agents' random draws derive (None: a random one).
        worlds: Number of sampled worlds per decision.
        seed: Seed of the sampled worlds.
        player: Agent that plays the sampled worlds to their end, in place of the exact solver
            (None: the exact solver if there is one, otherwise ``"pretrained"`` or ``"greedy"``).
        allow_rules_mismatch: Whether to allow saved agents trained with other rules.
        **how: ``seat``, the agent's seat (default: 0); ``opponents``, the agents in the other
            seats, repeated in order; ``progress``, a function that takes the agent's name and
            returns a progress function as in `evaluate`; ``finished``, a list to which the reviews
            are appended; ``cluster``, as in `evaluate`.

    Raises:
        ValueError: A value is unknown or out of range; the message says what is allowed.
    """
    game = find_game(game) if isinstance(game, str) else game
    spec = make_review_spec(
        game,
        variant,
        options,
        deals=deals,
        deal_set=deal_set,
        first=first,
        evaluation_seed=evaluation_seed,
        allow_rules_mismatch=allow_rules_mismatch,
    )
    return review_spec(spec, agent, make_judge(game, spec.rules, worlds, seed, player), **how)


def make_review_spec(
    game: Game, variant: str | None, options: Mapping[str, Any] | None, **given: Any
) -> EvaluationSpec:
    """Return the specification of a review; ``given`` has arguments of `make_specs`.

    The review solves each game, so it needs no labels. A single deal is allowed.
    """
    variants = None if variant is None else [variant]
    one = given["deals"] == 1 and is_for_several(game, variants, options)
    (spec,) = make_specs(
        game, variants, options, **given | {"deals": 2 if one else given["deals"]}, labels=NO_LABELS
    )
    return replace(spec, deals=1) if one else spec


def review_numbered(
    spec: EvaluationSpec, deal: int, agents: Sequence[FixedAgent], seat: int, judge: Judge
) -> Review:
    """Play one deal as `compare.evaluate` does with the same evaluation seed, and review it."""
    game, rules, name = spec.game, spec.rules, agents[seat].name
    state, limit = deal_position(game, rules, spec.deal_set, deal), spec.max_moves or 0
    actions = play_deal(game, rules, state, agents, derive_key(spec.evaluation_seed, name), limit)
    given: dict[str, Any] = {"deal_set": spec.deal_set, "agent": name, "max_moves": limit}
    return review_deal(judge, deal, actions, seat=seat, **given)
