"""An agent that asks a language model behind an OpenAI-compatible server for each move."""

import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from parlour.envs.core.options import choices_text, unknown_text
from parlour.envs.core.rows import Rows, observation_codes
from parlour.envs.core.turn import LONGEST_NAME, Turn, random_floats
from parlour.envs.interfaces.text import (
    FORMS,
    AnswerError,
    Disguise,
    TextPosition,
    explain_rules,
)

KEY = "PARLOUR_LLM_KEY"
"""Environment variable with the API key, which is sent as a bearer token."""
GAMES_PER_REQUEST = 4
"""Number of games in a batch, as a multiple of the number of parallel requests."""
WAITS = 1.0, 2.0, 4.0, 8.0, 16.0
"""Seconds to wait after each failed request; the error after the last one ends the evaluation."""
TEMPORARY = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""HTTP status codes after which the same request may succeed."""
LONGEST_WAIT = 120.0
"""Maximum number of seconds that a server may ask to wait (``Retry-After``)."""
USAGE = (
    "moves",
    "random moves",
    "unreadable answers",
    "illegal answers",
    "requests",
    "retries",
    "prompt tokens",
    "completion tokens",
)
"""The counts in `LLMAgent.usage`."""
COST = "cost"
"""The cost of the tokens in `LLMAgent.usage`, if the settings have a price."""
LEAST = {
    "temperature": 0.0,
    "timeout": 0.001,
    "disguise": -1,
    "input_price": 0.0,
    "output_price": 0.0,
}
"""Least values of the settings that may be below 1."""
SALT = 0x4C4C4D
"""Separates the random moves from other draws of a turn."""


class LLMSettings(NamedTuple):
    """Settings of a language model, the query of the URL in its spec."""

    model: str = ""
    """Name of the model; empty: the only model of the server."""
    temperature: float = 0.0
    """Sampling temperature."""
    max_tokens: int = 2048
    """Maximum number of tokens of an answer."""
    parallel: int = 8
    """Number of parallel requests."""
    tries: int = 3
    """Number of answers, after which a random move replaces an unreadable answer."""
    timeout: float = 300.0
    """Seconds to wait for an answer of the server."""
    form: str = "text"
    """Form of the state: ``text`` or ``json``."""
    disguise: int = -1
    """Seed of invented names of the cards; -1: ordinary names."""
    input_price: float = 0.0
    """Price of a million tokens of requests, in any currency."""
    output_price: float = 0.0
    """Price of a million tokens of answers."""


def make_llm_agent(url: str) -> "LLMAgent":
    """Return the agent of a spec ``llm:URL``.

    Args:
        url: The address of the server, such as ``http://127.0.0.1:8000`` or
            ``http://127.0.0.1:8000/v1``. Its query has `LLMSettings`:
            ``?model=NAME&temperature=0.7``.

    Raises:
        ValueError: The URL or a setting is invalid, or the server does not name its only model.
    """
    try:
        address, settings = _read_url(url)
    except ValueError as error:
        raise ValueError(f"agent 'llm:{url}': {error}") from None
    if not settings.model:
        settings = settings._replace(model=_find_model(address, settings, url))
    return LLMAgent(address, settings)


class LLMAgent:
    """Agent that asks a language model for each move; see `make_llm_agent`.

    A request has the rules, the position and the legal moves (`TextPosition`), and no earlier
    moves. If the answer names no legal move, the agent sends a reply and asks again. After
    ``settings.tries`` answers, it plays a uniformly random legal move. Forced moves need no
    request. Requests of different games run in parallel.

    Attributes:
        usage: Numbers of requests, tokens, unreadable answers and more (`USAGE`); with a price,
            also their cost (`COST`).

    Args:
        address: Address of the API, without the path of an endpoint.
        settings: The settings, with the name of the model.
    """

    sees_all = False

    def __init__(self, address: str, settings: LLMSettings) -> None:
        self.address, self.settings = address, settings
        name = f"llm:{settings.model.rpartition('/')[2]}"
        name += f" t={settings.temperature:g}" if settings.temperature else ""
        name += f" disguise={settings.disguise}" if settings.disguise >= 0 else ""
        self.name = name[:LONGEST_NAME]
        self.max_batch = GAMES_PER_REQUEST * settings.parallel
        self.usage: dict[str, float] = dict.fromkeys(USAGE, 0)
        self._begun: dict[bytes, list[int]] = {}

    def act(self, turn: Turn) -> np.ndarray:
        """Return one action for each game, int64 (n,).

        Raises:
            ConnectionError: The server gave no answer.
        """
        actions, waiting = np.zeros(len(turn.masks), np.int64), []
        for row, observation in enumerate(observation_codes(turn.states)):
            rest = self._begun.pop(observation.tobytes(), None)
            if rest is not None and turn.masks[row, rest[0]]:
                actions[row] = self._begin(turn, row, rest)
            else:
                waiting.append(row)
        rules = explain_rules(turn.game, turn.rules, self.settings.form, self._disguise)
        with ThreadPoolExecutor(self.settings.parallel) as threads:
            asked = threads.map(lambda row: self._ask(turn, row, rules), waiting)
            for row, (move, usage) in zip(waiting, asked, strict=True):
                actions[row] = self._begin(turn, row, move)
                for name, count in usage.items():
                    self.usage[name] += count
        if self.settings.input_price or self.settings.output_price:
            self.usage[COST] = self._compute_cost()
        return actions

    def _compute_cost(self) -> float:
        """Return the cost of all tokens so far."""
        millionths = self.usage["prompt tokens"] * self.settings.input_price
        millionths += self.usage["completion tokens"] * self.settings.output_price
        return millionths / 1_000_000

    @property
    def _disguise(self) -> Disguise | None:
        return Disguise(self.settings.disguise) if self.settings.disguise >= 0 else None

    def _begin(self, turn: Turn, row: int, move: list[int]) -> int:
        """Return the first action of a move, and note the rest under the next observation."""
        if len(move) > 1:
            rows = Rows(turn.game, turn.rules, 1)
            rows.restore(turn.states[row : row + 1])
            rows.step(np.array(move[:1]))
            self._begun[rows.codes[0].tobytes()] = move[1:]
        return move[0]

    def _ask(self, turn: Turn, row: int, rules: str) -> tuple[list[int], Counter[str]]:
        """Return the move of the model in one game, and the usage."""
        usage = Counter(moves=1)
        position = TextPosition(
            turn.game,
            turn.rules,
            turn.states[row : row + 1],
            self.settings.form,
            self._disguise,
        )
        answers = position.answers
        if len(answers) == 1:
            return position.actions_of(answers[0]), usage
        messages = [
            {"role": "system", "content": rules},
            {"role": "user", "content": position.text},
        ]
        for _ in range(self.settings.tries):
            text = self._complete(messages, int(turn.seeds[row]), usage)
            try:
                return position.read_answer(text), usage
            except AnswerError as error:
                usage[f"{error.kind} answers"] += 1
                messages.append({"role": "assistant", "content": text})
                messages.append({"role": "user", "content": str(error)})
        usage["random moves"] += 1
        draw = random_floats(turn.seeds[row : row + 1], SALT)[0]
        return position.actions_of(answers[int(draw * len(answers))]), usage

    def _complete(self, messages: list[dict[str, str]], seed: int, usage: Counter[str]) -> str:
        """Return the answer of the model to a conversation."""
        settings = self.settings
        body = {
            "model": settings.model,
            "messages": messages,
            "temperature": settings.temperature,
            "max_tokens": settings.max_tokens,
            "seed": seed % 2**31,
        }

        def count_retry() -> None:
            usage["retries"] += 1

        usage["requests"] += 1
        answer = _send(f"{self.address}/chat/completions", settings.timeout, body, count_retry)
        used = answer.get("usage") or {}
        for name in ("prompt", "completion"):
            count = used.get(f"{name}_tokens")
            usage[f"{name} tokens"] += count if isinstance(count, int) else 0
        try:
            text = answer["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            raise ConnectionError(f"{self.address}: the answer has no message") from None
        return text if isinstance(text, str) else ""


def _read_url(url: str) -> tuple[str, LLMSettings]:
    """Return the address of the API and the settings in its query."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"address must be http://HOST:PORT or https://HOST, got {url!r}")
    if parts.username is not None:
        raise ValueError(f"address must have no password; set {KEY} to the API key")
    settings = {}
    for name, text in urllib.parse.parse_qsl(parts.query, keep_blank_values=True):
        if name not in LLMSettings._fields:
            raise ValueError(unknown_text("setting", name, LLMSettings._fields))
        settings[name] = _read_setting(name, text)
    path = parts.path.rstrip("/") or "/v1"
    return f"{parts.scheme}://{parts.netloc}{path}", LLMSettings(**settings)


