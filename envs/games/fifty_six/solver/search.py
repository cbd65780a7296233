"""Double dummy: can a side take so many points, all cards known to all?

What `core.zero_window` wants to know of the game. Positions are records with the fields of a state
that the play reads and writes, so the rules of play are those of `play`. The showing of secret
trumps is a move like any other. Of two cards of a kind each is in a set of its own.
"""

import numpy as np

from ....core.aliases import Places, RulesRecord, SeatSet, State
from ....core.kernel.jit import jit
from ....core.kernel.rng import GAMMA, finish_word
from ....core.seating import wrap_seat
from ....core.tricks.sure_tricks import SECRET, make_sure_points
from ....core.tricks.tricks import NO_SUIT, card_strength
from ....core.tricks.zero_window import (
    OPEN,
    SEARCHED,
    Searching,
    look_up,
    make_bound_points,
    make_can_take,
    make_squeeze,
    make_thin_out,
    rate_in_trick,
)
from ..auction import same_side
from ..play import (
    ask_for_trumps,
    may_ask,
    play_card,
    playable_cards,
    show_trumps,
    strength_at,
    take_trick,
    trump_suit,
    winner_of_trick,
)
from ..rules import ASK, COPIES, PACK_POINTS, RANK_POINTS, RANKS, SEATS
from ..state import HAND

POSITION = np.dtype(
    [
        ("hands", np.int64, (SEATS,)),
        ("twice", np.int64, (SEATS,)),
        ("taken_by", np.int8, (HAND,)),
        ("card", np.int8),
        ("laid", np.int8),
        ("made", np.int8),
        ("tricks", np.int8),
        ("lead_by", np.int8),
        ("bidder", np.int8),
        ("asker", np.int8),
        *SEARCHED,
        (
            "shown",
            [
                ("trick", np.int8, (SEATS,)),
                ("trumps_shown", np.int8),
                ("shown_trick", np.int8),
                ("shown_after", np.int8),
                ("must_trump", np.int8),
                ("apart", np.int8),
                ("laid_back", np.int8),
            ],
        ),
        ("seats", [("hand", np.int8), ("points", np.int8), ("tricks", np.int8)], (SEATS,)),
    ]
)
"""A position of the search."""
DEPTH = COPIES + 4
"""Moves from the first card to the last, with one to ask."""
squeeze = make_squeeze(RANK_POINTS)
thin_out = make_thin_out(RANK_POINTS)


@jit
def read_position(s: State, rules: RulesRecord, side: SeatSet, w: State) -> None:
    """Write to ``w`` the position of a state in play, for a side."""
    shown = s["shown"]
    w["ours"] = 0
    w["left"] = PACK_POINTS
    for seat in range(SEATS):
        w["hands"][seat] = s["hands"][seat]
        w["twice"][seat] = s["twice"][seat]
        w["shown"]["trick"][seat] = shown["trick"][seat]
        w["seats"][seat]["hand"] = s["seats"][seat]["hand"]
        w["seats"][seat]["tricks"] = s["seats"][seat]["tricks"]
        points = s["seats"][seat]["points"]
        w["seats"][seat]["points"] = points
        w["left"] -= points
        if (side >> seat) & 1:
            w["ours"] += points
    for trick in range(HAND):
        w["taken_by"][trick] = s["taken_by"][trick]
    w["card"] = s["card"]
    w["laid"] = s["laid"]
    w["made"] = s["made"]
    w["tricks"] = s["tricks"]
    w["lead_by"] = s["lead_by"]
    w["bidder"] = s["bidder"]
    w["asker"] = s["asker"]
    w["size"] = s["size"]
    w["turn"] = s["turn"]
    w["shown"]["trumps_shown"] = shown["trumps_shown"]
    w["shown"]["shown_trick"] = shown["shown_trick"]
    w["shown"]["shown_after"] = shown["shown_after"]
    w["shown"]["must_trump"] = shown["must_trump"]
    w["shown"]["apart"] = shown["apart"]
    w["shown"]["laid_back"] = shown["laid_back"]


@jit
def card_apart(w: State) -> Places:
    """The card that lies face down, as a set."""
    return 1 << (w["card"] - 1) if w["card"] else 0


