"""Klondike without hidden knowledge: which plan wins in most worlds, by a tree over what comes up.

The cards face down are dealt anew; in each such world the solver says whether a win is left (a
world counts as its solved value: hindsight optimization, Chong, Givan and Chang, 2000). A value of
that kind is too high where much is hidden, since the solver plays as if it saw everything. So the
plans form a tree: after the card that a plan turns up the next plan is chosen without knowledge
again, and the solver is asked at the leaves alone (Monte Carlo tree search with an exact leaf, by
Rosin's rule "PUCT": Multi-armed bandits with episode context, 2011).

Worlds that are lost as the position stands are lost by every plan, so they are left out.
"""

from typing import Any

import numpy as np

from ....core.aliases import RulesRecords, States, Word
from ....core.contract import UNDECIDED, WINNABLE
from ....core.kernel.bits import lowest
from ....core.kernel.jit import jit
from ....core.options import as_record
from ....core.solve import Plan
from ..outlook import is_known
from ..rules import DEAL, Rules
from ..solver.depth_first import decide_winnable
from ..solver.frames import SEARCH, Search
from ..solver.line import play_commit
from ..solver.moves import board_after, cleared_by, number_of, up_after
from ..solver.position import Board, left_in, take_head
from ..solver.solve import lay_table, read_state, solve
from .plans import ROOT, list_plans, propose_first, propose_plan
from .tree import (
    MOST_ITERATIONS,
    NONE,
    TREE,
    WORLDS,
    Tree,
    add_node,
    board_of,
    is_same_turn,
    note_plan,
)
from .worlds import cards_face_down, count_hidden, deal_world, keep_world, load_world

WORLD_LIMIT = 3000
"""Positions looked at in each world."""
KNOWN_LIMIT = 1_000_000
"""Positions looked at where nothing is hidden any more."""
OPEN = 0.3
"""What a world counts in which they do not suffice: most are lost."""
MOST_DEALT = 4
"""So many times `WORLDS` are dealt at most, where few can be won."""
LISTED = 30
"""The root's plans are those that begin in so many positions, and those that the solver finds."""
EXPLORE = 0.5
FIRST_VALUE = 0.8
"""The value of the root before the first walk."""
PATIENCE = 16
"""Walks between two looks at whether the choice is settled."""


@jit
def best_plan(tree: Tree, number: int) -> int:
    """The plan of a node that is tried next; NONE if it has none."""
    node = tree["nodes"][number]
    best, highest = NONE, -np.inf
    scale = EXPLORE * np.sqrt(node["visits"]) / max(node["weight"], 1)
    plan_number = node["plan"]
    while plan_number != NONE:
        plan = tree["plans"][plan_number]
        visits = plan["visits"]
        mean = plan["wins"] / visits if visits else node["wins"] / max(node["visits"], 1)
        worth = mean + scale * plan["weight"] / (1 + visits)
        if worth > highest:
            best, highest = plan_number, worth
        plan_number = plan["next"]
    return best


@jit
def turned_card(board: Board, commit: int, search: Search) -> int:
    """The card that a commit turns up, by its bit."""
    columns, column = board.columns, number_of(commit)
    if cleared_by(commit) >= 0:
        columns = take_head(columns, cleared_by(commit), search)
    return lowest(search["dealt"][column, left_in(columns, column) - 2])


@jit
def value_leaf(tree: Tree, number: int, board: Board, up: int, search: Search) -> float:
    """Ask the solver about a leaf; a win that it finds gives the node a plan."""
    node = tree["nodes"][number]
    found = decide_winnable(board, up, search)
    value = OPEN if found == UNDECIDED else float(found)
    node["solved"] += 1
    if count_hidden(board.columns) <= 1:
        node["value"] = value
    elif found == WINNABLE:
        propose_plan(tree, number, search)
    return value


@jit
def follow_leaf(tree: Tree, number: int, board: Board, turn: Any, worry_back: bool) -> float:
    """Take up at a leaf the way to win of a world, which led there; ``turn`` is its next one."""
    node = tree["nodes"][number]
    node["solved"] += 1
    if count_hidden(board.columns) <= 1:
        node["value"] = 1.0
    else:
        note_plan(tree, number, board_of(turn), turn["commit"], worry_back)
    return 1.0