def _read_setting(name: str, text: str) -> Any:
    default = LLMSettings._field_defaults[name]
    least = LEAST.get(name, 1)
    if isinstance(default, str):
        if name == "form" and text not in FORMS:
            raise ValueError(f"form must be {choices_text(FORMS)}, got {text!r}")
        return text
    try:
        value = type(default)(text)
    except ValueError:
        value = None
    if value is None or not least <= value <= 1_000_000:
        kind = "an integer" if isinstance(default, int) else "a number"
        raise ValueError(f"{name} must be {kind} from {least} to 1000000, got {text!r}")
    return value


def _find_model(address: str, settings: LLMSettings, url: str) -> str:
    """Return the name of the only model of a server."""
    try:
        listed = _send(f"{address}/models", settings.timeout, None, lambda: None, is_patient=False)
        models = [str(one["id"]) for one in listed["data"]]
    except (OSError, KeyError, TypeError) as error:
        raise ValueError(f"agent 'llm:{url}': {error}. Add ?model=NAME") from None
    if len(models) != 1:
        named = ", ".join(models[:8]) or "none"
        raise ValueError(
            f"agent 'llm:{url}': the server must have one model, got {named}. Add ?model=NAME"
        )
    return models[0]


def _send(
    url: str,
    timeout: float,
    body: dict[str, Any] | None,
    count_retry: Callable[[], None],
    is_patient: bool = True,
) -> dict[str, Any]:
    """Send a request as JSON and return the answer; if patient, repeat it after temporary errors.

    Raises:
        ConnectionError: The server gave no answer, or refused the request.
    """
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    if key := os.environ.get(KEY):
        # Such a header is not sent to another server after a redirect.
        request.add_unredirected_header("Authorization", f"Bearer {key}")
    for wait in (*(WAITS if is_patient else ()), None):
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                result = json.loads(answer.read())
            if isinstance(result, dict):
                return result
            problem = "the answer is no JSON object"
        except urllib.error.HTTPError as error:
            problem = f"HTTP {error.code}: {_first_line(error)}"
            if error.code not in TEMPORARY:
                raise ConnectionError(f"{url}: {problem}") from None
            if wait is not None:
                wait = max(wait, _asked_wait(error))
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
            problem = str(error) or type(error).__name__
        if wait is not None:
            count_retry()
            time.sleep(wait)
    raise ConnectionError(f"{url}: {problem}")


def _first_line(error: urllib.error.HTTPError) -> str:
    """Return the beginning of the text of an error as one line."""
    try:
        return " ".join(error.read(300).decode(errors="replace").split()) or str(error.reason)
    except OSError:
        return str(error.reason)


def _asked_wait(error: urllib.error.HTTPError) -> float:
    """Return the seconds that the server asks to wait; 0 if it asks for none."""
    try:
        return min(float(error.headers.get("Retry-After", 0)), LONGEST_WAIT)
    except ValueError:  # a date
        return 0.0
