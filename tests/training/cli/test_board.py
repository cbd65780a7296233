"""``parlour board``: entries are played once, verified, marked where they do not hold."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.training.cli import STOPPED, board, main
from parlour.training.evaluation import leaderboard_play
from parlour.training.evaluation.leaderboard import (
    COLUMNS,
    Entry,
    make_claimed,
    read_board,
    write_board,
)

LINES = (
    "poker_squares,classic,,greedy,,40",
    "poker_squares,classic,,uniform,,30",
    "pyramid,classic,passes=2,greedy,,20",
)
SAYS = tuple[int, str]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "mine.csv"
    file.write_text("\n".join([",".join(COLUMNS), *LINES]) + "\n")
    return file


@pytest.fixture
def run(path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str], SAYS]:
    """``parlour board`` with words: its exit status, and what it says."""

    def call(words: str) -> SAYS:
        capsys.readouterr()
        status = main.main(["board", "--file", str(path), *words.split()])
        said = capsys.readouterr()
        return status, said.out + said.err

    return call


def page(path: Path) -> str:
    return path.with_suffix(".md").read_text(encoding="utf-8")


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The agents that were played for a claim."""
    played, make = [], board.make_claim

    def counted(entry: Entry, *_: object) -> object:
        played.append(entry.agent)
        return make(entry)

    monkeypatch.setattr(board, "make_claim", counted)
    return played


def test_a_new_entry_is_played_once_and_then_verified(
    path: Path, run: Callable[[str], SAYS], count: list[str]
) -> None:
    status, said = run("--run --only poker-squares")
    assert status == 0 and "played 2 of 2 lines; 0 could not be played" in said
    assert [bool(entry.claim) for entry in read_board(path)] == [True, True, False]
    assert "not played yet" in page(path)
    assert run("--update")[0] == 0 and count == ["greedy", "uniform", "greedy"]
    written = path.read_bytes(), page(path)
    assert run("--run") == (0, "played 0 of 3 lines; 0 could not be played\n")
    status, said = run("")
    assert (status, said.splitlines()[-1]) == (0, "3 claims: 3 hold, 0 do not; 0 not played yet")
    assert count == ["greedy", "uniform", "greedy"]
    assert (path.read_bytes(), page(path)) == written


def test_what_is_done_stays_done_when_it_is_stopped(
    path: Path, run: Callable[[str], SAYS], count: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make = board.make_claim

    def stop_at_the_second(entry: Entry, *_: object) -> object:
        if entry.agent == "uniform":
            raise KeyboardInterrupt
        return make(entry)

    with monkeypatch.context() as patch:
        patch.setattr(board, "make_claim", stop_at_the_second)
        assert run("--run")[0] == STOPPED
    first = read_board(path)
    assert [bool(entry.claim) for entry in first] == [True, False, False]
    assert "| `greedy` | " in page(path) and page(path).count("not played yet") == 2
    assert run("--run")[0] == 0 and count == ["greedy", "uniform", "greedy"]
    assert read_board(path)[0].claim == first[0].claim


def forge(path: Path, **values: object) -> None:
    """Write a claim of the first line that is not true, as if the command had written it."""
    first, *rest = read_board(path)
    assert first.claim is not None
    write_board(path, [make_claimed(first, first.claim._replace(**values)), *rest])


def test_a_claim_that_does_not_reproduce_is_marked(
    path: Path, run: Callable[[str], SAYS], count: list[str]
) -> None:
    run("--run")
    honest = read_board(path)[0].claim
    assert honest is not None
    forge(path, score=160.0, low=150.0, high=170.0)
    status, said = run("")
    assert status == 1 and "3 claims: 2 hold, 1 do not" in said
    assert "greedy on poker_squares-1: line 2: does not reproduce: 160.00 claimed" in said
    assert "| ✗ `greedy` | ~~160.00 [150.00, 170.00]~~ |" in page(path)
    assert "- ✗ `greedy`, poker_squares-1: does not reproduce: 160.00 claimed" in page(path)
    assert run("")[0] == 1  # it stays so until it is played anew
    assert run("--only pyramid")[0] == 0
    assert run("--run")[0] == 0 and count[3:] == ["greedy"]
    again = read_board(path)[0].claim
    assert again is not None and again._replace(ms=honest.ms) == honest
    assert run("")[0] == 0 and "✗" not in page(path)


def test_a_line_changed_by_hand_is_marked(path: Path, run: Callable[[str], SAYS]) -> None:
    run("--run")
    rows = list(csv.reader(path.read_text().splitlines()))
    rows[2][COLUMNS.index("score")] = "15"
    path.write_text("".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows))
    status, said = run("")
    assert status == 1 and "line 3: changed: the line is not as parlour board --run wrote" in said
    assert "✗ `uniform`" in page(path) and "✗ `greedy`" not in page(path)


