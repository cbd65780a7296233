"""Double-dummy solver of Fifty-Six: points of a side with all cards known.

If a hand holds two identical cards, the second one is in the separate set ``twice``.
"""

import numpy as np

from ...core.kernel.jit import jit
from ...core.kernel.rng import GAMMA, finish_word
from ...core.kernel.table import wrap_seat
from ...core.tricks.double_dummy import (
    DoubleDummy,
    make_judge_rows,
    make_solve,
    make_squeeze,
    make_winnable_after,
)
from ...core.type_aliases import Action, Places, RulesRecord, Seat, SeatSet, State
from ..bidding.play import all_seats, give_trick, side_of
from ..bidding.solver import (
    SolvedGame,
    card_apart,
    copy_position,
    count_trick,
    list_cards,
    make_position_dtype,
    make_search,
)
from .play import ask_for_trumps, find_winner, play_card, playable_cards, show_trumps
from .rules import ASK, COPIES, HAND, PACK_POINTS, PLAY, RANK_POINTS, RANKS, SEATS

NAME = "fifty_six"
WORLD_LIMIT = 2_000
"""Maximum number of positions that PIMC searches for each action in each world.

This number is sufficient in the last tricks.
"""

# ---- positions ------------------------------------------------------------------------------

POSITION = make_position_dtype(
    SEATS,
    HAND,
    [("twice", np.int64, (SEATS,)), ("laid", np.int8)],
    [("laid_back", np.int8)],
)
"""A position of the search."""
DEPTH = COPIES + 4
"""Maximum number of moves of a hand, including asking for trumps, with some reserve."""
squeeze = make_squeeze(RANK_POINTS)


@jit
def read_position(s: State, rules: RulesRecord, side: SeatSet, w: State) -> None:
    """Write the position of a state in play to ``w``, for a side."""
    copy_position(s, side, PACK_POINTS, w)
    for seat in range(SEATS):
        w["twice"][seat] = s["twice"][seat]
    w["laid"] = s["laid"]
    w["shown"]["laid_back"] = s["shown"]["laid_back"]


@jit
def hash_position(w: State, rules: RulesRecord) -> np.uint64:
    """Return the hash of a position at the start of a trick."""
    there = list_cards(w)
    word = finish_word(np.uint64(squeeze(card_apart(w), there)) + w["salt"])
    word ^= np.uint64(w["turn"]) | np.uint64(w["shown"]["trumps_shown"]) << np.uint64(8)
    for seat in range(rules.players):
        cards = np.uint64(squeeze(w["hands"][seat], there)) << np.uint64(32)
        if w["twice"][seat]:
            cards |= np.uint64(squeeze(w["twice"][seat], there))
        word = finish_word(word + cards + GAMMA)
    return word


# ---- the search -----------------------------------------------------------------------------


@jit
def list_playing(w: State, rules: RulesRecord) -> SeatSet:
    """Return the set of seats that take part in the tricks, which is all seats."""
    return all_seats(rules)


@jit
def list_twice(w: State, seat: Seat) -> Places:
    """Return the set of cards that a seat holds twice."""
    return w["twice"][seat]


@jit
def count_extra(w: State) -> int:
    """Return the number of remaining points that are not taken in tricks, which is 0."""
    return 0


@jit
def play_move(w: State, rules: RulesRecord, move: Action, side: SeatSet) -> None:
    """Play a card or ask for trumps, and count a completed trick for a side."""
    if move == ASK:
        ask_for_trumps(w)
        return
    play_card(w, move)
    if w["size"] < rules.players:
        w["turn"] = wrap_seat(w["turn"] + 1, rules.players)
        return
    winner, _ = find_winner(w, rules)
    count_trick(w, side, winner, give_trick(w, winner, RANKS, 0))


can_take, bound_points = make_search(
    SolvedGame(
        rank_points=RANK_POINTS,
        ask=ASK,
        list_playing=list_playing,
        list_twice=list_twice,
        count_extra=count_extra,
        playable_cards=playable_cards,
        find_winner=find_winner,
        show_trumps=show_trumps,
        hash_position=hash_position,
        play_move=play_move,
    )
)

# ---- answers --------------------------------------------------------------------------------


@jit
def contract_side(s: State, rules: RulesRecord) -> SeatSet:
    """Return the bidder's side; the empty set before the play."""
    return side_of(rules, s["bidder"]) if s["shown"]["phase"] == PLAY else 0


@jit
def read_after(s: State, rules: RulesRecord, side: SeatSet, action: Action, w: State) -> None:
    """Write the position after an action to ``w``."""
    read_position(s, rules, side, w)
    play_move(w, rules, action, side)


TARGET = "number"
"""Name of the observation piece with the points that the bidder's side must take."""
SOLVER = DoubleDummy(
    NAME,
    POSITION,
    DEPTH,
    TARGET,
    contract_side,
    read_position,
    bound_points,
    make_judge_rows(contract_side, read_after, TARGET, can_take),
)
solve = make_solve(SOLVER)
winnable_after = make_winnable_after(SOLVER)
