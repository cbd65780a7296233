"""Moves of Twenty-Eight and Twenty-Nine: dealing, bidding, choosing trumps, tricks and scores.

The order of the phases is in `kernel`.
"""

from ...core.batch import Over
from ...core.kernel.jit import jit
from ...core.kernel.table import NO_SUIT, suit_set, wrap_seat
from ...core.legal import add_action, add_members, clear_actions
from ...core.type_aliases import Action, Places, RulesRecord, Seat, SeatSet, State
from ..bidding.play import (
    add_to_trick,
    all_seats,
    cards_to_follow,
    cards_to_lead,
    count_points,
    find_best_card,
    first_speaker,
    in_force,
    may_ask,
    open_trumps,
    place_in_deck,
    same_side,
    side_of,
    speaking_order,
    trump_suit,
)
from ..bidding.rules import NO_TRUMP_YET, NONE, SUITS
from .rules import (
    ASK,
    AUCTION,
    BID,
    CARDS,
    DOUBLE,
    DOUBLING,
    HAND,
    JACK,
    KING,
    LAID_ANYWHERE,
    LAID_FIRST,
    LAID_SEVENTH,
    LOWEST_BID,
    MAKE,
    MAKE_NONE,
    MAKE_REVERSED,
    MAKE_SEVENTH,
    NUMBERS,
    PACK_POINTS,
    PAIR_WORTH,
    PASS,
    PLAY,
    QUEEN,
    RANK_POINTS,
    RANKS,
    REDEAL,
    REDOUBLE,
    REDOUBLING,
    REVERSED,
    SEATS,
    SECOND,
    SET,
    SHOW,
    SINGLE,
    SINGLES,
    Ask,
    Force,
    Forced,
    NeverShown,
    Scoring,
    TrumpBy,
)

FIRST_CARDS = 4
"""Number of cards that a seat is dealt before the auction, except with six players."""
SEVENTH = FIRST_CARDS + 2
"""Position of the seventh card in a hand as dealt."""
POINT_CARDS = sum(1 << card for card in range(CARDS) if RANK_POINTS[card % RANKS])
"""The set of the cards with points."""

# ---- the deal -------------------------------------------------------------------------------


@jit
def first_size(rules: RulesRecord) -> int:
    """Return the number of cards that each seat has in the auction."""
    return 6 if rules.players == SEATS else FIRST_CARDS


@jit
def hand_size(rules: RulesRecord) -> int:
    """Return the total number of cards that each seat gets."""
    return first_size(rules) if rules.players == SEATS else HAND


@jit
def give_cards(s: State, rules: RulesRecord, place: int, size: int) -> None:
    """Deal ``size`` cards to each seat in turn, from a deck position on."""
    first = first_speaker(s, rules)
    for k in range(rules.players):
        seat = wrap_seat(first + k, rules.players)
        for _ in range(size):
            s["hands"][seat] |= 1 << NUMBERS[s["deck"][place]]
            place += 1
        s["seats"][seat]["hand"] += size


@jit
def count_packet(s: State, place: int, size: int) -> int:
    """Return the card points of ``size`` cards of the deck, from a position on."""
    points = 0
    for k in range(place, place + size):
        points += RANK_POINTS[NUMBERS[s["deck"][k]] % RANKS]
    return points


@jit
def is_dealt_again(s: State, rules: RulesRecord) -> bool:
    """Return whether the rules require a redeal."""
    size = first_size(rules)
    pointless = rules.redeal_pointless or rules.redeal_two
    if pointless and count_packet(s, 0, size) == 0:
        return True
    if rules.redeal_two and count_packet(s, size, size) == 0:
        return True
    if not rules.redeal_jacks:
        return False
    dealt = hand_size(rules) * rules.players
    for order in range(rules.players):
        jacks = 0
        for packet in range(order * size, dealt, rules.players * size):
            for place in range(packet, packet + size):
                jacks += NUMBERS[s["deck"][place]] % RANKS == JACK
        if jacks == 4:
            return True
    return False


# ---- the auction ----------------------------------------------------------------------------


@jit
def highest_bid(rules: RulesRecord) -> int:
    """Return the highest possible bid, which is the total number of points."""
    return PACK_POINTS + rules.last_trick


@jit
def lowest_bid(s: State, rules: RulesRecord, seat: Seat) -> int:
    """Return the lowest number that a seat may bid."""
    bid, bidder = s["shown"]["bid"], s["bidder"]
    if bidder < 0:
        return rules.min_bid
    number = bid + 1
    if rules.match and speaking_order(s, rules, seat) < speaking_order(s, rules, bidder):
        number = bid
    if seat != bidder and same_side(rules, bidder, seat):
        number = max(number, rules.partner_min)
    return number


