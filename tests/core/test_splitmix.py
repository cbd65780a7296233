"""splitmix64: the published numbers, and one finisher in its three forms."""

import numpy as np
import pytest

from parlour.envs.core.kernel.jit import jit, plain_python
from parlour.envs.core.kernel.rng import GAMMA, finish_word, mix64, plain_finish

PUBLISHED = [  # the first words from seed 0
    0xE220A8397B1DCDAF,
    0x6E789E6AA1B965F4,
    0x06C45D188009454F,
    0xF88BB8A8724C81EC,
]
WORDS = np.random.default_rng(0).integers(0, 2**64, 1000, np.uint64)


@jit
def finish_all(words: np.ndarray, found: np.ndarray) -> None:
    for i in range(len(words)):
        found[i] = finish_word(words[i])


def finish_compiled(words: np.ndarray) -> list[int]:
    found = np.zeros_like(words)
    finish_all(words, found)
    return [int(word) for word in found]


def test_the_published_words_come_from_seed_0() -> None:
    counter = np.arange(4, dtype=np.uint64) * GAMMA
    assert mix64(counter).tolist() == PUBLISHED


def test_mix64_is_the_finisher_of_the_next_count() -> None:
    assert mix64(WORDS).tolist() == finish_compiled(WORDS + GAMMA)


def test_the_plain_finisher_is_the_compiled_one() -> None:
    assert [plain_finish(word) for word in WORDS.tolist()] == finish_compiled(WORDS)


def test_plain_python_takes_the_plain_finisher() -> None:
    assert plain_python(finish_word) is plain_finish


def test_mix64_changes_nothing_that_it_is_given() -> None:
    words = WORDS.copy()
    mix64(words)
    assert np.array_equal(words, WORDS)


@pytest.mark.parametrize("bit", [0, 1, 31, 62, 63])
def test_a_bit_that_differs_changes_half_of_a_word(bit: int) -> None:
    changed = mix64(WORDS) ^ mix64(WORDS ^ np.uint64(1 << bit))
    assert 31 < np.bitwise_count(changed).mean() < 33
