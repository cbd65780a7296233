"""Exit statuses and standard streams of a command: closed streams, broken pipes, encodings.

If the reader of the output exits, as in ``parlour list | head -1``, the command ends quietly with
exit status 1. The documentation of Python recommends this (module `signal`, "Note on SIGPIPE"),
because the default action of SIGPIPE would also kill a server or a worker whose socket closes.
"""

import os
import select
import signal
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

STOPPED = 128 + signal.SIGINT
"""Exit status after Ctrl-C."""
READER_LEFT = 1
"""Exit status if the reader of stdout or stderr exits before the command has written everything."""


class Terminated(KeyboardInterrupt):
    """Raised on SIGTERM: the command stops as after Ctrl-C."""

    signum = signal.SIGTERM
    arrived = False
    """Whether SIGTERM has arrived; needed because a library may replace the exception."""


def stop_status(stopped: KeyboardInterrupt) -> int:
    """Return the exit status of a command stopped by a signal: 128 plus the signal number."""
    usual = signal.SIGTERM if Terminated.arrived else signal.SIGINT
    return 128 + int(getattr(stopped, "signum", usual))


def open_closed() -> None:
    """Open closed standard streams, as in ``parlour list >&-``, on the null device.

    Otherwise the next opened file would get the file descriptor of a closed stream, and the output
    of a library would go into that file.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def prepare_streams() -> None:
    """Make standard streams safe for text in any encoding (see `terminal.plain_text`)."""
    from ..evaluation.report.terminal import PLAIN

    open_closed()
    for stream, errors in ((sys.stdout, PLAIN), (sys.stderr, PLAIN), (sys.stdin, "replace")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=errors)


def drop_broken() -> bool:
    """Flush the output; return whether its reader has exited.

    A broken stream is redirected to the null device. Otherwise Python would flush it again at exit
    and print an error.
    """
    has_left = False
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
            is_broken = _is_unread(stream)
            has_left |= is_broken
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            is_broken = True
            has_left |= isinstance(error, BrokenPipeError)
        if is_broken:
            with suppress(OSError, ValueError):
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, stream.fileno())
                os.close(null)
    return has_left


def _is_unread(stream: TextIO) -> bool:
    """Return whether the reader of a stream has exited, if the system can tell (not on Windows).

    A flush is no test, since a failed write may drop output.
    """
    try:
        number = stream.fileno()
    except (OSError, ValueError):  # a stream in memory
        return False
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(number, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def has_reader_left(error: BaseException) -> bool:
    """Return whether an error occurred because the reader of the output has exited.

    A BrokenPipeError may also come from another pipe, such as that of a worker process, and a
    SystemExit may come from ``--help``. Rich replaces a BrokenPipeError with a SystemExit and
    redirects the stream.
    """
    chain: BaseException | None = error
    while chain is not None and not isinstance(chain, BrokenPipeError):
        chain = chain.__cause__ or chain.__context__
    has_left, is_chained = drop_broken(), chain is not None
    if isinstance(error, SystemExit):
        return has_left or is_chained
    return is_chained and (has_left or os.name == "nt")


def attach_terminal() -> None:
    """Read further input from the terminal after standard input has reached its end.

    Without a terminal, standard input does not change.
    """
    with suppress(OSError):
        terminal = os.open("CONIN$" if os.name == "nt" else "/dev/tty", os.O_RDONLY)
        os.dup2(terminal, 0)
        os.close(terminal)
        encoding = sys.stdin.encoding
        sys.stdin = open(0, encoding=encoding, errors="replace", closefd=False)  # noqa: SIM115
