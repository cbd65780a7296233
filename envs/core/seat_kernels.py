"""Kernels of `seat.SeatRows`: ends of games, and turns of baselines in the other seats.

The kernels choose the same actions as the baselines (`baselines`) from the same state and seed,
without calling the agents and without a NumPy array per turn.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .batch import RULES_BITS, Over, clear_rewards
from .contract import BatchKernels, Buffers, ScoreRows
from .kernel.jit import jit
from .kernel.rng import GAMMA, S32, finish_word, sip_hash
from .legal import count_actions, first_action, has_action, nth_action
from .type_aliases import Action, RulesRecord, RulesRecords, Scores, State, States, Word

ASKED, UNIFORM, SCORED = -1, 0, 1
"""Kinds of agents: called in Python; uniform; SCORED + k chooses by scorer k."""
S11 = np.uint64(11)


class TurnTable(NamedTuple):
    """Agents in the form that kernels take, with one entry per agent."""

    kinds: np.ndarray
    """Kind of each agent, int64 (agents,)."""
    salts: np.ndarray
    """Seeds of uniform agents, uint64 (agents,)."""
    weights: np.ndarray
    """Weights of agents that choose by a scorer, float64 (agents, weights)."""
    scores: np.ndarray
    """Scratch space for the scores of one row: the first row, float64 (rows, actions)."""


class SeatArrays(NamedTuple):
    """Agents in all seats of each row, and the results of the caller's last step."""

    own_seat: np.ndarray
    """The caller's seat, int64 (n,)."""
    seating: np.ndarray
    """Index of the agent in each seat, int64 (n, seats)."""
    keys: np.ndarray
    """Keys of the agents' random choices, uint64 (n, 2)."""
    rewards: np.ndarray
    """Rewards of the caller's seat, float64 (n,)."""
    played: np.ndarray
    """Action of the caller's seat, int64 (n,); -1: none."""


PlayTurns = Callable[..., tuple[int, int]]
"""The kernel that `make_play_turns` builds."""


@jit
def classify_rows(
    states: States,
    which: np.ndarray,
    running: np.ndarray,
    deferred: np.ndarray,
    ended: np.ndarray,
    own_steps: np.ndarray,
    rewards: np.ndarray,
    played: np.ndarray,
) -> tuple[bool, bool]:
    """Classify the rows ``which``: running, ended before the turn of their seat, or ended.

    All arrays have shape (n,). The kernel counts a step in ``own_steps`` of running rows, and
    clears rewards and actions.

    Returns:
        Whether the end of any row is deferred, and whether any row has ended.
    """
    any_deferred = any_ended = False
    for i in range(len(states)):
        over = states[i]["over"]
        running[i] = which[i] and over == Over.RUNNING
        own_steps[i] += running[i]
        deferred[i] = which[i] and over == Over.ENDED_BEFORE_TURN
        ended[i] = which[i] and over != Over.RUNNING and over != Over.ENDED_BEFORE_TURN
        any_deferred |= deferred[i]
        any_ended |= ended[i]
        if which[i]:
            rewards[i] = 0.0
            played[i] = -1
    return any_deferred, any_ended


@jit
def defer_terminal(
    states: States,
    which: np.ndarray,
    own_steps: np.ndarray,
    rewards: np.ndarray,
    played: np.ndarray,
    buffers: Buffers,
) -> None:
    """Defer the end of new games that are already over to the first step of the seat."""
    for i in range(len(states)):
        if which[i]:
            if states[i]["over"] != Over.RUNNING:
                states[i]["over"] = Over.ENDED_BEFORE_TURN
            own_steps[i] = 0
            rewards[i] = 0.0
            played[i] = -1
            buffers.terminated[i] = False


@jit
def add_rewards(
    buffers: Buffers, which: np.ndarray, own_seat: np.ndarray, rewards: np.ndarray
) -> None:
    """Add the rewards of ``own_seat`` in the last step to ``rewards``, in the rows ``which``."""
    for i in range(len(which)):
        if which[i]:
            rewards[i] += buffers.rewards[i, own_seat[i]]


