"""Fifty-Six: the check of states from outside.

The deck, the dealer and the history say everything: the hand is played again from them.
"""

import numpy as np

from ..core.aliases import RulesRecord, State
from ..core.batch import Over
from ..core.jit import jit
from ..core.legal import has_action
from ..core.state_check import make_state_check
from .kernel import deal, is_dealt_again, step
from .rules import ACTIONS
from .seat_view import view
from .state import FEATURES, HISTORY, STATE

ALLOWED = (
    ("dealer", "the number of a seat"),
    ("viewer", "the number of a seat"),
    ("moves", f"0 to {HISTORY}"),
    ("deck", "one that the rules do not deal again"),
)
DEALER, VIEWER, MOVES, DECK = range(1, len(ALLOWED) + 1)


@jit
def find_wrong(s: State, rules: RulesRecord) -> int:
    """Return the number of the first field out of its range; 0 for none."""
    if s["dealer"] < 0 or s["dealer"] >= rules.players:
        return DEALER
    if s["viewer"] < 0 or s["viewer"] >= rules.players:
        return VIEWER
    if s["moves"] > HISTORY:
        return MOVES
    return DECK if is_dealt_again(s, rules) else 0


@jit
def derive(s: State, rules: RulesRecord) -> None:
    """Play the hand again; up to the first action that is not legal."""
    moves, viewer = s["moves"], s["viewer"]
    history = np.empty(HISTORY, np.int64)
    for n in range(HISTORY):
        history[n] = s["history"][n] - 1
    s["moves"] = 0
    s["score"] = 0
    s["over"] = Over.RUNNING
    s["won"] = 0
    deal(s, rules)
    for n in range(moves):
        action = history[n]
        if s["over"] or action < 0 or action >= ACTIONS or not has_action(s["legal"], action):
            return
        step(s, rules, action)
    view(s, rules, viewer)


STATE_CHECK = make_state_check(STATE, FEATURES, ACTIONS, ALLOWED, find_wrong, derive)
