"""Values of afterstates: the functions of a game that learners of additive value tables need.

An afterstate is the position after an action, before anything new is revealed. Its value is the
expected further score plus a bonus for a win. The value is the sum of one table entry per feature,
so an action is evaluated by the features that it changes.
"""

from typing import NamedTuple, Protocol

import numpy as np

from .contract import (
    ActiveFeatures,
    AfterstateScore,
    BatchKernels,
    PartScores,
    PossibleCards,
    StateValue,
)
from .kernel.jit import jit
from .legal import count_actions, has_action
from .type_aliases import (
    Action,
    ActionSet,
    CardCode,
    FeatureIds,
    RulesRecord,
    RulesRecords,
    Scores,
    State,
    States,
    Table,
)

MAX_NEXT_CARDS = 64
"""Maximum number of cards that may be turned up next."""


class ExpectAnswers(Protocol):
    """Kernel that looks one ply ahead: mean value of the best next action over possible cards."""

    def __call__(
        self,
        s: State,
        rules: RulesRecord,
        table: Table,
        ids: FeatureIds,
        actions: np.ndarray,
        scores: Scores,
        work: States,
        /,
    ) -> None:
        """Write ``scores`` of ``actions``, int64 (k,), in points; ``work`` is a scratch state."""


class AfterstateFeatures(NamedTuple):
    """Features of a game's afterstates, as kernels that take the state before the action."""

    num_features: int
    """Number of features. Features are numbered from 0."""
    max_active: int
    """Largest number of active features of an afterstate."""
    score_afterstates: AfterstateScore
    """Scores the afterstate of each action with a table."""
    state_value: StateValue
    """Returns the part of the value that all afterstates of a state share."""
    active_features: ActiveFeatures
    """Lists the features of an afterstate. Entry k < ``num_parts`` depends only on part k."""
    part_scores: PartScores
    """Writes the points of each part of a finished game."""
    possible_cards: PossibleCards
    """Lists the cards that may be turned up next. `put_on_top` moves one of them to the top, using
    the state's fields ``deck`` and ``next``."""
    num_parts: int = 0
    """Number of parts that are scored separately; 0 if the game has none."""
    expect_answers: ExpectAnswers | None = None
    """A faster replacement of the default, which plays every card and every next action."""
    version: int = 1
    """Version of the features. It changes when features are added or change their meaning; a saved
    table works only with the version that it was trained with."""


class ScoreByValue(Protocol):
    """Scores every legal action by the value of its afterstate."""

    def __call__(
        self, states: States, rules: RulesRecords, table: Table, ids: FeatureIds, scores: Scores, /
    ) -> None:
        """Write ``scores`` (n, actions); ``ids`` is scratch space for feature numbers."""


class ScoreByExpectation(Protocol):
    """Kernel that looks one ply ahead: mean value of the best next action over possible cards."""

    def __call__(
        self,
        states: States,
        rules: RulesRecords,
        table: Table,
        ids: FeatureIds,
        scores: Scores,
        work: States,
        width: int,
        /,
    ) -> None:
        """Write ``scores`` (n, actions); ``work`` is a scratch state.

        Only the ``width`` actions with the highest values are evaluated. The other actions get
        lower scores (`FAR_BEHIND`).
        """


class AfterstateScorers(NamedTuple):
    """Kernels over rows that score every legal action with a table."""

    score_by_value: ScoreByValue
    """Scores actions by the values of their afterstates."""
    score_by_expectation: ScoreByExpectation
    """Scores actions by looking one ply ahead."""


FAR_BEHIND = 1e6
"""Points subtracted from the score of actions that are not evaluated; more than any score."""

HOPELESS = -1e9
"""Score that a rule-based agent adds for an action after which the game cannot be won. Rollouts can
stop at such an action."""


