"""Verification of solver labels by solving a random sample of deals again.

The digests of a label file detect damage but not false labels, since anybody can compute digests.
Solving deals again detects false labels, with a probability that depends on the size of the sample.
"""

import secrets
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from parlour.envs.core.contract import LOST, UNDECIDED, WINNABLE
from parlour.envs.core.kernel.jit import digest_code
from parlour.envs.core.options import check_range
from parlour.envs.core.solve import solver_of

from ...parallel.tasks import Cluster, run_tasks
from ..play import Progress
from .labelling import LabelTask, solve_task
from .labels import NO_SCORE, UNKNOWN_FEWEST, Labels, is_scored

SAMPLE = 100
"""Default number of deals of each kind of label to solve again."""
DETECTION = 0.95
"""Probability of detection for which reports state the detectable share of wrong labels."""
UNKNOWN = {"winnable": UNDECIDED, "fewest": UNKNOWN_FEWEST, "score": NO_SCORE}
"""The value of each column that means "not known"."""


class Disagreement(NamedTuple):
    """A label that differs from the solver's result."""

    deal: int
    column: str
    label: int
    solved: int

    def __str__(self) -> str:
        """Return the disagreement as one line of text."""
        return f"deal {self.deal}: {self.column} must be {self.solved}, got {self.label}"


class SampledKind(NamedTuple):
    """Labels of one kind (such as winnable): ``solved`` of ``total`` were solved again.

    Of these, ``disagree`` are wrong, ``unconfirmed`` claim more than the current solver finds, and
    ``outdated`` are undecided labels that the current solver decides.
    """

    name: str
    solved: int
    total: int
    disagree: int
    unconfirmed: int
    outdated: int

    @property
    def detectable(self) -> float:
        """The smallest share of wrong labels that the sample finds with probability `DETECTION`."""
        return find_detectable(self.solved, self.total) / self.total

    def summary(self) -> dict[str, Any]:
        """Return all fields for JSON."""
        return self._asdict() | {"detectable": self.detectable, "detection": DETECTION}


class LabelVerification(NamedTuple):
    """The result of solving a sample of labeled deals again.

    ``seed`` is the seed of the sample. ``same_solver`` tells whether the current version of the
    solver made the labels, so that every column must be equal. Otherwise only contradictory answers
    are disagreements; other differences count as unconfirmed or outdated.
    """

    seed: int
    same_solver: bool
    kinds: list[SampledKind]
    disagreements: list[Disagreement]

    def summary(self) -> dict[str, Any]:
        """Return all fields for JSON."""
        return {
            "seed": self.seed,
            "same_solver": self.same_solver,
            "kinds": [kind.summary() for kind in self.kinds],
            "disagreements": [one._asdict() for one in self.disagreements],
        }


def find_detection(solved: int, total: int, wrong: int) -> float:
    """Return the probability that a random sample of labels contains a wrong one.

    Args:
        solved: Size of the sample, drawn without replacement.
        total: Number of labels.
        wrong: Number of wrong labels among them.
    """
    if wrong > total - solved:
        return 1.0 if wrong else 0.0
    missed = np.log1p(-wrong / np.arange(total, total - solved, -1.0)).sum()
    return float(-np.expm1(missed))


def find_detectable(solved: int, total: int) -> int:
    """Return the smallest number of wrong labels found with probability `DETECTION` or more."""
    low, high = 1, max(total - solved, 0) + 1  # a sample cannot miss more than these
    while low < high:
        middle = (low + high) // 2
        if find_detection(solved, total, middle) >= DETECTION:
            high = middle
        else:
            low = middle + 1
    return low


