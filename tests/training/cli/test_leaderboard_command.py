"""``parlour leaderboard`` plays entries once, verifies claims, and writes only requested files."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from parlour.training.cli import leaderboard as board
from parlour.training.cli import main
from parlour.training.cli.process import STOPPED
from parlour.training.evaluation.leaderboard import claims
from parlour.training.evaluation.leaderboard.claims import TIME_FACTOR
from parlour.training.evaluation.leaderboard.entries import (
    COLUMNS,
    Claim,
    Entry,
    make_claimed,
    read_leaderboard,
    write_leaderboard,
)

LINES = (
    "poker_squares,classic,,greedy,,120",
    "poker_squares,classic,,uniform,,110",
    "pyramid,classic,passes=2,greedy,,100",
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
    """Run ``parlour leaderboard`` with words; return exit status and output."""

    def call(words: str) -> SAYS:
        capsys.readouterr()
        status = main.main(["leaderboard", "--file", str(path), *words.split()])
        output = capsys.readouterr()
        return status, output.out + output.err

    return call


def page(path: Path) -> str:
    return path.with_suffix(".md").read_text(encoding="utf-8")


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of agents that are played for claims."""
    played, make = [], board.make_claim

    def counted(entry: Entry, *_: object) -> Claim:
        played.append(entry.agent)
        return make(entry)

    monkeypatch.setattr(board, "make_claim", counted)
    return played


def test_a_new_entry_is_played_once_and_then_verified(
    path: Path, run: Callable[[str], SAYS], count: list[str]
) -> None:
    status, output = run("--update --only poker-squares")
    assert status == 0 and "Played 2 of 2 lines; 0 could not be played." in output
    assert [bool(entry.claim) for entry in read_leaderboard(path)] == [True, True, False]
    assert run("--update")[0] == 0 and count == ["greedy", "uniform", "greedy"]
    written = path.read_bytes()
    assert run("--update") == (0, "Played 0 of 3 lines; 0 could not be played.\n")
    status, output = run("")
    assert (
        status == 0
        and "\n3 entries with results: 3 verified, 0 failed; 0 not played yet\n" in output
    )
    assert count == ["greedy", "uniform", "greedy"]
    assert path.read_bytes() == written


def test_it_says_what_was_checked_and_what_was_not(
    path: Path, run: Callable[[str], SAYS], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "ALL_SECONDS", 0.0)
    path.write_text(path.read_text().replace("greedy,,120", "greedy,,5000"))
    run("--update")
    output = run("")[1]
    assert "greedy on poker_squares-1: score " in output
    assert ": verified on the first 200 of 5,000 deals\n" in output
    assert ": verified on all 110 deals\n" in output
    assert f"must be within a factor of {TIME_FACTOR} of the time on this machine" in output
    assert "score and interval are checked against this sample" in output
    assert "Columns that cannot be verified: parlour, machine, date." in output
    output = run("--deals all")[1]
    assert ": verified on all 5,000 deals\n" in output and "this sample" not in output


def test_a_claim_that_fails_in_time_alone_is_counted_as_such(
    path: Path, run: Callable[[str], SAYS]
) -> None:
    run("--update")
    forge(path, ms=1e6)
    status, output = run("")
    assert status == 1 and "line 2: ms: must be within a factor of 20 of " in output
    assert (
        "2 verified, 1 failed (1 only in time per decision; the machine may be busy); 0 not"
        in output
    )


@pytest.fixture
def listing(path: Path) -> Callable[[], dict[str, tuple[bytes, int]]]:
    """Return the files next to the leaderboard, with contents and modification times."""

    def look() -> dict[str, tuple[bytes, int]]:
        files = [file for file in path.parent.rglob("*") if file.is_file()]
        return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}

    return look


@pytest.mark.parametrize("words", ["", "--check", "--deals 110", "--jobs 1", "--only pyramid"])
def test_verifying_writes_nothing(
    path: Path, run: Callable[[str], SAYS], listing: Callable[[], object], words: str
) -> None:
    run("--update")
    forge(path, score=160.0, low=150.0, high=170.0)
    before = listing()
    assert run(words)[0] in (0, 1)
    assert listing() == before
    path.parent.chmod(0o500)
    try:
        assert run(words)[0] in (0, 1)
    finally:
        path.parent.chmod(0o700)
    assert listing() == before


def test_each_word_writes_its_own_file(
    path: Path, run: Callable[[str], SAYS], listing: Callable[[], dict[str, object]]
) -> None:
    def written(words: str) -> set[str]:
        before = listing()
        run(words)
        now = listing()
        return {Path(name).name for name in now if now[name] != before.get(name)}

    assert written("--update") == {"mine.csv"}
    assert written("--page") == {"mine.md"}
    assert written("--mark") == set()
    forge(path, score=160.0, low=150.0, high=170.0)
    assert written("--mark") == {"mine.csv"}
    assert written("--mark --page") == {"mine.md"}
    assert written("--update --page") == {"mine.csv", "mine.md"}


