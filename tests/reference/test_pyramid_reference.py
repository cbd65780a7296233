"""The reference Pyramid against the facts the rule page pins, option by option."""

import copy
import itertools
import random
from typing import Any

import pytest

from tests.reference.pyramid import (
    COVERERS,
    DEAL,
    PYRAMID,
    RANKS,
    REDEAL,
    STOCK_TOP,
    SUITS,
    UNDO,
    WASTE_TOPS,
    Pyramid,
    refused,
    slot,
    value,
)

PACK = [rank + suit for rank in RANKS for suit in SUITS]


def deck_with(placed: dict[int, str]) -> list[str]:
    """A deck with ranks at deck positions, e.g. {21: "5"}; the rest in pack order, aces first."""
    left = list(PACK)
    deck: list[str | None] = [None] * 52
    for position, rank in placed.items():
        card = next(card for card in left if card[0] == rank)
        left.remove(card)
        deck[position] = card
    return [card if card is not None else left.pop(0) for card in deck]


def ranks(first: int, text: str) -> dict[int, str]:
    """{first: text[0], first + 1: text[1], ...}"""
    return {first + at: rank for at, rank in enumerate(text)}


def play(game: Pyramid, *actions: int) -> Pyramid:
    """The game after these actions."""
    for action in actions:
        game.step(action)
    return game


def tops(cards: list[str]) -> str:
    """The ranks of these cards as one word."""
    return "".join(card[0] for card in cards)


def removals(game: Pyramid) -> set[tuple[int, ...]]:
    """All removals that clicks can make from here, found by clicking through copies."""
    found = set()
    for place in game.legal() - {DEAL, REDEAL, UNDO}:
        after = play(copy.deepcopy(game), place)
        found |= removals(after) if after.picked else {(*game.picked, place)}
    return found


# No two of these, and none of them alone, total 13: nothing is free to go at the start.
DEAD_ROW = "8999TTT"


def no_removal_at_all() -> list[str]:
    """A deck in which no removal is ever legal (one pile): all aces, twos, kings are covered."""
    return deck_with({**ranks(0, "KKKK"), **ranks(21, "QQQQJJJ")})


def six_for_one_seven() -> list[str]:
    """A deck whose only legal removals are a waste six (first: the third card) with slot 21."""
    covered = ranks(0, "AAAA2222KKKK777")
    return deck_with({**covered, **ranks(21, "7QQQQJJ"), 30: "6"})


def paired_pyramid() -> dict[int, str]:
    """Slots 27 and 26, 25 and 24, ... 1 and 0 total 13 each, and there is no king."""
    pairs = ["AQ"] * 3 + ["2J"] * 3 + ["3T"] * 3 + ["49"] * 3 + ["58"] * 2
    return {27 - at: rank for at, rank in enumerate("".join(pairs))}


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
    for one in ("many_sum", "match_cover"):
        assert removals(Pyramid(deck, **{one: True})) == set()


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


# DEAL and REDEAL


def test_deal_fills_the_piles_from_the_first() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    game = play(Pyramid(deck, waste_piles=3, extra_row=True), DEAL)
    assert game.moves == 1
    assert game.known()["wastes"] == [[deck[35]], [deck[36]], [deck[37]]]
    play(game, *[DEAL] * 5)
    assert DEAL not in game.legal(), "17 cards: the sixth deal turned two"
    assert [len(pile) for pile in game.known()["wastes"]] == [6, 6, 5]
    assert game.moves == 6


def test_passes_1_has_no_redeal_and_a_blocked_game_is_lost() -> None:
    game = play(Pyramid(no_removal_at_all()), *[DEAL] * 24)
    assert game.lost and not game.won and not game.truncated
    assert game.legal() == set() and game.moves == 24
    with pytest.raises(ValueError, match="illegal"):
        game.step(DEAL)


def deal_out(game: Pyramid) -> Pyramid:
    """Deal until the stock is empty."""
    while DEAL in game.legal():
        game.step(DEAL)
    return game


def test_redeal_turns_the_waste_over() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    game = deal_out(Pyramid(deck, passes=2))
    assert REDEAL in game.legal() and game.passes_used == 1
    moves = game.moves
    play(game, REDEAL)
    assert game.passes_used == 2 and game.moves == moves + 1
    assert game.known()["stock"] == deck[28:]
    assert game.known()["wastes"] == [[], [], []]
    assert REDEAL not in deal_out(game).legal()


