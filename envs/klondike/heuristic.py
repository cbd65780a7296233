"""Klondike: what the greedy agent thinks of each action. Uses only what the player knows."""

from ..core.aliases import CardCode, RulesRecord, Scores, State, Weights
from ..core.cards import FIRST_CARD, SUITS
from ..core.jit import jit
from ..core.legal import first_action, next_action
from .fits import columns_of, is_red, last_kinds, next_cards, suit_back, taken_by
from .rules import (
    BACK,
    COLUMN_UP,
    COLUMNS,
    KING,
    MOVE,
    REDEAL,
    UNSEEN,
    WASTE_UP,
    move_columns,
)

WEIGHTS = {
    "build": 3.6,
    "safe": 16.5,
    "ahead": -0.6,
    "turn_up": 9.1,
    "depth": 0.2,
    "frees": 2.1,
    "king_waits": 6.5,
    "empty": -0.1,
    "fill": -0.6,
    "waste_up": -0.2,
    "waste_down": 3.1,
    "waste_value": 0.1,
    "next_waste": 1.2,
    "landing": 2.7,
    "move": -3.1,
    "return": -4.5,
    "return_for_waste": 5.0,
    "look": 6.0,
    "turned": 0.63,
    "again": 0.77,
    "dead": -2.4,
}
(BUILD, SAFE, AHEAD, TURN_UP, DEPTH, FREES, KING_WAITS, EMPTY, FILL) = range(9)
(WASTE_BUILT, WASTE_PUT, WASTE_VALUE, NEXT_WASTE, LANDING) = range(9, 14)
(MOVED, RETURN, RETURN_FOR_WASTE, LOOK, TURNED, AGAIN, DEAD) = range(14, 21)
"""What it is worth, in this order: a card built, more if that can hurt nothing, less for each value
that it is ahead of the lowest foundation; a card turned up, more for each left below it; a card
freed that can be built; an empty column if a king waits for it, and if none does; filling one; a
card of the waste built, or put on a column, more by its value; the next card of the waste in play;
a place for a run that turns a card up; a run moved; a card taken back, more if the waste is played
on it; a look at the whole stock first; the share of a play's worth while the stock is turned for
it, and if that takes a redeal; turning a stock from which nothing can be played."""

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
def uncover_worth(s: State, weights: Weights, column: int, left: int) -> float:
    """What it is worth to leave so many cards in a column."""
    down = s["shown"]["face_down"][column]
    if left > down:
        return weights[FREES] if (next_cards(s) >> s["column"][column][left - 1]) & 1 else 0.0
    if down:
        return weights[TURN_UP] + weights[DEPTH] * down
    return weights[KING_WAITS] if king_waits(s) else weights[EMPTY]


@jit
def goes_onto(card: CardCode, other: CardCode) -> bool:
    """Whether a card may lie on another in a column."""
    return card >> 2 == (other >> 2) - 1 and is_red(card) != is_red(other)


@jit
def takes_run(s: State, card: CardCode) -> bool:
    """Whether a run that lies on cards face down goes onto a card, were it the last of a column."""
    for column in range(COLUMNS):
        first = s["shown"]["first"][column]
        if s["shown"]["face_down"][column] and goes_onto(first, card):
            return True
    return False


@jit
def is_playable(s: State, kinds: int, card: CardCode) -> bool:
    """Whether a card, were it the top of the waste, could be played."""
    return (next_cards(s) >> card) & 1 != 0 or columns_of(kinds, taken_by(card)) != 0


@jit
def talon_card(s: State, place: int) -> CardCode:
    """The card that comes to a place of the waste, from 1, if the whole stock is turned onto it."""
    waste, stock = s["shown"]["waste_count"], s["shown"]["stock_count"]
    return s["waste"][place - 1] if place <= waste else s["stock"][waste + stock - place]


@jit
def is_known(s: State) -> bool:
    """Whether the whole order of the stock is known."""
    return (
        s["shown"]["stock_count"] == 0 or s["shown"]["where"][s["stock"][0] - FIRST_CARD] != UNSEEN
    )


