"""Where the command ``parlour`` begins: Ctrl-C ends it quietly from the first moment on.

To import all that a command needs takes seconds. A KeyboardInterrupt in between would come out of
some library as a traceback, or as another error, so nothing is imported here before the signal is
taken care of.
"""

import os
import signal
import sys
from _thread import interrupt_main
from threading import Timer, main_thread
from typing import Any

from . import STOPPED


def main() -> int:
    """Run the command line of this process and return its exit status."""
    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_ours:  # else it is ignored, as in a background job, or somebody else's
        signal.signal(signal.SIGINT, leave)
    from .streams import open_closed

    open_closed()
    from .main import main as run

    if is_ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = press_again
    try:
        return run()
    except KeyboardInterrupt:
        return STOPPED


def leave(_signum: int, _frame: Any) -> None:
    """End the process at once: nothing has begun that could be lost."""
    os._exit(STOPPED)


def press_again(lost: Any) -> None:
    """Give a Ctrl-C again that came where Python can only print and forget it.

    The compiler calls back into Python; an exception there goes no further. A little later the
    callback is over, and if it should be in another, that one is lost and given again, too.
    """
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        return sys.__unraisablehook__(lost)
    Timer(0.02, press).start()


def press() -> None:
    """Interrupt the main thread, also where it waits for the system, which Windows cannot."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
    else:
        interrupt_main()
