"""Checks of state records that a caller passes in.

Kernels do not check states: they use the numbers as indices and iterate over the sets. A record is
therefore accepted only if play can reach it. A game lists the fields that determine all others,
checks their ranges (``find_wrong``), and computes the other fields from them (``derive``). The
result must equal the record byte for byte. `read_states` runs the check and raises ValueError for
an invalid record.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from .batch import Over
from .contract import StateCheck, ViewKernel
from .game import Game
from .kernel.cards import FIRST_CARD
from .kernel.jit import jit
from .legal import fits_actions, has_action, is_empty
from .options import as_record, range_text, shorten
from .rules_table import RulesTable
from .schema import Features
from .type_aliases import CardSet, RulesRecord, RulesRecords, State, States

HEAD_ALLOWED = (
    ("moves", ">= 0"),
    ("steps", ">= 0"),
    ("over", "0 (running), 1 (terminated), 2 (truncated) or, with several seats, 3 (not reported)"),
    ("won", "0 or 1"),
    ("illegal", "a set of seats"),
    ("turn", "the number of a seat"),
    ("legal", "a set of actions that is not empty while the game runs"),
    ("deck", "all cards of the game in any order, followed by zeros"),
)
"""Fields that all games have, and their allowed values."""
(MOVES, STEPS, OVER, WON, ILLEGAL, TURN, LEGAL, DECK) = range(1, len(HEAD_ALLOWED) + 1)
SHOWN, DERIVED = 1000, 1001
"""Further faults: a shown code out of range; a byte that contradicts the other fields."""


@jit
def find_nothing(s: State, rules: RulesRecord) -> int:
    """Return 0, for a game without checks of its own."""
    return 0


@jit
def derive_nothing(s: State, rules: RulesRecord) -> None:
    """Keep all fields except ``over``: a game without a legal action is over."""
    s["over"] = Over.TERMINATED if is_empty(s["legal"]) else Over.RUNNING


@jit
def find_wrong_head(s: State, players: int, actions: int) -> int:
    """Return the number of the first invalid field of `HEAD_ALLOWED`, or 0."""
    if s["moves"] < 0:
        return MOVES
    if s["steps"] < 0:
        return STEPS
    if s["over"] < 0 or s["over"] > (Over.ENDED_BEFORE_TURN if players > 1 else Over.TRUNCATED):
        return OVER
    if s["won"] < 0 or s["won"] > 1:
        return WON
    if s["illegal"] < 0 or s["illegal"] >> players:
        return ILLEGAL
    if s["turn"] < 0 or s["turn"] >= players:
        return TURN
    if not fits_actions(s["legal"], actions):
        return LEGAL
    if is_empty(s["legal"]) and s["over"] == Over.RUNNING:
        return LEGAL
    return 0


@jit
def is_complete_deck(deck: np.ndarray, pack: CardSet, size: int) -> bool:
    """Return whether a deck has each card of the set ``pack`` once or twice, followed by zeros."""
    once = twice = thrice = rest = 0
    outside = False
    for place in range(len(deck)):
        if place < size:
            outside |= deck[place] < FIRST_CARD
            card = 1 << (deck[place] & 63)
            thrice |= twice & card
            twice |= once & card
            once |= card
            outside |= deck[place] > 63
        else:
            rest |= deck[place]
    return once == pack and thrice == 0 and rest == 0 and not outside


@jit
def copy_end(s: State, over: int) -> None:
    """Copy ``over`` of the checked record to the derived state, if play allows the value.

    A game with legal actions may have been truncated, or terminated by an illegal action.
    """
    if s["over"] == Over.RUNNING:
        if over == Over.TRUNCATED or (over == Over.TERMINATED and s["illegal"]):
            s["over"] = over
    elif over == Over.ENDED_BEFORE_TURN:
        s["over"] = over


def make_state_check(
    state: np.dtype,
    features: Features,
    actions: int,
    allowed: Sequence[tuple[str, str]] = (),
    find_wrong: Callable[..., int] = find_nothing,
    derive: Callable[..., None] = derive_nothing,
) -> StateCheck:
    """Build the check of a game's state records.

    Args:
        state: Record of a state.
        features: Schema of the observations.
        actions: Number of actions.
        allowed: The game's own checked fields, with their allowed values as the error message
            states them after "must be".
        find_wrong: Kernel ``(s, rules)`` that returns 1 plus the index in ``allowed`` of the first
            invalid field, or 0. The common fields are already checked.
        derive: Kernel ``(s, rules)`` that writes every field that follows from the others, such as
            ``legal`` and ``over``.
    """
    assert state.fields is not None
    first, high = state.fields["shown"][1], features.high
    head = len(HEAD_ALLOWED)

    @jit
    def check(
        states: States, raw: np.ndarray, records: RulesRecords, players: int, pack: int, size: int
    ) -> tuple[int, int, int]:
        rules, last = records[0], len(states) - 1
        for i in range(last):
            s = states[i]
            wrong = find_wrong_head(s, players, actions)
            if wrong:
                return i, wrong, 0
            if not is_complete_deck(s["deck"], pack, size):
                return i, DECK, 0
            codes = raw[i, first : first + len(high)]
            outside = 0
            for entry in range(len(high)):
                outside |= (codes[entry] < 0) | (codes[entry] > high[entry])
            if outside:
                for entry in range(len(high)):
                    if codes[entry] < 0 or codes[entry] > high[entry]:
                        return i, SHOWN, first + entry
            wrong = find_wrong(s, rules)
            if wrong:
                return i, head + wrong, 0
            states[last] = s
            derive(states[last], rules)
            copy_end(states[last], s["over"])
            differ = 0
            for byte in range(raw.shape[1]):
                differ |= raw[i, byte] ^ raw[last, byte]
            if differ:
                for byte in range(raw.shape[1]):
                    if raw[i, byte] != raw[last, byte]:
                        return i, DERIVED, byte
        return -1, 0, 0

    return StateCheck(check, (*HEAD_ALLOWED, *allowed))


# ---- reading --------------------------------------------------------------------------------


def read_table_states(table: RulesTable, states: Any, n: int) -> np.ndarray:
    """Return checked copies of n states, each by the rules of the table that it shows.

    Raises:
        ValueError: See `read_states`.
    """
    game = table.game
    if not table.has_several:
        return read_states(game, table.only, table.records, states, n)
    _check_shape(game, states, n)
    copies = np.empty(n, f"V{game.state.itemsize}")  # Bytes, as in `read_states`.
    for number, rows in table.split(states):
        part, record = states[rows], table.records[number : number + 1]
        checked = read_states(game, table.rules[number], record, part, len(rows), rows)
        copies[rows] = checked.view(copies.dtype)
    return copies.view(game.state)


def read_states(
    game: Game,
    rules: Any,
    record: np.ndarray,
    states: Any,
    n: int,
    rows: np.ndarray | None = None,
) -> np.ndarray:
    """Return checked copies of n states.

    Args:
        game: The game.
        rules: The rules of all states.
        record: The same rules in the form that kernels take, (1,).
        states: The states, a record array (n,).
        n: Number of states.
        rows: Row numbers for error messages (None: 0, 1 and so on).

    Raises:
        ValueError: ``states`` is not a record array of n states, or play cannot reach one of them.
            The message names the row, the field and its allowed values.
    """
    width = game.state.itemsize
    _check_shape(game, states, n)
    memory = np.empty(n + 1, f"V{width}")  # Bytes, because NumPy copies records field by field.
    memory[:n] = np.asarray(states).view(memory.dtype)
    copies = np.ndarray(n + 1, game.state, memory.data)  # A view would take 5 µs more.
    raw = np.ndarray((n + 1, width), np.int8, memory.data)
    players, pack, size = _describe_deck(game, rules)
    row, wrong, byte = find_state_check(game).check(copies, raw, record, players, pack, size)
    if row >= 0:
        number = row if rows is None else rows[row]
        fault = _describe_fault(game, copies, row, wrong, byte)
        raise ValueError(f"state of {game.title}, row {number}: {fault}")
    return copies[:n]


@cache
def find_state_check(game: Game) -> StateCheck:
    """Return the check of a game's states, by default the check of the common fields."""
    return game.state_check or make_state_check(game.state, game.features, game.actions)