@jit
def report_terminal(
    states: States,
    which: np.ndarray,
    own_steps: np.ndarray,
    max_steps: int,
    reported: np.ndarray,
    buffers: Buffers,
) -> bool:
    """Truncate rows at the limit of the seat's steps, and report which rows in ``which`` are over.

    The kernel writes ``reported`` and the flags in ``buffers``. ``max_steps`` is 0 for no limit. A
    truncated row is at the turn of the seat, so its mask and observation are already correct.

    Returns:
        Whether any row is over.
    """
    any_over = False
    for i in range(len(states)):
        reported[i] = False
        if which[i]:
            s = states[i]
            if s["over"] == Over.RUNNING and max_steps and own_steps[i] >= max_steps:
                s["over"] = Over.TRUNCATED
            reported[i] = s["over"] != Over.RUNNING
            buffers.truncated[i] = s["over"] == Over.TRUNCATED
            buffers.terminated[i] = reported[i] and not buffers.truncated[i]
            any_over |= reported[i]
    return any_over


@jit
def draw_by_seed(s: State, k0: Word, k1: Word, salt: Word) -> Action:
    """Return the action of the `UniformAgent` with seed ``salt``, given the key of the row."""
    place = np.uint64(s["steps"]) | (np.uint64(s["turn"]) << S32)  # As in `rng.turn_seeds`.
    word = finish_word(sip_hash(k0, k1, s["rng"], place) + GAMMA)
    word = finish_word((word ^ salt) + GAMMA)
    share = np.float64(word >> S11) * 2.0**-53
    legal = s["legal"]
    return nth_action(legal, int(share * count_actions(legal)))


def _chain(scorers: Sequence[ScoreRows]) -> Any:
    """Build a kernel that calls a scorer by its index; kernels have no tables of functions."""
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
    """Build a game's kernel that plays the turns of baselines.

    In the rows ``which``, the kernel plays the action of the caller's seat, if ``own_acts`` is
    True. Then it plays the turns of baselines until the caller's seat or an agent in Python has to
    act, or the game is over. It returns the number of rows that wait for an agent, and the number
    of rows that are over.

    Args:
        kernels: The game's batch kernels.
        scorers: The score kernels of the game's heuristic and its rule-based agents.
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
        clear_rewards(paid)
        return advance(s, rules, config, action, paid)

    @jit
    def play_turns(
        states: States,
        records: RulesRecords,
        configs: np.ndarray,
        which: np.ndarray,
        own_acts: bool,
        actions: np.ndarray,
        agents: TurnTable,
        seats: SeatArrays,
        buffers: Buffers,
    ) -> tuple[int, int]:
        # Unpacked once, because each access counts a reference.
        own_seats, seating, keys, rewards, played = seats
        kinds, salts, weights, scores = agents
        waiting = ended = 0
        for i in range(len(states)):
            if not which[i]:
                continue
            s, paid = states[i], buffers.rewards[i]
            number = buffers.rules[i] & RULES_BITS
            rules, own_seat = records[number], own_seats[i]
            has_moved = own_acts
            if own_acts:
                played[i] = play_seat(s, rules, configs[0], actions[i], paid)
                rewards[i] += paid[own_seat]
            while s["over"] == Over.RUNNING and s["turn"] != own_seat:
                agent = seating[i, s["turn"]]
                kind = kinds[agent]
                if kind == ASKED:
                    waiting += 1
                    break
                if kind == UNIFORM:
                    action = draw_by_seed(s, keys[i, 0], keys[i, 1], salts[agent])
                else:
                    row, record = states[i : i + 1], records[number : number + 1]
                    action = choose_best(row, record, kind - SCORED, weights[agent], scores)
                play_seat(s, rules, configs[0], action, paid)
                rewards[i] += paid[own_seat]
                has_moved = True
            if has_moved:
                buffers.terminated[i] = s["over"] == Over.TERMINATED
                buffers.truncated[i] = s["over"] == Over.TRUNCATED
                write_mask(s, i, buffers)
            ended += s["over"] != Over.RUNNING
        return waiting, ended

    return play_turns
