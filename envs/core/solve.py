"""Solvers: positions, sequences of actions, and checks whether a game has a solver.

A game's solver finds the best result of a player who knows all cards. Its results therefore reveal
hidden cards.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .batch import Autoreset, Over, StepConfig
from .contract import LOST, WINNABLE, Solve
from .game import GAMES, Game, illegal_action_text
from .rows import Rows, are_finished, copy_states, write_states


def make_position(game: Game, rules: Any, deck_or_state: Any) -> np.ndarray:
    """Return a copy of a position as an array of one state.

    Args:
        game: The game.
        rules: Its rules.
        deck_or_state: A record of ``game.state`` or an array of one record; or a deck, card names
            or codes in dealing order.

    Returns:
        Array (1,) of ``game.state``.

    Raises:
        ValueError: The deck is invalid, or the state belongs to another game.
    """
    rows = Rows(game, rules, 1)
    if isinstance(deck_or_state, np.void | np.ndarray) and deck_or_state.dtype.names:
        if deck_or_state.dtype != game.state or deck_or_state.size != 1:
            raise ValueError(
                f"state must be one record of {game.title}, "
                f"got {deck_or_state.size} of {deck_or_state.dtype}"
            )
        write_states(rows.states, slice(None), np.atleast_1d(np.asarray(deck_or_state)))
    else:
        rows.deal_deck(deck_or_state)
    return copy_states(rows.states)


def deal_position(game: Game, rules: Any, deal_set: str, deal: int) -> np.ndarray:
    """Return the first position of a numbered deal of a deal set, (1,)."""
    rows = Rows(game, rules, 1)
    rows.deal_numbered(deal_set, [deal])
    return copy_states(rows.states)


def play_actions(game: Game, rules: Any, state: np.ndarray, actions: Sequence[int]) -> np.ndarray:
    """Play actions from a position and return the resulting position, (1,).

    Raises:
        ValueError: An action is illegal; the message names the first one.
    """
    return copy_states(trace_actions(game, rules, state, actions)[-1:])


def trace_actions(
    game: Game, rules: Any, state: np.ndarray, actions: Sequence[int], max_moves: int = 0
) -> np.ndarray:
    """Play actions from a position and return all positions, including the first.

    Args:
        game: The game.
        rules: Its rules.
        state: The position, (1,).
        actions: The actions.
        max_moves: Number of moves after which the game is truncated; 0: no limit.

    Returns:
        Array (actions + 1,) of states.

    Raises:
        ValueError: An action is illegal; the message names the first one.
    """
    rows = Rows(game, rules, 1, StepConfig(reset=Autoreset.DISABLED, max_moves=max_moves))
    rows.take_over(np.atleast_1d(state))
    over, masks = rows.states["over"], rows.buffers.masks
    played = np.array(actions, np.int64)
    positions = [copy_states(rows.states)]
    for number, action in enumerate(actions):
        if over[0] or not 0 <= action < game.actions or not masks[0, action]:
            state, what = rows.states[0], f"action {number + 1}"
            legal = [] if over[0] else np.flatnonzero(masks[0]).tolist()
            raise ValueError(illegal_action_text(game, rules, state, action, legal, what))
        rows.step(played[number : number + 1])
        positions.append(copy_states(rows.states))
    return np.concatenate(positions)


def solver_of(game: Game, rules: Any) -> Solve:
    """Return the game's function ``solve`` after a check that it supports the rules.

    Args:
        game: The game.
        rules: Its rules.

    Raises:
        ValueError: The game has no solver, or the solver does not support the rules.
    """
    solve = game.solve
    if solve is None:
        raise ValueError(
            f"{game.title} has no solver. Games with a solver: {', '.join(solvable())}"
        )
    if game.num_players(rules) > 1:
        raise ValueError(
            f"{game.title} has a solver only for one player, got {game.num_players(rules)} players"
        )
    finished = np.zeros(1, game.state)  # There is nothing to search, so that no kernel compiles.
    finished["over"] = Over.TERMINATED
    solve(finished, rules)
    return solve


def solvable() -> list[str]:
    """Return the names of the games that have a solver."""
    return [name for name, game in GAMES.items() if game.solve is not None]


class WinnableInfo:
    """Function that tells whether a player who knew all cards could still win.

    Raises:
        ValueError: The game or its rules have no solver, or the game has no win.
    """

    def __init__(self, game: Game, rules: Any) -> None:
        self.solve, self.rules = solver_of(game, rules), rules
        if game.goal_name(rules) != "won":
            raise ValueError(f"winnable needs a game that can be won, got {game.title}")

    def __call__(self, states: np.ndarray) -> np.ndarray:
        """Return whether states are winnable, int8 (n,): 1 yes, 0 no, -1 undecided.

        The value of a finished game tells whether it was won. A truncated game is solved as if it
        continued.
        """
        codes = np.where(states["won"] != 0, WINNABLE, LOST).astype(np.int8)
        unfinished = np.flatnonzero(~are_finished(states))
        positions = copy_states(states, unfinished)
        positions["over"] = Over.RUNNING
        for index, row in enumerate(unfinished):
            solution = self.solve(positions[index : index + 1], self.rules)
            codes[row] = solution.winnable_code
        return codes
