"""Datasets of labeled decisions: content, files, cards, interruptions, and errors."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from parlour.envs import find_game
from parlour.envs.core.batch import DealSource
from parlour.envs.core.kernel.rng import draw_seed, mix64
from parlour.envs.core.rows import Rows, observation_codes, resample_copies
from parlour.envs.core.solve import trace_actions
from parlour.training import Cluster, Dataset, DatasetSpec, load_dataset, make_dataset
from parlour.training.cli.main import main
from parlour.training.datasets import dataset as module
from parlour.training.datasets.dataset import STATISTICS, make_schema
from parlour.training.datasets.decisions import COLUMNS, are_equal, play_decisions
from parlour.training.evaluation.reviews.review_judges import find_regrets

PYRAMID = find_game("pyramid")
CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("pyramid", {"agent": "uniform"}),
    ("klondike", {"variant": "draw-one", "episodes": 2}),
    ("poker_squares", {"player": "greedy", "episodes": 2}),
    ("twenty_eight", {"agent": "rule", "seat": 1, "opponents": ["uniform"], "player": "greedy"}),
    ("seven_twenty_seven", {"player": "greedy", "opponents": ["uniform"]}),
)


def make_spec(game: str, **fields: Any) -> DatasetSpec:
    return DatasetSpec(find_game(game), **{"episodes": 3, "seed": 70, "worlds": 2} | fields)


def first_state(spec: DatasetSpec, episode: int) -> np.ndarray:
    """The deal of an episode, dealt as an environment does."""
    rows = Rows(spec.game, spec.rules, 1)
    rows.reseed(0, np.random.default_rng(episode))
    rows.start(DealSource.DRAW)
    return rows.states.copy()


@pytest.mark.parametrize(("game", "fields"), CASES, ids=[case[0] for case in CASES])
def test_rows_are_what_the_kernel_plays(game: str, fields: dict[str, Any], tmp_path: Path) -> None:
    """Each game, replayed from its deal, has these observations, masks, and results."""
    spec = make_spec(game, **fields)
    make_dataset(spec, tmp_path / "data")
    data = load_dataset(tmp_path / "data")
    assert (data.game, data.rules) == (spec.game, spec.rules)
    assert (data["episode"] == np.sort(data["episode"])).all()
    assert set(data["episode"]) == set(range(70, 70 + spec.episodes))
    names = [agent.name for agent in spec.load_agents()]
    for episode in set(data["episode"].tolist()):
        rows = np.flatnonzero(data["episode"] == episode)
        states = trace_actions(
            spec.game, spec.rules, first_state(spec, episode), data["action"][rows].tolist(), 500
        )
        before, seats = states[:-1], states["turn"][:-1]
        assert data["step"][rows].tolist() == list(range(len(rows)))
        assert np.array_equal(data["seat"][rows], seats)
        assert data["agent"][rows].tolist() == [names[seat] for seat in seats]
        assert np.array_equal(data["observation"][rows], observation_codes(before))
        check_hidden(spec, data, rows, before)
        assert states["over"][-1] != 0
        for row, seat in zip(rows, seats, strict=True):
            result = spec.game.results(states[-1:], spec.rules, np.array([seat]))
            assert data["won"][row] == result[spec.game.goal_name(spec.rules)][0]
            assert data["score"][row] == result["score"][0]
            if spec.num_players > 1:
                unit = spec.game.reward_unit(spec.rules)
                assert data["return"][row] == pytest.approx(result["score"][0] / unit)
    check_labels(spec, data)


def check_hidden(spec: DatasetSpec, data: Dataset, rows: np.ndarray, states: np.ndarray) -> None:
    """Other hidden cards change neither the observation nor the values of some decisions."""
    judge = spec.judge
    assert judge is not None
    for i in range(0, len(rows), 9):
        row, step = rows[i], data["step"][rows[i]]
        others = resample_copies(spec.game, spec.rules, states[[i] * 3], seed=i)
        assert (observation_codes(others) == data["observation"][row]).all()
        if not np.isnan(data["values"][row]).all():
            number = mix64(np.array([data["episode"][row]], np.uint64)) + np.uint64(step)
            for other in range(3):
                values = judge.judge(others[other : other + 1], number).values[0]
                wanted = data["values"][row]
                assert np.array_equal(values.astype(np.float32), wanted, equal_nan=True)


def check_labels(spec: DatasetSpec, data: Dataset) -> None:
    """Values are those of legal actions, and solver labels those of the deals."""
    masks, values = data["action_mask"], data["values"]
    assert masks[np.arange(len(data)), data["action"]].all()
    judged = ~np.isnan(values).all(axis=1)
    assert np.array_equal(judged, masks.sum(axis=1) > 1)
    assert np.array_equal(~np.isnan(values[judged]), masks[judged])
    assert np.array_equal(~np.isnan(data.regrets), judged)
    if spec.solve is None:
        assert not {"winnable", "best_score"} & set(data.columns)
        return
    for episode in set(data["episode"].tolist()):
        solution = spec.solve(first_state(spec, episode), spec.rules)
        own = data["episode"] == episode
        if spec.game.measure == "score":
            assert (data["best_score"][own] == solution.score).all()
        else:
            assert (data["winnable"][own] == solution.winnable_code).all()


@pytest.mark.parametrize(("game", "fields"), CASES[:1] + CASES[-2:-1], ids=["pyramid", "28"])
def test_the_environment_deals_the_episodes(game: str, fields: dict[str, Any]) -> None:
    """``env.reset(seed=episode)`` deals the same cards; all seeds are those of training deals."""
    spec = make_spec(game, **fields)
    for episode in (70, 71):
        env = gym.make(spec.game.id)
        env.reset(seed=episode)
        dealt = env.unwrapped.state["deck"]  # type: ignore[attr-defined]
        assert np.array_equal(dealt, first_state(spec, episode)["deck"][0])
    rows = Rows(spec.game, spec.rules, 1)
    rows.seed([draw_seed(np.random.default_rng(70))])
    rows.draw_seeds()
    assert rows.states["rng"][0] < 2**63
    rows.start(DealSource.SEED)
    assert np.array_equal(rows.states["deck"], first_state(spec, 70)["deck"])


def test_the_schema_is_the_same_for_all_games(tmp_path: Path) -> None:
    """Columns without labels are null; pandas and pyarrow read the files."""
    spec = make_spec("twenty_eight", worlds=0)
    make_dataset(spec, tmp_path)
    table = pq.read_table(tmp_path / "data")
    assert table.column_names == [*COLUMNS]
    assert table.schema.equals(make_schema(spec.game))
    for name in ("values", "winnable", "best_score"):
        assert table[name].null_count == len(table)
    assert "`values` is null" in (tmp_path / "README.md").read_text()
    frame = pd.read_parquet(tmp_path / "data")
    assert frame["observation"][0].dtype == np.int8 and frame["action_mask"][0].dtype == bool
    assert np.isnan(load_dataset(tmp_path).regrets).all()


def read_files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_interrupted_and_extended_datasets_equal_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHARD", 2)
    spec = make_spec("pyramid", episodes=5)
    make_dataset(spec, tmp_path / "whole")

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset(spec, tmp_path / "stopped", progress=stop)
    assert set(read_files(tmp_path / "stopped")) == {"data/000000.parquet"}
    (tmp_path / "stopped/data/.000001.parquet.part").write_bytes(b"unfinished")
    counts: list[int] = []
    monkeypatch.setattr(module, "make_shard", counted(counts, module.make_shard))
    make_dataset(spec, tmp_path / "stopped")
    assert counts == [2, 4]
    assert read_files(tmp_path / "stopped") == read_files(tmp_path / "whole")
    make_dataset(make_spec("pyramid", episodes=3), tmp_path / "extended")
    make_dataset(spec, tmp_path / "extended")
    assert counts == [2, 4, 0, 2, 2, 4]
    assert read_files(tmp_path / "extended") == read_files(tmp_path / "whole")
    with pytest.raises(ValueError, match="episodes must be at least"):
        make_dataset(make_spec("pyramid", episodes=3), tmp_path / "whole")


def counted(counts: list[int], work: Any) -> Any:
    def run(task: Any) -> bytes:
        counts.append(task.first)
        return work(task)

    return run


def test_worker_processes_write_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHARD", 2)
    spec = make_spec("pyramid", episodes=5, agent="uniform")
    make_dataset(spec, tmp_path / "one")
    make_dataset(spec, tmp_path / "two", Cluster(jobs=2))
    assert read_files(tmp_path / "one") == read_files(tmp_path / "two")
    assert len(read_files(tmp_path / "one")) == 4


def test_games_do_not_depend_on_their_batch() -> None:
    spec = make_spec("twenty_eight", agent="uniform", episodes=4, worlds=0)
    whole, part = play_decisions(spec, 0, 4), play_decisions(spec, 2, 2)
    own = whole["episode"] >= 72
    for name, values in part.items():
        assert np.array_equal(whole[name][own], values, equal_nan=name == "values"), name


def test_games_are_truncated(tmp_path: Path) -> None:
    make_dataset(make_spec("pyramid", max_moves=3, worlds=0), tmp_path)
    assert load_dataset(tmp_path)["truncated"].all()


def test_the_double_dummy_solver_judges_no_bids() -> None:
    spec = make_spec("twenty_eight", player="double-dummy", episodes=1, worlds=1)
    rows = play_decisions(spec, 0, 1)
    judged = ~np.isnan(rows["values"]).all(axis=1)
    assert judged.any() and not judged[0] and rows["action_mask"][0].sum() > 1


def test_undo_is_no_best_action() -> None:
    undo = (
        PYRAMID.actions
        - 1
        - [PYRAMID.label(action) for action in range(PYRAMID.actions)][::-1].index("UNDO")
    )
    values = np.full((3, PYRAMID.actions), np.nan)
    values[:2, :2], values[:2, undo] = [[0.2, 0.5], [0.5, 0.5]], 0.9
    assert find_regrets(PYRAMID, values, np.array([0, 1, 0]))[:2] == pytest.approx([0.3, 0])
    assert np.isnan(find_regrets(PYRAMID, values, np.array([0, 1, 0]))[2])
    assert are_equal(PYRAMID, values).tolist() == [False, True, False]


def test_the_card_says_how_the_data_were_made(tmp_path: Path) -> None:
    """The command on the card makes the same dataset, and the statistics are those of its rows."""
    spec = make_spec("pyramid", variant="web", options={"passes": 1}, agent="uniform", episodes=9)
    written = make_dataset(spec, tmp_path / "first")
    card = (tmp_path / "first/README.md").read_text(encoding="utf-8")
    (line,) = (line for line in card.splitlines() if line.startswith("$ parlour "))
    assert main([*line.split()[2:], "--out", str(tmp_path / "again")]) == 0
    assert read_files(tmp_path / "again") == read_files(tmp_path / "first")
    data = load_dataset(tmp_path / "first")
    sums = written.statistics["agents"]["uniform"]
    _, first = np.unique(data["episode"], return_index=True)
    assert sums["games"] == len(first) and sums["won"] == data["won"][first].sum()
    assert sums["regret"] == pytest.approx(np.nansum(data.regrets))
    assert written.statistics["labels"]["winnable"] == (data["winnable"][first] == 1).sum()
    assert f"| decisions | {len(data):,} |" in card
    for name, meaning in COLUMNS.items():
        assert f"| `{name}` |" in card and meaning in card
    for text in ("MIT", "license: mit", "share of 2 sampled worlds", "95 % interval", "digest"):
        assert text in card


def test_the_metadata_describe_the_dataset(tmp_path: Path) -> None:
    make_dataset(make_spec("pyramid", episodes=1), tmp_path)
    schema = pq.read_schema(tmp_path / "data/000000.parquet")
    metadata = json.loads(schema.metadata[b"parlour"])
    assert metadata[STATISTICS]["episodes"] == 1
    assert metadata["judge"]["worlds"] == 2 and metadata["judge"]["exact"]
    assert metadata["actions"][3] == PYRAMID.label(3)
    sizes = sum(piece["size"] for piece in metadata["pieces"])
    assert sizes == PYRAMID.features.width


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("pyramid --episodes 0", "episodes must be an integer >= 1, got 0"),
        ("pyramid --seed -1", "seed must be an integer >= 0, got -1"),
        ("pyramid --worlds -1", "worlds must be an integer >= 0, got -1"),
        ("pyramid --worlds 0 --player greedy", "player must be left out without sampled worlds"),
        ("pyramid --player oracle", "player must not see the hidden cards, got 'oracle'"),
        ("pyramid --seat 0", "seat and opponents must be left out"),
        ("pyramid --opponents greedy", "seat and opponents must be left out"),
        ("pyramid --agent nobody", "agent must be"),
        ("pyramid --agent human", "agent must not be human: its results cannot be repeated"),
        ("pyramid --agent mcts@5ms", "must have a search budget without a time limit"),
        ("pyramid --option nothing=1", "'nothing'"),
        ("pyramid --encoding codes", "--encoding must not be given: add --format minari"),
        ("pyramid --format csv", "argument --format: invalid choice: 'csv'"),
        ("pyramid --jobs 0", "jobs must be an integer >= 1, or -1 for one per core, got 0"),
        ("twenty_eight --seat 4", "seat must be an integer from 0 to 3, got 4"),
        ("twenty_eight --opponents a b c d", "opponents must be 1 to 3 agents, got 4"),
        ("twenty_eight --opponents nobody", "'nobody'"),
    ],
)
def test_invalid_arguments(
    words: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dataset", "make", *words.split(), "--out", str(tmp_path / "new")]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_folder_of_another_dataset_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["dataset", "make", "pyramid", "--episodes", "1", "--worlds", "0"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    before = read_files(tmp_path)
    assert main([*words, "--out", str(tmp_path), "--agent", "uniform"]) == 2
    assert "has another dataset: agents is" in capsys.readouterr().err
    assert read_files(tmp_path) == before
    own = tmp_path / "project"
    own.mkdir()
    (own / "README.md").write_text("# My project")
    assert main([*words, "--out", str(own)]) == 2
    assert "must be empty or have a dataset, got a foreign README.md" in capsys.readouterr().err
    assert (own / "README.md").read_text() == "# My project"
    (tmp_path / "data/000000.parquet").write_bytes(b"no Parquet")
    assert main([*words, "--out", str(tmp_path)]) == 2
    assert "must be a file of a dataset of Parlour" in capsys.readouterr().err


def test_loading_reports_bad_input(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="path must be the folder of a dataset or a Parquet file"):
        load_dataset(tmp_path)
    make_dataset(make_spec("pyramid", worlds=0), tmp_path)
    with pytest.raises(ValueError, match=r"columns must be of episode, .*, got 'cards'"):
        load_dataset(tmp_path, ["cards"])
    only = load_dataset(tmp_path / "data/000000.parquet", ["action", "won"])
    assert set(only.columns) == {"action", "won"}
    assert repr(only) == f"<Dataset: pyramid, {len(only)} decisions, action, won>"
    file = tmp_path / "data/000000.parquet"
    content = bytearray(file.read_bytes())
    content[200] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(ValueError, match="damaged file"):
        load_dataset(tmp_path)
    file.write_bytes(read_files(tmp_path)["data/000000.parquet"][:100])
    with pytest.raises(ValueError, match="must be a file of a dataset of Parlour"):
        load_dataset(tmp_path)


@pytest.mark.slow
def test_ctrl_c_keeps_finished_shards(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "parlour", "dataset", "make", "pyramid"]
    command += ["--episodes", "1500", "--worlds", "2", "--jobs", "2", "--out", "out"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    shard = tmp_path / "out/data/000000.parquet"
    while process.poll() is None and not shard.exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    assert "Run the same command again to resume" in errors
    assert not (tmp_path / "out/README.md").exists()
    spec = DatasetSpec(PYRAMID, episodes=500, worlds=2)
    make_dataset(spec, tmp_path / "alone")
    alone = load_dataset(tmp_path / "alone")
    kept = load_dataset(shard)
    assert np.array_equal(alone["action"], kept["action"])
