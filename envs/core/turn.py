"""Turns: what a player is asked, how it is shown, and how its answer is checked."""

from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np

from .game import Game
from .kernel.rng import mix64
from .legal import unpack_actions
from .rows import HIDDEN_SALT, copy_states, observation_codes, resample_in_place
from .schema import ENCODINGS

LONGEST_NAME = 80
"""Letters of an agent's name: tables, pictures and files show it whole."""


class Turn(NamedTuple):
    """A batch of n running games of one kind in which an agent must act.

    `prepare_turn` makes one. No array can be written to, and the order of the rows tells nothing.
    """

    game: Game
    """The game: ``turn.game.label(action)`` names an action."""
    rules: Any
    """The game's ``Rules``, a named tuple: the options, the same for all rows."""
    states: np.ndarray
    """Records (n,) of ``game.state``; whoever does not see all gets hidden cards dealt anew.

    Its field ``turn`` is the seat that is asked.
    """
    observations: np.ndarray
    """What the environments show, in the agent's own encoding (`Agent`).

    ``codes``: int8 (n, ``game.features.width``); ``onehot``: uint8 (n, ``game.features.columns``).
    """
    masks: np.ndarray
    """The legal actions: bool (n, ``game.actions``), at least one in each row."""
    seeds: np.ndarray
    """Seeds of the agent's random choices (`random_floats`), uint64 (n,).

    An agent that draws only from them plays a game the same way in every batch. They derive from
    the evaluation seed (`core.kernel.rng`) and reveal nothing of the deal.
    """

    def take(self, rows: np.ndarray) -> "Turn":
        """Return the turn of some games alone, by their numbers, int64 (k,)."""
        states = copy_states(self.states, rows)
        parts = (self.observations[rows], self.masks[rows], self.seeds[rows])
        return Turn(self.game, self.rules, states, *parts)


class Judgement(NamedTuple):
    """Action values and choices of an agent that searches, used as training targets."""

    values: np.ndarray
    """Mean result of each legal action over sampled worlds, float64 (n, actions).

    0 for illegal ones. A result is a share of worlds won or a reward, depending on the agent.
    """
    actions: np.ndarray
    """The agent's choices, int64 (n,)."""


@runtime_checkable
class Agent(Protocol):
    """An object that chooses actions. Only ``act`` is required; the other fields have defaults.

    ``name`` is its name in tables (default: the name of its class). ``sees_all`` (default: False)
    gives it the hidden cards. Two more fields are optional: ``encoding``, the encoding of
    `Turn.observations`, ``"codes"`` (the default) or ``"onehot"``; and ``max_batch``, the largest
    number of games in a call during an evaluation (default: None, no limit). An optional method
    ``explain(turn)`` returns an `Explanation` of `parlour.agents`, with the actions of
    ``act(turn)``.
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
"""Defaults of an agent's optional fields; the default name is that of its class."""


def agent_field(agent: Any, field: str) -> Any:
    """Return a field of an agent, or its default from `DEFAULTS`."""
    return getattr(agent, field, DEFAULTS[field])


def is_person(agent: Any) -> bool:
    """Whether an agent plays one game after the other, as a person at this terminal does."""
    return agent_field(agent, "max_batch") == 1


def agent_name(agent: Any) -> Any:
    """Return what an agent is called."""
    return getattr(agent, "name", _kind(agent))


def _kind(agent: Any) -> str:
    """The name of its class, or its own if it is a class or a function."""
    return str(getattr(agent, "__name__", type(agent).__name__))


