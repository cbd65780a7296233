"""Exit statuses and standard streams of a command: closed streams, readers that leave, encodings.

A reader that leaves, as in ``parlour list | head -1``, ends the command quietly with exit status 1.
The documentation of Python recommends this (module `signal`, "Note on SIGPIPE"): the default action
of SIGPIPE would also kill a server or a worker whose socket closes.
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
"""Exit status if the reader of stdout or stderr leaves before the command has written all."""


class Terminated(KeyboardInterrupt):
    """SIGTERM has arrived: the command stops as after Ctrl-C."""

    signum = signal.SIGTERM
    arrived = False
    """Whether SIGTERM has arrived: a library may raise another KeyboardInterrupt in its place."""


def stop_status(stopped: KeyboardInterrupt) -> int:
    """Return the exit status of a command that a signal has stopped: 128 plus its number."""
    usual = signal.SIGTERM if Terminated.arrived else signal.SIGINT
    return 128 + int(getattr(stopped, "signum", usual))


def open_closed() -> None:
    """Open standard streams that are closed, as by ``parlour list >&-``, on the null device.

    Otherwise the next file that is opened would get the number of a closed stream, and the output
    of a library would go into that file.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def prepare_streams() -> None:
    """Make reading and writing safe in any encoding (see `terminal.plain_text`)."""
    from ..evaluation.report.terminal import PLAIN

    open_closed()
    for stream, errors in ((sys.stdout, PLAIN), (sys.stderr, PLAIN), (sys.stdin, "replace")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=errors)


def drop_broken() -> bool:
    """Flush the output; return whether a reader has left.

    A stream that cannot be written is pointed to the null device. Otherwise Python would try again
    when it exits, and complain.
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
    """Return whether the reader of a stream has left, if the system can tell (not on Windows).

    Flushing is not used as a test, since a failed write may drop output.
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
    """Return whether an error comes from a reader of the output that has left.

    A BrokenPipeError may also come from another pipe, such as that of a worker process, and a
    SystemExit from ``--help``. Rich turns the first into the second and redirects the stream.
    """
    chain: BaseException | None = error
    while chain is not None and not isinstance(chain, BrokenPipeError):
        chain = chain.__cause__ or chain.__context__
    has_left, is_chained = drop_broken(), chain is not None
    if isinstance(error, SystemExit):
        return has_left or is_chained
    return is_chained and (has_left or os.name == "nt")


def attach_terminal() -> None:
    """Read further input from the terminal after standard input has been read to its end.

    Without a terminal, standard input stays as it is.
    """
    with suppress(OSError):
        terminal = os.open("CONIN$" if os.name == "nt" else "/dev/tty", os.O_RDONLY)
        os.dup2(terminal, 0)
        os.close(terminal)
        encoding = sys.stdin.encoding
        sys.stdin = open(0, encoding=encoding, errors="replace", closefd=False)  # noqa: SIM115
