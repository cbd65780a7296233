"""Search budgets: what a decision may cost, as specs write it and search agents check it."""

import re
from typing import NamedTuple

from ..specs import SEARCHES, AgentSpec

MAX_NUMBER, MAX_MILLISECONDS = 10_000_000, 3_600_000.0
"""The largest budgets of one decision: more would run for days, or not fit into memory."""


class Budget(NamedTuple):
    """What a decision may cost: a number of worlds or iterations, or a time.

    If both are None the search uses its default.
    """

    number: int | None = None
    milliseconds: float | None = None


def read_budget(spec: AgentSpec) -> Budget:
    """Return the budget in the spec of a search. Raises ValueError saying what is allowed."""
    if spec.budget is None:
        return Budget()
    search, given = SEARCHES[spec.word], f"agent {spec.text!r}: budget {spec.budget!r}"
    if not search.counts:
        raise ValueError(f"agent {spec.text!r}: {spec.word} takes no budget")
    match = re.fullmatch(r"([0-9]+)|([0-9]+(?:\.[0-9]+)?)ms", spec.budget)
    number, milliseconds = match.groups() if match else (None, None)
    if not float(number or milliseconds or 0) or (milliseconds and not search.is_timed):
        example = f"{spec.word}@20"
        if search.is_timed:
            example = f"{spec.word}@500, or milliseconds, such as {spec.word}@50ms"
        raise ValueError(f"{given}; allowed are {search.counts} from 1, such as {example}")
    if float(number or 0) > MAX_NUMBER or float(milliseconds or 0) > MAX_MILLISECONDS:
        time_limit = f", or {MAX_MILLISECONDS:,.0f} ms" if search.is_timed else ""
        raise ValueError(f"{given}; at most {MAX_NUMBER:,} {search.counts} are allowed{time_limit}")
    return Budget(int(number)) if number else Budget(None, float(milliseconds or 0))


def choose_number(what: str, number: int | None, default: int) -> int:
    """Return a search's number of worlds or iterations: ``number``, or the default if it is None.

    Raises ValueError, naming ``what`` is counted, for a number below 1.
    """
    if number is not None and number < 1:
        raise ValueError(f"{what}={number}: allowed are whole numbers from 1")
    return default if number is None else number


def check_milliseconds(milliseconds: float | None) -> None:
    """Raise ValueError for a time limit that is not above 0."""
    if milliseconds is not None and not milliseconds > 0:
        raise ValueError(f"milliseconds={milliseconds}: allowed are numbers above 0")
