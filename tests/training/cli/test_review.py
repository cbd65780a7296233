"""``parlour review``: one game or many deals, as tables, JSON, and files."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from parlour.training import compare, find_lost
from parlour.training.cli import main
from parlour.training.cli.process import STOPPED
from parlour.training.evaluation.reviews import review_deal_set, review_lost
from parlour.training.evaluation.reviews.review import REVIEW_FILES
from parlour.training.evaluation.reviews.review_judges import make_judge

SMALL = ("--worlds", "2", "--evaluation-seed", "k")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main.main(["review", *words])
    return status, *capsys.readouterr()


def read(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    status, out, err = run(capsys, *words, "--json")
    assert (status, err) == (0, "")
    result: dict[str, Any] = json.loads(out)
    return result


def test_one_game_is_a_table_json_and_a_picture(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("pyramid", "--deal", "0", "--agent", "greedy", *SMALL)
    status, out, err = run(capsys, *words, "--out", str(tmp_path))
    assert (status, err) == (0, "")
    assert out.startswith("Pyramid, three-passes, deal 0 of deal set pyramid-1: greedy\n")
    assert "First chance " in out
    text = " ".join(out.split())  # narrow terminals wrap lines
    assert "With all cards known, this deal is winnable; #" in text
    assert " made it unwinnable." in text
    assert (
        "share of 2 sampled worlds that can still be won (exact solver). Seed of the worlds: 0."
        in text
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(REVIEW_FILES)
    kept = json.loads((tmp_path / "summary.json").read_text())
    assert kept == read(capsys, *words)
    parts = [kept[name] for name in ("first_chance", "loss", "unseen", "luck", "outcome")]
    assert parts[0] - parts[1] - parts[2] + parts[3] == pytest.approx(parts[4], abs=1e-6)


def test_actions_are_reviewed_that_somebody_has_played(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = read(capsys, "pyramid", "--deal", "0", "--worlds", "2", "--actions", "DEAL", "deal")
    assert [one["label"] for one in result["decisions"]] == ["DEAL", "DEAL"]
    assert (result["outcome"], result["agent"]) == (None, "")
    status, out, _ = run(capsys, "pyramid", "--deal", "0", "--worlds", "2", "--actions", "DEAL")
    assert status == 0
    assert "so far; the game is not over." in out


def test_a_deal_set_is_summed_up(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("pyramid", "--agent", "uniform", "--deals", "2", "--first", "5", *SMALL)
    result = read(capsys, *words)
    assert (result["deals"], result["first"], result["agent"]) == (2, 5, "uniform")
    status, out, _ = run(capsys, *words, "--out", str(tmp_path))
    assert status == 0
    for output in ("mean over 2 deals", "by kind of action", "by phase", "worst decisions"):
        assert output in out
    assert (tmp_path / "review.png").stat().st_size > 10_000


def test_what_was_done_before_it_was_stopped_is_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real, done = review_deal_set.review_numbered, []

    def stopped(*given: Any) -> Any:
        if done:
            raise KeyboardInterrupt
        done.append(real(*given))
        return done[0]

    monkeypatch.setattr(review_deal_set, "review_numbered", stopped)
    status, out, _ = run(capsys, "pyramid", "--deals", "5", *SMALL, "--out", str(tmp_path))
    assert status == STOPPED
    assert "1 of 5 deals were reviewed" in out
    assert json.loads((tmp_path / "summary.json").read_text())["deals"] == 1


def test_a_table_of_several_is_played_out(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("seven-twenty-seven", "--variant", "mini", "--player", "greedy", *SMALL)
    result = read(capsys, *words, "--deal", "1", "--seat", "1", "--opponents", "tight")
    assert (result["unit"], result["seat"], result["exact"]) == ("net", 1, False)
    whole = read(capsys, *words, "--deals", "2")
    assert whole["deals"] == 2
    assert whole["winnable"] is None


@pytest.mark.parametrize(
    ("words", "output"),
    [
        ("pyramid --deal 0 --deals 3", "--deals must not be given: --deal selects one deal"),
        ("pyramid --actions DEAL", "--actions needs --deal NUMBER"),
        ("pyramid --deal 0 --actions fly", "got 'fly'"),
        (
            "pyramid --deal 0 --actions DEAL --agent greedy",
            "--agent must not be given: --actions replaces",
        ),
        ("pyramid --deal 0 --actions 0", "got 0 (choose 4♥)"),
        (
            "pyramid --deal 0 --seat 1",
            "--seat must not be given: these rules of Pyramid are for one player",
        ),
        ("pyramid --deal 0 --worlds 0", "worlds must be an integer >= 1, got 0"),
        ("pyramid --deal 0 --player nobody", "nobody"),
        ("pyramid --deal 0 --agent nobody", "nobody"),
        ("pyramid --deal -1", "-1"),
        ("pyramid --deals 0", "deals must be an integer >= 1, got 0"),
        (
            "seven-twenty-seven --variant mini --deal 0 --seat 9 --player greedy",
            "seat must be an integer from 0 to 1, got 9",
        ),
    ],
)
def test_what_is_wrong_is_one_line(
    words: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, *words.split())
    assert (status, out) == (2, "")
    assert output in err
    assert err.count("\n") == 1


LOST = ("--lost-though-winnable", "--worlds", "2")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Saved results of greedy and uniform on 20 labeled deals."""
    folder = tmp_path_factory.mktemp("results")
    compare("pyramid", ["uniform", "greedy"], deals=20, evaluation_seed="k").save(folder)
    return folder


