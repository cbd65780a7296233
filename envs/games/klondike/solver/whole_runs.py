"""Klondike solver for whole runs only, with all cards known.

An exact search decides whether a position can be won. If only whole runs may move, it matters which
of two twins carries a card (see `position`). The set ``onto`` has the loose cards, without kings,
that are on the second twin. A position that is lost with partial runs is also lost here
(`is_hopeless`). Sending a card up can hurt here although it cannot with partial runs, because the
run then moves without the card. The search stores every position with its predecessor, and expands
the newest position first.
"""

from typing import Any, NamedTuple

import numpy as np

from ....core.contract import LOST, UNDECIDED, WINNABLE
from ....core.kernel.bits import lowest
from ....core.kernel.jit import jit
from .card_sets import (
    ACES,
    FIRST_TWINS,
    KING,
    KINGS,
    NEXT,
    SUITS,
    cards_next,
    cards_up,
    height,
    suit_of,
)
from .depth_first import REVEAL, STOCK_DOWN, STOCK_UP, safe_to_go, useful_to_return
from .position import (
    COLUMNS,
    FREE,
    MOST_AFTER,
    SUCCESSOR,
    Board,
    Search,
    count_empty,
    find_safe_stock,
    head_of,
    is_hopeless,
    is_won,
    key_of,
    last_of_stock,
    list_reachable,
    look,
    read_board,
    take_head,
    write_board,
)

UP, BACK = 8, 9
"""Kinds of moves in addition to those of `depth_first`: the next card of a suit goes up, and the
top card of a suit comes back."""
NODES = 1 << 10
"""Initial capacity for positions; it doubles when needed."""
ROOM_FOR_KING = 1 << 4 * (KING + 1)
"""Stands for an empty column in a set of bare cards."""
NODE = np.dtype(
    [
        ("before", np.int64),  # the previous position; -1: none
        ("older", np.int64),  # the position to expand after this one; -1: none
        *SUCCESSOR.descr,
    ]
)
"""A position that was reached."""


class Position(NamedTuple):
    """A position with whole runs."""

    board: Board
    up: int
    """Heights of the foundations, four bits for each suit."""
    onto: int
    """The loose cards, without kings, that are on the second of two twins."""


@jit
def read_position(record: Any) -> Position:
    """Return the position in a record of NODE or SUCCESSOR."""
    return Position(read_board(record), record["up"], record["onto"])


@jit
def pack_move(kind: int, number: int, twin: int) -> int:
    """Pack a move: its kind, its column, stock number or suit, and the twin to which it goes."""
    return kind | number << 4 | twin << 9


# Successors of a position


@jit
def add_successor(after: Position, move: int, search: Search) -> None:
    """Add a position to the list of successors, with the move that leads to it."""
    successor = search["successors"][search["listed"]]
    write_board(successor, after.board)
    successor["up"], successor["onto"], successor["move"] = after.up, after.onto, move
    search["listed"] += 1


@jit
def add_down(after: Position, card: int, room: int, move: int, search: Search) -> None:
    """Add the successors in which a card goes to the tableau: to an empty column or a bare twin.

    ``after`` is the position without the card. ``room`` is the set of bare cards, which may include
    `ROOM_FOR_KING`.
    """
    if card & KINGS:
        if room & ROOM_FOR_KING:
            add_successor(after, move, search)
        return
    place = lowest(card)
    for twin in range(2):
        if room >> (place & ~1) + 4 + twin & 1:
            with_card = Position(after.board, after.up, after.onto | twin << place)
            add_successor(with_card, move | pack_move(0, 0, twin), search)


@jit
def take_stock(board: Board, row: int, search: Search) -> Board:
    """Return the board without a card of the stock that can be taken."""
    reach = search["reach"][row]
    stock = board.stock & ~(1 << reach["number"])
    return Board(board.columns, stock, reach["waste"], reach["redeals"])


