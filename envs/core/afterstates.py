"""Values of afterstates: what a learner of additive tables needs from a game.

An afterstate is the position an action leads to before anything new is seen. Its value, the score
still to come and a bonus for a win, is the sum of one number of a table for each of its features,
so that an action is judged by what it changes.
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
"""Room for the cards that may be turned up next."""


class ExpectAnswers(Protocol):
    """Goes one ply further: the mean, over the cards that may come, of the best answer's worth."""

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
        """Write ``scores`` of ``actions``, int64 (k,), in points; ``work`` is room for a state."""


class AfterstateFeatures(NamedTuple):
    """The features of a game's afterstates: compiled functions of a state in which to choose."""

    num_features: int
    """They are numbered from 0 on."""
    max_active: int
    """Largest number of active features of an afterstate."""
    score_afterstates: AfterstateScore
    """Scores what each action leads to, by a table."""
    state_value: StateValue
    """What all afterstates of a state have in common."""
    active_features: ActiveFeatures
    """Lists the features of an afterstate; entry k < ``num_parts`` speaks of part k alone."""
    part_scores: PartScores
    """What each part of a finished game brought."""
    possible_cards: PossibleCards
    """Lists the cards that may be turned up next; `put_on_top` makes one of them the next, by the
    state's fields ``deck`` and ``next``."""
    num_parts: int = 0
    """0: a game without parts that are scored by themselves."""
    expect_answers: ExpectAnswers | None = None
    """A faster way of the game's own to what playing every card and every answer out comes to."""
    version: int = 1
    """Changes whenever features are added or change their meaning: a saved table names the version
    that it was trained with and plays by no other one."""


class ScoreByValue(Protocol):
    """Scores every legal action by the value of its afterstate."""

    def __call__(
        self, states: States, rules: RulesRecords, table: Table, ids: FeatureIds, scores: Scores, /
    ) -> None:
        """Write ``scores`` (n, actions); ``ids`` is room for the numbers of features."""


class ScoreByExpectation(Protocol):
    """Goes one ply further: the mean, over all cards that may come next, of the best answer."""

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
        """Write ``scores`` (n, actions) for the ``width`` best by value; others fall behind those.

        ``work`` is room for one state.
        """


class AfterstateScorers(NamedTuple):
    """Kernels over rows that score every legal action by a table."""

    score_by_value: ScoreByValue
    """By the values of afterstates."""
    score_by_expectation: ScoreByExpectation
    """One ply further."""


FAR_BEHIND = 1e6
"""Points by which an action falls behind that is not looked at more closely: above any score."""

HOPELESS = -1e9
"""Added by a rule-based agent to the score of an action after which no win is left. A search that
plays games to the end can stop there."""


@jit
def best_legal(legal: ActionSet, scores: Scores) -> Action:
    """Return the legal action with the highest score, the lowest of equals."""
    best = -1
    for action in range(len(scores)):
        if has_action(legal, action) and (best < 0 or scores[action] > scores[best]):
            best = action
    return best


@jit
def put_on_top(s: State, card: CardCode) -> None:
    """Let a card change places with the top of the stock, the card ``next`` of the ``deck``."""
    top = s["next"]
    for place in range(top, len(s["deck"])):
        if s["deck"][place] == card:
            s["deck"][place] = s["deck"][top]
    s["deck"][top] = card


@jit
def score_nothing(
    s: State, rules: RulesRecord, table: Table, ids: FeatureIds, scores: Scores
) -> None:
    """Stand for `AfterstateScore` in a game without features."""


@jit
def value_nothing(s: State, rules: RulesRecord, table: Table, ids: FeatureIds) -> float:
    """Stand for `StateValue` in a game without features."""
    return 0.0


def find_scorers(values: AfterstateFeatures | None) -> tuple[AfterstateScore, StateValue]:
    """Return a game's functions for kernels that use a table only if they are handed one."""
    if values is None:
        return score_nothing, value_nothing
    return values.score_afterstates, values.state_value


def win_bonus_points(kernels: BatchKernels) -> float:
    """Return what a win counts beside the score, in points: as the reward "progress" has it."""
    return kernels.win_bonus / kernels.score_scale


def make_afterstate_scorers(values: AfterstateFeatures, kernels: BatchKernels) -> AfterstateScorers:
    """Build the scorers of a game from what it says of its afterstates."""
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
