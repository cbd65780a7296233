"""Recording and replays on the command line, and explanations of watched agents."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from parlour.envs import find_game
from parlour.training import load_replays, verify_replays
from parlour.training.cli.main import main
from parlour.training.cli.play import SeatChoice, TerminalGame, play_hands, play_solitaire
from parlour.training.evaluation.replays.replay import LEFT, OVER

PYRAMID, TABLE = find_game("pyramid"), find_game("seven_twenty_seven")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def script(*lines: str) -> Callable[[str], str]:
    """Return an `input` function that gives these lines, then the end of file."""
    left: Iterator[str] = iter(lines)

    def ask(_: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return ask


@pytest.fixture
def recorded(capsys: pytest.CaptureFixture[str]) -> Path:
    words = (
        "evaluate pyramid --agent greedy --deals 8 --evaluation-seed k --record games.jsonl --json"
    )
    assert main(words.split()) == 0
    json.loads(capsys.readouterr().out)
    return Path("games.jsonl")


def test_games_are_listed_and_verified(
    recorded: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    assert main(["replay", "games.jsonl"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 9 and lines[-1] == "8 games, all verified"
    assert lines[0].startswith("1  Pyramid, three-passes, deal ")
    assert main(["replay", "games.jsonl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"games": 8, "faults": []}


def test_what_is_wrong_is_named_with_game_and_action(
    recorded: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    lines = recorded.read_text().splitlines()
    changed = json.loads(lines[4])
    changed["actions"][2] = changed["actions"][2] + 1
    lines[4] = json.dumps(changed)
    recorded.write_text("\n".join(lines) + '\n{"format":1,"par')
    assert main(["replay", "games.jsonl"]) == 1
    output = capsys.readouterr()
    assert output.out.splitlines()[8].startswith("game 5: Pyramid, three-passes, deal ")
    assert "8 games, 1 wrong" in output.out
    assert "line 9, the last, is incomplete and was skipped" in output.err
    assert main(["replay", "games.jsonl", "--game", "5"]) == 2
    assert "game 5 does not match its record: " in capsys.readouterr().err


def test_a_game_becomes_one_page(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "replay games.jsonl --game 2 --html game.html --worlds"
    for worlds in ("3", "0"):
        assert main([*words.split(), worlds]) == 0
        assert capsys.readouterr().out == "written: game.html\n"
        text = Path("game.html").read_text(encoding="utf-8")
        assert load_replays(recorded)[1].headline in text
        result = re.search(r'id="parlour-data"[^>]*>(.*?)</script>', text, re.DOTALL)
        assert result is not None
        told = json.loads(result[1])["replay"]
        assert (told["review"] is None) == (worlds == "0")
    assert main(["replay", "games.jsonl", "--html", "game.html"]) == 2
    assert "allowed only with --game K" in capsys.readouterr().err


def test_a_game_is_shown(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = load_replays(recorded)[1]
    assert main(["replay", "games.jsonl", "--game", "2"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(one.headline)
    for move in range(len(one.actions)):
        assert f"\n{move + 1}: {one.action_text(move)}\n" in text
    assert main(["replay", "games.jsonl", "--game", "2", "--move", "1"]) == 0
    few = capsys.readouterr().out
    assert f"2: {one.action_text(1)}" in few and "\n3: " not in few
    assert main(["replay", "games.jsonl", "--game", "2", "--move", "1", "--picture", "at.svg"]) == 0
    assert Path("at.svg").read_text().startswith("<svg")
    assert main(["replay", "games.jsonl", "--game", "2", "--json"]) == 0
    output = capsys.readouterr().out.splitlines()[-1]
    assert [each["action"] for each in json.loads(output)["actions"]] == list(one.actions)


@pytest.mark.parametrize(
    ("words", "output"),
    [
        ("--game 0", "--game must be an integer >= 1, got 0"),
        ("--game 9", "--game must be at most 8, the number of games in games.jsonl, got 9"),
        ("--move 1", "--move must not be given: allowed only with --game K"),
        ("--picture a.svg", "--picture must not be given: allowed only with --game K"),
        ("--game 1 --move 999", "move must be from 0 (the deal) to"),
        ("--game 1 --picture a.gif", "path must end in .svg or .png, got 'a.gif'"),
        ("--game 1 --film a.mp4", "film must be a file that ends with .gif, got a.mp4"),
    ],
)
def test_what_makes_no_sense_is_refused(
    recorded: Path, words: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", "games.jsonl", *words.split()]) == 2
    assert output in capsys.readouterr().err


def test_no_file_and_a_file_that_is_there(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", "none.jsonl"]) == 2
    assert "none.jsonl" in capsys.readouterr().err
    before = recorded.read_bytes()
    for words in ("evaluate pyramid --deals 1", "play pyramid --agent greedy --delay 0"):
        assert main([*words.split(), "--record", "games.jsonl"]) == 2
        assert "record must be a new file, got games.jsonl" in capsys.readouterr().err
    assert recorded.read_bytes() == before


def play(*lines: str, agent: str = "human", **keywords: object) -> str:
    output: list[str] = []
    table = TerminalGame(PYRAMID, ask=script(*lines), say=output.append, **keywords)  # type: ignore[arg-type]
    play_solitaire(table, agent)
    return "\n".join(output)


@pytest.mark.parametrize("begun", [{"chosen": {"deal": 4}}, {"seed": 5}, {"seed": 5, "deck": True}])
def test_a_watched_game_is_recorded(begun: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    if begun.pop("deck", False):
        begun = {"chosen": {"deck": list(range(55, 3, -1))}}
    play(agent="greedy", delay=0.0, record=path, **begun)
    (one,) = load_replays(path)
    assert (one.end, one.agents) == (OVER, ("greedy",)) and one.actions
    assert (one.deal == 4) == (one.deal_set == "pyramid-1") == ("deal" in str(begun))
    assert list(verify_replays([one])) == []


def test_a_game_that_is_left_is_recorded_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    play("d", "d", "d", "u", "q", chosen={"deal": 4}, record=path)
    (one,) = load_replays(path)
    assert (one.end, len(one.actions), one.taken_back) == (LEFT, 2, True)
    assert list(verify_replays([one])) == []
    play("q", chosen={"deal": 4}, record=tmp_path / "none.jsonl")
    assert not (tmp_path / "none.jsonl").exists()


def test_hands_at_a_table_are_recorded(tmp_path: Path) -> None:
    for name, keywords in (("deal_set", {"chosen": {"deal": 2}}), ("seed", {"seed": 3})):
        path, output = tmp_path / f"{name}.jsonl", list[str]()
        table = TerminalGame(TABLE, say=output.append, delay=0.0, record=path, **keywords)  # type: ignore[arg-type]
        play_hands(table, SeatChoice(1, ["uniform"], 3), "greedy")
        replays = load_replays(path)
        assert len(replays) == 3 and list(verify_replays(replays)) == []
        assert {one.agents[1] for one in replays} == {"greedy"}
        assert [one.hand for one in replays] == ([0, 1, 2] if name == "deal_set" else [0, 0, 0])


def test_a_watched_agent_says_what_it_thinks(capsys: pytest.CaptureFixture[str]) -> None:
    text = play(agent="mcts@9", delay=0.0, explain=True, chosen={"deal": 4}, evaluation_seed="a")
    plain = play(agent="mcts@9", delay=0.0, chosen={"deal": 4}, evaluation_seed="a")
    assert "greedy-mcts@9: " in text and "visits" in text and "visits" not in plain
    assert text.splitlines()[-1].split(",")[0] == plain.splitlines()[-1].split(",")[0]


def test_a_person_asks_for_advice(capsys: pytest.CaptureFixture[str]) -> None:
    assert "greedy: " in play("advice", "q", chosen={"deal": 4})
    text = play("d", "advice", "q", chosen={"deal": 4}, advisor="pimc@5")
    assert "pimc@5: " in text and "votes" in text
    assert main(["play", "pyramid", "--advisor", "human"]) == 2
    assert "advisor must be an agent, got human" in capsys.readouterr().err
    assert main(["play", "pyramid", "--explain"]) == 2
    assert "--explain needs a watched agent" in capsys.readouterr().err
    assert main(["play", "pyramid", "--agent", "greedy", "--advisor", "greedy"]) == 2
    assert "--advisor must not be given: it advises a human" in capsys.readouterr().err


def test_blank_lines_and_a_byte_order_mark_are_skipped(
    recorded: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    lines = recorded.read_bytes().splitlines()
    recorded.write_bytes(b"\xef\xbb\xbf\r\n" + b"\n  \n".join(lines) + b"\n\n \t\n")
    assert main(["replay", "games.jsonl"]) == 0
    result = capsys.readouterr()
    assert result.err == ""
    assert [line.split()[0] for line in result.out.splitlines()[:8]] == list("12345678")
    assert "8 games, all verified" in result.out
    assert main(["replay", "games.jsonl", "--game", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == 3


@pytest.mark.parametrize("content", [b"", b"\n", b"  \r\n\n", b"\xef\xbb\xbf"])
def test_a_file_without_games_is_not_verified(
    content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.jsonl").write_bytes(content)
    for words in (["--json"], []):
        assert main(["replay", "empty.jsonl", *words]) == 2
        result = capsys.readouterr()
        assert "empty.jsonl must contain at least one game, got none" in result.err
        assert result.out == ""


def test_a_file_in_utf_16_is_named(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in ("\n", ""):
        text = recorded.read_text(encoding="utf-8").splitlines()[0] + ending
        recorded.write_text(text, encoding="utf-16")
        assert main(["replay", "games.jsonl"]) == 2
        assert "line 1: text must be UTF-8, got UTF-16" in capsys.readouterr().err
        recorded.write_text(text, encoding="utf-8")


def test_the_deck_of_a_file_is_read_as_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "pyramid", "--deals", "1", "--record", "one.jsonl"]) == 0
    path = Path("one.jsonl")
    game_of_file = json.loads(path.read_text(encoding="utf-8"))
    convert = f"convert-deal pyramid --deal {game_of_file['deal']}".split()
    capsys.readouterr()
    assert main(convert) == 0
    deck = capsys.readouterr().out.translate(str.maketrans("cdhs", "♣♦♥♠")).replace(" ", ", ")
    del game_of_file["deal_set"], game_of_file["deal"]
    path.write_text(json.dumps(game_of_file | {"deck": deck, "rng": "0" * 16}), encoding="utf-8")
    assert main(["replay", "one.jsonl"]) == 0
    assert "1 game, all verified" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--game", "1"], []])
def test_lines_fit_the_terminal(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate = "evaluate fifty_six --agent uniform --deals 2 --record games.jsonl --json"
    assert main(evaluate.split()) == 0
    capsys.readouterr()
    replay = ["replay", "games.jsonl", *words]
    monkeypatch.setenv("COLUMNS", "1000")
    assert main(replay) == 0
    whole = capsys.readouterr().out
    assert max(map(len, whole.splitlines())) > 80
    monkeypatch.setenv("COLUMNS", "80")
    assert main(replay) == 0
    wrapped = capsys.readouterr().out
    assert max(map(len, wrapped.splitlines())) <= 80
    assert wrapped.split() == whole.split()
