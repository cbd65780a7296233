"""Records of states that come from outside: read, checked, or refused in one line."""

from functools import lru_cache
from typing import Any

import numpy as np

from .checks import DERIVED, SHOWN
from .game import Game
from .options import one_line
from .rules_table import RulesTable


def read_table_states(table: RulesTable, states: Any, n: int) -> np.ndarray:
    """Do as `read_states` does, each state by those rules of a table that it shows."""
    game = table.game
    if not table.has_several:
        return read_states(game, table.only, table.records, states, n)
    _check_shape(game, states, n)
    found = np.empty(n, f"V{game.state.itemsize}")  # as bytes, as below
    for number, places in table.split(states):
        own, records = states[places], table.records[number : number + 1]
        sound = read_states(game, table.rules[number], records, own, len(places), places)
        found[places] = sound.view(found.dtype)
    return found.view(game.state)


def read_states(
    game: Game,
    rules: Any,
    table: np.ndarray,
    states: Any,
    n: int,
    places: np.ndarray | None = None,
) -> np.ndarray:
    """Return copies of n states that may be played on by these rules, the given ones.

    ``table`` has the rules as kernels take them; errors call the rows by ``places``, (n,) (None: 0,
    1 and so on). Raises ValueError for anything but a record array of n states, and for a record
    that no play makes: naming row, field and what is allowed.
    """
    width = game.state.itemsize
    _check_shape(game, states, n)
    room = np.empty(n + 1, f"V{width}")  # as bytes: NumPy copies records field by field
    room[:n] = np.asarray(states).view(room.dtype)
    made = np.ndarray(n + 1, game.state, room.data)  # a view of another record takes 5 µs more
    raw = np.ndarray((n + 1, width), np.int8, room.data)
    players, pack, size = _facts(game, rules)
    row, wrong, byte = game.full_state_check.check(made, raw, table, players, pack, size)
    if row >= 0:
        named = row if places is None else places[row]
        said = _said(game, made, row, wrong, byte)
        raise ValueError(f"state of {game.title}, row {named}: {said}")
    return made[:n]


def _check_shape(game: Game, states: Any, n: int) -> None:
    fits = isinstance(states, np.ndarray) and states.shape == (n,) and states.dtype == game.state
    if not fits:
        is_array = isinstance(states, np.ndarray)
        got = f"{states.shape} of {states.dtype.name}" if is_array else type(states).__name__
        raise ValueError(
            f"a state of {game.title} is a record array ({n},) of {game.state.itemsize} bytes a "
            f"row; got {got}"
        )


@lru_cache(256)
def _facts(game: Game, rules: Any) -> tuple[int, int, int]:
    """How many play by these rules; the set of the codes of a deck, and how many cards it has."""
    pack = game.pack(rules)
    return game.num_players(rules), sum(1 << card for card in set(pack)), len(pack)


def _said(game: Game, made: np.ndarray, row: int, wrong: int, byte: int) -> str:
    """Name a wrong field, its value and what is allowed."""
    if wrong not in (SHOWN, DERIVED):
        field, allowed = game.full_state_check.allowed[wrong - 1]
        value: Any = made[row]
        for part in field.split("."):
            value = value[part]
        return f"{field}={one_line(value.tolist())}: allowed is {allowed}"
    field, kind, start = field_at(game.state, byte)
    value, other = (_number(made, i, kind, start) for i in (row, -1))
    if wrong == SHOWN:
        assert game.state.fields is not None
        entry = byte - game.state.fields["shown"][1]
        return f"{field}={value}: allowed is 0 to {game.features.high[entry]}"
    return f"{field}={value}: allowed is {other}, as the other fields have it"


def _number(made: np.ndarray, row: int, kind: np.dtype, start: int) -> Any:
    return np.frombuffer(made[row].tobytes(), kind, 1, start)[0].item()


def field_at(record: np.dtype, byte: int) -> tuple[str, np.dtype, int]:
    """Return the field of a record in which a byte lies: its name, its type, where it begins."""
    name, start = "", 0
    while record.fields is not None:
        field, entry = next(
            (field, entry)
            for field, entry in record.fields.items()
            if 0 <= byte - start - entry[1] < entry[0].itemsize
        )
        record, start = entry[0], start + entry[1]
        name += f".{field}" if name else field
        if record.shape:
            place = (byte - start) // record.base.itemsize
            name += str([int(i) for i in np.unravel_index(place, record.shape)]).replace(", ", "][")
            record, start = record.base, start + place * record.base.itemsize
    return name, record, start
