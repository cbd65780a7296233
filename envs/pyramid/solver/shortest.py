"""Pyramid with all cards known: the fewest moves to a win. A* with all positions in one table.

The bound adds up the removals that each group needs (`dead.bound_removals`), one for each king that
must go, and the deals without which the stock cannot give up what is needed (`dead.bound_turns`);
with ``many_sum`` it is the points that must go, thirteen a removal. At once and without asking go
only cards of which the way they go is certain (see `depth`): kings that must go, and a card that
must go together with the last one that it can go with; so a king of the deck stays, unless
``clear_all`` asks for it.
"""

from typing import Any

import numpy as np

from ...core.bits import count, lowest
from ...core.cards import PACK_SIZE
from ...core.jit import jit
from ..rules import KING, PYRAMID, TARGET
from .bounds import NEVER, bound_removals, bound_turns, group_cards_of, make_facts
from .depth_first import ALL, MOVES, scramble, settle
from .position import (
    FIRST,
    GOAL,
    RANKS,
    SETS,
    TURN,
    can_turn,
    free_cards,
    fresh,
    push,
    push_removals,
    turned,
    without,
)

NODES = 1 << 15
"""Room for so many positions at first; it doubles."""
NONE = -1
MOVE, STALE = 2, 3
PARENT, MADE, CLOSED = range(3)
"""What a node holds beside its position: the move that led to it; from which node, in how many
moves, and in how many when it was last left."""
LEFT_AT, SEEN_AT = 48, 52
"""In a node's second word ``left`` and ``seen`` stand above ``piles``."""


@jit
def find_node(slots: Any, words: Any, first_word: int, second: int) -> int:
    """The slot of a position, or the empty one where it belongs."""
    mask = len(slots) - 1
    slot = scramble(first_word, second) & mask
    while slots[slot] != NONE:
        node = slots[slot]
        if words[node, 0] == first_word and words[node, 1] == second:
            break
        slot = (slot + 1) & mask
    return slot


@jit
def double_nodes(words: Any, steps: Any) -> tuple[Any, Any, Any]:
    """The nodes in twice the room, and a new table of slots."""
    size = len(words)
    more, longer = np.empty((2 * size, 4), np.int64), np.empty((2 * size, 3), np.int32)
    more[:size] = words
    longer[:size] = steps
    slots = np.full(4 * size, NONE, np.int32)
    for node in range(size):
        slots[find_node(slots, more, more[node, 0], more[node, 1])] = node
    return more, longer, slots


@jit
def double_queue(entries: Any) -> Any:
    """The queue in twice the room."""
    longer = np.empty((2 * len(entries), 2), np.int32)
    longer[: len(entries)] = entries
    return longer


@jit
def bound(there: int, p: int, groups: int, facts: Any, rules: Any) -> int:
    """A number of moves without which there is no win, or at least `NEVER`."""
    must = there & facts[GOAL]
    if rules.many_sum:
        points = 0
        while must:
            points += facts[RANKS + lowest(must)]
            must &= must - 1
        return (points + TARGET - 1) // TARGET
    least = bound_removals(groups, facts)
    if least >= NEVER:
        return least
    return least + count(must & facts[SETS + KING]) + bound_turns(there, p, groups, facts, rules)


