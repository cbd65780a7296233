"""Twenty-Eight and Twenty-Nine: how it is played. Compiled; kernels trust the mask."""

from ...core.aliases import Action, RulesRecord, Seat, State
from ...core.batch import Over, make_batch_kernels
from ...core.kernel.bits import count
from ...core.kernel.cards import random_below, shuffle
from ...core.kernel.jit import jit
from ...core.legal import clear_actions, first_action, has_action
from ...core.seating import next_seat
from ...core.tricks.tricks import NO_SUIT, suit_set
from .auction import (
    FIRST_CARDS,
    add_words,
    all_seats,
    enter_phase,
    first_size,
    first_speaker,
    give_cards,
    give_up_trumps,
    hand_size,
    highest_bid,
    is_outbid,
    is_said,
    make_trumps,
    set_seventh_apart,
    side_of,
    speak,
)
from .facts import note_asking, note_card
from .play import add_cards, ask_for_trumps, pair_of, play_card, show_trumps, take_trick, trump_suit
from .rules import (
    ACTIONS,
    ASK,
    CARDS,
    CODES,
    JACK,
    LOWEST_RANK,
    NUMBERS,
    PASS,
    RANK_POINTS,
    RANKS,
    SEATS,
    SHOW,
    SINGLE_WORTH,
    NeverShown,
)
from .score import change_target, contract_pays, is_sure, pay_side
from .seat_view import clear_seat, clear_shown, show_rules, view
from .state import (
    AUCTION,
    BIDS,
    DOUBLING,
    HAND,
    HISTORY,
    LAID_ANYWHERE,
    MAKING,
    NO_TRUMP_YET,
    NONE,
    OVER,
    PLAY,
    REDOUBLING,
    SECOND,
    SINGLES,
)

# ---- from phase to phase --------------------------------------------------------------------


@jit
def end_auction(s: State, rules: RulesRecord) -> None:
    """Go on after the auction: to doubles, or to trumps."""
    bidder = s["bidder"]
    if bidder < 0:
        end_hand(s)
    elif rules.doubles:
        opponents = all_seats(rules) & ~side_of(rules, bidder)
        enter_phase(s, DOUBLING, opponents, first_speaker(s, rules))
    else:
        enter_phase(s, MAKING, 1 << bidder, bidder)


@jit
def end_words(s: State, rules: RulesRecord) -> None:
    """Go to the next phase after one in which seats speak."""
    phase, bidder, first = s["shown"]["phase"], s["bidder"], first_speaker(s, rules)
    if phase == AUCTION:
        end_auction(s, rules)
    elif phase == DOUBLING and s["shown"]["doubled"] == 1:
        enter_phase(s, REDOUBLING, side_of(rules, bidder), first)
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
    """Go on once trumps are made: to the second cards, and what may be said with them."""
    first = first_speaker(s, rules)
    if not s["shown"]["all_dealt"]:
        s["shown"]["all_dealt"] = 1
        if rules.players != SEATS:
            give_cards(s, rules, FIRST_CARDS * rules.players, FIRST_CARDS)
        if s["made"] == NO_TRUMP_YET:
            set_seventh_apart(s, rules)
        if rules.second_auction and s["shown"]["bid"] < highest_bid(rules):
            enter_phase(s, SECOND, all_seats(rules), first)
            return
    offer_singles(s, rules, first)


@jit
def offer_singles(s: State, rules: RulesRecord, first: Seat) -> None:
    """Ask who plays alone, or begin the play."""
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
    if s["alone"] < 0 and rules.void_without and trump_suit(s) != NO_SUIT:
        held = 0
        for seat in range(rules.players):
            if not (side_of(rules, s["bidder"]) >> seat) & 1:
                held |= s["hands"][seat]
        if held & suit_set(trump_suit(s), RANKS) == 0:
            end_hand(s)


@jit
def play_alone(s: State, rules: RulesRecord) -> None:
    """Let a seat play without partners and without trumps, and lead."""
    alone = s["alone"]
    give_up_trumps(s)
    s["made"] = NONE
    s["shown"]["trumps_shown"] = 1
    s["leader"] = alone
    s["playing"] = all_seats(rules) & ~side_of(rules, alone) | 1 << alone


# ---- the end --------------------------------------------------------------------------------


@jit
def end_hand(s: State) -> None:
    """End the hand."""
    s["over"] = Over.TERMINATED
    s["shown"]["phase"] = OVER
    s["won"] = s["net"][0] > 0


@jit
def score_hand(s: State, rules: RulesRecord) -> None:
    """End a hand that was played: somebody scores, unless trumps should have been shown."""
    alone, bidder = s["alone"], s["bidder"]
    if alone >= 0:
        won = s["seats"][alone]["tricks"] == s["tricks"]
        pay_side(s, rules, side_of(rules, alone), SINGLE_WORTH if won else -SINGLE_WORTH)
    elif s["shown"]["trumps_shown"] or rules.never_shown == NeverShown.PLAYS:
        pay_side(s, rules, side_of(rules, bidder), contract_pays(s, rules))
    end_hand(s)


