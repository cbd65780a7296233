"""Double-dummy search: the points that a side can take when all players know all cards.

A zero-window search answers whether a side takes at least a given number of points. A transposition
table stores bounds for positions at the start of a trick. A game supplies the record of a position,
with the fields `SEARCHED`, and the kernels of `Searching`. `make_can_take` builds the kernel that
answers one question, and `make_bound_points` the kernel that finds the number of points, or bounds
if the search reaches its limit. `DoubleDummy` is the solver of a game made of these kernels;
`make_solve` and `make_winnable_after` make the functions of `Solving` from it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..contract import Solution, Solve, WinnableAfter
from ..game import GAMES
from ..kernel.bits import count, lowest
from ..kernel.jit import jit
from ..kernel.rng import GAMMA, finish_word
from ..legal import first_action, next_action
from ..options import as_record
from ..solve import make_position
from ..type_aliases import Action, Places, RulesRecord, RulesRecords, SeatSet, State, States

# ---- the position ---------------------------------------------------------------------------

SEARCHED = (
    ("size", np.int8),  # cards in the trick
    ("turn", np.int8),
    ("ours", np.int8),  # points that the side has taken; negative if it owes points
    ("left", np.int8),  # points that are not taken yet
    ("moves", np.int64),  # set of cards that are not tried yet
    ("key", np.uint64),
    ("salt", np.uint64),  # separates the entries of several deals in the table
    ("asks", np.int8),  # whether asking for trumps is not tried yet
    ("first", np.int8),  # move to try first; -1: none known
    ("tried", np.int8),  # the move that is tried now
    ("best", np.int8),  # highest strength in the trick
    ("winning", np.int8),  # whether the best card belongs to the mover's side
    ("mover", np.int8),  # 1: a seat of the side acts
)
"""Fields of a position that the search reads and writes."""
ENTRIES = 1 << 17
ENTRY = np.dtype([("key", np.uint64), ("low", np.int8), ("high", np.int8), ("move", np.int8)])
"""Table entry: bounds of the points that the side takes from a position at the start of a trick."""
OPEN = -1
NO_LIMIT = 1 << 62
SHARES = 16
"""Half of the limit is for the exact answer; each further question gets 1 / `SHARES` of it."""


class Searching(NamedTuple):
    """Kernels of a game that the search needs."""

    open_position: Callable[[State, RulesRecord, SeatSet, int, np.ndarray], int]
    """Answers (position, rules, side, need, table), or lists the moves and returns `OPEN`."""
    rate_card: Callable[[State, RulesRecord, int], int]
    """Returns the priority of a card; the search tries the highest first."""
    play_move: Callable[[State, RulesRecord, int, SeatSet], None]
    """Plays a card or asks for trumps. The side's points in a full trick move from ``left`` to
    ``ours``."""
    ask: Action
    """Move that asks for trumps."""


# ---- equivalent cards -----------------------------------------------------------------------


def group_ranks(rank_points: np.ndarray) -> np.ndarray:
    """Return for each rank the lowest rank with the same points. Equal ranks must be adjacent."""
    return np.searchsorted(rank_points, rank_points).astype(np.int64)


def make_squeeze(rank_points: np.ndarray) -> Callable[[Places, Places], Places]:
    """Return the kernel that renumbers cards as if played cards were not in the deck.

    Cards move down within their suit, among cards with the same points. Positions that differ only
    in the played cards become equal. The kernel takes a set of cards, and the set of all cards that
    are not played yet.
    """
    groups, ranks = group_ranks(rank_points), len(rank_points)

    @jit
    def squeeze(cards: Places, present: Places) -> Places:
        moved = 0
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            first = card // ranks * ranks + groups[card % ranks]
            moved |= 1 << (first + count(present & ((1 << card) - (1 << first))))
        return moved

    return squeeze


def make_thin_out(rank_points: np.ndarray) -> Callable[[Places, Places], Places]:
    """Return the kernel that keeps only the lowest of equivalent cards of a hand.

    Two cards of a suit are equivalent if they have the same points, and no card in the other hands
    or in the trick is between them or equal to one of them. The kernel takes the cards of the hand,
    and the cards in the other hands and the trick.
    """
    ranks = len(rank_points)

    @jit
    def thin_out(cards: Places, others: Places) -> Places:
        kept, before = 0, -1
        rest = cards
        while rest:
            card = lowest(rest)
            rest &= rest - 1
            same = (
                before >= 0
                and before // ranks == card // ranks
                and rank_points[before % ranks] == rank_points[card % ranks]
                and others & ((2 << card) - (1 << before)) == 0
            )
            if not same:
                kept |= 1 << card
            before = card
        return kept

    return thin_out


@jit
def rate_in_trick(w: State, points: int, rank: int, strength: int, last: bool) -> int:
    """Return the priority of a card that follows; ``last``: it is the last of the trick."""
    if w["winning"]:
        return 16 * points - rank
    if strength > w["best"]:
        return 100 + (16 * points - rank if last else rank)
    return -16 * points - rank


# ---- the table --------------------------------------------------------------------------------


@jit
def look_up(w: State, need: int, table: np.ndarray) -> int:
    """Return from the table whether the side takes ``need`` points in total, or `OPEN`.

    If the entry does not answer the question, the kernel writes its best move into ``first``.
    """
    entry = table[np.int64(w["key"] & np.uint64(len(table) - 1))]
    if entry["key"] == w["key"]:
        if entry["low"] >= need - w["ours"]:
            return True
        if entry["high"] < need - w["ours"]:
            return False
        w["first"] = entry["move"]
    return OPEN


@jit
def close_position(w: State, need: int, answer: int, table: np.ndarray) -> None:
    """Save the answer for a position at the start of a trick in the table."""
    if w["size"]:
        return
    entry = table[np.int64(w["key"] & np.uint64(len(table) - 1))]
    if entry["key"] != w["key"]:
        entry["key"] = w["key"]
        entry["low"] = 0
        entry["high"] = w["left"]
    entry["move"] = w["tried"]
    missing = need - w["ours"]
    if answer:
        entry["low"] = max(entry["low"], missing)
    else:
        entry["high"] = min(entry["high"], missing - 1)


# ---- the search -------------------------------------------------------------------------------


def make_can_take(searching: Searching) -> Any:
    """Return the kernel that answers whether a side takes at least ``need`` points in total.

    The kernel takes scratch positions, of which the first is the position to search; the rules; the
    side; ``need``; a table; and ``nodes``, (2,), the number of positions so far and the limit. If
    the search reaches the limit, the answer is meaningless.
    """
    open_position, rate_card, play_move, ask = searching

    @jit
    def next_move(w: State, rules: RulesRecord) -> int:
        if w["asks"]:
            w["asks"] = 0
            return ask
        chosen, rate, rest = lowest(w["moves"]), -10000, w["moves"]
        if w["first"] >= 0 and rest >> w["first"] & 1:
            chosen, rest = w["first"], 0
        elif rest & (rest - 1) == 0:
            rest = 0  # Only one card is left.
        while rest:
            card = lowest(rest)
            rest &= rest - 1
            rated = rate_card(w, rules, card)
            if rated > rate:
                chosen, rate = card, rated
        w["moves"] &= ~(1 << chosen)
        w["tried"] = chosen
        return chosen

    @jit
    def can_take(
        work: np.ndarray,
        rules: RulesRecord,
        side: SeatSet,
        need: int,
        table: np.ndarray,
        nodes: np.ndarray,
    ) -> bool:
        depth, answer = 0, open_position(work[0], rules, side, need, table)
        while nodes[0] < nodes[1]:
            if answer != OPEN:
                if depth == 0:
                    break
                depth -= 1
                w = work[depth]
                if answer == w["mover"] or (w["moves"] == 0 and not w["asks"]):
                    close_position(w, need, answer, table)
                    continue
            work[depth + 1] = work[depth]
            move = next_move(work[depth], rules)
            play_move(work[depth + 1], rules, move, side)
            depth += 1
            nodes[0] += 1
            answer = open_position(work[depth], rules, side, need, table)
        return answer == 1

    return can_take


def make_bound_points(can_take: Any) -> Any:
    """Return the kernel that writes bounds, (2,), of the points that a side takes in total.

    The other arguments are those of `make_can_take`. The bounds are equal unless the search reaches
    its limit.
    """

    @jit
    def bound_points(
        work: np.ndarray,
        rules: RulesRecord,
        side: SeatSet,
        table: np.ndarray,
        nodes: np.ndarray,
        bounds: np.ndarray,
    ) -> None:
        bounds[0] = work[0]["ours"]
        bounds[1] = bounds[0] + work[0]["left"]
        below, above, limit = NO_LIMIT, -NO_LIMIT, nodes[1]  # Range of unanswered questions.
        nodes[1] = limit - limit // 2
        while bounds[0] < bounds[1] and nodes[0] < limit:
            need = next_need(bounds[0], bounds[1], below, above)
            if need == -NO_LIMIT:
                break
            is_taken = can_take(work, rules, side, need, table, nodes)
            if nodes[0] >= nodes[1]:
                below, above = min(below, need), max(above, need)
                nodes[1] = min(limit, nodes[0] + limit // SHARES + 1)
            elif is_taken:
                bounds[0] = need
            else:
                bounds[1] = need - 1
        nodes[1] = limit

    return bound_points


@jit
def next_need(low: int, high: int, below: int, above: int) -> int:
    """Return the number of points to ask about next, between ``low`` and ``high``.

    The number halves the larger of the two ranges below and above the unanswered questions, which
    are ``below`` to ``above``. The result is -`NO_LIMIT` if no question is left.
    """
    if below > high or above <= low:
        return (low + high + 1) // 2
    if max(below - low - 1, high - above) == 0:
        return -NO_LIMIT
    if below - low - 1 >= high - above:
        return (low + below) // 2
    return (above + high + 1) // 2


# ---- a game's solver -------------------------------------------------------------------------

UNDECIDED = 0.5


def make_judge_rows(
    contract_side: Callable[[State, RulesRecord], SeatSet],
    read_after: Callable[[State, RulesRecord, SeatSet, Action, State], None],
    target: str,
    can_take: Any,
) -> Any:
    """Return the kernel that writes for each legal action whether its side reaches its goal.

    The goal of the bidder's side is to make the contract; the goal of the other side is to defeat
    it. A value is 1 or 0, or 0.5 if the search reaches its limit. The kernel takes states, (n,);
    rules, (1,); scratch positions; a table; the limit; and values, (n, actions).

    Args:
        contract_side: See `DoubleDummy`.
        read_after: Kernel that writes the position after an action.
        target: See `DoubleDummy`.
        can_take: See `make_can_take`.
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
                    is_taken = can_take(work, rules, side, need, table, nodes)
                    if nodes[0] < nodes[1]:
                        values[i, action] = is_taken == ours
                action = next_action(s["legal"], action)

    return judge_rows


