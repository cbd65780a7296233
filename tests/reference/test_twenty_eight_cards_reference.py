"""The reference Twenty-Eight against its rule page: cards, points, seats, the deal, actions."""

import pytest

from tests.reference.twenty_eight_cards import CARDS, RANKS, bid_action, full_pack, points
from tests.reference.twenty_eight_dealt import SUIT_EACH, can, do, new, new29, played_out, trumps

# Cards


@pytest.mark.parametrize(
    ("players", "count", "ranks"),
    [(3, 24, "J 9 A T K Q"), (4, 32, "J 9 A T K Q 8 7"), (6, 36, "J 9 A T K Q 8 7 6")],
)
def test_the_pack_and_its_ranking(players: int, count: int, ranks: str) -> None:
    pack = full_pack(players)
    assert len(set(pack)) == len(pack) == count
    for suit in "cdhs":
        assert [card[0] for card in reversed(pack) if card[1] == suit] == ranks.split()
    assert points(pack) == 28


def test_points_of_cards() -> None:
    worth = {rank: points([rank + "h"]) for rank in RANKS}
    assert worth == {"J": 3, "9": 2, "A": 1, "T": 1, "K": 0, "Q": 0, "8": 0, "7": 0, "6": 0}


def test_a_card_beats_those_that_rank_below_it() -> None:
    """Suits split over the seats: each trick shows one step of the ranking."""
    hands = (
        "7c 8c 7d 8d 7h 8h 7s 8s",
        "Tc Kc Td Kd Th Kh Ts Ks",
        "9c Ac 9d Ad 9h Ah 9s As",
        "Jc Qc Jd Qd Jh Qh Js Qs",
    )
    game = trumps(new(*hands), "14", "7c")
    for cards, winner in (("7d Td Ad Jd", 3), ("Qd 8d Kd 9d", 2), ("Ah Qh 8h Kh", 2)):
        do(game, cards)
        assert game.tricks[-2].winner == winner
    do(game, "9h Jh 7h Th")
    assert game.tricks[-2].winner == 3
    do(game, "Qs 8s Ks As")
    assert game.tricks[-2].winner == 2


@pytest.mark.parametrize(("last_trick", "taken"), [(0, [28, 0]), (1, [29, 0])])
def test_the_last_trick_is_worth_last_trick_more(last_trick: int, taken: list[int]) -> None:
    game = played_out(trumps(new(*SUIT_EACH, last_trick=last_trick), "14", "Jc"))
    assert game.points == taken


def test_it_goes_to_the_winner_of_the_last_trick() -> None:
    hands = ("Jc 9c Ac Tc Kc Qc 8c 7d", "7c 9d Ad Td Kd Qd 8d Jd", *SUIT_EACH[2:])
    game = trumps(new29(*hands, ask="may"), "15", "hearts")
    do(game, "Jc 7c 7h 7s Kc 8d 8h 8s Qc Qd Qh Qs 8c Kd Kh Ks Tc Td Th Ts Ac Ad Ah As")
    assert game.points == [3 + 4 + 4, 0]
    do(game, "9c 9d 9h 9s")
    assert game.points == [19, 0]
    assert do(game, "7d Jd Jh Js").points == [19, 10]


# Seats and sides


def test_four_players_in_two_sides_partners_opposite() -> None:
    game = trumps(new(*SUIT_EACH), "14", "Jc")
    assert [game.side(seat) for seat in range(4)] == [0, 1, 0, 1]
    played_out(game)
    assert [game.reward(seat) for seat in range(4)] == [1, -1, 1, -1]


def test_six_players_in_two_sides_of_three_alternating() -> None:
    game = new(players=6)
    assert [game.side(seat) for seat in range(6)] == [0, 1, 0, 1, 0, 1]
    played_out(trumps(game, "16", "6c"))
    assert sum(game.points) == 28 and abs(game.reward(0)) == 1
    assert [game.reward(seat) for seat in range(6)] == [game.reward(0), -game.reward(0)] * 3


