"""Shared kernels of Twenty-Eight, Twenty-Nine and Fifty-Six: seats, sides, decks, tricks, scores.

The kernels take a state of any of the three games, or a position of their solvers. ``ranks`` is the
number of ranks in a suit. Kernels that divide by ``ranks`` are inlined, so that the compiler sees a
constant. The bidder chooses trumps, which may be secret. Secret trumps count in tricks from the
moment when they are shown.
"""

from collections.abc import Callable

import numpy as np

from ...core.batch import Over
from ...core.kernel.jit import jit
from ...core.kernel.table import NO_SUIT, card_strength, next_seat, suit_set, wrap_seat
from ...core.legal import first_action, has_action
from ...core.type_aliases import Action, Places, RulesRecord, Seat, SeatSet, State
from .rules import NO_TRUMP_YET, NONE, OVER, POINTS_FROM_TOP, SUITS

# ---- seats and sides ------------------------------------------------------------------------


@jit
def first_speaker(s: State, rules: RulesRecord) -> Seat:
    """Return the seat that speaks first, which is the seat after the dealer."""
    return wrap_seat(s["dealer"] + 1, rules.players)


@jit
def speaking_order(s: State, rules: RulesRecord, seat: Seat) -> int:
    """Return the number of seats that speak before a seat."""
    return wrap_seat(seat - first_speaker(s, rules) + rules.players, rules.players)


@jit
def all_seats(rules: RulesRecord) -> SeatSet:
    """Return the set of all seats."""
    return (1 << rules.players) - 1


@jit
def side_of(rules: RulesRecord, seat: Seat) -> SeatSet:
    """Return the set of seats on a seat's side. Sides alternate; three players have no partners."""
    if rules.players == 3:
        return 1 << seat
    return 0b01010101 << (seat & 1) & all_seats(rules)


@jit
def same_side(rules: RulesRecord, seat: Seat, other: Seat) -> bool:
    """Return whether two seats are on the same side. The seats may be equal."""
    return (side_of(rules, seat) >> other) & 1 != 0


# ---- the deal -------------------------------------------------------------------------------


@jit(inline="always")
def fill_deck(s: State, codes: np.ndarray, ranks: int, lowest_rank: int, copies: int) -> int:
    """Fill the deck in order with all cards from ``lowest_rank`` up, and return its size."""
    size = 0
    for card in range(len(codes)):
        if card % ranks >= lowest_rank:
            for _ in range(copies):
                s["deck"][size] = codes[card]
                size += 1
    for place in range(size, len(s["deck"])):
        s["deck"][place] = 0
    return size


