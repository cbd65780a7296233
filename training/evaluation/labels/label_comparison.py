"""Comparison of an agent's results with solver labels, which know all cards.

The upper bound is the share of deals that can be won with all cards known, or the mean of the best
scores that the solver found. Regret is the best score less the agent's score.
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
    """The kernel and the solver contradict each other, so one of them is wrong."""


@dataclass(frozen=True)
class LabelComparison:
    """How an agent did on its labelled deals; fields that a game does not have are None.

    Attributes:
        deals: Number of labelled deals.
        undecided: Number of deals that the solver could not decide.
        lost: Number of winnable deals that the agent lost.
        winnable: Share of the deals that are winnable: the upper bound.
        won: Share of the winnable deals that the agent won.
        extra_moves: Moves above the fewest, over won deals whose fewest moves are known.
        best: Mean of the best scores that the solver found.
        regret: Mean of the best score less the agent's.
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
        """The share of winnable deals, or the mean of the best scores found.

        No agent exceeds the share. The best scores are a lower bound of the upper bound where the
        solver does not prove them.
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
    """Compare the results of deals from ``first`` on, (n,) of each fact, with their labels."""
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
    """Raise Contradiction, naming the deal, for a win that labels call impossible or too short."""
    if is_scored(labels.game):
        return
    played, labelled = labels.overlap(first, len(facts["won"]))
    won, moves = facts["won"][played], facts["moves"][played]
    for wrong, label in (
        (won & (labels.winnable[labelled] == LOST), "is labelled not winnable"),
        (won & (moves < labels.fewest[labelled]), "is labelled to need more moves"),
    ):
        if wrong.any():
            deal = first + played.start + int(np.argmax(wrong))
            raise Contradiction(
                f"{labels.game.title}, {labels.variant}: agent {agent!r} has won deal {deal} of "
                f"deal set {labels.deal_set!r}, which {label} in "
                f"{labels.source or 'the labels given'}"
            )


def verify_solution(game: Game, rules: Any, state: np.ndarray, solution: Solution) -> Solution:
    """Return a solution whose actions the game's own kernel has played.

    Raises Contradiction if the actions are not legal or do not lead to what the solver says.
    """
    if not solution.actions:
        return solution
    try:
        end = play_actions(game, rules, state, solution.actions)
    except ValueError as error:
        raise Contradiction(f"{game.title}: the solver's way cannot be gone: {error}") from error
    moves = int(end["moves"][0] - np.atleast_1d(state)["moves"][0])
    for fact, claimed, played in (
        ("won", solution.winnable or None, bool(end["won"][0])),
        ("score", solution.score, int(end["score"][0])),
        ("moves", solution.fewest, moves),
    ):
        if claimed is not None and claimed != played:
            raise Contradiction(f"{game.title}: the solver says {fact} {claimed}, played: {played}")
    return solution