@jit
def fewest(root: Any, deck: Any, rules: Any, limit: int, most: int, line: Any) -> tuple[int, int]:
    """Find the shortest win of a root (there, p, piles, left, seen) of fewer than ``most`` moves.

    Returns its length, ``most`` if there is none, -1 after ``limit`` positions; and their number.
    ``line`` receives its moves.
    """
    facts = make_facts(deck, rules)
    words, steps = np.empty((NODES, 4), np.int64), np.empty((NODES, 3), np.int32)
    slots = np.full(2 * NODES, NONE, np.int32)
    heads, entries = np.full(most + 1, NONE, np.int32), np.empty((NODES, 2), np.int32)
    moves = np.zeros(MOVES, np.int64)
    there, p, piles, left, seen = root[0], root[1], root[2], root[3], root[4]
    used, queued, size, made, reached = 0, 0, 0, 0, 0
    move, parent, was_seen, stale, free = TURN, NONE, 0, 0, 0
    before, all_groups = there, group_cards_of(there, facts)
    while True:
        asked = made
        there, p, piles, made = settle(there, p, piles, left, facts[GOAL], facts, rules, line, made)
        seen |= made > asked
        word, second = there | (p - PYRAMID) << PACK_SIZE, piles | left << LEFT_AT | seen << SEEN_AT
        slot = find_node(slots, words, word, second)
        node = slots[slot]
        known = node != NONE
        wider = known and made == steps[node, MADE] and words[node, STALE] & ~stale & there != 0
        if not known or made < steps[node, MADE] or wider:
            groups = all_groups & ~group_cards_of(before & ~there, facts)
            total = made + bound(there, p, groups, facts, rules)
            if total < most:
                if not known:
                    if used == limit:
                        return -1, used
                    if used == len(words):
                        words, steps, slots = double_nodes(words, steps)
                        slot = find_node(slots, words, word, second)
                    node = used
                    used += 1
                    slots[slot] = node
                    words[node, 0], words[node, 1] = word, second
                if wider:
                    words[node, STALE] &= stale
                else:
                    words[node, MOVE], steps[node, PARENT], steps[node, MADE] = move, parent, made
                    words[node, STALE] = stale
                steps[node, CLOSED] = most
                if queued == len(entries):
                    entries = double_queue(entries)
                entries[queued, 0], entries[queued, 1] = node, heads[total]
                heads[total] = queued
                queued += 1
                reached = min(reached, total)
        while size == 0:
            while reached < most and heads[reached] == NONE:
                reached += 1
            if reached == most:
                return most, used
            entry = heads[reached]
            heads[reached] = entries[entry, 1]
            parent = entries[entry, 0]
            if steps[parent, CLOSED] <= steps[parent, MADE]:
                continue  # reached in fewer moves since it was queued, and left then
            steps[parent, CLOSED] = steps[parent, MADE]
            there, p, piles, left, seen = unpack_node(words[parent, 0], words[parent, 1])
            before, all_groups = there, group_cards_of(there, facts)
            if there & facts[GOAL] == 0:
                length = trace(words, steps, parent, moves)
                return replay(root, moves, length, facts, rules, line), used
            free = free_cards(there, p, piles, facts[FIRST], rules)
            size = push_removals(there, free, facts, rules, moves, 0)
            was_seen = seen | size > 0
            turn = can_turn(there, p, left, was_seen, size > 0, facts[FIRST], rules)
            if (
                rules.stock_play
                and rules.waste_piles == 1
                and free >> p & facts[SETS + KING] >> p & 1
            ):
                turn = False  # a king on top of the stock: to take it costs no more, and is better
            if size >= len(moves):
                return -1, used
            size = fresh(moves, 0, size, words[parent, STALE], facts[FIRST], rules)
            if turn:
                size = push(moves, size, TURN)
        there, p, piles, left, seen = unpack_node(words[parent, 0], words[parent, 1])
        made = int(steps[parent, MADE]) + 1
        size -= 1
        move = moves[size]
        stale = free if move == TURN else words[parent, STALE]
        there, p, piles, left, seen = after(
            there, p, piles, left, was_seen, move, facts[FIRST], rules
        )


@jit
def unpack_node(word: int, second: int) -> tuple[int, int, int, int, int]:
    """A node's there, p, piles, left and seen."""
    piles, left = second & ((1 << LEFT_AT) - 1), (second >> LEFT_AT) & 15
    return word & ALL, (word >> PACK_SIZE) + PYRAMID, piles, left, second >> SEEN_AT


@jit
def after(
    there: int, p: int, piles: int, left: int, seen: int, move: int, first: int, rules: Any
) -> tuple[int, int, int, int, int]:
    """The position after a move; ``seen`` counts the removals legal before it."""
    if move == TURN:
        p, piles, left, seen = turned(there, p, piles, left, seen, first, rules)
        return there, p, piles, left, seen
    there, p, piles = without(there, p, piles, move)
    return there, p, piles, left, 1


@jit
def trace(words: Any, steps: Any, node: int, moves: Any) -> int:
    """Write the moves chosen on the way to a node; return their number."""
    length, at = 0, node
    while steps[at, PARENT] != NONE:
        length += 1
        at = steps[at, PARENT]
    for i in range(length - 1, -1, -1):
        moves[i] = words[node, MOVE]
        node = steps[node, PARENT]
    return length


@jit
def replay(root: Any, moves: Any, length: int, facts: Any, rules: Any, line: Any) -> int:
    """Write the moves chosen and those made without asking into ``line``; return their number."""
    there, p, piles, left, seen = root[0], root[1], root[2], root[3], root[4]
    made = 0
    for i in range(length + 1):
        there, p, piles, made = settle(there, p, piles, left, facts[GOAL], facts, rules, line, made)
        if i < length:
            line[made] = moves[i]
            made += 1
            there, p, piles, left, seen = after(
                there, p, piles, left, seen, moves[i], facts[FIRST], rules
            )
    return made