class FixedAgent:
    """A snapshot of an agent's name, ``sees_all`` and other fields.

    The fields are read once: the name (unless another is given), ``sees_all``, ``encoding``,
    ``max_batch`` and whether the agent was trained by other rules (``other_rules``). Later changes
    of the agent do not reach the results. Raises ValueError naming agent, field, value and what is
    allowed.
    """

    def __init__(self, agent: Any, name: str | None = None) -> None:
        called = repr(_kind(agent))
        _check_kind(agent, called)
        self.agent, self.act = agent, agent.act
        if hasattr(agent, "explain"):
            self.explain = agent.explain
        self.name: str = agent_name(agent) if name is None else name
        self.sees_all: bool = agent_field(agent, "sees_all")
        self.encoding: str = agent_field(agent, "encoding")
        self.max_batch: int | None = agent_field(agent, "max_batch")
        self.other_rules = bool(agent_field(agent, "other_rules"))
        _check_fields(self, called)


def check_agent(agent: Any, spec: str = "") -> Agent:
    """Return an agent whose fields can be relied on; ``spec`` is what it was loaded by, if it was.

    Where it has none, it gets a name, that of its class, and ``sees_all`` False. Raises ValueError
    naming agent, field, value and what is allowed.
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
    except (AttributeError, TypeError):  # slots, or frozen
        return FixedAgent(agent, getattr(agent, "name", own_name))
    _check_fields(agent, called)
    return cast(Agent, agent)


def _check_kind(agent: Any, called: str) -> None:
    if isinstance(agent, type):
        name = called.strip("'").rpartition(":")[2]
        raise ValueError(f"agent {called} is a class: give an object of it, such as {name}()")
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"agent {called} has no method act(turn); see parlour.agents.Agent")


def _check_fields(agent: Any, called: str) -> None:
    name = agent.name
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ValueError(f"agent {called}: name={name!r}: allowed is one line of printable text")
    if len(name) > LONGEST_NAME:
        raise ValueError(
            f"agent {called}: name={name!r}: {len(name)} letters; allowed are 1–{LONGEST_NAME}"
        )
    for field, allowed in (("sees_all", (False, True)), ("encoding", ENCODINGS)):
        value = agent_field(agent, field)
        if not isinstance(value, type(allowed[0])) or value not in allowed:
            raise ValueError(
                f"agent {called}: {field}={value!r}: allowed are {', '.join(map(str, allowed))}"
            )


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
    """Return which actions are legal in each state, bool (n, actions)."""
    return unpack_actions(states["legal"], game.actions)


def best_actions(masks: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the legal action with the highest score in each row, int64 (n,); of equals the lowest.

    ``masks`` is bool (n, actions), ``scores`` float (n, actions).
    """
    return np.asarray(np.where(masks, scores, -np.inf).argmax(axis=1))


def choose_actions(agent: Agent, turn: Turn) -> np.ndarray:
    """Ask an agent and check its answer. Raises IllegalActionError naming both and the game."""
    masks = turn.masks.copy()  # an agent that finds a way to write into its own changes nothing
    return check_actions(agent, turn._replace(masks=masks), agent.act(turn))


def check_actions(agent: Agent, turn: Turn, answer: Any) -> np.ndarray:
    """Return an agent's answer, int64 (n,). Raises as `choose_actions` does."""
    masks, actions = turn.masks, np.asarray(answer)
    n = len(masks)
    if actions.shape != (n,) or not np.issubdtype(actions.dtype, np.integer):
        raise IllegalActionError(
            f"agent {agent_name(agent)!r} must return {n} integers, shape ({n},); "
            f"got {actions.dtype} {actions.shape}"
        )
    inside = (actions >= 0) & (actions < turn.game.actions)
    fine = inside & masks[np.arange(n), np.where(inside, actions, 0)]
    if not fine.all():
        row = int(np.argmin(fine))
        action = int(actions[row])
        can = np.flatnonzero(masks[row]).tolist()
        legal = ", ".join(f"{a} {turn.game.label(a)}" for a in can)
        action_text = turn.game.label(action) if inside[row] else "no action of this game"
        raise IllegalActionError(
            f"agent {agent_name(agent)!r} chose action {action} ({action_text}), "
            f"which is not legal; legal are: {legal}"
        )
    return np.ascontiguousarray(actions, np.int64)
