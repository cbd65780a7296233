"""Broken pipes and closed streams: commands end quietly and damage no file."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from parlour.envs.core.kernel.compiling import MESSAGE as COMPILING
from parlour.training.cli import main
from parlour.training.cli.process import READER_LEFT
from tests.marks import slow_if

ENTRIES = {
    "module": ["-m", "parlour"],
    "entry": ["-c", "import sys; from parlour.training.cli.start import main; sys.exit(main())"],
}
PLAY = "play pyramid --agent greedy --deal 1 --delay 0"
HELP = [*(f"{command} --help" for command in main.COMMANDS), "--help"]
COMMANDS = [
    *HELP,
    "--version",
    "list",
    "rules pyramid",
    "evaluate pyramid --deals 5",
    "evaluate pyramid --deals 5 --json",
    "compare pyramid --deals 5",
    "solve klondike --deal 1 --variant draw-one",
    "convert-deal klondike --deal 1",
    "completion bash",
    PLAY,
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def shell(script: str, *words: str) -> tuple[int, str, str]:
    """Return exit status, stdout, and stderr of a shell script; "$@" in it is the command."""
    done = subprocess.run(
        ["bash", "-c", script, "bash", sys.executable, *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=300,
    )
    return done.returncode, done.stdout, without_delays(done.stderr)


def without_delays(err: str) -> str:
    """Return text without the progress lines of slow machines."""
    for line in (COMPILING, "parlour: loading torch ..."):
        err = err.replace(f"{line}\n", "")
    return err


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.parametrize("names", [("stdout",), ("stdout", "stderr")], ids="-".join)
def test_every_command_is_quiet_when_its_reader_leaves(
    line: str,
    names: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name in names:
        read, write = os.pipe()
        os.close(read)
        monkeypatch.setattr(sys, name, open(write, "w", encoding="utf-8"))  # noqa: SIM115
    status: object = None
    with suppress(SystemExit):
        status = main.main(line.split())
    assert status == READER_LEFT
    for name in names:
        getattr(sys, name).close()  # Python does so when it exits, and would complain
    monkeypatch.undo()
    assert without_delays(capfd.readouterr().err) == ""


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ("module", "train --help"),
        ("entry", PLAY),
        slow_if(True, "entry", "list"),
        slow_if(True, "module", "rules pyramid"),
    ],
)
def test_a_pipe_whose_reader_takes_one_line(entry: str, line: str) -> None:
    script = '"$@" | head -1; exit ${PIPESTATUS[0]}'
    status, out, err = shell(script, *ENTRIES[entry], *line.split())
    assert (status in (0, READER_LEFT), len(out.splitlines()), err) == (True, 1, "")


@pytest.mark.parametrize(
    ("closed", "line"),
    [
        slow_if((k + i) % 3 > 0, closed, line)
        for k, closed in enumerate((">&-", "2>&-", "<&- >&- 2>&-"))
        for i, line in enumerate(("list", "wrong", "rules --help"))
    ],
)
def test_closed_streams_are_no_error(closed: str, line: str) -> None:
    entry = ENTRIES["entry" if line == "list" else "module"]
    status, out, err = shell(f'"$@" {closed}', *entry, *line.split())
    assert status == (2 if line == "wrong" else 0)
    assert bool(out) == (line != "wrong" and not closed.startswith((">", "<")))
    assert bool(err) == (line == "wrong" and "2" not in closed)
    assert "Traceback" not in err


def test_a_file_does_not_get_what_a_closed_stream_was_to_get(tmp_path: Path) -> None:
    """The next opened file would get the descriptor of the closed stream."""
    line = "evaluate pyramid --deals 2 --record games.jsonl"
    status, _, err = shell('"$@" <&- >&- 2>&-', *ENTRIES["module"], *line.split())
    assert (status, err) == (0, "")
    lines = Path("games.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2 and all(line.startswith('{"format"') for line in lines)


def test_closed_input_is_a_person_who_has_left() -> None:
    status, out, err = shell('"$@" <&-', *ENTRIES["module"], "play", "pyramid")
    assert (status, err) == (0, "")
    assert out.endswith("Goodbye.\n")


def test_a_reader_of_errors_that_leaves_is_no_error() -> None:
    script = '{ "$@" 2>&1 1>&3 | true; exit ${PIPESTATUS[0]}; } 3>&1'
    status, out, err = shell(script, *ENTRIES["module"], "rules", "piramid")
    assert (status, out, err) == (2, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error() -> None:
    status, _, err = shell('"$@" > /dev/full', *ENTRIES["module"], "list")
    assert status == 2
    assert err == "parlour: error: [Errno 28] No space left on device\n"


def test_another_broken_pipe_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The broken pipe belongs to a worker process; the output itself can still be written."""

    def fail(_: object) -> int:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(main, "run_list", fail)
    assert main.main(["list"]) == 2
    assert "Broken pipe" in capsys.readouterr().err
