"""The command ``parlour``: one file for a group of commands."""

import signal

STOPPED = 128 + signal.SIGINT
"""Exit status after Ctrl-C."""


class Terminated(KeyboardInterrupt):
    """SIGTERM has arrived: the command stops as after Ctrl-C."""

    signum = signal.SIGTERM
    arrived = False
    """Whether SIGTERM has arrived: a library may raise another KeyboardInterrupt in its place."""


def stop_status(stopped: KeyboardInterrupt) -> int:
    """Return the exit status of a command that a signal has stopped: 128 plus its number."""
    usual = signal.SIGTERM if Terminated.arrived else signal.SIGINT
    return 128 + int(getattr(stopped, "signum", usual))
