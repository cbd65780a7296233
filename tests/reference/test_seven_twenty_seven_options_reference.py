"""The reference Seven Twenty-Seven: options, variants, and any hand at all."""

import copy
import random
from typing import Any

import pytest

from tests.reference.seven_twenty_seven import (
    BETS,
    CALL,
    DECLARE_7,
    DRAW,
    FOLD,
    NEARNESS,
    SevenTwentySeven,
    refused,
)
from tests.reference.seven_twenty_seven_dealt import MINI, MINI_GAME, PACK, new, play, until
from tests.reference.seven_twenty_seven_options import parts

VARIANTS: dict[str, dict[str, Any]] = {
    "home": {},
    "no-cap": {"max_raises": 60},
    "any-amount": {"max_bet": 25, "any_amount": True},
    "sarrett": {"rotating_lead": True, "perfect": True},
    "six": {"players": 6},
    "ten": {"players": 10},
    "bust": {"nearness": "over_is_bust"},
    "low-wins-ties": {"nearness": "under_beats_over"},
    "declare": {"declare": "simultaneous"},
    "open-cards": {"draw_up": True},
    "three-card": {"start_down": 2},
    "mini": MINI_GAME,
}


# Options


def test_half_tens_at_the_table() -> None:
    assert until(new("Th 6h", "Td 5d"), "over").net == [0, 0]
    assert until(new("Th 6h", "Td 5d", half_tens=True), "over").net == [1, -1]
    # 27 with the ten at its number; a seven more is over only there
    hands, options = ["Th Td", "5d 2d"], {"nearness": "over_is_bust", "then": "8h"}
    assert play(new(*hands, **options), DRAW).busted == [True, False]
    assert play(new(*hands, **options, half_tens=True), DRAW).busted == [False, False]


@pytest.mark.parametrize(
    ("amounts", "sizes"),
    [(1, [1, 0, 0, 0, 0]), (2, [1, 0, 1, 0, 0]), (3, [1, 1, 0, 1, 0]), (4, [1, 1, 1, 1, 0]),
     (5, [1, 1, 1, 1, 1]), (7, [2, 1, 2, 1, 1]), (25, [5] * 5), (1000, [200] * 5)],
)  # fmt: skip
def test_five_parts(amounts: int, sizes: list[int]) -> None:
    divided = parts(list(range(7, 7 + amounts)))
    assert [len(part) for part in divided] == sizes
    assert [one for part in divided for one in part] == list(range(7, 7 + amounts))


def test_any_amount_is_chosen_in_steps() -> None:
    game = until(new("5h Kh", "5d Kd", max_bet=25, any_amount=True), "bet")
    assert game.legal() == {CALL, *BETS} and game.bet_range == (0, 0)
    game.step(BETS[3])
    assert game.bet_range == (16, 20) and game.turn == 0 and game.paid == [1, 1]
    assert game.legal() == {*BETS}, "no way back"
    game.step(BETS[1])
    assert game.bet_range == (0, 0) and game.turn == 1 and game.paid == [18, 1]
    assert game.to_call == 17 and game.legal() == {FOLD, CALL, *BETS}
    play(game, BETS[0], BETS[4])
    assert game.paid == [18, 1 + 17 + 5] and game.turn == 0


def test_few_amounts_take_one_step() -> None:
    game = until(new("5h Kh", "5d Kd", max_bet=3, any_amount=True), "bet")
    assert game.legal() == {CALL, BETS[0], BETS[1], BETS[3]}
    assert play(game, BETS[3]).paid == [4, 1]


def test_an_illegal_action_goes_on_with_the_lowest_part() -> None:
    game = until(new("5h Kh", "5d Kd", max_bet=100, any_amount=True), "bet")
    game.step(BETS[4])
    assert [game.foul(), game.bet_range] == [BETS[0], (81, 84)]
    assert [game.foul(), game.paid] == [BETS[0], [82, 1]]


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_can_be_played(name: str) -> None:
    options = VARIANTS[name]
    assert not refused(options)
    deck = MINI if options.get("pack") == "mini" else PACK
    game = SevenTwentySeven(deck, 0, **options)
    while not game.over:
        game.step(DECLARE_7 if DECLARE_7 in game.legal() else max(game.legal() - {*BETS}))
    assert sum(game.net) == 0


