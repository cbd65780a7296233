"""Double dummy: what a side can still take, all cards known to all. Knows no game.

`DoubleDummy` is a game's solver, made of the kernels of `zero_window`; `make_solve` and
`make_winnable_after` turn it into what `Solving` wants.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..aliases import Action, RulesRecord, RulesRecords, SeatSet, State, States
from ..contract import Solution, Solve, WinnableAfter
from ..game import GAMES
from ..kernel.jit import jit
from ..kernel.rng import GAMMA, finish_word
from ..legal import first_action, next_action
from ..options import as_record
from ..solve import make_position
from .zero_window import ENTRIES, ENTRY, NO_LIMIT

UNDECIDED = 0.5


def make_judge_rows(
    contract_side: Callable[[State, RulesRecord], SeatSet],
    read_after: Callable[[State, RulesRecord, SeatSet, Action, State], None],
    target: str,
    can_take: Any,
) -> Any:
    """Return the kernel that writes of each legal action whether its side gets what it plays for.

    The bidder's side plays to make the contract, the other to break it: 1 or 0, and a half if that
    is not known, where the limit was met. ``contract_side`` says who plays to make it, 0: nothing
    is being played, ``read_after`` writes the position after an action, ``target`` is the shown
    piece that says how many points the contract is. It takes states (n,), rules (1,), positions, a
    table, the limit, and values (n, actions).
    """

    @jit
    def judge_rows(
        states: States,
        records: RulesRecords,
        work: np.ndarray,
        table: np.ndarray,
        limit: int,
        values: np.ndarray,
    ) -> None:
        nodes, rules = np.zeros(2, np.int64), records[0]
        for i in range(len(states)):
            s = states[i]
            work[0]["salt"] = finish_word(np.uint64(i) + GAMMA)
            side = contract_side(s, rules)
            ours, need = (side >> s["turn"]) & 1 != 0, s["shown"][target]
            action = first_action(s["legal"])
            while action >= 0:
                values[i, action] = UNDECIDED
                if side:
                    nodes[0], nodes[1] = 0, limit
                    read_after(s, rules, side, action, work[0])
                    found = can_take(work, rules, side, need, table, nodes)
                    if nodes[0] < nodes[1]:
                        values[i, action] = found == ours
                action = next_action(s["legal"], action)

    return judge_rows


class DoubleDummy(NamedTuple):
    """A game's double-dummy solver, for `make_solve` and `make_winnable_after`."""

    game: str
    position: np.dtype
    depth: int
    """Moves from the first card to the last, and a few more."""
    target: str
    """What of ``shown`` says how many points the contract is."""
    contract_side: Callable[[State, RulesRecord], SeatSet]
    """Say which seats play to make the contract; 0: none, nothing is being played."""
    read_position: Callable[[State, RulesRecord, SeatSet, State], None]
    """Write the position of a state for a side."""
    bound_points: Any
    judge_rows: Any


def make_room(solver: DoubleDummy) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions and the table of a search."""
    return np.zeros(solver.depth, solver.position), np.zeros(ENTRIES, ENTRY)


def make_winnable_after(solver: DoubleDummy) -> WinnableAfter:
    """Return what says after which actions the side at turn gets what it plays for.

    The side of the bidder plays to make the contract, the others to break it, all cards known to
    all; a half where nothing is known: before the first card, or where the limit came first.
    """

    def winnable_after(states: States, rules: Any, limit: int | None = None) -> np.ndarray:
        values = np.zeros((len(states), GAMES[solver.game].actions), np.float32)
        most = NO_LIMIT if limit is None else limit
        solver.judge_rows(states, as_record(rules), *make_room(solver), most, values)
        return values

    return winnable_after


def make_solve(solver: DoubleDummy) -> Solve:
    """Return what says how many points the bidder's side takes in all from a position in play.

    ``score`` are its points, None if the limit of positions was met; ``bounds`` then say between
    which two they lie. What changes the contract later on counts as points, so ``winnable``, which
    says whether it is made, says whether they reach what it is now. ``optimal`` changes nothing. It
    raises ValueError where no contract is being played.
    """

    def solve(
        deck_or_state: Any, rules: Any, optimal: bool = False, limit: int | None = None
    ) -> Solution:
        s = make_position(GAMES[solver.game], rules, deck_or_state)[0]
        record = as_record(rules)[0]
        side = int(solver.contract_side(s, record))
        if side == 0:
            raise ValueError(
                "double dummy: a position is needed in which a contract is being played: give the "
                "actions of the auction, too (--actions); hands played alone are not solved"
            )
        work, table = make_room(solver)
        nodes, bounds = np.array([0, NO_LIMIT if limit is None else limit]), np.zeros(2, np.int64)
        solver.read_position(s, record, side, work[0])
        solver.bound_points(work, record, side, table, nodes, bounds)
        low, high, target = int(bounds[0]), int(bounds[1]), int(s["shown"][solver.target])
        made = True if low >= target else False if high < target else None
        score = low if low == high else None
        return Solution(made, None, int(nodes[0]), score=score, bounds=(low, high))

    return solve
