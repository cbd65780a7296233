"""Damaged versions of a file, as faulty disks, networks and editors cause them."""

from collections.abc import Iterator

import numpy as np


def damaged(data: bytes, number: int, seed: int = 0) -> Iterator[bytes | None]:
    """Yield ``number`` damaged versions of a file's content; None stands for a deleted file.

    The first versions are a deleted, an empty and a halved file. In each of the others, one random
    bit is flipped, and every fourth of them is also shortened. ``seed`` determines the damage.
    """
    yield from (None, b"", data[: len(data) // 2])
    rng = np.random.default_rng(seed)
    for k in range(number - 3):
        made = bytearray(data)
        made[rng.integers(len(made))] ^= 1 << int(rng.integers(8))
        yield bytes(made[: rng.integers(len(made))] if k % 4 == 3 else made)
