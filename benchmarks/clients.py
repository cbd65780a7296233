"""Other libraries as clients of Parlour: each runs an unchanged file on Parlour's environments.

    python -m benchmarks.clients              # all clients: make test-clients
    python -m benchmarks.clients tianshou     # the clients of one library
    python -m benchmarks.clients --write      # write the table into docs/guides/environments.md

The libraries need different versions of shared dependencies, so each has a virtual environment in
`.venv-clients`, created on first use. All of them take some minutes and 15 GB. The exit status is 1
if a client fails.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import NamedTuple

from benchmarks.reports import ROOT, put_block
from parlour.envs.core.options import unknown_text
from parlour.training.evaluation.result import describe_machine

FOLDER = ROOT / ".venv-clients"
GUIDE, BLOCK = ROOT / "docs" / "guides" / "environments.md", "benchmarks.clients"
LIMIT = 900
"""Time limit of a client, in seconds."""
STEPS_PER_SECOND = re.compile(r"^([\d,]+) steps/s$", re.MULTILINE)


class Client(NamedTuple):
    """A file that runs on a library."""

    name: str
    place: str
    """Its environment, a key of `PLACES`."""
    library: str
    """The distribution whose version is shown."""
    about: str
    command: str
    """A file, as a path from the repository root, and its arguments."""

    @property
    def file(self) -> str:
        """Path of the file from the repository root."""
        return self.command.split()[0]


PLACES: dict[str, tuple[str, ...]] = {
    "sb3": ("parlour[train]",),
    "torchrl": ("parlour[pettingzoo]", "torch", "torchrl>=0.14"),
    "tianshou": ("parlour", "torch", "tianshou>=2"),
    "skrl": ("parlour", "torch", "skrl>=2"),
    "minari": ("parlour", "minari[create,hdf5]>=0.5", "pillow"),
    "rllib": ("parlour[pettingzoo]", "torch", "ray[rllib]>=2.54"),
    "agilerl": ("parlour", "torch", "agilerl>=2.58", "peft"),
    "evotorch": ("parlour", "torch", "evotorch>=0.6"),
    "rl_zoo3": ("parlour", "torch", "rl_zoo3>=2.9", "requests"),
    "openspiel": ("parlour[openspiel]",),
    "pettingzoo": ("parlour[pettingzoo]",),
}
"""Packages of each environment. The version of torch is the one in constraints.txt."""

CLIENTS = (
    Client(
        "sb3-masked",
        "sb3",
        "sb3-contrib",
        "MaskablePPO on `CardVecEnv`",
        "examples/sb3_masked.py --steps 16384 --deals 100",
    ),
    Client(
        "sb3-by-id",
        "sb3",
        "stable-baselines3",
        "`make_vec_env` and PPO with an environment id, Monitor, EvalCallback",
        "tests/clients/sb3_by_id.py",
    ),
    Client(
        "own-loop",
        "sb3",
        "torch",
        "training loop in the style of CleanRL, masked",
        "examples/own_loop.py --steps 32768",
    ),
    Client(
        "own-network",
        "sb3",
        "torch",
        "a PyTorch network as an agent in `compare`",
        "examples/own_network.py",
    ),
    Client(
        "learn-from-dataset",
        "sb3",
        "torch",
        "a policy learned from a dataset with action values",
        "examples/learn_from_dataset.py --games 200 --deals 500",
    ),
    Client(
        "torchrl-masked",
        "torchrl",
        "torchrl",
        "`GymWrapper`, collector, PPO, masked",
        "examples/torchrl_masked.py --steps 6000",
    ),
    Client(
        "torchrl-by-id",
        "torchrl",
        "torchrl",
        "`GymEnv` with an environment id, `PettingZooWrapper`, masked",
        "tests/clients/torchrl_by_id.py",
    ),
    Client(
        "torchrl-snippet",
        "torchrl",
        "torchrl",
        "the snippet of the guide",
        "tests/clients/snippets.py TorchRL",
    ),
    Client(
        "tianshou-masked",
        "tianshou",
        "tianshou",
        "collector, DQN, masked",
        "examples/tianshou_masked.py --steps 4000 --games 50",
    ),
    Client(
        "tianshou-snippet",
        "tianshou",
        "tianshou",
        "the snippet of the guide",
        "tests/clients/snippets.py Tianshou",
    ),
    Client(
        "skrl-masked",
        "skrl",
        "skrl",
        "PPO on the vector environment, masked",
        "examples/skrl_masked.py --steps 20480",
    ),
    Client(
        "minari",
        "minari",
        "minari",
        "a dataset with `info`, recorded and read",
        "examples/minari_dataset.py --games 100",
    ),
    Client(
        "rllib-masked",
        "rllib",
        "ray",
        "PPO on the vector environment, masked",
        "examples/rllib_masked.py --steps 10000",
    ),
    Client(
        "rllib-snippet",
        "rllib",
        "ray",
        "the snippet of the guide",
        "tests/clients/snippets.py RLlib",
    ),
    Client(
        "rllib-table",
        "rllib",
        "ray",
        "one PPO policy for all seats, masked",
        "examples/rllib_table.py --iterations 6 --hands 300",
    ),
    Client(
        "rllib-single",
        "rllib",
        "ray",
        "PPO on single environments; errors for a wrong `env_config`",
        "tests/clients/rllib_single.py",
    ),
    Client(
        "agilerl-masked",
        "agilerl",
        "agilerl",
        "a population of PPO agents, masked",
        "examples/agilerl_masked.py --steps 25000",
    ),
    Client(
        "evotorch-masked",
        "evotorch",
        "evotorch",
        "PGPE, an evolution strategy, masked",
        "examples/evotorch_masked.py --generations 15",
    ),
    Client(
        "rl_zoo3",
        "rl_zoo3",
        "rl_zoo3",
        "commands `train` and `enjoy`, with an environment id",
        "tests/clients/rl_zoo3_train.py",
    ),
    Client(
        "openspiel",
        "openspiel",
        "open_spiel",
        "playthroughs of all games, MCCFR, random play",
        "tests/clients/openspiel_playthrough.py",
    ),
    Client(
        "pettingzoo",
        "pettingzoo",
        "pettingzoo",
        "`api_test`, `seed_test`, random play",
        "tests/clients/pettingzoo_api.py",
    ),
    Client(
        "gymnasium",
        "pettingzoo",
        "gymnasium",
        "a Parlour agent in a Gymnasium loop",
        "examples/agent_in_gymnasium.py",
    ),
)


class Outcome(NamedTuple):
    """The outcome of a client."""

    client: Client
    version: str
    error: str
    """The error message; empty if the client ran."""
    steps_per_second: str
    """Measured steps per second; empty if the client failed."""


def torch_pin() -> str:
    """Return the pinned version of torch, as a requirement."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("torch=="))


