"""A solitaire for a human player, with take-back of moves, results, and notices.

A notice tells the player that the deal is unwinnable, or that a move made it unwinnable.
"""

import secrets
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents import human_bests
from parlour.agents.registry import Agent, Turn, make_turn
from parlour.envs import CardEnv, Game
from parlour.envs.core.contract import Solve
from parlour.envs.core.kernel.rng import turn_seeds
from parlour.envs.core.rows import copy_states
from parlour.envs.core.solve import play_actions, solver_of

from ..evaluation.replays.replay import CUT, LEFT, OVER, Replay, deal_fields, read_result

LIMIT = 100_000
"""Most positions that the solver searches per answer, which takes some tens of milliseconds."""
HOPELESS = "This deal cannot be won."
GONE = "This move made the deal unwinnable (u takes it back)."

MAX_ANSWERS = 2_000
"""Most answers in memory, since a player may go back and forth for hours."""


def make_agent_turn(
    agent: Agent, game: Game, rules: Any, states: np.ndarray, words: np.ndarray
) -> Turn:
    """Return the turn of an agent; its draws derive from ``words`` (see `rng.key_words`)."""
    states = copy_states(states)
    return make_turn(agent, game, rules, states, turn_seeds(words, states))


def source_text(chosen: Mapping[str, Any] | None, seed: int) -> str:
    """Return the source of a deal, such as ``"seed 3"`` or ``"deal 5, deal set pyramid-1"``."""
    source = chosen or {"seed": seed}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in source.items())


class SolitaireGame:
    """One deal of a solitaire, in which moves can be taken back.

    Args:
        env: The environment.
        seed: Seed of the deal (None: random).
        chosen: Deck or numbered deal, as ``options`` of `CardEnv.reset`.
        bests: File of best results (None: `human_bests.best_file`).
    """

    def __init__(
        self,
        env: CardEnv,
        seed: int | None,
        chosen: Mapping[str, Any] | None,
        bests: Path | None = None,
    ) -> None:
        self.env, self.chosen, self.bests = env, chosen, bests
        seed = secrets.randbelow(2**31) if seed is None else seed
        env.reset(seed=seed, options=chosen)
        self.source = source_text(chosen, seed)
        """Source of the deal, such as ``"seed 3"``."""
        self.dealt = deal_fields(env.game, env.rules, env.rows.states, chosen)
        self.actions: list[int] = []
        """Actions from the deal to the position."""
        self.begun, self.taken_back = time.monotonic(), False
        self.ended: float | None = None
        self.history = [env.clone()]
        """The position before each move, and the current one."""
        self.info: dict[str, Any] = {}
        """The ``info`` of the last step."""
        self.is_over, self.is_cut, self.last = False, False, -1

    def step(self, action: int) -> bool:
        """Play an action; return whether it completed a move."""
        _, _, ended, self.is_cut, self.info = self.env.step(action)
        self.actions.append(action)
        self.is_over, self.last = ended or self.is_cut, action
        self.ended = time.monotonic() if self.is_over else None
        if self.env.state["moves"] == self.history[-1]["moves"][0]:
            return False
        self.history.append(self.env.clone())
        return True

    def take_back(self, moves: int | None = 1) -> bool:
        """Take back moves (None: all of them); return False if there is none."""
        if len(self.history) == 1:
            return False
        del self.history[1 if moves is None else max(1, len(self.history) - moves) :]
        self.env.restore(self.history[-1])
        del self.actions[int(self.env.state["steps"]) :]
        self.taken_back, self.is_over, self.is_cut, self.ended = True, False, False, None
        return True

    def drop_unfinished_move(self) -> None:
        """Return to the position before an incomplete move."""
        self.env.restore(self.history[-1])
        del self.actions[int(self.env.state["steps"]) :]

    def result(self) -> human_bests.Best:
        """Return the result of the game in the form in which it is saved."""
        won, score, moves = (self.info.get(fact, False) for fact in ("won", "score", "moves"))
        return human_bests.Best(won, score, moves, self.seconds, self.taken_back)

    def replay(
        self, variant: str | None, agents: tuple[str, ...], end: str | None = None
    ) -> Replay:
        """Return the replay of the game.

        Args:
            variant: Name of the variant on which the rules are based (None: the default).
            agents: Names of the agents.
            end: One of `replay.ENDS` (None: derived from the state of the game).
        """
        game, rules = self.env.game, self.env.rules
        over = CUT if self.is_cut else OVER if self.is_over else LEFT
        facts = read_result(game, rules, self.env.rows.states)[0]
        played = variant or game.default, agents, tuple(self.actions), facts, end or over
        return Replay(game, rules, *played, taken_back=self.taken_back, **self.dealt)

    @property
    def seconds(self) -> float:
        """Seconds from the deal to the end, or to now."""
        return (self.ended or time.monotonic()) - self.begun

    def ending(self) -> str:
        """Return the reason why the game ended."""
        game = self.env.game
        if self.info.get("won", False):
            return "Won"
        if self.is_cut:
            return "Truncated at the move limit"
        if game.measure != "won":
            return "Over, all cards are placed"
        if game.label(self.last) == "END":
            return "Over, you ended the game"
        return f"Over, {game.no_move_text}"

    def save_if_best(self, result: human_bests.Best) -> str:
        """Save a result if it is the best; return a text that compares it with the best.

        The text includes an error of saving. A result on a chosen deck is not saved, and the text
        is empty.
        """
        if "deck" in (self.chosen or {}):
            return ""
        before = self.load_best()
        if not result.better_than(before):
            return f"Your best so far: {before}."
        text = "Your best so far." if before else "Your first result with these rules."
        try:
            human_bests.save_if_best(self._best_key(), result, self.bests)
        except OSError as error:
            text += f" It could not be saved: {error}."
        return text

    def load_best(self) -> human_bests.Best | None:
        """Return the best result with these rules, or None."""
        return human_bests.load_best(self._best_key(), self.bests)

    def _best_key(self) -> str:
        return human_bests.rules_key(self.env.game, self.env.rules)


