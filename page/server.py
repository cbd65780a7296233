"""The server of the play page: HTTP for its files, and one websocket per browser tab.

It answers only requests from its own pages: see `guard`.
"""

import asyncio
import contextlib
import json
import logging
import os
import re
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from parlour.envs.render.pictures import WEB, all_art
from parlour.training.evaluation.replays.replay import Replay

from .messages import LONGEST, Refusal, read_message
from .session import MOST_SESSIONS, Session, Sessions, answer, list_games
from .store import ResultStore
from .workers import WorkerPool

FILES = {"": "index.html", "parlour.js": "parlour.js", "parlour.css": "parlour.css"}
LARGEST_FRAME = 8 * LONGEST
"""Maximum size of a websocket frame in bytes; a larger frame closes the websocket."""
MOVERS = MOST_SESSIONS
"""Number of threads for moves. Most of them wait for a compilation or a worker process."""
MOST_WAITING = 64
"""Maximum number of unanswered messages per tab; a tab with more is disconnected."""
LAST_WAIT = 1.0
"""Seconds that the server waits for its threads when it stops."""
THREADS = "parlour-"
"""Name prefix of all threads."""
CRASHED = "This game was closed because of an internal error. Start a new game."
NOTHING = json.dumps(None)
Work = Callable[[], Any]
Scope = dict[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]
LOOPBACK = re.compile(
    r"(?:localhost|127(?:\.(?:0|[1-9]\d{0,2})){3}|\[::1\])(?::\d{1,5})?", re.ASCII | re.IGNORECASE
)
"""Host headers of requests to this machine. Browsers omit a default port."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' "
    "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
]
LOG = logging.getLogger("parlour.page")


class Hub:
    """The tabs that show each session, and the threads that work for them.

    The solver and the reviews have one thread each, so that no click waits for them. A session uses
    at most one of the threads for moves. There are several of these, so that no session waits while
    the game of another session is compiled or an agent thinks for seconds. Agents think in the
    workers of ``sessions.pool``; a session that no tab shows has no worker.
    """

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        self.tabs: dict[str, set[WebSocket]] = {}
        self.at: dict[WebSocket, Session | None] = {}
        """The session that each open tab shows."""
        self.locks: dict[str, asyncio.Lock] = {}
        self.judging: dict[str, asyncio.Task[None]] = {}
        self.workers = ThreadPoolExecutor(MOVERS, f"{THREADS}moves")
        self.solver = ThreadPoolExecutor(1, f"{THREADS}solver")
        self.reviewing: dict[str, asyncio.Task[None]] = {}
        self.reviews = ThreadPoolExecutor(1, f"{THREADS}reviews")

    async def serve_tab(self, tab: WebSocket) -> None:
        """Answer one tab until it is closed.

        Messages are received while earlier ones are answered, so that the server notices
        immediately when a tab is closed.
        """
        await tab.accept()
        await tab.send_text(json.dumps(list_games(self.sessions.replays)))
        self.at[tab] = None
        messages: asyncio.Queue[str] = asyncio.Queue(MOST_WAITING)
        tasks = {
            asyncio.create_task(_receive(tab, messages)),
            asyncio.create_task(self._answer_messages(tab, messages)),
        }
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._leave(tab)
            del self.at[tab]
            for task in tasks:
                task.cancel()
        with contextlib.suppress(
            RuntimeError, WebSocketDisconnect
        ):  # the browser has closed the tab
            await tab.close(1008)

    async def _answer_messages(self, tab: WebSocket, messages: asyncio.Queue[str]) -> None:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # the tab is being closed
            while True:
                await self._answer_message(tab, await messages.get())

    async def _answer_message(self, tab: WebSocket, text: str) -> None:
        session = self.at[tab]
        try:
            do, fields = read_message(text)
            if do != "hello" and session is None:
                raise Refusal("do", do, "hello in the first message")
        except Refusal as refusal:
            await tab.send_text(json.dumps(refusal.to_dict()))
            return
        if do == "hello":
            await self._greet(tab, fields["session"])
        elif session is not None:
            await self._act(tab, session, do, fields)

    async def _greet(self, tab: WebSocket, name: str | None) -> None:
        """Show a session to a tab, and resume work that stopped when its last tab was closed."""
        self._leave(tab)
        session = self.at[tab] = self.sessions.find(name)
        self.tabs.setdefault(session.id, set()).add(tab)
        session.thinking.come_back()
        await tab.send_text(await self._view(session))
        if session.is_waiting:
            await self._act(tab, session, "go_on", {})
        self._start_review(session)

    async def _act(self, tab: WebSocket, session: Session, do: str, fields: dict[str, Any]) -> None:
        lock = self.locks.setdefault(session.id, asyncio.Lock())
        async with lock:
            work = partial(answer, session, do, fields)
            text = await _finish(self._run(self.workers, work, session))
        if text != NOTHING:
            await tab.send_text(text)
            self._start_review(session)
            return
        await self._show(session)
        if session.id not in self.judging:
            self.judging[session.id] = asyncio.create_task(self._judge(session))

    async def _run(self, pool: ThreadPoolExecutor, work: Work, session: Session) -> str:
        """Run work in a thread; return its answer as JSON. Internal errors end this game only."""
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(pool, lambda: json.dumps(work(), allow_nan=False))
        except Exception:
            LOG.exception("a session crashed")
            session.play = None
            session.number += 1
            return json.dumps({"kind": "crashed", "text": CRASHED})

    async def _judge(self, session: Session) -> None:
        """Let the solver judge the position, and again if it has changed meanwhile."""
        try:
            number = -1
            while number != session.number and session.id in self.tabs:
                number = session.number
                if await self._run(self.solver, session.judge, session) != NOTHING:
                    return
            await self._show(session)
        finally:
            self.judging.pop(session.id, None)
            self._forget(session)

    def _start_review(self, session: Session) -> None:
        if session.needs_review and session.id not in self.reviewing:
            self.reviewing[session.id] = asyncio.create_task(self._review(session))

    async def _review(self, session: Session) -> None:
        """Review the game that a session shows, and then the next one if it shows another."""
        try:
            while session.needs_review and session.id in self.tabs:
                text = await self._run(self.reviews, session.review, session)
                if text != NOTHING:
                    await self._send(session, text)
        finally:
            self.reviewing.pop(session.id, None)
        if session.id in self.tabs:  # a tab has returned since the loop ended
            self._start_review(session)

    async def _view(self, session: Session) -> str:
        async with self.locks.setdefault(session.id, asyncio.Lock()):
            return await _finish(self._run(self.workers, session.view, session))

    async def _show(self, session: Session) -> None:
        await self._send(session, await self._view(session))

    async def _send(self, session: Session, text: str) -> None:
        for tab in list(self.tabs.get(session.id, ())):
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # the tab is being closed
                await tab.send_text(text)

    def _leave(self, tab: WebSocket) -> None:
        """Remove a tab from its session; without any tab, stop the work for the session."""
        session, self.at[tab] = self.at[tab], None
        if session is None:
            return
        left = self.tabs.get(session.id, set())
        left.discard(tab)
        if not left:
            self.tabs.pop(session.id, None)
            session.thinking.leave()
            self._forget(session)

    def _forget(self, session: Session) -> None:
        """Drop the lock of a session that no tab shows, unless the solver works for it."""
        if session.id not in self.tabs and session.id not in self.judging:
            self.locks.pop(session.id, None)

    def close(self) -> None:
        """Stop all work, and save the results that could not be saved before."""
        self.tabs.clear()
        if self.sessions.pool is not None:
            self.sessions.pool.close()
        for threads in (self.workers, self.solver, self.reviews):
            threads.shutdown(wait=False, cancel_futures=True)
        store = self.sessions.store
        if store is not None and (lost := store.close()):
            LOG.error("%d results could not be saved in %s", lost, store.path)


async def _receive(tab: WebSocket, messages: asyncio.Queue[str]) -> None:
    """Queue the messages of a tab until it is closed, sends bytes, or sends too many messages."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, KeyError, asyncio.QueueFull):
        while True:
            messages.put_nowait(await tab.receive_text())