@jit
def must_bid(s: State, rules: RulesRecord, seat: Seat) -> bool:
    """Return whether a seat may not pass in the auction."""
    if s["bidder"] >= 0:
        return False
    if rules.forced == Forced.FIRST:
        return seat == first_speaker(s, rules)
    return rules.forced == Forced.DEALER and s["pending"] == 1 << s["dealer"]


@jit
def may_demand_redeal(s: State, rules: RulesRecord, seat: Seat) -> bool:
    """Return whether a seat may demand a redeal: it speaks first, and its cards have no points."""
    return rules.may_redeal and s["moves"] == 0 and s["hands"][seat] & POINT_CARDS == 0


@jit
def add_bids(s: State, rules: RulesRecord, number: int) -> None:
    """Add all bids from a number up to the legal actions, or only the lowest if it is forced."""
    is_exact = rules.forced_exact and s["shown"]["phase"] == AUCTION
    is_exact = is_exact and must_bid(s, rules, s["turn"])
    last = number if is_exact else highest_bid(rules)
    for bid in range(number, last + 1):
        add_action(s["legal"], BID + bid - LOWEST_BID)


@jit
def add_calls(s: State, rules: RulesRecord) -> None:
    """Add the calls of the seat to act, or the trumps that it may choose, to the legal actions."""
    legal, phase, seat = s["legal"], s["shown"]["phase"], s["turn"]
    if phase == AUCTION:
        add_bids(s, rules, lowest_bid(s, rules, seat))
        if may_demand_redeal(s, rules, seat):
            add_action(legal, REDEAL)
    elif phase == SECOND:
        add_bids(s, rules, max(rules.second_auction, s["shown"]["bid"] + 1))
    elif phase == DOUBLING:
        add_action(legal, DOUBLE if s["shown"]["doubled"] == 0 else SET)
    elif phase == REDOUBLING:
        add_action(legal, REDOUBLE)
    elif phase == SINGLES:
        add_action(legal, SINGLE)
    else:
        add_trumps(s, rules)
        return
    if phase != AUCTION or not must_bid(s, rules, seat):
        add_action(legal, PASS)


@jit
def add_trumps(s: State, rules: RulesRecord) -> None:
    """Add the trumps that the bidder may choose to the legal actions."""
    legal = s["legal"]
    if rules.trump_by == TrumpBy.CARD:
        add_members(legal, s["hands"][s["turn"]])
        return
    for suit in range(SUITS):
        add_action(legal, MAKE + suit)
    if rules.seventh and s["seats"][s["turn"]]["hand"] == FIRST_CARDS:
        add_action(legal, MAKE_SEVENTH)
    if rules.no_trumps:
        add_action(legal, MAKE_NONE)
        add_action(legal, MAKE_REVERSED)


@jit
def take_bid(s: State, rules: RulesRecord, bid: int) -> None:
    """Record a bid of the seat to act. A bid cancels doubles of an earlier bid."""
    seat, shown = s["turn"], s["shown"]
    s["bidder"] = seat
    s["bid_by"][bid - LOWEST_BID] = 1 + seat
    shown["bid"] = bid
    shown["target"] = bid
    shown["doubled"] = 0
    shown["stake"] = 2 if rules.auto_double and bid >= rules.auto_double else 1


@jit
def speak(s: State, rules: RulesRecord, action: Action) -> None:
    """Record a call of the seat to act in a phase in which seats speak in turn."""
    seat, phase = s["turn"], s["shown"]["phase"]
    public = s["seats"][seat]
    if action == PASS:
        s["pending"] &= ~(1 << seat)
        if phase == AUCTION:
            public["passed"] = s["shown"]["bid"] + 1
        elif phase == SECOND:
            public["second"] = 1
        elif phase == SINGLES:
            public["single"] = 1
        elif s["shown"]["doubled"] < 2:
            public["called"] = 1
    elif action == REDEAL:
        s["seen"][seat] = s["hands"][seat]
        s["pending"] = 0
    elif phase == AUCTION:
        take_bid(s, rules, action - BID + LOWEST_BID)
        public["bid"] = s["shown"]["bid"]
        if rules.reentry:
            s["pending"] = all_seats(rules)
        elif rules.one_bid:
            s["pending"] &= ~(1 << seat)
        if s["shown"]["bid"] == highest_bid(rules):
            s["pending"] = 0
    elif phase == SECOND:
        take_bid(s, rules, action - BID + LOWEST_BID)
        public["second"] = s["shown"]["bid"]
        s["pending"] &= ~(1 << seat)
        if s["shown"]["bid"] == highest_bid(rules):
            s["pending"] = 0
    elif phase == SINGLES:
        public["single"] = 2
        s["alone"] = seat
        s["pending"] = 0
    elif action == SET:
        s["set_by"] = seat
        s["pending"] = 0
    else:
        public["called"] = 2 if action == DOUBLE else 3
        s["shown"]["doubled"] += 1
        s["shown"]["stake"] *= 2
        s["pending"] = 0


