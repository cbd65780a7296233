"""Klondike: what the greedy agent thinks of each action. Uses only what the player knows."""

from ...core.aliases import CardCode, RulesRecord, Scores, State, Weights
from ...core.kernel.cards import SUITS
from ...core.kernel.jit import jit
from ...core.legal import first_action, next_action
from .fits import columns_of, is_red, suit_back, taken_by
from .outlook import (
    Outlook,
    goes_onto,
    is_known,
    look,
    next_pass,
    takers,
    takes_run_through,
    talon_card,
)
from .rules import (
    BACK,
    COLUMN_UP,
    COLUMNS,
    KING,
    MOVE,
    REDEAL,
    WASTE_UP,
    move_columns,
)

WEIGHTS = {
    "build": 6.7,
    "safe": 2.0,
    "needed": -2.6,
    "ahead": -0.8,
    "turn_up": 28.0,
    "depth": 0.11,
    "frees": 2.5,
    "king_waits": 14.0,
    "empty": 1.0,
    "fill": -1.2,
    "waste_up": 1.0,
    "waste_down": 2.0,
    "waste_value": 0.41,
    "next_waste": 1.0,
    "phase": 3.7,
    "landing": 6.3,
    "place": 1.9,
    "chain": 2.4,
    "move": -3.9,
    "return": -4.1,
    "return_for_waste": 3.1,
    "look": 15.0,
    "turned": 0.97,
    "again": 0.65,
    "dead": -2.5,
}
(BUILD, SAFE, NEEDED, AHEAD, TURN_UP, DEPTH, FREES, KING_WAITS, EMPTY, FILL) = range(10)
(WASTE_BUILT, WASTE_PUT, WASTE_VALUE, NEXT_WASTE, PHASE, LANDING, PLACE, CHAIN) = range(10, 18)
(MOVED, RETURN, RETURN_FOR_WASTE, LOOK, TURNED, AGAIN, DEAD) = range(18, 25)
"""What it is worth, in this order: a card built, more if that can hurt nothing, less if the top of
the waste goes nowhere else, less for each value that it is ahead of the lowest foundation; a card
turned up, more for each left below it; a card freed that can be built; an empty column if a king
waits for it, and if none does; filling one; a card of the waste built, or put on a column, more by
its value; the next card of the waste in play; each card more that the next pass brings into play; a
place for a run that turns a card up; one for a card of the waste or the stock, more if such a run
goes onto that; a run moved; a card taken back, more if the waste is played on it; a look at the
whole stock first; the share of a play's worth while the stock is turned for it, and if that takes a
redeal; turning a stock from which nothing can be played."""

columns_of_move = jit(move_columns)


@jit
def is_safe(s: State, card: CardCode) -> bool:
    """Whether no card will need this one to lie on: both of the other colour below it are built."""
    heights, need = s["shown"]["foundations"], (card >> 2) - 1
    if need <= 1:
        return True
    if is_red(card):
        return heights[0] >= need and heights[3] >= need
    return heights[1] >= need and heights[2] >= need


@jit
def build_worth(s: State, weights: Weights, card: CardCode) -> float:
    """What it is worth to put a card on its foundation."""
    least = KING
    for suit in range(len(SUITS)):
        least = min(least, s["shown"]["foundations"][suit])
    worth = weights[BUILD] + weights[AHEAD] * ((card >> 2) - 1 - least)
    return worth + weights[SAFE] if is_safe(s, card) else worth


@jit
def king_waits(s: State) -> bool:
    """Whether a king could go to an empty column: from the waste, or off cards face down."""
    if s["shown"]["waste_top"] >> 2 == KING:
        return True
    for column in range(COLUMNS):
        if s["shown"]["first"][column] >> 2 == KING and s["shown"]["face_down"][column]:
            return True
    return False


@jit
def uncover_worth(s: State, weights: Weights, view: Outlook, column: int, left: int) -> float:
    """What it is worth to leave so many cards in a column."""
    down = s["shown"]["face_down"][column]
    if left > down:
        return weights[FREES] if (view.ready >> s["column"][column][left - 1]) & 1 else 0.0
    if down:
        return weights[TURN_UP] + weights[DEPTH] * down
    return weights[KING_WAITS] if king_waits(s) else weights[EMPTY]


