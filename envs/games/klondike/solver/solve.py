"""Klondike: what one who knows all cards can reach, exactly.

`depth_first` decides whether a position can be won; `whole_runs` does by the rules without partial
runs. All other options are covered. Where the game would be cut off
(``max_moves``) is left out of account, and so is ``scoring``. The win that is found is not known to
be the shortest.
"""

from typing import Any

import numpy as np

from ....core.aliases import RulesRecord, RulesRecords, State, States
from ....core.contract import UNDECIDED, WINNABLE, Solution
from ....core.game import find_game
from ....core.kernel.jit import jit
from ....core.legal import first_action, next_action
from ....core.options import as_record
from ....core.upper_bound import make_position, play_actions
from ..kernel import step
from ..rules import ACTIONS, Rules, label
from .card_sets import KING, PLACE, SUITS
from .depth_first import decide_winnable
from .frames import COLUMNS, SEARCH, Search
from .line import Table, spell_line, spell_whole_line
from .position import Board
from .table import key_of
from .whole_runs import decide_whole_runs

LIMIT = 4_000_000
"""Positions looked at before an answer is given up: some 0.1 GiB, of whole runs 0.6 GiB."""


@jit
def read_columns(s: State, search: Search) -> int:
    """Write the cards of the columns; return how many of each lie as dealt: see `Board`."""
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
    """Write the cards of a state and its rules; return its position and foundations."""
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
    """The loose cards that lie on the second of two twins: see `whole_runs`."""
    onto = 0
    for column in range(COLUMNS):
        for row in range(s["shown"]["face_down"][column] + 1, s["count"][column]):
            carrier, card = PLACE[s["column"][column][row - 1]], PLACE[s["column"][column][row]]
            onto |= (carrier & 1) << card
    return onto


@jit
def trace_line(nodes: np.ndarray, last: int) -> np.ndarray:
    """The moves that lead to a position of `whole_runs`."""
    length, number = 0, last
    while nodes[number]["before"] >= 0:
        length, number = length + 1, nodes[number]["before"]
    line, number = np.empty(length, np.int64), last
    while length:
        length -= 1
        line[length], number = nodes[number]["move"], nodes[number]["before"]
    return line


@jit
def solve_one(
    states: States, rules_record: RulesRecords, searches: np.ndarray
) -> tuple[int, np.ndarray]:
    """Say whether a state can be won; return also the commits of a win, or moves of whole runs."""
    rules, search = rules_record[0], searches[0]
    board, up = read_state(states[0], rules, search)
    if rules.partial_runs:
        found = decide_winnable(board, up, search)
        line = np.empty(search["depth"], np.int64)
        for depth in range(search["depth"]):
            line[depth] = search["frames"][depth]["commit"]
        return found, line
    found, nodes = decide_whole_runs(board, up, read_onto(states[0]), search)
    return found, trace_line(nodes, max(search["depth"], 0))


@jit
def decide(board: Board, up: int, onto: int, partial_runs: bool, search: Search) -> int:
    """Say whether a position can be won."""
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
    """Fill ``values`` (n, actions): 1 where a win is left after an action, 0.5 where it is open.

    Actions of one state that lead to the same position are looked at once.
    """
    rules, search = rules_record[0], searches[0]
    keys, known = np.zeros((ACTIONS, 2), np.int64), np.zeros(ACTIONS, np.float32)
    for i in range(len(states)):
        if states[i]["over"]:
            continue
        met, room = 0, limit
        action = first_action(states[i]["legal"])
        while action >= 0:
            after = states[i : i + 1].copy()
            step(after[0], rules, action)
            board, up = read_state(after[0], rules, search)
            key, onto = key_of(board, up), 0 if rules.partial_runs else read_onto(after[0])
            number = 0
            while number < met and (keys[number, 0] != key or keys[number, 1] != onto):
                number += 1
            if number == met:
                search["limit"] = room
                found = decide(board, up, onto, rules.partial_runs, search)
                keys[met, 0], keys[met, 1] = key, onto
                known[met] = 0.5 if found == UNDECIDED else found
                room = max(room - search["used"], 0)
                met += 1
            values[i, action] = known[number]
            action = next_action(states[i]["legal"], action)


def lay_table(s: Any, draw: int) -> Table:
    """Return a state as a `Table`."""
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
    """Find out whether a deal or a position can be won, and how.

    ``deck_or_state``: see `truth.make_position`; a game that was cut off counts as lost. After
    ``limit`` positions (None: `LIMIT`) the answer is None. ``optimal`` changes nothing: no win is
    known to be the shortest (``fewest`` is None).
    """
    game = find_game("klondike")
    states = make_position(game, rules, deck_or_state)
    if states["over"][0]:
        won = bool(states["won"][0])
        return Solution(won, [] if won else None, 0, [] if won else None, None, 0 if won else None)
    searches = np.zeros(1, SEARCH)
    search = searches[0]
    search["limit"] = LIMIT if limit is None else limit
    known, line = solve_one(states, as_record(rules), searches)
    nodes = int(search["used"])
    if known != WINNABLE:
        return Solution(None if known == UNDECIDED else False, None, nodes)
    spell = spell_line if rules.partial_runs else spell_whole_line
    actions = spell(lay_table(states[0], rules.draw), line, search["cards"])
    end = play_actions(game, rules, states, actions)
    if not end["won"][0]:
        raise RuntimeError(f"a win found for {rules} is none in the game: {actions}")
    return Solution(True, [label(action) for action in actions], nodes, actions)


def winnable_after(states: States, rules: Rules, limit: int | None = None) -> np.ndarray:
    """Return for each action of each state whether a win is left after it, float32 (n, actions).

    1 yes, 0 no (or not legal), 0.5 not found out in ``limit`` positions a state (None: `LIMIT`).
    """
    values = np.zeros((len(states), ACTIONS), np.float32)
    room = LIMIT if limit is None else limit
    fill_winnable_after(states, as_record(rules), room, np.zeros(1, SEARCH), values)
    return values