def test_a_mark_goes_when_the_claim_holds(path: Path, run: Callable[[str], SAYS]) -> None:
    run("--run")
    text = path.read_text()
    path.write_text(text.replace("\n", "a passing fault\n").replace("marka passing fault", "mark"))
    assert [entry.mark for entry in read_board(path)] == ["a passing fault"] * 3
    assert run("")[0] == 0 and path.read_text() == text and "✗" not in page(path)


def test_an_agent_that_is_not_there_keeps_no_other_from_playing(
    path: Path, run: Callable[[str], SAYS]
) -> None:
    path.write_text(path.read_text().replace("greedy,,40", "no/such/folder,,40"))
    status, said = run("--run")
    assert status == 1 and "played 3 of 3 lines; 1 could not be played" in said
    assert "line 2: cannot be played: agent 'no/such/folder': there is no such folder" in said
    assert [bool(entry.claim) for entry in read_board(path)] == [False, True, True]
    assert "✗ `no/such/folder`" in page(path)


def test_the_page_is_made_of_the_file_alone(
    path: Path, run: Callable[[str], SAYS], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("--run")
    monkeypatch.setattr(leaderboard_play, "play_spec", None)  # nothing is played from here on
    assert run("--check") == (0, "")
    first = page(path)
    path.with_suffix(".md").write_text("# My title\n\nWords of my own.\n")
    assert run("--check") == (1, f"out of date: {path.with_suffix('.md')}\n")
    assert run("--run")[0] == 0 and run("--check")[0] == 0
    assert page(path).startswith("# My title\n\nWords of my own.\n\n<!-- generated: ")
    assert page(path).partition("<!--")[2] == first.partition("<!--")[2]
    forge(path, low=1.0)
    assert run("--check")[0] == 1


def test_a_page_has_a_table_for_each_set_of_rules(path: Path, run: Callable[[str], SAYS]) -> None:
    run("--run")
    poker, _, pyramid = page(path).partition("## Pyramid, classic + passes=2\n")
    rows = [line for line in poker.splitlines() if line.startswith("| `")]
    assert [row.split("|")[1].strip() for row in rows] == ["`greedy`", "`uniform`"]
    cells = [cell.strip() for cell in rows[0].split("|")[1:-1]]
    assert cells[2:] == ["–", cells[3], "no", "40", "poker_squares-1", "built in"]
    assert "`parlour evaluate pyramid --variant classic --option passes=2 --agent AGENT" in pyramid
    assert "won, %" in pyramid and "| score |" in poker


def test_who_sees_all_is_the_bound_where_there_are_no_labels(
    path: Path, run: Callable[[str], SAYS]
) -> None:
    path.write_text(path.read_text() + "pyramid,classic,passes=2,oracle,,20\n")
    run("--run --only pyramid")
    found = {entry.agent: entry.claim for entry in read_board(path) if entry.claim}
    gap = 100 * (found["oracle"].score - found["greedy"].score)
    assert f"| ≈ {gap:.2f} | " in page(path) and "| ≈ 0.00 | " in page(path)
    assert "| yes |" in page(path)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--only patience", "unknown game 'patience'"),
        ("--deals 0", "--deals 0: allowed are whole numbers from 1"),
        ("--file none.csv", "none.csv: No such file or directory"),
    ],
)
def test_wrong_words_are_told(run: Callable[[str], SAYS], words: str, error: str) -> None:
    status, said = run(words)
    assert status == 2 and error in said


def test_a_bad_line_ends_the_command(path: Path, run: Callable[[str], SAYS]) -> None:
    path.write_text(path.read_text() + "pyramid,classic,,greedy,,few\n")
    for words in ("", "--run", "--check"):
        status, said = run(words)
        assert status == 2 and f"{path}: line 5: deals: a whole number from 1 to" in said
