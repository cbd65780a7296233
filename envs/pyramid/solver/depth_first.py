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
- Before it is searched where what lies in the stock, it is as if all of the deck lay open: who
  cannot win so cannot win at all. Not with ``clear_all`` or ``many_sum``.
- In the last pass cards that can never go any more, and all under them, are no more: see `buried`.
"""

from typing import Any

import numpy as np

from ...core.bits import highest, lowest
from ...core.cards import PACK_SIZE
from ...core.jit import jit
from ..rules import KING, PYRAMID
from .bounds import group_cards_of, is_lost, make_facts
from .position import (
    FIRST,
    GOAL,
    NO_LIMIT,
    PARTNERS,
    SETS,
    TURN,
    can_turn,
    free_cards,
    free_kings,
    fresh,
    keep_touching,
    on_pile,
    push,
    push_pairs,
    push_removals,
    turned,
    without,
)
from .relaxed import relaxed_free_cards, remove_forced_relaxed

LOST, WON, OPEN = 0, 1, -1
"""What is known of a position; OPEN: the limit of nodes was met first."""
FRAMES = 2048
"""The longest line: 52 removals, and between any two of them the whole stock once."""
MOVES = 1 << 15
SLOTS = 1 << 10
NOBODY = -1
"""An empty slot of the table."""
NEVER_LOST, NEVER_WON = -1, 100
KEPT, KNOWLEDGE = 2, 3
"""Of a row of the table, behind the position: its stale cards, and what is `told`."""
WORD, PILES, RANK, LEFT, SEEN, GROUPED, NEXT, LAST, LINE, SLOT, FREE, STALE = range(12)
"""What a frame of the stack holds: the position (WORD: there and, above it, p), which of its moves
on their stack come next and last, how long the line to it is, its slot in the table."""
ALL = (1 << PACK_SIZE) - 1


@jit
def scramble(there_p: int, piles: int) -> int:
    """Hash a position."""
    word = there_p * 0x1D8E4E27C47D124F + piles * 0x2545F4914F6CDD1D
    word ^= (word >> 32) & 0xFFFFFFFF
    word *= 0x1D8E4E27C47D124F
    return word ^ (word >> 29) & 0x7FFFFFFFF


@jit
def find_slot(keys: Any, there_p: int, piles: int) -> int:
    """The slot of a position, or the empty one where it belongs."""
    mask = len(keys) - 1
    slot = scramble(there_p, piles) & mask
    while keys[slot, 0] != NOBODY and (keys[slot, 0] != there_p or keys[slot, 1] != piles):
        slot = (slot + 1) & mask
    return slot


@jit
def grown(table: Any) -> Any:
    """The table in twice the room."""
    more = np.full((2 * len(table), 4), NOBODY, np.int64)
    for old in range(len(table)):
        if table[old, 0] != NOBODY:
            more[find_slot(more, table[old, 0], table[old, 1])] = table[old]
    return more


@jit
def told(lost: int, won: int, root: int) -> int:
    """Pack what is known of a position: lost with ``lost`` redeals left, won with ``won``.

    `NEVER_LOST` and `NEVER_WON` stand for neither. ``root`` is the root that it was reached from.
    """
    return lost + 1 | won << 8 | root << 16


@jit
def find_forced_removal(
    there: int, p: int, piles: int, sparing: int, facts: Any, rules: Any
) -> int:
    """A removal that can be made at once without a loss, or 0; see above."""
    free = free_cards(there, p, piles, facts[FIRST], rules)
    table = (1 << facts[FIRST]) - 1
    one_pile = rules.waste_piles == 1
    kings = free_kings(there, free, facts[SETS + KING], rules) & sparing
    if not one_pile:
        kings &= table
    if kings:
        return kings & -kings
    if rules.many_sum:
        return 0
    rest = free & facts[GOAL]
    if not one_pile:
        rest &= table
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        others = facts[PARTNERS + card] & there
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
        rest = on_pile(there, p, piles, pile, facts[FIRST])
        while rest:
            card = highest(rest)
            rest &= ~(1 << card)
            if facts[PARTNERS + card] & there == 0:
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
    while there & facts[GOAL]:
        gone = find_forced_removal(there, p, piles, sparing, facts, rules)
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
def decide_winnable(
    roots: Any, deck: Any, rules: Any, limit: int, found: Any, line: Any
) -> tuple[int, int]:
    """Say of each root (there, p, piles, left, seen) in ``found`` whether it can be won.

    With one root ``line`` receives the moves that win. Returns how many those are, and how many
    positions were looked at; after ``limit`` of them the rest stays OPEN.
    """
    facts = make_facts(deck, rules)
    found[:] = OPEN
    nodes = 0
    if not rules.clear_all and not rules.many_sum and roots[0, 3] > 0:
        _, nodes = search(roots, facts, rules, limit, True, found, line)
        for root in range(len(roots)):
            if found[root] == WON:
                found[root] = OPEN
    length, more = search(roots, facts, rules, max(limit - nodes, 0), False, found, line)
    return length, nodes + more


@jit
def search(
    roots: Any, facts: Any, rules: Any, limit: int, loose: bool, found: Any, line: Any
) -> tuple[int, int]:
    """Do what `decide_winnable` says for the roots that are OPEN.

    ``loose``: as if all cards of the deck lay open at all times (of equal ones the first is taken).
    Who cannot win so cannot win at all; that is found out soon, for it does not matter what has
    been dealt. Not with ``clear_all`` or ``many_sum``.
    """
    sorted_out = not rules.many_sum
    frames, moves = np.zeros((FRAMES, 12), np.int64), np.zeros(MOVES, np.int64)
    table = np.full((SLOTS, 4), NOBODY, np.int64)
    used, nodes, length = 0, 0, 0
    for root in range(len(roots)):
        if found[root] != OPEN:
            continue
        there, p, piles, left, seen = (
            roots[root, 0], roots[root, 1], roots[root, 2], roots[root, 3], roots[root, 4],
        )  # fmt: skip
        if loose:
            p, piles, left, seen = PACK_SIZE, 0, NO_LIMIT, 1
        groups = group_cards_of(there, facts)
        depth, size, made, stale = -1, 0, 0, 0
        enter = not (sorted_out and is_lost(groups, groups, facts))
        while True:
            won = False
            if enter:
                enter = False
                before, asked = there, made
                if loose:
                    there = remove_forced_relaxed(there, facts, rules)
                else:
                    there, p, piles, made = settle(
                        there, p, piles, left, -1, facts, rules, line, made
                    )
                    seen |= made > asked
                won = there & facts[GOAL] == 0
                if before != there and sorted_out and not won:
                    gone = group_cards_of(before & ~there, facts)
                    groups &= ~gone
                    if is_lost(groups, gone, facts):
                        there = 0
                if there and not won:
                    nodes += 1
                    if nodes > limit:
                        return length, nodes
                    if 2 * used > len(table):
                        table = grown(table)
                        for i in range(depth + 1):
                            frames[i, SLOT] = find_slot(table, frames[i, WORD], frames[i, PILES])
                    word = there | (p - PYRAMID) << PACK_SIZE
                    slot = find_slot(table, word, piles)
                    row = table[slot]
                    if row[0] == NOBODY:
                        used += 1
                        row[0], row[1], row[KNOWLEDGE] = (
                            word,
                            piles,
                            told(NEVER_LOST, NEVER_WON, root),
                        )
                    start = size
                    if loose:
                        free = relaxed_free_cards(there, facts)
                        size = push_pairs(there, free, facts, rules, moves, size)
                        size = keep_touching(moves, start, size, (1 << facts[FIRST]) - 1)
                    else:
                        free = free_cards(there, p, piles, facts[FIRST], rules)
                        size = push_removals(there, free, facts, rules, moves, size)
                    seen |= size > start
                    rank = seen if left == NO_LIMIT else left
                    lost_at, won_at = (row[KNOWLEDGE] & 255) - 1, (row[KNOWLEDGE] >> 8) & 255
                    teller = row[KNOWLEDGE] >> 16
                    if rank >= won_at:
                        won = True
                    elif (
                        rank <= lost_at
                        and (teller == root or found[teller] == LOST)
                        and row[KEPT] & ~stale & there == 0
                    ):
                        size = start
                    else:
                        row[KNOWLEDGE], row[KEPT] = told(rank, won_at, root), stale
                        if not loose:
                            turn = can_turn(there, p, left, seen, size > start, facts[FIRST], rules)
                            if size <= len(moves):
                                size = fresh(moves, start, size, stale, facts[FIRST], rules)
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
                    frame = frames[i]
                    table[frame[SLOT], KNOWLEDGE] = told(NEVER_LOST, frame[RANK], root)
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
            there, p = frame[WORD] & ALL, (frame[WORD] >> PACK_SIZE) + PYRAMID
            piles, left, seen = frame[PILES], frame[LEFT], frame[SEEN]
            groups, made = frame[GROUPED], frame[LINE] + 1
            line[made - 1] = move
            enter = True
            stale = frame[FREE] if move == TURN else frame[STALE]
            if move == TURN:
                p, piles, left, seen = turned(there, p, piles, left, seen, facts[FIRST], rules)
                continue
            if loose:
                there &= ~move
            else:
                there, p, piles = without(there, p, piles, move)
            gone = group_cards_of(move, facts)
            groups &= ~gone
            enter = not (sorted_out and is_lost(groups, gone, facts))
    return length, nodes
