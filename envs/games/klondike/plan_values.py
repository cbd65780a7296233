"""Klondike: values of plans, estimated by a learned network.

A *plan* ends when it turns a card up; see `hindsight`. The network reads the position after the
plan, with the turned-up card still unknown (`plan_features`).
"""

from itertools import product

import numpy as np

from ...core.batch import DealSource
from ...core.contract import WINNABLE, Plan
from ...core.kernel.jit import jit
from ...core.kernel.rng import GAMMA, finish_word
from ...core.options import as_record
from ...core.plan_values import (
    PlanNetwork,
    PlanValues,
    PlayedPlans,
    SearchedPlans,
    allocate_plans,
    chance_of_winning,
    evaluate_features,
    is_explored,
    trim_plans,
)
from ...core.type_aliases import RulesRecords, States
from .heuristic import is_stock_known
from .hindsight import (
    LISTED_WITH_NETWORK,
    MOST_FIRST,
    MOST_HIDDEN,
    NO_NETWORK,
    NONE,
    ROOT,
    S32,
    TREE,
    Tree,
    add_node,
    cards_face_down,
    check_rules,
    count_hidden,
    list_plans,
    search_board,
    spell_plan,
    write_plan,
)
from .kernel import kernels
from .plan_features import (
    CARDS,
    HEADS,
    HEIGHTS,
    HIDDEN,
    IN_STOCK,
    LOOSE,
    MOST_ACTIVE,
    NUM_FEATURES,
    OPEN,
    PHASES,
)
from .rules import DEAL, STATE, Rules
from .solver.card_sets import (
    ALL_CARDS,
    CARD_AT,
    PLACE,
    RANKS,
    SUITS,
)
from .solver.depth_first import board_after, decide_winnable, up_after
from .solver.position import (
    COLUMNS,
    LONGEST_COLUMN,
    Board,
    Search,
    left_in,
    make_search,
    read_board,
)
from .solver.solve import read_state

LISTED_IN_TRAINING = 100
"""Number of positions from which plans are listed in training: a third of those in play, which
takes half the time."""
END_LIMIT = 200_000
"""Maximum number of positions that the solver visits in training if no card is hidden."""
LEAST_VISITS = 8
"""Smallest number of visits of a plan that is recorded although a search did not choose it."""


# Features