@jit
def walk(tree: Tree, board: Board, up: int, number: int, search: Search) -> None:
    """Walk from the root to a leaf in a world, by its number, and note what comes of it.

    Where the walk has gone as the world's own way to win goes, the solver need not be asked.

    A node is a leaf again when its plans come from few worlds for its visits: as the square root
    of these grows.
    """
    load_world(tree, number, search)
    turns, worry_back = tree["worlds"][number]["turns"], search["worry_back"]
    node, depth, follows = ROOT, 0, True
    while True:
        tree["way_nodes"][depth], tree["way_plans"][depth] = node, NONE
        here = tree["nodes"][node]
        value = here["value"]
        if value >= 0:
            break
        chosen = NONE
        if node == ROOT or here["solved"] > np.sqrt(here["visits"]):
            chosen = best_plan(tree, node)
        if chosen == NONE and follows:
            value = follow_leaf(tree, node, board, turns[depth], worry_back)
            break
        if chosen == NONE:
            value = value_leaf(tree, node, board, up, search)
            break
        tree["way_plans"][depth] = chosen
        plan = tree["plans"][chosen]
        before, commit, turn = board_of(plan), plan["commit"], turns[depth]
        follows = follows and is_same_turn(plan, board_of(turn), turn["commit"], worry_back)
        card = turned_card(before, commit, search)
        board, up = board_after(before, commit, search), up_after(before, commit, search)
        if plan["children"][card] == NONE:
            plan["children"][card] = add_node(tree)
        node = plan["children"][card]
        depth += 1
    for place in range(depth + 1):
        here = tree["nodes"][tree["way_nodes"][place]]
        here["visits"] += 1
        here["wins"] += value
        if tree["way_plans"][place] != NONE:
            plan = tree["plans"][tree["way_plans"][place]]
            plan["visits"] += 1
            plan["wins"] += value


@jit
def lead_of_first(tree: Tree, count: int) -> int:
    """By how many visits the first of some plans is ahead of the second."""
    first = second = 0
    for number in range(count):
        visits = tree["plans"][number]["visits"]
        if visits > first:
            first, second = visits, first
        elif visits > second:
            second = visits
    return first - second


@jit
def gather_worlds(tree: Tree, board: Board, up: int, word: Word, search: Search) -> None:
    """Deal worlds and keep those that can be won; each proposes a plan."""
    hidden = cards_face_down(board.columns, search)
    while tree["world_count"] < WORLDS:
        few = tree["world_count"] < WORLDS // MOST_DEALT
        if tree["dealt"] >= (MOST_DEALT * WORLDS if few else WORLDS):
            return
        word = deal_world(board.columns, hidden, word, search)
        tree["dealt"] += 1
        if decide_winnable(board, up, search) == WINNABLE:
            propose_first(tree, search)
            keep_world(tree, search)


@jit
def search_plans(
    states: States,
    rules_record: RulesRecords,
    iterations: int,
    word: Word,
    trees: np.ndarray,
    searches: np.ndarray,
) -> int:
    """Return the plan to play from a state, by its number in the tree; NONE where all is lost."""
    tree, search = trees[0], searches[0]
    board, up = read_state(states[0], rules_record[0], search)
    search["limit"] = WORLD_LIMIT
    tree["node_count"] = tree["plan_count"] = tree["world_count"] = tree["dealt"] = 0
    root = tree["nodes"][add_node(tree)]
    gather_worlds(tree, board, up, word, search)
    if tree["world_count"] == 0:
        return NONE
    load_world(tree, 0, search)
    list_plans(tree, board, up, LISTED, search)
    root["visits"], root["wins"] = 1, FIRST_VALUE
    count = tree["plan_count"]
    for number in range(iterations):
        left = iterations - number
        if count == 1 or (number % PATIENCE == 0 and lead_of_first(tree, count) > left):
            break
        walk(tree, board, up, number % tree["world_count"], search)
    best = 0
    for number in range(1, count):
        plan, other = tree["plans"][number], tree["plans"][best]
        if (plan["visits"], plan["weight"]) > (other["visits"], other["weight"]):
            best = number
    return best


def plan_ahead(states: States, rules: Rules, iterations: int, seed: int) -> Plan:
    """Return what to play from a position (1,), up to the next card that comes to light.

    The stock is looked through first, which costs nothing with any number of passes. Where nothing
    is hidden any more the solver says how to go on. The hidden cards of ``states`` make no
    difference; ``seed`` deals them. Raises ValueError for a limited number of passes, for whole
    runs, and for more than `MOST_ITERATIONS`.
    """
    if rules.passes or not rules.partial_runs:
        raise ValueError(
            "hindsight plays Klondike with passes=0 and partial_runs=yes; "
            f"got passes={rules.passes}, partial_runs={rules.partial_runs}"
        )
    if not 1 <= iterations <= MOST_ITERATIONS:
        raise ValueError(f"iterations={iterations}: allowed are 1 to {MOST_ITERATIONS}")
    state = states[0]
    if not is_known(state):
        return Plan([DEAL], None)
    if rules.thoughtful or state["shown"]["face_down"].sum() <= 1:
        found = solve(states, rules, limit=KNOWN_LIMIT)
        return Plan(found.actions or [], None if found.winnable is None else float(found.winnable))
    trees, searches = np.zeros(1, TREE), np.zeros(1, SEARCH)
    best = search_plans(states, as_record(rules), iterations, np.uint64(seed), trees, searches)
    tree = trees[0]
    if best == NONE:
        return Plan([], 0.0, worlds=int(tree["dealt"]))
    table = lay_table(state, rules.draw)
    for commit in tree["line"][best, : tree["length"][best]]:
        play_commit(table, int(commit), searches[0]["cards"])
    plan, worlds = tree["plans"][best], int(tree["dealt"])
    share = plan["wins"] / plan["visits"] if plan["visits"] else 1.0
    return Plan(table.actions, float(share * tree["world_count"] / worlds), worlds)
