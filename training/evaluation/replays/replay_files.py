"""Files of replays: JSON lines with one game per line, written as games end.

A line has ``format``, ``parlour`` (the version), ``game``, ``variant``, ``options`` that differ
from the variant's, and ``rules`` (their digest). The deal is ``deal_set`` and ``deal`` (with
``hand`` if it is not the first), or ``deck`` and ``rng``; ``dealer`` if a seat deals. ``agents``
and ``actions`` cover all seats; ``end`` and ``result`` follow. Lines are appended whole. A killed
process leaves at most its last line incomplete, which readers skip.
"""

import json
import os
import warnings
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from parlour import __version__
from parlour.agents.validation import (
    TEXT,
    YES_OR_NO,
    Field,
    check_fields,
    check_known,
    decode_text,
    join_lines,
    maybe,
    parse_json,
    whole,
)
from parlour.envs import Game, find_game
from parlour.envs.core.kernel.cards import card_name, parse_deck
from parlour.envs.core.options import to_plain

from .replay import ENDS, Replay

FORMAT = 1
MOST_BYTES = 1 << 20
"""Most bytes of one line."""
MOST_ACTIONS, MOST_SEATS, MOST_HANDS, MOST_FACTS = 1 << 17, 64, 100_000, 64
LARGEST = 2**62

FIELDS = {
    "format": Field(f"{FORMAT}", lambda value: value == FORMAT),
    "parlour": TEXT,
    "game": TEXT,
    "variant": TEXT,
    "options": Field("a dict", lambda value: isinstance(value, dict), optional=True),
    "rules": TEXT,
    "deal_set": maybe(TEXT),
    "deal": maybe(whole(0, LARGEST)),
    "hand": maybe(whole(0, MOST_HANDS)),
    "deck": maybe(Field("a text of cards", lambda value: isinstance(value, str))),
    "rng": maybe(Field("16 hex digits", lambda value: _is_hex(value))),
    "dealer": maybe(whole(0, MOST_SEATS - 1)),
    "agents": Field("a list of names", lambda value: _is_names(value, MOST_SEATS)),
    "actions": Field("a list of integers", lambda value: _is_list(value, int, MOST_ACTIONS)),
    "end": Field(f"one of {', '.join(ENDS)}", lambda value: value in ENDS),
    "result": Field(
        "a dict by names", lambda value: isinstance(value, dict) and _is_names([*value])
    ),
    "taken_back": YES_OR_NO._replace(optional=True),
}


def _is_list(value: Any, kind: type, most: int) -> bool:
    return isinstance(value, list) and len(value) <= most and set(map(type, value)) <= {kind}


def _is_names(value: Any, most: int = MOST_FACTS) -> bool:
    return _is_list(value, str, most) and all(map(TEXT.fits, value))


def _is_hex(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 16 and set(value) <= set("0123456789abcdef")


def append_replays(path: Path, replays: Iterable[Replay]) -> None:
    """Append games to a file in one write. Raises OSError if that fails."""
    append_lines(path, "".join(replay_line(one) for one in replays).encode())


def append_lines(path: Path, lines: bytes) -> None:
    """Append lines to a file, which is created if it is missing. Raises OSError if that fails."""
    left = memoryview(lines)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        while left:
            left = left[os.write(handle, left) :]
    finally:
        os.close(handle)


def replay_line(replay: Replay) -> str:
    """Return the line of a game, including the newline."""
    fields = {
        "format": FORMAT,
        **_rules_fields(replay.game, replay.rules, replay.variant, replay.parlour),
        "deal_set": replay.deal_set,
        "deal": replay.deal,
        "hand": replay.hand or None,
        "deck": None if replay.deck is None else " ".join(map(card_name, replay.deck)),
        "rng": None if replay.rng is None else f"{replay.rng:016x}",
        "dealer": replay.dealer,
        "agents": replay.agents,
        "actions": replay.actions,
        "end": replay.end,
        "result": replay.result,
        "taken_back": replay.taken_back or None,
    }
    present = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(present, separators=(",", ":")) + "\n"


@lru_cache(256)  # a digest takes longer than a short game
def _rules_fields(game: Game, rules: Any, variant: str, parlour: str) -> dict[str, Any]:
    """Return the fields of the rules, with the options that differ from the variant."""
    defaults = to_plain(game.variants[variant])
    changed = {name: value for name, value in to_plain(rules).items() if value != defaults[name]}
    return {
        "parlour": parlour or __version__,
        "game": game.name,
        "variant": variant,
        "options": changed or None,
        "rules": game.rules_digest(rules),
    }


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=4)


