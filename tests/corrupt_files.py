"""Damage to the bytes of a file: what disks, networks and editors do to it."""

from collections.abc import Iterator

import numpy as np


def damaged(data: bytes, number: int, seed: int = 0) -> Iterator[bytes | None]:
    """Yield ``number`` damaged versions of a file's content; None stands for a deleted file.

    First come a deleted, an empty and a halved file, then single bits that are flipped at places
    drawn by ``seed``, every fourth time with the end cut off.
    """
    yield from (None, b"", data[: len(data) // 2])
    rng = np.random.default_rng(seed)
    for k in range(number - 3):
        made = bytearray(data)
        made[rng.integers(len(made))] ^= 1 << int(rng.integers(8))
        yield bytes(made[: rng.integers(len(made))] if k % 4 == 3 else made)
