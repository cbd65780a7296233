"""The command ``parlour``: output for scripts, and error messages."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from parlour.agents.networks.build import build_network
from parlour.envs import GAMES
from parlour.envs.core.kernel.compiling import MESSAGE as COMPILING
from parlour.training.cli import bench, main
from parlour.training.evaluation.result import FILES
from parlour.training.learning.settings.base import Settings
from tests.networks import save_network

MINE = """
import numpy as np
class Last:
    name = "last"
    def act(self, turn):
        print("noise that must not reach stdout with --json")
        return turn.game.actions - 1 - turn.masks[:, ::-1].argmax(axis=1)
class Wrong(Last):
    name, sees_all = "wrong", True
    def act(self, turn):
        return np.zeros(len(turn.masks), int)
class Late(Last):
    name, asked = "late", 0
    def act(self, turn):
        self.asked += 1
        if self.asked > 3:
            raise RuntimeError("a fault of its own")
        return super().act(turn)
"""
EXTRAS = ("matplotlib", "pandas", "pyarrow", "rich", "scipy", "stable_baselines3", "torch", "tqdm")
ALSO = ("cma", "filelock", "joblib", "sb3_contrib", "safetensors", "tensorboard", "tyro")
CORE_ONLY = f"""
import sys
for name in {(*EXTRAS, *ALSO)}:
    sys.modules[name] = None  # as if it were not installed
