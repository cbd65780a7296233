"""Finished chunks are reused only if nothing has changed, and by one command at a time."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from parlour.envs.core.turn import Turn
from parlour.training.cli import main
from parlour.training.cli.process import STOPPED
from parlour.training.evaluation import lineups
from parlour.training.evaluation.compare import compare, evaluate
from parlour.training.evaluation.evaluation_spec import make_specs
from parlour.training.evaluation.labels import labelling
from parlour.training.evaluation.replays.replay_files import load_replays
from parlour.training.evaluation.reviews.review_deal_set import review_deal_set
from parlour.training.files import sole_use
from parlour.training.parallel.tasks import Cluster

GIVEN: dict[str, Any] = {"deals": 20, "evaluation_seed": "k"}
HERE = ("--jobs", "1", "--backend", "sequential")
COMPARE = ("compare", "pyramid", "--agents", "greedy", "uniform", "--deals", "20", *HERE)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide a few deals into several chunks."""
    monkeypatch.setattr(lineups, "CHUNK", 7)


@pytest.fixture
def kept(tmp_path: Path) -> Cluster:
    return Cluster("sequential", 1, chunks=tmp_path / "chunks")


class Chosen:
    """Takes the first or the last legal action."""

    name = "chosen"

    def __init__(self, last: bool = False) -> None:
        self.last = last

    def act(self, turn: Turn) -> np.ndarray:
        masks = turn.masks
        last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return np.asarray(last if self.last else masks.argmax(axis=1))


class Locked(Chosen):
    """Cannot be pickled, so its identity is unknown."""

    def __reduce__(self) -> Any:
        raise TypeError("not me")


@pytest.mark.parametrize("kind", [Chosen, Locked])
def test_an_agent_that_has_changed_is_another(kind: type[Chosen], kept: Cluster) -> None:
    agent = kind()
    before = evaluate("pyramid", agent, **GIVEN, cluster=kept).results.score
    agent.last = True
    after = evaluate("pyramid", agent, **GIVEN, cluster=kept).results.score
    np.testing.assert_array_equal(after, evaluate("pyramid", agent, **GIVEN).results.score)
    assert (after != before).any()


def test_an_agent_that_has_not_changed_is_the_same(kept: Cluster) -> None:
    evaluate("pyramid", Chosen(), **GIVEN, cluster=kept)
    there = sorted(kept.chunks.iterdir()) if kept.chunks else []
    evaluate("pyramid", Chosen(), **GIVEN, cluster=kept)
    assert there == sorted(kept.chunks.iterdir() if kept.chunks else []) and len(there) == 3


def test_a_method_that_is_written_anew_in_a_notebook_counts(
    kept: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Chosen, "__module__", "nowhere")  # as one that has no file
    evaluate("pyramid", Chosen(), **GIVEN, cluster=kept)

    def act(self: Chosen, turn: Turn) -> np.ndarray:
        return turn.masks.shape[1] - 1 - turn.masks[:, ::-1].argmax(axis=1)

    monkeypatch.setattr(Chosen, "act", act)
    result = evaluate("pyramid", Chosen(), **GIVEN, cluster=kept).results.score
    np.testing.assert_array_equal(result, evaluate("pyramid", Chosen(), **GIVEN).results.score)