def verify_labels(
    labels: Labels,
    sample: int = SAMPLE,
    seed: int | None = None,
    cluster: Cluster | None = None,
    progress: Progress | None = None,
) -> LabelVerification:
    """Solve a random sample of labeled deals again, and compare every column.

    Args:
        labels: The labels, from `labels.load_labels`.
        sample: Number of deals of each kind (winnable, not winnable, undecided) to solve.
        seed: Seed of the sample (None: a random one, which the result includes). A seed known in
            advance allows a file in which only the sampled labels are right.
        cluster: Solves the deals (None: this process).
        progress: Called with the number of deals solved since the last call.

    Raises:
        ValueError: ``sample`` or ``seed`` is out of range, or no solver supports these rules.
        Contradiction: A solution of the solver does not win.
    """
    check_range("sample", sample, 1)
    check_range("seed", seed or 0, 0)
    seed = secrets.randbelow(2**32) if seed is None else seed
    rng = np.random.default_rng(seed)
    same_solver = digest_code(solver_of(labels.game, labels.rules)) == labels.solver
    kinds_rows = list_kinds(labels)
    chosen = {
        name: np.sort(rng.choice(rows, min(sample, len(rows)), replace=False))
        for name, rows in kinds_rows.items()
    }
    rows = [int(row) for sampled in chosen.values() for row in sampled]
    answers = _solve_rows(labels, rows, cluster or Cluster(jobs=1), progress)
    kinds, disagreements = [], []
    for name, sampled in chosen.items():
        wrong = {
            int(row): list(_compare(labels, int(row), answers[row], same_solver)) for row in sampled
        }
        agreeing = [row for row in wrong if not wrong[row]]
        columns = [_list_open_columns(labels, row, answers[row]) for row in agreeing]
        unconfirmed = [
            any(_is_more(column, label, solved) for column, label, solved in row) for row in columns
        ]
        outdated = [
            any(_is_more(column, solved, label) for column, label, solved in row) for row in columns
        ]
        kinds.append(
            SampledKind(
                name,
                solved=len(sampled),
                total=len(kinds_rows[name]),
                disagree=len(wrong) - len(agreeing),
                unconfirmed=sum(unconfirmed),
                outdated=sum(outdated),
            )
        )
        disagreements += [one for differences in wrong.values() for one in differences]
    return LabelVerification(seed, same_solver, kinds, disagreements)


def list_kinds(labels: Labels) -> dict[str, np.ndarray]:
    """Return the rows of each kind of label in the file: winnable, not winnable, undecided."""
    if is_scored(labels.game):
        known = labels.score != NO_SCORE
        kinds = {"scored": known, "not scored": ~known}
    else:
        codes = {"winnable": WINNABLE, "not winnable": LOST, "undecided": UNDECIDED}
        kinds = {name: labels.winnable == code for name, code in codes.items()}
    return {name: np.flatnonzero(are) for name, are in kinds.items() if are.any()}


def count_sample(labels: Labels, sample: int) -> int:
    """Return the number of deals that `verify_labels` solves."""
    return sum(min(sample, len(rows)) for rows in list_kinds(labels).values())


def _solve_rows(
    labels: Labels, rows: list[int], cluster: Cluster, progress: Progress | None
) -> dict[int, dict[str, int]]:
    """Solve the deals of rows; return the columns of each."""
    tasks = [
        LabelTask(
            labels.game,
            labels.rules,
            labels.deal_set,
            labels.first + row,
            1,
            labels.optimal,
            labels.limit,
        )
        for row in rows
    ]
    answers = {}
    for number, columns in run_tasks(solve_task, tasks, cluster):
        answers[rows[number]] = {name: int(values[0]) for name, values in columns.items()}
        if progress is not None:
            progress(1)
    return answers


def _compare(
    labels: Labels, row: int, answer: dict[str, int], same_solver: bool
) -> Iterator[Disagreement]:
    for column, solved in answer.items():
        label = int(labels.columns[column][row])
        is_open = column not in UNKNOWN or UNKNOWN[column] in (label, solved)
        # The best score found is not exact: another solver may find a better one.
        excludes = not is_open and column != "score"
        if label != solved and (same_solver or excludes):
            yield Disagreement(labels.first + row, column, label, solved)


def _list_open_columns(
    labels: Labels, row: int, answer: dict[str, int]
) -> list[tuple[str, int, int]]:
    """Return each column that can be unknown, with the label and the solver's answer."""
    return [
        (name, int(labels.columns[name][row]), answer[name]) for name in UNKNOWN if name in answer
    ]


def _is_more(column: str, value: int, other: int) -> bool:
    """Return whether a value says more than another: it is known, or a better score."""
    if value == UNKNOWN[column]:
        return False
    return other == UNKNOWN[column] or (column == "score" and value > other)
