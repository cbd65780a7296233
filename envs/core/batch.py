"""The batch kernel of every game: illegal actions, rewards, truncation and autoreset, once.

``make_batch_kernels`` closes over a game's compiled functions. All shells call what it returns; a
single environment is a batch of one. Kernels allocate nothing: they write into the caller's
buffers.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from .aliases import Action, Progress, RulesRecord, RulesRecords, State, States
from .contract import (
    BatchKernels,
    Buffers,
    DealKernel,
    FallbackAction,
    RewardUnit,
    ShuffleKernel,
    StepKernel,
)
from .kernel.cards import draw_rules, draw_training_seed, random_below
from .kernel.jit import jit
from .legal import (
    count_actions,
    first_action,
    has_action,
    has_choice,
    make_legal_field,
    nth_action,
    write_actions,
)
from .row_kernels import read_score


def make_state_head(actions: int) -> list[tuple[Any, ...]]:
    """Return the fields that a game's state begins with, for `numpy.dtype`.

    ``actions`` is the number of its actions, by all rules.
    """
    return [
        ("rng", np.uint64),
        make_legal_field(actions),  # set of legal actions while the game runs: see `legal`
        ("moves", np.int32),
        ("steps", np.int32),  # environment steps
        ("score", np.int32),
        ("over", np.int8),
        ("won", np.int8),
        ("illegal", np.int16),  # set of seats that have chosen an illegal action
        ("turn", np.int8),  # the seat that acts; where there is one, 0
    ]


ILLEGAL_PENALTY = -1.0
"""Reward of an illegal action, for the seat that chose it."""


class Over(IntEnum):
    """Why a game goes on or does not."""

    RUNNING = 0
    TERMINATED = 1
    TRUNCATED = 2
    ENDED_BEFORE_TURN = 3
    """Over before one's seat could act (`seat.SeatRows`): its next step says so."""


FINISHED = (int(Over.TERMINATED), int(Over.ENDED_BEFORE_TURN))
"""Values of ``over`` of a finished game. A truncated game is not finished: it could continue."""


class Reward(IntEnum):
    """What a step pays. See `StepConfig`."""

    PROGRESS = 0
    WIN = 1
    SCORE = 2


class Autoreset(IntEnum):
    """What becomes of a finished row."""

    NEXT_STEP = 0
    SAME_STEP = 1
    DISABLED = 2


class IllegalMode(IntEnum):
    """What an illegal action does; in the shells ``"raise"`` is END, to which it never comes."""

    END = 0
    """It costs, and ends the episode; in a game for several its fallback is played instead."""
    RANDOM = 1
    """A random legal action is played instead, at no cost."""
    PENALTY = 2
    """It costs, and the game goes on as it stands."""


class DealSource(IntEnum):
    """Where a new deal comes from."""

    DRAW = 0
    """A seed drawn from the state's generator, in the half of the seeds meant for play."""
    SEED = 1
    """The generator as it stands is the deal's seed (numbered deals)."""
    DECK = 2
    """The state's deck as it stands (a chosen deck)."""


RULES_BITS = (1 << 16) - 1
"""Of the number of a row's rules: masked, it is known not to be negative (`Buffers.rules`)."""

MAX_MOVES = 500
"""After so many moves a game is cut off, unless another limit is asked for."""


class StepConfig(NamedTuple):
    """How a batch is played; plain ints, as kernels want them.

    ``reward``: PROGRESS is the change of score, or of what else the game counts, times its scale,
    plus its bonus for a win; WIN is 1 at a win; SCORE is the score when the episode ends. At a
    table of several seats, where a seat is paid at the end: its net in the game's units, 1 if that
    is above 0, its net as it is.
    ``max_steps`` and ``max_moves``: 0 for no limit. ``illegal`` is an `IllegalMode`.
    """

    reward: int = 0
    reset: int = 2
    max_steps: int = 0
    max_moves: int = 0
    skip_forced: int = 0
    illegal: int = 0


@jit
def is_finished(s: State) -> bool:
    """Return whether a game is finished: see `FINISHED`."""
    return s["over"] == Over.TERMINATED or s["over"] == Over.ENDED_BEFORE_TURN


@jit
def end_on_illegal(s: State, rules: RulesRecord) -> Action:
    """Say that an illegal action ends the episode: nothing is played instead of it."""
    return -1


@jit
def draw_legal(s: State) -> Action:
    """Return a random legal action, drawn by the state's generator: a copy draws the same."""
    legal = s["legal"]
    return nth_action(legal, random_below(s, count_actions(legal)))


