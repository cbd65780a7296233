"""A message on stderr while kernels that are not cached on disk are compiled."""

import sys
import time
from typing import Any

from numba.core import event

MESSAGE = (
    "parlour: compiling kernels (first use only, about 20 s; a solver up to two minutes). "
    "Run `parlour compile GAME` to compile them in advance."
)
PAUSE = 5.0
"""Seconds without a compilation after which the next one prints the message again."""


class CompilationListener(event.TimingListener):
    """Prints a message when this process compiles, and measures how long it does.

    It prints if stderr is a terminal, or always with ``always``: at the first compilation, and at
    the first one after a pause.
    """

    always = False
    quiet = False
    """Whether another part of the program reports compilations."""
    quiet_until = 0.0
    """The time until which no further message is printed."""

    def on_start(self, event: Any) -> None:
        """See Numba's `Listener`."""
        is_read = sys.stderr is not None and (self.always or sys.stderr.isatty())
        if is_read and not self.quiet and time.monotonic() >= self.quiet_until:
            print(MESSAGE, file=sys.stderr, flush=True)
        self._wait()
        super().on_start(event)

    def on_end(self, event: Any) -> None:
        """See Numba's `Listener`."""
        super().on_end(event)
        self._wait()

    def _wait(self) -> None:
        self.quiet_until = time.monotonic() + PAUSE

    @property
    def seconds(self) -> float:
        """Total compile time of this process, in seconds."""
        return float(self.duration) if self.done else 0.0


COMPILATIONS = CompilationListener()
"""The one listener of this process."""


def watch_compilations() -> None:
    """Register the listener with Numba; kernels from the cache on disk do not trigger it."""
    event.register("numba:compile", COMPILATIONS)
