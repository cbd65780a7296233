"""Hindsight planning for Klondike: find the plan that wins in most sampled worlds.

The search samples worlds, which assign the face-down cards. In each world the solver decides
whether the position can be won (hindsight optimization, Chong, Givan and Chang, 2000). Such values
are too high if many cards are hidden, because the solver plays as if it saw all cards. So the plans
form a tree: after a plan has turned up a card, the next plan is again chosen without hidden
knowledge, and the solver is used only at the leaves. The search is a Monte Carlo tree search with
exact leaf values and the rule PUCT (Rosin, Multi-armed bandits with episode context, 2011).

A *plan* is a sequence of solver commits up to the next card that is turned up. Only the last commit
turns a card up, so a plan can be played in every world. A *node* is a position in which the search
chooses a plan. The children of a node differ in the plan and in the card that it turned up.

Worlds that are lost from the start are left out, because every plan loses them.

The values of the solver are too high, because it sees the hidden cards. A network that estimates
the chance of winning after a plan without seeing them (`plan_values`) may therefore guide the
search. The value of a leaf is then a mean of the solver's value and the network's. The odds of
winning are the prior of a plan, so that the root can have more plans, also unlikely ones.
"""

from typing import Any, TypeAlias

import numpy as np

from ...core.contract import UNDECIDED, WINNABLE, Plan
from ...core.kernel.bits import lowest
from ...core.kernel.jit import jit
from ...core.kernel.rng import GAMMA, finish_word
from ...core.options import as_record, value_text
from ...core.plan_values import PlanNetwork, chance_of_winning, evaluate_features
from ...core.type_aliases import Action, FeatureIds, RulesRecords, States, Word
from .heuristic import is_stock_known
from .plan_features import CARDS, MOST_ACTIVE, write_features
from .rules import DEAL, Rules
from .solver.depth_first import (
    NUMBER_AT,
    REVEAL,
    REVEAL_UP,
    board_after,
    cleared_by,
    decide_winnable,
    kind_of,
    number_of,
    open_position,
    up_after,
)
from .solver.line import play_commit
from .solver.position import (
    COLUMNS,
    FRAMES,
    FREE,
    LONGEST_COLUMN,
    SLOTS,
    Board,
    Search,
    double_keys,
    find_slot,
    key_of,
    left_in,
    make_keys,
    make_search,
    read_board,
    take_head,
    write_board,
)
from .solver.solve import lay_table, read_state, solve

WORLD_LIMIT = 3000
"""Maximum number of positions that the solver visits in each world."""
KNOWN_LIMIT = 1_000_000
"""Maximum number of positions that the solver visits if no card is hidden."""
OPEN = 0.3
"""Value of a world that the solver cannot decide within the limit. Most such worlds are lost."""
MOST_DEALT = 4
"""Maximum number of sampled worlds as a multiple of the wanted ones, if few worlds can be won."""
LISTED = 30
"""Number of positions from which the root's plans are listed. The solver adds its own plans."""
LISTED_WITH_NETWORK = 300
"""`LISTED` for a search with a network, which gives a small prior to bad plans."""
NETWORK_SHARE = 0.3
"""Weight of the network's value in the value of a leaf."""
LEAST = 1e-6
"""Lower bound of divisors."""
NO_NETWORK = PlanNetwork(
    embedding=np.zeros((0, 0), np.float32),
    hidden=np.zeros((0, 0), np.float32),
    hidden_bias=np.zeros(0, np.float32),
    output=np.zeros(0, np.float32),
    output_bias=np.zeros(1, np.float32),
)
"""Stands for a search without a network."""
EXPLORE = 0.5
"""The exploration constant of PUCT."""
FIRST_VALUE = 0.8
"""The value of the root before the first walk."""
PATIENCE = 16
"""Number of walks between two checks whether the choice is settled."""
ROOT = 0
"""Number of the root node."""
S32 = np.uint64(32)

