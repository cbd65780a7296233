"""Klondike without partial runs, all cards known: can a position be won? Exactly.

Where only whole runs move, it matters on which of two twins a card lies: see `position`. That is
kept in a set beside the position, ``onto``: of each loose card that is no king, whether it lies on
the second twin. What is lost with partial runs is lost here, too (`relaxed`); what can never hurt
there cannot here: a run that moves does so without the card that went up. Every position is kept,
with the one before it, and the newest is looked at first.
"""

from typing import Any, TypeAlias

import numpy as np

from ....core.contract import LOST, UNDECIDED, WINNABLE
from ....core.kernel.bits import lowest
from ....core.kernel.jit import jit
from .card_sets import (
    ACES,
    FIRST_TWINS,
    KINGS,
    NEXT,
    SUITS,
    cards_next,
    cards_up,
    height,
    suit_of,
)
from .depth_first import is_won
from .frames import COLUMNS, Search
from .moves import REVEAL, STOCK_DOWN, STOCK_UP, safe_to_go, useful_to_return
from .position import Board, Sight, count_empty, left_in, look, take_head
from .relaxed import is_hopeless
from .stock import list_reachable
from .table import FREE, key_of

UP, BACK = 8, 9
"""Kinds of moves beside those of `moves`: the next card of a suit goes up, the top one back."""
NODES = 1 << 10
"""Room for so many positions at first; it doubles."""
MOST_AFTER = 128
"""More than the positions that follow one."""
NODE = np.dtype(
    [
        ("columns", np.int64),  # as in a `Board`
        ("stock", np.int64),
        ("waste", np.int64),
        ("redeals", np.int64),
        ("up", np.int64),
        ("onto", np.int64),
        ("before", np.int64),  # the position before it, -1: none
        ("move", np.int64),  # the move from there: see `pack_move`
        ("older", np.int64),  # the one to be looked at after it, -1: none
    ]
)
Node: TypeAlias = Any
"""One record of NODE."""


@jit
def pack_move(kind: int, number: int, twin: int) -> int:
    """Pack a move: its kind, the column, stock number or suit, the twin that it goes to."""
    return kind | number << 4 | twin << 9


@jit
def bare_cards(there: int, loose: int, onto: int) -> int:
    """The cards in sight on which nothing lies."""
    first, second = loose & ~onto & ~KINGS, loose & onto
    on_first = (first | first >> 1) & FIRST_TWINS
    on_second = (second | second >> 1) & FIRST_TWINS
    return there & ~(on_first << 4 | on_second << 5)


@jit
def mix(key: int, onto: int) -> int:
    """Hash a position."""
    word = (key ^ key >> 31) * 0x1D8E4E27C47D124F + onto * 0x2545F4914F6CDD1D
    word = (word ^ (word >> 29) & 0x7FFFFFFFF) * 0x1D8E4E27C47D124F
    return word ^ (word >> 31) & 0x1FFFFFFFF


@jit
def board_of(node: Node) -> Board:
    """The board of a record of NODE."""
    return Board(node["columns"], node["stock"], node["waste"], node["redeals"])


@jit(inline="always")  # else Numba counts references to the arrays at every call
def find_node(slots: np.ndarray, nodes: np.ndarray, board: Board, up: int, onto: int) -> int:
    """The slot of a position, or the free one where it belongs."""
    mask, key = len(slots) - 1, key_of(board, up)
    slot = mix(key, onto) & mask
    while slots[slot] != FREE:
        node = nodes[slots[slot]]
        if node["onto"] == onto and key_of(board_of(node), node["up"]) == key:
            break
        slot = (slot + 1) & mask
    return slot


