"""Klondike: hidden cards and validation of states.

The player knows every card that has been face up. `resample_hidden` replaces the other cards.

`STATE_CHECK` validates a state from outside. These parts determine a state: the deck, the columns
and their numbers of face-down cards, the waste, the stock, the foundations and the number of
redeals. With ``standard`` scoring, the score is one more part.
"""

import numpy as np

from ...core.batch import Over
from ...core.checks import make_state_check
from ...core.game import HiddenCards
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE, SUITS
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.schema import CARD, Piece, show_options
from ...core.type_aliases import CardCode, CardSet, RulesRecord, Seat, State, States
from .kernel import (
    PER_VEGAS,
    STANDARD,
    VEGAS,
    count_built,
    half_of,
    lay_columns,
    lay_stock,
    place_in_deck,
    seconds_on_clock,
    show_card,
    show_ends,
    show_face_down,
    show_seconds,
    show_stock,
    show_waste,
    write_outcome,
)
from .rules import (
    ACTIONS,
    BONUS,
    BUILT,
    COLUMN,
    COLUMNS,
    FEATURES,
    HIGHEST,
    HIGHEST_UNTIMED,
    LOWEST_SCORE,
    MOST_REDEALS,
    SHORT_SECONDS,
    STATE,
    STOCK_SIZE,
    TABLEAU_SIZE,
    UNSEEN,
    WASTE,
    deck_place,
)

# Hidden cards


