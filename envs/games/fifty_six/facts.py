"""Fifty-Six: what the play tells all who watch it."""

from ...core.aliases import RulesRecord, State
from ...core.kernel.jit import jit
from .play import trump_suit
from .rules import RANKS

SUITS = 4


@jit
def learn_from_bidder(s: State, card: int) -> None:
    """Write what a card of the bidder tells of trumps: he leads them in secret only if he must."""
    shown, suit = s["shown"], card // RANKS
    for other in range(SUITS):
        if shown["led_secretly"][other] and other != suit:
            shown["not_trumps"][other] = 1
    if s["size"] == 0 and not shown["trumps_shown"]:
        shown["led_secretly"][suit] = 1


@jit
def note_asking(s: State) -> None:
    """Write that the seat at turn, which asks, cannot follow suit."""
    s["seats"][s["turn"]]["voids"][(s["shown"]["trick"][0] - 1) // RANKS] = 1


@jit
def note_card(s: State, rules: RulesRecord, card: int) -> None:
    """Write all that the card tells which the seat at turn is about to play."""
    seat, shown, suit = s["turn"], s["shown"], card // RANKS
    public = s["seats"][seat]
    if s["size"] and suit != (shown["trick"][0] - 1) // RANKS:
        public["voids"][(shown["trick"][0] - 1) // RANKS] = 1
    if shown["must_trump"] and suit != trump_suit(s):
        public["voids"][trump_suit(s)] = 1
    if seat == s["bidder"]:
        learn_from_bidder(s, card)
    public["hand"] -= 1
    copy = 2 * card + (s["player_of"][2 * card] != 0)
    s["player_of"][copy] = 1 + seat
    shown["when"][copy] = 1 + s["tricks"]
