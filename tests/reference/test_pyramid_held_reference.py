"""The reference Pyramid: `held`, sentence by sentence, and the named variants."""

from typing import Any

import pytest

from tests.reference.pyramid import DEAL, REDEAL, UNDO, Pyramid, refused, value
from tests.reference.pyramid_games import (
    DEAD_ROW,
    PACK,
    deal_out,
    deck_with,
    no_removal_at_all,
    paired_pyramid,
    play,
    ranks,
    removals,
    six_for_one_seven,
)

# DEAL


def test_the_first_deal_turns_a_card_up_where_it_lies() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    game = Pyramid(deck, held=True)
    assert game.held is None and game.legal() == {DEAL} and len(game.known()["stock"]) == 24
    play(game, DEAL)
    assert game.held == deck[28] and game.known()["wastes"] == [[], [], []]
    assert game.known()["stock"] == [None] * 23 and game.moves == 1


def test_the_next_deal_lays_the_card_held_onto_the_waste() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    game = play(Pyramid(deck, held=True), DEAL, DEAL)
    assert game.held == deck[29] and game.known()["wastes"] == [[deck[28]], [], []]
    play(game, DEAL)
    assert game.held == deck[30] and game.known()["wastes"] == [deck[28:30], [], []]
    assert game.moves == 3


def test_the_card_held_is_in_play_at_place_38() -> None:
    game = play(Pyramid(deck_with({**ranks(21, DEAD_ROW), **ranks(28, "54K")}), held=True), DEAL)
    assert removals(game) == {(38, 21)}, "5 with 8"
    play(game, DEAL)
    assert removals(game) == {(38, 22), (38, 23), (38, 24), (35, 21)}, "the waste's top too"
    play(game, DEAL)
    assert removals(game) == {(38,), (35, 22), (35, 23), (35, 24)}, "a king alone; 4 on 5 now"


def test_after_its_removal_nothing_is_held_and_the_next_deal_lays_nothing_down() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "4K5")})
    game = play(Pyramid(deck, held=True), DEAL, DEAL, 38)
    assert game.held is None and game.moves == 3 and game.score == 0
    assert removals(game) == {(35, 22), (35, 23), (35, 24)}, "the card below is not turned up"
    assert game.known()["stock"] == [None] * 22
    play(game, DEAL)
    assert game.held == deck[30] and game.known()["wastes"] == [[deck[28]], [], []]


def test_the_card_held_goes_with_the_waste_top_but_not_once_it_lies_upon_it() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "676")})
    game = play(Pyramid(deck, held=True), DEAL, DEAL)
    assert removals(game) == {(38, 35)}
    assert removals(play(game, DEAL)) == {(38, 35)}, "the second six with the seven"
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "67A")})
    assert removals(play(Pyramid(deck, held=True), *[DEAL] * 3)) == set()


def test_a_half_clicked_card_is_still_held() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), 28: "5"})
    game = play(Pyramid(deck, held=True), DEAL, 38)
    assert game.picked == [38] and game.held == deck[28] and game.legal() == {21}
    assert play(game, 21).held is None and game.score == 1


def test_the_last_deal_lays_down_and_turns_nothing() -> None:
    deck = no_removal_at_all()
    game = play(Pyramid(deck, held=True, undo=True), *[DEAL] * 24)
    assert game.known()["stock"] == [] and game.held == deck[51]
    assert game.known()["wastes"][0] == deck[28:51] and game.legal() == {DEAL, UNDO}
    play(game, DEAL)
    assert game.held is None and game.known()["wastes"][0] == deck[28:]
    assert game.legal() == {UNDO} and game.moves == 25
    lost = play(Pyramid(deck, held=True), *[DEAL] * 24)
    assert not lost.over and play(lost, DEAL).lost


def test_no_deal_with_an_empty_stock_and_nothing_held() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), 51: "K"})
    game = play(Pyramid(deck, held=True), *[DEAL] * 24)
    assert {38, DEAL} <= game.legal()
    assert not play(game, 38).legal() & {DEAL, REDEAL, 38}


def test_held_with_deal_when_blocked() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "KA"), 51: "K"})
    game = play(Pyramid(deck, held=True, deal_when="blocked"), DEAL)
    assert game.legal() == {38}, "the king held must go before the next is turned"
    assert play(game, 38).legal() == {DEAL}
    while game.known()["stock"]:
        game.step(DEAL if DEAL in game.legal() else max(game.legal()))
    assert game.held == deck[51] and game.legal() == {38}, "nor may it be laid down"


def test_turn_does_nothing_with_held() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    for turn in (1, 2, 3):
        game = play(Pyramid(deck, held=True, turn=turn), DEAL, DEAL)
        assert game.held == deck[29] and game.known()["wastes"] == [[deck[28]], [], []]


# REDEAL