@jit
def take_worth(rules: RulesRecord, weights: Weights, view: Outlook, place: int) -> float:
    """What it is worth that the talon is without the card of a place, wherever that goes."""
    worth = 0.0
    if place > 1 and (view.playable >> place - 1) & 1:
        worth += weights[NEXT_WASTE]
    return worth + weights[PHASE] * next_pass(rules, view, place)


@jit
def play_worth(s: State, rules: RulesRecord, weights: Weights, view: Outlook, place: int) -> float:
    """What it is worth to play the card of a place of the talon, once it is the top."""
    card = talon_card(s, place)
    worth = 0.0
    if (view.ready >> card) & 1:
        worth = weights[WASTE_BUILT] + build_worth(s, weights, card)
    if columns_of(view.kinds, taken_by(card)):
        worth = max(worth, put_worth(weights, view, card))
    return worth + take_worth(rules, weights, view, place)


@jit
def turn_worth(s: State, rules: RulesRecord, weights: Weights, view: Outlook) -> float:
    """What it is worth to turn the stock: the best card that this brings up, less for a redeal.

    With a limited number of passes nothing waits: what is not sheer loss is played now.
    """
    shown = s["shown"]
    if rules.passes:
        return weights[DEAD]
    if not is_known(s):
        return weights[LOOK]
    waste = shown["waste_count"]
    size = waste + shown["stock_count"]
    best = 0.0
    for place in range(1, size + 1):
        turned = place > waste and ((place - waste) % rules.draw == 0 or place == size)
        again = shown["may_redeal"] and (place % rules.draw == 0 or place == size)
        if (view.playable >> place) & 1 and (turned or again):
            worth = play_worth(s, rules, weights, view, place)
            best = max(best, worth * weights[TURNED if turned else AGAIN])
    return best if best > 0 else weights[DEAD]


@jit
def put_worth(weights: Weights, view: Outlook, card: CardCode) -> float:
    """What it is worth to put a card of the waste on a column."""
    worth = weights[WASTE_PUT] + weights[WASTE_VALUE] * (card >> 2)
    wanted = takers(card)
    if view.heads & wanted:
        worth += weights[LANDING]
    if view.talon & wanted:
        worth += weights[PLACE]
        if takes_run_through(view, view.talon & wanted):
            worth += weights[CHAIN]
    return worth + weights[FILL] if card >> 2 == KING else worth


@jit
def move_worth(s: State, weights: Weights, view: Outlook, action: int) -> float:
    """What it is worth to move a run."""
    shown = s["shown"]
    column, target = columns_of_move(action)
    left = shown["face_down"][column]
    last = shown["last"][target]
    if last:
        left += (shown["first"][column] >> 2) - (last >> 2) + 1
    worth = weights[MOVED] + uncover_worth(s, weights, view, column, left)
    return worth if last else worth + weights[FILL]


@jit
def returned_card(s: State, action: int) -> CardCode:
    """The card that an action takes back from a foundation."""
    suit = suit_back(s, (action - BACK) >> 1, (action - BACK) & 1)
    return 4 * s["shown"]["foundations"][suit] + suit


@jit
def return_worth(s: State, weights: Weights, view: Outlook, card: CardCode) -> float:
    """What it is worth to take a card back from its foundation."""
    top = s["shown"]["waste_top"]
    worth = weights[RETURN]
    if view.heads & takers(card):
        worth += weights[LANDING]
    if top and goes_onto(top, card):
        worth += weights[RETURN_FOR_WASTE]
    return worth


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action: what it brings, now or by turning the stock."""
    shown = s["shown"]
    view = look(s)
    top, place = shown["waste_top"], shown["waste_count"]
    action = first_action(s["legal"])
    while action >= 0:
        if action <= REDEAL:
            worth = turn_worth(s, rules, weights, view)
        elif action == WASTE_UP:
            worth = weights[WASTE_BUILT] + build_worth(s, weights, top)
            worth += take_worth(rules, weights, view, place)
        elif action < COLUMN_UP:
            worth = put_worth(weights, view, top) + take_worth(rules, weights, view, place)
        elif action < MOVE:
            column = action - COLUMN_UP
            worth = build_worth(s, weights, shown["last"][column])
            worth += uncover_worth(s, weights, view, column, s["count"][column] - 1)
            if top and columns_of(view.kinds, taken_by(top)) == 1 << column:
                worth += weights[NEEDED]
        elif action < BACK:
            worth = move_worth(s, weights, view, action)
        else:
            worth = return_worth(s, weights, view, returned_card(s, action))
        scores[action] = worth
        action = next_action(s["legal"], action)
