"""Three ways to choose actions, so that tests also reach positions that are rare in random play."""

from collections.abc import Callable

import numpy as np

from parlour.envs.core.batch import FINISHED
from parlour.envs.core.legal import list_actions
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows

Walker = Callable[[Rows, np.random.Generator], int]
"""Chooses a legal action in row 0."""


def legal_actions(rows: Rows) -> list[int]:
    """Return the legal actions of row 0, lowest first, or all actions if its game is over."""
    state = rows.states[0]
    finished = state["over"] in FINISHED
    return list(range(rows.game.actions)) if finished else list_actions(state["legal"])


def uniform(rows: Rows, rng: np.random.Generator) -> int:
    """Return a random legal action."""
    return int(rng.choice(legal_actions(rows)))


def lowest_first(rows: Rows, rng: np.random.Generator) -> int:
    """Return one of the three lowest legal actions, or any legal action in 5 % of steps."""
    can = legal_actions(rows)
    return int(rng.choice(can[:3] if rng.random() < 0.95 else can))


def greedy(rows: Rows, rng: np.random.Generator) -> int:
    """Return the action that the heuristic scores highest, or any legal action in 10 % of steps."""
    if rng.random() < 0.1 or rows.states["over"][0]:
        return uniform(rows, rng)
    scores = rows.game.score_actions(rows.states[:1], rows.rules)
    return max(legal_actions(rows), key=lambda action: scores[0, action])


WALKERS: dict[str, Walker] = {"uniform": uniform, "lowest": lowest_first, "greedy": greedy}


MOST_STEPS = 10_000
"""Number of steps after which a test concludes that a game never ends."""


def no_end(rows: Rows, steps: int) -> str:
    """Return the message for a game that does not end."""
    rules = to_plain(rows.rules)
    return (
        f"{rows.game.name}: a game with {rules} has not ended after {steps} steps: "
        'step writes s["over"] = Over.TERMINATED and s["legal"] = 0 at the end '
        f"(envs/games/{rows.game.name}/kernel.py)"
    )
