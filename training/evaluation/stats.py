"""Confidence intervals of rates, means and paired differences.

The intervals are Wilson's for rates, Newcombe's for differences of paired rates, and bootstrap
intervals for means and paired differences of means. Means of many, almost all different values have
Student's interval; several means tested together are corrected by Holm's method. Means that are
computed again while values are added have an anytime-valid interval. The module needs only NumPy,
since SciPy is optional; the tests compare the results with SciPy.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import atan2, cos, log, pi, sin, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

CONFIDENCE = 0.95
RESAMPLES = 9999
"""Number of bootstrap samples; the limits of a 95 % interval vary by about 1 % of its width."""


class Estimate(NamedTuple):
    """A mean, its interval, and the number of values."""

    mean: float
    low: float
    high: float
    n: int

    def text(self, times: float = 1.0, decimals: int = 2, sign: str = "") -> str:
        """Return text such as ``34.33 [33.41, 35.27]``.

        ``times`` is 100 for percent; ``sign`` is ``"+"`` to mark positive numbers, too.
        """
        mean, low, high = (f"{times * value:{sign}.{decimals}f}" for value in self[:3])
        return f"{mean} [{low}, {high}]"


class TestedMean(NamedTuple):
    """One of several means that are tested together against 0.

    ``alone`` has the interval of the mean tested by itself. ``holm`` has a wider interval,
    corrected for the number of means; it excludes 0 exactly if Holm's method rejects 0. ``p`` is
    the two-sided p-value, adjusted by Holm's method.
    """

    alone: Estimate
    holm: Estimate
    p: float


def wilson_rate(yes: np.ndarray, confidence: float = CONFIDENCE) -> Estimate:
    """Return the share of True in a bool array with its Wilson interval.

    Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    Raises ValueError if there are no values.
    """
    n = _require_values(yes)
    mean = int(np.count_nonzero(yes)) / n
    return Estimate(mean, *_wilson(mean, n, confidence), n)


def bootstrap_mean(
    values: np.ndarray,
    confidence: float = CONFIDENCE,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Return the mean of values with its bootstrap interval (BCa), seeded by ``seed``.

    The bootstrap draws counts of the different values, which is equivalent to drawing all values
    and faster. Equal values give an interval of width 0. Efron, "Better bootstrap confidence
    intervals", 1987. Raises ValueError if there are no values.
    """
    n = _require_values(values)
    known, counts = np.unique(np.asarray(values, np.float64), return_counts=True)
    centre = float(known @ counts / n)
    if len(known) == 1:
        return Estimate(centre, centre, centre, n)
    draws = np.random.default_rng(seed).multinomial(n, counts / n, resamples) @ known / n
    shares = _bca_shares(known - centre, counts, draws, centre, confidence)
    low, high = np.quantile(draws, shares)
    return Estimate(centre, float(low), float(high), n)


