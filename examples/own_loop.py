"""A training loop in one file: PPO with masks over Gymnasium's vector environment.

    python examples/own_loop.py --steps 200000

The loop uses nothing of `parlour.training`: `gymnasium.make_vec` makes the games and
``infos["action_mask"]`` has the masks. The loop is short, so it is easy to read and
change. It learns little.
"""

import argparse
import time

import gymnasium as gym
import torch
from torch import nn

import parlour.envs  # noqa: F401  # registers the games

GAMMA, LAMBDA, CLIP, EPOCHS, BATCH = 1.0, 0.95, 0.2, 4, 512


class Network(nn.Module):
    """Two hidden layers; a head for the policy, one for the value."""

    def __init__(self, inputs: int, actions: int, width: int = 128) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        """Return the policy over legal actions, and the values (n,)."""
        hidden = self.body(observations)
        logits = self.policy(hidden).masked_fill(~masks, -1e8)
        return torch.distributions.Categorical(logits=logits), self.value(hidden).squeeze(-1)


def play(envs: gym.vector.VectorEnv, network: Network, state: tuple, steps: int) -> tuple:
    """Play ``steps`` steps in each environment; return the rollout and the last state."""
    observation, mask = state
    rollout: dict[str, list[torch.Tensor]] = {
        name: []
        for name in ("observations", "masks", "actions", "logs", "values", "rewards", "ends")
    }
    for _ in range(steps):
        observations = torch.as_tensor(observation, dtype=torch.float32)
        masks = torch.as_tensor(mask != 0)
        with torch.no_grad():
            policy, values = network(observations, masks)
        actions = policy.sample()
        observation, reward, terminated, truncated, infos = envs.step(actions.numpy())
        mask = infos["action_mask"]
        row = observations, masks, actions, policy.log_prob(actions), values
        row += (torch.as_tensor(reward, dtype=torch.float32),)
        row += (torch.as_tensor(terminated | truncated, dtype=torch.float32),)
        for name, value in zip(rollout, row, strict=True):
            rollout[name].append(value)
    return {name: torch.stack(values) for name, values in rollout.items()}, (observation, mask)


def compute_advantages(rollout: dict[str, torch.Tensor], last: torch.Tensor) -> torch.Tensor:
    """Return generalized advantages, (steps, environments)."""
    advantages, advantage = torch.zeros_like(rollout["values"]), torch.zeros_like(last)
    for t in reversed(range(len(advantages))):
        continues = 1 - rollout["ends"][t]
        following = last if t == len(advantages) - 1 else rollout["values"][t + 1]
        error = rollout["rewards"][t] + GAMMA * continues * following - rollout["values"][t]
        advantage = error + GAMMA * LAMBDA * continues * advantage
        advantages[t] = advantage
    return advantages


def learn(
    network: Network,
    optimizer: torch.optim.Optimizer,
    rollout: dict[str, torch.Tensor],
    advantages: torch.Tensor,
) -> None:
    """Improve policy and values from a rollout."""
    flat = {name: values.flatten(0, 1) for name, values in rollout.items()}
    gains = advantages.flatten()
    returns = gains + flat["values"]
    gains = (gains - gains.mean()) / (gains.std() + 1e-8)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(gains)).split(BATCH):
            policy, values = network(flat["observations"][batch], flat["masks"][batch])
            ratio = (policy.log_prob(flat["actions"][batch]) - flat["logs"][batch]).exp()
            clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
            loss = -torch.min(ratio * gains[batch], clipped * gains[batch]).mean()
            loss = loss + 0.5 * (values - returns[batch]).square().mean()
            loss = loss - 0.01 * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--id", default="parlour/Pyramid-v0", help="Gymnasium id of the game")
    parser.add_argument("--steps", type=int, default=200_000, help="number of timesteps")
    parser.add_argument("--envs", type=int, default=32, help="number of parallel games")
    arguments = parser.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(1)
    same_step = gym.vector.AutoresetMode.SAME_STEP
    envs = gym.make_vec(arguments.id, arguments.envs, autoreset_mode=same_step)
    observation, infos = envs.reset(seed=0)
    network = Network(observation.shape[1], envs.single_action_space.n)
    optimizer = torch.optim.Adam(network.parameters(), 3e-4)
    state, steps = (observation, infos["action_mask"]), 128
    updates, begun = max(1, arguments.steps // (steps * arguments.envs)), time.perf_counter()
    for update in range(updates):
        rollout, state = play(envs, network, state, steps)
        observations, masks = state
        with torch.no_grad():
            last = network(
                torch.as_tensor(observations, dtype=torch.float32), torch.as_tensor(masks != 0)
            )[1]
        learn(network, optimizer, rollout, compute_advantages(rollout, last))
        ends = max(1.0, float(rollout["ends"].sum()))
        if update % 10 == 0:
            done = (update + 1) * steps * arguments.envs
            print(f"{done:>9,} steps: reward per game {float(rollout['rewards'].sum()) / ends:.3f}")
    rate = updates * steps * arguments.envs / (time.perf_counter() - begun)
    print(f"{rate:,.0f} steps/s")


if __name__ == "__main__":
    main()
