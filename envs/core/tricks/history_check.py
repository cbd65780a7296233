"""Hands of which deck, dealer and history say everything: checks of states and of chosen decks.

Such a hand is played again from them, up to the first action that is not legal.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..aliases import RulesRecord, Seat, State
from ..batch import Over
from ..checks import make_state_check
from ..contract import StateCheck
from ..kernel.jit import jit
from ..legal import has_action
from ..options import as_record
from ..schema import Features


class View(Protocol):
    """Writes what a seat is shown."""

    def __call__(self, s: State, rules: RulesRecord, seat: Seat, /) -> None:
        """Write ``s["shown"]``."""


class Hand(NamedTuple):
    """How a hand of a game is played."""

    state: np.dtype[Any]
    features: Features
    actions: int
    longest: int
    """Actions of a hand at most: so long is the history."""
    deal: Callable[[State, RulesRecord], None]
    step: Callable[[State, RulesRecord, int], None]
    view: View
    is_dealt_again: Callable[[State, RulesRecord], bool]


def make_history_check(hand: Hand) -> StateCheck:
    """Return the check of states from outside, of a table of several with a dealer."""
    longest, actions, is_dealt_again = hand.longest, hand.actions, hand.is_dealt_again
    deal, step, view = hand.deal, hand.step, hand.view
    allowed = (
        ("dealer", "the number of a seat"),
        ("viewer", "the number of a seat"),
        ("moves", f"0 to {longest}"),
        ("deck", "one that the rules do not deal again"),
    )
    dealer, viewer, moves, deck = range(1, len(allowed) + 1)

    @jit
    def find_wrong(s: State, rules: RulesRecord) -> int:
        if s["dealer"] < 0 or s["dealer"] >= rules.players:
            return dealer
        if s["viewer"] < 0 or s["viewer"] >= rules.players:
            return viewer
        if s["moves"] > longest:
            return moves
        return deck if is_dealt_again(s, rules) else 0

    @jit
    def derive(s: State, rules: RulesRecord) -> None:
        count, seat = s["moves"], s["viewer"]
        history = np.empty(longest, np.int64)
        for n in range(longest):
            history[n] = s["history"][n] - 1
        s["moves"] = 0
        s["score"] = 0
        s["over"] = Over.RUNNING
        s["won"] = 0
        deal(s, rules)
        for n in range(count):
            action = history[n]
            if s["over"] or action < 0 or action >= actions or not has_action(s["legal"], action):
                return
            step(s, rules, action)
        view(s, rules, seat)

    return make_state_check(hand.state, hand.features, actions, allowed, find_wrong, derive)


def make_deck_check(hand: Hand, why: str) -> Callable[[np.ndarray, Any], None]:
    """Return ``check(deck, rules)``: ValueError, saying ``why``, for one that is dealt again."""

    def check_deck(deck: np.ndarray, rules: Any) -> None:
        states = np.zeros(1, hand.state)
        states["deck"][0, : len(deck)] = deck
        if hand.is_dealt_again(states[0], as_record(rules)[0]):
            raise ValueError(f"deck: by these rules it would be dealt again: {why}")

    return check_deck
