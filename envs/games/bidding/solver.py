"""Double-dummy search of the bidding games: the points that a side can take with all cards known.

This module builds the kernels that `core.tricks.double_dummy` needs. A position is a record with
the fields of a state that the play reads and writes, so the search uses the kernels of each game's
`play` module. Showing secret trumps is a move like any other.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...core.kernel.bits import count, highest, lowest
from ...core.kernel.jit import jit
from ...core.kernel.table import NO_SUIT, card_strength
from ...core.tricks.double_dummy import (
    OPEN,
    SEARCHED,
    Searching,
    look_up,
    make_bound_points,
    make_can_take,
    make_thin_out,
    rate_in_trick,
)
from ...core.type_aliases import Action, Places, RulesRecord, Seat, SeatSet, State
from .play import card_points, led_suit, may_ask, trump_suit
from .rules import NONE


def make_position_dtype(
    seats: int, tricks: int, fields: list[Any], shown: list[Any]
) -> np.dtype[Any]:
    """Return the dtype of a position: the fields that all games need, plus a game's own fields.

    Args:
        seats: Maximum number of seats.
        tricks: Maximum number of tricks.
        fields: The game's own fields of the state.
        shown: The game's own fields of ``shown``.
    """
    return np.dtype(
        [
            ("hands", np.int64, (seats,)),
            *fields,
            ("taken_by", np.int8, (tricks,)),
            ("card", np.int8),
            ("made", np.int8),
            ("tricks", np.int8),
            ("leader", np.int8),
            ("bidder", np.int8),
            ("asker", np.int8),
            *SEARCHED,
            (
                "shown",
                [
                    ("trick", np.int8, (seats,)),
                    ("trumps_shown", np.int8),
                    ("shown_trick", np.int8),
                    ("shown_after", np.int8),
                    ("must_trump", np.int8),
                    ("apart", np.int8),
                    *shown,
                ],
            ),
            ("seats", [("hand", np.int8), ("points", np.int8), ("tricks", np.int8)], (seats,)),
        ]
    )


@jit
def copy_position(s: State, side: SeatSet, points: int, w: State) -> None:
    """Copy the common fields of a state to a position, and count the points of a side.

    ``points`` is the total number of points in a hand.
    """
    w["ours"] = 0
    w["left"] = points
    for seat in range(len(s["seats"])):
        w["hands"][seat] = s["hands"][seat]
        w["shown"]["trick"][seat] = s["shown"]["trick"][seat]
        w["seats"][seat]["hand"] = s["seats"][seat]["hand"]
        w["seats"][seat]["tricks"] = s["seats"][seat]["tricks"]
        taken = s["seats"][seat]["points"]
        w["seats"][seat]["points"] = taken
        w["left"] -= taken
        if (side >> seat) & 1:
            w["ours"] += taken
    for trick in range(len(s["taken_by"])):
        w["taken_by"][trick] = s["taken_by"][trick]
    w["card"] = s["card"]
    w["made"] = s["made"]
    w["tricks"] = s["tricks"]
    w["leader"] = s["leader"]
    w["bidder"] = s["bidder"]
    w["asker"] = s["asker"]
    w["size"] = s["size"]
    w["turn"] = s["turn"]
    w["shown"]["trumps_shown"] = s["shown"]["trumps_shown"]
    w["shown"]["shown_trick"] = s["shown"]["shown_trick"]
    w["shown"]["shown_after"] = s["shown"]["shown_after"]
    w["shown"]["must_trump"] = s["shown"]["must_trump"]
    w["shown"]["apart"] = s["shown"]["apart"]


@jit
def card_apart(w: State) -> Places:
    """Return the set that contains the face-down card; empty if there is none."""
    return 1 << (w["card"] - 1) if w["card"] else 0


@jit
def list_cards(w: State) -> Places:
    """Return the set of cards that are in a hand or face down."""
    cards = card_apart(w)
    for seat in range(len(w["hands"])):
        cards |= w["hands"][seat]
    return cards


@jit
def others_cards(w: State) -> Places:
    """Return the set of cards in the other seats' hands, in the trick, and face down."""
    others = card_apart(w)
    for seat in range(len(w["hands"])):
        if seat != w["turn"]:
            others |= w["hands"][seat]
    for place in range(w["size"]):
        others |= 1 << (w["shown"]["trick"][place] - 1)
    return others


