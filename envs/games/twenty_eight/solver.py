"""Double-dummy solver of Twenty-Eight and Twenty-Nine: points of a side with all cards known.

The solver treats the pair as a prize: extra points that remain open until the pair is shown or
broken. The pair is broken when one of its two cards is played before it is shown. Only one seat can
show the pair. It does so as soon as it may, since showing costs nothing and is never worse.

- If that seat is on the side, the prize is the amount by which showing lowers the target. The side
  gets the prize when the pair is shown; the opponents get it when the pair is broken.
- If that seat is an opponent, the prize is the amount by which showing raises the target. The side
  starts with minus this amount and gets the prize back when the pair is broken.

So the target stays constant during the search, and a side's points count as they do for the
contract.
"""

from typing import Any

import numpy as np

from ...core.contract import Contract
from ...core.game import GAMES
from ...core.kernel.bits import count
from ...core.kernel.jit import jit
from ...core.kernel.rng import GAMMA, finish_word
from ...core.kernel.table import NO_SUIT, next_seat
from ...core.legal import list_actions
from ...core.solve import make_position, play_actions
from ...core.tricks.double_dummy import (
    DoubleDummy,
    make_judge_rows,
    make_solve,
    make_squeeze,
    make_winnable_after,
)
from ...core.type_aliases import Action, Places, RulesRecord, Seat, SeatSet, State
from ..bidding.play import give_trick, side_of, trump_suit
from ..bidding.rules import OVER
from ..bidding.solver import (
    SolvedGame,
    card_apart,
    copy_position,
    count_trick,
    list_cards,
    make_position_dtype,
    make_search,
)
from .play import (
    ask_for_trumps,
    find_winner,
    highest_bid,
    lowered_target,
    may_show_pair,
    pair_of,
    play_card,
    playable_cards,
    raised_target,
    show_trumps,
)
from .rules import (
    ASK,
    AUCTION,
    BID,
    HAND,
    MAKING,
    PACK_POINTS,
    PAIR_WORTH,
    PASS,
    PLAY,
    RANK_POINTS,
    RANKS,
    SEATS,
    SHOW,
    Rules,
    label,
)

NAME = "twenty_eight"
WORLD_LIMIT = 20_000
"""Maximum number of positions that PIMC searches for each action in each world. At the first trick,
one in seven actions needs more, and these actions would take half of the time."""

# ---- positions ------------------------------------------------------------------------------

POSITION = make_position_dtype(
    SEATS,
    HAND,
    [
        ("seen", np.int64, (SEATS,)),
        ("playing", np.int8),
        ("maker", np.int8),
        ("laid", np.int8),
        ("last", np.int8),  # number of the last trick, from 0
        ("prize", np.int8),  # worth of the pair; 0: the pair no longer has an effect
        ("prize_side", np.int8),  # 1: the seat that holds the pair is on the side
    ],
    [],
)
"""A position of the search."""
DEPTH = SEATS * HAND + 4
"""Maximum number of moves of a hand, including asking for trumps, with some reserve."""
squeeze = make_squeeze(RANK_POINTS)


@jit
def read_position(s: State, rules: RulesRecord, side: SeatSet, w: State) -> None:
    """Write the position of a state in play to ``w``, for a side."""
    copy_position(s, side, highest_bid(rules), w)
    for seat in range(SEATS):
        w["seen"][seat] = 0
    w["playing"] = s["playing"]
    w["maker"] = s["maker"]
    w["laid"] = s["laid"]
    held = s["seats"][s["turn"]]["hand"] + (s["card"] > 0 and s["turn"] == s["bidder"])
    w["last"] = s["tricks"] + held - 1
    offer_prize(s, rules, side, w)


@jit
def hash_position(w: State, rules: RulesRecord) -> np.uint64:
    """Return the hash of a position at the start of a trick.

    The hash need not mark king and queen of trumps. While the pair counts, they are always the two
    highest cards without points.
    """
    there = list_cards(w)
    word = finish_word(np.uint64(squeeze(card_apart(w), there)) + w["salt"])
    word ^= np.uint64(w["turn"]) | np.uint64(w["shown"]["trumps_shown"]) << np.uint64(8)
    word ^= np.uint64(w["prize"]) << np.uint64(16)
    for seat in range(SEATS):
        if w["hands"][seat]:
            word = finish_word(word + np.uint64(squeeze(w["hands"][seat], there)))
        word = finish_word(word + GAMMA)
    return word


# ---- the pair -------------------------------------------------------------------------------


@jit
def find_pair(s: State, rules: RulesRecord) -> Seat:
    """Return the seat that holds an unshown pair, including a face-down card; -1 for none."""
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
    """Add the worth of the pair to the points that are left."""
    w["prize"] = 0
    holder, target = find_pair(s, rules), s["shown"]["target"]
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
    """Give the prize to the side that holds the pair if it is shown, otherwise to its opponents."""
    if w["prize_side"] == shown:
        w["ours"] += w["prize"]
    w["left"] -= w["prize"]
    w["prize"] = 0


@jit
def read_prize(w: State) -> int:
    """Return the points that are still open for the pair."""
    return w["prize"]


