"""Values of afterstates: what a learner of additive tables needs from a game.

An afterstate is the position an action leads to before anything new is seen. Its value, the score
still to come, is the sum of one number of a table for each of its features, so that an action is
judged by what it changes.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .jit import jit


class Values(NamedTuple):
    """The features of a game's afterstates: compiled functions of one state in which to choose.

    ``appraise(s, rules, table, scores)`` writes for each legal action the points it brings plus the
    value of its afterstate, up to a constant: only what differs between actions is looked up.
    ``after(s, rules, action, ids)`` writes the feature numbers, 0 .. ``size`` - 1, of an action's
    afterstate and returns how many they are, at most ``most``; -1 marks a part that has none.
    ``outcomes(s, rules, points)``, where there is one, writes what each part of a finished game
    brought: feature k of `after` then speaks of part k alone. ``draws(s, cards)`` writes the cards
    that may be turned up next and returns how many; ``draw(s, card)`` makes one of them the next.
    ``version`` changes whenever a feature changes its meaning: saved tables name it.
    """

    size: int
    most: int
    appraise: Callable[..., None]
    after: Callable[..., int]
    draws: Callable[..., int]
    draw: Callable[..., None]
    outcomes: Callable[..., None] | None = None
    version: int = 1


@jit
def best_of(legal: int, scores: Any) -> int:
    """Return the legal action with the highest score, the lowest of equals."""
    best = -1
    for action in range(len(scores)):
        if (legal >> action) & 1 and (best < 0 or scores[action] > scores[best]):
            best = action
    return best