@jit
def take_column(board: Board, column: int, search: Search) -> Board:
    """Return the board without the head of a column."""
    columns = take_head(board.columns, column, search)
    return Board(columns, board.stock, board.waste, board.redeals)


@jit
def add_up(position: Position, card: int, search: Search) -> None:
    """Add the successor in which a card of the tableau goes up."""
    suit, board = suit_of(lowest(card)), position.board
    for column in range(COLUMNS):
        if head_of(position.board.columns, column, search) == card:
            board = take_column(position.board, column, search)
    after = Position(board, position.up + (1 << 4 * suit), position.onto & ~card)
    add_successor(after, pack_move(UP, suit, 0), search)


@jit
def add_stock_up(position: Position, row: int, search: Search) -> None:
    """Add the successor in which a card of the stock goes up."""
    reach = search["reach"][row]
    up = position.up + (1 << 4 * suit_of(lowest(reach["card"])))
    after = Position(take_stock(position.board, row, search), up, position.onto)
    add_successor(after, pack_move(STOCK_UP, reach["number"], 0), search)


@jit
def add_stock(position: Position, room: int, may_redeal: bool, search: Search) -> None:
    """Add the successors in which a card of the stock is played."""
    nexts = cards_next(position.up)
    for row in range(search["reached"]):
        reach = search["reach"][row]
        if reach["takes_redeal"] and not may_redeal:
            continue
        if reach["card"] & ~ACES:
            after = Position(take_stock(position.board, row, search), position.up, position.onto)
            move = pack_move(STOCK_DOWN, reach["number"], 0)
            add_down(after, reach["card"], room, move, search)
        if reach["card"] & nexts:
            add_stock_up(position, row, search)


@jit
def add_back(position: Position, room: int, search: Search) -> None:
    """Add the successors in which a card comes back from its foundation."""
    useful = useful_to_return(position.up)
    for suit in range(SUITS):
        if height(position.up, suit) and useful & NEXT[suit, height(position.up, suit) - 1]:
            card = NEXT[suit, height(position.up, suit) - 1]
            after = Position(position.board, position.up - (1 << 4 * suit), position.onto)
            add_down(after, card, room, pack_move(BACK, suit, 0), search)


@jit
def add_columns(position: Position, room: int, search: Search) -> None:
    """Add the successors in which the run of a head moves."""
    for column in range(COLUMNS):
        head = head_of(position.board.columns, column, search)
        if head:
            after = Position(
                take_column(position.board, column, search), position.up, position.onto
            )
            add_down(after, head, room, pack_move(REVEAL, column, 0), search)


@jit
def bare_cards(visible: int, loose: int, onto: int) -> int:
    """Return the set of visible cards that carry no card."""
    first, second = loose & ~onto & ~KINGS, loose & onto
    on_first = (first | first >> 1) & FIRST_TWINS
    on_second = (second | second >> 1) & FIRST_TWINS
    return visible & ~(on_first << 4 | on_second << 5)


@jit
def list_successors(position: Position, search: Search) -> None:
    """List the successors of a position. The last one will be expanded first."""
    board, up = position.board, position.up
    search["listed"] = 0
    sight = look(board, list_reachable(board, search), search)
    if is_hopeless(board, up, sight, search):
        return
    visible = sight.known & ~cards_up(up)
    loose = visible & ~sight.heads
    bare, safe = bare_cards(visible, loose, position.onto), safe_to_go(up, search["worry_back"])
    rises = visible & cards_next(up) & bare
    safe_rises = rises & safe
    if safe_rises:
        add_up(position, safe_rises & -safe_rises, search)
        return
    row = find_safe_stock(board, safe, search)
    if row >= 0:
        add_stock_up(position, row, search)
        return
    room = bare | (ROOM_FOR_KING if count_empty(sight, loose) > 0 else 0)
    if search["worry_back"]:
        add_back(position, room, search)
    may_redeal = last_of_stock(board, search) & safe == 0
    add_stock(position, room, may_redeal, search)
    while rises:
        add_up(position, rises & -rises, search)
        rises &= rises - 1
    add_columns(position, room, search)


