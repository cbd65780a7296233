"""Uniform play of the two new games comes to the means that are known for it."""

import pytest

from parlour.training.evaluation.compare import evaluate


@pytest.mark.parametrize(
    ("variant", "mean"), [("classic", 14.41), ("book", 14.42), ("british", 7.68)]
)
def test_poker_squares(variant: str, mean: float) -> None:
    """Means published, or simulated a million times apart from this code."""
    score = evaluate("poker_squares", "uniform", variant=variant, deals=100_000).estimate("score")
    assert score.mean == pytest.approx(mean, abs=0.1)


def test_puss_in_the_corner() -> None:
    result = evaluate("puss_in_the_corner", "uniform", variant="book", deals=20_000)
    assert result.estimate("score").mean == pytest.approx(17.3, abs=0.3)
    assert result.estimate("won").mean < 0.0005
