"""``parlour review``: one game or many, as tables, JSON and files."""

import json
from pathlib import Path
from typing import Any

import pytest

from parlour.training.cli import main
from parlour.training.evaluation import review_bank
from parlour.training.evaluation.check_outputs import REVIEW_FILES

SMALL = ("--worlds", "2", "--key", "k")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main.main(["review", *words])
    return status, *capsys.readouterr()


def read(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    status, out, err = run(capsys, *words, "--json")
    assert (status, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def test_one_game_is_a_table_json_and_a_picture(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("pyramid", "--deal", "0", "--agent", "greedy", *SMALL)
    status, out, err = run(capsys, *words, "--out", str(tmp_path))
    assert (status, err) == (0, "")
    assert out.startswith("Pyramid, three-passes, deal 0 of bank pyramid-1: greedy\n")
    assert "first chance " in out
    assert "truth, all cards known: this deal could be won; thrown away by #" in out
    assert "share of 2 worlds that could still be won, by the exact solver; --seed 0" in out
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(REVIEW_FILES)
    kept = json.loads((tmp_path / "summary.json").read_text())
    assert kept == read(capsys, *words)
    parts = [kept[name] for name in ("first_chance", "loss", "unseen", "luck", "outcome")]
    assert parts[0] - parts[1] - parts[2] + parts[3] == pytest.approx(parts[4], abs=1e-6)


def test_actions_are_reviewed_that_somebody_has_played(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = read(capsys, "pyramid", "--deal", "0", "--worlds", "2", "--actions", "DEAL", "deal")
    assert [one["label"] for one in found["decisions"]] == ["DEAL", "DEAL"]
    assert (found["outcome"], found["agent"]) == (None, "")
    status, out, _ = run(capsys, "pyramid", "--deal", "0", "--worlds", "2", "--actions", "DEAL")
    assert status == 0
    assert "so far; the game goes on" in out


def test_a_bank_is_summed_up(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("pyramid", "--agent", "uniform", "--deals", "2", "--first", "5", *SMALL)
    found = read(capsys, *words)
    assert (found["deals"], found["first"], found["agent"]) == (2, 5, "uniform")
    status, out, _ = run(capsys, *words, "--out", str(tmp_path))
    assert status == 0
    for said in ("a deal, mean of 2", "by kind of action", "by phase", "worst decisions"):
        assert said in out
    assert (tmp_path / "review.png").stat().st_size > 10_000


def test_what_was_done_before_it_was_stopped_is_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real, done = review_bank._review_deal, []

    def stopped(*given: Any) -> Any:
        if done:
            raise KeyboardInterrupt
        done.append(real(*given))
        return done[0]

    monkeypatch.setattr(review_bank, "_review_deal", stopped)
    status, out, _ = run(capsys, "pyramid", "--deals", "5", *SMALL, "--out", str(tmp_path))
    assert status == main.STOPPED
    assert "1 of 5 deals were reviewed" in out
    assert json.loads((tmp_path / "summary.json").read_text())["deals"] == 1


def test_a_table_of_several_is_played_out(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("seven-twenty-seven", "--variant", "mini", "--player", "greedy", *SMALL)
    found = read(capsys, *words, "--deal", "1", "--seat", "1", "--field", "tight")
    assert (found["unit"], found["seat"], found["exact"]) == ("net", 1, False)
    whole = read(capsys, *words, "--deals", "2")
    assert whole["deals"] == 2
    assert whole["winnable"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("pyramid --deal 0 --deals 3", "--deals: --deal names one deal"),
        ("pyramid --actions DEAL", "--actions goes with --deal NUMBER"),
        ("pyramid --deal 0 --actions fly", "unknown action 'fly'"),
        ("pyramid --deal 0 --actions DEAL --agent greedy", "--agent: --actions says"),
        ("pyramid --deal 0 --actions 0", "action 1, pyramid 0, is not legal"),
        ("pyramid --deal 0 --seat 1", "--seat: Pyramid as chosen is for one player"),
        ("pyramid --deal 0 --worlds 0", "worlds=0"),
        ("pyramid --deal 0 --player nobody", "nobody"),
        ("pyramid --deal 0 --agent nobody", "nobody"),
        ("pyramid --deal -1", "-1"),
        ("pyramid --deals 0", "deals=0"),
        ("seven-twenty-seven --variant mini --deal 0 --seat 9 --player greedy", "seat=9"),
    ],
)
def test_what_is_wrong_is_one_line(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, *words.split())
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
