"""One step ahead: what every legal action leads to, and what a network makes of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parlour.envs import Game
from parlour.envs.core.batch import StepConfig, make_buffers
from parlour.envs.core.options import as_record
from parlour.envs.core.rows import copy_states, observation_codes

ValueFunction = Callable[[np.ndarray], np.ndarray]
"""Values (n,) of ``codes`` observations, int8 (n, width)."""


class ActionValues(NamedTuple):
    """All legal actions of n positions, position after position.

    ``rows`` int64 (k,) says to which position each belongs, ``starts`` int64 (n,) where those of
    each begin; ``values`` float32 (k,) is the reward of the action and the value of what follows.
    """

    rows: np.ndarray
    starts: np.ndarray
    actions: np.ndarray
    values: np.ndarray

    def best(self) -> np.ndarray:
        """Return the action worth most in each position, int64 (n,); of equals the first.

        Raises FloatingPointError if a value is no number: the network has diverged.
        """
        if not np.isfinite(self.values).all():
            raise FloatingPointError("the network's values are not finite: it has diverged")
        most = np.maximum.reduceat(self.values, self.starts)
        hit = np.flatnonzero(self.values == most[self.rows])
        _, first = np.unique(self.rows[hit], return_index=True)
        return np.asarray(self.actions[hit[first]])


def look_ahead(
    game: Game,
    rules: Any,
    states: np.ndarray,
    masks: np.ndarray,
    value: ValueFunction,
    config: StepConfig,
    gamma: float = 1.0,
) -> ActionValues:
    """Play every legal action of positions, none of them over, and value what comes.

    ``states`` (n,) must be such as their player may see them (`parlour.envs.core.rows.hidden`);
    ``masks`` is bool (n, actions); ``how`` says what is paid, and must not reset.
    """
    rows, actions = np.nonzero(masks)
    after = copy_states(states, rows)
    out = make_buffers(len(rows), game.actions, game.state, game.max_players)
    every = np.ones(len(rows), np.bool_)
    game.kernels.step_rows(after, as_record(rules), as_record(config), every, actions, out)
    worth = out.rewards[:, 0].astype(np.float32)
    going = ~(out.terminated | out.truncated)
    codes = observation_codes(after)
    if going.any():
        worth[going] += gamma * value(codes[going])
    starts = np.searchsorted(rows, np.arange(len(states)))
    return ActionValues(rows, starts, actions, worth)
