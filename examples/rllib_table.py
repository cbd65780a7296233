"""Train a policy of Ray's RLlib at all seats of a table, then compare it with the untrained one.

    python examples/rllib_table.py --iterations 10

`parlour.envs.interfaces.rllib` registers the tables of several seats with Ray as multi-agent
environments: the seat whose turn it is sees its cards and its mask. All seats share one masked
policy (PPO). At the end the trained policy takes each seat in turn, and the untrained one takes the
others; a score of 0 means that it gained nothing. Needs
``pip install "parlour[ray]" "parlour[pettingzoo]" "ray[rllib]"``.
"""

import argparse
import copy
import time
from typing import Any

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from parlour.envs.interfaces import rllib

GAME, NAME = "seven_twenty_seven", "parlour/SevenTwentySeven-table-v0"
RULES = {"variant": "home", "players": 3, "illegal": "raise"}


def make_config() -> PPOConfig:
    """Return the configuration: the policy "shared" learns every seat."""
    network = {"head_fcnet_hiddens": [128, 128], "head_fcnet_activation": "relu"}
    masked = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=network)
    return (
        PPOConfig()
        .environment(NAME, env_config=RULES, disable_env_checking=True)  # it ignores masks
        .env_runners(num_env_runners=0, num_envs_per_env_runner=8)
        .learners(num_learners=0)
        .training(
            train_batch_size=2048, minibatch_size=512, num_epochs=4, lr=5e-4, gamma=1.0,
            entropy_coeff=0.01,
        )
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": masked}))
        .debugging(seed=0)
    )  # fmt: skip


def choose(policy: Any, observation: dict[str, np.ndarray]) -> int:
    """Draw an action of a policy for the observation of a seat."""
    batch = {name: torch.as_tensor(values)[None] for name, values in observation.items()}
    with torch.no_grad():
        logits = policy.forward_inference({"obs": batch})["action_dist_inputs"]
    return int(torch.distributions.Categorical(logits=logits).sample())


def play_hand(table: rllib.CardMultiAgentEnv, seats: dict[str, Any], seed: int) -> dict[str, float]:
    """Play a hand and return the result of each seat in antes."""
    observations, _ = table.reset(seed=seed)
    while True:
        actions = {seat: choose(seats[seat], seen) for seat, seen in observations.items()}
        observations, rewards, over, _, _ = table.step(actions)
        if over["__all__"]:
            return rewards


def score_against(policy: Any, other: Any, hands: int) -> str:
    """Return the mean score of a policy that takes each seat in turn, against another one."""
    table = rllib.make_multi_agent_env(GAME, RULES)
    scores = []
    for hand in range(hands):
        seat = table.possible_agents[hand % len(table.possible_agents)]
        seats = dict.fromkeys(table.possible_agents, other) | {seat: policy}
        scores.append(play_hand(table, seats, seed=hand)[seat])
    spread = 1.96 * float(np.std(scores, ddof=1)) / hands**0.5
    return f"{np.mean(scores):+.2f} ± {spread:.2f}"


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--iterations", type=int, default=10, help="number of training iterations")
    parser.add_argument("--hands", type=int, default=600, help="number of hands to evaluate")
    arguments = parser.parse_args()

    torch.manual_seed(0)
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    rllib.register()
    algorithm = make_config().build_algo()
    policy = algorithm.get_module("shared")
    start = copy.deepcopy(policy)
    begun = time.perf_counter()
    for _ in range(arguments.iterations):
        result = algorithm.train()["env_runners"]
    steps, seconds = int(result["num_env_steps_sampled_lifetime"]), time.perf_counter() - begun
    print(f"mean antes per hand against the untrained policy, {arguments.hands} hands, ± 95 %")
    print(f"untrained    {score_against(start, start, arguments.hands)}")
    print(f"trained      {score_against(policy, start, arguments.hands)}")
    print(f"{steps / seconds:,.0f} steps/s")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
