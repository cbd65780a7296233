"""Response time of the play page while a solver is busy: ``python -m benchmarks.page``.

Measures the milliseconds from a click to the new scene, over the websocket of ``parlour serve``:
first on an idle server, then while the solver analyzes the deals of another session and the server
reviews the games of a third session.
"""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, sleep
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

CLICKS = 200
PAUSE = 0.02
"""Seconds between two clicks."""
DEAL = 39
"""The action of Pyramid's stock."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Start a server; yield its address."""
    command = [sys.executable, "-m", "parlour", "serve", "--port", "0"]
    command += ["--db", str(folder / "results.sqlite")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield next(word for word in server.stdout.readline().split() if "://" in word)
        finally:
            server.terminate()


@contextmanager
def open_tab(url: str) -> Iterator[ClientConnection]:
    """Open a browser tab with a new session."""
    with connect(url.replace("http", "ws") + "/ws", origin=url, max_size=None) as tab:  # type: ignore[arg-type]
        tab.recv()
        send(tab, do="hello")
        wait(tab, lambda message: message["kind"] == "view")
        yield tab


def send(tab: ClientConnection, **message: Any) -> None:
    tab.send(json.dumps(message))


def wait(tab: ClientConnection, fits: Any) -> dict[str, Any]:
    while not fits(message := json.loads(tab.recv(300))):
        pass
    return dict(message)


def new(tab: ClientConnection, deal: int, variant: str = "classic") -> None:
    send(tab, do="new", game="pyramid", variant=variant, deal=deal)


def keep_judging(url: str, done: list[int], first: int) -> None:
    """Let the solver analyze one deal after another."""
    with open_tab(url) as tab:
        try:
            while True:
                new(tab, first + done[0], "web")
                wait(tab, lambda message: message.get("play", {}).get("chances"))
                done[0] += 1
        except (ConnectionClosed, OSError):
            pass


def keep_reviewing(url: str, done: list[int]) -> None:
    """Let greedy play one deal after another, and review each game."""
    with open_tab(url) as tab:
        try:
            while True:
                new(tab, done[0])
                while not wait(tab, lambda message: message.get("play")).get("play", {})["over"]:
                    send(tab, do="agent_move", agent="greedy")
                send(tab, do="review")
                wait(tab, lambda message: message["kind"] == "review")
                done[0] += 1
        except (ConnectionClosed, OSError):
            pass


def time_clicks(url: str) -> list[float]:
    """Return the milliseconds of each click; each click deals a card or restarts the deal."""
    milliseconds = []
    with open_tab(url) as tab:
        new(tab, 3)
        view = wait(tab, lambda message: message.get("play"))
        for _ in range(CLICKS):
            legal = DEAL in view["play"]["can"]
            sleep(PAUSE)
            start, number = perf_counter(), view["number"]
            if legal:
                send(tab, do="click", action=DEAL)
            else:
                send(tab, do="restart")
            view = wait(tab, lambda message, number=number: message.get("number", 0) > number)
            milliseconds.append(1000 * (perf_counter() - start))
    return milliseconds


def tell(name: str, milliseconds: list[float]) -> None:
    middle, high = median(milliseconds), quantiles(milliseconds, n=20)[-1]
    print(f"{name:28} median {middle:6.1f} ms, 95 % {high:6.1f} ms")


def main() -> None:
    judged, reviewed = [0], [0]
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as url:
        time_clicks(url)  # compiles the kernels
        tell("alone", time_clicks(url))
        busy = [(keep_judging, (url, judged, 1000)), (keep_reviewing, (url, reviewed))]
        for work, given in busy:
            threading.Thread(target=work, args=given, daemon=True).start()
        sleep(3)
        before = judged[0], reviewed[0]
        start = perf_counter()
        tell("beside solver and review", time_clicks(url))
        seconds = perf_counter() - start
        deals, games = judged[0] - before[0], reviewed[0] - before[1]
        print(f"meanwhile {deals} deals analyzed, {games} games reviewed, in {seconds:.1f} s")


if __name__ == "__main__":
    main()
