"""Seven Twenty-Seven with explicit chance events: a hand card by card, on top of the same kernel.

The kernel deals from a deck that is already shuffled. This module can walk through every possible
hand: at each point it lists the possible outcomes with their numbers of ways, and applies one of
them. Chance chooses the dealer, each dealt card, and the card taken after DRAW. A card is
identified by its class, since nothing else about it matters. To choose a card, the module swaps a
card of the class to the position from which the kernel takes it. The rules stay in the kernel.

The module also defines the observation of each event by each seat. The information state of a seat
is the sequence of its observations.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.batch import DealSource
from ...core.kernel.jit import jit, plain_python
from ...core.options import as_record
from ...core.type_aliases import RulesRecord, RulesRecords, Seat, State, States
from .kernel import kernels, most_bet_rounds, most_draws
from .rules import (
    ACTIONS,
    CLASSES,
    DECLARE,
    DRAW,
    FACE,
    FOLD,
    LABELS,
    LEVELS,
    SEATS,
    STATE,
    Declare,
    Phase,
    Rules,
    pack,
)
from .showdown import class_of

_most_bet_rounds, _most_draws = plain_python(most_bet_rounds), plain_python(most_draws)

DEALER, PLAY, DRAWING = -1, 100, 101
"""Stages of a hand: chance chooses the dealer; a seat acts or the hand is over; chance chooses the
card that a seat takes.

