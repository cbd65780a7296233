"""The command ``parlour``. `main.COMMANDS` names the module of each command."""

import signal
from collections.abc import Sequence

STOPPED = 128 + signal.SIGINT
"""Exit status after Ctrl-C."""
HELP = {"-h", "--help", "--version"}


class Terminated(KeyboardInterrupt):
    """SIGTERM has arrived: the command stops as after Ctrl-C."""

    signum = signal.SIGTERM
    arrived = False
    """Whether SIGTERM has arrived: a library may raise another KeyboardInterrupt in its place."""


def stop_status(stopped: KeyboardInterrupt) -> int:
    """Return the exit status of a command that a signal has stopped: 128 plus its number."""
    usual = signal.SIGTERM if Terminated.arrived else signal.SIGINT
    return 128 + int(getattr(stopped, "signum", usual))


def asks_help(words: Sequence[str]) -> bool:
    """Return whether a command line asks for help, a version or shell completion."""
    return any(word in HELP or word.startswith("--tyro-") for word in words)
