"""The compiled iterations of the tree search: select, expand, evaluate, back up.

The tree of a game is a hash table. The key of a node where the searching seat acts is the hash of
its observation, so that different orders of the same moves lead to the same node. The key of any
other node is made of the actions since then. Statistics belong to an action at a node. Each
iteration samples another world, so the legal actions at a node differ between iterations.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from parlour.envs import Game, find_game
from parlour.envs.core.afterstates import best_legal, find_scorers
from parlour.envs.core.batch import MAX_MOVES
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.kernel.rng import (
    GAMMA,
    S32,
    finish_word,
    mix64,
    next_random_word,
    random_below,
)
from parlour.envs.core.legal import (
    count_actions,
    first_action,
    has_action,
    has_choice,
    next_action,
    nth_action,
)
from parlour.envs.core.rows import copy_states
from parlour.envs.core.turn import Turn
from parlour.envs.core.type_aliases import ActionSet, Codes, RulesRecords, Scores, Seat, Word

from .playout import Guide, playout_kernels

S11 = np.uint64(11)
MAX_DEPTH = 64
"""Maximum number of choices in the tree per iteration, because moves might be undone forever."""
DECAY = 0.5
"""The prior of an action divided by that of the action ranked just above it."""
KEY_STRIDE = np.uint64(0xD1342543DE82EF95)
"""An odd number: multiplication by it maps different words to different words."""
ROOT = np.uint64(1)
"""Key of the root."""
ONE = np.uint64(1)
NO_PRIOR, RANKED, LOGITS = range(3)
"""Sources of priors: none (UCB1), the player's ranking of actions, a network's logits."""
PLAY_OUT, VALUE_TABLE, VALUE_NETWORK = range(3)
"""Sources of a leaf's value: a game played to its end, a table of values, a network."""


class SearchConfig(NamedTuple):
    """The numbers that control a search, the same for all its games."""

    prior: int
    """Source of priors: NO_PRIOR, RANKED or LOGITS."""
    leaf: int
    """Source of a leaf's value: PLAY_OUT, VALUE_TABLE or VALUE_NETWORK."""
    explore: float
    """Weight of the exploration bonus, in standard deviations of the results."""
    epsilon: float
    """Probability of random moves in games played to their end."""
    scale: float
    """Result per point of score (with several seats, results are nets in reward units)."""
    bonus: float
    """Result of a win."""
    adds_score: int = 1
    """Whether the score so far is added to a network's value (1) or included in it (0)."""


class SearchTrees(NamedTuple):
    """The trees of n games, and the buffers of an iteration.

    A slot of a game's hash table is free or holds an entry: a node, or an action at a node.
    """

    roots: np.ndarray  # states (n,): the positions as the searching seat may see them
    worlds: np.ndarray  # states (n,): the worlds of this iteration
    codes: np.ndarray  # int8 (n, width): the observations in these worlds, a view
    seeds: np.ndarray  # uint64 (n,): the source of all random numbers
    keys: np.ndarray  # uint64 (n, slots): the keys of entries, 0 if free
    number: np.ndarray  # int32 (n, slots): for a node, the number of its row of logits
    visits: np.ndarray  # int32 (n, slots): for an action, how often it was chosen
    available: np.ndarray  # int32 (n, slots): for an action, how often it was available
    totals: np.ndarray  # float64 (n, slots): for an action, the sum of the results of its seat
    used: np.ndarray  # int64 (n, 2): the numbers of entries and of nodes
    logits: np.ndarray  # float32 (n, nodes, actions), or (n, 0, actions) without a network
    path: np.ndarray  # int32 (n, MAX_DEPTH): the slots of the actions of this iteration
    movers: np.ndarray  # int8 (n, MAX_DEPTH): the seats that chose them
    length: np.ndarray  # int64 (n,): the number of these actions
    leaf: np.ndarray  # int64 (n,): the number of the node added in this iteration, or -1
    results: np.ndarray  # float64 (n, seats): the results of this iteration
    moments: np.ndarray  # float64 (n, seats, 3): number, sum and sum of squares of the results
    scores: np.ndarray  # float64 (1, actions): buffer for scores and priors
    slots: np.ndarray  # int64 (actions,): buffer for the slots of the legal actions
    ids: np.ndarray  # int32: buffer for the features of a table


