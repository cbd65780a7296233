"""Ctrl-C or SIGTERM at any moment: no traceback, exit status 130 or 143."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parlour.envs.core.kernel.compiling import MESSAGE as COMPILING
from parlour.training.cli.process import READER_LEFT
from tests.marks import slow_if

BEGIN = """
import importlib.abc, os, signal, sys
class Interrupting(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {signum})
sys.meta_path.insert(0, Interrupting())
"""
MODULE = "import runpy; runpy.run_module('parlour', run_name='__main__')"
ENTRY = "from parlour.training.cli.start import main; sys.exit(main())"
READY = "import sys; from parlour.training.cli.start import main; print('ready', flush=True); "
"""Signals before Python reaches the entry point are not tested."""
PLAY = ("evaluate", "pyramid", "--deals", "100000000")
SIGNALS = (signal.SIGINT, signal.SIGTERM)


MODULES = ("argparse", "numba", "parlour.envs", "parlour.envs.games.pyramid", "rich")
"""Modules that are imported after the entry point is reached."""
QUICK = [
    (signal.SIGINT, MODULE, "argparse"),
    (signal.SIGTERM, ENTRY, "parlour.envs"),
    (signal.SIGINT, ENTRY, "numba"),
    (signal.SIGTERM, MODULE, "parlour.envs.games.pyramid"),
]


def heed_ctrl_c() -> None:
    """Restore Ctrl-C, which background jobs of a shell ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def begin(code: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *PLAY],
        preexec_fn=heed_ctrl_c,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )


def end(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Wait for the end of a process; kill it after a timeout, since it would fill the memory."""
    try:
        out, err = process.communicate(timeout=60)
        return out, err.replace(f"{COMPILING}\n", "")  # where no kernels are on disk yet
    finally:
        process.kill()


@pytest.mark.parametrize(
    ("signum", "entry", "module"),
    [
        slow_if((signum, entry, module) not in QUICK, signum, entry, module)
        for signum in SIGNALS
        for entry in (MODULE, ENTRY)
        for module in MODULES
    ],
)
def test_a_signal_while_something_is_imported(
    entry: str, module: str, signum: int, tmp_path: Path
) -> None:
    done = begin(BEGIN.format(module=module, signum=int(signum)) + entry, tmp_path)
    out, err = end(done)
    assert (done.returncode, out, err) == (128 + signum, "", "")


@pytest.mark.parametrize(
    "seconds", [slow_if(one != 0.5, one) for one in (0.05, 0.2, 0.5, 1.0, 1.5)]
)
@pytest.mark.parametrize("signum", SIGNALS)
def test_a_signal_after_some_time(seconds: float, signum: int, tmp_path: Path) -> None:
    process = begin(READY + ENTRY, tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(seconds)
    process.send_signal(signum)
    out, err = end(process)
    assert (process.returncode, out, err) == (128 + signum, "", "")


@pytest.mark.parametrize("signum", SIGNALS)
def test_a_signal_in_a_callback_of_the_compiler(signum: int, tmp_path: Path) -> None:
    """Python only prints an exception of such a callback, so the signal must be sent again."""
    code = (
        "import ctypes, os, signal, sys\n"
        "from parlour.training.cli import main as cli, start\n"
        "@ctypes.CFUNCTYPE(None)\n"
        f"def interrupt(): os.kill(os.getpid(), {int(signum)})\n"
        "def work(when_loaded):\n"
        "    when_loaded()\n"
        "    interrupt()\n"
        "    signal.sigtimedwait([], 30)\n"
        "cli.main = work\n"
        "sys.exit(start.main())"
    )
    begun = time.perf_counter()
    done = begin(code, tmp_path)
    out, err = end(done)
    assert (done.returncode, out, err) == (128 + signum, "", "")
    assert time.perf_counter() - begun < 30, "it waited to the end"


@pytest.mark.parametrize("signum", SIGNALS)
def test_an_ignored_signal_stays_ignored(signum: int, tmp_path: Path) -> None:
    code = (
        f"import os, signal, sys; signal.signal({int(signum)}, signal.SIG_IGN); "
        "from parlour.training.cli import start; sys.argv[1:] = ['list']; "
        f"status = start.main(); os.kill(os.getpid(), {int(signum)}); sys.exit(status)"
    )
    done = begin(code, tmp_path)
    out, err = end(done)
    assert (done.returncode, err) == (0, "")
    assert "pyramid" in out


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    """As in ``parlour evaluate pyramid | head -1``, where Rich ends the process itself."""
    words = [sys.executable, "-c", f"import sys; {ENTRY}", "evaluate", "pyramid", "--deals", "20"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, text=True, cwd=tmp_path, **pipes) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == READER_LEFT
