"""Stable-Baselines3 by ids: make_vec_env, a string for an environment, Monitor, EvalCallback.

python tests/clients/sb3_by_id.py
"""

import time
from pathlib import Path

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.env_util import make_vec_env

import parlour.envs  # noqa: F401  # registers the games

ID, STEPS = "parlour/Pyramid-v0", 8192
UNMASKED = {"illegal": "random", "skip_forced": True}  # PPO knows no masks


def main() -> None:
    torch.set_num_threads(1)
    PPO("MlpPolicy", ID, n_steps=64, seed=0, device="cpu").learn(64)
    watched = {"info_keywords": ("won", "score", "illegal_action")}
    envs = make_vec_env(ID, 4, seed=0, monitor_kwargs=watched, env_kwargs=UNMASKED)
    judged = make_vec_env(ID, 1, seed=1000, env_kwargs=UNMASKED)
    callback = EvalCallback(
        judged, n_eval_episodes=10, eval_freq=STEPS // 8, log_path="log", verbose=0
    )
    model = PPO("MlpPolicy", envs, n_steps=256, seed=0, device="cpu")
    begun = time.perf_counter()
    model.learn(STEPS, callback=callback)
    seconds = time.perf_counter() - begun
    successes = np.load(Path("log") / "evaluations.npz")["successes"]
    last = model.ep_info_buffer[-1]
    print(f"success rates {successes.mean(axis=1)}")
    print(f"the last game: won {last['won']}, score {last['score']}")
    print(f"{STEPS / seconds:,.0f} steps/s")


if __name__ == "__main__":
    main()
