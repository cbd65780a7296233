"""What the contract is tested on: every variant of every game, and walks through their games."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from parlour.envs import GAMES, CardEnv, CardVectorEnv, Game
from parlour.envs.core.options import plain
from tests.walkers import WALKERS, random_options


@dataclass(frozen=True)
class Case:
    """A variant of a game, and options that differ from it."""

    game: Game
    variant: str
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.game.name}-{self.variant}" + "".join(
            f"-{option}={value}" for option, value in self.options.items()
        )

    @cached_property
    def rules(self) -> Any:
        return self.game.rules_of(self.variant, self.options)

    def env(self, **keywords: Any) -> CardEnv:
        return CardEnv(self.game, self.variant, **keywords, **self.options)

    def vec(self, n: int, **keywords: Any) -> CardVectorEnv:
        return CardVectorEnv(self.game, n, self.variant, **keywords, **self.options)


CASES = [Case(game, variant) for game in GAMES.values() for variant in game.variants]


def random_cases(n: int, seed: int = 0, games: Iterable[Game] = GAMES.values()) -> Iterator[Case]:
    """Random combinations of options, in turn of every game."""
    rng = np.random.default_rng(seed)
    games = list(games)
    for i in range(n):
        game = games[i % len(games)]
        yield Case(game, game.default, plain(game.rules_of(None, random_options(game, rng))))


def positions(env: CardEnv, games: int, seed: int, every: int = 1) -> Iterator[int]:
    """Play games by all walkers, each to its end; yield after every so many steps, and at the end.

    What is yielded counts the steps. The env may be played with in between: it is put back.
    """
    rng = np.random.default_rng(seed)
    steps = 0
    for number in range(games):
        env.reset(seed=seed + number)
        walker = list(WALKERS.values())[number % len(WALKERS)]
        over = False
        while not over:
            if steps % every == 0:
                yield from visit(env, steps)
            _, _, terminated, truncated, _ = env.step(walker(env.rows, rng))
            over = terminated or truncated
            steps += 1
        yield from visit(env, steps)


def visit(env: CardEnv, steps: int) -> Iterator[int]:
    here = env.clone()
    yield steps
    env.restore(here)


class Crowd:
    """Plays n games at once, row i as walker i % 3 of `tests.walkers`; at times a stray action."""

    def __init__(self, case: Case, n: int, seed: int, wrong: float = 0.0) -> None:
        self.game, self.rules, self.wrong = case.game, case.rules, wrong
        self.rng = np.random.default_rng(seed)
        self.kind = np.arange(n) % 3

    def choose(self, states: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return an action for each row, int64 (n,); ``masks`` is bool or int8 (n, actions)."""
        n, actions = masks.shape
        legal = masks != 0
        cautious = self.rng.random(n) < 0.95
        first = legal & (legal.cumsum(axis=1) <= 3)
        allowed = np.where((self.kind == 1)[:, None] & cautious[:, None], first, legal)
        chosen = (self.rng.random((n, actions)) * allowed).argmax(axis=1)
        scores = self.game.judged(states, self.rules)
        greedy = (self.kind == 2) & (self.rng.random(n) < 0.9)
        chosen = np.where(greedy, np.where(legal, scores, -np.inf).argmax(axis=1), chosen)
        strays = self.rng.random(n) < self.wrong
        return np.where(strays, self.rng.integers(-2, actions + 2, n), chosen)