def installed(place: str) -> list[list[str]]:
    """Return the arguments of each ``pip install`` that an environment needs, torch first."""
    needs = PLACES[place]
    package = ["-e", needs[0].replace("parlour", ".", 1)]
    rest = [need for need in needs[1:] if need != "torch"]
    pin = FOLDER / place / "torch.txt"
    first = [[torch_pin()]] if "torch" in needs or "train" in needs[0] else []
    return [*first, ["-c", str(pin), *package, *rest]]


def prepare(place: str) -> Path:
    """Return the Python of an environment, which is created if it is missing or outdated.

    Raises:
        CalledProcessError: A package cannot be installed.
        OSError: The folder cannot be written.
    """
    folder, stamp = FOLDER / place, FOLDER / place / "installed.txt"
    python = folder / "bin" / "python"
    steps = installed(place)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == repr(steps):
        return python
    print(f"{place}: installing {', '.join(PLACES[place])} ...", file=sys.stderr, flush=True)
    venv.create(folder, clear=True, symlinks=True, with_pip=True)
    (folder / "torch.txt").write_text(torch_pin() + "\n", encoding="utf-8")
    for step in steps:
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        subprocess.run([*pip, *step], cwd=ROOT, check=True, capture_output=True, text=True)
    stamp.write_text(repr(steps), encoding="utf-8")
    return python