from parlour.training.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
END = "-- the end of a command --"
SEVERAL = f"""
for line in sys.argv[1:]:
    if status := main(line.split()):
        sys.exit(status)
    print({END!r})
"""
"""What runs several commands in one process: it takes a second to start."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder outside the clone that has a custom agent."""
    (tmp_path / "mine_for_a_test.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


class Said:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def parlour(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(line: str) -> Said:
        capsys.readouterr()
        status = main.main(line.split())
        return Said(status, *capsys.readouterr())

    return run


def process(*words: str, code: str | None = None, stdin: str = "") -> Said:
    command = ["-c", code] if code else ["-m", "parlour"]
    done = subprocess.run(
        [sys.executable, *command, *words],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        timeout=120,
    )
    output = done.stderr.replace(f"{COMPILING}\n", "")  # where no kernels are on disk yet
    return Said(done.returncode, done.stdout, output)


def check_estimate(actual: dict[str, float], n: int) -> None:
    assert list(actual) == ["mean", "low", "high", "n"]
    assert actual["low"] <= actual["mean"] <= actual["high"]
    assert actual["n"] == n


def test_evaluate_prints_one_json_object() -> None:
    line = "evaluate pyramid --variant classic --agent uniform --deals 2000 --seed 1 --json"
    output = process(*line.split())
    assert (output.status, output.err) == (0, "")
    actual = output.json
    check_estimate(actual["won"], 2000)
    check_estimate(actual["score"], 2000)
    assert actual["won"]["high"] < 0.01
    assert 10.0 < actual["score"]["mean"] < 11.2
    assert (actual["variant"], actual["agent"], actual["seed"]) == ("classic", "uniform", 1)


def test_compare_prints_results_and_paired_differences(parlour: Any) -> None:
    line = "compare pyramid --variant three-passes --agents uniform greedy mine_for_a_test:Last"
    output = parlour(f"{line} --deals 300 --json")
    assert output.status == 0
    actual = output.json
    assert [one["agent"] for one in actual["results"]] == ["uniform", "greedy", "last"]
    pairs = [(one["agent"], one["minus"]) for one in actual["differences"]]
    assert pairs == [("greedy", "uniform"), ("last", "greedy"), ("last", "uniform")]
    for one in actual["results"] + actual["differences"]:
        check_estimate(one["won"], 300)
        check_estimate(one["score"], 300)
    assert actual["differences"][0]["won"]["low"] > 0


@pytest.mark.parametrize(
    ("agent", "error"),
    [("Wrong", "action of agent 'wrong' must be "), ("Late", "RuntimeError: a fault of its own")],
)
def test_what_the_others_finished_is_not_lost(
    parlour: Any, elsewhere: Path, agent: str, error: str
) -> None:
    agents = f"uniform greedy mine_for_a_test:{agent} mine_for_a_test:Last"
    line = f"compare pyramid --agents {agents} --deals 40 --out"
    table = parlour(f"{line} shown")
    printed = parlour(f"{line} printed --json")
    for output in (table, printed):
        assert output.status == 2
        assert output.err.splitlines()[-1].startswith("parlour: error: ")
        assert error in output.err
    assert "greedy − uniform" in table.out
    assert "summary.json" in table.out
    assert [one["agent"] for one in printed.json["results"]] == ["uniform", "greedy"]
    assert len(printed.json["differences"]) == 1
    assert json.loads((elsewhere / "printed" / "summary.json").read_text()) == printed.json
    files = sorted(path.name for path in (elsewhere / "shown").iterdir())
    assert files == sorted(FILES)


def test_an_agent_that_fails_by_the_second_variant(parlour: Any, elsewhere: Path) -> None:
    (elsewhere / "second_for_a_test.py").write_text(
        "from mine_for_a_test import Last, Wrong\n"
        "class Second(Last):\n"
        "    name = 'second'\n"
        "    def act(self, turn):\n"
        "        return (Wrong if turn.rules.passes == 1 else Last).act(self, turn)\n"
    )
    agents = "uniform second_for_a_test:Second"
    line = f"compare pyramid --variant web classic --agents {agents} --deals 9 --out found"
    output = parlour(line)
    assert output.status == 2
    assert "action of agent 'second' must be " in output.err
    assert "second − uniform" in output.out
    actual = json.loads((elsewhere / "found" / "summary.json").read_text())
    played = [(one["variant"], one["agent"]) for one in actual["results"]]
    assert played == [("web", "uniform"), ("web", "second"), ("classic", "uniform")]
    assert len(actual["differences"]) == 1


def test_what_one_agent_does_is_the_same_in_both_commands(parlour: Any) -> None:
    alone = parlour("evaluate pyramid --agent uniform --deals 50 --evaluation-seed k --json").json
    line = "compare pyramid --agents greedy uniform --deals 50 --evaluation-seed k --json"
    beside = parlour(line).json["results"][1]
    del alone["ms_per_decision"], beside["ms_per_decision"]
    assert alone == beside


def test_options_change_the_rules(parlour: Any) -> None:
    actual = parlour("evaluate pyramid --option passes=2 --option undo=yes --deals 5 --json").json
    assert (actual["rules"]["passes"], actual["rules"]["undo"]) == (2, True)
    assert actual["variant"] == "three-passes + passes=2, undo=yes"
    actual = parlour("compare pyramid --variant all --deals 2 --max-moves 9 --json").json
    played = dict.fromkeys(one["variant"] for one in actual["results"])
    assert list(played) == list(GAMES["pyramid"].variants)


def test_a_game_for_several_is_evaluated_from_every_seat(parlour: Any) -> None:
    line = "evaluate seven-twenty-seven --agent uniform --deals 20 --hands 2 --seed 1 --json"
    output = parlour(f"{line} --opponents greedy mine_for_a_test:Last")
    assert output.status == 0
    actual = output.json
    check_estimate(actual["net"], 20)
    check_estimate(actual["won"], 20)
    assert len(actual["positions"]) == 4
    assert (actual["opponents"], actual["hands"]) == (["greedy", "last"], 2)
    actual = parlour("evaluate seven-twenty-seven --variant mini --deals 20 --json").json
    assert len(actual["positions"]) == 2


def test_a_game_for_several_is_compared_in_pairs_and_in_a_field(
    parlour: Any, elsewhere: Path
) -> None:
    agents = "uniform greedy mine_for_a_test:Last"
    line = f"compare seven-twenty-seven --agents {agents} --opponents uniform --deals 20 --out"
    actual = parlour(f"{line} one --json").json
    assert [one["agent"] for one in actual["results"]] == ["uniform", "greedy", "last"]
    assert len(actual["pairs"]) == 6
    difference = actual["differences"][0]
    assert (difference["agent"], difference["minus"]) == ("greedy", "uniform")
    for at in difference["positions"]:
        assert at["holm"]["low"] <= at["low"] <= at["mean"] <= at["high"] <= at["holm"]["high"]
        assert 0 <= at["holm"]["p"] <= 1
    shown = parlour(f"{line} two")
    assert shown.status == 0
    for part in (
        "greedy − uniform",
        "  as dealer",
        "antes per hand: row against column",
        "two/summary",
    ):
        assert part in shown.out
    for folder in ("one", "two"):
        files = sorted(path.name for path in (elsewhere / folder).iterdir())
        assert files == sorted(FILES)
    assert json.loads((elsewhere / "one" / "summary.json").read_text()) == actual


def test_what_others_did_at_tables_is_not_lost(parlour: Any) -> None:
    agents = "uniform mine_for_a_test:Wrong"
    output = parlour(
        f"compare seven-twenty-seven --variant declare --agents {agents} --deals 9 --json"
    )
    assert output.status == 2
    assert "action of agent 'wrong' must be " in output.err
    assert [one["agent"] for one in output.json["results"]] == ["uniform"]


def test_all_variants_are_those_with_as_many_players_as_the_default(parlour: Any) -> None:
    output = parlour("compare poker_squares --variant all --agents uniform --deals 2 --json")
    played = [one["variant"] for one in output.json["results"]]
    rules = GAMES["poker_squares"].variants
    left_out = "leaves out duel, classic-duel, which are for several players"
    assert output.err == f"parlour: notice: --variant all {left_out}\n"
    assert played == [name for name in rules if rules[name].players == 1]


@pytest.mark.slow
def test_what_was_warmed_is_not_compiled_again(parlour: Any) -> None:
    output = parlour("compile poker_squares")
    parts = [line.split(" ...")[0] for line in output.out.splitlines()]
    assert (output.status, output.err) == (0, "")
    assert parts == [f"poker_squares: {part}" for part in ("environments", "agents", "solver")]
    again = process("compile", "poker_squares")
    assert again.out.count("nothing to compile\n") == 3
    solved = subprocess.run(
        [sys.executable, "-m", "parlour", "solve", "poker_squares", "--deal", "3"],
        capture_output=True,
        text=True,
    )
    assert (solved.returncode, solved.stderr) == (0, "")


def test_a_saved_agent_plays_under_its_own_name(parlour: Any, elsewhere: Path) -> None:
    game, settings = GAMES["pyramid"], {"name": "mlp", "width": 8, "depth": 1, "options": {}}
    network = build_network("mlp", game, 8, 1)
    rules = game.make_rules("classic")
    save_network(elsewhere / "made", "my favourite", game, rules, network, settings)
    line = "compare pyramid --variant classic --agents uniform made --deals 40 --json"
    actual = parlour(line).json
    assert [one["agent"] for one in actual["results"]] == ["uniform", "my favourite"]
    assert actual["differences"][0]["agent"] == "my favourite"
    other = parlour(line.replace("classic", "web"))
    assert other.status == 2
    assert "passes" in other.err
    (elsewhere / "made" / "weights.safetensors").write_bytes(b"cut")
    damaged = parlour(line)
    assert damaged.status == 2
    assert "weights.safetensors" in damaged.err
    assert damaged.err.count("\n") == 1


def test_a_game_has_a_nickname(parlour: Any) -> None:
    assert "Seven Twenty-Seven" in parlour("rules 727").out


def test_runs_beside_a_missing_one_are_named(parlour: Any, elsewhere: Path) -> None:
    (elsewhere / "runs" / "one").mkdir(parents=True)
    (elsewhere / "runs" / "one" / "settings.json").write_text("{}")
    output = parlour("train --resume runs/on")
    assert (
        "the folder does not exist; existing runs: runs/one (see parlour train --help)"
        in output.err
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("comp", {"compare", "compile", "completion"}),
        ("play py", {"pyramid"}),
        ("compare pyramid --variant classic-", {"classic-duel"}),
        ("evaluate pyramid --agent gr", {"greedy"}),
        ("train pyramid --me", {"--method"}),
        ("exploitability --iter", {"--iterations"}),
    ],
)
def test_a_shell_completes(parlour: Any, words: str, wanted: set[str]) -> None:
    pytest.importorskip("shtab")
    script = parlour("completion bash").out
    given = ["parlour", *words.split()]
    code = (
        f"{script}\nCOMP_WORDS=({' '.join(given)}); COMP_CWORD={len(given) - 1}\n"
        "$(complete -p parlour | sed 's/.*-F \\([^ ]*\\).*/\\1/') parlour\n"
        "printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True)
    assert set(done.stdout.split()) == wanted, done.stderr


def test_tables_and_files(parlour: Any, elsewhere: Path) -> None:
    output = parlour("compare pyramid --deals 40 --out found")
    assert output.status == 0
    assert "greedy − uniform" in output.out
    files = sorted(path.name for path in (elsewhere / "found").iterdir())
    assert files == sorted(FILES)


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("evaluat pyramid", "got 'evaluat'. Did you mean 'evaluate'"),
        ("evaluate pyramd", "got 'pyramd'. Did you mean 'pyramid'"),
        (
            "evaluate pyramid --variant clasic",
            "got 'clasic'. Did you mean 'classic'",
        ),
        ("rules pyramid --option pases=2", "got 'pases'. Did you mean 'passes'"),
        (
            "rules pyramid --option passes=12",
            "option passes must be an integer from 0 to 9, got '12'",
        ),
        ("rules pyramid --option pases=2", "got 'pases'. Did you mean 'passes'"),
        (
            "rules pyramid --option passes=12",
            "option passes must be an integer from 0 to 9, got '12'",
        ),
        (
            "rules pyramid --option passes",
            "option must be NAME=VALUE, such as --option passes=2, got 'passes'",
        ),
        (
            "rules pyramid --option stock_play=yes",
            "option stock_view must be top or all with stock_play=yes, got down",
        ),
        (
            "rules pyramid --variant excerpt --option shuffle_redeal=yes",
            "option passes must be 2–9 or 0 with shuffle_redeal=yes, got 1, which has no redeal",
        ),
        (
            "rules pyramid --option shuffle_redeal=yes --option undo=yes",
            "option undo must be no with shuffle_redeal=yes, got yes: a shuffle cannot be undone",
        ),
        (
            "compare pyramid uniform greedy",
            "unrecognized arguments: uniform greedy; did you mean --agents uniform greedy? (see",
        ),
        ("evaluate pyramid uniform", "did you mean --agent uniform? (see"),
        (
            "evaluate pyramid --agent .",
            ".: neither the folder nor its subfolders have an agent.json",
        ),
        ("train --resume runs/none", "runs/none: no run to resume: the folder does not exist"),
        (
            "deals show seven_twenty_seven",
            "Seven Twenty-Seven has no solver. Games with a solver: ",
        ),
        ("evaluate pyramid --agent gredy", "got 'gredy'. Did you mean 'greedy'"),
        ("compare pyramid --agents uniform runs/none", "'runs/none': the folder does not exist"),
        ("evaluate pyramid --agent mine_for_a_test:Wrong", "action of agent 'wrong' must be "),
        ("evaluate pyramid --deals 0", "deals must be an integer >= 1, got 0"),
        (
            "evaluate pyramid --deals ten",
            "must be an integer, got 'ten' (see parlour evaluate --help)",
        ),
        (
            "evaluate pyramid --nonsense",
            "unrecognized arguments: --nonsense (see parlour evaluate --help)",
        ),
        (
            "evaluate pyramid --vairant web",
            "arguments: --vairant web; did you mean --variant? (see parlour evaluate --help)",
        ),
        ("--nonsense", "unrecognized arguments: --nonsense (see parlour --help)"),
        ("evaluate pyramid --seed -1", "seed must be an integer >= 0, got -1"),
        ("play pyramid --seed -1", "seed must be an integer >= 0, got -1"),
        ("compare pyramid --max-moves -1", "max_moves must be an integer >= 0, got -1"),
        ("compare pyramid --variant all book", "--variant all must be given alone"),
        ("evaluate pyramid --variant all", "got 'all'"),
        ("evaluate", "required: GAME (see parlour evaluate --help)"),
        ("play pyramid --deck Ac,Ac", "deck: card 2: Ac is in the deck twice"),
        ("play pyramid --deal 1 --seed 1", "--seed must not be combined with --deck or --deal"),
        (
            "evaluate pyramid --opponents greedy --hands 2",
            "--opponents, --hands must not be given: these rules of Pyramid",
        ),
        (
            "play pyramid --seat 1 --opponents greedy",
            "--seat, --opponents must not be given: these rules of Pyramid are for one player",
        ),
        ("play pyramid --hands 0", "hands must be an integer >= 1, got 0"),
        ("play pyramid --until 6 --hands 2", "--until must not be combined with --hands"),
        ("play 28 --until 6 --hands 2", "--until must not be combined with --hands"),
        ("play 28 --until 0", "until must be an integer >= 1, got 0"),
        (
            "compare seven-twenty-seven --max-moves 9",
            "--max-moves must not be given: games for several players always end",
        ),
        ("compare seven-twenty-seven --hands 0", "hands must be an integer >= 1, got 0"),
        ("evaluate seven-twenty-seven --deals 1", "deals must be an integer >= 2, got 1"),
        ("evaluate seven-twenty-seven --opponents gredy", "got 'gredy'. Did you mean"),
        (
            "evaluate seven-twenty-seven --agent human",
            "agent must not be a human player, got 'human'",
        ),
        (
            "compare poker_squares --variant classic duel",
            "all for several, got classic for one and duel for several. Compare them separately",
        ),
        ("play seven-twenty-seven --seat 4", "seat must be an integer from 0 to 3, got 4"),
        (
            "play seven-twenty-seven --opponents greedy greedy greedy greedy",
            "opponents must be 1 to 3 agents, got 4",
        ),
        ("play seven-twenty-seven --opponents human", "opponents must not include human"),
        ("play seven-twenty-seven --deck Ac,Ac", "deck: card 2: Ac is in the deck twice"),
        ("bench pyramid --rows 0", "rows=0"),
        (
            "bench --variant web --option passes=2 --rows 16 --json",
            "--variant, --option, --rows, --json must not be given without GAME",
        ),
    ],
)
def test_errors_are_one_line_and_say_what_is_allowed(parlour: Any, line: str, output: str) -> None:
    actual = parlour(line)
    assert actual.status == 2
    assert actual.out == ""
    assert actual.err.startswith("parlour: error: ")
    assert output in actual.err
    assert actual.err.count("\n") == 1


