"""What an agent made of deals beside what could be made of them, where a solver has labelled them.

The bound is the share of deals that one who knew all cards could win; regret is what an agent left
behind: points below the best that the solver found, or moves above the fewest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.contract import LOST, UNDECIDED, WINNABLE, Solution
from parlour.envs.core.upper_bound import play_actions

from ..stats import Estimate, bootstrap_mean, wilson_rate
from .label_checks import NO_SCORE, UNKNOWN_FEWEST
from .labels import Labels, find_labels, is_scored, load_labels

NO_LABELS = "no"
"""Instead of labels: none are looked for."""


class Contradiction(RuntimeError):
    """The kernel did what the solver had called impossible, or the other way round."""


@dataclass(frozen=True)
class Truth:
    """How an agent played the labelled ones of its deals; None where a game has no such thing.

    ``winnable`` is the share of the ``deals`` labelled winnable, the bound; of these, ``won`` is
    the share that was won, and ``lost`` the number that was not. ``undecided`` counts the deals of
    which the solver could not tell. ``extra_moves``: moves above the fewest, over deals won whose
    fewest are known. ``best`` is the mean of the best scores, ``regret`` of best less score.
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
        """The share of winnable deals, which nobody exceeds, or the mean of the best scores found.

        Those are as good as the solver is: where it does not prove them, they are a lower bound.
        """
        return self.best if self.winnable is None else self.winnable

    def summary(self) -> dict[str, Any]:
        """Return it as JSON has it: an ``{"mean", "low", "high", "n"}`` for each estimate."""
        found = {
            name: value._asdict() if isinstance(value, Estimate) else value
            for name, value in vars(self).items()
        }
        found["of_the_winnable_won"] = found.pop("won")
        found["lost_though_winnable"] = found.pop("lost")
        return found


def find_requested_labels(
    truth: Labels | Path | str | None, game: Game, rules: Any, bank: str, first: int, deals: int
) -> Labels | None:
    """Return the labels meant by ``truth``: a file's, those found (None), or none (`NO_LABELS`).

    Labels that cover none of the deals are none. Raises ValueError if a file, or labels, are of
    another game, other rules or another bank.
    """
    if truth == NO_LABELS:
        return None
    if truth is None:
        labels = find_labels(game, rules, bank, first, deals)
    else:
        labels = truth if isinstance(truth, Labels) else load_labels(truth)
        _check_same(labels, game, rules, bank)
    return None if labels is None or labels.overlap(first, deals)[0] == slice(0, 0) else labels


def _check_same(labels: Labels, game: Game, rules: Any, bank: str) -> None:
    found = {
        "game": (labels.game.name, game.name),
        "rules": (labels.variant, "those played" if labels.rules != rules else labels.variant),
        "bank": (labels.bank, bank),
    }
    for what, (has, wanted) in found.items():
        if has != wanted:
            raise ValueError(f"truth {labels.source}: its {what}, {has}, is not {wanted}")


def measure_truth(
    labels: Labels, facts: Mapping[str, np.ndarray], first: int, confidence: float
) -> Truth:
    """Return how games went that were played on deals from ``first`` on, (n,) of each fact."""
    mine, theirs = labels.overlap(first, len(facts["score"]))
    winnable = labels.winnable[theirs]
    undecided = int(np.count_nonzero(winnable == UNDECIDED))
    if is_scored(labels.game):
        best = labels.score[theirs]
        known = best != NO_SCORE
        found = {"best": best[known], "regret": best[known] - facts["score"][mine][known]}
        return Truth(
            len(best),
            int(np.count_nonzero(~known)),
            0,
            **{name: _mean_or_none(values, confidence) for name, values in found.items()},
        )
    can, won = winnable == WINNABLE, facts["won"][mine]
    fewest = labels.fewest[theirs]
    known = won & (fewest != UNKNOWN_FEWEST)
    return Truth(
        len(winnable),
        undecided,
        int(np.count_nonzero(can & ~won)),
        wilson_rate(can, confidence),
        wilson_rate(won[can], confidence) if can.any() else None,
        _mean_or_none(facts["moves"][mine][known] - fewest[known], confidence),
    )


def _mean_or_none(values: np.ndarray, confidence: float) -> Estimate | None:
    return bootstrap_mean(values, confidence) if len(values) else None


def check_against_labels(
    labels: Labels, facts: Mapping[str, np.ndarray], first: int, agent: str
) -> None:
    """Raise Contradiction, naming deal and bank, if a deal was won that cannot be, or too soon."""
    if is_scored(labels.game):
        return
    mine, theirs = labels.overlap(first, len(facts["won"]))
    won, moves = facts["won"][mine], facts["moves"][mine]
    for wrong, said in (
        (won & (labels.winnable[theirs] == LOST), "is labelled not winnable"),
        (won & (moves < labels.fewest[theirs]), "is labelled to need more moves"),
    ):
        if wrong.any():
            deal = first + mine.start + int(np.argmax(wrong))
            raise Contradiction(
                f"{labels.game.title}, {labels.variant}: agent {agent!r} has won deal {deal} of "
                f"bank {labels.bank!r}, which {said} in {labels.source or 'the labels given'}"
            )


def verify_solution(game: Game, rules: Any, state: np.ndarray, found: Solution) -> Solution:
    """Return a solution whose way the game's own kernel has gone.

    Raises Contradiction if the actions are not legal or do not lead to what the solver says.
    """
    if not found.actions:
        return found
    try:
        end = play_actions(game, rules, state, found.actions)
    except ValueError as error:
        raise Contradiction(f"{game.title}: the solver's way cannot be gone: {error}") from error
    moves = int(end["moves"][0] - np.atleast_1d(state)["moves"][0])
    for what, says, comes in (
        ("won", found.winnable or None, bool(end["won"][0])),
        ("score", found.score, int(end["score"][0])),
        ("moves", found.fewest, moves),
    ):
        if says is not None and says != comes:
            raise Contradiction(f"{game.title}: the solver says {what} {says}, played: {comes}")
    return found
