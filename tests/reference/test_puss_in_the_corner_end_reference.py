"""The reference Puss in the Corner: how games end, which options are refused, random games."""

import copy
import random
from collections import Counter
from typing import Any

import pytest

from tests.reference.puss_in_the_corner import (
    DEAL,
    END,
    FOUNDATION,
    GATHER,
    PACKET,
    PILES,
    PLACE,
    PLAY,
    REDEAL,
    SUITS,
    PussInTheCorner,
    is_black,
    refused,
    value,
)
from tests.reference.puss_in_the_corner_games import (
    FALLING,
    RISING,
    buried,
    deal_out,
    deck_with,
    play,
    two_on_top,
)

# The end


@pytest.mark.parametrize("suits", [False, True])
def test_a_pile_from_king_to_two_wins(suits: bool) -> None:
    game = play(PussInTheCorner(FALLING, suits=suits, max_moves=96), *[PLACE[0]] * 48)
    play(game, *[PLAY[0]] * 47)
    assert game.score == 51 and not game.over
    play(game, PLAY[0])
    assert game.won and game.over and not game.lost and not game.truncated
    assert game.score == 52 and game.foundations == [13, 13, 13, 13]
    assert game.legal() == set() and game.moves == 96 and game.redeals_used == 0


def test_winning_with_a_redeal_left_and_hold_back() -> None:
    game = deal_out(PussInTheCorner(FALLING, hold_back=True), "1")
    for _ in range(48):
        assert game.legal() == {PLAY[0], REDEAL}
        play(game, PLAY[0])
    assert game.won and game.legal() == set()


def test_winning_with_the_card_turned_up() -> None:
    game = play(PussInTheCorner(RISING, direct=True), *[FOUNDATION] * 48)
    assert game.won and game.moves == 48 and game.card is None and game.group_left == 0


def place_by_rank(game: PussInTheCorner, *piles: str) -> PussInTheCorner:
    """Place all 48 cards, each rank on the pile whose word names it; play nothing."""
    for _ in range(48):
        if game.card is None:
            game.step(DEAL)
        rank = str(game.card)[0]
        game.step(next(PLACE[pile] for pile in PILES if rank in piles[pile]))
    return game


def test_sorting_in_the_first_pass_wins_in_the_second() -> None:
    game = place_by_rank(PussInTheCorner(RISING, hold_back=True), "TJQK", "789", "456", "23")
    play(game, REDEAL)
    assert "".join(card[0] for card in game.stock[3::4]) == "JQK78945623"
    place_by_rank(game, "T742", "J853", "Q96", "K")
    while not game.over:
        game.step(min(game.legal() - {END}))
    assert game.won and game.redeals_used == 1 and game.score == 52
    assert game.moves == 48 + 11 + 1 + 48 + 11 + 48


def test_max_moves_truncates() -> None:
    game = play(PussInTheCorner(FALLING, max_moves=3), 0, 0)
    assert not game.over
    play(game, 0)
    assert game.truncated and game.over and not game.won and not game.lost
    assert game.legal() == set() and game.moves == 3
    assert game.card == "Ks" and game.group_left == 1
    with pytest.raises(ValueError, match="illegal"):
        game.step(PLACE[0])


def test_what_happens_by_itself_is_no_move_and_still_happens() -> None:
    redealt = deal_out(PussInTheCorner(buried(), max_moves=48))
    assert redealt.truncated and redealt.redeals_used == 1 and redealt.card == "Kc"
    gathering = deal_out(PussInTheCorner(buried(), choose_pickup=True, max_moves=49))
    assert not gathering.over
    play(gathering, GATHER[1])
    assert gathering.truncated and gathering.gathering == [1] and gathering.redeals_used == 0


def test_the_last_move_may_lose() -> None:
    lost = deal_out(PussInTheCorner(buried(), redeals=0, max_moves=48))
    assert lost.lost and not lost.truncated
    rules: dict[str, Any] = {"hold_back": True, "redeals": 0}
    ended = deal_out(PussInTheCorner(two_on_top(), max_moves=60, **rules))
    assert ended.moves == 59, "48 cards and 11 deals"
    assert play(ended, END).lost and not ended.truncated


# Illegal actions


def assert_all_others_illegal(game: PussInTheCorner) -> None:
    """Every action that is not legal is refused and changes nothing."""
    before = copy.deepcopy(vars(game))
    for action in {*range(-1, 29)} - game.legal():
        with pytest.raises(ValueError, match=f"illegal action {action};"):
            game.step(action)
    assert vars(game) == before


