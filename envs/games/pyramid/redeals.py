"""Pyramid: whether the waste may be gone through again."""

from ...core.aliases import RulesRecord, State
from ...core.kernel.bits import count, lowest
from ...core.kernel.jit import jit
from .clicks import chains, sums
from .rules import TABLE, TARGET

TABLE_SET = (1 << TABLE) - 1
LANE = TARGET + 1
"""Bits for the totals 0 to 13 that so many cards can make."""
LANES = 4
"""The tops of three waste piles and of the stock."""


@jit
def cards_that_meet(rules: RulesRecord, num_cards: int) -> int:
    """How many of so many cards of the stock can be in play at once during a pass."""
    on_each_pile = 1 if rules.held else rules.turn
    if num_cards > rules.waste_piles * on_each_pile:
        return rules.waste_piles + (rules.stock_play or rules.held)
    return (num_cards + on_each_pile - 1) // on_each_pile


@jit
def count_points(s: State, positions: int) -> int:
    """What the cards at a set of deck positions can total: bit 14 (n - 1) + p, that n make p."""
    made = 0
    while positions:
        value = s["deck"][lowest(positions)] >> 2
        positions &= positions - 1
        more = 1 << value
        for lane in range(LANES - 1):
            totals = (made >> (lane * LANE)) & ((1 << (LANE - value)) - 1)
            more |= totals << (value + (lane + 1) * LANE)
        made |= more
    return made


@jit
def table_makes(s: State, rules: RulesRecord, need: int) -> bool:
    """Whether free cards of the table make so many points: one or, with ``many_sum``, several."""
    if need == 0:
        return True
    if not rules.many_sum:
        return s["by_value"][need] & s["free"] & TABLE_SET != 0
    found = chains(s, 0, TABLE, need) if rules.match_cover else sums(s, TABLE, need)
    return found != 0


@jit
def joins_waste(s: State, rules: RulesRecord, waste: int) -> bool:
    """Whether cards of the waste, in some order, could go with each other or with free cards."""
    most = cards_that_meet(rules, count(waste))
    if not rules.many_sum:
        most = min(most, 2)
    made = count_points(s, waste)
    for lane in range(most):
        for points in range(1, TARGET + 1):
            joins_table = rules.many_sum or lane == 0 or points == TARGET
            if (
                (made >> (lane * LANE + points)) & 1
                and joins_table
                and table_makes(s, rules, TARGET - points)
            ):
                return True
    return False


@jit
def shuffle_can_help(s: State, rules: RulesRecord) -> bool:
    """Whether some order of the waste as the new stock lets a card of it go in the coming pass."""
    return joins_waste(s, rules, s["waste"][0] | s["waste"][1] | s["waste"][2])


@jit
def has_redeal(s: State, rules: RulesRecord) -> bool:
    """Return whether a REDEAL is left.

    With ``passes=0`` and no UNDO, a REDEAL is legal only while it could lead to a removal, so that
    the game ends. With UNDO, only a win or ``max_moves`` ends the game.
    """
    if rules.passes == 0:
        if rules.shuffle_redeal:
            return shuffle_can_help(s, rules)
        return rules.undo or s["shown"]["removal_seen"] != 0
    return s["redeals"] + 1 < rules.passes
