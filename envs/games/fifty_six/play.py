"""Fifty-Six: tricks, with trumps that may still be secret."""

from ...core.aliases import Places, RulesRecord, Seat, State
from ...core.kernel.jit import jit
from ...core.legal import add_action, add_members
from ...core.seating import wrap_seat
from ...core.tricks.tricks import NO_SUIT, card_strength, follow, suit_set
from .cards import put_card, take_card
from .rules import ASK, RANK_POINTS, RANKS
from .state import NO_TRUMP_YET, NONE


@jit
def trump_suit(s: State) -> int:
    """The suit that is trumps, known or not; `NO_SUIT` where none is."""
    made = s["made"]
    return made - 1 if NO_TRUMP_YET < made < NONE else NO_SUIT


@jit
def show_trumps(s: State) -> None:
    """Let all know what trumps are; the card that makes them goes back to the bidder's hand."""
    shown, bidder = s["shown"], s["bidder"]
    put_card(s, bidder, s["card"] - 1)
    s["seats"][bidder]["hand"] += 1
    s["card"] = 0
    shown["apart"] = 0
    shown["laid_back"] = 1
    shown["trumps_shown"] = 1
    shown["shown_trick"] = 1 + s["tricks"]
    shown["shown_after"] = s["size"]


@jit
def in_force(s: State, place: int) -> bool:
    """Whether trumps are in force for the card at a place of this trick."""
    shown = s["shown"]
    if not shown["trumps_shown"]:
        return False
    return shown["shown_trick"] <= s["tricks"] or place >= shown["shown_after"]


@jit
def strength_at(s: State, place: int) -> int:
    """What the card at a place of this trick is worth in it."""
    trick = s["shown"]["trick"]
    trumps = trump_suit(s) if in_force(s, place) else NO_SUIT
    return card_strength(trick[place] - 1, (trick[0] - 1) // RANKS, trumps, RANKS, False)


@jit
def winner_of_trick(s: State, rules: RulesRecord) -> Seat:
    """Who takes this trick, as far as it has been played: of equal cards the first one does."""
    best, winner = -1, 0
    for place in range(s["size"]):
        strength = strength_at(s, place)
        if strength > best:
            best, winner = strength, place
    return wrap_seat(s["lead_by"] + winner, rules.players)


@jit
def lead_cards(s: State, seat: Seat) -> Places:
    """The cards that a seat may lead: of the bidder no trumps while they are secret, if it can."""
    hand = s["hands"][seat]
    if seat == s["bidder"] and not s["shown"]["trumps_shown"]:
        others = hand & ~suit_set(trump_suit(s), RANKS)
        if others:
            return others
    return hand


@jit
def must_play_laid(s: State, seat: Seat) -> bool:
    """Whether a seat is the bidder, who plays to the trick in which another asked for trumps."""
    shown, asker = s["shown"], s["asker"]
    return seat == s["bidder"] and 0 <= asker != seat and shown["shown_trick"] == 1 + s["tricks"]


@jit
def playable_cards(s: State, seat: Seat) -> Places:
    """The cards that a seat may play."""
    hand = s["hands"][seat]
    if s["size"] == 0:
        return lead_cards(s, seat)
    if s["shown"]["must_trump"]:
        return follow(hand, trump_suit(s), RANKS)
    own = hand & suit_set((s["shown"]["trick"][0] - 1) // RANKS, RANKS)
    if own == 0 and must_play_laid(s, seat):
        return 1 << (s["laid"] - 1)
    return own if own else hand


@jit
def may_ask(s: State, seat: Seat) -> bool:
    """Whether a seat may ask for trumps: they are secret, and it cannot follow suit."""
    if s["size"] == 0 or s["shown"]["trumps_shown"]:
        return False
    return s["hands"][seat] & suit_set((s["shown"]["trick"][0] - 1) // RANKS, RANKS) == 0


@jit
def add_cards(s: State) -> None:
    """Write what the seat at turn may play, and whether it may ask."""
    seat, legal = s["turn"], s["legal"]
    add_members(legal, playable_cards(s, seat))
    if may_ask(s, seat):
        add_action(legal, ASK)


@jit
def ask_for_trumps(s: State) -> None:
    """Let the seat at turn, which cannot follow suit, have trumps shown."""
    s["asker"] = s["turn"]
    show_trumps(s)
    s["shown"]["must_trump"] = 1


@jit
def play_card(s: State, card: int) -> None:
    """Put a card of the seat at turn into the trick."""
    seat, shown = s["turn"], s["shown"]
    shown["must_trump"] = 0
    take_card(s, seat, card)
    if seat == s["bidder"] and card == s["laid"] - 1:
        shown["laid_back"] = 0
    shown["trick"][s["size"]] = 1 + card
    s["size"] += 1


@jit
def take_trick(s: State, rules: RulesRecord) -> None:
    """Give a full trick to who has won it, who leads the next."""
    trick, winner = s["shown"]["trick"], winner_of_trick(s, rules)
    public = s["seats"][winner]
    for place in range(s["size"]):
        public["points"] += RANK_POINTS[(trick[place] - 1) % RANKS]
        trick[place] = 0
    public["tricks"] += 1
    s["taken_by"][s["tricks"]] = 1 + winner
    s["tricks"] += 1
    s["size"] = 0
    s["lead_by"] = winner