def test_three_players_the_bidder_alone_against_the_two_others() -> None:
    hands = ("Jc 9c Ac Tc Kc Qc Ah Th", "Jd 9d Ad Td Kd Qd Kh Qh", "Js 9s As Ts Ks Qs Jh 9h")
    game = trumps(new(*hands, min_bid=12), "12", "Jc")
    assert [game.side(seat) for seat in range(3)] == [0, 1, 2]
    played_out(do(game, "Th Qh Jh Js ask Qc Jd"))
    assert game.points == [24, 0, 4], "the first trick was the jack and the ten of hearts"
    assert [game.reward(seat) for seat in range(3)] == [1, -0.5, -0.5]


# Numbers of seats, dealer, deal


def test_the_last_seat_deals_and_seat_0_speaks_and_leads_first() -> None:
    game = new(*SUIT_EACH)
    assert game.dealer == 3 and game.seat == 0
    trumps(game, "14 15", "Jd")
    assert game.phase == "play" and game.seat == 0 and game.bidder == 1


def test_another_dealer_may_be_set() -> None:
    game = new(*SUIT_EACH, dealer=1)
    assert game.seat == game.first == 2 and game.hands[2] == SUIT_EACH[0].split()[:4]
    do(game, "14 pass")
    assert game.seat == 0 and game.auction.calls[1] == ("auction", 3, "pass")
    trumps(game, "", "Jc")
    assert game.seat == 2 and game.hands[1] == SUIT_EACH[3].split()


def test_four_cards_to_each_seat_one_after_the_other_then_four_more() -> None:
    game = new()
    assert [" ".join(hand) for hand in game.hands] == [
        "7c 8c Qc Kc",
        "Tc Ac 9c Jc",
        "7d 8d Qd Kd",
        "Td Ad 9d Jd",
    ]
    trumps(game, "14", "7c")
    assert [" ".join(hand) for hand in game.hands] == [
        "8c Qc Kc 7h 8h Qh Kh",
        "Tc Ac 9c Jc Th Ah 9h Jh",
        "7d 8d Qd Kd 7s 8s Qs Ks",
        "Td Ad 9d Jd Ts As 9s Js",
    ]


def test_three_players_get_four_and_four() -> None:
    game = new(players=3)
    assert [" ".join(hand) for hand in game.hands] == ["Qc Kc Tc Ac", "9c Jc Qd Kd", "Td Ad 9d Jd"]
    trumps(game, "14", "Qc")
    assert [len(hand) for hand in game.hands] == [7, 8, 8]


def test_six_players_get_six_each_at_once_before_the_auction() -> None:
    game = new(players=6)
    assert game.phase == "auction" and [" ".join(hand) for hand in game.hands] == [
        "6c 7c 8c Qc Kc Tc",
        "Ac 9c Jc 6d 7d 8d",
        "Qd Kd Td Ad 9d Jd",
        "6h 7h 8h Qh Kh Th",
        "Ah 9h Jh 6s 7s 8s",
        "Qs Ks Ts As 9s Js",
    ]
    trumps(game, "16", "6c")
    assert [len(hand) for hand in game.hands] == [5, 6, 6, 6, 6, 6]


# Actions


def test_the_numbers_of_the_actions() -> None:
    assert CARDS[:9] == ["6c", "7c", "8c", "Qc", "Kc", "Tc", "Ac", "9c", "Jc"]
    assert (CARDS[9], CARDS[18], CARDS[35]) == ("6d", "6h", "Js")
    assert (bid_action(12), bid_action(29)) == (36, 53)
    assert new().legal() == set(range(38, 53)), "14 to 28, no pass"
    game = new29(trump_by="suit", seventh=True, no_trumps=True)
    do(game, "15 pass pass pass")
    assert game.legal() == {60, 61, 62, 63, 64, 65, 66}
    assert can(game) == "clubs diamonds hearts spades seventh no-trumps reversed"


def test_an_illegal_action_is_refused() -> None:
    with pytest.raises(ValueError, match="illegal action 54: allowed are"):
        new().step(54)
