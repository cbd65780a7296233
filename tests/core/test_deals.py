"""Deal banks: the seeds of numbered deals, and what tells two banks apart."""

from hashlib import sha256

import numpy as np
import pytest

from parlour.envs.core.deals import bank_seeds, decks_digest, default_bank

TOP_BIT = 1 << 63


def test_a_seed_is_the_hash_of_bank_and_number_with_the_top_bit() -> None:
    words = [int.from_bytes(sha256(b"mine/%d" % n).digest()[:8], "little") for n in range(9)]
    assert bank_seeds("mine", range(9)).tolist() == [word | TOP_BIT for word in words]


def test_seeds_are_in_the_reserved_half_and_differ() -> None:
    seeds = bank_seeds("some-bank", range(100_000))
    assert seeds.dtype == np.uint64
    assert (seeds >= TOP_BIT).all()
    assert len(np.unique(seeds)) == len(seeds)
    assert 0.49 < np.mean(seeds >> np.uint64(62) & np.uint64(1)) < 0.51


def test_a_number_has_its_seed_whatever_stands_beside_it() -> None:
    seeds = bank_seeds("some-bank", range(10))
    assert np.array_equal(bank_seeds("some-bank", [7, 3]), seeds[[7, 3]])


def test_banks_share_no_deal() -> None:
    one, other = bank_seeds("bank", range(1000)), bank_seeds("bank-1", range(1000))
    assert not np.isin(one, other).any()


def test_numbers_begin_at_0() -> None:
    with pytest.raises(ValueError, match=r"deal -1 of bank 'mine': deals are numbered from 0"):
        bank_seeds("mine", [0, -1])


def test_the_default_bank_has_the_name_of_the_game() -> None:
    assert default_bank("some_game") == "some_game-1"


def test_the_digest_of_decks_is_that_of_their_codes() -> None:
    decks = np.array([[4, 5], [5, 4]])
    assert decks_digest(decks) == sha256(bytes([4, 5, 5, 4])).hexdigest()
    assert decks_digest(decks) != decks_digest(decks[::-1])
