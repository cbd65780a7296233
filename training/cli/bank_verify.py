"""``parlour bank show --verify``: solves a random sample of labelled deals again."""

import argparse
from collections.abc import Sequence

from ..evaluation.labels.label_verification import (
    DETECTION,
    SAMPLE,
    LabelVerification,
    count_sample,
    verify_labels,
)
from ..evaluation.labels.labels import Labels
from ..evaluation.report.terminal import find_width, wrap_words
from ..parallel.tasks import join_cluster
from .arguments import MOST_DEALS, read_whole
from .cluster import add_cluster, use_cluster
from .progress import progress_bars

SHOWN = 20
"""Number of wrong labels that are listed, one per line."""


def add_verify(show: argparse.ArgumentParser) -> None:
    """Add ``--verify`` and the arguments that belong to it."""
    show.add_argument(
        "--verify",
        type=read_whole(MOST_DEALS),
        metavar="N",
        nargs="?",
        const=SAMPLE,
        help="solve a random sample of deals again, N of each kind of label "
        f"(default: {SAMPLE}); exit status 1 if a label is wrong",
    )
    show.add_argument(
        "--seed", type=read_whole(), help="seed of the sample (default: random, and printed)"
    )
    add_cluster(show)


def verify_files(
    arguments: argparse.Namespace, found: Sequence[Labels]
) -> list[LabelVerification] | list[None]:
    """Solve a sample of each file's deals again; None for each without ``--verify``."""
    if arguments.verify is None:
        for name in ("seed", "jobs", "backend", "address"):
            if getattr(arguments, name) is not None:
                raise ValueError(f"--{name} needs --verify: add it, or leave --{name} out")
        return [None] * len(found)
    verifications = []
    with use_cluster(arguments, None) as cluster, join_cluster(cluster):
        for labels in found:
            with progress_bars(count_sample(labels, arguments.verify)) as bars:
                bar = bars("deals solved again", labels.variant)
                verifications.append(
                    verify_labels(labels, arguments.verify, arguments.seed, cluster, bar)
                )
    return verifications


def verification_lines(verification: LabelVerification) -> list[str]:
    """Return the result of solving a sample again, as lines of text."""
    lines = [f"  verified     a random sample solved again, seed {verification.seed}"]
    for kind in verification.kinds:
        said = f"{kind.name}: {kind.solved:,} of {kind.total:,} labels, {kind.disagree} wrong"
        if kind.unconfirmed:
            said += f", {kind.unconfirmed} not confirmed by this solver"
        if kind.outdated:
            said += f", {kind.outdated} open labels decided by this solver"
        if kind.solved < kind.total:
            share = f"{100 * kind.detectable:.2g} %"
            said += (
                f"; finds a wrong one with probability {100 * DETECTION:.0f} % if {share} are wrong"
            )
        lines.append(f"    {said}")
    if not verification.same_solver:
        lines.append(
            "    The labels come from another or an unknown version of the solver: only answers "
            "that contradict each other count as wrong."
        )
    shown = verification.disagreements[:SHOWN]
    lines += [f"    {one}" for one in shown]
    if more := len(verification.disagreements) - len(shown):
        lines.append(f"    and {more:,} more")
    width = find_width()
    return [wrap_words(line, width, "      ", "") if len(line) > width else line for line in lines]
