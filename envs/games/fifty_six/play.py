"""Moves of Fifty-Six: hands that may hold a card twice, bidding, tricks and scores.

The order of the phases is in `kernel`.
"""

from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from ...core.kernel.table import follow
from ...core.legal import add_action, add_members, clear_actions
from ...core.type_aliases import Action, Places, RulesRecord, Seat, State
from ..bidding.play import (
    add_to_trick,
    all_seats,
    cards_to_follow,
    cards_to_lead,
    count_points,
    find_best_card,
    may_ask,
    open_trumps,
    place_in_deck,
    same_side,
    side_of,
    trump_suit,
)
from ..bidding.rules import NONE, OVER
from .rules import (
    ASK,
    AUCTION,
    BID,
    BID_LAST,
    BY_PLUS,
    DOUBLE,
    DOUBLED,
    HAND_SIZE,
    HIGHEST_BID,
    LAYING,
    LEVELS,
    LOWEST_BID,
    LOWEST_RANK,
    NAMING,
    NO_TRUMPS,
    NOES,
    NUMBER_FIRST,
    NUMBER_PASS,
    NUMBERS,
    PASS,
    PASSED,
    PLAY,
    PLUS,
    RANK_POINTS,
    RANKS,
    REDOUBLE,
    REDOUBLED,
    SHORT_HAND_SIZE,
    SHORT_LOWEST_RANK,
    STRAIN,
    STRAIN_BEFORE,
    STRAIN_FIRST,
    Doubling,
    Trumps,
)

PACKET, SHORT_PACKET = 4, 3
"""Number of cards that a seat is dealt at a time, and in hands of six cards."""

# ---- hands ----------------------------------------------------------------------------------


@jit
def put_card(s: State, seat: Seat, card: int) -> None:
    """Put a card into a hand."""
    bit = 1 << card
    s["twice"][seat] |= s["hands"][seat] & bit
    s["hands"][seat] |= bit


@jit
def take_card(s: State, seat: Seat, card: int) -> None:
    """Take a card out of a hand."""
    bit = 1 << card
    if s["twice"][seat] & bit:
        s["twice"][seat] &= ~bit
    else:
        s["hands"][seat] &= ~bit


@jit
def count_hand(s: State, seat: Seat) -> int:
    """Return the number of cards in a seat's hand."""
    return count(s["hands"][seat]) + count(s["twice"][seat])


@jit
def copies_held(s: State, seat: Seat, card: int) -> int:
    """Return the number of copies of a card in a seat's hand."""
    return (s["hands"][seat] >> card & 1) + (s["twice"][seat] >> card & 1)


# ---- the deal -------------------------------------------------------------------------------


@jit
def lowest_rank(rules: RulesRecord) -> int:
    """Return the lowest rank in the deck."""
    if rules.six_each:
        return SHORT_LOWEST_RANK
    return LOWEST_RANK[rules.players, rules.small_pack]


@jit
def hand_size(rules: RulesRecord) -> int:
    """Return the number of cards that each seat gets."""
    if rules.six_each:
        return SHORT_HAND_SIZE
    return HAND_SIZE[rules.players, rules.small_pack]


@jit
def place_of(rules: RulesRecord, order: int, k: int) -> int:
    """Return the deck position of card ``k`` of hand ``order``, counted from the first speaker."""
    return place_in_deck(rules, SHORT_PACKET if rules.six_each else PACKET, order, k)


@jit
def is_dealt_again(s: State, rules: RulesRecord) -> bool:
    """Return whether the rules require a redeal."""
    if not rules.void_pointless:
        return False
    points = 0
    for k in range(hand_size(rules)):
        points += RANK_POINTS[NUMBERS[s["deck"][place_of(rules, 0, k)]] % RANKS]
    return points == 0


# ---- the auction ----------------------------------------------------------------------------


@jit
def lowest_bid(s: State, rules: RulesRecord) -> int:
    """Return the lowest number that the seat to act may bid."""
    number, bidder = s["shown"]["number"], s["bidder"]
    if bidder < 0:
        return LOWEST_BID
    if rules.honours and same_side(rules, bidder, s["turn"]):
        for level in LEVELS:
            if level > number:
                return level
    return number + 1


