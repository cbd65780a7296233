"""PPO of Ray's RLlib with masks, over single environments or over Parlour's vector environment.

python tests/clients/rllib_ppo.py --vector
"""

import argparse
import time
from typing import Any

import gymnasium as gym
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from parlour.envs import DictObservation, DictVectorObservation  # the import registers the games

FORM = {"observation_key": "observations", "dtype": "float32", "mask_dtype": "float32"}
RULES = {"skip_forced": True, "illegal": "raise"}


def make(context: dict[str, Any]) -> Any:
    """The games as RLlib asks for them: one, or as many as it says."""
    if "num_envs" in context:
        envs = gym.make_vec("parlour/Pyramid-v0", context["num_envs"], **RULES)
        return DictVectorObservation(envs, **FORM)
    return DictObservation(gym.make("parlour/Pyramid-v0", **RULES), **FORM)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vector", action="store_true", help="Parlour's vector environment")
    parser.add_argument("--iterations", type=int, default=3)
    arguments = parser.parse_args()

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    register_env("parlour", make)
    mode = gym.VectorizeMode.VECTOR_ENTRY_POINT if arguments.vector else gym.VectorizeMode.SYNC
    config = (
        PPOConfig()
        .environment("parlour")
        .env_runners(
            num_env_runners=0, num_envs_per_env_runner=8, gym_env_vectorize_mode=mode,
            rollout_fragment_length=128,
        )
        .learners(num_learners=0)
        .training(train_batch_size=1024, minibatch_size=256, num_epochs=4, lr=5e-4, gamma=1.0)
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule,
                model_config={"head_fcnet_hiddens": [64], "head_fcnet_activation": "relu"},
            )
        )
        .debugging(seed=0)
    )  # fmt: skip
    algorithm = config.build_algo()
    begun = time.perf_counter()
    for _ in range(arguments.iterations):
        found = algorithm.train()
    seconds = time.perf_counter() - begun
    runners = found["env_runners"]
    steps = runners["num_env_steps_sampled_lifetime"]
    print(f"reward a game {runners['episode_return_mean']:.3f}")
    print(f"{steps / seconds:,.0f} steps/s")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
