"""Aggregate scores of methods over tasks and training seeds.

The statistics are those of Agarwal et al., "Deep Reinforcement Learning at the Edge of the
Statistical Precipice", NeurIPS 2021: interquartile mean with stratified bootstrap intervals,
performance profiles, and the probability of improvement.
"""

from collections.abc import Mapping

import numpy as np

from ..evaluation.stats import CONFIDENCE, Estimate

RESAMPLES = 2000
"""Number of bootstrap samples."""

Scores = Mapping[str, np.ndarray]
"""Normalized scores of a method: for each task an array (seeds,)."""


def interquartile_mean(values: np.ndarray) -> np.ndarray:
    """Return the mean of the middle half of the values along the last axis, (..., n).

    A quarter of the values, rounded down, is dropped at each end.
    """
    n = values.shape[-1]
    ordered = np.sort(values, axis=-1)
    mean: np.ndarray = ordered[..., n // 4 : n - n // 4].mean(axis=-1)
    return mean


def aggregate(
    scores: Scores,
    confidence: float = CONFIDENCE,
    *,
    errors: Scores | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Return the interquartile mean over tasks and seeds with a stratified bootstrap interval.

    Each bootstrap sample draws, for each task, as many seeds as there are, with replacement.

    Args:
        scores: The normalized scores, for each task (seeds,). Not empty.
        confidence: The confidence level.
        errors: Standard errors of the scores over deals, in the same form. They are the source of
            variation of a task with a single seed, of which the bootstrap draws normal errors. None
            ignores that variation.
        resamples: The number of bootstrap samples.
        seed: Seed of the bootstrap.
    """
    rng = np.random.default_rng(seed)
    drawn = []
    for task, values in scores.items():
        samples = values[rng.integers(0, len(values), (resamples, len(values)))]
        if len(values) == 1 and errors is not None:
            samples = samples + rng.standard_normal((resamples, 1)) * errors[task]
        drawn.append(samples)
    means = interquartile_mean(np.concatenate(drawn, axis=1))
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    whole = np.concatenate(list(scores.values()))
    return Estimate(float(interquartile_mean(whole)), float(low), float(high), len(whole))


def profile(scores: Scores, thresholds: np.ndarray) -> np.ndarray:
    """Return the share of runs, over all tasks and seeds, with a score of at least each threshold.

    Each task has the same weight.
    """
    shares = [(values[:, None] >= thresholds).mean(axis=0) for values in scores.values()]
    mean: np.ndarray = np.mean(shares, axis=0)
    return mean


def improvement(first: Scores, second: Scores) -> float:
    """Return the probability that a run of the first method scores higher than one of the second.

    The probability is the mean over the tasks that both methods have; ties count half.

    Raises:
        ValueError: The methods have no task in common.
    """
    common = [task for task in first if task in second]
    if not common:
        raise ValueError("methods must have at least one task in common")
    wins = []
    for task in common:
        pairs = first[task][:, None] - second[task][None, :]
        wins.append((pairs > 0).mean() + (pairs == 0).mean() / 2)
    return float(np.mean(wins))
