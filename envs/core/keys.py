"""Keys: what agents draw comes from a secret, so that it tells nothing of a deal.

Whoever plays is handed random numbers to draw by. Were they a function of the deal alone, a table
of ten thousand deals would name it. They are a keyed one-way function instead: SipHash-2-4
(Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012) of the game's generator, the step,
the seat and the seating, under a key that no agent knows. Without the key its words look like
chance; with it a game can be repeated.
"""

import secrets
from hashlib import blake2b
from typing import Any

import numpy as np

from .aliases import Word
from .kernel.jit import jit

WORD = 2**64 - 1
C0, C1, C2, C3 = (
    np.uint64(0x736F6D6570736575),
    np.uint64(0x646F72616E646F6D),
    np.uint64(0x6C7967656E657261),
    np.uint64(0x7465646279746573),
)
LENGTH = np.uint64(16 << 56)
"""The last block of a message of two words: its 16 bytes, counted in the top byte."""
FINAL = np.uint64(0xFF)
S13, S16, S17, S21, S32, S40, S48 = (np.uint64(n) for n in (13, 16, 17, 21, 32, 40, 48))
S43, S47, S51 = (np.uint64(n) for n in (43, 47, 51))


def new_key() -> str:
    """Return a fresh secret key: 32 hex digits from the operating system."""
    return secrets.token_hex(16)


def derive_key(key: str, *labels: object) -> str:
    """Return a key of its own for some purpose, 32 hex digits; it does not tell the first one.

    Keys with other labels have nothing to do with each other, as far as anybody can say who does
    not know ``key``, which may be any text.
    """
    secret = blake2b(key.encode(), digest_size=32).digest()
    message = repr([str(label) for label in labels]).encode()
    return blake2b(message, key=secret, digest_size=16).hexdigest()


def key_words(key: str) -> np.ndarray:
    """Return the two words of a key, uint64 (1, 2), as `turn_seeds` takes them."""
    return np.frombuffer(bytes.fromhex(derive_key(key, "words")), "<u8").astype(np.uint64)[None]


def draw_seed(rng: np.random.Generator) -> int:
    """Draw the one 64-bit seed with which a seeded reset starts a row's generator."""
    return int(rng.integers(0, 2**63))


def draw_words(rng: np.random.Generator) -> np.ndarray:
    """Draw the two words of a key, uint64 (2,)."""
    return rng.integers(0, WORD, 2, np.uint64, endpoint=True)


def shuffle_order(key: str, n: int) -> np.ndarray:
    """Return the numbers 0 .. n - 1, int64, in an order that only the key tells."""
    words = int(derive_key(key, "order"), 16)
    return np.random.default_rng(words).permutation(n)


@jit
def sip_round(v0: Word, v1: Word, v2: Word, v3: Word) -> tuple[Any, Any, Any, Any]:
    """Return the four words (uint64) of SipHash's state after one round."""
    v0 += v1
    v1 = ((v1 << S13) | (v1 >> S51)) ^ v0
    v0 = (v0 << S32) | (v0 >> S32)
    v2 += v3
    v3 = ((v3 << S16) | (v3 >> S48)) ^ v2
    v0 += v3
    v3 = ((v3 << S21) | (v3 >> S43)) ^ v0
    v2 += v1
    v1 = ((v1 << S17) | (v1 >> S47)) ^ v2
    v2 = (v2 << S32) | (v2 >> S32)
    return v0, v1, v2, v3


@jit
def sip_hash(k0: Word, k1: Word, first: Any, second: Any) -> Any:
    """Return SipHash-2-4 (uint64) of a message of two words under a key of two."""
    v0, v1, v2, v3 = k0 ^ C0, k1 ^ C1, k0 ^ C2, k1 ^ C3
    for word in (first, second, LENGTH):
        v3 ^= word
        v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
        v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
        v0 ^= word
    v2 ^= FINAL
    for _ in range(4):
        v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@jit
def hash_rows(keys: np.ndarray, first: np.ndarray, second: np.ndarray, found: np.ndarray) -> None:
    """Write `sip_hash` of each row's two words; one key (1, 2) serves all rows, or each has its."""
    for i in range(len(found)):
        k = i if len(keys) > 1 else 0
        found[i] = sip_hash(keys[k, 0], keys[k, 1], first[i], second[i])


def turn_seeds(keys: np.ndarray, states: np.ndarray, seatings: np.ndarray | int = 0) -> np.ndarray:
    """Return a seed for each state, uint64 (n,), for the draws of whoever acts there.

    ``keys`` are the words of one key, uint64 (1, 2), or of one for each state. Another generator,
    step, seat or seating (a number, or int64 (n,), below 2**16) gives another seed.
    """
    places = states["steps"].astype(np.uint64) | (states["turn"].astype(np.uint64) << S32)
    places |= np.asarray(seatings).astype(np.uint64) << S40
    seeds = np.empty(len(states), np.uint64)
    hash_rows(keys, np.ascontiguousarray(states["rng"]), places, seeds)
    return seeds
