"""Only the tests of this folder see the example."""

import pickle
import subprocess
import sys
from pathlib import Path

from parlour.envs import GAMES, CardEnv
from tests.contract.cases import CASES
from tests.example_game import GAME

ROOT = Path(__file__).parents[2]
OUTSIDE = dict(GAMES)
"""The games outside this folder's tests, read before any of these tests runs."""
LOOK = """
import gymnasium as gym
from parlour.envs import GAMES
from tests.contract.cases import CASES
from tests.example_game.alone import alone
tables = GAMES, CASES, gym.registry
before = [list(table) for table in tables]
try:
    with alone():
        inside = [list(table) for table in tables]
        raise RuntimeError
except RuntimeError:
    print([list(table) for table in tables] == before, inside[0], len(inside[1]))
    print([name for name in inside[2] if name not in before[2]])
"""
TAKE_UP = """
import pickle, sys
env = pickle.loads(bytes.fromhex(sys.stdin.read()))
env.step(int(env.action_masks().argmax()))
print(env.clone().tobytes().hex())
"""
ENTER = "from tests.example_game.alone import enter_alone; enter_alone()"


def run(code: str, given: str = "") -> tuple[list[str], str]:
    """Run code in a separate process; return its output lines and its stderr."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input=given, capture_output=True, text=True, cwd=ROOT)
    return done.stdout.splitlines(), done.stderr


def test_nobody_else_sees_it() -> None:
    """Also after a failing test."""
    assert GAME.name not in OUTSIDE
    assert list(GAMES.values()) == [GAME] == list({case.game for case in CASES})
    output, complaints = run(LOOK)
    assert not complaints
    assert output == ["True ['higher_or_lower'] 2", "['parlour/HigherOrLower-v0']"]


def test_another_process_takes_it_up_if_it_has_entered_it() -> None:
    """A game is pickled as its name; a process that does not know it lists the games it knows."""
    env = CardEnv(GAME)
    env.reset(seed=1)
    sent = pickle.dumps(env).hex()
    env.step(int(env.action_masks().argmax()))
    assert run(ENTER + TAKE_UP, sent) == ([env.clone().tobytes().hex()], "")
    output, complaints = run("import parlour.envs" + TAKE_UP, sent)
    assert "game must be one of pyramid, " in complaints and not output
    assert "got 'higher_or_lower'" in complaints
