"""Twenty-Eight and Twenty-Nine: what the play tells all who watch it."""

from ...core.aliases import RulesRecord, Seat, State
from ...core.kernel.jit import jit
from ...core.tricks.tricks import NO_SUIT
from .play import can_ask, highest_trump, trump_suit
from .rules import RANKS

SUITS = 4


@jit
def learn_from_card(s: State, rules: RulesRecord, seat: Seat, card: int) -> None:
    """Write what a card that does not follow suit tells of the hand that it comes from."""
    shown, public = s["shown"], s["seats"][seat]
    led, suit = (shown["trick"][0] - 1) // RANKS, card // RANKS
    if suit == led:
        return
    public["voids"][led] = 1
    trumps = trump_suit(s) if shown["trumps_shown"] else NO_SUIT
    if shown["must_trump"] and suit != trumps:
        public["voids"][trumps] = 1
    if rules.overtrump and suit == trumps:
        highest = highest_trump(s, rules)
        if highest > card % RANKS:
            limit = 1 + highest
            public["below"] = min(limit, public["below"]) if public["below"] else limit


@jit
def learn_from_bidder(s: State, card: int) -> None:
    """Write what a card of the bidder tells of trumps: he leads them in secret only if he must."""
    shown, suit = s["shown"], card // RANKS
    for other in range(SUITS):
        if shown["led_secretly"][other] and other != suit:
            shown["not_trumps"][other] = 1
    if s["size"] == 0 and can_ask(s):
        shown["led_secretly"][suit] = 1


@jit
def note_asking(s: State) -> None:
    """Write that the seat at turn, which asks, cannot follow suit."""
    s["seats"][s["turn"]]["voids"][(s["shown"]["trick"][0] - 1) // RANKS] = 1


@jit
def note_card(s: State, rules: RulesRecord, card: int) -> None:
    """Write all that the card tells which the seat at turn is about to play."""
    seat, shown = s["turn"], s["shown"]
    if s["size"]:
        learn_from_card(s, rules, seat, card)
    if seat == s["bidder"]:
        learn_from_bidder(s, card)
    s["seen"][seat] &= ~(1 << card)
    s["seats"][seat]["hand"] -= 1
    s["player_of"][card] = 1 + seat
    shown["when"][card] = 1 + s["tricks"]
