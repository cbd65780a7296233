"""A zero-window search of games of tricks, all cards known to all. Knows no game.

It has a table of what is known at the start of a trick. A game gives the record of a position, with
the fields `SEARCHED`, and what it does with one: `Searching`. `make_can_take` asks whether a side
takes so many points, `make_bound_points` how many it takes, or between which two numbers that lies
where a limit of positions was met. `double_dummy` makes a solver of them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..aliases import Action, Places, RulesRecord, SeatSet, State
from ..kernel.bits import count, lowest
from ..kernel.jit import jit

SEARCHED = (
    ("size", np.int8),  # cards in the trick
    ("turn", np.int8),
    ("ours", np.int8),  # points that the side has taken; below 0 if it owes some
    ("left", np.int8),  # points that are not taken
    ("moves", np.int64),  # set of cards that are still to be tried
    ("key", np.uint64),
    ("salt", np.uint64),  # keeps apart in the table what the searches of several deals found
    ("asks", np.int8),  # asking is still to be tried
    ("first", np.int8),  # what is tried first, -1: nothing is known
    ("tried", np.int8),
    ("best", np.int8),  # the best strength in the trick
    ("winning", np.int8),  # it is of the mover's side
    ("mover", np.int8),  # 1: the side is at turn
)
"""What the search reads and writes of a position."""
ENTRIES = 1 << 17
ENTRY = np.dtype([("key", np.uint64), ("low", np.int8), ("high", np.int8), ("move", np.int8)])
"""What is known of a position at the start of a trick: bounds of what the side takes from there."""
OPEN = -1
NO_LIMIT = 1 << 62
SHARES = 16
"""Where a limit is met, half of it is spent on the exact answer, then such a part on a question."""


class Searching(NamedTuple):
    """What a game does with a position of the search: kernels."""

    open_position: Callable[[State, RulesRecord, SeatSet, int, np.ndarray], int]
    """Answer (position, rules, side, need, table), or list the moves and return `OPEN`."""
    rate_card: Callable[[State, RulesRecord, int], int]
    """How early a card is tried."""
    play_move: Callable[[State, RulesRecord, int, SeatSet], None]
    """Play a card, or ask; of a full trick the points go from ``left`` to ``ours``."""
    ask: Action
    """The move that asks for trumps."""


# ---- cards that are as good as each other ------------------------------------------------------


def group_ranks(rank_points: np.ndarray) -> np.ndarray:
    """Return for each rank the lowest that counts the same; those between do, too."""
    return np.searchsorted(rank_points, rank_points).astype(np.int64)


def make_squeeze(rank_points: np.ndarray) -> Callable[[Places, Places], Places]:
    """Return what moves cards down to where they would lie if those not there had never been.

    Within a suit and among cards that count the same: so positions are one that differ only in
    cards that are gone. It takes a set of cards, and all that are there.
    """
    groups, ranks = group_ranks(rank_points), len(rank_points)

    @jit
    def squeeze(cards: Places, there: Places) -> Places:
        found = 0
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            first = card // ranks * ranks + groups[card % ranks]
            found |= 1 << (first + count(there & ((1 << card) - (1 << first))))
        return found

    return squeeze


def make_thin_out(rank_points: np.ndarray) -> Callable[[Places, Places], Places]:
    """Return what leaves of cards of a hand that are as good as each other the lowest.

    Two of one suit are if they count the same and none of the others, in other hands and in the
    trick, lies between, or is one of the two. It takes the cards, and those of others.
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
    """Return how early a card is tried by who does not lead; ``last``: nobody plays after it."""
    if w["winning"]:
        return 16 * points - rank
    if strength > w["best"]:
        return 100 + (16 * points - rank if last else rank)
    return -16 * points - rank


# ---- the table --------------------------------------------------------------------------------


@jit
def look_up(w: State, need: int, table: np.ndarray) -> int:
    """Answer by the table whether the side takes ``need`` points in all; `OPEN`: it does not say.

    ``first`` is then what was best there.
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
def close_position(w: State, need: int, found: int, table: np.ndarray) -> None:
    """Keep what was found out about a position at the start of a trick."""
    if w["size"]:
        return
    entry = table[np.int64(w["key"] & np.uint64(len(table) - 1))]
    if entry["key"] != w["key"]:
        entry["key"] = w["key"]
        entry["low"] = 0
        entry["high"] = w["left"]
    entry["move"] = w["tried"]
    more = need - w["ours"]
    if found:
        entry["low"] = max(entry["low"], more)
    else:
        entry["high"] = min(entry["high"], more - 1)


# ---- the search -------------------------------------------------------------------------------


def make_can_take(searching: Searching) -> Any:
    """Return the kernel that answers whether a side takes at least so many points in all.

    It takes positions of which the first is the one asked about, rules, the side, how many points,
    a table, and nodes (2,), which counts positions and says where to stop: from there on the answer
    means nothing.
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
        below, above, limit = NO_LIMIT, -NO_LIMIT, nodes[1]  # the least and most asked in vain
        nodes[1] = limit - limit // 2
        while bounds[0] < bounds[1] and nodes[0] < limit:
            need = next_need(bounds[0], bounds[1], below, above)
            if need == -NO_LIMIT:
                break
            found = can_take(work, rules, side, need, table, nodes)
            if nodes[0] >= nodes[1]:
                below, above = min(below, need), max(above, need)
                nodes[1] = min(limit, nodes[0] + limit // SHARES + 1)
            elif found:
                bounds[0] = need
            else:
                bounds[1] = need - 1
        nodes[1] = limit

    return bound_points


@jit
def next_need(low: int, high: int, below: int, above: int) -> int:
    """Return what is asked next of points between ``low`` and ``high``.

    It halves what lies beside the questions asked in vain, from ``below`` to ``above``;
    -`NO_LIMIT`: nothing is left to ask.
    """
    if below > high or above <= low:
        return (low + high + 1) // 2
    if max(below - low - 1, high - above) == 0:
        return -NO_LIMIT
    if below - low - 1 >= high - above:
        return (low + below) // 2
    return (above + high + 1) // 2
