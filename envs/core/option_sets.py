"""Random combinations of options: rules to train and to test on, most of which have no name."""

from collections.abc import Collection
from enum import IntEnum
from typing import Any, get_origin, get_type_hints

import numpy as np

from .game import Game
from .options import replace_options, unknown_text

FIXED_SEED = 0x53455453
"""Of `draw_option_sets`: the same sets for everybody, so that one half can be held out."""
TRIES = 200
"""For each set wanted: so many draws that bring nothing new say that there are no more."""
SPLITS = ("all", "even", "odd")


def random_options(
    game: Game,
    rng: np.random.Generator,
    names: Collection[str] | None = None,
    base: Any = None,
) -> dict[str, Any]:
    """Return a random combination of options that the game does not refuse.

    ``names`` are drawn (None: all), the others are as in ``base``, rules (None: the default
    variant).
    """
    hints = get_type_hints(game.rules, include_extras=True)
    drawn = {name: hint for name, hint in hints.items() if names is None or name in names}
    start = game.variants[game.default] if base is None else base
    while True:
        chosen = {name: _draw_value(hint, rng) for name, hint in drawn.items()}
        try:
            game.check(replace_options(start, chosen))
        except ValueError:
            continue
        return chosen


def _draw_value(hint: Any, rng: np.random.Generator) -> Any:
    kind, option = hint.__origin__, hint.__metadata__[0]
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return rng.choice([member.name.lower() for member in kind])
    if kind is bool:
        return bool(rng.random() < 0.4)
    if get_origin(kind) is tuple:
        return tuple(rng.integers(option.low, option.high + 1, option.size).tolist())
    return int(rng.choice(option.values or range(option.low, option.high + 1)))


def draw_option_sets(
    game: Game, base: Any, k: int, names: Collection[str] = (), split: str = "all"
) -> list[Any]:
    """Return rules that k random option sets make of ``base``: always the same, no two equal.

    ``names`` are the options drawn (empty: all but the number of players, which is never drawn).
    ``split`` takes of these sets, numbered from 0, ``"even"`` or ``"odd"`` ones alone. Raises
    ValueError for an option that does not exist, and where there are not so many sets.
    """
    for name in names:
        if name not in game.rules._fields or name == "players":
            allowed = [field for field in game.rules._fields if field != "players"]
            raise ValueError(unknown_text("option to draw", name, allowed))
    rng, found = np.random.default_rng(FIXED_SEED), dict[Any, None]()
    drawn = names or [field for field in game.rules._fields if field != "players"]
    for _ in range(k * TRIES):
        if len(found) == k:
            break
        found[replace_options(base, random_options(game, rng, drawn, base))] = None
    if len(found) < k:
        raise ValueError(f"{k} option sets: only {len(found)} were found; ask for fewer")
    first = {"all": slice(None), "even": slice(0, None, 2), "odd": slice(1, None, 2)}
    return list(found)[first[split]]
