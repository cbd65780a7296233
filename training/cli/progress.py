"""Progress on stderr, if a person looks at it and tqdm is there."""

import sys
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


@contextmanager
def progress_bars(deals: int) -> Iterator[Callable[[str, str], Progress | None] | None]:
    """Give what makes a bar for each agent that plays, or None where there is to be none."""
    tqdm = find_tqdm()
    if tqdm is None:
        yield None
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