def test_the_shipped_page_is_left_alone_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Verification reads the shipped leaderboard by default, from any folder."""
    monkeypatch.chdir(tmp_path)
    files = [board.BOARD_FILE, board.BOARD_PAGE]
    before = [(file.read_bytes(), file.stat().st_mtime_ns) for file in files]
    fault = claims.Fault("ms", "must be longer")
    verdict = claims.Verdict([fault], 10)
    monkeypatch.setattr(board, "verify_entry", lambda *_: verdict)  # playing writes nothing
    assert main.main(["leaderboard"]) == 1
    assert (
        f"0 verified, {len(read_leaderboard(board.BOARD_FILE))} failed" in capsys.readouterr().out
    )
    assert [(file.read_bytes(), file.stat().st_mtime_ns) for file in files] == before
    assert list(tmp_path.iterdir()) == []


def test_code_needs_leave(
    path: Path, run: Callable[[str], SAYS], monkeypatch: pytest.MonkeyPatch
) -> None:
    (path.parent / "own_agent.py").write_text(
        "from pathlib import Path\n"
        "from parlour.agents.baselines import UniformAgent as Own\n"
        "Path('ran').touch()\n"
    )
    monkeypatch.syspath_prepend(path.parent)
    path.write_text(path.read_text().replace("classic,,greedy", "classic,,own_agent:Own"))
    status, output = run("--update --only poker-squares")
    assert status == 1 and "got code: add --allow-code to import own_agent:Own" in output
    assert not Path("ran").exists() and read_leaderboard(path)[0].claim is None
    assert run("--update --allow-code --only poker-squares")[0] == 0
    assert Path("ran").exists() and read_leaderboard(path)[0].claim is not None
    status, output = run("--only poker-squares")
    assert status == 1 and "line 2: agent: " in output and "--allow-code" in output
    assert run("--only poker-squares --allow-code")[0] == 0
    run("--page")
    assert "| code: `own_agent:Own` |" in page(path)


@pytest.mark.parametrize("agent", ["oracle@own:Own", "mcts@9:oracle@own:Own"])
def test_a_module_named_like_the_oracle_is_code_too(
    agent: str, path: Path, run: Callable[[str], SAYS], monkeypatch: pytest.MonkeyPatch
) -> None:
    (path.parent / "oracle@own.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    monkeypatch.syspath_prepend(path.parent)
    path.write_text(path.read_text().replace("classic,,greedy", f"classic,,{agent}"))
    assert run("--update --only poker-squares")[0] == 1
    assert not Path("ran").exists() and read_leaderboard(path)[0].claim is None


def test_what_is_done_stays_done_when_it_is_stopped(
    path: Path, run: Callable[[str], SAYS], count: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make = board.make_claim

    def stop_at_the_second(entry: Entry, *_: object) -> Claim:
        if entry.agent == "uniform":
            raise KeyboardInterrupt
        return make(entry)

    with monkeypatch.context() as patch:
        patch.setattr(board, "make_claim", stop_at_the_second)
        assert run("--update --page")[0] == STOPPED
    first = read_leaderboard(path)
    assert [bool(entry.claim) for entry in first] == [True, False, False]
    assert "| `greedy` | " in page(path) and page(path).count("not played yet") == 2
    assert run("--update")[0] == 0 and count == ["greedy", "uniform", "greedy"]
    assert read_leaderboard(path)[0].claim == first[0].claim


def forge(path: Path, **values: object) -> None:
    """Write a false but sealed claim to the first line."""
    first, *rest = read_leaderboard(path)
    assert first.claim is not None
    write_leaderboard(path, [make_claimed(first, first.claim._replace(**values)), *rest])


def test_a_claim_that_does_not_reproduce_is_marked(
    path: Path, run: Callable[[str], SAYS], count: list[str]
) -> None:
    run("--update")
    honest = read_leaderboard(path)[0].claim
    assert honest is not None
    forge(path, score=160.0, low=150.0, high=170.0)
    status, output = run("--mark --page")
    assert status == 1 and "3 entries with results: 2 verified, 1 failed" in output
    assert "greedy on poker_squares-1: line 2: score: must be " in output
    assert "| ✗ `greedy` | ~~160.00 [150.00, 170.00]~~ |" in page(path)
    assert "- ✗ `greedy`, poker_squares-1: score: must be " in page(path)
    assert run("")[0] == 1  # it stays so until it is played again
    assert run("--only pyramid")[0] == 0
    assert run("--update --page")[0] == 0 and count[3:] == ["greedy"]
    again = read_leaderboard(path)[0].claim
    assert again is not None and again._replace(ms=honest.ms) == honest
    assert run("")[0] == 0 and "✗" not in page(path)


def test_a_line_changed_by_hand_is_marked(path: Path, run: Callable[[str], SAYS]) -> None:
    run("--update")
    rows = list(csv.reader(path.read_text().splitlines()))
    rows[2][COLUMNS.index("score")] = "15"
    path.write_text("".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows))
    status, output = run("--mark --page")
    assert status == 1 and "line 3: seal: must be " in output
    assert "✗ `uniform`" in page(path) and "✗ `greedy`" not in page(path)


def test_a_mark_goes_when_the_claim_holds(path: Path, run: Callable[[str], SAYS]) -> None:
    run("--update")
    text = path.read_text()
    path.write_text(text.replace("\n", "a passing fault\n").replace("marka passing fault", "mark"))
    assert [entry.mark for entry in read_leaderboard(path)] == ["a passing fault"] * 3
    assert run("--mark --page")[0] == 0 and path.read_text() == text and "✗" not in page(path)


def test_an_agent_that_is_not_there_keeps_no_other_from_playing(
    path: Path, run: Callable[[str], SAYS]
) -> None:
    path.write_text(path.read_text().replace("greedy,,120", "no/such/folder,,120"))
    status, output = run("--update --page")
    assert status == 1 and "Played 3 of 3 lines; 1 could not be played." in output
    assert (
        "line 2: cannot be played: agent must be a built-in agent or a folder, got 'no/such/folder'"
        in output
    )
    assert [bool(entry.claim) for entry in read_leaderboard(path)] == [False, True, True]
    assert "✗ `no/such/folder`" in page(path)


def test_the_page_is_made_of_the_file_alone(
    path: Path, run: Callable[[str], SAYS], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("--update --page")
    monkeypatch.setattr(claims, "play_spec", None)  # nothing is played from here on
    assert run("--check") == (0, "")
    first = page(path)
    path.with_suffix(".md").write_text("# My title\n\nWords of my own.\n")
    assert run("--check") == (1, f"out of date: {path.with_suffix('.md')}\n")
    assert run("--page") == (0, "") and run("--check")[0] == 0
    assert page(path).startswith("# My title\n\nWords of my own.\n\n<!-- generated: ")
    assert page(path).partition("<!--")[2] == first.partition("<!--")[2]
    forge(path, low=1.0)
    assert run("--check")[0] == 1


def test_a_page_has_a_table_for_each_set_of_rules(path: Path, run: Callable[[str], SAYS]) -> None:
    run("--update --page")
    poker, _, pyramid = page(path).partition("## Pyramid, classic + passes=2\n")
    rows = [line for line in poker.splitlines() if line.startswith("| `")]
    assert [row.split("|")[1].strip() for row in rows] == ["`greedy`", "`uniform`"]
    cells = [cell.strip() for cell in rows[0].split("|")[1:-1]]
    assert cells[2:] == ["–", cells[3], "no", "120", "poker_squares-1", "built in"]
    assert "`parlour evaluate pyramid --variant classic --option passes=2 --agent AGENT" in pyramid
    assert "won, %" in pyramid and "| score |" in poker


@pytest.mark.slow
def test_who_sees_all_is_the_bound_where_there_are_no_labels(
    path: Path, run: Callable[[str], SAYS]
) -> None:
    path.write_text(path.read_text() + "pyramid,classic,passes=2,oracle,,100\n")
    run("--update --only pyramid --page")
    result = {entry.agent: entry.claim for entry in read_leaderboard(path) if entry.claim}
    gap = 100 * (result["oracle"].score - result["greedy"].score)
    assert f"| ≈ {gap:.2f} | " in page(path) and "| ≈ 0.00 | " in page(path)
    assert "| yes |" in page(path)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--only patience", "got 'patience'"),
        ("--deals 0", "--deals must be an integer >= 1, or all, got 0"),
        ("--deals 9 --update", "--deals must not be combined with --update"),
        ("--deals 9 --page", "--deals must not be combined with --page"),
        ("--update --mark", "--update and --mark must not be combined"),
        ("--check --page", "--check must not be combined with --page"),
        ("--file none.csv", "none.csv: No such file or directory"),
    ],
)
def test_wrong_words_are_told(run: Callable[[str], SAYS], words: str, error: str) -> None:
    status, output = run(words)
    assert status == 2 and error in output


def test_a_bad_line_ends_the_command(path: Path, run: Callable[[str], SAYS]) -> None:
    path.write_text(path.read_text() + "pyramid,classic,,greedy,,few\n")
    for words in ("", "--update", "--check"):
        status, output = run(words)
        assert status == 2 and f"{path}: line 5: deals: must be an integer from 1 to" in output
