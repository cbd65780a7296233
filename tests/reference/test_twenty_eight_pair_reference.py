"""The reference Twenty-Eight against its rule page: the pair, and trumping higher."""

import pytest

from tests.reference.test_twenty_eight_play_reference import NO_CLUBS
from tests.reference.twenty_eight import Game
from tests.reference.twenty_eight_dealt import (
    FOUR_HEARTS,
    bid14,
    can,
    do,
    new,
    new29,
    passed_out,
)

TEN_BEFORE_ACE = (
    "Jh 9h Kh Qh Jc Ac Td 8d",
    "Jd 9d Ad Kd Js 9s As Th",  # no clubs
    "Ah 8h Qd 7d Ks Qs 8s 7s",  # no clubs
    "Kc Qc 8c 7c 9c Tc 7h Ts",
)
LONG_HEARTS = (
    "Jc 9c Ac Tc Kc Qc 8c 7d",
    "Jd 9d Ad Td Kd Qd 8d Th",
    "Jh 9h Ah Kh Qh 8h 7h 7c",
    "Js 9s As Ts Ks Qs 8s 7s",
)
THEIR_PAIR = (
    "Jh 9h Ah Th Jc Ac Td 8d",
    "Jd 9d Ad Kd Js 9s As 7h",
    "Kc Qc 8c 7c Ks Qs 8s 7s",
    "9c Tc Qd 7d Kh Qh 8h Ts",  # king and queen of hearts
)


def own_pair(bid: str = "20", **options: int) -> Game:
    """Seat 0, the bidder, holds the pair and has won the trick in which hearts were shown."""
    game = do(passed_out(do(new29(*FOUR_HEARTS, **options), bid)), "hearts")
    return do(game, "Ac ask 9d 7c Tc")


def their_pair(bid: str = "20", **options: int) -> Game:
    """Seat 3 holds the pair; its partner has won the trick in which hearts were shown, and led."""
    game = do(passed_out(do(new29(*THEIR_PAIR, **options), bid)), "hearts")
    return do(game, "Td Jd ask 7c 7d Ad 7s")


# When it may be shown


def test_king_and_queen_of_trumps_in_one_hand() -> None:
    game = own_pair()
    assert game.seat == 0 and can(game) == "Jc 8d Td Qh Kh 9h Jh show"
    do(game, "show")
    assert game.pair == 0 and game.seat == 0, "and then a card"
    assert can(game) == "Jc 8d Td Qh Kh 9h Jh", "once in a hand"


def test_at_ones_turn_leading_or_not() -> None:
    game = their_pair()
    assert game.seat == 3 and can(game) == "Qd show"
    assert can(do(game, "show")) == "Qd"


def test_one_need_not_show_it_and_may_do_so_later() -> None:
    game = do(their_pair(), "Qd 8d")
    do(game, "Kd 8s")
    assert game.seat == 3 and can(game) == "Tc 9c 8h Qh Kh Ts show"


def test_both_must_still_be_held() -> None:
    game = do(own_pair(), "Kh Th 8c 7h")
    assert game.seat == 1, "the ten takes it"
    do(game, "Js 7s Ts")
    assert game.seat == 0 and can(game) == "Jc 8d Td Qh 9h Jh"


def test_not_before_ones_side_has_won_a_trick_since_the_showing() -> None:
    game = do(passed_out(do(new29(*THEIR_PAIR), "20")), "hearts Td Kd ask 7c")
    assert game.seat == 3 and can(game) == "7d Qd", "not in the trick of the showing"
    do(game, "7d")
    assert game.tricks[0].winner == 0
    do(game, "8d 9d 8c")
    assert can(game) == "Qd", "the others have won it"
    do(game, "Qd Js 7s")
    assert can(game) == "Ts show", "now they have won one"


def test_a_trick_won_before_the_showing_does_not_count() -> None:
    game = do(bid14(*THEIR_PAIR, pair=True), "9h Td Jd 7c 7d Js 7s Ts ask Th")
    assert [trick.winner for trick in game.tricks[:2]] == [1, 0]
    do(game, "Jc 9s Qc")
    assert game.seat == 3 and can(game) == "Tc 9c"


def test_before_they_are_shown_never() -> None:
    game = do(bid14(*FOUR_HEARTS, pair=True), "9h Jc Js 7c Tc")
    assert game.seat == 0 and "show" not in can(game)


