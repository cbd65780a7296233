"""Pyramid solver: positions, moves and forced moves.

Cards are stored as sets of deck positions in an int64. A move is either a removal, which is the set
of removed cards, or `TURN`.

The searches make forced removals immediately, without trying other moves:

- A king of the pyramid that can go. It must go, and its removal only frees cards.
- A king of the deck that is in play, if it leaves no trace (`leaves_no_trace`): every move that is
  possible with the king is also possible without it.
- A free card that must go, together with its last partner, if the partner is also free. No third
  card may be able to join (so not with ``many_sum``), and both cards must be on the table or leave
  no trace.
- In the last pass, cards that can never be removed, and all cards under them, count as removed; see
  `find_buried`.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ....core.kernel.bits import highest, lowest
from ....core.kernel.cards import PACK_SIZE
from ....core.kernel.jit import jit
from ....core.type_aliases import Positions, RulesRecord, State
from ..kernel import COVERERS, COVERS, PYRAMID_SET, find_uncovered
from ..rules import KING, PYRAMID, TARGET

NO_STOCK = PACK_SIZE
"""Value of `Position.stock_top` if the stock is empty."""
NO_LIMIT = 15
"""Value of `Position.redeals_left` if redeals are unlimited."""
THIRD = 24
"""Offset of the third pile's bits in `Position.piles`, where bit 0 of the second is card 28."""
HALF = (1 << THIRD) - 1
TURN = -1
"""The move that deals, or redeals if the stock is empty."""
BUT_THE_LAST = 2
"""A value of ``stock_play`` for `research.one_pass` only, which is not an option of the game. The
last card of the stock is not in play until it has been dealt."""
CARDS = (1 << PACK_SIZE) - 1
GROUPS = TARGET // 2
GROUP_SIZE = 8
SUBSETS = 1 << GROUP_SIZE
"""Number of groups; the cards of two values that total 13 form a group of eight. See `bounds`."""

FACTS = np.dtype(
    [
        ("stock_start", np.int64),  # the deck position at which the stock begins
        ("goal", np.int64),  # set of the cards that must go
        ("ranks", np.int64, PACK_SIZE),  # the value at each deck position
        ("cards_of", np.int64, KING + 1),  # set of the cards of each value
        ("group_bits", np.int64, PACK_SIZE),  # see `bounds.number_groups`
        ("partners", np.int64, PACK_SIZE),  # see `bounds.fill_needs`, also for the next field
        ("needs", np.int64, (GROUPS, SUBSETS)),
    ]
)
"""Facts that never change during a game with given rules; see `bounds.fill_facts`."""
Facts: TypeAlias = Any  # one record of FACTS

POSITION = np.dtype(
    [
        ("remaining", np.int64),
        ("stock_top", np.int64),
        ("piles", np.int64),
        ("redeals_left", np.int64),
        ("removal_seen", np.int64),
    ]
)
"""A `Position` as a record."""


class Position(NamedTuple):
    """Everything on which the rest of a game depends, besides the deck and the rules."""

    remaining: Positions
    """The set of cards that are not removed."""
    stock_top: int
    """The first card of the stock, or `NO_STOCK`. Cards of the deck before it are waste."""
    piles: int
    """The cards of the second and third waste piles, see `THIRD`. With ``held``, the held card
    takes the place of the second pile."""
    redeals_left: int
    """Redeals left; `NO_LIMIT` if they are unlimited."""
    removal_seen: int
    """1 if a removal was legal since the last redeal. Used only if redeals depend on it.

    With UNDO the number of redeals is unlimited, so the first redeal needs no legal removal before
    it. A whole pass without a legal removal leads back to the position in which it began, so no win
    needs two such passes in a row.
    """


# Positions


@jit
def first_of(cards: Positions) -> int:
    """Return the first of a set of cards, or `NO_STOCK`."""
    return lowest(cards) if cards else NO_STOCK


@jit
def next_card(remaining: Positions, position: int) -> int:
    """Return the first card after a deck position, or `NO_STOCK`."""
    return first_of(remaining >> (position + 1) << (position + 1))


@jit
def cards_on_pile(at: Position, pile: int, start: int) -> Positions:
    """Return the cards on a waste pile. ``start`` is the deck position at which the stock began."""
    second = (at.piles & HALF) << PYRAMID
    third = (at.piles >> THIRD) << PYRAMID
    if pile == 1:
        return at.remaining & second
    if pile == 2:
        return at.remaining & third
    return at.remaining & ((1 << at.stock_top) - 1) & ~((1 << start) - 1) & ~second & ~third