def make_batch_kernels(
    shuffle: ShuffleKernel,
    deal: DealKernel,
    step: StepKernel,
    actions: int,
    score_scale: float = 1.0,
    win_bonus: float = 1.0,
    fallback_action: FallbackAction = end_on_illegal,
    reward_unit: RewardUnit | None = None,
    progress: Progress = read_score,
) -> BatchKernels:
    """Build the batch functions of a game from its compiled rules.

    ``actions`` is their number; ``score_scale``, ``win_bonus`` and ``progress`` are those of
    `BatchKernels`. A game for several seats says what is played in the place of an illegal action,
    and in what its rewards are counted; its state has ``net``, a whole number for each seat, and
    its rules have ``players``.
    """

    @jit
    def begin(s: State, rules: RulesRecord, source: int) -> None:
        if source == DealSource.DRAW:
            draw_training_seed(s)
        if source != DealSource.DECK:
            shuffle(s, rules)
        s["moves"] = 0
        s["steps"] = 0
        s["score"] = 0
        s["over"] = 0
        s["won"] = 0
        s["illegal"] = 0
        s["turn"] = 0
        deal(s, rules)

    @jit
    def pay_player(
        s: State, rules: RulesRecord, config: StepConfig, before: int, rewards: np.ndarray
    ) -> None:
        if config.reward == Reward.PROGRESS:
            rewards[0] += (progress(s) - before) * score_scale + s["won"] * win_bonus
        elif config.reward == Reward.WIN:
            rewards[0] += s["won"]
        elif s["over"]:
            rewards[0] += s["score"]

    if reward_unit is None:
        pay = pay_player
    else:
        unit = reward_unit

        @jit
        def pay(
            s: State, rules: RulesRecord, config: StepConfig, before: int, rewards: np.ndarray
        ) -> None:
            if rules.players == 1:
                pay_player(s, rules, config, before, rewards)
            elif s["over"]:
                for seat in range(rules.players):
                    net = s["net"][seat]
                    if config.reward == Reward.PROGRESS:
                        rewards[seat] += net / unit(rules)
                    else:
                        rewards[seat] += net > 0 if config.reward == Reward.WIN else net

    @jit
    def write_mask(s: State, i: int, buffers: Buffers) -> None:
        write_actions(s["legal"], is_finished(s), buffers.masks[i], actions)

    @jit
    def deal_row(
        s: State, rules: RulesRecord, config: StepConfig, source: int, rewards: np.ndarray
    ) -> None:
        begin(s, rules, source)
        for seat in range(len(rewards)):
            rewards[seat] = 0.0
        if s["over"]:
            pay(s, rules, config, 0, rewards)

    @jit
    def next_rules(s: State, i: int, records: RulesRecords, buffers: Buffers) -> RulesRecord:
        number = draw_rules(s, len(records))
        buffers.rules[i] = number
        return records[number & RULES_BITS]

    @jit
    def reset_rows(
        states: States,
        records: RulesRecords,
        configs: np.ndarray,
        which: np.ndarray,
        source: int,
        buffers: Buffers,
    ) -> None:
        config = configs[0]
        for i in range(len(states)):
            s = states[i]
            if which[i]:
                rules = records[buffers.rules[i] & RULES_BITS]
                buffers.played[i] = -1
                deal_row(s, rules, config, source, buffers.rewards[i])
                buffers.terminated[i] = s["over"] == Over.TERMINATED
                buffers.truncated[i] = False
            write_mask(s, i, buffers)

    @jit
    def truncate(s: State, config: StepConfig) -> None:
        if s["over"] == Over.RUNNING and (
            (config.max_moves and s["moves"] >= config.max_moves)
            or (config.max_steps and s["steps"] >= config.max_steps)
        ):
            s["over"] = Over.TRUNCATED

    @jit
    def advance(
        s: State, rules: RulesRecord, config: StepConfig, action: Action, rewards: np.ndarray
    ) -> Action:
        s["steps"] += 1
        if action < 0 or action >= actions or not has_action(s["legal"], action):
            s["illegal"] |= 1 << s["turn"]
            if config.illegal == IllegalMode.RANDOM:
                action = draw_legal(s)
            else:
                rewards[s["turn"]] += ILLEGAL_PENALTY
                if config.illegal == IllegalMode.PENALTY:
                    truncate(s, config)
                    return -1
                action = fallback_action(s, rules)
                if action < 0:
                    s["over"] = Over.TERMINATED
                    return action
        before = progress(s)
        step(s, rules, action)
        truncate(s, config)
        if config.skip_forced:
            while s["over"] == Over.RUNNING and not has_choice(s["legal"]):
                step(s, rules, first_action(s["legal"]))
                truncate(s, config)
        pay(s, rules, config, before, rewards)
        return action

    @jit
    def step_rows(
        states: States,
        records: RulesRecords,
        configs: np.ndarray,
        which: np.ndarray,
        moves: np.ndarray,
        buffers: Buffers,
    ) -> None:
        config = configs[0]
        for i in range(len(states)):
            if not which[i]:
                continue
            s, rewards = states[i], buffers.rewards[i]
            rules = records[buffers.rules[i] & RULES_BITS]
            buffers.played[i] = -1
            for seat in range(len(rewards)):
                rewards[seat] = 0.0
            if s["over"]:
                if config.reset == Autoreset.DISABLED:
                    continue
                if config.reset == Autoreset.SAME_STEP:
                    pay(s, rules, config, 0, rewards)  # over at the deal: this step says so
                else:
                    rules = next_rules(s, i, records, buffers)
                    deal_row(s, rules, config, DealSource.DRAW, rewards)
            else:
                buffers.played[i] = advance(s, rules, config, moves[i], rewards)
            buffers.terminated[i] = s["over"] == Over.TERMINATED
            buffers.truncated[i] = s["over"] == Over.TRUNCATED
            if s["over"] and config.reset == Autoreset.SAME_STEP:
                buffers.final_states[i] = s
                begin(s, next_rules(s, i, records, buffers), DealSource.DRAW)
            write_mask(s, i, buffers)

    @jit
    def pay_finished(
        states: States,
        records: RulesRecords,
        configs: np.ndarray,
        which: np.ndarray,
        buffers: Buffers,
    ) -> None:
        for i in range(len(states)):
            if which[i]:
                rewards = buffers.rewards[i]
                for seat in range(len(rewards)):
                    rewards[seat] = 0.0
                rules = records[buffers.rules[i] & RULES_BITS]
                pay(states[i], rules, configs[0], progress(states[i]), rewards)

    ends = pay_finished, score_scale, win_bonus
    return BatchKernels(reset_rows, step_rows, begin, step, *ends, advance, write_mask, progress)
