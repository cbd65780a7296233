"""Steps per second of Parlour's environments, measured in the same way as the peers.

    python -m benchmarks.parlour_steps --list
    python -m benchmarks.parlour_steps pyramid-classic-kernel-4096 --json

A step is one action. The time includes the random choice among the legal actions, the step, the
autoreset, and the mask and observation of every state. The rows are:

- ``kernel``: the batch kernel with its buffers (`Rows`; in games with several seats, random actions
  are played in all seats);
- ``vector``: `CardVectorEnv` with ``copy=False``, infos included;
- ``single``: the unwrapped `CardEnv`;
- ``seat``: the environment of one seat, whose steps are the decisions of that seat.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peer_steps import BATCHED, SINGLE, Play, Row, run
from parlour.envs import GAMES, make, make_vec
from parlour.envs.core.batch import Autoreset, DealSource, StepConfig
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.legal import count_actions, nth_action
from parlour.envs.core.rows import Rows

PACKAGES = ("parlour", "numba")
SIZES = (1, 64, 1024, 4096)
MULTIPLIER, INCREMENT = np.uint64(6364136223846793005), np.uint64(1442695040888963407)
S31, S33 = np.uint64(31), np.uint64(33)


@jit
def choose(states: Any, words: Any, actions: Any) -> None:
    """Draw a legal action for each state; ``words`` holds the generators' states, uint64 (n,)."""
    for i in range(len(states)):
        legal = states[i]["legal"]
        words[i] = words[i] * MULTIPLIER + INCREMENT
        chance = words[i] >> S33
        actions[i] = nth_action(legal, np.int64((chance * np.uint64(count_actions(legal))) >> S31))


def words_of(n: int) -> np.ndarray:
    """Return the initial states of n generators, uint64 (n,)."""
    return np.random.default_rng(0).integers(0, 2**63, n, np.uint64)


def kernel(game: str, variant: str, encoding: str, n: int, budget: int) -> Play:
    """Make a play of the batch kernel; ``onehot`` also writes one-hot observations."""
    found = GAMES[game]
    rows = Rows(
        found, found.make_rules(variant), n, StepConfig(reset=Autoreset.SAME_STEP, max_moves=500)
    )
    words, actions = words_of(n), np.zeros(n, np.int64)
    rows.seed(words)
    rows.start(DealSource.DRAW)
    flat = np.zeros((n, found.features.columns), np.uint8)

    def play() -> int:
        for _ in range(budget // n):
            choose(rows.states, words, actions)
            rows.step(actions)
            if encoding == "onehot":
                found.features.onehot(rows.codes, flat)
        return budget // n * n

    return play


def vector(game: str, variant: str, encoding: str, n: int, budget: int) -> Play:
    """Make a play of the vector environment."""
    env = make_vec(game, n, variant, encoding=encoding, copy=False, autoreset_mode="same_step")
    env.reset(seed=0)
    words, actions = words_of(n), np.zeros(n, np.int64)

    def play() -> int:
        for _ in range(budget // n):
            choose(env.states, words, actions)
            env.step(actions)
        return budget // n * n

    return play


def single(game: str, variant: str, encoding: str, n: int, budget: int) -> Play:
    """Make a play of the single environment."""
    env = make(game, variant, encoding=encoding)
    env.reset(seed=0)
    words, actions = words_of(1), np.zeros(1, np.int64)

    def play() -> int:
        for _ in range(budget):
            choose(env.rows.states, words, actions)
            _, _, terminated, truncated, _ = env.step(actions[0])
            if terminated or truncated:
                env.reset()
        return budget

    return play


def seat(game: str, variant: str, encoding: str, n: int, budget: int) -> Play:
    """Make a play of one seat, with the default opponents in the other seats."""
    return single(game, variant, encoding, n, budget)


def row(shell: Callable[..., Play], game: str, variant: str, encoding: str, n: int) -> Row:
    """Return a row of the comparison."""
    alone = shell in (single, seat)
    kind = SINGLE if alone else BATCHED
    parts = [game, variant, shell.__name__] + ([] if alone else [str(n)])
    name = "-".join(parts + ([] if encoding == "codes" else [encoding]))
    about = f"{GAMES[game].title} {variant}, {encoding}"
    return Row(name, kind, n, PACKAGES, about, partial(shell, game, variant, encoding, n))


def rows_of(game: str, variant: str) -> list[Row]:
    """Return all rows of one game, in the variant that is compared with the peers."""
    sizes = [(shell, n) for shell in (kernel, vector) for n in SIZES]
    lines = [row(shell, game, variant, "codes", n) for shell, n in sizes]
    lines += [row(shell, game, variant, "onehot", SIZES[-1]) for shell in (kernel, vector)]
    lines += [row(single, game, variant, encoding, 1) for encoding in ("codes", "onehot")]
    others = [other for other in GAMES[game].variants if other != variant]
    return lines + [row(kernel, game, other, "codes", SIZES[-1]) for other in others]


def kernels_of(game: str) -> list[Row]:
    """Return a kernel row for each variant of a game, default first, and a one-hot row."""
    default, variants = GAMES[game].default, list(GAMES[game].variants)
    ordered = sorted(variants, key=lambda variant: variant != default)
    n = SIZES[-1] if GAMES[game].max_players <= 2 else SIZES[-2]  # states of many seats are large
    lines = [row(kernel, game, variant, "codes", n) for variant in ordered]
    several = [v for v in ordered if GAMES[game].num_players(GAMES[game].variants[v]) > 1]
    lines += [row(seat, game, variant, "codes", 1) for variant in several[:1]]
    return [*lines, row(kernel, game, default, "onehot", n)]


OWN = (
    *rows_of("pyramid", "classic"),
    *(line for game in GAMES if game != "pyramid" for line in kernels_of(game)),
)

if __name__ == "__main__":
    run(OWN, "benchmarks.parlour_steps", __doc__)
