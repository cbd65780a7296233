"""Puss in the Corner: what one who knew the order of the stock could reach.

A win is a way through, found by whatever means and played through the kernel before it is told. A
loss is told only where a search has gone through all there is:

- **in the last pass** `search_last_pass` found no win and left nothing out for want of width; there
  it is said what else it leaves out, and by which options that is sound (by all);
- **by a part of the cards**: the same for the cards of one colour (of one suit, or two, with
  ``suits``) with all others taken away, and where playing is never compulsory. Whoever wins the
  whole game can leave out the other cards and wins this one: they only lie on cards of this part,
  and are built on other foundations. Sound by all options, in the last pass;
- **while a redeal is left** `_search_all` went through all positions up to the last pass, and
  `search_last_pass` through all of these.

Everything else is open. A position while a redeal is left is tried by `TRIED_AGENTS`, players by
rule, up to its last pass first.
"""

from itertools import combinations, pairwise
from typing import Any

import numpy as np

from ....core import upper_bound as truth
from ....core.aliases import State
from ....core.contract import UNDECIDED, WINNABLE, Solution
from ....core.game import find_game
from ....core.options import as_record
from ....core.rows import copy_states
from ..kernel import kernels
from ..rules import ACTIONS, PILES, Rules, label
from .alive import pack_tops
from .last_pass import LastPass, make_search_room, search_last_pass
from .replay import reconstruct_actions
from .successors import list_successors

LIMIT = 1_000_000
"""Positions looked at, if no other limit is set."""
ACTION_LIMIT = 20_000
"""The same for each action of `winnable_after`."""
WIDTHS = (100, 1000, 5000)
TRIED_AGENTS = ("tip", None)
"""Players that go on to the last pass; None is the heuristic."""


def _read_position(s: State, rules: Rules) -> LastPass:
    """Read one record of a state in the last pass."""
    shown = s["shown"]
    cards: list[int] = []
    piles: list[int] = []
    for pile in range(PILES):
        count = int(s["count"][pile])
        piles.append(((1 << count) - 1) << len(cards))
        cards += s["pile"][pile][:count].tolist()
    nxt, begun = len(cards), bool(shown["card"])
    first = int(s["next"])
    cards += [int(shown["card"])] * begun
    cards += s["deck"][first : first + int(shown["stock_count"])].tolist()
    ends = np.zeros(len(cards), np.bool_)
    group = int(shown["group_left"]) if begun else rules.deal_size
    ends[nxt + group - 1 :: rules.deal_size] = True
    ends[-1:] = True
    clubs, diamonds, hearts, spades = shown["foundations"].tolist()
    tops = int(pack_tops(clubs, diamonds, hearts, spades, rules.suits))
    return LastPass(piles, tops, nxt, begun, np.array(cards, np.int64), ends, rules)


def _restrict_to_suits(whole: LastPass, suits: tuple[int, ...]) -> LastPass:
    """The game that is left of one in the last pass by the cards of some suits."""
    places = [i for i, card in enumerate(whole.cards) if card & 3 in suits]
    piles = [sum(1 << k for k, i in enumerate(places) if pile >> i & 1) for pile in whole.piles]
    ends = [bool(whole.ends[a:b].any()) for a, b in pairwise(places)]
    nxt = sum(i < whole.nxt for i in places)
    rules = whole.rules._replace(hold_back=True)
    last = np.array([*ends, True][: len(places)], np.bool_)
    cards = whole.cards[np.array(places, np.int64)]
    return LastPass(piles, whole.tops, nxt, False, cards, last, rules)


def _suit_parts(rules: Rules) -> list[tuple[int, ...]]:
    """The suits of the parts of the cards by which a loss is looked for."""
    if not rules.suits:
        return [(0, 3), (1, 2)]
    return [*combinations(range(4), 1), *combinations(range(4), 2)]


def _search(at: LastPass, width: int, most: int) -> tuple[int, int, list[tuple[Any, int]]]:
    """Say what `search_last_pass` says, the positions seen and the way to a win."""
    n = len(at.cards)
    free = np.zeros(n + 1, np.int64)
    for i in range(n - 1, -1, -1):
        free[i] = free[i + 1] | 1 << int(at.cards[i])
    kept, out, room = make_search_room(width, n - at.nxt + 2)
    found, nodes, level = search_last_pass(
        np.array(at.piles, np.int64), at.tops, at.nxt, at.begun, (at.cards, free, at.ends),
        as_record(at.rules), width, most, kept, out, room,
    )  # fmt: skip
    way: list[tuple[Any, int]] = []
    row = 0
    while found == 1 and level >= 0:
        way.append((kept[0][level, row].tolist(), int(kept[1][level, row, 0])))
        row = int(kept[1][level, row, 1])
        level -= 1
    return found, nodes, way[::-1]


def _solve_last_pass(
    at: LastPass, most: int, widths: tuple[int, ...] = WIDTHS
) -> tuple[int, int, list[int]]:
    """Solve the last pass: 1, 0 or -1, the positions seen, the actions of a win."""
    nodes, parts = 0, [_restrict_to_suits(at, suits) for suits in _suit_parts(at.rules)]
    for width in widths:
        if nodes >= most:
            break
        found, seen, way = _search(at, width, most - nodes)
        nodes += seen
        if found >= 0:
            return found, nodes, reconstruct_actions(at, way) if found else []
        still = []
        for part in parts:
            found, seen, _ = _search(part, width, max(most - nodes, 1))
            nodes += seen
            if found == 0:
                return 0, nodes, []
            if found < 0:
                still.append(part)
        parts = still
    return -1, nodes, []


