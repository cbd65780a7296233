"""The trees of a search, a table of statistics a game, and the bandit rules that choose by them.

The tree is a hash table. Its keys stand for what the searching seat would see where it acts, so
that different orders of the same moves meet again, and elsewhere for the actions since then; the
statistics belong to an action at such a place. Every world is dealt anew, so which actions are
legal at a place differs from one iteration to the next.
"""

from typing import Any, NamedTuple

import numpy as np

from parlour.envs.core.aliases import ActionSet, Codes, Scores, Seat, Word
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.kernel.rng import GAMMA, S32, finish_word, mix64, random_below
from parlour.envs.core.legal import first_action, has_action, next_action
from parlour.envs.core.rows import copy_states
from parlour.envs.core.turn import Turn
from parlour.envs.core.values import best_legal

MAX_DEPTH = 64
"""Choices that an iteration makes in the tree at most: taking moves back could go on for ever."""
DECAY = 0.5
"""Prior of an action against that of the one ranked just above it."""
KEY_STRIDE = np.uint64(0xD1342543DE82EF95)
"""An odd number, so that what is multiplied by it can be told apart."""
ROOT = np.uint64(1)
"""The key of the position that is searched."""
ONE = np.uint64(1)
NO_PRIOR, RANKED, LOGITS = range(3)
"""Where priors come from: nowhere (UCB1), the player's ranking of actions, a network's logits."""
PLAY_OUT, VALUE_TABLE, VALUE_NETWORK = range(3)
"""Where the worth of a leaf comes from: a game played on, a table of values, a network."""


class SearchConfig(NamedTuple):
    """How a search goes: plain numbers, the same for all its games.

    A player's result is ``scale`` for a point of score and ``bonus`` for a win; of several seats it
    is the net in the game's units. ``explore`` weighs the bonus for what was tried less,
    ``epsilon`` is the share of random moves in a game played out. ``further``: a network's value is
    added to what was scored so far (1) or stands for the whole (0).
    """

    prior: int
    leaf: int
    explore: float
    epsilon: float
    scale: float
    bonus: float
    adds_score: int = 1


class SearchTrees(NamedTuple):
    """The searches of n games, and the room that they need; a slot of a table is an entry or free.

    An entry is a place, whose ``number`` is that of its row of logits, or an action at a place.
    ``moments`` has for each seat how many results came in, their sum and the sum of their squares.
    """

    roots: np.ndarray  # states (n,): as the searching seat may see them
    worlds: np.ndarray  # states (n,): the worlds of this iteration
    codes: np.ndarray  # int8 (n, width): what these show
    seeds: np.ndarray  # uint64 (n,): all chance comes from these
    keys: np.ndarray  # uint64 (n, slots), 0: free
    number: np.ndarray  # int32 (n, slots): of a place, its row of logits
    visits: np.ndarray  # int32 (n, slots)
    available: np.ndarray  # int32 (n, slots): how often the action could have been chosen
    totals: np.ndarray  # float64 (n, slots): of the results for the seat that chose it
    used: np.ndarray  # int64 (n, 2): entries, places
    logits: np.ndarray  # float32 (n, places, actions), or (n, 0, 0)
    path: np.ndarray  # int32 (n, DEPTH): slots of the actions chosen in this iteration
    movers: np.ndarray  # int8 (n, DEPTH): the seats that chose them
    length: np.ndarray  # int64 (n,)
    leaf: np.ndarray  # int64 (n,): the number of the new place, -1: none; see `descent`
    results: np.ndarray  # float64 (n, seats)
    moments: np.ndarray  # float64 (n, seats, 3)
    scores: np.ndarray  # float64 (1, actions), room
    slots: np.ndarray  # int64 (actions,), room
    ids: np.ndarray  # int32, room for the features of a table


def slots_for(room: int) -> int:
    """Return the slots of a table for so many iterations: a power of 2, no more than 3/4 used."""
    return 1 << ((2 * room + 2) * 4 // 3).bit_length()


def make_tree(turn: Turn, rows: np.ndarray, room: int, logits: bool, seed: int) -> SearchTrees:
    """Return the empty trees of some games (``rows`` of a turn), for so many iterations."""
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
        used=np.ones((n, 2), np.int64),  # the root is there already
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
    """Return a word (uint64), not 0, that depends on two words: the finisher of the generator."""
    return finish_word((np.uint64(one) ^ (np.uint64(other) * KEY_STRIDE)) + GAMMA) | ONE


@jit
def hash_observation(codes: Codes) -> Any:
    """Return a word (uint64) for what is shown: FNV-1a by Fowler, Noll and Vo."""
    word = np.uint64(0xCBF29CE484222325)
    for entry in range(len(codes)):
        word = (word ^ np.uint64(np.uint8(codes[entry]))) * np.uint64(0x100000001B3)
    return word


@jit
def find_slot(keys: np.ndarray, key: Word) -> int:
    """Return the slot of a key, or the free one where it would go."""
    last = np.uint64(len(keys) - 1)
    slot = (key >> S32) & last
    while keys[np.int64(slot)] and keys[np.int64(slot)] != key:
        slot = (slot + ONE) & last
    return np.int64(slot)  # type: ignore[return-value]


@jit
def has_room(t: SearchTrees, i: int) -> bool:
    """Whether a game's table takes an action and a place more."""
    return t.used[i, 0] + 2 <= t.keys.shape[1] * 3 // 4


@jit
def add_entry(t: SearchTrees, i: int, key: Word) -> bool:
    """Enter a key; False if it is there, or there is no room."""
    slot = find_slot(t.keys[i], key)
    if t.keys[i, slot] or not has_room(t, i):
        return False
    t.keys[i, slot] = key
    t.available[i, slot] = 1
    t.used[i, 0] += 1
    return True


@jit
def result_deviation(t: SearchTrees, i: int, seat: Seat) -> float:
    """The standard deviation of a seat's results so far; 1 before there are two."""
    times, total, squares = t.moments[i, seat]
    return np.sqrt(max(squares / times - (total / times) ** 2, 1e-12)) if times > 1 else 1.0


@jit
def rank_priors(legal: ActionSet, scores: Scores) -> None:
    """Turn scores of legal actions into priors: `DECAY` for each action that scores higher."""
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
    """Write the softmax of the legal actions' logits."""
    highest, total = logits[best_legal(legal, logits)], 0.0
    for action in range(len(scores)):
        scores[action] = np.exp(logits[action] - highest) if has_action(legal, action) else 0.0
        total += scores[action]
    for action in range(len(scores)):
        scores[action] /= total


@jit
def select_ucb(t: SearchTrees, i: int, legal: ActionSet, unit: float) -> int:
    """Choose by UCB1, with how often each action could be chosen; first what was never tried."""
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
    """Choose by PUCT; what was never tried counts as the mean of the others."""
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
    """Give the results of an iteration to the actions chosen in it."""
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
    """Write how often each action of the roots was tried and what came of it, (n, actions)."""
    for i in range(len(t.roots)):
        for action in range(visits.shape[1]):
            slot = find_slot(t.keys[i], combine_keys(ROOT, action))
            visits[i, action] = t.visits[i, slot]
            means[i, action] = t.totals[i, slot] / max(t.visits[i, slot], 1)
