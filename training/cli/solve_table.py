"""``parlour solve`` for games of partners: contracts of a deal, and what comes of one in play."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parlour.envs import Game
from parlour.envs.core.solve import Contract, Solving

Said = dict[str, Any]


def solve_table(
    game: Game, rules: Any, state: np.ndarray, limit: int | None
) -> tuple[Said, list[str]]:
    """Return what is to be said of a position of several seats, for JSON, and as lines.

    Raises ValueError for a position of the auction; of a deal on which nobody has spoken only where
    the solver does not list contracts.
    """
    solving = game.solving
    assert solving is not None
    if state["moves"][0] or solving.list_contracts is None:
        return _describe_play(solving, rules, state, limit)
    found = solving.list_contracts(state, rules, limit)
    if not found:
        raise ValueError("solve: no contract of this deal can be played")
    return {"contracts": [one._asdict() for one in found]}, list(_write_contracts(found))


def _describe_play(
    solving: Solving, rules: Any, state: np.ndarray, limit: int | None
) -> tuple[Said, list[str]]:
    found = solving.solve(state, rules, limit=limit)
    said: Said = {"points": found.score, "made": found.winnable, "nodes": int(found.nodes)}
    said["bounds"] = found.bounds
    if found.bounds is None:
        return said, [f"not found out by {found.nodes:,} positions"]
    low, high = found.bounds
    points = f"{low} points" if low == high else f"between {low} and {high} points"
    way = {True: "makes", False: "does not make", None: "may or may not make"}[found.winnable]
    lines = [f"the bidder's side takes {points} and {way} its contract"]
    if low < high:
        lines.append(f"more was not found out by {found.nodes:,} positions")
    return said, lines


def _write_contracts(found: Sequence[Contract]) -> list[str]:
    """Return a line for each seat and one for the best contract."""
    lines = ["points of the bidder's side, all cards known, by bidder and trumps:"]
    for seat in sorted({one.seat for one in found}):
        own = [one for one in found if one.seat == seat]
        lines.append(f"  seat {seat}: " + ", ".join(f"{one.making} {_points(one)}" for one in own))
    known = [one for one in found if one.points is not None]
    if len(known) < len(found):
        return [*lines, "?: not found out by so few positions"]
    best = max(known, key=lambda one: one.points or 0)
    return [*lines, f"the best: seat {best.seat}, {best.making}: {best.points}"]


def _points(contract: Contract) -> str:
    return "?" if contract.points is None else str(contract.points)
