"""The server of the play page: HTTP for its files, one websocket for each browser tab."""

import asyncio
import contextlib
import json
import logging
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from parlour.envs.web_files import WEB, all_art
from parlour.training.evaluation.replay import Replay

from .guard import guard
from .messages import LONGEST, Refusal, read_message
from .session import Session, Sessions, answer, list_games
from .store import ResultStore

FILES = {"": "index.html", "parlour.js": "parlour.js", "parlour.css": "parlour.css"}
LARGEST_FRAME = 8 * LONGEST
"""Bytes; the websocket is closed at once where one says that more follow."""
MOVERS = 8
"""Threads for moves and agents."""
CRASHED = "this game has met an error of ours and is closed; begin a new one"
NOTHING = json.dumps(None)
Work = Callable[[], Any]
LOG = logging.getLogger("parlour.page")


class Hub:
    """Which tabs look at which session, and the threads that work for them.

    Solver and reviews have one thread each, so that no click waits for them. A session takes one of
    the threads for moves at most; there are several, so that one whose game is compiled, or whose
    agent thinks for seconds, does not hold the others up.
    """

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        self.tabs: dict[str, set[WebSocket]] = {}
        self.locks: dict[str, asyncio.Lock] = {}
        self.judging: dict[str, asyncio.Task[None]] = {}
        self.workers = ThreadPoolExecutor(MOVERS, "parlour-moves")
        self.solver = ThreadPoolExecutor(1, "parlour-solver")
        self.reviewing: dict[str, asyncio.Task[None]] = {}
        self.reviews = ThreadPoolExecutor(1, "parlour-reviews")

    async def serve_tab(self, tab: WebSocket) -> None:
        """Answer one tab until it is closed."""
        await tab.accept()
        await tab.send_json(list_games(self.sessions.replays))
        session: Session | None = None
        try:
            while True:
                session = await self._answer_message(tab, session, await tab.receive_text())
        except (WebSocketDisconnect, RuntimeError, KeyError):  # closed, or no text
            pass
        finally:
            if session is not None:
                self._leave(tab, session)

    async def _answer_message(
        self, tab: WebSocket, session: Session | None, text: str
    ) -> Session | None:
        try:
            do, fields = read_message(text)
            if do != "hello" and session is None:
                raise Refusal("do", do, "hello, first of all")
        except Refusal as refusal:
            await tab.send_json(refusal.to_dict())
            return session
        if do == "hello":
            if session is not None:
                self._leave(tab, session)
            session = self.sessions.find(fields["session"])
            self.tabs.setdefault(session.id, set()).add(tab)
            await tab.send_text(await self._view(session))
            return session
        assert session is not None
        await self._act(tab, session, do, fields)
        return session

    async def _act(self, tab: WebSocket, session: Session, do: str, fields: dict[str, Any]) -> None:
        lock = self.locks.setdefault(session.id, asyncio.Lock())
        async with lock:
            said = await self._run(self.workers, partial(answer, session, do, fields), session)
        if said != NOTHING:
            await tab.send_text(said)
            if session.shown is not None and session.id not in self.reviewing:
                self.reviewing[session.id] = asyncio.create_task(self._review(session))
            return
        await self._show(session)
        if session.id not in self.judging:
            self.judging[session.id] = asyncio.create_task(self._judge(session))

    async def _run(self, pool: ThreadPoolExecutor, work: Work, session: Session) -> str:
        """Run work in a thread; return its answer as JSON. An error of ours ends this game only."""
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(pool, lambda: json.dumps(work(), allow_nan=False))
        except Exception:
            LOG.exception("a session crashed")
            session.play = None
            session.number += 1
            return json.dumps({"kind": "crashed", "text": CRASHED})

    async def _judge(self, session: Session) -> None:
        """Have the solver look at the session until nothing has changed meanwhile."""
        try:
            number = -1
            while number != session.number:
                number = session.number
                if await self._run(self.solver, session.judge, session) != NOTHING:
                    return
            await self._show(session)
        finally:
            self.judging.pop(session.id, None)
            self._forget(session)

    async def _review(self, session: Session) -> None:
        """Review the game that a session looks at, and the next one where that has changed."""
        try:
            while session.shown is not None and session.reviewed != session.shown.ticket:
                said = await self._run(self.reviews, session.review, session)
                await self._send(session, said)
        finally:
            self.reviewing.pop(session.id, None)

    async def _view(self, session: Session) -> str:
        async with self.locks.setdefault(session.id, asyncio.Lock()):
            return await self._run(self.workers, session.view, session)

    async def _show(self, session: Session) -> None:
        await self._send(session, await self._view(session))

    async def _send(self, session: Session, text: str) -> None:
        for tab in list(self.tabs.get(session.id, ())):
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is being closed
                await tab.send_text(text)

    def _leave(self, tab: WebSocket, session: Session) -> None:
        left = self.tabs.get(session.id, set())
        left.discard(tab)
        if not left:
            self.tabs.pop(session.id, None)
            self._forget(session)

    def _forget(self, session: Session) -> None:
        """Drop the lock of a session that nobody looks at, unless the solver still does."""
        if session.id not in self.tabs and session.id not in self.judging:
            self.locks.pop(session.id, None)


def _send_file(file: str) -> Callable[[Request], Awaitable[FileResponse]]:
    async def send(_: Request) -> FileResponse:
        return FileResponse(WEB / file)

    return send


async def _send_art(_: Request) -> JSONResponse:
    return JSONResponse(all_art())


def make_app(sessions: Sessions, port: int) -> Callable[..., Any]:
    """Return the ASGI application, guarded: see `guard.guard`."""
    hub = Hub(sessions)
    files = [Route(f"/{name}", _send_file(file)) for name, file in FILES.items()]
    routes = [*files, Route("/cards.json", _send_art), WebSocketRoute("/ws", hub.serve_tab)]
    return guard(Starlette(routes=routes), port)


def open_socket(port: int) -> socket.socket:
    """Return a listening socket on loopback; port 0 takes a free one. OSError if it is taken."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen()  # who comes before the server runs waits for it
    except OSError as error:
        listening.close()
        raise OSError(f"port={port}: {error.strerror}; 0 takes a free one") from error
    return listening


def make_server(
    listening: socket.socket,
    store: ResultStore | None,
    more: tuple[str, ...] = (),
    replays: tuple[Replay, ...] = (),
) -> uvicorn.Server:
    """Return the server of a socket; ``run(sockets=[listening])`` runs it until it is stopped."""
    app = make_app(Sessions(store, more, replays), listening.getsockname()[1])
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            lifespan="off",
            ws_max_size=LARGEST_FRAME,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )
