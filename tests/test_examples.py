"""The examples run as the table of clients runs them, where their library is installed."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from benchmarks.clients import CLIENTS, Client

ROOT = Path(__file__).parents[1]
EXAMPLES = [client for client in CLIENTS if client.file.startswith("examples/")]
SAYS = {"gymnasium": "score"}
"""What an example says at its end that does not say how fast it was."""


@pytest.mark.slow
@pytest.mark.parametrize("client", EXAMPLES, ids=lambda client: client.name)
def test_an_example_runs(client: Client, tmp_path: Path) -> None:
    try:
        version(client.library)
    except PackageNotFoundError:
        pytest.skip(f"{client.library} is not installed: make test-clients CLIENT={client.name}")
    file, *arguments = client.command.split()
    command = [sys.executable, str(ROOT / file), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert SAYS.get(client.name, " steps/s") in done.stdout
