"""The examples run with the commands of `benchmarks.clients`, if their library is installed."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from benchmarks.clients import CLIENTS, PLACES, Client

ROOT = Path(__file__).parents[1]
EXAMPLES = [client for client in CLIENTS if client.file.startswith("examples/")]
OUTPUT = {"gymnasium": "score"}
"""Output of examples that do not print their speed."""


def of_extras(need: Requirement) -> list[Requirement]:
    """Return the requirements of a library's extras, which can be missing: `ray[rllib]`."""
    extras = [{"extra": extra} for extra in need.extras]
    known = map(Requirement, requires(need.name) or ())
    return [one for one in known if one.marker and any(map(one.marker.evaluate, extras))]


def is_installed(client: Client) -> bool:
    """Return whether all packages that a client needs are installed in suitable versions."""
    own = Requirement(client.library)
    others = [Requirement(need) for need in PLACES[client.place][1:]]
    try:
        needs = [own, *others, *(need for other in others for need in of_extras(other))]
        return all(need.specifier.contains(version(need.name), True) for need in needs)
    except PackageNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("client", EXAMPLES, ids=lambda client: client.name)
def test_an_example_runs(client: Client, tmp_path: Path) -> None:
    if not is_installed(client):
        pytest.skip(
            f"packages of {client.place} are not installed: make test-clients CLIENT={client.name}"
        )
    file, *arguments = client.command.split()
    command = [sys.executable, str(ROOT / file), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert OUTPUT.get(client.name, " steps/s") in done.stdout
