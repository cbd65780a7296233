"""Games played to their end side by side, step by step: who is asked about which, and when."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from parlour.agents.registry import Agent, choose_actions, make_turn
from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES, Autoreset, Over, StepConfig
from parlour.envs.core.kernel.rng import derive_key, key_words, new_key, turn_seeds
from parlour.envs.core.rows import Rows, copy_states

Progress = Callable[[int], None]
"""Called with the number of deals that have ended since the last call."""


def play_steps(
    rows: Rows, agents: Sequence[Agent], words: np.ndarray, progress: Progress | None = None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Play games on until all are over, one step of each at a time.

    ``agents`` are one for each seat; they are asked only about games that still run. ``words`` are
    those of the key that their draws come from (`keys.key_words`). Yields after each step which
    games were asked for, int64 (k,), and what was played, int64 (n,), in an array that is used
    again.
    """
    actions = np.zeros(rows.n, np.int64)
    left = rows.n
    while left:
        live = np.flatnonzero(rows.states["over"] == Over.RUNNING)
        if progress is not None and len(live) < left:
            progress(left - len(live))
        left = len(live)
        if left:
            for agent, some in _asked(rows, agents, live):
                states = copy_states(rows.states, some)
                turn = make_turn(agent, rows.game, rows.rules, states, turn_seeds(words, states))
                actions[some] = choose_actions(agent, turn)
            rows.step(actions)
            yield live, actions


def _asked(
    rows: Rows, agents: Sequence[Agent], live: np.ndarray
) -> Iterator[tuple[Agent, np.ndarray]]:
    """Who is asked about which of the games that run."""
    if len(agents) == 1:
        yield agents[0], live
        return
    turns = rows.states["turn"][live]
    for seat, agent in enumerate(agents):
        if len(some := live[turns == seat]):
            yield agent, some


def play_deal(
    game: Game,
    rules: Any,
    state: np.ndarray,
    agents: Sequence[Agent],
    key: str | None = None,
    max_moves: int = MAX_MOVES,
) -> list[int]:
    """Let agents, one for each seat, play a deal from a position (1,); return their actions.

    ``key`` is the secret of their draws (None: a new one), as in `evaluate.play_deals`.
    """
    own = derive_key(new_key() if key is None else key, game.rules_digest(rules))
    rows = Rows(game, rules, 1, StepConfig(reset=int(Autoreset.DISABLED), max_moves=max_moves))
    rows.take_over(state)
    return [int(actions[0]) for _, actions in play_steps(rows, agents, key_words(own))]
