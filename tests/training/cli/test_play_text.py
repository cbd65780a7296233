"""Output of `parlour play`: wrapped lines, notices, and results."""

import io
import re
from pathlib import Path
from typing import Any

import pytest

from parlour.envs import GAMES, find_game
from parlour.envs.core.contract import Solution
from parlour.training.cli.main import main
from parlour.training.cli.play import TerminalGame, play_solitaire
from parlour.training.evaluation.compare import evaluate
from parlour.training.evaluation.report.terminal import ENDLESS, wrap_lines
from parlour.training.play.solitaire import HOPELESS
from tests.fake_solver import FakeSolver, solved

WIDTHS = (40, 57, 80, 99, 120)
PYRAMID = find_game("pyramid")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def play(name: str, width: int, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the output for a player who asks for help at every turn and plays the hint."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdin", io.StringIO("?\nrules\nh\nhint\nzz\npass\n?\nd\n?\nq\n"))
    words = f"play {name} --deal 3 --evaluation-seed k --no-notice"
    assert main(words.split()) == 0
    return re.sub(r"\d:\d\d", "0:00", capsys.readouterr().out)


def without_answers(text: str) -> str:
    """Prompts have no line end here, since the answer is not typed in a terminal."""
    return re.sub(r"> (?=\S)", "> \n", text)


@pytest.mark.parametrize("name", GAMES)
def test_no_line_is_wider_than_the_terminal(
    name: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = without_answers(play(name, ENDLESS, capsys, monkeypatch))
    assert whole.count("moves now:") >= 2
    lists = re.findall(r"^moves now: (.*)", whole, flags=re.M)
    for width in WIDTHS:
        text = without_answers(play(name, width, capsys, monkeypatch))
        assert text.split() == whole.split()
        for line in text.splitlines():
            assert len(line.rstrip()) <= width or len(line.split()) == 1, (width, line)
        for item in {item for one in lists for item in one.split(", ")}:
            assert item in text, (width, item)


def test_lists_break_between_items_and_other_lines_between_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert wrap_lines("one two, three four, five six, seven eight") == (
        "one two, three four,\nfive six,\nseven eight"
    )
    assert wrap_lines("some words that go on and on") == "some words that go\non and on"
    assert wrap_lines("a-word-that-is-too-long-for-it") == "a-word-that-is-too-long-for-it"
    assert wrap_lines("  T♥    \x1b[31m[9♦]\x1b[0m    J♠") == "  T♥    \x1b[31m[9♦]\x1b[0m    J♠"
    assert wrap_lines("  T♥    \x1b[31m[9♦]\x1b[0m       J♠") == "  T♥    \x1b[31m[9♦]\x1b[0m\nJ♠"
    monkeypatch.delenv("COLUMNS")
    assert wrap_lines("word " * 100) == "word " * 100


def output(*lines: str, **keywords: Any) -> str:
    """Return the output of a game of Pyramid for a player who types these lines."""
    result: list[str] = []
    left = iter(lines)

    def ask(_: str) -> str:
        return next(left, "q")

    play_solitaire(TerminalGame(PYRAMID, ask=ask, say=result.append, **keywords))
    return "\n".join(result)


@pytest.mark.parametrize("winnable", [True, False, None])
def test_a_deal_that_cannot_be_won_is_told_before_the_first_move(
    winnable: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solve(_: object, *__: object, **___: object) -> Solution:
        return Solution(winnable, [] if winnable else None, 1)

    monkeypatch.setattr(FakeSolver, "__call__", solve)
    with solved(PYRAMID):
        text = output("d", "d", "u", "q", chosen={"deal": 2})
        assert text.count(HOPELESS) == (winnable is False)
        if winnable is False:
            assert text.index(HOPELESS) < text.index("\nPyramid\n")
        assert HOPELESS not in output("d", "q", chosen={"deal": 2}, notice=False)


def test_the_end_of_a_won_game_says_so_once() -> None:
    won = evaluate(PYRAMID, "greedy", deals=200).results.facts["won"]
    result: list[str] = []
    table = TerminalGame(PYRAMID, chosen={"deal": int(won.argmax())}, delay=0, say=result.append)
    play_solitaire(table, "greedy")
    assert re.fullmatch(r"Won in \d+ moves, \d:\d\d\.", result[-1])


def test_the_end_of_another_game_says_why_it_ended() -> None:
    won = evaluate(PYRAMID, "greedy", deals=20).results.facts["won"]
    result: list[str] = []
    table = TerminalGame(PYRAMID, chosen={"deal": int(won.argmin())}, delay=0, say=result.append)
    play_solitaire(table, "greedy")
    assert re.fullmatch(r"Over, no move is left: score \d+ in \d+ moves, \d:\d\d\.", result[-1])