class DoubleDummy(NamedTuple):
    """A game's double-dummy solver, for `make_solve` and `make_winnable_after`."""

    game: str
    position: np.dtype
    depth: int
    """Number of scratch positions: the moves from the first card to the last, and a few more."""
    target: str
    """Field of ``shown`` with the points that the contract needs."""
    contract_side: Callable[[State, RulesRecord], SeatSet]
    """Returns the seats of the bidder's side; 0: no contract is being played."""
    read_position: Callable[[State, RulesRecord, SeatSet, State], None]
    """Writes the position of a state for a side."""
    bound_points: Any
    judge_rows: Any


def allocate_table(solver: DoubleDummy) -> tuple[np.ndarray, np.ndarray]:
    """Return scratch positions and an empty transposition table for a search."""
    return np.zeros(solver.depth, solver.position), np.zeros(ENTRIES, ENTRY)


def make_winnable_after(solver: DoubleDummy) -> WinnableAfter:
    """Return a game's ``winnable_after``: whether the acting side reaches its goal after an action.

    The goal of the bidder's side is to make the contract; the goal of the other side is to defeat
    it. All players know all cards. The value is 0.5 before the first card, and if the search
    reaches its limit.
    """

    def winnable_after(states: States, rules: Any, limit: int | None = None) -> np.ndarray:
        values = np.zeros((len(states), GAMES[solver.game].actions), np.float32)
        most = NO_LIMIT if limit is None else limit
        solver.judge_rows(states, as_record(rules), *allocate_table(solver), most, values)
        return values

    return winnable_after


