"""Turns and agents: the input of an agent, the agent protocol and the check of its actions."""

from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np

from .game import Game, illegal_action_text
from .kernel.rng import mix64
from .legal import unpack_actions
from .options import choices_text, shorten
from .rows import HIDDEN_SALT, copy_states, observation_codes, resample_in_place
from .schema import ENCODINGS

LONGEST_NAME = 80
"""Maximum length of an agent's name. Tables, pictures and files show the whole name."""


class Turn(NamedTuple):
    """Batch of n running games with the same rules in which an agent must act.

    `prepare_turn` makes turns. All arrays are read-only. The order of the rows reveals nothing
    about the hidden cards.
    """

    game: Game
    """The game. ``turn.game.label(action)`` is the name of an action, the same in all states."""
    rules: Any
    """The options of the game, a NamedTuple, the same for all rows."""
    states: np.ndarray
    """The states, (n,), with the dtype ``game.state``. The hidden cards are resampled, unless the
    agent's ``sees_all`` is True. The field ``turn`` is the seat of the agent.
    """
    observations: np.ndarray
    """Observations in the encoding that the agent declares (`Agent`).

    ``codes``: int8 (n, ``game.features.width``). ``onehot``: uint8 (n, ``game.features.columns``).
    """
    masks: np.ndarray
    """Masks of legal actions, bool (n, ``game.actions``), with at least one per row."""
    seeds: np.ndarray
    """Seeds of the agent's random choices (`random_floats`), uint64 (n,).

    An agent that draws only from these seeds plays a game the same way in every batch. The seeds
    derive from the evaluation seed (`core.kernel.rng`) and reveal nothing about the deal.
    """

    def describe_action(self, row: int, action: int) -> str:
        """Return an action of one game as a phrase: see `Game.describe_action`."""
        return self.game.describe_action(self.states[row], self.rules, action)

    def take(self, rows: np.ndarray) -> "Turn":
        """Return the turn of some of the games, given their row indices, int64 (k,)."""
        states = copy_states(self.states, rows)
        parts = (self.observations[rows], self.masks[rows], self.seeds[rows])
        return Turn(self.game, self.rules, states, *parts)


class Judgement(NamedTuple):
    """Action values and choices of an agent that searches, used as training targets."""

    values: np.ndarray
    """Mean result of each action over sampled worlds, float64 (n, actions); 0 for illegal actions.

    A result is a win rate or a reward, depending on the agent.
    """
    actions: np.ndarray
    """Actions that the agent chooses, int64 (n,)."""


@runtime_checkable
class Agent(Protocol):
    """Protocol of agents: objects with a method ``act`` that chooses actions.

    Only ``act`` is required. These attributes and methods are optional:

    - ``name``: the name in tables (default: the name of the class).
    - ``sees_all``: whether the agent gets the hidden cards (default: False).
    - ``encoding``: the encoding of `Turn.observations`: ``"codes"`` (card codes and numbers, the
      default) or ``"onehot"`` (zeros and ones).
    - ``max_batch``: the largest number of games per call in an evaluation (default: None, no
      limit).
    - ``usage``: numbers of requests, tokens and the like that the agent has used so far, a
      dictionary of integers by name. Evaluations report the increase.
    - ``explain(turn)``: returns a `parlour.agents.Explanation` of the actions that ``act(turn)``
      returns.
    """

    name: str
    sees_all: bool

    def act(self, turn: Turn) -> np.ndarray:
        """Return one legal action for each game, int64 (n,)."""
        ...


DEFAULTS: dict[str, Any] = {
    "sees_all": False,
    "encoding": "codes",
    "max_batch": None,
    "other_rules": False,
}
"""Default values of an agent's optional attributes, except for the name."""


def agent_field(agent: Any, field: str) -> Any:
    """Return an attribute of an agent, or its default value in `DEFAULTS`."""
    return getattr(agent, field, DEFAULTS[field])


def is_person(agent: Any) -> bool:
    """Return whether an agent plays one game at a time, as a person at a terminal does."""
    return agent_field(agent, "max_batch") == 1


def agent_name(agent: Any) -> Any:
    """Return the name of an agent (default: the name of its class)."""
    return getattr(agent, "name", _kind(agent))


def _kind(agent: Any) -> str:
    """Return the name of an agent's class, or of the agent if it is a class or a function."""
    return str(getattr(agent, "__name__", type(agent).__name__))


class FixedAgent:
    """A snapshot of an agent's name, ``sees_all`` and other attributes.

    The attributes are read once, so later changes of the agent do not affect results. They are the
    name, ``sees_all``, ``encoding``, ``max_batch``, and ``other_rules``, which tells whether the
    agent was trained with other rules.

    Args:
        agent: The agent.
        name: A name that replaces the agent's own (None: the agent's name).

    Raises:
        ValueError: The object is not an agent, or an attribute has an invalid value.
    """

    def __init__(self, agent: Any, name: str | None = None) -> None:
        called = repr(_kind(agent))
        _check_kind(agent, called)
        self.agent, self.act = agent, agent.act
        if hasattr(agent, "explain"):
            self.explain = agent.explain
        if hasattr(agent, "usage"):
            self.usage = agent.usage
        self.name: str = agent_name(agent) if name is None else name
        self.sees_all: bool = agent_field(agent, "sees_all")
        self.encoding: str = agent_field(agent, "encoding")
        self.max_batch: int | None = agent_field(agent, "max_batch")
        self.other_rules = bool(agent_field(agent, "other_rules"))
        _check_fields(self, called)


