"""Train PPO with masks on a Parlour game, with TorchRL's collector and losses.

    python examples/torchrl_masked.py --steps 20000

The mask is part of the observation (`DictObservation`). `ActionMask` applies it to random play and
`MaskedCategorical` to the policy. ``illegal="raise"`` raises an error if they do not. Needs ``pip
install torchrl``.
"""

import argparse
import time

import gymnasium as gym
import torch
from tensordict import TensorDictBase
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import ActionMask, EnvBase, GymWrapper, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from parlour.envs import DictObservation  # the import registers the games

FRAMES, EPOCHS, BATCH = 2000, 4, 500


def make_env(name: str) -> EnvBase:
    """Return the game as TorchRL's environment, with masks."""
    env = gym.make(name, skip_forced=True, illegal="raise")
    env = DictObservation(env, dtype="float32", mask_dtype="bool")
    return TransformedEnv(GymWrapper(env, categorical_action_encoding=True), ActionMask())


def make_networks(env: EnvBase, width: int = 128) -> tuple[ProbabilisticActor, ValueOperator]:
    """Return the policy over legal actions, and the values."""
    inputs, actions = env.observation_spec["observation"].shape[-1], env.action_spec.n
    policy = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, actions))
    actor = ProbabilisticActor(
        TensorDictModule(policy, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    value = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, 1))
    return actor, ValueOperator(value, in_keys=["observation"])


def learn(
    rollout: TensorDictBase, advantage: GAE, loss: ClipPPOLoss, optimizer: torch.optim.Optimizer
) -> None:
    """Improve policy and values from a rollout."""
    for _ in range(EPOCHS):
        with torch.no_grad():
            advantage(rollout)
        for batch in torch.randperm(len(rollout)).split(BATCH):
            parts = loss(rollout[batch])
            optimizer.zero_grad()
            (parts["loss_objective"] + parts["loss_critic"] + parts["loss_entropy"]).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--id", default="parlour/Pyramid-v0", help="Gymnasium id of the game")
    parser.add_argument("--steps", type=int, default=20_000, help="number of timesteps")
    arguments = parser.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(1)
    env = make_env(arguments.id)
    env.set_seed(0)
    actor, value = make_networks(env)
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=value)
    loss = ClipPPOLoss(actor, value, entropy_coeff=0.01)
    optimizer = torch.optim.Adam(loss.parameters(), 5e-4)
    steps = max(1, arguments.steps // FRAMES) * FRAMES
    collector = Collector(
        env,
        actor,
        frames_per_batch=FRAMES,
        total_frames=steps,
        auto_register_policy_transforms=True,
    )
    done, begun = 0, time.perf_counter()
    for rollout in collector:
        done += len(rollout)
        games = max(1, int(rollout["next", "done"].sum()))
        reward = float(rollout["next", "reward"].sum())
        print(f"{done:>9,} steps: reward per game {reward / games:.3f}")
        learn(rollout, advantage, loss, optimizer)
    collector.shutdown()
    print(f"{steps / (time.perf_counter() - begun):,.0f} steps/s")


if __name__ == "__main__":
    main()