@jit
def deck_tops(at: Position, start: int, rules: RulesRecord) -> Positions:
    """Return the cards of stock and waste that are in play."""
    tops = 0
    for pile in range(rules.waste_piles + rules.held):
        waste = cards_on_pile(at, pile, start)
        if waste:
            tops |= 1 << highest(waste)
    last_stays = rules.stock_play == BUT_THE_LAST and at.remaining >> (at.stock_top + 1) == 0
    if rules.stock_play and at.stock_top < NO_STOCK and not last_stays:
        tops |= 1 << at.stock_top
    return tops


@jit
def free_table_cards(remaining: Positions, start: int) -> Positions:
    """Return the free cards of pyramid and extra row."""
    tableau = remaining & ((1 << start) - 1)
    return find_uncovered(tableau & PYRAMID_SET) | tableau & ~PYRAMID_SET


@jit
def free_cards(at: Position, start: int, rules: RulesRecord) -> Positions:
    """Return the set of cards that can be removed without removing their coverers."""
    return free_table_cards(at.remaining, start) | deck_tops(at, start, rules)


@jit
def free_kings(
    remaining: Positions, free: Positions, kings: Positions, rules: RulesRecord
) -> Positions:
    """Return the set of kings that can go."""
    return kings & (free | remaining & PYRAMID_SET) if rules.covered_kings else kings & free


@jit
def leaves_no_trace(rules: RulesRecord) -> bool:
    """Return whether removing a card of the deck leaves the others as if it had never existed.

    With more than one waste pile, or several cards turned together, the removal changes the order
    and the piles of later cards.
    """
    return rules.waste_piles == 1 and rules.turn == 1


@jit
def pack_cards(at: Position) -> int:
    """Pack ``remaining`` and ``stock_top`` into one number."""
    return at.remaining | (at.stock_top - PYRAMID) << PACK_SIZE


@jit
def unpack_cards(word: int) -> tuple[Positions, int]:
    """Return ``remaining`` and ``stock_top`` from the result of `pack_cards`."""
    return word & CARDS, (word >> PACK_SIZE) + PYRAMID


@jit
def hash_position(cards: int, rest: int) -> int:
    """Return the hash of a position, given as the result of `pack_cards` and a second number."""
    word = cards * 0x1D8E4E27C47D124F + rest * 0x2545F4914F6CDD1D
    word ^= (word >> 32) & 0xFFFFFFFF
    word *= 0x1D8E4E27C47D124F
    return word ^ (word >> 29) & 0x7FFFFFFFF


@jit
def read_position(record: Any) -> Position:
    """Return the position in a record of POSITION."""
    return Position(
        record["remaining"],
        record["stock_top"],
        record["piles"],
        record["redeals_left"],
        record["removal_seen"],
    )


@jit
def write_position(record: Any, at: Position) -> None:
    """Write a position into a record of POSITION."""
    record["remaining"], record["stock_top"], record["piles"] = at.remaining, at.stock_top, at.piles
    record["redeals_left"], record["removal_seen"] = at.redeals_left, at.removal_seen


@jit
def read_state(s: State, rules: RulesRecord) -> Position:
    """Convert a state of the game to a position."""
    held, waste = s["held"], s["waste"]
    remaining = s["table"] | s["stock"] | held | waste[0] | waste[1] | waste[2]
    piles = (waste[1] | held) >> PYRAMID | waste[2] >> PYRAMID << THIRD
    redeals_left = rules.passes - 1 - s["redeals"] if rules.passes else NO_LIMIT
    removal_seen = int(rules.undo or s["shown"]["removal_seen"] != 0)
    return Position(remaining, first_of(s["stock"]), piles, redeals_left, removal_seen)


# Moves


@jit
def remove_cards(at: Position, gone: Positions) -> Position:
    """Remove cards without a check that this is legal."""
    remaining = at.remaining & ~gone
    deck = remaining >> PYRAMID
    stock_top = first_of(remaining >> at.stock_top << at.stock_top)
    piles = at.piles & (deck | deck << THIRD)
    return Position(remaining, stock_top, piles, at.redeals_left, at.removal_seen)


@jit
def note_removal(at: Position, is_legal: bool) -> Position:
    """Record in ``removal_seen`` whether a removal is, or was, legal."""
    removal_seen = at.removal_seen | is_legal
    return Position(at.remaining, at.stock_top, at.piles, at.redeals_left, removal_seen)


