"""Fifty-Six: how it is played. Compiled; kernels trust the mask."""

from ...core.aliases import Action, RulesRecord, State
from ...core.batch import Over, make_batch_kernels
from ...core.kernel.cards import random_below, shuffle
from ...core.kernel.jit import jit
from ...core.legal import add_members, clear_actions, first_action, has_action
from ...core.seating import wrap_seat
from ...core.tricks.tricks import NO_SUIT, suit_set
from .auction import add_words, first_speaker, same_side, speak
from .cards import hand_size, lowest_rank, put_card, take_card
from .facts import note_asking, note_card
from .play import (
    add_cards,
    ask_for_trumps,
    play_card,
    show_trumps,
    take_trick,
    trump_suit,
)
from .rules import (
    ACTIONS,
    ASK,
    CARDS,
    CODES,
    COPIES,
    NUMBERS,
    PASS,
    RANK_POINTS,
    RANKS,
    SEATS,
    Leader,
    Trumps,
)
from .score import contract_pays, pay_sides
from .seat_view import clear_seat, clear_shown, show_rules, view
from .state import AUCTION, BIDS, HAND, HISTORY, LAYING, NO_TRUMP_YET, OVER, PLAY

DEALT = 4
"""Cards that a seat gets at a time."""


# ---- from phase to phase --------------------------------------------------------------------


@jit
def end_hand(s: State) -> None:
    """End the hand."""
    s["over"] = Over.TERMINATED
    s["shown"]["phase"] = OVER
    s["won"] = s["net"][0] > 0


@jit
def end_auction(s: State, rules: RulesRecord) -> None:
    """Go on after the auction: to the play, or to a card that is laid down."""
    if s["bidder"] < 0:
        end_hand(s)
    elif rules.trumps == Trumps.HIDDEN:
        s["shown"]["phase"] = LAYING
        s["turn"] = s["bidder"]
    else:
        s["made"] = s["seats"][s["bidder"]]["strain"]
        s["shown"]["trumps_shown"] = 1
        start_play(s, rules)


@jit
def lay_card(s: State, rules: RulesRecord, card: Action) -> None:
    """Let the bidder lay a card face down, which makes trumps."""
    seat = s["turn"]
    take_card(s, seat, card)
    s["seats"][seat]["hand"] -= 1
    s["card"] = 1 + card
    s["laid"] = 1 + card
    s["laid_at"] = s["moves"] - 1
    s["made"] = 1 + card // RANKS
    s["shown"]["apart"] = 1
    start_play(s, rules)


@jit
def lack_trumps(s: State, rules: RulesRecord) -> bool:
    """Whether the bidder's opponents have no trump, where there are trumps."""
    held = 0
    for seat in range(rules.players):
        if not same_side(seat, s["bidder"]):
            held |= s["hands"][seat]
    suit = trump_suit(s)
    return suit != NO_SUIT and held & suit_set(suit, RANKS) == 0


@jit
def start_play(s: State, rules: RulesRecord) -> None:
    """Begin the first trick."""
    s["shown"]["phase"] = PLAY
    s["lead_by"] = s["bidder"] if rules.leader == Leader.BIDDER else first_speaker(s, rules)
    s["turn"] = s["lead_by"]
    if rules.void_without and lack_trumps(s, rules):
        end_hand(s)


@jit
def play(s: State, rules: RulesRecord, action: Action) -> None:
    """Let the seat at turn ask, or play a card; after the last trick the contract is paid."""
    if action == ASK:
        note_asking(s)
        ask_for_trumps(s)
        return
    note_card(s, rules, action)
    play_card(s, action)
    if s["size"] < rules.players:
        s["turn"] = wrap_seat(s["turn"] + 1, rules.players)
        return
    take_trick(s, rules)
    s["turn"] = s["lead_by"]
    if s["tricks"] == hand_size(rules):
        pay_sides(s, rules, contract_pays(s, rules))
        end_hand(s)


# ---- a step ---------------------------------------------------------------------------------


@jit
def find_legal(s: State, rules: RulesRecord) -> None:
    """Write the legal actions of the seat at turn, and what it sees.

    A bidder who has nothing but the card laid down shows it as he comes to play.
    """
    clear_actions(s["legal"])
    phase, seat = s["shown"]["phase"], s["turn"]
    if phase == PLAY:
        if s["card"] and seat == s["bidder"] and s["hands"][seat] == 0:
            show_trumps(s)
        add_cards(s)
    elif phase == LAYING:
        add_members(s["legal"], s["hands"][seat])
    elif phase != OVER:
        add_words(s, rules)
    view(s, rules, seat)


