"""Klondike: values of plans, estimated by a learned network.

A *plan* ends when it turns a card up; see `hindsight`. The network reads the position after the
plan, with the turned-up card still unknown. Equivalent positions have the same features: these
ignore the order of the columns, and if cards may come back from the foundations, every loose card
that can go up counts as up; see `solver.position` for these terms.
"""

from itertools import product

import numpy as np

from ...core.batch import DealSource
from ...core.contract import WINNABLE, Plan
from ...core.kernel.bits import count, lowest
from ...core.kernel.jit import jit
from ...core.kernel.rng import GAMMA, finish_word
from ...core.options import as_record
from ...core.plan_values import (
    PlanNetwork,
    PlanValues,
    PlayedPlans,
    allocate_plans,
    chance_of_winning,
    evaluate_features,
    is_explored,
    trim_plans,
)
from ...core.type_aliases import FeatureIds, RulesRecords, States
from .heuristic import is_stock_known
from .hindsight import (
    CARDS,
    MOST_HIDDEN,
    NONE,
    S32,
    TREE,
    Tree,
    add_node,
    cards_face_down,
    check_rules,
    count_hidden,
    list_plans,
    spell_plan,
)
from .kernel import kernels
from .rules import DEAL, STATE, Rules
from .solver.card_sets import (
    ALL_CARDS,
    CARD_AT,
    FIRST_TWINS,
    KINGS,
    PLACE,
    RANKS,
    SUITS,
    cards_next,
    cards_up,
    height,
    open_pairs,
    suit_of,
)
from .solver.depth_first import board_after, decide_winnable, number_of, up_after
from .solver.position import (
    COLUMNS,
    LONGEST_COLUMN,
    STOCK,
    Board,
    Search,
    left_in,
    list_reachable,
    make_search,
    read_board,
)
from .solver.solve import read_state

LISTED = 300
"""Number of positions from which plans are listed in play."""
LISTED_IN_TRAINING = 100
"""Number of positions from which plans are listed in training, which takes half the time."""
END_LIMIT = 200_000
"""Maximum number of positions that the solver visits in training if no card is hidden."""

PHASES = 3
"""Places of a card in the stock: it can be taken, or it is the first or another card of a turn."""
HEADS = 0
TURNING = HEADS + CARDS * LONGEST_COLUMN
HEIGHTS = TURNING + LONGEST_COLUMN
LOOSE = HEIGHTS + SUITS * (RANKS + 1)
IN_STOCK = LOOSE + CARDS
STOCK_SIZE = IN_STOCK + PHASES * CARDS
HIDDEN = STOCK_SIZE + STOCK + 1
EMPTY = HIDDEN + CARDS
OPEN = EMPTY + COLUMNS + 1
NUM_FEATURES = OPEN + CARDS // 2
"""First numbers of the features: heads by the number of cards below them; the number of cards below
the one that is turned up; the heights of the foundations; loose cards; cards of the stock by their
place; the size of the stock; face-down cards; the number of empty columns; open pairs."""
MOST_ACTIVE = CARDS + SUITS + 1 + 1 + 1 + CARDS // 2
"""Largest number of features of a position: one for each card, and those of the other kinds."""


# Features


@jit
def raise_loose(known: int, heads: int, up: int) -> int:
    """Return the foundations after all loose cards have gone up that can.

    Args:
        known: Visible cards of the tableau, and the cards that are up.
        heads: The heads.
        up: The foundations.
    """
    while True:
        visible = known & ~cards_up(up)
        loose = visible & ~heads
        rises = loose & cards_next(up) & open_pairs(visible, loose)
        if rises == 0:
            return up
        up += 1 << 4 * suit_of(lowest(rises))


@jit
def add_ids(ids: FeatureIds, size: int, first: int, cards: int) -> int:
    """Add the feature ``first + bit`` for each bit of a set, and return the new length."""
    while cards:
        ids[size] = first + lowest(cards)
        size += 1
        cards &= cards - 1
    return size


@jit
def write_features(
    board: Board, up: int, turning: int, hidden: int, search: Search, ids: FeatureIds
) -> int:
    """Write the features of a position in which a card is about to be turned up.

    Args:
        board: The board.
        up: The foundations.
        turning: The column of the card that is turned up.
        hidden: The face-down cards, including that card.
        search: A solver's search with the cards of the position.
        ids: Written: the features, int16 (`MOST_ACTIVE`,).

    Returns:
        The number of features.
    """
    stock, size, heads, num_free = list_reachable(board, search), 0, 0, 0
    for column in range(COLUMNS):
        left = left_in(board.columns, column)
        if left == 0:
            num_free += 1
        elif column == turning:
            ids[size] = TURNING + left - 1
            size += 1
        else:
            head = search["dealt"][column, left - 1]
            heads |= head
            ids[size] = HEADS + lowest(head) * LONGEST_COLUMN + left - 1
            size += 1
    known = ALL_CARDS & ~hidden & ~stock
    if search["worry_back"]:
        up = raise_loose(known, heads, up)
    visible = known & ~cards_up(up)
    loose = visible & ~heads
    for suit in range(SUITS):
        ids[size] = HEIGHTS + suit * (RANKS + 1) + height(up, suit)
        size += 1
    size = add_ids(ids, size, LOOSE, loose)
    reachable = 0
    for row in range(search["reached"]):
        reachable |= search["reach"][row]["card"]
    rest, place = board.stock, 0
    while rest:
        card = search["cards"][lowest(rest)]
        rest &= rest - 1
        ahead = place - board.waste if place >= board.waste else place
        phase = 0 if card & reachable else 1 + min(ahead % search["draw"], 1)
        ids[size] = IN_STOCK + phase * CARDS + lowest(card)
        size += 1
        place += 1
    ids[size] = STOCK_SIZE + place
    ids[size + 1] = EMPTY + max(num_free - count(loose & KINGS), 0)
    size = add_ids(ids, size + 2, HIDDEN, hidden)
    pairs = open_pairs(visible, loose) & FIRST_TWINS
    while pairs:
        ids[size] = OPEN + lowest(pairs) // 2
        size += 1
        pairs &= pairs - 1
    return size


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
        plan = tree["plans"][number]
        before, commit = read_board(plan), plan["commit"]
        board, up = board_after(before, commit, search), up_after(before, commit, search)
        num_ids = write_features(board, up, number_of(commit), hidden, search, ids[1])
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
    best, logit = find_plan_to_play(states, as_record(rules), network, LISTED, trees, searches)
    if best == NONE:
        return Plan([], 0.0)
    actions = spell_plan(state, rules, trees[0], best, searches[0])
    return Plan(actions, chance_of_winning(logit))


PLAN_VALUES = PlanValues(
    NUM_FEATURES, MOST_HIDDEN, check_plan_rules, play_games, choose_plan, list_symmetries()
)
