"""Klondike: what the cards on the table wait for, as far as the player knows.

The talon is the waste and the stock, in the order in which the whole stock would lie on the waste.
"""

from typing import NamedTuple

from ...core.aliases import CardCode, CardSet, RulesRecord, State
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import FIRST_CARD
from ...core.kernel.jit import jit
from .fits import columns_of, is_red, last_kinds, next_cards, taken_by
from .rules import COLUMNS, STOCK_SIZE, UNSEEN


class Outlook(NamedTuple):
    """What a state looks like to the greedy agent, so that it has to be looked at only once."""

    kinds: int
    """The kinds of the last cards: see `last_kinds`."""
    ready: CardSet
    """The cards that the foundations take."""
    heads: CardSet
    """The first cards of the runs that lie on cards face down."""
    size: int
    """How many cards the talon has; 0 while its order is not known."""
    talon: CardSet
    """The cards of the talon, as far as known."""
    playable: int
    """The places of the talon whose card could be played if it was the top, as a set."""


THIRDS = sum(1 << place for place in range(3, STOCK_SIZE + 1, 3))
"""The places of the talon that come to the top of the waste in a pass, three cards a turn."""


@jit
def goes_onto(card: CardCode, other: CardCode) -> bool:
    """Whether a card may lie on another in a column."""
    return card >> 2 == (other >> 2) - 1 and is_red(card) != is_red(other)


@jit
def takers(card: CardCode) -> CardSet:
    """The two cards that go onto a card; none onto an ace."""
    if card >> 2 == 1:
        return 0
    return (9 if is_red(card) else 6) << (card & ~3) - 4


@jit
def heads_of(s: State) -> CardSet:
    """The first cards of the runs that lie on cards face down."""
    found = 0
    for column in range(COLUMNS):
        found |= (s["shown"]["face_down"][column] > 0) << s["shown"]["first"][column]
    return found


@jit
def takes_run(s: State, card: CardCode) -> bool:
    """Whether a run that lies on cards face down goes onto a card, were it the last of a column."""
    return heads_of(s) & takers(card) != 0


@jit
def talon_card(s: State, place: int) -> CardCode:
    """The card of a place of the talon, from 1."""
    waste, stock = s["shown"]["waste_count"], s["shown"]["stock_count"]
    return s["waste"][place - 1] if place <= waste else s["stock"][waste + stock - place]


@jit
def is_known(s: State) -> bool:
    """Whether the whole order of the stock is known."""
    return (
        s["shown"]["stock_count"] == 0 or s["shown"]["where"][s["stock"][0] - FIRST_CARD] != UNSEEN
    )


@jit
def look(s: State) -> Outlook:
    """Look at a state."""
    kinds, ready = last_kinds(s), next_cards(s)
    size, talon, playable = 0, 0, 0
    known = s["shown"]["waste_count"]
    if is_known(s):
        size = known = known + s["shown"]["stock_count"]
    for place in range(1, known + 1):
        card = talon_card(s, place)
        talon |= 1 << card
        if (ready >> card) & 1 or columns_of(kinds, taken_by(card)):
            playable |= 1 << place
    return Outlook(kinds, ready, heads_of(s), size, talon, playable)


@jit
def takes_run_through(view: Outlook, cards: CardSet) -> bool:
    """Whether a run that lies on cards face down goes onto one of some cards."""
    while cards:
        if view.heads & takers(lowest(cards)):
            return True
        cards &= cards - 1
    return False


@jit
def next_pass(rules: RulesRecord, view: Outlook, place: int) -> int:
    """How many more cards of the talon can be played in the next pass if that of a place is gone.

    Each card above it comes one place earlier then: three cards a turn, others come to the top.
    """
    if rules.passes or rules.draw == 1 or view.size == 0:
        return 0
    above, end = -(2 << place), 1 << view.size
    after, before = THIRDS << 1 | end, THIRDS | end
    return count(view.playable & above & after) - count(view.playable & above & before)
