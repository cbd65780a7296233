"""A training loop in one file: PPO with masks over Gymnasium's vector environment.

    python examples/own_loop.py --steps 200000

Nothing of Parlour's training is used: `gymnasium.make_vec` gives the games and
``infos["action_mask"]`` the masks. What is learned here is little; it is the loop that is to be
read and changed.
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


def play(envs: gym.vector.VectorEnv, network: Network, seen: tuple, steps: int) -> tuple:
    """Play so many steps in each environment; return what was met, and where they stand."""
    observation, mask = seen
    met: dict[str, list[torch.Tensor]] = {
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
        for name, value in zip(met, row, strict=True):
            met[name].append(value)
    return {name: torch.stack(values) for name, values in met.items()}, (observation, mask)


def advantages(met: dict[str, torch.Tensor], last: torch.Tensor) -> torch.Tensor:
    """Return generalised advantages, (steps, environments)."""
    found, ahead = torch.zeros_like(met["values"]), torch.zeros_like(last)
    for t in reversed(range(len(found))):
        goes_on = 1 - met["ends"][t]
        following = last if t == len(found) - 1 else met["values"][t + 1]
        error = met["rewards"][t] + GAMMA * goes_on * following - met["values"][t]
        ahead = error + GAMMA * LAMBDA * goes_on * ahead
        found[t] = ahead
    return found


def learn(
    network: Network,
    optimizer: torch.optim.Optimizer,
    met: dict[str, torch.Tensor],
    gains: torch.Tensor,
) -> None:
    """Improve policy and values by what was met."""
    flat = {name: values.flatten(0, 1) for name, values in met.items()}
    gain = gains.flatten()
    returns = gain + flat["values"]
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    for _ in range(EPOCHS):
        for some in torch.randperm(len(gain)).split(BATCH):
            policy, values = network(flat["observations"][some], flat["masks"][some])
            ratio = (policy.log_prob(flat["actions"][some]) - flat["logs"][some]).exp()
            clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
            loss = -torch.min(ratio * gain[some], clipped * gain[some]).mean()
            loss = loss + 0.5 * (values - returns[some]).square().mean()
            loss = loss - 0.01 * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--id", default="parlour/Pyramid-v0")
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--envs", type=int, default=32)
    arguments = parser.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(1)
    same_step = gym.vector.AutoresetMode.SAME_STEP
    envs = gym.make_vec(arguments.id, arguments.envs, autoreset_mode=same_step)
    observation, infos = envs.reset(seed=0)
    network = Network(observation.shape[1], envs.single_action_space.n)
    optimizer = torch.optim.Adam(network.parameters(), 3e-4)
    seen, steps = (observation, infos["action_mask"]), 128
    updates, begun = max(1, arguments.steps // (steps * arguments.envs)), time.perf_counter()
    for update in range(updates):
        met, seen = play(envs, network, seen, steps)
        with torch.no_grad():
            after = torch.as_tensor(seen[0], dtype=torch.float32), torch.as_tensor(seen[1] != 0)
            last = network(*after)[1]
        learn(network, optimizer, met, advantages(met, last))
        ends = max(1.0, float(met["ends"].sum()))
        if update % 10 == 0:
            done = (update + 1) * steps * arguments.envs
            print(f"{done:>9,} steps: reward a game {float(met['rewards'].sum()) / ends:.3f}")
    rate = updates * steps * arguments.envs / (time.perf_counter() - begun)
    print(f"{rate:,.0f} steps/s")


if __name__ == "__main__":
    main()
