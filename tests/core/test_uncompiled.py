"""Kernels by NUMBA_DISABLE_JIT=1: the same games as compiled; views read as compiled code does."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from parlour.envs.core.kernel.jit import View, run_uncompiled, show
from tests.core.trajectories import play_all

ROOT = Path(__file__).parents[2]
RECORD = np.dtype([("small", "i1"), ("deck", "i1", (3,)), ("word", "u8"), ("inner", [("a", "i2")])])


@pytest.mark.slow
def test_games_are_the_same_uncompiled() -> None:
    """Of every game by chance and by the greedy agent, in both environments."""
    command = [sys.executable, "-m", "tests.core.trajectories"]
    given = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=given)
    assert run.returncode == 0 and not run.stderr, run.stderr
    *lines, compiled = run.stdout.splitlines()
    assert compiled == "compiled 0"
    assert lines == play_all()


@pytest.fixture
def states() -> np.ndarray:
    return np.zeros(2, RECORD)


def test_small_integers_are_read_as_ints_that_do_not_overflow(states: np.ndarray) -> None:
    states["small"][0] = 100
    s = View(states)[0]
    assert (s["small"] + s["small"], s.small << 8) == (200, 25600)
    assert type(s["deck"][1]) is int


def test_words_overflow_as_compiled(states: np.ndarray) -> None:
    states["word"] = 2**64 - 1

    def next_word(s: Any) -> Any:
        return s["word"] + np.uint64(3)

    with np.errstate(all="raise"):
        assert run_uncompiled(next_word)(states[0]) == 2


def test_what_is_written_goes_into_the_array(states: np.ndarray) -> None:
    rows = View(states)
    rows[0]["deck"][2] += 5
    rows[0]["inner"]["a"] = -300
    rows[1] = rows[0]
    assert states["deck"].tolist() == [[0, 0, 5]] * 2
    assert states["inner"]["a"].tolist() == [-300, -300]
    assert len(rows) == 2 and np.array_equal(np.asarray(rows[1]["deck"]), [0, 0, 5])


def test_tuples_are_shown_entry_by_entry() -> None:
    class Buffers(NamedTuple):
        rewards: np.ndarray
        limit: int

    shown = show(Buffers(np.zeros(2), 3))
    assert isinstance(shown, Buffers) and isinstance(shown.rewards, View) and shown.limit == 3
    assert show((np.int8(1), np.True_, 0.5)) == (1, True, 0.5)


def test_a_debugger_shows_records_by_their_fields(states: np.ndarray) -> None:
    assert repr(View(states)[0]).startswith("{'small': 0, 'deck': array([0, 0, 0], dtype=int8)")
