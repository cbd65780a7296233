"""Values of afterstates: what a learner of additive tables needs from a game.

An afterstate is the position an action leads to before anything new is seen. Its value, the score
still to come and a bonus for a win, is the sum of one number of a table for each of its features,
so that an action is judged by what it changes.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .batch import Play
from .jit import jit

PACK = 64
"""Room for the cards that may be turned up next."""


class AfterstateFeatures(NamedTuple):
    """The features of a game's afterstates: compiled functions of a state in which to choose.

    ``appraise(s, rules, table, ids, scores)`` writes for each legal action the points it brings and
    the value of its afterstate, less what is the same for all: ``base(s, rules, table, ids)``,
    which has the score so far in it. ``ids`` is room for features.
    ``after(s, rules, action, ids)`` writes the feature numbers, 0 .. ``size`` - 1, of an action's
    afterstate and returns how many they are, at most ``most``; -1 marks a part that has none.
    ``outcomes(s, rules, points)`` writes what each of ``parts`` parts of a finished game brought:
    feature k < parts of `after` speaks of part k alone. 0: a game without such parts.
    ``draws(s, cards)`` writes the cards that may be turned up next and returns how many; `draw`
    makes one of them the next, by the state's fields ``deck`` and ``next``.
    ``version`` changes whenever a feature changes its meaning: saved tables name it.
    """

    size: int
    most: int
    appraise: Callable[..., None]
    base: Callable[..., float]
    after: Callable[..., int]
    outcomes: Callable[..., None]
    draws: Callable[..., int]
    parts: int = 0
    version: int = 1


class AfterstateScorers(NamedTuple):
    """Kernels over rows that judge every legal action by a table.

    ``by_value(states, rules, table, ids, scores)`` goes by the values of afterstates;
    ``by_expectation(states, rules, table, ids, scores, work, width)`` goes one ply further for the
    ``width`` best of these: over all cards that may come next, the mean of the best answer to each.
    Others fall behind those. ``work`` is room for one state.
    """

    by_value: Callable[..., None]
    by_expectation: Callable[..., None]


@jit
def best_of(legal: int, scores: Any) -> int:
    """Return the legal action with the highest score, the lowest of equals."""
    best = -1
    for action in range(len(scores)):
        if (legal >> action) & 1 and (best < 0 or scores[action] > scores[best]):
            best = action
    return best


@jit
def draw(s: Any, card: int) -> None:
    """Let a card change places with the top of the stock, the card ``next`` of the ``deck``."""
    top = s["next"]
    for place in range(top, len(s["deck"])):
        if s["deck"][place] == card:
            s["deck"][place] = s["deck"][top]
    s["deck"][top] = card


def win_bonus_points(play: Play) -> float:
    """Return what a win counts beside the score, in points: as the reward "progress" has it."""
    return play.bonus / play.scale


def make_afterstate_scorers(values: AfterstateFeatures, play: Play) -> AfterstateScorers:
    """Build the judges of a game from what it says of its afterstates."""
    appraise, base, draws, step = values.appraise, values.base, values.draws, play.step

    bonus = win_bonus_points(play)

    @jit
    def by_value(states: Any, rules: Any, table: Any, ids: Any, scores: Any) -> None:
        for i in range(len(states)):
            appraise(states[i], rules[0], table, ids, scores[i])

    @jit
    def worth(s: Any, rules: Any, table: Any, ids: Any, answers: Any) -> float:
        if s["over"]:
            return s["score"] + bonus * s["won"]
        appraise(s, rules, table, ids, answers)
        return base(s, rules, table, ids) + answers[best_of(s["legal"], answers)]

    @jit
    def by_expectation(
        states: Any, rules: Any, table: Any, ids: Any, scores: Any, work: Any, width: int
    ) -> None:
        answers = np.empty(scores.shape[1])
        first = np.empty(scores.shape[1])
        cards = np.empty(PACK, np.int8)
        for i in range(len(states)):
            s = states[i]
            appraise(s, rules[0], table, ids, first)
            left = s["legal"]
            for action in range(len(first)):
                scores[i, action] = first[action] - 1e6
            count = draws(s, cards)
            for _ in range(width):
                if left == 0:
                    break
                action = best_of(left, first)
                left &= ~(1 << action)
                total = 0.0
                for k in range(max(count, 1)):
                    work[0] = s
                    if count:
                        draw(work[0], cards[k])
                    step(work[0], rules[0], action)
                    total += worth(work[0], rules[0], table, ids, answers)
                scores[i, action] = total / max(count, 1)

    return AfterstateScorers(by_value, by_expectation)