@jit
def count_trick(w: State, side: SeatSet, winner: Seat, points: int) -> None:
    """Count the points of a completed trick and give the lead to its winner."""
    w["left"] -= points
    if (side >> winner) & 1:
        w["ours"] += points
    w["turn"] = winner


# ---- sure tricks ----------------------------------------------------------------------------

SECRET = -2
"""Stands for the trump suit if there are trumps that not all seats know."""
MANY = 99
"""A number larger than the number of cards in a suit."""


def make_sure_points(rank_points: np.ndarray, twice_of: Callable[[State, Seat], Places]) -> Any:
    """Return the kernel that counts the points that the leader's side is sure to take.

    The leader cashes the cards that nobody can beat: in each suit the highest cards left, as long
    as no seat with trumps runs out of the suit. Its partners add their best cards of the suit to
    these tricks, and the opponents add at least their worst. Of two identical cards the card that
    is led wins.

    The arguments of the kernel are a position at the start of a trick with ``hands`` and ``turn``,
    the set of seats that play, the side, the trumps (a suit, `NO_SUIT` or `SECRET`), the suit that
    may not be led (or `NO_SUIT`), and the total number of points left.

    Args:
        rank_points: Card points of each rank, the weakest rank first.
        twice_of: Returns the set of cards that a seat holds twice.
    """
    ranks = len(rank_points)
    whole = (1 << ranks) - 1

    @jit
    def extreme_points(held: Places, twice: Places, cards: int, best: bool) -> int:
        points = 0
        while cards and held:
            rank = highest(held) if best else lowest(held)
            copies = min(cards, 1 + (twice >> rank & 1))
            points += copies * rank_points[rank]
            cards -= copies
            held &= ~(1 << rank)
        return points

    @jit
    def run_length(w: State, seats: SeatSet, suit: int, trumps: int) -> int:
        """Return the number of cards of a suit that win when they are led one after the other."""
        leader, first = w["turn"], suit * ranks
        led = w["hands"][leader] >> first & whole
        twice = twice_of(w, leader) >> first & whole
        others, most, bound, rest = 0, 0, MANY, seats & ~(1 << leader)
        while rest:
            seat = lowest(rest)
            rest &= rest - 1
            held = w["hands"][seat] >> first & whole
            number = count(held) + count(twice_of(w, seat) >> first & whole)
            others |= held
            most = max(most, number)
            ruffs = trumps == SECRET
            if trumps >= 0 and suit != trumps:
                ruffs = w["hands"][seat] >> (trumps * ranks) & whole != 0
            if ruffs:
                bound = min(bound, number)
        top = highest(others) if others else 0
        run = count(led >> top) + count(twice >> top)
        if run >= most:
            run = count(led) + count(twice)
        return min(run, bound)

    @jit
    def sure_points(
        w: State, seats: SeatSet, side: SeatSet, trumps: int, barred: int, left: int
    ) -> int:
        leader = w["turn"]
        ours = (side >> leader) & 1
        points = tricks = 0
        for suit in range(4):
            first = suit * ranks
            if suit == barred or w["hands"][leader] >> first & whole == 0:
                continue
            run = run_length(w, seats, suit, trumps)
            tricks += run
            rest = seats if run else 0
            while rest:
                seat = lowest(rest)
                rest &= rest - 1
                held = w["hands"][seat] >> first & whole
                twice = twice_of(w, seat) >> first & whole
                points += extreme_points(held, twice, run, (side >> seat) & 1 == ours)
        cards = count(w["hands"][leader]) + count(twice_of(w, leader))
        return left if tricks == cards and trumps != SECRET else points

    return sure_points


# ---- the search -----------------------------------------------------------------------------