Stages from 0 on are the cards of the deal."""
WIDTH = max(ACTIONS, CLASSES, SEATS)
"""Upper bound of outcome and action numbers."""
CHANCE, END = -1, -2
"""Values of the current player that are not seats."""

EVENTS = 64
"""A seat observes ``EVENTS * live + event``, where ``live`` is the set of seats still in."""
REVEALED = EVENTS << SEATS
"""Offset of all declarations, two bits for each seat, if they become public together."""
SEEN_LIMIT = REVEALED << 2 * SEATS
"""Upper bound of the number that a seat observes for an event."""
SAYS_ACTION = 1 + SEATS
SAYS_SOMETHING = SAYS_ACTION + ACTIONS
SEES_BACK = SAYS_SOMETHING + 1
SEES_CARD = SEES_BACK + 1
WORDS = (
    "",
    *(f"dealer{seat}" for seat in range(SEATS)),
    *("f", "c", *(f"b{level}" for level in range(LEVELS)), "+", "-", "=7", "=27", "=both"),
    *("=?", "?"),
    *("A", *map(str, range(2, FACE + 1)), "F"),
)
"""Short words for events: actions f c b0 + - =7 …; taken cards A 2 … 10 F, or ? if face down."""
CARDS = ("ace", *map(str, range(2, FACE + 1)), "face")
"""The classes of cards."""

assert len(WORDS) == SEES_CARD + CLASSES and len(LABELS) == ACTIONS


@jit
def chance_place(s: State, stage: int) -> int:
    """Return the deck position of the card that chance chooses next."""
    return s["next"] if stage == DRAWING else stage


@jit
def write_ways(s: State, stage: int, players: int, counts: np.ndarray) -> None:
    """Write the number of ways in which each outcome can occur. A legal action counts as 1."""
    for outcome in range(WIDTH):
        counts[outcome] = 0
    if stage == DEALER:
        for seat in range(players):
            counts[seat] = 1
    elif stage == PLAY:
        for action in range(ACTIONS):
            counts[action] = (s["legal"] >> action) & 1
    else:
        for place in range(chance_place(s, stage), s["size"]):
            counts[class_of(s["deck"][place])] += 1


@jit
def swap_into_place(s: State, place: int, kind: int) -> None:
    """Swap the first undealt card of a class to a deck position."""
    other = place
    while class_of(s["deck"][other]) != kind:
        other += 1
    card = s["deck"][place]
    s["deck"][place] = s["deck"][other]
    s["deck"][other] = card


@jit
def apply_outcome(s: State, stage: int, rules: RulesRecord, outcome: int) -> int:
    """Apply an outcome or an action of the seat to act, and return the next stage."""
    if stage == PLAY:
        if outcome == DRAW:
            return DRAWING
        kernels.step(s, rules, outcome)
        return PLAY
    if stage == DEALER:
        s["dealer"] = outcome
        return 0
    swap_into_place(s, chance_place(s, stage), outcome)
    if stage == DRAWING:
        kernels.step(s, rules, DRAW)
        return PLAY
    if stage + 1 < rules.players * (1 + rules.start_down):
        return stage + 1
    kernels.begin(s, rules, DealSource.DECK)
    return PLAY


@jit
def observe_event(s: State, stage: int, rules: RulesRecord, outcome: int, seat: Seat) -> int:
    """Return the observation of an outcome by a seat, before the outcome is applied."""
    if stage == PLAY:
        is_secret = outcome >= DECLARE and rules.declare == Declare.SIMULTANEOUS
        return SAYS_SOMETHING if is_secret and s["turn"] != seat else SAYS_ACTION + outcome
    if stage == DEALER:
        return 1 + outcome
    if stage == DRAWING:
        face_up, owner = rules.draw_up, s["turn"]
    else:
        face_up, owner = stage < rules.players, (s["dealer"] + 1 + stage) % rules.players
    return SEES_CARD + outcome if face_up or owner == seat else SEES_BACK


@jit
def all_declarations(s: State) -> int:
    """Return the declarations of all seats, two bits for each seat."""
    declarations = 0
    for seat in range(SEATS):
        declarations |= s["said"][seat] << (2 * seat)
    return declarations


@jit
def count_ways(states: States, stages: np.ndarray, table: RulesRecords, counts: np.ndarray) -> None:
    """Write the numbers of ways of each row, int8 (n, `WIDTH`); all 0 if the hand is over."""
    for i in range(len(states)):
        write_ways(states[i], stages[i], table[0]["players"], counts[i])


@jit
def apply_outcomes(
    states: States, stages: np.ndarray, table: RulesRecords, outcomes: np.ndarray, seen: np.ndarray
) -> None:
    """Apply an outcome to each row, and write the observation of each seat.

    Args:
        states: The states, (n,).
        stages: The stages, int8 (n,), which are replaced by the next stages.
        table: The rules, (1,).
        outcomes: The outcomes, int64 (n,).
        seen: Receives the observed events, int64 (n, players).
    """
    rules = table[0]
    for i in range(len(states)):
        s, stage = states[i], stages[i]
        for seat in range(rules.players):
            seen[i, seat] = observe_event(s, stage, rules, outcomes[i], seat)
        declaring = stage == PLAY and s["phase"] == Phase.DECLARING
        stages[i] = apply_outcome(s, stage, rules, outcomes[i])
        if declaring and rules.declare == Declare.SIMULTANEOUS and s["phase"] == Phase.AFTER_BET:
            for seat in range(rules.players):
                seen[i, seat] += REVEALED * all_declarations(s)
        live = s["live"] if stages[i] >= PLAY else (1 << rules.players) - 1
        for seat in range(rules.players):
            seen[i, seat] += EVENTS * live


def initial_states(rules: Rules, dealer: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the state and the stage at the beginning of a hand, each an array of one row.

    With ``dealer``, this seat is the dealer. Otherwise chance chooses the dealer. Raises ValueError
    for a seat that does not exist.
    """
    if dealer is not None and not 0 <= dealer < rules.players:
        raise ValueError(f"dealer must be a seat from 0 to {rules.players - 1}, got {dealer}")
    states = np.zeros(1, STATE)
    cards = pack(rules)
    states["deck"][0, : len(cards)] = cards
    states["size"] = len(cards)
    if dealer is not None:
        states["dealer"] = dealer
    return states, np.array([DEALER if dealer is None else 0], np.int8)