def test_redeal_of_several_piles_keeps_the_decks_order() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "AKA")})
    game = play(Pyramid(deck, passes=2, waste_piles=3), DEAL, 36)
    play(deal_out(game), REDEAL)
    assert game.known()["stock"] == [deck[28], *deck[30:]]
    assert game.score == 0, "only pyramid cards count"


def test_unlimited_redeal_needs_a_legal_removal_since_the_last() -> None:
    deck = no_removal_at_all()
    game = deal_out(Pyramid(deck, passes=0))
    assert game.lost and game.passes_used == 1
    counted = deal_out(Pyramid(deck, passes=3))
    assert counted.legal() == {REDEAL}, "with counted passes the condition is not asked for"


def test_unlimited_redeal_counts_removals_not_made() -> None:
    game = Pyramid(six_for_one_seven(), passes=0)
    for used in (1, 2, 3, 4):
        assert game.passes_used == used
        deal_out(game)
        assert REDEAL in game.legal()
        game.step(REDEAL)
    play(game, *[DEAL] * 3, 35, 21)
    deal_out(game)
    assert game.legal() == {REDEAL}, "a removal was legal, and made, in this pass"
    deal_out(play(game, REDEAL))
    assert game.lost


def test_shuffled_redeal_hands_over_the_stock_in_order() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "AK")})
    handed: list[list[str]] = []

    def backwards(cards: list[str]) -> list[str]:
        handed.append(list(cards))
        return cards[::-1]

    rules: dict[str, Any] = {"passes": 3, "shuffle_redeal": True, "shuffle": backwards}
    game = deal_out(play(Pyramid(deck, **rules), DEAL, DEAL, 35))
    play(game, REDEAL)
    left = [deck[28], *deck[30:]]
    assert handed == [left]
    assert game.known()["stock"] == [None] * 23, "after a shuffle only the set is known"
    play(game, DEAL)
    assert game.known()["wastes"][0] == [deck[51]]
    assert play(deal_out(game), REDEAL).passes_used == 3
    assert handed[1] == left[::-1], "the order the stock would have had unshuffled"
    seeing = play(deal_out(Pyramid(deck, stock_view="top", **rules)), REDEAL)
    assert seeing.known()["stock"] == [deck[51]] + [None] * 23


def test_shuffle_must_be_there_and_shuffle() -> None:
    with pytest.raises(ValueError, match="shuffle"):
        Pyramid(PACK, passes=2, shuffle_redeal=True)
    game = Pyramid(PACK, passes=2, shuffle_redeal=True, shuffle=lambda cards: cards[1:])
    with pytest.raises(ValueError, match="shuffle"):
        play(deal_out(game), REDEAL)


def test_deal_when_blocked_holds_deal_and_redeal_back() -> None:
    deck = deck_with({**ranks(21, "6799TTT"), **ranks(28, "A"), 51: "K"})
    game = Pyramid(deck, deal_when="blocked", passes=2)
    assert game.legal() == {22}
    play(game, 22, 21)
    assert DEAL in game.legal()
    last = Pyramid(deck_with({**ranks(21, "QQQQJJJ"), 51: "K"}), deal_when="blocked", passes=2)
    while last.known()["stock"]:
        last.step(DEAL if DEAL in last.legal() else max(last.legal()))
    assert last.legal() == {35}, "the king on the waste holds the redeal back"
    assert REDEAL in play(last, 35).legal()


def test_first_deal_is_no_move_and_cannot_be_undone() -> None:
    deck = deck_with({**ranks(21, "6799TTT"), **ranks(28, "88")})
    game = Pyramid(deck, first_deal=True, deal_when="blocked", undo=True, waste_piles=2)
    assert game.moves == 0 and game.known()["wastes"] == [[deck[28]], [deck[29]], []]
    assert len(game.known()["stock"]) == 22
    assert game.legal() == {22}, "nothing to undo, and blocked only holds for DEAL as a move"


def test_extra_row_is_always_free() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "5K67AAA")})
    game = Pyramid(deck, extra_row=True)
    assert removals(game) == {(28, 21), (29,), (31, 30)}
    play(game, 31, 30, 29)
    assert game.score == 0 and game.moves == 2
    gone = [card is None for card in game.known()["extra"]]
    assert gone == [False, True, True, True, False, False, False]


def test_waste_piles_pair_with_each_other() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "6A7")})
    game = play(Pyramid(deck, waste_piles=3), DEAL)
    assert removals(game) == {(37, 35)}
    play(game, 37, 35)
    assert [len(pile) for pile in game.known()["wastes"]] == [0, 1, 0]


