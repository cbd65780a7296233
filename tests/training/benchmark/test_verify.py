"""Verification of benchmark entries: true entries hold, and each lie is refused with its reason."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.agents.registry import Turn, load_agent, prepare_turn
from parlour.agents.saved import PRETRAINED_FOLDER, digest_agent
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
from parlour.training.benchmark.measure import measure_task
from parlour.training.benchmark.run import digest_spec, find_agent, run_method
from parlour.training.benchmark.submit import add_agent, add_games
from parlour.training.benchmark.tasks import ALL_TASKS, DEAL_SET, EVALUATION_SEED, TASKS
from parlour.training.benchmark.verify import verify_entry
from parlour.training.evaluation.stats import student_mean

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


def test_a_deal_counts_once_for_all_sets_of_rules(pyramid: BenchmarkEntry) -> None:
    """Else a deal that is won under all rules would look like many independent wins."""
    task = ALL_TASKS["pyramid-rules"]
    deals = np.arange(task.deals) % 3 == 0
    values = tuple(map(float, np.tile(deals, task.test_sets)))
    entry = replace(pyramid, task=task.name, values=values)
    assert entry.deal_values.tolist() == deals.tolist()
    assert entry.raw == student_mean(deals.astype(float))
    assert pyramid.deal_values.tolist() == list(pyramid.values)


@pytest.mark.slow
def test_an_agent_that_saw_the_deals_is_refused(tmp_path: Path) -> None:
    """It repeats its values, but plays fresh deals like greedy."""
    spec = f"{__name__}:Memory"
    entry = add_agent(tmp_path, PYRAMID, "memory", spec)
    assert entry.raw.mean > 0.6
    (fault,) = verify_entry(entry, tmp_path, allow_code=True)
    assert fault.startswith("values: the score must not depend on the deals, got 0.6")


def test_an_agent_that_sees_all_is_marked_and_cannot_deny_it(
    tmp_path: Path, results: Path, pyramid: BenchmarkEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ALL_TASKS, "pyramid-book", replace(ALL_TASKS["pyramid-book"], deals=20))
    run_method("oracle", tmp_path, tasks=["pyramid-book"])
    (oracle,) = read_results(tmp_path)
    assert oracle.sees_all and verify_entry(oracle, tmp_path, deals=10) == []
    faults = verify_entry(replace(oracle, sees_all=False), tmp_path, deals=10)
    assert faults == ["sees_all: must be true, as observed"]
    faults = verify_entry(replace(pyramid, sees_all=True), results, deals=10)
    assert faults == ["sees_all: must be false, as observed"]
    games = replace(pyramid, agent="", games="x.npz", time_class="slow", ms=0.0, single_ms=0.0)
    games = replace(games, sees_all=True)
    (fault,) = verify_entry(games, results)
    assert fault == "sees_all: must be false without an agent that sees hidden cards"


def test_a_time_class_that_does_not_hold_is_refused(
    results: Path, pyramid: BenchmarkEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "TIME_FACTOR", 1e-6)
    (fault,) = verify_entry(pyramid, results, deals=20)
    assert fault.startswith("time_class: 0.1ms needs at most 1e-07 ms per decision")
    assert verify_entry(replace(pyramid, time_class="slow"), results, deals=20) == []


@pytest.mark.parametrize(
    ("claimed", "measured", "holds"),
    [
        (1.0, 1.0, True),
        (1.0, 19.0, True),
        (1.0, 21.0, False),
        (19.0, 1.0, True),
        (21.0, 1.0, False),
        (0.00001, 0.004, True),  # so short a time is that of the call
        (0.00001, 0.2, False),
        (0.2, 0.00001, False),
    ],
)
def test_a_time_holds_within_a_factor(
    results: Path,
    pyramid: BenchmarkEntry,
    claimed: float,
    measured: float,
    holds: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = verify.measure_task
    monkeypatch.setattr(
        verify, "measure_task", lambda *one, **named: real(*one, **named)._replace(ms=measured)
    )
    entry = replace(pyramid, time_class="slow", ms=claimed)
    faults = verify_entry(entry, results, deals=10)
    assert len(faults) == (0 if holds else 1)
    assert holds or faults[0].startswith("ms: must be within a factor of 20 of ")


def test_an_invented_time_of_single_decisions_is_refused(
    results: Path, pyramid: BenchmarkEntry
) -> None:
    (fault,) = verify_entry(replace(pyramid, single_ms=1e6), results, deals=10)
    assert fault.startswith("single_ms: must be within a factor of 20 of ")


@pytest.mark.parametrize("second", [0.01, 500.0])
def test_a_slow_time_is_measured_again(
    results: Path, pyramid: BenchmarkEntry, second: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first measured time may include compilation."""
    monkeypatch.setattr(verify, "ALL_SECONDS", -1)
    real, times = verify.measure_task, iter([800.0])

    def timed(*one: Any, **named: Any) -> Any:
        measured = real(*one, **named)
        blocks = len(measured.values) == verify.BLOCK
        return measured if blocks else measured._replace(ms=next(times, second))

    monkeypatch.setattr(verify, "measure_task", timed)
    faults = verify_entry(pyramid, results, deals=10)
    assert [fault.split(":")[0] for fault in faults] == ([] if second < 1 else ["time_class", "ms"])


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("human", "agent must not be human"),
        ("x=human", "agent must not be human"),
        ("mcts:human", "agent must not be human"),
        ("mcts@50ms", "a search budget without a time limit, such as mcts@100, got mcts@50ms"),
        ("rollouts@5ms:greedy", "must have a search budget without a time limit"),
        ("mcts@9:rollouts@5ms:greedy", "must have a search budget without a time limit"),
    ],
)
def test_people_and_time_limits_cannot_be_repeated(
    results: Path, pyramid: BenchmarkEntry, agent: str, reason: str
) -> None:
    (fault,) = verify_entry(replace(pyramid, agent=agent), results)
    assert fault.startswith("agent: ") and reason in fault
    with pytest.raises(ValueError, match="agent must"):
        add_agent(results, PYRAMID, "mine", agent)


