"""What stands before the page: only this machine's own pages are answered."""

from collections.abc import Awaitable, Callable
from typing import Any

Scope = dict[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]
HOSTS = ("localhost", "127.0.0.1", "[::1]")
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


def guard(app: App, port: int) -> App:
    """Return an application that refuses other hosts and origins with status 403, then asks `app`.

    A page of another site could otherwise talk to this one through the browser: by a name of its
    own that leads to this machine (Host), or as itself (Origin), by a websocket, too.
    """
    hosts = {f"{name}:{port}" for name in HOSTS}

    async def guarded(scope: Scope, receive: Any, send: Any) -> None:
        wrong = _find_wrong(scope, hosts)
        if not wrong:
            await app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()  # the handshake; a close before it is accepted is a 403
            await send({"type": "websocket.close", "code": 1008, "reason": wrong})
        else:
            text = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 403, "headers": text})
            await send({"type": "http.response.body", "body": wrong.encode()})

    return guarded


def _find_wrong(scope: Scope, hosts: set[str]) -> str:
    """What is wrong with a request; empty: nothing. Every websocket of a browser has an origin."""
    given = [(name, value.decode("latin-1")) for name, value in scope["headers"]]
    host = [value for name, value in given if name == b"host"]
    origin = [value for name, value in given if name == b"origin"]
    if len(host) != 1 or host[0].lower() not in hosts:
        return "host: allowed is the address that parlour serve has named"
    if not origin and scope["type"] == "http":
        return ""
    if len(origin) != 1 or origin[0].lower() != f"http://{host[0].lower()}":
        return "origin: allowed is the page of this server"
    return ""


def _with_headers(send: Any) -> Any:
    async def sending(message: Scope) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS]
        await send(message)

    return sending
