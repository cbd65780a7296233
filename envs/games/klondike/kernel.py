"""Klondike: how it is played. Compiled; kernels trust the mask and allocate nothing."""

from ...core.aliases import Action, CardCode, CardSet, RulesRecord, Seat, State
from ...core.batch import Over, make_batch_kernels
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE, SUITS, random_below, shuffle_pack
from ...core.kernel.jit import jit
from ...core.legal import WORD_ACTIONS
from .fits import back_actions, column_actions, last_kinds, suit_back, waste_actions
from .rules import (
    ACTIONS,
    BACK,
    BUILT,
    COLUMN,
    COLUMN_UP,
    COLUMNS,
    DEAL,
    HIGHEST,
    LOWEST_SCORE,
    MOST_REDEALS,
    MOVE,
    REDEAL,
    STOCK,
    STOCK_SIZE,
    UNSEEN,
    WASTE,
    WASTE_DOWN,
    WASTE_UP,
    Scoring,
    deck_place,
    move_columns,
)
from .sight import show_card, show_ends, show_face_down, show_rules, show_stock, show_waste

WORD = (1 << WORD_ACTIONS) - 1
"""The bits of one word of a set of actions."""
OF_STOCK = (1 << COLUMN_UP) - 1
"""The actions that depend on the stock and the waste, all in the first word."""
STANDARD, VEGAS = int(Scoring.STANDARD), int(Scoring.VEGAS)
PER_COLUMN_CARD, PER_BUILT, PER_RETURN, PER_VEGAS = 5, 10, -15, 5
"""Points of ``standard``, for a card of the waste put on a column as for one turned up; of
``vegas`` for a card built."""

place_in_deck = jit(deck_place)
columns_of_move = jit(move_columns)


@jit
def add_points(s: State, rules: RulesRecord, points: int) -> None:
    """Count points of ``standard``; the score is never below 0."""
    if rules.scoring == STANDARD:
        s["score"] = max(s["score"] + points, 0)


@jit
def count_built(s: State) -> int:
    """Return how many cards are on the foundations: what the reward "progress" pays for."""
    heights = s["shown"]["foundations"]
    return heights[0] + heights[1] + heights[2] + heights[3]


@jit
def move_foundation(s: State, rules: RulesRecord, suit: int, change: int) -> None:
    """Put a card on a foundation (``change`` 1), or take one off it (-1)."""
    s["shown"]["foundations"][suit] += change
    if rules.scoring == STANDARD:
        add_points(s, rules, PER_BUILT if change > 0 else PER_RETURN)
    else:
        s["score"] += change * (PER_VEGAS if rules.scoring == VEGAS else 1)


@jit
def build_card(s: State, rules: RulesRecord, card: CardCode) -> None:
    """Put a card on its foundation."""
    show_card(s, card, BUILT, 0)
    move_foundation(s, rules, card & 3, 1)


@jit
def put_on_column(s: State, column: int, card: CardCode) -> None:
    """Put a card on a column; `show_ends` is left to who puts the last one."""
    s["column"][column][s["count"][column]] = card
    s["count"][column] += 1
    show_card(s, card, COLUMN + column, s["count"][column])


@jit
def cut_column(s: State, rules: RulesRecord, column: int, left: int) -> None:
    """Leave so many cards in a column; a card face down that is the last now is turned up."""
    shown = s["shown"]
    for row in range(left, s["count"][column]):
        s["column"][column][row] = 0
    s["count"][column] = left
    if left and left == shown["face_down"][column]:
        shown["face_down"][column] -= 1
        show_card(s, s["column"][column][left - 1], COLUMN + column, left)
        add_points(s, rules, PER_COLUMN_CARD)
    show_ends(s, column)


@jit
def take_from_waste(s: State) -> int:
    """Take the top card off the waste; known cards of the stock come one place further down."""
    shown = s["shown"]
    shown["waste_count"] -= 1
    high = shown["waste_count"]
    card = s["waste"][high]
    s["waste"][high] = 0
    show_waste(s)
    for place in range(shown["stock_count"]):
        below = s["stock"][place] - FIRST_CARD
        shown["place"][below] -= shown["where"][below] == STOCK
    return card


@jit
def turn_stock(s: State, rules: RulesRecord) -> None:
    """Turn the next cards of the stock onto the waste."""
    shown = s["shown"]
    for _ in range(min(rules.draw, shown["stock_count"])):
        shown["stock_count"] -= 1
        card = s["stock"][shown["stock_count"]]
        s["stock"][shown["stock_count"]] = 0
        s["waste"][shown["waste_count"]] = card
        shown["waste_count"] += 1
        show_card(s, card, WASTE, shown["waste_count"])
    show_waste(s)


@jit
def turn_waste_over(s: State, rules: RulesRecord) -> None:
    """Make the waste the stock again; its places in the order of turning stay what they are."""
    shown = s["shown"]
    high = shown["waste_count"]
    for place in range(high):
        card = s["waste"][place]
        s["waste"][place] = 0
        s["stock"][high - 1 - place] = card
        show_card(s, card, STOCK, place + 1)
    shown["stock_count"] = high
    shown["waste_count"] = 0
    show_waste(s)
    s["redeals"] += 1
    shown["redeals"] = min(s["redeals"], MOST_REDEALS)
    shown["may_redeal"] = 0
    if rules.draw == 1:
        add_points(s, rules, -100)
    elif s["redeals"] > 2:
        add_points(s, rules, -20)


