"""A stub of an OpenAI-compatible server, which plays by a function of the conversation."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[list[dict[str, str]]], str | int]
"""Returns the text of an answer, or an HTTP status code."""


def first_listed(messages: list[dict[str, str]]) -> str:
    """Answer with the first legal move of the position."""
    move = re.search(r"^Legal moves:\n- (.*?): ", messages[1]["content"], re.MULTILINE)
    assert move is not None
    return f"The first one is as good as any.\n<answer>{move[1]}</answer>"


class Stub:
    """A running stub: its address and the requests so far."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.models = ["stub/tiny"]
        self.busiest = self.busy = 0
        self.lock = threading.Lock()


@contextmanager
def serve(answer: Answer) -> Iterator[Stub]:
    """Yield a running stub on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.reply(200, {"data": [{"id": name} for name in stub.models]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with stub.lock:
                stub.busy += 1
                stub.busiest = max(stub.busiest, stub.busy)
                stub.bodies.append(body)
                stub.headers.append(dict(self.headers))
            result = answer(body["messages"])
            with stub.lock:
                stub.busy -= 1
            if isinstance(result, int):
                self.reply(result, {"error": {"message": f"status {result}"}})
                return
            message = {"role": "assistant", "content": result}
            usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
            whole = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            if not body.get("stream"):
                self.reply(200, {**whole, "choices": [choice], "usage": usage})
                return
            choice["delta"] = choice.pop("message")
            chunk = {**whole, "object": "chat.completion.chunk", "choices": [choice]}
            last = {**chunk, "choices": [], "usage": usage}
            lines = [json.dumps(chunk), json.dumps(last), "[DONE]"]
            self.send(200, "text/event-stream", "".join(f"data: {one}\n\n" for one in lines))

        def reply(self, status: int, value: dict[str, Any]) -> None:
            self.send(status, "application/json", json.dumps(value))

        def send(self, status: int, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub = Stub(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
