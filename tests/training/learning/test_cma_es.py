"""CMA-ES improves the weights, resumes to the same weights, and validates what it loads."""

import json
import os
import signal
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as tensor_bytes

from parlour.agents.baselines import GreedyAgent
from parlour.agents.registry import load_agent
from parlour.agents.saved import SavedAgentError
from parlour.envs import find_game
from parlour.envs.core.batch import DealSource
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import make_table
from parlour.training.evaluation.play import play_deals
from parlour.training.learning import checkpoint, progress
from parlour.training.learning.methods import cma_es
from parlour.training.learning.methods.cma_es import CmaEsRun
from parlour.training.learning.save_agent import save_agent
from parlour.training.learning.settings.methods import CmaEsSettings
from parlour.training.learning.train import Interrupted, main, report, resume, train
from tests.training.learning.runs import read_result

GAME = find_game("poker_squares")
RULES = GAME.make_rules()
OWN = np.array(list(GAME.heuristic_weights.values()))
SMALL = CmaEsSettings(
    game="poker_squares",
    generations=4,
    candidate_deals=50,
    population=6,
    eval_deals=50,
    name="small",
)


NET = {"name": "heuristic", "encoding": "none", "width": len(OWN), "depth": 0, "options": {}}


def saved(folder: Path, values: np.ndarray = OWN, **changed: Any) -> Path:
    """Save an agent with these weights and changed fields in agent.json."""
    net = {"name": "heuristic", "encoding": "none", "width": len(values), "depth": 0, "options": {}}
    data = tensor_bytes({"weights": values})
    trained = {"weights": list(GAME.heuristic_weights)}
    save_agent(folder, "tester", make_table(GAME, RULES), data, net, trained, {})
    card = json.loads((folder / "agent.json").read_text())
    (folder / "agent.json").write_text(json.dumps(card | changed))
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An uninterrupted run."""
    return train(replace(SMALL, runs=str(tmp_path_factory.mktemp("whole"))), quiet=True)


def test_a_run_leaves_an_agent_that_plays(whole: Path) -> None:
    actual, names = read_result(whole), list(GAME.heuristic_weights)
    assert (actual["steps"], actual["unit"]) == (4 * 6 * 50, "games")
    lines = progress.read(whole / "seed-0" / "progress.jsonl")
    assert [line["steps"] for line in lines] == [300, 600, 900, 1200]
    agent = load_agent(str(whole), GAME, RULES)
    assert isinstance(agent, GreedyAgent) and agent.weights is not None
    assert (agent.name, agent.sees_all) == (whole.name, False)
    assert actual["weights"] == dict(zip(names, agent.weights.tolist(), strict=True))
    assert "1,200 games" in report(whole)
    assert not np.array_equal(agent.weights, OWN)


def test_the_compiled_player_plays_as_the_agent_does() -> None:
    seeds = np.arange(40, dtype=np.uint64)
    for name, variant in (("poker_squares", "book"), ("puss_in_the_corner", "free-hand")):
        one = find_game(name)
        rules, own = one.make_rules(variant), np.array(list(one.heuristic_weights.values()))
        states, steps = cma_es.play(one, rules, own, seeds, 500)
        actual = play_deals(one, rules, GreedyAgent(), seeds)
        assert states["score"].tolist() == actual.score.tolist()
        assert steps == actual.decisions


def test_games_of_the_search_are_cut_off() -> None:
    states, steps = cma_es.play(GAME, RULES, OWN, np.arange(3, dtype=np.uint64), 7)
    assert states["moves"].tolist() == [7, 7, 7] and steps == 21


def test_it_improves_a_detuned_heuristic(tmp_path: Path) -> None:
    begin = OWN[::-1].copy()
    settings = replace(
        SMALL,
        initial=str(saved(tmp_path / "detuned", begin)),
        generations=12,
        candidate_deals=200,
        population=12,
        eval_deals=500,
        sigma=0.5,
        runs=str(tmp_path),
    )
    folder = train(settings, quiet=True)
    seeds = np.arange(500, dtype=np.uint64)
    before = play_deals(GAME, RULES, GreedyAgent(weights=begin), seeds).score.mean()
    assert read_result(folder)["final"]["score"]["low"] > before + 5


def test_equal_seeds_give_equal_weights_and_another_seed_others(
    whole: Path, tmp_path: Path
) -> None:
    again = train(replace(SMALL, runs=str(tmp_path), seeds=(0, 1)), quiet=True)
    digests = [
        json.loads((again / f"seed-{k}" / "result.json").read_text())["weights_sha256"]
        for k in (0, 1)
    ]
    assert digests[0] == read_result(whole)["weights_sha256"] != digests[1]


@pytest.mark.parametrize("after", [1, 3])
def test_interrupted_it_comes_to_the_same_weights(
    after: int, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generation = CmaEsRun.iterate

    def interrupted(self: CmaEsRun) -> dict[str, float]:
        values = generation(self)
        if self.search.countiter == after:
            os.kill(os.getpid(), signal.SIGINT)
        return values

    with monkeypatch.context() as patch, pytest.raises(Interrupted):
        patch.setattr(CmaEsRun, "iterate", interrupted)
        train(replace(SMALL, runs=str(tmp_path)), quiet=True)
    np.random.seed(99)  # whatever the next process begins with
    folder = resume(tmp_path / whole.name, quiet=True)
    for name in ("weights", "final", "steps"):
        assert read_result(folder)[name] == read_result(whole)[name]
    logs = [progress.read(one / "seed-0" / "progress.jsonl") for one in (folder, whole)]
    assert [line | {"time": 0} for line in logs[0]] == [line | {"time": 0} for line in logs[1]]


def stopped_after_two(runs: Path) -> Path:
    """A run that was killed after two generations."""
    iterate = CmaEsRun.iterate

    def stopping(self: CmaEsRun) -> dict[str, float]:
        if self.search.countiter == 2:
            raise KeyboardInterrupt
        return iterate(self)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(CmaEsRun, "iterate", stopping)
        train(replace(SMALL, runs=str(runs)), quiet=True)
    (folder,) = (path.parent for path in runs.glob("*/settings.json"))
    return folder


def test_a_resumed_search_is_equal_in_all_its_numbers(tmp_path: Path) -> None:
    folder = stopped_after_two(tmp_path)
    search = cma_es.make_search(SMALL, 0, len(OWN))
    actual = checkpoint.latest(folder / "seed-0")
    assert actual and actual.arrays.keys() == {"losses", "middle"}
    for losses in actual.arrays["losses"].tolist():
        search.tell(search.ask(), losses)
    run = CmaEsRun(replace(SMALL, runs=str(tmp_path)), 0, folder / "seed-0")
    run.close()
    assert run.search.countiter == search.countiter == 2 and run.search.sigma == search.sigma
    for name in ("mean", "pc", "C", "B", "D"):
        np.testing.assert_array_equal(getattr(run.search, name), getattr(search, name))
    np.testing.assert_array_equal(run.search.ask(), search.ask())


@pytest.mark.filterwarnings("ignore:.*has changed since the last checkpoint")
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sigma": 0.9}, r"cannot be resumed: cma \S+ does not reproduce the search of cma"),
        (
            {"population": 8},
            r"does not match the run's settings: its shapes are \(6,\) for candidates",
        ),
    ],
)
def test_a_search_that_would_not_be_the_same_is_refused(
    changed: dict[str, Any], message: str, tmp_path: Path
) -> None:
    folder = stopped_after_two(tmp_path)
    settings = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps(settings | changed))
    with pytest.raises(ValueError, match=message):
        resume(folder, quiet=True)


def test_no_file_of_signals_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`cma` evaluates the options in a signals file in the current folder."""
    (tmp_path / "cma_signals.in").write_text("{'tolx': 'open(\"marker\", \"w\").close()'}")
    monkeypatch.chdir(tmp_path)
    cma_es.make_search(SMALL, 0, 3).stop()
    assert not (tmp_path / "marker").exists()