def ask_version(python: Path, library: str) -> str:
    """Return the names and versions of a library and of Gymnasium."""
    code = "import sys; from importlib.metadata import version\n"
    code += "print(', '.join(f'{name} {version(name)}' for name in sys.argv[1:]))"
    names = dict.fromkeys((library, "gymnasium"))
    done = subprocess.run(
        [str(python), "-c", code, *names], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def last_line(text: str) -> str:
    """Return the last line that is not empty."""
    return ([line.strip() for line in text.splitlines() if line.strip()] or ["no output"])[-1]


def run(client: Client) -> Outcome:
    """Run a client in a new folder, which is also its home; a failure is an outcome."""
    version = ""
    try:
        python = prepare(client.place)
        version = ask_version(python, client.library)
        file, *arguments = client.command.split()
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [str(python), str(ROOT / file), *arguments],
                cwd=folder,
                env=os.environ | {"HOME": folder, "OMP_NUM_THREADS": "1"},
                capture_output=True,
                text=True,
                timeout=LIMIT,
                check=True,
            )
    except subprocess.TimeoutExpired:
        return Outcome(client, version, f"not ready after {LIMIT} s", "")
    except subprocess.CalledProcessError as error:
        message = str(error.stderr or error)
        print(message[-4000:], file=sys.stderr)
        return Outcome(client, version, last_line(message), "")
    except OSError as error:
        return Outcome(client, version, str(error), "")
    speeds = STEPS_PER_SECOND.findall(done.stdout)
    message = "" if speeds else 'its last line is not "... steps/s"'
    return Outcome(client, version, message, speeds[-1] if speeds else "")


def table(outcomes: list[Outcome]) -> str:
    """Return the outcomes as Markdown."""
    out = ["| client | content | versions | result | steps/s |"]
    out.append("| --- | --- | --- | --- | ---: |")
    for client, version, error, rate in outcomes:
        name = f"[{client.name}](../../{client.file})"
        result = f"fails: {error}".replace("|", "/")[:200] if error else "runs"
        out.append(f"| {name} | {client.about} | {version} | {result} | {rate or '–'} |")
    return "\n".join(out)


def conditions() -> str:
    """Return the conditions of the measurement."""
    return (
        "Environment steps per second of the client, learning included; one run with one process "
        f"and one thread. {describe_machine()}, {os.cpu_count()} cores with a load average of "
        f"{os.getloadavg()[2]:.1f}, {time.strftime('%Y-%m-%d')}. If the load exceeds the number of "
        "cores, the speeds are lower bounds."
    )


def choose(names: list[str]) -> list[Client]:
    """Return the clients or environments with these names; all clients if no name is given."""
    return [one for one in CLIENTS if not names or {one.name, one.place} & set(names)]


def main() -> None:
    """Run the clients and print their outcomes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clients", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    known = sorted({*PLACES, *(client.name for client in CLIENTS)})
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"clients or libraries to run (default: all): {', '.join(known)}",
    )
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/guides/environments.md"
    )
    given = parser.parse_args()
    for name in given.names:
        if name not in known:
            parser.error(unknown_text("client", name, known))
    if given.write and given.names:
        parser.error("--write needs all clients: omit the names")
    outcomes = []
    for client in choose(given.names):
        print(f"{client.name}: {client.command}", file=sys.stderr, flush=True)
        outcomes.append(run(client))
    text = f"{table(outcomes)}\n\n{conditions()}"
    print(text)
    if given.write:
        put_block(GUIDE, BLOCK, f"{text} Written by `python -m benchmarks.clients --write`.")
    sys.exit(any(outcome.error for outcome in outcomes))


if __name__ == "__main__":
    main()
