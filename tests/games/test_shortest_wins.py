"""`Game.shortest`: no win is shorter, and in each game some deal can be won in as many moves."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, count
from typing import Any

import numpy as np
import pytest

from parlour.agents.registry import load_agent
from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import RANKS, SUITS, deal_seeds, default_deal_set
from parlour.envs.core.legal import list_actions
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows
from parlour.envs.core.rules_table import random_options
from parlour.envs.games.klondike.rules import (
    COLUMN_UP,
    COLUMNS,
    STOCK_SIZE,
    TABLEAU_SIZE,
    WASTE_UP,
    deck_place,
)
from parlour.envs.games.puss_in_the_corner.rules import DEAL as NEXT_GROUP
from parlour.envs.games.puss_in_the_corner.rules import FOUNDATION, PILES, PLACE, PLAY
from parlour.training.evaluation.labels.labels import SHIPPED_FOLDER, check_values, load_labels
from parlour.training.evaluation.play import play_deals
from tests.marks import slow_if

PYRAMID, KLONDIKE, PUSS = (GAMES[name] for name in ("pyramid", "klondike", "puss_in_the_corner"))
WON = [game for game in GAMES.values() if game.measure == "won"]
"""The games that are won, not played for a score."""
OPTION_SETS = 60

# Pyramid: decks that can be won in the fewest moves

FIRST_EXTRA, FIRST_WASTE, STOCK, DEAL = 28, 35, 38, 39
TRIPLES = [(top, top - 1, top - 2) for top in range(27, 10, -3)]
PAIRS = [(top, top - 1) for top in range(27, 2, -2)]
Removal = tuple[int, ...]


def removals_of_the_pyramid(rules: Any) -> list[Removal]:
    """Removals by which the pyramid goes in the fewest moves, without a card from elsewhere."""
    if rules.many_sum:
        last = [(2, 1, 0)] if rules.match_cover else [(2, 1), (0,)]
        return [*TRIPLES, (9, 8, 7, 6), (5, 4, 3), *last]
    return [*PAIRS, (1, 0)] if rules.match_cover else [*PAIRS, (1,), (0,)]


def choose_values(sizes: list[int], left: dict[int, int]) -> Iterator[list[tuple[int, ...]]]:
    """For each size, the card values that total 13, out of the remaining ones."""
    if not sizes:
        yield []
        return
    for values in combinations_with_replacement(sorted(left, reverse=True), sizes[0]):
        if sum(values) == 13 and all(left[value] >= values.count(value) for value in set(values)):
            rest = {value: number - values.count(value) for value, number in left.items()}
            for others in choose_values(sizes[1:], rest):
                yield [values, *others]


def plan_pyramid(rules: Any) -> tuple[dict[int, int], list[Removal]]:
    """Values at deck positions, and the removals that they allow, first of all the longest."""
    removals = removals_of_the_pyramid(rules)
    order = sorted(removals, key=len, reverse=True)
    pack = dict.fromkeys(range(1, 14), 4)
    values = next(choose_values([len(removal) for removal in order], pack))
    chosen = dict(zip(order, values, strict=True))
    places = [place for removal in removals for place in removal]
    numbers = [value for removal in removals for value in chosen[removal]]
    return dict(zip(places, numbers, strict=True)), removals


def stock_in_order(rules: Any, first: int) -> Iterator[tuple[int, int]]:
    """The positions of the stock in the order in which they come into play, and their places."""
    piles, turn = (1, 1) if rules.held else (rules.waste_piles, rules.turn)
    size = piles * turn
    while first < 52:
        if rules.stock_play and not (rules.first_deal and first in (28, 35)):
            yield first, STOCK
            first += 1
            continue
        for pile in range(piles):
            start = min(first + pile * turn, 52)
            for position in reversed(range(start, min(start + turn, 52))):
                yield position, STOCK if rules.held else FIRST_WASTE + pile
        first += size


def plan_all_cards(rules: Any) -> tuple[dict[int, int], list[Removal]]:
    """As `plan_pyramid`, for all 52 cards.

    The kings lie on top. The rest of the pyramid has even values and no two of them total 13, so a
    DEAL is never withheld. Each of them goes with an odd one, as soon as that is in play.
    """
    even = [value for value in range(2, 13, 2) for _ in SUITS]
    outside = list(stock_in_order(rules, 35 if rules.extra_row else 28))
    if rules.extra_row:
        outside = [(place, place) for place in range(FIRST_EXTRA, FIRST_WASTE)] + outside
    placed, removals = dict.fromkeys(range(4), 13), []
    for slot, value, (position, place) in zip(range(27, 3, -1), even, outside, strict=True):
        placed |= {slot: value, position: 13 - value}
        removals.append((place, slot))
    return placed, removals


def make_deck(placed: dict[int, int]) -> list[str]:
    """A deck with values at deck positions."""
    pack = {value: [RANKS[value - 1] + suit for suit in SUITS] for value in range(1, 14)}
    deck = {position: pack[value].pop() for position, value in placed.items()}
    rest = [card for cards in pack.values() for card in cards]
    return [deck.get(position) or rest.pop() for position in range(52)]


def play_pyramid(rows: Rows, removals: list[Removal]) -> None:
    """Make the removals one after another. In between, remove free kings and deal as needed."""
    for removal in removals:
        while not can_click(rows, removal[0]):
            king = next((slot for slot in (3, 2, 1, 0) if can_click(rows, slot)), DEAL)
            rows.step(np.array([king]))
        for place in removal:
            rows.step(np.array([place]))
    for king in (3, 2, 1, 0):
        if can_click(rows, king):
            rows.step(np.array([king]))


def can_click(rows: Rows, action: int) -> bool:
    """Whether an action is legal in row 0."""
    return action in list_actions(rows.states["legal"][0])


# All games


def draw_rules(game: Any, number: int) -> Any:
    """The named rules, then random combinations of options."""
    names = list(game.variants)
    if number < len(names):
        return game.variants[names[number]]
    return game.make_rules(None, random_options(game, np.random.default_rng(number)))


def win_pyramid(rules: Any) -> Rows:
    """A game won in the fewest moves."""
    placed, removals = (plan_all_cards if rules.clear_all else plan_pyramid)(rules)
    rows = Rows(PYRAMID, rules, 1)
    rows.deal_deck(make_deck(placed))
    play_pyramid(rows, removals)
    return rows


def win_klondike(rules: Any) -> Rows:
    """A game won in the fewest moves: each card goes from where it is dealt to its foundation."""
    order = [rank + suit for rank in RANKS for suit in SUITS]
    stock = []
    for first in range(0, STOCK_SIZE, rules.draw):
        stock += order[first : first + rules.draw][::-1]
    deck = [""] * TABLEAU_SIZE + stock
    rest = iter(order[STOCK_SIZE:])
    for column in range(COLUMNS):
        for row in reversed(range(column + 1)):
            deck[deck_place(column, row)] = next(rest)
    rows = Rows(KLONDIKE, rules, 1)
    rows.deal_deck(deck)
    builds = [WASTE_UP, *range(COLUMN_UP, COLUMN_UP + COLUMNS), 0]
    while not rows.states["over"][0]:
        rows.step(np.array([next(action for action in builds if can_click(rows, action))]))
    return rows


def win_puss(rules: Any) -> Rows:
    """A game won in the fewest moves: the cards come in the order in which they are built."""
    rows = Rows(PUSS, rules, 1)
    rows.deal_deck([rank + suit for rank in RANKS[1:] for suit in SUITS])
    for number in count():
        if rows.states["over"][0]:
            break
        place = PLACE + number % PILES
        wanted = [FOUNDATION, *range(PLAY, PLAY + PILES), place, NEXT_GROUP]
        rows.step(np.array([next(action for action in wanted if can_click(rows, action))]))
    return rows


@pytest.mark.parametrize("number", [slow_if(n % 4 > 0, n) for n in range(OPTION_SETS)])
@pytest.mark.parametrize("win", [win_pyramid, win_klondike, win_puss])
def test_some_deal_is_won_in_the_fewest_moves(win: Any, number: int) -> None:
    game = {win_pyramid: PYRAMID, win_klondike: KLONDIKE, win_puss: PUSS}[win]
    rules = draw_rules(game, number)
    state = win(rules).states[0]
    assert state["won"], to_plain(rules)
    assert state["moves"] == game.shortest(rules), to_plain(rules)


@pytest.mark.parametrize(
    ("many_sum", "match_cover"),
    [
        (False, False),
        slow_if(True, False, True),
        slow_if(True, True, False),
        slow_if(True, True, True),
    ],
)
def test_solver_finds_no_shorter_win_in_such_deals(many_sum: bool, match_cover: bool) -> None:
    assert PYRAMID.solve is not None
    for passes in (1, 3):
        options = {"many_sum": many_sum, "match_cover": match_cover, "passes": passes}
        rules = PYRAMID.make_rules(None, options)
        deck = make_deck(plan_pyramid(rules)[0])
        assert PYRAMID.solve(deck, rules, optimal=True).fewest == PYRAMID.shortest(rules)


@pytest.mark.parametrize(
    ("options", "moves"),
    [
        ({}, 15),
        ({"covered_kings": True, "extra_row": True}, 15),
        ({"match_cover": True}, 14),
        ({"many_sum": True}, 10),
        ({"many_sum": True, "match_cover": True}, 9),
        ({"clear_all": True}, 52),
        ({"clear_all": True, "extra_row": True}, 45),
        ({"clear_all": True, "first_deal": True}, 51),
        ({"clear_all": True, "waste_piles": 3, "turn": 3}, 31),
        ({"clear_all": True, "held": True, "turn": 3}, 52),
        ({"clear_all": True, "stock_view": "top", "stock_play": True}, 28),
        ({"clear_all": True, "stock_view": "all", "stock_play": True, "first_deal": True}, 28),
    ],
)
def test_fewest_moves_of_pyramid_are_those_of_the_rules_page(
    options: dict[str, Any], moves: int
) -> None:
    assert PYRAMID.shortest(PYRAMID.make_rules(None, options)) == moves


@pytest.mark.parametrize("game", WON, ids=lambda game: game.name)
def test_no_game_is_won_in_fewer_moves(game: Any) -> None:
    seeds = deal_seeds(default_deal_set(game.name), range(200))
    for variant, rules in game.variants.items():
        results = play_deals(
            game, rules, load_agent("greedy", game, rules), seeds, evaluation_seed="shortest"
        )
        assert (results.facts["moves"][results.facts["won"]] >= game.shortest(rules)).all(), variant


def test_no_shipped_label_shows_fewer_moves() -> None:
    known = 0
    for path in sorted(SHIPPED_FOLDER.glob("*.parquet")):
        labels = load_labels(path)
        fewest = labels.fewest[labels.fewest >= 0]
        assert (fewest >= labels.game.shortest(labels.rules)).all(), path.name
        known += len(fewest) > 0
    assert known >= 6


@pytest.mark.parametrize("game", WON, ids=lambda game: game.name)
def test_a_label_of_fewer_moves_is_refused(game: Any) -> None:
    for rules in game.variants.values():
        least = game.shortest(rules)
        columns = {
            "winnable": np.array([1, 1], np.int8),
            "fewest": np.array([least, least - 1], np.int16),
            "nodes": np.array([5, 5]),
        }
        output = f"column fewest must be -1 or at least {least}, got {least - 1} at deal 8"
        with pytest.raises(ValueError, match=output):
            check_values(game, rules, 7, columns)
