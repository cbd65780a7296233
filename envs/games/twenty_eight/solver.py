"""The double-dummy solver of Twenty-Eight and Twenty-Nine: what a side takes, all cards known.

The pair is a prize: points that are left until it is known whether it is shown. One seat alone can
show it, and shows it as soon as it may, since that costs nothing and is never worse. If it is of
the side, the prize is what showing takes off its target: the side gets it as the pair is shown, and
the others as one of the two cards is played before. If it is of the others, the prize is what
showing adds to the target: the side owes so much from the beginning, and gets it as one of the two
is played before. So the target stays as it is, and points are counted as the contract counts them.
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
    LOWEST_BID,
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
"""Positions that PIMC may search for each action in each world. At the first trick every seventh
action needs more, and these would be half of the work."""

# ---- positions ------------------------------------------------------------------------------

POSITION = make_position_dtype(
    SEATS,
    HAND,
    [
        ("seen", np.int64, (SEATS,)),
        ("playing", np.int8),
        ("maker", np.int8),
        ("last", np.int8),  # number of the last trick, from 0
        ("prize", np.int8),  # what the pair is worth; 0: it changes nothing any more
        ("prize_side", np.int8),  # 1: who holds the pair is of the side
    ],
    [],
)
"""A position of the search."""
DEPTH = SEATS * HAND + 4
"""Moves from the first card to the last, with one to ask, and room to spare."""
squeeze = make_squeeze(RANK_POINTS)


@jit
def read_position(s: State, rules: RulesRecord, side: SeatSet, w: State) -> None:
    """Write to ``w`` the position of a state in play, for a side."""
    copy_position(s, side, highest_bid(rules), w)
    for seat in range(SEATS):
        w["seen"][seat] = 0
    w["playing"] = s["playing"]
    w["maker"] = s["maker"]
    held = s["seats"][s["turn"]]["hand"] + (s["card"] > 0 and s["turn"] == s["bidder"])
    w["last"] = s["tricks"] + held - 1
    offer_prize(s, rules, side, w)


@jit
def hash_position(w: State, rules: RulesRecord) -> np.uint64:
    """Return the key of a position at the start of a trick.

    King and queen of trumps need no place in it: while the pair counts, they are the highest two of
    the cards that count nothing.
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
    """Return who holds the pair, which is not shown yet, a card apart included; -1: nobody."""
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
    """Add what the pair of a state is worth to the points that are left."""
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
    """Give the prize to the side that holds the pair if it is shown, otherwise to the others."""
    if w["prize_side"] == shown:
        w["ours"] += w["prize"]
    w["left"] -= w["prize"]
    w["prize"] = 0


@jit
def read_prize(w: State) -> int:
    """Return the points that are left for the pair."""
    return w["prize"]


@jit
def is_pair_sure(s: State, rules: RulesRecord) -> bool:
    """Return whether the pair of a state is shown as soon as its holder is at turn."""
    holder = find_pair(s, rules)
    return holder >= 0 and may_show_pair(s, rules, holder)


# ---- the search -----------------------------------------------------------------------------


@jit
def list_playing(w: State, rules: RulesRecord) -> SeatSet:
    """Return the seats that play to tricks."""
    return w["playing"]


@jit
def list_twice(w: State, seat: Seat) -> Places:
    """Return the cards that a seat holds twice: none."""
    return 0


@jit
def play_move(w: State, rules: RulesRecord, move: Action, side: SeatSet) -> None:
    """Play a card or ask for trumps; a full trick is counted for a side."""
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
    """Return the seats that play to make the contract; none before the first card, or alone."""
    if s["shown"]["phase"] != PLAY or s["alone"] >= 0:
        return 0
    return side_of(rules, s["bidder"])


@jit
def read_now(s: State, rules: RulesRecord, side: SeatSet, w: State) -> None:
    """Write to ``w`` the position of a state in play, for a side, with a sure pair shown."""
    read_position(s, rules, side, w)
    if w["prize"] and is_pair_sure(s, rules):
        give_prize(w, True)


@jit
def read_after(s: State, rules: RulesRecord, side: SeatSet, action: Action, w: State) -> None:
    """Write to ``w`` the position after an action."""
    breaks_pair = action < ASK and pair_of(max(trump_suit(s), 0)) >> action & 1
    if breaks_pair:
        read_position(s, rules, side, w)
    else:
        read_now(s, rules, side, w)
    if action != SHOW:
        play_move(w, rules, action, side)


TARGET = "target"
"""The piece of the observation with the points that the contract is about."""
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
    """Return every contract of a deal that nobody has bid on yet, all cards known to all.

    A contract is the bidder's seat, how it makes trumps, and the points that its side then takes in
    all, the pair counted: 4 more if its side comes to show it, 4 less if the others do. The points
    are None where the limit of positions was met. Ways that void the hand are left out.

    Raises:
        ValueError: In the position somebody has spoken.
    """
    game = GAMES[NAME]
    start = make_position(game, rules, deck_or_state)
    if start["moves"][0] or start["shown"]["phase"][0] != AUCTION:
        raise ValueError("contracts: a deal is needed in which nobody has spoken")
    contracts = []
    for seat in range(rules.players):
        bid = speak_until(rules, start, MAKING, seat)
        for action in list_actions(bid["legal"][0]):
            made = speak_until(rules, play_actions(game, rules, bid, [action]), PLAY)
            if made["shown"]["phase"][0] == PLAY:
                points = solve(made, rules, limit=limit).score
                contracts.append(Contract(seat, label(action), points))
    return tuple(contracts)


def speak_until(rules: Rules, state: np.ndarray, phase: int, bidder: int = -1) -> np.ndarray:
    """Let the bidder bid the highest number and all others pass, up to a phase or the end.

    With the option ``pair`` the highest bid is the one that the whole worth of a pair raises and
    lowers.
    """
    while state["shown"]["phase"][0] not in (phase, OVER):
        legal = list_actions(state["legal"][0])
        action = PASS if PASS in legal else legal[0]  # who is forced to bid says the least
        if state["turn"][0] == bidder and state["shown"]["phase"][0] == AUCTION:
            bids = [bid for bid in legal if BID <= bid < PASS]
            full = BID + PACK_POINTS - PAIR_WORTH - LOWEST_BID
            action = next((bid for bid in bids if rules.pair and bid >= full), bids[-1])
        state = play_actions(GAMES[NAME], rules, state, [action])
    return state
