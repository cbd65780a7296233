"""The compiled iterations of the tree search: select, expand, evaluate, back up."""

from collections.abc import Callable
from functools import cache

import numpy as np

from parlour.envs import Game, find_game
from parlour.envs.core.afterstates import best_legal, find_scorers
from parlour.envs.core.aliases import RulesRecords, Word
from parlour.envs.core.batch import MAX_MOVES
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.kernel.rng import next_random_word, random_below
from parlour.envs.core.legal import count_actions, first_action, has_choice, nth_action

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
    backpropagate,
    combine_keys,
    expand,
    find_action_slots,
    find_slot,
    hash_observation,
    rank_priors,
    record_action,
    result_deviation,
    select_puct,
    select_ucb,
    softmax_priors,
)
from .playout import Guide, playout_kernels

# Most kernels here are inlined into the one that calls them. Compiled one by one, each would
# contain the whole game again, and compilation would take three times as long.

S11 = np.uint64(11)


@cache
def make_iterate(name: str, rule_agent: str | None = None) -> Callable[..., None]:
    """Build a game's kernel ``iterate(trees, rules, guide, plan, rounds, values)``.

    The kernel makes ``rounds`` iterations for every game. ``guide`` ranks actions, plays games on
    and, with `VALUE_TABLE`, values leaves; ``rule_agent`` names the rule-based agent that its
    weights belong to (None: the game's heuristic).

    If a network must evaluate a leaf, the game waits there with ``leaf`` >= 0. The next call begins
    with the answer: ``values``, float64 (n,), and a row of ``logits``.
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
    """Build ``select(trees, i, key, rules, guide, plan)``, which chooses an action at a place."""

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

    It plays a sampled world from the root to a new place of the tree, to the end of the game, or to
    where the tree is full, and records the actions on the way.
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
                    # A place of the searching seat is what it would see there. A place of another
                    # seat is the actions since then, because the searching seat cannot see more.
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

    ``value`` is the answer of the network.
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