@jit
def have_all_spoken(s: State) -> bool:
    """Return whether a phase in which seats speak in turn is over."""
    if s["shown"]["phase"] == AUCTION and s["bidder"] >= 0:
        return s["pending"] & ~(1 << s["bidder"]) == 0
    return s["pending"] == 0


@jit
def is_outbid(s: State, rules: RulesRecord) -> bool:
    """Return whether a seat has bid in the second auction."""
    most = 0
    for seat in range(rules.players):
        most = max(most, s["seats"][seat]["second"])
    return most > 1


# ---- choosing trumps ------------------------------------------------------------------------


@jit
def make_trumps(s: State, rules: RulesRecord, action: Action, at: int) -> None:
    """Record the trumps that the bidder chooses by the action at position ``at`` of the history."""
    seat = s["bidder"]
    s["maker"] = seat
    again = s["makers"][0] >= 0
    s["makers"][int(again)] = seat
    s["made_at"][int(again)] = at
    s["laid"] = 0
    s["laid_from"] = LAID_ANYWHERE
    if action < CARDS:
        s["laid"] = 1 + action
        s["laid_from"] = LAID_ANYWHERE if again else LAID_FIRST
        s["shown"]["apart"] = LAID_FIRST
        s["hands"][seat] &= ~(1 << action)
        s["seats"][seat]["hand"] -= 1
        s["card"] = 1 + action
        s["made"] = 1 + action // RANKS
    elif action < MAKE_SEVENTH:
        s["made"] = 1 + action - MAKE
    elif action > MAKE_SEVENTH:
        s["made"] = NONE if action == MAKE_NONE else REVERSED
    else:
        s["shown"]["apart"] = LAID_SEVENTH


@jit
def dealt_card(s: State, rules: RulesRecord, seat: Seat, k: int) -> int:
    """Return card ``k`` of a seat's hand of eight cards as dealt."""
    order = speaking_order(s, rules, seat)
    return NUMBERS[s["deck"][place_in_deck(rules, FIRST_CARDS, order, k)]]


@jit
def is_seventh_alone(s: State, rules: RulesRecord) -> bool:
    """Return whether the first maker's seventh card is alone.

    It is alone if the seat was dealt no other card with points of the same suit.
    """
    seat = s["makers"][0]
    suit = dealt_card(s, rules, seat, SEVENTH) // RANKS
    for k in range(HAND):
        card = dealt_card(s, rules, seat, k)
        if k != SEVENTH and card // RANKS == suit and RANK_POINTS[card % RANKS]:
            return False
    return True


@jit
def set_seventh_apart(s: State, rules: RulesRecord) -> None:
    """Take the bidder's seventh card, which sets trumps, out of the hand."""
    card = dealt_card(s, rules, s["bidder"], SEVENTH)
    s["hands"][s["bidder"]] &= ~(1 << card)
    s["seats"][s["bidder"]]["hand"] -= 1
    s["made"] = 1 + card // RANKS
    s["card"] = 1 + card
    s["laid"] = 1 + card
    s["laid_from"] = LAID_SEVENTH
    s["shown"]["apart"] = LAID_SEVENTH


@jit
def return_card(s: State) -> None:
    """Return the card that sets trumps to the hand of the seat that laid it down."""
    if s["card"]:
        s["hands"][s["maker"]] |= 1 << (s["card"] - 1)
        s["seats"][s["maker"]]["hand"] += 1
        s["card"] = 0
        s["shown"]["apart"] = 0


@jit
def give_up_trumps(s: State) -> None:
    """Cancel trumps before they are chosen again or a seat plays alone."""
    return_card(s)
    s["maker"] = -1
    s["made"] = NO_TRUMP_YET
    s["laid"] = 0
    s["laid_from"] = LAID_ANYWHERE


# ---- tricks ---------------------------------------------------------------------------------