MOST_ITERATIONS = 1 << 16
LEAST_WORLDS, MOST_WORLDS = 100, 1000
"""Limits of the number of worlds of a search, all of which can be won from the start."""
WALKS_PER_WORLD = 20
"""Number of iterations for each world, between these limits."""
MOST_FIRST = 128
"""Maximum number of plans at the root."""
QUEUE = 1024
"""Capacity of the list of positions from which the root's plans are listed."""
MOST_HIDDEN = 21
COLUMNS_OF_COMMIT = 0xFF << NUMBER_AT
"""Bits of a commit with the column of the turned-up card and the column emptied first."""
NONE = -1
"""Stands for no plan and for no node."""

POSITION = [
    ("columns", np.int64),  # as in a `Board`
    ("stock", np.int64),
    ("waste", np.int64),
    ("redeals", np.int64),
]
TURN = [*POSITION, ("commit", np.int64)]
"""Fields of a commit that turns a card up, and of the position before it."""
WORLD = np.dtype(
    [
        ("dealt", np.int64, (COLUMNS, LONGEST_COLUMN)),  # both as in the solver's search
        ("buried", np.int64, (COLUMNS, LONGEST_COLUMN)),
        ("turns", np.dtype(TURN), MOST_HIDDEN),  # turns of a win from the root
    ]
)
"""One assignment of the face-down cards."""
STEP = np.dtype(
    [
        *POSITION,
        ("up", np.int64),
        ("before", np.int64),  # the step before this one
        ("commit", np.int64),  # the commit between them
        ("length", np.int64),  # number of commits up to here
    ]
)
"""A position on the path to listed plans."""
PLAN = np.dtype(
    [
        ("next", np.int64),  # another plan of the same node
        *TURN,
        ("weight", np.float64),  # number of times the plan was found, times its odds: the prior
        ("visits", np.int64),
        ("wins", np.float64),
        ("chance", np.float64),  # the network's chance of winning; -1 while unknown
        ("children", np.int32, CARDS),  # nodes, by the card that it turns up
    ]
)
NODE = np.dtype(
    [
        ("plan", np.int64),  # the first one of a linked list
        ("weight", np.float64),  # total weight of the plans
        ("solved", np.int64),  # number of times the node was a leaf
        ("visits", np.int64),
        ("wins", np.float64),
        ("value", np.float64),  # value if no card is hidden; -1 while unknown
    ]
)
TREE = np.dtype(
    [
        ("node_count", np.int64),
        ("plan_count", np.int64),
        ("world_count", np.int64),
        ("sampled", np.int64),  # total number of sampled worlds
        ("line", np.int64, (MOST_FIRST, FRAMES)),  # commits of the root's plans
        ("length", np.int64, MOST_FIRST),
        ("worlds", WORLD, MOST_WORLDS),
        ("steps", STEP, QUEUE),
        ("walk_nodes", np.int64, MOST_HIDDEN + 1),  # nodes of the current walk
        ("walk_plans", np.int64, MOST_HIDDEN + 1),
        ("nodes", NODE, MOST_ITERATIONS + 1),
        ("plans", PLAN, MOST_ITERATIONS + MOST_FIRST),
    ]
)
"""The working memory of a search, a record like `solver.position.SEARCH`."""
Tree: TypeAlias = Any
"""One record of TREE."""


# Nodes and plans


@jit
def add_node(tree: Tree) -> int:
    """Add a node and return its number."""
    number = tree["node_count"]
    tree["node_count"] += 1
    node = tree["nodes"][number]
    node["plan"], node["value"] = NONE, -1.0
    node["solved"] = node["visits"] = 0
    node["weight"] = node["wins"] = 0.0
    return number


@jit
def is_same_turn(turn: Any, board: Board, commit: int, worry_back: bool) -> bool:
    """Return whether two commits turn a card up in the same way.

    With ``worry_back`` the comparison ignores the foundations, as cards can go up and come back
    between two such commits. If there is no room for this, a plan shares its statistics with almost
    identical plans.
    """
    compared = COLUMNS_OF_COMMIT if worry_back else ~0
    if (turn["commit"] ^ commit) & compared or turn["columns"] != board.columns:
        return False
    return turn["stock"] == board.stock and turn["waste"] == board.waste


