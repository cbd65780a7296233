"""Klondike: a player by rule, as the programs of the literature play: the first rule that holds.

1. A card goes to its foundation if no other card can need it in the columns.
2. A move turns a card up: of several the one with most cards face down below it.
3. The top of the waste goes to its foundation, then 4. to a column.
5. A column's last card goes to its foundation.
6. A part of a run moves if the card that it frees can be built.
7. A column is emptied if a king waits for it.
8. A card comes back from a foundation if a run then turns a card up on it, or the waste is played.
9. The stock is turned. Whatever else is legal comes last.

No rule takes a card back for nothing, or moves a run to and fro.
"""

from ...core.aliases import RulesRecord, Scores, State, Weights
from ...core.kernel.jit import jit
from ...core.legal import first_action, next_action
from .fits import next_cards
from .heuristic import columns_of_move, is_safe, king_waits, returned_card
from .outlook import goes_onto, takes_run
from .rules import BACK, COLUMN_UP, MOVE, REDEAL, WASTE_UP

LAST_RULE = 10


@jit
def rule_of_move(s: State, action: int) -> float:
    """The rule by which a run moves, less the cards face down that it lies on in hundredths."""
    shown = s["shown"]
    column, target = columns_of_move(action)
    down, last = shown["face_down"][column], shown["last"][target]
    left = down + (shown["first"][column] >> 2) - (last >> 2) + 1 if last else down
    if left > down:
        frees = (next_cards(s) >> s["column"][column][left - 1]) & 1
        return 6.0 if frees else LAST_RULE
    if down:
        return 2.0 - down / 100
    return 7.0 if king_waits(s) else LAST_RULE


@jit
def rule_of_build(s: State, column: int) -> float:
    """The rule by which the last card of a column goes to its foundation."""
    down = s["shown"]["face_down"][column]
    if is_safe(s, s["shown"]["last"][column]):
        return 1.0
    return 2.0 - down / 100 if down and s["count"][column] == down + 1 else 5.0


@jit
def rule_of(s: State, action: int) -> float:
    """The number of the rule by which an action is played; of several actions the lowest is."""
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
    """Write for each legal action the number of its rule, the first rule highest."""
    action = first_action(s["legal"])
    while action >= 0:
        scores[action] = LAST_RULE - rule_of(s, action)
        action = next_action(s["legal"], action)