@jit
def show_trumps(s: State) -> None:
    """Show trumps to all seats. The card that sets them returns to the hand, and all see it."""
    if s["card"]:
        s["seen"][s["maker"]] |= 1 << (s["card"] - 1)
        return_card(s)
    open_trumps(s)


@jit
def has_whole_force(rules: RulesRecord) -> bool:
    """Return whether all cards of the trick in which trumps are shown can count as trumps."""
    return rules.force == Force.WHOLE


@jit
def find_winner(s: State, rules: RulesRecord) -> tuple[Seat, int]:
    """Return the winner of the trick so far and the strength of its card; see `find_best_card`."""
    whole = has_whole_force(rules)
    reverse = s["made"] == REVERSED and in_force(s, -1, whole)
    return find_best_card(s, s["playing"], RANKS, whole, reverse)


@jit
def highest_trump(s: State, rules: RulesRecord) -> int:
    """Return the highest rank of the trumps that count in the trick so far; -1 for none."""
    best, trumps = -1, trump_suit(s)
    for place in range(s["size"]):
        card = s["shown"]["trick"][place] - 1
        if in_force(s, place, has_whole_force(rules)) and card // RANKS == trumps:
            best = max(best, card % RANKS)
    return best


@jit
def list_trumps_above(s: State, rules: RulesRecord) -> Places:
    """Return the set of all trumps that beat the trumps in the trick."""
    first = max(trump_suit(s), 0) * RANKS
    not_above = ((1 << (highest_trump(s, rules) + 1)) - 1) << first
    return suit_set(trump_suit(s), RANKS) & ~not_above


@jit
def must_play_shown(s: State, rules: RulesRecord, seat: Seat) -> bool:
    """Return whether a seat is the bidder and must play the card that it showed by asking."""
    if not rules.play_shown or s["laid"] == 0 or seat != s["bidder"] or seat != s["asker"]:
        return False
    return s["shown"]["shown_trick"] == 1 + s["tricks"]


@jit
def cards_instead(s: State, rules: RulesRecord, seat: Seat) -> Places:
    """Return the set of cards that a seat may play if it cannot follow suit."""
    hand = s["hands"][seat]
    if not s["shown"]["trumps_shown"]:
        must_ask = rules.bidder_asks if seat == s["bidder"] else rules.ask == Ask.MUST
        return 0 if must_ask else hand
    if must_play_shown(s, rules, seat):
        return 1 << (s["laid"] - 1)
    trumps = hand & suit_set(trump_suit(s), RANKS)
    allowed = hand
    if s["shown"]["must_trump"] and trumps:
        allowed = trumps
    if rules.overtrump:
        beating = trumps & list_trumps_above(s, rules)
        if beating:
            allowed &= beating | ~trumps
    return allowed


@jit
def playable_cards(s: State, rules: RulesRecord, seat: Seat) -> Places:
    """Return the set of cards that a seat may play; empty if it must ask for trumps first."""
    if s["size"] == 0:
        return s["hands"][seat] if rules.lead_secret else cards_to_lead(s, seat, RANKS)
    following = cards_to_follow(s, seat, RANKS)
    return following if following else cards_instead(s, rules, seat)


@jit
def pair_of(suit: int) -> Places:
    """Return the set with king and queen of a suit."""
    return (1 << KING | 1 << QUEEN) << (suit * RANKS)


@jit
def may_show_pair(s: State, rules: RulesRecord, seat: Seat) -> bool:
    """Return whether a seat may show king and queen of trumps."""
    suit = trump_suit(s)
    if not rules.pair or s["pair_by"] >= 0 or not s["shown"]["trumps_shown"] or suit == NO_SUIT:
        return False
    if s["hands"][seat] & pair_of(suit) != pair_of(suit):
        return False
    side = side_of(rules, seat)
    for trick in range(s["shown"]["shown_trick"] - 1, s["tricks"]):
        if (side >> (s["taken_by"][trick] - 1)) & 1:
            return True
    return False


@jit
def ask_for_trumps(s: State, rules: RulesRecord) -> None:
    """Show trumps because the seat to act, which cannot follow suit, asks for them."""
    s["asker"] = s["turn"]
    show_trumps(s)
    s["shown"]["must_trump"] = rules.asker_trumps and trump_suit(s) != NO_SUIT


@jit
def play_card(s: State, card: int) -> None:
    """Play a card of the seat to act to the trick."""
    s["hands"][s["turn"]] &= ~(1 << card)
    add_to_trick(s, card)


