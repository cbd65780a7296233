"""The server: which requests it accepts, invalid messages, and isolation of sessions."""

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
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from parlour.page.play import SolitaireSession
from parlour.page.server import CRASHED, LARGEST_FRAME, MOST_WAITING, MOVERS, open_socket
from parlour.training.cli.main import _explain
from tests.page.conftest import Served
from tests.page.malformed import malformed

SLOW_TABS = 24
NEW = {"do": "new", "game": "pyramid", "variant": "classic", "deal": 3}


def fetch(served: Served, path: str = "/", **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(f"http://127.0.0.1:{served.port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request) as result:
            return result.status, result.headers["content-security-policy"]
    except urllib.error.HTTPError as error:
        return error.code, ""


@contextmanager
def tab(served: Served, session: str | None = None) -> Iterator[ClientConnection]:
    with connect(f"ws://localhost:{served.port}/ws", origin=served.url) as result:  # type: ignore[arg-type]
        assert json.loads(result.recv())["kind"] == "games"
        ask(result, {"do": "hello", "session": session})
        yield result


def ask(result: ClientConnection, message: dict[str, Any] | str) -> dict[str, Any]:
    """Send a message; return the next answer."""
    result.send(message if isinstance(message, str) else json.dumps(message))
    return dict(json.loads(result.recv(60)))


def wait(result: ClientConnection, kind: str) -> dict[str, Any]:
    while (output := json.loads(result.recv(60)))["kind"] != kind:
        pass
    return dict(output)


def test_it_listens_on_loopback_alone(served: Served) -> None:
    own = socket.gethostbyname(socket.gethostname())
    if not own.startswith("127."):
        with pytest.raises(OSError):
            socket.create_connection((own, served.port), 1).close()
    with open_socket(0) as one:
        assert one.getsockname()[0] == "127.0.0.1"
        one.listen()
        with pytest.raises(OSError, match=r"port=\d+: .*set the port to 0"):
            open_socket(one.getsockname()[1])


def test_its_files_come_with_a_policy(served: Served) -> None:
    for path in ("/", "/parlour.js", "/parlour.css", "/cards.json"):
        status, policy = fetch(served, path)
        assert status == 200
        assert "script-src 'self'" in policy
    for path in ("/server.py", "/../server.py", "/%2e%2e/server.py", "/web/index.html"):
        assert fetch(served, path)[0] == 404


HOSTS = [  # of a tunnel or a proxy; without a port where it is the default
    *("localhost", "localhost:9000", "LocalHost:8727", "127.0.0.1", "127.0.0.1:80"),
    *("127.0.0.2:9000", "127.255.1.20:1", "[::1]", "[::1]:9000"),
]
OTHER_HOSTS = [  # any of them may be the name of another site that resolves to this machine
    *(
        "",
        "evil.example",
        "evil.example:8727",
        "localhost.evil.example",
        "localhost.evil.example:1",
    ),
    *("evil.localhost", "localhost.", "localhost:", "localhost:x", "localhost:123456"),
    *("127.0.0.1.evil.example", "127.0.0", "127.1", "127.0.0.1.1", "1127.0.0.1", "127.0.0.01"),
    *("0.0.0.0", "10.0.0.1", "192.168.0.1:8727", "[::]", "[::2]:9000", "::1", "[::1].evil.example"),
    *(
        "localhost@evil.example",
        "evil.example/localhost",
        "localhost, evil.example",
        "xn--localhost",
    ),
]


def answer_to(served: Served, host: str, origin: str | None) -> int:
    """Return the HTTP status of a websocket handshake."""
    lines = [
        *("GET /ws HTTP/1.1", f"Host: {host}", "Connection: Upgrade", "Upgrade: websocket"),
        *("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="),
        *([] if origin is None else [f"Origin: {origin}"]),
    ]
    with socket.create_connection(("127.0.0.1", served.port), 60) as raw:
        raw.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        return int(raw.recv(100).split()[1])


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", HOSTS)
def test_this_machine_is_answered_at_any_port(served: Served, host: str, scheme: str) -> None:
    origin = f"{scheme}://{host}"
    assert fetch(served, Host=host)[0] == 200
    assert fetch(served, Host=host, Origin=origin)[0] == 200
    assert answer_to(served, host, origin.lower()) == 101


@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_other_hosts_are_refused(served: Served, host: str) -> None:
    assert fetch(served, Host=host)[0] in (400, 403)
    assert fetch(served, Host=host, Origin=f"http://{host}")[0] in (400, 403)
    assert answer_to(served, host, f"http://{host}") in (400, 403)


@pytest.mark.parametrize(
    "origin",
    [
        *("null", "", "http://evil.example", "http://localhost", "http://localhost:1"),
        *("http://127.0.0.1:9000", "http://[::1]:9000", "ftp://localhost:9000", "localhost:9000"),
        *("http://localhost:9000.evil.example", "http://evil.example:9000", "file://"),
        *("http://localhost:9000/", "http://x@localhost:9000", "https://localhost:90000"),
    ],
)
def test_pages_of_other_origins_are_refused(served: Served, origin: str) -> None:
    assert fetch(served, Host="localhost:9000", Origin=origin)[0] == 403
    assert answer_to(served, "localhost:9000", origin) == 403


def test_a_websocket_without_an_origin_is_refused(served: Served) -> None:
    """Every browser sends an origin."""
    assert answer_to(served, f"localhost:{served.port}", None) == 403


def test_500_malformed_messages_are_500_refusals(served: Served) -> None:
    with tab(served) as result:
        for text in malformed(500, seed=1):
            output = ask(result, text)
            assert output["kind"] == "refused", text[:200]
            assert output["field"] and output["allowed"]
        assert ask(result, NEW)["play"]["moves"] == 0  # it goes on as if nothing had been


def test_nothing_is_done_before_hello(served: Served) -> None:
    with connect(f"ws://localhost:{served.port}/ws", origin=served.url) as result:  # type: ignore[arg-type]
        result.recv()
        assert ask(result, NEW)["field"] == "do"


def test_a_message_that_is_far_too_long_ends_its_tab_alone(served: Served) -> None:
    with tab(served) as result, tab(served) as other:
        result.send("x" * (LARGEST_FRAME + 1))
        with pytest.raises(ConnectionClosed):
            result.recv(10)
        assert ask(other, NEW)["kind"] == "view"
    with tab(served) as result:
        result.send(b"\x00\x01")  # no text
        with pytest.raises(ConnectionClosed):
            result.recv(10)


def test_a_tab_that_waits_for_no_answer_is_closed(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unanswered messages take a limited amount of memory."""
    go_on, real = threading.Event(), SolitaireSession.take_back
    monkeypatch.setattr(
        SolitaireSession, "take_back", lambda play, moves: (go_on.wait(60), real(play, moves))
    )
    with tab(served) as result:
        ask(result, NEW)
        for _ in range(MOST_WAITING + 2):
            result.send('{"do": "restart"}')
        with pytest.raises(ConnectionClosed):
            while True:
                result.recv(60)
        go_on.set()


def test_one_sessions_crash_harms_no_other(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with tab(served) as result, tab(served) as other:
        ask(result, NEW), ask(other, NEW)
        with monkeypatch.context() as broken:
            broken.setattr(SolitaireSession, "click", lambda *_: 1 // 0)
            result.send('{"do": "click", "action": 39}')
            assert wait(result, "crashed")["text"] == CRASHED
        other.send('{"do": "agent_move", "agent": "greedy"}')
        assert wait(other, "view")["play"]
        result.send('{"do": "restart"}')
        assert wait(result, "refused")["text"] == "no game has been started"
        assert ask(result, NEW)["play"]["moves"] == 0


def test_games_that_take_their_time_hold_no_other_up(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first use compiles for a minute, and an agent may think for ten seconds."""
    assert SLOW_TABS < MOVERS
    go_on, real = threading.Event(), SolitaireSession.take_back

    def wait_first(play: SolitaireSession, moves: int | None = 1) -> None:
        go_on.wait(60)
        real(play, moves)

    monkeypatch.setattr(SolitaireSession, "take_back", wait_first)
    with ExitStack() as tabs:
        slow = [tabs.enter_context(tab(served)) for _ in range(SLOW_TABS)]
        for result in slow:
            ask(result, NEW)
            result.send('{"do": "restart"}')
        with tab(served) as other:
            assert ask(other, NEW)["kind"] == "view"
        go_on.set()
        for result in slow:
            assert wait(result, "refused")["text"] == "There is no move to take back."


def test_tabs_of_one_session_see_the_same_and_others_nothing(served: Served) -> None:
    with tab(served) as one, tab(served) as stranger:
        session = ask(one, NEW)["session"]
        with tab(served, session) as two:
            one.send('{"do": "agent_move", "agent": "greedy"}')
            while not (output := wait(two, "view"))["play"]["moves"]:
                pass
            assert output["session"] == session
        assert "play" not in ask(stranger, {"do": "hello", "session": None})
    with tab(served, session) as back:  # after a reload
        assert ask(back, {"do": "hello", "session": session})["play"]["moves"] == 1


def test_the_command_needs_the_extra_and_nothing_else_does() -> None:
    output = _explain(ModuleNotFoundError("No module named 'starlette'", name="starlette"))
    assert output.endswith('pip install "parlour[page]"')
    output = _explain(ModuleNotFoundError("No module named 'parlour.page'", name="parlour.page"))
    assert "reinstall Parlour" in output  # an old install, that no extra mends
    code = (
        "import sys; from parlour.training.cli.main import run; run(['list'])\n"
        "assert not {'starlette', 'uvicorn', 'websockets', 'parlour.page'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
