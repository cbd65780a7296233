"""Damage to any file in a run's folder is reported and never changes the result."""

import json
import pickle
import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stable_baselines3.common.save_util import save_to_zip_file

from parlour.training.learning import checkpoint
from parlour.training.learning.methods.distill import (
    POSITIONS_FOLDER,
    DistillRun,
    read_folder,
    read_positions,
)
from parlour.training.learning.progress import RunLog
from parlour.training.learning.settings.base import Settings
from parlour.training.learning.settings.files import read_saved
from parlour.training.learning.settings.methods import (
    PlanSearchSettings,
    PlanTDSettings,
    PPOSettings,
    TDSettings,
)
from parlour.training.learning.summary import report, summarise
from parlour.training.learning.train import main, resume, train
from tests.corrupt_files import damaged
from tests.training.learning.test_cma_es import SMALL as WEIGHTS
from tests.training.learning.test_distill import GAME, ROUND, SMALL, network_of, stop_after
from tests.training.parallel.test_no_pickles import Bomb

FIRST = f"{POSITIONS_FOLDER}/{ROUND:012d}.parquet"
LAST = f"{POSITIONS_FOLDER}/{2 * ROUND:012d}.parquet"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An uninterrupted run."""
    return train(replace(SMALL, runs=str(tmp_path_factory.mktemp("whole"))), quiet=True)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was killed in its third round, with two checkpoints and three rounds."""
    runs = tmp_path_factory.mktemp("stopped")
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        stop_after(2, patch)
        train(replace(SMALL, runs=str(runs)), quiet=True)
    (folder,) = runs.glob("*-small")
    return folder


@pytest.fixture
def run(stopped: Path, tmp_path: Path) -> Path:
    """A copy of the interrupted run, to damage."""
    return Path(shutil.copytree(stopped, tmp_path / stopped.name))


def each_damage(file: Path, number: int) -> Iterator[bool]:
    """Damage a file in several ways, one after the other; yield whether it still exists."""
    data = file.read_bytes()
    for spoilt in damaged(data, number):
        file.unlink(missing_ok=True)
        if spoilt is not None:
            file.write_bytes(spoilt)
        yield spoilt is not None
    file.write_bytes(data)


