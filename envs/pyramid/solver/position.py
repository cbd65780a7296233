"""Pyramid with all cards known: a position as a few sets of deck positions, and its moves.

A position is ``there`` (the cards not removed), ``p`` (the first card of the stock: whatever of the
deck lies before it is waste), ``piles`` (what lies on the second and third waste pile), ``left``
(redeals left, `NO_LIMIT` for no limit) and ``seen`` (a removal was legal since the last redeal,
kept where redeals depend on it). A removal is the set of the deck positions that go.
"""

from typing import Any

from ...core.bits import highest, lowest
from ...core.cards import PACK_SIZE
from ...core.jit import jit
from ..clicks import COVERERS, COVERS, PYRAMID_SET, find_uncovered
from ..rules import KING, PYRAMID, TABLE, TARGET

END = PACK_SIZE
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
"""Where things stand in the facts of a deck: see `dead.make_facts`."""


@jit
def first_of(cards: int) -> int:
    """The first of a set of cards, or `END`."""
    return lowest(cards) if cards else END


@jit
def on_pile(there: int, p: int, piles: int, pile: int, first: int) -> int:
    """The set of cards on one waste pile; ``first`` is the deck position where the stock began."""
    second = (piles & HALF) << PYRAMID
    third = (piles >> THIRD) << PYRAMID
    if pile == 1:
        return there & second
    if pile == 2:
        return there & third
    return there & ((1 << p) - 1) & ~((1 << first) - 1) & ~second & ~third


@jit
def deck_tops(there: int, p: int, piles: int, first: int, rules: Any) -> int:
    """The cards of stock and waste that are in play."""
    tops = 0
    for pile in range(rules.waste_piles):
        waste = on_pile(there, p, piles, pile, first)
        if waste:
            tops |= 1 << highest(waste)
    last_stays = rules.stock_play == BUT_THE_LAST and there >> (p + 1) == 0
    if rules.stock_play and p < END and not last_stays:
        tops |= 1 << p
    return tops


@jit
def free_cards(there: int, p: int, piles: int, first: int, rules: Any) -> int:
    """The cards that are free by themselves."""
    table = there & ((1 << first) - 1)
    return (
        find_uncovered(table & PYRAMID_SET)
        | table & ~PYRAMID_SET
        | deck_tops(there, p, piles, first, rules)
    )


@jit
def free_kings(there: int, free: int, kings: int, rules: Any) -> int:
    """The kings that can go."""
    return kings & (free | there & PYRAMID_SET) if rules.covered_kings else kings & free


@jit
def without(there: int, p: int, piles: int, gone: int) -> tuple[int, int, int]:
    """Take cards away: return there, p and piles after it."""
    there &= ~gone
    deck = there >> PYRAMID
    return there, first_of(there >> p << p), piles & (deck | deck << THIRD)


@jit
def can_turn(
    there: int, p: int, left: int, seen: int, removal: bool, first: int, rules: Any
) -> bool:
    """Whether a card can be dealt, or the waste be turned over; ``removal``: one is legal now."""
    if rules.deal_when and removal:
        return False
    if p < END:
        return True
    return there >> first != 0 and (seen != 0 if left == NO_LIMIT else left > 0)


@jit
def turned(
    there: int, p: int, piles: int, left: int, seen: int, first: int, rules: Any
) -> tuple[int, int, int, int]:
    """Deal, or turn the waste over: return p, piles, left and seen after it."""
    if p == END:
        return lowest(there >> first << first), 0, left - (left != NO_LIMIT), 0
    for pile in range(rules.waste_piles):
        if p == END:
            break
        if pile == 1:
            piles |= 1 << (p - PYRAMID)
        elif pile == 2:
            piles |= 1 << (p - PYRAMID + THIRD)
        p = first_of(there >> (p + 1) << (p + 1))
    return p, piles, left, seen


@jit
def fits(there: int, free: int, taken: int, place: int, rules: Any) -> bool:
    """Whether a card is free, by itself or once those taken are gone."""
    if (free >> place) & 1:
        return True
    if not rules.match_cover or place >= PYRAMID or (there >> place) & 1 == 0:
        return False
    return there & ~taken & COVERERS[place] == 0