def _check_shape(game: Game, states: Any, n: int) -> None:
    fits = isinstance(states, np.ndarray) and states.shape == (n,) and states.dtype == game.state
    if not fits:
        is_array = isinstance(states, np.ndarray)
        got = f"{states.dtype.name} of shape {states.shape}" if is_array else type(states).__name__
        raise ValueError(
            f"state of {game.title} must be a record array of shape ({n},) with "
            f"{game.state.itemsize} bytes per row, got {got}"
        )


@lru_cache(256)
def _describe_deck(game: Game, rules: Any) -> tuple[int, int, int]:
    """Return the number of players, the set of the card codes of a deck, and its size."""
    pack = game.pack(rules)
    return game.num_players(rules), sum(1 << card for card in set(pack)), len(pack)


def _describe_fault(game: Game, states: np.ndarray, row: int, wrong: int, byte: int) -> str:
    """Return the fault as an error message: field, allowed values and value."""
    if wrong not in (SHOWN, DERIVED):
        field, allowed = find_state_check(game).allowed[wrong - 1]
        value: Any = states[row]
        for part in field.split("."):
            value = value[part]
        return f"{field} must be {allowed}, got {shorten(value.tolist())}"
    field, kind, start = field_at(game.state, byte)
    value, other = (_read_number(states, i, kind, start) for i in (row, -1))
    if wrong == SHOWN:
        assert game.state.fields is not None
        entry = byte - game.state.fields["shown"][1]
        return f"{field} must be {range_text(0, game.features.high[entry])}, got {value}"
    return f"{field} must be {other} to match the other fields, got {value}"


