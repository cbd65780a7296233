"""The reference Pyramid: the layout and legal removals."""

import itertools
import random
from typing import Any

import pytest

from tests.reference.pyramid import COVERERS, DEAL, PYRAMID, WASTE_TOPS, Pyramid, slot, value
from tests.reference.pyramid_games import DEAD_ROW, PACK, deck_with, play, ranks, removals, tops

# Layout


def test_slots_and_coverers() -> None:
    assert slot(0, 0) == 0 and slot(6, 0) == 21 and slot(6, 6) == 27
    assert COVERERS[0] == [1, 2]
    assert COVERERS[15] == [21, 22] and COVERERS[20] == [26, 27]
    assert all(COVERERS[place] == [] for place in range(21, 28))


def test_layout_in_dealing_order() -> None:
    deck = random.Random(1).sample(PACK, 52)
    known = Pyramid(deck, stock_view="all").known()
    assert known["pyramid"] == deck[:28]
    assert known["extra"] == [None] * 7
    assert known["wastes"] == [[], [], []]
    assert known["stock"] == deck[28:]
    extra = Pyramid(deck, stock_view="all", extra_row=True).known()
    assert extra["extra"] == deck[28:35] and extra["stock"] == deck[35:]


def test_ten_may_be_written_out() -> None:
    deck = ["10" + card[1] if card[0] == "T" else card for card in PACK]
    assert Pyramid(deck).known()["pyramid"] == Pyramid(PACK).known()["pyramid"]


def test_bad_decks() -> None:
    for deck in (PACK[:51], PACK[:51] + PACK[:1], ["1h", *PACK[1:]]):
        with pytest.raises(ValueError, match="pack"):
            Pyramid(deck)


def test_values() -> None:
    assert [value(rank + "h") for rank in "A2TJQK"] == [1, 2, 10, 11, 12, 13]


# Removals and clicks


def test_pair_is_clicked_in_descending_order() -> None:
    game = Pyramid(deck_with(ranks(21, "6799T8K")))
    assert game.legal() == {27, 22, DEAL}
    with pytest.raises(ValueError, match="illegal action 21"):
        game.step(21)
    game.step(22)
    assert game.picked == [22] and game.moves == 0 and game.score == 0
    assert game.legal() == {21}
    assert game.known()["pyramid"][22] is not None
    game.step(21)
    assert game.picked == [] and game.moves == 1 and game.score == 2
    assert game.known()["pyramid"][21:23] == [None, None]


def test_king_goes_alone_in_one_click() -> None:
    game = play(Pyramid(deck_with(ranks(21, "6799T8K"))), 27)
    assert game.moves == 1 and game.score == 1 and game.picked == []


def test_card_is_free_when_its_two_coverers_are_gone() -> None:
    game = Pyramid(deck_with({15: "K", **ranks(21, "67")}))
    assert 15 not in game.legal()
    assert 15 in play(game, 22, 21).legal()


def test_half_clicked_removal_forbids_everything_else() -> None:
    deck = deck_with(ranks(21, "6799T8K"))
    game = play(Pyramid(deck, passes=0, undo=True), DEAL, 22)
    assert game.legal() == {21} and not game.stuck


def test_waste_top_pairs_with_the_pyramid() -> None:
    game = Pyramid(deck_with({**ranks(21, DEAD_ROW), 28: "5"}))
    assert game.legal() == {DEAL}
    assert removals(play(game, DEAL)) == {(35, 21)}


def test_removed_waste_top_uncovers_the_card_below() -> None:
    game = play(Pyramid(deck_with({**ranks(21, DEAD_ROW), **ranks(28, "54K")})), *[DEAL] * 3)
    assert removals(game) == {(35,)}
    game.step(35)
    assert removals(game) == {(35, 22), (35, 23), (35, 24)}
    play(game, 35, 24)
    assert tops(game.known()["wastes"][0]) == "5" and removals(game) == {(35, 21)}


def test_pinned_waste_six_with_the_seven_below_it_may_not() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "76")})
    for many in (False, True):
        game = play(Pyramid(deck, many_sum=many, match_cover=True), DEAL, DEAL)
        assert tops(game.known()["wastes"][0]) == "76"
        assert not any(place in WASTE_TOPS for place in game.legal())
    side_by_side = play(Pyramid(deck, waste_piles=2), DEAL)
    assert removals(side_by_side) == {(36, 35)}


# match_cover, many_sum, covered_kings


def test_match_cover_takes_a_card_with_the_one_it_covers() -> None:
    # slot 10 is covered by 15 and 16; 16 is not gone, so 15 + 10 = 13 must not go
    deck = deck_with({15: "7", 16: "K", 10: "6", **ranks(21, "676TTTT")})
    assert removals(Pyramid(deck)) == {(22, 21), (23, 22)}
    game = Pyramid(deck, match_cover=True)
    assert removals(game) == {(22, 21), (23, 22)}, "15 has a second coverer, 22"
    play(game, 23, 22)
    assert (21, 15) in removals(game) and (15, 10) not in removals(game)
    assert play(game, 21, 15).score == 4
    assert (21, 15) not in removals(play(Pyramid(deck), 23, 22))


