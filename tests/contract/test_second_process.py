"""A process that finds the kernels on disk reaches its first step without compiling any."""

import subprocess
import sys

import pytest

from tests.marks import slow_if

CODE = """
from parlour.agents.registry import choose_actions, load_agent, prepare_turn
from parlour.envs import GAMES, CardEnv, CardVectorEnv
from parlour.envs.core.kernel.jit import count_compilations
for game in list(GAMES.values()):
    for encoding in ("onehot", "codes"):
        env = CardEnv(game, encoding=encoding, render_mode="ansi")
        _, info = env.reset(seed=0)
        env.step(info["action_mask"].argmax())
        env.render()
        for mode in ("next_step", "same_step", "disabled"):
            envs = CardVectorEnv(game, 2, encoding=encoding, illegal="raise", autoreset_mode=mode)
            _, infos = envs.reset(seed=0)
            envs.step(infos["action_mask"].argmax(axis=1))
    envs.reset(seed=1)
    for name in ("uniform", "greedy"):
        agent = load_agent(name, game, env.rules)
        choose_actions(agent, prepare_turn(agent, game, env.rules, envs.states, 0))
    env.reset(options={"deal": 1})
    env.restore(env.clone())
print("compiled", count_compilations())
"""


@pytest.mark.parametrize("step", [3, slow_if(True, 1)])
def test_a_second_process_compiles_nothing(step: int) -> None:
    """Of every third game, and of all."""
    code, compiled = CODE.replace("GAMES.values())", f"GAMES.values())[::{step}]"), []
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        assert not run.stderr, run.stderr
        compiled.append(int(run.stdout.split()[-1]))
    assert compiled[1] == 0
