"""Comparison of an agent's results with solver labels, which assume that all cards are known.

The upper bound is the share of winnable deals, or the mean of the best scores that the solver
found. Regret is the best score minus the agent's score.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.contract import LOST, UNDECIDED, WINNABLE, Solution
from parlour.envs.core.solve import play_actions

from ..stats import Estimate, bootstrap_mean, wilson_rate
from .labels import NO_SCORE, UNKNOWN_FEWEST, Labels, is_scored


class Contradiction(RuntimeError):
    """Raised if the kernel and the solver contradict each other, so that one of them is wrong."""


@dataclass(frozen=True)
class LabelComparison:
    """An agent's results on labeled deals; fields that do not apply to the game are None.

    Attributes:
        deals: Number of labeled deals.
        undecided: Number of deals that the solver could not decide.
        lost: Number of winnable deals that the agent lost.
        winnable: Share of the deals that are winnable: the upper bound.
        won: Share of the winnable deals that the agent won.
        extra_moves: Mean number of moves above the fewest, over won deals with known fewest moves.
        best: Mean of the best scores that the solver found.
        regret: Mean of the best score minus the agent's.
    """

    deals: int
    undecided: int
    lost: int
    winnable: Estimate | None = None
    won: Estimate | None = None
    extra_moves: Estimate | None = None
    best: Estimate | None = None
    regret: Estimate | None = None

    @property
    def bound(self) -> Estimate | None:
        """The upper bound: the share of winnable deals, or the mean of the best scores found.

        No agent can exceed the share. Best scores that the solver has not proven are only a lower
        bound of the upper bound.
        """
        return self.best if self.winnable is None else self.winnable

    def summary(self) -> dict[str, Any]:
        """Return all fields for JSON: a ``{"mean", "low", "high", "n"}`` for each estimate."""
        summary = {
            name: value._asdict() if isinstance(value, Estimate) else value
            for name, value in vars(self).items()
        }
        summary["of_the_winnable_won"] = summary.pop("won")
        summary["lost_though_winnable"] = summary.pop("lost")
        return summary


def compare_with_labels(
    labels: Labels, facts: Mapping[str, np.ndarray], first: int, confidence: float
) -> LabelComparison:
    """Compare the results of n deals from ``first`` on, (n,) for each fact, with their labels."""
    played, labelled = labels.overlap(first, len(facts["score"]))
    winnable = labels.winnable[labelled]
    undecided = int(np.count_nonzero(winnable == UNDECIDED))
    if is_scored(labels.game):
        best = labels.score[labelled]
        known = best != NO_SCORE
        scores = {"best": best[known], "regret": best[known] - facts["score"][played][known]}
        return LabelComparison(
            len(best),
            int(np.count_nonzero(~known)),
            0,
            **{name: _mean_or_none(values, confidence) for name, values in scores.items()},
        )
    can, won = winnable == WINNABLE, facts["won"][played]
    fewest = labels.fewest[labelled]
    known = won & (fewest != UNKNOWN_FEWEST)
    return LabelComparison(
        len(winnable),
        undecided,
        int(np.count_nonzero(can & ~won)),
        wilson_rate(can, confidence),
        wilson_rate(won[can], confidence) if can.any() else None,
        _mean_or_none(facts["moves"][played][known] - fewest[known], confidence),
    )


def _mean_or_none(values: np.ndarray, confidence: float) -> Estimate | None:
    return bootstrap_mean(values, confidence) if len(values) else None


def check_against_labels(
    labels: Labels, facts: Mapping[str, np.ndarray], first: int, agent: str
) -> None:
    """Raise Contradiction, naming the deal, for a win that contradicts the labels."""
    if is_scored(labels.game):
        return
    played, labelled = labels.overlap(first, len(facts["won"]))
    won, moves = facts["won"][played], facts["moves"][played]
    for wrong, label in (
        (won & (labels.winnable[labelled] == LOST), "is not winnable"),
        (won & (moves < labels.fewest[labelled]), "needs more moves"),
    ):
        if wrong.any():
            deal = first + played.start + int(np.argmax(wrong))
            raise Contradiction(
                f"{labels.game.title}, {labels.variant}: agent {agent!r} has won deal {deal} of "
                f"deal set {labels.deal_set!r}, which {label} according "
                f"to {labels.source or 'the given labels'}"
            )


def verify_solution(game: Game, rules: Any, state: np.ndarray, solution: Solution) -> Solution:
    """Play the actions of a solution with the game's kernel, and return the solution.

    Raises Contradiction if an action is illegal or the result is not the solver's.
    """
    if not solution.actions:
        return solution
    try:
        end = play_actions(game, rules, state, solution.actions)
    except ValueError as error:
        raise Contradiction(
            f"{game.title}: the solver's actions cannot be played: {error}"
        ) from error
    moves = int(end["moves"][0] - np.atleast_1d(state)["moves"][0])
    for fact, claimed, played in (
        ("won", solution.winnable or None, bool(end["won"][0])),
        ("score", solution.score, int(end["score"][0])),
        ("moves", solution.fewest, moves),
    ):
        if claimed is not None and claimed != played:
            raise Contradiction(
                f"{game.title}: {fact} of the solver's solution must be {claimed}, got {played}"
            )
    return solution