def said_by(do: Callable[[], Any]) -> tuple[Any, str]:
    """Return the result of a call, None if it raises ValueError, and all messages."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            actual, error = do(), ""
        except ValueError as raised:
            actual, error = None, str(raised)
    return actual, "\n".join([*(str(one.message) for one in noted), error])


def test_damaged_positions_are_never_read_as_others(stopped: Path, tmp_path: Path) -> None:
    file = tmp_path / "000000000128.parquet"
    file.write_bytes((stopped / "seed-0" / FIRST).read_bytes())
    wanted, equal = read_positions(file, GAME), 0
    for _ in each_damage(file, 600):
        actual, message = said_by(lambda: read_positions(file, GAME))
        if actual is None:
            assert str(file) in message
        else:  # Parquet has bytes that nothing reads
            equal += 1
            for one, other in zip(wanted, actual, strict=True):
                np.testing.assert_array_equal(one, other)
    assert equal < 300


def test_a_damaged_round_is_named(run: Path) -> None:
    """Both checkpoints need the first round; only the newest needs the second."""
    seed = run / "seed-0"
    for is_there in each_damage(seed / FIRST, 20):
        actual, message = said_by(lambda: checkpoint.latest(seed))
        change = "has changed: expected sha256" if is_there else "is missing"
        assert actual is None and f"checkpoint file {FIRST} {change}" in message
        assert f"{seed / 'checkpoints'}: all checkpoints are damaged" in message
    for is_there in each_damage(seed / LAST, 20):
        actual, message = said_by(lambda: checkpoint.latest(seed))
        change = "has changed: expected sha256" if is_there else "is missing"
        assert actual.values["steps"] == ROUND and f"checkpoint file {LAST} {change}" in message


def test_a_run_with_a_damaged_last_round_ends_with_the_same_weights(run: Path, whole: Path) -> None:
    (run / "seed-0" / LAST).unlink()
    with pytest.warns(UserWarning, match=rf"is skipped: checkpoint file {LAST} is missing"):
        resume(run, quiet=True)
    assert network_of(run) == network_of(whole)


def test_a_run_with_a_damaged_first_round_is_not_resumed(run: Path) -> None:
    (run / "seed-0" / FIRST).unlink()
    before = sorted(run.rglob("*.parquet"))
    with pytest.warns(UserWarning), pytest.raises(ValueError, match=f"{FIRST} is missing"):
        resume(run, quiet=True)
    assert sorted(run.rglob("*.parquet")) == before  # nothing was thrown away


@pytest.mark.parametrize("name", [checkpoint.ARRAYS, checkpoint.STATE])
def test_a_damaged_checkpoint_is_named(name: str, run: Path) -> None:
    seed = run / "seed-0"
    newest = sorted((seed / "checkpoints").iterdir())[-1]
    for _ in each_damage(newest / name, 40):
        actual, message = said_by(lambda: checkpoint.latest(seed))
        assert actual.values["steps"] == ROUND
        assert f"{newest} is damaged and is skipped: " in message
        is_named = "has changed: expected" in message or "is missing" in message
        assert is_named or name == checkpoint.STATE


def test_stray_files_are_ignored_with_a_notice(run: Path, whole: Path) -> None:
    folder = run / "seed-0" / POSITIONS_FOLDER
    shutil.copy(run / "seed-0" / FIRST, folder / "1 copy.parquet")
    with pytest.warns(
        UserWarning, match=r"1 copy.parquet is ignored: the checkpoint does not list it"
    ):
        resume(run, quiet=True)
    assert network_of(run) == network_of(whole)
    with pytest.warns(
        UserWarning, match=r"1 copy.parquet is ignored: the checkpoint does not list it"
    ):
        actual = read_folder(folder, GAME)
    assert len(actual) == 4
    alone = run / "elsewhere"
    shutil.copytree(folder, alone)
    with pytest.warns(UserWarning, match=r"1 copy.parquet is ignored: the file name must be"):
        assert len(read_folder(alone, GAME)) == 4
    (folder / f"{ROUND:012d}.parquet").unlink()
    message = rf"all checkpoints are damaged \(checkpoint file {FIRST} is missing\)"
    with pytest.warns(UserWarning), pytest.raises(ValueError, match=message):
        read_folder(folder, GAME)


def test_a_damaged_log_is_named(run: Path) -> None:
    seed = run / "seed-0"
    actual, file = checkpoint.latest(seed), seed / "progress.jsonl"
    assert actual is not None

    def read() -> bool:
        checkpoint.compare_log(actual, file)
        RunLog(seed, actual.values["steps"]).close()
        return True

    size, data = actual.values[checkpoint.LOG]["bytes"], file.read_bytes()
    file.write_bytes(data[:size])
    for _ in each_damage(file, 40):
        _, message = said_by(read)
        assert f"{file} has changed: " in message or f"{file} is missing: " in message
    file.write_bytes(data)
    assert said_by(read) == (True, "")


def test_changed_settings_are_named(run: Path) -> None:
    file = run / "settings.json"
    data = json.loads(file.read_text())
    file.write_text(json.dumps(data | {"learning_rate": 0.5}))
    message = rf"{file} has changed since the last checkpoint: learning_rate was \S+ and is now 0.5"
    with pytest.warns(UserWarning, match=message):
        DistillRun(read_saved(json.loads(file.read_text()), str(file)), 0, run / "seed-0").close()


def test_damaged_settings_are_named(run: Path) -> None:
    actual, file = checkpoint.latest(run / "seed-0"), run / "settings.json"
    assert actual is not None
    wanted = json.loads(file.read_text())

    def read() -> Settings:
        try:
            settings = read_saved(json.loads(file.read_bytes()), str(file))
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ValueError(f"{file}: {error}") from error
        checkpoint.compare_settings(actual, settings.plain(), file)
        return settings

    for _ in each_damage(file, 60):
        settings, message = said_by(read)
        same = settings is not None and json.loads(json.dumps(settings.plain())) == wanted
        assert same or str(file) in message


def test_damaged_results_are_named(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / whole.name))
    settings = read_saved(json.loads((folder / "settings.json").read_text()), "settings")
    of_seed, of_run = folder / "seed-0" / "result.json", folder / "result.json"
    wanted = report(folder)
    for is_there in each_damage(of_seed, 40):
        if is_there:
            actual, message = said_by(lambda: summarise(settings, folder) or True)
            assert (actual is None and str(of_seed) in message) or report(folder) == wanted
    for is_there in each_damage(of_run, 40):
        if is_there:
            actual, message = said_by(lambda: report(folder))
            assert actual == wanted or (actual is None and str(of_run) in message)


RUNS: dict[str, Settings] = {
    "cma-es": WEIGHTS,
    "distill": SMALL,
    "td": TDSettings(
        game="poker_squares", total_steps=60_000, checkpoint_interval=1, eval_interval=0,
        eval_deals=5, name="small",
    ),
    "plan-td": PlanTDSettings(
        game="klondike", games=20, total_steps=400, width=8, units=4, checkpoint_interval=1,
        eval_interval=0, eval_deals=5, name="small",
    ),
    "plan-search": PlanSearchSettings(
        game="klondike", games=10, total_steps=200, width=8, units=4, search_iterations=10,
        checkpoint_interval=1, eval_interval=0, eval_deals=5, name="small",
    ),
    "ppo": PPOSettings(
        game="pyramid", n_envs=8, n_steps=8, batch_size=32, width=8, depth=1, total_steps=128,
        eval_interval=0, checkpoint_interval=64, eval_deals=5, device="cpu", name="small",
    ),
}  # fmt: skip


@pytest.mark.parametrize("method", RUNS)
def test_resuming_unpickles_no_planted_file(method: str, tmp_path: Path) -> None:
    """Every file of the newest checkpoint contains the bomb, as does an SB3 file next to them."""
    folder = train(replace(RUNS[method], runs=str(tmp_path)), quiet=True)
    seed, marker = folder / "seed-0", tmp_path / "marker"
    (seed / "result.json").unlink()
    newest = sorted((seed / "checkpoints").iterdir())[-1]
    arrays = newest / checkpoint.ARRAYS
    objects = np.empty(1, object)
    objects[0] = Bomb(marker)
    np.savez(arrays, search=objects, states=objects)
    state = json.loads((newest / checkpoint.STATE).read_text())
    state["arrays"] = checkpoint.digest_bytes(arrays.read_bytes())._asdict()
    (newest / checkpoint.STATE).write_text(json.dumps(checkpoint.seal(state)))
    save_to_zip_file(newest / "model.zip", {"policy": Bomb(marker)})
    (seed / "search.pickle").write_bytes(pickle.dumps(Bomb(marker)))
    _, message = said_by(lambda: resume(folder, quiet=True))
    assert f"{newest} is damaged and is skipped: Object arrays cannot be loaded" in message
    assert not marker.exists()


def test_resuming_imports_no_module_that_settings_name(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    marker = tmp_path / "marker"
    (tmp_path / "module_in_settings.py").write_text(f"open({str(marker)!r}, 'w').close()\n")
    file = run / "settings.json"
    settings = json.loads(file.read_text())
    for agent in ("module_in_settings:Agent", "pimc@2:module_in_settings:Agent", "x=mcts:m:A"):
        file.write_text(json.dumps(settings | {"teacher": agent}))
        assert main(["--resume", str(run)]) == 2
        message = f"{file}: teacher must not be module:Class, got '{agent}'. To import the module"
        assert message in capsys.readouterr().err and not marker.exists()
    file.write_text(json.dumps(settings | {"teacher": "module_in_settings:Agent"}))
    with pytest.warns(UserWarning, match="teacher was 'pimc@1' and is now"):
        assert main(["--resume", str(run), "--allow-code"]) == 2  # the module has no Agent
    assert marker.exists()
