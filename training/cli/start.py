"""Entry point of the command ``parlour``, which handles signals from the start.

Importing the modules of a command can take seconds. A KeyboardInterrupt in that time would appear
as a traceback or as another error of a library. So the entry point handles signals before it
imports anything else; until the command is loaded, a signal ends the process quietly. SIGTERM stops
a command like Ctrl-C: the command keeps its results and ends its workers.
"""

import os
import signal
import sys
from _thread import interrupt_main
from threading import Timer, main_thread
from typing import Any

from .process import Terminated, open_closed, stop_status

DEFAULTS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""Signals that stop a command, and their usual handlers.

A signal with another handler keeps it: the signal is ignored, as in a background job, or the caller
handles it.
"""


def main() -> int:
    """Run the command line of this process and return its exit status."""
    signals = [one for one, handler in DEFAULTS.items() if signal.getsignal(one) is handler]
    for signum in signals:
        signal.signal(signum, exit_quietly)
    open_closed()
    from .main import main as run

    def stop_by_signals() -> None:
        for signum in signals:
            signal.signal(signum, stop)
        if signals:
            sys.unraisablehook = interrupt_again

    try:
        return run(when_loaded=stop_by_signals)
    except KeyboardInterrupt as stopped:
        return stop_status(stopped)


def exit_quietly(signum: int, _frame: Any) -> None:
    """End the process without delay, since no work has begun."""
    os._exit(128 + signum)


def stop(signum: int, _frame: Any) -> None:
    """Raise the exception that stops a command."""
    if signum == signal.SIGTERM:
        Terminated.arrived = True
        raise Terminated
    raise KeyboardInterrupt


def interrupt_again(lost: Any) -> None:
    """Send a signal again if its exception was raised where Python can only print it.

    The compiler calls back into Python, and an exception in such a callback is lost. The signal is
    sent again a little later. If the process is in another callback then, this function repeats.
    """
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        return sys.__unraisablehook__(lost)
    signum = getattr(lost.exc_type, "signum", signal.SIGINT)
    Timer(0.02, interrupt, [signum]).start()


def interrupt(signum: int) -> None:
    """Interrupt the main thread, even in a blocking system call (except on Windows)."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread().ident or 0, signum)
    else:
        interrupt_main(signal.Signals(signum))
