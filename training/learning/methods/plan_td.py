"""Plan-TD: a network that values the positions after plans, learned by TD(lambda) from self-play.

Each iteration plays games with the current network, and then trains it to predict lambda-returns:
mixtures of the outcome of the game and of the network's values of the plans that followed.
"""

import numpy as np
import torch
from torch import nn

from parlour.envs.core.plan_values import PlayedPlans

from ..plan_run import PlanRun
from ..settings.methods import PlanTDSettings

LOST_DECAY = 0.15
"""Decay rate of the value of a lost game, per card that is still hidden."""


def lambda_returns(played: PlayedPlans, td_lambda: float, lost_value: float = 0) -> np.ndarray:
    """Return the target of each plan, float32 (n,).

    The target of the last plan of a game is its outcome: 1 for a win, and for a loss ``lost_value``
    times exp(-0.15 n) with n hidden cards. The target of another plan mixes the value
    (1 - ``td_lambda``) and the target (``td_lambda``) of the plan that follows.
    """
    outcomes = np.where(played.won, 1, lost_value * np.exp(-LOST_DECAY * played.num_hidden))
    games = played.games
    targets = np.empty(len(games), np.float32)
    values = 1 / (1 + np.exp(-played.logits))
    is_last = np.append(games[1:] != games[:-1], True)
    for i in range(len(games) - 1, -1, -1):
        if is_last[i]:
            target = float(outcomes[games[i]])
        else:
            target = (1 - td_lambda) * values[i + 1] + td_lambda * target
        targets[i] = target
    return targets


class PlanTDRun(PlanRun):
    """A run of plan-TD."""

    settings: PlanTDSettings

    def iterate(self) -> dict[str, float]:
        """Play games, learn from them, and return the values to log."""
        settings = self.settings
        draws, seeds = self.begin_iteration()
        played = self.values.play_games(self.rules, self.module.export(), seeds, settings.explore)
        left = 1 - self.share_done()
        rate = self.set_learning_rate(left)
        self.require_convergence(played.logits)
        targets = lambda_returns(played, settings.td_lambda, left * settings.lost_value)
        losses = [self._learn(played.ids, targets, draws) for _ in range(settings.n_epochs)]
        self.steps += len(played.games)
        self.iterations += 1
        won = float(played.won.mean())
        return {"play/won": won, "train/loss": losses[-1], "train/learning_rate": rate}

    def _learn(self, ids: np.ndarray, targets: np.ndarray, draws: np.random.Generator) -> float:
        """Learn from each plan once, and return the mean loss."""
        order = draws.permutation(len(targets))
        losses = []
        for begin in range(0, len(order), self.settings.batch_size):
            rows = order[begin : begin + self.settings.batch_size]
            logits = self.evaluate_ids(ids[rows], draws)
            loss = nn.functional.binary_cross_entropy_with_logits(
                logits, torch.from_numpy(targets[rows])
            )
            losses.append(self.descend(loss))
        return float(np.mean(losses))


METHOD = PlanTDRun
