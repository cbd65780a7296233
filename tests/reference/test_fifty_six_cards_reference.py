"""The reference Fifty-Six against its rule page: packs, points, seats and the deal."""

import pytest

from tests.reference.fifty_six import Game
from tests.reference.fifty_six_cards import (
    CARDS,
    NUMBERS,
    STRAINS,
    card_action,
    full_pack,
    number_action,
    points,
)
from tests.reference.fifty_six_dealt import SUIT_EACH, can, contract, do, new, trick
from tests.reference.fifty_six_options import VARIANTS, make_options

EIGHT = (
    "7c 7c 7d 7d 7h 7h 7s 7s",
    "8c 8c 8d 8d 8h 8h 8s 8s",
    "Qc Qc Qd Qd Qh Qh Qs Qs",
    "Kc Kc Kd Kd Kh Kh Ks Ks",
    "Tc Tc Td Td Th Th Ts Ts",
    "Ac Ac Ad Ad Ah Ah As As",
    "9c 9c 9d 9d 9h 9h 9s 9s",
    "Jc Jc Jd Jd Jh Jh Js Js",
)


# Points and ranking


def test_points_of_cards() -> None:
    for suit in "cdhs":
        worth = {rank: points([rank + suit]) for rank in "J9ATKQ87"}
        assert worth == {"J": 3, "9": 2, "A": 1, "T": 1, "K": 0, "Q": 0, "8": 0, "7": 0}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_pack_has_56_points(variant: str) -> None:
    options = make_options(variant)
    assert points(full_pack(options.players, options.small_pack, options.six_each)) == 56


def test_ranking_j_9_a_10_k_q_8_7() -> None:
    game = contract("28n", *EIGHT)
    assert can(game) == "7c 7d 7h 7s" and game.seat == 0
    cards = ["7c", "8c", "Qc", "Kc", "Tc", "Ac", "9c", "Jc"]
    for at, card in enumerate(cards):
        do(game, card)
        assert game.tricks[0].best(None) == at, "each is the best so far"
    assert game.tricks[0].winner == 7 and game.points == [0, 7]


def test_ranking_of_trumps_is_the_same() -> None:
    game = contract("28h", *EIGHT)
    for at, card in enumerate(["7h", "8h", "Qh", "Kh", "Th", "Ah", "9h", "Jh"]):
        do(game, card)
        assert game.tricks[0].best("h") == at


def test_of_two_identical_cards_the_first_played_wins() -> None:
    hands = (
        "Jh 9h Jc 9c Jd 9d Js 9s",
        "Ah Th Ac Tc Ad Td As Ts",
        "Jh 9h Jc 9c Jd 9d Js 9s",
        "Ah Th Ac Tc Ad Td As Ts",
    )
    game = do(contract("28n", *hands), "Jh Th Jh Th")
    assert game.tricks[0].winner == 0 and game.seat == 0
    game = do(contract("28h", *hands), "Jh Th Jh Th")
    assert game.tricks[0].winner == 0, "of two trumps too"
    game = do(contract("28n pass 29n", *hands), "9h Ah Jh Th Jc Tc Jc Ac")
    assert [each.winner for each in game.tricks[:2]] == [2, 2], "whichever seat is the first"


# Packs


def test_packs() -> None:
    sizes = {
        (4, True): (32, "TA9J"),
        (4, False): (48, "QKTA9J"),
        (6, True): (48, "QKTA9J"),
        (8, True): (64, "78QKTA9J"),
    }
    for (players, small), (size, ranks) in sizes.items():
        pack = full_pack(players, small)
        assert len(pack) == size
        assert sorted(pack) == sorted(2 * [rank + suit for rank in ranks for suit in "cdhs"])


def test_hands_have_8_cards_or_12_or_6() -> None:
    counts = {variant: {len(hand) for hand in new(variant=variant).hands} for variant in VARIANTS}
    assert counts == {
        "classic": {8},
        "international": {8},
        "four": {8},
        "four-long": {12},
        "eight": {8},
        "hidden": {8},
        "passed-out": {8},
        "eight-short": {6},
        "forms": {8},
    }


# Seats and the deal


