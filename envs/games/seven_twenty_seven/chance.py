"""Seven Twenty-Seven with its chance made explicit: a hand card by card, over the same kernel.

The kernel deals from a deck that lies ready. Who wants to walk through all that may happen asks
here, at each point of a hand, what can come next and how likely, and lets it happen: the dealer is
chosen, the cards are dealt one by one, and after DRAW the card is chosen that is taken. A card is
known by its class, since nothing else of it counts. To choose a card is to swap one of that class
to where the kernel will take it from; what is played stays the kernel's business.

It is also said what each seat sees of an event: the sequence of it is all that a seat has seen and
done, its information state.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.aliases import RulesRecord, RulesRecords, Seat, State, States
from ...core.batch import DealSource
from ...core.kernel.jit import jit, plain_python
from ...core.options import as_record
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
    Declare,
    Phase,
    Rules,
    pack,
)
from .state import STATE
from .totals import class_of

_most_bet_rounds, _most_draws = plain_python(most_bet_rounds), plain_python(most_draws)

DEALER, PLAY, DRAWING = -1, 100, 101
"""Stages of a hand: the dealer is chosen; a seat acts, or nobody any more; a card is taken.

The stages from 0 on stand for the cards of the deal."""
WIDTH = max(ACTIONS, CLASSES, SEATS)
"""Outcomes and actions are below this."""
CHANCE, END = -1, -2
"""Who acts where no seat does."""

EVENTS = 64
"""What a seat sees of an event: ``EVENTS * live + event``, ``live`` the set of seats still in."""
REVEALED = EVENTS << SEATS
"""Above that stands what all have declared, two bits a seat, when it becomes public at once."""
SEEN_LIMIT = REVEALED << 2 * SEATS
"""What a seat sees of an event is below this."""
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
"""Events in short: actions f c b0 + - =7 …, a card taken as A 2 … 10 F, or ? from behind."""
CARDS = ("ace", *map(str, range(2, FACE + 1)), "face")
"""The classes of cards."""

assert len(WORDS) == SEES_CARD + CLASSES and len(LABELS) == ACTIONS


@jit
def chance_place(s: State, stage: int) -> int:
    """The deck position of the card that chance is about to choose."""
    return s["next"] if stage == DRAWING else stage


@jit
def write_ways(s: State, stage: int, players: int, counts: np.ndarray) -> None:
    """Count the ways in which each outcome can come; a legal action counts 1."""
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
    """Swap the first card of a class that has not been dealt to a position of the deck."""
    other = place
    while class_of(s["deck"][other]) != kind:
        other += 1
    card = s["deck"][place]
    s["deck"][place] = s["deck"][other]
    s["deck"][other] = card


@jit
def apply_outcome(s: State, stage: int, rules: RulesRecord, outcome: int) -> int:
    """Let an outcome come, or the seat whose turn it is act; return the next stage."""
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
    """What a seat is about to see of an outcome."""
    if stage == PLAY:
        secret = outcome >= DECLARE and rules.declare == Declare.SIMULTANEOUS
        return SAYS_SOMETHING if secret and s["turn"] != seat else SAYS_ACTION + outcome
    if stage == DEALER:
        return 1 + outcome
    if stage == DRAWING:
        face_up, owner = rules.draw_up, s["turn"]
    else:
        face_up, owner = stage < rules.players, (s["dealer"] + 1 + stage) % rules.players
    return SEES_CARD + outcome if face_up or owner == seat else SEES_BACK


@jit
def all_said(s: State) -> int:
    """What all seats have declared, two bits a seat."""
    found = 0
    for seat in range(SEATS):
        found |= s["said"][seat] << (2 * seat)
    return found


@jit
def count_ways(states: States, stages: np.ndarray, table: RulesRecords, counts: np.ndarray) -> None:
    """Write `write_ways` of each row, int8 (n, `WIDTH`); all 0 where the hand is over."""
    for i in range(len(states)):
        write_ways(states[i], stages[i], table[0]["players"], counts[i])


@jit
def apply_outcomes(
    states: States, stages: np.ndarray, table: RulesRecords, outcomes: np.ndarray, seen: np.ndarray
) -> None:
    """Let an outcome, int64 (n,), come on each row; write what each seat sees (n, players)."""
    rules = table[0]
    for i in range(len(states)):
        s, stage = states[i], stages[i]
        for seat in range(rules.players):
            seen[i, seat] = observe_event(s, stage, rules, outcomes[i], seat)
        declaring = stage == PLAY and s["phase"] == Phase.DECLARING
        stages[i] = apply_outcome(s, stage, rules, outcomes[i])
        if declaring and rules.declare == Declare.SIMULTANEOUS and s["phase"] == Phase.AFTER_BET:
            for seat in range(rules.players):
                seen[i, seat] += REVEALED * all_said(s)
        live = s["live"] if stages[i] >= PLAY else (1 << rules.players) - 1
        for seat in range(rules.players):
            seen[i, seat] += EVENTS * live


def initial_states(rules: Rules, dealer: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the record and the stage, each an array of one row, in which a hand begins.

    ``dealer``, a seat, is not left to chance. Raises ValueError if there is no such seat.
    """
    if dealer is not None and not 0 <= dealer < rules.players:
        raise ValueError(f"dealer={dealer}: allowed are the seats 0 to {rules.players - 1}")
    states = np.zeros(1, STATE)
    cards = pack(rules)
    states["deck"][0, : len(cards)] = cards
    states["size"] = len(cards)
    if dealer is not None:
        states["dealer"] = dealer
    return states, np.array([DEALER if dealer is None else 0], np.int8)