@jit
def push(moves: Any, size: int, move: int) -> int:
    """Put a move on the stack of moves; a full one stays as it is (`full` says so)."""
    if size < len(moves):
        moves[size] = move
    return size + 1


@jit
def push_pairs(there: int, free: int, facts: Any, rules: Any, moves: Any, size: int) -> int:
    """Put all removals of two cards on the stack of moves."""
    for value in range(1, TARGET // 2 + 1):
        low = facts[SETS + value] & free
        high = facts[SETS + TARGET - value] & free
        while low:
            one = low & -low
            low &= low - 1
            rest = high
            while rest:
                size = push(moves, size, one | rest & -rest)
                rest &= rest - 1
    if rules.match_cover:
        rest = free & PYRAMID_SET
        while rest:
            slot = lowest(rest)
            rest &= rest - 1
            for side in range(2):
                under = COVERS[slot, side]
                if (
                    under >= 0
                    and (there >> under) & 1
                    and there & ~(1 << slot) & COVERERS[under] == 0
                    and facts[RANKS + under] + facts[RANKS + slot] == TARGET
                ):
                    size = push(moves, size, 1 << slot | 1 << under)
    return size


@jit
def push_sums(there: int, free: int, facts: Any, rules: Any, moves: Any, size: int) -> int:
    """Put all removals of two or more cards on the stack of moves, ``many_sum``.

    A search in depth whose stack is the set of cards taken, from the last card down.
    """
    taken, need, place = 0, TARGET, PACK_SIZE - 1
    while True:
        while place >= 0:
            value = facts[RANKS + place] if (there >> place) & 1 else KING
            if value < KING and value <= need and fits(there, free, taken, place, rules):
                if value == need:
                    size = push(moves, size, taken | 1 << place)
                else:
                    taken |= 1 << place
                    need -= value
            place -= 1
        if taken == 0:
            return size
        place = lowest(taken)
        taken &= taken - 1
        need += facts[RANKS + place]
        place -= 1


@jit
def push_removals(there: int, free: int, facts: Any, rules: Any, moves: Any, size: int) -> int:
    """Put all removals on the stack of moves."""
    kings = free_kings(there, free, facts[SETS + KING], rules)
    while kings:
        size = push(moves, size, kings & -kings)
        kings &= kings - 1
    if rules.many_sum:
        return push_sums(there, free, facts, rules, moves, size)
    return push_pairs(there, free, facts, rules, moves, size)


@jit
def keep_touching(moves: Any, start: int, size: int, cards: int) -> int:
    """Keep, of the removals on the stack from ``start`` on, those with any of ``cards``."""
    kept = start
    for i in range(start, size):
        if moves[i] & cards:
            moves[kept] = moves[i]
            kept += 1
    return kept


@jit
def fresh(moves: Any, start: int, size: int, stale: int, first: int, rules: Any) -> int:
    """Drop from the removals on the stack, from ``start`` on, those of ``stale`` cards alone.

    Stale are the cards that were free before the last turn. What could have gone together then and
    is to go at all, could as well have gone then: that frees cards, and leaves fewer to be dealt.
    With more waste piles than one that is so for the cards on the table only.
    """
    table = (1 << first) - 1
    if rules.waste_piles > 1:
        stale &= table
    return keep_touching(moves, start, size, ~stale)


@jit
def begin(s: Any, rules: Any) -> tuple[int, int, int, int, int]:
    """Return there, p, piles, left and seen of a state of the game."""
    there = s["table"] | s["stock"] | s["waste"][0] | s["waste"][1] | s["waste"][2]
    piles = s["waste"][1] >> PYRAMID | s["waste"][2] >> PYRAMID << THIRD
    left = rules.passes - 1 - s["redeals"] if rules.passes else NO_LIMIT
    return there, first_of(s["stock"]), piles, left, int(s["shown"]["removal_seen"])


@jit
def stock_start(rules: Any) -> int:
    """Return the deck position at which the stock begins."""
    return TABLE if rules.extra_row else PYRAMID