class Notice:
    """Notices about one game from its solver; there are none in games without an exact solver.

    The solver ignores an UNDO action of the rules (`contract.Solve`).
    """

    def __init__(self, game: Game, rules: Any, wanted: bool) -> None:
        self.game, self.rules = game, rules
        self.wanted = wanted and game.solve is not None and game.goal_name(rules) == "won"
        self.solve: Solve | None = None
        self.answers: dict[bytes, bool | None] = {}
        """Answers of the solver by the bytes of the position."""
        self.deal: bool | None = None
        """Whether the deal is winnable; None: unknown."""

    def judge(self, history: Sequence[np.ndarray]) -> list[bool | None]:
        """Return whether each position of a history is winnable; an empty list without a solver."""
        if not self._is_able():
            return []
        if len(self.answers) > MAX_ANSWERS:
            self.answers.clear()
        winnable: list[bool | None] = []
        goes_back = bool(
            getattr(self.rules, "undo", False)
        )  # UNDO can make a lost position winnable again
        for position in history:
            is_lost = not goes_back and bool(winnable) and winnable[-1] is False
            winnable.append(False if is_lost else self._ask(position))
        self.deal = winnable[0]
        return winnable

    def at_start(self, history: Sequence[np.ndarray]) -> str:
        """Return the notice if the deal is unwinnable; otherwise an empty text."""
        self.judge(history[:1])
        return HOPELESS if self.deal is False else ""

    def after_move(self, history: Sequence[np.ndarray], over: bool) -> str:
        """Return the notice if the last move made the deal unwinnable; otherwise an empty text."""
        winnable = [] if over else self.judge(history)
        return GONE if winnable and winnable[-2] and winnable[-1] is False else ""

    def at_end(self, won: bool) -> str:
        """Return a sentence about whether a lost deal was winnable; empty if unknown or won."""
        if won or self.deal is None:
            return ""
        return "This deal could have been won." if self.deal else "This deal could not be won."

    def _is_able(self) -> bool:
        """Return whether the solver supports the rules."""
        if self.wanted and self.solve is None:
            try:
                self.solve = solver_of(self.game, self.rules)
            except ValueError:
                self.wanted = False
        return self.wanted

    def _ask(self, position: np.ndarray) -> bool | None:
        key = position.tobytes()
        if key not in self.answers:
            assert self.solve is not None
            self.answers[key] = self.solve(position, self.rules, limit=LIMIT).winnable
        return self.answers[key]


def best_text(notice: Notice, deal: np.ndarray, won_in: int | None) -> str:
    """Return a sentence about the best result of a deal with all cards known; empty if unknown.

    Args:
        notice: The notices of the game.
        deal: The deal, states (1,).
        won_in: Number of moves in which the player won; None: not won.
    """
    game, rules = notice.game, notice.rules
    try:
        solution = solver_of(game, rules)(deal, rules, limit=LIMIT)
    except ValueError:
        return ""
    if solution.score is not None:
        return f"With all cards known, {solution.score} points are possible."
    if solution.winnable is None:
        return ""
    moves = _count_moves(game, rules, deal, solution.actions or [])
    if won_in is not None:
        return f"The solver wins this deal in {moves} moves." if moves < won_in else ""
    if solution.winnable:
        return f"This deal could have been won in {moves} moves."
    return "This deal could not be won."


def _count_moves(game: Game, rules: Any, deal: np.ndarray, actions: Sequence[int]) -> int:
    """Return the number of moves of a solution; a move may take several actions."""
    return int(play_actions(game, rules, deal, actions)["moves"][0])
