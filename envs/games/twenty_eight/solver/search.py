"""Double dummy: can a side take so many points, all cards known to all?

What `core.zero_window` wants to know of the game. Positions are records with the fields of a state
that the play reads and writes, so the rules of play are those of `play`. The showing of secret
trumps is a move like any other.

The pair is a prize: points that are left until it is known whether it is shown. One seat alone can
show it, and shows it as soon as it may, since that costs nothing and is never worse. If it is of
the side, the prize is what showing takes off its target: the side gets it as the pair is shown, and
the others as one of the two cards is played before. If it is of the others, the prize is what
showing adds to the target: the side owes so much from the beginning, and gets it as one of the two
is played before. So the target stays as it is, and points are counted as the contract counts them.
"""

import numpy as np

from ....core.aliases import RulesRecord, Seat, SeatSet, State
from ....core.kernel.bits import count
from ....core.kernel.jit import jit
from ....core.kernel.rng import GAMMA, finish_word
from ....core.seating import next_seat
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
from ..play import (
    ask_for_trumps,
    give_trick,
    may_ask,
    may_show_pair,
    pair_of,
    play_card,
    playable_cards,
    show_trumps,
    top_of_trick,
    trump_suit,
    winner_of_trick,
)
from ..rules import ASK, PACK_POINTS, RANK_POINTS, RANKS, SEATS
from ..score import lowered_target, raised_target
from ..state import HAND, NONE

POSITION = np.dtype(
    [
        ("hands", np.int64, (SEATS,)),
        ("seen", np.int64, (SEATS,)),
        ("taken_by", np.int8, (HAND,)),
        ("playing", np.int8),
        ("card", np.int8),
        ("made", np.int8),
        ("tricks", np.int8),
        ("leader", np.int8),
        ("bidder", np.int8),
        ("maker", np.int8),
        ("asker", np.int8),
        ("alone", np.int8),
        ("last", np.int8),  # number of the last trick, from 0
        ("prize", np.int8),  # what the pair is worth; 0: it changes nothing any more
        ("prize_side", np.int8),  # 1: who holds the pair is of the side
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
            ],
        ),
        ("seats", [("hand", np.int8), ("points", np.int8), ("tricks", np.int8)], (SEATS,)),
    ]
)
"""A position of the search."""
DEPTH = SEATS * HAND + 4
"""Moves from the first card to the last, with one to ask."""
squeeze = make_squeeze(RANK_POINTS)
thin_out = make_thin_out(RANK_POINTS)


@jit
def read_position(s: State, rules: RulesRecord, side: int, w: State) -> None:
    """Write to ``w`` the position of a state in play, for a side, a set of seats."""
    for seat in range(SEATS):
        w["hands"][seat] = s["hands"][seat]
        w["seen"][seat] = 0
        w["shown"]["trick"][seat] = s["shown"]["trick"][seat]
        w["seats"][seat]["hand"] = s["seats"][seat]["hand"]
        w["seats"][seat]["points"] = s["seats"][seat]["points"]
        w["seats"][seat]["tricks"] = s["seats"][seat]["tricks"]
    for trick in range(HAND):
        w["taken_by"][trick] = s["taken_by"][trick]
    w["playing"] = s["playing"]
    w["card"] = s["card"]
    w["made"] = s["made"]
    w["tricks"] = s["tricks"]
    w["size"] = s["size"]
    w["leader"] = s["leader"]
    w["bidder"] = s["bidder"]
    w["maker"] = s["maker"]
    w["asker"] = s["asker"]
    w["alone"] = s["alone"]
    w["turn"] = s["turn"]
    shown = s["shown"]
    w["shown"]["trumps_shown"] = shown["trumps_shown"]
    w["shown"]["shown_trick"] = shown["shown_trick"]
    w["shown"]["shown_after"] = shown["shown_after"]
    w["shown"]["must_trump"] = shown["must_trump"]
    held = s["seats"][s["turn"]]["hand"] + (s["card"] > 0 and s["turn"] == s["bidder"])
    w["last"] = s["tricks"] + held - 1
    w["ours"] = 0
    w["left"] = PACK_POINTS + rules.last_trick
    for seat in range(rules.players):
        points = s["seats"][seat]["points"]
        w["left"] -= points
        if (side >> seat) & 1:
            w["ours"] += points
    offer_prize(s, rules, side, w)


# ---- the pair ---------------------------------------------------------------------------------


@jit
def pair_holder(s: State, rules: RulesRecord) -> Seat:
    """Who holds king and queen of trumps, a card apart counted, not shown yet; -1: nobody."""
    suit = trump_suit(s)
    if rules.pair and s["pair_by"] < 0 and suit != NO_SUIT:
        for seat in range(rules.players):
            held = s["hands"][seat]
            if s["card"] and seat == s["maker"]:
                held |= 1 << (s["card"] - 1)
            if held & pair_of(suit) == pair_of(suit):
                return seat
    return -1