def make_solve(solver: DoubleDummy) -> Solve:
    """Return a game's ``solve``, which finds the points that the bidder's side takes in total.

    In the solution, ``score`` is the points, or None if the search reached its limit, and
    ``bounds`` are the lower and upper bound of the points. A later change of the contract is
    counted as points, so ``winnable``, whether the contract is made, compares the points with the
    current contract. ``solve`` ignores ``optimal``, and raises ValueError if no contract is being
    played.
    """

    def solve(
        deck_or_state: Any, rules: Any, optimal: bool = False, limit: int | None = None
    ) -> Solution:
        s = make_position(GAMES[solver.game], rules, deck_or_state)[0]
        record = as_record(rules)[0]
        side = int(solver.contract_side(s, record))
        if side == 0:
            raise ValueError(
                "the position must have a contract between two sides. Add the actions of the "
                "auction (--actions). Hands that the bidder plays alone cannot be solved"
            )
        work, table = allocate_table(solver)
        nodes, bounds = np.array([0, NO_LIMIT if limit is None else limit]), np.zeros(2, np.int64)
        solver.read_position(s, record, side, work[0])
        solver.bound_points(work, record, side, table, nodes, bounds)
        low, high, target = int(bounds[0]), int(bounds[1]), int(s["shown"][solver.target])
        made = True if low >= target else False if high < target else None
        score = low if low == high else None
        return Solution(made, None, int(nodes[0]), score=score, bounds=(low, high))

    return solve
