"""Winnable deals that an agent lost, from results in memory or on disk."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from parlour.envs import find_game
from parlour.training import compare, find_lost
from parlour.training.evaluation.reviews.review_lost import review_lost

GAME = find_game("pyramid")


def test_they_are_those_that_the_labels_call_winnable(tmp_path: Path) -> None:
    """The test uses shipped labels, which `test_labels` compares with the solver."""
    comparison = compare(
        GAME, ["uniform", "greedy"], variants=["three-passes", "classic"], deals=60, first=20
    )
    comparison.save(tmp_path)
    lost = find_lost(comparison, "greedy")
    assert (
        lost == find_lost(tmp_path, "greedy") == find_lost(tmp_path / "episodes.parquet", "greedy")
    )
    expected = []
    for one in comparison.evaluations:
        if one.agent != "greedy" or one.spec.labels is None:
            continue
        mine, theirs = one.spec.labels.overlap(20, 60)
        can = one.spec.labels.winnable[theirs] == 1
        won = one.results.facts["won"][mine]
        deals = one.deals[mine][can & ~won]
        fewest = one.spec.labels.fewest[theirs][can & ~won]
        assert one.label_comparison is not None and one.label_comparison.lost == len(deals)
        expected += [
            (one.variant, int(deal), int(moves) if moves >= 0 else None)
            for deal, moves in zip(deals, fewest, strict=True)
        ]
    assert [(one.variant, one.deal, one.fewest) for one in lost] == expected
    assert len({one.variant for one in lost}) == 2 and len(expected) > 10
    assert all(one.rules == GAME.make_rules(one.variant) for one in lost)
    assert {(one.deal_set, one.agent, one.game) for one in lost} == {("pyramid-1", "greedy", GAME)}
    state = np.array([one.deal for one in lost if one.variant == "classic"])
    assert (np.diff(state) > 0).all()


def test_what_cannot_be_answered_is_refused(tmp_path: Path) -> None:
    comparison = compare(GAME, ["uniform", "greedy"], deals=4, evaluation_seed="k")
    with pytest.raises(ValueError, match=r"agent must be .*, got 'gredy'. Did you mean 'greedy'"):
        find_lost(comparison, "gredy")
    with pytest.raises(ValueError, match="agent must be one of uniform, greedy, got none"):
        find_lost(comparison)
    assert find_lost(compare(GAME, ["greedy"], deals=4, evaluation_seed="k")) == find_lost(
        comparison, "greedy"
    )
    with pytest.raises(ValueError, match="must have solver labels"):
        find_lost(compare(GAME, ["greedy"], deals=4, labels="no"))
    with pytest.raises(ValueError, match="must have solver labels"):
        find_lost(compare("poker_squares", ["greedy"], deals=4))
    with pytest.raises(
        ValueError, match=r"a folder with episodes\.parquet, or this file, got .*none"
    ):
        find_lost(tmp_path / "none")
    (tmp_path / "episodes.parquet").write_bytes(b"no such thing")
    with pytest.raises(ValueError, match=r"episodes\.parquet"):
        find_lost(tmp_path)
    several = compare("seven_twenty_seven", ["greedy"], deals=2)
    several.save(tmp_path)
    with pytest.raises(ValueError, match="must be those of a game for one player"):
        find_lost(tmp_path)


def test_a_name_in_results_imports_no_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    marker = tmp_path / "marker"
    (tmp_path / "module_in_results.py").write_text(f"open({str(marker)!r}, 'w').close()\n")
    (one,) = compare(GAME, ["uniform"], deals=30, evaluation_seed="k").evaluations
    replace(one, agent="module_in_results:Agent").save(tmp_path / "results")
    with pytest.raises(ValueError, match="its name in the results is module:Class, got"):
        review_lost(tmp_path / "results", worlds=2, deals=1)
    assert not marker.exists()
