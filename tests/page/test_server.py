"""The server: who is answered, what is refused, and that sessions leave each other alone."""

import json
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from parlour.page.lone import LonePlay
from parlour.page.server import CRASHED, LARGEST_FRAME, MOVERS, open_socket
from parlour.training.cli.main import _explain
from tests.page.conftest import Served
from tests.page.malformed import malformed

NEW = {"do": "new", "game": "pyramid", "variant": "classic", "deal": 3}


def fetch(served: Served, path: str = "/", **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(f"http://127.0.0.1:{served.port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request) as found:
            return found.status, found.headers["content-security-policy"]
    except urllib.error.HTTPError as error:
        return error.code, ""


@contextmanager
def tab(served: Served, session: str | None = None) -> Iterator[ClientConnection]:
    with connect(f"ws://localhost:{served.port}/ws", origin=served.url) as found:  # type: ignore[arg-type]
        assert json.loads(found.recv())["kind"] == "games"
        ask(found, {"do": "hello", "session": session})
        yield found


def ask(found: ClientConnection, message: dict[str, Any] | str) -> dict[str, Any]:
    """Send a message; return the next answer."""
    found.send(message if isinstance(message, str) else json.dumps(message))
    return dict(json.loads(found.recv(60)))


def wait(found: ClientConnection, kind: str) -> dict[str, Any]:
    while (said := json.loads(found.recv(60)))["kind"] != kind:
        pass
    return dict(said)


def test_it_listens_on_loopback_alone(served: Served) -> None:
    own = socket.gethostbyname(socket.gethostname())
    if not own.startswith("127."):
        with pytest.raises(OSError):
            socket.create_connection((own, served.port), 1).close()
    with open_socket(0) as one:
        assert one.getsockname()[0] == "127.0.0.1"
        one.listen()
        with pytest.raises(OSError, match=r"port=\d+: .*0 takes a free one"):
            open_socket(one.getsockname()[1])


def test_its_files_come_with_a_policy(served: Served) -> None:
    for path in ("/", "/parlour.js", "/parlour.css", "/cards.json"):
        status, policy = fetch(served, path)
        assert status == 200
        assert "script-src 'self'" in policy
    for path in ("/server.py", "/../server.py", "/%2e%2e/server.py", "/web/index.html"):
        assert fetch(served, path)[0] == 404


def test_other_hosts_and_origins_are_refused(served: Served) -> None:
    home = f"localhost:{served.port}"
    assert fetch(served, Origin=f"http://{home}", Host=home)[0] == 200
    for host in ("evil.example", "localhost", f"localhost.evil.example:{served.port}", ""):
        assert fetch(served, Host=host)[0] in (400, 403)
    for origin in ("http://evil.example", "null", f"https://{home}", "http://localhost:1"):
        assert fetch(served, Origin=origin, Host=home)[0] == 403


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://localhost"])
def test_a_websocket_of_another_page_is_refused(served: Served, origin: Any) -> None:
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(f"ws://localhost:{served.port}/ws", origin=origin),
    ):
        pass
    assert refused.value.response.status_code == 403
    with (
        pytest.raises(InvalidStatus),
        connect(
            f"ws://localhost:{served.port}/ws",
            origin=served.url,  # type: ignore[arg-type]
            additional_headers={"Host": "evil.example"},
        ),
    ):
        pass


def test_500_malformed_messages_are_500_refusals(served: Served) -> None:
    with tab(served) as found:
        for text in malformed(500, seed=1):
            said = ask(found, text)
            assert said["kind"] == "refused", text[:200]
            assert said["field"] and said["allowed"]
        assert ask(found, NEW)["play"]["moves"] == 0  # it goes on as if nothing had been


def test_nothing_is_done_before_hello(served: Served) -> None:
    with connect(f"ws://localhost:{served.port}/ws", origin=served.url) as found:  # type: ignore[arg-type]
        found.recv()
        assert ask(found, NEW)["field"] == "do"


def test_a_message_that_is_far_too_long_ends_its_tab_alone(served: Served) -> None:
    with tab(served) as found, tab(served) as other:
        found.send("x" * (LARGEST_FRAME + 1))
        with pytest.raises(ConnectionClosed):
            found.recv(10)
        assert ask(other, NEW)["kind"] == "view"
    with tab(served) as found:
        found.send(b"\x00\x01")  # no text
        with pytest.raises(ConnectionClosed):
            found.recv(10)


def test_one_sessions_crash_harms_no_other(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with tab(served) as found, tab(served) as other:
        ask(found, NEW), ask(other, NEW)
        with monkeypatch.context() as broken:
            broken.setattr(LonePlay, "click", lambda *_: 1 // 0)
            found.send('{"do": "click", "action": 39}')
            assert wait(found, "crashed")["text"] == CRASHED
        other.send('{"do": "agent_move", "agent": "greedy"}')
        assert wait(other, "view")["play"]
        found.send('{"do": "restart"}')
        assert wait(found, "refused")["text"] == "no game has begun"
        assert ask(found, NEW)["play"]["moves"] == 0


def test_games_that_take_their_time_hold_no_other_up(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first use compiles for a minute, an agent may think for ten seconds."""
    go_on, real = threading.Event(), LonePlay.take_back

    def wait_first(play: LonePlay, moves: int | None = 1) -> None:
        go_on.wait(60)
        real(play, moves)

    monkeypatch.setattr(LonePlay, "take_back", wait_first)
    with ExitStack() as tabs:
        slow = [tabs.enter_context(tab(served)) for _ in range(MOVERS - 1)]
        for found in slow:
            ask(found, NEW)
            found.send('{"do": "restart"}')
        with tab(served) as other:
            assert ask(other, NEW)["kind"] == "view"
        go_on.set()
        for found in slow:
            assert wait(found, "refused")["text"] == "there is no move to take back"


def test_tabs_of_one_session_see_the_same_and_others_nothing(served: Served) -> None:
    with tab(served) as one, tab(served) as stranger:
        session = ask(one, NEW)["session"]
        with tab(served, session) as two:
            one.send('{"do": "agent_move", "agent": "greedy"}')
            while not (said := wait(two, "view"))["play"]["moves"]:
                pass
            assert said["session"] == session
        assert "play" not in ask(stranger, {"do": "hello", "session": None})
    with tab(served, session) as back:  # after a reload
        assert ask(back, {"do": "hello", "session": session})["play"]["moves"] == 1


def test_the_command_needs_the_extra_and_nothing_else_does() -> None:
    said = _explain(ModuleNotFoundError("No module named 'starlette'", name="starlette"))
    assert said.endswith('pip install "parlour[page]"')
    said = _explain(ModuleNotFoundError("No module named 'parlour.page'", name="parlour.page"))
    assert "install Parlour anew" in said  # an old install, that no extra mends
    code = (
        "import sys; from parlour.training.cli.main import run; run(['list'])\n"
        "assert not {'starlette', 'uvicorn', 'websockets', 'parlour.page'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
