"""Double dummy: how many points a side can still take, with all cards known to all. Knows no game.

A zero-window search answers whether a side takes at least a given number; a table keeps what is
known of the positions at the start of a trick. A game gives the record of a position, with the
fields `SEARCHED`, and the kernels of `Searching`. `make_can_take` asks one question,
`make_bound_points` finds how many points the side takes, or between which two numbers they are if a
limit of positions was reached. `DoubleDummy` is the solver of a game made of these kernels;
`make_solve` and `make_winnable_after` turn it into the functions of `Solving`.
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
    ("ours", np.int8),  # points that the side has taken; below 0 if it owes some
    ("left", np.int8),  # points that are not taken
    ("moves", np.int64),  # set of cards that are still to be tried
    ("key", np.uint64),
    ("salt", np.uint64),  # separates the entries of several deals in the table
    ("asks", np.int8),  # asking is still to be tried
    ("first", np.int8),  # what is tried first, -1: nothing is known
    ("tried", np.int8),
    ("best", np.int8),  # the best strength in the trick
    ("winning", np.int8),  # it is of the mover's side
    ("mover", np.int8),  # 1: the side is at turn
)
"""Fields of a position that the search reads and writes."""
ENTRIES = 1 << 17
ENTRY = np.dtype([("key", np.uint64), ("low", np.int8), ("high", np.int8), ("move", np.int8)])
"""Bounds of the points that the side takes from a position at the start of a trick on."""
OPEN = -1
NO_LIMIT = 1 << 62
SHARES = 16
"""Half of the limit is spent on the exact answer, then one part of `SHARES` on each question."""


class Searching(NamedTuple):
    """The kernels of a game that the search needs."""

    open_position: Callable[[State, RulesRecord, SeatSet, int, np.ndarray], int]
    """Answer (position, rules, side, need, table), or list the moves and return `OPEN`."""
    rate_card: Callable[[State, RulesRecord, int], int]
    """How early a card is tried."""
    play_move: Callable[[State, RulesRecord, int, SeatSet], None]
    """Play a card, or ask; of a full trick the points go from ``left`` to ``ours``."""
    ask: Action
    """The move that asks for trumps."""


# ---- equivalent cards -----------------------------------------------------------------------


def group_ranks(rank_points: np.ndarray) -> np.ndarray:
    """Return for each rank the lowest rank with the same points; those between have them, too."""
    return np.searchsorted(rank_points, rank_points).astype(np.int64)


def make_squeeze(rank_points: np.ndarray) -> Callable[[Places, Places], Places]:
    """Return the kernel that renumbers cards as if played cards had never been in the pack.

    Cards move down within their suit, among cards with the same points. Positions that differ only
    in the cards that were played thus become equal. The kernel takes a set of cards, and the set of
    all cards not yet played.
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

    Two cards of a suit are equivalent if they have the same points and no card of the others, in
    their hands or in the trick, is between them or equal to one of them. The kernel takes the cards
    of the hand, and those of the others.
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
    """Return how early the search tries a card that follows; ``last``: nobody plays after it."""
    if w["winning"]:
        return 16 * points - rank
    if strength > w["best"]:
        return 100 + (16 * points - rank if last else rank)
    return -16 * points - rank


# ---- the table --------------------------------------------------------------------------------


@jit
def look_up(w: State, need: int, table: np.ndarray) -> int:
    """Return the table's answer whether the side takes ``need`` points in all, or `OPEN`.

    If the table has an entry that does not answer, ``first`` is the best move in it.
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
    """Return the kernel that answers whether a side takes at least ``need`` points in all.

    It takes room for positions, of which the first is the one asked about, the rules, the side,
    ``need``, a table, and ``nodes`` (2,): the number of positions so far, and the limit. If the
    limit is reached, the answer is meaningless.
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
            rest = 0  # one is left
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
    """Return the kernel that writes how many points a side takes in all, as two bounds (2,).

    It takes positions, rules, side, table and nodes as `make_can_take` says. The bounds are one
    number unless the limit was met.
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
        below, above, limit = NO_LIMIT, -NO_LIMIT, nodes[1]  # the range of unanswered questions
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

    It halves the larger of the ranges below and above the questions that stayed unanswered, which
    are from ``below`` to ``above``; -`NO_LIMIT`: no question is left.
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

    The bidder's side plays to make the contract, the other side to break it. A value is 1 or 0, or
    a half if the limit was reached. The kernel takes states (n,), rules (1,), room for positions, a
    table, the limit, and values (n, actions).

    Args:
        contract_side: See `DoubleDummy`.
        read_after: Writes the position after an action.
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
    """Room for positions: the moves from the first card to the last, and a few more."""
    target: str
    """The field of ``shown`` with the number of points of the contract."""
    contract_side: Callable[[State, RulesRecord], SeatSet]
    """Return the seats that play to make the contract; 0: no contract is being played."""
    read_position: Callable[[State, RulesRecord, SeatSet, State], None]
    """Write the position of a state for a side."""
    bound_points: Any
    judge_rows: Any


def allocate_table(solver: DoubleDummy) -> tuple[np.ndarray, np.ndarray]:
    """Return empty positions and an empty transposition table for a search."""
    return np.zeros(solver.depth, solver.position), np.zeros(ENTRIES, ENTRY)


def make_winnable_after(solver: DoubleDummy) -> WinnableAfter:
    """Return a game's ``winnable_after``: after which actions the side at turn reaches its goal.

    The bidder's side plays to make the contract, the others to break it, all cards known to all.
    The value is a half before the first card, and if the limit was reached first.
    """

    def winnable_after(states: States, rules: Any, limit: int | None = None) -> np.ndarray:
        values = np.zeros((len(states), GAMES[solver.game].actions), np.float32)
        most = NO_LIMIT if limit is None else limit
        solver.judge_rows(states, as_record(rules), *allocate_table(solver), most, values)
        return values

    return winnable_after


def make_solve(solver: DoubleDummy) -> Solve:
    """Return a game's ``solve``: how many points the bidder's side takes in all.

    ``score`` is its points, or None if the limit of positions was reached; ``bounds`` are then the
    two limits of its points. A later change of the contract counts as points, so ``winnable``,
    whether the contract is made, compares them with the contract as it is now. ``optimal`` changes
    nothing. ``solve`` raises ValueError if no contract is being played.
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
        work, table = allocate_table(solver)
        nodes, bounds = np.array([0, NO_LIMIT if limit is None else limit]), np.zeros(2, np.int64)
        solver.read_position(s, record, side, work[0])
        solver.bound_points(work, record, side, table, nodes, bounds)
        low, high, target = int(bounds[0]), int(bounds[1]), int(s["shown"][solver.target])
        made = True if low >= target else False if high < target else None
        score = low if low == high else None
        return Solution(made, None, int(nodes[0]), score=score, bounds=(low, high))

    return solve
