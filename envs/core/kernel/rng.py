"""Random numbers: the generator of a game state, and the seeds of agents.

**The generator of a state** is splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
number generators", 2014). Its counter is the state's field ``rng`` (uint64). A deal is therefore a
pure function of its 64-bit seed, and a copied state replays the same game. The top bit of the seed
is cleared for random deals, and set for the deals of a deal set (`cards.deal_seeds`).

**The seeds of agents** derive from a secret key, so they reveal nothing about a deal. If they were
a function of the deal alone, an agent could identify the deal with a table of ten thousand deals.
They are a keyed one-way function instead: SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast
short-input PRF", 2012) of the game's generator, the step, the seat and the seating. Without the
key, the seeds look random. With the key, a game can be repeated.
"""

import secrets
from hashlib import blake2b
from typing import Any

import numpy as np

from ..type_aliases import State, Word
from .jit import jit

# ---- splitmix64 -----------------------------------------------------------------------------

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
WORD_MASK = 2**64 - 1


def plain_finish(word: int) -> int:
    """Compute `finish_word` with Python integers."""
    word = ((word ^ (word >> 30)) * int(MIX_1)) & WORD_MASK
    word = ((word ^ (word >> 27)) * int(MIX_2)) & WORD_MASK
    return word ^ (word >> 31)


def _finish(word: Word) -> Word:
    word = (word ^ (word >> S30)) * MIX_1
    word = (word ^ (word >> S27)) * MIX_2
    return word ^ (word >> S31)


finish_word = jit(twin=plain_finish)(_finish)
"""Returns a well-mixed word (uint64) for a word; the last step of splitmix64."""


def mix64(words: np.ndarray) -> np.ndarray:
    """Return a well-mixed word for each word, uint64."""
    return np.asarray(_finish(words + GAMMA))


# ---- the generator of a state ---------------------------------------------------------------

TRAINING_SEED_MASK = np.uint64(2**63 - 1)
"""Mask that clears the top bit of a seed, which only the deals of deal sets have."""
RULES_SALT = np.uint64(0x52554C4553)
"""Makes the random choice of a new game's rules independent of its deal."""


def _plain_next_word(s: Any) -> int:
    s["rng"] = word = (int(s["rng"]) + int(GAMMA)) & WORD_MASK
    return plain_finish(word)


def _plain_below(s: Any, n: int) -> int:
    return ((_plain_next_word(s) >> 32) * n) >> 32


@jit(twin=_plain_next_word)
def next_random_word(s: State) -> Word:
    """Advance the generator of a state and return 64 random bits (uint64)."""
    word = s["rng"] + GAMMA
    s["rng"] = word
    return finish_word(word)


@jit
def draw_training_seed(s: State) -> None:
    """Draw a training seed from the generator of a state, and restart the generator there."""
    s["rng"] = next_random_word(s) & TRAINING_SEED_MASK


@jit(twin=_plain_below)
def random_below(s: State, n: int) -> int:
    """Return a random integer from 0 to n - 1 from the generator of a state (n <= 2**31)."""
    return np.int64(((next_random_word(s) >> S32) * np.uint64(n)) >> S32)  # type: ignore[return-value]


@jit
def draw_rules(s: State, k: int) -> int:
    """Return the index of one of k rules for the next game of a state.

    The generator is left unchanged, so the deal is the same as in a batch with only these rules.
    """
    if k == 1:
        return 0
    before = s["rng"]
    s["rng"] = before ^ RULES_SALT
    number = random_below(s, k)
    s["rng"] = before
    return number


# ---- secret keys ----------------------------------------------------------------------------

C0, C1, C2, C3 = (
    np.uint64(0x736F6D6570736575),
    np.uint64(0x646F72616E646F6D),
    np.uint64(0x6C7967656E657261),
    np.uint64(0x7465646279746573),
)
LENGTH = np.uint64(16 << 56)
"""Last block of a message of two words: the top byte has the message length, 16 bytes."""
FINAL = np.uint64(0xFF)
S13, S16, S17, S21, S40, S48 = (np.uint64(n) for n in (13, 16, 17, 21, 40, 48))
S43, S47, S51 = (np.uint64(n) for n in (43, 47, 51))


def new_key() -> str:
    """Return a new secret key of 32 hex digits from the operating system's random source."""
    return secrets.token_hex(16)


def derive_key(key: str, *labels: object) -> str:
    """Return a derived key of 32 hex digits that does not reveal ``key``.

    Args:
        key: The secret key, any text.
        *labels: Labels of the purpose. Keys with different labels look independent to everybody who
            does not know ``key``.
    """
    secret = blake2b(key.encode(), digest_size=32).digest()
    message = repr([str(label) for label in labels]).encode()
    return blake2b(message, key=secret, digest_size=16).hexdigest()


def key_words(key: str) -> np.ndarray:
    """Return the two words of a key, uint64 (1, 2), for `turn_seeds`."""
    return np.frombuffer(bytes.fromhex(derive_key(key, "words")), "<u8").astype(np.uint64)[None]


def draw_seed(rng: np.random.Generator) -> int:
    """Draw the seed with which a seeded reset starts the generator of a row."""
    return int(rng.integers(0, 2**63))


def draw_words(rng: np.random.Generator) -> np.ndarray:
    """Draw the two words of a key, uint64 (2,)."""
    return rng.integers(0, WORD_MASK, 2, np.uint64, endpoint=True)


def shuffle_order(key: str, n: int) -> np.ndarray:
    """Return the numbers 0 to n - 1, int64, in an order that the key determines."""
    words = int(derive_key(key, "order"), 16)
    return np.random.default_rng(words).permutation(n)


@jit
def sip_round(v0: Word, v1: Word, v2: Word, v3: Word) -> tuple[Any, Any, Any, Any]:
    """Return the four words (uint64) of the SipHash state after one round."""
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
    """Return SipHash-2-4 (uint64) of a message of two words with a key of two words."""
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
def hash_rows(keys: np.ndarray, first: np.ndarray, second: np.ndarray, hashes: np.ndarray) -> None:
    """Write `sip_hash` of the two words of each row; ``keys`` is (1, 2), or (n, 2) by row."""
    for i in range(len(hashes)):
        k = i if len(keys) > 1 else 0
        hashes[i] = sip_hash(keys[k, 0], keys[k, 1], first[i], second[i])


def turn_seeds(keys: np.ndarray, states: np.ndarray, seatings: np.ndarray | int = 0) -> np.ndarray:
    """Return a seed for the random choices of the agent that acts in each state.

    The seed depends on the key, and on the generator, the step and the seat of the state.

    Args:
        keys: Words of one key, uint64 (1, 2), or of one key per state, uint64 (n, 2).
        states: The states, (n,).
        seatings: Number of the seating, below 2**16; an int or int64 (n,).

    Returns:
        uint64 (n,).
    """
    places = states["steps"].astype(np.uint64) | (states["turn"].astype(np.uint64) << S32)
    places |= np.asarray(seatings).astype(np.uint64) << S40
    seeds = np.empty(len(states), np.uint64)
    hash_rows(keys, np.ascontiguousarray(states["rng"]), places, seeds)
    return seeds
