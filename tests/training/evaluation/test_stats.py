"""Intervals compared with SciPy, published values, and their nominal coverage."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from parlour.training.evaluation.stats import (
    Estimate,
    bootstrap_mean,
    holm_adjust,
    paired_difference,
    student_mean,
    student_means,
    wilson_rate,
)


def bools(yes: int, n: int) -> np.ndarray:
    return np.arange(n) < yes


def pairs(both: int, first: int, second: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    counts = (both, first, second, neither)
    return np.repeat([True, True, False, False], counts), np.repeat([True, False] * 2, counts)


@pytest.mark.parametrize(("yes", "n"), [(0, 7), (7, 7), (1, 1), (3, 10), (3433, 10_000)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.999])
def test_rates_have_wilsons_interval(yes: int, n: int, confidence: float) -> None:
    estimate = wilson_rate(bools(yes, n), confidence)
    known = scipy_stats.binomtest(yes, n).proportion_ci(confidence, "wilson")
    assert estimate.mean == yes / n
    assert (estimate.low, estimate.high) == pytest.approx((known.low, known.high), abs=1e-12)
    assert estimate.n == n


@pytest.mark.parametrize("n", [12, 60])
def test_the_bootstrap_is_scipys(n: int) -> None:
    values = np.random.default_rng(n).exponential(size=n)
    estimate = bootstrap_mean(values, resamples=100_000)
    known = scipy_stats.bootstrap(
        (values,), np.mean, method="BCa", n_resamples=100_000, batch=5000, rng=1
    ).confidence_interval
    width = known.high - known.low
    assert (estimate.low, estimate.high) == pytest.approx((known.low, known.high), abs=0.02 * width)


@pytest.mark.parametrize("n", [30, 300])
def test_the_bootstrap_covers_the_mean_as_often_as_it_says(n: int) -> None:
    rng, hits, tries = np.random.default_rng(0), 0, 400
    for attempt in range(tries):
        estimate = bootstrap_mean(rng.binomial(28, 0.6, n), resamples=999, seed=attempt)
        hits += estimate.low <= 28 * 0.6 <= estimate.high
    assert 0.91 < hits / tries < 0.98


def test_paired_rates_cover_their_difference_as_often_as_they_say() -> None:
    rng, hits, tries = np.random.default_rng(0), 0, 1000
    for _ in range(tries):
        first, second = pairs(*rng.multinomial(80, (0.25, 0.15, 0.05, 0.55)))
        estimate = paired_difference(first, second)
        hits += estimate.low <= 0.1 <= estimate.high
    assert 0.93 < hits / tries < 0.98


def test_paired_rates_as_published() -> None:
    # Airway hyper-responsiveness before and after transplantation: Fagerland, Lydersen and Laake,
    # "Recommended tests and confidence intervals for paired binomial proportions", 2014.
    estimate = paired_difference(*pairs(1, 1, 7, 12))
    assert (estimate.low, estimate.high) == pytest.approx((-0.507, -0.026), abs=0.0005)


def test_paired_rates_and_the_bootstrap_agree_on_many_deals() -> None:
    first, second = pairs(2500, 900, 700, 5900)
    one = paired_difference(first, second)
    other = bootstrap_mean(first.astype(float) - second)
    assert one[:3] == pytest.approx(other[:3], abs=0.0005)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 31, 2000])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.9999])
def test_students_interval_is_scipys(n: int, confidence: float) -> None:
    values = np.random.default_rng(n).exponential(size=n)
    estimate = student_mean(values, confidence)
    known = scipy_stats.ttest_1samp(values, 0).confidence_interval(confidence)
    assert (estimate.low, estimate.high) == pytest.approx((known.low, known.high), rel=1e-9)
    assert (estimate.mean, estimate.n) == (pytest.approx(values.mean()), n)


def test_students_interval_of_a_case_worked_by_hand() -> None:
    # mean 3, variance 10 / 4, standard error sqrt(0.5), t(0.975, 4) = 2.776445
    estimate = student_mean(np.array([1, 2, 3, 4, 5]))
    assert estimate[:3] == pytest.approx((3, 3 - 2.776445 * 0.5**0.5, 3 + 2.776445 * 0.5**0.5))


def test_holms_p_values_as_worked_by_hand() -> None:
    # in order 0.005 * 4, 0.01 * 3, 0.03 * 2, and 0.04, which must not be below the one before
    assert holm_adjust([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm_adjust([0.5, 0.9]) == [1.0, 1.0]
    assert holm_adjust([0.2]) == [0.2]
    assert holm_adjust([]) == []


def test_holms_intervals_agree_with_holms_p_values() -> None:
    rng = np.random.default_rng(0)
    text = 0
    for _ in range(200):
        values = rng.normal(rng.choice([0, 0.5], 4), size=(30, 4))
        estimate = student_means(values)
        known = scipy_stats.ttest_1samp(values, 0)
        assert [one.p for one in estimate] == pytest.approx(
            holm_adjust(known.pvalue.tolist()), abs=1e-12
        )
        for column, one in enumerate(estimate):
            assert one.alone == student_mean(values[:, column])
            assert one.holm.low <= one.alone.low <= one.alone.high <= one.holm.high
            assert (one.p < 0.05) == (one.holm.low > 0 or one.holm.high < 0)
            text += one.p < 0.05
    assert 100 < text < 600


def test_holms_correction_keeps_the_error_of_the_family() -> None:
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(1000):
        wrong += any(one.p < 0.05 for one in student_means(rng.normal(size=(20, 5))))
    assert 0.03 < wrong / 1000 < 0.07


def test_the_second_of_two_is_tested_alone_once_the_first_is_told() -> None:
    values = np.random.default_rng(3).normal((2.0, 0.0), size=(25, 2))
    first, second = student_means(values)
    assert first.holm == student_mean(values[:, 0], 0.975)
    assert second.holm == second.alone


def test_pairing_makes_the_interval_narrower() -> None:
    rng = np.random.default_rng(0)
    luck = rng.normal(size=1000)
    first, second = luck + 0.1, luck + rng.normal(size=1000) / 10
    paired, apart = (
        paired_difference(first, second),
        paired_difference(first, rng.permutation(second)),
    )
    assert paired.high - paired.low < (apart.high - apart.low) / 5


@pytest.mark.filterwarnings("error")
def test_values_that_are_all_equal() -> None:
    equal = np.full(50, 3)
    assert bootstrap_mean(equal) == Estimate(3.0, 3.0, 3.0, 50)
    assert paired_difference(equal, equal) == Estimate(0.0, 0.0, 0.0, 50)
    assert bootstrap_mean(np.array([2.5])) == Estimate(2.5, 2.5, 2.5, 1)
    assert student_mean(equal) == Estimate(3.0, 3.0, 3.0, 50)
    assert [one.p for one in student_means(np.tile([0, 3], (9, 1)))] == [1.0, 0.0]
    for yes in (0, 20, 50):
        estimate = paired_difference(bools(yes, 50), bools(yes, 50))
        assert estimate.mean == 0
        assert -0.1 < estimate.low < 0 < estimate.high < 0.1  # not known for certain from 50 deals


def test_the_seed_decides() -> None:
    values = np.random.default_rng(0).integers(0, 29, 500)
    assert (
        bootstrap_mean(values, seed=1)
        == bootstrap_mean(values, seed=1)
        != bootstrap_mean(values, seed=2)
    )


def test_what_cannot_be_estimated_is_refused() -> None:
    none, one = np.zeros(0, bool), np.zeros(1, bool)
    with pytest.raises(ValueError, match="at least one"):
        wilson_rate(none)
    with pytest.raises(ValueError, match="at least one"):
        bootstrap_mean(none)
    with pytest.raises(ValueError, match="0 and 1"):
        paired_difference(none, one)
    with pytest.raises(ValueError, match="between 0 and 1, got 95"):
        wilson_rate(one, 95)
    with pytest.raises(ValueError, match="between 0 and 1, got 95"):
        student_mean(np.arange(3), 95)
    with pytest.raises(ValueError, match="at least two"):
        student_mean(np.zeros(1))