def test_deals_lost_though_winnable_are_played_again(
    capsys: pytest.CaptureFixture[str], results: Path, tmp_path: Path
) -> None:
    words = ("--from", str(results), *LOST, "--agent", "greedy")
    wanted = [one.deal for one in find_lost(results, "greedy")]
    status, out, err = run(capsys, *words, "--deals", "2", "--out", str(tmp_path))
    assert (status, err) == (0, "")
    assert f"the first 2 of {len(wanted)} winnable deals that the agent lost" in out
    text = " ".join(out.split())  # lines are wrapped
    assert "2 of 2 deals are winnable; the agent made 2 of them unwinnable." in text
    assert out.count("made unwinnable") >= 2
    rows = pd.read_parquet(tmp_path / "decisions.parquet")
    assert list(rows["deal"].unique()) == [f"deal {n} of deal set pyramid-1" for n in wanted[:2]]
    assert rows.groupby("deal")["made_unwinnable"].sum().tolist() == [1, 1]
    result = read(capsys, *words, "--deals", "2")
    assert (result["deals"], result["lost_though_winnable"]) == (2, len(wanted))
    assert (result["winnable"], result["made_unwinnable"], result["evaluation_seed"]) == (2, 2, "k")
    one = read(capsys, *words, "--deal", str(wanted[1]))
    assert one["deal"] == f"deal {wanted[1]} of deal set pyramid-1"
    assert sum(line["made_unwinnable"] for line in one["decisions"]) == 1


def test_drawn_games_are_the_same_ones(capsys: pytest.CaptureFixture[str], results: Path) -> None:
    """Uniform repeats its games only with the same evaluation seed and name."""
    first = find_lost(results, "uniform")[0]
    words = ("--from", str(results), *LOST, "--agent", "uniform", "--deal", str(first.deal))
    result = read(capsys, *words)
    assert result["facts"]["score"] == first.score
    other = review_lost.choose_lost(results, "uniform", deal=first.deal)
    changed = [other[0]._replace(evaluation_seed="another")]
    spec = review_lost.make_lost_spec(changed)
    judge = make_judge(spec.game, spec.rules, 2, 0, None)
    with pytest.raises(
        ValueError, match=rf"deal {first.deal} must end with score .* uniform is not the same"
    ):
        review_lost.review_lost_deals(spec, changed, judge)


@pytest.mark.parametrize(
    ("words", "output"),
    [
        ("--from {0}", "--from RESULTS and --lost-though-winnable must be given"),
        (
            "pyramid --lost-though-winnable",
            "--from RESULTS and --lost-though-winnable must be given",
        ),
        ("--from {0} --lost-though-winnable", "agent must be one of uniform, greedy, got none"),
        ("--from {0} --lost-though-winnable --agent nobody", "nobody"),
        ("--from {0} --lost-though-winnable --agent pimc@2", "got 'pimc@2'"),
        ("--from {0} --lost-though-winnable --agent greedy --deal 99", "deal must be one of the"),
        (
            "--from {0} --lost-though-winnable --agent greedy --deals 0",
            "deals must be an integer >= 1, got 0",
        ),
        ("--from {0} --lost-though-winnable --agent greedy --variant web", "got 'web'"),
        (
            "--from {0} --lost-though-winnable --evaluation-seed k --seat 0",
            "--evaluation-seed, --seat must not be given: --from RESULTS",
        ),
        (
            "pyramid --from {0} --lost-though-winnable",
            "GAME must not be given, got 'pyramid': --from RESULTS selects the games",
        ),
        ("--from {0}/none --lost-though-winnable", "none"),
        ("", "GAME or --from RESULTS is required; games: pyramid, "),
    ],
)
def test_what_is_wrong_with_results_is_one_line(
    words: str, output: str, capsys: pytest.CaptureFixture[str], results: Path
) -> None:
    status, out, err = run(capsys, *words.format(results).split())
    assert (status, out) == (2, "")
    assert output in err
    assert err.count("\n") == 1
