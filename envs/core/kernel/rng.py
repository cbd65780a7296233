"""splitmix64: its constants and its finisher, which every hash and generator here ends with.

Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
"""

import numpy as np

from ..aliases import Word
from .jit import jit

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
S27, S30, S31 = np.uint64(27), np.uint64(30), np.uint64(31)
WORD_MASK = 2**64 - 1


def plain_finish(word: int) -> int:
    """Do what `finish_word` does with Python's integers, of 64 bits."""
    word = ((word ^ (word >> 30)) * int(MIX_1)) & WORD_MASK
    word = ((word ^ (word >> 27)) * int(MIX_2)) & WORD_MASK
    return word ^ (word >> 31)


def _finish(word: Word) -> Word:
    word = (word ^ (word >> S30)) * MIX_1
    word = (word ^ (word >> S27)) * MIX_2
    return word ^ (word >> S31)


finish_word = jit(twin=plain_finish)(_finish)
"""Returns a well-mixed word (uint64) for a word."""


def mix64(words: np.ndarray) -> np.ndarray:
    """Return well-mixed words, uint64, each of one word alone."""
    return np.asarray(_finish(words + GAMMA))
