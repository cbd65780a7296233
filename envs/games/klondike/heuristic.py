"""Klondike: action scores of the greedy agent and of the rule-based agent ``priority``.

Both agents use only what the player knows. The module contains, in this order: the outlook (facts
that all scores need), the worth of actions, the greedy agent, and the rule-based agent.

The *talon* is the waste followed by the stock, in the order that the cards would have if the whole
stock were turned onto the waste.
"""

from typing import NamedTuple

from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import FIRST_CARD, SUITS
from ...core.kernel.jit import jit
from ...core.legal import first_action, next_action
from ...core.type_aliases import CardCode, CardSet, RulesRecord, Scores, State, Weights
from .kernel import (
    columns_of,
    columns_of_move,
    is_red,
    kinds_above,
    last_kinds,
    next_cards,
    suit_back,
)
from .rules import (
    BACK,
    COLUMN_UP,
    COLUMNS,
    KING,
    MOVE,
    REDEAL,
    STOCK_SIZE,
    UNSEEN,
    WASTE_UP,
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
"""Indices of the weights. In order, they are the worth of:

- a card put on its foundation; added if this is safe, if the card is the only place for the top of
  the waste, and for each value by which the card is ahead of the lowest foundation
- a card turned up, and each face-down card left below it
- a freed card that fits on its foundation
- an empty column if a king waits for it, if no king waits, and for filling it
- a waste card put on its foundation or on a column, and for each value of the card
- the next waste card in play, and each additional card that the next pass brings into play
- a place for a run whose move turns a card up; a place for a talon card; added if such a run fits
  on that talon card
- a moved run
- a card moved back from a foundation, and added if the waste is played on it
- seeing the whole stock first
- the share of a play's worth while the stock is turned for it, and if this takes a redeal
- turning a stock from which nothing can be played
"""

THIRDS = sum(1 << place for place in range(3, STOCK_SIZE + 1, 3))
"""Set of talon positions that come to the top of the waste in a pass with three cards a turn."""


# The outlook


class Outlook(NamedTuple):
    """The facts of a state that scores need, computed once for all actions."""

    kinds: int
    """The kinds of the last cards; see `kernel.last_kinds`."""
    ready: CardSet
    """The set of cards that fit on the foundations next."""
    heads: CardSet
    """The set of first cards of the runs that are on face-down cards."""
    size: int
    """The number of cards of the talon; 0 while its order is unknown."""
    talon: CardSet
    """The known cards of the talon."""
    playable: int
    """The set of talon positions whose cards could be played if they were on top of the waste."""


@jit
def goes_onto(card: CardCode, other: CardCode) -> bool:
    """Return whether a card may be put on another in a column."""
    return card >> 2 == (other >> 2) - 1 and is_red(card) != is_red(other)


@jit
def cards_onto(card: CardCode) -> CardSet:
    """Return the set of the two cards that fit onto a card; empty for an ace."""
    if card >> 2 == 1:
        return 0
    return (9 if is_red(card) else 6) << (card & ~3) - 4


@jit
def heads_of(s: State) -> CardSet:
    """Return the set of first cards of the runs that are on face-down cards."""
    heads = 0
    for column in range(COLUMNS):
        heads |= (s["shown"]["face_down"][column] > 0) << s["shown"]["first"][column]
    return heads


@jit
def takes_run(s: State, card: CardCode) -> bool:
    """Return whether a run on face-down cards would fit onto a card at the end of a column."""
    return heads_of(s) & cards_onto(card) != 0


@jit
def talon_card(s: State, place: int) -> CardCode:
    """Return the card at a talon position, counted from 1."""
    waste, stock = s["shown"]["waste_count"], s["shown"]["stock_count"]
    return s["waste"][place - 1] if place <= waste else s["stock"][waste + stock - place]


@jit
def is_stock_known(s: State) -> bool:
    """Return whether the whole order of the stock is known."""
    return (
        s["shown"]["stock_count"] == 0 or s["shown"]["where"][s["stock"][0] - FIRST_CARD] != UNSEEN
    )


@jit
def make_outlook(s: State) -> Outlook:
    """Return the outlook of a state."""
    kinds, ready = last_kinds(s), next_cards(s)
    size, talon, playable = 0, 0, 0
    num_known = s["shown"]["waste_count"]
    if is_stock_known(s):
        size = num_known = num_known + s["shown"]["stock_count"]
    for place in range(1, num_known + 1):
        card = talon_card(s, place)
        talon |= 1 << card
        if (ready >> card) & 1 or columns_of(kinds, kinds_above(card)):
            playable |= 1 << place
    return Outlook(kinds, ready, heads_of(s), size, talon, playable)


@jit
def any_takes_run(view: Outlook, cards: CardSet) -> bool:
    """Return whether a run on face-down cards fits onto one of the given cards."""
    while cards:
        if view.heads & cards_onto(lowest(cards)):
            return True
        cards &= cards - 1
    return False


@jit
def count_more_playable(rules: RulesRecord, view: Outlook, place: int) -> int:
    """Return the number of additional playable cards in the next pass if a talon card is taken.

    All later cards then move one position forward, so with ``draw`` 3 other cards come to the top.
    """
    if rules.passes or rules.draw == 1 or view.size == 0:
        return 0
    above, end = -(2 << place), 1 << view.size
    after, before = THIRDS << 1 | end, THIRDS | end
    return count(view.playable & above & after) - count(view.playable & above & before)


# The worth of actions


@jit
def is_safe(s: State, card: CardCode) -> bool:
    """Return whether no card needs this one: both cards that fit on it are on their foundations."""
    heights, need = s["shown"]["foundations"], (card >> 2) - 1
    if need <= 1:
        return True
    if is_red(card):
        return heights[0] >= need and heights[3] >= need
    return heights[1] >= need and heights[2] >= need


@jit
def build_worth(s: State, weights: Weights, card: CardCode) -> float:
    """Return the worth of putting a card on its foundation."""
    least = KING
    for suit in range(len(SUITS)):
        least = min(least, s["shown"]["foundations"][suit])
    worth = weights[BUILD] + weights[AHEAD] * ((card >> 2) - 1 - least)
    return worth + weights[SAFE] if is_safe(s, card) else worth


@jit
def king_waits(s: State) -> bool:
    """Return whether a king on the waste or on face-down cards could go to an empty column."""
    if s["shown"]["waste_top"] >> 2 == KING:
        return True
    for column in range(COLUMNS):
        if s["shown"]["first"][column] >> 2 == KING and s["shown"]["face_down"][column]:
            return True
    return False


@jit
def uncover_worth(s: State, weights: Weights, view: Outlook, column: int, size: int) -> float:
    """Return the worth of leaving ``size`` cards in a column."""
    down = s["shown"]["face_down"][column]
    if size > down:
        return weights[FREES] if (view.ready >> s["column"][column][size - 1]) & 1 else 0.0
    if down:
        return weights[TURN_UP] + weights[DEPTH] * down
    return weights[KING_WAITS] if king_waits(s) else weights[EMPTY]


@jit
def take_worth(rules: RulesRecord, weights: Weights, view: Outlook, place: int) -> float:
    """Return the worth of taking a card out of the talon, regardless of its target."""
    worth = 0.0
    if place > 1 and (view.playable >> place - 1) & 1:
        worth += weights[NEXT_WASTE]
    return worth + weights[PHASE] * count_more_playable(rules, view, place)


@jit
def play_worth(s: State, rules: RulesRecord, weights: Weights, view: Outlook, place: int) -> float:
    """Return the worth of playing a card of the talon when it is on top."""
    card = talon_card(s, place)
    worth = 0.0
    if (view.ready >> card) & 1:
        worth = weights[WASTE_BUILT] + build_worth(s, weights, card)
    if columns_of(view.kinds, kinds_above(card)):
        worth = max(worth, put_worth(weights, view, card))
    return worth + take_worth(rules, weights, view, place)


@jit
def turn_worth(s: State, rules: RulesRecord, weights: Weights, view: Outlook) -> float:
    """Return the worth of turning the stock: the discounted worth of the best card it brings up.

    The discount is larger if a redeal is needed. With a limited number of passes, the worth is a
    small constant, so that all other actions come first.
    """
    shown = s["shown"]
    if rules.passes:
        return weights[DEAD]
    if not is_stock_known(s):
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
    """Return the worth of putting a waste card on a column."""
    worth = weights[WASTE_PUT] + weights[WASTE_VALUE] * (card >> 2)
    wanted = cards_onto(card)
    if view.heads & wanted:
        worth += weights[LANDING]
    if view.talon & wanted:
        worth += weights[PLACE]
        if any_takes_run(view, view.talon & wanted):
            worth += weights[CHAIN]
    return worth + weights[FILL] if card >> 2 == KING else worth


@jit
def move_worth(s: State, weights: Weights, view: Outlook, action: int) -> float:
    """Return the worth of moving a run."""
    shown = s["shown"]
    column, target = columns_of_move(action)
    size_left = shown["face_down"][column]
    last = shown["last"][target]
    if last:
        size_left += (shown["first"][column] >> 2) - (last >> 2) + 1
    worth = weights[MOVED] + uncover_worth(s, weights, view, column, size_left)
    return worth if last else worth + weights[FILL]


@jit
def returned_card(s: State, action: int) -> CardCode:
    """Return the card that an action moves back from a foundation."""
    suit = suit_back(s, (action - BACK) >> 1, (action - BACK) & 1)
    return 4 * s["shown"]["foundations"][suit] + suit


@jit
def return_worth(s: State, weights: Weights, view: Outlook, card: CardCode) -> float:
    """Return the worth of moving a card back from its foundation."""
    top = s["shown"]["waste_top"]
    worth = weights[RETURN]
    if view.heads & cards_onto(card):
        worth += weights[LANDING]
    if top and goes_onto(top, card):
        worth += weights[RETURN_FOR_WASTE]
    return worth


# The greedy agent


@jit
def heuristic(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action of the greedy agent."""
    shown = s["shown"]
    view = make_outlook(s)
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
            if top and columns_of(view.kinds, kinds_above(top)) == 1 << column:
                worth += weights[NEEDED]
        elif action < BACK:
            worth = move_worth(s, weights, view, action)
        else:
            worth = return_worth(s, weights, view, returned_card(s, action))
        scores[action] = worth
        action = next_action(s["legal"], action)


# The rule-based agent

LAST_RULE = 10
"""Number of the last rule of ``priority``, which plays like programs of the literature.

The agent uses the first rule that applies:

1. Put a card on its foundation if no other card can need it in the columns.
2. Turn a card up. If there are several such moves, choose the column with most face-down cards.
3. Put the top of the waste on its foundation.
4. Put the top of the waste on a column.
5. Put the last card of a column on its foundation.
6. Move a part of a run if the card that it frees fits on its foundation.
7. Empty a column if a king waits for it.
8. Move a card back from a foundation if a run can then move onto it and turn a card up, or if the
   waste can be played on it.
9. Turn the stock.
10. Make any other legal action.

No rule moves a card back without a purpose or moves a run back and forth.
"""


@jit
def rule_of_move(s: State, action: int) -> float:
    """Return the rule that moves a run, minus a hundredth for each face-down card below it."""
    shown = s["shown"]
    column, target = columns_of_move(action)
    down, last = shown["face_down"][column], shown["last"][target]
    size_left = down + (shown["first"][column] >> 2) - (last >> 2) + 1 if last else down
    if size_left > down:
        frees = (next_cards(s) >> s["column"][column][size_left - 1]) & 1
        return 6.0 if frees else LAST_RULE
    if down:
        return 2.0 - down / 100
    return 7.0 if king_waits(s) else LAST_RULE


@jit
def rule_of_build(s: State, column: int) -> float:
    """Return the rule that sends the last card of a column to its foundation."""
    down = s["shown"]["face_down"][column]
    if is_safe(s, s["shown"]["last"][column]):
        return 1.0
    return 2.0 - down / 100 if down and s["count"][column] == down + 1 else 5.0


@jit
def rule_of(s: State, action: int) -> float:
    """Return the number of the rule for an action. The agent plays an action with the lowest."""
    top = s["shown"]["waste_top"]
    if action <= REDEAL:
        return 9.0
    if action == WASTE_UP:
        return 1.0 if is_safe(s, top) else 3.0
    if action < COLUMN_UP:
        return 4.0
    if action < MOVE:
        return rule_of_build(s, action - COLUMN_UP)
    if action < BACK:
        return rule_of_move(s, action)
    card = returned_card(s, action)
    return 8.0 if takes_run(s, card) or (top and goes_onto(top, card)) else LAST_RULE


@jit
def priority(s: State, rules: RulesRecord, weights: Weights, scores: Scores) -> None:
    """Write a score for each legal action of the rule-based agent, the first rule highest."""
    action = first_action(s["legal"])
    while action >= 0:
        scores[action] = LAST_RULE - rule_of(s, action)
        action = next_action(s["legal"], action)
