"""The batch kernel of every game: illegal actions, rewards, truncation and autoreset.

`make_batch_kernels` closes over a game's compiled functions. All interfaces call what it returns; a
single environment is a batch of one. Kernels allocate nothing: they write into the caller's
buffers. The end of the module has the loops over rows of a game's other kernels.
"""

from enum import IntEnum
from typing import Any, NamedTuple, Protocol

import numpy as np

from .contract import (
    AdvanceKernel,
    BatchKernels,
    BeginKernel,
    Buffers,
    DealKernel,
    FallbackAction,
    PayFinished,
    ResampleKernel,
    ResampleRows,
    ResetRows,
    RewardUnit,
    ScoreKernel,
    ScoreRows,
    ShuffleKernel,
    StepKernel,
    StepRows,
    ViewKernel,
    ViewRows,
    WriteMask,
)
from .kernel.jit import jit
from .kernel.rng import draw_rules, draw_training_seed, random_below
from .legal import (
    count_actions,
    first_action,
    has_action,
    has_choice,
    make_legal_field,
    nth_action,
    write_actions,
)
from .type_aliases import (
    Action,
    Progress,
    RulesRecord,
    RulesRecords,
    Scores,
    Seat,
    State,
    States,
    Weights,
)


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
    """Whether a game is running, and why not."""

    RUNNING = 0
    TERMINATED = 1
    TRUNCATED = 2
    ENDED_BEFORE_TURN = 3
    """Over before the caller's seat could act (`seat.SeatRows`): its next step reports the end."""


FINISHED = (int(Over.TERMINATED), int(Over.ENDED_BEFORE_TURN))
"""Values of ``over`` of a finished game. A truncated game is not finished: it could continue."""


class Reward(IntEnum):
    """Which reward a step pays. See `StepConfig`."""

    PROGRESS = 0
    WIN = 1
    SCORE = 2


class Autoreset(IntEnum):
    """When the next game of a finished row begins."""

    NEXT_STEP = 0
    SAME_STEP = 1
    DISABLED = 2


class IllegalMode(IntEnum):
    """The effect of an illegal action. ``illegal="raise"`` of the interfaces counts as END here."""

    END = 0
    """A penalty, and the end of the episode; a game for several plays its fallback instead."""
    RANDOM = 1
    """A random legal action is played instead, without a penalty."""
    PENALTY = 2
    """A penalty; the position stays the same."""


class DealSource(IntEnum):
    """Where a new deal comes from."""

    DRAW = 0
    """A seed drawn from the state's generator, in the half of the seeds meant for play."""
    SEED = 1
    """The generator's present value is the deal's seed (numbered deals)."""
    DECK = 2
    """The deck that is already in the state (a chosen deck)."""


RULES_BITS = (1 << 16) - 1
"""Mask for the index of a row's rules (`Buffers.rules`): the compiler then knows that it is not
negative."""

MAX_MOVES = 500
"""The default number of moves after which a game is truncated."""


class StepConfig(NamedTuple):
    """How a batch is played; plain ints, as kernels need them.

    ``reward``: PROGRESS is the change of `BatchKernels.progress` times ``score_scale``, plus
    ``win_bonus`` for a win; WIN is 1 at a win; SCORE is the score when the episode ends. In a game
    for several, each seat is paid at the end: its net in the game's units, 1 if the net is above 0,
    or the net itself. ``max_steps`` and ``max_moves``: 0 for no limit. ``illegal`` is an
    `IllegalMode`.
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
    """Return -1: an illegal action ends the episode, and nothing is played instead of it."""
    return -1


@jit
def draw_legal(s: State) -> Action:
    """Return a random legal action, drawn by the state's generator: a copy draws the same."""
    legal = s["legal"]
    return nth_action(legal, random_below(s, count_actions(legal)))


@jit
def read_score(s: State) -> int:
    """Return the score of a state: what the reward "progress" counts in most games."""
    return s["score"]


@jit
def clear_rewards(rewards: np.ndarray) -> None:
    """Set the rewards of all seats of a row to 0."""
    for seat in range(len(rewards)):
        rewards[seat] = 0.0


