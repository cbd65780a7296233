"""Agents that plan several moves, and follow the plan as long as it fits the game.

`OracleAgent` sees all cards and follows the solution of the game's solver. `HindsightAgent` samples
the hidden cards, and follows the plan that wins in most worlds.
"""

import itertools
from collections import OrderedDict
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np

from parlour.envs import GAMES, Game
from parlour.envs.core.batch import Over
from parlour.envs.core.plan_values import PlanNetwork
from parlour.envs.core.rows import Rows, copy_states, observation_codes, resample_copies
from parlour.envs.core.solve import make_position, solver_of
from parlour.envs.core.turn import Agent, Turn, check_agent, is_person, prepare_turn

from ..agent_spec import choose_number
from ..baselines import GreedyAgent
from ..explanation import Explanation, one_hot_choice
from .double_dummy import DoubleDummyAgent

FEWEST = "fewest"
"""Option of the spec ``oracle:fewest``: win in the fewest moves."""
HINDSIGHT_ITERATIONS = 1000
"""Default number of iterations per plan of `HindsightAgent`."""
GUIDED_UNIT = "fraction of sampled worlds that the plan wins, mixed with the network's chance"
"""Unit of the values of a `HindsightAgent` that a network guides."""
PLAYER = -1
"""Stands for the action that the player chooses."""
PLAYER_MOVES = 16
"""Number of actions of the player that are remembered at a time."""
MAX_PLANS = 1 << 18
"""Maximum number of positions whose planned action is remembered, about 55 MB."""


class Planner:
    """Base class of agents that make a plan once and remember its action for each position.

    If there is no plan, ``player`` plays to the end (None: greedy). Subclasses define the plan
    (`make_plan`), and may define the identity of positions (`position_bytes`).
    """

    name: str
    unit: str
    """Unit of its values, in words."""
    sees_all = False

    def __init__(self, game: Game, rules: Any, player: Agent | None = None) -> None:
        self.game, self.rules, self.player = game, rules, player or GreedyAgent()
        self.plans: OrderedDict[bytes, tuple[int, float]] = OrderedDict()
        """The action and the value of the plan for each position, those used longest ago first."""

    def position_bytes(self, states: np.ndarray) -> bytes:
        """Return bytes that identify a position (1,) for this agent: its observation."""
        return observation_codes(states).tobytes()

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the actions of the plan from a position (1,), and its value (nan if unknown).

        ``seed`` and, unless the agent sees all, the hidden cards depend only on the position. A
        remembered plan therefore equals a new one.
        """
        raise NotImplementedError

    def act(self, turn: Turn) -> np.ndarray:
        """Return the action of each game's plan, int64 (n,).

        Raises ValueError for a turn of another game or with other rules.
        """
        return self.explain(turn).actions

    def explain(self, turn: Turn) -> Explanation:
        """Return the actions and the values of the plans, nan if unknown."""
        if turn.game.name != self.game.name or turn.rules != self.rules:
            raise ValueError(
                f"agent {self.name!r} plays only {self.game.name} with rules {self.rules}, got "
                f"{turn.game.name} with {turn.rules}"
            )
        states = copy_states(turn.states)  # read-only arrays would compile again
        plans = [self._find(states[i : i + 1]) for i in range(len(states))]
        actions = np.array([action for action, _ in plans], np.int64)
        return Explanation(
            self.name,
            turn,
            actions,
            one_hot_choice(turn, actions),
            state_values=np.array([value for _, value in plans], np.float64),
            unit=self.unit,
            sees_all=self.sees_all,
        )

    def _find(self, states: np.ndarray) -> tuple[int, float]:
        key = self._key(states)
        if key not in self.plans:
            return self._plan(states)
        self.plans.move_to_end(key)
        action, value = self.plans[key]
        if action == PLAYER:
            return self._play_on(self._resample(states), value)
        return action, value

    def _key(self, states: np.ndarray) -> bytes:
        return blake2b(self.position_bytes(states), digest_size=16).digest()

    def _seed(self, states: np.ndarray) -> int:
        return int.from_bytes(self._key(states)[:8], "little")

    def _plan(self, states: np.ndarray) -> tuple[int, float]:
        """Make a plan, play it and remember its actions; return its first action and its value."""
        states = self._resample(states)
        actions, value = self.make_plan(states, self._seed(states))
        return self._follow(states, actions, value) if actions else self._play_on(states, value)

    def _resample(self, states: np.ndarray) -> np.ndarray:
        """Resample the hidden cards unless the agent sees them: no plan may depend on them."""
        if self.sees_all:
            return states
        seeds = np.array([self._seed(states)], np.uint64)
        return resample_copies(self.game, self.rules, states, seeds)

    def _play_on(self, states: np.ndarray, value: float) -> tuple[int, float]:
        """Remember some actions of the player; see `_plan`."""
        return self._follow(states, itertools.repeat(PLAYER, PLAYER_MOVES), value)

    def _follow(
        self, states: np.ndarray, actions: Iterable[int], value: float
    ) -> tuple[int, float]:
        """Play actions from a position and remember them; return the first and the value.

        `PLAYER` stands for an action that the player chooses. If the last action is `PLAYER`, the
        player also chooses the action of the final position.
        """
        rows, planned = Rows(self.game, self.rules, 1), PLAYER
        rows.restore(states)
        for planned in actions:
            action = planned if planned != PLAYER else self._ask_player(rows)
            self.plans[self._key(rows.states)] = action, value
            rows.step(np.array([action]))
            if rows.states["over"][0] != Over.RUNNING:
                break
        else:
            if planned == PLAYER:
                self.plans.setdefault(self._key(rows.states), (PLAYER, value))
        first = self.plans[self._key(states)]  # the last action here if the plan returns to it
        while len(self.plans) > MAX_PLANS:
            self.plans.popitem(last=False)
        return first

    def _ask_player(self, rows: Rows) -> int:
        seeds = np.array([self._seed(rows.states)], np.uint64)
        turn = prepare_turn(self.player, self.game, self.rules, rows.states, seeds)
        return int(self.player.act(turn)[0])


class OracleAgent(Planner):
    """Agent that follows the solution of ``game.solve`` for the true state.

    In a deal that cannot be won, the agent plays greedily.

    Each deal is solved once. In a game that is played for its score, the agent follows the actions
    that lead to the best score that the solver found.

    Args:
        game: the game to play.
        rules: its rules.
        fewest: whether to win in the fewest moves.
        limit: the node limit of the solver; a position that is undecided at the limit counts as
            lost.

    Raises:
        ValueError: the game or the rules have no solver.
    """

    sees_all = True
    max_batch = 64
    """Maximum number of games in a turn.

    An evaluation excludes its first call from the measured time per decision. Without a maximum,
    this call could contain all games, and the measured time would not include the solver.
    """

    def __init__(
        self, game: Game, rules: Any, fewest: bool = False, limit: int | None = None
    ) -> None:
        super().__init__(game, rules)
        self.fewest, self.limit = fewest, limit
        self.name = f"oracle-{FEWEST}" if fewest else "oracle"
        self.unit = "1 if winnable, else 0" if game.measure == "won" else "best score found"
        self.solve = solver_of(game, rules)

    def position_bytes(self, states: np.ndarray) -> bytes:
        """Return the whole state except the number of steps that led to it."""
        states = copy_states(states)
        states["steps"] = 0
        return states.tobytes()

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the actions to a win, or to the best score, and their value.

        The value is 1 if the deal can be won and 0 if not; in a game that is played for its score,
        the value is the score. It is nan if the solver reached its limit.
        """
        solution = self.solve(states, self.rules, optimal=self.fewest, limit=self.limit)
        value = solution.winnable if self.game.measure == "won" else solution.score
        return solution.actions or [], np.nan if value is None else float(value)


