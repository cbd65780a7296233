"""Kernels of Klondike.

The module contains, in this order: which cards fit onto which, legal actions, moves, and the deal.

Whether a card fits onto another depends only on its *kind*. The kind is the card's value, plus
`RED_EVEN` for red cards of even value and black cards of odd value. All cards of a run are in the
same half of the kinds, and the kinds descend by one. So a set of kinds, stored in the bits of an
integer, describes where a run or a part of it fits.
"""

from ...core.batch import Over, make_batch_kernels
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE, SUITS, shuffle_pack
from ...core.kernel.jit import jit
from ...core.legal import WORD_ACTIONS
from ...core.schema import show_options, write_digits
from ...core.type_aliases import Action, ActionSet, CardCode, CardSet, RulesRecord, State
from .rules import (
    ACTIONS,
    BACK,
    BONUS,
    BUILT,
    COLUMN,
    COLUMN_UP,
    COLUMNS,
    DEAL,
    HIGHEST,
    KING,
    LOWEST_SCORE,
    MOST_REDEALS,
    MOVE,
    PENALTY_SECONDS,
    REDEAL,
    SHORT_SECONDS,
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

RED_EVEN = 16
"""The difference between the two halves of the kinds."""
ROOM = KING + 1
"""The kind of an empty column, like a card one higher than a king. It is in neither half."""
KIND_BITS, KIND_MASK = 5, 31
"""Number of bits, and bit mask, of a kind in a packed row of kinds."""
WORD = (1 << WORD_ACTIONS) - 1
"""Bit mask of one word of a set of actions."""
OF_STOCK = (1 << COLUMN_UP) - 1
"""The set of actions that depend on stock and waste, all in the first word."""
STANDARD, VEGAS = int(Scoring.STANDARD), int(Scoring.VEGAS)
PER_COLUMN_CARD, PER_BUILT, PER_RETURN, PER_PERIOD, PER_VEGAS = 5, 10, -15, -2, 5
"""Points. With ``standard``: for a waste card put on a column or a card turned up, for a card put
on a foundation, for a card taken back, and for each `PENALTY_SECONDS` on the clock. With ``vegas``:
for a card put on a foundation."""
MOST_SECONDS = (1 << 16) - 1
"""Largest number of seconds that the observation can show."""

columns_of_move = jit(move_columns)


# The player's view, and the positions of dealt cards


place_in_deck = jit(deck_place)


@jit
def show_card(s: State, card: CardCode, where: int, place: int) -> None:
    """Write the location of a card."""
    s["shown"]["where"][card - FIRST_CARD] = where
    s["shown"]["place"][card - FIRST_CARD] = place


@jit
def show_ends(s: State, column: int) -> None:
    """Write the first and the last face-up card of a column."""
    shown, size = s["shown"], s["count"][column]
    shown["first"][column] = s["column"][column][shown["face_down"][column]] if size else 0
    shown["last"][column] = s["column"][column][size - 1] if size else 0


@jit
def show_waste(s: State) -> None:
    """Write the top of the waste."""
    size = s["shown"]["waste_count"]
    s["shown"]["waste_top"] = s["waste"][size - 1] if size else 0


@jit
def show_face_down(s: State) -> None:
    """Write the locations of the face-down cards in the columns."""
    for column in range(COLUMNS):
        for row in range(s["shown"]["face_down"][column]):
            show_card(s, s["column"][column][row], COLUMN + column, row + 1)


@jit
def show_stock(s: State) -> None:
    """Write the locations of the cards in the stock."""
    size = s["shown"]["waste_count"] + s["shown"]["stock_count"]
    for place in range(s["shown"]["stock_count"]):
        show_card(s, s["stock"][place], STOCK, size - place)


@jit
def lay_columns(s: State) -> None:
    """Lay the face-down cards of the columns in the order of the deck."""
    for column in range(COLUMNS):
        for row in range(s["shown"]["face_down"][column]):
            s["column"][column][row] = s["deck"][place_in_deck(column, row)]


@jit
def lay_stock(s: State) -> None:
    """Lay the stock of the first pass in the order of the deck."""
    for place in range(s["shown"]["stock_count"]):
        s["stock"][place] = s["deck"][PACK_SIZE - 1 - place]


# Which cards fit onto which


@jit
def is_red(card: CardCode) -> int:
    """Return 1 for a red card, otherwise 0."""
    return (card ^ (card >> 1)) & 1


@jit
def half_of(card: CardCode) -> int:
    """Return the half of the kinds to which a card belongs: 0 or `RED_EVEN`."""
    return RED_EVEN * (is_red(card) ^ ((card >> 2) & 1))


@jit
def kinds_above(card: CardCode) -> int:
    """Return the set of kinds onto which a card fits."""
    value = card >> 2
    return 1 << ROOM if value == KING else 1 << (value + 1 + half_of(card))


@jit
def run_kinds_above(s: State, rules: RulesRecord, column: int) -> int:
    """Return the set of kinds onto which a run or a part of it fits; empty for an empty column."""
    first, last = s["shown"]["first"][column], s["shown"]["last"][column]
    if first == 0:
        return 0
    high, low = first >> 2, (last if rules.partial_runs else first) >> 2
    kinds = ((2 << min(high + 1, KING)) - (2 << low)) << half_of(last)
    if high == KING and s["shown"]["face_down"][column]:
        kinds |= 1 << ROOM
    return kinds


@jit
def last_kinds(s: State) -> int:
    """Return the packed kinds of the last cards of all columns, column 1 in the lowest bits."""
    kinds = 0
    for column in range(COLUMNS):
        last = s["shown"]["last"][column]
        kind = (last >> 2) + half_of(last) if last else ROOM
        kinds |= kind << (KIND_BITS * column)
    return kinds


@jit
def set_of_kinds(kinds: int) -> int:
    """Return the set of kinds in a packed row."""
    kind_set = 0
    for column in range(COLUMNS):
        kind_set |= 1 << ((kinds >> (KIND_BITS * column)) & KIND_MASK)
    return kind_set


@jit
def columns_of(kinds: int, wanted: int) -> int:
    """Return the set of columns whose last card has one of the wanted kinds."""
    columns = 0
    for column in range(COLUMNS):
        columns |= ((wanted >> ((kinds >> (KIND_BITS * column)) & KIND_MASK)) & 1) << column
    return columns


# Legal actions


@jit
def next_cards(s: State) -> CardSet:
    """Return the set of cards that fit on the foundations next."""
    cards = 0
    for suit in range(len(SUITS)):
        value = s["shown"]["foundations"][suit] + 1
        cards |= (value <= KING) << (4 * value + suit)
    return cards


@jit
def waste_actions(s: State, kinds: int) -> ActionSet:
    """Return the legal actions with the top of the waste."""
    top = s["shown"]["waste_top"]
    if top == 0:
        return 0
    actions = ((next_cards(s) >> top) & 1) << WASTE_UP
    return actions | columns_of(kinds, kinds_above(top)) << WASTE_DOWN


@jit
def column_actions(s: State, rules: RulesRecord, kinds: int) -> ActionSet:
    """Return the legal actions with cards of the columns."""
    ready, kind_set = next_cards(s), set_of_kinds(kinds)
    actions = 0
    for column in range(COLUMNS):
        actions |= ((ready >> s["shown"]["last"][column]) & 1) << (COLUMN_UP + column)
        wanted = run_kinds_above(s, rules, column) & kind_set
        if wanted:  # rare, since most runs fit nowhere
            targets, before = columns_of(kinds, wanted), (1 << column) - 1
            targets = (targets & before) | (
                (targets >> 1) & ~before
            )  # there is no action to the same column
            actions |= targets << (MOVE + (COLUMNS - 1) * column)
    return actions


@jit
def back_actions(s: State, kinds: int) -> ActionSet:
    """Return the legal actions that move a card back from a foundation, with BACK at bit 0."""
    actions = 0
    for suit in range(len(SUITS)):
        value = s["shown"]["foundations"][suit]
        if value > 1:
            card = 4 * value + suit
            which = is_red(card) if value == KING else suit >> 1
            targets = columns_of(kinds, kinds_above(card))
            for column in range(COLUMNS):
                actions |= ((targets >> column) & 1) << (2 * column + which)
    return actions


@jit
def suit_back(s: State, column: int, which: int) -> int:
    """Return the suit that the first (0) or second (1) BACK action of a column moves."""
    last = s["shown"]["last"][column]
    if last:
        return 3 * which if is_red(last) else 1 + which
    suits = (1, 2) if which else (0, 3)
    return suits[0] if s["shown"]["foundations"][suits[0]] == KING else suits[1]


@jit
def count_built(s: State) -> int:
    """Return the number of cards on the foundations, which determines the reward "progress"."""
    heights = s["shown"]["foundations"]
    return heights[0] + heights[1] + heights[2] + heights[3]


@jit
def write_outcome(s: State, rules: RulesRecord) -> None:
    """Write the legal actions, and whether the game is over."""
    kinds = last_kinds(s)
    cards = waste_actions(s, kinds) | column_actions(s, rules, kinds)
    back = back_actions(s, kinds) if rules.worry_back else 0
    s["legal"][0] = cards & WORD
    s["legal"][1] = cards >> WORD_ACTIONS | (back << BACK - WORD_ACTIONS) & WORD
    s["legal"][2] = back >> (2 * WORD_ACTIONS - BACK)
    write_stock_actions(s, rules)


@jit
def write_outcome_of_turn(s: State, rules: RulesRecord) -> None:
    """Do the same as `write_outcome` after a turn, which does not change actions of columns."""
    s["legal"][0] = s["legal"][0] & ~OF_STOCK | waste_actions(s, last_kinds(s))
    write_stock_actions(s, rules)


@jit
def write_stock_actions(s: State, rules: RulesRecord) -> None:
    """Add the actions of the stock to the legal actions, and write whether the game is over."""
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


# Moves


@jit
def add_points(s: State, rules: RulesRecord, points: int) -> None:
    """Add points with ``standard`` scoring. The score is never below 0."""
    if rules.scoring == STANDARD:
        s["score"] = max(s["score"] + points, 0)


@jit
def seconds_on_clock(s: State, rules: RulesRecord) -> int:
    """Return the seconds that the moves so far have taken; 0 without a clock."""
    return s["moves"] * rules.seconds_per_move if rules.scoring == STANDARD else 0


@jit
def show_seconds(s: State, rules: RulesRecord) -> None:
    """Write the seconds on the clock."""
    write_digits(s["shown"]["seconds"], min(seconds_on_clock(s, rules), MOST_SECONDS))


@jit
def count_move(s: State, rules: RulesRecord) -> None:
    """Count a move, and subtract the points for the time that it takes."""
    s["moves"] += 1
    if rules.scoring == STANDARD and rules.seconds_per_move:
        seconds = seconds_on_clock(s, rules)
        periods = seconds // PENALTY_SECONDS
        periods -= (seconds - rules.seconds_per_move) // PENALTY_SECONDS
        add_points(s, rules, PER_PERIOD * periods)
        show_seconds(s, rules)


@jit
def add_bonus(s: State, rules: RulesRecord) -> None:
    """Add the bonus for the time of a win."""
    seconds = seconds_on_clock(s, rules)
    if seconds > SHORT_SECONDS:
        add_points(s, rules, BONUS // seconds)


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
    """Put a card on a column; the caller calls `show_ends` after the last one."""
    s["column"][column][s["count"][column]] = card
    s["count"][column] += 1
    show_card(s, card, COLUMN + column, s["count"][column])


@jit
def cut_column(s: State, rules: RulesRecord, column: int, size: int) -> None:
    """Cut a column to ``size`` cards, and turn up its last card if it is face down."""
    shown = s["shown"]
    for row in range(size, s["count"][column]):
        s["column"][column][row] = 0
    s["count"][column] = size
    if size and size == shown["face_down"][column]:
        shown["face_down"][column] -= 1
        show_card(s, s["column"][column][size - 1], COLUMN + column, size)
        add_points(s, rules, PER_COLUMN_CARD)
    show_ends(s, column)


@jit
def take_from_waste(s: State) -> int:
    """Take the top card off the waste. The positions of known stock cards decrease by one."""
    shown = s["shown"]
    shown["waste_count"] -= 1
    size = shown["waste_count"]
    card = s["waste"][size]
    s["waste"][size] = 0
    show_waste(s)
    for place in range(shown["stock_count"]):
        index = s["stock"][place] - FIRST_CARD
        shown["place"][index] -= shown["where"][index] == STOCK
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
    """Turn the waste over to become the stock. The cards keep their positions in turning order."""
    shown = s["shown"]
    size = shown["waste_count"]
    for place in range(size):
        card = s["waste"][place]
        s["waste"][place] = 0
        s["stock"][size - 1 - place] = card
        show_card(s, card, STOCK, place + 1)
    shown["stock_count"] = size
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
    """Move the part of a run that fits the target, or the whole run to an empty column."""
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
def step(s: State, rules: RulesRecord, action: Action) -> None:
    """Make a legal action."""
    count_move(s, rules)
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
    if s["won"]:
        add_bonus(s, rules)


# The deal


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Begin a game with the deck in the state."""
    shown = s["shown"]
    show_options(shown, rules)
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
    write_digits(shown["seconds"], 0)
    shown["may_redeal"] = 0
    s["score"] = LOWEST_SCORE if rules.scoring == VEGAS else 0
    write_outcome(s, rules)


@jit
def shuffle(s: State, rules: RulesRecord) -> None:
    """Shuffle the deck with the state's generator."""
    shuffle_pack(s, s["deck"])


kernels = make_batch_kernels(shuffle, deal, step, ACTIONS, 1 / PACK_SIZE, progress=count_built)