@jit
def draw_card(s: State, cards: CardSet) -> CardCode:
    """Return a random card of a set, drawn with the state's generator."""
    for _ in range(random_below(s, count(cards))):
        cards &= cards - 1
    return lowest(cards)


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Shuffle the cards that have not been seen yet among their places."""
    unseen = 0
    for card in range(PACK_SIZE):
        unseen |= (s["shown"]["where"][card] == UNSEEN) << (FIRST_CARD + card)
    for place in range(PACK_SIZE):
        if s["shown"]["where"][s["deck"][place] - FIRST_CARD] == UNSEEN:
            card = draw_card(s, unseen)
            unseen &= ~(1 << card)
            s["deck"][place] = card
    lay_columns(s)
    if s["redeals"] == 0:
        lay_stock(s)


# The hidden cards as an observation piece

_DOWN = tuple(
    deck_place(column, row) for row in range(COLUMNS) for column in range(row + 1, COLUMNS)
)
_HIDDEN_PLACES = np.array([*_DOWN, *range(TABLEAU_SIZE, TABLEAU_SIZE + STOCK_SIZE)])
"""Deck positions of the cards dealt face down to the columns, then of the stock."""


def read_hidden(states: States) -> np.ndarray:
    """Return the unseen cards by deck position, int8 (n, 45); 0 for cards that were seen."""
    cards = states["deck"][:, _HIDDEN_PLACES]
    where = np.take_along_axis(
        states["shown"]["where"], cards.astype(np.int64) - FIRST_CARD, axis=1
    )
    return np.where(where == UNSEEN, cards, np.int8(0))


HIDDEN = HiddenCards(
    Piece(
        "hidden",
        len(_HIDDEN_PLACES),
        CARD,
        "unseen cards by deck position: the cards dealt face down to the columns, row by row, then "
        "the stock; 0: seen",
    ),
    read_hidden,
)
"""The hidden cards as an observation piece; see `core.game.HiddenCards`."""


# Validation of states

ALLOWED = (
    ("redeals", "0 or more, below the number of passes and not above the number of moves"),
    ("shown.face_down", "0 to k - 1 for column k"),
    ("count", "0 to 19, and more than the number of face-down cards if there are any"),
    ("column", "the face-down cards as they were dealt, then a run, then zeros"),
    ("shown.waste_count", "0 to 24, and at most 24 together with the stock"),
    ("shown.stock_count", "0 to 24; in the first pass, 24 minus the number of turned cards"),
    ("waste", "cards of the dealt stock in dealing order, then zeros"),
    ("stock", "cards of the dealt stock in reverse dealing order, then zeros"),
    ("shown.foundations", "all cards that are in no other pile, from the aces on"),
    (
        "score",
        "0 to 745 in steps of 5 with standard scoring; with a clock, any number to 745 plus the "
        "bonus of a win; otherwise follows from other fields",
    ),
)
(REDEALS, FACE_DOWN, COUNT, CARDS, WASTE_COUNT, STOCK_COUNT, WASTE_CARDS, STOCK_CARDS) = range(1, 9)
FOUNDATIONS, SCORE = 9, 10
WHOLE_PACK = ((1 << PACK_SIZE) - 1) << FIRST_CARD


@jit
def is_card(card: int) -> bool:
    """Return whether a number is the code of a card."""
    return FIRST_CARD <= card < FIRST_CARD + PACK_SIZE


@jit
def find_wrong_column(s: State, column: int) -> int:
    """Return the number of the wrong field of a column; 0 for none."""
    down, size = s["shown"]["face_down"][column], s["count"][column]
    if down > column:
        return FACE_DOWN
    if size < 0 or size > HIGHEST or (size <= down and (down or size)):
        return COUNT
    for row in range(HIGHEST):
        card = s["column"][column][row]
        if row < down:
            if card != s["deck"][place_in_deck(column, row)]:
                return CARDS
        elif row >= size:
            if card:
                return CARDS
        elif not is_card(card):
            return CARDS
        elif row > down:
            above = s["column"][column][row - 1]
            if above >> 2 != (card >> 2) + 1 or half_of(above) != half_of(card):
                return CARDS
    return 0


@jit
def find_next(s: State, card: int, place: int) -> int:
    """Return the first deck position of a card at or after ``place``; PACK_SIZE for none."""
    while place < PACK_SIZE and s["deck"][place] != card:
        place += 1
    return place


@jit
def find_wrong_stock(s: State, rules: RulesRecord) -> int:
    """Return the number of the wrong field of waste and stock; 0 for none."""
    shown = s["shown"]
    waste, stock = shown["waste_count"], shown["stock_count"]
    if waste + stock > STOCK_SIZE:
        return WASTE_COUNT
    if s["redeals"] == 0 and (STOCK_SIZE - stock) % rules.draw:
        return STOCK_COUNT
    place = TABLEAU_SIZE - 1
    for i in range(STOCK_SIZE):
        if i >= waste:
            if s["waste"][i]:
                return WASTE_CARDS
        else:
            place = find_next(s, s["waste"][i], place + 1)
            if place >= PACK_SIZE:
                return WASTE_CARDS
    if s["redeals"] == 0:
        if place >= PACK_SIZE - stock:
            return WASTE_CARDS
        place = PACK_SIZE - stock - 1
    for i in range(STOCK_SIZE - 1, -1, -1):
        if i >= stock:
            if s["stock"][i]:
                return STOCK_CARDS
        else:
            place = find_next(s, s["stock"][i], place + 1)
            if place >= PACK_SIZE:
                return STOCK_CARDS
    return 0


@jit
def cards_in_play(s: State) -> CardSet:
    """Return the set of cards in columns, waste and stock; -1 if a card occurs twice."""
    cards = total = 0
    for column in range(COLUMNS):
        total += s["count"][column]
        for row in range(s["count"][column]):
            cards |= 1 << s["column"][column][row]
    for place in range(STOCK_SIZE):
        total += (s["waste"][place] > 0) + (s["stock"][place] > 0)
        cards |= 1 << s["waste"][place] | 1 << s["stock"][place]
    cards &= WHOLE_PACK  # drop the bit of code 0, which means no card
    return cards if count(cards) == total else -1


@jit
def built_cards(s: State) -> CardSet:
    """Return the set of cards on the foundations."""
    cards = 0
    for suit in range(len(SUITS)):
        for value in range(1, s["shown"]["foundations"][suit] + 1):
            cards |= 1 << (4 * value + suit)
    return cards


@jit
def find_wrong(s: State, rules: RulesRecord) -> int:
    """Return the number of the first invalid field; 0 for none."""
    redeals = s["redeals"]
    if redeals < 0 or redeals > s["moves"] or (rules.passes and redeals >= rules.passes):
        return REDEALS
    wrong = 0
    for column in range(COLUMNS):
        if wrong == 0:
            wrong = find_wrong_column(s, column)
    if wrong == 0:
        wrong = find_wrong_stock(s, rules)
    if wrong:
        return wrong
    in_play, built = cards_in_play(s), built_cards(s)
    if in_play & built or in_play | built != WHOLE_PACK:
        return FOUNDATIONS
    return SCORE if rules.scoring == STANDARD and not is_score_possible(s, rules) else 0


@jit
def is_score_possible(s: State, rules: RulesRecord) -> bool:
    """Return whether a position can have its score with ``standard`` scoring."""
    score, seconds = s["score"], seconds_on_clock(s, rules)
    if count_built(s) == PACK_SIZE and seconds > SHORT_SECONDS:
        score -= BONUS // seconds
    return 0 <= score <= HIGHEST_UNTIMED and (rules.seconds_per_move > 0 or score % 5 == 0)


@jit
def derive_places(s: State, rules: RulesRecord) -> None:
    """Write the location of each card."""
    shown = s["shown"]
    for place in range(PACK_SIZE):
        show_card(s, s["deck"][place], BUILT, 0)
    for column in range(COLUMNS):
        down = shown["face_down"][column]
        for row in range(s["count"][column]):
            card = s["column"][column][row]
            if row < down:
                show_card(s, card, UNSEEN, 0)
            else:
                show_card(s, card, COLUMN + column, row + 1)
        show_ends(s, column)
    for place in range(shown["stock_count"]):
        show_card(s, s["stock"][place], UNSEEN, 0)
    for place in range(shown["waste_count"]):
        show_card(s, s["waste"][place], WASTE, place + 1)
    show_waste(s)
    if rules.thoughtful:
        show_face_down(s)
    if rules.thoughtful or s["redeals"]:
        show_stock(s)


@jit
def derive(s: State, rules: RulesRecord) -> None:
    """Write the fields that follow from other fields."""
    show_options(s["shown"], rules)
    derive_places(s, rules)
    s["shown"]["redeals"] = min(s["redeals"], MOST_REDEALS)
    show_seconds(s, rules)
    if rules.scoring == VEGAS:
        s["score"] = LOWEST_SCORE + PER_VEGAS * count_built(s)
    elif rules.scoring != STANDARD:
        s["score"] = count_built(s)
    s["over"] = Over.RUNNING
    write_outcome(s, rules)


STATE_CHECK = make_state_check(STATE, FEATURES, ACTIONS, ALLOWED, find_wrong, derive)
