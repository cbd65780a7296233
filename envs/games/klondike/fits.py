"""Klondike: what goes onto what.

Whether a card goes onto another depends on its *kind* alone: its value, and `RED_EVEN` more for
red cards of even and black cards of odd value. The cards of a run, whatever their suits, lie in one
half of the kinds, each one below the card before it. So a set of kinds, in the bits of a number,
says where a run or a part of it fits.
"""

from ...core.aliases import CardCode, CardSet, RulesRecord, State
from ...core.kernel.cards import SUITS
from ...core.kernel.jit import jit
from .rules import COLUMN_UP, COLUMNS, KING, MOVE, WASTE_DOWN, WASTE_UP

RED_EVEN = 16
"""What tells the two halves of the kinds apart."""
ROOM = KING + 1
"""The kind of an empty column, as if a card one above a king lay there; it is in neither half."""
KIND_BITS, KIND_MASK = 5, 31
"""A kind in a row of kinds."""


@jit
def is_red(card: CardCode) -> int:
    """1 for a red card, else 0."""
    return (card ^ (card >> 1)) & 1


@jit
def half_of(card: CardCode) -> int:
    """What is added to the values of the run that a card lies in, or could lie in."""
    return RED_EVEN * (is_red(card) ^ ((card >> 2) & 1))


@jit
def taken_by(card: CardCode) -> int:
    """The kinds of last cards onto which a card goes, as a set."""
    value = card >> 2
    return 1 << ROOM if value == KING else 1 << (value + 1 + half_of(card))


@jit
def run_taken_by(s: State, rules: RulesRecord, column: int) -> int:
    """The kinds of last cards onto which a run goes, or a part of it; none of an empty column."""
    first, last = s["shown"]["first"][column], s["shown"]["last"][column]
    if first == 0:
        return 0
    high, low = first >> 2, (last if rules.partial_runs else first) >> 2
    found = ((2 << min(high + 1, KING)) - (2 << low)) << half_of(last)
    if high == KING and s["shown"]["face_down"][column]:
        found |= 1 << ROOM
    return found


@jit
def last_kinds(s: State) -> int:
    """The kinds of the last cards of all columns, `KIND_BITS` each, the first column lowest."""
    found = 0
    for column in range(COLUMNS):
        last = s["shown"]["last"][column]
        kind = (last >> 2) + half_of(last) if last else ROOM
        found |= kind << (KIND_BITS * column)
    return found


@jit
def set_of(kinds: int) -> int:
    """The kinds in a row of kinds, as a set."""
    found = 0
    for column in range(COLUMNS):
        found |= 1 << ((kinds >> (KIND_BITS * column)) & KIND_MASK)
    return found


@jit
def columns_of(kinds: int, wanted: int) -> int:
    """The columns whose last card is of one of the wanted kinds, as a set."""
    found = 0
    for column in range(COLUMNS):
        found |= ((wanted >> ((kinds >> (KIND_BITS * column)) & KIND_MASK)) & 1) << column
    return found


@jit
def next_cards(s: State) -> CardSet:
    """The cards that the foundations take."""
    found = 0
    for suit in range(len(SUITS)):
        value = s["shown"]["foundations"][suit] + 1
        found |= (value <= KING) << (4 * value + suit)
    return found


@jit
def waste_actions(s: State, kinds: int) -> int:
    """The actions from WASTE_UP to COLUMN_UP that are legal, as a set."""
    top = s["shown"]["waste_top"]
    if top == 0:
        return 0
    found = ((next_cards(s) >> top) & 1) << WASTE_UP
    return found | columns_of(kinds, taken_by(top)) << WASTE_DOWN


@jit
def column_actions(s: State, rules: RulesRecord, kinds: int) -> int:
    """The actions from COLUMN_UP to BACK that are legal, as a set."""
    ready, there = next_cards(s), set_of(kinds)
    found = 0
    for column in range(COLUMNS):
        found |= ((ready >> s["shown"]["last"][column]) & 1) << (COLUMN_UP + column)
        wanted = run_taken_by(s, rules, column) & there
        if wanted:  # seldom: most runs fit nowhere
            onto, before = columns_of(kinds, wanted), (1 << column) - 1
            onto = (onto & before) | ((onto >> 1) & ~before)  # it never goes onto itself
            found |= onto << (MOVE + (COLUMNS - 1) * column)
    return found


@jit
def back_actions(s: State, kinds: int) -> int:
    """The actions from BACK on that are legal, as a set that begins with BACK at bit 0."""
    found = 0
    for suit in range(len(SUITS)):
        value = s["shown"]["foundations"][suit]
        if value > 1:
            card = 4 * value + suit
            which = is_red(card) if value == KING else suit >> 1
            onto = columns_of(kinds, taken_by(card))
            for column in range(COLUMNS):
                found |= ((onto >> column) & 1) << (2 * column + which)
    return found


@jit
def suit_back(s: State, column: int, which: int) -> int:
    """The suit that comes back onto a column by the first (0) or second (1) of its two actions."""
    last = s["shown"]["last"][column]
    if last:
        return 3 * which if is_red(last) else 1 + which
    suits = (1, 2) if which else (0, 3)
    return suits[0] if s["shown"]["foundations"][suits[0]] == KING else suits[1]