@jit
def find_plan(tree: Tree, node: int, board: Board, commit: int, worry_back: bool) -> int:
    """Return the plan of a node that turns a card up in this way; NONE if there is none."""
    number = tree["nodes"][node]["plan"]
    while number != NONE and not is_same_turn(tree["plans"][number], board, commit, worry_back):
        number = tree["plans"][number]["next"]
    return number


@jit
def add_plan(tree: Tree, node: int, board: Board, commit: int) -> int:
    """Add a plan to a node and return its number."""
    number = tree["plan_count"]
    tree["plan_count"] += 1
    plan = tree["plans"][number]
    write_board(plan, board)
    plan["commit"], plan["next"] = commit, tree["nodes"][node]["plan"]
    plan["visits"] = 0
    plan["weight"], plan["wins"], plan["chance"] = 0.0, 0.0, -1.0
    for card in range(CARDS):
        plan["children"][card] = NONE
    tree["nodes"][node]["plan"] = number
    return number


# Plans from the solver's commits


@jit
def cards_under(columns: int, commit: int, search: Search) -> int:
    """Return the number of cards under the head that a commit moves; 0 if it moves no head."""
    if kind_of(commit) != REVEAL and kind_of(commit) != REVEAL_UP:
        return 0
    if cleared_by(commit) >= 0:
        columns = take_head(columns, cleared_by(commit), search)
    return left_in(columns, number_of(commit)) - 1


@jit
def turned_card(columns: int, commit: int, search: Search) -> int:
    """Return the bit of the card that a commit turns up."""
    return lowest(search["dealt"][number_of(commit), cards_under(columns, commit, search) - 1])


@jit
def first_turn(search: Search) -> int:
    """Return the depth at which the solver's win turns up its first card."""
    depth = 0
    while True:
        frame = search["frames"][depth]
        if cards_under(frame["columns"], frame["commit"], search) > 0:
            return depth
        depth += 1


# The prior of plans


@jit
def write_plan(plan: Any, hidden: int, search: Search, ids: FeatureIds) -> int:
    """Write the features of the position after a plan, and return their number.

    Args:
        plan: The plan, a record like `PLAN`.
        hidden: The face-down cards before the plan.
        search: A solver's search with the visible cards of the position.
        ids: Written: the features; see `write_features`.
    """
    before, commit = read_board(plan), plan["commit"]
    board, up = board_after(before, commit, search), up_after(before, commit, search)
    return write_features(board, up, number_of(commit), hidden, search, ids)


@jit
def estimate_chance(
    tree: Tree, number: int, search: Search, network: PlanNetwork, ids: FeatureIds
) -> float:
    """Return the network's chance of winning after a plan, and remember it.

    Args:
        tree: The tree.
        number: The plan.
        search: The solver's search with a world. The network does not see its hidden cards.
        network: The network.
        ids: Buffer for the features.
    """
    plan = tree["plans"][number]
    if plan["chance"] < 0:
        size = write_plan(plan, cards_face_down(plan["columns"], search), search, ids)
        sums = np.empty(network.embedding.shape[1], np.float32)
        plan["chance"] = chance_of_winning(evaluate_features(ids, size, network, sums))
    chance: float = plan["chance"]
    return chance


@jit
def add_weight(
    tree: Tree, node: int, number: int, search: Search, network: PlanNetwork, ids: FeatureIds
) -> None:
    """Count that a plan was found. With a network, it counts as often as its odds of winning."""
    weight = 1.0
    if len(network.embedding):
        chance = estimate_chance(tree, number, search, network, ids)
        weight = chance / max(1 - chance, LEAST)
    tree["plans"][number]["weight"] += weight
    tree["nodes"][node]["weight"] += weight


