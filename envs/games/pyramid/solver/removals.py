"""Pyramid with all cards known: the removals of a position, on a stack of moves.

A removal is the set of the deck positions that go.
"""

import numpy as np

from ....core.aliases import Positions, RulesRecord
from ....core.kernel.bits import lowest
from ....core.kernel.cards import PACK_SIZE
from ....core.kernel.jit import jit
from ..clicks import COVERERS, COVERS, PYRAMID_SET
from ..rules import KING, PYRAMID, TARGET
from .position import RANKS, SETS, free_kings, leaves_no_trace


@jit
def can_go(
    there: Positions, free: Positions, taken: Positions, place: int, rules: RulesRecord
) -> bool:
    """Whether a card is free, by itself or once those taken are gone."""
    if (free >> place) & 1:
        return True
    if not rules.match_cover or place >= PYRAMID or (there >> place) & 1 == 0:
        return False
    return there & ~taken & COVERERS[place] == 0


@jit
def push(moves: np.ndarray, size: int, move: int) -> int:
    """Put a move on the stack of moves; a full one stays as it is and the size says so."""
    if size < len(moves):
        moves[size] = move
    return size + 1


@jit
def push_pairs(
    there: Positions,
    free: Positions,
    facts: np.ndarray,
    rules: RulesRecord,
    moves: np.ndarray,
    size: int,
) -> int:
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
def push_sums(
    there: Positions,
    free: Positions,
    facts: np.ndarray,
    rules: RulesRecord,
    moves: np.ndarray,
    size: int,
) -> int:
    """Put all removals of two or more cards on the stack of moves, ``many_sum``.

    A search in depth whose stack is the set of cards taken, from the last card down.
    """
    taken, need, place = 0, TARGET, PACK_SIZE - 1
    while True:
        while place >= 0:
            value = facts[RANKS + place] if (there >> place) & 1 else KING
            if value < KING and value <= need and can_go(there, free, taken, place, rules):
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
def push_removals(
    there: Positions,
    free: Positions,
    facts: np.ndarray,
    rules: RulesRecord,
    moves: np.ndarray,
    size: int,
) -> int:
    """Put all removals on the stack of moves."""
    kings = free_kings(there, free, facts[SETS + KING], rules)
    while kings:
        size = push(moves, size, kings & -kings)
        kings &= kings - 1
    if rules.many_sum:
        return push_sums(there, free, facts, rules, moves, size)
    return push_pairs(there, free, facts, rules, moves, size)


@jit
def keep_touching(moves: np.ndarray, start: int, size: int, cards: Positions) -> int:
    """Keep, of the removals on the stack from ``start`` on, those with any of ``cards``."""
    kept = start
    for i in range(start, size):
        if moves[i] & cards:
            moves[kept] = moves[i]
            kept += 1
    return kept


@jit
def drop_stale(
    moves: np.ndarray, start: int, size: int, stale: Positions, first: int, rules: RulesRecord
) -> int:
    """Drop from the removals on the stack, from ``start`` on, those of ``stale`` cards alone.

    Stale are the cards that were free before the last turn. What could have gone together then and
    is to go at all, could as well have gone then: that frees cards, and leaves fewer to be dealt.
    Where cards of the deck leave a trace that is so for the cards on the table only.
    """
    if not leaves_no_trace(rules):
        stale &= (1 << first) - 1
    return keep_touching(moves, start, size, ~stale)