@jit
def truncate(s: State, config: StepConfig) -> None:
    """Truncate a running game that has reached its limit of moves or steps."""
    if s["over"] == Over.RUNNING and (
        (config.max_moves and s["moves"] >= config.max_moves)
        or (config.max_steps and s["steps"] >= config.max_steps)
    ):
        s["over"] = Over.TRUNCATED


@jit
def write_flags(s: State, i: int, buffers: Buffers) -> None:
    """Write whether row i is terminated or truncated."""
    buffers.terminated[i] = s["over"] == Over.TERMINATED
    buffers.truncated[i] = s["over"] == Over.TRUNCATED


@jit
def draw_next_rules(s: State, i: int, records: RulesRecords, buffers: Buffers) -> RulesRecord:
    """Draw the rules of the next game on row i, and return their record."""
    number = draw_rules(s, len(records))
    buffers.rules[i] = number
    return records[number & RULES_BITS]


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
    """Build the batch kernels of a game from its compiled rules.

    Args:
        shuffle: Fills the deck.
        deal: Lays out a game from the deck.
        step: Plays a legal action.
        actions: The number of actions.
        score_scale: See `BatchKernels`.
        win_bonus: See `BatchKernels`.
        fallback_action: What is played instead of an illegal action, in a game for several seats.
        reward_unit: The unit of rewards in a game for several seats. The state of such a game has
            ``net``, a whole number for each seat, and its rules have ``players``.
        progress: See `BatchKernels`.
    """
    begin = _make_begin(shuffle, deal)
    pay = _make_pay(progress, score_scale, win_bonus, reward_unit)
    advance = _make_advance(step, actions, fallback_action, progress, pay)
    write_mask = _make_write_mask(actions)
    return BatchKernels(
        _make_reset_rows(begin, pay, write_mask),
        _make_step_rows(begin, pay, advance, write_mask),
        begin,
        step,
        _make_pay_finished(progress, pay),
        score_scale,
        win_bonus,
        advance,
        write_mask,
        progress,
    )


def _make_begin(shuffle: ShuffleKernel, deal: DealKernel) -> BeginKernel:
    """Build the kernel that begins a new game on one state."""

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

    return begin


class PayKernel(Protocol):
    """Pays a step: the change since ``before``, or the end."""

    def __call__(
        self, s: State, rules: RulesRecord, config: StepConfig, before: int, rewards: np.ndarray, /
    ) -> None:
        """Add to ``rewards`` (seats,); ``before`` is the progress before the step."""


def _make_pay(
    progress: Progress, score_scale: float, win_bonus: float, reward_unit: RewardUnit | None
) -> PayKernel:
    """Build the kernel that pays a step of one row."""

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
        return pay_player

    @jit
    def pay_seats(
        s: State, rules: RulesRecord, config: StepConfig, before: int, rewards: np.ndarray
    ) -> None:
        if rules.players == 1:
            pay_player(s, rules, config, before, rewards)
        elif s["over"]:
            for seat in range(rules.players):
                net = s["net"][seat]
                if config.reward == Reward.PROGRESS:
                    rewards[seat] += net / reward_unit(rules)
                else:
                    rewards[seat] += net > 0 if config.reward == Reward.WIN else net

    return pay_seats


def _make_write_mask(actions: int) -> WriteMask:
    """Build the kernel that writes the action mask of one row."""

    @jit
    def write_mask(s: State, i: int, buffers: Buffers) -> None:
        write_actions(s["legal"], is_finished(s), buffers.masks[i], actions)

    return write_mask


def _make_advance(
    step: StepKernel,
    actions: int,
    fallback_action: FallbackAction,
    progress: Progress,
    pay: PayKernel,
) -> AdvanceKernel:
    """Build the kernel of one step of one running row: check, play, truncate and pay."""

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

    return advance


def _make_reset_rows(begin: BeginKernel, pay: PayKernel, write_mask: WriteMask) -> ResetRows:
    """Build the kernel that begins new games on some rows."""

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
                rules, rewards = records[buffers.rules[i] & RULES_BITS], buffers.rewards[i]
                buffers.played[i] = -1
                clear_rewards(rewards)
                begin(s, rules, source)
                if s["over"]:
                    pay(s, rules, config, 0, rewards)
                buffers.terminated[i] = s["over"] == Over.TERMINATED
                buffers.truncated[i] = False
            write_mask(s, i, buffers)

    return reset_rows


