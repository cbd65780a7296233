"""Puss in the Corner: solver with the order of the stock known.

A win is a sequence of actions, which the kernel replays before the solver reports it. The solver
reports a loss only after a search that covers every possibility:

- **In the last pass**, `search_last_pass` found no win and dropped no position. Its module lists
  what else the search leaves out, and why this is sound with all options.
- **With a subset of the suits**, the same search found no win with only the cards of one color
  (with ``suits``: of one or two suits) and without compulsory play. A win of the whole game is also
  a win of this reduced game: the other cards only cover cards of these suits, and are built on
  other foundations. This is sound with all options in the last pass.
- **While a redeal is left**, `_search_all` visited all positions up to the last pass, and
  `search_last_pass` found all of them lost.

Everything else is undecided. While a redeal is left, the solver first lets `TRIED_AGENTS` play the
position up to its last pass.
"""

from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from ....core.contract import LOST, UNDECIDED, WINNABLE, Solution
from ....core.game import find_game
from ....core.kernel.jit import jit
from ....core.options import as_record
from ....core.rows import copy_states
from ....core.solve import make_position, play_actions
from ....core.type_aliases import RulesRecords, State, States
from ..kernel import kernels
from ..rules import ACTIONS, PILES, Rules, label
from .alive import pack_tops
from .last_pass import (
    POSITION,
    Deal,
    LastPass,
    Tableau,
    make_search_memory,
    reconstruct_actions,
    search_last_pass,
)

LIMIT = 1_000_000
"""Default limit of `solve`, in positions."""
ACTION_LIMIT = 20_000
"""Default limit of `winnable_after`, in positions for each action."""
WIDTHS = (100, 1000, 5000)
"""Widths of the beam, tried in this order."""
TRIED_AGENTS = ("tip", None)
"""Rule-based agents that play up to the last pass; None is the heuristic."""

step = kernels.step


class Answer(NamedTuple):
    """Result of a search."""

    outcome: int  # WINNABLE, LOST or UNDECIDED
    nodes: int  # positions seen
    actions: list[int]  # actions of a win, otherwise empty


# ---- the last pass --------------------------------------------------------------------------


def _read_last_pass(s: State, rules: Rules) -> LastPass:
    """Convert one record of a state in the last pass to a `LastPass`."""
    shown = s["shown"]
    cards: list[int] = []
    piles: list[int] = []
    for pile in range(PILES):
        count = int(s["count"][pile])
        piles.append(((1 << count) - 1) << len(cards))
        cards += s["pile"][pile][:count].tolist()
    next_card, is_turned_up = len(cards), bool(shown["card"])
    top_of_stock = int(s["next"])
    cards += [int(shown["card"])] * is_turned_up
    cards += s["deck"][top_of_stock : top_of_stock + int(shown["stock_count"])].tolist()
    ends_group = np.zeros(len(cards), np.bool_)
    group = int(shown["group_left"]) if is_turned_up else rules.deal_size
    ends_group[next_card + group - 1 :: rules.deal_size] = True
    ends_group[-1:] = True
    clubs, diamonds, hearts, spades = shown["foundations"].tolist()
    tops = int(pack_tops(clubs, diamonds, hearts, spades, rules.suits))
    codes = np.array(cards, np.int64)
    return LastPass(piles, tops, next_card, is_turned_up, codes, ends_group, rules)


def _restrict_to_suits(whole: LastPass, suits: tuple[int, ...]) -> LastPass:
    """Return the game without the cards of all other suits."""
    kept = [i for i, card in enumerate(whole.cards) if card & 3 in suits]
    piles = [sum(1 << k for k, i in enumerate(kept) if pile >> i & 1) for pile in whole.piles]
    ends = [bool(whole.ends_group[a:b].any()) for a, b in pairwise(kept)]
    next_card = sum(i < whole.next_card for i in kept)
    rules = whole.rules._replace(hold_back=True)
    ends_group = np.array([*ends, True][: len(kept)], np.bool_)
    cards = whole.cards[np.array(kept, np.int64)]
    return LastPass(piles, whole.tops, next_card, False, cards, ends_group, rules)


def _list_suit_sets(rules: Rules) -> list[tuple[int, ...]]:
    """Return the sets of suits with which a loss can be proved."""
    if not rules.suits:
        return [(0, 3), (1, 2)]
    return [*combinations(range(4), 1), *combinations(range(4), 2)]


