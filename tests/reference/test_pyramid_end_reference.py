"""The reference Pyramid: how games end, which options are refused, random games."""

import random
from typing import Any

import pytest

from tests.reference.pyramid import DEAL, STOCK_TOP, Pyramid, refused, value
from tests.reference.pyramid_games import (
    PACK,
    deal_out,
    deck_with,
    no_removal_at_all,
    paired_pyramid,
    play,
    ranks,
)

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
    assert with_undo.truncated and not with_undo.lost and with_undo.stuck


# Options


def test_refused_options() -> None:
    assert not refused({})
    assert refused({"shuffle_redeal": True}), "passes is 1 by default"
    assert not refused({"shuffle_redeal": True, "passes": 0})
    assert refused({"shuffle_redeal": True, "passes": 2, "undo": True})
    assert refused({"stock_play": True})
    assert not refused({"stock_play": True, "stock_view": "top"})
    assert not refused({"stock_play": True, "stock_view": "all"})
    assert refused({"passes": 10}) and refused({"passes": -1})
    for number in (-1, 0, 4):
        assert refused({"waste_piles": number}) and refused({"turn": number})
    assert refused({"deal_when": "never"}) and refused({"stock_view": "up"})
    assert refused({"max_moves": 0}) and refused({"x": 1})
    with pytest.raises(ValueError, match="refused"):
        Pyramid(PACK, stock_play=True)


OPTIONS: dict[str, list[Any]] = {
    "passes": [1, 2, 0],
    "shuffle_redeal": [False, True],
    "deal_when": ["always", "blocked"],
    "waste_piles": [1, 2, 3],
    "stock_view": ["down", "top", "all"],
    "turn": [1, 2, 3],
}
SWITCHES = [
    "held",
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
    if options["held"]:
        options |= {"waste_piles": 1, "stock_view": "down", "first_deal": False}
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
        seen = [*known["pyramid"], *known["extra"], *wastes, *known["stock"], game.held]
        cards = [card for card in seen if card is not None]
        assert len(cards) == len(set(cards))
        assert action <= STOCK_TOP or game.score == 28 - sum(map(bool, known["pyramid"]))
    assert [game.won, game.lost, game.truncated].count(True) == 1
    assert not (game.lost and options["undo"])