def test_a_module_of_ones_own_counts(
    kept: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "own_kept_agent.py"
    file.write_text("class Mine:\n    def act(self, turn):\n        return turn.masks.argmax(1)\n")
    chunks_of = [evaluate("pyramid", "own_kept_agent:Mine", **GIVEN, cluster=kept) for _ in "12"]
    assert len(chunks_of) == 2 and kept.chunks and len(list(kept.chunks.iterdir())) == 3
    file.write_text(file.read_text() + "# changed\n")
    evaluate("pyramid", "own_kept_agent:Mine", **GIVEN, cluster=kept)
    assert len(list(kept.chunks.iterdir())) == 6


def test_the_code_of_parlour_counts(kept: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate("pyramid", "greedy", **GIVEN, cluster=kept)
    monkeypatch.setattr(lineups, "digest_parlour", lambda: "another")
    evaluate("pyramid", "greedy", **GIVEN, cluster=kept)
    assert kept.chunks and len(list(kept.chunks.iterdir())) == 6


def test_who_plays_worlds_out_in_a_review_counts(kept: Cluster) -> None:
    given: dict[str, Any] = {"deals": 2, "worlds": 3, "evaluation_seed": "k"}
    player = Chosen()
    before = review_deal_set("poker_squares", "uniform", player=player, **given, cluster=kept)
    player.last = True
    after = review_deal_set("poker_squares", "uniform", player=player, **given, cluster=kept)
    whole = review_deal_set("poker_squares", "uniform", player=player, **given)
    assert after.summary() == whole.summary() != before.summary()


def test_the_folder_may_be_words(tmp_path: Path) -> None:
    evaluate(
        "pyramid", "greedy", **GIVEN, cluster=Cluster("sequential", 1, chunks=str(tmp_path / "c"))
    )
    assert len(list((tmp_path / "c").iterdir())) == 3


def stop_at(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    """Press Ctrl-C in the chunk with this number, from 1."""
    play: Callable[..., Any] = lineups.play_chunk
    played: list[int] = []

    def play_chunk(one: lineups.LineupTask) -> Any:
        played.append(1)
        if len(played) == chunk:
            raise KeyboardInterrupt
        return play(one)

    monkeypatch.setattr(lineups, "play_chunk", play_chunk)


@pytest.mark.parametrize("chunk", [1, 2, 5])
def test_the_same_command_records_all_games_once(
    chunk: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, out = tmp_path / "games.jsonl", tmp_path / "out"
    words = [*COMPARE, "--out", str(out), "--record", str(record)]
    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, chunk)
        assert main.main(words) == STOPPED
    key = (out / ".chunks" / "evaluation_seed.txt").read_text()
    message = f"Finished chunks are kept in {out / '.chunks'}" in capsys.readouterr().err
    assert message == (chunk > 1)
    assert main.main(words) == 0
    compare(
        "pyramid", ["greedy", "uniform"], deals=20, evaluation_seed=key, record=tmp_path / "whole"
    )
    result, whole = (
        {(one.agents, one.deal): one.actions for one in load_replays(path)}
        for path in (record, tmp_path / "whole")
    )
    assert result == whole and len(load_replays(record)) == 40
    assert not (out / ".chunks").exists()


def test_another_command_does_not_touch_the_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, out = tmp_path / "games.jsonl", tmp_path / "out"
    words = ["--out", str(out), "--record", str(record), *HERE]
    with pytest.MonkeyPatch.context() as patch:
        stop_at(patch, 2)
        assert main.main(["evaluate", "pyramid", "--deals", "20", *words]) == STOPPED
    assert main.main(["evaluate", "klondike", "--deals", "20", *words]) == main.FAILED
    assert "record must be a new file" in capsys.readouterr().err
    assert record.exists()


def test_two_commands_do_not_share_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sole_use(tmp_path / ".chunks", "used"):
        assert main.main([*COMPARE, "--out", str(tmp_path)]) == main.FAILED
    assert "is being used by another process" in capsys.readouterr().err
    assert main.main([*COMPARE, "--out", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_wrong_command_line_leaves_no_folder(tmp_path: Path) -> None:
    out = tmp_path / "new"
    assert main.main(["evaluate", "pyramid", "--agent", "no", *HERE, "--out", str(out)]) == 2
    assert not out.exists()


@pytest.mark.parametrize("key", [b"", b"\xff\xfe"])
def test_a_key_that_cannot_be_read_is_made_anew(key: bytes, tmp_path: Path) -> None:
    (tmp_path / ".chunks").mkdir()
    (tmp_path / ".chunks" / "evaluation_seed.txt").write_bytes(key)
    assert main.main([*COMPARE, "--out", str(tmp_path)]) == 0
    assert json.loads((tmp_path / "summary.json").read_text())["results"][0]["evaluation_seed"]
    assert len(pd.read_parquet(tmp_path / "episodes.parquet")) == 40


def test_a_deal_set_says_where_its_chunks_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["deals", "make", "pyramid", "--no-optimal", "--first", "900000", *HERE]
    words += ["--out", str(tmp_path)]
    solve = labelling.solve_task

    def solve_one(task: labelling.LabelTask) -> Any:
        if task.first > 900000:
            raise KeyboardInterrupt
        return solve(task)

    monkeypatch.setattr(labelling, "solve_task", solve_one)
    assert main.main([*words, "--deals", "100"]) == STOPPED
    assert f"Finished chunks are kept in {tmp_path}. Run the same" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("deals", "size"), [(99, 99), (10_000, 500), (50_000, 2000), (10**7, 2000)]
)
def test_chunks_of_very_many_deals_are_larger(
    deals: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lineups, "CHUNK", 100)
    (spec,) = make_specs("pyramid", None, None, deals=deals, labels="no")
    result = lineups.split_spec(spec)
    assert result[0].deals == size and sum(one.deals for one in result) == deals
    assert [one.first for one in result[:2]] == [0, size][: len(result)]
