"""Pyramid with all cards known: can a position be won? A search in depth that forgets nothing.

What it does without asking, and when that is sound:

- A king of the pyramid that can go goes at once: always. It must go, it frees cards, and it stands
  in nobody's way once gone.
- With one waste pile, a king on the waste or on top of the stock in play goes at once, too: what is
  played with it there can be played without it. (With more piles it would change on which pile
  later cards come to lie.)
- A free card that must go, with one card left that it could ever go with, which is free, too: the
  two go at once, if no third card could go along (not with ``many_sum``), and if both lie on the
  table or there is one pile only.
- `dead.is_lost` ends a line: never with ``many_sum``.
- Removals of cards that could all have gone before the last turn are not tried: see
  `position.fresh`.
- A position met before is not searched again unless there are more redeals left than then (where
  these have no limit: unless a removal has been legal since the last, and had not then), or
  removals are to be tried that were not then.
- In the last pass cards that can never go any more, and all under them, are no more: see `buried`.
"""

from typing import Any

import numpy as np

from ..core.bits import highest, lowest
from ..core.cards import PACK
from ..core.jit import jit
from .dead import facts_of, groups_of, is_lost
from .position import (
    ANY,
    TURN,
    can_turn,
    free_cards,
    free_kings,
    fresh,
    on_pile,
    push,
    push_removals,
    turned,
    without,
)
from .rules import KING, PYRAMID

LOST, WON, OPEN = 0, 1, -1
"""What is known of a position; OPEN: the limit of nodes was met first."""
FRAMES = 2048
"""The longest line: 52 removals, and between any two of them the whole stock once."""
MOVES = 1 << 15
SLOTS = 1 << 10
NOBODY = -1
"""An empty slot of the table."""
WORD, PILES, RANK, LEFT, SEEN, GROUPED, NEXT, LAST, LINE, SLOT, FREE, STALE = range(12)
"""What a frame of the stack holds: the position (WORD: there and, above it, p), which of its moves
on their stack come next and last, how long the line to it is, its slot in the table."""
ALL = (1 << PACK) - 1


@jit
def scramble(there_p: int, piles: int) -> int:
    """Hash a position."""
    word = there_p * 0x1D8E4E27C47D124F + piles * 0x2545F4914F6CDD1D
    word ^= (word >> 32) & 0xFFFFFFFF
    word *= 0x1D8E4E27C47D124F
    return word ^ (word >> 29) & 0x7FFFFFFFF


@jit
def slot_of(keys: Any, there_p: int, piles: int) -> int:
    """The slot of a position, or the empty one where it belongs."""
    mask = len(keys) - 1
    slot = scramble(there_p, piles) & mask
    while keys[slot, 0] != NOBODY and (keys[slot, 0] != there_p or keys[slot, 1] != piles):
        slot = (slot + 1) & mask
    return slot


@jit
def grown(keys: Any, known: Any) -> tuple[Any, Any]:
    """The table in four times the room."""
    more = np.full((4 * len(keys), 3), NOBODY, np.int64)
    told = np.zeros((4 * len(keys), 3), np.int16)
    for old in range(len(keys)):
        if keys[old, 0] != NOBODY:
            slot = slot_of(more, keys[old, 0], keys[old, 1])
            more[slot, 0], more[slot, 1] = keys[old, 0], keys[old, 1]
            more[slot, 2] = keys[old, 2]
            for i in range(3):
                told[slot, i] = known[old, i]
    return more, told


@jit
def forced_removal(there: int, p: int, piles: int, sparing: int, facts: Any, rules: Any) -> int:
    """A removal that can be made at once without a loss, or 0; see above."""
    free = free_cards(there, p, piles, facts.first, rules)
    table = (1 << facts.first) - 1
    one_pile = rules.waste_piles == 1
    kings = free_kings(there, free, facts.sets[KING], rules) & sparing
    if not one_pile:
        kings &= table
    if kings:
        return kings & -kings
    if rules.many_sum:
        return 0
    rest = free & facts.goal
    if not one_pile:
        rest &= table
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        others = facts.partners[card] & there
        if others & free and others & (others - 1) == 0 and (one_pile or others & table):
            return 1 << card | others
    return 0


@jit
def buried(there: int, p: int, piles: int, facts: Any, rules: Any) -> int:
    """The waste cards that can never go, and all beneath them: in the last pass they are no more.

    Not with ``clear_all``, where they have to go, nor with ``many_sum``, where many could go along.
    """
    if rules.clear_all or rules.many_sum:
        return 0
    under = 0
    for pile in range(rules.waste_piles):
        rest = on_pile(there, p, piles, pile, facts.first)
        while rest:
            card = highest(rest)
            rest &= ~(1 << card)
            if facts.partners[card] & there == 0:
                under |= 1 << card | rest
                break
    return under


