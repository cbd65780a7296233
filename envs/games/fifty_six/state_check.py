"""Fifty-Six: the checks of states from outside and of chosen decks."""

from ...core.tricks.history_check import Hand, make_deck_check, make_history_check
from .kernel import deal, is_dealt_again, step
from .rules import ACTIONS
from .seat_view import view
from .state import FEATURES, HISTORY, STATE

HAND = Hand(STATE, FEATURES, ACTIONS, HISTORY, deal, step, view, is_dealt_again)
STATE_CHECK = make_history_check(HAND)
check_deck = make_deck_check(HAND, "the first hand has no point (void_pointless)")
