"""Train PPO of Ray's RLlib with masks on Parlour's vector environment.

    python examples/rllib_masked.py --steps 20000

`parlour.envs.interfaces.rllib` registers the games with Ray; `VECTOR_ENTRY_POINT` takes all games
of a runner as one vector environment, and RLlib's own masking module reads the masks.
``illegal="raise"`` raises an error if it does not. Needs
``pip install "parlour[ray]" "ray[rllib]"``.
"""

import argparse
import time

import gymnasium as gym
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from parlour.envs.interfaces import rllib

BATCH = 2048


def make_config(name: str, variant: str | None) -> PPOConfig:
    """Return the configuration of the algorithm."""
    network = {"head_fcnet_hiddens": [128, 128], "head_fcnet_activation": "relu"}
    rules = {"variant": variant, "skip_forced": True, "illegal": "raise"}
    return (
        PPOConfig()
        .environment(name, env_config=rules)
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=16,
            gym_env_vectorize_mode=gym.VectorizeMode.VECTOR_ENTRY_POINT,
        )
        .learners(num_learners=0)
        .training(
            train_batch_size=BATCH, minibatch_size=256, num_epochs=4, lr=5e-4, gamma=1.0,
            entropy_coeff=0.01,
        )
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule, model_config=network
            )
        )
        .debugging(seed=0)
    )  # fmt: skip


def main() -> None:
    """Run the example."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--id", default="parlour/Pyramid-v0", help="Gymnasium id of the game")
    parser.add_argument("--variant", help="variant of the game; None: the default")
    parser.add_argument("--steps", type=int, default=20_000, help="number of timesteps")
    arguments = parser.parse_args()

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    rllib.register()
    algorithm = make_config(arguments.id, arguments.variant).build_algo()
    steps, begun = 0, time.perf_counter()
    while steps < arguments.steps:
        result = algorithm.train()["env_runners"]
        steps = int(result["num_env_steps_sampled_lifetime"])
        print(f"{steps:>9,} steps: reward per game {result['episode_return_mean']:.3f}")
    print(f"{steps / (time.perf_counter() - begun):,.0f} steps/s")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
