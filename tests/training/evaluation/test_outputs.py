"""Output of results: paths are checked before play, and results are printed before saving."""

import errno
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from parlour.agents.baselines import UniformAgent
from parlour.training.cli import main
from parlour.training.equilibrium import exploitability
from parlour.training.evaluation import compare
from parlour.training.evaluation.report import plots, report
from parlour.training.evaluation.report.plots import plot_comparison
from parlour.training.files import check_agent_folder, check_folder

LINES = {
    "compare": ["compare", "pyramid", "--deals", "4", "--max-moves", "9"],
    "evaluate": ["evaluate", "pyramid", "--deals", "4", "--max-moves", "9", "--agent", "uniform"],
    "several": ["compare", "seven-twenty-seven", "--variant", "mini", "--deals", "2"],
}
NAMES = ["ppo[v1]", "ppo[v2]", "[/x]", "[bold]", ":smile:", "$a_1$", "$x", "{y} %s", "\\", "♥" * 40]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("a file")
    return tmp_path


@pytest.fixture
def parlour(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main.main(words)
        return status, *capsys.readouterr()

    return run


def refuse_play(*_: Any, **__: Any) -> None:
    raise AssertionError("something was played")


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("", "must be a path"),
        ("a\0b", "must be a path"),
        ("file", "file must be a folder"),
        ("file/within/it", "file must be a folder"),
        ("/proc/nowhere", "cannot be written"),
        ("x" * 300, "cannot be written"),
        ("dangling/x", "dangling must be a folder"),
        ("full", "summary.json in it must be a file or missing"),
        ("closed", "cannot be written"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_play(
    kind: str, place: str, message: str, parlour: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("full/summary.json").mkdir(parents=True)
    Path("dangling").symlink_to("nowhere")
    Path("closed").mkdir(mode=0o500)
    if place == "closed" and os.access("closed", os.W_OK):
        pytest.skip("nothing is closed to this user")
    monkeypatch.setattr(compare, "compare_specs", refuse_play)
    status, out, err = parlour(*LINES[kind], "--out", place)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_looking_at_a_place_leaves_nothing_there(tmp_path: Path) -> None:
    check_folder(tmp_path / "new" / "folder")
    check_folder(Path("another"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_labels_and_equilibria_are_refused_before_work(
    parlour: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from parlour.training.evaluation.labels import labelling

    monkeypatch.setattr(labelling, "make_labels", refuse_play)
    monkeypatch.setattr(exploitability, "build_tree", refuse_play)
    Path("kept").mkdir()
    Path("kept/mine").write_text("not an agent")
    for line in (
        "deals make pyramid --out file",
        "exploitability --save file",
        "exploitability --save kept",
    ):
        status, out, err = parlour(*line.split())
        assert (status, out, err.count("\n")) == (2, "", 1), line
    assert Path("kept/mine").read_text() == "not an agent"
    for name in (".", "..", "/", "kept/.."):
        with pytest.raises(ValueError, match="folder must end with a folder name"):
            check_agent_folder(Path(name))


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("as_json", [False, True])
def test_what_was_played_for_is_printed_if_it_cannot_be_saved(
    kind: str, as_json: bool, parlour: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(report, "write_bytes", full)
    status, out, err = parlour(*LINES[kind], "--out", "new", *["--json"] * as_json)
    assert status == 2
    assert err.startswith("parlour: error: new: could not be written: ")
    assert "No space left on device" in err and err.count("\n") == 1
    assert json.loads(out) if as_json else "uniform" in out and "written" not in out


def test_a_picture_that_fails_costs_nothing_else(
    parlour: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Any) -> None:
        raise RuntimeError("no\npicture")

    monkeypatch.setattr(plots, "plot_comparison", fail)
    status, out, err = parlour(*LINES["compare"], "--out", "new")
    assert (status, err.count("\n")) == (2, 1)
    assert "greedy − uniform" in out
    assert sorted(os.listdir("new")) == ["episodes.parquet", "summary.json"]


def named(name: str) -> UniformAgent:
    agent = UniformAgent()
    agent.name = name
    return agent


@pytest.fixture(scope="module")
def alone() -> compare.Comparison:
    return compare.compare(
        "pyramid", list(map(named, NAMES)), deals=3, max_moves=5, deal_set="[/b] $"
    )


def test_names_are_printed_as_they_are(
    alone: compare.Comparison, capsys: pytest.CaptureFixture[str]
) -> None:
    from parlour.training.evaluation.report.terminal_tables import open_console

    several = compare.compare(
        "seven-twenty-seven",
        list(map(named, NAMES[:4])),
        variants=["mini"],
        deals=2,
        opponents=[named("[f]"), named("[f]")],
    )
    for result, names in ((alone, NAMES), (several, NAMES[:4])):
        report.show(result, open_console())
        out = capsys.readouterr().out
        rows = [line.split("  ")[0].strip() for line in out.splitlines()]
        assert [name for name in names if name not in rows] == []
    assert "opponents: [f], [f] #2" in out


def test_names_are_kept_and_drawn_as_they_are(alone: compare.Comparison, tmp_path: Path) -> None:
    paths = report.save(alone, tmp_path / "found")
    assert set(pq.read_table(paths[0]).to_pandas().agent) == set(NAMES)
    assert [one["agent"] for one in json.loads(paths[1].read_text())["results"]] == NAMES
    labels = plot_comparison(alone).axes[0].get_yticklabels()
    assert [label.get_text() for label in labels][:9] == NAMES[:9]
    assert not any(label.get_parse_math() for label in labels)


@pytest.mark.parametrize(("error", "status"), [("KeyboardInterrupt", 130), ("SystemExit(0)", 2)])
def test_what_was_finished_is_kept_if_an_agent_ends_the_process(
    error: str, status: int, parlour: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ends_in_a_test.py").write_text(
        f"class Ends:\n    def act(self, turn):\n        raise {error}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "ends_in_a_test", raising=False)
    line = [*LINES["compare"], "--agents", "uniform", "ends_in_a_test:Ends", "--json"]
    ended, out, err = parlour(*line, "--out", "new")
    assert (ended, err.count("\n")) == (status, int(status == 2))
    assert [one["agent"] for one in json.loads(out)["results"]] == ["uniform"]
    assert json.loads(Path("new/summary.json").read_text()) == json.loads(out)