@jit
def hash_position(w: State, rules: RulesRecord) -> np.uint64:
    """Return the key of a position at the start of a trick."""
    apart = card_apart(w)
    there = apart
    for seat in range(rules.players):
        there |= w["hands"][seat]
    word = finish_word(np.uint64(squeeze(apart, there)) + w["salt"])
    word ^= np.uint64(w["turn"]) | np.uint64(w["shown"]["trumps_shown"]) << np.uint64(8)
    for seat in range(rules.players):
        own = np.uint64(squeeze(w["hands"][seat], there)) << np.uint64(32)
        if w["twice"][seat]:
            own |= np.uint64(squeeze(w["twice"][seat], there))
        word = finish_word(word + own + GAMMA)
    return word


@jit
def others_cards(w: State, rules: RulesRecord) -> Places:
    """The cards of others than the seat at turn, those in the trick, and the one face down."""
    others = card_apart(w)
    for seat in range(rules.players):
        if seat != w["turn"]:
            others |= w["hands"][seat]
    for place in range(w["size"]):
        others |= 1 << (w["shown"]["trick"][place] - 1)
    return others


@jit
def best_of_trick(w: State) -> int:
    """The strength of the best card of this trick; -1 where none was played."""
    best = -1
    for place in range(w["size"]):
        best = max(best, strength_at(w, place))
    return best


@jit
def rate_card(w: State, rules: RulesRecord, card: int) -> int:
    """Return how early a card is tried."""
    rank = card % RANKS
    if w["size"] == 0:
        return 8 * rank
    trumps = trump_suit(w) if w["shown"]["trumps_shown"] else NO_SUIT
    led = (w["shown"]["trick"][0] - 1) // RANKS
    strength = card_strength(card, led, trumps, RANKS, False)
    return rate_in_trick(w, RANK_POINTS[rank], rank, strength, w["size"] + 1 == rules.players)


@jit
def play_move(w: State, rules: RulesRecord, move: int, side: SeatSet) -> None:
    """Play a card, or ask."""
    if move == ASK:
        ask_for_trumps(w)
        return
    play_card(w, move)
    if w["size"] < rules.players:
        w["turn"] = wrap_seat(w["turn"] + 1, rules.players)
        return
    winner = winner_of_trick(w, rules)
    points = w["seats"][winner]["points"]
    take_trick(w, rules)
    points = w["seats"][winner]["points"] - points
    w["left"] -= points
    if (side >> winner) & 1:
        w["ours"] += points
    w["turn"] = winner


@jit
def twice_of(w: State, seat: int) -> Places:
    """The cards that a seat holds twice."""
    return w["twice"][seat]


sure_points = make_sure_points(RANK_POINTS, twice_of)


@jit
def judge_lead(w: State, rules: RulesRecord, side: SeatSet, need: int) -> int:
    """Answer by the tricks that who leads takes for sure; `OPEN`: they do not decide it."""
    shown, trumps = w["shown"]["trumps_shown"], trump_suit(w)
    barred = trumps if not shown and w["turn"] == w["bidder"] else NO_SUIT
    seats = (1 << rules.players) - 1
    sure = sure_points(w, seats, side, trumps if shown else SECRET, barred, w["left"])
    if (side >> w["turn"]) & 1:
        return True if w["ours"] + sure >= need else OPEN
    return False if w["ours"] + w["left"] - sure < need else OPEN


@jit
def open_position(w: State, rules: RulesRecord, side: SeatSet, need: int, table: np.ndarray) -> int:
    """Answer whether the side takes ``need`` points in all, or list the moves; return `OPEN` then.

    Trumps are shown as the bidder comes to play with nothing else left.
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
    w["moves"] = thin_out(playable_cards(w, seat), others_cards(w, rules))
    w["asks"] = may_ask(w, seat)
    w["mover"] = (side >> seat) & 1
    if w["size"] and w["moves"] & (w["moves"] - 1):
        w["best"] = best_of_trick(w)
        w["winning"] = same_side(winner_of_trick(w, rules), seat)
    return OPEN


can_take = make_can_take(Searching(open_position, rate_card, play_move, ASK))
"""Whether a side takes at least so many points in all: see `make_can_take`."""
bound_points = make_bound_points(can_take)
"""How many points it takes: see `make_bound_points`."""