async def _finish(work: Coroutine[Any, Any, str]) -> str:
    """Wait for work to finish even if this task is canceled, because its thread cannot be."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


def _send_file(file: str) -> Callable[[Request], Awaitable[FileResponse]]:
    async def send(_: Request) -> FileResponse:
        return FileResponse(WEB / file)

    return send


async def _send_art(_: Request) -> JSONResponse:
    return JSONResponse(all_art())


def guard(app: App) -> App:
    """Return an application that answers other hosts and origins with status 403.

    Without it, a page of another site could use this server through the visitor's browser, over
    HTTP or a websocket: from its own origin, or under a host name that resolves to this machine
    (DNS rebinding). The host must therefore be a loopback name or address, which no other site can
    have, and the origin must be that host. Any port is accepted, because a tunnel (``ssh -L
    9000:localhost:8727``) or a TLS proxy has a different port than the server.
    """

    async def guarded(scope: Scope, receive: Any, send: Any) -> None:
        wrong = "" if scope["type"] == "lifespan" else _find_wrong(scope)
        if not wrong:
            await app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()  # the handshake; closing before accepting it sends a 403
            await send({"type": "websocket.close", "code": 1008, "reason": wrong})
        else:
            text = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 403, "headers": text})
            await send({"type": "http.response.body", "body": wrong.encode()})

    return guarded


def _find_wrong(scope: Scope) -> str:
    """Return the error message for a request, empty if it is allowed; websockets need an origin."""
    headers = [(name, value.decode("latin-1").lower()) for name, value in scope["headers"]]
    hosts = [value for name, value in headers if name == b"host"]
    origins = [value for name, value in headers if name == b"origin"]
    if len(hosts) != 1 or not LOOPBACK.fullmatch(hosts[0]):
        return "Host must be localhost, 127.0.0.1 or [::1], with or without a port"
    if not origins and scope["type"] == "http":
        return ""
    if len(origins) != 1 or origins[0] not in (f"http://{hosts[0]}", f"https://{hosts[0]}"):
        return "Origin must be http:// or https:// followed by the Host"
    return ""


def _with_headers(send: Any) -> Any:
    async def sending(message: Scope) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS]
        await send(message)

    return sending


def make_app(sessions: Sessions) -> Callable[..., Any]:
    """Return the ASGI application, behind `guard`."""
    hub = Hub(sessions)

    @contextlib.asynccontextmanager
    async def run_hub(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            hub.close()

    files = [Route(f"/{name}", _send_file(file)) for name, file in FILES.items()]
    routes = [*files, Route("/cards.json", _send_art), WebSocketRoute("/ws", hub.serve_tab)]
    return guard(Starlette(routes=routes, lifespan=run_hub))


def open_socket(port: int) -> socket.socket:
    """Return a listening socket on loopback (port 0: any free port). Raises OSError if in use."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()  # clients that connect before the server runs wait for it
    except OSError as error:
        listening.close()
        raise OSError(
            f"port={port}: {error.strerror}. To use any free port, set the port to 0"
        ) from error
    return listening


def end_process_if_busy(status: int) -> None:
    """End the process if a thread still compiles a kernel; Python would otherwise wait for it."""
    threads = [one for one in threading.enumerate() if one.name.startswith(THREADS)]
    for thread in threads:
        thread.join(LAST_WAIT / len(threads))
    if any(thread.is_alive() for thread in threads):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def make_server(
    store: ResultStore | None,
    server_agents: tuple[str, ...] = (),
    replays: tuple[Replay, ...] = (),
) -> uvicorn.Server:
    """Return a server; ``run(sockets=[open_socket(port)])`` runs it until it is stopped."""
    app = make_app(Sessions(store, server_agents, replays, WorkerPool()))
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            lifespan="on",
            ws_max_size=LARGEST_FRAME,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )
