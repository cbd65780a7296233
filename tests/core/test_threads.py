"""Threads that share the rows of a batch: equal results, errors, copies and the end of the threads.

The tests set the least number of rows in a chunk to 1, so that small batches are divided, too.
"""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest

from parlour.envs import CardVectorEnv, find_game
from parlour.envs.core import threads
from parlour.envs.core.kernel.jit import jit
from parlour.envs.core.threads import ThreadPool, make_pool

ROWS = 37
ACROSS = True, False, True
"""`scale` has one entry per row in its first and third argument."""
GAMES = (
    *("pyramid", "poker_squares", "puss_in_the_corner", "klondike"),
    *("seven_twenty_seven", "twenty_eight", "twenty_nine", "fifty_six"),
)
needs_kernels = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="plain Python uses one thread"
)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MIN_ROWS", 1)
    monkeypatch.setattr(threads, "ALIGNMENT", 1)


class Outputs(NamedTuple):
    squares: np.ndarray
    thread_rows: np.ndarray


@jit
def scale(numbers: np.ndarray, factor: float, outputs: Outputs) -> None:
    """Write factor * numbers, and the number of rows of the chunk; refuse negative numbers."""
    for i in range(len(numbers)):
        if numbers[i] < 0:
            raise ValueError("number must be >= 0")
        outputs.squares[i, 0] = factor * numbers[i]
        outputs.thread_rows[i] = len(numbers)


@jit
def count_signs(numbers: np.ndarray) -> tuple[int, int]:
    """Return how many numbers are positive and how many are negative."""
    positive = negative = 0
    for i in range(len(numbers)):
        positive += numbers[i] > 0
        negative += numbers[i] < 0
    return positive, negative


def run_scale(pool: ThreadPool, numbers: np.ndarray) -> Outputs:
    outputs = Outputs(np.zeros((len(numbers), 2)), np.zeros(len(numbers), np.int64))
    pool.run(scale, (numbers, 3.0, outputs), ACROSS, len(numbers))
    return outputs


def list_workers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "parlour"}


@needs_kernels
def test_chunks_cover_all_rows() -> None:
    pool = ThreadPool(3)
    for rows in (2, 3, ROWS, 1000):
        numbers = np.arange(float(rows))
        outputs = run_scale(pool, numbers)
        assert (outputs.squares[:, 0] == 3 * numbers).all()
        assert (outputs.squares[:, 1] == 0).all()
        assert outputs.thread_rows.max() == max(1, rows // (3 * threads.CHUNKS))
    pool.close()


@needs_kernels
def test_arrays_with_gaps_between_rows() -> None:
    numbers = np.arange(200.0).reshape(100, 2)[:, 1]
    pool = ThreadPool(2)
    assert (run_scale(pool, numbers).squares[:, 0] == 3 * numbers).all()
    pool.close()


def test_sums_over_all_rows() -> None:
    numbers = np.random.default_rng(1).integers(-1, 2, 500)
    pool = ThreadPool(3)
    expected = (numbers > 0).sum(), (numbers < 0).sum()
    for _ in range(100):
        assert pool.run(count_signs, (numbers,), (True,), len(numbers), True) == expected
    pool.close()


@needs_kernels
def test_few_rows_use_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MIN_ROWS", 50)
    assert make_pool(2, 99) is None
    assert make_pool(1, 100) is None
    pool = make_pool(2, 100)
    assert pool is not None
    assert not pool.workers
    assert run_scale(pool, np.ones(100)).thread_rows.tolist() == [50] * 100
    assert len(pool.workers) == 1
    pool.close()


@needs_kernels
def test_errors_reach_the_caller() -> None:
    pool = ThreadPool(3)
    numbers = np.ones(ROWS)
    for row in range(ROWS):  # Whichever thread takes the row.
        numbers[:] = 1
        numbers[row] = -1
        with pytest.raises(ValueError, match=r"^number must be >= 0$"):
            run_scale(pool, numbers)
    numbers[:] = 2
    assert (run_scale(pool, numbers).squares[:, 0] == 6).all()
    pool.close()


@needs_kernels
def test_close_ends_the_threads_and_the_next_run_starts_them() -> None:
    before = list_workers()
    pool = ThreadPool(3)
    for _ in range(3):
        run_scale(pool, np.ones(ROWS))
        assert len(list_workers() - before) == 2
        pool.close()
        assert list_workers() <= before
    pool.close()  # Has no effect.


@needs_kernels
def test_threads_end_with_their_pool() -> None:
    before = list_workers()
    pool = ThreadPool(2)
    run_scale(pool, np.ones(ROWS))
    del pool
    assert list_workers() <= before


@needs_kernels
def test_sleeping_threads_wake_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "SPIN_SECONDS", 0.0)
    threads._count_reads.cache_clear()
    try:
        pool = ThreadPool(2)
        for _ in range(200):
            assert (run_scale(pool, np.ones(ROWS)).squares[:, 0] == 3).all()
        pool.close()
    finally:
        threads._count_reads.cache_clear()


@needs_kernels
def test_copies_have_no_threads() -> None:
    pool = ThreadPool(2)
    run_scale(pool, np.ones(ROWS))
    for other in (pickle.loads(pickle.dumps(pool)), copy.deepcopy(pool)):
        assert other.num_threads == 2
        assert other.workers == []
        run_scale(other, np.ones(ROWS))
        assert other.workers[0] is not pool.workers[0]
        other.close()
    pool.close()


SCRIPT = """
import os, sys
import numpy as np
from parlour.envs import make_vec
from parlour.envs.core import threads
threads.MIN_ROWS = threads.ALIGNMENT = 1
envs = make_vec("pyramid", 8, num_threads=2)
envs.reset(seed=1)
envs.step(np.zeros(8, int))
if sys.argv[1] == "fork":
    child = os.fork()
    envs.step(np.zeros(8, int))  # In both processes.
    if child:
        assert os.waitpid(child, 0)[1] == 0
print(len(envs.rows.pool.workers))
"""


@needs_kernels
@pytest.mark.parametrize("kind", ["exit", "fork"])
def test_open_environments_do_not_block_the_end_of_a_process(kind: str) -> None:
    """A forked process starts threads of its own."""
    if kind == "fork" and not hasattr(os, "fork"):
        pytest.skip("the system has no fork")
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == (["1", "1"] if kind == "fork" else ["1"])


# ---- environments ---------------------------------------------------------------------------


def make_envs(game: str, num_threads: int, **keywords: Any) -> CardVectorEnv:
    return CardVectorEnv(find_game(game), ROWS, num_threads=num_threads, **keywords)


def assert_equal(a: Any, b: Any) -> None:
    """Compare results of steps: arrays by type and bits, dictionaries and tuples by entries."""
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for name in a:
            assert_equal(a[name], b[name])
    elif isinstance(a, tuple | list):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            assert_equal(one, other)
    elif isinstance(a, np.ndarray) and a.dtype == object:
        assert_equal(a.tolist(), b.tolist())
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    else:
        assert a == b


def play_equally(game: str, steps: int, **keywords: Any) -> None:
    """Play the same random actions with 1, 2 and 3 threads, and compare everything."""
    batches = [make_envs(game, k, **keywords) for k in (1, 2, 3)]
    results: list[Any] = [envs.reset(seed=5) for envs in batches]
    rng = np.random.default_rng(7)
    for _ in range(steps):
        for envs, result in zip(batches[1:], results[1:], strict=True):
            assert_equal(result, results[0])
            assert envs.states.tobytes() == batches[0].states.tobytes()
        actions = rng.integers(0, find_game(game).actions, ROWS)
        legal = [rng.choice(np.flatnonzero(mask)) for mask in results[0][-1]["action_mask"]]
        actions = np.where(rng.random(ROWS) < 0.9, legal, actions)
        mask = results[0][2] | results[0][3] if len(results[0]) == 5 else np.zeros(ROWS, bool)
        if keywords.get("autoreset_mode") == "disabled" and mask.any():
            results = [envs.reset(options={"reset_mask": mask}) for envs in batches]
        else:
            results = [envs.step(actions) for envs in batches]
    for envs, k in zip(batches, (1, 2, 3), strict=True):
        pool = envs.rows.pool
        assert k == 1 if pool is None else len(pool.workers) == k - 1
        envs.close()


MODES = ("next_step", "same_step", "disabled")


@needs_kernels
@pytest.mark.parametrize(
    ("game", "mode"),
    [
        ("pyramid", "next_step"),
        ("seven_twenty_seven", "same_step"),
        *(pytest.param(game, mode, marks=pytest.mark.slow) for game in GAMES for mode in MODES),
    ],
)
def test_the_number_of_threads_does_not_change_results(game: str, mode: str) -> None:
    play_equally(game, 200, autoreset_mode=mode, illegal="random")


@needs_kernels
@pytest.mark.slow
@pytest.mark.parametrize("opponents", ["uniform", "first"])
def test_opponents_are_equal(opponents: str) -> None:
    """Agents that are not baselines play between calls of the threads."""

    class FirstAgent:
        def act(self, turn: Any) -> np.ndarray:
            return np.asarray(turn.masks.argmax(axis=1))

    agent = FirstAgent() if opponents == "first" else opponents
    for game in ("seven_twenty_seven", "twenty_eight"):
        play_equally(game, 150, opponents=agent, autoreset_mode="next_step", encoding="codes")


@needs_kernels
@pytest.mark.slow
def test_options_of_environments_are_equal() -> None:
    play_equally("pyramid", 200, variants="all", skip_forced=True, max_episode_steps=9)
    play_equally("klondike", 100, illegal="penalty", max_episode_steps=30, copy=False)


@needs_kernels
def test_environments_are_copied_and_closed() -> None:
    before = list_workers()
    envs = make_envs("pyramid", 2)
    envs.reset(seed=3)
    other = pickle.loads(pickle.dumps(envs))
    for _ in range(50):
        actions = envs.action_masks().argmax(axis=1)
        assert_equal(other.step(actions), envs.step(actions))
    assert len(list_workers() - before) == 2
    for one in (envs, other):
        one.close()
    assert list_workers() <= before


@pytest.mark.parametrize("value", [0, -1, 1.5, "2", 1025, None])
def test_num_threads_is_checked(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^num_threads must be an integer from 1 to 1024, got "):
        make_envs("pyramid", value)
