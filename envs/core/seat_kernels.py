"""Kernels of the rows of one seat: whose turn it is, and the turns of opponents by rule or chance.

What a baseline (`core.baselines`) would choose is chosen here without asking it: the same action
from the same state and seed, without a NumPy array for each turn.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .aliases import Action, RulesRecord, RulesRecords, Scores, State, States, Word
from .batch import RULES_BITS, Over
from .contract import BatchKernels, Buffers, ScoreRows
from .kernel.jit import jit
from .kernel.rng import GAMMA, finish_word
from .keys import S32, sip_hash
from .legal import count_actions, first_action, has_action, nth_action

ASKED, UNIFORM, SCORED = -1, 0, 1
"""Kinds of agents: asked in Python; uniform; from SCORED on the scorers, one after another."""
S11 = np.uint64(11)

PlayTurns = Callable[..., tuple[int, int]]
"""What `make_play_turns` returns."""


@jit
def sort_rows(
    states: States,
    which: np.ndarray,
    running: np.ndarray,
    untold: np.ndarray,
    ended: np.ndarray,
    own_steps: np.ndarray,
    rewards: np.ndarray,
    played: np.ndarray,
) -> tuple[bool, bool]:
    """Sort the rows in ``which``: running, ended before their seat's turn, or ended.

    All arrays are (n,). Counts a step of running rows in ``own_steps``; clears rewards and actions.
    Returns whether any are untold, and whether any have ended.
    """
    any_untold = any_ended = False
    for i in range(len(states)):
        over = states[i]["over"]
        running[i] = which[i] and over == Over.RUNNING
        own_steps[i] += running[i]
        untold[i] = which[i] and over == Over.ENDED_BEFORE_TURN
        ended[i] = which[i] and over != Over.RUNNING and over != Over.ENDED_BEFORE_TURN
        any_untold |= untold[i]
        any_ended |= ended[i]
        if which[i]:
            rewards[i] = 0.0
            played[i] = -1
    return any_untold, any_ended


@jit
def hold_ends(
    states: States,
    which: np.ndarray,
    own_steps: np.ndarray,
    rewards: np.ndarray,
    played: np.ndarray,
    buffers: Buffers,
) -> None:
    """Let rows that are over before their seat's turn wait for its step; nothing is paid yet."""
    for i in range(len(states)):
        if which[i]:
            if states[i]["over"] != Over.RUNNING:
                states[i]["over"] = Over.ENDED_BEFORE_TURN
            own_steps[i] = 0
            rewards[i] = 0.0
            played[i] = -1
            buffers.terminated[i] = False


@jit
def add_own(buffers: Buffers, which: np.ndarray, own: np.ndarray, rewards: np.ndarray) -> None:
    """Add what the last step paid the seats ``own`` to ``rewards``, in the rows in ``which``."""
    for i in range(len(which)):
        if which[i]:
            rewards[i] += buffers.rewards[i, own[i]]


@jit
def tell_ends(
    states: States,
    which: np.ndarray,
    own_steps: np.ndarray,
    max_steps: int,
    told: np.ndarray,
    buffers: Buffers,
) -> bool:
    """Truncate rows at the limit of their own steps, and report which rows in ``which`` are over.

    Writes ``told`` and the flags in ``buffers``; ``max_steps`` is 0 for no limit. In a truncated
    row it is the seat's turn, so its mask and observation are already right. Returns whether any
    row is over.
    """
    found = False
    for i in range(len(states)):
        told[i] = False
        if which[i]:
            s = states[i]
            if s["over"] == Over.RUNNING and max_steps and own_steps[i] >= max_steps:
                s["over"] = Over.TRUNCATED
            told[i] = s["over"] != Over.RUNNING
            buffers.truncated[i] = s["over"] == Over.TRUNCATED
            buffers.terminated[i] = told[i] and not buffers.truncated[i]
            found |= told[i]
    return found


