"""The reference Poker Squares against its rule page, option by option."""

import itertools
import math
import random
from collections import Counter
from typing import Any

import pytest

from tests.reference.poker_squares import (
    AMERICAN,
    CATEGORIES,
    CENTRE,
    ENGLISH,
    LINES,
    PACK,
    RANKS,
    PokerSquares,
    hand,
    neighbours,
    refused,
)

EVERYWHERE = set(range(25))

# Row by row royal flush, straight flush, four of a kind, full house, flush; column by column
# straight, three times high card but for a pair in the fourth.
RICH = """
    Ah Jh Qh Kh Th
    5s 6s 7s 8s 9s
    3c 3d 3h 3s 2c
    4c 4d 4h Kd Kc
    2d 7d 8d Jd Qd
"""

# Royal flush, straight flush and two flushes in rows, nothing else
SEVENTY = """
    Ah Kh Qh Jh Th
    5s 6s 7s 8s 9s
    9c 8c 3c 2c 6c
    8d 2d 9d 4d 3d
    2h 3s 4c Ks Qs
"""

# The same with one flush less, and a pair in each of the first four columns
SIXTY_NINE = """
    Ah Kh Qh Jh Th
    5s 6s 7s 8s 9s
    9c 8c 3c 2c 6c
    8d 2d 9d 4d 3h
    5h 6h 7h 8h Qs
"""

SPIRAL = [12, 13, 8, 7, 6, 11, 16, 17, 18, 19, 14, 9, 4, 3, 2, 1, 0, 5, 10, 15, 20, 21, 22, 23, 24]


def deck_with(first: str = "") -> list[str]:
    """A deck that begins with these cards; then the rest in pack order, aces first."""
    begin = first.split()
    return begin + [card for card in PACK if card not in begin]


def play(game: PokerSquares, *squares: int) -> PokerSquares:
    """The game after these placings."""
    for square in squares:
        game.step(square)
    return game


def fill(picture: str, order: list[int], **options: Any) -> PokerSquares:
    """A finished game that looks like `picture`, its squares filled in this order."""
    cards = picture.split()
    game = PokerSquares(deck_with(" ".join(cards[square] for square in order)), **options)
    play(game, *(order[1:] if options.get("starter") else order))
    assert game.grid == cards
    return game


# Hands


@pytest.mark.parametrize(
    ("cards", "category"),
    [
        ("2c 4d 6h 8s Tc", "high card"),
        ("2c 2d 6h 8s Tc", "pair"),
        ("Ac Kd Ah Qs Jc", "pair"),
        ("2c 6d 2h 6s Tc", "two pair"),
        ("2c 6d 2h 8s 2d", "three of a kind"),
        ("2c 6d 2h 6s 2d", "full house"),
        ("2c 2d Ah 2s 2h", "four of a kind"),
        ("7c 5d 6h 9s 8c", "straight"),
        ("Ac 2d 3h 4s 5c", "straight"),
        ("Ts Jd Qh Kc Ac", "straight"),
        ("9s Td Jh Qc Kc", "straight"),
        ("2h 4h 6h 8h Th", "flush"),
        ("Ah Kh Qh Jh 9h", "flush"),
        ("5d 6d 7d 8d 9d", "straight flush"),
        ("9h Th Jh Qh Kh", "straight flush"),
        ("As 2s 3s 4s 5s", "straight flush"),
        ("Ts Js Qs Ks As", "royal flush"),
    ],
)
def test_each_category_in_whatever_order(cards: str, category: str) -> None:
    assert {hand(order) for order in itertools.permutations(cards.split())} == {category}


@pytest.mark.parametrize("ranks", ["JQKA2", "QKA23", "KA234"])
def test_no_straight_goes_round_the_corner(ranks: str) -> None:
    suits = "cdhsc"
    assert hand([rank + suit for rank, suit in zip(ranks, suits, strict=True)]) == "high card"
    assert hand([rank + "d" for rank in ranks]) == "flush", "nor a straight flush"


@pytest.mark.parametrize("suit", "cdhs")
def test_all_suits_are_alike(suit: str) -> None:
    assert hand([rank + suit for rank in "AKQJT"]) == "royal flush"
    assert hand([rank + suit for rank in "5432A"]) == "straight flush"
    assert hand([rank + suit for rank in "A2346"]) == "flush"


@pytest.mark.parametrize(
    ("cards", "category"),
    [
        ("2h 4h 6h 8h Tc", "high card"),
        ("2h 3c 4h 5h 7c", "high card"),
        ("2h 3h 4h 5h 5c", "pair"),
    ],
)
def test_four_of_a_suit_or_four_in_a_row_are_nothing(cards: str, category: str) -> None:
    assert hand(cards.split()) == category


def test_every_category_is_as_frequent_as_it_should_be() -> None:
    """All 2 598 960 hands, those of the same ranks and the same flush counted at once."""
    result: Counter[str] = Counter()
    for ranks in itertools.combinations_with_replacement(RANKS, 5):
        counts = Counter(ranks)
        if max(counts.values()) == 5:
            continue
        ways = math.prod(math.comb(4, count) for count in counts.values())
        if len(counts) == 5:
            result[hand([rank + "s" for rank in ranks])] += 4
            ways -= 4
        # equal ranks stand side by side, so that no card comes twice
        mixed = [rank + "cdhsc"[at] for at, rank in enumerate(ranks)]
        result[hand(mixed)] += ways
    assert [result[category] for category in CATEGORIES] == [
        1_302_540,
        1_098_240,
        123_552,
        54_912,
        10_200,
        5_108,
        3_744,
        624,
        36,
        4,
    ]


def test_a_hand_has_five_different_cards() -> None:
    for cards in ("2c 3c 4c 5c", "2c 3c 4c 5c 6c 7c", "2c 2c 4c 5c 6c", "2c 3c 4c 5c 1c"):
        with pytest.raises(ValueError, match="not five cards"):
            hand(cards.split())


# Points


def test_the_two_tables() -> None:
    assert list(AMERICAN) == list(ENGLISH) == CATEGORIES
    assert list(AMERICAN.values()) == [0, 2, 5, 10, 15, 20, 25, 50, 75, 100]
    assert list(ENGLISH.values()) == [0, 1, 3, 6, 12, 5, 10, 16, 30, 30]


def test_a_whole_game_with_american_points() -> None:
    game = fill(RICH, list(range(25)))
    assert game.score == (100 + 75 + 50 + 25 + 20) + (15 + 2)
    assert game.over and game.reached and game.moves == 25
    assert game.card is None and game.legal() == set()
    assert game.unseen == set(PACK) - set(RICH.split()) and len(game.unseen) == 27


def test_a_whole_game_with_english_points() -> None:
    game = fill(RICH, SPIRAL, scoring="english", starter=True, adjacent="all")
    assert game.score == (30 + 30 + 16 + 10 + 5) + (12 + 1)
    assert game.over and game.reached and game.moves == 24
    assert game.card is None and game.legal() == set() and len(game.unseen) == 27


def test_custom_points_go_from_high_card_to_royal_flush() -> None:
    game = fill(RICH, SPIRAL, scoring="custom", points=tuple(range(10)))
    assert game.score == (9 + 8 + 7 + 6 + 5) + (4 + 1)
    for at, lines in enumerate([3, 1, 0, 0, 1, 1, 1, 1, 1, 1]):
        points = [0] * 10
        points[at] = -7
        assert fill(RICH, SPIRAL, scoring="custom", points=points).score == -7 * lines


def test_custom_points_are_american_by_default_and_else_not_read() -> None:
    ones = (1,) * 10
    assert fill(RICH, SPIRAL, scoring="custom").score == 287
    assert fill(RICH, SPIRAL, scoring="american", points=ones).score == 287
    assert fill(RICH, SPIRAL, scoring="english", points=ones).score == 104
    assert fill(RICH, SPIRAL, scoring="custom", points=ones).score == 10


def test_the_order_of_placing_does_not_matter_at_the_end() -> None:
    rng = random.Random(1)
    assert {fill(RICH, rng.sample(range(25), 25)).score for _ in range(20)} == {287}


def test_only_full_lines_score() -> None:
    game = PokerSquares(deck_with(RICH))
    play(game, 0, 1, 2, 3)
    assert game.score == 0, "four cards to a royal flush"
    assert play(game, 4).score == 100
    assert play(game, 5, 6, 7, 8).score == 100
    assert play(game, 9).score == 175
    play(game, *range(10, 20))
    assert game.score == 250, "no column is full"
    assert play(game, 20).score == 265, "the first column is a straight"
    assert play(game, 21, 22).score == 265, "two columns with a high card only"
    assert play(game, 23).score == 267, "kings in the fourth column"
    assert play(game, 24).score == 287


