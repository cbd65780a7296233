"""Restore corrupted state records, in a separate process.

If `restore` rejects a record, the rows must stay unchanged. If it accepts a record, this module
calls all functions that read a state, and plays the game to its end. The process is separate
because an error in a kernel can crash or hang it.
"""

import sys
from collections.abc import Iterator

import numpy as np

from parlour.envs.core.batch import DealSource, StepConfig
from parlour.envs.core.rows import Rows, resample_copies
from parlour.envs.core.scene.scene import ansi
from tests.contract.cases import CASES, Case, random_cases

EXTREMES = (0, 1, -1, 2, 3, 63, 64, 127, -128, 2**15 - 1, -(2**15), 2**31 - 1, -(2**31), 2**62)
MOVES = 60


def leaves(dtype: np.dtype, start: int = 0) -> Iterator[tuple[int, np.dtype]]:
    """Yield the byte offset and the dtype of every number in a record."""
    if dtype.fields is not None:
        for kind, offset, *_ in dtype.fields.values():
            yield from leaves(kind, start + offset)
    elif dtype.shape:
        count = int(np.prod(dtype.shape))
        for place in range(count):
            yield from leaves(dtype.base, start + place * dtype.base.itemsize)
    else:
        yield start, dtype


def corrupt(
    raw: np.ndarray,
    others: np.ndarray,
    numbers: list[tuple[int, np.dtype]],
    rng: np.random.Generator,
) -> None:
    """Change the bytes ``raw`` (bytes,) of one record in one of several random ways."""
    way = rng.integers(6)
    start, kind = numbers[rng.integers(len(numbers))]
    own = raw[start : start + kind.itemsize]
    if way == 0:
        raw[rng.integers(len(raw), size=rng.integers(1, 9))] = rng.integers(256)
    elif way == 1:
        own[:] = np.array([rng.choice(EXTREMES)], np.int64).astype(kind).view(np.uint8)
    elif way == 2:
        more = own.view(kind) + np.array(rng.choice([-1, 1, 4]), np.int8).astype(kind)
        own[:] = more.view(np.uint8)
    elif way == 3:
        one = rng.integers(len(others))
        own[:] = others[one, start : start + kind.itemsize]
    elif way == 4:
        one, size = rng.integers(len(others)), rng.integers(1, 60)
        raw[start : start + size] = others[one, start : start + size]
    elif rng.random() < 0.1:
        raw[:] = rng.integers(0, 256, len(raw))
    else:
        raw[start + rng.integers(kind.itemsize)] ^= 1 << rng.integers(8)


def states_of(case: Case, n: int, seed: int) -> np.ndarray:
    """Return states of random games at random points, some of them at the end."""
    rng = np.random.default_rng(seed)
    rows = Rows(case.game, case.rules, n, StepConfig(reset=2))
    rows.seed(rng.integers(0, 2**63, n, np.uint64))
    rows.start(DealSource.DRAW)
    for number in range(MOVES):
        chosen = (rng.random(rows.buffers.masks.shape) * rows.buffers.masks).argmax(axis=1)
        rows.step(chosen, rng.random(n) < (number + 1) / MOVES)
    return rows.states.copy()


def look_at(case: Case, rows: Rows) -> None:
    """Call all functions that read a state."""
    game, rules = case.game, case.rules
    for seat in range(case.players):
        seen = resample_copies(game, rules, rows.states, 1, seat)
        game.results(seen, rules, np.full(len(seen), seat))
    game.score_actions(rows.states, rules)
    for player in game.rule_agents:
        game.score_actions(rows.states, rules, rule_agent=player)
    ansi(game.layout(rows.states[0], rules))
    game.action_words(rows.states[0], rules)
    game.features.explain(rows.codes[0])
    game.features.onehot(rows.codes)


def play_to_the_end(case: Case, rows: Rows, rng: np.random.Generator) -> None:
    for number in range(10_000):
        if number % 16 == 0:
            look_at(case, rows)
        if rows.states["over"][0]:
            break
        assert rows.buffers.masks[0].any()
        rows.step(np.array([rng.choice(np.flatnonzero(rows.buffers.masks[0]))]))
    else:
        raise AssertionError("the game does not end")
    look_at(case, rows)


def fuzz(case: Case, n: int, seed: int) -> tuple[int, int]:
    """Restore n corrupted records; return how many were accepted and how many rejected."""
    rng = np.random.default_rng(seed)
    states = states_of(case, 40, seed)
    raw = states.view(np.uint8).reshape(len(states), -1)
    numbers = list(leaves(case.game.state))
    limit = 150 if case.players == 1 else 0
    rows = Rows(case.game, case.rules, 1, StepConfig(reset=2, max_moves=limit, max_steps=2 * limit))
    accepted = rejected = 0
    for _ in range(n):
        one = rng.integers(len(states))
        record = states[one : one + 1].copy()
        for _ in range(rng.integers(1, 3)):
            corrupt(record.view(np.uint8), raw, numbers, rng)
        record["moves"] %= 100  # Otherwise many games would be truncated immediately.
        before = rows.states.tobytes(), rows.buffers.masks.tobytes()
        try:
            rows.restore(record)
        except ValueError as error:
            rejected += 1
            assert (rows.states.tobytes(), rows.buffers.masks.tobytes()) == before
            assert "\n" not in str(error) and " must be " in str(error), error
            continue
        accepted += 1
        assert rows.states.tobytes() == record.tobytes()
        play_to_the_end(case, rows, rng)
    return accepted, rejected


def main(game: str, each: int, mixed: int, seed: int) -> None:
    cases = [case for case in CASES if case.game.name == game]
    cases += random_cases(mixed, seed, [case.game for case in cases[:1]])
    for case in cases:
        print(case, *fuzz(case, each, seed), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
