"""TorchRL by ids, and at a table: GymEnv, and PettingZooWrapper with its masks.

python tests/clients/torchrl_by_id.py
"""

import time

import torch
from torchrl.envs import GymEnv, PettingZooWrapper, check_env_specs

from parlour.envs.interfaces import pettingzoo as aec  # the import registers the games

HANDS = 100


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    single = GymEnv("parlour/Pyramid-v0", illegal="random")
    check_env_specs(single)
    print(f"GymEnv: {len(single.rollout(1000))} steps of the first game")
    table = PettingZooWrapper(
        aec.env("seven_twenty_seven", illegal="raise"), use_mask=True, done_on_any=False
    )
    check_env_specs(table)
    steps, paid, begun = 0, 0.0, time.perf_counter()
    for _ in range(HANDS):
        met = table.rollout(1000)
        steps += len(met)
        paid += float(met["next", "player_0", "reward"].sum())
    seconds = time.perf_counter() - begun
    print(f"PettingZooWrapper: {HANDS} hands, the first seat is paid {paid / HANDS:.2f} a hand")
    print(f"{steps / seconds:,.0f} steps/s")


if __name__ == "__main__":
    main()
