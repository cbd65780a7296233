"""What labels can say: fields of a file's metadata, and values that no solver could have found."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from parlour.agents.validation import (
    TABLE,
    TEXT,
    YES_OR_NO,
    Field,
    check_fields,
    check_known,
    maybe,
    shorten,
    whole,
)
from parlour.envs import Game
from parlour.envs.core.contract import LOST, UNDECIDED, WINNABLE

FORMAT = 1
UNKNOWN_FEWEST = -1
"""``fewest`` where the shortest win is not known."""
NO_SCORE = -(2**31)
"""``score`` where none was found."""
MOST_DEALS = 10**8
"""Deals in one file, and far more than a solver comes to."""
METADATA: dict[str, Field] = {
    "format": whole(FORMAT, FORMAT),
    "parlour": TEXT,
    "game": TEXT,
    "variant": Field("a str", lambda value: isinstance(value, str)),
    "rules": TABLE,
    "rules_digest": TEXT,
    "bank": Field("a str", lambda value: isinstance(value, str)),
    "first": whole(0, 10**18),
    "n": whole(1, MOST_DEALS),
    "optimal": YES_OR_NO,
    "limit": maybe(whole(1, 10**18))._replace(optional=False),
    "solver": TEXT._replace(optional=True),  # files of earlier versions do not say it
    "decks": TEXT,
    "columns": TABLE,
    "content": TEXT,
}


def check_metadata(metadata: Any, rows: int) -> None:
    """Refuse metadata of a file of ``rows`` rows: ValueError naming field, value, what is needed.

    They are not compared with hashes or deals here.
    """
    if not isinstance(metadata, dict):
        raise ValueError("its metadata are not a JSON object")
    if metadata.get("format") != FORMAT:
        raise ValueError(f"format {shorten(metadata.get('format'))}: this version reads {FORMAT}")
    check_fields(metadata, METADATA)
    check_known(metadata, METADATA)
    if metadata["n"] != rows:
        raise ValueError(f"n={metadata['n']}: the file has {rows} rows")


def check_values(game: Game, rules: Any, first: int, columns: Mapping[str, np.ndarray]) -> None:
    """Refuse columns, (n,) each, that contradict themselves or the game by its rules.

    Raises ValueError naming the column, the deal, its value and what is possible; ``first`` is the
    number of the first deal.
    """
    winnable, fewest, nodes = columns["winnable"], columns["fewest"], columns["nodes"]
    known = fewest != UNKNOWN_FEWEST
    least = game.shortest(rules)
    found = {
        "winnable": (~np.isin(winnable, (UNDECIDED, LOST, WINNABLE)), "allowed are -1, 0 and 1"),
        "nodes": (nodes < 0, "allowed are numbers from 0"),
        "fewest": (known & (fewest < least), f"allowed are -1 and numbers from {least}"),
    }
    _refuse(found, columns, first)
    without = known & (winnable != WINNABLE)
    _refuse({"fewest": (without, "the deal is not labelled winnable")}, columns, first)
    if "score" in columns:
        low, high = game.score_range
        beyond = (columns["score"] < low) | (columns["score"] > high)
        beyond &= columns["score"] != NO_SCORE
        _refuse({"score": (beyond, f"allowed are {low} to {high}")}, columns, first)
        _refuse({"winnable": (winnable != UNDECIDED, "nobody wins this game")}, columns, first)


def find_settled(optimal: bool, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return of which deals a higher limit would find nothing more, bool (n,)."""
    winnable = columns["winnable"]
    shortest = (columns["fewest"] != UNKNOWN_FEWEST) | (winnable == LOST)
    return (winnable != UNDECIDED) & (shortest | (not optimal))


def _refuse(
    found: Mapping[str, tuple[np.ndarray, str]], columns: Mapping[str, np.ndarray], first: int
) -> None:
    for name, (wrong, allowed) in found.items():
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(
                f"column {name}: {columns[name][row]} at deal {first + row}: {allowed}"
            )