def _read_number(states: np.ndarray, row: int, kind: np.dtype, start: int) -> Any:
    return np.frombuffer(states[row].tobytes(), kind, 1, start)[0].item()


def field_at(record: np.dtype, byte: int) -> tuple[str, np.dtype, int]:
    """Return the field of a record that contains a byte: its name, dtype and first byte."""
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


# ---- checks by replaying a hand -------------------------------------------------------------


class Hand(NamedTuple):
    """Parts of a game that `make_history_check` needs to replay hands."""

    state: np.dtype[Any]
    features: Features
    actions: int
    longest: int
    """Largest number of actions in a hand; the length of the history."""
    deal: Callable[[State, RulesRecord], None]
    step: Callable[[State, RulesRecord, int], None]
    view: ViewKernel
    is_dealt_again: Callable[[State, RulesRecord], bool]


def make_history_check(hand: Hand) -> StateCheck:
    """Build the check for a game whose deck, dealer and history determine all other fields.

    The check replays the hand from these fields, up to the first illegal action.
    """
    longest, actions, is_dealt_again = hand.longest, hand.actions, hand.is_dealt_again
    deal, step, view = hand.deal, hand.step, hand.view
    allowed = (
        ("dealer", "the number of a seat"),
        ("viewer", "the number of a seat"),
        ("moves", range_text(0, longest)),
        ("deck", "a deck that the rules do not redeal"),
    )
    dealer, viewer, moves, deck = range(1, len(allowed) + 1)

    @jit
    def find_wrong(s: State, rules: RulesRecord) -> int:
        if s["dealer"] < 0 or s["dealer"] >= rules.players:
            return dealer
        if s["viewer"] < 0 or s["viewer"] >= rules.players:
            return viewer
        if s["moves"] > longest:
            return moves
        return deck if is_dealt_again(s, rules) else 0

    @jit
    def derive(s: State, rules: RulesRecord) -> None:
        count, seat = s["moves"], s["viewer"]
        history = np.empty(longest, np.int64)
        for n in range(longest):
            history[n] = s["history"][n] - 1
        s["moves"] = 0
        s["score"] = 0
        s["over"] = Over.RUNNING
        s["won"] = 0
        deal(s, rules)
        for n in range(count):
            action = history[n]
            if s["over"] or action < 0 or action >= actions or not has_action(s["legal"], action):
                return
            step(s, rules, action)
        view(s, rules, seat)

    return make_state_check(hand.state, hand.features, actions, allowed, find_wrong, derive)


def make_deck_check(hand: Hand, why: str) -> Callable[[np.ndarray, Any], None]:
    """Build ``check(deck, rules)``, which raises ValueError for a deck that the rules redeal.

    Args:
        hand: The parts of the game.
        why: The condition for a redeal, which the error message states.
    """

    def check_deck(deck: np.ndarray, rules: Any) -> None:
        states = np.zeros(1, hand.state)
        states["deck"][0, : len(deck)] = deck
        if hand.is_dealt_again(states[0], as_record(rules)[0]):
            raise ValueError(f"deck must not be one that the rules redeal: {why}")

    return check_deck