@jit
def end_trick(s: State, rules: RulesRecord) -> None:
    """Give the trick away; after the last one, or when nothing is open, end the hand."""
    last = s["tricks"] + 1 == hand_size(rules)
    take_trick(s, rules, last)
    s["turn"] = s["leader"]
    if last or (rules.early_end and is_sure(s, rules)):
        score_hand(s, rules)


# ---- a step ---------------------------------------------------------------------------------


@jit
def play(s: State, rules: RulesRecord, action: Action) -> None:
    """Let the seat at turn ask, show or play a card."""
    if action == ASK:
        note_asking(s)
        ask_for_trumps(s, rules)
    elif action == SHOW:
        s["pair_by"] = s["turn"]
        pair = s["hands"][s["turn"]] & pair_of(trump_suit(s))
        s["seen"][s["turn"]] |= pair
        change_target(s, rules)
    else:
        note_card(s, rules, action)
        play_card(s, action)
        if s["size"] == count(s["playing"]):
            end_trick(s, rules)
        else:
            s["turn"] = next_seat(s["playing"], s["turn"] + 1)


@jit
def find_legal(s: State, rules: RulesRecord) -> None:
    """Write what the seat at turn may do, and what it sees."""
    clear_actions(s["legal"])
    if s["over"] == Over.RUNNING:
        if s["shown"]["phase"] == PLAY:
            if s["card"] and s["turn"] == s["bidder"] and s["hands"][s["turn"]] == 0:
                show_trumps(s)
            add_cards(s, rules)
        else:
            add_words(s, rules)
    view(s, rules, s["turn"])


@jit
def step(s: State, rules: RulesRecord, action: Action) -> None:
    """Let the seat whose turn it is act."""
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
        if is_said(s):
            end_words(s, rules)
        else:
            s["turn"] = next_seat(s["pending"], s["turn"] + 1)
    find_legal(s, rules)


@jit
def fallback_action(s: State, rules: RulesRecord) -> Action:
    """What is played for a seat that chose an illegal action: pass, or the lowest there is."""
    return PASS if has_action(s["legal"], PASS) else first_action(s["legal"])


# ---- the deal -------------------------------------------------------------------------------


@jit
def clear_state(s: State, rules: RulesRecord) -> None:
    """Make everything as it is before the first card."""
    shown = s["shown"]
    for seat in range(SEATS):
        s["net"][seat] = 0
        s["hands"][seat] = 0
        s["seen"][seat] = 0
        clear_seat(s["seats"][seat])
        shown["seats"][seat] = s["seats"][seat]
        shown["trick"][seat] = 0
    for card in range(CARDS):
        s["player_of"][card] = 0
        shown["when"][card] = 0
    for trick in range(HAND):
        s["taken_by"][trick] = 0
    for bid in range(BIDS):
        s["bid_by"][bid] = 0
    for n in range(HISTORY):
        s["history"][n] = 0
    s["card"] = 0
    s["made"] = 0
    s["playing"] = 0
    s["tricks"] = 0
    s["size"] = 0
    s["laid"] = 0
    s["laid_from"] = LAID_ANYWHERE
    s["leader"] = -1
    s["bidder"] = -1
    s["maker"] = -1
    s["asker"] = -1
    s["pair_by"] = -1
    s["alone"] = -1
    for k in range(2):
        s["makers"][k] = -1
        s["made_at"][k] = 0
    clear_shown(shown)


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Begin a hand with the deck and the dealer as they stand in the state."""
    clear_state(s, rules)
    show_rules(s, rules)
    give_cards(s, rules, 0, first_size(rules))
    enter_phase(s, AUCTION, all_seats(rules), first_speaker(s, rules))
    find_legal(s, rules)


@jit
def is_dealt_again(s: State, rules: RulesRecord) -> bool:
    """Whether the rules want the deck dealt again."""
    players, size = rules.players, first_size(rules)
    points = 0
    for place in range(size):
        points += RANK_POINTS[NUMBERS[s["deck"][place]] % RANKS]
    if rules.redeal_pointless and points == 0:
        return True
    for k in range(players):
        jacks = 0
        for round_ in range(hand_size(rules) // size):
            for place in range(size):
                card = NUMBERS[s["deck"][(round_ * players + k) * size + place]]
                jacks += card % RANKS == JACK
        if rules.redeal_jacks and jacks == 4:
            return True
    return False


@jit
def new_deck(s: State, rules: RulesRecord) -> None:
    """Draw the dealer, then fill the deck, from the state's generator, until it may be played."""
    s["dealer"] = random_below(s, rules.players)
    size = 0
    for card in range(CARDS):
        s["deck"][card] = 0
        if card % RANKS >= LOWEST_RANK[rules.players]:
            s["deck"][size] = CODES[card]
            size += 1
    for place in range(size, CARDS):
        s["deck"][place] = 0
    shuffle(s, s["deck"], 0, size)
    while is_dealt_again(s, rules):
        shuffle(s, s["deck"], 0, size)


@jit
def reward_unit(rules: RulesRecord) -> float:
    """What a seat's reward is counted in: points; of three players the net is half points."""
    return 2.0 if rules.players == 3 else 1.0


kernels = make_batch_kernels(
    new_deck, deal, step, ACTIONS, fallback_action=fallback_action, reward_unit=reward_unit
)