def test_a_high_card_line_scores_only_when_full() -> None:
    points = (-3, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    game = PokerSquares(deck_with("2c 4d 6h 8s Tc"), scoring="custom", points=points)
    assert play(game, 0, 5, 10, 15).score == 0
    assert play(game, 20).score == -3


# Placing


def test_the_first_card_is_turned_up_at_once() -> None:
    game = PokerSquares(deck_with("Kd 7s"))
    assert game.card == "Kd" and game.grid == [None] * 25
    assert game.unseen == set(PACK) - {"Kd"} and game.legal() == EVERYWHERE
    assert game.moves == game.score == 0 and not game.over and not game.reached
    play(game, 3)
    assert game.card == "7s" and game.grid[3] == "Kd" and game.moves == 1
    assert game.unseen == set(PACK) - {"Kd", "7s"}
    assert game.legal() == EVERYWHERE - {3}


def test_a_starter_lies_in_the_centre() -> None:
    game = PokerSquares(deck_with("Kd 7s"), starter=True)
    assert game.grid[CENTRE] == "Kd" and game.grid.count(None) == 24
    assert game.card == "7s" and game.moves == 0
    assert game.unseen == set(PACK) - {"Kd", "7s"}
    assert game.legal() == EVERYWHERE - {CENTRE}, "anywhere else by default"


def test_a_starter_counts_in_its_row_and_column() -> None:
    game = PokerSquares(deck_with("Kd Ks 2c 4c 6c Kh 3c 5s 7s"), starter=True)
    play(game, 10, 11, 13)
    assert game.score == 0
    assert play(game, 14).score == 2, "a pair of kings in the row"
    assert play(game, 2, 7, 17, 22).score == 4, "and one in the column"


def test_neighbours() -> None:
    assert neighbours(12) == {7, 11, 13, 17}
    assert neighbours(0) == {1, 5} and neighbours(4) == {3, 9}
    assert neighbours(20) == {15, 21} and neighbours(24) == {19, 23}
    assert neighbours(5) == {0, 6, 10} and neighbours(22) == {17, 21, 23}


def test_adjacent_all_with_a_starter() -> None:
    game = PokerSquares(PACK, starter=True, adjacent="all")
    assert game.legal() == {7, 11, 13, 17}
    assert play(game, 7).legal() == {2, 6, 8, 11, 13, 17}
    assert play(game, 8).legal() == {2, 3, 6, 9, 11, 13, 17}
    assert play(game, 9).legal() == {2, 3, 4, 6, 11, 13, 14, 17}, "10 is a row further down"


def test_adjacent_all_without_a_starter() -> None:
    game = PokerSquares(PACK, adjacent="all")
    assert game.legal() == EVERYWHERE
    assert play(game, 4).legal() == {3, 9}, "not 5, and not the 8 only diagonal to it"
    assert play(game, 9).legal() == {3, 8, 14}


def test_adjacent_first_with_a_starter() -> None:
    game = PokerSquares(PACK, starter=True, adjacent="first")
    assert game.legal() == {7, 11, 13, 17}
    assert play(game, 17).legal() == EVERYWHERE - {12, 17}
    assert play(game, 0).legal() == EVERYWHERE - {0, 12, 17}


def test_adjacent_first_without_a_starter_asks_nothing() -> None:
    game = PokerSquares(PACK, adjacent="first")
    assert game.legal() == EVERYWHERE
    assert play(game, 0).legal() == EVERYWHERE - {0}


@pytest.mark.parametrize("starter", [False, True])
def test_adjacent_none(starter: bool) -> None:
    game = PokerSquares(PACK, starter=starter, adjacent="none")
    taken = {CENTRE} if starter else set()
    for square in (0, 24, 4, 20):
        assert game.legal() == EVERYWHERE - taken
        play(game, square)
        taken.add(square)


@pytest.mark.parametrize("square", [-1, 25, 12, 6, 100])
def test_illegal_squares(square: int) -> None:
    game = PokerSquares(PACK, starter=True, adjacent="all")
    with pytest.raises(ValueError, match="illegal square"):
        game.step(square)
    assert game.moves == 0 and game.card == PACK[1] and game.grid.count(None) == 24


def test_a_taken_square_is_illegal_and_so_is_any_at_the_end() -> None:
    game = play(PokerSquares(PACK), 3)
    with pytest.raises(ValueError, match="illegal square 3"):
        game.step(3)
    finished = fill(RICH, SPIRAL)
    for square in range(25):
        with pytest.raises(ValueError, match="illegal square"):
            finished.step(square)


# The target


def test_target_of_its_own() -> None:
    assert fill(RICH, SPIRAL, target=287).reached
    assert not fill(RICH, SPIRAL, target=288).reached
    assert fill(RICH, SPIRAL, scoring="english", target=104).reached
    assert not fill(RICH, SPIRAL, scoring="english", target=105).reached


def test_target_70_with_english_points() -> None:
    seventy = fill(SEVENTY, SPIRAL, scoring="english")
    assert seventy.score == 70 and seventy.reached
    sixty_nine = fill(SIXTY_NINE, SPIRAL, scoring="english")
    assert sixty_nine.score == 69 and not sixty_nine.reached


def test_target_200_with_american_and_custom_points() -> None:
    cards = RICH.split()
    cards[0], cards[20] = cards[20], cards[0]  # neither a royal flush nor a flush any more
    game = fill(" ".join(cards), SPIRAL)
    assert game.score == 167 and not game.reached
    for royal_flush, reached in ((99, False), (100, True)):
        points = (0, 0, 0, 0, 0, 0, 0, 0, 100, royal_flush)
        assert fill(RICH, SPIRAL, scoring="custom", points=points).reached is reached


def test_target_is_reached_at_the_end_only() -> None:
    game = play(PokerSquares(deck_with(RICH), target=1), *range(24))
    assert game.score > 200 and not game.reached
    assert play(game, 24).reached


# Options


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"starter": True, "adjacent": "all"},
        {"adjacent": "first"},
        {"scoring": "english", "target": 70},
        {"scoring": "custom", "points": (-128, 127, 0, 0, 0, 0, 0, 0, 0, 0)},
        {"points": [0] * 10},
        {"target": 0},
        {"target": 1270},
    ],
)
def test_options_that_may_be(options: dict[str, Any]) -> None:
    assert not refused(options)
    PokerSquares(PACK, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"starter": 1},
        {"starter": "yes"},
        {"starter": None},
        {"adjacent": "diagonal"},
        {"adjacent": "All"},
        {"adjacent": True},
        {"scoring": "british"},
        {"scoring": 0},
        {"points": (0,) * 9},
        {"points": (0,) * 11},
        {"points": ()},
        {"points": 10},
        {"points": "0123456789"},
        {"points": (*(0,) * 9, 128)},
        {"points": (-129, *(0,) * 9)},
        {"points": (*(0,) * 9, 1.0)},
        {"points": (*(0,) * 9, True)},
        {"scoring": "english", "points": (0,) * 9},
        {"target": -1},
        {"target": 1271},
        {"target": 70.0},
        {"target": True},
        {"target": "70"},
        {"target": None},
    ],
)
def test_refused_options(options: dict[str, Any]) -> None:
    assert refused(options)
    with pytest.raises(ValueError, match="refused"):
        PokerSquares(PACK, **options)


