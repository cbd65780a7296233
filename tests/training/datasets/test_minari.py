"""Datasets of games: the episodes of single environments, in files that Minari loads."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from parlour.envs import find_game
from parlour.training.cli.main import main
from parlour.training.datasets import minari_files as module
from parlour.training.datasets.decisions import DatasetSpec, play_decisions
from parlour.training.datasets.minari_files import write_minari

minari = pytest.importorskip("minari")

CASES: tuple[tuple[str, str, dict[str, Any], dict[str, Any]], ...] = (
    ("pyramid", "uniform", {"options": {"passes": 1}}, {"encoding": "codes"}),
    ("poker_squares", "greedy", {"variant": "british"}, {"reward": "win"}),
    ("twenty_eight", "rule", {"seat": 2, "opponents": ["uniform", "greedy", "rule"]}, {}),
)


def load(root: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(root))
    return minari.load_dataset(name)


@pytest.mark.parametrize(
    ("game", "agent", "fields", "written_as"), CASES, ids=[case[0] for case in CASES]
)
def test_episodes_are_those_of_single_environments(
    game: str,
    agent: str,
    fields: dict[str, Any],
    written_as: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its actions, played in the recovered environment with its seeds, give the same episodes."""
    monkeypatch.setattr(module, "BATCH", 4)
    counts: list[int] = []
    spec = DatasetSpec(find_game(game), agent=agent, episodes=6, seed=40, worlds=0, **fields)
    written = write_minari(spec, tmp_path, "mine-v3", **written_as, progress=counts.append)
    assert counts == [4, 2]
    data = load(tmp_path, "mine-v3", monkeypatch)
    assert (data.total_episodes, data.total_steps) == (6, written.steps)
    assert data.storage.metadata["algorithm_name"] == agent
    env = data.recover_environment()
    keywords = {**fields, **fields.get("options", {}), **written_as}
    keywords.pop("options", None)
    assert env.spec.kwargs.items() >= keywords.items()
    seeds = [each["seed"] for each in data.storage.get_episode_metadata(range(6))]
    assert seeds == [40, 41, 42, 43, 44, 45]
    lengths = set()
    for seed, episode in zip(seeds, data, strict=True):
        observation, info = env.reset(seed=seed)
        lengths.add(len(episode))
        labels = {"pyramid": {"winnable"}, "poker_squares": {"best_score"}}
        assert set(episode.infos) == set(info) | labels.get(game, set())
        for step, action in enumerate(episode.actions):
            assert episode.infos["action_mask"][step][action] == 1
            same(episode, step, observation, info)
            observation, reward, terminated, truncated, info = env.step(action)
            assert episode.rewards[step] == reward
            ended = (episode.terminations[step], episode.truncations[step])
            assert ended == (terminated, truncated)
            assert (terminated or truncated) == (step == len(episode) - 1)
        same(episode, len(episode), observation, info)
    assert game == "poker_squares" or len(lengths) > 1, "all games have the same length"


def same(episode: Any, step: int, observation: np.ndarray, info: dict[str, Any]) -> None:
    assert episode.observations.dtype == observation.dtype
    assert np.array_equal(episode.observations[step], observation)
    for key, value in info.items():
        assert np.array_equal(episode.infos[key][step], value), key


def test_games_are_truncated_as_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = DatasetSpec(find_game("pyramid"), episodes=2, worlds=0, max_moves=3)
    write_minari(spec, tmp_path, "short-v0")
    first = load(tmp_path, "short-v0", monkeypatch)[0]
    assert first.truncations.tolist()[-1]
    assert not first.terminations.any()


def test_a_dataset_does_not_depend_on_the_size_of_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions = []
    for batch in (1, 5):
        monkeypatch.setattr(module, "BATCH", batch)
        spec = DatasetSpec(find_game("pyramid"), agent="uniform", episodes=5, worlds=0)
        name = write_minari(spec, tmp_path, f"by-{batch}-v0").name
        actions.append([each.actions.tolist() for each in load(tmp_path, name, monkeypatch)])
    assert actions[0] == actions[1]


def test_the_games_and_values_of_a_solitaire_are_those_of_the_parquet_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = DatasetSpec(find_game("pyramid"), agent="uniform", episodes=4, seed=9, worlds=2)
    write_minari(spec, tmp_path, "same-v0", "codes")
    rows = play_decisions(spec, 0, 4)
    data = load(tmp_path, "same-v0", monkeypatch)
    for number, episode in enumerate(data):
        own = rows["episode"] == 9 + number
        assert np.array_equal(episode.actions, rows["action"][own])
        assert np.array_equal(episode.observations[:-1], rows["observation"][own])
        assert (episode.infos["winnable"] == rows["winnable"][own][0]).all()
        values = episode.infos["action_values"]
        assert np.array_equal(values[:-1], rows["values"][own], equal_nan=True)
        assert np.isnan(values[-1]).all() and not np.isnan(values[:-1]).all()
    assert isinstance(data.action_space, gym.spaces.Discrete)


def test_the_command_writes_a_dataset_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["dataset", "make", "pyramid", "--variant", "web", "--option", "passes=1"]
    words += ["--episodes", "3", "--worlds", "0", "--format", "minari"]
    assert main([*words, "--out", "data"]) == 0
    name = "parlour/pyramid-web/greedy-v0"
    data = load(tmp_path / "data", name, monkeypatch)
    output = capsys.readouterr().out
    assert output == (
        f"{name}: 3 episodes, {data.total_steps:,} steps\nwritten: {Path('data') / name}\n"
    )
    env = data.recover_environment().unwrapped
    assert env.rules == find_game("pyramid").make_rules("web", {"passes": 1})
    before = sorted(tmp_path.rglob("*"))
    assert main([*words, "--out", "data"]) == 2
    assert "must be new, but " in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "own"))
    assert main([*words, "--name", "own-v1"]) == 0
    assert minari.load_dataset("own-v1").total_episodes == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--jobs 2", "--jobs must not be given"),
        ("--name a//b", "name must be the id of a Minari dataset"),
        ("--name no-version", "name must be the id of a Minari dataset"),
        ("--name ../up-v0", "name must be the id of a Minari dataset"),
        ("--agent human", "agent must not be human: its results cannot be repeated"),
    ],
)
def test_invalid_arguments(
    words: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["dataset", "make", "pyramid", "--format", "minari", "--out", str(tmp_path)]
    assert main([*command, *words.split()]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_stopped_command_leaves_no_dataset(tmp_path: Path) -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    spec = DatasetSpec(find_game("pyramid"), episodes=2, worlds=0)
    with pytest.raises(KeyboardInterrupt):
        write_minari(spec, tmp_path, "mine-v0", progress=stop)
    assert not list(tmp_path.iterdir())


def test_without_minari_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "minari", None)
    assert main(["dataset", "make", "pyramid", "--format", "minari", "--out", str(tmp_path)]) == 2
    assert 'pip install "parlour[minari]"' in capsys.readouterr().err


def test_every_id_can_be_written() -> None:
    """A name of an agent with any characters gives an id that Minari parses."""
    from minari.dataset.minari_dataset import parse_dataset_id

    class Named:
        name = "pimc@50ms:/some where/ö"

    game = find_game("pyramid")
    name = module.name_dataset(game, None, Named())  # type: ignore[arg-type]
    assert parse_dataset_id(name)[1:] == ("pimc-50ms-some-where", 0)
    assert gym.spec(game.id).namespace == "parlour"
