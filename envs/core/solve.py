"""Solving with all cards known: positions for solvers, lines of actions, checks of a solver.

A game's solver says what a player who knew all cards could reach, so its answers reveal hidden
cards.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .batch import Autoreset, Over, StepConfig
from .contract import LOST, WINNABLE, Solve
from .game import GAMES, Game
from .rows import Rows, are_finished, copy_states, write_states


def make_position(game: Game, rules: Any, deck_or_state: Any) -> np.ndarray:
    """Return a position as an array of one state, a copy.

    Args:
        game: The game.
        rules: Its rules.
        deck_or_state: A record of ``game.state`` (or an array of one), or a deck: card names or
            codes in dealing order.

    Raises:
        ValueError: The deck is not a deck of the game, or the state is one of another game.
    """
    rows = Rows(game, rules, 1)
    if isinstance(deck_or_state, np.void | np.ndarray) and deck_or_state.dtype.names:
        if deck_or_state.dtype != game.state or deck_or_state.size != 1:
            raise ValueError(f"one state of {game.title} is needed, got {deck_or_state.dtype}")
        write_states(rows.states, slice(None), np.atleast_1d(np.asarray(deck_or_state)))
    else:
        rows.deal_deck(deck_or_state)
    return copy_states(rows.states)


def deal_position(game: Game, rules: Any, deal_set: str, deal: int) -> np.ndarray:
    """Return the position at the start of a numbered deal of a deal set, (1,)."""
    rows = Rows(game, rules, 1)
    rows.deal_numbered(deal_set, [deal])
    return copy_states(rows.states)


def play_actions(game: Game, rules: Any, state: np.ndarray, actions: Sequence[int]) -> np.ndarray:
    """Play actions from a position; return the position after them, (1,).

    Raises ValueError naming the first action that is not legal.
    """
    return copy_states(trace_actions(game, rules, state, actions)[-1:])


def trace_actions(
    game: Game, rules: Any, state: np.ndarray, actions: Sequence[int], max_moves: int = 0
) -> np.ndarray:
    """Play actions from a position; return all positions, (actions + 1,), the first one included.

    ``max_moves`` truncates the game; 0: no limit. Raises ValueError as `play_actions` does.
    """
    rows = Rows(game, rules, 1, StepConfig(reset=Autoreset.DISABLED, max_moves=max_moves))
    rows.take_over(np.atleast_1d(state))
    over, masks = rows.states["over"], rows.buffers.masks
    played = np.array(actions, np.int64)
    positions = [copy_states(rows.states)]
    for number, action in enumerate(actions):
        if over[0] or not 0 <= action < game.actions or not masks[0, action]:
            named = game.label(action) if 0 <= action < game.actions else "no action of this game"
            left = [] if over[0] else [game.label(int(one)) for one in np.flatnonzero(masks[0])]
            allowed = ", ".join(left) or "none, the game is over"
            raise ValueError(
                f"action {number + 1}, {named}, is not legal: allowed there are {allowed}"
            )
        rows.step(played[number : number + 1])
        positions.append(copy_states(rows.states))
    return np.concatenate(positions)


PROBE_LIMIT = 1
"""Search limit of the call that checks whether a solver supports rules."""


def solver_of(game: Game, rules: Any) -> Solve:
    """Return the game's ``solve``, after a check that it supports the rules.

    Raises ValueError if the game has no solver, naming the games that have one, or if its solver
    does not support the rules.
    """
    solve = game.solve
    if solve is None:
        raise ValueError(
            f"{game.title} has no solver; games that have one: {', '.join(solvable())}"
        )
    if game.num_players(rules) > 1:
        raise ValueError(f"{game.title} by these rules is for several players: no solver for them")
    solve(make_position(game, rules, list(game.pack(rules))), rules, limit=PROBE_LIMIT)
    return solve


def solvable() -> list[str]:
    """Return the names of the games that have a solver."""
    return [name for name, game in GAMES.items() if game.solve is not None]


class WinnableInfo:
    """Tells for states whether a player who knew all cards could still win.

    Raises ValueError for games and rules without a solver, and for games without a win.
    """

    def __init__(self, game: Game, rules: Any) -> None:
        self.solve, self.rules = solver_of(game, rules), rules
        if game.goal_name(rules) != "won":
            raise ValueError(f"winnable: {game.title} is played for its score: nobody wins it")

    def __call__(self, states: np.ndarray) -> np.ndarray:
        """Return whether states are winnable, int8 (n,): 1 yes, 0 no, -1 undecided.

        For a finished game the value says whether it was won. A truncated game is not
        finished: the solver answers as if it continued.
        """
        codes = np.where(states["won"] != 0, WINNABLE, LOST).astype(np.int8)
        unfinished = np.flatnonzero(~are_finished(states))
        positions = copy_states(states, unfinished)
        positions["over"] = Over.RUNNING
        for index, row in enumerate(unfinished):
            solution = self.solve(positions[index : index + 1], self.rules)
            codes[row] = solution.winnable_code
        return codes