@jit
def count_plan(
    tree: Tree,
    node: int,
    board: Board,
    commit: int,
    search: Search,
    network: PlanNetwork,
    ids: FeatureIds,
) -> None:
    """Add a plan to a node if it is new, and count that it was found."""
    plan = find_plan(tree, node, board, commit, search["worry_back"])
    if plan == NONE:
        plan = add_plan(tree, node, board, commit)
    add_weight(tree, node, plan, search, network, ids)


# Plans of a node


@jit
def propose_first(tree: Tree, search: Search, network: PlanNetwork, ids: FeatureIds) -> None:
    """Add the first plan of the solver's win to the root."""
    depth = first_turn(search)
    last = search["frames"][depth]
    board, commit, before = read_board(last), last["commit"], tree["plan_count"]
    known = find_plan(tree, ROOT, board, commit, search["worry_back"])
    if known == NONE and before == MOST_FIRST:
        return
    count_plan(tree, ROOT, board, commit, search, network, ids)
    if known == NONE:
        tree["length"][before] = depth + 1
        for number in range(depth + 1):
            tree["line"][before, number] = search["frames"][number]["commit"]


@jit
def propose_plan(
    tree: Tree, node: int, search: Search, network: PlanNetwork, ids: FeatureIds
) -> None:
    """Add the first plan of the solver's win to a node other than the root."""
    frame = search["frames"][first_turn(search)]
    count_plan(tree, node, read_board(frame), frame["commit"], search, network, ids)


@jit
def write_line(tree: Tree, plan: int, step: int, commit: int) -> None:
    """Write the commits of a plan of the root, from the last commit back."""
    place = tree["steps"][step]["length"]
    tree["length"][plan] = place + 1
    while place >= 0:
        tree["line"][plan, place] = commit
        commit, step = tree["steps"][step]["commit"], tree["steps"][step]["before"]
        place -= 1


@jit
def write_step(tree: Tree, number: int, board: Board, up: int, before: int, commit: int) -> None:
    """Write a position on the path, and the commit that leads to it."""
    step = tree["steps"][number]
    write_board(step, board)
    step["up"], step["before"], step["commit"] = up, before, commit
    step["length"] = tree["steps"][before]["length"] + 1 if before != NONE else 0


@jit
def list_plans(tree: Tree, board: Board, up: int, most: int, search: Search) -> None:
    """Add all plans to the root whose last commit starts from one of the first ``most`` positions.

    These are positions that can be reached without turning a card up, in the order of distance. The
    plans are not counted.
    """
    keys = make_keys(SLOTS)
    search["used"] = search["full"] = 0
    write_step(tree, 0, board, up, NONE, 0)
    begin, end = 0, 1
    while begin < min(end, most):
        step = tree["steps"][begin]
        board, up = read_board(step), step["up"]
        begin += 1
        if keys[find_slot(keys, key_of(board, up))] != FREE:
            continue
        search["size"] = 0
        if 2 * search["used"] + 2 > len(keys):
            keys = double_keys(keys)
        keys = open_position(board, up, keys, search)
        for number in range(search["size"] - 1, -1, -1):
            commit = search["commits"][number]
            if cards_under(board.columns, commit, search) > 0:
                if find_plan(tree, ROOT, board, commit, search["worry_back"]) != NONE:
                    continue
                if tree["plan_count"] < MOST_FIRST:
                    write_line(tree, add_plan(tree, ROOT, board, commit), begin - 1, commit)
            elif end < QUEUE:
                after = board_after(board, commit, search)
                write_step(tree, end, after, up_after(board, commit, search), begin - 1, commit)
                end += 1


# Worlds


@jit
def count_hidden(columns: int) -> int:
    """Return the number of face-down cards: all cards that are as dealt, except the heads."""
    num_hidden = 0
    for column in range(COLUMNS):
        num_hidden += max(left_in(columns, column) - 1, 0)
    return num_hidden


@jit
def cards_face_down(columns: int, search: Search) -> int:
    """Return the set of face-down cards."""
    cards = 0
    for column in range(COLUMNS):
        for row in range(left_in(columns, column) - 1):
            cards |= search["dealt"][column, row]
    return cards


