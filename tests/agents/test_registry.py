"""Loading agents by name, and errors for invalid names."""

import re
from pathlib import Path

import numpy as np
import pytest

from parlour.agents import saved as artefact
from parlour.agents.networks.build import build_network
from parlour.agents.registry import (
    Turn,
    check_agent,
    choose_actions,
    load_agent,
    prepare_turn,
)
from parlour.envs import find_game
from parlour.envs.core.rows import Rows
from parlour.envs.core.turn import agent_field
from parlour.training.evaluation.compare import compare, evaluate
from tests.networks import save_network

GAME = find_game("pyramid")
RULES = GAME.make_rules()
OWN = """
import numpy as np

class Plain:
    def act(self, turn):
        return turn.masks.argmax(axis=1)

class Seeded(Plain):
    name, sees_all = "seeded", True
    def __init__(self, seed):
        self.seed = seed

class Broken:
    def __init__(self):
        raise TypeError("a fault of its own")

ready = Seeded(7)
"""


class Answers:
    name, sees_all = "tester", False

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def act(self, turn: Turn) -> np.ndarray:
        return self.answer  # type: ignore[return-value]


def turn(n: int = 3) -> Turn:
    rows = Rows(GAME, RULES, n)
    rows.deal_numbered("pyramid-1", range(n))
    return prepare_turn(Answers(None), GAME, RULES, rows.states, 0)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_agents_of_a_test.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_ones_own_agents(own: None) -> None:
    plain = load_agent("own_agents_of_a_test:Plain", GAME, RULES)
    assert (plain.name, plain.sees_all) == ("Plain", False)
    assert choose_actions(plain, turn()).shape == (3,)
    seeded = load_agent("own_agents_of_a_test:Seeded", GAME, RULES, seed=5)
    assert (seeded.name, seeded.sees_all, seeded.seed) == ("seeded", True, 5)  # type: ignore[attr-defined]
    assert load_agent("own_agents_of_a_test:ready", GAME, RULES).name == "seeded"
    with pytest.raises(TypeError, match="a fault of its own"):
        load_agent("own_agents_of_a_test:Broken", GAME, RULES)


@pytest.mark.parametrize(
    ("spec", "output"),
    [
        (
            "unifrom",
            "got 'unifrom'. Did you mean 'uniform'.*saved agent or run, llm:URL, module:Class",
        ),
        ("runs/nothing", "agent 'runs/nothing': the folder does not exist"),
        ("no_such_module_at_all:Agent", "No module named"),
        ("own_agents_of_a_test:Missing", "has no attribute 'Missing'"),
        ("own_agents_of_a_test:np", r"must have a method act\(turn\)"),
        (":Agent", "agent ':Agent'"),
    ],
)
def test_agents_that_are_not_there(own: None, spec: str, output: str) -> None:
    with pytest.raises(ValueError, match=output):
        load_agent(spec, GAME, RULES)


def finish(run: Path, seed: int, name: str) -> Path:
    """Create a finished run's folder: its settings and the agent of a seed."""
    network = {"name": "mlp", "width": 8, "depth": 1, "options": {}}
    folder = run / f"seed-{seed}" / "agent"
    run.mkdir(exist_ok=True)
    (run / "settings.json").touch()
    save_network(folder, name, GAME, RULES, build_network("mlp", GAME, 8, 1), network)
    return folder


def test_a_run_that_made_one_agent_stands_for_it(tmp_path: Path) -> None:
    run = tmp_path / "run"
    folder = finish(run, 3, "third")
    for path in (run, folder.parent, folder, folder / "agent.json"):
        assert load_agent(str(path), GAME, RULES).name == "third"
    other = finish(run, 4, "fourth")
    with pytest.raises(ValueError, match=f"has several agents; name one: {folder}, {other}"):
        load_agent(str(run), GAME, RULES)
    assert load_agent(str(other.parent), GAME, RULES).name == "fourth"


def test_a_run_that_is_not_finished_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "run" / "seed-0").mkdir(parents=True)
    (tmp_path / "run" / "settings.json").touch()
    for path in (tmp_path / "run", tmp_path / "run" / "seed-0"):
        with pytest.raises(ValueError, match=f"parlour train --resume {tmp_path / 'run'}$"):
            load_agent(str(path), GAME, RULES)
    with pytest.raises(
        ValueError, match=r"neither the folder nor its subfolders have an agent\.json"
    ):
        load_agent(str(tmp_path), GAME, RULES)


def test_an_agent_may_play_by_other_rules_and_says_so(tmp_path: Path) -> None:
    folder, web = finish(tmp_path / "run", 0, "mine"), GAME.make_rules("web")
    with pytest.raises(
        ValueError, match=r"trained on other rules: .* To use it anyway, set allow_rules_mismatch"
    ):
        load_agent(str(folder), GAME, web)
    for spec in (str(folder), f"mcts@2:{folder}", f"pimc@1:{folder}", f"pimc@1:mcts@2:{folder}"):
        rules = GAME.make_rules("classic") if "pimc" in spec else web
        agent = load_agent(spec, GAME, rules, allow_rules_mismatch=True)
        assert agent_field(agent, "other_rules"), spec
        assert not agent_field(
            load_agent(spec, GAME, RULES, allow_rules_mismatch=True), "other_rules"
        ), spec
        rows = Rows(GAME, rules, 2)
        rows.deal_numbered("pyramid-1", range(2))
        choose_actions(agent, prepare_turn(agent, GAME, rules, rows.states, 0))


