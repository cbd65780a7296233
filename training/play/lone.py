"""One deal that one plays alone: its positions, moves taken back, how it ended."""

import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from parlour.agents import human_bests
from parlour.agents.registry import Agent, Turn, make_turn
from parlour.envs import CardEnv, Game
from parlour.envs.core.keys import turn_seeds
from parlour.envs.core.rows import copy_states

from ..evaluation.replays.replay import CUT, LEFT, OVER, Replay, deal_fields, read_result


def make_agent_turn(
    agent: Agent, game: Game, rules: Any, states: np.ndarray, words: np.ndarray
) -> Turn:
    """Return what an agent is asked; its draws come from ``words``, see `keys.key_words`."""
    states = copy_states(states)
    return make_turn(agent, game, rules, states, turn_seeds(words, states))


class LoneGame:
    """One deal, from its beginning to an end, and back where moves are taken back.

    ``env`` is reset with ``seed`` (None: a random one) and ``chosen`` (see `CardEnv.reset`).
    ``bests`` is the file of best results (None: `human_bests.best_file`).
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
        self.source = ", ".join(f"{k} {value}" for k, value in (chosen or {"seed": seed}).items())
        """Where the deal is from, such as ``"seed 3"``."""
        self.dealt = deal_fields(env.game, env.rules, env.rows.states, chosen)
        self.actions: list[int] = []
        """All that led here from the deal."""
        self.begun, self.taken_back = time.monotonic(), False
        self.ended: float | None = None
        self.history = [env.clone()]
        """The position before each move, and the one now."""
        self.info: dict[str, Any] = {}
        """How the game stands, as of the last step."""
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
        """Go back so many moves (None: to the beginning); return False if there is none."""
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
        """Return how the game ended, as results are kept."""
        won, score, moves = (self.info.get(fact, False) for fact in ("won", "score", "moves"))
        return human_bests.Best(won, score, moves, self.seconds, self.taken_back)

    def replay(
        self, variant: str | None, agents: tuple[str, ...], end: str | None = None
    ) -> Replay:
        """Return the game as it is recorded: played by ``agents``, from a named variant's rules.

        ``end`` is one of `replay.ENDS`; None: as it stands.
        """
        game, rules = self.env.game, self.env.rules
        over = CUT if self.is_cut else OVER if self.is_over else LEFT
        facts = read_result(game, rules, self.env.rows.states)[0]
        played = variant or game.default, agents, tuple(self.actions), facts, end or over
        return Replay(game, rules, *played, taken_back=self.taken_back, **self.dealt)

    @property
    def seconds(self) -> float:
        """How long the game has been going on, or went on."""
        return (self.ended or time.monotonic()) - self.begun

    def ending(self) -> str:
        """Say what ended the game."""
        game = self.env.game
        if self.info.get("won", False):
            return "Won"
        if self.is_cut:
            return "Cut off at the limit of moves"
        if game.measure != "won":
            return "Over, all is played"
        if game.label(self.last) == "END":
            return "Over, you ended it"
        return "Over, no move is left"

    def keep_best(self, result: human_bests.Best) -> str:
        """Save a result if it is the best; return how it compares, and why it could not be saved.

        A result on a chosen deck is not saved, and the text is empty.
        """
        if "deck" in (self.chosen or {}):
            return ""
        before = self.load_best()
        if not result.better_than(before):
            return f"Your best so far: {before}."
        said = "Your best so far." if before else "Your first result by these rules."
        try:
            human_bests.keep_best(self._best_key(), result, self.bests)
        except OSError as error:
            said += f" It could not be saved: {error}."
        return said

    def load_best(self) -> human_bests.Best | None:
        """Return the best result by these rules, or None."""
        return human_bests.load_best(self._best_key(), self.bests)

    def _best_key(self) -> str:
        return human_bests.rules_key(self.env.game, self.env.rules)