def slots_for(room: int) -> int:
    """Return the number of slots for ``room`` iterations: a power of 2, at most 3/4 of it used."""
    return 1 << ((2 * room + 2) * 4 // 3).bit_length()


def make_tree(turn: Turn, rows: np.ndarray, room: int, logits: bool, seed: int) -> SearchTrees:
    """Return empty trees for some rows of a turn, with room for a number of iterations."""
    game, n, slots = turn.game, len(rows), slots_for(room)
    assert game.state.fields is not None
    first, width = game.state.fields["shown"][1], game.features.width
    worlds = np.zeros(n, game.state)
    return SearchTrees(
        roots=copy_states(turn.states, rows),
        worlds=worlds,
        codes=worlds.view(np.int8).reshape(n, game.state.itemsize)[:, first : first + width],
        seeds=mix64(mix64(turn.seeds[rows]) ^ np.uint64(seed)),
        keys=np.zeros((n, slots), np.uint64),
        number=np.zeros((n, slots), np.int32),
        visits=np.zeros((n, slots), np.int32),
        available=np.zeros((n, slots), np.int32),
        totals=np.zeros((n, slots)),
        used=np.ones((n, 2), np.int64),  # the root is a node
        logits=np.zeros((n, room + 2 if logits else 0, game.actions), np.float32),
        path=np.zeros((n, MAX_DEPTH), np.int32),
        movers=np.zeros((n, MAX_DEPTH), np.int8),
        length=np.zeros(n, np.int64),
        leaf=np.full(n, -1),
        results=np.zeros((n, game.max_players)),
        moments=np.zeros((n, game.max_players, 3)),
        scores=np.zeros((1, game.actions)),
        slots=np.zeros(game.actions, np.int64),
        ids=np.zeros(game.afterstates.max_active if game.afterstates else 1, np.int32),
    )


@jit
def combine_keys(one: Word, other: Word) -> Word:
    """Return a hash of two words, uint64 and never 0, by the finisher of the random generator."""
    return finish_word((np.uint64(one) ^ (np.uint64(other) * KEY_STRIDE)) + GAMMA) | ONE


@jit
def hash_observation(codes: Codes) -> Any:
    """Return a hash of an observation, uint64: FNV-1a by Fowler, Noll and Vo."""
    word = np.uint64(0xCBF29CE484222325)
    for entry in range(len(codes)):
        word = (word ^ np.uint64(np.uint8(codes[entry]))) * np.uint64(0x100000001B3)
    return word


@jit
def find_slot(keys: np.ndarray, key: Word) -> int:
    """Return the slot of a key, or the free slot where it belongs."""
    last = np.uint64(len(keys) - 1)
    slot = (key >> S32) & last
    while keys[np.int64(slot)] and keys[np.int64(slot)] != key:
        slot = (slot + ONE) & last
    return np.int64(slot)  # type: ignore[return-value]


@jit
def has_room(t: SearchTrees, i: int) -> bool:
    """Return whether a game's table has room for an action and a node."""
    return t.used[i, 0] + 2 <= t.keys.shape[1] * 3 // 4


@jit
def add_entry(t: SearchTrees, i: int, key: Word) -> bool:
    """Add a key to a game's table; return False if it is already there or the table is full."""
    slot = find_slot(t.keys[i], key)
    if t.keys[i, slot] or not has_room(t, i):
        return False
    t.keys[i, slot] = key
    t.available[i, slot] = 1
    t.used[i, 0] += 1
    return True


@jit
def result_deviation(t: SearchTrees, i: int, seat: Seat) -> float:
    """Return the standard deviation of a seat's results so far; 1 if there are fewer than two."""
    times, total, squares = t.moments[i, seat]
    return np.sqrt(max(squares / times - (total / times) ** 2, 1e-12)) if times > 1 else 1.0


@jit(inline="always")
def find_action_slots(t: SearchTrees, i: int, key: Word, legal: ActionSet) -> None:
    """Write the slots of the legal actions at a node, and count that they were available."""
    action = first_action(legal)
    while action >= 0:
        slot = find_slot(t.keys[i], combine_keys(key, action))
        t.slots[action] = slot
        if t.keys[i, slot]:
            t.available[i, slot] += 1
        action = next_action(legal, action)


@jit(inline="always")
def expand(t: SearchTrees, i: int, key: Word) -> bool:
    """Add a node as this iteration's leaf; return False if it exists or the table is full."""
    if not add_entry(t, i, key):
        return False
    t.number[i, find_slot(t.keys[i], key)] = t.used[i, 1]
    t.leaf[i] = t.used[i, 1]
    t.used[i, 1] += 1
    return True


@jit(inline="always")
def record_action(t: SearchTrees, i: int, key: Word, depth: int) -> bool:
    """Record the action of a key on this iteration's path; return False if the table is full."""
    slot = find_slot(t.keys[i], key)
    if t.keys[i, slot] == 0 and not add_entry(t, i, key):
        return False
    t.path[i, depth] = slot
    t.movers[i, depth] = t.worlds[i]["turn"]
    return True


@jit
def rank_priors(legal: ActionSet, scores: Scores) -> None:
    """Replace the scores of legal actions by priors: `DECAY` to the power of the action's rank."""
    ranks, total = np.empty(len(scores)), 0.0
    action = first_action(legal)
    while action >= 0:
        above, other = 0, first_action(legal)
        while other >= 0:
            above += scores[other] > scores[action]
            other = next_action(legal, other)
        ranks[action] = DECAY**above
        total += ranks[action]
        action = next_action(legal, action)
    action = first_action(legal)
    while action >= 0:
        scores[action] = ranks[action] / total
        action = next_action(legal, action)


@jit
def softmax_priors(legal: ActionSet, logits: np.ndarray, scores: Scores) -> None:
    """Write the softmax of the legal actions' logits to ``scores``."""
    highest, total = logits[best_legal(legal, logits)], 0.0
    for action in range(len(scores)):
        scores[action] = np.exp(logits[action] - highest) if has_action(legal, action) else 0.0
        total += scores[action]
    for action in range(len(scores)):
        scores[action] /= total


@jit
def select_ucb(t: SearchTrees, i: int, legal: ActionSet, unit: float) -> int:
    """Select an action by UCB1 for subset-armed bandits; untried actions come first."""
    s, best, bound, untried = t.worlds[i], -1, 0.0, 0
    action = first_action(legal)
    while action >= 0:
        slot = t.slots[action]
        visits = t.visits[i, slot]
        if visits == 0:
            untried += 1
            if random_below(s, untried) == 0:
                best = action
        elif untried == 0:
            mean = t.totals[i, slot] / visits
            worth = mean + unit * np.sqrt(np.log(t.available[i, slot]) / visits)
            if best < 0 or worth > bound:
                best, bound = action, worth
        action = next_action(legal, action)
    return best


@jit
def select_puct(t: SearchTrees, i: int, legal: ActionSet, unit: float) -> int:
    """Select an action by PUCT; untried actions have the mean value of the others."""
    tried, total = 0, 0.0
    action = first_action(legal)
    while action >= 0:
        slot = t.slots[action]
        tried += t.visits[i, slot]
        total += t.totals[i, slot]
        action = next_action(legal, action)
    default = total / tried if tried else 0.0
    root = np.sqrt(tried + 1.0)
    best, bound = -1, 0.0
    action = first_action(legal)
    while action >= 0:
        slot = t.slots[action]
        visits = t.visits[i, slot]
        mean = t.totals[i, slot] / visits if visits else default
        worth = mean + unit * t.scores[0, action] * root / (1 + visits)
        if best < 0 or worth > bound:
            best, bound = action, worth
        action = next_action(legal, action)
    return best


@jit
def backpropagate(t: SearchTrees, i: int) -> None:
    """Add the results of an iteration to the statistics of its actions."""
    for k in range(t.length[i]):
        slot = t.path[i, k]
        t.visits[i, slot] += 1
        t.totals[i, slot] += t.results[i, t.movers[i, k]]
    for seat in range(t.results.shape[1]):
        result = t.results[i, seat]
        t.moments[i, seat, 0] += 1
        t.moments[i, seat, 1] += result
        t.moments[i, seat, 2] += result * result


@jit
def root_statistics(t: SearchTrees, visits: np.ndarray, means: np.ndarray) -> None:
    """Write the number of visits of the roots' actions and their mean results, (n, actions)."""
    for i in range(len(t.roots)):
        for action in range(visits.shape[1]):
            slot = find_slot(t.keys[i], combine_keys(ROOT, action))
            visits[i, action] = t.visits[i, slot]
            means[i, action] = t.totals[i, slot] / max(t.visits[i, slot], 1)


# The iterations of a game.
#
# Most kernels here are inlined into their caller. Compiled separately, each would contain the whole
# game again, and compilation would take three times as long.


@cache
def make_iterate(name: str, rule_agent: str | None = None) -> Callable[..., None]:
    """Build a game's kernel ``iterate(trees, rules, guide, plan, rounds, values)``.

    The kernel runs ``rounds`` iterations for every game. ``guide`` ranks actions, plays games to
    their end and, with `VALUE_TABLE`, evaluates leaves. ``rule_agent`` names the rule-based agent
    that its weights belong to (None: the game's heuristic).

    If a network must evaluate a leaf, the game waits there with ``leaf`` >= 0. The next call begins
    with the result: ``values``, float64 (n,), and a row of ``logits``.
    """
    game = find_game(name)
    rate = playout_kernels(name, rule_agent).rate
    descend = _make_descend(game, _make_select(rate))
    evaluate = _make_evaluate(game, rate)

    @jit
    def iterate(
        t: SearchTrees,
        rules: RulesRecords,
        guide: Guide,
        plan: SearchConfig,
        rounds: int,
        values: np.ndarray,
    ) -> None:
        asks_network = plan.prior == LOGITS or plan.leaf == VALUE_NETWORK
        for i in range(len(t.roots)):
            left = rounds
            is_answered = asks_network and t.leaf[i] >= 0
            while left or is_answered:
                if not is_answered:
                    left -= 1
                    descend(t, i, rules, guide, plan)
                    if asks_network and t.leaf[i] >= 0:
                        break
                evaluate(t, i, rules, guide, plan, values[i])
                backpropagate(t, i)
                t.leaf[i] = -1
                is_answered = False

    return iterate


def _make_select(rate: Callable[..., None]) -> Callable[..., int]:
    """Build ``select(trees, i, key, rules, guide, plan)``, which chooses an action at a node."""

    @jit(inline="always")
    def select(
        t: SearchTrees, i: int, key: Word, rules: RulesRecords, guide: Guide, plan: SearchConfig
    ) -> int:
        s = t.worlds[i]
        legal = s["legal"]
        find_action_slots(t, i, key, legal)
        unit = plan.explore * result_deviation(t, i, s["turn"])
        if plan.prior == NO_PRIOR:
            return select_ucb(t, i, legal, unit)
        if plan.prior == RANKED:
            rate(t.worlds[i : i + 1], rules, guide, t.ids, t.scores)
            rank_priors(legal, t.scores[0])
        else:
            place = t.number[i, find_slot(t.keys[i], key)]
            softmax_priors(legal, t.logits[i, place], t.scores[0])
        return select_puct(t, i, legal, unit)

    return select


def _make_descend(game: Game, select: Callable[..., int]) -> Callable[..., None]:
    """Build ``descend(trees, i, rules, guide, plan)``.

    The function plays a sampled world from the root to a new node of the tree, to the end of the
    game, or to where the tree is full. It records the actions on the path.
    """
    step, resample_rows, actions = game.kernels.step, game.resample_rows, game.actions

    @jit(inline="always")
    def descend(
        t: SearchTrees, i: int, rules: RulesRecords, guide: Guide, plan: SearchConfig
    ) -> None:
        t.worlds[i] = t.roots[i]
        s = t.worlds[i]
        seat, key, length = s["turn"], ROOT, 0
        t.leaf[i] = -1
        while s["over"] == 0 and s["moves"] < MAX_MOVES and length < MAX_DEPTH:
            legal = s["legal"]
            if not has_choice(legal):
                action = first_action(legal)
                key = combine_keys(key, action)
            else:
                if length > 0:
                    # The key of a node of the searching seat is its observation. The key of another
                    # seat's node is the actions since then: the searching seat sees no more.
                    if s["turn"] == seat:
                        key = hash_observation(t.codes[i])
                    key = combine_keys(key, actions)
                    if expand(t, i, key):
                        break
                action = select(t, i, key, rules, guide, plan)
                key = combine_keys(key, action)
                if not record_action(t, i, key, length):
                    break
                if length == 0:  # for a fair trial, the k-th world is the same for all actions
                    s["rng"] = combine_keys(t.seeds[i], t.visits[i, t.path[i, 0]])
                    resample_rows(t.worlds[i : i + 1], rules, seat)
                length += 1
            step(s, rules[0], action)
        t.length[i] = length

    return descend


def _make_evaluate(game: Game, rate: Callable[..., None]) -> Callable[..., None]:
    """Build ``evaluate(trees, i, rules, guide, plan, value)``, which writes a leaf's results.

    ``value`` is the value from the network.
    """
    step = game.kernels.step
    score_afterstates, state_value = find_scorers(game.afterstates)
    write_results = _make_write_results(game)

    @jit(inline="always")
    def play_out(
        t: SearchTrees, i: int, rules: RulesRecords, guide: Guide, plan: SearchConfig
    ) -> None:
        s = t.worlds[i]
        while s["over"] == 0 and s["moves"] < MAX_MOVES:
            legal = s["legal"]
            if not has_choice(legal):
                action = first_action(legal)
            elif plan.epsilon > 0 and (next_random_word(s) >> S11) * 2.0**-53 < plan.epsilon:
                action = nth_action(legal, random_below(s, count_actions(legal)))
            else:
                rate(t.worlds[i : i + 1], rules, guide, t.ids, t.scores)
                action = best_legal(legal, t.scores[0])
            step(s, rules[0], action)
        write_results(t, i, rules, plan)

    @jit(inline="always")
    def value_by_table(
        t: SearchTrees, i: int, rules: RulesRecords, guide: Guide, plan: SearchConfig
    ) -> None:
        s = t.worlds[i]
        score_afterstates(s, rules[0], guide.table, t.ids, t.scores[0])
        best = t.scores[0, best_legal(s["legal"], t.scores[0])]
        points = state_value(s, rules[0], guide.table, t.ids) + best
        t.results[i, 0] = points * plan.scale

    @jit(inline="always")
    def evaluate(
        t: SearchTrees,
        i: int,
        rules: RulesRecords,
        guide: Guide,
        plan: SearchConfig,
        value: float,
    ) -> None:
        s = t.worlds[i]
        if s["over"] or plan.leaf == PLAY_OUT or (plan.leaf == VALUE_NETWORK and t.leaf[i] < 0):
            play_out(t, i, rules, guide, plan)
        elif plan.leaf == VALUE_TABLE:
            value_by_table(t, i, rules, guide, plan)
        else:
            t.results[i, 0] = value + plan.adds_score * s["score"] * plan.scale

    return evaluate


def _make_write_results(game: Game) -> Callable[..., None]:
    """Build ``write_results(trees, i, rules, plan)`` for the results of a finished game."""

    @jit
    def write_one(t: SearchTrees, i: int, rules: RulesRecords, plan: SearchConfig) -> None:
        s = t.worlds[i]
        t.results[i, 0] = s["score"] * plan.scale + s["won"] * plan.bonus

    if game.seats is None:
        return write_one
    unit = game.seats.reward_unit

    @jit
    def write_all(t: SearchTrees, i: int, rules: RulesRecords, plan: SearchConfig) -> None:
        if rules[0].players == 1:
            write_one(t, i, rules, plan)
            return
        for seat in range(rules[0].players):
            t.results[i, seat] = t.worlds[i]["net"][seat] / unit(rules[0])

    return write_all
