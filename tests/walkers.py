"""Three ways to walk through a game, so that tests also reach what random play does not."""

from collections.abc import Callable

import numpy as np

from parlour.envs import Game
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows

Walker = Callable[[Rows, np.random.Generator], int]
"""Chooses a legal action in row 0."""


def legal_actions(rows: Rows) -> list[int]:
    """Return the legal actions of row 0, lowest first: where a game is over, all, as its mask."""
    state = rows.states[0]
    legal = -1 if state["over"] else int(state["legal"])
    return [action for action in range(rows.game.actions) if legal >> action & 1]


def uniform(rows: Rows, rng: np.random.Generator) -> int:
    """Any legal action."""
    return int(rng.choice(legal_actions(rows)))


def lowest_first(rows: Rows, rng: np.random.Generator) -> int:
    """Nearly always one of the first three legal actions: in patience games, cards before turns."""
    can = legal_actions(rows)
    return int(rng.choice(can[:3] if rng.random() < 0.95 else can))


def greedy(rows: Rows, rng: np.random.Generator) -> int:
    """The game's own heuristic, with a random action in ten."""
    if rng.random() < 0.1 or rows.states["over"][0]:
        return uniform(rows, rng)
    scores = rows.game.score_actions(rows.states[:1], rows.rules)
    return max(legal_actions(rows), key=lambda action: scores[0, action])


WALKERS: dict[str, Walker] = {"uniform": uniform, "lowest": lowest_first, "greedy": greedy}


MOST_STEPS = 10_000
"""A game that has not ended by then never will."""


def no_end(rows: Rows, steps: int) -> str:
    """What is said of a game that would keep a test going for ever."""
    rules = to_plain(rows.rules)
    return (
        f"{rows.game.name}: a game by {rules} has not ended after {steps} steps: "
        'step writes s["over"] = Over.TERMINATED and s["legal"] = 0 at the end '
        f"(envs/{rows.game.name}/kernel.py)"
    )


def random_options(game: Game, rng: np.random.Generator) -> dict[str, object]:
    """Return a random combination of options that the game does not refuse."""
    from enum import IntEnum
    from typing import get_origin, get_type_hints

    hints = get_type_hints(game.rules, include_extras=True)
    while True:
        chosen: dict[str, object] = {}
        for field, hint in hints.items():
            kind, option = hint.__origin__, hint.__metadata__[0]
            if isinstance(kind, type) and issubclass(kind, IntEnum):
                chosen[field] = rng.choice([member.name.lower() for member in kind])
            elif kind is bool:
                chosen[field] = bool(rng.random() < 0.4)
            elif get_origin(kind) is tuple:
                row = rng.integers(option.low, option.high + 1, option.size)
                chosen[field] = tuple(row.tolist())
            else:
                chosen[field] = int(rng.choice(option.values or range(option.low, option.high + 1)))
        try:
            game.check(game.make_rules(None, chosen))
        except ValueError:
            continue
        return chosen
