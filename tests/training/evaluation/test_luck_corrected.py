"""The luck-corrected mean of a review: unbiased, with intervals that cover the true mean."""

import numpy as np
import pytest

from parlour.training import evaluate, review_deal_set
from parlour.training.evaluation.reviews.review_deal_set import correct_luck
from parlour.training.evaluation.stats import wilson_rate

DECISIONS = 12


def play(rng: np.random.Generator, n: int, error: float) -> tuple[np.ndarray, np.ndarray]:
    """Return what n simulated games lost, and whether they were won.

    The chance of a game begins anywhere from 0 to 1. Each decision loses a part of it, and then
    cards are turned up: the chance goes to 0, to 1, or somewhere between, without a trend. At the
    end the chance is the probability of a win.
    """
    chance, lost = rng.random(n), np.zeros(n)
    for _ in range(DECISIONS):
        loss = chance * rng.random(n) * error
        chance, lost = chance - loss, lost + loss
        width = np.minimum(chance, 1 - chance) * rng.random(n)
        chance += width * rng.choice([-1, 1], n)
    return lost, rng.random(n) < chance


@pytest.mark.parametrize("error", [0.0, 0.02, 0.2])
def test_both_intervals_cover_the_true_mean(error: float) -> None:
    rng = np.random.default_rng(1)
    truth = 0.5 - play(rng, 2_000_000, error)[0].mean()
    covered, widths, trials = np.zeros(2), np.zeros(2), 1000
    means = []
    for _ in range(trials):
        lost, won = play(rng, 300, error)
        winnable = rng.random(5000) < 0.5
        estimates = wilson_rate(won), correct_luck(lost, winnable)
        covered += [one.low <= truth <= one.high for one in estimates]
        widths += [one.high - one.low for one in estimates]
        means.append(estimates[1].mean)
    assert np.all(covered / trials >= 0.93) and np.all(covered / trials <= 0.97)
    assert abs(np.mean(means) - truth) < 4 * np.std(means) / np.sqrt(trials)
    assert widths[1] < (0.6 if error < 0.1 else 1.1) * widths[0]


def test_the_estimate_is_the_share_of_winnable_deals_minus_the_losses() -> None:
    estimate = correct_luck(np.array([0.1, 0.3]), np.arange(10) < 7)
    assert estimate.mean == pytest.approx(0.7 - 0.2) and estimate.n == 2


def test_a_review_has_it_where_labels_exist() -> None:
    review = review_deal_set("pyramid", "greedy", deals=3, worlds=4, evaluation_seed="luck")
    assert review.luck_corrected is not None
    assert "luck-corrected" in str(review)
    assert review.summary()["luck_corrected"]["n"] == 3
    without = review_deal_set("pyramid", "greedy", deals=3, worlds=4, deal_set="pyramid-9")
    assert without.luck_corrected is None and without.summary()["luck_corrected"] is None
    assert "luck-corrected" not in str(without)
    judged = review_deal_set("poker_squares", "greedy", deals=2, worlds=2, player="uniform")
    assert judged.luck_corrected is None


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "most"), [("greedy", 1.4), ("pimc@4", 0.6)])
def test_it_agrees_with_the_plain_mean_of_many_deals(agent: str, most: float) -> None:
    """The deals of the plain mean are other deals than the reviewed ones."""
    review = review_deal_set("pyramid", agent, deals=250, worlds=16, evaluation_seed="luck")
    luck, corrected = review.estimates["luck"], review.luck_corrected
    assert corrected is not None
    assert abs(luck.mean) < (luck.high - luck.low)
    plain = evaluate("pyramid", agent, first=1000, deals=2000, evaluation_seed="l").estimate("won")
    outcome = review.estimates["outcome"]
    half = [(one.high - one.low) / 2 for one in (corrected, plain, outcome)]
    assert abs(corrected.mean - plain.mean) < 2 * np.hypot(half[0], half[1])
    assert half[0] < most * half[2]
