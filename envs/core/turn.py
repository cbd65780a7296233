"""Turns: what a player is asked, how it is shown, and how its answer is checked."""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from .game import Game
from .rows import HIDDEN_SALT, copy_states, observation_codes, resample_in_place
from .splitmix import mix64


class Turn(NamedTuple):
    """What an agent is asked about: n games of one kind, none of them over.

    ``states`` (n,) are records of ``game.state``, whose ``turn`` is the seat that is asked; whoever
    does not see all gets them with hidden cards dealt anew. ``observations`` is int8 (n, width),
    encoding ``codes``; ``masks`` is bool (n, actions), the legal actions. ``seeds``, uint64 (n,),
    are for the agent's own random choices (`random_floats`): who makes them by these plays each
    game the same way whatever stands beside it. They come from a secret key (`core.keys`), so they
    tell of no deal; neither does the order of the rows. No array can be written to.
    """

    game: Game
    rules: Any
    states: np.ndarray
    observations: np.ndarray
    masks: np.ndarray
    seeds: np.ndarray


@runtime_checkable
class Agent(Protocol):
    """Whoever plays: a name for tables, whether it sees hidden cards, and its choice."""

    name: str
    sees_all: bool

    def act(self, turn: Turn) -> np.ndarray:
        """Return one legal action for each game, int64 (n,)."""
        ...


class FixedAgent:
    """An agent as it was when it was taken up: what it is called and whether it sees all stay.

    Both are read once, and so are ``at_once``, how many games it wants to be asked about, and
    whether it looks ahead (``lookahead_config``): results say by what right it played, whatever it
    says later.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent, self.act = agent, agent.act
        self.name, self.sees_all = "".join(agent.name), bool(agent.sees_all)
        self.at_once: int | None = getattr(agent, "at_once", None)
        self.lookahead_config: Any = getattr(agent, "lookahead_config", None)


class IllegalActionError(RuntimeError):
    """An agent chose an action that is not legal."""


def random_floats(seeds: np.ndarray, salt: int = 0) -> np.ndarray:
    """Return a random number for each seed, float64 (n,), 0 <= x < 1; another for another salt."""
    words = mix64(mix64(seeds) ^ np.uint64(salt & (2**64 - 1)))
    return np.asarray((words >> np.uint64(11)) * 2.0**-53)


def prepare_turn(
    agent: Agent, game: Game, rules: Any, states: np.ndarray, seed: int | np.ndarray
) -> Turn:
    """Return the turn as this agent may see it; ``seed`` deals what it must not know anew.

    ``seed`` is one number, or uint64 (n,), one for each state. All arrays are copies: an agent can
    change nothing in the game itself.
    """
    if not isinstance(seed, np.ndarray):
        drawn = np.random.default_rng([seed, HIDDEN_SALT])
        seed = drawn.integers(0, 2**63, len(states), np.uint64)
    return make_turn(agent, game, rules, copy_states(states), seed)


def make_turn(agent: Agent, game: Game, rules: Any, states: np.ndarray, seeds: np.ndarray) -> Turn:
    """Do as `prepare_turn` does with states that are copies already: they become the agent's."""
    masks = (states["legal"][:, None] >> np.arange(game.actions) & 1).astype(np.bool_)
    observations = observation_codes(states)
    if not agent.sees_all:
        resample_in_place(game, rules, states, seeds)
    for array in (states, observations, masks, seeds):
        array.flags.writeable = False
    return Turn(game, rules, states, observations, masks, seeds)


def best_actions(masks: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the legal action with the highest score in each row, int64 (n,); of equals the lowest.

    ``masks`` is bool (n, actions), ``scores`` float (n, actions).
    """
    return np.asarray(np.where(masks, scores, -np.inf).argmax(axis=1))


def choose_actions(agent: Agent, turn: Turn) -> np.ndarray:
    """Ask an agent and check its answer. Raises IllegalActionError naming both and the game."""
    masks = turn.masks.copy()  # an agent that finds a way to write into its own changes nothing
    actions = np.asarray(agent.act(turn))
    n = len(masks)
    if actions.shape != (n,) or not np.issubdtype(actions.dtype, np.integer):
        raise IllegalActionError(
            f"agent {agent.name!r} must return {n} integers, shape ({n},); "
            f"got {actions.dtype} {actions.shape}"
        )
    inside = (actions >= 0) & (actions < turn.game.actions)
    fine = inside & masks[np.arange(n), np.where(inside, actions, 0)]
    if not fine.all():
        row = int(np.argmin(fine))
        action = int(actions[row])
        can = np.flatnonzero(masks[row]).tolist()
        legal = ", ".join(f"{a} {turn.game.label(a)}" for a in can)
        said = turn.game.label(action) if inside[row] else "no action of this game"
        raise IllegalActionError(
            f"agent {agent.name!r} chose action {action} ({said}), which is not legal; "
            f"legal are: {legal}"
        )
    return np.ascontiguousarray(actions, np.int64)
