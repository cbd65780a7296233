"""Cards by name and code, decks that are refused, and the generator in a state."""

from collections import Counter
from hashlib import sha256
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from parlour.envs.core.kernel.cards import (
    FIRST_CARD,
    PACK_SIZE,
    SUIT_SIGNS,
    SUITS,
    WHITE_SUIT_SIGNS,
    card_name,
    deal_seeds,
    decks_digest,
    default_deal_set,
    full_pack,
    parse_card,
    parse_deck,
    shuffle,
    shuffle_pack,
    split_cards,
)
from parlour.envs.core.kernel.jit import plain_python
from parlour.envs.core.kernel.rng import next_random_word, random_below
from tests.core.test_rng import PUBLISHED

next_plain, below_plain = plain_python(next_random_word), plain_python(random_below)


def state(seed: int = 0) -> dict[str, Any]:
    return {"rng": seed}


def record(seed: int = 0) -> np.void:
    return np.array([(seed,)], [("rng", np.uint64)])[0]


@pytest.mark.parametrize(
    ("code", "name"), [(4, "Ac"), (5, "Ad"), (42, "Th"), (55, "Ks"), (0, "--")]
)
def test_a_code_is_value_times_four_and_suit(code: int, name: str) -> None:
    assert card_name(code) == name


def test_names_of_all_cards_are_read_back() -> None:
    assert [parse_card(card_name(code)) for code in full_pack()] == list(full_pack())


@pytest.mark.parametrize("text", ["Th", "th", "TH", "10h", " 10H "])
def test_a_ten_may_be_written_in_any_way(text: str) -> None:
    assert parse_card(text) == 42


WAYS = {
    "as printed": "T♥ 10♣ A♠ 9♦",
    "emoji": "T♥️ 10♣️ A♠️ 9♦\ufe0e",
    "white": "T♡ T♧ A♤ 9♢",
    "brackets of a board": "[T♥] T♣ [A♠] 9♦",
    "lower case": "th 10c as 9d",
    "upper case": "TH 10C AS 9D",
    "commas": "Th,Tc, As ,9d",
    "bars": "Th | Tc|As|9d",
    "semicolons": "Th;Tc; As;9d;",
    "lines": "Th\n\nTc\r\nAs\n9d\n",
    "other blanks": "\u00a0Th\tTc\u2009As\u30009d",
    "byte order mark": "\ufeffTh Tc As 9d",
}
"""One hand as people and programs write it."""


@pytest.mark.parametrize("text", WAYS.values(), ids=WAYS)
def test_cards_are_read_however_they_are_written(text: str) -> None:
    hand = [42, 40, 7, 37]
    assert [parse_card(card) for card in split_cards(text)] == hand
    assert parse_deck(text, hand).tolist() == hand
    assert parse_deck(split_cards(text), hand).tolist() == hand


@pytest.mark.parametrize("suits", [SUITS, SUITS.upper(), SUIT_SIGNS, WHITE_SUIT_SIGNS])
def test_every_suit_is_read_in_every_script(suits: str) -> None:
    assert [parse_card(f"K{suit}") for suit in suits] == [52, 53, 54, 55]


@pytest.mark.parametrize("text", ["", "T", "1h", "Tx", "hT", "Thh", "100h", "T♥♥", "♥", "\ufe0f"])
def test_invalid_cards_are_named(text: str) -> None:
    with pytest.raises(ValueError, match=f"card must be a rank of .*, got '{text}'"):
        parse_card(text)


def test_a_full_pack_has_each_card_once() -> None:
    assert full_pack() == tuple(range(FIRST_CARD, FIRST_CARD + PACK_SIZE))
    assert len({card_name(code) for code in full_pack()}) == 52


@pytest.mark.parametrize("deck", ["Ac 2c 3c", "Ac,2c, 3c", ["Ac", 8, "3c"], np.array([4, 8, 12])])
def test_a_deck_may_be_names_or_codes(deck: Any) -> None:
    result = parse_deck(deck, (4, 8, 12))
    assert (result.tolist(), result.dtype) == ([4, 8, 12], np.int8)


def test_a_deck_keeps_its_order() -> None:
    assert parse_deck("3c Ac 2c", (4, 8, 12)).tolist() == [12, 4, 8]