def test_candidates_play_common_deals_of_the_training_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[np.ndarray] = []
    play = cma_es.play

    def noting(one: Any, rules: Any, values: Any, seeds: np.ndarray, limit: int) -> Any:
        seen.append(seeds)
        return play(one, rules, values, seeds, limit)

    monkeypatch.setattr(cma_es, "play", noting)
    train(replace(SMALL, runs=str(tmp_path), generations=2), quiet=True)
    assert len(seen) == 12
    assert all(np.array_equal(seeds, seen[0]) for seeds in seen[:6])
    assert not np.isin(seen[6], seen[0]).any()
    assert not (np.concatenate(seen) >> np.uint64(63)).any()


def test_weights_replace_those_of_the_heuristic(tmp_path: Path) -> None:
    rows = Rows(GAME, RULES, 1)
    rows.seed([5])
    rows.start(DealSource.SEED)
    agent = load_agent(str(saved(tmp_path / "agent", OWN * 0)), GAME, RULES)
    assert isinstance(agent, GreedyAgent)
    assert not GAME.score_actions(rows.states, RULES, agent.weights).any()


@pytest.mark.parametrize(
    ("values", "changed", "message"),
    [
        (OWN[:-1], {}, r"must be float64 \(\d+,\), got float64 "),
        (OWN.astype(np.float32), {}, r"must be float64 \(\d+,\), got float32"),
        (OWN * np.nan, {}, "weights of agent 'tester' are not finite: layer 'weights' has"),
        (OWN * 1e200, {}, "weights of agent 'tester' must be from -1e\\+100 to 1e\\+100, got"),
        (OWN, {"network": NET | {"encoding": "codes"}}, "field network.encoding must be 'none'"),
        (OWN, {"trained": {"weights": ["one", "two"]}}, "Train them again"),
        (OWN, {"trained": {}}, "weights must be those of .*, got None"),
        (OWN, {"weights_sha256": sha256(b"").hexdigest()}, "SHA-256"),
        (OWN, {"game": "pyramid"}, "must be for game 'poker_squares', got 'pyramid'"),
        (OWN, {"network": {"name": "heuristic"}}, r"network\.encoding"),
    ],
)
def test_refuses_what_does_not_fit(
    values: np.ndarray, changed: dict[str, Any], message: str, tmp_path: Path
) -> None:
    folder = saved(tmp_path / "agent", values, **changed)
    with pytest.raises(SavedAgentError, match=message) as caught:
        load_agent(str(folder), GAME, RULES)
    assert str(folder) in str(caught.value)