# The search


@jit
def hash_position(key: int, onto: int) -> int:
    """Return the hash of a position with a number (`position.key_of`) and ``onto``."""
    word = (key ^ key >> 31) * 0x1D8E4E27C47D124F + onto * 0x2545F4914F6CDD1D
    word = (word ^ (word >> 29) & 0x7FFFFFFFF) * 0x1D8E4E27C47D124F
    return word ^ (word >> 31) & 0x1FFFFFFFF


@jit(inline="always")  # Otherwise Numba counts references to the arrays at every call.
def find_node(slots: np.ndarray, nodes: np.ndarray, position: Position) -> int:
    """Return the slot of a position, or the free slot where it belongs."""
    mask, key = len(slots) - 1, key_of(position.board, position.up)
    slot = hash_position(key, position.onto) & mask
    while slots[slot] != FREE:
        node = nodes[slots[slot]]
        if node["onto"] == position.onto and key_of(read_board(node), node["up"]) == key:
            break
        slot = (slot + 1) & mask
    return slot


@jit
def add_node(
    successor: Any, before: int, nodes: np.ndarray, slots: np.ndarray, search: Search
) -> None:
    """Add a successor of a node if it is new. Then ``depth`` is its number.

    ``full`` becomes true if the successor is a win.
    """
    position = read_position(successor)
    slot = find_node(slots, nodes, position)
    if slots[slot] != FREE:
        return
    number = search["used"]
    slots[slot] = number
    node = nodes[number]
    write_board(node, position.board)
    node["up"], node["onto"], node["move"] = position.up, position.onto, successor["move"]
    node["before"], node["older"] = before, search["depth"]
    search["used"], search["depth"] = number + 1, number
    search["full"] = is_won(position.board, position.up, search)


@jit
def add_nodes(before: int, nodes: np.ndarray, slots: np.ndarray, search: Search) -> None:
    """Add the listed successors of a node until one of them is a win."""
    for number in range(search["listed"]):
        if search["full"]:
            return
        add_node(search["successors"][number], before, nodes, slots, search)


@jit
def double_nodes(nodes: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ``size`` nodes in an array of twice the capacity, and new slots."""
    doubled, slots = np.empty(2 * len(nodes), NODE), np.full(4 * len(nodes), FREE, np.int64)
    doubled[: len(nodes)] = nodes
    for number in range(size):
        slots[find_node(slots, doubled, read_position(doubled[number]))] = number
    return doubled, slots


@jit
def decide_whole_runs(board: Board, up: int, onto: int, search: Search) -> tuple[int, np.ndarray]:
    """Return the verdict on a position, and the nodes.

    If the position can be won, ``depth`` is the last node of a win. After ``limit`` positions the
    verdict is `UNDECIDED`.
    """
    nodes, slots = np.empty(NODES, NODE), np.full(2 * NODES, FREE, np.int64)
    search["used"] = search["full"] = search["listed"] = 0
    search["depth"] = -1
    add_successor(Position(board, up, onto), 0, search)
    add_nodes(-1, nodes, slots, search)
    while search["depth"] >= 0 and not search["full"]:
        if search["used"] >= search["limit"]:
            return UNDECIDED, nodes
        if search["used"] + MOST_AFTER > len(nodes):
            nodes, slots = double_nodes(nodes, search["used"])
        number = search["depth"]
        search["depth"] = nodes[number]["older"]
        list_successors(read_position(nodes[number]), search)
        add_nodes(number, nodes, slots, search)
    return (WINNABLE if search["full"] else LOST), nodes


@jit
def trace_line(nodes: np.ndarray, last: int) -> np.ndarray:
    """Return the moves that lead to a node."""
    length, number = 0, last
    while nodes[number]["before"] >= 0:
        length, number = length + 1, nodes[number]["before"]
    line, number = np.empty(length, np.int64), last
    while length:
        length -= 1
        line[length], number = nodes[number]["move"], nodes[number]["before"]
    return line