@jit
def is_pair_sure(s: State, rules: RulesRecord) -> bool:
    """Return whether the pair will be shown as soon as its holder is to act."""
    holder = find_pair(s, rules)
    return holder >= 0 and may_show_pair(s, rules, holder)


# ---- the search -----------------------------------------------------------------------------


@jit
def list_playing(w: State, rules: RulesRecord) -> SeatSet:
    """Return the set of seats that take part in the tricks."""
    return w["playing"]


@jit
def list_twice(w: State, seat: Seat) -> Places:
    """Return the set of cards that a seat holds twice, which is always empty."""
    return 0


@jit
def play_move(w: State, rules: RulesRecord, move: Action, side: SeatSet) -> None:
    """Play a card or ask for trumps, and count a completed trick for a side."""
    if move == ASK:
        ask_for_trumps(w, rules)
        return
    play_card(w, move)
    if w["prize"] and pair_of(trump_suit(w)) >> move & 1:
        give_prize(w, False)
    if w["size"] < count(w["playing"]):
        w["turn"] = next_seat(w["playing"], w["turn"] + 1)
        return
    winner, _ = find_winner(w, rules)
    bonus = rules.last_trick if w["tricks"] == w["last"] else 0
    count_trick(w, side, winner, give_trick(w, winner, RANKS, bonus))
    if w["prize"] and w["shown"]["trumps_shown"] and (side >> winner) & 1 == w["prize_side"]:
        give_prize(w, True)


can_take, bound_points = make_search(
    SolvedGame(
        rank_points=RANK_POINTS,
        ask=ASK,
        list_playing=list_playing,
        list_twice=list_twice,
        count_extra=read_prize,
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
    """Return the bidder's side; the empty set before the play and if a seat plays alone."""
    if s["shown"]["phase"] != PLAY or s["alone"] >= 0:
        return 0
    return side_of(rules, s["bidder"])


@jit
def read_now(s: State, rules: RulesRecord, side: SeatSet, w: State) -> None:
    """Write the position of a state in play to ``w``, with a pair that is sure counted as shown."""
    read_position(s, rules, side, w)
    if w["prize"] and is_pair_sure(s, rules):
        give_prize(w, True)


@jit
def read_after(s: State, rules: RulesRecord, side: SeatSet, action: Action, w: State) -> None:
    """Write the position after an action to ``w``."""
    breaks_pair = action < ASK and pair_of(max(trump_suit(s), 0)) >> action & 1
    if breaks_pair:
        read_position(s, rules, side, w)
    else:
        read_now(s, rules, side, w)
    if action != SHOW:
        play_move(w, rules, action, side)


TARGET = "target"
"""Name of the observation piece with the points that the bidder's side must take."""
SOLVER = DoubleDummy(
    NAME,
    POSITION,
    DEPTH,
    TARGET,
    contract_side,
    read_now,
    bound_points,
    make_judge_rows(contract_side, read_after, TARGET, can_take),
)
solve = make_solve(SOLVER)
winnable_after = make_winnable_after(SOLVER)

# ---- the contracts of an open deal ----------------------------------------------------------


def list_contracts(
    deck_or_state: Any, rules: Rules, limit: int | None = None
) -> tuple[Contract, ...]:
    """Return every contract of a deal before the first bid, with all cards known to all seats.

    A contract is a bidder's seat, a choice of trumps, and the total points that the bidder's side
    then takes, whatever it bids. The pair counts as 4 more points if the side shows it, and as 4
    fewer points if the opponents show it. The points are None if the search reached ``limit``
    positions. Choices that make the hand void are left out.

    Raises:
        ValueError: A seat has already spoken.
    """
    game = GAMES[NAME]
    start = make_position(game, rules, deck_or_state)
    if start["moves"][0] or start["shown"]["phase"][0] != AUCTION:
        raise ValueError("deck_or_state must be a deal before the first bid or pass")
    contracts = []
    for seat in range(rules.players):
        bid = speak_until(rules, start, MAKING, seat)
        if rules.pair:
            bid["shown"]["bid"] = bid["shown"]["target"] = PACK_POINTS - PAIR_WORTH
        for action in list_actions(bid["legal"][0]):
            made = speak_until(rules, play_actions(game, rules, bid, [action]), PLAY)
            if made["shown"]["phase"][0] == PLAY:
                points = solve(made, rules, limit=limit).score
                contracts.append(Contract(seat, label(action), points))
    return tuple(contracts)


def speak_until(rules: Rules, state: np.ndarray, phase: int, bidder: int = -1) -> np.ndarray:
    """Let the bidder make its highest bid and all other seats pass, until a phase or the end."""
    while state["shown"]["phase"][0] not in (phase, OVER):
        legal = list_actions(state["legal"][0])
        action = PASS if PASS in legal else legal[0]  # a forced bidder bids the lowest number
        if state["turn"][0] == bidder and state["shown"]["phase"][0] == AUCTION:
            action = max(bid for bid in legal if BID <= bid < PASS)
        state = play_actions(GAMES[NAME], rules, state, [action])
    return state
