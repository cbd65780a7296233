"""Aggregate scores: interquartile mean, stratified bootstrap, profiles, and improvement."""

import numpy as np
import pytest
from scipy.stats import trim_mean

from parlour.training.benchmark.scores import (
    aggregate,
    improvement,
    interquartile_mean,
    profile,
)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 50])
def test_the_interquartile_mean_is_that_of_scipy(n: int) -> None:
    values = np.random.default_rng(n).normal(size=n)
    assert interquartile_mean(values) == pytest.approx(trim_mean(values, 0.25))


def test_two_outliers_among_eight_runs_do_not_count() -> None:
    assert interquartile_mean(np.array([0.4, 0.5, 0.5, 0.5, 0.5, 0.6, -90.0, 90.0])) == 0.5


def test_an_interval_covers_the_true_score() -> None:
    """Seeds of a task are normal around its mean; with 20 seeds, 95 % intervals cover 95 %."""
    rng, covered, trials = np.random.default_rng(0), 0, 300
    for trial in range(trials):
        scores = {task: rng.normal(0.5, 0.1, 20) for task in ("a", "b", "c")}
        estimate = aggregate(scores, resamples=400, seed=trial)
        covered += estimate.low <= 0.5 <= estimate.high
    assert 0.90 <= covered / trials <= 0.98


def test_a_single_seed_varies_by_its_deals() -> None:
    scores = {"a": np.array([0.5]), "b": np.array([0.5])}
    fixed = aggregate(scores)
    assert (fixed.low, fixed.high) == (0.5, 0.5)
    errors = {"a": np.array([0.1]), "b": np.array([0.1])}
    estimate = aggregate(scores, errors=errors)
    half = 1.96 * 0.1 / np.sqrt(2)
    assert (estimate.high - estimate.low) / 2 == pytest.approx(half, rel=0.1)


def test_several_seeds_vary_by_seed_alone() -> None:
    scores = {"a": np.array([0.4, 0.6])}
    assert aggregate(scores, errors={"a": np.array([9.0])}) == aggregate(scores)


def test_a_profile_weighs_tasks_equally() -> None:
    scores = {"a": np.array([0.2, 0.4]), "b": np.array([0.9])}
    np.testing.assert_allclose(profile(scores, np.array([0.0, 0.3, 0.5, 1.0])), [1, 0.75, 0.5, 0])


def test_improvement_counts_pairs_of_seeds_on_common_tasks() -> None:
    first = {"a": np.array([0.5, 0.7]), "b": np.array([1.0])}
    second = {"a": np.array([0.5, 0.6]), "c": np.array([2.0])}
    assert improvement(first, second) == pytest.approx((0.5 + 0 + 1 + 1) / 4)
    assert improvement(second, first) == pytest.approx(1 - improvement(first, second))
    with pytest.raises(ValueError, match="at least one task in common"):
        improvement(first, {"d": np.array([1.0])})
