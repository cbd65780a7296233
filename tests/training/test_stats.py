"""Intervals against SciPy, against published values and against what they promise."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from parlour.training.stats import Estimate, difference, mean, rate


def bools(yes: int, n: int) -> np.ndarray:
    return np.arange(n) < yes


def pairs(both: int, first: int, second: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    counts = (both, first, second, neither)
    return np.repeat([True, True, False, False], counts), np.repeat([True, False] * 2, counts)


@pytest.mark.parametrize(("yes", "n"), [(0, 7), (7, 7), (1, 1), (3, 10), (3433, 10_000)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.999])
def test_rates_have_wilsons_interval(yes: int, n: int, confidence: float) -> None:
    found = rate(bools(yes, n), confidence)
    known = scipy_stats.binomtest(yes, n).proportion_ci(confidence, "wilson")
    assert found.mean == yes / n
    assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=1e-12)
    assert found.n == n


@pytest.mark.parametrize("n", [12, 60])
def test_the_bootstrap_is_scipys(n: int) -> None:
    values = np.random.default_rng(n).exponential(size=n)
    found = mean(values, resamples=100_000)
    known = scipy_stats.bootstrap(
        (values,), np.mean, method="BCa", n_resamples=100_000, batch=5000, rng=1
    ).confidence_interval
    width = known.high - known.low
    assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=0.02 * width)


@pytest.mark.parametrize("n", [30, 300])
def test_the_bootstrap_covers_the_mean_as_often_as_it_says(n: int) -> None:
    rng, hits, tries = np.random.default_rng(0), 0, 400
    for attempt in range(tries):
        found = mean(rng.binomial(28, 0.6, n), resamples=999, seed=attempt)
        hits += found.low <= 28 * 0.6 <= found.high
    assert 0.91 < hits / tries < 0.98


def test_paired_rates_cover_their_difference_as_often_as_they_say() -> None:
    rng, hits, tries = np.random.default_rng(0), 0, 1000
    for _ in range(tries):
        first, second = pairs(*rng.multinomial(80, (0.25, 0.15, 0.05, 0.55)))
        found = difference(first, second)
        hits += found.low <= 0.1 <= found.high
    assert 0.93 < hits / tries < 0.98


def test_paired_rates_as_published() -> None:
    # Airway hyper-responsiveness before and after transplantation: Fagerland, Lydersen and Laake,
    # "Recommended tests and confidence intervals for paired binomial proportions", 2014.
    found = difference(*pairs(1, 1, 7, 12))
    assert (found.low, found.high) == pytest.approx((-0.507, -0.026), abs=0.0005)


def test_paired_rates_and_the_bootstrap_agree_on_many_deals() -> None:
    first, second = pairs(2500, 900, 700, 5900)
    one = difference(first, second)
    other = mean(first.astype(float) - second)
    assert one[:3] == pytest.approx(other[:3], abs=0.0005)


def test_pairing_makes_the_interval_narrower() -> None:
    rng = np.random.default_rng(0)
    luck = rng.normal(size=1000)
    first, second = luck + 0.1, luck + rng.normal(size=1000) / 10
    paired, apart = difference(first, second), difference(first, rng.permutation(second))
    assert paired.high - paired.low < (apart.high - apart.low) / 5


@pytest.mark.filterwarnings("error")
def test_values_that_are_all_equal() -> None:
    equal = np.full(50, 3)
    assert mean(equal) == Estimate(3.0, 3.0, 3.0, 50)
    assert difference(equal, equal) == Estimate(0.0, 0.0, 0.0, 50)
    assert mean(np.array([2.5])) == Estimate(2.5, 2.5, 2.5, 1)
    for yes in (0, 20, 50):
        found = difference(bools(yes, 50), bools(yes, 50))
        assert found.mean == 0
        assert -0.1 < found.low < 0 < found.high < 0.1  # not known for certain from 50 deals


def test_the_seed_decides() -> None:
    values = np.random.default_rng(0).integers(0, 29, 500)
    assert mean(values, seed=1) == mean(values, seed=1) != mean(values, seed=2)


def test_what_cannot_be_estimated_is_refused() -> None:
    none, one = np.zeros(0, bool), np.zeros(1, bool)
    with pytest.raises(ValueError, match="at least one"):
        rate(none)
    with pytest.raises(ValueError, match="at least one"):
        mean(none)
    with pytest.raises(ValueError, match="0 and 1"):
        difference(none, one)
    with pytest.raises(ValueError, match="confidence=95"):
        rate(one, 95)
