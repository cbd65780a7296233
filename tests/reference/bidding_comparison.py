"""What the comparisons of Twenty-Eight and of Fifty-Six with their references share.

Each game hands over its reference; nothing here knows the rules of either.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol

import numpy as np

from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows
from tests.reference.match import R, names
from tests.walkers import WALKERS, Walker

SUITS = "cdhs"


class WouldBeRedealt(Protocol):
    """Says whether the reference would deal a deck again."""

    def __call__(self, deck: list[str], options: Any, /) -> bool:
        """Return whether it would."""


def make_begin(
    reference: Callable[[Any, list[str], int], R],
    options: Callable[..., Any],
    would_be_redealt: WouldBeRedealt,
) -> Callable[[Rows], R]:
    """Return the function that begins the reference of the hand just dealt to row 0."""

    def begin(rows: Rows) -> R:
        s, chosen = rows.states[0], options(**to_plain(rows.rules))
        deck = [str(card) for card in names(s["deck"]) if card]
        assert not would_be_redealt(deck, chosen)
        return reference(chosen, deck, int(s["dealer"]))

    return begin


class Walkers(Generic[R]):
    """The reference's walkers, which look at the reference of the hand that row 0 has."""

    def __init__(self, begin: Callable[[Rows], R]) -> None:
        self.reference: R | None = None
        self._begin = begin

    def begin(self, rows: Rows) -> R:
        """Begin the reference of the hand just dealt."""
        self.reference = self._begin(rows)
        return self.reference

    def make_all(self, walkers: Mapping[str, Callable[..., int]]) -> dict[str, Walker]:
        """Return them as they are asked for row 0, and the walkers of all games."""
        return {name: self._make(walk) for name, walk in walkers.items()} | dict(WALKERS)

    def _make(self, walk: Callable[..., int]) -> Walker:
        def choose(rows: Rows, rng: np.random.Generator) -> int:
            assert self.reference is not None
            return walk(self.reference, rng)

        return choose


def make_count(
    branches: Callable[[R, int], Any],
) -> Callable[[Counter[str], R, int | None], None]:
    """Return the function that counts the rules that the next action exercises."""

    def count(hits: Counter[str], reference: R, action: int | None) -> None:
        if action is not None:
            hits.update(branches(reference, action))

    return count
