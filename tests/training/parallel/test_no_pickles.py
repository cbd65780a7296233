"""Files of finished chunks run no code, and damaged files never change a result."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.envs import find_game
from parlour.training.cli import main
from parlour.training.cli.process import STOPPED
from parlour.training.evaluation import lineups
from parlour.training.evaluation.compare import compare
from parlour.training.evaluation.labels import labelling
from parlour.training.evaluation.reviews import review_deal_set
from parlour.training.evaluation.reviews.review_deal_set import pack_reviews, unpack_reviews
from parlour.training.files import pack_arrays, read_arrays
from parlour.training.parallel.tasks import Cluster
from tests.corrupt_files import damaged
from tests.fake_solver import solved
from tests.marks import slow_if

HERE = ("--jobs", "1", "--backend", "sequential")
COMMANDS = {
    "evaluate": ("evaluate", "pyramid", "--deals", "20"),
    "compare": ("compare", "pyramid", "--agents", "greedy", "uniform", "--deals", "20"),
    "table": ("compare", "seven_twenty_seven", "--agents", "greedy", "--deals", "20"),
    "review": ("review", "poker_squares", "--agent", "uniform", "--deals", "12", "--worlds", "2"),
    "deal_set": ("deals", "make", "pyramid", "--first", "900000", "--deals", "150"),
}


class Bomb:
    """Creates a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return Path.touch, (self.marker,)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide a few deals into several chunks."""
    monkeypatch.setattr(lineups, "CHUNK", 7)


def interrupt_second(patch: pytest.MonkeyPatch, module: Any, name: str) -> None:
    """Press Ctrl-C in the second chunk."""
    work, done = getattr(module, name), []

    def stopping(task: Any) -> Any:
        done.append(1)
        if len(done) > 1:
            raise KeyboardInterrupt
        return work(task)

    patch.setattr(module, name, stopping)


@pytest.mark.filterwarnings("ignore:.*is damaged, so this chunk is computed again")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_unpickles_a_planted_file(command: str, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    words = [*COMMANDS[command], *HERE, "--out", str(tmp_path)]
    with pytest.MonkeyPatch.context() as patch, solved(find_game("pyramid")):
        interrupt_second(patch, lineups, "play_chunk")
        interrupt_second(patch, review_deal_set, "review_chunk")
        interrupt_second(patch, labelling, "solve_task")
        assert main.main(words) == STOPPED
    (chunk,) = [file for file in tmp_path.rglob(".*/*") if file.suffix in (".npz", ".pickle")]
    bomb = pickle.dumps(Bomb(marker))
    objects = np.empty(1, object)
    objects[0] = Bomb(marker)
    chunk.write_bytes(bomb)
    chunk.with_suffix(".pickle").write_bytes(bomb)
    with solved(find_game("pyramid")):
        assert main.main(words) == 0
    assert not marker.exists()
    np.savez(tmp_path / "objects.npz", square=objects)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        read_arrays(tmp_path / "objects.npz")
    assert not marker.exists()


def test_objects_are_not_written() -> None:
    with pytest.raises(TypeError, match="array 'one' must not hold Python objects, got object"):
        pack_arrays({"one": [object()]})


@pytest.mark.filterwarnings("ignore:.*is damaged, so this chunk is computed again")
@pytest.mark.parametrize("times", [15, slow_if(True, 60)])
def test_a_damaged_chunk_never_changes_a_result(times: int, tmp_path: Path) -> None:
    """After byte flips, truncation or deletion, a chunk is read unchanged or computed again."""
    given: dict[str, Any] = {"deals": 7, "evaluation_seed": "k"}
    whole = compare("pyramid", ["greedy"], **given)
    kept = Cluster("sequential", 1, chunks=tmp_path / "chunks")
    compare("pyramid", ["greedy"], **given, cluster=kept)
    (file,) = (tmp_path / "chunks").glob("*.npz")
    data = file.read_bytes()
    for spoilt in damaged(data, times):
        if spoilt is None:
            file.unlink()
        else:
            file.write_bytes(spoilt)
        result = compare("pyramid", ["greedy"], **given, cluster=kept).evaluations[0].results
        for name, values in whole.evaluations[0].results.facts.items():
            np.testing.assert_array_equal(values, result.facts[name], err_msg=name)


@pytest.mark.parametrize("name", ["pyramid", "poker_squares", "seven_twenty_seven"])
def test_reviews_are_read_as_they_were_written(name: str, tmp_path: Path) -> None:
    """Games with a solver, without one and for several players have different empty fields."""
    made = review_deal_set.review_deal_set(name, "greedy", deals=3, worlds=2, evaluation_seed="k")
    path = tmp_path / "reviews.npz"
    path.write_bytes(pack_arrays(pack_reviews(made.reviews)))
    read = unpack_reviews(made.judge, read_arrays(path))
    assert [one.summary() for one in read] == [one.summary() for one in made.reviews]
    for one, other in zip(read, made.reviews, strict=True):
        assert one.actions.dtype == other.actions.dtype and one.facts == other.facts
        assert (one.open_values is None) == (other.open_values is None)
        assert (one.points is None) == (other.points is None)


def test_tables_of_several_resume_from_chunks(tmp_path: Path) -> None:
    given: dict[str, Any] = {
        "deals": 20,
        "evaluation_seed": "k",
        "hands": 2,
        "opponents": ["uniform"],
    }
    whole = compare("seven_twenty_seven", ["greedy"], **given)
    kept = Cluster("sequential", 1, chunks=tmp_path / "chunks")
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        interrupt_second(patch, lineups, "play_chunk")
        compare("seven_twenty_seven", ["greedy"], **given, cluster=kept)
    result = compare("seven_twenty_seven", ["greedy"], **given, cluster=kept)
    one, other = result.evaluations[0].results, whole.evaluations[0].results
    np.testing.assert_array_equal(one.nets, other.nets)
    assert one.hands == other.hands and one.facts.keys() == other.facts.keys()
    for fact, values in other.facts.items():
        np.testing.assert_array_equal(one.facts[fact], values)
