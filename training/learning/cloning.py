"""Learning from the truth: a network is taught what a solver, or another agent, would do.

With ``teacher`` "solver" the network plays, and in every position it meets the game's exact solver
says, by the true cards, after which actions a win is left. Nobody who sees what the player sees
could know that, but on average over the games that look alike it is the chance that a win is left,
which is what `parlour.agents.search.pimc` estimates by dealing worlds: the network learns it as the logit
of every action. Games that are lost are left at once, for in them all actions are equal; this
changes the chances of all actions in a position by the same factor.

Any other teacher is an agent: its choices are imitated, in the positions to which the learner's own
play leads half of the time (Ross, Gordon and Bagnell, "A reduction of imitation learning and
structured prediction to no-regret online learning", 2011).

After the lessons MaskablePPO goes on from there. The value learns from the games throughout.
"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from parlour.agents.networks.build import make_value_function
from parlour.agents.registry import Agent, choose_actions, prepare_turn

from .lookahead import lambda_returns
from .ppo import CardPolicy, CardPPO
from .sb3 import CardVecEnv

SOLVER = "solver"
POSITIONS = 3000
"""Positions that the solver may look at for one answer; where they do not suffice it says half."""
PREFERENCE = 0.03
"""So much less is the label of the action the heuristic likes least of those that leave a win."""
OWN = 0.5
"""How often the learner's own choice is played where an agent is imitated."""
TRIES = 20
"""New deals that a row is given, at most, until one of them can be won."""


class CloningPPO(CardPPO):
    """Lessons for the first ``lessons`` steps, then MaskablePPO.

    ``teachers`` are agents to imitate, one for each of the rules played; none: the solver.
    """

    lessons = 0
    teachers: Sequence[Agent] = ()
    teaching = False

    def collect_rollouts(self, env: Any, *args: Any, **keywords: Any) -> bool:
        """Fill the rollout: with lessons, or by `CardPPO` after them."""
        self.teaching = self.num_timesteps < self.lessons
        if not self.teaching:
            return super().collect_rollouts(env, *args, **keywords)
        self.policy.set_training_mode(False)
        steps = [self._collect_lesson(env) for _ in range(self.n_steps)]
        seen, masks, labels, rewards, dones, left = (
            np.stack(part) for part in zip(*steps, strict=True)
        )
        dones[:-1] |= left[1:]  # a game that was left before the next step ended with this one
        value = make_value_function(cast(CardPolicy, self.policy).network)
        with self.clock("forward"):
            after = np.stack([value(codes) for codes in [*seen[1:], env.rows.codes]])
        returns = lambda_returns(rewards, dones, after, self.gamma, self.gae_lambda)
        parts = [array.reshape(-1, *array.shape[2:]) for array in (seen, masks, labels, returns)]
        self.rollout = [torch.from_numpy(part).to(self.device) for part in parts]
        return True

    def _collect_lesson(self, env: CardVecEnv) -> tuple[np.ndarray, ...]:
        """Make one step of every game; return all that is learned from it, arrays (n, ...)."""
        with self.clock("env"):
            labels, left = self._labels(env)
            seen, masks = env.rows.codes.copy(), env.masks()
        with self.clock("forward"), torch.no_grad():
            policy = cast(CardPolicy, self.policy)
            logits = policy.network(self._tensor(env.observations()))[0]
            actions = policy.sample(policy.mask_logits(logits, masks))[0].cpu().numpy()
        if self.teachers:
            own = torch.rand(env.num_envs).numpy() < OWN
            actions = np.where(own, actions, labels.argmax(axis=1))
        rewards, dones, infos = self._step(env, actions)
        rewards = self.reward_scale * rewards + self.gamma * self._truncation_values(env, infos)
        return seen, masks, labels, rewards, dones.copy(), left

    def _labels(self, env: CardVecEnv) -> tuple[np.ndarray, np.ndarray]:
        """What the teacher says of every action, float32 (n, actions); which games were left."""
        left = np.zeros(env.num_envs, np.bool_)
        if self.teachers:
            return np.eye(env.game.actions, dtype=np.float32)[self._ask_teachers(env)], left
        game, rules, states = env.game, env.rules, env.rows.states
        assert game.winnable_after is not None
        labels = game.winnable_after(states, rules, POSITIONS)
        for _ in range(TRIES):
            lost = labels.max(axis=1) == 0
            if not lost.any():
                break
            env.leave(lost)
            left |= lost
            labels[lost] = game.winnable_after(states[lost], rules, POSITIONS)
        return labels * self._preference_factors(env, labels), left

    def _ask_teachers(self, env: CardVecEnv) -> np.ndarray:
        """Return what the teacher of each row's rules plays, int64 (n,)."""
        states = env.rows.states
        seeds = torch.randint(2**62, (env.num_envs,)).numpy().astype(np.uint64)
        chosen = np.zeros(env.num_envs, np.int64)
        for number, rows in env.table.split(states):
            teacher, rules = self.teachers[number], env.table.rules[number]
            turn = prepare_turn(teacher, env.game, rules, states[rows], seeds[rows])
            chosen[rows] = choose_actions(teacher, turn)
        return chosen

    def _preference_factors(self, env: CardVecEnv, labels: np.ndarray) -> np.ndarray:
        """Factors for labels, float32 (n, actions): 1 for the heuristic's best, then less.

        Most actions leave a win most of the time; without this it would be noise who chooses.
        """
        scores = env.game.score_actions(env.rows.states, env.rules)
        best = np.where(labels > 0, scores, scores.min()).max(axis=1, keepdims=True)
        behind = np.where(labels > 0, best - scores, 0.0)
        most = np.maximum(behind.max(axis=1, keepdims=True), 1e-9)
        return (1 - PREFERENCE * behind / most).astype(np.float32)

    def train(self) -> None:
        """Learn from the rollout."""
        if not self.teaching:
            return super().train()
        self._train_minibatches(len(self.rollout[0]), self._learn, ["cloning_loss"])

    def _learn(self, part: Tensor) -> list[Tensor]:
        codes, masks, labels, returns = (array[part] for array in self.rollout)
        network = cast(CardPolicy, self.policy).network
        logits, values = network(self._encode(codes))
        logits = cast(CardPolicy, self.policy).mask_logits(logits, masks)
        chances, log_chances = logits.softmax(dim=1), logits.log_softmax(dim=1)
        if not self.teachers:
            loss = 1 - (chances * labels).sum(dim=1).mean()
        else:
            loss = -(labels * log_chances).sum(dim=1).mean()
        loss = loss + self.ent_coef * (chances * log_chances).sum(dim=1).mean()
        self._optimizer_step(loss + self.vf_coef * nn.functional.mse_loss(values, returns))
        return [loss]
