"""The batch kernel of every game: illegal actions, rewards, truncation and autoreset, once.

``make_batch_kernels`` closes over a game's compiled functions. All shells call what it returns; a
single environment is a batch of one. Kernels allocate nothing: they write into the caller's
buffers.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from .cards import TRAINING_SEED_MASK, next_random_word
from .jit import jit

STATE_HEAD: list[tuple[str, Any]] = [
    ("rng", np.uint64),
    ("legal", np.int64),  # set of legal actions while the game runs
    ("moves", np.int32),
    ("steps", np.int32),  # environment steps
    ("score", np.int32),
    ("over", np.int8),
    ("won", np.int8),
    ("illegal", np.int16),  # set of seats that have chosen an illegal action
    ("turn", np.int8),  # the seat that acts; where there is one, 0
]
"""The fields every game's state begins with."""

ILLEGAL_PENALTY = -1.0
"""Reward of an illegal action, for the seat that chose it."""


class Over(IntEnum):
    """Why a game goes on or does not."""

    RUNNING = 0
    TERMINATED = 1
    TRUNCATED = 2
    UNTOLD = 3
    """Over before one's seat could act (`seat.SeatRows`): its next step says so."""


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


class DealSource(IntEnum):
    """Where a new deal comes from."""

    DRAW = 0
    """A seed drawn from the state's generator, in the half of the seeds meant for play."""
    SEED = 1
    """The generator as it stands is the deal's seed (numbered deals)."""
    DECK = 2
    """The state's deck as it stands (a chosen deck)."""


class StepConfig(NamedTuple):
    """How a batch is played; plain ints, as kernels want them.

    ``reward``: PROGRESS is the change of score times the game's scale, plus its bonus for a win;
    WIN is 1 at a win; SCORE is the score when the episode ends. At a table of several seats, where
    a seat is paid at the end: its net in the game's units, 1 if that is above 0, its net as it is.
    ``max_steps`` and ``max_moves``: 0 for no limit.
    """

    reward: int = 0
    reset: int = 2
    max_steps: int = 0
    max_moves: int = 0
    skip_forced: int = 0


class Buffers(NamedTuple):
    """What a step writes, one row a game; owned by the caller."""

    rewards: np.ndarray  # float64 (n, seats)
    terminated: np.ndarray  # bool (n,)
    truncated: np.ndarray  # bool (n,)
    masks: np.ndarray  # int8 (n, actions); all ones on a finished row
    ended: np.ndarray  # states (n,): with SAME_STEP the finished game of a row just ended


def make_buffers(n: int, actions: int, state: np.dtype, seats: int = 1) -> Buffers:
    """Return zeroed buffers for n rows of a game with so many actions and seats and that state."""
    return Buffers(
        np.zeros((n, seats)),
        np.zeros(n, np.bool_),
        np.zeros(n, np.bool_),
        np.zeros((n, actions), np.int8),
        np.zeros(n, state),
    )


class Play(NamedTuple):
    """A game's compiled batch functions, and the two for one state that other kernels build on.

    ``start(states, rules, how, which, source, out)`` begins a new game on the rows in ``which``
    (bool), ``play(states, rules, how, which, actions, out)`` makes one step on them; other rows are
    left alone. Both take ``rules`` and ``how`` as `options.compiled` makes them.
    ``settle(states, rules, how, which, out)`` writes what games that are over pay at their end.
    ``begin(s, rules, source)`` begins a new game, ``step(s, rules, action)`` plays a legal action.
    PROGRESS pays ``scale`` for a point of score and ``bonus`` for a win.
    """

    start: Callable[..., None]
    play: Callable[..., None]
    begin: Callable[..., None]
    step: Callable[..., None]
    settle: Callable[..., None]
    scale: float
    bonus: float


@jit
def end_on_illegal(s: Any, rules: Any) -> int:
    """Say that an illegal action ends the episode: nothing is played instead of it."""
    return -1


