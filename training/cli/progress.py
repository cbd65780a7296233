"""Progress on stderr: a bar if a person looks at it and tqdm is there, else lines now and then."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..evaluation.evaluate import Progress


def find_tqdm() -> Any:
    """Return tqdm, or None where it is not installed or nobody looks at stderr."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return None
    return tqdm if sys.stderr.isatty() else None


FIRST_LINE, NEXT_LINE = 4.0, 30.0
"""Seconds until the first line is written where no bar is, and between two lines."""


SLOW = 4.0
"""Seconds after which what goes on in silence is named."""


@contextmanager
def notify_if_slow(text: str) -> Iterator[None]:
    """Write a line on stderr if the block takes so long that one wonders."""
    timer = threading.Timer(SLOW, lambda: print(text, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def write_lines(label: str, total: int) -> Progress:
    """Return what takes how many more deals are done, and writes a line where it takes long."""
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
    """Give what shows the progress of each agent that plays, by its name and the variant's."""
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
        said = f"{variant}: {agent}"
        open_bars.append(tqdm(total=deals, desc=said, unit="deal", leave=False, file=sys.stderr))
        return open_bars[0].update

    try:
        yield begin
    finally:
        while open_bars:
            open_bars.pop().close()
