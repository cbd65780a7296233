"""Waiting for other processes and threads."""

import time
from collections.abc import Callable

LONGEST = 60.0
"""Time limit in seconds, for a busy machine, of events that normally take a second or two."""


def wait_until(reached: Callable[[], object], seconds: float = LONGEST) -> None:
    """Wait until ``reached()`` is true; fail if this takes longer than ``seconds``."""
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.02)