class Moody:
    """An agent that draws from its own generator, so its results are not repeatable."""

    name = "moody"
    encoding = "codes"
    sees_all = False

    def __init__(self) -> None:
        self.rng = np.random.default_rng()

    def act(self, turn: Turn) -> np.ndarray:
        """Return random legal actions."""
        return np.asarray((turn.masks * self.rng.random(turn.masks.shape)).argmax(axis=1))


def test_an_agent_that_does_not_repeat_itself_gets_no_entry(
    tmp_path: Path, results: Path, pyramid: BenchmarkEntry
) -> None:
    agent, task = f"{__name__}:Moody", TASKS["poker-squares-classic"]
    with pytest.raises(ValueError, match="must repeat its results on the same deals, got other"):
        add_agent(tmp_path, task, "moody", agent)
    entry = read_entry(locate_entry(results, "greedy", task.name, 0))
    faults = verify_entry(replace(entry, agent=agent), results, allow_code=True)
    assert faults[0].startswith("values: deal 0 must have ")


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
    assert fault == "steps: must be at most 0 with budget none"
    (fault,) = verify_entry(replace(pyramid, ms=0.2), results)
    assert fault == "time_class: 0.1ms must not be shorter than ms=0.2"
    (fault,) = verify_entry(replace(pyramid, agent="", games="x.npz"), results)
    assert fault.startswith("time_class: must be slow, and ms and single_ms 0, without an agent")
    (fault,) = verify_entry(replace(pyramid, agent_digest="0" * 16), results)
    assert fault == "budget: must not be none for a trained agent"
    assert verify_entry(replace(pyramid, budget="unlimited", steps=10**10), results, deals=5) == []


def test_origins_may_be_anything_of_their_form(results: Path, pyramid: BenchmarkEntry) -> None:
    """Nobody can check later where and when an entry was measured."""
    other = {"parlour": "0.0.9", "machine": "a pocket calculator", "date": "2001-02-03"}
    assert verify_entry(replace(pyramid, **other), results, deals=5) == []  # type: ignore[arg-type]
    (fault,) = verify_entry(replace(pyramid, date="2999-01-01"), results)
    assert fault == "date: must not be in the future, got 2999-01-01"


def test_results_of_other_deals_and_other_agents_are_refused(
    results: Path, pyramid: BenchmarkEntry
) -> None:
    for agent in ("uniform", "mcts@2"):
        faults = verify_entry(replace(pyramid, agent=agent), results, deals=20)
        assert any(fault.startswith("values: deal ") for fault in faults), agent
    luckier = measure_task(PYRAMID, "greedy", first=5000).values
    faults = verify_entry(replace(pyramid, values=tuple(luckier.tolist())), results)
    assert faults[0].startswith("values: deal ")
    other = replace(pyramid, task="pyramid-classic")
    (fault,) = verify_entry(other, results)
    assert fault.startswith("rules_digest: must be ")


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
    lie = replace(pyramid, agent_digest="0" * 16, budget="unlimited")
    (fault,) = verify_entry(lie, results)
    assert fault == f"agent_digest: must be empty, got {'0' * 16}"
    (fault,) = verify_entry(replace(pyramid, rules_digest="0" * 16), results)
    assert fault.startswith(f"rules_digest: must be {PYRAMID.rules_digest}")


