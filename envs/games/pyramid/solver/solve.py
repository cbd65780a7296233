"""Pyramid: what one who knows all cards can reach, exactly.

`depth_first` decides whether a position can be won, `shortest` finds the fewest moves; both say
under which options each of their shortcuts is sound. All variants are covered but those with a
shuffle, where the order is not known. With ``undo`` it is said what is left without it: taking back
opens no new way to a win.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ....core.aliases import Action, Places, Positions, RulesRecord, RulesRecords, State, States
from ....core.contract import LOST, UNDECIDED, WINNABLE, Solution
from ....core.game import find_game
from ....core.kernel.bits import highest, lowest
from ....core.kernel.jit import jit
from ....core.options import as_record
from ....core.upper_bound import make_position, play_actions
from ..kernel import undo
from ..rules import DEAL, PLACES, REDEAL, STOCK, UNDO, WASTE, Rules, label
from .bounds import make_facts
from .depth_first import decide_winnable
from .frames import LONGEST, MOVES
from .position import (
    FIRST,
    TURN,
    Position,
    can_deal,
    can_turn,
    free_cards,
    note_removal,
    on_pile,
    read_state,
    remove_cards,
    stock_start,
    turn_stock,
    write_position,
)
from .removals import push_removals
from .shortest import find_shortest

LIMIT = 10_000_000
"""Positions looked at before an answer is given up: some 1.5 GiB."""
ROOTS = 4096
"""Room for so many legal moves of one position."""


@jit
def removal_places(at: Position, move: Positions, first: int, rules: RulesRecord) -> Places:
    """The clicks of a removal, as a set of places."""
    places = move & ((1 << first) - 1)
    if (move >> at.p) & 1 or (rules.held and move & on_pile(at, 1, first)):
        places |= 1 << STOCK
    for pile in range(rules.waste_piles):
        if move & on_pile(at, pile, first):
            places |= 1 << (WASTE + pile)
    return places


@jit
def next_click(places: Places, picked: Places) -> Action:
    """The click that comes next in a removal, -1 if what has been clicked is not part of it."""
    if picked:
        if places & ~((1 << lowest(picked)) - 1) != picked:
            return -1
        places &= ~picked
    return highest(places)


@jit
def list_moves(
    s: State, rules: RulesRecord, moves: np.ndarray, actions: np.ndarray, roots: np.ndarray
) -> int:
    """List all moves of a state that go on with the removal begun; return their number.

    -1 if they are too many.

    For each: the move, the action with which it begins or goes on, the position that it leads to.
    """
    facts = make_facts(s["deck"], rules)
    at, first = read_state(s, rules), facts[FIRST]
    free = free_cards(at, first, rules)
    found = push_removals(at.there, free, facts, rules, moves, 0)
    if found >= ROOTS:
        return -1
    at = note_removal(at, found > 0)
    size = 0
    for i in range(found):
        action = next_click(removal_places(at, moves[i], first, rules), s["picked"])
        if action >= 0:
            moves[size], actions[size] = moves[i], action
            write_position(roots[size], remove_cards(at, moves[i]))
            size += 1
    if s["picked"] == 0 and can_turn(at, found > 0, first, rules):
        moves[size], actions[size] = TURN, DEAL if can_deal(at, rules) else REDEAL
        write_position(roots[size], turn_stock(at, first, rules))
        size += 1
    return size


@jit
def add_undo(
    states: States, i: int, rules: RulesRecord, actions: np.ndarray, roots: np.ndarray, size: int
) -> int:
    """Add UNDO to the moves of a state, if it is legal, with the position that it leads back to."""
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
    """Fill ``values`` (n, actions): 1 where a win is left after an action, 0.5 where it is open."""
    rules = rules_record[0]
    moves, line = np.zeros(MOVES, np.int64), np.zeros(LONGEST, np.int64)
    actions, roots = np.zeros(ROOTS, np.int64), np.zeros((ROOTS, 5), np.int64)
    found = np.zeros(ROOTS, np.int64)
    for i in range(len(states)):
        if states[i]["over"]:
            continue
        size = list_moves(states[i], rules, moves, actions, roots)
        if size < 0:
            for action in range(values.shape[1]):
                values[i, action] = 0.5 * ((states[i]["legal"] >> action) & 1)
            continue
        size = add_undo(states, i, rules, actions, roots, size)
        decide_winnable(roots[:size], states[i]["deck"], rules, limit, found[:size], line)
        for k in range(size):
            value = 0.5 if found[k] == UNDECIDED else float(found[k])
            values[i, actions[k]] = max(values[i, actions[k]], value)


@jit
def solve_one(
    states: States, rules_record: RulesRecords, limit: int, optimal: bool, line: np.ndarray
) -> tuple[Any, ...]:
    """Solve a state: what is known, the length of the win in ``line``, the nodes.

    With ``optimal`` two more: whether it is the shortest, and the removal to be completed first.
    """
    s, rules = states[0], rules_record[0]
    moves, other = np.zeros(MOVES, np.int64), np.zeros(len(line), np.int64)
    actions, roots = np.zeros(ROOTS, np.int64), np.zeros((ROOTS, 5), np.int64)
    size = 1
    if s["picked"]:
        size = list_moves(s, rules, moves, actions, roots)
    else:
        write_position(roots[0], read_state(s, rules))
    if size < 0:
        return UNDECIDED, 0, 0, False, 0
    found = np.zeros(size, np.int64)
    known, best, nodes, proven, first_move = LOST, 0, 0, True, 0
    for k in range(size):
        if known == WINNABLE and not optimal:
            break
        room = max(0, limit - nodes)
        length, looked = decide_winnable(roots[k : k + 1], s["deck"], rules, room, found, other)
        nodes += looked
        if found[0] == UNDECIDED and known == LOST:
            known = UNDECIDED
        if found[0] != WINNABLE:
            proven = proven and found[0] == LOST
            continue
        if known != WINNABLE or length < best:
            known, best, first_move = WINNABLE, length, moves[k]
            line[:length] = other[:length]
        if optimal:
            room = max(1, limit - nodes)
            length, looked = find_shortest(roots[k], s["deck"], rules, room, best, other)
            nodes += looked
            proven = proven and length >= 0
            if 0 <= length < best:
                best, first_move = length, moves[k]
                line[:length] = other[:length]
    return known, best, nodes, proven, first_move


def check_solvable(rules: Rules) -> None:
    """Raise ValueError for rules that cannot be solved."""
    if rules.shuffle_redeal:
        raise ValueError("shuffle_redeal: these rules cannot be solved; allowed are rules without")


def solve(
    deck_or_state: Any, rules: Rules, optimal: bool = False, limit: int | None = None
) -> Solution:
    """Find out whether a deal or a position can be won, and how; ``optimal``: in fewest moves.

    ``deck_or_state``: see `truth.make_position`; a game that was cut off counts as lost. A move is
    a removal ("pyramid 22 + waste 1"), DEAL or REDEAL. After ``limit`` positions (None: `LIMIT`)
    the answer is None, or the win found is not known to be the shortest (``fewest`` is None).
    ``undo`` is left out of account. Raises ValueError for rules with a shuffle.
    """
    check_solvable(rules)
    game = find_game("pyramid")
    states = make_position(game, rules, deck_or_state)
    if states["over"][0]:
        won = bool(states["won"][0])
        return Solution(won, [] if won else None, 0, [] if won else None, None, 0 if won else None)
    line = np.zeros(LONGEST, np.int64)
    limit = LIMIT if limit is None else limit
    known, length, nodes, proven, begun = solve_one(states, as_record(rules), limit, optimal, line)
    if known != WINNABLE:
        return Solution(None if known == UNDECIDED else False, None, int(nodes))
    moves = [int(move) for move in line[:length]]
    if states["picked"][0]:
        moves.insert(0, int(begun))
    actions, words = spell_moves(states, rules, moves)
    end = play_actions(game, rules, states, actions)
    if not end["won"][0]:
        raise RuntimeError(f"a win found for {rules} is none in the game: {words}")
    return Solution(
        True, words, int(nodes), actions, None, len(moves) if optimal and proven else None
    )


def spell_moves(states: States, rules: Rules, moves: Iterable[int]) -> tuple[list[int], list[str]]:
    """Return the clicks of moves, from a state on, and what to call the moves."""
    rules_record, first = as_record(rules)[0], stock_start(rules)
    at, picked = read_state(states[0], rules_record), int(states["picked"][0])
    actions, words = [], []
    for move in moves:
        if move == TURN:
            turn = DEAL if can_deal(at, rules_record) else REDEAL
            words.append(label(turn))
            actions.append(turn)
            at = turn_stock(at, first, rules_record)
            continue
        places = removal_places(at, move, first, rules_record)
        clicks = [place for place in reversed(range(PLACES)) if places >> place & 1]
        words.append(" + ".join(map(label, clicks)))
        actions += [place for place in clicks if not picked >> place & 1]
        at, picked = remove_cards(at, move), 0
    return actions, words


def winnable_after(states: States, rules: Rules, limit: int | None = None) -> np.ndarray:
    """Return for each action of each state whether a win is left after it, float32 (n, actions).

    1 yes, 0 no (or not legal), 0.5 not found out in ``limit`` positions a state (None: `LIMIT`).
    Of UNDO it is said what is left in the position that it leads back to. Raises ValueError as
    `solve` does.
    """
    check_solvable(rules)
    values = np.zeros((len(states), find_game("pyramid").actions), np.float32)
    fill_winnable_after(states, as_record(rules), LIMIT if limit is None else limit, values)
    return values