class ExplicitHand:
    """One hand with explicit chance events. Copies (`copy`) are cheap.

    ``states`` and ``stages`` are arrays of one row for the kernels. ``table`` has the rules as made
    by `options.as_record`. ``events`` has the observations of all seats, one tuple for each event.
    """

    __slots__ = ("_bytes", "_can", "events", "rules", "stages", "states", "table")

    def __init__(self, rules: Rules, dealer: int | None = None) -> None:
        self.rules, self.table = rules, as_record(rules)
        states, self.stages = initial_states(rules, dealer)
        self._hold(bytearray(states.tobytes()))
        self.events: list[tuple[int, ...]] = []
        self._can: dict[int, int] | None = None

    def _hold(self, data: bytearray) -> None:
        # NumPy copies a record field by field, which takes 55 µs. Copying its bytes takes 0.4 µs.
        self._bytes, self.states = data, np.frombuffer(data, STATE)

    def copy(self) -> "ExplicitHand":
        """Return an independent copy."""
        copied = object.__new__(ExplicitHand)
        copied.rules, copied.table = self.rules, self.table
        copied._hold(bytearray(self._bytes))
        copied.stages = self.stages.copy()
        copied.events, copied._can = self.events.copy(), self._can
        return copied

    def __copy__(self) -> "ExplicitHand":
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> "ExplicitHand":
        return self.copy()

    @property
    def is_dealt(self) -> bool:
        """Whether all seats have their first cards. Before that, the record is not meaningful."""
        return bool(self.stages[0] >= PLAY)

    @property
    def current_player(self) -> int:
        """The seat to act, `CHANCE`, or `END`."""
        if self.stages[0] != PLAY:
            return CHANCE
        return END if self.states["over"][0] else int(self.states["turn"][0])

    def outcome_ways(self) -> dict[int, int]:
        """Return the possible outcomes or legal actions, and the number of ways of each."""
        if self._can is None:
            counts = np.zeros((1, WIDTH), np.int8)
            count_ways(self.states, self.stages, self.table, counts)
            self._can = {outcome: n for outcome, n in enumerate(counts[0].tolist()) if n}
        return self._can

    def apply_outcome(self, outcome: int) -> None:
        """Apply a possible outcome or a legal action of the seat to act, or raise ValueError."""
        if outcome not in (can := self.outcome_ways()):
            raise ValueError(
                f"outcome must be one of {', '.join(map(str, can)) or 'none'}, got {outcome}"
            )
        seen = np.zeros((1, self.rules.players), np.int64)
        apply_outcomes(self.states, self.stages, self.table, np.array([outcome], np.int64), seen)
        self.events.append(tuple(seen[0].tolist()))
        self._can = None

    def label(self, outcome: int) -> str:
        """Return the name of an outcome or action at this point, or raise ValueError."""
        names = CARDS
        if self.stages[0] == PLAY:
            names = LABELS
        elif self.stages[0] == DEALER:
            names = tuple(map(str, range(self.rules.players)))
        if not 0 <= outcome < len(names):
            raise ValueError(f"outcome must be from 0 to {len(names) - 1}, got {outcome}")
        prefix = {PLAY: "", DEALER: "dealer "}.get(int(self.stages[0]), "card ")
        return prefix + names[outcome]

    def observation_codes(self) -> np.ndarray:
        """Return a view of the observation pieces of the record, int8 (width,)."""
        assert STATE.fields is not None
        dtype, start = STATE.fields["shown"][:2]
        return np.frombuffer(self._bytes, np.int8, dtype.itemsize, start)

    def returns(self) -> list[float]:
        """Return the net of each seat in antes; zeros before the end."""
        nets = self.states["net"][0, : self.rules.players] / self.rules.ante
        return (nets * (self.current_player == END)).tolist()

    def information_state_string(self, seat: int) -> str:
        """Return text with all that a seat has observed and done, unique for each sequence."""
        return events_text(seat, [event[seat] for event in self.events])


def events_text(seat: int, events: Sequence[int]) -> str:
    """Return text with a seat's number and its observations in `WORDS`. ``!2``: seat 2 busts.

    Declarations that become public together follow in the order of the seats: 0 for none, 1 for 7.
    """
    words = [f"seat{seat}"]
    before = events[0] % REVEALED // EVENTS if events else 0
    for seen in events:
        revealed, event = divmod(seen, REVEALED)
        live, kind = divmod(event, EVENTS)
        words.append(WORDS[kind])
        if revealed:
            words.append("".join(str(revealed >> 2 * seat & 3) for seat in range(SEATS)))
        if kind != SAYS_ACTION + FOLD:
            words += [f"!{other}" for other in range(SEATS) if (before & ~live) >> other & 1]
        before = live
    return " ".join(words)


def game_limits(rules: Rules) -> tuple[int, int]:
    """Return the maximum number of actions in a hand, and of chips that a seat can pay."""
    bets, asks = _most_bet_rounds(rules), 2 + _most_draws(rules)
    raises, steps = 1 + rules.max_raises, 1
    while rules.any_amount and LEVELS**steps < rules.max_bet - rules.min_bet + 1:
        steps += 1
    actions = asks + bets * (1 + raises * steps) + (rules.declare != Declare.CARDS_SPEAK)
    return rules.players * actions, rules.ante + bets * raises * rules.max_bet