@jit
def can_deal(at: Position, rules: RulesRecord) -> bool:
    """Return whether a turn is a deal: the stock is not empty, or a card is held."""
    return at.stock_top < NO_STOCK or (rules.held and at.piles != 0)


@jit
def can_turn(at: Position, is_removal_legal: bool, start: int, rules: RulesRecord) -> bool:
    """Return whether a deal or a redeal is possible."""
    if rules.deal_when and is_removal_legal:
        return False
    if can_deal(at, rules):
        return True
    if at.remaining >> start == 0:
        return False
    return at.removal_seen != 0 if at.redeals_left == NO_LIMIT else at.redeals_left > 0


@jit
def turn_stock(at: Position, start: int, rules: RulesRecord) -> Position:
    """Deal, or turn the waste over."""
    if not can_deal(at, rules):
        stock_top = lowest(at.remaining >> start << start)
        return Position(
            at.remaining, stock_top, 0, at.redeals_left - (at.redeals_left != NO_LIMIT), 0
        )
    if rules.held:
        piles = 1 << (at.stock_top - PYRAMID) if at.stock_top < NO_STOCK else 0
        stock_top = next_card(at.remaining, at.stock_top)
        return Position(at.remaining, stock_top, piles, at.redeals_left, at.removal_seen)
    stock_top, piles = at.stock_top, at.piles
    for pile in range(rules.waste_piles):
        for _ in range(rules.turn):
            if stock_top == NO_STOCK:
                break
            if pile == 1:
                piles |= 1 << (stock_top - PYRAMID)
            elif pile == 2:
                piles |= 1 << (stock_top - PYRAMID + THIRD)
            stock_top = next_card(at.remaining, stock_top)
    return Position(at.remaining, stock_top, piles, at.redeals_left, at.removal_seen)


@jit
def play_move(at: Position, move: int, start: int, rules: RulesRecord) -> Position:
    """Make a removal or a `TURN`."""
    return turn_stock(at, start, rules) if move == TURN else remove_cards(at, move)


# Lists of removals, on a stack of moves


@jit
def can_go(
    remaining: Positions, free: Positions, taken: Positions, place: int, rules: RulesRecord
) -> bool:
    """Return whether a card is free, possibly only after the cards taken are removed."""
    if (free >> place) & 1:
        return True
    if not rules.match_cover or place >= PYRAMID or (remaining >> place) & 1 == 0:
        return False
    return remaining & ~taken & COVERERS[place] == 0


@jit
def push(moves: np.ndarray, size: int, move: int) -> int:
    """Push a move and return the new size. A full stack drops the move but still counts it."""
    if size < len(moves):
        moves[size] = move
    return size + 1


