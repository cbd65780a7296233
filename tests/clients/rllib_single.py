"""PPO of Ray's RLlib with masks over single environments; what an env_config may not say.

python tests/clients/rllib_single.py
"""

import argparse
import time
from typing import Any

import gymnasium as gym
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from parlour.envs import GAMES
from parlour.envs.interfaces import rllib

ONE, VECTOR = gym.VectorizeMode.SYNC, gym.VectorizeMode.VECTOR_ENTRY_POINT
PYRAMID, TABLE = "parlour/Pyramid-v0", "parlour/SevenTwentySeven-table-v0"
REFUSED: tuple[tuple[str, gym.VectorizeMode, dict[str, Any], str], ...] = (
    (PYRAMID, ONE, {"varian": "web"}, "varian"),
    (PYRAMID, VECTOR, {"varian": "web"}, "varian"),
    (PYRAMID, VECTOR, {"variant": "wep"}, "Did you mean 'web'"),
    (PYRAMID, VECTOR, {"passes": 99}, "option passes must be an integer from"),
    (
        PYRAMID,
        VECTOR,
        {"autoreset_mode": "same_step"},
        "autoreset_mode must be NEXT_STEP for RLlib, got SAME_STEP",
    ),
    (TABLE, ONE, {"players": 1}, "option players must be an integer from"),
    ("parlour/PokerSquares-table-v0", ONE, {}, "is for one player"),
)


def make_config(name: str, mode: gym.VectorizeMode, rules: dict[str, Any]) -> PPOConfig:
    """PPO with RLlib's own masking module, all in this process."""
    model = {"head_fcnet_hiddens": [64], "head_fcnet_activation": "relu"}
    return (
        PPOConfig()
        .environment(name, env_config=rules)
        .env_runners(
            num_env_runners=0, num_envs_per_env_runner=8, gym_env_vectorize_mode=mode,
            rollout_fragment_length=128,
        )
        .learners(num_learners=0)
        .training(train_batch_size=1024, minibatch_size=256, num_epochs=4, lr=5e-4, gamma=1.0)
        .rl_module(
            rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=model)
        )
        .debugging(seed=0)
    )  # fmt: skip


def check_refused(name: str, mode: gym.VectorizeMode, rules: dict[str, Any], output: str) -> None:
    """RLlib hands our own error on; it is a ValueError."""
    config = make_config(name, mode, rules)
    if "table" in name:
        config.multi_agent(policies={"one"}, policy_mapping_fn=lambda *_, **__: "one")
    try:
        config.build_algo()
    except ValueError as error:
        assert output in str(error), f"{name} {rules}: {error}"
    else:
        raise AssertionError(f"{name} takes {rules}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=3)
    arguments = parser.parse_args()

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    assert {game.id for game in GAMES.values()} < set(rllib.register())
    for case in REFUSED:
        check_refused(*case)
    rules = {"skip_forced": True, "illegal": "raise"}
    algorithm = make_config(PYRAMID, ONE, rules).build_algo()
    begun = time.perf_counter()
    for _ in range(arguments.iterations):
        result = algorithm.train()
    seconds = time.perf_counter() - begun
    runners = result["env_runners"]
    steps = runners["num_env_steps_sampled_lifetime"]
    print(f"reward a game {runners['episode_return_mean']:.3f}")
    print(f"{steps / seconds:,.0f} steps/s")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