class ExplicitHand:
    """One hand, card by card. Copying it (`copy`) is cheap: some bytes and a list.

    ``states`` and ``stages`` are arrays of one row, as kernels take them; ``table`` the rules as
    `options.as_record` makes them; ``events`` what each seat has seen, a tuple for each event.
    """

    __slots__ = ("_bytes", "_can", "events", "rules", "stages", "states", "table")

    def __init__(self, rules: Rules, dealer: int | None = None) -> None:
        self.rules, self.table = rules, as_record(rules)
        states, self.stages = initial_states(rules, dealer)
        self._hold(bytearray(states.tobytes()))
        self.events: list[tuple[int, ...]] = []
        self._can: dict[int, int] | None = None

    def _hold(self, data: bytearray) -> None:
        # NumPy copies a record field by field: 55 µs, where its bytes take 0.4
        self._bytes, self.states = data, np.frombuffer(data, STATE)

    def copy(self) -> "ExplicitHand":
        """Return a copy that goes its own way."""
        made = object.__new__(ExplicitHand)
        made.rules, made.table = self.rules, self.table
        made._hold(bytearray(self._bytes))
        made.stages = self.stages.copy()
        made.events, made._can = self.events.copy(), self._can
        return made

    def __copy__(self) -> "ExplicitHand":
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> "ExplicitHand":
        return self.copy()

    @property
    def is_dealt(self) -> bool:
        """Whether all have their first cards: before, the record says nothing yet."""
        return bool(self.stages[0] >= PLAY)

    @property
    def current_player(self) -> int:
        """The seat that acts, `CHANCE`, or `END`."""
        if self.stages[0] != PLAY:
            return CHANCE
        return END if self.states["over"][0] else int(self.states["turn"][0])

    def outcome_ways(self) -> dict[int, int]:
        """Return the outcomes that can come, or the legal actions, and in how many ways each."""
        if self._can is None:
            counts = np.zeros((1, WIDTH), np.int8)
            count_ways(self.states, self.stages, self.table, counts)
            self._can = {outcome: n for outcome, n in enumerate(counts[0].tolist()) if n}
        return self._can

    def apply_outcome(self, outcome: int) -> None:
        """Let an outcome come, or the seat whose turn it is act. ValueError if that cannot be."""
        if outcome not in (can := self.outcome_ways()):
            raise ValueError(f"outcome {outcome}: allowed are {', '.join(map(str, can)) or 'none'}")
        seen = np.zeros((1, self.rules.players), np.int64)
        apply_outcomes(self.states, self.stages, self.table, np.array([outcome], np.int64), seen)
        self.events.append(tuple(seen[0].tolist()))
        self._can = None

    def label(self, outcome: int) -> str:
        """Name an outcome or an action as it stands at this point; ValueError if there is none."""
        names = CARDS
        if self.stages[0] == PLAY:
            names = LABELS
        elif self.stages[0] == DEALER:
            names = tuple(map(str, range(self.rules.players)))
        if not 0 <= outcome < len(names):
            raise ValueError(f"outcome {outcome}: allowed are 0 to {len(names) - 1}")
        word = {PLAY: "", DEALER: "dealer "}.get(int(self.stages[0]), "card ")
        return word + names[outcome]

    def observation_codes(self) -> np.ndarray:
        """Return the pieces that the record shows, int8 (width,): a view."""
        assert STATE.fields is not None
        kind, start = STATE.fields["shown"][:2]
        return np.frombuffer(self._bytes, np.int8, kind.itemsize, start)

    def returns(self) -> list[float]:
        """Return what each seat has won, in antes: zeros before the end."""
        nets = self.states["net"][0, : self.rules.players] / self.rules.ante
        return (nets * (self.current_player == END)).tolist()

    def information_state_string(self, seat: int) -> str:
        """Return all that a seat has seen and done, in words; different for different sequences."""
        return events_text(seat, [event[seat] for event in self.events])


def events_text(seat: int, events: Sequence[int]) -> str:
    """Write what a seat has seen: its number, then `WORDS`; ``!2``: seat 2 goes bust.

    Declarations that become public at once follow in the order of the seats: 0 for none, 1 for 7.
    """
    said = [f"seat{seat}"]
    before = events[0] % REVEALED // EVENTS if events else 0
    for one in events:
        told, rest = divmod(one, REVEALED)
        live, what = divmod(rest, EVENTS)
        said.append(WORDS[what])
        if told:
            said.append("".join(str(told >> 2 * seat & 3) for seat in range(SEATS)))
        if what != SAYS_ACTION + FOLD:
            said += [f"!{other}" for other in range(SEATS) if (before & ~live) >> other & 1]
        before = live
    return " ".join(said)


def game_limits(rules: Rules) -> tuple[int, int]:
    """Return the most actions that a hand can have, and the most chips that a seat can pay."""
    bets, asks = _most_bet_rounds(rules), 2 + _most_draws(rules)
    raises = 1 + rules.max_raises
    actions = asks + bets * (1 + raises) + (rules.declare != Declare.CARDS_SPEAK)
    return rules.players * actions, rules.ante + bets * raises * rules.max_bet
