"""What a side can still take, all cards known: the double-dummy solver's answers."""

from typing import Any

import numpy as np

from ...core.aliases import RulesRecord, RulesRecords, State, States
from ...core.contract import Solution
from ...core.game import GAMES
from ...core.jit import jit
from ...core.legal import first_action, next_action
from ...core.options import as_record
from ...core.splitmix import GAMMA, finish_word
from ...core.truth import make_position
from ..auction import side_of
from ..rules import ACTIONS, SHOW, Rules
from ..score import lowered_target, raised_target
from ..state import PLAY
from .search import (
    DEPTH,
    ENTRIES,
    ENTRY,
    POSITION,
    UNKNOWN,
    can_take,
    most_points,
    play_move,
    read_position,
)

NO_LIMIT = 1 << 62
WORLD_LIMIT = 20_000
"""Of PIMC, for each action in each world. At the first trick every seventh needs more, and these
would be half of the work."""
UNDECIDED = 0.5


@jit
def judge_actions(
    s: State,
    rules: RulesRecord,
    work: np.ndarray,
    table: np.ndarray,
    limit: int,
    values: np.ndarray,
) -> None:
    """Write of each legal action whether the side at turn then gets what it plays for: 1 or 0.

    The bidder's side plays to make the contract, the other to break it. A half stands where that is
    not known: before the first card, where a seat plays alone, or if the limit was met.
    """
    judged = s["shown"]["phase"] == PLAY and s["alone"] < 0
    side = side_of(rules, s["bidder"]) if judged else 0
    ours = (side >> s["turn"]) & 1 != 0
    nodes = np.zeros(2, np.int64)
    target = s["shown"]["target"]
    action = first_action(s["legal"])
    while action >= 0:
        values[action] = UNDECIDED
        if judged:
            nodes[0], nodes[1] = 0, limit
            need = target
            read_position(s, rules, side, work[0])
            if action == SHOW:
                need = lowered_target(s, rules) if ours else raised_target(s)
            else:
                play_move(work[0], rules, action, side)
            found = can_take(work, rules, side, need, table, nodes)
            if nodes[0] < nodes[1]:
                values[action] = found == ours
        action = next_action(s["legal"], action)


@jit
def judge_rows(
    states: States,
    records: RulesRecords,
    work: np.ndarray,
    table: np.ndarray,
    limit: int,
    values: np.ndarray,
) -> None:
    """Do as `judge_actions` for rows, of which ``values`` is (n, actions)."""
    for i in range(len(states)):
        work[0]["salt"] = finish_word(np.uint64(i) + GAMMA)
        judge_actions(states[i], records[0], work, table, limit, values[i])


def make_room() -> tuple[np.ndarray, np.ndarray]:
    """Return the positions and the table of a search."""
    return np.zeros(DEPTH, POSITION), np.zeros(ENTRIES, ENTRY)


def winnable_after(states: States, rules: Rules, limit: int | None = None) -> np.ndarray:
    """Return float32 (n, actions): whether the side at turn gets what it plays for after each.

    The side of the bidder plays to make the contract, the others to break it, all cards known to
    all; a half where nothing is known: before the first card, or where a seat plays alone.
    """
    values = np.zeros((len(states), ACTIONS), np.float32)
    judge_rows(states, as_record(rules), *make_room(), NO_LIMIT if limit is None else limit, values)
    return values


def solve(
    deck_or_state: Any, rules: Rules, optimal: bool = False, limit: int | None = None
) -> Solution:
    """Return what the bidder's side takes in all from a position in play, all cards known to all.

    ``score`` are its points, None if the limit of positions was met; ``winnable`` says whether they
    make its contract. ``optimal`` changes nothing. Raises ValueError before the first card, and
    where a seat plays alone.
    """
    state = make_position(GAMES["twenty_eight"], rules, deck_or_state)
    s = state[0]
    if s["shown"]["phase"] != PLAY or s["alone"] >= 0:
        raise ValueError("double dummy: a position is needed in which a contract is being played")
    work, table = make_room()
    record = as_record(rules)[0]
    side = side_of(record, int(s["bidder"]))
    nodes = np.array([0, NO_LIMIT if limit is None else limit])
    read_position(s, record, side, work[0])
    points = int(most_points(work, record, side, table, nodes))
    if points == UNKNOWN:
        return Solution(None, None, int(nodes[0]))
    return Solution(bool(points >= s["shown"]["target"]), None, int(nodes[0]), score=points)
