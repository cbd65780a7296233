"""What the contract is tested on: every variant of every game, and walks through their games."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from parlour.envs import GAMES, CardEnv, CardVectorEnv, Game
from parlour.envs.core.batch import DealSource, Over
from parlour.envs.core.kernel.rng import draw_seed
from parlour.envs.core.options import as_record, to_plain
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import random_options
from tests.walkers import MOST_STEPS, WALKERS, no_end


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
        return self.game.make_rules(self.variant, self.options)

    @property
    def is_quick(self) -> bool:
        """Whether it is tested each time: a game's first, last and default variant.

        Of a game that is another one's kernel by other rules only the last. The rest are slow:
        their options are met by random combinations, too, and each variant by the game's reference.
        """
        names = list(self.game.variants)
        first = next(game for game in GAMES.values() if game.kernels is self.game.kernels)
        if first is not self.game:
            return self.variant == names[-1]
        return self.variant in (names[0], names[-1], self.game.default)

    @property
    def players(self) -> int:
        return self.game.num_players(self.rules)

    @property
    def goal(self) -> str:
        return self.game.goal_name(self.rules)

    def env(self, **keywords: Any) -> CardEnv:
        """Make the environment of one player; at a table without ``max_moves``: see `allowed`."""
        return CardEnv(self.game, self.variant, **self.allowed(keywords), **self.options)

    def vec(self, n: int, **keywords: Any) -> CardVectorEnv:
        return CardVectorEnv(self.game, n, self.variant, **self.allowed(keywords), **self.options)

    def allowed(self, keywords: dict[str, Any]) -> dict[str, Any]:
        """Return the keywords that these rules take: a table of several refuses ``max_moves``."""
        several = self.players > 1
        return {
            name: value for name, value in keywords.items() if not several or name != "max_moves"
        }

    @property
    def drawless(self) -> dict[str, Any]:
        """Keywords by which opponents draw nothing: their key is that of the environment's seed."""
        return {"opponents": "greedy"} if self.players > 1 else {}

    def whole(self, **keywords: Any) -> "CardEnv | Whole":
        """The environment of all who play: for one player's game the only one there is."""
        return Whole(self) if self.players > 1 else self.env(**keywords)


def draw_deck(game: Game, rules: Any) -> list[int]:
    """Return a shuffled deck that the rules do not redeal, as card codes."""
    rows = Rows(game, rules, 1)
    rows.deal_numbered("a deck", [0])
    return list(map(int, rows.states["deck"][0, : len(game.pack(rules))]))


def share_keys(env: CardEnv, other: CardEnv) -> None:
    """Let the opponents of one environment draw as those of another, as with equal seeds."""
    if env.game.num_players(env.rules) > 1:
        other.rows.keys[:] = env.rows.keys  # type: ignore[attr-defined]


CASES = [Case(game, variant) for game in GAMES.values() for variant in game.variants]
SEVERAL = [case for case in CASES if case.players > 1]


class Whole:
    """A game for several, all of whose seats are played from here: a `CardEnv` as far as needed."""

    def __init__(self, case: Case) -> None:
        self.rows = Rows(case.game, case.rules, 1)

    @property
    def state(self) -> np.void:
        return self.rows.states[0]

    def reset(self, *, seed: int) -> None:
        self.rows.seed([draw_seed(np.random.default_rng(seed))])
        self.rows.start(DealSource.DRAW)

    def step(self, action: int) -> tuple[None, np.ndarray, bool, bool, dict[str, Any]]:
        self.rows.step(np.array([action]))
        return None, self.rows.buffers.rewards[0].copy(), ended(self), False, {}

    def clone(self) -> np.ndarray:
        return self.rows.states.copy()

    def restore(self, state: np.ndarray) -> None:
        self.rows.restore(state)


def unit_of(case: Case) -> float:
    """In what the rewards of a game for several are counted."""
    return float(case.game.reward_unit(as_record(case.rules)[0]))


def ended(env: CardEnv | Whole) -> bool:
    """Whether a game is over, and its player has been told so."""
    return env.rows.states["over"][0] in (Over.TERMINATED, Over.TRUNCATED)


def random_cases(
    each: int, seed: int = 0, games: Iterable[Game] = GAMES.values()
) -> Iterator[Case]:
    """So many random combinations of options of every game, in turn.

    A game that is for one player or for several gives as many of either.
    """
    rng = np.random.default_rng(seed)
    kinds = [
        (game, several)
        for game in games
        for several in sorted({game.num_players(rules) > 1 for rules in game.variants.values()})
    ]
    for _ in range(each):
        for game, several in kinds:
            yield random_case(game, several, rng)


def random_case(game: Game, several: bool, rng: np.random.Generator) -> Case:
    while True:
        rules = game.make_rules(None, random_options(game, rng))
        if (game.num_players(rules) > 1) == several:
            return Case(game, game.default, to_plain(rules))


def positions(env: CardEnv | Whole, games: int, seed: int, every: int = 1) -> Iterator[int]:
    """Play games by all walkers, each to its end; yield after every so many steps, and at the end.

    What is yielded counts the steps. The env may be played with in between: it is put back.
    """
    rng = np.random.default_rng(seed)
    steps = 0
    for number in range(games):
        env.reset(seed=seed + number)
        walker = list(WALKERS.values())[number % len(WALKERS)]
        over, begun = ended(env), steps
        while not over:
            if steps % every == 0:
                yield from visit(env, steps)
            _, _, terminated, truncated, _ = env.step(walker(env.rows, rng))
            over = terminated or truncated
            steps += 1
            assert steps - begun < MOST_STEPS, no_end(env.rows, MOST_STEPS)
        yield from visit(env, steps)


def visit(env: CardEnv | Whole, steps: int) -> Iterator[int]:
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
        scores = self.game.score_actions(states, self.rules)
        greedy = (self.kind == 2) & (self.rng.random(n) < 0.9)
        chosen = np.where(greedy, np.where(legal, scores, -np.inf).argmax(axis=1), chosen)
        strays = self.rng.random(n) < self.wrong
        return np.where(strays, self.rng.integers(-2, actions + 2, n), chosen)


def check_with_sb3(env: CardEnv, **keywords: Any) -> None:
    """Run Stable-Baselines3's own checker where it is installed (`make test-lowest` has it not)."""
    if find_spec("stable_baselines3"):
        checker = import_module("stable_baselines3.common.env_checker")
        checker.check_env(env, **keywords)
