"""The moves of Fifty-Six: hands of which a card may be there twice, bidding, tricks, the score.

What follows what, from phase to phase, is in `kernel`.
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
from ..bidding.rules import OVER
from .rules import (
    ASK,
    AUCTION,
    BID,
    BID_LAST,
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
    NUMBERS,
    PASS,
    PASSED,
    PLAY,
    RANK_POINTS,
    RANKS,
    REDOUBLE,
    REDOUBLED,
    STRAIN,
    Doubling,
    Trumps,
)

PACKET = 4
"""Cards that a seat is dealt at a time."""

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
    """Return how many cards a seat has in its hand."""
    return count(s["hands"][seat]) + count(s["twice"][seat])


@jit
def copies_held(s: State, seat: Seat, card: int) -> int:
    """Return how many of a card a seat has in its hand."""
    return (s["hands"][seat] >> card & 1) + (s["twice"][seat] >> card & 1)


# ---- the deal -------------------------------------------------------------------------------


@jit
def lowest_rank(rules: RulesRecord) -> int:
    """Return the lowest rank that is played with."""
    return LOWEST_RANK[rules.players, rules.small_pack]


@jit
def hand_size(rules: RulesRecord) -> int:
    """Return how many cards each seat gets."""
    return HAND_SIZE[rules.players, rules.small_pack]


@jit
def is_dealt_again(s: State, rules: RulesRecord) -> bool:
    """Return whether the rules want the deck dealt again."""
    if not rules.void_pointless:
        return False
    points = 0
    for k in range(hand_size(rules)):
        points += RANK_POINTS[NUMBERS[s["deck"][place_in_deck(rules, PACKET, 0, k)]] % RANKS]
    return points == 0


# ---- the auction ----------------------------------------------------------------------------


@jit
def lowest_bid(s: State, rules: RulesRecord) -> int:
    """Return the lowest number that the seat at turn may bid."""
    number, bidder = s["shown"]["number"], s["bidder"]
    if bidder < 0:
        return LOWEST_BID
    if rules.honours and same_side(rules, bidder, s["turn"]):
        for level in LEVELS:
            if level > number:
                return level
    return number + 1


@jit
def add_calls(s: State, rules: RulesRecord) -> None:
    """Add what the seat at turn may say to the legal actions."""
    legal, bidder, doubled = s["legal"], s["bidder"], s["shown"]["doubled"]
    if s["shown"]["phase"] == NAMING:
        for strain in range(STRAIN, NO_TRUMPS + 1):
            add_action(legal, strain)
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
    """Record a bid of the seat at turn; it cancels a double."""
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
    """Record the strain of the last bid: 1 more than the suit, or `NONE` for no trumps."""
    s["shown"]["strains"][s["shown"]["number"] - LOWEST_BID] = strain
    s["seats"][s["turn"]]["strain"] = strain


@jit
def speak(s: State, rules: RulesRecord, action: Action) -> bool:
    """Record what the seat at turn says, and return whether that ends the auction."""
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
        name_strain(s, 1 + action - STRAIN)
        shown["phase"] = AUCTION
    else:
        take_bid(s, action - BID + LOWEST_BID)
        if rules.trumps == Trumps.OPEN:
            shown["phase"] = NAMING
            return False
    return shown["number"] == HIGHEST_BID


@jit
def lay_card(s: State, card: int, at: int) -> None:
    """Lay a card of the bidder face down to make trumps, the action at ``at`` in the history."""
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
    """Show trumps to all; the card that makes them goes back to the bidder's hand."""
    put_card(s, s["bidder"], s["card"] - 1)
    s["seats"][s["bidder"]]["hand"] += 1
    s["card"] = 0
    s["shown"]["apart"] = 0
    s["shown"]["laid_back"] = 1
    open_trumps(s)


@jit
def find_winner(s: State, rules: RulesRecord) -> tuple[Seat, int]:
    """Return who wins the trick so far, and how strong the best card is; see `find_best_card`."""
    return find_best_card(s, all_seats(rules), RANKS, False, False)


@jit
def must_play_laid(s: State, seat: Seat) -> bool:
    """Return whether a seat is the bidder in the trick in which another asked for trumps."""
    shown, asker = s["shown"], s["asker"]
    return seat == s["bidder"] and 0 <= asker != seat and shown["shown_trick"] == 1 + s["tricks"]


@jit
def cards_instead(s: State, seat: Seat) -> Places:
    """Return the cards that a seat may play if it cannot follow suit."""
    hand = s["hands"][seat]
    if s["shown"]["must_trump"]:
        return follow(hand, trump_suit(s), RANKS)
    return 1 << (s["laid"] - 1) if must_play_laid(s, seat) else hand


@jit
def playable_cards(s: State, rules: RulesRecord, seat: Seat) -> Places:
    """Return the cards that a seat may play."""
    if s["size"] == 0:
        return cards_to_lead(s, seat, RANKS)
    following = cards_to_follow(s, seat, RANKS)
    return following if following else cards_instead(s, seat)


@jit
def ask_for_trumps(s: State) -> None:
    """Show trumps because the seat at turn, which cannot follow suit, asks for them."""
    s["asker"] = s["turn"]
    show_trumps(s)
    s["shown"]["must_trump"] = 1


@jit
def play_card(s: State, card: int) -> None:
    """Play a card of the seat at turn to the trick."""
    seat = s["turn"]
    take_card(s, seat, card)
    if seat == s["bidder"] and card == s["laid"] - 1:
        s["shown"]["laid_back"] = 0
    add_to_trick(s, card)


@jit
def write_legal(s: State, rules: RulesRecord) -> None:
    """Write the legal actions of the seat at turn.

    A bidder who comes to play with nothing but the card laid down shows it.
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
    """Return what the bidder's side scores at the end: one point more is lost than won."""
    number, doubled = s["shown"]["number"], s["shown"]["doubled"]
    made = count_points(s, side_of(rules, s["bidder"])) >= number
    stake = 0 if made else 1
    for level in LEVELS:
        stake += number >= level
    if rules.doubling == Doubling.ADD:
        stake += doubled
    elif rules.doubling == Doubling.TIMES:
        stake <<= doubled
    return stake if made else -stake
