"""The command ``parlour serve``: heavy work of many tabs, shutdown, and where it saves results."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from websockets.sync.client import ClientConnection, connect

from parlour.training.cli.main import main
from tests.marks import slow_if
from tests.waiting import wait_until

SOON = 120.0
"""Timeout in seconds for a slow machine; a kernel may have to be compiled first."""
HEAVY = {"do": "advise", "agent": "nested@10000"}
"""A message whose answer takes minutes."""
TABS = 8


class Running(NamedTuple):
    process: subprocess.Popen[str]
    port: int
    said: list[str]


@contextmanager
def serve(folder: Path, *more: str) -> Iterator[Running]:
    command = [sys.executable, "-m", "parlour", "serve", "--port", "0", *more]
    env = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": "", "XDG_STATE_HOME": ""}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )
    with process:
        try:
            assert process.stdout is not None
            said = [process.stdout.readline(), process.stdout.readline()]
            port = re.search(r"http://localhost:(\d+)", said[0])
            assert port is not None, process.stderr and process.stderr.read()
            yield Running(process, int(port[1]), said)
        finally:
            process.kill()


@contextmanager
def tab(port: int) -> Iterator[ClientConnection]:
    url = f"http://localhost:{port}"
    with connect(f"ws://localhost:{port}/ws", origin=url, open_timeout=SOON) as actual:  # type: ignore[arg-type]
        wait(actual, "games")
        actual.send('{"do": "hello"}')
        wait(actual, "view")
        yield actual


def wait(actual: ClientConnection, kind: str, moves: int = 0) -> dict[str, Any]:
    """Return the next message of a kind; for views, the first one with at least ``moves`` moves."""
    while True:
        said = dict(json.loads(actual.recv(SOON)))
        if said["kind"] == kind and (not moves or said["play"]["moves"] >= moves):
            return said


def begin(actual: ClientConnection, game: str) -> dict[str, Any]:
    actual.send(json.dumps({"do": "new", "game": game, "deal": 3}))
    return wait(actual, "view")


def children(process: int) -> set[int]:
    """Return the living worker processes of a process."""
    actual = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, *_ = stat.read_text().rpartition(")")[2].split()
            words = (stat.parent / "cmdline").read_text()
        except OSError:
            continue
        if int(parent) == process and state != "Z" and "spawn_main" in words:
            actual.add(int(stat.parent.name))
    return actual


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@needs_proc
def test_work_of_closed_tabs_ends_and_others_are_answered_meanwhile(tmp_path: Path) -> None:
    with serve(tmp_path) as server, tab(server.port) as other:
        begin(other, "pyramid")
        with ExitStack() as tabs:
            for actual in [tabs.enter_context(tab(server.port)) for _ in range(TABS)]:
                begin(actual, "klondike")
                actual.send(json.dumps(HEAVY))
            wait_until(lambda: children(server.process.pid), SOON)
            other.send('{"do": "agent_move", "agent": "greedy"}')
            wait(other, "view", moves=1)
            assert children(server.process.pid)  # they are still at work
        wait_until(lambda: not children(server.process.pid), SOON)
        other.send('{"do": "advise", "agent": "mcts@10"}')
        assert wait(other, "advice")["actions"]


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGINT, slow_if(True, signal.SIGTERM)])
def test_one_signal_ends_the_server_and_its_workers(tmp_path: Path, number: signal.Signals) -> None:
    with serve(tmp_path) as server, ExitStack() as tabs:
        for actual in [tabs.enter_context(tab(server.port)) for _ in range(TABS)]:
            begin(actual, "klondike")
            actual.send(json.dumps(HEAVY))
        wait_until(lambda: children(server.process.pid), SOON)
        workers = children(server.process.pid)
        server.process.send_signal(number)
        assert server.process.wait(SOON) == 128 + number
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
        assert server.process.stderr is not None
        assert "Traceback" not in server.process.stderr.read()


def test_a_server_ends_while_a_thread_compiles(tmp_path: Path) -> None:
    """A thread cannot be stopped; here, a sleeping thread takes the place of a compilation."""
    code = (
        "import sys, time\n"
        "from parlour.page.session import Session\n"
        "from parlour.training.cli.main import main\n"
        "Session.handle = lambda *_: time.sleep(600)\n"
        "if __name__ == '__main__': sys.exit(main(['serve', '--port', '0', '--db', sys.argv[1]]))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "results.sqlite")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = re.search(r"http://localhost:(\d+)", process.stdout.readline())
            assert port is not None
            with tab(int(port[1])) as actual:
                actual.send(json.dumps({"do": "new", "game": "pyramid"}))
                threading.Event().wait(0.5)
                process.send_signal(signal.SIGINT)
                assert process.wait(SOON) == 130
        finally:
            process.kill()


def test_results_and_bests_are_saved_where_db_says(tmp_path: Path) -> None:
    path = tmp_path / "new" / "mine.sqlite"
    with serve(tmp_path / "home", "--db", str(path)) as server, tab(server.port) as actual:
        assert server.said[1] == f"results: {path}\n"
        view = begin(actual, "poker_squares")
        while not view["play"]["over"]:
            click = {"do": "click", "action": view["play"]["can"][0]}
            actual.send(json.dumps(click))
            view = wait(actual, "view", moves=view["play"]["moves"] + 1)
        assert view["tally"]["played"] == 1
        assert view["play"]["own_best"] == "Your first result with these rules."
    assert sorted(file.name for file in path.parent.iterdir()) == ["mine.best.json", "mine.sqlite"]
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("variable", ["HOME", "XDG_DATA_HOME"])
def test_a_data_folder_that_cannot_be_made_names_db(
    variable: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv(variable, "/dev/null")
    assert main(["serve", "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("parlour: error: --db must be a file that can be written, got /dev/null")
