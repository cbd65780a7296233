"""Kernels of Twenty-Eight and Twenty-Nine: phases of a hand, steps and the deal.

The kernels do not check that actions are legal.
"""

from ...core.batch import make_batch_kernels
from ...core.checks import Hand, make_deck_check, make_history_check
from ...core.kernel.bits import count
from ...core.kernel.cards import shuffle
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.kernel.table import next_seat
from ...core.schema import show_options
from ...core.type_aliases import Action, RulesRecord, Seat, SeatSet, State
from ..bidding.play import (
    all_seats,
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
from ..bidding.rules import NO_TRUMP_YET, NONE
from .knowledge import note_action, view
from .play import (
    FIRST_CARDS,
    ask_for_trumps,
    find_winner,
    first_size,
    give_cards,
    give_up_trumps,
    hand_size,
    have_all_spoken,
    highest_bid,
    is_dealt_again,
    is_decided,
    is_outbid,
    is_seventh_alone,
    make_trumps,
    play_card,
    score_contract,
    set_seventh_apart,
    show_pair,
    speak,
    write_legal,
)
from .rules import (
    ACTIONS,
    ASK,
    AUCTION,
    CODES,
    DOUBLING,
    FEATURES,
    HISTORY,
    LAID_ANYWHERE,
    LOWEST_RANK,
    MAKING,
    PASS,
    PLAY,
    RANKS,
    REDOUBLING,
    SEATS,
    SECOND,
    SHOW,
    SINGLE_WORTH,
    SINGLES,
    STATE,
    NeverShown,
)

# ---- from phase to phase --------------------------------------------------------------------


@jit
def enter_phase(s: State, phase: int, pending: SeatSet, seat: Seat) -> None:
    """Begin a phase in which the pending seats speak in turn, from ``seat`` on."""
    s["shown"]["phase"] = phase
    s["pending"] = pending
    s["turn"] = next_seat(pending, seat)


@jit
def offer_doubles(s: State, rules: RulesRecord) -> None:
    """Begin the phase in which the bidder's opponents may double the bid, or set it."""
    opponents = all_seats(rules) & ~side_of(rules, s["bidder"])
    enter_phase(s, DOUBLING, opponents, first_speaker(s, rules))


@jit
def end_auction(s: State, rules: RulesRecord) -> None:
    """Go from the auction to doubling, or to choosing trumps."""
    bidder = s["bidder"]
    if bidder < 0:
        end_hand(s)
    elif rules.doubles and not rules.trumps_first:
        offer_doubles(s, rules)
    else:
        enter_phase(s, MAKING, 1 << bidder, bidder)


@jit
def end_calls(s: State, rules: RulesRecord) -> None:
    """Go to the next phase after all seats have spoken."""
    phase, bidder, first = s["shown"]["phase"], s["bidder"], first_speaker(s, rules)
    if phase == AUCTION:
        end_auction(s, rules)
    elif phase == DOUBLING and s["shown"]["doubled"] == 1:
        enter_phase(s, REDOUBLING, side_of(rules, bidder), first)
    elif phase == REDOUBLING and s["shown"]["doubled"] == 2 and rules.set_bid:
        offer_doubles(s, rules)
    elif phase in (DOUBLING, REDOUBLING) and rules.trumps_first:
        deal_second_cards(s, rules)
    elif phase in (DOUBLING, REDOUBLING):
        enter_phase(s, MAKING, 1 << bidder, bidder)
    elif phase == SECOND and is_outbid(s, rules):
        give_up_trumps(s)
        enter_phase(s, MAKING, 1 << bidder, bidder)
    elif phase == SECOND:
        offer_singles(s, rules, first)
    else:
        start_play(s, rules)


@jit
def end_making(s: State, rules: RulesRecord) -> None:
    """Go from choosing trumps to doubling, to the second cards, or to the play."""
    if s["shown"]["all_dealt"]:
        offer_singles(s, rules, first_speaker(s, rules))
    elif rules.doubles and rules.trumps_first:
        offer_doubles(s, rules)
    else:
        deal_second_cards(s, rules)


@jit
def deal_second_cards(s: State, rules: RulesRecord) -> None:
    """Deal the second cards, and go to the calls that follow them."""
    first = first_speaker(s, rules)
    s["shown"]["all_dealt"] = 1
    if rules.players != SEATS:
        give_cards(s, rules, FIRST_CARDS * rules.players, FIRST_CARDS)
    if s["made"] == NO_TRUMP_YET:
        set_seventh_apart(s, rules)
        if rules.seventh_void and is_seventh_alone(s, rules):
            end_hand(s)
            return
    if rules.second_auction and s["shown"]["bid"] < highest_bid(rules):
        enter_phase(s, SECOND, all_seats(rules), first)
    else:
        offer_singles(s, rules, first)


@jit
def offer_singles(s: State, rules: RulesRecord, first: Seat) -> None:
    """Begin the phase in which a seat may play alone or, without that option, the play."""
    if rules.single_hand:
        enter_phase(s, SINGLES, all_seats(rules), first)
    else:
        start_play(s, rules)


@jit
def start_play(s: State, rules: RulesRecord) -> None:
    """Begin the first trick."""
    s["shown"]["phase"] = PLAY
    s["pending"] = 0
    s["leader"] = first_speaker(s, rules)
    s["playing"] = all_seats(rules)
    if s["alone"] >= 0:
        play_alone(s, rules)
    s["turn"] = s["leader"]
    if s["alone"] < 0 and rules.void_without and opponents_lack_trumps(s, rules, RANKS):
        end_hand(s)


@jit
def play_alone(s: State, rules: RulesRecord) -> None:
    """Prepare the play of a seat that plays alone: no partners, no trumps, and it leads."""
    alone = s["alone"]
    give_up_trumps(s)
    s["made"] = NONE
    s["shown"]["trumps_shown"] = 1
    s["leader"] = alone
    s["playing"] = all_seats(rules) & ~side_of(rules, alone) | 1 << alone


@jit
def score_hand(s: State, rules: RulesRecord) -> None:
    """End a hand after its last trick, and write the score unless the hand is void."""
    alone, bidder = s["alone"], s["bidder"]
    if alone >= 0:
        won = s["seats"][alone]["tricks"] == s["tricks"]
        pay_side(s, rules, side_of(rules, alone), SINGLE_WORTH if won else -rules.single_lost)
    elif s["shown"]["trumps_shown"] or rules.never_shown == NeverShown.PLAYS:
        pay_side(s, rules, side_of(rules, bidder), score_contract(s, rules))
    end_hand(s)


@jit
def end_trick(s: State, rules: RulesRecord) -> None:
    """Give the trick to its winner, and end the hand if it is over or decided."""
    last = s["tricks"] + 1 == hand_size(rules)
    winner, _ = find_winner(s, rules)
    give_trick(s, winner, RANKS, rules.last_trick if last else 0)
    s["turn"] = winner
    if last or (rules.early_end and is_decided(s, rules)):
        score_hand(s, rules)


# ---- a step ---------------------------------------------------------------------------------


@jit
def play(s: State, rules: RulesRecord, action: Action) -> None:
    """Make a move of the seat to act: ask for trumps, show the pair or play a card."""
    note_action(s, rules, action)
    if action == ASK:
        ask_for_trumps(s, rules)
    elif action == SHOW:
        show_pair(s, rules)
    else:
        play_card(s, action)
        if s["size"] == count(s["playing"]):
            end_trick(s, rules)
        else:
            s["turn"] = next_seat(s["playing"], s["turn"] + 1)


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
    elif phase == MAKING:
        make_trumps(s, rules, action, s["moves"] - 1)
        end_making(s, rules)
    else:
        speak(s, rules, action)
        if have_all_spoken(s):
            end_calls(s, rules)
        else:
            s["turn"] = next_seat(s["pending"], s["turn"] + 1)
    write_turn(s, rules)


# ---- the deal -------------------------------------------------------------------------------


@jit
def clear_state(s: State) -> None:
    """Reset all fields to their values before the deal."""
    clear_hand(s)
    shown = s["shown"]
    for seat in range(SEATS):
        public = s["seats"][seat]
        public["bid"] = 0
        public["passed"] = 0
        public["second"] = 0
        public["called"] = 0
        public["single"] = 0
        public["below"] = 0
        shown["seats"][seat] = public
        s["seen"][seat] = 0
    for k in range(2):
        s["makers"][k] = -1
        s["made_at"][k] = 0
    s["playing"] = 0
    s["laid_from"] = LAID_ANYWHERE
    s["maker"] = -1
    s["pair_by"] = -1
    s["set_by"] = -1
    s["alone"] = -1
    shown["bid"] = 0
    shown["target"] = 0
    shown["all_dealt"] = 0
    shown["stake"] = 0


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Begin a hand with the deck and the dealer in the state."""
    clear_state(s)
    show_options(s["shown"], rules)
    give_cards(s, rules, 0, first_size(rules))
    enter_phase(s, AUCTION, all_seats(rules), first_speaker(s, rules))
    write_turn(s, rules)


@jit
def new_deck(s: State, rules: RulesRecord) -> None:
    """Draw a dealer and a deck that needs no redeal, with the state's generator."""
    s["dealer"] = random_below(s, rules.players)
    size = fill_deck(s, CODES, RANKS, LOWEST_RANK[rules.players], 1)
    shuffle(s, s["deck"], 0, size)
    while is_dealt_again(s, rules):
        shuffle(s, s["deck"], 0, size)


# ---- exported kernels -----------------------------------------------------------------------


@jit
def reward_unit(rules: RulesRecord) -> float:
    """Return the net of one point. With three players, the net counts half points."""
    return 2.0 if rules.players == 3 else 1.0


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
check_deck = make_deck_check(
    HAND_CHECK,
    "a hand has four jacks (redeal_jacks), or the first hand (redeal_pointless) or one of the "
    "first two (redeal_two) has no points",
)