def test_refuses_other_tensors_and_cut_off_files(tmp_path: Path) -> None:
    folder = saved(tmp_path / "agent")
    file, card = folder / "weights.safetensors", json.loads((folder / "agent.json").read_text())
    data = tensor_bytes({"other": OWN})
    file.write_bytes(data)
    changed = card | {"weights_sha256": sha256(data).hexdigest()}
    (folder / "agent.json").write_text(json.dumps(changed))
    with pytest.raises(SavedAgentError, match="weights"):
        load_agent(str(folder), GAME, RULES)
    file.write_bytes(data[:-5])
    with pytest.raises(SavedAgentError, match="incomplete, damaged"):
        load_agent(str(folder), GAME, RULES)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--generations 0", "generations must be an integer from 1 to 1000000, got 0"),
        ("--candidate-deals 0", "candidate_deals must be an integer from 1 to 10000000, got 0"),
        ("--population 3", "population must be 0 or an integer from 4 to 10000, got 3"),
        ("--population -1", "population must be 0 or an integer from 4 to 10000, got -1"),
        ("--sigma 0", "sigma must be a number from 0.001 to 10, got 0.0"),
        ("--initial nowhere/at-all", "nowhere/at-all/agent.json"),
    ],
)
def test_wrong_settings_are_named(
    words: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"poker-squares --method cma-es {words} --runs {tmp_path}"
    assert main(line.split()) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