def check_agent(agent: Any, spec: str = "") -> Agent:
    """Check an agent and set the missing attributes ``name`` and ``sees_all`` to their defaults.

    Args:
        agent: The agent.
        spec: The agent spec from which the agent was loaded, for error messages.

    Returns:
        The agent, or a `FixedAgent` if its attributes cannot be set.

    Raises:
        ValueError: The object is not an agent, or an attribute has an invalid value.
    """
    if isinstance(agent, FixedAgent):
        return agent
    own_name = spec.rpartition(":")[2] or _kind(agent)
    called = repr(spec or own_name)
    _check_kind(agent, called)
    try:
        for field, value in (("name", own_name), ("sees_all", DEFAULTS["sees_all"])):
            if not hasattr(agent, field):
                setattr(agent, field, value)
    except (AttributeError, TypeError):  # The class has slots or is frozen.
        return FixedAgent(agent, getattr(agent, "name", own_name))
    _check_fields(agent, called)
    return cast(Agent, agent)


def _check_kind(agent: Any, called: str) -> None:
    if isinstance(agent, type):
        name = called.strip("'").rpartition(":")[2]
        raise ValueError(f"agent must be an object, got the class {called}. Pass {name}() instead")
    if not callable(getattr(agent, "act", None)):
        raise ValueError(
            f"agent must have a method act(turn), got {called}. See parlour.agents.Agent"
        )


def _check_fields(agent: Any, called: str) -> None:
    name = agent.name
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ValueError(f"agent {called}: name must be one line of printable text, got {name!r}")
    if len(name) > LONGEST_NAME:
        raise ValueError(
            f"agent {called}: name must have at most {LONGEST_NAME} characters, got {len(name)}: "
            f"{shorten(name)}"
        )
    for field, allowed in (("sees_all", (False, True)), ("encoding", ENCODINGS)):
        value = agent_field(agent, field)
        if not isinstance(value, type(allowed[0])) or value not in allowed:
            raise ValueError(
                f"agent {called}: {field} must be {choices_text(map(str, allowed))}, got {value!r}"
            )


class IllegalActionError(RuntimeError):
    """Error for an agent that returns an illegal action or an invalid array of actions."""


def random_floats(seeds: np.ndarray, salt: int = 0) -> np.ndarray:
    """Return a random number in [0, 1) for each seed.

    Args:
        seeds: uint64 (n,), such as `Turn.seeds`.
        salt: Number that selects one of several independent streams.

    Returns:
        float64 (n,).
    """
    words = mix64(mix64(seeds) ^ np.uint64(salt & (2**64 - 1)))
    return np.asarray((words >> np.uint64(11)) * 2.0**-53)


def prepare_turn(
    agent: Agent, game: Game, rules: Any, states: np.ndarray, seed: int | np.ndarray
) -> Turn:
    """Return the turn that an agent may see, with resampled hidden cards.

    All arrays are copies, so an agent cannot change the games.

    Args:
        agent: The agent.
        game: The game.
        rules: The rules of the states.
        states: Running games, (n,).
        seed: Seed of the resampled hidden cards and of the agent's random choices; one number, or
            uint64 (n,) with one seed per state.
    """
    if not isinstance(seed, np.ndarray):
        drawn = np.random.default_rng([seed, HIDDEN_SALT])
        seed = drawn.integers(0, 2**63, len(states), np.uint64)
    return make_turn(agent, game, rules, copy_states(states), seed)


def make_turn(agent: Agent, game: Game, rules: Any, states: np.ndarray, seeds: np.ndarray) -> Turn:
    """Return the turn of states without copying them; see `prepare_turn`."""
    masks = legal_masks(game, states)
    observations = observation_codes(states)
    if agent_field(agent, "encoding") != "codes":
        observations = game.features.encode(observations, agent_field(agent, "encoding"))
    if not agent_field(agent, "sees_all"):
        resample_in_place(game, rules, states, seeds)
    for array in (states, observations, masks, seeds):
        array.flags.writeable = False
    return Turn(game, rules, states, observations, masks, seeds)


def legal_masks(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the masks of legal actions of states, bool (n, actions)."""
    return unpack_actions(states["legal"], game.actions)


def best_actions(masks: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the legal action with the highest score in each row; ties go to the lowest action.

    Args:
        masks: Legal actions, bool (n, actions).
        scores: Scores of the actions, float (n, actions).

    Returns:
        int64 (n,).
    """
    return np.asarray(np.where(masks, scores, -np.inf).argmax(axis=1))


def choose_actions(agent: Agent, turn: Turn) -> np.ndarray:
    """Call an agent and check the actions that it returns.

    Args:
        agent: The agent.
        turn: The turn.

    Returns:
        The actions, int64 (n,).

    Raises:
        IllegalActionError: An action is illegal, or the result has another shape or dtype.
    """
    masks = turn.masks.copy()  # The check uses masks that the agent cannot change.
    return check_actions(agent, turn._replace(masks=masks), agent.act(turn))


def check_actions(agent: Agent, turn: Turn, answer: Any) -> np.ndarray:
    """Return the actions of an agent as int64 (n,); raise as `choose_actions` does."""
    masks, actions = turn.masks, np.asarray(answer)
    n = len(masks)
    if actions.shape != (n,) or not np.issubdtype(actions.dtype, np.integer):
        raise IllegalActionError(
            f"actions of agent {agent_name(agent)!r} must be integers of shape ({n},), "
            f"got {actions.dtype} of shape {actions.shape}"
        )
    inside = (actions >= 0) & (actions < turn.game.actions)
    fine = inside & masks[np.arange(n), np.where(inside, actions, 0)]
    if not fine.all():
        row = int(np.argmin(fine))
        action = int(actions[row])
        legal = np.flatnonzero(masks[row]).tolist()
        what = f"action of agent {agent_name(agent)!r}"
        raise IllegalActionError(
            illegal_action_text(turn.game, turn.rules, turn.states[row], action, legal, what)
        )
    return np.ascontiguousarray(actions, np.int64)