def test_refused_options() -> None:
    good: list[dict[str, Any]] = [
        {},
        {"players": 2},
        {"players": 10, "start_down": 2},
        {"players": 3, "pack": "mini"},
        {"players": 2, "pack": "mini", "start_down": 2},
        {"min_bet": 5, "ante": 1000, "max_raises": 0},
        {"max_raises": 60},
        {"both_tie": "shares"},
        *({"bets_after": True, "declare": each} for each in ("simultaneous", "sequential")),
        {"nearness": "over_is_bust", "declare": "sequential", "max_extra": 9, "max_stands": 3},
    ]
    bad: list[dict[str, Any]] = [
        *({"players": players} for players in (1, 11, "4")),
        *({"ante": chips} for chips in (0, -1, True, 1.5)),
        {"min_bet": 0},
        {"min_bet": 6},
        {"max_raises": 61},
        {"max_raises": -1},
        {"start_down": 0},
        {"start_down": 3},
        {"max_extra": 10},
        {"max_stands": 4},
        {"nearness": "farthest"},
        {"declare": False},
        {"draw_up": 1},
        {"bet_first": 1},
        {"rotating_lead": "yes"},
        {"perfect": 1},
        {"bets_after": 1, "declare": "sequential"},
        {"bets_after": True},
        {"bets_after": True, "declare": "cards_speak"},
        {"both_tie": "wins"},
        {"both_tie": True},
        {"pack": "mini"},
        {"pack": "mini", "players": 3, "start_down": 2},
        {"cards": 3},
    ]
    assert [options for options in good if refused(options)] == []
    assert [options for options in bad if not refused(options)] == []
    with pytest.raises(ValueError, match="refused"):
        SevenTwentySeven(PACK, 0, players=11)


def test_the_mini_game_is_small() -> None:
    """One deal has 1263 histories, complete or not; there are 90 deals over ranks."""
    count, ahead = 0, [SevenTwentySeven(MINI, 1, **MINI_GAME)]
    while ahead:
        game = ahead.pop()
        count += 1
        ahead += [play(copy.deepcopy(game), action) for action in game.legal()]
    assert count == 1263


# Any hand at all


CHOICES: dict[str, list[Any]] = {
    "ante": [1, 3],
    "min_bet": [1, 2],
    "max_bet": [2, 5, 9],
    "max_raises": [0, 1, 3, 60],
    "start_down": [1, 2],
    "draw_up": [False, True],
    "nearness": list(NEARNESS),
    "declare": ["cards_speak", "simultaneous", "sequential"],
    "max_extra": [0, 1, 4],
    "max_stands": [0, 1, 3],
    "last_bets": [False, True],
    "half_tens": [False, True],
    "bet_first": [False, True],
    "rotating_lead": [False, True],
    "perfect": [False, True],
    "bets_after": [False, True],
    "both_tie": ["loses", "shares"],
}


@pytest.mark.parametrize("seed", range(300))
def test_random_hands_conserve_chips_and_cards_and_end(seed: int) -> None:
    rng = random.Random(seed)
    options = {name: rng.choice(choices) for name, choices in CHOICES.items()}
    mini = rng.random() < 0.1
    pack = MINI if mini else PACK
    options |= {"players": 2 if mini else rng.randint(2, 10), "pack": "mini" if mini else "full"}
    players = options["players"]
    if options["declare"] == "cards_speak":
        options["bets_after"] = False
    game = SevenTwentySeven(rng.sample(pack, len(pack)), rng.randrange(players), **options)
    folding = rng.random()
    while not game.over:
        assert game.turn in game.live and len(game.live) > 1 and game.legal()
        assert game.net == [0] * players and game.won == [0] * players
        pot, paid, seat = game.pot, list(game.paid), game.turn
        actions = sorted(game.legal())
        if actions[0] == FOLD and rng.random() < folding:
            actions.remove(FOLD)
        if rng.random() < 0.03:
            game.foul()
        else:
            game.step(rng.choice(actions))
        assert game.pot == sum(game.paid) >= pot
        assert all(game.paid[each] == paid[each] for each in range(players) if each != seat)
        cards = [card for hand in game.hands for card, _ in hand] + game.stock
        assert sorted(cards) == sorted(pack)
        assert game.taken == [len(rounds) for rounds in game.drew_in]
    assert game.turn is None and game.legal() == set()
    assert sum(game.net) == 0 and sum(game.won) == game.pot
    assert all(game.won[seat] == 0 for seat in range(players) if seat not in game.live)
    assert all(game.won[seat] >= 0 for seat in range(players))
    assert not any(game.busted) or options["nearness"] == "over_is_bust"
