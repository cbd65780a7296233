"""Pyramid: the stock and the waste: turning cards, going through the waste again, shuffling.

Both are sets of deck positions, which keeps the original order through every redeal: the stock's
top is its lowest member, a waste pile's top its highest.
"""

from ...core.aliases import RulesRecord, State
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import random_below
from ...core.kernel.jit import jit
from .rules import PYRAMID
from .tableau import reveal, show_stock, show_waste

IN_STOCK = 1
IN_WASTE = 2
"""Codes of ``pile_where``; IN_WASTE + k for pile k from 0."""


@jit
def lay_on_waste(s: State, position: int, pile: int) -> None:
    """Lay the card at a deck position on a waste pile."""
    s["waste"][pile] |= 1 << position
    s["shown"]["pile_where"][position - PYRAMID] = IN_WASTE + pile
    show_waste(s, pile)


@jit
def turn_card(s: State) -> int:
    """Turn up the top card of the stock; return its deck position."""
    position = lowest(s["stock"])
    s["stock"] &= s["stock"] - 1
    reveal(s, position)
    return position


@jit
def hold_next(s: State) -> None:
    """Lay the card held on the waste and turn up the next one, which is held then."""
    if s["held"]:
        lay_on_waste(s, lowest(s["held"]), 0)
        s["held"] = 0
    if s["stock"]:
        s["held"] = 1 << turn_card(s)


@jit
def deal_cards(s: State, rules: RulesRecord) -> None:
    """Turn cards from the stock onto each waste pile, or turn up the next one to be held."""
    if rules.held:
        hold_next(s)
    else:
        for pile in range(rules.waste_piles):
            for _ in range(rules.turn):
                if s["stock"]:
                    lay_on_waste(s, turn_card(s), pile)
    show_stock(s, rules)


@jit
def sort_positions(s: State, positions: int) -> None:
    """Put the cards at a set of deck positions into the order of their codes."""
    cards = 0
    rest = positions
    while rest:
        cards |= 1 << s["deck"][lowest(rest)]
        rest &= rest - 1
    while positions:
        s["deck"][lowest(positions)] = lowest(cards)
        cards &= cards - 1
        positions &= positions - 1


@jit
def shuffle_positions(s: State, positions: int) -> None:
    """Put the cards at a set of deck positions into a random order."""
    while positions:
        other = positions
        for _ in range(random_below(s, count(positions))):
            other &= other - 1
        first, swap = lowest(positions), lowest(other)
        card = s["deck"][first]
        s["deck"][first] = s["deck"][swap]
        s["deck"][swap] = card
        positions &= positions - 1


@jit
def forget_positions(s: State, positions: int) -> None:
    """The player no longer knows which cards lie at these positions."""
    s["seen"] &= ~positions
    shown = s["shown"]
    while positions:
        position = lowest(positions)
        positions &= positions - 1
        shown["pile_cards"][position - PYRAMID] = 0
        shown["unseen"][(s["deck"][position] >> 2) - 1] += 1


@jit
def lay_stock(s: State, rules: RulesRecord) -> None:
    """Show where the stock's cards are, and those that lie face up."""
    rest = s["stock"]
    while rest:
        position = lowest(rest)
        rest &= rest - 1
        s["shown"]["pile_where"][position - PYRAMID] = IN_STOCK
        if rules.stock_view == 2:
            reveal(s, position)
    show_stock(s, rules)


@jit
def redeal(s: State, rules: RulesRecord) -> None:
    """Make the waste the stock again, in the order of the deck or shuffled."""
    s["stock"] = s["waste"][0] | s["waste"][1] | s["waste"][2]
    for pile in range(rules.waste_piles):
        s["waste"][pile] = 0
        show_waste(s, pile)
    if rules.shuffle_redeal:
        forget_positions(s, s["stock"])
        shuffle_positions(s, s["stock"])
    s["redeals"] += 1
    s["shown"]["removal_seen"] = 0
    if rules.passes:
        s["shown"]["redeals_left"] -= 1
    lay_stock(s, rules)


@jit
def turn_stock(s: State, rules: RulesRecord) -> None:
    """DEAL, or REDEAL once the stock is empty: never both are legal."""
    if s["stock"] | s["held"]:
        deal_cards(s, rules)
    else:
        redeal(s, rules)
    s["turns"] += 1
