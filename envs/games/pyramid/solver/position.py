"""Pyramid with all cards known: a position as a few sets of deck positions, and how it changes."""

from typing import NamedTuple

import numpy as np

from ....core.aliases import Positions, RulesRecord, State
from ....core.kernel.bits import highest, lowest
from ....core.kernel.cards import PACK_SIZE
from ....core.kernel.jit import jit
from ..clicks import PYRAMID_SET, find_uncovered
from ..rules import KING, PYRAMID, TABLE

NO_STOCK = PACK_SIZE
"""``p`` where the stock is empty."""
NO_LIMIT = 15
"""``left`` where there is no limit."""
THIRD = 24
"""In ``piles`` the third pile's bits stand so far above the second's, whose bit 0 is card 28."""
HALF = (1 << THIRD) - 1
TURN = -1
"""The move that deals, or redeals once the stock is empty."""
BUT_THE_LAST = 2
"""No value of the option ``stock_play``: another reading, for `benchmarks.one_pass` alone. The last
card of the stock is not in play until it has been dealt."""
FIRST, GOAL = 0, 1
RANKS = 2
SETS = RANKS + PACK_SIZE
BITS = SETS + KING + 1
PARTNERS = BITS + PACK_SIZE
NEEDS = PARTNERS + PACK_SIZE
"""Where things stand in the facts of a deck: see `bounds.make_facts`."""
CARDS = (1 << PACK_SIZE) - 1


class Position(NamedTuple):
    """All that the rest of a game depends on, but for the deck and the rules."""

    there: Positions
    """The cards not removed."""
    p: int
    """The first card of the stock, or `NO_STOCK`: what of the deck lies before it is waste."""
    piles: int
    """What lies on the second and the third waste pile, see `THIRD`; or, with ``held``, the card
    held: as if it were the second pile."""
    left: int
    """Redeals left, `NO_LIMIT` for no limit."""
    seen: int
    """1 if a removal was legal since the last redeal; only used where redeals depend on it.

    With UNDO the number of redeals is not limited, so the first one needs no legal removal before
    it. A whole pass without a legal removal leads back to the position in which it began, so no win
    needs two such passes in a row.
    """


@jit
def first_of(cards: Positions) -> int:
    """The first of a set of cards, or `NO_STOCK`."""
    return lowest(cards) if cards else NO_STOCK


@jit
def next_card(there: Positions, p: int) -> int:
    """The first card behind a deck position, or `NO_STOCK`."""
    return first_of(there >> (p + 1) << (p + 1))


@jit
def on_pile(at: Position, pile: int, first: int) -> Positions:
    """The set of cards on one waste pile; ``first`` is the deck position where the stock began."""
    second = (at.piles & HALF) << PYRAMID
    third = (at.piles >> THIRD) << PYRAMID
    if pile == 1:
        return at.there & second
    if pile == 2:
        return at.there & third
    return at.there & ((1 << at.p) - 1) & ~((1 << first) - 1) & ~second & ~third


@jit
def deck_tops(at: Position, first: int, rules: RulesRecord) -> Positions:
    """The cards of stock and waste that are in play."""
    tops = 0
    for pile in range(rules.waste_piles + rules.held):
        waste = on_pile(at, pile, first)
        if waste:
            tops |= 1 << highest(waste)
    last_stays = rules.stock_play == BUT_THE_LAST and at.there >> (at.p + 1) == 0
    if rules.stock_play and at.p < NO_STOCK and not last_stays:
        tops |= 1 << at.p
    return tops


@jit
def free_cards(at: Position, first: int, rules: RulesRecord) -> Positions:
    """The cards that are free by themselves."""
    tableau = at.there & ((1 << first) - 1)
    return (
        find_uncovered(tableau & PYRAMID_SET) | tableau & ~PYRAMID_SET | deck_tops(at, first, rules)
    )


@jit
def free_kings(there: Positions, free: Positions, kings: Positions, rules: RulesRecord) -> int:
    """The kings that can go."""
    return kings & (free | there & PYRAMID_SET) if rules.covered_kings else kings & free


@jit
def remove_cards(at: Position, gone: Positions) -> Position:
    """Take cards away, whether they may go or not."""
    there = at.there & ~gone
    deck = there >> PYRAMID
    p = first_of(there >> at.p << at.p)
    return Position(there, p, at.piles & (deck | deck << THIRD), at.left, at.seen)


