"""The reference Pyramid: REDEAL with `passes` 0 and `shuffle_redeal`."""

import random
from itertools import permutations
from typing import Any

import pytest

from tests.reference.pyramid import (
    COVERERS,
    REDEAL,
    Position,
    Pyramid,
    Rules,
    deal,
    may_deal,
    most_in_play,
    shuffle_may_help,
)
from tests.reference.pyramid import removals as removals_of
from tests.reference.pyramid_games import (
    PACK,
    deal_out,
    deck_with,
    no_removal_at_all,
    play,
    ranks,
    removals,
    six_for_one_seven,
)


def endless(deck: list[str], **options: Any) -> Pyramid:
    """A game with unlimited shuffling redeals, in which the shuffle keeps the order."""
    return Pyramid(deck, passes=0, shuffle_redeal=True, shuffle=lambda cards: cards, **options)


def in_this_order(stock: str) -> list[str]:
    """`no_removal_at_all` with the ranks of its stock in another order."""
    return deck_with({**ranks(0, "KKKK"), **ranks(21, "QQQQJJJ"), **ranks(28, stock)})


# Dealt onto two piles no two of these meet that total 13; the six and the seven could
PAIRS_APART = "555J6666777788889999TTTT"
# No two neighbours total 13
NEIGHBOURS_APART = "5556666888877779999TTTTJ"


# One card of the new stock


def test_no_redeal_if_no_order_makes_a_removal_legal() -> None:
    assert deal_out(endless(no_removal_at_all())).lost, "sixes and sevens never meet on one pile"


def test_a_king_there() -> None:
    deck = deck_with({**ranks(0, "KKK"), **ranks(21, "QQQQJJJ"), 30: "K"})
    game = deal_out(endless(deck))
    assert game.legal() == {REDEAL}, "buried in the waste, but in the new stock"
    for _ in range(3):
        deal_out(play(game, REDEAL))
        assert game.legal() == {REDEAL}, "as long as it is there"
    play(game, REDEAL)
    while removals(game) != {(35,)}:
        game.step(max(game.legal()))
    assert deal_out(play(game, 35)).lost and game.score == 0


def test_a_card_there_with_a_free_one_of_the_pyramid() -> None:
    game = deal_out(endless(six_for_one_seven()))
    assert game.legal() == {REDEAL}
    play(game, REDEAL)
    while removals(game) != {(35, 21)}:
        game.step(max(game.legal()))
    assert deal_out(play(game, 35, 21)).lost, "the removal that was made does not help any more"


def test_a_card_there_with_a_free_one_of_the_extra_row() -> None:
    covered = ranks(0, "KKKKAAAA2222444455553")
    deck = deck_with({**covered, **ranks(21, "QQQQJJJ"), **ranks(28, "7888999")})
    game = deal_out(endless(deck, extra_row=True))
    assert game.legal() == {REDEAL}, "a six there, a seven in the extra row"
    play(game, REDEAL)
    while removals(game) != {(35, 28)}:
        game.step(max(game.legal()))
    assert deal_out(play(game, 35, 28)).lost


# Two cards of the new stock


def test_two_cards_there_where_two_pile_tops_meet() -> None:
    deck = in_this_order(PAIRS_APART)
    assert deal_out(endless(deck)).lost
    game = deal_out(endless(deck, waste_piles=2))
    assert game.legal() == {REDEAL}, "a shuffle may bring together what lay apart"
    assert deal_out(play(game, REDEAL)).legal() == {REDEAL}, "whether or not the last one did"
    unshuffled = deal_out(Pyramid(deck, passes=0, waste_piles=2))
    assert unshuffled.lost, "no removal has been legal"


def test_two_cards_there_where_a_pile_top_and_the_stocks_meet() -> None:
    deck = in_this_order(NEIGHBOURS_APART)
    assert deal_out(endless(deck, stock_view="top")).lost, "seen, but not in play"
    rules: dict[str, Any] = {"stock_view": "top", "stock_play": True}
    assert deal_out(endless(deck, **rules)).legal() == {REDEAL}
    assert deal_out(Pyramid(deck, passes=0, **rules)).lost


def test_two_cards_there_where_a_pile_top_and_the_card_held_meet() -> None:
    deck = in_this_order(NEIGHBOURS_APART)
    game = deal_out(endless(deck, held=True))
    assert game.legal() == {REDEAL} and game.held is None
    assert deal_out(Pyramid(deck, passes=0, held=True)).lost


def test_turn_3_on_one_pile_brings_nothing_together() -> None:
    assert deal_out(endless(in_this_order(PAIRS_APART), turn=3)).lost


@pytest.mark.parametrize(
    ("cards", "options", "expected"),
    [
        (0, {}, 0),
        (24, {}, 1),
        (24, {"turn": 3}, 1),
        (1, {"waste_piles": 2}, 1),
        (2, {"waste_piles": 2}, 2),
        (2, {"waste_piles": 3}, 2),
        (24, {"waste_piles": 3}, 3),
        (3, {"waste_piles": 3, "turn": 3}, 1),
        (4, {"waste_piles": 3, "turn": 3}, 2),
        (6, {"waste_piles": 3, "turn": 3}, 2),
        (7, {"waste_piles": 3, "turn": 3}, 3),
        (1, {"held": True}, 1),
        (2, {"held": True}, 2),
        (24, {"held": True, "turn": 3}, 2),
        (1, {"stock_play": True}, 1),
        (2, {"stock_play": True}, 2),
        (3, {"stock_play": True, "turn": 3}, 1),
        (4, {"stock_play": True, "turn": 3}, 2),
        (3, {"stock_play": True, "waste_piles": 3}, 3),
        (4, {"stock_play": True, "waste_piles": 3}, 4),
        (24, {"stock_play": True, "waste_piles": 3}, 4),
    ],
)
def test_how_many_cards_of_a_stock_can_meet(
    cards: int, options: dict[str, Any], expected: int
) -> None:
    assert most_in_play(PACK[:cards], Rules(**options)) == expected


