"""Pyramid: exact solver with all cards known.

`depth_first` decides whether a position can be won, and `shortest` finds the fewest moves. The two
modules describe for which options their shortcuts are sound. The solver covers all rules except
those with ``shuffle_redeal``, where the order of cards is unknown. It ignores UNDO, which allows no
additional wins.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ....core.contract import LOST, UNDECIDED, WINNABLE, Solution
from ....core.game import find_game
from ....core.kernel.bits import highest, lowest
from ....core.kernel.jit import jit
from ....core.options import as_record
from ....core.solve import make_position, play_actions
from ....core.type_aliases import (
    Action,
    Places,
    Positions,
    RulesRecord,
    RulesRecords,
    State,
    States,
)
from ..kernel import ALL_POSITIONS, stock_start, undo
from ..rules import DEAL, PLACES, REDEAL, STOCK, UNDO, WASTE, Rules, label
from .bounds import fill_facts
from .depth_first import LONGEST, MOVES, SEARCH, decide_winnable
from .position import (
    POSITION,
    TURN,
    Position,
    can_deal,
    can_turn,
    cards_on_pile,
    free_cards,
    note_removal,
    push_removals,
    read_state,
    remove_cards,
    turn_stock,
    write_position,
)
from .shortest import find_shortest

LIMIT = 10_000_000
"""Default maximum of visited positions, which needs about 1.5 GiB."""
ROOTS = 4096
"""Capacity for the legal moves of one position."""


@jit
def removal_places(at: Position, move: Positions, start: int, rules: RulesRecord) -> Places:
    """Return the set of places that a removal clicks."""
    places = move & ((1 << start) - 1)
    if (move >> at.stock_top) & 1 or (rules.held and move & cards_on_pile(at, 1, start)):
        places |= 1 << STOCK
    for pile in range(rules.waste_piles):
        if move & cards_on_pile(at, pile, start):
            places |= 1 << (WASTE + pile)
    return places


@jit
def next_click(places: Places, picked: Places) -> Action:
    """Return the next click of a removal; -1 if the cards clicked so far do not begin it."""
    if picked:
        if places & ~((1 << lowest(picked)) - 1) != picked:
            return -1
        places &= ~picked
    return highest(places)


@jit
def prepare_search(s: State, rules: RulesRecord, searches: np.ndarray) -> None:
    """Fill the facts of working memory, a `depth_first.SEARCH` (1,), for a state.

    The facts hold for the state, for all later ones, and for that before the last move.
    """
    cards = read_state(s, rules).remaining
    if (s["legal"] >> UNDO) & 1:
        cards = ALL_POSITIONS
    fill_facts(searches[0]["facts"], s["deck"], cards, rules)


@jit
def list_moves(
    s: State,
    rules: RulesRecord,
    searches: np.ndarray,
    moves: np.ndarray,
    actions: np.ndarray,
    roots: np.ndarray,
) -> int:
    """List all moves of a state that continue the current removal.

    Args:
        s: A state.
        rules: The rules.
        searches: Working memory, a `depth_first.SEARCH` (1,) with facts (`prepare_search`).
        moves: Receives the moves, int64.
        actions: Receives for each move the action that begins or continues it, int64.
        roots: Receives the position after each move, records of `position.POSITION`.

    Returns:
        The number of moves; -1 if there are too many.
    """
    facts = searches[0]["facts"]
    at, start = read_state(s, rules), facts["stock_start"]
    free = free_cards(at, start, rules)
    num_removals = push_removals(at.remaining, free, facts, rules, moves, 0)
    if num_removals >= ROOTS:
        return -1
    at = note_removal(at, num_removals > 0)
    size = 0
    for i in range(num_removals):
        action = next_click(removal_places(at, moves[i], start, rules), s["picked"])
        if action >= 0:
            moves[size], actions[size] = moves[i], action
            write_position(roots[size], remove_cards(at, moves[i]))
            size += 1
    if s["picked"] == 0 and can_turn(at, num_removals > 0, start, rules):
        moves[size], actions[size] = TURN, DEAL if can_deal(at, rules) else REDEAL
        write_position(roots[size], turn_stock(at, start, rules))
        size += 1
    return size


@jit
def add_undo(
    states: States, i: int, rules: RulesRecord, actions: np.ndarray, roots: np.ndarray, size: int
) -> int:
    """Add UNDO to the moves of a state if it is legal, with the position before the last move."""
    if (states[i]["legal"] >> UNDO) & 1 == 0:
        return size
    before = states[i : i + 1].copy()
    undo(before[0], rules)
    actions[size] = UNDO
    write_position(roots[size], read_state(before[0], rules))
    return size + 1


@jit
def fill_winnable_after(
    states: States, rules_record: RulesRecords, limit: int, values: np.ndarray
) -> None:
    """Fill ``values`` (n, actions): 1 if a win is possible after an action, 0.5 if undecided."""
    rules = rules_record[0]
    moves, line = np.zeros(MOVES, np.int64), np.zeros(LONGEST, np.int64)
    actions, roots = np.zeros(ROOTS, np.int64), np.zeros(ROOTS, POSITION)
    verdicts, searches = np.zeros(ROOTS, np.int64), np.zeros(1, SEARCH)
    for i in range(len(states)):
        if states[i]["over"]:
            continue
        prepare_search(states[i], rules, searches)
        size = list_moves(states[i], rules, searches, moves, actions, roots)
        if size < 0:
            for action in range(values.shape[1]):
                values[i, action] = 0.5 * ((states[i]["legal"] >> action) & 1)
            continue
        size = add_undo(states, i, rules, actions, roots, size)
        decide_winnable(searches, roots[:size], rules, limit, verdicts[:size], line)
        for k in range(size):
            value = 0.5 if verdicts[k] == UNDECIDED else float(verdicts[k])
            values[i, actions[k]] = max(values[i, actions[k]], value)


@jit
def solve_one(
    states: States, rules_record: RulesRecords, limit: int, optimal: bool, line: np.ndarray
) -> tuple[Any, ...]:
    """Solve a state.

    Returns:
        The verdict, the length of the win in ``line``, the number of visited positions, whether the
        win is known to be a shortest one, and the removal to complete first.
    """
    s, rules = states[0], rules_record[0]
    moves, new_line = np.zeros(MOVES, np.int64), np.zeros(len(line), np.int64)
    actions, roots = np.zeros(ROOTS, np.int64), np.zeros(ROOTS, POSITION)
    size, searches = 1, np.zeros(1, SEARCH)
    prepare_search(s, rules, searches)
    if s["picked"]:
        size = list_moves(s, rules, searches, moves, actions, roots)
    else:
        write_position(roots[0], read_state(s, rules))
    if size < 0:
        return UNDECIDED, 0, 0, False, 0
    verdicts = np.zeros(1, np.int64)
    verdict, best, nodes, is_shortest, first_move = LOST, 0, 0, True, 0
    for k in range(size):
        if verdict == WINNABLE and not optimal:
            break
        rest = max(0, limit - nodes)
        root = roots[k : k + 1]
        length, new_nodes = decide_winnable(searches, root, rules, rest, verdicts, new_line)
        nodes += new_nodes
        if verdicts[0] == UNDECIDED and verdict == LOST:
            verdict = UNDECIDED
        if verdicts[0] != WINNABLE:
            is_shortest = is_shortest and verdicts[0] == LOST
            continue
        if verdict != WINNABLE or length < best:
            verdict, best, first_move = WINNABLE, length, moves[k]
            line[:length] = new_line[:length]
        if optimal:
            rest = max(1, limit - nodes)
            length, new_nodes = find_shortest(roots[k], s["deck"], rules, rest, best, new_line)
            nodes += new_nodes
            is_shortest = is_shortest and length >= 0
            if 0 <= length < best:
                best, first_move = length, moves[k]
                line[:length] = new_line[:length]
    return verdict, best, nodes, is_shortest, first_move


def check_solvable(rules: Rules) -> None:
    """Raise ValueError for rules that cannot be solved."""
    if rules.shuffle_redeal:
        raise ValueError("option shuffle_redeal must be no for the solver, got yes")


def solve(
    deck_or_state: Any, rules: Rules, optimal: bool = False, limit: int | None = None
) -> Solution:
    """Decide whether a deal or a position can be won, and find a win.

    Args:
        deck_or_state: A deck, card names or codes in dealing order, or one state of the game; see
            `parlour.envs.core.solve.make_position`. A truncated game counts as lost.
        rules: The rules. UNDO is ignored.
        optimal: Find a win with the fewest moves. A move is a removal ("pyramid 22 + waste 1"),
            DEAL or REDEAL.
        limit: Maximum number of positions to visit (None: `LIMIT`, 10,000,000). If the solver
            reaches the limit before it finds a win, ``winnable`` is None. If it reaches the limit
            before it proves that a win is a shortest one, ``fewest`` is None.

    Returns:
        The solution.

    Raises:
        ValueError: The rules have ``shuffle_redeal``.
    """
    check_solvable(rules)
    game = find_game("pyramid")
    states = make_position(game, rules, deck_or_state)
    if states["over"][0]:
        won = bool(states["won"][0])
        return Solution(won, [] if won else None, 0, [] if won else None, None, 0 if won else None)
    line = np.zeros(LONGEST, np.int64)
    limit = LIMIT if limit is None else limit
    verdict, length, nodes, is_shortest, first_move = solve_one(
        states, as_record(rules), limit, optimal, line
    )
    if verdict != WINNABLE:
        return Solution(None if verdict == UNDECIDED else False, None, int(nodes))
    moves = [int(move) for move in line[:length]]
    if states["picked"][0]:
        moves.insert(0, int(first_move))
    actions, words = spell_moves(states, rules, moves)
    end = play_actions(game, rules, states, actions)
    if not end["won"][0]:
        raise RuntimeError(f"the solver's win for {rules} does not win the game: {words}")
    fewest = len(moves) if optimal and is_shortest else None
    return Solution(True, words, int(nodes), actions, None, fewest)


def spell_moves(states: States, rules: Rules, moves: Iterable[int]) -> tuple[list[int], list[str]]:
    """Return the clicks and the names of moves that start at a state."""
    rules_record = as_record(rules)[0]
    start = stock_start(rules_record)
    at, picked = read_state(states[0], rules_record), int(states["picked"][0])
    actions, words = [], []
    for move in moves:
        if move == TURN:
            turn = DEAL if can_deal(at, rules_record) else REDEAL
            words.append(label(turn))
            actions.append(turn)
            at = turn_stock(at, start, rules_record)
            continue
        places = removal_places(at, move, start, rules_record)
        clicks = [place for place in reversed(range(PLACES)) if places >> place & 1]
        words.append(" + ".join(map(label, clicks)))
        actions += [place for place in clicks if not picked >> place & 1]
        at, picked = remove_cards(at, move), 0
    return actions, words


def winnable_after(states: States, rules: Rules, limit: int | None = None) -> np.ndarray:
    """Return whether the game can still be won after each action of each state.

    Args:
        states: States (n,).
        rules: The rules.
        limit: Maximum number of positions to visit for each state (None: `LIMIT`).

    Returns:
        float32 (n, actions): 1 yes, 0 no or illegal, 0.5 undecided within the limit. UNDO has the
        value of the position to which it returns, without further UNDOs.

    Raises:
        ValueError: The rules have ``shuffle_redeal``.
    """
    check_solvable(rules)
    values = np.zeros((len(states), find_game("pyramid").actions), np.float32)
    fill_winnable_after(states, as_record(rules), LIMIT if limit is None else limit, values)
    return values