def renumber_features(suits: tuple[int, ...]) -> np.ndarray:
    """Return the numbers of the features after renaming the suits, int64 (NUM_FEATURES + 1,)."""
    numbers = np.arange(NUM_FEATURES + 1)
    for place in range(CARDS):
        card = int(CARD_AT[place])
        renamed = int(PLACE[card & ~3 | suits[card & 3]])
        change = renamed - place
        numbers[HEADS + place * LONGEST_COLUMN :][:LONGEST_COLUMN] += change * LONGEST_COLUMN
        for first in (LOOSE, HIDDEN, *(IN_STOCK + phase * CARDS for phase in range(PHASES))):
            numbers[first + place] += change
        if place % 2 == 0:
            numbers[OPEN + place // 2] = OPEN + renamed // 2
    for suit in range(SUITS):
        numbers[HEIGHTS + suit * (RANKS + 1) :][: RANKS + 1] += (suits[suit] - suit) * (RANKS + 1)
    return numbers


def list_symmetries() -> np.ndarray:
    """Return the numberings of the features for all renamings of suits that keep color classes."""
    numberings = []
    for blacks, reds, swaps in product((False, True), repeat=3):
        suits = [3, 1, 2, 0] if blacks else [0, 1, 2, 3]
        if reds:
            suits[1], suits[2] = 2, 1
        if swaps:
            suits = [suit ^ 1 for suit in suits]
        numberings.append(renumber_features(tuple(suits)))
    return np.array(numberings)


# Plans


@jit
def replace_face_down(columns: int, cards: int, search: Search) -> None:
    """Replace each face-down card of a search by a set of cards."""
    for column in range(COLUMNS):
        for row in range(left_in(columns, column) - 1):
            search["dealt"][column, row] = cards


@jit
def list_open_plans(tree: Tree, board: Board, up: int, most: int, search: Search) -> None:
    """List the plans from the first ``most`` positions, regardless of the face-down cards.

    `list_plans` leaves out positions that are lost in an easier game, and looks at face-down cards
    for this. Here, every face-down card counts as any card. Afterwards, the face-down cards of the
    search are empty sets, so that no plan and no feature depends on them.
    """
    replace_face_down(board.columns, ALL_CARDS, search)
    tree["node_count"] = tree["plan_count"] = 0
    add_node(tree)
    list_plans(tree, board, up, most, search)
    replace_face_down(board.columns, 0, search)


@jit
def find_best_plan(
    tree: Tree,
    first: int,
    end: int,
    hidden: int,
    network: PlanNetwork,
    ids: np.ndarray,
    search: Search,
) -> tuple[int, float, int]:
    """Find the plan with the highest value among the plans from ``first`` to ``end - 1``.

    Args:
        tree: The tree with the plans.
        first: The first plan.
        end: The end of the plans.
        hidden: The face-down cards.
        network: The network.
        ids: Written: the features of the best plan in row 0, int16 (2, `MOST_ACTIVE`).
        search: A solver's search with the cards of the position.

    Returns:
        The plan (NONE if there is none), its logit, and the number of its features.
    """
    sums = np.empty(network.embedding.shape[1], np.float32)
    best, highest, size = NONE, -np.inf, 0
    for number in range(first, end):
        num_ids = write_plan(tree["plans"][number], hidden, search, ids[1])
        logit = evaluate_features(ids[1], num_ids, network, sums)
        if logit > highest:
            best, highest, size = number, logit, num_ids
            ids[0, :num_ids] = ids[1, :num_ids]
    return best, highest, size


@jit
def play_with_network(
    rules: RulesRecords,
    network: PlanNetwork,
    seeds: np.ndarray,
    explore: float,
    states: States,
    trees: np.ndarray,
    searches: np.ndarray,
    played: PlayedPlans,
) -> int:
    """Play one game for each seed, and return the number of plans; see `play_games`."""
    tree, search = trees[0], searches[0]
    dealt = np.empty((COLUMNS, LONGEST_COLUMN), np.int64)
    ids, size = np.empty((2, MOST_ACTIVE), np.int16), 0
    for game in range(len(seeds)):
        states[0]["rng"] = seeds[game]
        kernels.begin(states[0], rules[0], DealSource.SEED)
        board, up = read_state(states[0], rules[0], search)
        dealt[:] = search["dealt"]
        word = finish_word(seeds[game])
        while count_hidden(board.columns) > 0:
            hidden = cards_face_down(board.columns, search)
            list_open_plans(tree, board, up, LISTED_IN_TRAINING, search)
            first, end = 0, tree["plan_count"]
            word = word + GAMMA
            drawn = finish_word(word)
            if is_explored(drawn, explore):
                first = int((drawn & np.uint64((1 << 32) - 1)) * np.uint64(end) >> S32)
                end = min(first + 1, end)
            best, logit, num_ids = find_best_plan(tree, first, end, hidden, network, ids, search)
            if best == NONE:
                played.num_hidden[game] = count_hidden(board.columns)
                break
            played.ids[size, :num_ids] = ids[0, :num_ids]
            played.logits[size], played.games[size] = logit, game
            size += 1
            search["dealt"][:] = dealt
            plan = tree["plans"][best]
            before, commit = read_board(plan), plan["commit"]
            board, up = board_after(before, commit, search), up_after(before, commit, search)
        else:
            search["limit"] = END_LIMIT
            played.won[game] = decide_winnable(board, up, search) == WINNABLE
    return size


@jit
def record_plans(
    tree: Tree,
    best: int,
    hidden: int,
    position: int,
    first: int,
    search: Search,
    plans: SearchedPlans,
) -> int:
    """Record the root's best plan, and all others with enough visits.

    Args:
        tree: The tree of a search.
        best: The plan that the search chose.
        hidden: The face-down cards.
        position: The number of the position.
        first: The number of records so far.
        search: A solver's search with the cards of the position.
        plans: Written: the records.

    Returns:
        The new number of records.
    """
    size, number = first, tree["nodes"][ROOT]["plan"]
    while number != NONE:
        plan = tree["plans"][number]
        if number == best or plan["visits"] >= LEAST_VISITS:
            write_plan(plan, hidden, search, plans.ids[size])
            plans.visits[size], plans.chosen[size] = plan["visits"], number == best
            plans.positions[size] = position
            size += 1
        number = plan["next"]
    return size


@jit
def play_with_search(
    states: States,
    rules: RulesRecords,
    iterations: int,
    network: PlanNetwork,
    trees: np.ndarray,
    searches: np.ndarray,
    plans: SearchedPlans,
) -> tuple[int, bool]:
    """Play a deal with `search_board`.

    Returns:
        The number of records, and whether the game was won.
    """
    tree, search, size, position = trees[0], searches[0], 0, 0
    board, up = read_state(states[0], rules[0], search)
    dealt, buried = search["dealt"].copy(), search["buried"].copy()
    word = finish_word(states[0]["rng"])
    while count_hidden(board.columns) > 1:
        hidden = cards_face_down(board.columns, search)
        word = finish_word(word + GAMMA)
        best = search_board(board, up, iterations, word, network, tree, search)
        search["dealt"][:], search["buried"][:] = dealt, buried
        if best == NONE:
            return size, False
        size = record_plans(tree, best, hidden, position, size, search, plans)
        position += 1
        plan = tree["plans"][best]
        before, commit = read_board(plan), plan["commit"]
        board, up = board_after(before, commit, search), up_after(before, commit, search)
    search["limit"] = END_LIMIT
    return size, decide_winnable(board, up, search) == WINNABLE


def check_plan_rules(rules: Rules) -> None:
    """Raise ValueError for rules without plans."""
    check_rules(rules)
    if rules.thoughtful:
        raise ValueError("rules must have thoughtful=no for plans, got thoughtful=yes")


def play_games(
    rules: Rules, network: PlanNetwork, seeds: np.ndarray, explore: float
) -> PlayedPlans:
    """Play games with a network, and record its plans; see `core.plan_values.PlayGames`.

    If no card is hidden any more, the solver decides whether the game is won.
    """
    check_plan_rules(rules)
    played = allocate_plans(len(seeds), MOST_HIDDEN, MOST_ACTIVE, NUM_FEATURES)
    trees, searches, states = np.empty(1, TREE), make_search(), np.zeros(1, STATE)
    size = play_with_network(
        as_record(rules), network, seeds, explore, states, trees, searches, played
    )
    return trim_plans(played, size)


def search_game(rules: Rules, iterations: int, seed: int) -> SearchedPlans:
    """Play one deal with `hindsight`; see `core.plan_values.SearchGame`.

    If at most one card is hidden, the solver decides whether the game is won. Plans with fewer than
    `LEAST_VISITS` visits are not recorded, except chosen ones.
    """
    check_plan_rules(rules)
    most = MOST_HIDDEN * min(iterations // LEAST_VISITS + 1, MOST_FIRST)
    plans = SearchedPlans(
        np.full((most, MOST_ACTIVE), NUM_FEATURES, np.int16),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.bool_),
        False,
    )
    states, record = np.zeros(1, STATE), as_record(rules)
    states["rng"] = seed
    kernels.begin(states[0], record[0], DealSource.SEED)
    trees, searches = np.empty(1, TREE), make_search()
    size, won = play_with_search(states, record, iterations, NO_NETWORK, trees, searches, plans)
    ids, visits, positions, chosen = (column[:size] for column in plans[:-1])
    return SearchedPlans(ids, visits, positions, chosen, won)


@jit
def find_plan_to_play(
    states: States,
    rules: RulesRecords,
    network: PlanNetwork,
    most: int,
    trees: np.ndarray,
    searches: np.ndarray,
) -> tuple[int, float]:
    """Return the plan with the highest value from a state, and its logit.

    Plans are listed from the first ``most`` positions.
    """
    tree, search = trees[0], searches[0]
    board, up = read_state(states[0], rules[0], search)
    hidden = cards_face_down(board.columns, search)
    list_open_plans(tree, board, up, most, search)
    ids = np.empty((2, MOST_ACTIVE), np.int16)
    best, logit, _ = find_best_plan(tree, 0, tree["plan_count"], hidden, network, ids, search)
    return best, logit


def choose_plan(states: States, rules: Rules, network: PlanNetwork) -> Plan:
    """Return the plan that a network prefers; see `core.plan_values.ChoosePlan`.

    The plan first looks through the stock, which costs nothing with unlimited passes.
    """
    check_plan_rules(rules)
    state = states[0]
    if not is_stock_known(state):
        return Plan([DEAL], None)
    if not state["shown"]["face_down"].any():
        return Plan([], None)
    trees, searches = np.empty(1, TREE), make_search()
    best, logit = find_plan_to_play(
        states, as_record(rules), network, LISTED_WITH_NETWORK, trees, searches
    )
    if best == NONE:
        return Plan([], 0.0)
    actions = spell_plan(state, rules, trees[0], best, searches[0])
    return Plan(actions, chance_of_winning(logit))


PLAN_VALUES = PlanValues(
    NUM_FEATURES,
    MOST_HIDDEN,
    check_plan_rules,
    play_games,
    choose_plan,
    list_symmetries(),
    search_game,
)