# stock_view and stock_play


def test_stock_view_shows_but_does_not_bring_into_play() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), 28: "K"})
    down, top, every = (Pyramid(deck, stock_view=view) for view in ("down", "top", "all"))
    assert down.known()["stock"] == [None] * 24
    assert top.known()["stock"] == [deck[28]] + [None] * 23
    assert every.known()["stock"] == deck[28:]
    assert top.legal() == every.legal() == {DEAL}


def test_stock_play_brings_the_top_into_play() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "K76"), 31: "5"})
    game = Pyramid(deck, stock_view="top", stock_play=True)
    assert removals(game) == {(38,)}
    play(game, 38)
    assert game.known()["stock"][:2] == [deck[29], None]
    assert removals(game) == set(), "the 6 below the 7 is not in play"
    play(game, DEAL)
    assert removals(game) == {(38, 35)}
    play(game, 38)
    assert game.known()["stock"][:2] == [deck[30], None], "half-clicked: still on the table"
    play(game, 35)
    assert removals(game) == {(38, 21)}


# UNDO


def test_undo_takes_back_all_but_moves_and_what_was_seen() -> None:
    deck = deck_with({**ranks(21, "6799TTT")})
    game = Pyramid(deck, undo=True)
    assert UNDO not in game.legal()
    play(game, 22, 21, DEAL)
    assert game.moves == 2 and game.score == 2
    play(game, UNDO)
    assert game.known()["stock"] == [deck[28]] + [None] * 23, "its deal was undone"
    assert game.known()["wastes"] == [[], [], []]
    play(game, UNDO)
    assert game.moves == 4 and game.score == 0
    assert game.known()["pyramid"] == deck[:28]
    assert game.legal() == {22, DEAL}, "back at the start"


def test_undo_takes_several_piles_and_redeals_back() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    game = deal_out(Pyramid(deck, undo=True, passes=2, waste_piles=3))
    wastes = game.known()["wastes"]
    play(game, REDEAL, UNDO)
    assert game.passes_used == 1 and game.known()["wastes"] == wastes
    assert game.known()["stock"] == [] and REDEAL in game.legal()
    play(game, UNDO)
    assert game.known()["stock"] == deck[-3:]


def test_undo_takes_the_memory_of_legal_removals_back() -> None:
    game = play(deal_out(Pyramid(six_for_one_seven(), passes=0, undo=True)), REDEAL)
    play(game, UNDO)
    assert game.legal() == {REDEAL, UNDO}, "the removals legal before the redeal count again"
    play(game, REDEAL, *[DEAL] * 3, 35, 21)
    deal_out(play(deal_out(game), REDEAL))
    assert game.stuck and game.passes_used == 3, "none was legal in the third pass"
    while game.passes_used == 3:
        game.step(UNDO)
    assert game.legal() == {REDEAL, UNDO}


def test_stuck_is_for_undo_alone() -> None:
    game = Pyramid(no_removal_at_all(), undo=True)
    assert not game.stuck
    assert deal_out(game).stuck and not game.lost
    assert not play(game, UNDO).stuck


# The end


def test_best_possible_game_with_match_cover_is_14_moves() -> None:
    deck = deck_with(paired_pyramid())
    assert not any(card[0] == "K" for card in deck[:28])
    game = play(Pyramid(deck, match_cover=True), *range(27, -1, -1))
    assert game.won and game.over and game.moves == 14 and game.score == 28
    assert game.legal() == set() and not game.lost and not game.truncated


def test_without_match_cover_the_apex_never_goes_with_another_pyramid_card() -> None:
    # slot 0 is free only when 1 and 2 are gone, so 27 cards take 14 moves and it one more
    deck = deck_with({**paired_pyramid(), 28: "8", 29: "5"})
    deck[0], deck[1] = deck[1], deck[0]
    game = play(Pyramid(deck), *range(27, 1, -1))
    assert game.moves == 13 and game.score == 26
    assert not any(place < 28 for place in game.legal())
    while not game.won:
        game.step(min(game.legal()))
    assert game.score == 28 and game.moves >= 17


def test_clear_all_needs_every_card() -> None:
    deck = deck_with(paired_pyramid())
    game = play(Pyramid(deck, match_cover=True, clear_all=True), *range(27, -1, -1))
    assert game.score == 28 and not game.won and game.legal() == {DEAL}
    while not game.over:
        pairs = game.legal() - {DEAL}
        game.step(max(pairs) if pairs else DEAL)
    left = sum(len(pile) for pile in game.known()["wastes"])
    assert game.lost and left > 0


