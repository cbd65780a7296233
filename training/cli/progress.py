"""Progress on stderr: a bar if a person looks at it and tqdm is there, else lines now and then."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..evaluation.play import Progress


def find_tqdm() -> Any:
    """Return tqdm, or None if it is not installed or stderr is no terminal."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return None
    return tqdm if sys.stderr.isatty() else None


FIRST_LINE, NEXT_LINE = 4.0, 30.0
"""Without a bar: seconds until the first line, and between two lines."""
SLOW = 4.0
"""Seconds after which a silent step is named."""


@contextmanager
def notify_if_slow(text: str) -> Iterator[None]:
    """Print a line on stderr if the block takes longer than `SLOW`."""
    timer = threading.Timer(SLOW, lambda: print(text, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def write_lines(label: str, total: int) -> Progress:
    """Return a function that takes the number of further finished deals, and prints progress."""
    done, due = 0, time.monotonic() + FIRST_LINE

    def update(more: int) -> None:
        nonlocal done, due
        done += more
        if time.monotonic() >= due and done < total:
            due = time.monotonic() + NEXT_LINE
            print(f"{label}: {done:,}/{total:,} deals", file=sys.stderr, flush=True)

    return update


@contextmanager
def progress_bars(deals: int) -> Iterator[Callable[[str, str], Progress | None]]:
    """Give a function of agent and variant that returns the progress function of the agent."""
    tqdm = find_tqdm()
    if tqdm is None:
        yield (
            lambda agent, variant: (
                None if agent == "human" else write_lines(f"{variant}: {agent}", deals)
            )
        )
        return
    open_bars: list[Any] = []

    def begin(agent: str, variant: str) -> Progress | None:
        while open_bars:
            open_bars.pop().close()
        if agent == "human":
            return None
        title = f"{variant}: {agent}"
        open_bars.append(tqdm(total=deals, desc=title, unit="deal", leave=False, file=sys.stderr))
        return open_bars[0].update

    try:
        yield begin
    finally:
        while open_bars:
            open_bars.pop().close()