def _search(last_pass: LastPass, width: int, limit: int) -> tuple[int, int, list[Tableau]]:
    """Run `search_last_pass`.

    Returns the outcome, the positions seen, and the tableaus after each card of a win.
    """
    n = len(last_pass.cards)
    ahead = np.zeros(n + 1, np.int64)
    for i in range(n - 1, -1, -1):
        ahead[i] = ahead[i + 1] | 1 << int(last_pass.cards[i])
    start = np.zeros(1, POSITION)
    start["piles"], start["tops"], start["parent"] = last_pass.piles, last_pass.tops, -1
    beam = np.empty((n - last_pass.next_card + 2, width), POSITION)
    result = search_last_pass(
        start,
        last_pass.next_card,
        last_pass.is_turned_up,
        Deal(last_pass.cards, ahead, last_pass.ends_group),
        as_record(last_pass.rules),
        width,
        limit,
        beam,
        make_search_memory(width),
    )
    path: list[Tableau] = []
    row = 0
    for level in range(result.level, -1, -1) if result.outcome == WINNABLE else ():
        position = beam[level, row]
        path.append(Tableau(position["piles"].tolist(), int(position["tops"])))
        row = int(position["parent"])
    return result.outcome, result.nodes, path[::-1]


def _solve_last_pass(last_pass: LastPass, limit: int, widths: tuple[int, ...] = WIDTHS) -> Answer:
    """Solve the last pass. For each width, search the whole game, then games with fewer suits."""
    nodes = 0
    parts = [_restrict_to_suits(last_pass, suits) for suits in _list_suit_sets(last_pass.rules)]
    for width in widths:
        if nodes >= limit:
            break
        outcome, seen, path = _search(last_pass, width, limit - nodes)
        nodes += seen
        if outcome != UNDECIDED:
            actions = reconstruct_actions(last_pass, path) if outcome == WINNABLE else []
            return Answer(outcome, nodes, actions)
        undecided = []
        for part in parts:
            outcome, seen, _ = _search(part, width, max(limit - nodes, 1))
            nodes += seen
            if outcome == LOST:
                return Answer(LOST, nodes, [])
            if outcome == UNDECIDED:
                undecided.append(part)
        parts = undecided
    return Answer(UNDECIDED, nodes, [])


# ---- while a redeal is left -----------------------------------------------------------------


@jit
def write_successors(
    states: States,
    records: RulesRecords,
    successors: States,
    sources: np.ndarray,
    actions: np.ndarray,
) -> None:
    """Write the state after every legal action of every state, with its source row and action."""
    n = 0
    for i in range(len(states)):
        for action in range(ACTIONS):
            if (states[i]["legal"] >> action) & 1:
                successors[n] = states[i]
                step(successors[n], records[0], action)
                sources[n], actions[n] = i, action
                n += 1


