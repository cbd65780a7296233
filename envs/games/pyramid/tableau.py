"""Pyramid: what lies where, and what of it the player sees."""

from ...core.aliases import CardCode, RulesRecord, State
from ...core.kernel.bits import count, highest, lowest
from ...core.kernel.jit import jit
from .rules import PYRAMID, STOCK, WASTE


@jit
def lay_card(s: State, place: int, card: CardCode, in_play: bool) -> None:
    """Lay a face-up card (0: none) on a place; in play it can be part of removals."""
    places = s["shown"]["places"]
    bit = 1 << place
    old = places[place]
    s["by_value"][old >> 2] &= ~bit
    if in_play:
        s["by_value"][card >> 2] |= bit
    places[place] = card


@jit
def reveal(s: State, position: int) -> None:
    """Turn the card at a deck position up. All that the player learns passes through here."""
    if (s["seen"] >> position) & 1 == 0:
        card = s["deck"][position]
        s["seen"] |= 1 << position
        s["shown"]["pile_cards"][position - PYRAMID] = card
        s["shown"]["unseen"][(card >> 2) - 1] -= 1


@jit
def show_stock(s: State, rules: RulesRecord) -> None:
    """Bring the stock's count, and its top or the card held, up to date."""
    stock = s["stock"]
    s["shown"]["stock_count"] = count(stock)
    card = 0
    if rules.held:
        if s["held"]:
            card = s["deck"][lowest(s["held"])]
    elif stock:
        top = lowest(stock)
        if rules.stock_view:
            reveal(s, top)
        if (s["seen"] >> top) & 1:
            card = s["deck"][top]
    in_play = card != 0 and (rules.stock_play or rules.held)
    lay_card(s, STOCK, card, in_play)
    s["free"] &= ~(1 << STOCK)
    if in_play:
        s["free"] |= 1 << STOCK


@jit
def show_waste(s: State, pile: int) -> None:
    """Bring a waste pile's top and count up to date."""
    waste = s["waste"][pile]
    place = WASTE + pile
    s["shown"]["waste_counts"][pile] = count(waste)
    if waste:
        lay_card(s, place, s["deck"][highest(waste)], True)
        s["free"] |= 1 << place
    else:
        lay_card(s, place, 0, False)
        s["free"] &= ~(1 << place)
