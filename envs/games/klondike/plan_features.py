"""Klondike: the features of a position in which a card is about to be turned up.

A learned network reads them (`plan_values`). Equivalent positions have the same features: these
ignore the order of the columns, and if cards may come back from the foundations, every loose card
that can go up counts as up; see `solver.position` for these terms.
"""

from ...core.kernel.bits import count, lowest
from ...core.kernel.jit import jit
from ...core.type_aliases import FeatureIds
from .solver.card_sets import (
    ALL_CARDS,
    FIRST_TWINS,
    KINGS,
    RANKS,
    SUITS,
    cards_next,
    cards_up,
    height,
    open_pairs,
    suit_of,
)
from .solver.position import (
    COLUMNS,
    LONGEST_COLUMN,
    STOCK,
    Board,
    Search,
    left_in,
    list_reachable,
)

CARDS = 4 * RANKS
PHASES = 3
"""Places of a card in the stock: it can be taken, or it is the first or another card of a turn."""
HEADS = 0
TURNING = HEADS + CARDS * LONGEST_COLUMN
HEIGHTS = TURNING + LONGEST_COLUMN
LOOSE = HEIGHTS + SUITS * (RANKS + 1)
IN_STOCK = LOOSE + CARDS
STOCK_SIZE = IN_STOCK + PHASES * CARDS
HIDDEN = STOCK_SIZE + STOCK + 1
EMPTY = HIDDEN + CARDS
OPEN = EMPTY + COLUMNS + 1
NUM_FEATURES = OPEN + CARDS // 2
"""First numbers of the features: heads by the number of cards below them; the number of cards below
the one that is turned up; the heights of the foundations; loose cards; cards of the stock by their
place; the size of the stock; face-down cards; the number of empty columns; open pairs."""
MOST_ACTIVE = CARDS + SUITS + 1 + 1 + 1 + CARDS // 2
"""Largest number of features of a position: one for each card, and those of the other kinds."""


@jit
def raise_loose(known: int, heads: int, up: int) -> int:
    """Return the foundations after all loose cards have gone up that can.

    Args:
        known: Visible cards of the tableau, and the cards that are up.
        heads: The heads.
        up: The foundations.
    """
    while True:
        visible = known & ~cards_up(up)
        loose = visible & ~heads
        rises = loose & cards_next(up) & open_pairs(visible, loose)
        if rises == 0:
            return up
        up += 1 << 4 * suit_of(lowest(rises))


@jit
def add_ids(ids: FeatureIds, size: int, first: int, cards: int) -> int:
    """Add the feature ``first + bit`` for each bit of a set, and return the new length."""
    while cards:
        ids[size] = first + lowest(cards)
        size += 1
        cards &= cards - 1
    return size


@jit
def write_features(
    board: Board, up: int, turning: int, hidden: int, search: Search, ids: FeatureIds
) -> int:
    """Write the features of a position in which a card is about to be turned up.

    Args:
        board: The board.
        up: The foundations.
        turning: The column of the card that is turned up.
        hidden: The face-down cards, including that card.
        search: A solver's search with the cards of the position.
        ids: Written: the features, int16 (`MOST_ACTIVE`,).

    Returns:
        The number of features.
    """
    stock, size, heads, num_free = list_reachable(board, search), 0, 0, 0
    for column in range(COLUMNS):
        left = left_in(board.columns, column)
        if left == 0:
            num_free += 1
        elif column == turning:
            ids[size] = TURNING + left - 1
            size += 1
        else:
            head = search["dealt"][column, left - 1]
            heads |= head
            ids[size] = HEADS + lowest(head) * LONGEST_COLUMN + left - 1
            size += 1
    known = ALL_CARDS & ~hidden & ~stock
    if search["worry_back"]:
        up = raise_loose(known, heads, up)
    visible = known & ~cards_up(up)
    loose = visible & ~heads
    for suit in range(SUITS):
        ids[size] = HEIGHTS + suit * (RANKS + 1) + height(up, suit)
        size += 1
    size = add_ids(ids, size, LOOSE, loose)
    reachable = 0
    for row in range(search["reached"]):
        reachable |= search["reach"][row]["card"]
    rest, place = board.stock, 0
    while rest:
        card = search["cards"][lowest(rest)]
        rest &= rest - 1
        ahead = place - board.waste if place >= board.waste else place
        phase = 0 if card & reachable else 1 + min(ahead % search["draw"], 1)
        ids[size] = IN_STOCK + phase * CARDS + lowest(card)
        size += 1
        place += 1
    ids[size] = STOCK_SIZE + place
    ids[size + 1] = EMPTY + max(num_free - count(loose & KINGS), 0)
    size = add_ids(ids, size + 2, HIDDEN, hidden)
    pairs = open_pairs(visible, loose) & FIRST_TWINS
    while pairs:
        ids[size] = OPEN + lowest(pairs) // 2
        size += 1
        pairs &= pairs - 1
    return size