@jit
def best_legal(legal: ActionSet, scores: Scores) -> Action:
    """Return the legal action with the highest score; ties go to the lowest action."""
    best = -1
    for action in range(len(scores)):
        if has_action(legal, action) and (best < 0 or scores[action] > scores[best]):
            best = action
    return best


@jit
def put_on_top(s: State, card: CardCode) -> None:
    """Swap a card with the top card of the stock, the card at index ``next`` of ``deck``."""
    top = s["next"]
    for place in range(top, len(s["deck"])):
        if s["deck"][place] == card:
            s["deck"][place] = s["deck"][top]
    s["deck"][top] = card


@jit
def score_nothing(
    s: State, rules: RulesRecord, table: Table, ids: FeatureIds, scores: Scores
) -> None:
    """Do nothing: the `AfterstateScore` of a game without features."""


@jit
def value_nothing(s: State, rules: RulesRecord, table: Table, ids: FeatureIds) -> float:
    """Return 0: the `StateValue` of a game without features."""
    return 0.0


def find_scorers(values: AfterstateFeatures | None) -> tuple[AfterstateScore, StateValue]:
    """Return a game's score and value kernels, or placeholders if it has no features."""
    if values is None:
        return score_nothing, value_nothing
    return values.score_afterstates, values.state_value


def win_bonus_points(kernels: BatchKernels) -> float:
    """Return the value of a win in points, with the weights of the reward "progress"."""
    return kernels.win_bonus / kernels.score_scale


def make_afterstate_scorers(values: AfterstateFeatures, kernels: BatchKernels) -> AfterstateScorers:
    """Build the scorers of a game from its afterstate features."""
    score_afterstates, state_value = values.score_afterstates, values.state_value
    possible_cards, step = values.possible_cards, kernels.step

    bonus = win_bonus_points(kernels)

    @jit
    def score_by_value(
        states: States, rules: RulesRecords, table: Table, ids: FeatureIds, scores: Scores
    ) -> None:
        for i in range(len(states)):
            score_afterstates(states[i], rules[0], table, ids, scores[i])

    @jit
    def afterstate_value(
        s: State, rules: RulesRecord, table: Table, ids: FeatureIds, answers: Scores
    ) -> float:
        if s["over"]:
            return s["score"] + bonus * s["won"]
        score_afterstates(s, rules, table, ids, answers)
        return state_value(s, rules, table, ids) + answers[best_legal(s["legal"], answers)]

    @jit
    def play_out_answers(
        s: State,
        rules: RulesRecord,
        table: Table,
        ids: FeatureIds,
        actions: np.ndarray,
        scores: Scores,
        work: States,
    ) -> None:
        answers = np.empty(len(scores))
        cards = np.empty(MAX_NEXT_CARDS, np.int8)
        count = possible_cards(s, cards)
        for action in actions:
            total = 0.0
            for k in range(max(count, 1)):
                work[0] = s
                if count:
                    put_on_top(work[0], cards[k])
                step(work[0], rules, action)
                total += afterstate_value(work[0], rules, table, ids, answers)
            scores[action] = total / max(count, 1)

    expect_answers = values.expect_answers or play_out_answers

    @jit
    def score_by_expectation(
        states: States,
        rules: RulesRecords,
        table: Table,
        ids: FeatureIds,
        scores: Scores,
        work: States,
        width: int,
    ) -> None:
        first = np.empty(scores.shape[1])
        actions = np.empty(scores.shape[1], np.int64)
        for i in range(len(states)):
            s = states[i]
            score_afterstates(s, rules[0], table, ids, first)
            for action in range(len(first)):
                scores[i, action] = first[action] - FAR_BEHIND
            compared = min(width, count_actions(s["legal"]))
            for k in range(compared):
                actions[k] = best_legal(s["legal"], first)
                first[actions[k]] = -np.inf
            expect_answers(s, rules[0], table, ids, actions[:compared], scores[i], work)

    return AfterstateScorers(score_by_value, score_by_expectation)
