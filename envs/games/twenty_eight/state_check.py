"""Twenty-Eight and Twenty-Nine: the checks of states from outside and of chosen decks."""

from ...core.tricks.history_check import Hand, make_deck_check, make_history_check
from .kernel import deal, is_dealt_again, step
from .rules import ACTIONS
from .seat_view import view
from .state import FEATURES, HISTORY, STATE

HAND = Hand(STATE, FEATURES, ACTIONS, HISTORY, deal, step, view, is_dealt_again)
STATE_CHECK = make_history_check(HAND)
check_deck = make_deck_check(
    HAND, "a hand has four jacks (redeal_jacks), or the first one no point (redeal_pointless)"
)