@jit
def make_room(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positions in twice the room, and their slots."""
    more = np.empty(2 * len(nodes), NODE)
    more[: len(nodes)] = nodes
    return more, np.full(4 * len(nodes), FREE, np.int64)


@jit
def add_node(
    board: Board,
    up: int,
    onto: int,
    before: int,
    move: int,
    nodes: np.ndarray,
    slots: np.ndarray,
    search: Search,
) -> None:
    """Add a position, if it is new; ``depth`` is the newest, and ``full`` tells of a win."""
    slot = find_node(slots, nodes, board, up, onto)
    if slots[slot] != FREE or search["full"]:
        return
    number = search["used"]
    slots[slot] = number
    node = nodes[number]
    node["columns"], node["stock"] = board.columns, board.stock
    node["waste"], node["redeals"] = board.waste, board.redeals
    node["up"], node["onto"] = up, onto
    node["before"], node["move"], node["older"] = before, move, search["depth"]
    search["used"], search["depth"] = number + 1, number
    search["full"] = is_won(board, up, search)


@jit
def add_down(
    board: Board,
    up: int,
    onto: int,
    card: int,
    room: int,
    move: int,
    before: int,
    nodes: np.ndarray,
    slots: np.ndarray,
    search: Search,
) -> None:
    """Add what follows when a card goes to the tableau: to an empty column, or onto a bare twin.

    ``room``: the bare cards, and the kings if a column is empty.
    """
    if card & KINGS:
        if room >> 56:
            add_node(board, up, onto, before, move, nodes, slots, search)
        return
    place = lowest(card)
    for twin in range(2):
        if room >> (place & ~1) + 4 + twin & 1:
            move_to = move | pack_move(0, 0, twin)
            add_node(board, up, onto | twin << place, before, move_to, nodes, slots, search)


@jit
def take_stock(board: Board, row: int, search: Search) -> Board:
    """The board without a card of the stock that can be had."""
    reach = search["reach"][row]
    return Board(board.columns, board.stock & ~(1 << reach[0]), reach[2], reach[3])


@jit
def take_column(board: Board, column: int, search: Search) -> Board:
    """The board without the head of a column."""
    columns = take_head(board.columns, column, search)
    return Board(columns, board.stock, board.waste, board.redeals)


@jit
def add_up(
    board: Board,
    up: int,
    onto: int,
    card: int,
    before: int,
    sight: Sight,
    nodes: np.ndarray,
    slots: np.ndarray,
    search: Search,
) -> None:
    """Add what follows when a card of the tableau goes up."""
    suit, after = suit_of(lowest(card)), board
    if card & sight.heads:
        for column in range(COLUMNS):
            left = left_in(board.columns, column)
            if left and search["dealt"][column, left - 1] == card:
                after = take_column(board, column, search)
    move = pack_move(UP, suit, 0)
    add_node(after, up + (1 << 4 * suit), onto & ~card, before, move, nodes, slots, search)


@jit
def add_stock(
    board: Board,
    up: int,
    onto: int,
    room: int,
    past_redeal: bool,
    before: int,
    nodes: np.ndarray,
    slots: np.ndarray,
    search: Search,
) -> None:
    """Add what follows when a card of the stock is played."""
    nexts = cards_next(up)
    for row in range(search["reached"]):
        number, card = search["reach"][row, 0], search["reach"][row, 1]
        if search["reach"][row, 4] and not past_redeal:
            continue
        after = take_stock(board, row, search)
        if card & ~ACES:
            move = pack_move(STOCK_DOWN, number, 0)
            add_down(after, up, onto, card, room, move, before, nodes, slots, search)
        if card & nexts:
            new = up + (1 << 4 * suit_of(lowest(card)))
            move = pack_move(STOCK_UP, number, 0)
            add_node(after, new, onto, before, move, nodes, slots, search)


@jit
def forced_stock(board: Board, up: int, safe: int, search: Search) -> int:
    """The row of a card of the stock that goes up and can never hurt, -1 if none: see `expand`."""
    if search["any_passes"] and (search["draw"] == 1 or board.waste == 0):
        first = 0 if search["draw"] == 1 else max(search["reached"] - 1, 0)
        for row in range(first, search["reached"]):
            if search["reach"][row, 1] & safe:
                return row
    return -1


@jit
def add_all(before: int, nodes: np.ndarray, slots: np.ndarray, search: Search) -> None:
    """Add what follows a position, what is to be looked at first last."""
    node = nodes[before]
    board, up, onto = board_of(node), node["up"], node["onto"]
    sight = look(board, list_reachable(board, search), search)
    if is_hopeless(board, up, sight, search):
        return
    there = sight.known & ~cards_up(up)
    loose = there & ~sight.heads
    bare, safe = bare_cards(there, loose, onto), safe_to_go(up, search["worry_back"])
    rises = there & cards_next(up) & bare
    if rises & safe:
        card = rises & safe & -(rises & safe)
        add_up(board, up, onto, card, before, sight, nodes, slots, search)
        return
    row = forced_stock(board, up, safe, search)
    if row >= 0:
        new = up + (1 << 4 * suit_of(lowest(search["reach"][row, 1])))
        after, move = (
            take_stock(board, row, search),
            pack_move(STOCK_UP, search["reach"][row, 0], 0),
        )
        add_node(after, new, onto, before, move, nodes, slots, search)
        return
    room = bare | (1 << 56 if count_empty(sight, loose) > 0 else 0)
    if search["worry_back"]:
        back = useful_to_return(up)
        for suit in range(SUITS):
            if height(up, suit) and back & NEXT[suit, height(up, suit) - 1]:
                card, move = NEXT[suit, height(up, suit) - 1], pack_move(BACK, suit, 0)
                new = up - (1 << 4 * suit)
                add_down(board, new, onto, card, room, move, before, nodes, slots, search)
    past_redeal = True
    if search["any_passes"] and search["draw"] > 1 and board.stock:
        last = search["reach"][search["reached"] - 1, 1]
        past_redeal = last & safe == 0
    add_stock(board, up, onto, room, past_redeal, before, nodes, slots, search)
    while rises:
        add_up(board, up, onto, rises & -rises, before, sight, nodes, slots, search)
        rises &= rises - 1
    for column in range(COLUMNS):
        left = left_in(board.columns, column)
        if left:
            head, after = search["dealt"][column, left - 1], take_column(board, column, search)
            move = pack_move(REVEAL, column, 0)
            add_down(after, up, onto, head, room, move, before, nodes, slots, search)


@jit
def decide_whole_runs(board: Board, up: int, onto: int, search: Search) -> tuple[int, np.ndarray]:
    """Say whether a position can be won; return also the positions met.

    Of a win the last position is ``depth``. After ``limit`` positions it stays `UNDECIDED`.
    """
    nodes, slots = np.empty(NODES, NODE), np.full(2 * NODES, FREE, np.int64)
    search["used"] = search["full"] = 0
    search["depth"] = -1
    add_node(board, up, onto, -1, 0, nodes, slots, search)
    while search["depth"] >= 0 and not search["full"]:
        if search["used"] >= search["limit"]:
            return UNDECIDED, nodes
        if search["used"] + MOST_AFTER > len(nodes):
            nodes, slots = make_room(nodes)
            for number in range(search["used"]):
                node = nodes[number]
                slot = find_node(slots, nodes, board_of(node), node["up"], node["onto"])
                slots[slot] = number
        number = search["depth"]
        search["depth"] = nodes[number]["older"]
        add_all(number, nodes, slots, search)
    return (WINNABLE if search["full"] else LOST), nodes