@jit
def play_worth(s: State, weights: Weights, kinds: int, place: int) -> float:
    """What it is worth to play the card of a place of the waste, once it is the top; 0: nothing."""
    card = talon_card(s, place)
    worth = 0.0
    if (next_cards(s) >> card) & 1:
        worth = weights[WASTE_BUILT] + build_worth(s, weights, card)
    if columns_of(kinds, taken_by(card)):
        worth = max(worth, put_worth(s, weights, card))
    if worth > 0 and place > 1 and is_playable(s, kinds, talon_card(s, place - 1)):
        worth += weights[NEXT_WASTE]
    return worth


@jit
def turn_worth(s: State, rules: RulesRecord, weights: Weights, kinds: int) -> float:
    """What it is worth to turn the stock: the best card that this brings up, less for a redeal.

    With a limited number of passes nothing waits: what can be played now is.
    """
    shown = s["shown"]
    if rules.passes:
        return 0.0
    if not is_known(s):
        return weights[LOOK]
    waste = shown["waste_count"]
    size = waste + shown["stock_count"]
    best = 0.0
    for place in range(1, size + 1):
        turned = place > waste and ((place - waste) % rules.draw == 0 or place == size)
        again = shown["may_redeal"] and (place % rules.draw == 0 or place == size)
        if turned or again:
            worth = play_worth(s, weights, kinds, place)
            best = max(best, worth * weights[TURNED if turned else AGAIN])
    return best if best > 0 else weights[DEAD]


@jit
def put_worth(s: State, weights: Weights, card: CardCode) -> float:
    """What it is worth to put a card of the waste on a column."""
    worth = weights[WASTE_PUT] + weights[WASTE_VALUE] * (card >> 2)
    if takes_run(s, card):
        worth += weights[LANDING]
    return worth + weights[FILL] if card >> 2 == KING else worth


@jit
def move_worth(s: State, weights: Weights, action: int) -> float:
    """What it is worth to move a run."""
    shown = s["shown"]
    column, target = columns_of_move(action)
    left = shown["face_down"][column]
    last = shown["last"][target]
    if last:
        left += (shown["first"][column] >> 2) - (last >> 2) + 1
    worth = weights[MOVED] + uncover_worth(s, weights, column, left)
    return worth if last else worth + weights[FILL]


@jit
def returned_card(s: State, action: int) -> CardCode:
    """The card that an action takes back from a foundation."""
    suit = suit_back(s, (action - BACK) >> 1, (action - BACK) & 1)
    return 4 * s["shown"]["foundations"][suit] + suit


@jit
def return_worth(s: State, weights: Weights, card: CardCode) -> float:
    """What it is worth to take a card back from its foundation."""
    top = s["shown"]["waste_top"]
    worth = weights[RETURN]
    if takes_run(s, card):
        worth += weights[LANDING]
    if top and goes_onto(top, card):
        worth += weights[RETURN_FOR_WASTE]
    return worth


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action: what it brings, now or by turning the stock."""
    shown = s["shown"]
    kinds = last_kinds(s)
    top = shown["waste_top"]
    next_worth = 0.0
    high = shown["waste_count"]
    if high > 1 and is_playable(s, kinds, s["waste"][high - 2]):
        next_worth = weights[NEXT_WASTE]
    action = first_action(s["legal"])
    while action >= 0:
        if action <= REDEAL:
            scores[action] = turn_worth(s, rules, weights, kinds)
        elif action == WASTE_UP:
            scores[action] = weights[WASTE_BUILT] + build_worth(s, weights, top) + next_worth
        elif action < COLUMN_UP:
            scores[action] = put_worth(s, weights, top) + next_worth
        elif action < MOVE:
            column = action - COLUMN_UP
            worth = build_worth(s, weights, shown["last"][column])
            scores[action] = worth + uncover_worth(s, weights, column, s["count"][column] - 1)
        elif action < BACK:
            scores[action] = move_worth(s, weights, action)
        else:
            scores[action] = return_worth(s, weights, returned_card(s, action))
        action = next_action(s["legal"], action)