@jit
def push_pairs(
    remaining: Positions,
    free: Positions,
    facts: Facts,
    rules: RulesRecord,
    moves: np.ndarray,
    size: int,
) -> int:
    """Push all removals of two cards, and return the new size of the stack."""
    for value in range(1, TARGET // 2 + 1):
        low = facts["cards_of"][value] & free
        high = facts["cards_of"][TARGET - value] & free
        while low:
            card = low & -low
            low &= low - 1
            partners = high
            while partners:
                size = push(moves, size, card | partners & -partners)
                partners &= partners - 1
    if rules.match_cover:
        rest = free & PYRAMID_SET
        while rest:
            slot = lowest(rest)
            rest &= rest - 1
            for side in range(2):
                under = COVERS[slot, side]
                if (
                    under >= 0
                    and (remaining >> under) & 1
                    and remaining & ~(1 << slot) & COVERERS[under] == 0
                    and facts["ranks"][under] + facts["ranks"][slot] == TARGET
                ):
                    size = push(moves, size, 1 << slot | 1 << under)
    return size


@jit
def push_sums(
    remaining: Positions,
    free: Positions,
    facts: Facts,
    rules: RulesRecord,
    moves: np.ndarray,
    size: int,
) -> int:
    """Push all removals of two or more cards (``many_sum``), and return the new size of the stack.

    This is a depth-first search whose own stack is the set of cards taken, from the last card down.
    """
    taken, need, place = 0, TARGET, PACK_SIZE - 1
    while True:
        while place >= 0:
            value = facts["ranks"][place] if (remaining >> place) & 1 else KING
            if value < KING and value <= need and can_go(remaining, free, taken, place, rules):
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
        need += facts["ranks"][place]
        place -= 1


@jit
def push_removals(
    remaining: Positions,
    free: Positions,
    facts: Facts,
    rules: RulesRecord,
    moves: np.ndarray,
    size: int,
) -> int:
    """Push all removals, and return the new size of the stack."""
    kings = free_kings(remaining, free, facts["cards_of"][KING], rules)
    while kings:
        size = push(moves, size, kings & -kings)
        kings &= kings - 1
    if rules.many_sum:
        return push_sums(remaining, free, facts, rules, moves, size)
    return push_pairs(remaining, free, facts, rules, moves, size)


@jit
def keep_touching(moves: np.ndarray, start: int, size: int, cards: Positions) -> int:
    """Drop all removals on the stack from ``start`` on that contain none of ``cards``."""
    new_size = start
    for i in range(start, size):
        if moves[i] & cards:
            moves[new_size] = moves[i]
            new_size += 1
    return new_size


@jit
def drop_stale(
    moves: np.ndarray, start: int, size: int, stale: Positions, facts: Facts, rules: RulesRecord
) -> int:
    """Drop all removals on the stack from ``start`` on that contain only stale cards.

    A card is stale if it was free before the last turn. A removal of stale cards could have been
    made before that turn, which is never worse: it frees cards and leaves fewer cards to deal. If
    removing a card of the deck leaves a trace, this holds only for the cards on the table.
    """
    if not leaves_no_trace(rules):
        stale &= (1 << facts["stock_start"]) - 1
    return keep_touching(moves, start, size, ~stale)


# Forced removals


@jit
def find_forced_removal(
    at: Position, kings_allowed: Positions, facts: Facts, rules: RulesRecord
) -> Positions:
    """Return a removal that can be made immediately without a loss, or 0."""
    free = free_cards(at, facts["stock_start"], rules)
    tableau = (1 << facts["stock_start"]) - 1
    deck_cards_too = leaves_no_trace(rules)
    kings = free_kings(at.remaining, free, facts["cards_of"][KING], rules) & kings_allowed
    if not deck_cards_too:
        kings &= tableau
    if kings:
        return kings & -kings
    if rules.many_sum:
        return 0
    rest = free & facts["goal"]
    if not deck_cards_too:
        rest &= tableau
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        partners = facts["partners"][card] & at.remaining
        is_last = partners & (partners - 1) == 0
        if partners & free and is_last and (deck_cards_too or partners & tableau):
            return 1 << card | partners
    return 0


@jit
def find_buried(at: Position, facts: Facts, rules: RulesRecord) -> Positions:
    """Return the waste cards that can never go in the last pass, and all cards under them.

    A held card buries nothing before it is laid down. The result is empty with ``clear_all``, where
    these cards must go, and with ``many_sum``, where several cards could go together.
    """
    if rules.clear_all or rules.many_sum:
        return 0
    buried = 0
    for pile in range(rules.waste_piles):
        rest = cards_on_pile(at, pile, facts["stock_start"])
        while rest:
            card = highest(rest)
            rest &= ~(1 << card)
            if facts["partners"][card] & at.remaining == 0:
                buried |= 1 << card | rest
                break
    return buried


@jit
def remove_forced(
    at: Position,
    kings_allowed: Positions,
    facts: Facts,
    rules: RulesRecord,
    line: np.ndarray,
    length: int,
) -> tuple[Position, int]:
    """Make all forced removals and append them to ``line``, which has ``length`` moves.

    Only the kings in ``kings_allowed`` go. Returns the position and the length of the line.
    """
    length_before = length
    while at.remaining & facts["goal"]:
        gone = find_forced_removal(at, kings_allowed, facts, rules)
        if gone:
            line[length] = gone
            length += 1
        elif at.redeals_left == 0:
            gone = find_buried(at, facts, rules)
        if gone == 0:
            break
        at = remove_cards(at, gone)
    return note_removal(at, length > length_before), length


# The relaxed game, in which all cards of the deck are open. A position lost there is lost.


@jit
def relaxed_free_cards(remaining: Positions, facts: Facts) -> Positions:
    """Return the free cards of the table, and the first card of each value in the deck."""
    free = free_table_cards(remaining, facts["stock_start"])
    deck = remaining & ~((1 << facts["stock_start"]) - 1)
    for value in range(1, KING + 1):
        cards = facts["cards_of"][value] & deck
        free |= cards & -cards
    return free


@jit
def remove_forced_relaxed(remaining: Positions, facts: Facts, rules: RulesRecord) -> Positions:
    """Remove the kings of the pyramid that can go, and return the cards left."""
    while True:
        free = find_uncovered(remaining & PYRAMID_SET)
        kings = free_kings(remaining, free, facts["cards_of"][KING], rules) & PYRAMID_SET
        if kings == 0:
            return remaining
        remaining &= ~kings
