"""Kernels of Fifty-Six: phases of a hand, steps and the deal.

The kernels do not check that actions are legal.
"""

from ...core.batch import make_batch_kernels
from ...core.checks import Hand, make_deck_check, make_history_check
from ...core.kernel.cards import shuffle
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.kernel.table import wrap_seat
from ...core.schema import show_options
from ...core.type_aliases import Action, RulesRecord, State
from ..bidding.play import (
    clear_hand,
    end_hand,
    fill_deck,
    first_speaker,
    give_trick,
    make_fallback_action,
    opponents_lack_trumps,
    pay_side,
    side_of,
)
from ..bidding.rules import NONE
from .knowledge import note_action, view
from .play import (
    ask_for_trumps,
    find_winner,
    hand_size,
    is_dealt_again,
    lay_card,
    lowest_rank,
    place_of,
    play_card,
    put_card,
    score_contract,
    speak,
    write_legal,
)
from .rules import (
    ACTIONS,
    ASK,
    AUCTION,
    BIDS,
    CODES,
    FEATURES,
    HISTORY,
    LAYING,
    LOWEST_BID,
    NUMBERS,
    PASS,
    PLAY,
    QUIET,
    RANKS,
    SEATS,
    STATE,
    AllPass,
    Leader,
    Trumps,
)

# ---- from phase to phase --------------------------------------------------------------------


@jit
def end_auction(s: State, rules: RulesRecord) -> None:
    """Go from the auction to the play, or to laying a card down."""
    if s["bidder"] < 0 and rules.all_pass == AllPass.NO_TRUMPS:
        s["bidder"] = first_speaker(s, rules)
        s["made"] = NONE
        s["shown"]["number"] = LOWEST_BID
        s["shown"]["trumps_shown"] = 1
        start_play(s, rules)
    elif s["bidder"] < 0:
        end_hand(s)
    elif rules.trumps == Trumps.HIDDEN:
        s["shown"]["phase"] = LAYING
        s["turn"] = s["bidder"]
    else:
        s["made"] = s["seats"][s["bidder"]]["strain"]
        s["shown"]["trumps_shown"] = 1
        start_play(s, rules)


@jit
def start_play(s: State, rules: RulesRecord) -> None:
    """Begin the first trick."""
    s["shown"]["phase"] = PLAY
    s["leader"] = s["bidder"] if rules.leader == Leader.BIDDER else first_speaker(s, rules)
    s["turn"] = s["leader"]
    if rules.void_without and opponents_lack_trumps(s, rules, RANKS):
        end_hand(s)


@jit
def end_trick(s: State, rules: RulesRecord) -> None:
    """Give the trick to its winner, and end the hand after the last trick."""
    winner, _ = find_winner(s, rules)
    give_trick(s, winner, RANKS, 0)
    s["turn"] = winner
    if s["tricks"] == hand_size(rules):
        pay_side(s, rules, side_of(rules, s["bidder"]), score_contract(s, rules))
        end_hand(s)


# ---- a step ---------------------------------------------------------------------------------


@jit
def play(s: State, rules: RulesRecord, action: Action) -> None:
    """Make a move of the seat to act: ask for trumps or play a card."""
    note_action(s, action)
    if action == ASK:
        ask_for_trumps(s)
        return
    play_card(s, action)
    if s["size"] == rules.players:
        end_trick(s, rules)
    else:
        s["turn"] = wrap_seat(s["turn"] + 1, rules.players)


@jit
def write_turn(s: State, rules: RulesRecord) -> None:
    """Write the legal actions and the observation of the seat to act."""
    write_legal(s, rules)
    view(s, rules, s["turn"])


@jit
def step(s: State, rules: RulesRecord, action: Action) -> None:
    """Make an action of the seat to act."""
    s["history"][s["moves"]] = 1 + action
    s["moves"] += 1
    phase = s["shown"]["phase"]
    if phase == PLAY:
        play(s, rules, action)
    elif phase == LAYING:
        lay_card(s, action, s["moves"] - 1)
        start_play(s, rules)
    elif speak(s, rules, action):
        end_auction(s, rules)
    elif s["shown"]["phase"] == AUCTION:
        s["turn"] = wrap_seat(s["turn"] + 1, rules.players)
    write_turn(s, rules)


# ---- the deal -------------------------------------------------------------------------------


@jit
def clear_state(s: State) -> None:
    """Reset all fields to their values before the deal."""
    clear_hand(s)
    shown = s["shown"]
    for seat in range(SEATS):
        public = s["seats"][seat]
        public["said"] = QUIET
        public["number"] = 0
        public["strain"] = 0
        shown["seats"][seat] = public
        s["twice"][seat] = 0
    for bid in range(BIDS):
        s["doubled_by"][bid] = 0
        shown["strains"][bid] = 0
        shown["forms"][bid] = 0
    s["redoubled_by"] = 0
    s["laid_at"] = 0
    s["passes"] = 0
    shown["number"] = 0
    shown["laid_back"] = 0


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Begin a hand with the deck and the dealer in the state."""
    clear_state(s)
    show_options(s["shown"], rules)
    first, size = first_speaker(s, rules), hand_size(rules)
    for order in range(rules.players):
        seat = wrap_seat(first + order, rules.players)
        for k in range(size):
            put_card(s, seat, NUMBERS[s["deck"][place_of(rules, order, k)]])
        s["seats"][seat]["hand"] = size
    s["shown"]["phase"] = AUCTION
    s["turn"] = first
    write_turn(s, rules)


@jit
def new_deck(s: State, rules: RulesRecord) -> None:
    """Draw a dealer and a deck that needs no redeal, with the state's generator."""
    s["dealer"] = random_below(s, rules.players)
    size = fill_deck(s, CODES, RANKS, lowest_rank(rules), 2)
    shuffle(s, s["deck"], 0, size)
    while is_dealt_again(s, rules):
        shuffle(s, s["deck"], 0, size)


# ---- exported kernels -----------------------------------------------------------------------


@jit
def reward_unit(rules: RulesRecord) -> float:
    """Return the net of one point."""
    return 1.0


kernels = make_batch_kernels(
    new_deck,
    deal,
    step,
    ACTIONS,
    fallback_action=make_fallback_action(PASS),
    reward_unit=reward_unit,
)
HAND_CHECK = Hand(STATE, FEATURES, ACTIONS, HISTORY, deal, step, view, is_dealt_again)
STATE_CHECK = make_history_check(HAND_CHECK)
check_deck = make_deck_check(HAND_CHECK, "the first hand has no points (void_pointless)")