def test_no_redeal_while_a_card_is_held() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    game = play(Pyramid(deck, held=True, passes=2), *[DEAL] * 24)
    assert game.known()["stock"] == [] and game.held == deck[51]
    assert game.known()["wastes"][0] == deck[28:51], "an empty stock and a waste with cards"
    assert DEAL in game.legal() and REDEAL not in game.legal()
    assert REDEAL in play(game, DEAL).legal() and DEAL not in game.legal()
    play(game, REDEAL)
    assert game.known()["stock"] == deck[28:] and game.held is None
    assert play(game, DEAL).held == deck[28], "turned up by the next DEAL, not by the redeal"


def test_redeal_at_once_when_the_last_card_held_was_removed() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), 51: "K"})
    game = play(Pyramid(deck, held=True, passes=2), *[DEAL] * 24, 38)
    assert REDEAL in game.legal() and DEAL not in game.legal()
    assert play(game, REDEAL).known()["stock"] == deck[28:51]


def test_no_redeal_of_an_empty_waste() -> None:
    """Each card of the stock pairs with the next, kings go alone, and the pyramid stays."""
    game = Pyramid(cleared_in_pairs(), held=True, passes=9)
    while game.known()["stock"]:
        play(game, DEAL)
        together = removals(game) & {(38,), (38, 35)}
        play(game, *(together.pop() if together else ()))
    assert game.held is None and game.known()["wastes"] == [[], [], []]
    assert not game.legal() & {DEAL, REDEAL} and game.score == 0


def test_two_redeals_in_three_passes() -> None:
    game = Pyramid(no_removal_at_all(), held=True, passes=3)
    for used in (1, 2, 3):
        assert game.passes_used == used
        play(game, *[DEAL] * 25)
        if used < 3:
            assert game.legal() == {REDEAL}
            play(game, REDEAL)
    assert game.lost and game.moves == 77


def test_a_removal_that_was_legal_with_the_card_held_counts_for_passes_0() -> None:
    game = deal_out(Pyramid(six_for_one_seven(), held=True, passes=0))
    assert REDEAL in game.legal(), "it was legal with slot 21, and not made"


def test_sixes_and_sevens_meet_with_held_alone() -> None:
    """In `no_removal_at_all` the stock has its last six just before its first seven."""
    apart = deal_out(Pyramid(no_removal_at_all(), passes=0))
    assert apart.lost
    meeting = deal_out(Pyramid(no_removal_at_all(), held=True, passes=0))
    assert meeting.legal() == {REDEAL}


# UNDO, the player's knowledge


def test_undo_takes_the_card_held_back() -> None:
    deck = deck_with({**ranks(21, DEAD_ROW), **ranks(28, "AK")})
    game = play(Pyramid(deck, held=True, undo=True), DEAL, DEAL, 38)
    play(game, UNDO)
    assert game.held == deck[29] and game.known()["wastes"][0] == [deck[28]]
    play(game, UNDO)
    assert game.held == deck[28] and game.known()["wastes"][0] == []
    assert game.known()["stock"] == [deck[29], *[None] * 22], "it has been seen"
    play(game, UNDO)
    assert game.held is None and game.known()["stock"][:3] == [deck[28], deck[29], None]
    assert game.moves == 6 and UNDO not in game.legal()


def test_undo_takes_the_last_deal_and_the_redeal_back() -> None:
    deck = deck_with(ranks(21, DEAD_ROW))
    game = play(Pyramid(deck, held=True, undo=True, passes=2), *[DEAL] * 25)
    play(game, REDEAL, UNDO)
    assert game.passes_used == 1 and game.known()["wastes"][0] == deck[28:]
    play(game, UNDO)
    assert game.held == deck[51] and game.known()["wastes"][0] == deck[28:51]


def test_held_with_a_shuffle() -> None:
    rules: dict[str, Any] = {"passes": 2, "shuffle_redeal": True, "shuffle": lambda c: c[::-1]}
    deck = deck_with(ranks(21, DEAD_ROW))
    game = play(Pyramid(deck, held=True, **rules), *[DEAL] * 25, REDEAL)
    assert game.known()["stock"] == [None] * 24 and game.held is None
    assert play(game, DEAL).held == deck[51]


# The end


def cleared_in_pairs() -> list[str]:
    """A deck whose pyramid goes in pairs from slot 27; in its stock each card precedes its mate."""
    deck = deck_with(paired_pyramid())
    rest, ordered = deck[28:], list[str]()
    while rest:
        card = rest.pop(0)
        mate = next((other for other in rest if value(other) + value(card) == 13), None)
        ordered.append(card)
        if mate is not None:
            rest.remove(mate)
            ordered.append(mate)
    return deck[:28] + ordered