# ---- while a redeal is left -----------------------------------------------------------------


def _try_rule_agent(
    state: np.ndarray, rules: Rules, rule_agent: str | None, most: int
) -> tuple[int, list[int]]:
    """Let a player go on to the last pass and solve that; the positions, the actions if won."""
    game, actions, states = find_game("puss_in_the_corner"), [], copy_states(state)
    while not states["over"][0] and states["shown"]["redeals_left"][0]:
        scores = game.score_actions(states, rules, rule_agent=rule_agent)[0]
        legal = int(states["legal"][0])
        actions.append(max(range(ACTIONS), key=lambda a: (legal >> a & 1, scores[a])))
        kernels.step(states[0], rules, actions[-1])
    if states["over"][0]:
        return 0, actions if states["won"][0] else []
    found, nodes, more = _solve_last_pass(_read_position(states[0], rules), most, WIDTHS[:2])
    return nodes, actions + more if found == 1 else []


def _search_all(state: np.ndarray, rules: Rules, most: int) -> tuple[int, int, list[int]]:
    """Go through all positions up to the last pass, move by move; as `_solve_last_pass`."""
    states, steps, nodes, found = copy_states(state), [], 0, 0
    while len(states):
        if nodes > most:
            return -1, nodes, []
        after, before, actions = list_successors(states, rules)
        nodes += len(after)
        steps.append((before, actions))
        new = list(
            {
                row.tobytes(): i for i, row in enumerate(after) if row["won"] or not row["over"]
            }.values()
        )
        go_on = []
        for i in new:
            if after["won"][i]:
                return 1, nodes, _trace_back(steps, i)
            if after["shown"]["redeals_left"][i]:
                go_on.append(i)
                continue
            won, seen, more = _solve_last_pass(_read_position(after[i], rules), most - nodes)
            nodes += seen
            if won == 1:
                return 1, nodes, _trace_back(steps, i) + more
            found = min(found, won)
        states = copy_states(after, np.array(go_on, np.int64))
        steps[-1] = before[go_on], actions[go_on]
    return found, nodes, []


def _trace_back(steps: list[tuple[np.ndarray, np.ndarray]], row: int) -> list[int]:
    """The actions that lead to a row."""
    way = []
    for before, actions in steps[::-1]:
        way.append(int(actions[row]))
        row = int(before[row])
    return way[::-1]


# ---- all together ---------------------------------------------------------------------------


def _solve_position(state: np.ndarray, rules: Rules, most: int) -> tuple[int, int, list[int]]:
    """As `_solve_last_pass`, wherever the game stands."""
    if state["over"][0]:
        return int(state["won"][0]), 0, []
    if not state["shown"]["redeals_left"][0]:
        return _solve_last_pass(_read_position(state[0], rules), most)
    nodes = 0
    for player in TRIED_AGENTS:
        seen, actions = _try_rule_agent(state, rules, player, (most - nodes) // 2)
        nodes += seen
        if actions:
            return 1, nodes, actions
    found, seen, actions = _search_all(state, rules, most - nodes)
    return found, nodes + seen, actions


def check_solvable(rules: Rules) -> None:
    """Raise ValueError for rules that cannot be solved."""
    if rules.sevens:
        raise ValueError("sevens: these rules cannot be solved; allowed are rules without")


def solve(
    deck_or_state: Any, rules: Rules, optimal: bool = False, limit: int | None = None
) -> Solution:
    """Return whether a position can be won by one who knows all cards, and how: see the module.

    ``deck_or_state``: see `truth.make_position`. ``limit``: about how many positions are looked at
    (None: `LIMIT`). ``winnable`` is None if neither was found until then. With ``optimal``,
    ``fewest`` is given where all wins take equally many moves: in the last pass, without
    ``direct``. Raises ValueError for a limit below 1, and for rules with ``sevens``.
    """
    check_solvable(rules)
    if limit is not None and limit < 1:
        raise ValueError(f"limit={limit}: allowed are numbers from 1")
    game, most = find_game("puss_in_the_corner"), LIMIT if limit is None else limit
    state = truth.make_position(game, rules, deck_or_state)
    found, nodes, actions = _solve_position(state, rules, most)
    if found != WINNABLE:
        return Solution(None if found == UNDECIDED else False, None, nodes)
    assert truth.play_actions(game, rules, state, actions)["won"][0]
    equal = optimal and not rules.direct and not state["shown"]["redeals_left"][0]
    words = [label(action) for action in actions]
    return Solution(True, words, nodes, actions, None, len(actions) if equal else None)


def winnable_after(states: np.ndarray, rules: Rules, limit: int | None = None) -> np.ndarray:
    """Return of every legal action whether the game can still be won after it, float32
    (n, actions).

    1 yes, 0 no or not legal, 0.5 if that was not found out in ``limit`` positions an action
    (None: `ACTION_LIMIT`).
    """
    check_solvable(rules)
    found = np.zeros((len(states), ACTIONS), np.float32)
    after, before, actions = list_successors(states, rules)
    for k, (i, action) in enumerate(zip(before, actions, strict=True)):
        code = _solve_position(
            copy_states(after, slice(k, k + 1)), rules, ACTION_LIMIT if limit is None else limit
        )[0]
        found[i, action] = 0.5 if code == UNDECIDED else code
    return found