@jit
def write_legal(s: State, rules: RulesRecord) -> None:
    """Write the legal actions of the seat to act.

    If the seat is the bidder and has only the face-down card, the card is shown first.
    """
    seat, legal = s["turn"], s["legal"]
    clear_actions(legal)
    if s["over"] != Over.RUNNING:
        return
    if s["shown"]["phase"] != PLAY:
        add_calls(s, rules)
        return
    if s["card"] and seat == s["bidder"] and s["hands"][seat] == 0:
        show_trumps(s)
    add_members(legal, playable_cards(s, rules, seat))
    if may_ask(s, seat, RANKS):
        add_action(legal, ASK)
    if may_show_pair(s, rules, seat):
        add_action(legal, SHOW)


# ---- the target and the score ---------------------------------------------------------------


@jit
def lowered_target(s: State, rules: RulesRecord) -> int:
    """Return the target of the bidder's side after it has shown the pair."""
    target = s["shown"]["target"]
    if s["shown"]["bid"] < rules.pair_from:
        return target
    return max(target - PAIR_WORTH, rules.min_bid)


@jit
def raised_target(s: State) -> int:
    """Return the target of the bidder's side after its opponents have shown the pair."""
    target = s["shown"]["target"]
    return max(target, min(target + PAIR_WORTH, PACK_POINTS))


@jit
def show_pair(s: State, rules: RulesRecord) -> None:
    """Show the pair of the seat to act, which changes the target of the bidder's side."""
    seat = s["turn"]
    s["pair_by"] = seat
    s["seen"][seat] |= s["hands"][seat] & pair_of(trump_suit(s))
    if same_side(rules, s["bidder"], seat):
        s["shown"]["target"] = lowered_target(s, rules)
    else:
        s["shown"]["target"] = raised_target(s)


@jit
def count_tricks(s: State, seats: SeatSet) -> int:
    """Return the number of tricks that a set of seats has taken."""
    tricks = 0
    for seat in range(len(s["seats"])):
        if (seats >> seat) & 1:
            tricks += s["seats"][seat]["tricks"]
    return tricks


@jit
def bid_value(rules: RulesRecord, bid: int) -> int:
    """Return the score of a bid if it is made."""
    if rules.scoring == Scoring.ONE:
        return 1
    if rules.scoring == Scoring.STEPS:
        value = 1 if bid < 20 else 2 if bid < 25 else 3
    else:
        value = 1 if bid < 20 else 2 if bid < 24 else 3 if bid < 28 else 4
    return min(value, rules.highest_stake) if rules.highest_stake else value


@jit
def score_contract(s: State, rules: RulesRecord) -> int:
    """Return the score of the bidder's side at the end."""
    shown, side = s["shown"], side_of(rules, s["bidder"])
    points = count_points(s, side)
    made = points >= shown["target"]
    score = bid_value(rules, shown["bid"])
    if not made:
        score += rules.scoring != Scoring.ONE
    score *= shown["stake"]
    if s["set_by"] >= 0 and shown["doubled"]:
        score += score // 2
    if rules.half_lost and not made and 2 * points < shown["bid"]:
        score *= 2
    if rules.cot and made and count_tricks(s, side) == s["tricks"]:
        score *= 2
    return score if made else -score


@jit
def may_pair_come(s: State, rules: RulesRecord) -> bool:
    """Return whether, by public information, the pair may still be shown."""
    if not rules.pair or s["pair_by"] >= 0:
        return False
    if not s["shown"]["trumps_shown"]:
        return True
    suit = trump_suit(s)
    if suit == NO_SUIT:
        return False
    return s["player_of"][suit * RANKS + KING] == 0 and s["player_of"][suit * RANKS + QUEEN] == 0


@jit
def is_decided(s: State, rules: RulesRecord) -> bool:
    """Return whether public information already determines the score of the hand."""
    if s["alone"] >= 0:
        return s["seats"][s["alone"]]["tricks"] < s["tricks"]
    if not s["shown"]["trumps_shown"] and rules.never_shown == NeverShown.VOID:
        return False
    side = side_of(rules, s["bidder"])
    points, others = count_points(s, side), count_points(s, all_seats(rules) & ~side)
    least = most = s["shown"]["target"]
    if may_pair_come(s, rules):
        least, most = lowered_target(s, rules), raised_target(s)
    if highest_bid(rules) - others < least:
        bid = s["shown"]["bid"]
        sure = 2 * points >= bid or 2 * (highest_bid(rules) - others) < bid
        return sure or not rules.half_lost
    return points >= most and not (rules.cot and count_tricks(s, side) == s["tricks"])
