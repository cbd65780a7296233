"""Request filter of the page server: accepts requests from its own pages only."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

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


def guard(app: App) -> App:
    """Return an application that answers other hosts and origins with status 403.

    Without it, a page of another site could use this server through the visitor's browser, over
    HTTP or a websocket: from its own origin, or with a host name of its own that resolves to this
    machine (DNS rebinding). So the host must be a loopback name or address, which no other site can
    have, and the origin must be that host. Any port is accepted, because a tunnel
    (``ssh -L 9000:localhost:8727``) or a TLS proxy has another port than the server.
    """

    async def guarded(scope: Scope, receive: Any, send: Any) -> None:
        wrong = "" if scope["type"] == "lifespan" else _find_wrong(scope)
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


def _find_wrong(scope: Scope) -> str:
    """Return the error text for a request, empty if it is allowed; a websocket needs an origin."""
    given = [(name, value.decode("latin-1").lower()) for name, value in scope["headers"]]
    hosts = [value for name, value in given if name == b"host"]
    origins = [value for name, value in given if name == b"origin"]
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