@jit
def draw_by_seed(s: State, k0: Word, k1: Word, salt: Word) -> Action:
    """Return the action of `UniformAgent` with that seed, by the key of the row."""
    place = np.uint64(s["steps"]) | (np.uint64(s["turn"]) << S32)  # as `keys.turn_seeds`
    word = finish_word(sip_hash(k0, k1, s["rng"], place) + GAMMA)
    word = finish_word((word ^ salt) + GAMMA)
    share = np.float64(word >> S11) * 2.0**-53
    legal = s["legal"]
    return nth_action(legal, int(share * count_actions(legal)))


def _chain(scorers: Sequence[ScoreRows]) -> Any:
    """One kernel that calls the scorer of a number: compiled code has no table of functions."""
    first = scorers[0]
    if len(scorers) == 1:

        @jit
        def score_last(
            number: int, states: States, rules: RulesRecords, weights: np.ndarray, scores: Scores
        ) -> None:
            first(states, rules, weights, scores)

        return score_last
    rest = _chain(scorers[1:])

    @jit
    def score(
        number: int, states: States, rules: RulesRecords, weights: np.ndarray, scores: Scores
    ) -> None:
        if number == 0:
            first(states, rules, weights, scores)
        else:
            rest(number - 1, states, rules, weights, scores)

    return score


def make_play_turns(kernels: BatchKernels, scorers: Sequence[ScoreRows]) -> PlayTurns:
    """Build a game's kernel of its baselines' turns; ``scorers``: the heuristic, rule agents.

    It plays, in the rows in ``which``, the action of one's own seat if ``own_acts``, and then the
    turns of baselines up to one's own next turn, that of an agent who is to be asked, or the end.
    ``rewards`` and ``played``, (n,), are one's own; a `baselines.TurnTable` has ``kinds`` and what
    follows. Returns in how many rows somebody is to be asked, and how many are over.
    """
    advance, write_mask, score = kernels.advance, kernels.write_mask, _chain(scorers)

    @jit
    def choose_best(
        states: States, records: RulesRecords, number: int, weights: np.ndarray, scores: Scores
    ) -> Action:
        for action in range(scores.shape[1]):
            scores[0, action] = 0.0
        score(number, states, records, weights, scores)
        legal = states[0]["legal"]
        best = first_action(legal)
        for action in range(best + 1, scores.shape[1]):
            if has_action(legal, action) and scores[0, action] > scores[0, best]:
                best = action
        return best

    @jit
    def play_seat(s: State, rules: RulesRecord, config: Any, action: Action, paid: Any) -> Action:
        for seat in range(len(paid)):
            paid[seat] = 0.0
        return advance(s, rules, config, action, paid)

    @jit
    def play_turns(
        states: States,
        records: RulesRecords,
        configs: np.ndarray,
        which: np.ndarray,
        own_acts: bool,
        actions: np.ndarray,
        own: np.ndarray,
        seating: np.ndarray,
        keys: np.ndarray,
        kinds: np.ndarray,
        salts: np.ndarray,
        weights: np.ndarray,
        scores: Scores,
        rewards: np.ndarray,
        played: np.ndarray,
        buffers: Buffers,
    ) -> tuple[int, int]:
        waiting = ended = 0
        for i in range(len(states)):
            if not which[i]:
                continue
            s, paid = states[i], buffers.rewards[i]
            number = buffers.rules[i] & RULES_BITS
            rules, own_rules = records[number], records[number : number + 1]
            moved = own_acts
            if own_acts:
                played[i] = play_seat(s, rules, configs[0], actions[i], paid)
                rewards[i] += paid[own[i]]
            while s["over"] == Over.RUNNING and s["turn"] != own[i]:
                player = seating[i, s["turn"]]
                kind = kinds[player]
                if kind == ASKED:
                    waiting += 1
                    break
                if kind == UNIFORM:
                    action = draw_by_seed(s, keys[i, 0], keys[i, 1], salts[player])
                else:
                    row = states[i : i + 1]
                    action = choose_best(row, own_rules, kind - SCORED, weights[player], scores)
                play_seat(s, rules, configs[0], action, paid)
                rewards[i] += paid[own[i]]
                moved = True
            if moved:
                buffers.terminated[i] = s["over"] == Over.TERMINATED
                buffers.truncated[i] = s["over"] == Over.TRUNCATED
                write_mask(s, i, buffers)
            ended += s["over"] != Over.RUNNING
        return waiting, ended

    return play_turns