def paired_difference(
    first: np.ndarray,
    second: np.ndarray,
    confidence: float = CONFIDENCE,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Return the mean of ``first - second``, values of the same deals, with its interval.

    Two bool arrays are rates with Newcombe's interval for paired proportions (his method 10), which
    has a positive width even if the two never differ. Other values have the bootstrap interval of
    their differences. Raises ValueError if there are no values, or the lengths differ.
    """
    if len(first) != len(second):
        raise ValueError(
            f"paired values must have the same length, got {len(first)} and {len(second)}"
        )
    if first.dtype == np.bool_ and second.dtype == np.bool_:
        return _paired_rates(first, second, confidence)
    paired = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    return bootstrap_mean(paired, confidence, resamples=resamples, seed=seed)


def student_mean(values: np.ndarray, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of values with Student's interval, for many, almost all different values.

    Equal values give an interval of width 0. Raises ValueError for fewer than two values.
    """
    centre, error, n = _mean_and_error(values)
    half = error * _student_quantile(_check_confidence(confidence), n - 1) if error else 0.0
    return Estimate(centre, centre - half, centre + half, n)


def student_ratio(sums: np.ndarray, counts: np.ndarray, confidence: float = CONFIDENCE) -> Estimate:
    """Return the sum of ``sums`` divided by that of ``counts``, with Student's interval.

    The values, (n,), are those of independent groups of different sizes, such as games with their
    decisions; n is at least 2. The interval is that of the linearized ratio.
    """
    _require_values(sums)
    ratio, mean_count = float(sums.sum() / counts.sum()), float(counts.mean())
    return student_mean(ratio + (sums - ratio * counts) / mean_count, confidence)


def anytime_mean(
    values: np.ndarray, tuned: float, confidence: float = CONFIDENCE, *, largest: float
) -> Estimate:
    """Return the mean of values with an interval that may be computed again as values are added.

    All the intervals, for every number of values, contain the true mean together with the
    probability ``confidence``. So the values may end at any time, for any reason. This holds for
    normal values of known variance, and approximately for many values of any distribution.

    The interval has the means m that two sequential probability ratio tests (SPRT) do not reject:
    m against ``m + tuned``, and m against ``m - tuned``. The tests are those of Wald, "Sequential
    tests of statistical hypotheses", 1945, with the variance of the values (generalized SPRT). By
    Ville's inequality, a likelihood ratio exceeds ``2 / (1 - confidence)`` at any time with at most
    the probability ``(1 - confidence) / 2`` if m is the true mean.

    The first values may all be equal by chance. So the variance includes four pseudo-values, two at
    distance ``largest`` on each side of the mean.

    Args:
        values: The values, (n,).
        tuned: A positive difference of means. The half width of the interval falls toward half of
            it. No other value of ``tuned`` gives a shorter interval when the half width is equal to
            ``tuned``.
        confidence: The probability that all intervals contain the mean.
        largest: The largest absolute value that the values can have, or that is known.

    Raises:
        ValueError: There are no values.
    """
    n = _require_values(values)
    given = np.asarray(values, np.float64)
    centre = float(given.mean())
    variance = (float(((given - centre) ** 2).sum()) + 4 * largest**2) / n
    limit = log(2 / (1 - _check_confidence(confidence)))
    half = limit * variance / (n * tuned) + tuned / 2
    return Estimate(centre, centre - half, centre + half, n)


def student_means(values: np.ndarray, confidence: float = CONFIDENCE) -> list[TestedMean]:
    """Test the mean of each column of (n, m) against 0, as m hypotheses (Student, Holm).

    Holm, "A simple sequentially rejective multiple test procedure", 1979. The means are ranked by
    their p-values. With ``a = 1 - confidence``, the mean of rank i (from 0) has the confidence
    level ``1 - a / (m - i)`` as long as all means before it are rejected; all further means have
    the level of the first one that is not. Raises ValueError for fewer than two rows.
    """
    columns = [values[:, column] for column in range(values.shape[1])]
    ps = [_student_p(column) for column in columns]
    adjusted = holm_adjust(ps)
    rejected = [p < 1 - confidence for p in adjusted]
    left = len(ps) - sum(rejected)
    ranks = {column: rank for rank, column in enumerate(sorted(range(len(ps)), key=ps.__getitem__))}
    tested = []
    for column, sample in enumerate(columns):
        among = len(ps) - ranks[column] if rejected[column] else left
        wide = student_mean(sample, 1 - (1 - confidence) / among)
        tested.append(TestedMean(student_mean(sample, confidence), wide, adjusted[column]))
    return tested


def holm_adjust(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's method, in their order."""
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = highest
    return adjusted


def _require_values(values: np.ndarray) -> int:
    if len(values) == 0:
        raise ValueError("values must have at least one value, got none")
    return len(values)


def _check_confidence(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    return confidence


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + _check_confidence(confidence)) / 2)


def _mean_and_error(values: np.ndarray) -> tuple[float, float, int]:
    """Return the mean of values, its standard error, and the number of values."""
    n = len(values)
    if n < 2:
        raise ValueError(f"values must have at least two numbers for Student's interval, got {n}")
    given = np.asarray(values, np.float64)
    return float(given.mean()), float(given.std(ddof=1)) / sqrt(n) if np.ptp(given) else 0.0, n


def _student_p(values: np.ndarray) -> float:
    """Return the two-sided p-value of the hypothesis that the mean is 0."""
    centre, error, n = _mean_and_error(values)
    if error == 0:
        return float(centre == 0)
    return max(0.0, 1 - _student_share(abs(centre) / error, n - 1))


def _student_share(t: float, freedom: int) -> float:
    """Return the probability of values between -t and t under Student's distribution.

    The formula is the finite series of Abramowitz and Stegun, "Handbook of mathematical functions",
    26.7.3 and 26.7.4.
    """
    angle = atan2(t, sqrt(freedom))
    k = np.arange(1, freedom // 2, dtype=np.float64)
    ratios = (2 * k - 1) / (2 * k) if freedom % 2 == 0 else 2 * k / (2 * k + 1)
    series = 1 + float(np.cumprod(ratios * cos(angle) ** 2).sum())
    if freedom % 2 == 0:
        return sin(angle) * series
    return 2 / pi * (angle + (sin(angle) * cos(angle) * series if freedom > 1 else 0.0))


@lru_cache(maxsize=256)
def _student_quantile(confidence: float, freedom: int) -> float:
    """Return the t such that values from -t to t have the probability ``confidence`` (Student)."""
    low, high = 0.0, 1.0
    while _student_share(high, freedom) < confidence:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if _student_share(middle, freedom) < confidence else (low, middle)
        )
    return (low + high) / 2


def _wilson(p: float, n: int, confidence: float) -> tuple[float, float]:
    z = _z(confidence)
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (0.0 if p == 0 else centre - half), (1.0 if p == 1 else centre + half)


def _bca_shares(
    off: np.ndarray, counts: np.ndarray, draws: np.ndarray, centre: float, confidence: float
) -> list[float]:
    """Return the bias-corrected and accelerated quantiles that are the limits of the interval.

    ``off`` has the different values minus their mean. For a mean, the jackknife's acceleration has
    this closed form.
    """
    normal, z = NormalDist(), _z(confidence)
    below = (np.count_nonzero(draws < centre) + np.count_nonzero(draws <= centre)) / 2
    limit = 1 / (2 * len(draws))
    bias = normal.inv_cdf(min(max(below / len(draws), limit), 1 - limit))
    speed = float(counts @ off**3 / (6 * (counts @ off**2) ** 1.5))
    shares = []
    for side in (bias - z, bias + z):
        shares.append(normal.cdf(bias + side / (1 - speed * side)))
    return shares


def _paired_rates(first: np.ndarray, second: np.ndarray, confidence: float) -> Estimate:
    """Newcombe, "Improved confidence intervals for the difference between binomial proportions
    based on paired data", 1998, method 10.
    """
    n = _require_values(first)
    both = int(np.count_nonzero(first & second))
    one, two = int(np.count_nonzero(first)), int(np.count_nonzero(second))
    p, q = one / n, two / n
    (p_low, p_high), (q_low, q_high) = _wilson(p, n, confidence), _wilson(q, n, confidence)
    phi = _phi(both, one - both, two - both, n - one - two + both)
    down, up = (p - p_low, q_high - q), (p_high - p, q - q_low)
    low, high = ((a * a - 2 * phi * a * b + b * b) for a, b in (down, up))
    centre = p - q
    return Estimate(centre, centre - sqrt(max(low, 0.0)), centre + sqrt(max(high, 0.0)), n)


def _phi(both: int, only_first: int, only_second: int, neither: int) -> float:
    """Return the correlation of two bool variables, with Newcombe's continuity correction."""
    n = both + only_first + only_second + neither
    product = (both + only_first) * (only_second + neither)
    product *= (both + only_second) * (only_first + neither)
    if product == 0:
        return 0.0
    excess = both * neither - only_first * only_second
    if excess > 0:
        excess = max(excess - n / 2, 0.0)  # type: ignore[assignment]
    return excess / sqrt(product)