def _make_step_rows(
    begin: BeginKernel, pay: PayKernel, advance: AdvanceKernel, write_mask: WriteMask
) -> StepRows:
    """Build the kernel of one step on some rows; rows that are over are reset automatically."""

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
            was_over = s["over"] != Over.RUNNING
            # Read before the branch: inside it, steps of some games take a fifth longer.
            rules = records[buffers.rules[i] & RULES_BITS]
            buffers.played[i] = -1
            clear_rewards(rewards)
            if not was_over:
                buffers.played[i] = advance(s, rules, config, moves[i], rewards)
            elif config.reset == Autoreset.DISABLED:
                continue
            elif config.reset == Autoreset.SAME_STEP:  # over at the deal: this step reports it
                pay(s, rules, config, 0, rewards)
            ends = s["over"] != Over.RUNNING and config.reset == Autoreset.SAME_STEP
            if ends:
                buffers.final_states[i] = s
                write_flags(s, i, buffers)
            # `begin` is called at one place: each call is compiled into this kernel again.
            if ends or was_over:
                rules = draw_next_rules(s, i, records, buffers)
                begin(s, rules, DealSource.DRAW)
                if not ends and s["over"]:
                    pay(s, rules, config, 0, rewards)
            if not ends:
                write_flags(s, i, buffers)
            write_mask(s, i, buffers)

    return step_rows


def _make_pay_finished(progress: Progress, pay: PayKernel) -> PayFinished:
    """Build the kernel that writes what games that are over pay at their end."""

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
                clear_rewards(buffers.rewards[i])
                rules = records[buffers.rules[i] & RULES_BITS]
                pay(states[i], rules, configs[0], progress(states[i]), buffers.rewards[i])

    return pay_finished


def make_buffers(n: int, actions: int, state: np.dtype, seats: int = 1) -> Buffers:
    """Return zeroed buffers for n rows of a game with these numbers of actions and seats."""
    return Buffers(
        np.zeros((n, seats)),
        np.zeros(n, np.bool_),
        np.zeros(n, np.bool_),
        np.zeros((n, actions), np.int8),
        np.zeros(n, state),
        np.full(n, -1),
        np.zeros(n, np.int64),
    )


# ---- loops over rows ------------------------------------------------------------------------


def make_resample_rows(resample: ResampleKernel) -> ResampleRows:
    """Build a game's `ResampleRows` from the kernel of one state.

    Seat -1 stands for the seat to act, in each row. Illegal actions of other seats are hidden, too:
    the action that was played instead follows from them.
    """

    @jit
    def resample_rows(states: States, records: RulesRecords, seat: Seat) -> None:
        for i in range(len(states)):
            s = states[i]
            viewer = s["turn"] if seat < 0 else seat
            s["illegal"] &= 1 << viewer
            resample(s, records[0], viewer)

    return resample_rows


def make_view_rows(view: ViewKernel) -> ViewRows:
    """Build a game's `ViewRows` from the kernel of one state."""

    @jit
    def view_rows(states: States, records: RulesRecords, seats: np.ndarray) -> None:
        for i in range(len(states)):
            view(states[i], records[0], seats[i])

    return view_rows


def make_score_rows(heuristic: ScoreKernel) -> ScoreRows:
    """Build a game's `ScoreRows` from the kernel of one state."""

    @jit
    def score_rows(states: States, records: RulesRecords, weights: Weights, scores: Scores) -> None:
        for i in range(len(states)):
            heuristic(states[i], records[0], weights, scores[i])

    return score_rows


@jit
def read_results(states: States, seats: np.ndarray, results: np.ndarray) -> None:
    """Write the results that all games have, int64 (4, n): won, score, moves, illegal action."""
    for i in range(len(states)):
        s = states[i]
        results[0, i] = s["won"] != 0
        results[1, i] = s["score"]
        results[2, i] = s["moves"]
        results[3, i] = (s["illegal"] >> seats[i]) & 1


@jit
def read_seat_results(states: States, seats: np.ndarray, results: np.ndarray) -> None:
    """Write the same for games for several, where the score is the seat's net."""
    for i in range(len(states)):
        s, seat = states[i], seats[i]
        results[0, i] = s["net"][seat] > 0
        results[1, i] = s["net"][seat]
        results[2, i] = s["moves"]
        results[3, i] = (s["illegal"] >> seat) & 1