def load_replays(path: Path | str) -> list[Replay]:
    """Load the games of a replay file.

    An incomplete last line, as from a killed process, is skipped with a warning.

    Args:
        path: The file.

    Returns:
        The replays, in the order of the file.

    Raises:
        ValueError: A line is invalid; the message names file, line, and field.
        OSError: The file cannot be read.
    """
    return list(iterate_replays(Path(path)))


def iterate_replays(path: Path, notify: Callable[[str], None] = _warn) -> Iterator[Replay]:
    """Yield the games of a file one by one; see `load_replays`.

    ``notify`` is called with a message if the last line is incomplete.
    """
    with path.open("rb") as file:
        number, game = 0, 0
        while line := file.readline(MOST_BYTES + 1):
            number += 1
            if not line.removeprefix(BOM_UTF8).strip():
                continue
            if not line.endswith(b"\n") and len(line) <= MOST_BYTES and not _is_json(line):
                notify(f"{path}: line {number}, the last, is incomplete and was skipped")
                return
            game += 1
            try:
                yield parse_replay(line, game)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"{path}: line {number}: {join_lines(error)}") from error


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def parse_replay(line: bytes | str, number: int = 0) -> Replay:
    """Return the game of a line, with its number in the file.

    The game is not played; `replay.verify_replays` does that. Raises ValueError naming the field,
    its value, and the allowed values.
    """
    if len(line) > MOST_BYTES:
        raise ValueError(f"a line must have at most {MOST_BYTES:,} bytes")
    fields = parse_json(decode_text(line) if isinstance(line, bytes) else line)
    if not isinstance(fields, dict):
        raise ValueError("a line must be a JSON object")
    check_fields(fields, FIELDS)
    check_known(fields, FIELDS)
    options = json.dumps(fields.get("options", {}), sort_keys=True)
    game, rules, digest = _read_rules(fields["game"], fields["variant"], options)
    if fields["rules"] != digest:
        raise ValueError(
            f"field rules must be {digest}, got {fields['rules']}: another version of {game.title} "
            "recorded the game, or the rules were changed"
        )
    _check_play(game, rules, fields)
    _check_start(fields)
    rng, deck = fields.get("rng"), fields.get("deck")
    return Replay(
        game,
        rules,
        fields["variant"],
        tuple(fields["agents"]),
        tuple(fields["actions"]),
        fields["result"],
        fields["end"],
        fields.get("deal_set"),
        fields.get("deal"),
        fields.get("hand") or 0,
        fields.get("dealer"),
        None if deck is None else tuple(parse_deck(deck, game.pack(rules)).tolist()),
        None if rng is None else int(rng, 16),
        fields.get("taken_back", False),
        fields["parlour"],
        number,
    )


@lru_cache(256)
def _read_rules(name: str, variant: str, options: str) -> tuple[Game, Any, str]:
    """Return the game, the rules, and their digest."""
    game = find_game(name)
    rules = game.make_rules(variant, json.loads(options))
    return game, rules, game.rules_digest(rules)


def _check_play(game: Game, rules: Any, fields: dict[str, Any]) -> None:
    players = game.num_players(rules)
    if len(fields["agents"]) != players:
        raise ValueError(f"field agents must have {players} names, got {len(fields['agents'])}")
    if fields.get("dealer") is not None and not (game.has_dealer and fields["dealer"] < players):
        raise ValueError(
            f"field dealer must be a seat below {players}, or null in a game without a dealer, got "
            f"{fields['dealer']}"
        )
    for action in fields["actions"]:
        if not 0 <= action < game.actions:
            raise ValueError(
                f"field actions must have numbers from 0 to {game.actions - 1}, got {action}"
            )


def _check_start(fields: dict[str, Any]) -> None:
    """Raise ValueError unless a line has exactly one description of the deal."""
    given = {name for name in ("deal_set", "deal", "deck", "rng") if fields.get(name) is not None}
    if given not in ({"deal_set", "deal"}, {"deck", "rng"}):
        raise ValueError(
            "fields of the deal must be deal_set and deal, or deck and rng, got "
            f"{', '.join(sorted(given)) or 'none of them'}"
        )
