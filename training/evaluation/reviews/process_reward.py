"""The process reward: minus the regret of each decision, by the judge of reviews."""

from time import perf_counter
from typing import Any

import numpy as np

from parlour.agents.registry import Agent
from parlour.envs import Game, find_game
from parlour.envs.core.turn import legal_masks

from .review_judges import WORLDS, can_judge, find_regrets, make_judge


class ProcessReward:
    """Reward of an action: minus its regret, in the unit of the judge.

    The regret is the value of the best legal action minus the value of the action, as the losses of
    `review_game`. It is exact up to the sampled worlds where the game has a solver (unit: share of
    worlds that can still be won); elsewhere an agent plays the worlds out (unit: score or net
    result). The judge sees what the seat knows, so the reward does not depend on hidden cards.

    Example:
        >>> from parlour.envs.interfaces.text import TextEnv
        >>> from parlour.training import ProcessReward
        >>> env = TextEnv("pyramid", "classic", reward=ProcessReward("pyramid", "classic"))

    Attributes:
        judge: The judge; its ``text`` describes the method.
        decisions: Number of decisions judged; forced actions are not judged.
        seconds: Time that the judge took.

    Args:
        game: The game, or its name.
        variant: Name of the variant (None: the default variant).
        worlds: Number of sampled worlds per decision.
        seed: Seed of the sampled worlds.
        player: Agent that plays the worlds out; see `review_game` (None: the solver, or the
            pretrained or greedy agent).
        **options: Options of the game that differ from the variant.
    """

    def __init__(
        self,
        game: Game | str,
        variant: str | None = None,
        *,
        worlds: int = WORLDS,
        seed: int = 0,
        player: Agent | str | None = None,
        **options: Any,
    ) -> None:
        game = find_game(game) if isinstance(game, str) else game
        self.judge = make_judge(game, game.make_rules(variant, options), worlds, seed, player)
        self.decisions, self.seconds = 0, 0.0

    def __call__(self, states: np.ndarray, action: int) -> float:
        """Return the reward of an action in a state, (1,)."""
        return float(self.judge_actions(states, np.array([action]))[0])

    def judge_actions(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return the rewards of actions, float64 (n,).

        Args:
            states: The running games before the actions, (n,).
            actions: The actions, int (n,).

        Returns:
            Minus the regrets; 0 for a forced action, and for a bid if the judge is the
            double-dummy solver. Above 0 only for an action that takes back a bad move.
        """
        game, rewards = self.judge.game, np.zeros(len(states))
        has_choice = legal_masks(game, states).sum(axis=1) > 1
        rows = np.flatnonzero(has_choice & can_judge(self.judge, states))
        if len(rows) == 0:
            return rewards
        begun = perf_counter()
        judged = self.judge.judge(states[rows], states["steps"][rows].astype(np.int64))
        self.seconds += perf_counter() - begun
        self.decisions += len(rows)
        rewards[rows] = -find_regrets(game, judged.values, actions[rows])
        return rewards
