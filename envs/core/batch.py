"""The batch kernel of every game: illegal actions, rewards, truncation and autoreset, once.

``make_play`` closes over a game's compiled functions. All shells call what it returns; a single
environment is a batch of one. Kernels allocate nothing: they write into the caller's buffers.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from .cards import TRAINING_SEEDS, next_word
from .jit import jit

HEAD: list[tuple[str, Any]] = [
    ("rng", np.uint64),
    ("legal", np.int64),  # set of legal actions while the game runs
    ("moves", np.int32),
    ("steps", np.int32),  # environment steps
    ("score", np.int32),
    ("over", np.int8),
    ("won", np.int8),
    ("illegal", np.int8),  # the episode was ended by an illegal action
]
"""The fields every game's state begins with."""

PENALTY = -1.0
"""Reward of an illegal action."""


class Over(IntEnum):
    """Why a game goes on or does not."""

    RUNNING = 0
    TERMINATED = 1
    TRUNCATED = 2


class Reward(IntEnum):
    """What a step pays. See `How`."""

    PROGRESS = 0
    WIN = 1
    SCORE = 2


class Reset(IntEnum):
    """What becomes of a finished row."""

    NEXT_STEP = 0
    SAME_STEP = 1
    DISABLED = 2


class Source(IntEnum):
    """Where a new deal comes from."""

    DRAW = 0
    """A seed drawn from the state's generator, in the half of the seeds meant for play."""
    SEED = 1
    """The generator as it stands is the deal's seed (numbered deals)."""
    DECK = 2
    """The state's deck as it stands (a chosen deck)."""


class How(NamedTuple):
    """How a batch is played; plain ints, as kernels want them.

    ``reward``: PROGRESS is the change of score times the game's scale, plus its bonus for a win;
    WIN is 1 at a win; SCORE is the score when the episode ends. ``max_steps`` and ``max_moves``: 0
    for no limit.
    """

    reward: int = 0
    reset: int = 2
    max_steps: int = 0
    max_moves: int = 0
    skip_forced: int = 0


class Buffers(NamedTuple):
    """What a step writes, one row a game; owned by the caller."""

    rewards: np.ndarray  # float64 (n,)
    terminated: np.ndarray  # bool (n,)
    truncated: np.ndarray  # bool (n,)
    masks: np.ndarray  # int8 (n, actions); all ones on a finished row
    shown: np.ndarray  # the game's record of shown pieces (n,)
    ended: np.ndarray  # states (n,): with SAME_STEP the finished game of a row just ended


def make_buffers(n: int, actions: int, state: np.dtype) -> Buffers:
    """Return zeroed buffers for n rows of a game with so many actions and that state."""
    assert state.fields is not None
    return Buffers(
        np.zeros(n),
        np.zeros(n, np.bool_),
        np.zeros(n, np.bool_),
        np.zeros((n, actions), np.int8),
        np.zeros(n, state.fields["shown"][0]),
        np.zeros(n, state),
    )


class Play(NamedTuple):
    """A game's compiled batch functions, and the two for one state that other kernels build on.

    ``start(states, rules, which, source, out)`` begins a new game on the rows in ``which`` (bool).
    ``play(states, rules, how, actions, out)`` makes one step on every row. Both take ``rules`` and
    ``how`` as `options.compiled` makes them. ``begin(s, rules, source)`` begins a new game,
    ``step(s, rules, action)`` plays a legal action. PROGRESS pays ``scale`` for a point of score
    and ``bonus`` for a win.
    """

    start: Callable[..., None]
    play: Callable[..., None]
    begin: Callable[..., None]
    step: Callable[..., None]
    scale: float
    bonus: float


def make_play(
    shuffle: Callable[..., None],
    deal: Callable[..., None],
    step: Callable[..., None],
    actions: int,
    scale: float,
    bonus: float = 1.0,
) -> Play:
    """Build the batch functions of a game from its compiled rules.

    ``shuffle(s, rules)`` fills the deck from the state's generator, ``deal(s, rules)`` lays it out,
    ``step(s, rules, action)`` plays a legal action; for ``scale`` and ``bonus`` see `Play`.
    """

    @jit
    def begin(s: Any, rules: Any, source: int) -> None:
        if source == Source.DRAW:
            s["rng"] = next_word(s) & TRAINING_SEEDS
        if source != Source.DECK:
            shuffle(s, rules)
        s["moves"] = 0
        s["steps"] = 0
        s["score"] = 0
        s["over"] = 0
        s["won"] = 0
        s["illegal"] = 0
        deal(s, rules)

    @jit
    def show(s: Any, i: int, out: Any) -> None:
        legal = -1 if s["over"] else s["legal"]
        mask = out.masks[i]
        for action in range(actions):
            mask[action] = (legal >> action) & 1
        out.shown[i] = s["shown"]

    @jit
    def start(states: Any, table: Any, which: Any, source: int, out: Any) -> None:
        rules = table[0]
        for i in range(len(states)):
            if which[i]:
                begin(states[i], rules, source)
                out.rewards[i] = 0.0
                out.terminated[i] = False
                out.truncated[i] = False
            show(states[i], i, out)

    @jit
    def limit(s: Any, how: Any) -> None:
        if s["over"] == Over.RUNNING and (
            (how.max_moves and s["moves"] >= how.max_moves)
            or (how.max_steps and s["steps"] >= how.max_steps)
        ):
            s["over"] = Over.TRUNCATED

    @jit
    def advance(s: Any, rules: Any, how: Any, action: int) -> float:
        s["steps"] += 1
        if action < 0 or action >= actions or not (s["legal"] >> action) & 1:
            s["illegal"] = 1
            s["over"] = Over.TERMINATED
            return PENALTY
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
        if how.reward == Reward.PROGRESS:
            return (s["score"] - before) * scale + s["won"] * bonus
        if how.reward == Reward.WIN:
            return float(s["won"])
        return float(s["score"]) if s["over"] else 0.0

    @jit
    def play(states: Any, table: Any, hows: Any, moves: Any, out: Any) -> None:
        rules, how = table[0], hows[0]
        for i in range(len(states)):
            s = states[i]
            if s["over"]:
                out.rewards[i] = 0.0
                if how.reset == Reset.DISABLED:
                    continue
                begin(s, rules, Source.DRAW)
            else:
                out.rewards[i] = advance(s, rules, how, moves[i])
            out.terminated[i] = s["over"] == Over.TERMINATED
            out.truncated[i] = s["over"] == Over.TRUNCATED
            if s["over"] and how.reset == Reset.SAME_STEP:
                out.ended[i] = s
                begin(s, rules, Source.DRAW)
            show(s, i, out)

    return Play(start, play, begin, step, scale, bonus)


def make_hide(hide: Callable[..., None]) -> Callable[..., None]:
    """Build ``hide(states, rules, seat)`` over rows from a game's ``hide`` of one state."""

    @jit
    def hide_rows(states: Any, table: Any, seat: int) -> None:
        for i in range(len(states)):
            hide(states[i], table[0], seat)

    return hide_rows


def make_judge(heuristic: Callable[..., None]) -> Callable[..., None]:
    """Build ``judge(states, rules, weights, scores)`` over rows from a game's of one state.

    ``weights`` is float64, one for each of `Game.weights`; scores float64 (n, actions).
    """

    @jit
    def judge(states: Any, table: Any, weights: Any, scores: Any) -> None:
        for i in range(len(states)):
            heuristic(states[i], table[0], weights, scores[i])

    return judge
