"""Pyramid with all cards known: what goes at once, without asking, and when that is sound.

- A king of the pyramid that can go goes at once: always. It must go, it frees cards, and it stands
  in nobody's way once gone.
- A king of the deck that is in play goes at once, too, if it leaves no trace
  (`position.leaves_no_trace`): what is played with it there can be played without it.
- A free card that must go, with one card left that it could ever go with, which is free, too: the
  two go at once, if no third card could go along (not with ``many_sum``), and if both lie on the
  table or leave no trace.
- In the last pass cards that can never go any more, and all under them, are no more: see
  `find_buried`.
"""

import numpy as np

from ....core.aliases import Positions, RulesRecord
from ....core.kernel.bits import highest, lowest
from ....core.kernel.jit import jit
from ..rules import KING
from .position import (
    FIRST,
    GOAL,
    PARTNERS,
    SETS,
    Position,
    free_cards,
    free_kings,
    leaves_no_trace,
    note_removal,
    on_pile,
    remove_cards,
)


@jit
def find_forced_removal(
    at: Position, sparing: Positions, facts: np.ndarray, rules: RulesRecord
) -> Positions:
    """A removal that can be made at once without a loss, or 0; of kings those in ``sparing``."""
    free = free_cards(at, facts[FIRST], rules)
    tableau = (1 << facts[FIRST]) - 1
    also_deck = leaves_no_trace(rules)
    kings = free_kings(at.there, free, facts[SETS + KING], rules) & sparing
    if not also_deck:
        kings &= tableau
    if kings:
        return kings & -kings
    if rules.many_sum:
        return 0
    rest = free & facts[GOAL]
    if not also_deck:
        rest &= tableau
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        others = facts[PARTNERS + card] & at.there
        if others & free and others & (others - 1) == 0 and (also_deck or others & tableau):
            return 1 << card | others
    return 0


@jit
def find_buried(at: Position, facts: np.ndarray, rules: RulesRecord) -> Positions:
    """The waste cards that can never go, and all beneath them: in the last pass they are no more.

    A card that is held buries nothing before it is laid down.
    Not with ``clear_all``, where they have to go, nor with ``many_sum``, where many could go along.
    """
    if rules.clear_all or rules.many_sum:
        return 0
    under = 0
    for pile in range(rules.waste_piles):
        rest = on_pile(at, pile, facts[FIRST])
        while rest:
            card = highest(rest)
            rest &= ~(1 << card)
            if facts[PARTNERS + card] & at.there == 0:
                under |= 1 << card | rest
                break
    return under


@jit
def remove_forced(
    at: Position,
    sparing: Positions,
    facts: np.ndarray,
    rules: RulesRecord,
    line: np.ndarray,
    length: int,
) -> tuple[Position, int]:
    """Let go what goes without asking; ``line`` receives it, from place ``length`` on.

    Of kings only those among ``sparing`` go. Returns the position and the length of the line.
    """
    before = length
    while at.there & facts[GOAL]:
        gone = find_forced_removal(at, sparing, facts, rules)
        if gone:
            line[length] = gone
            length += 1
        elif at.left == 0:
            gone = find_buried(at, facts, rules)
        if gone == 0:
            break
        at = remove_cards(at, gone)
    return note_removal(at, length > before), length