@jit
def kept_strain(s: State, rules: RulesRecord) -> int:
    """Return the strain of the bid before the last if the same side made it, otherwise 0."""
    for bid in range(s["shown"]["number"] - LOWEST_BID - 1, -1, -1):
        if s["bid_by"][bid]:
            ours = same_side(rules, s["bid_by"][bid] - 1, s["turn"])
            return s["shown"]["strains"][bid] if ours else 0
    return 0


@jit
def add_strains(s: State, rules: RulesRecord) -> None:
    """Add the strains of the bid, and its forms, to the legal actions."""
    legal = s["legal"]
    for strain in range(NO_TRUMPS - STRAIN + 1):
        add_action(legal, STRAIN + strain)
        if rules.bid_forms:
            add_action(legal, STRAIN_FIRST + strain)
    kept = kept_strain(s, rules)
    if rules.bid_forms and kept:
        add_action(legal, PLUS)
        add_action(legal, NUMBER_PASS)
        if kept < NONE:
            add_action(legal, NOES)


@jit
def add_calls(s: State, rules: RulesRecord) -> None:
    """Add the calls of the seat to act to the legal actions."""
    legal, bidder, doubled = s["legal"], s["bidder"], s["shown"]["doubled"]
    if s["shown"]["phase"] == NAMING:
        add_strains(s, rules)
        return
    for number in range(lowest_bid(s, rules), HIGHEST_BID + 1):
        add_action(legal, BID + number - LOWEST_BID)
    if bidder >= 0 or not rules.forced:
        add_action(legal, PASS)
    if bidder < 0 or rules.doubling == Doubling.NONE:
        return
    ours = same_side(rules, bidder, s["turn"])
    if doubled == 0 and not ours:
        add_action(legal, DOUBLE)
    elif doubled == 1 and ours:
        add_action(legal, REDOUBLE)


@jit
def take_bid(s: State, number: int) -> None:
    """Record a bid of the seat to act. A bid cancels an earlier double."""
    seat, shown = s["turn"], s["shown"]
    s["bidder"] = seat
    s["bid_by"][number - LOWEST_BID] = 1 + seat
    s["passes"] = 0
    shown["number"] = number
    shown["doubled"] = 0
    s["seats"][seat]["said"] = BID_LAST
    s["seats"][seat]["number"] = number
    s["seats"][seat]["strain"] = 0


@jit
def name_strain(s: State, strain: int) -> None:
    """Record the strain of the last bid: the suit plus 1, or `NONE` for no trumps."""
    s["shown"]["strains"][s["shown"]["number"] - LOWEST_BID] = strain
    s["seats"][s["turn"]]["strain"] = strain


@jit
def name_form(s: State, rules: RulesRecord, action: Action) -> None:
    """Record the strain and the form of the last bid, which an action of the phase NAMING names."""
    form, strain = NUMBER_FIRST, 1 + action - STRAIN
    if action >= PLUS:
        form, strain = BY_PLUS + action - PLUS, kept_strain(s, rules)
    elif action >= STRAIN_FIRST:
        form, strain = STRAIN_BEFORE, 1 + action - STRAIN_FIRST
    s["shown"]["forms"][s["shown"]["number"] - LOWEST_BID] = form
    name_strain(s, strain)


@jit
def speak(s: State, rules: RulesRecord, action: Action) -> bool:
    """Record a call of the seat to act, and return whether the call ends the auction."""
    seat, shown = s["turn"], s["shown"]
    public = s["seats"][seat]
    if action == PASS:
        public["said"] = PASSED
        s["passes"] += 1
        return s["passes"] == rules.players - (s["bidder"] >= 0)
    if action == DOUBLE:
        public["said"] = DOUBLED
        s["passes"] = 0
        shown["doubled"] = 1
        s["doubled_by"][shown["number"] - LOWEST_BID] = 1 + seat
        return False
    if action == REDOUBLE:
        public["said"] = REDOUBLED
        shown["doubled"] = 2
        s["redoubled_by"] = 1 + seat
        return True
    if shown["phase"] == NAMING:
        name_form(s, rules, action)
        shown["phase"] = AUCTION
    else:
        take_bid(s, action - BID + LOWEST_BID)
        if rules.trumps == Trumps.OPEN:
            shown["phase"] = NAMING
            return False
    return shown["number"] == HIGHEST_BID


