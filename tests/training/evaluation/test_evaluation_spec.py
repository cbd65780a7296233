"""Specifications of evaluations, validated before any game is played."""

import numpy as np
import pytest

from parlour.envs import find_game
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.training.evaluation.compare import compare
from parlour.training.evaluation.evaluation_spec import make_specs

PYRAMID, TABLE = find_game("pyramid"), find_game("seven_twenty_seven")


def test_without_a_variant_it_is_the_default_of_the_game() -> None:
    (spec,) = make_specs("pyramid")
    assert (spec.game, spec.rules) == (PYRAMID, PYRAMID.make_rules())
    assert spec.base_variant == spec.variant == PYRAMID.default
    assert (spec.deal_set, spec.first, spec.deals) == ("pyramid-1", 0, 10_000)
    assert not spec.is_multiplayer


def test_a_variant_with_options_is_named_in_full() -> None:
    (spec,) = make_specs(PYRAMID, ["web"], {"passes": 2})
    assert (spec.base_variant, spec.variant) == ("web", "web + passes=2")


def test_deals_are_those_of_the_deal_set() -> None:
    (spec,) = make_specs(PYRAMID, deal_set="mine", first=7, deals=3)
    assert spec.numbers.tolist() == [7, 8, 9]
    assert np.array_equal(spec.seeds, deal_seeds("mine", range(7, 10)))


def test_all_variants_share_one_key() -> None:
    """Each call has a new evaluation seed unless one is given."""
    first, second = make_specs(PYRAMID, ["web", "classic"])
    assert first.evaluation_seed == second.evaluation_seed != make_specs(PYRAMID)[0].evaluation_seed
    assert make_specs(PYRAMID, evaluation_seed="k")[0].evaluation_seed == "k"


def test_seats() -> None:
    (spec,) = make_specs(TABLE, hands=2)
    assert (spec.is_multiplayer, spec.num_players, spec.hands) == (True, 4, 2)
    with pytest.raises(ValueError, match="Compare them separately"):
        make_specs("poker_squares", ["book", "duel"])


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"deals": 0}, "deals must be an integer >= 1, got 0"),
        ({"seed": -1}, "seed must be an integer >= 0, got -1"),
        ({"hands": 2}, "hands must be 1 in a game for one player, got 2"),
        ({"max_moves": -1}, "max_moves must be an integer >= 0, got -1"),
        ({"first": -1}, "deal must be an integer >= 0, got -1 \\(deal set 'pyramid-1'\\)"),
        ({"variants": ["webb"]}, "Did you mean 'web'"),
        ({"options": {"passes": 99}}, "passes must be an integer from 0 to 9, got 99"),
    ],
)
def test_what_makes_no_sense_is_refused(keywords: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_specs(PYRAMID, **keywords)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        compare(PYRAMID, ["uniform"], **keywords)  # type: ignore[arg-type]


def test_results_have_the_specification_that_they_are_of() -> None:
    comparison = compare(PYRAMID, ["uniform", "greedy"], deals=2, max_moves=5, seed=3)
    first, second = (one.spec for one in comparison.evaluations)
    assert first is second
    assert (first.deals, first.max_moves, first.seed) == (2, 5, 3)
    (match,) = compare(TABLE, ["uniform"], variants=["mini"], deals=2).evaluations
    assert (match.spec.variant, match.spec.hands) == ("mini", 1)
