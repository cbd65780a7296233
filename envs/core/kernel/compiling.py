"""Says why nothing happens for a while: a kernel that is not on disk is compiled, once."""

import sys
import time
from typing import Any

from numba.core import event

SAID = (
    "parlour: compiling, once: about 20 s, a solver up to two minutes "
    "(parlour compile GAME does it beforehand) ..."
)
PAUSE = 5.0
"""Seconds without a compilation after which the next one is told of anew."""


class CompilationListener(event.TimingListener):
    """Tells on stderr that this process compiles, and measures how long.

    It tells where stderr is a terminal, or with ``always`` wherever it leads: of the first
    compilation, and of another one after a pause.
    """

    always = False
    quiet = False
    """Whether somebody else tells of compilations."""
    quiet_until = 0.0
    """When it is time to tell again."""

    def on_start(self, event: Any) -> None:
        """See Numba's `Listener`."""
        looked_at = sys.stderr is not None and (self.always or sys.stderr.isatty())
        if looked_at and not self.quiet and time.monotonic() >= self.quiet_until:
            print(SAID, file=sys.stderr, flush=True)
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
        """How long this process has been compiling."""
        return float(self.duration) if self.done else 0.0


COMPILATIONS = CompilationListener()
"""The one listener of this process."""


def watch_compilations() -> None:
    """Begin to listen: of a kernel that is found on disk nothing is heard."""
    event.register("numba:compile", COMPILATIONS)
