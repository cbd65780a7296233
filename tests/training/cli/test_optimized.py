"""Commands under ``PYTHONOPTIMIZE=2``, where Python drops docstrings and ``assert``."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

SMALL = (
    "--total-steps 128 --n-envs 8 --n-steps 8 --batch-size 32 --n-epochs 1 --width 8 --depth 1 "
    "--eval-deals 5 --eval-interval 0"
)
TRAIN = {
    "ppo": f"train pyramid --method ppo {SMALL}",
    "distill": f"train pyramid --method distill --teacher pimc@1 {SMALL}",
    "pqn": f"train pyramid --method pqn {SMALL}",
    "selfplay": f"train seven-twenty-seven --method selfplay --variant mini {SMALL}",
    "td": "train poker-squares --method td --total-steps 2500 --eval-deals 5",
}
OTHERS = [
    "list",
    "rules pyramid",
    "train pyramid --help",
    "evaluate pyramid --agent greedy --deals 5 --out out",
    "evaluate pyramid --agent greedy --deals 5 --jobs 2",
    "compare twenty-eight --agents uniform greedy --deals 2",
    "review pyramid --agent greedy --deals 1 --worlds 2",
    "play pyramid --agent greedy --deal 0",
    "play pyramid --agent greedy --deal 0 --record games.jsonl",
    "replay games.jsonl",
    "solve pyramid --deal 0",
    "deals make pyramid --deals 5 --jobs 1 --out labels",
    "deals show pyramid",
    "convert-deal pyramid --deal 0",
    "exploitability --iterations 2",
    "completion bash",
]
SCRIPT = """
import shlex, sys
from parlour.training.cli.main import main
for line in sys.stdin.read().splitlines():
    try:
        status = main(shlex.split(line))
    except SystemExit as left:
        status = left.code
    if status:
        sys.exit(f"{line}: exit status {status}")
"""


def run_optimized(folder: Path, lines: list[str]) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONOPTIMIZE": "2"}
    return subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input="\n".join(lines),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_commands_run_without_docstrings(tmp_path: Path) -> None:
    done = run_optimized(tmp_path, OTHERS)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "ppo: PPO with action masks" in done.stdout, (
        "a method in the help of train has no description"
    )


@pytest.mark.slow
def test_every_method_but_one_trains_without_docstrings(tmp_path: Path) -> None:
    lines = [f"{words} --runs runs --name {name}" for name, words in TRAIN.items()]
    done = run_optimized(tmp_path, lines)
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(list(tmp_path.glob("runs/*/result.json"))) == len(TRAIN)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["train", "tune"])
def test_the_method_whose_library_needs_docstrings_says_so(command: str, tmp_path: Path) -> None:
    words = shlex.join([command, "pyramid", "--method", "cma-es", "--runs", "runs"])
    done = run_optimized(tmp_path, [words])
    assert done.returncode == 1
    assert "method 'cma-es' must run with PYTHONOPTIMIZE unset or 1, got 2" in done.stderr
    assert not list(tmp_path.glob("runs/*/settings.json"))
