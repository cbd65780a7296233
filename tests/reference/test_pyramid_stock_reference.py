"""The reference Pyramid: DEAL, REDEAL and UNDO, and knowledge of the stock."""

from typing import Any

import pytest

from tests.reference.pyramid import DEAL, REDEAL, UNDO, Pyramid
from tests.reference.pyramid_games import (
    DEAD_ROW,
    PACK,
    deal_out,
    deck_with,
    no_removal_at_all,
    play,
    ranks,
    removals,
    six_for_one_seven,
)

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


# turn


def test_turn_lays_cards_one_upon_the_other_in_one_move() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "K54")})
    game = play(Pyramid(deck, turn=3), DEAL)
    assert game.moves == 1 and game.known()["wastes"][0] == deck[28:31]
    assert removals(game) == {(35, 22), (35, 23), (35, 24)}, "the four is the top: no king, no five"
    play(game, 35, 24)
    assert removals(game) == {(35, 21)}, "then the five is"
    play(game, 35, 21)
    assert removals(game) == {(35,)}


def test_turn_1_is_the_default() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    assert play(Pyramid(deck), DEAL).known() == play(Pyramid(deck, turn=1), DEAL).known()


@pytest.mark.parametrize(("turn", "deals", "last"), [(1, 24, 1), (2, 12, 2), (3, 8, 3)])
def test_turn_shortens_a_pass(turn: int, deals: int, last: int) -> None:
    deck = deck_with({**ranks(0, "KKKK"), **ranks(21, "QQQQJJJ")})
    game = play(Pyramid(deck, turn=turn), *[DEAL] * (deals - 1))
    assert game.known()["stock"] == [None] * last
    assert play(game, DEAL).lost and game.moves == deals
    assert game.known()["wastes"][0] == deck[28:]


def test_turn_stops_when_the_stock_is_empty() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    game = play(Pyramid(deck, turn=3, extra_row=True), *[DEAL] * 5)
    assert len(game.known()["stock"]) == 2 and DEAL in game.legal(), "17 cards"
    play(game, DEAL)
    assert game.known()["wastes"][0] == deck[35:] and DEAL not in game.legal()


def test_turn_is_for_each_pile() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    game = play(Pyramid(deck, turn=2, waste_piles=3), DEAL)
    assert game.known()["wastes"] == [deck[28:30], deck[30:32], deck[32:34]] and game.moves == 1
    game = play(Pyramid(deck, turn=3, waste_piles=3, extra_row=True), DEAL)
    assert game.known()["wastes"] == [deck[35:38], deck[38:41], deck[41:44]]
    play(game, DEAL)
    assert game.known()["wastes"][0] == [*deck[35:38], *deck[44:47]]
    assert game.known()["wastes"][1] == [*deck[38:41], *deck[47:50]]
    assert game.known()["wastes"][2] == [*deck[41:44], *deck[50:52]], "only two were left"


def test_turn_and_the_redeal() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "AAK")})
    game = deal_out(play(Pyramid(deck, turn=3, passes=2), DEAL, 35))
    play(game, REDEAL)
    assert game.known()["stock"] == [*deck[28:30], *deck[31:]]
    assert play(game, DEAL).known()["wastes"][0] == [*deck[28:30], deck[31]], "other threes now"


def test_turn_with_first_deal_and_undo() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    game = Pyramid(deck, turn=3, first_deal=True, undo=True)
    assert game.known()["wastes"][0] == deck[28:31] and game.moves == 0
    play(game, DEAL, UNDO)
    assert game.known()["wastes"][0] == deck[28:31]
    assert game.known()["stock"] == [*deck[31:34], *[None] * 18], "all three have been seen"


def test_turn_with_the_stocks_top_in_play() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "AA67")})
    game = Pyramid(deck, turn=3, stock_view="top", stock_play=True)
    assert removals(game) == set()
    assert removals(play(game, DEAL)) == {(38, 35)}, "the fourth card with the third"


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


def test_with_undo_the_stock_is_reset_as_often_as_one_likes() -> None:
    game = Pyramid(no_removal_at_all(), passes=0, undo=True)
    for passes in range(1, 5):
        assert deal_out(game).passes_used == passes
        assert game.legal() == {REDEAL, UNDO} and not game.stuck
        play(game, REDEAL)
    assert deal_out(Pyramid(no_removal_at_all(), passes=0)).lost, "without undo the game ends"
    limited = deal_out(play(deal_out(Pyramid(no_removal_at_all(), passes=2, undo=True)), REDEAL))
    assert limited.stuck, "a limit of passes holds with undo, too"


def test_only_the_limit_of_moves_ends_a_game_with_undo_and_resets() -> None:
    game = Pyramid(no_removal_at_all(), passes=0, undo=True, max_moves=80)
    while not game.over:
        game.step(min(game.legal()))
    assert game.truncated and game.moves == 80 and game.passes_used == 4


def test_stuck_is_for_undo_alone() -> None:
    game = Pyramid(no_removal_at_all(), undo=True)
    assert not game.stuck
    assert deal_out(game).stuck and not game.lost
    assert not play(game, UNDO).stuck
