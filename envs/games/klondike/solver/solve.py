"""Klondike: exact solver with all cards known.

`depth_first` decides whether a position can be won; `whole_runs` does so if only whole runs may
move. The solver covers all options and ignores ``max_moves``, ``scoring`` and
``seconds_per_move``. It does not search for a shortest win.
"""

from typing import Any

import numpy as np

from ....core.contract import UNDECIDED, WINNABLE, Solution
from ....core.game import find_game
from ....core.kernel.jit import jit
from ....core.legal import first_action, next_action
from ....core.options import as_record
from ....core.solve import make_position, play_actions
from ....core.type_aliases import RulesRecord, RulesRecords, State, States
from ..kernel import step
from ..rules import ACTIONS, Rules, label
from .card_sets import KING, PLACE, SUITS
from .depth_first import decide_winnable
from .line import Table, spell_line, spell_whole_line
from .position import COLUMNS, Board, Search, key_of, make_search
from .whole_runs import decide_whole_runs, trace_line

LIMIT = 4_000_000
"""Default maximum of visited positions, which needs about 0.1 GiB, with whole runs 0.6 GiB."""
DECIDED = np.dtype(
    [
        ("key", np.int64),  # number of a position, see `position.key_of`
        ("onto", np.int64),  # see `whole_runs`
        ("value", np.float32),  # see `winnable_after`
    ]
)
"""A position after an action, with its value."""


@jit
def read_columns(s: State, search: Search) -> int:
    """Write the cards of the columns into a search, and return `Board.columns`."""
    columns = 0
    for column in range(COLUMNS):
        cards, down = s["column"][column], s["shown"]["face_down"][column]
        if s["count"][column] and (down or (cards[0] >> 2) - 1 != KING):
            buried = 0
            for row in range(down + 1):
                card = 1 << PLACE[cards[row]]
                search["dealt"][column, row], search["buried"][column, row] = card, buried
                buried |= card
            columns |= (down + 1) << 4 * column
    return columns


@jit
def read_state(s: State, rules: RulesRecord, search: Search) -> tuple[Board, int]:
    """Write a state's cards and rules into a search, and return its board and foundations."""
    waste, stock = s["shown"]["waste_count"], s["shown"]["stock_count"]
    size = waste + stock
    for place in range(waste):
        search["cards"][place] = 1 << PLACE[s["waste"][place]]
    for place in range(stock):
        search["cards"][waste + place] = 1 << PLACE[s["stock"][stock - 1 - place]]
    up = 0
    for suit in range(SUITS):
        up |= s["shown"]["foundations"][suit] << 4 * suit
    search["draw"], search["any_passes"] = rules.draw, rules.passes == 0
    search["worry_back"] = rules.worry_back
    redeals = 0
    if rules.passes:
        redeals = rules.passes - 1 - s["redeals"]
    elif waste % rules.draw == 0 or waste == size:
        waste = 0
    return Board(read_columns(s, search), (1 << size) - 1, waste, redeals), up


@jit
def read_onto(s: State) -> int:
    """Return the set of loose cards that are on the second of two twins; see `whole_runs`."""
    onto = 0
    for column in range(COLUMNS):
        for row in range(s["shown"]["face_down"][column] + 1, s["count"][column]):
            carrier, card = PLACE[s["column"][column][row - 1]], PLACE[s["column"][column][row]]
            onto |= (carrier & 1) << card
    return onto


@jit
def solve_one(
    states: States, rules_record: RulesRecords, searches: np.ndarray
) -> tuple[int, np.ndarray]:
    """Return the verdict on a state, and the commits of a win (with whole runs: its moves)."""
    rules, search = rules_record[0], searches[0]
    board, up = read_state(states[0], rules, search)
    if rules.partial_runs:
        verdict = decide_winnable(board, up, search)
        line = np.empty(search["depth"], np.int64)
        for depth in range(search["depth"]):
            line[depth] = search["frames"][depth]["commit"]
        return verdict, line
    verdict, nodes = decide_whole_runs(board, up, read_onto(states[0]), search)
    return verdict, trace_line(nodes, max(search["depth"], 0))


