"""What a decision may cost: what stands behind @ in the name of an agent that searches."""

import re
from typing import NamedTuple

MOST_TRIES, MOST_MILLISECONDS = 10_000_000, 3_600_000.0
"""The largest budgets of one decision; more would run for days, or not fit into memory."""


class Budget(NamedTuple):
    """What a decision may cost: ``number`` tries (None: as many as usual), or milliseconds."""

    number: int | None = None
    milliseconds: float | None = None


def read_budget(spec: str, word: str, counts: str, text: str, is_timed: bool = True) -> Budget:
    """Read what stands behind @ in an agent's name; ``counts``: what a number counts.

    ``is_timed``: milliseconds may stand there, too. Raises ValueError saying what may.
    """
    if not counts:
        raise ValueError(f"agent {spec!r}: {word} takes no budget")
    found = re.fullmatch(r"([0-9]+)|([0-9]+(?:\.[0-9]+)?)ms", text)
    if found is None or not float(found[1] or found[2]) or (found[2] and not is_timed):
        such = f"{word}@500, or milliseconds, such as {word}@50ms" if is_timed else f"{word}@20"
        raise ValueError(
            f"agent {spec!r}: budget {text!r}; allowed are {counts} from 1, such as {such}"
        )
    if float(found[1] or 0) > MOST_TRIES or float(found[2] or 0) > MOST_MILLISECONDS:
        timed = f", or {MOST_MILLISECONDS:,.0f} ms" if is_timed else ""
        raise ValueError(
            f"agent {spec!r}: budget {text!r}; at most {MOST_TRIES:,} {counts} are allowed{timed}"
        )
    return Budget(int(found[1])) if found[1] else Budget(None, float(found[2]))
