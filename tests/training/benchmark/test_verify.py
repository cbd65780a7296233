"""Verification of benchmark entries: true entries hold, and each lie is refused with its reason."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.agents.registry import Turn, load_agent, prepare_turn
from parlour.agents.saved import PRETRAINED_FOLDER
from parlour.envs.core.batch import Autoreset, Over, StepConfig
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.rows import Rows
from parlour.training import evaluate
from parlour.training.benchmark import verify
from parlour.training.benchmark.entries import (
    BenchmarkEntry,
    locate_entry,
    read_entry,
    read_results,
    write_entry,
)
from parlour.training.benchmark.games import SUFFIX, read_games, write_games
from parlour.training.benchmark.run import run_method
from parlour.training.benchmark.submit import add_agent, add_games
from parlour.training.benchmark.tasks import DEAL_SET, EVALUATION_SEED, TASKS
from parlour.training.benchmark.verify import verify_entry

PYRAMID = TASKS["pyramid-three-passes"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the entries of greedy."""
    folder = tmp_path_factory.mktemp("results")
    tasks = ["pyramid-three-passes", "poker-squares-classic", "twenty-eight-classic"]
    assert run_method("greedy", folder, tasks=tasks) == []
    return folder


@pytest.fixture
def pyramid(results: Path) -> BenchmarkEntry:
    return read_entry(locate_entry(results, "greedy", PYRAMID.name, 0))


def test_true_entries_hold(results: Path) -> None:
    entries = read_results(results)
    assert [one.task for one in entries] == [
        *("pyramid-three-passes", "poker-squares-classic", "twenty-eight-classic")
    ]
    for entry in entries:
        assert verify_entry(entry, results) == []


def test_invented_outcomes_are_refused(results: Path, pyramid: BenchmarkEntry) -> None:
    lost = pyramid.values.index(0.0)
    values = (*pyramid.values[:lost], 1.0, *pyramid.values[lost + 1 :])
    (fault,) = verify_entry(replace(pyramid, values=values), results)
    assert fault == (
        f"values: deal {lost} must have 0, the result of playing it, got 1 (1 of 2000 deals are "
        "wrong)"
    )


