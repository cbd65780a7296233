"""The batch kernels of every game: illegal actions, rewards, truncation and autoreset.

`make_batch_kernels` builds them from a game's compiled functions. All interfaces call these
kernels; a single environment is a batch of size 1. Kernels allocate no memory; they write into the
caller's buffers. The end of the module builds the loops over rows of a game's other kernels.
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
    """Return the common first fields of a game's state, for `numpy.dtype`.

    Args:
        actions: Number of actions of the game.
    """
    return [
        ("rng", np.uint64),
        make_legal_field(actions),  # set of legal actions, see `legal`; empty after the end
        ("moves", np.int32),
        ("steps", np.int32),  # environment steps
        ("score", np.int32),
        ("over", np.int8),
        ("won", np.int8),
        ("illegal", np.int16),  # set of seats that have chosen an illegal action
        ("turn", np.int8),  # seat that acts; 0 in games for one player
    ]


ILLEGAL_PENALTY = -1.0
"""Reward for an illegal action; the seat that chose the action gets it."""


class Over(IntEnum):
    """Whether a game is running, and how it ended."""

    RUNNING = 0
    TERMINATED = 1
    TRUNCATED = 2
    ENDED_BEFORE_TURN = 3
    """Ended before the caller's seat could act (`seat.SeatRows`). Its next step reports the end."""


FINISHED = (int(Over.TERMINATED), int(Over.ENDED_BEFORE_TURN))
"""Values of ``over`` in finished games. A truncated game is not finished: it could continue."""


class Reward(IntEnum):
    """Reward function; see `StepConfig`."""

    PROGRESS = 0
    WIN = 1
    SCORE = 2


class Autoreset(IntEnum):
    """When the next game of a finished row begins."""

    NEXT_STEP = 0
    SAME_STEP = 1
    DISABLED = 2


class IllegalMode(IntEnum):
    """Effect of an illegal action. The interfaces handle ``illegal="raise"`` and pass END here."""

    END = 0
    """A penalty and the end of the episode, or the game's fallback action if it has one."""
    RANDOM = 1
    """A random legal action is played instead, without a penalty."""
    PENALTY = 2
    """A penalty, without a change of the position."""


class DealSource(IntEnum):
    """Source of a new deal."""

    DRAW = 0
    """A random deal: a training seed, drawn from the state's generator."""
    SEED = 1
    """A numbered deal: the current value of the state's generator is the seed."""
    DECK = 2
    """A chosen deck: the deck is already in the state."""


RULES_BITS = (1 << 16) - 1
"""Mask for the index of a row's rules (`Buffers.rules`), which tells the compiler that the index is
not negative."""

MAX_MOVES = 500
"""Default number of moves after which a game is truncated."""


class StepConfig(NamedTuple):
    """Settings of a batch, as plain ints for kernels."""

    reward: int = 0
    """A `Reward`. PROGRESS: the change of `BatchKernels.progress` times ``score_scale``, plus
    ``win_bonus`` for a win. WIN: 1 for a win. SCORE: the score at the end of the episode. In a
    multiplayer game, each seat is rewarded at the end, with its net result in the game's units
    (PROGRESS), 1 if the net result is above 0 (WIN), or the net result itself (SCORE)."""
    reset: int = 2
    """An `Autoreset`."""
    max_steps: int = 0
    """Maximum number of steps; 0: no limit."""
    max_moves: int = 0
    """Maximum number of moves; 0: no limit."""
    skip_forced: int = 0
    """Whether to play the following actions, too, while only one is legal; 0 or 1."""
    illegal: int = 0
    """An `IllegalMode`."""


@jit
def is_finished(s: State) -> bool:
    """Return whether a game is finished; see `FINISHED`."""
    return s["over"] == Over.TERMINATED or s["over"] == Over.ENDED_BEFORE_TURN


@jit
def end_on_illegal(s: State, rules: RulesRecord) -> Action:
    """Return -1, so that an illegal action ends the episode without a replacement."""
    return -1


@jit
def draw_legal(s: State) -> Action:
    """Return a random legal action from the state's generator; a copy draws the same action."""
    legal = s["legal"]
    return nth_action(legal, random_below(s, count_actions(legal)))


@jit
def read_score(s: State) -> int:
    """Return the score of a state, which is the progress in most games."""
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
    """Draw the rules of the next game in row i and return their record."""
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
        shuffle: Kernel that shuffles the deck.
        deal: Kernel that lays out a game from the deck.
        step: Kernel that plays a legal action.
        actions: Number of actions.
        score_scale: See `BatchKernels`.
        win_bonus: See `BatchKernels`.
        fallback_action: Kernel that chooses the replacement of an illegal action, for multiplayer
            games.
        reward_unit: Function that returns the unit of rewards, for multiplayer games. Their state
            must have ``net``, an integer for each seat, and their rules ``players``.
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
    """Build the kernel that begins a new game in one state."""

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
    """Kernel that adds the reward of a step."""

    def __call__(
        self, s: State, rules: RulesRecord, config: StepConfig, before: int, rewards: np.ndarray, /
    ) -> None:
        """Add to ``rewards`` (seats,), given the progress ``before`` the step."""


def _make_pay(
    progress: Progress, score_scale: float, win_bonus: float, reward_unit: RewardUnit | None
) -> PayKernel:
    """Build the kernel that adds the reward of a step of one row."""

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
    """Build the kernel of one step of a running row: check, play, truncate and reward."""

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
    """Build the kernel that begins new games in some rows."""

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
    """Build the kernel of one step of some rows, which also resets rows that are over."""

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
            # Reading the rules inside the branch would make the steps of some games a fifth slower.
            rules = records[buffers.rules[i] & RULES_BITS]
            buffers.played[i] = -1
            clear_rewards(rewards)
            if not was_over:
                buffers.played[i] = advance(s, rules, config, moves[i], rewards)
            elif config.reset == Autoreset.DISABLED:
                continue
            elif config.reset == Autoreset.SAME_STEP:  # Reports a game that ended at the deal.
                pay(s, rules, config, 0, rewards)
            ends = s["over"] != Over.RUNNING and config.reset == Autoreset.SAME_STEP
            if ends:
                buffers.final_states[i] = s
                write_flags(s, i, buffers)
            # `begin` is called in one place only, because each call is compiled into this kernel
            # again.
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
    """Build the kernel that writes the final rewards of games that are over."""

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
    """Return new buffers for ``n`` rows of a game with ``actions`` actions and ``seats`` seats."""
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

    Seat -1 is the seat to act in each row. The kernel also clears the illegal actions of the other
    seats, because they would reveal that an action was replaced.
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
    """Write the common results of games, int64 (4, n): won, score, moves, illegal action."""
    for i in range(len(states)):
        s = states[i]
        results[0, i] = s["won"] != 0
        results[1, i] = s["score"]
        results[2, i] = s["moves"]
        results[3, i] = (s["illegal"] >> seats[i]) & 1


@jit
def read_seat_results(states: States, seats: np.ndarray, results: np.ndarray) -> None:
    """Write the same results for multiplayer games, where the score is the seat's net result."""
    for i in range(len(states)):
        s, seat = states[i], seats[i]
        results[0, i] = s["net"][seat] > 0
        results[1, i] = s["net"][seat]
        results[2, i] = s["moves"]
        results[3, i] = (s["illegal"] >> seat) & 1
