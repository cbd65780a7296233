"""Views, inference and resampling in Twenty-Eight, Twenty-Nine and Fifty-Six.

Resampling replaces everything that a seat does not know with a sampled world: the holder of each
unseen card, and secret trumps. All worlds that fit what the seat knows are equally likely. Bids do
not change their probabilities.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...core.batch import is_finished
from ...core.contract import ResampleKernel, ViewKernel
from ...core.kernel.jit import jit
from ...core.kernel.table import NO_SUIT, suit_set, wrap_seat
from ...core.tricks.unseen_hands import deal_secret, deal_unseen
from ...core.type_aliases import RulesRecord, Seat, State
from .play import led_suit, same_side, trump_suit
from .rules import NO_TRUMP_YET, OVER, SUITS

ALL_VOID = (1 << SUITS) - 1
MOST_WORLDS = 1_000_000
"""Maximum number of worlds that are dealt before resampling fails. In every position that play can
reach, far more than one in a million of the dealt worlds fit."""


# ---- views ----------------------------------------------------------------------------------


@jit(inline="always")  # otherwise Numba counts references to the array at every call
def view_table(s: State, players: int, seat: Seat, relative: np.ndarray) -> None:
    """Write the public pieces of the observation as a seat sees them.

    ``relative``, int8, maps a seat plus 1 to its number counted from the viewer, plus 1; see
    `make_turned_codes`.
    """
    shown = s["shown"]
    s["viewer"] = seat
    for k in range(players):
        shown["seats"][k] = s["seats"][wrap_seat(seat + k, players)]
    for trick in range(len(s["taken_by"])):
        shown["winners"][trick] = relative[s["taken_by"][trick] & 15]
    shown["turn"] = 0 if is_finished(s) else relative[s["turn"] + 1]
    shown["dealer"] = relative[s["dealer"] + 1]
    shown["bidder"] = relative[s["bidder"] + 1]
    shown["asker"] = relative[s["asker"] + 1]


# ---- inference from what is played ----------------------------------------------------------


@jit(inline="always")
def note_asking(s: State, ranks: int) -> None:
    """Record that the seat to act cannot follow suit, since it asks for trumps."""
    s["seats"][s["turn"]]["voids"][led_suit(s, ranks)] = 1


@jit(inline="always")
def note_voids(s: State, card: int, ranks: int) -> None:
    """Record the suits that the seat to act lacks, as shown by the card that it is about to play.

    The trick is not empty.
    """
    public, led, suit = s["seats"][s["turn"]], led_suit(s, ranks), card // ranks
    if suit == led:
        return
    public["voids"][led] = 1
    if s["shown"]["must_trump"] and suit != trump_suit(s):
        public["voids"][trump_suit(s)] = 1


@jit(inline="always")
def note_bidder(s: State, card: int, ranks: int) -> None:
    """Record what the bidder's card shows about secret trumps, which it leads only if it must."""
    shown, suit = s["shown"], card // ranks
    for other in range(SUITS):
        if shown["led_secretly"][other] and other != suit:
            shown["not_trumps"][other] = 1
    if s["size"] == 0 and not shown["trumps_shown"]:
        shown["led_secretly"][suit] = 1


# ---- possible trumps ------------------------------------------------------------------------


@jit
def knows_trumps(s: State, seat: Seat, maker: Seat) -> bool:
    """Return whether a seat knows the trumps that ``maker`` chose, or trumps are not chosen yet."""
    return s["made"] == NO_TRUMP_YET or s["shown"]["trumps_shown"] != 0 or seat == maker


@jit
def read_voids(s: State, seat: Seat) -> int:
    """Return the set of suits that a seat is publicly known to lack."""
    voids = 0
    for suit in range(SUITS):
        voids |= s["seats"][seat]["voids"][suit] << suit
    return voids


@jit
def is_void(s: State) -> bool:
    """Return whether the hand ended before its first trick since the opponents lack trumps."""
    is_unplayed = s["shown"]["phase"] == OVER and s["tricks"] == 0 and s["leader"] >= 0
    return is_unplayed and s["made"] != NO_TRUMP_YET


@jit
def suppose_trumps(
    s: State, rules: RulesRecord, seat: Seat, suit: int, ranks: int, voids: np.ndarray
) -> bool:
    """Return whether a suit can be trumps as far as a seat knows, and add the implied voids.

    Args:
        s: The state.
        rules: The rules.
        seat: The seat whose knowledge counts.
        suit: The supposed suit; `NO_SUIT` for no trumps.
        ranks: Number of ranks in a suit.
        voids: The set of suits that each holder of cards lacks, int64 (holders,).
    """
    bidder = s["bidder"]
    if suit != NO_SUIT and s["shown"]["led_secretly"][suit]:
        if s["shown"]["not_trumps"][suit]:
            return False
        if seat != bidder:
            voids[bidder] |= ALL_VOID & ~(1 << suit)
    if is_void(s):
        if suit == NO_SUIT:
            return False
        for other in range(rules.players):
            if not same_side(rules, bidder, other):
                voids[other] |= 1 << suit
        if not same_side(rules, bidder, seat) and s["hands"][seat] & suit_set(suit, ranks):
            return False
    return True