@pytest.mark.parametrize(
    "agent",
    [
        *("harm:Agent", "mcts:harm:Agent", "mcts@5:rollouts@2:harm:Agent", "a.harm:Agent"),
        *("harm:x.y", "oracle@harm:Agent", "mcts@9:oracle@harm:Agent"),
    ],
)
def test_code_runs_only_if_allowed(
    tmp_path: Path, pyramid: BenchmarkEntry, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    for name in ("harm.py", "a/harm.py", "oracle@harm.py"):
        (tmp_path / name).write_text("raise SystemExit('ran')")
    monkeypatch.syspath_prepend(tmp_path)
    entry = replace(pyramid, agent=agent)
    (fault,) = verify_entry(entry, tmp_path)
    assert fault == f"agent: {agent!r} is code: add --allow-code to run it"
    (fault,) = verify_entry(entry, tmp_path, allow_code=True)
    assert fault.endswith("SystemExit: ran")


@pytest.mark.parametrize("agent", ["mine", "./mine", "mine/agent.json", "mcts@2:mine"])
def test_the_agents_of_the_current_folder_are_not_loaded(
    tmp_path: Path,
    results: Path,
    pyramid: BenchmarkEntry,
    agent: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(PRETRAINED_FOLDER / "pyramid-three-passes", tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    (fault,) = verify_entry(replace(pyramid, agent=agent), results)
    assert fault == f"agent: {agent!r} must be a built-in agent or an existing folder"


def test_a_changed_or_damaged_agent_is_refused(tmp_path: Path) -> None:
    task = TASKS["poker-squares-classic"]
    source = shutil.copytree(PRETRAINED_FOLDER / "poker_squares-classic", tmp_path / "source")
    with pytest.raises(ValueError, match="budget must not be none for a trained agent"):
        add_agent(tmp_path, task, "mine", str(source))
    entry = add_agent(tmp_path, task, "mine", str(source), budget="unlimited", steps=10**10)
    assert verify_entry(entry, tmp_path, deals=10) == []
    file = tmp_path / entry.agent / "agent.json"
    card = json.loads(file.read_text())
    card["trained"]["seed"] += 5
    file.write_text(json.dumps(card))
    assert verify_entry(entry, tmp_path, deals=10) == []  # it plays as before
    file.write_text(json.dumps(card | {"samples": True}))
    (fault,) = verify_entry(entry, tmp_path)
    assert fault.startswith("agent_digest: must be ")
    file.write_text("{")
    (fault,) = verify_entry(entry, tmp_path)
    assert fault.startswith("agent: cannot play task poker-squares-classic: SavedAgentError")
    file.unlink()
    (fault,) = verify_entry(entry, tmp_path)
    assert fault == f"agent: {entry.agent!r} must be a built-in agent or an existing folder"


def test_the_pretrained_agents_are_not_copied(tmp_path: Path) -> None:
    folder = PRETRAINED_FOLDER / "poker_squares-classic"
    task = TASKS["poker-squares-classic"]
    run_method("pretrained", tmp_path, tasks=[task.name])
    named = add_agent(tmp_path, task, "named", str(folder), budget="unlimited")
    write_entry(tmp_path, named)
    first, second = read_results(tmp_path)
    assert (first.agent, second.agent) == ("pretrained/poker_squares-classic", "pretrained")
    assert first.agent_digest == second.agent_digest == digest_agent(folder)
    assert second.steps == 200_000_000 and second.budget == "unlimited"
    for entry in (first, second):
        assert verify_entry(entry, tmp_path, deals=10) == []
    assert not list(tmp_path.rglob("*.safetensors")) + list(tmp_path.rglob("*.npz"))


@pytest.mark.slow
def test_a_saved_agent_is_part_of_its_entry(tmp_path: Path) -> None:
    source = shutil.copytree(PRETRAINED_FOLDER / "pyramid-many", tmp_path / "source")
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
    # Without the agent, nothing about it can be claimed.
    for claim, expected in (
        (
            {"agent": "runs/x/agent"},
            "agent: 'runs/x/agent' must be a built-in agent or an existing",
        ),
        ({"time_class": "0.1ms", "ms": 0.001}, "time_class: must be slow"),
        ({"agent_digest": "0" * 16, "budget": "small"}, "agent_digest: must be empty"),
    ):
        (fault,) = verify_entry(replace(entry, **claim), tmp_path)  # type: ignore[arg-type]
        assert fault.startswith(expected)
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
    with pytest.raises(ValueError, match="steps must be at most 1,000,000 with budget small"):
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
        ("parlour", "newest", "field parlour must be a version such as 0.1.0, got 'newest'"),
        ("machine", " ", "field machine must be the name of a machine"),
        ("date", "2026-1-31", "field date must be a date such as 2026-01-31"),
        ("budget", "huge", "field budget must be one of none, small, medium, large, unlimited"),
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


def test_entries_are_small_and_exact(tmp_path: Path, pyramid: BenchmarkEntry) -> None:
    task = TASKS["twenty-eight-classic"]
    values = tuple(np.random.default_rng(0).normal(size=task.deals).tolist())
    other = replace(pyramid, task=task.name, values=values, rules_digest=task.rules_digest)
    for entry in (pyramid, other):
        path = write_entry(tmp_path, entry)
        assert read_entry(path) == entry
    assert locate_entry(tmp_path, "greedy", PYRAMID.name, 0).stat().st_size < 8000


def test_the_entries_of_the_repository_fit_the_current_agents_and_rules() -> None:
    """Everything that can be checked without play."""
    folder = Path(__file__).parents[3] / "benchmarks" / "results"
    for entry in read_results(folder):
        task, spec = entry.task_object, find_agent(folder, entry.agent)
        assert entry.rules_digest == task.rules_digest, entry.title
        if not entry.games:
            assert digest_spec(task, spec) == entry.agent_digest, entry.title
