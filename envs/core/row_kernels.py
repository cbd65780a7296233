"""A game's kernels of one state, over rows."""

import numpy as np

from .aliases import RulesRecords, Scores, Seat, State, States, Weights
from .contract import (
    ResampleKernel,
    ResampleRows,
    ScoreKernel,
    ScoreRows,
    ViewKernel,
    ViewRows,
)
from .kernel.jit import jit


def make_resample_rows(resample: ResampleKernel) -> ResampleRows:
    """Build a game's `ResampleRows` from what deals one state anew.

    Seat -1 stands for the one whose turn it is, in each row. That another seat chose an illegal
    action is hidden, too: what was played instead follows from it.
    """

    @jit
    def resample_rows(states: States, records: RulesRecords, seat: Seat) -> None:
        for i in range(len(states)):
            s = states[i]
            viewer = s["turn"] if seat < 0 else seat
            s["illegal"] &= 1 << viewer
            resample(s, records[0], viewer)

    return resample_rows


def make_view_rows(view: ViewKernel) -> ViewRows:
    """Build a game's `ViewRows` from the view of one state.

    It makes the shown pieces those of another seat than the one whose turn it is.
    """

    @jit
    def view_rows(states: States, records: RulesRecords, seats: np.ndarray) -> None:
        for i in range(len(states)):
            view(states[i], records[0], seats[i])

    return view_rows


def make_score_rows(heuristic: ScoreKernel) -> ScoreRows:
    """Build a game's `ScoreRows` from the score of one state."""

    @jit
    def score_rows(states: States, records: RulesRecords, weights: Weights, scores: Scores) -> None:
        for i in range(len(states)):
            heuristic(states[i], records[0], weights, scores[i])

    return score_rows


@jit
def read_score(s: State) -> int:
    """Return the score of a state: what the reward "progress" counts in most games."""
    return s["score"]


@jit
def read_results(states: States, seats: np.ndarray, found: np.ndarray) -> None:
    """Write what all games say of a state, int64 (4, n): won, score, moves, illegal action."""
    for i in range(len(states)):
        s = states[i]
        found[0, i] = s["won"] != 0
        found[1, i] = s["score"]
        found[2, i] = s["moves"]
        found[3, i] = (s["illegal"] >> seats[i]) & 1


@jit
def read_seat_results(states: States, seats: np.ndarray, found: np.ndarray) -> None:
    """Do as `read_results` does at a table of several, where the score is the seat's net."""
    for i in range(len(states)):
        s, seat = states[i], seats[i]
        found[0, i] = s["net"][seat] > 0
        found[1, i] = s["net"][seat]
        found[2, i] = s["moves"]
        found[3, i] = (s["illegal"] >> seat) & 1
