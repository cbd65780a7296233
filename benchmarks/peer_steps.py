"""Steps per second of other libraries' card games: random legal play on one core, with autoreset.

Each peer is measured in its own process, so that its threads and imports do not affect the others::

    python -m benchmarks.peer_steps --list
    python -m benchmarks.peer_steps pgx-leduc --json

The time includes the random choice among the legal actions, the step, the observation and the legal
actions of every state in which a player acts, and the deals of new games. It excludes imports,
compilation and a warm-up. A step is an action of a player: chance nodes and resets take time but
are not counted. Every library is called as its documentation shows; where the documentation shows
two ways to the same observation, both are measured.
"""

import argparse
import json
import os
import random
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

Play = Callable[[], int]
"""Continues from the end of the last call; returns the number of steps."""

SINGLE, BATCHED = "single call", "batched"
BATCH = 1024
STEPS = 1_000  # per call of a Play, single
ROUNDS = 100  # per call of a Play, batched: ROUNDS * batch steps
WARM_UP = 0.5  # seconds

ONE_THREAD = {
    "JAX_PLATFORMS": "cpu",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


class Row(NamedTuple):
    """A row of the comparison; ``make(budget)`` returns a Play of about ``budget`` steps."""

    name: str
    kind: str
    batch: int
    packages: tuple[str, ...]
    about: str
    make: Callable[[int], Play]


class Speed(NamedTuple):
    """Steps per second of each repeat."""

    median: float
    low: float
    high: float


def openspiel_list(budget: int) -> Play:
    """OpenSpiel's solitaire with ``state.observation_tensor()``, which makes a list of floats."""
    import pyspiel

    return _openspiel(pyspiel.load_game("solitaire"), lambda s: s.observation_tensor(), budget)


def openspiel_array(budget: int) -> Play:
    """OpenSpiel's solitaire with its observer, which writes the same numbers into one array."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game("solitaire")
    observer = make_observation(game)
    return _openspiel(game, lambda state: observer.set_from(state, 0), budget)


def _openspiel(game: Any, observe: Callable[[Any], object], budget: int) -> Play:
    """In this game all outcomes of a chance node are equally likely: one choice serves both."""
    rng = random.Random(0)
    state = game.new_initial_state()

    def play() -> int:
        nonlocal state
        steps = 0
        while steps < budget:
            if not state.is_chance_node():
                observe(state)
                steps += 1
            state.apply_action(_choice(rng, state.legal_actions()))
            if state.is_terminal():
                state.returns()
                state = game.new_initial_state()
        return steps

    return play


def rlcard_limit_holdem(budget: int) -> Play:
    """RLCard's limit hold'em, two players: a step is an action of either."""
    return _rlcard("limit-holdem", budget)


def rlcard_blackjack(budget: int) -> Play:
    """RLCard's blackjack, one player against the dealer."""
    return _rlcard("blackjack", budget)


def _rlcard(name: str, budget: int) -> Play:
    import rlcard

    rng = random.Random(0)
    env = rlcard.make(name, {"seed": 0})
    state, _ = env.reset()

    def play() -> int:
        nonlocal state
        for _ in range(budget):
            state, _ = env.step(_choice(rng, list(state["legal_actions"])))
            if env.is_over():
                env.get_payoffs()
                state, _ = env.reset()
        return budget

    return play


def pgx_leduc(budget: int) -> Play:
    """Pgx's Leduc hold'em, two players: a step is an action of either."""
    return _pgx("leduc_holdem", budget)


def pgx_kuhn(budget: int) -> Play:
    """Pgx's Kuhn poker, two players: a step is an action of either."""
    return _pgx("kuhn_poker", budget)


def pgx_bridge(budget: int) -> Play:
    """Pgx's bridge bidding, four players, on the hundred solved deals that ship with it."""
    import numpy as np
    from pgx import bridge_bidding

    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "solved.npy"
        np.save(table, np.stack(bridge_bidding._load_sample_hash()))
        return _pgx("bridge_bidding", budget, dds_results_table_path=str(table))


def _pgx(name: str, budget: int, **keywords: Any) -> Play:
    """Run one compiled loop; summing all observations keeps the compiler from skipping any."""
    import jax
    import pgx
    from jax import numpy as jnp
    from pgx.experimental import auto_reset

    if keywords:
        from pgx.bridge_bidding import BridgeBidding

        env: Any = BridgeBidding(**keywords)
    else:
        env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))
    rounds = max(1, budget // BATCH)

    def one(carry: Any, _: None) -> tuple[Any, None]:
        state, key, seen = carry
        key, choice, chance = jax.random.split(key, 3)
        seen += state.observation.sum(dtype=jnp.int32)
        logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
        actions = jax.random.categorical(choice, logits, axis=1)
        return (step(state, actions, jax.random.split(chance, BATCH)), key, seen), None

    @jax.jit
    def run(state: Any, key: Any) -> Any:
        return jax.lax.scan(one, (state, key, jnp.int32(0)), length=rounds)[0]

    key = jax.random.PRNGKey(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, BATCH))

    def play() -> int:
        nonlocal state, key
        state, key, seen = jax.block_until_ready(run(state, key))
        assert int(seen) > 0
        return rounds * BATCH

    return play