def test_other_rules_change_nothing_else_that_is_checked(tmp_path: Path) -> None:
    folder = finish(tmp_path / "run", 0, "mine")
    poker = find_game("poker_squares")
    with pytest.raises(
        ValueError, match="the agent must be for game 'poker_squares', got 'pyramid'"
    ):
        load_agent(str(folder), poker, poker.make_rules(), allow_rules_mismatch=True)


def test_without_a_trained_agent_another_one_of_the_game_may_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poker = find_game("poker_squares")
    rules = poker.make_rules("british")
    agent = load_agent("pretrained", poker, rules, allow_rules_mismatch=True)
    assert agent_field(agent, "other_rules")
    monkeypatch.setattr(artefact, "PRETRAINED_FOLDER", tmp_path)
    with pytest.raises(ValueError, match="Parlour has no pretrained agent for these rules"):
        load_agent("pretrained", GAME, RULES, allow_rules_mismatch=True)


def test_a_spec_may_name_its_agent(tmp_path: Path, own: None) -> None:
    folder = finish(tmp_path / "lr=0.1", 0, "third")
    for spec, name in (
        (f"mine={folder}", "mine"),
        (str(folder), "third"),  # = in a path
        ("a b=greedy", "a b"),
        (f"mcts@2:mine={folder}", "mine-mcts@2"),
        ("x=mcts@2:greedy", "x"),
        ("x=own_agents_of_a_test:Plain", "x"),
        ("x=own_agents_of_a_test:ready", "x"),
        ("own_agents_of_a_test:ready", "seeded"),  # somebody's object stays as it is
    ):
        assert load_agent(spec, GAME, RULES).name == name, spec
    for spec, output in (
        ("mine=nobody", "got 'nobody'"),
        ("=greedy", "got '=greedy'"),
        (f"{'x' * 81}=greedy", "name must have at most 80 characters, got 81"),
        (" =greedy", "name must be one line of printable text"),
    ):
        with pytest.raises(ValueError, match=output):
            load_agent(spec, GAME, RULES)


class Bare:
    def act(self, turn: Turn) -> np.ndarray:
        return turn.masks.argmax(axis=1)


def with_fields(**fields: object) -> Bare:
    agent = Bare()
    vars(agent).update(fields)
    return agent


def test_an_object_gets_the_defaults_of_a_class() -> None:
    agent = check_agent(Bare())
    assert (agent.name, agent.sees_all) == ("Bare", False)
    named = check_agent(with_fields(name="my [own] $ agent", sees_all=True))
    assert (named.name, named.sees_all) == ("my [own] $ agent", True)
    assert check_agent(with_fields(name="x" * 80)).name == "x" * 80


@pytest.mark.parametrize(
    ("agent", "output"),
    [
        (with_fields(name=""), "agent 'Bare': name must be one line of printable text, got ''"),
        (with_fields(name="  "), "agent 'Bare': name must be .*, got '  '"),
        (with_fields(name=None), "agent 'Bare': name must be .*, got None"),
        (with_fields(name="a\nb"), r"agent 'Bare': name must be .*, got 'a\\nb'"),
        (with_fields(name="\x1b[0m"), r"name must be .*, got '\\x1b\[0m'"),
        (with_fields(name="\ud800"), r"name must be .*, got '\\ud800'"),
        (with_fields(name="x" * 81), "name must have at most 80 characters, got 81"),
        (with_fields(sees_all=1), "agent 'Bare': sees_all must be one of False, True, got 1"),
        (with_fields(sees_all="no"), "agent 'Bare': sees_all must be .*, got 'no'"),
        (with_fields(act=3), r"agent must have a method act\(turn\), got 'Bare'"),
        (Bare, r"agent must be an object, got the class 'Bare'. Pass Bare\(\) instead"),
    ],
)
def test_objects_that_are_no_agents(agent: object, output: str) -> None:
    with pytest.raises(ValueError, match=output):
        check_agent(agent)
    for play in (compare, evaluate):
        with pytest.raises(ValueError, match=output):
            play(GAME, [agent] if play is compare else agent, deals=1)  # type: ignore[operator]


@pytest.mark.parametrize(("thing", "kind"), [(None, "NoneType"), (5, "int")])
def test_things_that_cannot_play(thing: object, kind: str) -> None:
    with pytest.raises(ValueError, match=rf"agent must have a method act\(turn\), got '{kind}'"):
        check_agent(thing)
    allowed = (
        "agent must be an object with a method act(turn), a model of Stable-Baselines3, a torch "
        f"module or a function (observation, mask) -> action, got {thing}"
    )
    for play in (compare, evaluate):
        with pytest.raises(ValueError, match=f"^{re.escape(allowed)}$"):
            play(GAME, [thing] if play is compare else thing, deals=1)  # type: ignore[operator]


def test_a_saved_agent_with_a_name_of_two_lines_is_refused(tmp_path: Path) -> None:
    folder = finish(tmp_path / "run", 0, "two\nlines")
    with pytest.raises(ValueError, match=r"agent\.json: field name must be .*, got 'two\\nlines'"):
        load_agent(str(folder), GAME, RULES)


def test_a_budget_without_end_is_refused() -> None:
    for budget in ("99999999999", "9" * 5000, "99999999999ms"):
        with pytest.raises(
            ValueError, match="search budget must be at most 10,000,000 iterations, or"
        ):
            load_agent(f"mcts@{budget}", GAME, RULES)