def test_at_no_trumps_never() -> None:
    game = do(passed_out(do(new29(*FOUR_HEARTS, no_trumps=True), "20")), "no-trumps")
    do(game, "Ac ask 9d 7c Tc")
    assert game.seat == 0 and game.shown and can(game) == "Jc 8d Td Qh Kh 9h Jh"


def test_without_the_option_never() -> None:
    assert can(own_pair(pair=False)) == "Jc 8d Td Qh Kh 9h Jh"


def test_the_bidders_partner_may_show_it() -> None:
    game = do(new29(*FOUR_HEARTS), "pass pass 20 pass hearts Ac ask 9d 7c Tc")
    assert game.bidder == 2 and can(game).endswith("show")
    assert do(game, "show").counts == 16


# What it does


@pytest.mark.parametrize(
    ("bid", "counts"), [("29", 25), ("20", 16), ("19", 15), ("17", 15), ("15", 15)]
)
def test_the_bid_counts_4_less_for_the_bidders_side_never_below_min_bid(
    bid: str, counts: int
) -> None:
    game = own_pair(bid)
    assert game.counts == int(bid)
    do(game, "show")
    assert game.counts == counts and game.number == int(bid)


@pytest.mark.parametrize(
    ("bid", "counts"), [("15", 19), ("24", 28), ("26", 28), ("28", 28), ("29", 29)]
)
def test_4_more_for_the_others_never_above_28(bid: str, counts: int) -> None:
    assert do(their_pair(bid), "show").counts == counts


@pytest.mark.parametrize(("bid", "counts"), [("18", 18), ("19", 15), ("23", 19)])
def test_bids_below_pair_from_are_not_lowered(bid: str, counts: int) -> None:
    assert do(own_pair(bid, pair_from=19), "show").counts == counts


def test_pair_from_says_nothing_of_raising() -> None:
    assert do(their_pair("16", pair_from=19), "show").counts == 20


# Overtrump


def test_who_cannot_follow_must_beat_the_highest_trump_or_discard() -> None:
    game = do(bid14(*TEN_BEFORE_ACE, overtrump=True), "9h Jc ask Th")
    assert game.seat == 2 and can(game) == "7d Qd Ah 7s 8s Qs Ks", "all but the eight of trumps"
    game = do(bid14(*TEN_BEFORE_ACE), "9h Jc ask Th")
    assert can(game) == "7d Qd 8h Ah 7s 8s Qs Ks"


def test_who_cannot_beat_it_may_play_a_lower_one() -> None:
    game = do(bid14(*NO_CLUBS, overtrump=True), "9h Jc ask Ah")
    assert can(game) == "7d Qd 8h Th 7s 8s Qs Ks"


def test_any_trump_beats_a_trick_without_trumps() -> None:
    game = do(bid14(*TEN_BEFORE_ACE, overtrump=True, asker_trumps=False), "9h Jc ask Js")
    assert can(game) == "7d Qd 8h Ah 7s 8s Qs Ks"


def test_who_holds_nothing_but_trumps_must_beat_it() -> None:
    game = do(new(*LONG_HEARTS, overtrump=True, trump_by="suit"), "14 pass pass pass hearts")
    do(game, "8c 8d 7c 7s Jc ask Th")
    assert game.seat == 2 and can(game) == "Ah 9h Jh"


@pytest.mark.parametrize(("force", "legal"), [("whole", "Ah"), ("later", "8h Ah")])
def test_the_asker_must_beat_what_is_a_trump_by_force(force: str, legal: str) -> None:
    game = do(bid14(*TEN_BEFORE_ACE, overtrump=True, force=force), "9h Jc Th ask")
    assert can(game) == legal


def test_the_asker_who_need_not_trump_may_discard() -> None:
    game = do(
        bid14(*TEN_BEFORE_ACE, overtrump=True, force="whole", asker_trumps=False), "9h Jc Th ask"
    )
    assert can(game) == "7d Qd Ah 7s 8s Qs Ks"


def test_before_trumps_are_shown_nothing_is_to_be_beaten() -> None:
    game = do(bid14(*TEN_BEFORE_ACE, overtrump=True), "9h Jc Th")
    assert can(game) == "7d Qd 8h Ah 7s 8s Qs Ks ask"


def test_who_follows_suit_need_not_beat_anything() -> None:
    game = do(bid14(*FOUR_HEARTS, overtrump=True), "9h Td Jd 7c 7d Th ask 7s")
    assert game.seat == 3 and can(game) == "7h 8h Ah"
    assert can(do(game, "Ah")) == "Qh Kh 9h Jh", "trumps led"