@jit
def lay_card(s: State, card: int, at: int) -> None:
    """Lay a card of the bidder face down, by the action at position ``at`` of the history."""
    seat = s["turn"]
    take_card(s, seat, card)
    s["seats"][seat]["hand"] -= 1
    s["card"] = 1 + card
    s["laid"] = 1 + card
    s["laid_at"] = at
    s["made"] = 1 + card // RANKS
    s["shown"]["apart"] = 1


# ---- tricks ---------------------------------------------------------------------------------


@jit
def show_trumps(s: State) -> None:
    """Show trumps to all seats, and return the card that sets them to the bidder's hand."""
    put_card(s, s["bidder"], s["card"] - 1)
    s["seats"][s["bidder"]]["hand"] += 1
    s["card"] = 0
    s["shown"]["apart"] = 0
    s["shown"]["laid_back"] = 1
    open_trumps(s)


@jit
def find_winner(s: State, rules: RulesRecord) -> tuple[Seat, int]:
    """Return the winner of the trick so far and the strength of its card; see `find_best_card`."""
    return find_best_card(s, all_seats(rules), RANKS, False, False)


@jit
def must_play_laid(s: State, seat: Seat) -> bool:
    """Return whether a seat is the bidder in a trick in which another seat asked for trumps."""
    shown, asker = s["shown"], s["asker"]
    return seat == s["bidder"] and 0 <= asker != seat and shown["shown_trick"] == 1 + s["tricks"]


@jit
def cards_instead(s: State, seat: Seat) -> Places:
    """Return the set of cards that a seat may play if it cannot follow suit."""
    hand = s["hands"][seat]
    if s["shown"]["must_trump"]:
        return follow(hand, trump_suit(s), RANKS)
    return 1 << (s["laid"] - 1) if must_play_laid(s, seat) else hand


@jit
def playable_cards(s: State, rules: RulesRecord, seat: Seat) -> Places:
    """Return the set of cards that a seat may play."""
    if s["size"] == 0:
        return cards_to_lead(s, seat, RANKS)
    following = cards_to_follow(s, seat, RANKS)
    return following if following else cards_instead(s, seat)


@jit
def ask_for_trumps(s: State) -> None:
    """Show trumps because the seat to act, which cannot follow suit, asks for them."""
    s["asker"] = s["turn"]
    show_trumps(s)
    s["shown"]["must_trump"] = 1


@jit
def play_card(s: State, card: int) -> None:
    """Play a card of the seat to act to the trick."""
    seat = s["turn"]
    take_card(s, seat, card)
    if seat == s["bidder"] and card == s["laid"] - 1:
        s["shown"]["laid_back"] = 0
    add_to_trick(s, card)


@jit
def write_legal(s: State, rules: RulesRecord) -> None:
    """Write the legal actions of the seat to act.

    If the seat is the bidder and has only the face-down card, the card is shown first.
    """
    phase, seat, legal = s["shown"]["phase"], s["turn"], s["legal"]
    clear_actions(legal)
    if phase == PLAY:
        if s["card"] and seat == s["bidder"] and s["hands"][seat] == 0:
            show_trumps(s)
        add_members(legal, playable_cards(s, rules, seat))
        if may_ask(s, seat, RANKS):
            add_action(legal, ASK)
    elif phase == LAYING:
        add_members(legal, s["hands"][seat])
    elif phase != OVER:
        add_calls(s, rules)


# ---- the score ------------------------------------------------------------------------------


@jit
def score_contract(s: State, rules: RulesRecord) -> int:
    """Return the score of the bidder's side at the end. A lost contract costs one point more."""
    number, doubled = s["shown"]["number"], s["shown"]["doubled"]
    made = count_points(s, side_of(rules, s["bidder"])) >= number
    stake = 0 if made else 1
    for level in LEVELS:
        stake += number >= level
    if rules.doubling == Doubling.ADD:
        stake += doubled
    elif rules.doubling == Doubling.TIMES and doubled:
        stake *= 2 if doubled == 1 else rules.redouble_times
    return stake if made else -stake