@pytest.mark.parametrize("task", ["pyramid-three-passes", "twenty-eight-classic"])
def test_invented_outcomes_of_slow_agents_are_refused(
    results: Path, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random deals are played again, so it does not help to invent those at the end."""
    monkeypatch.setattr(verify, "ALL_SECONDS", 0)
    entry = read_entry(locate_entry(results, "greedy", task, 0))
    assert verify_entry(entry, results) == []
    for value in (1.0, 1e9) if entry.task_object.is_multiplayer else (1.0,):
        values = (*entry.values[:100], *(value,) * (len(entry.values) - 100))
        faults = verify_entry(replace(entry, values=values), results)
        assert len(faults) > 5 and all(fault.startswith("values: ") for fault in faults)
        assert faults[-1].startswith("values: the score must not depend on the deals, got")


class Memory:
    """An agent that knows a winning line of each deal of the benchmark, and else plays greedy."""

    name = "memory"
    encoding = "codes"
    sees_all = False

    def __init__(self) -> None:
        game, rules = PYRAMID.game_object, PYRAMID.rules
        self.greedy = load_agent("greedy", game, rules)
        self.actions: dict[bytes, int] = {}
        oracle = load_agent("oracle", game, rules)
        rows = Rows(game, rules, PYRAMID.deals, StepConfig(reset=Autoreset.DISABLED))
        rows.deal_numbered(DEAL_SET, np.arange(PYRAMID.deals))
        while (running := rows.states["over"] == Over.RUNNING).any():
            at = np.flatnonzero(running)
            turn = prepare_turn(oracle, game, rules, rows.states[at], 0)
            actions = np.zeros(len(running), np.int64)
            actions[at] = oracle.act(turn)
            for row, observation in zip(at, turn.observations, strict=True):
                self.actions.setdefault(observation.tobytes(), int(actions[row]))
            rows.step(actions, running)

    def act(self, turn: Turn) -> np.ndarray:
        """Return the memorized action of a known position."""
        actions = self.greedy.act(turn).copy()
        for row, observation in enumerate(turn.observations):
            known = self.actions.get(observation.tobytes())
            if known is not None and turn.masks[row, known]:
                actions[row] = known
        return actions


@pytest.mark.slow
def test_an_agent_that_saw_the_deals_is_refused(tmp_path: Path) -> None:
    """It repeats its values, but plays fresh deals like greedy."""
    spec = f"{__name__}:Memory"
    entry = add_agent(tmp_path, PYRAMID, "memory", spec)
    assert entry.raw.mean > 0.6
    (fault,) = verify_entry(entry, tmp_path, allow_code=True)
    assert fault.startswith("values: the score must not depend on the deals, got 0.6")


def test_agents_that_see_hidden_cards_are_refused(tmp_path: Path, pyramid: BenchmarkEntry) -> None:
    with pytest.raises(ValueError, match="agent must not see hidden cards, got oracle"):
        add_agent(tmp_path, replace(PYRAMID, deals=20), "oracle", "oracle")
    (fault,) = verify_entry(replace(pyramid, sees_all=True), tmp_path)
    assert fault == "sees_all: agents of the benchmark must not see hidden cards"
    faults = verify_entry(replace(pyramid, agent="oracle"), tmp_path, deals=10)
    assert faults == ["sees_all: agents of the benchmark must not see hidden cards"]


def test_a_time_class_that_does_not_hold_is_refused(
    results: Path, pyramid: BenchmarkEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "TIME_FACTOR", 1e-6)
    (fault,) = verify_entry(pyramid, results, deals=20)
    assert fault.startswith("time_class: 0.1ms needs at most 1e-07 ms per decision")
    assert verify_entry(replace(pyramid, time_class="slow"), results, deals=20) == []


def test_a_person_is_refused(results: Path, pyramid: BenchmarkEntry) -> None:
    (fault,) = verify_entry(replace(pyramid, agent="human"), results)
    assert "agent must not be human" in fault
    (fault,) = verify_entry(replace(pyramid, agent="x=human"), results)
    assert fault.startswith("agent: ")


class Broken:
    """An agent whose code ends the process."""

    name = "broken"
    encoding = "codes"
    sees_all = False

    def act(self, turn: Turn) -> np.ndarray:
        """Raise SystemExit."""
        raise SystemExit("gone")


def test_no_agent_ends_the_verification(results: Path, pyramid: BenchmarkEntry) -> None:
    entry = replace(pyramid, agent=f"{__name__}:Broken")
    (fault,) = verify_entry(entry, results, allow_code=True)
    assert "gone" in fault


def test_paths_outside_the_folder_are_refused(results: Path, pyramid: BenchmarkEntry) -> None:
    for path in ("../agent", str(PRETRAINED_FOLDER / "pyramid-many")):
        (fault,) = verify_entry(replace(pyramid, agent=path), results)
        assert fault == f"agent: {path!r} must not be outside the folder of results"


def test_steps_and_times_must_fit(results: Path, pyramid: BenchmarkEntry) -> None:
    (fault,) = verify_entry(replace(pyramid, steps=1), results)
    assert fault == "steps: must be at most 0, the budget none"
    (fault,) = verify_entry(replace(pyramid, ms=0.2), results)
    assert fault == "time_class: 0.1ms must not be shorter than ms=0.2"
    (fault,) = verify_entry(replace(pyramid, agent="", games="x.npz"), results)
    assert fault.startswith("time_class: must be slow without an agent")


def test_contradicting_entries_are_refused(tmp_path: Path, pyramid: BenchmarkEntry) -> None:
    write_entry(tmp_path, pyramid)
    write_entry(tmp_path, replace(pyramid, budget="small", seed=1))
    with pytest.raises(ValueError, match="budget must be none, as in its method"):
        read_results(tmp_path)
    write_entry(tmp_path, replace(pyramid, agent_digest="0" * 16))
    write_entry(tmp_path, replace(pyramid, agent_digest="0" * 16, seed=1))
    with pytest.raises(ValueError, match="seed 1: must have another agent than seed 0"):
        read_results(tmp_path)
    with pytest.raises(ValueError, match="field seed must be an integer"):
        write_entry(tmp_path, replace(pyramid, seed=1 << 31))
    write_entry(tmp_path, replace(pyramid, method="a:b"))
    with pytest.raises(ValueError, match="must not have the same file as a:b, got a-b"):
        write_entry(tmp_path, replace(pyramid, method="a-b"))


def test_other_agents_and_other_rules_are_refused(results: Path, pyramid: BenchmarkEntry) -> None:
    (fault,) = verify_entry(replace(pyramid, agent="runs/gone"), results)
    assert fault == "agent: 'runs/gone' must be a built-in agent or an existing folder"
    (fault,) = verify_entry(replace(pyramid, agent_digest="0" * 16), results)
    assert fault == f"agent_digest: must be empty, got {'0' * 16}"
    (fault,) = verify_entry(replace(pyramid, rules_digest="0" * 16), results)
    assert fault.startswith(f"rules_digest: must be {PYRAMID.rules_digest}")


def test_code_runs_only_if_allowed(
    tmp_path: Path, pyramid: BenchmarkEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "harm.py").write_text("raise SystemExit('ran')")
    monkeypatch.syspath_prepend(tmp_path)
    (fault,) = verify_entry(replace(pyramid, agent="harm:Agent"), tmp_path)
    assert fault == "agent: 'harm:Agent' must not be code; add --allow-code to import it"
    assert "harm" not in sys.modules


@pytest.mark.slow
def test_a_saved_agent_is_part_of_its_entry(tmp_path: Path) -> None:
    source = PRETRAINED_FOLDER / "pyramid-many"
    entry = add_agent(tmp_path, PYRAMID, "many", str(source), budget="medium", steps=4_000_000)
    write_entry(tmp_path, entry)
    (again,) = read_results(tmp_path)
    assert again == entry and again.agent == f"many/{PYRAMID.name}-seed-0.agent"
    assert verify_entry(again, tmp_path) == []
    folder = tmp_path / again.agent / "weights.safetensors"
    data = bytearray(folder.read_bytes())
    data[-1] ^= 1
    folder.write_bytes(data)
    (fault,) = verify_entry(again, tmp_path)
    assert fault.startswith("agent")


def record(path: Path, task: Any = PYRAMID, agent: str = "greedy") -> None:
    evaluate(
        task.game,
        agent,
        variant=task.variant,
        deals=task.deals,
        deal_set=DEAL_SET,
        evaluation_seed=EVALUATION_SEED,
        record=path,
    )


def test_recorded_games_are_enough_for_one_player(
    tmp_path: Path, pyramid: BenchmarkEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(tmp_path / "games.jsonl")
    entry = add_games(tmp_path, PYRAMID, "sent", tmp_path / "games.jsonl")
    assert entry.values == pyramid.values and entry.time_class == "slow"
    assert verify_entry(entry, tmp_path) == []
    values = (1 - entry.values[0], *entry.values[1:])
    (fault,) = verify_entry(replace(entry, values=values), tmp_path)
    assert fault.startswith("values: deal 0 must have")
    path = locate_entry(tmp_path, "sent", PYRAMID.name, 0).with_suffix(SUFFIX)
    games = [game.tolist() for game in read_games(path, PYRAMID)]
    for change, expected in (
        ([*games[0], 0], "must be legal in its game"),
        (games[0][:-1], "the game must be played to its end"),
        ([999, *games[0][1:]], "action 1, 999, must be legal"),
        ([-1, *games[0][1:]], "action 1, -1, must be legal"),
        ([0] * 10_001, "lengths must be at most 10,000"),
    ):
        write_games(path, [change, *games[1:]])
        (fault,) = verify_entry(entry, tmp_path)
        assert fault.startswith("games: ") and expected in fault
    (fault,) = verify_entry(replace(entry, games="../games.npz"), tmp_path)
    assert fault.startswith("games: ")
    with monkeypatch.context() as patch:
        patch.setattr("parlour.training.benchmark.games.MOST_BYTES", 1000)
        (fault,) = verify_entry(entry, tmp_path)
        assert "must have at most 1,000 bytes" in fault
    path.write_bytes(b"PK damaged")
    (fault,) = verify_entry(entry, tmp_path)
    assert fault.startswith("games: ")


def test_games_of_wrong_deals_are_refused(tmp_path: Path) -> None:
    lines = tmp_path / "games.jsonl"
    evaluate("pyramid", "greedy", deals=5, record=lines)
    with pytest.raises(ValueError, match=r"game 1: must be one of deals 0 to 1999 of benchmark-1"):
        add_games(tmp_path, PYRAMID, "sent", lines)
    lines.unlink()
    record(lines, replace(PYRAMID, deals=1999))
    with pytest.raises(ValueError, match="1 are missing, such as deal 1999"):
        add_games(tmp_path, PYRAMID, "sent", lines)
    text = lines.read_text()
    lines.write_text(text + text.splitlines()[0] + "\n")
    with pytest.raises(ValueError, match=r"game 2000: deal \d+ must have one game, got several"):
        add_games(tmp_path, PYRAMID, "sent", lines)
    lines.unlink()
    record(lines, replace(PYRAMID, variant="book"))
    with pytest.raises(ValueError, match="game 1: must have the rules of task pyramid-three"):
        add_games(tmp_path, PYRAMID, "sent", lines)
    lines.unlink()
    record(lines, replace(PYRAMID, deals=3), "oracle")
    with pytest.raises(ValueError, match="game 1: the agent must not see hidden cards, got oracle"):
        add_games(tmp_path, PYRAMID, "sent", lines)
    with pytest.raises(ValueError, match="contain the actions of opponents"):
        add_games(tmp_path, TASKS["twenty-eight-classic"], "sent", lines)
    assert not list(tmp_path.glob("sent/*"))


def test_more_steps_than_the_budget_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="steps must be at most 1,000,000, the budget small"):
        add_agent(tmp_path, PYRAMID, "mine", "greedy", budget="small", steps=1_000_001)
    with pytest.raises(ValueError, match="field method must be lower-case letters"):
        add_agent(tmp_path, PYRAMID, "../mine", "greedy")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("values", [1.0] * 1999, "must have 2,000 values for task pyramid-three-passes"),
        ("values", [2] * 2000, r"field values must have 0 or 1, got 2 \(deal 0\)"),
        ("values", [float("nan")] * 2000, "NaN"),
        ("values", "1", "field values must be a list"),
        ("task", "solitaire", "field task must be one of pyramid-three-passes"),
        ("seed", -1, "field seed must be an integer from 0"),
        ("benchmark", 2, "field benchmark must be 1, the version of the benchmark"),
        ("method", "A b", "field method must be lower-case"),
        ("time_class", "fast", "field time_class must be one of 0.1ms"),
        ("agent", "", "field agent must name an agent, or field games"),
        ("score", 1.0, "score"),
    ],
)
def test_wrong_fields_are_named(
    field: str, value: object, said: str, tmp_path: Path, pyramid: BenchmarkEntry
) -> None:
    path = write_entry(tmp_path, pyramid)
    table = json.loads(path.read_text())
    path.write_text(json.dumps(table | {field: value}))
    with pytest.raises(ValueError, match=said) as error:
        read_entry(path)
    assert str(path) in str(error.value)


def test_a_renamed_entry_is_refused(tmp_path: Path, pyramid: BenchmarkEntry) -> None:
    path = write_entry(tmp_path, pyramid)
    path.rename(path.with_name(f"{PYRAMID.name}-seed-1.json"))
    with pytest.raises(ValueError, match="must be the file of method greedy"):
        read_results(tmp_path)


def test_no_deal_of_the_benchmark_has_a_seed_of_play() -> None:
    assert (deal_seeds(DEAL_SET, np.arange(100)) >> np.uint64(63) == 1).all()
