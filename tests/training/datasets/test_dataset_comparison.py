"""Comparison of agents on datasets: replayed states, exact values, tables, and errors."""

import json
from pathlib import Path

import numpy as np
import pytest

from parlour.envs import find_game
from parlour.envs.core.rows import observation_codes, resample_copies
from parlour.envs.core.turn import legal_masks
from parlour.training import DatasetSpec, compare_on_datasets, load_dataset, make_dataset
from parlour.training.cli.main import main
from parlour.training.datasets.dataset_comparison import replay_states
from parlour.training.evaluation.stats import student_mean, student_ratio

PYRAMID = find_game("pyramid")


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Exact decisions of 30 games of greedy and of 10 games of uniform."""
    folder = tmp_path_factory.mktemp("puzzles")
    for agent, episodes in (("greedy", 30), ("uniform", 10)):
        spec = DatasetSpec(PYRAMID, agent=agent, episodes=episodes, seed=episodes, exact=True)
        make_dataset(spec, folder / agent)
    return folder


@pytest.mark.parametrize(
    ("game", "opponents"), [("pyramid", None), ("klondike", None), ("twenty_eight", ["uniform"])]
)
def test_replayed_states_are_those_of_the_decisions(
    game: str, opponents: list[str] | None, tmp_path: Path
) -> None:
    spec = DatasetSpec(find_game(game), opponents=opponents, episodes=3, seed=4, worlds=0)
    make_dataset(spec, tmp_path)
    data = load_dataset(tmp_path)
    rows = np.arange(len(data))[::2]
    states = replay_states(data, rows)
    assert np.array_equal(states["steps"], data["step"][rows])
    assert np.array_equal(states["turn"], data["seat"][rows])
    assert np.array_equal(observation_codes(states), data["observation"][rows])


def test_only_decisions_in_which_nothing_is_hidden_have_values(puzzles: Path) -> None:
    """Exactly the choices that resampling leaves unchanged have values, all 0 or 1."""
    data = load_dataset(puzzles / "greedy")
    states = replay_states(data, np.arange(len(data)))
    hidden = np.zeros(len(data), np.bool_)
    for seed in range(16):
        others = resample_copies(PYRAMID, data.rules, states, seed=seed)
        hidden |= (others["deck"] != states["deck"]).any(axis=1)
    judged = ~np.isnan(data["values"]).all(axis=1)
    assert np.array_equal(judged, ~hidden & (data["action_mask"].sum(axis=1) > 1))
    assert judged.any() and hidden.any()
    known = data["values"][judged]
    assert np.isin(known[data["action_mask"][judged]], (0.0, 1.0)).all()
    assert "values and regrets are exact" in (puzzles / "greedy/README.md").read_text().lower()
    assert "--exact" in (puzzles / "greedy/README.md").read_text()


def test_the_regrets_of_the_player_are_those_of_its_dataset(puzzles: Path) -> None:
    """On its own games, greedy's choices have the regrets of the actions that it took."""
    data = load_dataset(puzzles / "greedy")
    judged = ~np.isnan(data["values"]).all(axis=1)
    comparison = compare_on_datasets([puzzles / "greedy"], ["greedy", "uniform", "pimc@2"])
    greedy, uniform, pimc = comparison.agents
    taken = data.regrets[judged]
    assert greedy.regrets.mean() == pytest.approx(taken.mean(), abs=0.01)
    assert uniform.regrets.mean() > greedy.regrets.mean()
    assert not pimc.regrets.any()  # It solves positions without hidden cards.
    states = replay_states(data, np.flatnonzero(judged))
    assert len(states) == len(greedy.regrets) == len(comparison.games)
    assert legal_masks(PYRAMID, states).sum(axis=1).min() > 1


def test_several_datasets_are_joined(puzzles: Path) -> None:
    paths = [puzzles / "greedy", puzzles / "uniform"]
    both = compare_on_datasets(paths, ["greedy", "uniform"])
    parts = [compare_on_datasets([path], ["greedy", "uniform"]) for path in paths]
    assert len(both.games) == sum(len(part.games) for part in parts)
    assert both.games[-1] + 1 == sum(part.games[-1] + 1 for part in parts)
    for i in range(2):
        joined = np.concatenate([part.agents[i].regrets for part in parts])
        assert np.array_equal(both.agents[i].regrets, joined)
    assert np.array_equal(both.groups["games of uniform"], ~both.groups["games of greedy"])
    kinds = [group for name, group in both.groups.items() if name.startswith("best action")]
    assert np.array_equal(np.sum(kinds, axis=0), both.matters)
    summary = both.summary()
    assert summary["agents"][0]["difference"]["mean"] == 0
    assert summary["agents"][1]["regret"]["mean"] == pytest.approx(both.agents[1].regrets.mean())


def test_the_command_prints_tables_and_json(
    puzzles: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["dataset", "compare", str(puzzles / "greedy"), "--agents", "uniform", "greedy"]
    assert main(words) == 0
    text = capsys.readouterr().out
    for part in ("mistakes %", "minus uniform", "games of greedy", "last third", "best action:"):
        assert part in text
    assert main([*words, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert [one["agent"] for one in summary["agents"]] == ["uniform", "greedy"]
    assert summary["agents"][0]["mistakes"]["n"] == summary["games"]


def test_invalid_input(puzzles: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def fails(*words: str) -> str:
        assert main(["dataset", *words]) == 2
        return capsys.readouterr().err

    new = str(tmp_path / "new")
    assert "worlds must be an integer >= 2, got 1" in fails(
        "make", "pyramid", "--exact", "--worlds", "1", "--out", new
    )
    assert "exact must be False" in fails("make", "poker_squares", "--exact", "--out", new)
    assert "exact must be False" in fails(
        "make", "pyramid", "--exact", "--player", "greedy", "--out", new
    )
    assert "got 'human'" in fails("compare", str(puzzles / "greedy"), "--agents", "human")
    assert (
        main(["dataset", "make", "pyramid", "--worlds", "0", "--episodes", "2", "--out", new]) == 0
    )
    assert "decisions with values, got none" in fails("compare", new)
    web = str(tmp_path / "web")
    words = ["--variant", "web", "--worlds", "1", "--episodes", "2", "--out", web]
    assert main(["dataset", "make", "pyramid", *words]) == 0
    assert "must have the same game and rules" in fails("compare", str(puzzles / "greedy"), web)


def test_ratio_of_sums() -> None:
    """Equal counts give the interval of the mean; a larger group weighs more."""
    sums = np.array([1.0, 0.0, 2.0, 1.0])
    assert student_ratio(sums, np.full(4, 2.0)) == pytest.approx(student_mean(sums / 2))
    ratio = student_ratio(np.array([1.0, 0.0]), np.array([1.0, 3.0]))
    assert ratio.mean == 0.25 and ratio.low < 0.25 < ratio.high and ratio.n == 2
