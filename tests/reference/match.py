"""Comparison of a compiled game with its slow reference after every action.

The test of a game creates a `Match` with the functions that are specific to the game: how the
reference begins, what must be equal, and which branches of the rules are counted.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from parlour.envs import Game
from parlour.envs.core.batch import Autoreset, StepConfig
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.legal import list_actions
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import random_options
from tests.marks import slow_if
from tests.walkers import MOST_STEPS, WALKERS, Walker, no_end


class Reference(Protocol):
    """A slow implementation of a game, with the same action numbers as the compiled game."""

    def step(self, action: int, /) -> Any:
        """Play a legal action, after the compiled game has played it."""
        ...


R = TypeVar("R", bound=Reference)


def deal_numbered(rows: Rows, seed: int) -> None:
    """Deal the numbered deal ``seed``."""
    rows.deal_numbered("reference", [seed])


def make_special_deals(
    special: Callable[[Any, np.random.Generator, int], list[str] | None],
) -> Callable[[Rows, int], None]:
    """Return a function that deals numbered deals, but special decks for half of the seeds.

    ``special(rules, rng, seed)`` returns a special deck, or None for the numbered deal.
    """

    def deal(rows: Rows, seed: int) -> None:
        deal_numbered(rows, seed)
        if seed // 2 % 2:
            rng = np.random.default_rng(seed)
            deck = special(rows.rules, rng, seed)
            if deck is not None:
                rows.deal_deck(deck, dealer=int(rng.integers(rows.rules.players)))

    return deal


@dataclass(frozen=True)
class Match(Generic[R]):
    """Functions that play a game and its reference together. The game is in row 0 of the rows.

    Attributes:
        game: The game.
        begin: Creates the reference of the game that has just been dealt.
        compare: Asserts that the game and its reference are in the same state.
        count: Counts the branches of the rules that a position of the reference and its next action
            (None: the game is over) reach.
        max_moves: Limit of moves, which only endless games should reach (0: no limit).
        walkers: Choose the actions; successive seeds use them in rotation.
        options: Draws a combination of options for `random_sets`.
        deal: ``deal(rows, seed)`` begins a game.
    """

    game: Game
    begin: Callable[[Rows], R]
    compare: Callable[[Rows, R], None]
    count: Callable[[Counter[str], R, int | None], None]
    max_moves: int = 120
    walkers: Mapping[str, Walker] = field(default_factory=lambda: WALKERS)
    options: Callable[[Game, np.random.Generator], dict[str, object]] = random_options
    deal: Callable[[Rows, int], None] = deal_numbered

    def rows(self, variant: str | None, options: Mapping[str, Any] | None) -> Rows:
        """Return rows with a single row that has these rules."""
        config = StepConfig(reset=Autoreset.DISABLED, max_moves=self.max_moves)
        return Rows(self.game, self.game.make_rules(variant, options), 1, config)

    def play_both(self, rows: Rows, seed: int, hits: Counter[str]) -> None:
        """Play one game in both implementations, and compare them after every action.

        The seed determines the deal, the walker and its random choices. A raised error has a note
        with the rules, the seed and the actions.
        """
        rng, walks = np.random.default_rng(seed), list(self.walkers.values())
        walk = walks[seed % len(walks)]
        self.deal(rows, seed)
        reference, actions = self.begin(rows), []
        try:
            self.compare(rows, reference)
            while not rows.states["over"][0]:
                action = walk(rows, rng)
                actions.append(action)
                self.count(hits, reference, action)
                rows.step(np.array([action]))
                reference.step(action)
                self.compare(rows, reference)
                assert len(actions) < MOST_STEPS, no_end(rows, MOST_STEPS)
            self.count(hits, reference, None)
        except Exception as error:  # The reference rejected an action, or the two differ.
            error.add_note(f"{to_plain(rows.rules)}, seed {seed}, actions {actions}")
            raise

    def games(self, variant: str | None, n: int) -> Counter[str]:
        """Play ``n`` games of a variant; return how often each branch was reached."""
        rows, hits = self.rows(variant, None), Counter[str]()
        for seed in range(n):
            self.play_both(rows, seed, hits)
        return hits

    def games_until(self, branch: str, options: Mapping[str, Any], most: int) -> Counter[str]:
        """Play at most ``most`` games with these options, until a branch is reached."""
        rows, hits = self.rows(None, options), Counter[str]()
        for seed in range(most):
            self.play_both(rows, seed, hits)
            if hits[branch]:
                break
        return hits

    def random_sets(self, first: int, n: int) -> Counter[str]:
        """Play one game with each of ``n`` random combinations of options, from seed ``first``.

        Returns:
            How often each branch was reached.
        """
        hits = Counter[str]()
        for seed in range(first, first + n):
            options = self.options(self.game, np.random.default_rng(seed))
            self.play_both(self.rows(None, options), seed, hits)
        return hits


def few_and_many(game: Game, few: int, many: int) -> list[Any]:
    """Return parameters (variant, number of games): all variants, most of them twice.

    The default variant plays ``many`` games. Every other variant plays ``few``, and ``many`` in
    the slow tests.
    """
    others = [variant for variant in game.variants if variant != game.default]
    return [
        (game.default, many),
        *((variant, few) for variant in others),
        *(slow_if(True, variant, many) for variant in others),
    ]


def legal_now(rows: Rows) -> set[int]:
    """Return the legal actions of row 0; a finished game has none."""
    s = rows.states[0]
    return set() if s["over"] else set(list_actions(s["legal"]))


def names(codes: Any) -> list[str | None]:
    """Return the names of card codes as references use them; None for no card."""
    return [card_name(int(code)) if code else None for code in codes]