class SolvedGame(NamedTuple):
    """Constants and kernels of the search that differ between the games."""

    rank_points: np.ndarray
    ask: Action
    list_playing: Callable[[State, RulesRecord], SeatSet]
    """Return the set of seats that take part in the tricks."""
    list_twice: Callable[[State, Seat], Places]
    """Return the set of cards that a seat holds twice."""
    count_extra: Callable[[State], int]
    """Return the number of remaining points that are not taken in tricks."""
    playable_cards: Callable[[State, RulesRecord, Seat], Places]
    find_winner: Callable[[State, RulesRecord], tuple[Seat, int]]
    show_trumps: Callable[[State], None]
    hash_position: Callable[[State, RulesRecord], np.uint64]
    """Return the hash of a position at the start of a trick."""
    play_move: Callable[[State, RulesRecord, Action, SeatSet], None]
    """Play a card or ask for trumps, and count a completed trick for a side."""


class Search(NamedTuple):
    """The kernels of a game's search."""

    can_take: Any
    """Decides whether a side takes at least a given total of points; see `make_can_take`."""
    bound_points: Any
    """Bounds the number of points that a side takes; see `make_bound_points`."""


def make_search(game: SolvedGame) -> Search:
    """Return the kernels of a game's search."""
    rank_points, list_playing, count_extra = game.rank_points, game.list_playing, game.count_extra
    playable_cards, find_winner, show_trumps = (
        game.playable_cards,
        game.find_winner,
        game.show_trumps,
    )
    hash_position = game.hash_position
    ranks = len(rank_points)
    sure_points = make_sure_points(rank_points, game.list_twice)
    thin_out = make_thin_out(rank_points)

    @jit
    def rate_card(w: State, rules: RulesRecord, card: int) -> int:
        """Return the priority of a card in the search."""
        rank = card % ranks
        if w["size"] == 0:
            return 8 * rank
        trumps = trump_suit(w) if w["shown"]["trumps_shown"] else NO_SUIT
        strength = card_strength(card, led_suit(w, ranks), trumps, ranks, w["made"] > NONE)
        is_last = w["size"] + 1 == count(list_playing(w, rules))
        return rate_in_trick(w, card_points(card, ranks), rank, strength, is_last)

    @jit
    def judge_lead(w: State, rules: RulesRecord, side: SeatSet, need: int) -> int:
        """Return the answer if the leader's sure tricks decide it, otherwise `OPEN`."""
        if w["made"] > NONE:
            return OPEN  # ranks may be reversed
        shown, trumps = w["shown"]["trumps_shown"], trump_suit(w)
        barred = trumps if not shown and w["turn"] == w["bidder"] else NO_SUIT
        rest = w["left"] - count_extra(w)
        playing = list_playing(w, rules)
        sure = sure_points(w, playing, side, trumps if shown else SECRET, barred, rest)
        if (side >> w["turn"]) & 1:
            return True if w["ours"] + sure >= need else OPEN
        return False if w["ours"] + w["left"] - sure < need else OPEN

    @jit
    def open_position(
        w: State, rules: RulesRecord, side: SeatSet, need: int, table: np.ndarray
    ) -> int:
        """Return whether the side takes ``need`` points in total, or `OPEN` after listing moves.

        A bidder that must play and has only the face-down card shows trumps.
        """
        if w["ours"] >= need:
            return True
        if w["ours"] + w["left"] < need:
            return False
        seat = w["turn"]
        if w["card"] and seat == w["bidder"] and w["hands"][seat] == 0:
            show_trumps(w)
        w["first"] = -1
        if w["size"] == 0:
            answer = judge_lead(w, rules, side, need)
            if answer != OPEN:
                return answer
            w["key"] = hash_position(w, rules)
            answer = look_up(w, need, table)
            if answer != OPEN:
                return answer
        w["moves"] = thin_out(playable_cards(w, rules, seat), others_cards(w))
        w["asks"] = may_ask(w, seat, ranks)
        w["mover"] = (side >> seat) & 1
        if w["size"] and w["moves"] & (w["moves"] - 1):
            winner, w["best"] = find_winner(w, rules)
            w["winning"] = (side >> winner) & 1 == w["mover"]
        return OPEN

    can_take = make_can_take(Searching(open_position, rate_card, game.play_move, game.ask))
    return Search(can_take, make_bound_points(can_take))
