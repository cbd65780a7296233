"""Waiting for what another process or thread does."""

import time
from collections.abc import Callable

LONGEST = 60.0
"""Seconds that a busy machine may need for something that takes a second or two."""


def wait_until(reached: Callable[[], object], seconds: float = LONGEST) -> None:
    """Wait until something is true; fail if it does not become true in time."""
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.02)