def test_clear_all_needs_the_card_held_too() -> None:
    game = Pyramid(cleared_in_pairs(), held=True, match_cover=True, clear_all=True)
    play(game, *range(27, -1, -1))
    while game.known()["stock"]:
        cards = game.legal() - {DEAL}
        game.step(max(cards) if cards else DEAL)
    assert game.held is not None and game.score == 28 and not game.over
    play(game, 38)
    while game.picked:
        play(game, max(game.legal()))
    assert game.won and game.held is None and game.known()["wastes"] == [[], [], []]


def test_clear_all_is_not_won_when_the_card_held_alone_is_left() -> None:
    pairs = cleared_in_pairs()
    deck = [*pairs[:28], *[card for card in pairs[28:] if card[0] != "K"]]
    deck += [card for card in pairs[28:] if card[0] == "K"]
    game = Pyramid(deck, held=True, match_cover=True, clear_all=True)
    play(game, *range(27, -1, -1))
    while game.held is None or game.held[0] != "K" or game.known()["stock"]:
        cards = game.legal() - {DEAL}
        game.step(max(cards) if cards else DEAL)
    assert game.score == 28 and game.known()["wastes"] == [[], [], []]
    assert game.legal() == {38, DEAL} and not game.won
    assert play(game, 38).won


def test_without_clear_all_a_card_may_stay_held() -> None:
    deck = deck_with({**paired_pyramid(), 28: "A"})
    game = play(Pyramid(deck, held=True, match_cover=True), DEAL, *range(27, -1, -1))
    assert game.won and game.held == deck[28] and game.moves == 15


# Options


def test_what_is_refused_with_held() -> None:
    assert not refused({"held": True})
    for bad in ({"waste_piles": 2}, {"waste_piles": 3}, {"first_deal": True}):
        assert refused({"held": True, **bad}) and not refused(bad)
    for view in ("top", "all"):
        assert refused({"held": True, "stock_view": view})
        assert refused({"held": True, "stock_view": view, "stock_play": True})
    with pytest.raises(ValueError, match="refused"):
        Pyramid(PACK, held=True, first_deal=True)


@pytest.mark.parametrize(
    "others",
    [
        {"waste_piles": 1, "stock_view": "down", "stock_play": False, "first_deal": False},
        {"passes": 0, "shuffle_redeal": True},
        {"passes": 9, "undo": True, "turn": 3},
        {"deal_when": "blocked", "extra_row": True, "clear_all": True},
        {"covered_kings": True, "match_cover": True, "many_sum": True},
    ],
)
def test_what_is_not_refused_with_held(others: dict[str, Any]) -> None:
    assert not refused({"held": True, **others})


FIRST: dict[str, Any] = {"first_deal": True}
BLOCKED: dict[str, Any] = {**FIRST, "deal_when": "blocked"}
BOOK: dict[str, Any] = {"covered_kings": True, "held": True, "passes": 3, "clear_all": True}
VARIANTS: dict[str, dict[str, Any]] = {
    "classic": FIRST,
    "blocked": BLOCKED,
    "second-chance": {**BLOCKED, "passes": 2, "shuffle_redeal": True},
    "extra-row": {**BLOCKED, "extra_row": True},
    "turn-back": {**FIRST, "passes": 0},
    "any-sum": {**FIRST, "many_sum": True},
    "web": {"passes": 0, "match_cover": True, "undo": True},
    "three-passes": {"passes": 3},
    "excerpt": {"covered_kings": True},
    "excerpt-all": {"covered_kings": True, "clear_all": True},
    "book": BOOK,
    "book-pyramid": {**BOOK, "clear_all": False},
    "book-blocked": {**BOOK, "deal_when": "blocked"},
    "by-threes": {"passes": 3, "turn": 3},
    "three-piles": {"waste_piles": 3},
    "face-up": {"stock_view": "all"},
    "open-stock": {"passes": 3, "stock_view": "top", "stock_play": True},
}


@pytest.mark.parametrize("name", VARIANTS)
def test_the_named_variants_are_games(name: str) -> None:
    game = Pyramid(PACK, shuffle=lambda cards: cards[::-1], **VARIANTS[name])
    assert not refused(VARIANTS[name]) and game.legal() and game.moves == 0


def test_the_book_turns_the_stock_three_times_and_has_no_more_redeals() -> None:
    """Two redeals, unshuffled; kings are free under cover; all 52 cards must go."""
    deck = no_removal_at_all()
    game = Pyramid(deck, **BOOK)
    assert game.legal() == {0, 1, 2, 3, DEAL}, "the four kings at the top"
    play(game, *[DEAL] * 25, REDEAL)
    assert game.known()["stock"] == deck[28:]
    play(game, *[DEAL] * 25, REDEAL, *[DEAL] * 25)
    assert game.passes_used == 3 and game.legal() == {0, 1, 2, 3}
