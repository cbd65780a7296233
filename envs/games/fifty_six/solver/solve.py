"""What a side can still take, all cards known: the double-dummy solver's answers."""

from ....core.aliases import Action, RulesRecord, SeatSet, State
from ....core.kernel.jit import jit
from ....core.tricks.double_dummy import (
    DoubleDummy,
    make_judge_rows,
    make_solve,
    make_winnable_after,
)
from ..auction import same_side
from ..state import PLAY
from .search import DEPTH, POSITION, bound_points, can_take, play_move, read_position

WORLD_LIMIT = 2_000
"""Of PIMC, for each action in each world: enough in the last tricks."""


@jit
def contract_side(s: State, rules: RulesRecord) -> SeatSet:
    """The seats that play to make the contract; none before the first card."""
    found = 0
    if s["shown"]["phase"] == PLAY:
        for seat in range(rules.players):
            found |= same_side(seat, s["bidder"]) << seat
    return found


@jit
def read_after(s: State, rules: RulesRecord, side: SeatSet, action: Action, w: State) -> None:
    """Write to ``w`` the position after an action."""
    read_position(s, rules, side, w)
    play_move(w, rules, action, side)


TARGET = "number"
"""The shown piece that says how many points the contract is."""
SOLVER = DoubleDummy(
    "fifty_six",
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
