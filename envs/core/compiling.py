"""Says why nothing happens for a while: a kernel that is not on disk is compiled, once."""

import sys
from typing import Any

from numba.core import event

SAID = (
    "parlour: compiling, once: about 20 s, a solver up to two minutes "
    "(parlour warm GAME does it beforehand) ..."
)


class CompilationListener(event.TimingListener):
    """Tells on stderr of the first compilation of this process, and measures all of them.

    It tells where stderr is a terminal, or with ``always`` wherever it leads.
    """

    always = False
    told = False

    def on_start(self, event: Any) -> None:
        """See Numba's `Listener`."""
        if not self.told and sys.stderr is not None and (self.always or sys.stderr.isatty()):
            print(SAID, file=sys.stderr, flush=True)
        self.told = True
        super().on_start(event)

    @property
    def seconds(self) -> float:
        """How long this process has been compiling."""
        return float(self.duration) if self.done else 0.0


COMPILATIONS = CompilationListener()
"""The one listener of this process."""


def watch_compilations() -> None:
    """Begin to listen: of a kernel that is found on disk nothing is heard."""
    event.register("numba:compile", COMPILATIONS)
