"""The command of RL Zoo trains PPO by the id of a game, and plays what it has saved.

python tests/clients/rl_zoo3_train.py
"""

import re
import subprocess
import sys
from pathlib import Path

ID, STEPS = "parlour/Pyramid-v0", 8192
SETTINGS = f"""
{ID}:
  n_timesteps: {STEPS}
  policy: MlpPolicy
  n_envs: 8
  n_steps: 128
  batch_size: 256
  gamma: 1.0
"""
GAME = ("--algo", "ppo", "--env", ID, "--gym-packages", "parlour.envs", "-f", "logs")
RULES = ("--env-kwargs", "variant:'web'", "illegal:'random'")


def call(module: str, *arguments: str) -> str:
    """Run one of RL Zoo's commands; return what it says."""
    command = [sys.executable, "-m", module, *GAME, *RULES, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> None:
    Path("settings.yml").write_text(SETTINGS, encoding="utf-8")
    output = call(
        "rl_zoo3.train", "-conf", "settings.yml", "--eval-freq", "-1", "--num-threads", "1",
        "--seed", "0",
    )  # fmt: skip
    played = call("rl_zoo3.enjoy", "--no-render", "-n", "5000", "--seed", "1")
    print(next(line for line in played.splitlines() if "Mean reward" in line))
    rates = re.findall(r"fps +\| (\d+)", output)
    print(f"{int(rates[-1]):,} steps/s")


if __name__ == "__main__":
    main()