# many_sum: sets of such


def test_many_sum_takes_a_card_there_with_several_free_ones() -> None:
    deck = deck_with({**ranks(0, "KKKKAAAA2222999944333"), **ranks(21, "44QQQQJ")})
    assert deal_out(endless(deck)).lost
    game = deal_out(endless(deck, many_sum=True))
    assert game.legal() == {REDEAL}, "5 there with 4 and 4"
    play(game, REDEAL)
    while removals(game) != {(35, 22, 21)}:
        game.step(max(game.legal()))
    assert deal_out(play(game, 35, 22, 21)).lost


def test_many_sum_takes_several_cards_there_only_if_they_can_meet() -> None:
    table = Position([None] * 28, [None] * 7, [], wastes=[["3h", "4h", "6h"], [], []])
    for piles, expected in ((1, False), (2, False), (3, True)):
        rules = Rules(passes=0, shuffle_redeal=True, many_sum=True, waste_piles=piles)
        assert shuffle_may_help(table, rules) is expected, "3 + 4 + 6 on three piles"
    assert not shuffle_may_help(table, Rules(waste_piles=3)), "two cards at most"
    table.extra[0] = "4d"
    assert not shuffle_may_help(table, Rules(many_sum=True)), "one there: 9 are missing, 4 are free"
    assert shuffle_may_help(table, Rules(many_sum=True, held=True)), "3 and 6 meet, with the 4 free"
    assert not shuffle_may_help(table, Rules(held=True))


@pytest.mark.parametrize(
    ("many", "cover", "expected"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, False)],
)
def test_many_sum_with_a_card_and_the_one_it_covers(
    many: bool, cover: bool, expected: bool
) -> None:
    # Once the king at slot 22 has gone, the five at 21 alone covers the seven at 15
    deck = deck_with({**ranks(0, "222233338888KKK7AAA66"), **ranks(21, "5KJJJJT")})
    game = deal_out(play(endless(deck, many_sum=many, match_cover=cover), 22))
    assert (REDEAL in game.legal()) == expected, "the last ace is there: 1 + 5 + 7"
    assert game.lost != expected


# What does not count


def test_a_removal_without_a_card_of_the_new_stock_does_not_count() -> None:
    deck = deck_with({**ranks(0, "KKKKAAAA2222666377733"), **ranks(21, "67QQQQJ")})
    game = deal_out(endless(deck))
    assert removals(game) == {(22, 21)} and game.legal() == {22}, "and no REDEAL"
    assert deal_out(Pyramid(deck, passes=0)).legal() == {22, REDEAL}, "unshuffled it does"
    play(game, 22, 21)
    assert game.legal() == {REDEAL}, "the three at slot 15 is free now, and the tens are there"


def test_counted_passes_ask_for_nothing() -> None:
    rules: dict[str, Any] = {"shuffle_redeal": True, "shuffle": lambda cards: cards}
    game = deal_out(Pyramid(no_removal_at_all(), passes=2, **rules))
    assert game.legal() == {REDEAL}
    assert deal_out(play(game, REDEAL)).lost


def test_nothing_is_redealt_from_an_empty_waste() -> None:
    table = Position(["Kc", *[None] * 27], [None] * 7, [])
    assert not shuffle_may_help(table, Rules(passes=0, shuffle_redeal=True))


# Every order tried


def some_order_helps(table: Position, rules: Rules) -> bool:
    """Whether a removal with a card of the stock is legal while one of its orders is dealt out."""
    orders = permutations(card for pile in table.wastes for card in pile)
    return any(helps(Position(table.pyramid, table.extra, list(each)), rules) for each in orders)


def helps(table: Position, rules: Rules) -> bool:
    """Whether such a removal is legal while this stock is dealt out."""
    while not any(clicks[0] >= 35 for clicks in removals_of(table, rules)):
        if not may_deal(table):
            return False
        deal(table, rules)
    return True


def random_table(rng: random.Random) -> Position:
    """A few free pyramid and extra cards, and one to five in the waste."""
    cards = rng.sample(PACK, 52)
    pyramid: list[str | None] = list(cards[:28])
    for _ in range(rng.randrange(20, 29)):
        free = [at for at in range(28) if pyramid[at] is not None]
        free = [at for at in free if all(pyramid[cover] is None for cover in COVERERS[at])]
        pyramid[rng.choice(free)] = None
    extra = [card if rng.random() < 0.1 else None for card in cards[28:35]]
    waste = cards[35 : rng.randrange(36, 41)]
    return Position(pyramid, extra, [], wastes=[waste, [], []])


def random_rules(rng: random.Random) -> Rules:
    """Options that change which cards may be removed together."""
    held = rng.random() < 0.3
    stock_play = not held and rng.random() < 0.4
    return Rules(
        covered_kings=rng.random() < 0.2,
        match_cover=rng.random() < 0.5,
        many_sum=rng.random() < 0.5,
        waste_piles=1 if held else rng.randrange(1, 4),
        stock_view="top" if stock_play else "down",
        stock_play=stock_play,
        held=held,
        turn=rng.randrange(1, 4),
    )


def test_it_is_what_trying_every_order_finds() -> None:
    rng = random.Random(1)
    result = []
    for _ in range(300):
        table, rules = random_table(rng), random_rules(rng)
        result.append(some_order_helps(table, rules))
        assert shuffle_may_help(table, rules) == result[-1], (table, rules)
    assert 50 < sum(result) < 250, "both answers occur"