@jit
def move_run(s: State, rules: RulesRecord, column: int, target: int) -> None:
    """Move the part of a run that fits the last card of the target: of an empty one all of it."""
    shown = s["shown"]
    row = shown["face_down"][column]
    last = shown["last"][target]
    if last:
        row += (shown["first"][column] >> 2) - (last >> 2) + 1
    for place in range(row, s["count"][column]):
        put_on_column(s, target, s["column"][column][place])
    show_ends(s, target)
    cut_column(s, rules, column, row)


@jit
def write_outcome(s: State, rules: RulesRecord) -> None:
    """Write what is legal now, and whether the game is over."""
    kinds = last_kinds(s)
    cards = waste_actions(s, kinds) | column_actions(s, rules, kinds)
    back = back_actions(s, kinds) if rules.worry_back else 0
    s["legal"][0] = cards & WORD
    s["legal"][1] = cards >> WORD_ACTIONS | (back << BACK - WORD_ACTIONS) & WORD
    s["legal"][2] = back >> (2 * WORD_ACTIONS - BACK)
    write_stock_actions(s, rules)


@jit
def write_outcome_of_turn(s: State, rules: RulesRecord) -> None:
    """The same after the stock or the waste was turned: the columns offer what they did before."""
    s["legal"][0] = s["legal"][0] & ~OF_STOCK | waste_actions(s, last_kinds(s))
    write_stock_actions(s, rules)


@jit
def write_stock_actions(s: State, rules: RulesRecord) -> None:
    """Add what the stock offers to the legal actions, and write whether the game is over."""
    shown, legal = s["shown"], s["legal"]
    if rules.passes:
        shown["may_redeal"] = s["redeals"] < rules.passes - 1
    elif legal[0] | legal[1] | legal[2]:
        shown["may_redeal"] = 1
    if shown["stock_count"]:
        legal[0] |= 1 << DEAL
    elif shown["waste_count"] and shown["may_redeal"]:
        legal[0] |= 1 << REDEAL
    s["won"] = count_built(s) == PACK_SIZE
    if s["won"] or not legal[0] | legal[1] | legal[2]:
        legal[0] = legal[1] = legal[2] = 0
        s["over"] = Over.TERMINATED


@jit
def step(s: State, rules: RulesRecord, action: Action) -> None:
    """Play a legal action."""
    s["moves"] += 1
    if action == DEAL:
        turn_stock(s, rules)
        return write_outcome_of_turn(s, rules)
    if action == REDEAL:
        turn_waste_over(s, rules)
        return write_outcome_of_turn(s, rules)
    if action == WASTE_UP:
        build_card(s, rules, take_from_waste(s))
    elif action < COLUMN_UP:
        put_on_column(s, action - WASTE_DOWN, take_from_waste(s))
        show_ends(s, action - WASTE_DOWN)
        add_points(s, rules, PER_COLUMN_CARD)
    elif action < MOVE:
        column = action - COLUMN_UP
        build_card(s, rules, s["shown"]["last"][column])
        cut_column(s, rules, column, s["count"][column] - 1)
    elif action < BACK:
        column, target = columns_of_move(action)
        move_run(s, rules, column, target)
    else:
        column = (action - BACK) >> 1
        suit = suit_back(s, column, (action - BACK) & 1)
        put_on_column(s, column, 4 * s["shown"]["foundations"][suit] + suit)
        show_ends(s, column)
        move_foundation(s, rules, suit, -1)
    write_outcome(s, rules)


@jit
def lay_columns(s: State) -> None:
    """Lay the cards that are face down in the columns as the deck has them."""
    for column in range(COLUMNS):
        for row in range(s["shown"]["face_down"][column]):
            s["column"][column][row] = s["deck"][place_in_deck(column, row)]


@jit
def lay_stock(s: State) -> None:
    """Lay the stock of the first pass as the deck has it."""
    for place in range(s["shown"]["stock_count"]):
        s["stock"][place] = s["deck"][PACK_SIZE - 1 - place]


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Begin a game with the deck as it stands in the state."""
    shown = s["shown"]
    show_rules(s, rules)
    for card in range(FIRST_CARD, FIRST_CARD + PACK_SIZE):
        show_card(s, card, UNSEEN, 0)
    for suit in range(len(SUITS)):
        shown["foundations"][suit] = 0
    for place in range(STOCK_SIZE):
        s["waste"][place] = 0
    for column in range(COLUMNS):
        for row in range(HIGHEST):
            s["column"][column][row] = 0
        shown["face_down"][column] = s["count"][column] = column
        put_on_column(s, column, s["deck"][place_in_deck(column, column)])
        show_ends(s, column)
    shown["stock_count"] = STOCK_SIZE
    shown["waste_count"] = 0
    lay_columns(s)
    lay_stock(s)
    if rules.thoughtful:
        show_face_down(s)
        show_stock(s)
    show_waste(s)
    s["redeals"] = 0
    shown["redeals"] = 0
    shown["may_redeal"] = 0
    s["score"] = LOWEST_SCORE if rules.scoring == VEGAS else 0
    write_outcome(s, rules)


@jit
def new_deck(s: State, rules: RulesRecord) -> None:
    """Fill the deck from the state's generator."""
    shuffle_pack(s, s["deck"])


@jit
def draw_card(s: State, cards: CardSet) -> CardCode:
    """Return a random card of a set, drawn by the state's generator."""
    for _ in range(random_below(s, count(cards))):
        cards &= cards - 1
    return lowest(cards)


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Redeal the cards not seen yet, from the state's generator, to the places that they have."""
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


kernels = make_batch_kernels(new_deck, deal, step, ACTIONS, 1 / PACK_SIZE, progress=count_built)