def test_match_cover_is_for_pyramid_cards_only() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "76")})
    game = Pyramid(deck, match_cover=True, stock_view="all", stock_play=True)
    assert removals(game) == set()
    assert removals(play(game, DEAL)) == {(38, 35)}


def test_many_sum_takes_three_and_more() -> None:
    deck = deck_with(ranks(21, "A2376TT"))
    assert removals(Pyramid(deck)) == {(25, 24), (26, 23), (27, 23)}
    assert removals(Pyramid(deck, many_sum=True)) == {
        (25, 24),
        (26, 23),
        (27, 23),
        (26, 22, 21),
        (27, 22, 21),
        (24, 23, 22, 21),
    }


def test_many_sum_clicks_can_always_be_completed() -> None:
    game = play(Pyramid(deck_with(ranks(21, "A2376TT")), many_sum=True), 24)
    assert game.legal() == {23}
    assert play(game, 23).legal() == {22}
    play(game, 22, 21)
    assert game.moves == 1 and game.score == 4


def test_pinned_five_and_ace_covering_a_seven() -> None:
    deck = deck_with({15: "7", **ranks(21, "5A999TT")})
    assert (22, 21, 15) in removals(Pyramid(deck, many_sum=True, match_cover=True))
    game = play(Pyramid(deck, many_sum=True, match_cover=True), 22, 21, 15)
    assert game.score == 3 and game.moves == 1
    assert removals(Pyramid(deck, many_sum=True)) == set()
    assert removals(Pyramid(deck, match_cover=True)) == set()


def test_pinned_chain_of_ace_on_five_on_seven() -> None:
    deck = deck_with({10: "7", 15: "5", 16: "K", **ranks(21, "A679999")})
    game = play(Pyramid(deck, many_sum=True, match_cover=True), 23, 22)
    assert (21, 15, 10) not in removals(game), "16 still covers 10"
    play(game, 16)
    assert (21, 15, 10) in removals(game)
    assert play(game, 21, 15, 10).score == 6
    without = play(Pyramid(deck, many_sum=True), 23, 22, 16)
    assert (21, 15, 10) not in removals(without)


def test_covered_kings_are_free_in_the_pyramid() -> None:
    deck = deck_with({0: "K", 4: "K", **ranks(21, DEAD_ROW)})
    assert Pyramid(deck).legal() == {DEAL}
    game = Pyramid(deck, covered_kings=True)
    assert game.legal() == {0, 4, DEAL}
    assert play(game, 4, 0).score == 2


def test_covered_kings_leaves_waste_and_stock_kings_alone() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "KA")})
    game = play(Pyramid(deck, covered_kings=True), DEAL, DEAL)
    assert 35 not in game.legal()


def test_pinned_kings_at_1_and_2_free_slot_0() -> None:
    deck = deck_with({0: "6", 1: "K", 2: "K", **ranks(21, "7999TTT")})
    game = Pyramid(deck, covered_kings=True)
    assert removals(game) == {(1,), (2,)}
    play(game, 2)
    assert removals(game) == {(1,)}
    play(game, 1)
    assert removals(game) == {(21, 0)}
    assert play(game, 21, 0).score == 4


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("cover", [False, True])
def test_removals_are_the_sets_the_page_defines(seed: int, many: bool, cover: bool) -> None:
    """Every set of at most 4 clickable cards, tried against the page's own sentence."""
    rng = random.Random(seed)
    rules: dict[str, Any] = {"many_sum": many, "match_cover": cover, "covered_kings": seed == 1}
    game = Pyramid(rng.sample(PACK, 52), waste_piles=2, extra_row=seed == 2, **rules)
    for _ in range(25):
        if game.legal():
            game.step(rng.choice(sorted(game.legal())))
    while game.picked:
        game.step(min(game.legal()))
    known = game.known()
    wastes = [pile[-1] if pile else None for pile in known["wastes"]]
    table = dict(enumerate([*known["pyramid"], *known["extra"], *wastes]))
    cards = {place: card for place, card in table.items() if card is not None}
    sizes = range(1, 5 if many else 3)
    sets = itertools.chain(*(itertools.combinations(sorted(cards), size) for size in sizes))
    expected = {tuple(sorted(s, reverse=True)) for s in sets if may_go(set(s), cards, rules)}
    assert {clicks for clicks in removals(game) if len(clicks) <= 4} == expected


def may_go(places: set[int], cards: dict[int, str], rules: dict[str, Any]) -> bool:
    """The page's condition for a set of places on which `cards` lie."""
    if sum(value(cards[place]) for place in places) != 13:
        return False
    for place in places & set(PYRAMID):
        king_is_free = rules["covered_kings"] and cards[place][0] == "K"
        in_the_way = {coverer for coverer in COVERERS[place] if coverer in cards}
        if rules["match_cover"]:
            in_the_way -= places
        if in_the_way and not king_is_free:
            return False
    return True
