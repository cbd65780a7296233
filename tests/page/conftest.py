"""Fixtures: a server of the play page in a thread of this process."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("uvicorn", reason="needs the extra page")

from parlour.envs import find_game
from parlour.page.play import SolitaireSession
from parlour.page.server import make_server, open_socket
from parlour.page.store import ResultStore
from parlour.page.thinking import PageAgent, Thinking
from parlour.training import Replay


class Served(NamedTuple):
    port: int
    store: ResultStore

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"


def agents_game(variant: str, deal: int) -> Replay:
    """Return a recorded game of Pyramid, played by greedy."""
    pyramid = find_game("pyramid")
    play = SolitaireSession(pyramid, variant, {}, {"deal": deal, "deal_set": "pyramid-1"})
    greedy = PageAgent("greedy", pyramid, play.rules, (), Thinking())
    while not play.deal.is_over:
        play.play_agent(greedy)
    return play.replay()[0]


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    store = ResultStore(tmp_path_factory.mktemp("results") / "results.sqlite")
    listening = open_socket(0)
    server = make_server(store, replays=(agents_game("three-passes", 0),))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield Served(listening.getsockname()[1], store)
    server.should_exit = True
    thread.join(10)