@jit(inline="always")
def place_in_deck(rules: RulesRecord, packet: int, order: int, k: int) -> int:
    """Return the deck position of card ``k`` of hand ``order``, counted from the first speaker.

    Each seat in turn is dealt ``packet`` cards at a time.
    """
    return (k // packet * rules.players + order) * packet + k % packet


@jit
def clear_hand(s: State) -> None:
    """Reset the fields that all three games share to their values before the deal."""
    shown = s["shown"]
    for seat in range(len(s["seats"])):
        public = s["seats"][seat]
        for suit in range(SUITS):
            public["voids"][suit] = 0
        public["hand"] = 0
        public["tricks"] = 0
        public["points"] = 0
        s["net"][seat] = 0
        s["hands"][seat] = 0
        shown["trick"][seat] = 0
    for card in range(len(s["player_of"])):
        s["player_of"][card] = 0
        shown["when"][card] = 0
    for trick in range(len(s["taken_by"])):
        s["taken_by"][trick] = 0
    for bid in range(len(s["bid_by"])):
        s["bid_by"][bid] = 0
    for n in range(len(s["history"])):
        s["history"][n] = 0
    s["card"] = 0
    s["laid"] = 0
    s["made"] = NO_TRUMP_YET
    s["tricks"] = 0
    s["size"] = 0
    s["leader"] = -1
    s["bidder"] = -1
    s["asker"] = -1
    for suit in range(SUITS):
        shown["led_secretly"][suit] = 0
        shown["not_trumps"][suit] = 0
    shown["doubled"] = 0
    shown["apart"] = 0
    shown["trumps_shown"] = 0
    shown["shown_trick"] = 0
    shown["shown_after"] = 0
    shown["must_trump"] = 0


# ---- tricks ---------------------------------------------------------------------------------


@jit(inline="always")
def card_points(card: int, ranks: int) -> int:
    """Return the card points of a card."""
    return POINTS_FROM_TOP[ranks - 1 - card % ranks]


@jit(inline="always")
def trick_points(s: State, ranks: int) -> int:
    """Return the card points in the current trick."""
    points = 0
    for place in range(s["size"]):
        points += card_points(s["shown"]["trick"][place] - 1, ranks)
    return points


@jit
def trump_suit(s: State) -> int:
    """Return the trump suit, shown or secret; `NO_SUIT` if there is none."""
    made = s["made"]
    return made - 1 if NO_TRUMP_YET < made < NONE else NO_SUIT


@jit(inline="always")
def led_suit(s: State, ranks: int) -> int:
    """Return the suit led to the trick; -1 if the trick is empty."""
    return (s["shown"]["trick"][0] - 1) // ranks


@jit
def in_force(s: State, place: int, whole: bool) -> bool:
    """Return whether the card at a place of the trick can count as a trump.

    With ``whole``, earlier cards of the trick in which trumps are shown can also count as trumps.
    """
    shown = s["shown"]
    if not shown["trumps_shown"]:
        return False
    return whole or shown["shown_trick"] <= s["tricks"] or place >= shown["shown_after"]


@jit(inline="always")
def find_best_card(
    s: State, playing: SeatSet, ranks: int, whole: bool, reverse: bool
) -> tuple[Seat, int]:
    """Return the seat that wins the trick so far, and the strength of its card.

    See `card_strength`. Of equal cards the first one wins. If the trick is empty, the result is the
    leader and -1.
    """
    seat, led = s["leader"], led_suit(s, ranks)
    winner, best = seat, -1
    for place in range(s["size"]):
        trumps = trump_suit(s) if in_force(s, place, whole) else NO_SUIT
        card = s["shown"]["trick"][place] - 1
        strength = card_strength(card, led, trumps, ranks, reverse)
        if strength > best:
            winner, best = seat, strength
        seat = next_seat(playing, seat + 1)
    return winner, best


@jit(inline="always")
def cards_to_follow(s: State, seat: Seat, ranks: int) -> Places:
    """Return the set of a seat's cards that follow suit."""
    return s["hands"][seat] & suit_set(led_suit(s, ranks), ranks)


@jit
def cards_to_lead(s: State, seat: Seat, ranks: int) -> Places:
    """Return the set of cards that a seat may lead.

    The bidder may not lead secret trumps unless it has no other cards.
    """
    hand = s["hands"][seat]
    if seat == s["bidder"] and not s["shown"]["trumps_shown"]:
        others = hand & ~suit_set(trump_suit(s), ranks)
        if others:
            return others
    return hand


@jit(inline="always")
def may_ask(s: State, seat: Seat, ranks: int) -> bool:
    """Return whether a seat may ask for trumps: trumps are secret and it cannot follow suit."""
    if s["size"] == 0 or s["shown"]["trumps_shown"]:
        return False
    return cards_to_follow(s, seat, ranks) == 0


@jit
def open_trumps(s: State) -> None:
    """Record that all seats know trumps from now on."""
    shown = s["shown"]
    shown["trumps_shown"] = 1
    shown["shown_trick"] = 1 + s["tricks"]
    shown["shown_after"] = s["size"]


@jit
def add_to_trick(s: State, card: int) -> None:
    """Add a card, which has already left its hand, to the trick."""
    s["shown"]["must_trump"] = 0
    s["shown"]["trick"][s["size"]] = 1 + card
    s["size"] += 1


@jit(inline="always")
def give_trick(s: State, winner: Seat, ranks: int, bonus: int) -> int:
    """Give the completed trick to its winner, which leads the next one, and return its points.

    ``bonus`` points are added to the card points.
    """
    points = trick_points(s, ranks) + bonus
    for place in range(s["size"]):
        s["shown"]["trick"][place] = 0
    public = s["seats"][winner]
    public["points"] += points
    public["tricks"] += 1
    s["taken_by"][s["tricks"]] = 1 + winner
    s["tricks"] += 1
    s["size"] = 0
    s["leader"] = winner
    return points


# ---- the end of a hand ----------------------------------------------------------------------


@jit
def opponents_lack_trumps(s: State, rules: RulesRecord, ranks: int) -> bool:
    """Return whether there are trumps and the bidder's opponents hold none of them."""
    held = 0
    for seat in range(rules.players):
        if not same_side(rules, s["bidder"], seat):
            held |= s["hands"][seat]
    suit = trump_suit(s)
    return suit != NO_SUIT and held & suit_set(suit, ranks) == 0


@jit
def count_points(s: State, seats: SeatSet) -> int:
    """Return the points that a set of seats has taken."""
    points = 0
    for seat in range(len(s["seats"])):
        if (seats >> seat) & 1:
            points += s["seats"][seat]["points"]
    return points


@jit
def pay_side(s: State, rules: RulesRecord, side: SeatSet, score: int) -> None:
    """Write the net of each seat from the score of one side.

    A seat's net is the score of its side minus the score of the other side. With three players,
    each opponent pays the score, so the seat that plays alone gets it twice.
    """
    alone = rules.players == 3
    for seat in range(rules.players):
        if (side >> seat) & 1:
            s["net"][seat] = 2 * score if alone else score
        else:
            s["net"][seat] = -score


@jit
def end_hand(s: State) -> None:
    """End the hand."""
    s["over"] = Over.TERMINATED
    s["shown"]["phase"] = OVER
    s["won"] = s["net"][0] > 0


def make_fallback_action(pass_action: Action) -> Callable[[State, RulesRecord], Action]:
    """Return the kernel that chooses the action that replaces an illegal action."""

    @jit
    def fallback_action(s: State, rules: RulesRecord) -> Action:
        """Return the pass action if it is legal, otherwise the lowest legal action."""
        return pass_action if has_action(s["legal"], pass_action) else first_action(s["legal"])

    return fallback_action