@jit
def note_removal(at: Position, is_legal: bool) -> Position:
    """Keep in ``seen`` whether a removal is, or was, legal."""
    return Position(at.there, at.p, at.piles, at.left, at.seen | is_legal)


@jit
def can_deal(at: Position, rules: RulesRecord) -> bool:
    """Whether a turn deals: there is a stock, or a card held to be laid down."""
    return at.p < NO_STOCK or (rules.held and at.piles != 0)


@jit
def can_turn(at: Position, is_removal_legal: bool, first: int, rules: RulesRecord) -> bool:
    """Whether a card can be dealt, or the waste be turned over."""
    if rules.deal_when and is_removal_legal:
        return False
    if can_deal(at, rules):
        return True
    return at.there >> first != 0 and (at.seen != 0 if at.left == NO_LIMIT else at.left > 0)


@jit
def turn_stock(at: Position, first: int, rules: RulesRecord) -> Position:
    """Deal, or turn the waste over."""
    if not can_deal(at, rules):
        p = lowest(at.there >> first << first)
        return Position(at.there, p, 0, at.left - (at.left != NO_LIMIT), 0)
    if rules.held:
        piles = 1 << (at.p - PYRAMID) if at.p < NO_STOCK else 0
        return Position(at.there, next_card(at.there, at.p), piles, at.left, at.seen)
    p, piles = at.p, at.piles
    for pile in range(rules.waste_piles):
        for _ in range(rules.turn):
            if p == NO_STOCK:
                break
            if pile == 1:
                piles |= 1 << (p - PYRAMID)
            elif pile == 2:
                piles |= 1 << (p - PYRAMID + THIRD)
            p = next_card(at.there, p)
    return Position(at.there, p, piles, at.left, at.seen)


@jit
def play_move(at: Position, move: int, first: int, rules: RulesRecord) -> Position:
    """Make a removal or a `TURN`."""
    return turn_stock(at, first, rules) if move == TURN else remove_cards(at, move)


@jit
def leaves_no_trace(rules: RulesRecord) -> bool:
    """Whether a card of the deck that goes only leaves the others as they were without it.

    With more waste piles than one, or several cards turned at once, it changes which cards come to
    lie where.
    """
    return rules.waste_piles == 1 and rules.turn == 1


@jit
def pack_cards(at: Position) -> int:
    """Put ``there`` and ``p`` in one number."""
    return at.there | (at.p - PYRAMID) << PACK_SIZE


@jit
def unpack_cards(word: int) -> tuple[Positions, int]:
    """``there`` and ``p`` out of `pack_cards`."""
    return word & CARDS, (word >> PACK_SIZE) + PYRAMID


@jit
def hash_position(cards: int, rest: int) -> int:
    """Hash a position: what `pack_cards` says, and another number."""
    word = cards * 0x1D8E4E27C47D124F + rest * 0x2545F4914F6CDD1D
    word ^= (word >> 32) & 0xFFFFFFFF
    word *= 0x1D8E4E27C47D124F
    return word ^ (word >> 29) & 0x7FFFFFFFF


@jit
def read_position(row: np.ndarray) -> Position:
    """The position of which a row (5,) of an array holds the fields."""
    return Position(row[0], row[1], row[2], row[3], row[4])


@jit
def write_position(row: np.ndarray, at: Position) -> None:
    """Write the fields of a position into a row (5,) of an array."""
    row[0], row[1], row[2], row[3], row[4] = at


@jit
def read_state(s: State, rules: RulesRecord) -> Position:
    """The position in a state of the game."""
    held, waste = s["held"], s["waste"]
    there = s["table"] | s["stock"] | held | waste[0] | waste[1] | waste[2]
    piles = (waste[1] | held) >> PYRAMID | waste[2] >> PYRAMID << THIRD
    left = rules.passes - 1 - s["redeals"] if rules.passes else NO_LIMIT
    seen = int(rules.undo or s["shown"]["removal_seen"] != 0)
    return Position(there, first_of(s["stock"]), piles, left, seen)


@jit
def stock_start(rules: RulesRecord) -> int:
    """Return the deck position at which the stock begins."""
    return TABLE if rules.extra_row else PYRAMID