@jit
def sample_world(columns: int, hidden: int, word: Word, search: Search) -> Word:
    """Resample the set of face-down cards, and return the next word of the generator."""
    cards, size = np.empty(MOST_HIDDEN, np.int64), 0
    while hidden:
        cards[size] = hidden & -hidden
        hidden &= hidden - 1
        size += 1
    for column in range(COLUMNS):
        buried = 0
        for row in range(left_in(columns, column)):
            if row < left_in(columns, column) - 1:
                word = word + GAMMA
                drawn = np.int64(((finish_word(word) >> S32) * np.uint64(size)) >> S32)
                size -= 1
                search["dealt"][column, row], cards[drawn] = cards[drawn], cards[size]
            search["buried"][column, row] = buried
            buried |= search["dealt"][column, row]
    return word


@jit
def save_world(tree: Tree, search: Search) -> None:
    """Save the world of the solver's search, and the turns of its win."""
    world = tree["worlds"][tree["world_count"]]
    tree["world_count"] += 1
    for column in range(COLUMNS):
        for row in range(LONGEST_COLUMN):
            world["dealt"][column, row] = search["dealt"][column, row]
            world["buried"][column, row] = search["buried"][column, row]
    size = 0
    for depth in range(search["depth"]):
        frame = search["frames"][depth]
        if cards_under(frame["columns"], frame["commit"], search) > 0:
            turn = world["turns"][size]
            write_board(turn, read_board(frame))
            turn["commit"] = frame["commit"]
            size += 1


@jit
def load_world(tree: Tree, number: int, search: Search) -> None:
    """Load a saved world into the solver's search."""
    world = tree["worlds"][number]
    for column in range(COLUMNS):
        for row in range(LONGEST_COLUMN):
            search["dealt"][column, row] = world["dealt"][column, row]
            search["buried"][column, row] = world["buried"][column, row]


# The search


@jit
def best_plan(tree: Tree, number: int) -> int:
    """Return the plan of a node to try next; NONE if the node has no plans."""
    node = tree["nodes"][number]
    best, highest = NONE, -np.inf
    scale = EXPLORE * np.sqrt(node["visits"]) / max(node["weight"], LEAST)
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
def value_leaf(
    tree: Tree,
    number: int,
    board: Board,
    up: int,
    search: Search,
    network: PlanNetwork,
    ids: FeatureIds,
) -> float:
    """Return the solver's value of a leaf. A win adds a plan to the node."""
    node = tree["nodes"][number]
    verdict = decide_winnable(board, up, search)
    value = OPEN if verdict == UNDECIDED else float(verdict)
    node["solved"] += 1
    if count_hidden(board.columns) <= 1:
        node["value"] = value
    elif verdict == WINNABLE:
        propose_plan(tree, number, search, network, ids)
    return value


@jit
def follow_leaf(
    tree: Tree,
    number: int,
    board: Board,
    turn: Any,
    search: Search,
    network: PlanNetwork,
    ids: FeatureIds,
) -> float:
    """Return 1, the value of a leaf on a world's saved win, whose next turn is ``turn``."""
    node = tree["nodes"][number]
    node["solved"] += 1
    if count_hidden(board.columns) <= 1:
        node["value"] = 1.0
    else:
        count_plan(tree, number, read_board(turn), turn["commit"], search, network, ids)
    return 1.0


@jit
def back_up(tree: Tree, depth: int, value: float) -> None:
    """Add the value of a leaf to all nodes and plans of the walk down to a depth."""
    for place in range(depth + 1):
        node = tree["nodes"][tree["walk_nodes"][place]]
        node["visits"] += 1
        node["wins"] += value
        if tree["walk_plans"][place] != NONE:
            plan = tree["plans"][tree["walk_plans"][place]]
            plan["visits"] += 1
            plan["wins"] += value


