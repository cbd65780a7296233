"""What one iteration of the tree search does, compiled for each game: down, evaluate, back up."""

from collections.abc import Callable
from functools import cache

import numpy as np

from parlour.envs import find_game
from parlour.envs.core.aliases import RulesRecords, Table, Weights, Word
from parlour.envs.core.batch import MAX_MOVES
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.kernel.rng import next_random_word, random_below
from parlour.envs.core.legal import (
    count_actions,
    first_action,
    has_choice,
    next_action,
    nth_action,
)
from parlour.envs.core.values import best_legal, find_scorers

from .mcts_tree import (
    LOGITS,
    MAX_DEPTH,
    NO_PRIOR,
    PLAY_OUT,
    RANKED,
    ROOT,
    VALUE_NETWORK,
    VALUE_TABLE,
    SearchConfig,
    SearchTrees,
    add_entry,
    backpropagate,
    combine_keys,
    find_slot,
    hash_observation,
    rank_priors,
    result_deviation,
    select_puct,
    select_ucb,
    softmax_priors,
)

# Most kernels here are copied into the one that calls them: compiled one by one, each would take in
# the whole game again, and compiling would last three times as long.

S11 = np.uint64(11)


@cache
def make_iterate(name: str, rule_agent: str | None = None) -> Callable[..., None]:
    """Build a game's ``iterate(tree, rules, weights, table, plan, rounds, values)``.

    It makes so many iterations for every game. ``weights`` are the heuristic's: the game's own or
    the rule agent named by ``rule_agent``. ``table`` is one of values, by which actions are ranked,
    games played on and, with `VALUE_TABLE`, leaves valued; empty: the heuristic does it. Where a
    network is to be asked of a leaf (``leaf`` of the tree is not -1) a game waits there, and the
    next call begins with its answer: ``values``, float64 (n,), and a row of ``logits``.
    """
    game = find_game(name)
    step, resample_rows, actions = game.kernels.step, game.resample_rows, game.actions
    score_rows = game.score_rows if rule_agent is None else game.rule_agents[rule_agent]
    score_afterstates, state_value = find_scorers(game.afterstates)

    @jit
    def reckon_alone(t: SearchTrees, i: int, rules: RulesRecords, plan: SearchConfig) -> None:
        s = t.worlds[i]
        t.results[i, 0] = s["score"] * plan.scale + s["won"] * plan.bonus

    if game.seats is None:
        reckon = reckon_alone
    else:
        unit = game.seats.reward_unit

        @jit
        def reckon(t: SearchTrees, i: int, rules: RulesRecords, plan: SearchConfig) -> None:
            if rules[0].players == 1:
                reckon_alone(t, i, rules, plan)
                return
            for seat in range(rules[0].players):
                t.results[i, seat] = t.worlds[i]["net"][seat] / unit(rules[0])

    @jit
    def score(t: SearchTrees, i: int, rules: RulesRecords, weights: Weights, table: Table) -> None:
        for action in range(actions):
            t.scores[0, action] = 0.0
        if len(table):
            score_afterstates(t.worlds[i], rules[0], table, t.ids, t.scores[0])
        else:
            score_rows(t.worlds[i : i + 1], rules, weights, t.scores)

    @jit(inline="always")
    def value_leaf(
        t: SearchTrees, i: int, rules: RulesRecords, table: Table, plan: SearchConfig
    ) -> None:
        s = t.worlds[i]
        score_afterstates(s, rules[0], table, t.ids, t.scores[0])
        best = t.scores[0, best_legal(s["legal"], t.scores[0])]
        points = state_value(s, rules[0], table, t.ids) + best
        t.results[i, 0] = points * plan.scale

    @jit(inline="always")
    def play_out(
        t: SearchTrees,
        i: int,
        rules: RulesRecords,
        weights: Weights,
        table: Table,
        plan: SearchConfig,
    ) -> None:
        s = t.worlds[i]
        while s["over"] == 0 and s["moves"] < MAX_MOVES:
            legal = s["legal"]
            if not has_choice(legal):
                action = first_action(legal)
            elif plan.epsilon > 0 and (next_random_word(s) >> S11) * 2.0**-53 < plan.epsilon:
                action = nth_action(legal, random_below(s, count_actions(legal)))
            else:
                score(t, i, rules, weights, table)
                action = best_legal(legal, t.scores[0])
            step(s, rules[0], action)
        reckon(t, i, rules, plan)

    @jit(inline="always")
    def select(
        t: SearchTrees,
        i: int,
        key: Word,
        rules: RulesRecords,
        weights: Weights,
        table: Table,
        plan: SearchConfig,
    ) -> int:
        s = t.worlds[i]
        legal = s["legal"]
        action = first_action(legal)
        while action >= 0:
            slot = find_slot(t.keys[i], combine_keys(key, action))
            t.slots[action] = slot
            if t.keys[i, slot]:
                t.available[i, slot] += 1
            action = next_action(legal, action)
        unit = plan.explore * result_deviation(t, i, s["turn"])
        if plan.prior == NO_PRIOR:
            return select_ucb(t, i, legal, unit)
        if plan.prior == RANKED:
            score(t, i, rules, weights, table)
            rank_priors(legal, t.scores[0])
        else:
            place = t.number[i, find_slot(t.keys[i], key)]
            softmax_priors(legal, t.logits[i, place], t.scores[0])
        return select_puct(t, i, legal, unit)

    @jit(inline="always")
    def walk(
        t: SearchTrees,
        i: int,
        rules: RulesRecords,
        weights: Weights,
        table: Table,
        plan: SearchConfig,
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
                    # The searching seat's places are what it would see there; others' are what was
                    # done since, for the searching seat does not see their cards.
                    key = combine_keys(
                        hash_observation(t.codes[i]) if s["turn"] == seat else key, actions
                    )
                    if add_entry(t, i, key):
                        t.number[i, find_slot(t.keys[i], key)] = t.used[i, 1]
                        t.leaf[i] = t.used[i, 1]
                        t.used[i, 1] += 1
                        break
                action = select(t, i, key, rules, weights, table, plan)
                key = combine_keys(key, action)
                slot = find_slot(t.keys[i], key)
                if t.keys[i, slot] == 0 and not add_entry(t, i, key):
                    break
                t.path[i, length] = slot
                t.movers[i, length] = s["turn"]
                if length == 0:  # the k-th world is the same one for all actions: a fair trial
                    s["rng"] = combine_keys(t.seeds[i], t.visits[i, slot])
                    resample_rows(t.worlds[i : i + 1], rules, seat)
                length += 1
            step(s, rules[0], action)
        t.length[i] = length

    @jit(inline="always")
    def value(
        t: SearchTrees,
        i: int,
        rules: RulesRecords,
        weights: Weights,
        table: Table,
        plan: SearchConfig,
        found: float,
    ) -> None:
        s = t.worlds[i]
        if s["over"] or plan.leaf == PLAY_OUT or (plan.leaf == VALUE_NETWORK and t.leaf[i] < 0):
            play_out(t, i, rules, weights, table, plan)
        elif plan.leaf == VALUE_TABLE:
            value_leaf(t, i, rules, table, plan)
        else:
            t.results[i, 0] = found + plan.adds_score * s["score"] * plan.scale
        backpropagate(t, i)

    @jit
    def iterate(
        t: SearchTrees,
        rules: RulesRecords,
        weights: Weights,
        table: Table,
        plan: SearchConfig,
        rounds: int,
        values: np.ndarray,
    ) -> None:
        asks = plan.prior == LOGITS or plan.leaf == VALUE_NETWORK
        for i in range(len(t.roots)):
            left = rounds
            answered = asks and t.leaf[i] >= 0
            while left or answered:
                if not answered:
                    left -= 1
                    walk(t, i, rules, weights, table, plan)
                    if asks and t.leaf[i] >= 0:
                        break
                value(t, i, rules, weights, table, plan, values[i])
                t.leaf[i] = -1
                answered = False

    return iterate