def list_successors(states: States, rules: Rules) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the states after every legal action, their source rows, and the actions."""
    n = sum(int(legal).bit_count() for legal in states["legal"])
    successors, sources, actions = np.zeros(n, states.dtype), np.zeros(n, int), np.zeros(n, int)
    write_successors(states, as_record(rules), successors, sources, actions)
    return successors, sources, actions


def _try_rule_agent(state: np.ndarray, rules: Rules, rule_agent: str | None, limit: int) -> Answer:
    """Let a rule-based agent play up to the last pass, then solve it. A failure is undecided."""
    game, actions, states = find_game("puss_in_the_corner"), [], copy_states(state)
    while not states["over"][0] and states["shown"]["redeals_left"][0]:
        scores = game.score_actions(states, rules, rule_agent=rule_agent)[0]
        legal = int(states["legal"][0])
        actions.append(max(range(ACTIONS), key=lambda a: (legal >> a & 1, scores[a])))
        kernels.step(states[0], rules, actions[-1])
    if states["over"][0]:
        return Answer(WINNABLE, 0, actions) if states["won"][0] else Answer(UNDECIDED, 0, [])
    answer = _solve_last_pass(_read_last_pass(states[0], rules), limit, WIDTHS[:2])
    if answer.outcome != WINNABLE:
        return Answer(UNDECIDED, answer.nodes, [])
    return answer._replace(actions=actions + answer.actions)


def _search_all(state: np.ndarray, rules: Rules, limit: int) -> Answer:
    """Visit all positions up to the last pass breadth-first, and solve each last pass."""
    states, steps, nodes, outcome = copy_states(state), [], 0, LOST
    while len(states):
        if nodes > limit:
            return Answer(UNDECIDED, nodes, [])
        successors, sources, actions = list_successors(states, rules)
        nodes += len(successors)
        steps.append((sources, actions))
        distinct = {
            row.tobytes(): i for i, row in enumerate(successors) if row["won"] or not row["over"]
        }
        undecided = []
        for i in distinct.values():
            if successors["won"][i]:
                return Answer(WINNABLE, nodes, _trace_back(steps, i))
            if successors["shown"]["redeals_left"][i]:
                undecided.append(i)
                continue
            last_pass = _read_last_pass(successors[i], rules)
            answer = _solve_last_pass(last_pass, limit - nodes)
            nodes += answer.nodes
            if answer.outcome == WINNABLE:
                return Answer(WINNABLE, nodes, _trace_back(steps, i) + answer.actions)
            outcome = min(outcome, answer.outcome)
        states = copy_states(successors, np.array(undecided, np.int64))
        steps[-1] = sources[undecided], actions[undecided]
    return Answer(outcome, nodes, [])


def _trace_back(steps: list[tuple[np.ndarray, np.ndarray]], row: int) -> list[int]:
    """Return the actions that lead to a row of the last level. `steps` has sources and actions."""
    path = []
    for sources, actions in steps[::-1]:
        path.append(int(actions[row]))
        row = int(sources[row])
    return path[::-1]


# ---- the solver of the game -----------------------------------------------------------------


def _solve_position(state: np.ndarray, rules: Rules, limit: int) -> Answer:
    """Solve any position of the game."""
    if state["over"][0]:
        return Answer(int(state["won"][0]), 0, [])
    if not state["shown"]["redeals_left"][0]:
        return _solve_last_pass(_read_last_pass(state[0], rules), limit)
    nodes = 0
    for rule_agent in TRIED_AGENTS:
        answer = _try_rule_agent(state, rules, rule_agent, (limit - nodes) // 2)
        nodes += answer.nodes
        if answer.outcome == WINNABLE:
            return answer._replace(nodes=nodes)
    answer = _search_all(state, rules, limit - nodes)
    return answer._replace(nodes=nodes + answer.nodes)


def check_solvable(rules: Rules) -> None:
    """Raise ValueError for rules that cannot be solved."""
    if rules.sevens:
        raise ValueError("option sevens must be no for the solver, got yes")


def solve(
    deck_or_state: Any, rules: Rules, optimal: bool = False, limit: int | None = None
) -> Solution:
    """Solve a position with the order of the stock known; see the module.

    Args:
        deck_or_state: See `parlour.envs.core.solve.make_position`.
        rules: The rules.
        optimal: Fill in ``fewest`` if all wins take the same number of moves, which holds in the
            last pass without ``direct``.
        limit: Approximate number of positions to search (None: `LIMIT`).

    Returns:
        The solution. ``winnable`` is None if the solver reached the limit before an answer.

    Raises:
        ValueError: The limit is below 1, or the rules have ``sevens``.
    """
    check_solvable(rules)
    if limit is not None and limit < 1:
        raise ValueError(f"limit must be 1 or more, got {limit}")
    game = find_game("puss_in_the_corner")
    state = make_position(game, rules, deck_or_state)
    answer = _solve_position(state, rules, LIMIT if limit is None else limit)
    if answer.outcome != WINNABLE:
        winnable = None if answer.outcome == UNDECIDED else False
        return Solution(winnable, None, answer.nodes)
    assert play_actions(game, rules, state, answer.actions)["won"][0]
    all_equal = optimal and not rules.direct and not state["shown"]["redeals_left"][0]
    moves = [label(action) for action in answer.actions]
    fewest = len(answer.actions) if all_equal else None
    return Solution(True, moves, answer.nodes, answer.actions, None, fewest)


def winnable_after(states: np.ndarray, rules: Rules, limit: int | None = None) -> np.ndarray:
    """Return whether the game can still be won after each legal action, float32 (n, actions).

    1 means yes, 0 means no or illegal, and 0.5 means undecided after ``limit`` positions for the
    action (None: `ACTION_LIMIT`). Raises ValueError for rules with ``sevens``.
    """
    check_solvable(rules)
    outcomes = np.zeros((len(states), ACTIONS), np.float32)
    successors, sources, actions = list_successors(states, rules)
    for k, (i, action) in enumerate(zip(sources, actions, strict=True)):
        position = copy_states(successors, slice(k, k + 1))
        answer = _solve_position(position, rules, ACTION_LIMIT if limit is None else limit)
        outcomes[i, action] = 0.5 if answer.outcome == UNDECIDED else answer.outcome
    return outcomes