@jit
def step(s: State, rules: RulesRecord, action: Action) -> None:
    """Let the seat whose turn it is act."""
    s["history"][s["moves"]] = 1 + action
    s["moves"] += 1
    phase = s["shown"]["phase"]
    if phase == PLAY:
        play(s, rules, action)
    elif phase == LAYING:
        lay_card(s, rules, action)
    elif speak(s, rules, action):
        end_auction(s, rules)
    elif s["shown"]["phase"] == AUCTION:
        s["turn"] = wrap_seat(s["turn"] + 1, rules.players)
    find_legal(s, rules)


@jit
def fallback_action(s: State, rules: RulesRecord) -> Action:
    """What is played for a seat that chose an illegal action: pass, or the lowest there is."""
    return PASS if has_action(s["legal"], PASS) else first_action(s["legal"])


# ---- the deal -------------------------------------------------------------------------------


@jit
def clear_state(s: State) -> None:
    """Make everything as it is before the first card."""
    shown = s["shown"]
    for seat in range(SEATS):
        s["net"][seat] = 0
        s["hands"][seat] = 0
        s["twice"][seat] = 0
        clear_seat(s["seats"][seat])
        shown["seats"][seat] = s["seats"][seat]
        shown["trick"][seat] = 0
    for copy in range(COPIES):
        s["player_of"][copy] = 0
        shown["when"][copy] = 0
    for trick in range(HAND):
        s["taken_by"][trick] = 0
    for bid in range(BIDS):
        s["bid_by"][bid] = 0
        s["doubled_by"][bid] = 0
        shown["strains"][bid] = 0
    for n in range(HISTORY):
        s["history"][n] = 0
    s["redoubled_by"] = 0
    s["card"] = 0
    s["laid"] = 0
    s["laid_at"] = 0
    s["made"] = NO_TRUMP_YET
    s["passes"] = 0
    s["tricks"] = 0
    s["size"] = 0
    s["lead_by"] = -1
    s["bidder"] = -1
    s["asker"] = -1
    clear_shown(shown)


@jit
def place_of(rules: RulesRecord, order: int, k: int) -> int:
    """The place in the deck of card k of the hand that is dealt as number ``order``."""
    return (k // DEALT * rules.players + order) * DEALT + k % DEALT


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Begin a hand with the deck and the dealer as they stand in the state."""
    clear_state(s)
    show_rules(s, rules)
    first, size = first_speaker(s, rules), hand_size(rules)
    for order in range(rules.players):
        seat = wrap_seat(first + order, rules.players)
        for k in range(size):
            put_card(s, seat, NUMBERS[s["deck"][place_of(rules, order, k)]])
        s["seats"][seat]["hand"] = size
    s["shown"]["phase"] = AUCTION
    s["turn"] = first
    find_legal(s, rules)


@jit
def is_dealt_again(s: State, rules: RulesRecord) -> bool:
    """Whether the rules want the deck dealt again."""
    if not rules.void_pointless:
        return False
    points = 0
    for k in range(hand_size(rules)):
        points += RANK_POINTS[NUMBERS[s["deck"][place_of(rules, 0, k)]] % RANKS]
    return points == 0


@jit
def new_deck(s: State, rules: RulesRecord) -> None:
    """Draw the dealer, then fill the deck, from the state's generator, until it may be played."""
    s["dealer"] = random_below(s, rules.players)
    size, lowest = 0, lowest_rank(rules)
    for card in range(CARDS):
        if card % RANKS >= lowest:
            for _ in range(2):
                s["deck"][size] = CODES[card]
                size += 1
    for place in range(size, COPIES):
        s["deck"][place] = 0
    shuffle(s, s["deck"], 0, size)
    while is_dealt_again(s, rules):
        shuffle(s, s["deck"], 0, size)


@jit
def reward_unit(rules: RulesRecord) -> float:
    """What a seat's reward is counted in: points."""
    return 1.0


kernels = make_batch_kernels(
    new_deck, deal, step, ACTIONS, fallback_action=fallback_action, reward_unit=reward_unit
)
