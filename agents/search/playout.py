"""Games played on by a player whom kernels can ask: by a heuristic, a rule or a table of values."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, cast

import numpy as np

from parlour.envs import Game, find_game
from parlour.envs.core.aliases import (
    Codes,
    FeatureIds,
    RulesRecords,
    Scores,
    States,
    Table,
    Weights,
)
from parlour.envs.core.batch import MAX_MOVES
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.legal import first_action, has_choice
from parlour.envs.core.turn import Agent, agent_name
from parlour.envs.core.values import HOPELESS, best_legal, find_scorers

from ..baselines.greedy import GreedyAgent
from ..networks.value_table import ValueTableAgent

FIRST_MARK = 8
"""Moves after which a game is first looked at for whether it comes to the same position again."""
LINE_ROOM = MAX_MOVES + 1
"""Actions that a line has room for."""


class Guide(NamedTuple):
    """How a player scores actions: by ``table`` or, where that is empty, by ``weights``.

    A rule agent is handed ``weights``, too; which it is the kernels know (`find_rule_agent`).
    """

    weights: Weights
    table: Table


class Playout(NamedTuple):
    """A game to be played on, ``states`` (1,), and the room that this needs.

    ``codes``, int8 (width,), is what the game shows, a view of ``states``; ``mark``, of the same
    shape, a position that it came through; ``line``, int16 (`LINE_ROOM`,), takes actions.
    """

    states: States
    codes: Codes
    mark: Codes
    ids: FeatureIds
    scores: Scores
    line: np.ndarray


def make_playout(game: Game) -> Playout:
    """Return the room for one game."""
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
    """Return a view of what one state (1,) shows, int8 (width,)."""
    assert game.state.fields is not None
    first = game.state.fields["shown"][1]
    return states.view(np.int8)[first : first + game.features.width]


def make_guide(player: Agent, game: Game) -> Guide:
    """Return how a player that `check_player` has let through scores actions."""
    if isinstance(player, ValueTableAgent):
        return Guide(game.default_weights, player.table)
    weights = player.weights if isinstance(player, GreedyAgent) else None
    own = game.default_weights if weights is None else weights
    return Guide(own, np.zeros(0, np.float32))


def check_player(player: Agent, word: str) -> GreedyAgent | ValueTableAgent:
    """Return a player who can play games on; ValueError naming the search, ``word``, for others."""
    by_weights = isinstance(player, GreedyAgent)
    by_table = isinstance(player, ValueTableAgent) and player.width == 0
    if not by_weights and not by_table:
        raise ValueError(
            f"{word}:{agent_name(player)}: only greedy, players by rule and agents with a table "
            "can play games on"
        )
    return cast(GreedyAgent | ValueTableAgent, player)


def find_rule_agent(player: Agent) -> str | None:
    """Return which of the game's rule agents such a player is; None for all others."""
    return player.rule_agent if isinstance(player, GreedyAgent) else None


@jit
def shows_other(codes: Codes, others: Codes) -> bool:
    """Whether two positions show something different, int8 (width,) each."""
    entry = 0
    while entry < len(codes) and codes[entry] == others[entry]:
        entry += 1
    return entry < len(codes)


@jit
def is_hopeless(score: float) -> bool:
    """Whether a player by rule sees no win left after an action that it gives this score."""
    return score < HOPELESS / 2


class PlayoutKernels(NamedTuple):
    """What of a game is compiled to play it on."""

    rate: Callable[..., None]
    """``rate(states, rules, guide, ids, scores)`` writes the player's scores, (1, actions)."""
    play_on: Callable[..., int]
    """``play_on(playout, rules, guide, line, length)`` plays to the end; see `playout_kernels`."""


@cache
def playout_kernels(name: str, rule_agent: str | None = None) -> PlayoutKernels:
    """Build a game's kernels for games played on by its heuristic or by a rule agent, or a table.

    ``play_on`` writes the actions to ``line`` from place ``length`` on, and returns where they end.
    It ends where the game does, where all is `HOPELESS`, after `MAX_MOVES`, or where the game comes
    to a position again: the player, who goes by what is seen, would go round for ever. (A position
    is marked now and then, ever later, and compared with: Brent, "An improved Monte Carlo
    factorization algorithm", 1980.)
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