@jit
def decide(board: Board, up: int, onto: int, partial_runs: bool, search: Search) -> int:
    """Return whether a position can be won."""
    if partial_runs:
        return decide_winnable(board, up, search)
    return decide_whole_runs(board, up, onto, search)[0]


@jit
def fill_winnable_after(
    states: States,
    rules_record: RulesRecords,
    limit: int,
    searches: np.ndarray,
    values: np.ndarray,
) -> None:
    """Fill ``values`` (n, actions): 1 if a win is possible after an action, 0.5 if undecided.

    If several actions of a state lead to the same position, the position is decided once.
    """
    rules, search = rules_record[0], searches[0]
    decided = np.zeros(ACTIONS, DECIDED)
    for i in range(len(states)):
        if states[i]["over"]:
            continue
        num_decided, rest = 0, limit
        action = first_action(states[i]["legal"])
        while action >= 0:
            after = states[i : i + 1].copy()
            step(after[0], rules, action)
            board, up = read_state(after[0], rules, search)
            key, onto = key_of(board, up), 0 if rules.partial_runs else read_onto(after[0])
            number = 0
            while number < num_decided and (
                decided[number]["key"] != key or decided[number]["onto"] != onto
            ):
                number += 1
            if number == num_decided:
                search["limit"] = rest
                verdict = decide(board, up, onto, rules.partial_runs, search)
                decided[number]["key"], decided[number]["onto"] = key, onto
                decided[number]["value"] = 0.5 if verdict == UNDECIDED else verdict
                rest = max(rest - search["used"], 0)
                num_decided += 1
            values[i, action] = decided[number]["value"]
            action = next_action(states[i]["legal"], action)


def lay_table(s: Any, draw: int) -> Table:
    """Convert a state to a `Table`."""
    shown = s["shown"]
    waste, stock = int(shown["waste_count"]), int(shown["stock_count"])
    columns = [s["column"][k, : s["count"][k]].tolist() for k in range(COLUMNS)]
    return Table(
        columns,
        shown["face_down"].tolist(),
        s["waste"][:waste].tolist(),
        s["stock"][:stock][::-1].tolist(),
        sum(int(shown["foundations"][suit]) << 4 * suit for suit in range(SUITS)),
        draw,
    )


def solve(
    deck_or_state: Any, rules: Rules, optimal: bool = False, limit: int | None = None
) -> Solution:
    """Decide whether a deal or a position can be won, and find a win.

    Args:
        deck_or_state: See `parlour.envs.core.solve.make_position`. A truncated game counts as lost.
        rules: The rules.
        optimal: Ignored. The win need not be a shortest one, and ``fewest`` is None.
        limit: Maximum number of positions to visit (None: `LIMIT`). If the solver reaches it,
            ``winnable`` is None.

    Returns:
        The solution.
    """
    game = find_game("klondike")
    states = make_position(game, rules, deck_or_state)
    if states["over"][0]:
        won = bool(states["won"][0])
        return Solution(won, [] if won else None, 0, [] if won else None, None, 0 if won else None)
    searches = make_search()
    search = searches[0]
    search["limit"] = LIMIT if limit is None else limit
    verdict, line = solve_one(states, as_record(rules), searches)
    nodes = int(search["used"])
    if verdict != WINNABLE:
        return Solution(None if verdict == UNDECIDED else False, None, nodes)
    spell = spell_line if rules.partial_runs else spell_whole_line
    actions = spell(lay_table(states[0], rules.draw), line, search["cards"])
    end = play_actions(game, rules, states, actions)
    if not end["won"][0]:
        raise RuntimeError(f"the solver's win for {rules} does not win the game: {actions}")
    return Solution(True, [label(action) for action in actions], nodes, actions)


def winnable_after(states: States, rules: Rules, limit: int | None = None) -> np.ndarray:
    """Return whether the game can still be won after each action of each state.

    Args:
        states: States (n,).
        rules: The rules.
        limit: Maximum number of positions to visit for each state (None: `LIMIT`).

    Returns:
        float32 (n, actions): 1 yes, 0 no or illegal, 0.5 undecided within the limit.
    """
    values = np.zeros((len(states), ACTIONS), np.float32)
    rest = LIMIT if limit is None else limit
    fill_winnable_after(states, as_record(rules), rest, make_search(), values)
    return values
