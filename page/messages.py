"""Messages from a browser: JSON objects whose field ``do`` names a command.

Every field is checked before it is used. A `Refusal` names the invalid field, its value and the
allowed values.
"""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from parlour.envs import GAMES
from parlour.envs.core.legal import MOST_ACTIONS
from parlour.envs.core.options import shorten

LONGEST = 16_384
"""Maximum length of a message in characters."""
LARGEST = 2**53
"""The largest integer that JavaScript represents exactly."""
MOST_OPTIONS, MOST_OPPONENTS = 64, 15
SESSION = re.compile(r"[0-9a-f]{32}")


class Refusal(ValueError):
    """An invalid message: the ``field``, its ``value`` as text, and the ``allowed`` values."""

    def __init__(self, field: str, value: Any, allowed: str) -> None:
        name = field if _is_text(field) else shorten(field)  # an unknown field may have any name
        self.field, self.value, self.allowed = name, shorten(value), allowed
        super().__init__(f"{name} must be {allowed}, got {self.value}")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer to the message."""
        facts = {"field": self.field, "value": self.value, "allowed": self.allowed}
        return {"kind": "refused", "text": str(self), **facts}


class Field(NamedTuple):
    """One field of a message."""

    fits: Callable[[Any], bool]
    allowed: str
    default: Any = ...
    """Value of a missing field; ``...`` means that the field is required."""


def _whole(first: int, last: int, default: Any = ...) -> Field:
    def fits(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and first <= value <= last

    return Field(fits, f"an integer from {first} to {last}", default)


def _is_text(value: Any, longest: int = 80) -> bool:
    return isinstance(value, str) and 0 < len(value) <= longest and value.isprintable()


def _is_options(value: Any) -> bool:
    if not isinstance(value, dict) or len(value) > MOST_OPTIONS:
        return False
    return all(_is_text(name) and _is_text(option, 200) for name, option in value.items())


def _is_opponents(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MOST_OPPONENTS and all(map(_is_text, value))


def _or_none(field: Field) -> Field:
    def fits(value: Any) -> bool:
        return value is None or field.fits(value)

    return Field(fits, f"{field.allowed}, or null", None)


TEXT = Field(_is_text, "1–80 printable characters")
ACTION = _whole(0, MOST_ACTIONS - 1)
GAME = Field(lambda v: isinstance(v, str) and v in GAMES, f"one of {', '.join(GAMES)}")
OPTIONS = Field(_is_options, f"at most {MOST_OPTIONS} options, as strings by name", {})
SESSION_ID = Field(
    lambda v: isinstance(v, str) and bool(SESSION.fullmatch(v)), "32 hexadecimal digits"
)
MESSAGES: dict[str, dict[str, Field]] = {
    "hello": {"session": _or_none(SESSION_ID)},
    "new": {
        "game": GAME,
        "variant": _or_none(TEXT),
        "options": OPTIONS,
        "deal": _or_none(_whole(0, LARGEST)),
        "winnable": Field(lambda v: isinstance(v, bool), "true or false", False),
        "seat": _or_none(_whole(0, MOST_OPPONENTS)),
        "opponents": Field(_is_opponents, f"at most {MOST_OPPONENTS} agent names", []),
    },
    "rules": {
        "game": GAME,
        "variant": _or_none(TEXT),
        "options": OPTIONS,
    },
    "click": {"action": ACTION, "start": _or_none(ACTION)},
    "why": {"item": TEXT, "onto": _or_none(TEXT)},
    "take_back": {},
    "restart": {},
    "next_hand": {},
    "review": {},
    "replay": {"number": _whole(0, LARGEST)},
    "advise": {"agent": TEXT},
    "agent_move": {"agent": TEXT},
}
"""The other fields of each message, by ``do``. `Session` checks values that depend on the game."""


def read_message(text: str) -> tuple[str, dict[str, Any]]:
    """Return the command of a message and its other fields. Raises Refusal."""
    if len(text) > LONGEST:
        raise Refusal("message", f"{len(text)} characters", f"at most {LONGEST} characters")
    try:
        message = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Refusal("message", text, "a JSON object") from None
    if not isinstance(message, dict):
        raise Refusal("message", message, "a JSON object")
    do = message.pop("do", None)
    if not isinstance(do, str) or do not in MESSAGES:
        raise Refusal("do", do, f"one of {', '.join(MESSAGES)}")
    return do, _read_fields(MESSAGES[do], message)


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _read_fields(fields: dict[str, Field], values: dict[str, Any]) -> dict[str, Any]:
    for name, value in values.items():
        if name not in fields:
            raise Refusal(name, value, f"one of the fields {', '.join(('do', *fields))}")
    for name, field in fields.items():
        if name not in values and field.default is ...:
            raise Refusal(name, None, field.allowed)
        if name in values and not field.fits(values[name]):
            raise Refusal(name, values[name], field.allowed)
    return {name: values.get(name, field.default) for name, field in fields.items()}