@jit
def offer_prize(s: State, rules: RulesRecord, side: SeatSet, w: State) -> None:
    """Put among the points that are left what the pair of a state is worth."""
    w["prize"] = 0
    holder, target = pair_holder(s, rules), s["shown"]["target"]
    if holder < 0:
        return
    w["prize_side"] = (side >> holder) & 1
    if w["prize_side"]:
        w["prize"] = target - lowered_target(s, rules)
    else:
        w["prize"] = raised_target(s) - target
        w["ours"] -= w["prize"]
    w["left"] += w["prize"]


@jit
def give_prize(w: State, shown: bool) -> None:
    """Give the prize to who holds the pair, which is shown, or to the others."""
    if w["prize_side"] == shown:
        w["ours"] += w["prize"]
    w["left"] -= w["prize"]
    w["prize"] = 0


@jit
def is_pair_sure(s: State, rules: RulesRecord) -> bool:
    """Whether the pair of a state is shown as soon as its holder is at turn."""
    holder = pair_holder(s, rules)
    return holder >= 0 and may_show_pair(s, rules, holder)


# ---- moves ------------------------------------------------------------------------------------


@jit
def hash_position(w: State) -> np.uint64:
    """Return the key of a position at the start of a trick.

    King and queen of trumps need no place in it: while the pair counts, they are the highest two of
    the cards that count nothing.
    """
    apart = 1 << (w["card"] - 1) if w["card"] else 0
    there = apart
    for seat in range(SEATS):
        there |= w["hands"][seat]
    word = finish_word(np.uint64(squeeze(apart, there)) + w["salt"])
    word ^= np.uint64(w["turn"]) | np.uint64(w["shown"]["trumps_shown"]) << np.uint64(8)
    word ^= np.uint64(w["prize"]) << np.uint64(16)
    for seat in range(SEATS):
        if w["hands"][seat]:
            word = finish_word(word + np.uint64(squeeze(w["hands"][seat], there)))
        word = finish_word(word + GAMMA)
    return word


@jit
def others_cards(w: State) -> int:
    """The cards that are not in the hand of the seat at turn: of others, in the trick, apart."""
    others = 1 << (w["card"] - 1) if w["card"] else 0
    for seat in range(SEATS):
        others |= w["hands"][seat]
    others &= ~w["hands"][w["turn"]]
    for place in range(w["size"]):
        others |= 1 << (w["shown"]["trick"][place] - 1)
    return others


@jit
def rate_card(w: State, rules: RulesRecord, card: int) -> int:
    """Return how early a card is tried."""
    if w["size"] == 0:
        return 8 * (card % RANKS)
    trumps = trump_suit(w) if w["shown"]["trumps_shown"] else -1
    led = (w["shown"]["trick"][0] - 1) // RANKS
    strength = card_strength(card, led, trumps, RANKS, w["made"] > NONE)
    last = w["size"] + 1 == count(w["playing"])
    return rate_in_trick(w, RANK_POINTS[card % RANKS], card % RANKS, strength, last)


@jit
def play_move(w: State, rules: RulesRecord, move: int, side: SeatSet) -> None:
    """Play a card, or ask."""
    if move == ASK:
        ask_for_trumps(w, rules)
        return
    play_card(w, move)
    if w["prize"] and pair_of(trump_suit(w)) >> move & 1:
        give_prize(w, False)
    if w["size"] < count(w["playing"]):
        w["turn"] = next_seat(w["playing"], w["turn"] + 1)
        return
    winner = winner_of_trick(w, rules)
    points = give_trick(w, rules, winner, w["tricks"] == w["last"])
    w["left"] -= points
    if (side >> winner) & 1:
        w["ours"] += points
    if w["prize"] and w["shown"]["trumps_shown"] and (side >> winner) & 1 == w["prize_side"]:
        give_prize(w, True)
    w["turn"] = w["leader"]


@jit
def held_twice(w: State, seat: int) -> int:
    """The cards that a seat holds twice: none."""
    return 0


sure_points = make_sure_points(RANK_POINTS, held_twice)


@jit
def judge_lead(w: State, side: SeatSet, need: int) -> int:
    """Answer by the tricks that who leads takes for sure; `OPEN`: they do not decide it."""
    if w["made"] > NONE:
        return OPEN  # ranks may be turned over
    shown, trumps = w["shown"]["trumps_shown"], trump_suit(w)
    barred = trumps if not shown and w["turn"] == w["bidder"] else NO_SUIT
    rest = w["left"] - w["prize"]
    sure = sure_points(w, w["playing"], side, trumps if shown else SECRET, barred, rest)
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
        answer = judge_lead(w, side, need)
        if answer != OPEN:
            return answer
        w["key"] = hash_position(w)
        answer = look_up(w, need, table)
        if answer != OPEN:
            return answer
    w["moves"] = thin_out(playable_cards(w, rules, seat), others_cards(w))
    w["asks"] = may_ask(w, seat)
    w["mover"] = (side >> seat) & 1
    if w["size"] and w["moves"] & (w["moves"] - 1):
        winner, w["best"] = top_of_trick(w, rules)
        w["winning"] = (side >> winner) & 1 == w["mover"]
    return OPEN


can_take = make_can_take(Searching(open_position, rate_card, play_move, ASK))
"""Whether a side takes at least so many points in all: see `make_can_take`."""
bound_points = make_bound_points(can_take)
"""How many points it takes: see `make_bound_points`."""