@jit
def walk(
    tree: Tree,
    board: Board,
    up: int,
    number: int,
    search: Search,
    network: PlanNetwork,
    ids: FeatureIds,
) -> None:
    """Walk from the root to a leaf in a world, and add the value of the leaf.

    If the walk has followed the saved win of the world, the value is known without the solver. A
    node is treated as a leaf again if the solver has been used there fewer times than the square
    root of its visits.

    The network's chance of winning is divided by the share of the worlds that can be won, because
    the tree has no others.
    """
    load_world(tree, number, search)
    turns, worry_back = tree["worlds"][number]["turns"], search["worry_back"]
    node, depth, follows = ROOT, 0, True
    while True:
        tree["walk_nodes"][depth], tree["walk_plans"][depth] = node, NONE
        here = tree["nodes"][node]
        value = here["value"]
        if value >= 0:
            break
        chosen = NONE
        if node == ROOT or here["solved"] > np.sqrt(here["visits"]):
            chosen = best_plan(tree, node)
        if chosen == NONE and follows:
            value = follow_leaf(tree, node, board, turns[depth], search, network, ids)
            break
        if chosen == NONE:
            value = value_leaf(tree, node, board, up, search, network, ids)
            break
        tree["walk_plans"][depth] = chosen
        plan = tree["plans"][chosen]
        before, commit, turn = read_board(plan), plan["commit"], turns[depth]
        follows = follows and is_same_turn(plan, read_board(turn), turn["commit"], worry_back)
        card = turned_card(before.columns, commit, search)
        board, up = board_after(before, commit, search), up_after(before, commit, search)
        if plan["children"][card] == NONE:
            plan["children"][card] = add_node(tree)
        node = plan["children"][card]
        depth += 1
    if depth > 0 and tree["nodes"][node]["value"] < 0 and len(network.embedding):
        last, share = tree["walk_plans"][depth - 1], tree["world_count"] / tree["sampled"]
        chance = estimate_chance(tree, last, search, network, ids)
        value += NETWORK_SHARE * (min(chance / share, 1.0) - value)
    back_up(tree, depth, value)


@jit
def visit_lead(tree: Tree, num_plans: int) -> int:
    """Return the difference in visits between the root's best and second-best plans."""
    first = second = 0
    for number in range(num_plans):
        visits = tree["plans"][number]["visits"]
        if visits > first:
            first, second = visits, first
        elif visits > second:
            second = visits
    return first - second


@jit
def gather_worlds(
    tree: Tree,
    board: Board,
    up: int,
    wanted: int,
    word: Word,
    search: Search,
    network: PlanNetwork,
    ids: FeatureIds,
) -> None:
    """Sample worlds and save up to ``wanted`` that can be won. Each of them proposes a plan."""
    hidden = cards_face_down(board.columns, search)
    while tree["world_count"] < wanted:
        few = tree["world_count"] < wanted // MOST_DEALT
        if tree["sampled"] >= (MOST_DEALT * wanted if few else wanted):
            return
        word = sample_world(board.columns, hidden, word, search)
        tree["sampled"] += 1
        if decide_winnable(board, up, search) == WINNABLE:
            propose_first(tree, search, network, ids)
            save_world(tree, search)


