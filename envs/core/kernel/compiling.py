"""A message on stderr while kernels are compiled that are not cached on disk."""

import sys
import time
from typing import Any

from numba.core import event
from numba.core.registry import cpu_target

from .shipped import SHIPPED, explain_compiling

MESSAGE = (
    "Compiling kernels (first use only, about 20 s; up to two minutes for a solver) ... "
    "Run `parlour compile GAME` to compile the kernels of a game in advance."
)
PAUSE = 5.0
"""Time without compilation, in seconds, after which the next compilation prints the message."""


class CompilationListener(event.TimingListener):
    """Listener that prints a message when the process compiles, and measures compile time.

    The message is printed at the first compilation and at the first one after a pause, if stderr is
    a terminal or ``always`` is True.
    """

    always = False
    """Whether to print messages also if stderr is not a terminal."""
    quiet = False
    """Whether another part of the program reports compilations."""
    is_explained = False
    """Whether the process said why it cannot use the kernels of a wheel."""
    quiet_until = 0.0
    """Monotonic time before which no further message is printed."""

    def on_start(self, event: Any) -> None:
        """Print the message when a compilation starts; see Numba's `Listener`."""
        is_read = sys.stderr is not None and (self.always or sys.stderr.isatty())
        if is_read and not self.quiet and time.monotonic() >= self.quiet_until:
            reason = "" if self.is_explained else explain_compiling(SHIPPED, target_processor())
            print(*filter(None, (reason, MESSAGE)), sep="\n", file=sys.stderr, flush=True)
            self.is_explained = True
        self._wait()
        super().on_start(event)

    def on_end(self, event: Any) -> None:
        """Restart the pause when a compilation ends; see Numba's `Listener`."""
        super().on_end(event)
        self._wait()

    def _wait(self) -> None:
        self.quiet_until = time.monotonic() + PAUSE

    @property
    def seconds(self) -> float:
        """Total compile time of this process, in seconds."""
        return float(self.duration) if self.done else 0.0


COMPILATIONS = CompilationListener()
"""The only listener of this process."""


def target_processor() -> tuple[str, str, str]:
    """Return LLVM's triple, name and features of the processor that kernels are compiled for."""
    triple, name, features = cpu_target.target_context.codegen().magic_tuple()
    return triple, name, features


def watch_compilations() -> None:
    """Register the listener with Numba. Kernels from the cache on disk do not trigger it."""
    event.register("numba:compile", COMPILATIONS)