def make_batch_kernels(
    shuffle: Callable[..., None],
    deal: Callable[..., None],
    step: Callable[..., None],
    actions: int,
    scale: float = 1.0,
    bonus: float = 1.0,
    instead: Callable[..., int] = end_on_illegal,
    unit: Callable[..., float] | None = None,
) -> Play:
    """Build the batch functions of a game from its compiled rules.

    ``shuffle(s, rules)`` fills the deck from the state's generator, ``deal(s, rules)`` lays it out,
    ``step(s, rules, action)`` plays a legal action; for ``scale`` and ``bonus`` see `Play`.
    A game for several seats says with ``instead(s, rules)`` what is played in the place of an
    illegal action (-1: nothing, the episode ends) and with ``unit(rules)`` in what its reward is
    counted; its state has ``net``, a whole number for each seat, and its rules ``players``.
    """

    @jit
    def begin(s: Any, rules: Any, source: int) -> None:
        if source == DealSource.DRAW:
            s["rng"] = next_random_word(s) & TRAINING_SEED_MASK
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
    def pay_player(s: Any, rules: Any, how: Any, before: int, rewards: Any) -> None:
        if how.reward == Reward.PROGRESS:
            rewards[0] += (s["score"] - before) * scale + s["won"] * bonus
        elif how.reward == Reward.WIN:
            rewards[0] += s["won"]
        elif s["over"]:
            rewards[0] += s["score"]

    if unit is None:
        pay = pay_player
    else:
        count = unit

        @jit
        def pay(s: Any, rules: Any, how: Any, before: int, rewards: Any) -> None:
            if rules.players == 1:
                pay_player(s, rules, how, before, rewards)
            elif s["over"]:
                for seat in range(rules.players):
                    net = s["net"][seat]
                    if how.reward == Reward.PROGRESS:
                        rewards[seat] += net / count(rules)
                    else:
                        rewards[seat] += net > 0 if how.reward == Reward.WIN else net

    @jit
    def show(s: Any, i: int, out: Any) -> None:
        legal = -1 if s["over"] else s["legal"]
        mask = out.masks[i]
        for action in range(actions):
            mask[action] = (legal >> action) & 1

    @jit
    def deal_row(s: Any, rules: Any, how: Any, source: int, rewards: Any) -> None:
        begin(s, rules, source)
        for seat in range(len(rewards)):
            rewards[seat] = 0.0
        if s["over"]:
            pay(s, rules, how, 0, rewards)

    @jit
    def start(states: Any, table: Any, hows: Any, which: Any, source: int, out: Any) -> None:
        rules, how = table[0], hows[0]
        for i in range(len(states)):
            s = states[i]
            if which[i]:
                deal_row(s, rules, how, source, out.rewards[i])
                out.terminated[i] = s["over"] == Over.TERMINATED
                out.truncated[i] = False
            show(s, i, out)

    @jit
    def limit(s: Any, how: Any) -> None:
        if s["over"] == Over.RUNNING and (
            (how.max_moves and s["moves"] >= how.max_moves)
            or (how.max_steps and s["steps"] >= how.max_steps)
        ):
            s["over"] = Over.TRUNCATED

    @jit
    def advance(s: Any, rules: Any, how: Any, action: int, rewards: Any) -> None:
        s["steps"] += 1
        if action < 0 or action >= actions or not (s["legal"] >> action) & 1:
            s["illegal"] |= 1 << s["turn"]
            rewards[s["turn"]] += ILLEGAL_PENALTY
            action = instead(s, rules)
            if action < 0:
                s["over"] = Over.TERMINATED
                return
        before = s["score"]
        step(s, rules, action)
        limit(s, how)
        if how.skip_forced:
            while s["over"] == Over.RUNNING and s["legal"] & (s["legal"] - 1) == 0:
                forced = 0
                while not (s["legal"] >> forced) & 1:
                    forced += 1
                step(s, rules, forced)
                limit(s, how)
        pay(s, rules, how, before, rewards)

    @jit
    def play(states: Any, table: Any, hows: Any, which: Any, moves: Any, out: Any) -> None:
        rules, how = table[0], hows[0]
        for i in range(len(states)):
            if not which[i]:
                continue
            s, rewards = states[i], out.rewards[i]
            for seat in range(len(rewards)):
                rewards[seat] = 0.0
            if s["over"]:
                if how.reset == Autoreset.DISABLED:
                    continue
                deal_row(s, rules, how, DealSource.DRAW, rewards)
            else:
                advance(s, rules, how, moves[i], rewards)
            out.terminated[i] = s["over"] == Over.TERMINATED
            out.truncated[i] = s["over"] == Over.TRUNCATED
            if s["over"] and how.reset == Autoreset.SAME_STEP:
                out.ended[i] = s
                begin(s, rules, DealSource.DRAW)
            show(s, i, out)

    @jit
    def settle(states: Any, table: Any, hows: Any, which: Any, out: Any) -> None:
        for i in range(len(states)):
            if which[i]:
                rewards = out.rewards[i]
                for seat in range(len(rewards)):
                    rewards[seat] = 0.0
                pay(states[i], table[0], hows[0], states[i]["score"], rewards)

    return Play(start, play, begin, step, settle, scale, bonus)


def make_resample_kernel(hide: Callable[..., None]) -> Callable[..., None]:
    """Build ``hide(states, rules, seat)`` over rows from a game's ``hide`` of one state.

    Seat -1 stands for the one whose turn it is, in each row. That another seat chose an illegal
    action is hidden, too: what was played instead follows from it.
    """

    @jit
    def hide_rows(states: Any, table: Any, seat: int) -> None:
        for i in range(len(states)):
            s = states[i]
            viewer = s["turn"] if seat < 0 else seat
            s["illegal"] &= 1 << viewer
            hide(s, table[0], viewer)

    return hide_rows


def make_view_kernel(view: Callable[..., None]) -> Callable[..., None]:
    """Build ``view(states, rules, seats)`` over rows from a game's ``view`` of one state.

    It makes the shown pieces those of another seat than the one whose turn it is.
    """

    @jit
    def view_rows(states: Any, table: Any, seats: Any) -> None:
        for i in range(len(states)):
            view(states[i], table[0], seats[i])

    return view_rows


def make_score_kernel(heuristic: Callable[..., None]) -> Callable[..., None]:
    """Build ``judge(states, rules, weights, scores)`` over rows from a game's of one state.

    ``weights`` is float64, one for each of `Game.weights`; scores float64 (n, actions).
    """

    @jit
    def judge(states: Any, table: Any, weights: Any, scores: Any) -> None:
        for i in range(len(states)):
            heuristic(states[i], table[0], weights, scores[i])

    return judge