def test_deal_of_four_cards_to_each_in_turn() -> None:
    options = make_options()
    deck = full_pack(6, True)
    game = Game(options, deck)
    assert deck[:8] == ["Qc", "Qc", "Kc", "Kc", "Tc", "Tc", "Ac", "Ac"]
    assert game.hands[0] == ["Qc", "Qc", "Kc", "Kc", *deck[24:28]]
    assert game.hands[1] == ["Tc", "Tc", "Ac", "Ac", *deck[28:32]]
    for seat in range(6):
        at = 4 * seat
        assert game.hands[seat] == deck[at : at + 4] + deck[24 + at : 28 + at]


def test_twelve_cards_are_three_rounds_of_four() -> None:
    deck = full_pack(4, False)
    game = Game(make_options("four-long"), deck)
    for seat in range(4):
        at = 4 * seat
        expected = deck[at : at + 4] + deck[16 + at : 20 + at] + deck[32 + at : 36 + at]
        assert game.hands[seat] == expected


def test_the_seat_after_the_dealer_speaks_first_and_gets_the_first_cards() -> None:
    game = new(*SUIT_EACH, variant="four", dealer=1)
    assert game.dealer == 1 and game.first == 2 and game.seat == 2
    assert game.hands[2] == SUIT_EACH[0].split() and game.hands[1] == SUIT_EACH[3].split()
    do(game, "28n pass pass")
    assert game.seat == 1, "the dealer is the last"
    do(game, "pass")
    assert game.seat == 2 and game.bidder == 2


def test_the_last_seat_deals_if_none_is_named() -> None:
    for players in (4, 6, 8):
        game = new(players=players)
        assert game.dealer == players - 1 and game.first == game.seat == 0


def test_sides_alternate() -> None:
    game = contract("28n", variant="eight")
    while not game.over:
        game.step(min(game.legal()))
    rewards = [game.reward(seat) for seat in range(8)]
    assert rewards[0] != 0 and rewards == [rewards[0], -rewards[0]] * 4


@pytest.mark.parametrize("dealer", [-1, 6, "0"])
def test_no_such_dealer(dealer: int) -> None:
    with pytest.raises(ValueError, match=r"dealer=.* allowed are the seats 0 to 5"):
        new(dealer=dealer)


def test_decks_that_are_not_the_pack() -> None:
    pack = full_pack(6, True)
    wrong = [pack[:-1], [*pack, "Jh"], [*pack[1:], "7c"], [*pack[1:], "Js"], [], ["10h", *pack[1:]]]
    for deck in wrong:
        with pytest.raises(ValueError, match=r"allowed are the 48 cards of the pack.*not so:"):
            Game(make_options(), deck)
    with pytest.raises(ValueError, match="32 cards"):
        Game(make_options("four"), pack)
    given = list(pack)
    do(Game(make_options(), given), "28h")
    assert given == pack, "the caller's list stays as it is"


# Actions


def test_numbers_of_the_actions() -> None:
    assert CARDS[:8] == ["7c", "8c", "Qc", "Kc", "Tc", "Ac", "9c", "Jc"]
    assert [CARDS[at] for at in (8, 15, 16, 24, 31)] == ["7d", "Jd", "7h", "7s", "Js"]
    assert card_action("Jh") == 23 and number_action(28) == 32 and number_action(56) == 60
    assert NUMBERS[32] == 28 and NUMBERS[60] == 56 and len(NUMBERS) == 29
    assert STRAINS == {61: "c", 62: "d", 63: "h", 64: "s", 65: "n"}


def test_two_of_a_kind_are_one_action() -> None:
    game = contract("28n", *SUIT_EACH)
    assert game.hands[0].count("Jh") == 2 and can(game) == "Th Ah 9h Jh"
    do(game, "Jh")
    assert game.hands[0].count("Jh") == 1 and trick(game) == ["Jh"]


def test_illegal_actions_are_refused_by_name() -> None:
    game = new(*SUIT_EACH)
    for action in (0, 61, 66, 67, 69, 70, -1):
        with pytest.raises(ValueError, match=f"illegal action {action}: allowed are"):
            game.step(action)
    assert game.calls == [] and game.seat == 0