@pytest.mark.parametrize(
    ("deck", "output"),
    [
        ("Ac Ac 3c", "deck: card 2: Ac is in the deck twice"),
        ("Ac 5d 3c", "deck: card 2: 21 is not a card of the game"),
        ("Ac", "deck must have all 3 cards, got 1; missing: 2c 3c"),
        ("Ac ?? 3c", "deck must have 3 known cards, got 2 known and 1 unknown"),
        ("Ac -- --", "deck must have 3 known cards, got 1 known and 2 unknown"),
        ("Ac <??> xx", "deck must have 3 known cards, got 1 known and 2 unknown"),
        ("Ac ▒▒ ##", "deck must have 3 known cards, got 1 known and 2 unknown"),
        ([4, 0, None], "deck must have 3 known cards, got 1 known and 2 unknown"),
        ("Ac 2c 3c Ac", "deck: card 4: Ac is in the deck twice"),
        (5, "deck must be a text of card names, or a list .*, got 5"),
        ([4.0], "deck must be a text of card names, or a list .*, got "),
    ],
)
def test_the_error_for_an_invalid_deck_names_the_first_fault(deck: Any, output: str) -> None:
    with pytest.raises(ValueError, match=output):
        parse_deck(deck, (4, 8, 12))


def test_without_a_pack_a_deck_has_52_cards() -> None:
    assert len(parse_deck(full_pack())) == 52
    with pytest.raises(ValueError, match="all 52 cards, got 51; missing: Ks"):
        parse_deck(full_pack()[:-1])


def test_the_generator_is_splitmix64() -> None:
    s = state(0)
    assert [next_plain(s) for _ in PUBLISHED] == PUBLISHED


def test_the_compiled_generator_is_the_plain_one() -> None:
    compiled, plain = record(2**64 - 3), state(2**64 - 3)
    for n in (1, 2, 6, 52, 1000, 2**31):
        assert int(next_random_word(compiled)) == next_plain(plain)
        assert random_below(compiled, n) == below_plain(plain, n)
    assert int(compiled["rng"]) == plain["rng"]


def test_random_below_scales_the_upper_half_of_a_word() -> None:
    assert [below_plain(state(0), n) for n in (1, 10, 52)] == [
        PUBLISHED[0] * n >> 64 for n in (1, 10, 52)
    ]


def test_random_below_meets_every_number_below_and_no_other() -> None:
    s = state(1)
    assert {below_plain(s, 7) for _ in range(500)} == set(range(7))


def test_a_shuffle_stays_between_its_bounds() -> None:
    deck = list(range(9))
    plain_python(shuffle)(state(3), deck, 2, 7)
    assert deck[:2] + deck[7:] == [0, 1, 7, 8]
    assert sorted(deck[2:7]) == [2, 3, 4, 5, 6] != deck[2:7]


def test_a_shuffle_makes_every_order_equally_often() -> None:
    s, counts = state(4), Counter[tuple[int, ...]]()
    for _ in range(6000):
        deck = [0, 1, 2, 3]
        plain_python(shuffle)(s, deck, 1, 4)
        counts[tuple(deck)] += 1
    assert set(counts) == {(0, *order) for order in permutations((1, 2, 3))}
    assert all(850 < count < 1150 for count in counts.values())


def test_a_shuffled_pack_is_whole_and_in_another_order() -> None:
    deck = [0] * PACK_SIZE
    plain_python(shuffle_pack)(state(5), deck)
    assert sorted(deck) == list(full_pack()) != deck


# ---- numbered deals -------------------------------------------------------------------------


TOP_BIT = 1 << 63


def test_a_seed_is_the_hash_of_deal_set_and_number_with_the_top_bit() -> None:
    words = [int.from_bytes(sha256(b"mine/%d" % n).digest()[:8], "little") for n in range(9)]
    assert deal_seeds("mine", range(9)).tolist() == [word | TOP_BIT for word in words]


def test_seeds_are_in_the_reserved_half_and_differ() -> None:
    seeds = deal_seeds("some-set", range(100_000))
    assert seeds.dtype == np.uint64
    assert (seeds >= TOP_BIT).all()
    assert len(np.unique(seeds)) == len(seeds)
    assert 0.49 < np.mean(seeds >> np.uint64(62) & np.uint64(1)) < 0.51


def test_a_number_has_its_seed_whatever_stands_beside_it() -> None:
    seeds = deal_seeds("some-set", range(10))
    assert np.array_equal(deal_seeds("some-set", [7, 3]), seeds[[7, 3]])


def test_deal_sets_share_no_deal() -> None:
    one, other = deal_seeds("pyramid", range(1000)), deal_seeds("pyramid-1", range(1000))
    assert not np.isin(one, other).any()


def test_deal_numbers_start_at_0() -> None:
    with pytest.raises(ValueError, match=r"deal must be an integer >= 0, got -1 "):
        deal_seeds("mine", [0, -1])


def test_the_default_deal_set_has_the_name_of_the_game() -> None:
    assert default_deal_set("some_game") == "some_game-1"


def test_the_digest_of_decks_is_that_of_their_codes() -> None:
    decks = np.array([[4, 5], [5, 4]])
    assert decks_digest(decks) == sha256(bytes([4, 5, 5, 4])).hexdigest()
    assert decks_digest(decks) != decks_digest(decks[::-1])