@jit
def settle(
    there: int, p: int, piles: int, left: int, sparing: int, facts: Any, rules: Any, line: Any,
    made: int,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Let go what goes without asking; ``line`` receives it, from place ``made`` on.

    Of kings only those among ``sparing`` go. Returns there, p, piles and the length of the line.
    """
    while there & facts.goal:
        gone = forced_removal(there, p, piles, sparing, facts, rules)
        if gone:
            line[made] = gone
            made += 1
        elif left == 0:
            gone = buried(there, p, piles, facts, rules)
        if gone == 0:
            break
        there, p, piles = without(there, p, piles, gone)
    return there, p, piles, made


@jit
def decide(roots: Any, deck: Any, rules: Any, limit: int, found: Any, line: Any) -> tuple[int, int]:
    """Say of each root (there, p, piles, left, seen) in ``found`` whether it can be won.

    ``line`` receives the moves that win the last root that can be won. Returns how many those are,
    and how many positions were looked at; after ``limit`` of them the rest stays OPEN.
    """
    facts = facts_of(deck, rules)
    sorted_out = not rules.many_sum
    frames, moves = np.zeros((FRAMES, 12), np.int64), np.zeros(MOVES, np.int64)
    keys, known = np.full((SLOTS, 3), NOBODY, np.int64), np.zeros((SLOTS, 3), np.int16)
    used, nodes, length = 0, 0, 0
    found[:] = OPEN
    for root in range(len(roots)):
        there, p, piles, left, seen = (
            roots[root, 0], roots[root, 1], roots[root, 2], roots[root, 3], roots[root, 4],
        )  # fmt: skip
        groups = groups_of(there, facts.bits)
        depth, size, made, stale = -1, 0, 0, 0
        enter = not (sorted_out and is_lost(groups, groups, facts.needs))
        while True:
            won = False
            if enter:
                enter = False
                before, asked = there, made
                there, p, piles, made = settle(there, p, piles, left, -1, facts, rules, line, made)
                seen |= made > asked
                won = there & facts.goal == 0
                if before != there and sorted_out and not won:
                    gone = groups_of(before & ~there, facts.bits)
                    groups &= ~gone
                    if is_lost(groups, gone, facts.needs):
                        there = 0
                if there and not won:
                    nodes += 1
                    if nodes > limit:
                        return length, nodes
                    if 2 * used > len(keys):
                        keys, known = grown(keys, known)
                        for i in range(depth + 1):
                            frames[i, SLOT] = slot_of(keys, frames[i, WORD], frames[i, PILES])
                    word = there | (p - PYRAMID) << PACK
                    slot = slot_of(keys, word, piles)
                    if keys[slot, 0] == NOBODY:
                        used += 1
                        keys[slot, 0], keys[slot, 1] = word, piles
                        known[slot, 0], known[slot, 1], known[slot, 2] = -1, 100, root
                    free = free_cards(there, p, piles, facts.first, rules)
                    start = size
                    size = push_removals(there, free, facts.sets, facts.ranks, rules, moves, size)
                    seen |= size > start
                    rank = seen if left == ANY else left
                    teller = known[slot, 2]
                    if rank >= known[slot, 1]:
                        won = True
                    elif (
                        rank <= known[slot, 0]
                        and (teller == root or found[teller] == LOST)
                        and keys[slot, 2] & ~stale & there == 0
                    ):
                        size = start
                    else:
                        known[slot, 0], known[slot, 2], keys[slot, 2] = rank, root, stale
                        turn = can_turn(there, p, left, seen, size > start, facts.first, rules)
                        if size <= len(moves):
                            size = fresh(moves, start, size, stale, facts.first, rules)
                        if turn:
                            size = push(moves, size, TURN)
                            if size <= len(moves):  # the turn is to be tried last
                                moves[size - 1], moves[start] = moves[start], TURN
                        if size > len(moves) or depth + 1 == FRAMES:
                            return length, limit + 1
                        depth += 1
                        frame = frames[depth]
                        frame[WORD], frame[PILES], frame[RANK] = word, piles, rank
                        frame[LEFT], frame[SEEN], frame[GROUPED] = left, seen, groups
                        frame[NEXT], frame[LAST] = size, start
                        frame[LINE], frame[SLOT] = made, slot
                        frame[FREE], frame[STALE] = free, stale
            if won:
                found[root], length = WON, made
                for i in range(depth + 1):
                    known[frames[i, SLOT], 0] = -1
                    known[frames[i, SLOT], 1] = frames[i, RANK]
                break
            if depth < 0:
                found[root] = LOST
                break
            frame = frames[depth]
            if frame[NEXT] == frame[LAST]:
                depth -= 1
                continue
            frame[NEXT] -= 1
            size = frame[NEXT]
            move = moves[size]
            there, p = frame[WORD] & ALL, (frame[WORD] >> PACK) + PYRAMID
            piles, left, seen = frame[PILES], frame[LEFT], frame[SEEN]
            groups, made = frame[GROUPED], frame[LINE] + 1
            line[made - 1] = move
            enter = True
            stale = frame[FREE] if move == TURN else frame[STALE]
            if move == TURN:
                p, piles, left, seen = turned(there, p, piles, left, seen, facts.first, rules)
            else:
                there, p, piles = without(there, p, piles, move)
                gone = groups_of(move, facts.bits)
                groups &= ~gone
                enter = not (sorted_out and is_lost(groups, gone, facts.needs))
    return length, nodes