def test_illegal_actions() -> None:
    assert_all_others_illegal(PussInTheCorner(RISING))
    assert_all_others_illegal(play(PussInTheCorner(RISING), 0, 1, 2, 3))
    assert_all_others_illegal(PussInTheCorner(FALLING, direct=True))
    free: dict[str, Any] = {"hold_back": True, "choose_pickup": True}
    game = PussInTheCorner(two_on_top(), **free)
    assert_all_others_illegal(deal_out(game))
    assert_all_others_illegal(play(game, REDEAL))
    assert_all_others_illegal(play(game, GATHER[0]))
    assert_all_others_illegal(deal_out(PussInTheCorner(buried(), redeals=0)))
    assert_all_others_illegal(play(PussInTheCorner(deck_with("Kc Kd 7h"), sevens=True), 0, 2))


# Options


def test_good_options() -> None:
    assert not refused({})
    for redeals in (0, 1, 2):
        assert not refused({"redeals": redeals})
    for size in (1, 4):
        assert not refused({"deal_size": size})
    for switch in ("hold_back", "choose_pickup", "direct", "suits", "sevens", "next_open"):
        assert not refused({switch: True}) and not refused({switch: False})
    assert not refused({"max_moves": 1}) and not refused({"redeals": 0, "choose_pickup": True})


@pytest.mark.parametrize(
    "options",
    [
        {"redeals": -1},
        {"redeals": 3},
        {"redeals": True},
        {"redeals": 1.0},
        {"redeals": None},
        {"deal_size": 0},
        {"deal_size": 2},
        {"deal_size": 3},
        {"deal_size": 5},
        {"deal_size": True},
        {"hold_back": 1},
        {"choose_pickup": 0},
        {"direct": "yes"},
        {"suits": None},
        {"sevens": 7},
        {"sevens": None},
        {"next_open": 1},
        {"next_open": "top"},
        {"max_moves": 0},
        {"max_moves": True},
        {"max_moves": 9.5},
        {"passes": 1},
        {"suits": True, "redeal": 1},
    ],
)
def test_refused_options(options: dict[str, Any]) -> None:
    assert refused(options)


def test_refused_options_make_no_game() -> None:
    with pytest.raises(ValueError, match="refused"):
        PussInTheCorner(RISING, deal_size=2)


# Random games


def whole_pack(game: PussInTheCorner) -> bool:
    """Whether piles, stock and turned-up card are the pack without what the foundations hold."""
    cards = [card for pile in game.piles for card in pile] + game.stock
    if game.card is not None:
        cards.append(game.card)
    left = Counter((value(card), is_black(card[1])) for card in cards)
    for top, suit in zip(game.foundations, SUITS, strict=True):
        left.update((rank, is_black(suit)) for rank in range(2, top + 1))
    return len(cards) == len(set(cards)) and set(left.values()) == {2} and left.total() == 48


def check(game: PussInTheCorner, rules: dict[str, Any]) -> None:
    """What is so after every action, whatever the options."""
    assert whole_pack(game) and game.score == sum(game.foundations)
    assert (game.card is None) == (game.group_left == 0)
    seen = len(game.stock) if game.redeals_used else min(len(game.stock), rules["next_open"])
    assert [card for card in game.known_stock() if card is not None] == game.stock[:seen]
    assert game.group_left <= rules["deal_size"] and game.group_left <= len(game.stock) + 1
    assert game.redeals_used <= rules["redeals"]
    if game.card is not None or game.over:
        assert game.gathering == []
    assert bool(game.legal()) != game.over
    actions = game.legal()
    if not rules["hold_back"]:
        assert not actions & {DEAL, REDEAL, END}
        assert not (actions & set(PLAY) and actions - set(PLAY))
        assert game.card is not None or not actions & set(PACKET.values())
    if not rules["choose_pickup"]:
        assert not actions & set(GATHER)
    if not rules["sevens"]:
        assert not actions & set(PACKET.values())
    if not rules["direct"]:
        assert FOUNDATION not in actions
    for pile in PILES:
        assert game.piles[pile] or not actions & {PLAY[pile], GATHER[pile]}


@pytest.mark.parametrize("seed", range(80))
def test_random_games_keep_their_cards_and_end(seed: int) -> None:
    rng = random.Random(seed)
    rules: dict[str, Any] = {"redeals": rng.randrange(3), "deal_size": rng.choice([1, 4])}
    for switch in ("hold_back", "choose_pickup", "direct", "suits", "sevens", "next_open"):
        rules[switch] = rng.random() < 0.5
    game = PussInTheCorner(rng.sample(RISING, 48), **rules)
    check(game, rules)
    while not game.over:
        moves = game.moves
        game.step(rng.choice(sorted(game.legal())))
        assert game.moves == moves + 1
        check(game, rules)
    assert [game.won, game.lost, game.truncated].count(True) == 1
    assert not game.truncated, "500 moves are more than any game can take"
