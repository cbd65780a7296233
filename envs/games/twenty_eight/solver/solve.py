"""What a side can still take, all cards known: the double-dummy solver's answers."""

from ....core.aliases import Action, RulesRecord, SeatSet, State
from ....core.kernel.jit import jit
from ....core.tricks.double_dummy import (
    DoubleDummy,
    make_judge_rows,
    make_solve,
    make_winnable_after,
)
from ..auction import side_of
from ..play import pair_of, trump_suit
from ..rules import ASK, SHOW
from ..state import PLAY
from .search import (
    DEPTH,
    POSITION,
    bound_points,
    can_take,
    give_prize,
    is_pair_sure,
    play_move,
    read_position,
)

WORLD_LIMIT = 20_000
"""Of PIMC, for each action in each world. At the first trick every seventh needs more, and these
would be half of the work."""


@jit
def contract_side(s: State, rules: RulesRecord) -> SeatSet:
    """The seats that play to make the contract; none before the first card, or against one."""
    if s["shown"]["phase"] != PLAY or s["alone"] >= 0:
        return 0
    return side_of(rules, s["bidder"])


@jit
def read_now(s: State, rules: RulesRecord, side: SeatSet, w: State) -> None:
    """Write to ``w`` the position of a state in play, for a side."""
    read_position(s, rules, side, w)
    if w["prize"] and is_pair_sure(s, rules):
        give_prize(w, True)


@jit
def read_after(s: State, rules: RulesRecord, side: SeatSet, action: Action, w: State) -> None:
    """Write to ``w`` the position after an action."""
    breaks = action < ASK and pair_of(max(trump_suit(s), 0)) >> action & 1
    if breaks:
        read_position(s, rules, side, w)
    else:
        read_now(s, rules, side, w)
    if action != SHOW:
        play_move(w, rules, action, side)


TARGET = "target"
"""The shown piece that says how many points the contract is."""
SOLVER = DoubleDummy(
    "twenty_eight",
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