def test_clear_all_is_won_with_the_last_card() -> None:
    placed = paired_pyramid()
    rest = deck_with(placed)[28:]
    ordered: list[str] = []
    while rest:  # each card followed by the one it pairs with, kings alone
        card = rest.pop(0)
        ordered.append(card)
        mates = [mate for mate in rest if value(mate) + value(card) == 13]
        if mates:
            rest.remove(mates[0])
            ordered.append(mates[0])
    deck = deck_with(placed)[:28] + ordered
    game = Pyramid(deck, match_cover=True, clear_all=True, waste_piles=2)
    play(game, *range(27, -1, -1))
    while not game.over:
        pairs = game.legal() - {DEAL}
        game.step(max(pairs) if pairs else DEAL)
    assert game.won and game.known()["wastes"] == [[], [], []]


def test_max_moves_truncates() -> None:
    deck = deck_with(ranks(21, "6799TTT"))
    game = play(Pyramid(deck, max_moves=2), DEAL, 22)
    assert not game.over
    play(game, 21)
    assert game.truncated and game.over and not game.lost and game.legal() == set()


def test_the_last_move_may_win_or_lose() -> None:
    deck = deck_with(paired_pyramid())
    won = play(Pyramid(deck, match_cover=True, max_moves=14), *range(27, -1, -1))
    assert won.won and not won.truncated
    lost = deal_out(Pyramid(no_removal_at_all(), max_moves=24))
    assert lost.lost and not lost.truncated
    with_undo = deal_out(Pyramid(no_removal_at_all(), max_moves=24, undo=True))
    assert with_undo.truncated and not with_undo.lost and not with_undo.stuck


# Options


def test_refused_options() -> None:
    assert not refused({})
    assert refused({"shuffle_redeal": True}), "passes is 1 by default"
    assert not refused({"shuffle_redeal": True, "passes": 0})
    assert refused({"shuffle_redeal": True, "passes": 2, "undo": True})
    assert refused({"stock_play": True})
    assert not refused({"stock_play": True, "stock_view": "top"})
    assert not refused({"stock_play": True, "stock_view": "all"})
    for bad in ({"passes": 10}, {"passes": -1}, {"waste_piles": 0}, {"waste_piles": 4}):
        assert refused(bad)
    for bad in ({"deal_when": "never"}, {"stock_view": "up"}, {"max_moves": 0}, {"x": 1}):
        assert refused(bad)
    with pytest.raises(ValueError, match="refused"):
        Pyramid(PACK, stock_play=True)


OPTIONS: dict[str, list[Any]] = {
    "passes": [1, 2, 0],
    "shuffle_redeal": [False, True],
    "deal_when": ["always", "blocked"],
    "waste_piles": [1, 2, 3],
    "stock_view": ["down", "top", "all"],
}
SWITCHES = [
    "first_deal",
    "extra_row",
    "covered_kings",
    "match_cover",
    "many_sum",
    "stock_play",
    "clear_all",
    "undo",
]


@pytest.mark.parametrize("seed", range(60))
def test_random_games_keep_their_cards_and_end(seed: int) -> None:
    """Random options, random clicks: cards are never lost or doubled, and the game ends."""
    rng = random.Random(seed)
    options = {name: rng.choice(choices) for name, choices in OPTIONS.items()}
    options |= {name: rng.random() < 0.4 for name in SWITCHES}
    if refused(options):
        options |= {"shuffle_redeal": False, "stock_play": False}
    deck = rng.sample(PACK, 52)
    game = Pyramid(
        deck, shuffle=lambda cards: rng.sample(cards, len(cards)), max_moves=150, **options
    )
    while not game.over:
        action = rng.choice(sorted(game.legal()))
        before = game.known()
        moves, half = game.moves, list(game.picked)
        game.step(action)
        known = game.known()
        if game.picked:
            assert known == before and game.picked == [*half, action]
            assert game.legal() and max(game.legal()) < action
        else:
            assert game.moves == moves + 1
        wastes = [card for pile in known["wastes"] for card in pile]
        seen = known["pyramid"] + known["extra"] + wastes + known["stock"]
        cards = [card for card in seen if card is not None]
        assert len(cards) == len(set(cards))
        assert action <= STOCK_TOP or game.score == 28 - sum(map(bool, known["pyramid"]))
    assert [game.won, game.lost, game.truncated].count(True) == 1
    assert not (game.lost and options["undo"])