def make_oracle(game: Game, rules: Any, option: str = "") -> OracleAgent | DoubleDummyAgent:
    """Return the agent of the spec ``oracle`` or ``oracle:fewest``.

    Raises ValueError for another option, and if the game or the rules have no solver.
    """
    if game.num_players(rules) > 1 and game.winnable_after is not None:
        if option:
            raise ValueError(f"agent must be oracle in {game.title}, got 'oracle:{option}'")
        return DoubleDummyAgent(game, rules)
    if option not in ("", FEWEST):
        raise ValueError(f"agent must be oracle or oracle:{FEWEST}, got 'oracle:{option}'")
    return OracleAgent(game, rules, option == FEWEST)


class HindsightAgent(Planner):
    """Follows the plan that wins in most sampled worlds, until the next card is turned up.

    ``game.solving.plan_ahead`` makes the plans. The worlds depend only on the player's information,
    so equal positions lead to equal actions. If the player compares plans with a network, the
    network guides the search.

    Args:
        game: the game to play, which must have a plan search.
        rules: its rules.
        player: the agent that plays if no plan wins (None: greedy).
        iterations: number of iterations per plan (None: `HINDSIGHT_ITERATIONS`).

    Raises:
        ValueError: the game or the rules have no plan search, or the player sees hidden cards or is
            human.
    """

    unit = "fraction of sampled worlds that the plan wins"
    max_batch = 64
    """Maximum number of games in a turn; see `OracleAgent`."""

    def __init__(
        self, game: Game, rules: Any, player: Agent | None = None, iterations: int | None = None
    ) -> None:
        if game.solving is None or game.solving.plan_ahead is None:
            able = [g.name for g in GAMES.values() if g.solving and g.solving.plan_ahead]
            raise ValueError(
                f"game must be one of {', '.join(able)} for hindsight, got {game.title}"
            )
        super().__init__(game, rules, player)
        self.player = player = check_agent(self.player)
        if player.sees_all or is_person(player):
            raise ValueError(
                "the guide of hindsight must not be human or see the hidden cards, got "
                f"{player.name}"
            )
        self.plan_ahead = game.solving.plan_ahead
        self.network: PlanNetwork | None = getattr(player, "plan_network", None)
        if self.network is not None:
            self.unit = GUIDED_UNIT
        self.iterations = choose_number("iterations", iterations, HINDSIGHT_ITERATIONS)
        deck = list(game.pack(rules))
        self.plan_ahead(
            make_position(game, rules, deck), rules, self.iterations, 0
        )  # checks the rules
        self.name = "hindsight" if player.name == "greedy" else f"{player.name}-hindsight"

    def make_plan(self, states: np.ndarray, seed: int) -> tuple[list[int], float]:
        """Return the plan, and its value: the fraction of worlds that it wins, if unguided."""
        plan = self.plan_ahead(states, self.rules, self.iterations, seed, self.network)
        return plan.actions, np.nan if plan.value is None else plan.value
