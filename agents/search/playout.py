"""Playouts: games played to their end inside kernels, by a heuristic or a table of values."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, cast

import numpy as np

from parlour.envs import Game, find_game
from parlour.envs.core.afterstates import HOPELESS, best_legal, find_scorers
from parlour.envs.core.batch import MAX_MOVES
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.legal import first_action, has_choice
from parlour.envs.core.turn import Agent, agent_name
from parlour.envs.core.type_aliases import (
    Codes,
    FeatureIds,
    RulesRecords,
    Scores,
    States,
    Table,
    Weights,
)

from ..baselines import GreedyAgent
from ..networks.value_table import ValueTableAgent

FIRST_MARK = 8
"""Number of moves after which the first observation is marked, to detect a repetition."""
LINE_ROOM = MAX_MOVES + 1
"""Maximum number of actions in a line."""


class Guide(NamedTuple):
    """The numbers by which a player scores actions.

    A rule-based agent also has weights here; `find_rule_agent` selects its kernels.
    """

    weights: Weights
    """Weights of the heuristic."""
    table: Table
    """Table of values, which replaces the heuristic; empty if there is none."""


class Playout(NamedTuple):
    """The state of one game, and the buffers to play it to its end."""

    states: States
    """The state, (1,)."""
    codes: Codes
    """Its observation, int8 (width,), a view of ``states``."""
    mark: Codes
    """An earlier observation, int8 (width,), to detect a repetition."""
    ids: FeatureIds
    """Buffer for the features of a table."""
    scores: Scores
    """Buffer for scores, (1, actions)."""
    line: np.ndarray
    """Buffer for the actions played, int16 (`LINE_ROOM`,)."""


def make_playout(game: Game) -> Playout:
    """Return the buffers for one game."""
    states = np.zeros(1, game.state)
    return Playout(
        states,
        view_codes(game, states),
        np.zeros(game.features.width, np.int8),
        np.zeros(game.afterstates.max_active if game.afterstates else 1, np.int32),
        np.zeros((1, game.actions)),
        np.zeros(LINE_ROOM, np.int16),
    )


def view_codes(game: Game, states: np.ndarray) -> np.ndarray:
    """Return a view of the observation in one state (1,), int8 (width,)."""
    assert game.state.fields is not None
    first = game.state.fields["shown"][1]
    return states.view(np.int8)[first : first + game.features.width]


def make_guide(player: Agent, game: Game) -> Guide:
    """Return the guide of a player that `check_player` accepts."""
    if isinstance(player, ValueTableAgent):
        return Guide(game.default_weights, player.table)
    weights = player.weights if isinstance(player, GreedyAgent) else None
    if weights is None:
        weights = game.default_weights
    return Guide(weights, np.zeros(0, np.float32))


def check_player(player: Agent, word: str) -> GreedyAgent | ValueTableAgent:
    """Return a player that can play inside kernels. Raises ValueError for other players."""
    by_weights = isinstance(player, GreedyAgent)
    by_table = isinstance(player, ValueTableAgent) and player.width == 0
    if not by_weights and not by_table:
        raise ValueError(
            f"the guide of {word} must be greedy, a rule-based agent or an agent with a table of "
            f"values, got {agent_name(player)}"
        )
    return cast(GreedyAgent | ValueTableAgent, player)


def find_rule_agent(player: Agent) -> str | None:
    """Return the name of a rule-based agent; None for other players."""
    return player.rule_agent if isinstance(player, GreedyAgent) else None


@jit
def shows_other(codes: Codes, others: Codes) -> bool:
    """Return whether two observations, int8 (width,), differ."""
    entry = 0
    while entry < len(codes) and codes[entry] == others[entry]:
        entry += 1
    return entry < len(codes)


@jit
def is_hopeless(score: float) -> bool:
    """Return whether the score of an action says that the game can no longer be won."""
    return score < HOPELESS / 2


class PlayoutKernels(NamedTuple):
    """The kernels of a game for playouts."""

    rate: Callable[..., None]
    """``rate(states, rules, guide, ids, scores)`` writes the player's scores, (1, actions)."""
    play_on: Callable[..., int]
    """``play_on(playout, rules, guide, line, length)`` plays to the end; see `playout_kernels`."""


@cache
def playout_kernels(name: str, rule_agent: str | None = None) -> PlayoutKernels:
    """Build a game's kernels for playouts with its heuristic, a rule-based agent or a table.

    ``play_on`` appends the actions to ``line``, which already has ``length`` actions, and returns
    the new length. It stops at the end of the game, when all actions are `HOPELESS`, after
    `MAX_MOVES`, and when an observation repeats, because the player would then repeat its actions
    forever. To detect a repetition, it compares with one marked observation, and marks the next one
    after twice as many moves (Brent, "An improved Monte Carlo factorization algorithm", 1980).
    """
    game = find_game(name)
    step, actions = game.kernels.step, game.actions
    score_rows = game.score_rows if rule_agent is None else game.rule_agents[rule_agent]
    score_afterstates, _ = find_scorers(game.afterstates)

    @jit
    def rate(
        states: States, rules: RulesRecords, guide: Guide, ids: FeatureIds, scores: Scores
    ) -> None:
        for action in range(actions):
            scores[0, action] = 0.0
        if len(guide.table):
            score_afterstates(states[0], rules[0], guide.table, ids, scores[0])
        else:
            score_rows(states, rules, guide.weights, scores)

    @jit
    def play_on(
        playout: Playout, rules: RulesRecords, guide: Guide, line: np.ndarray, length: int
    ) -> int:
        s, wait = playout.states[0], FIRST_MARK
        playout.mark[:] = playout.codes
        left = wait
        while s["over"] == 0 and s["moves"] < MAX_MOVES:
            action = first_action(s["legal"])
            if has_choice(s["legal"]):
                rate(playout.states, rules, guide, playout.ids, playout.scores)
                action = best_legal(s["legal"], playout.scores[0])
                if is_hopeless(playout.scores[0, action]):
                    break
            step(s, rules[0], action)
            line[length] = action
            length += 1
            if not shows_other(playout.codes, playout.mark):
                break
            left -= 1
            if left == 0:
                wait *= 2
                left = wait
                playout.mark[:] = playout.codes
        return length

    return PlayoutKernels(rate, play_on)