@jit
def search_board(
    board: Board,
    up: int,
    iterations: int,
    word: Word,
    network: PlanNetwork,
    tree: Tree,
    search: Search,
) -> int:
    """Return the number of the plan to play from a board; NONE if no sampled world is won.

    Args:
        board: The board.
        up: The foundations.
        iterations: Number of walks through the tree.
        word: The first word of the generator of the worlds.
        network: The network that guides the search, or `NO_NETWORK`.
        tree: Written: the tree.
        search: A solver's search with the cards of the position. Its face-down cards change.
    """
    search["limit"] = WORLD_LIMIT
    tree["node_count"] = tree["plan_count"] = tree["world_count"] = tree["sampled"] = 0
    root, ids = tree["nodes"][add_node(tree)], np.empty(MOST_ACTIVE, np.int16)
    wanted = min(max(iterations // WALKS_PER_WORLD, LEAST_WORLDS), MOST_WORLDS)
    gather_worlds(tree, board, up, wanted, word, search, network, ids)
    if tree["world_count"] == 0:
        return NONE
    load_world(tree, 0, search)
    list_plans(tree, board, up, LISTED_WITH_NETWORK if len(network.embedding) else LISTED, search)
    num_plans = tree["plan_count"]
    for number in range(num_plans):
        add_weight(tree, ROOT, number, search, network, ids)
    root["visits"], root["wins"] = 1, FIRST_VALUE
    for number in range(iterations):
        rest = iterations - number
        if num_plans == 1 or (number % PATIENCE == 0 and visit_lead(tree, num_plans) > rest):
            break
        walk(tree, board, up, number % tree["world_count"], search, network, ids)
    best = 0
    for number in range(1, num_plans):
        plan, other = tree["plans"][number], tree["plans"][best]
        if (plan["visits"], plan["weight"]) > (other["visits"], other["weight"]):
            best = number
    return best


@jit
def search_plans(
    states: States,
    rules_record: RulesRecords,
    iterations: int,
    word: Word,
    network: PlanNetwork,
    trees: np.ndarray,
    searches: np.ndarray,
) -> int:
    """Return the number of the plan to play from a state; see `search_board`."""
    search = searches[0]
    board, up = read_state(states[0], rules_record[0], search)
    return search_board(board, up, iterations, word, network, trees[0], search)


def check_rules(rules: Rules) -> None:
    """Raise ValueError for rules that plans do not support."""
    if rules.passes or not rules.partial_runs:
        raise ValueError(
            "rules must have passes=0 and partial_runs=yes for plans, "
            f"got passes={rules.passes}, partial_runs={value_text(rules.partial_runs)}"
        )


def spell_plan(state: Any, rules: Rules, tree: Tree, plan: int, search: Search) -> list[Action]:
    """Return the actions of a plan of the root."""
    table = lay_table(state, rules.draw)
    for commit in tree["line"][plan, : tree["length"][plan]]:
        play_commit(table, int(commit), search["cards"])
    return table.actions


def plan_ahead(
    states: States, rules: Rules, iterations: int, seed: int, network: PlanNetwork | None = None
) -> Plan:
    """Return the plan to play from a position, up to the next card that is turned up.

    The plan first looks through the stock, which costs nothing with unlimited passes. If no card is
    hidden, the plan is the solver's win.

    Args:
        states: A state (1,). Its hidden cards make no difference.
        rules: The rules.
        iterations: Number of walks through the tree.
        seed: The seed of the sampled worlds.
        network: The network that guides the search (None: none).

    Returns:
        The plan. Its value is the share of the sampled worlds that it wins; with a network, a part
        of each leaf's value is the network's (`NETWORK_SHARE`).

    Raises:
        ValueError: The rules have limited passes or whole runs only, or ``iterations`` exceeds
            `MOST_ITERATIONS`.
    """
    check_rules(rules)
    if not 1 <= iterations <= MOST_ITERATIONS:
        raise ValueError(f"iterations must be from 1 to {MOST_ITERATIONS}, got {iterations}")
    state = states[0]
    if not is_stock_known(state):
        return Plan([DEAL], None)
    if rules.thoughtful or state["shown"]["face_down"].sum() <= 1:
        solution = solve(states, rules, limit=KNOWN_LIMIT)
        value = None if solution.winnable is None else float(solution.winnable)
        return Plan(solution.actions or [], value)
    trees, searches, record = np.empty(1, TREE), make_search(), as_record(rules)
    guide = NO_NETWORK if network is None else network
    best = search_plans(states, record, iterations, np.uint64(seed), guide, trees, searches)
    tree = trees[0]
    if best == NONE:
        return Plan([], 0.0, worlds=int(tree["sampled"]))
    plan, worlds = tree["plans"][best], int(tree["sampled"])
    share = plan["wins"] / plan["visits"] if plan["visits"] else 1.0
    actions = spell_plan(state, rules, tree, best, searches[0])
    return Plan(actions, float(share * tree["world_count"] / worlds), worlds)