def test_debug_shows_where(parlour: Any) -> None:
    with pytest.raises(ValueError, match="clasic"):
        parlour("evaluate pyramid --variant clasic --debug")


def test_help_has_examples(parlour: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for name in main.COMMANDS:
        if name != "train":  # its help is the trainer's
            with pytest.raises(SystemExit, match="0"):
                parlour(f"{name} --help")
            text = capsys.readouterr().out
            assert text.startswith(f"usage: parlour {name}")
            assert "examples:" in text
    assert "usage: parlour" in parlour("").out


def test_every_example_in_the_help_is_accepted() -> None:
    top = main.make_parser()
    for name in main.COMMANDS:
        text = getattr(main.load_module(name), "EXAMPLES", {}).get(name, "")
        assert name == "train" or f"  parlour {name}" in text
        for line in text.splitlines():
            if line.startswith("  parlour "):
                command, *_ = line.strip().split("  ")  # what the example does may stand behind it
                words = shlex.split(re.sub(r" [<>] \S+", "", command))  # the shell redirects
                top.parse_known_args(words[1:])  # the trainer reads the rest of tune


def test_list_and_rules(parlour: Any) -> None:
    listed = parlour("list").out
    assert "pyramid" in listed
    assert "three-passes (default)" in listed
    rules = parlour("rules pyramid").out
    for name in (*GAMES["pyramid"].variants, *GAMES["pyramid"].rules._fields):
        assert f"\n  {name} " in rules
    assert "002             The Ultimate Book of Card Games" in rules
    web = parlour("rules pyramid --variant web").out
    assert web.startswith("Pyramid, web [000]")
    assert "passes          0 (changed)" in web
    assert "Pyramid, custom rules" in parlour("rules pyramid --option passes=5").out


def test_bench(parlour: Any) -> None:
    actual = parlour("bench pyramid --rows 16 --seconds 0.05 --json").json
    assert actual["batched_steps_per_second"] > actual["single_steps_per_second"] > 0


def test_all_benchmarks(
    parlour: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[list[str]] = []

    def run(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
        given.append(command[1:])
        assert "Peer libraries that are not installed are " in capsys.readouterr().err
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(bench.subprocess, "run", run)
    assert parlour("bench").status == 3
    assert parlour("bench --seconds 0.5").status == 3
    assert given == [["-m", "benchmarks.steps"], ["-m", "benchmarks.steps", "--seconds", "0.5"]]


def test_training_gets_its_words(parlour: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Settings] = []
    trainer = ModuleType("train")
    trainer.run_command = lambda command: given.append(command) or 3  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "parlour.training.learning.train", trainer)
    assert parlour("train pyramid --seeds 1 2 --option passes=2 --option=undo=yes").status == 3
    (order,) = given
    assert (order.game, order.seeds) == ("pyramid", (1, 2))
    assert order.options == {"passes": 2, "undo": "yes"}


def test_without_the_extras() -> None:
    core = {
        "list": "three-passes (default)",
        "rules pyramid": "variants",
        "play pyramid --seed 1": "Goodbye.",
        "evaluate pyramid --deals 20 --json": '"won"',
        "evaluate seven-twenty-seven --deals 4 --json": '"net"',
    }
    output = process(*core, code=CORE_ONLY.replace("sys.exit(main(sys.argv[1:]))", SEVERAL))
    assert (output.status, output.err) == (0, "")
    for text, printed in zip(core.values(), output.out.split(END)[:-1], strict=True):
        assert text in printed
    for line in ("evaluate pyramid --deals 20", "train pyramid"):
        output = process(*line.split(), code=CORE_ONLY)
        assert output.status == 2
        assert output.err.count("\n") == 1
        assert ': pip install "parlour[train]"' in output.err


def test_a_game_by_standard_input() -> None:
    words = "play pyramid --variant web --deal 3"
    output = process(*words.split(), stdin="?\n5s 8c\nu\nd\nnonsense\nq\n")
    assert (output.status, output.err) == (0, "")
    for text in ("Pyramid, web, deal 3", "moves now:", "score 2, moves 1", "moves 3", "'nonsense'"):
        assert text in output.out
    assert output.out.endswith("Goodbye.\n")


def test_a_seat_at_a_table_by_standard_input() -> None:
    words = "play seven-twenty-seven --deal 3 --seat 1 --opponents uniform greedy --hands 2"
    output = process(*words.split(), stdin="?\nnonsense\nstand\nq\n")
    assert (output.status, output.err) == (0, "")
    for text in (
        "Seven Twenty-Seven, home, deal 3, deal set seven_twenty_seven-1",
        "seat 0 (uniform), seat 1 (you), seat 2 (uniform), seat 3 (greedy)",
        "  draw or d   draw a card\n",
        "'nonsense' is not a legal move; ? lists the moves",
    ):
        assert text in output.out
    assert output.out.endswith("Goodbye.\n")
    alone = process(*f"{words} --agent uniform".split(), code=CORE_ONLY)
    assert (alone.status, alone.err) == (0, "")
    assert "After 2 hands" in alone.out


def test_version_from_any_folder() -> None:
    output = process("--version")
    assert output.status == 0
    assert output.out.startswith("parlour ")