def test_unknown_options_are_refused() -> None:
    assert refused({"wild": True}) and refused({"starter": True, "": 0})


def test_the_deck_must_be_a_pack() -> None:
    for deck in (PACK[:51], [*PACK[:51], "Ac"], [*PACK, "Ac"], ["10c", *PACK[1:]]):
        with pytest.raises(ValueError, match="pack"):
            PokerSquares(deck)


def test_the_deck_is_left_as_it_is() -> None:
    deck = list(PACK)
    play(PokerSquares(deck, starter=True), 0, 1, 2)
    assert deck == PACK


@pytest.mark.parametrize("seed", range(30))
def test_random_games_keep_their_cards_and_end(seed: int) -> None:
    """Random options, random squares: no card is lost or moved, and the lines make the total."""
    rng = random.Random(seed)
    options: dict[str, Any] = {
        "starter": rng.random() < 0.5,
        "adjacent": rng.choice(["none", "first", "all"]),
        "scoring": rng.choice(["american", "english"]),
    }
    deck = rng.sample(PACK, 52)
    game = PokerSquares(deck, **options)
    first = 1 if options["starter"] else 0
    while not game.over:
        before, score, at = list(game.grid), game.score, first + game.moves
        assert game.card == deck[at] and game.unseen == set(deck[at + 1 :])
        square = rng.choice(sorted(game.legal()))
        game.step(square)
        assert game.grid[square] == deck[at]
        assert [old for old, new in zip(before, game.grid, strict=True) if old != new] == [None]
        assert game.score >= score
    assert game.moves == 25 - first and game.unseen == set(deck[25:])
    table = AMERICAN if options["scoring"] == "american" else ENGLISH
    hands = [hand([str(game.grid[square]) for square in line]) for line in LINES]
    assert game.score == sum(table[each] for each in hands) and len(hands) == 10
