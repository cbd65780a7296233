"""splitmix64: the published numbers, and one finisher in its three forms."""

import numpy as np
import pytest

from parlour.envs.core.batch import make_state_head
from parlour.envs.core.kernel import rng as splitmix
from parlour.envs.core.kernel.jit import jit, plain_python
from parlour.envs.core.kernel.rng import (
    GAMMA,
    derive_key,
    finish_word,
    key_words,
    mix64,
    plain_finish,
    turn_seeds,
)

PUBLISHED = [  # the first words from seed 0
    0xE220A8397B1DCDAF,
    0x6E789E6AA1B965F4,
    0x06C45D188009454F,
    0xF88BB8A8724C81EC,
]
WORDS = np.random.default_rng(0).integers(0, 2**64, 1000, np.uint64)


@jit
def finish_all(words: np.ndarray, result: np.ndarray) -> None:
    for i in range(len(words)):
        result[i] = finish_word(words[i])


def finish_compiled(words: np.ndarray) -> list[int]:
    result = np.zeros_like(words)
    finish_all(words, result)
    return [int(word) for word in result]


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


# ---- secret keys ----------------------------------------------------------------------------


KEY_WORDS = key_words("k")


def states(n: int = 1, **fields: int) -> np.ndarray:
    made = np.zeros(n, np.dtype(make_state_head(1)))
    for name, value in fields.items():
        made[name] = value
    return made


def test_the_words_are_those_of_siphash() -> None:
    """The published test vector of a message of 16 bytes."""
    one, two = np.frombuffer(bytes(range(16)), "<u8").astype(np.uint64)
    assert int(splitmix.sip_hash(one, two, one, two)) == 0x3F2ACC7F57C29BDB


def test_one_key_serves_all_rows_or_each_has_its_own() -> None:
    rows = states(3, rng=7)
    other = key_words("other")
    one, two = turn_seeds(KEY_WORDS, rows), turn_seeds(other, rows)
    mixed = turn_seeds(np.concatenate([KEY_WORDS, other, KEY_WORDS]), rows)
    assert mixed.tolist() == [one[0], two[1], one[2]]


@pytest.mark.parametrize("field", ["rng", "steps", "turn"])
def test_another_generator_step_or_seat_gives_another_seed(field: str) -> None:
    rows = states(8)
    rows[field] = np.arange(8)
    assert len(set(turn_seeds(KEY_WORDS, rows).tolist())) == 8


def test_another_seating_gives_another_seed() -> None:
    assert len(set(turn_seeds(KEY_WORDS, states(8), np.arange(8)).tolist())) == 8


def test_step_seat_and_seating_are_not_mixed_up() -> None:
    one = turn_seeds(KEY_WORDS, states(steps=1, turn=2), 3)
    for steps, turn, seating in ((1, 3, 2), (2, 1, 3), (3, 2, 1)):
        assert turn_seeds(KEY_WORDS, states(steps=steps, turn=turn), seating) != one


@pytest.mark.parametrize("field", ["score", "legal", "illegal", "moves"])
def test_nothing_else_of_a_state_changes_its_seed(field: str) -> None:
    assert turn_seeds(KEY_WORDS, states(**{field: 1})) == turn_seeds(KEY_WORDS, states())


def test_a_seed_does_not_depend_on_its_neighbours() -> None:
    rows = states(4)
    rows["rng"] = np.arange(4)
    assert np.array_equal(turn_seeds(KEY_WORDS, rows[::2]), turn_seeds(KEY_WORDS, rows)[::2])


def test_new_keys_are_32_hex_digits_and_differ() -> None:
    made = {splitmix.new_key() for _ in range(20)}
    assert len(made) == 20
    assert {len(bytes.fromhex(key)) for key in made} == {16}


def test_a_derived_key_is_the_same_for_the_same_labels() -> None:
    assert derive_key("k", "a", 1) == derive_key("k", "a", "1")
    assert len(bytes.fromhex(derive_key("k"))) == 16


def test_another_key_derives_another() -> None:
    assert derive_key("k", "a") != derive_key("l", "a")


def test_names_cannot_be_made_to_share_a_key() -> None:
    labels = [("a", "b"), ("a\0b",), ("a', 'b",), ("['a', 'b']",), ("ab",), ("a", "b", "")]
    assert len({derive_key("k", *some) for some in labels}) == len(labels)


def test_the_words_of_a_key_are_those_of_its_own_label() -> None:
    assert (KEY_WORDS.shape, KEY_WORDS.dtype) == ((1, 2), np.uint64)
    assert KEY_WORDS.astype("<u8").tobytes().hex() == derive_key("k", "words")


def test_a_drawn_seed_leaves_the_top_bit_clear() -> None:
    rng = np.random.default_rng(0)
    assert all(0 <= splitmix.draw_seed(rng) < 2**63 for _ in range(100))


def test_drawn_words_use_all_bits() -> None:
    rng = np.random.default_rng(0)
    drawn = np.concatenate([splitmix.draw_words(rng) for _ in range(100)])
    assert drawn.dtype == np.uint64
    assert np.bitwise_or.reduce(drawn) == splitmix.WORD_MASK


def test_an_order_has_each_number_once_and_only_the_key_tells_it() -> None:
    order = splitmix.shuffle_order("k", 50)
    assert sorted(order.tolist()) == list(range(50))
    assert order.tolist() == splitmix.shuffle_order("k", 50).tolist()
    assert order.tolist() != splitmix.shuffle_order("l", 50).tolist()
