"""The first compilation of a process is said, once, where somebody looks or a command asks."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.envs.core.kernel.compiling import MESSAGE

KERNELS = """
from parlour.envs.core.kernel.jit import jit
@jit
def first(x):
    return x + 1
@jit
def second(x):
    return first(x) + 1
"""
CODE = """
import parlour.envs
from parlour.envs.core.kernel.compiling import COMPILATIONS
from kernels_for_a_test import first, second
COMPILATIONS.always = {always}
first(1), first(1.0), second(1)
print(COMPILATIONS.seconds > 0)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels_for_a_test.py").write_text(KERNELS)
    return tmp_path


def run(folder: Path, always: bool, stderr: int = subprocess.PIPE) -> tuple[str, str]:
    """What a process says that needs three kernels."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(always=always)],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        cwd=folder,
        check=True,
    )
    return done.stdout, done.stderr


def test_a_command_prints_the_message_once(folder: Path) -> None:
    assert run(folder, always=True) == ("True\n", f"{MESSAGE}\n")
    assert run(folder, always=True) == ("False\n", "")


def test_a_library_is_silent_in_a_pipe(folder: Path) -> None:
    assert run(folder, always=False) == ("True\n", "")


def test_the_message_is_printed_at_a_terminal(folder: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        run(folder, always=False, stderr=theirs)
        assert os.read(ours, 1000).decode().strip() == MESSAGE
    finally:
        os.close(ours)
        os.close(theirs)