# ---- resampling -----------------------------------------------------------------------------


class HiddenHands(NamedTuple):
    """Constants and kernels of resampling that differ between the games.

    A world is an array with the holder of each unseen card, int64 (n,). A holder is a seat or a
    number after the seats. The first number after the seats is ``apart``.
    """

    ranks: int
    pack_size: int
    holders: int
    """Number of holders, including the seats."""
    apart: int
    """Number of the holder of the face-down card that sets trumps."""
    maker: str
    """Name of the state's field with the seat that knows secret trumps."""
    list_unseen: Callable[[State, RulesRecord, Seat, np.ndarray], int]
    """Write the cards that a seat cannot locate to an array, in order, and return their number."""
    count_held: Callable[[State, RulesRecord, Seat, np.ndarray], None]
    """Write the number of these cards that each holder has to an array (holders,) of zeros."""
    count_trumps: Callable[[State, RulesRecord], int]
    """Return the number of kinds of secret trumps: the suits, then kinds without trumps."""
    give_out: Callable[[State, RulesRecord, Seat, np.ndarray, np.ndarray], None]
    """Give the unseen cards (n,) to their holders in a world (n,)."""
    stack_deck: Callable[[State, RulesRecord, Seat, np.ndarray, np.ndarray], None]
    """Write a random deck from which these hands would have been dealt."""
    fits: Callable[[State, RulesRecord, Seat], bool]
    """Return whether the world fits what the seat knows besides hand sizes and voids."""
    rewrite_history: Callable[[State, RulesRecord, Seat], None]
    """Replace the actions in the history that the seat does not know."""
    write_legal: Callable[[State, RulesRecord], None]
    """Write the legal actions of the seat to act."""
    view: ViewKernel


def make_resample(game: HiddenHands) -> ResampleKernel:
    """Return the kernel that resamples, with the state's generator, what a seat does not know."""
    ranks, pack_size, holders, apart, maker = game[:5]
    list_unseen, count_held, count_trumps = game.list_unseen, game.count_held, game.count_trumps
    give_out, stack_deck, fits = game.give_out, game.stack_deck, game.fits
    rewrite_history, write_legal, view = game.rewrite_history, game.write_legal, game.view

    @jit
    def deal_secret_trumps(
        s: State,
        rules: RulesRecord,
        seat: Seat,
        suits: np.ndarray,
        sizes: np.ndarray,
        known: np.ndarray,
        world: np.ndarray,
    ) -> int:
        """Draw secret trumps, deal a world that fits them, and return them as coded in ``made``."""
        kinds = count_trumps(s, rules)
        voids, possible = np.empty((kinds, holders), np.int64), np.empty(kinds, np.bool_)
        for kind in range(kinds):
            suit = kind if kind < SUITS else NO_SUIT
            for holder in range(holders):
                voids[kind, holder] = known[holder]
            possible[kind] = suppose_trumps(s, rules, seat, suit, ranks, voids[kind])
            if s["card"]:
                voids[kind, apart] = ALL_VOID & ~(1 << suit)
        return 1 + deal_secret(s, suits, sizes, voids, possible, world)

    @jit
    def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
        """Replace everything that a seat does not know with a sampled world."""
        room = np.empty(pack_size, np.int64)
        cards = room[: list_unseen(s, rules, seat, room)]
        suits, world = cards // ranks, np.empty(len(cards), np.int64)
        sizes, voids = np.zeros(holders, np.int64), np.zeros(holders, np.int64)
        count_held(s, rules, seat, sizes)
        for other in range(rules.players):
            voids[other] = read_voids(s, other)
        is_open = knows_trumps(s, seat, s[maker])
        if is_open and s["bidder"] >= 0:
            suppose_trumps(s, rules, seat, trump_suit(s), ranks, voids)
        for _ in range(MOST_WORLDS):
            if is_open:
                deal_unseen(s, suits, sizes, voids, world)
            else:
                s["made"] = deal_secret_trumps(s, rules, seat, suits, sizes, voids, world)
            give_out(s, rules, seat, cards, world)
            stack_deck(s, rules, seat, cards, world)
            if fits(s, rules, seat):
                break
        else:
            raise RuntimeError("resampling found no world that fits what the seat knows")
        rewrite_history(s, rules, seat)
        viewer = s["viewer"]
        write_legal(s, rules)
        view(s, rules, viewer)

    return resample_hidden