def envpool_blackjack(budget: int) -> Play:
    """EnvPool's blackjack. A reset of a row takes one step, which is not counted."""
    import envpool
    import numpy as np

    rng = np.random.default_rng(0)
    env = envpool.make("Blackjack-v1", env_type="gymnasium", num_envs=BATCH, num_threads=1, seed=0)
    env.reset()
    over = np.zeros(BATCH, np.bool_)
    rounds = max(1, budget // BATCH)

    def play() -> int:
        nonlocal over
        steps = 0
        for _ in range(rounds):
            steps += BATCH - int(np.count_nonzero(over))
            _, _, terminated, truncated, _ = env.step(rng.integers(0, 2, BATCH))
            over = terminated | truncated
        return steps

    return play


def gymnasium_blackjack(budget: int) -> Play:
    """Gymnasium's blackjack, as returned by ``gymnasium.make``. Both actions are always legal."""
    import gymnasium

    rng = random.Random(0)
    env = gymnasium.make("Blackjack-v1")
    env.reset(seed=0)

    def play() -> int:
        for _ in range(budget):
            _, _, terminated, truncated, _ = env.step(_choice(rng, (0, 1)))
            if terminated or truncated:
                env.reset()
        return budget

    return play


def _choice(rng: random.Random, legal: Any) -> Any:
    """Choose uniformly; several times as fast as ``rng.choice``."""
    return legal[int(rng.random() * len(legal))]


SOLITAIRE, HOLDEM = "Klondike, at most 150 actions", "limit hold'em, two players"
BLACKJACK = "blackjack, both actions always legal"
PEERS = (
    Row("openspiel-solitaire", SINGLE, 1, ("open_spiel",), SOLITAIRE, openspiel_list),
    Row("openspiel-solitaire-observer", SINGLE, 1, ("open_spiel",), SOLITAIRE, openspiel_array),
    Row("rlcard-limit-holdem", SINGLE, 1, ("rlcard",), HOLDEM, rlcard_limit_holdem),
    Row("rlcard-blackjack", SINGLE, 1, ("rlcard",), BLACKJACK, rlcard_blackjack),
    Row("pgx-leduc", BATCHED, BATCH, ("pgx", "jax"), "Leduc hold'em, two players", pgx_leduc),
    Row("pgx-bridge", BATCHED, BATCH, ("pgx", "jax"), "bridge bidding, four players", pgx_bridge),
    Row("pgx-kuhn", BATCHED, BATCH, ("pgx", "jax"), "Kuhn poker, two players", pgx_kuhn),
    Row("envpool-blackjack", BATCHED, BATCH, ("envpool",), BLACKJACK, envpool_blackjack),
    Row("gymnasium-blackjack", SINGLE, 1, ("gymnasium",), BLACKJACK, gymnasium_blackjack),
)


def one_core() -> None:
    """Pin this process and its later threads to one core. Call this before any import."""
    os.environ.update(ONE_THREAD)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def measure(row: Row, seconds: float = 2.0, repeats: int = 5) -> Speed:
    """Return the steps per second of ``repeats`` intervals of ``seconds``, after a warm-up."""
    play = row.make(ROUNDS * row.batch if row.kind == BATCHED else STEPS)
    play()  # compiles
    rate(play, WARM_UP)
    rates = [rate(play, seconds) for _ in range(repeats)]
    return Speed(median(rates), min(rates), max(rates))


def rate(play: Play, seconds: float) -> float:
    """Return the steps per second of one interval."""
    steps, begun = 0, perf_counter()
    while (spent := perf_counter() - begun) < seconds:
        steps += play()
    return steps / spent


def report(row: Row, seconds: float, repeats: int) -> dict[str, Any]:
    """Return a measurement for JSON, or the reason why it failed."""
    try:
        speed = measure(row, seconds, repeats)
    except ImportError as error:
        return {"name": row.name, "error": f"{row.packages[0]} cannot be imported: {error}"}
    return {
        "name": row.name,
        "kind": row.kind,
        "batch": row.batch,
        "version": ", ".join(f"{package} {metadata.version(package)}" for package in row.packages),
        "steps_per_second": {key: round(value) for key, value in speed._asdict().items()},
        "repeats": repeats,
        "seconds": seconds,
    }


def line(result: dict[str, Any]) -> str:
    """Return a result of `report` as one line of text."""
    if "error" in result:
        return f"{result['name']}: skipped, {result['error']}"
    low, middle, high = (result["steps_per_second"][key] for key in ("low", "median", "high"))
    how = f"{result['kind']}, batch {result['batch']}, {result['version']}"
    return f"{result['name']}: {middle:,} steps/s ({low:,} to {high:,}); {how}"


def run(rows: tuple[Row, ...], module: str, doc: str | None) -> None:
    """Measure the row that the command line names, or list them."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=doc)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    named = {row.name: row for row in rows}
    parser.add_argument(
        "name", nargs="?", choices=named, metavar="NAME", help="row to measure: see --list"
    )
    parser.add_argument("--list", action="store_true", help="list the rows")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="seconds per repeat (default: 2.0)"
    )
    parser.add_argument("--repeats", type=int, default=5, help="number of repeats (default: 5)")
    given = parser.parse_args()
    if given.seconds <= 0 or given.repeats < 1:
        parser.error("--seconds and --repeats must be positive")
    if given.list:
        for row in rows:
            print(f"{row.name:36} {row.kind:13}{row.batch:5}  {row.about}")
    elif given.name is None:
        parser.error("a row is required: --list prints them")
    else:
        one_core()
        result = report(named[given.name], given.seconds, given.repeats)
        print(json.dumps(result) if given.json else line(result))


if __name__ == "__main__":
    run(PEERS, "benchmarks.peer_steps", __doc__)
