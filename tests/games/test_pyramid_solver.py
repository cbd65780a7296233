"""The solver of Pyramid against an exhaustive search through the reference game."""

import copy
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.cards import PACK
from parlour.envs.core.jit import plain as as_python
from parlour.envs.core.options import plain
from parlour.envs.core.rows import Rows, taken
from parlour.envs.core.truth import Solution
from parlour.envs.pyramid.solver import outcomes, solve
from parlour.envs.pyramid.table import put, show_stock, show_waste
from tests.reference.match import legal_now
from tests.reference.pyramid import (
    COVERERS,
    DEAL,
    EXTRA,
    PYRAMID,
    RANKS,
    REDEAL,
    STOCK_TOP,
    SUITS,
    WASTE_TOPS,
    Position,
    Pyramid,
)
from tests.walkers import random_options

GAME = GAMES["pyramid"]
ACTIONS = GAME.actions
ENDLESS = 10**9
"""A ``max_moves`` that is never met."""

# The exhaustive search


def forked(game: Pyramid) -> Pyramid:
    """A copy of a reference game that can be played on by itself."""
    twin, now = copy.copy(game), game._now
    twin._now = Position(
        list(now.pyramid),
        list(now.extra),
        list(now.stock),
        [list(pile) for pile in now.wastes],
        now.passes_used,
        now.removal_was_legal,
    )
    twin.picked = list(game.picked)
    return twin


def key_of(game: Pyramid) -> tuple[Any, ...]:
    """All that the rest of the game depends on."""
    now = game._now
    memory = now.passes_used if game._rules.passes else now.removal_was_legal
    cards = (now.pyramid, now.extra, now.stock, *now.wastes)
    return (*map(tuple, cards), memory)


class Exhaustive:
    """Every position that can come of one, breadth first, and how far each is from a win.

    ``games``: the positions, the first first. ``after``: for each its whole moves, clicks and the
    number of the position that they lead to. ``far``: for each the fewest moves to a win, None
    where there is none. ``complete`` is False, and the rest is of no use, if there are more than
    ``most``.
    """

    def __init__(self, game: Pyramid, most: int) -> None:
        self.games = [game]
        self.after: list[list[tuple[tuple[int, ...], int]]] = []
        self.numbers = {key_of(game): 0}
        self.before: list[list[int]] = [[]]
        while len(self.after) < len(self.games) <= most:
            self.after.append(self.moves_from(len(self.after)))
        self.complete = len(self.after) == len(self.games)
        self.far = self.distances()

    def moves_from(self, at: int) -> list[tuple[tuple[int, ...], int]]:
        game = self.games[at]
        turns = [(action,) for action in game.legal() if action >= DEAL]
        found = []
        for clicks in [] if game.over else [*game._removals, *turns]:
            twin = forked(game)
            twin.picked = [click for click in clicks if click < DEAL]
            twin._make_move(clicks[-1])
            to = self.numbers.setdefault(key_of(twin), len(self.games))
            if to == len(self.games):
                twin._settle()
                self.games.append(twin)
                self.before.append([])
            self.before[to].append(at)
            found.append((clicks, to))
        return found

    def distances(self) -> list[int | None]:
        far: list[int | None] = [0 if game.won else None for game in self.games]
        queue = deque(at for at, moves in enumerate(far) if moves == 0)
        while queue:
            at = queue.popleft()
            moves = far[at]
            assert moves is not None
            for back in self.before[at]:
                if far[back] is None:
                    far[back] = moves + 1
                    queue.append(back)
        return far

    def answer(self, at: int, picked: Sequence[int] = ()) -> tuple[int | None, np.ndarray]:
        """The fewest moves to a win, and for each action 1 where a win is left after it.

        ``picked``: the clicks made of a removal not yet complete.
        """
        values, best = np.zeros(ACTIONS, np.float32), self.far[at] if not picked else None
        for clicks, to in self.after[at]:
            moves = self.far[to]
            if clicks[: len(picked)] == tuple(picked) and moves is not None:
                values[clicks[len(picked)]] = 1
                best = moves + 1 if best is None else min(best, moves + 1)
        return best, values


# One game in both


class Both:
    """A deck played in the kernel, row 0 of ``rows``, and in the reference, ``game``."""

    def __init__(self, rules: Any, deck: list[str]) -> None:
        self.rows = Rows(GAME, rules, 1)
        self.rows.deal_deck(deck)
        self.game = Pyramid(deck, max_moves=ENDLESS, **plain(rules))
        self.deck, self.actions = deck, list[int]()

    @property
    def state(self) -> np.ndarray:
        return taken(self.rows.states)

    @property
    def size(self) -> tuple[int, int]:
        """How many cards of the pyramid are left, how many of stock and waste."""
        now = self.game._now
        return 28 - self.game.score, len(now.stock) + sum(map(len, now.wastes))

    def play(self, actions: Iterable[int]) -> None:
        for action in actions:
            self.rows.step(np.array([action]))
            self.game.step(action)
            self.actions.append(action)


def check_wins(game: Pyramid, solution: Solution) -> None:
    """Play the solution in the reference."""
    assert solution.actions is not None and solution.moves is not None
    twin = forked(game)
    twin.moves = 0
    for action in solution.actions:
        twin.step(action)
    assert twin.won
    assert twin.moves == len(solution.moves)


def check(both: Both, fewest: int | None, values: np.ndarray) -> None:
    """Whatever the solver says of a position; ``fewest`` and ``values``: see `answer`."""
    assert legal_now(both.rows) == both.game.legal()
    rules = both.rows.rules
    quick, shortest = solve(both.state, rules), solve(both.state, rules, optimal=True)
    for solution in (quick, shortest):
        assert solution.winnable is (fewest is not None)
        if solution.winnable:
            check_wins(both.game, solution)
        else:
            assert solution.moves is solution.actions is solution.fewest is None
    assert quick.fewest is None
    assert shortest.fewest == fewest
    if shortest.moves is not None:
        assert len(shortest.moves) == fewest
    found = outcomes(both.state, rules)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, [values])


# Late positions

PYRAMID_LEFT, DECK_LEFT = 12, 8
"""At most so many cards of the pyramid, and of stock and waste, are left in a late position."""
MAX_REDEALS = 4


def is_late(size: tuple[int, int]) -> bool:
    """Whether few enough cards are left; see `Both.size`."""
    return size[0] <= PYRAMID_LEFT and size[1] <= DECK_LEFT



class Blind:
    """A game played with the backs up: where the cards are is known, the deck comes afterwards.

    Any two free cards may go together, any free card may be a king. ``moves``: the clicks of each
    move and the deck positions of the cards that went; ``sizes``: before each, as in `Both.size`.
    """

    def __init__(self, rules: Any, rng: np.random.Generator) -> None:
        self.rules, self.rng = rules, rng
        first = 35 if rules.extra_row else 28
        self.table, self.stock = set(range(first)), list(range(first, PACK))
        self.wastes: list[list[int]] = [[], [], []]
        self.redeals, self.kings, self.couples = 0, 4, 24
        self.eager = rng.choice([0.2, 0.4, 0.7, 0.95])
        self.moves: list[tuple[tuple[int, ...], list[int]]] = []
        self.sizes: list[tuple[int, int]] = []
        if rules.first_deal:
            self.deal()
        while not self.is_over():
            size, clicks = self.size, self.next_move()
            if not clicks:
                break
            self.sizes.append(size)
            self.moves.append((clicks, self.made(clicks)))

    @property
    def size(self) -> tuple[int, int]:
        return len(self.table & set(PYRAMID)), len(self.stock) + sum(map(len, self.wastes))

    def is_over(self) -> bool:
        if self.rules.clear_all:
            return not (self.table or self.stock or any(self.wastes))
        return not self.table & set(PYRAMID)

    def free(self) -> list[int]:
        """The places of the free cards, descending."""
        places = {p for p in self.table if not self.table & set(COVERERS.get(p, []))}
        places |= {WASTE_TOPS[pile] for pile in range(3) if self.wastes[pile]}
        if self.rules.stock_play and self.stock:
            places.add(STOCK_TOP)
        return sorted(places, reverse=True)

    def pairs(self, free: list[int]) -> list[tuple[int, ...]]:
        if not self.couples:
            return []
        found = [(one, other) for one in free for other in free if one > other]
        for place in self.table & set(PYRAMID) if self.rules.match_cover else ():
            covers = self.table & set(COVERERS[place])
            if len(covers) == 1 and covers <= set(free):
                found.append((*covers, place))
        return found

    def next_move(self) -> tuple[int, ...]:
        """Most often a card of the deck with one of the table, else a turn; () if nothing can be."""
        free = self.free()
        pairs = self.pairs(free)
        kings = sorted(self.table & set(PYRAMID) | set(free)) if self.rules.covered_kings else free
        mixed = [pair for pair in pairs if pair[0] > 34 and (pair[1] < 28 or self.rules.clear_all)]
        if self.kings and kings and self.rng.random() < 0.1:
            return (int(self.rng.choice(kings)),)
        if mixed and self.rng.random() < self.eager:
            pair = mixed[self.rng.integers(len(mixed))]
            more = [place for place in free if place not in pair]
            if self.rules.many_sum and more and is_late(self.size) and self.rng.random() < 0.3:
                return tuple(sorted([*pair, int(self.rng.choice(more))], reverse=True))
            return pair
        if self.stock:
            return (DEAL,)
        passes = min(self.rules.passes or ENDLESS, MAX_REDEALS + 1)
        if any(self.wastes) and self.redeals + 1 < passes and self.rng.random() < 0.9:
            return (REDEAL,)
        if pairs:
            return pairs[self.rng.integers(len(pairs))]
        return (kings[0],) if self.kings and kings else ()

    def made(self, clicks: tuple[int, ...]) -> list[int]:
        """Make a move; return the deck positions of the cards that went."""
        if clicks == (DEAL,):
            self.deal()
            return []
        if clicks == (REDEAL,):
            self.stock = sorted(card for pile in self.wastes for card in pile)
            self.wastes = [[], [], []]
            self.redeals += 1
            return []
        self.kings -= len(clicks) == 1
        self.couples -= len(clicks) == 2
        return [self.taken(place) for place in clicks]

    def deal(self) -> None:
        for pile in self.wastes[: self.rules.waste_piles]:
            if self.stock:
                pile.append(self.stock.pop(0))

    def taken(self, place: int) -> int:
        if place in WASTE_TOPS:
            return self.wastes[place - WASTE_TOPS.start].pop()
        if place == STOCK_TOP:
            return self.stock.pop(0)
        self.table.remove(place)
        return place

    def deck(self, cut: int) -> list[str]:
        """A deck by which the moves can be made, but mixed up, more or less, behind the cut.

        After more cards than two have gone together, what is left may not suffice for all moves.
        """
        rng, deck = self.rng, [""] * PACK
        pack = {value: [RANKS[value - 1] + suit for suit in SUITS] for value in range(1, 14)}
        for _, gone in self.moves:
            fits = [
                values
                for values in product(pack, repeat=len(gone))
                if sum(values) == 13 and all(len(pack[v]) >= values.count(v) for v in values)
            ]
            if gone and not fits:
                break
            for position, value in zip(gone, rng.choice(fits) if gone else (), strict=True):
                deck[position] = pack[int(value)].pop()
        rest = rng.permutation([card for cards in pack.values() for card in cards]).tolist()
        deck = [card or rest.pop() for card in deck]
        early = {position for _, gone in self.moves[:cut] for position in gone}
        late = [position for position in range(PACK) if position not in early]
        swaps = rng.choice([0, 1, 2, 20])
        for _ in range(swaps):
            one, other = rng.choice(late, 2)
            deck[one], deck[other] = deck[other], deck[one]
        return deck


def late_game(rules: Any, rng: np.random.Generator) -> Both:
    """A game in which few cards are left. About half of them can be won, whatever the rules."""
    while True:
        blind = Blind(rules, rng)
        cuts = [number for number, size in enumerate(blind.sizes) if is_late(size)]
        if not cuts:
            continue
        cut = cuts[min(int(rng.exponential(3)), len(cuts) - 1)]
        both = Both(rules, blind.deck(cut))
        for clicks, _ in blind.moves[:cut]:
            if (*clicks,) not in [*both.game._removals, (DEAL,), (REDEAL,)] or (
                clicks[0] not in both.game.legal()
            ):
                break  # a DEAL withheld, or no cards left for it: go on at random
            both.play(clicks)
        while not both.game.over and not is_late(both.size):
            legal = sorted(both.game.legal())
            clicks = legal[: max(1, sum(action < DEAL for action in legal))]
            both.play([int(rng.choice(clicks))])
        while both.game.picked:
            both.play([min(both.game.legal())])
        if not both.game.over:
            return both


# Positions by hand

PUT, SHOW_WASTE, SHOW_STOCK = as_python(put), as_python(show_waste), as_python(show_stock)


def placed(
    table: dict[int, str],
    stock: str = "",
    wastes: Sequence[str] = (),
    *,
    redeals: int = 0,
    removal_seen: bool = True,
    **options: Any,
) -> Both:
    """A position in which only these cards are left.

    ``table``: the cards at their places, extra row and all; ``stock`` from its top, ``wastes`` each
    from its bottom. In the deck the waste comes first, from the bottoms up, then the stock.
    """
    rules = GAME.rules_of(None, {"passes": 1} | options)
    piles = [pile.split() for pile in wastes] + [[]] * (3 - len(wastes))
    rows = [pile[depth : depth + 1] for depth in range(PACK) for pile in piles]
    order = [*sum(rows, []), *stock.split()]
    left = [*table.values(), *order]
    gone = [rank + suit for rank in RANKS for suit in SUITS if rank + suit not in left]
    deck = [table.get(place) or gone.pop() for place in range(PACK - len(order))] + order
    both = Both(rules, deck)
    both.game._now = Position(
        [table.get(place) for place in PYRAMID],
        [table.get(place) for place in EXTRA],
        stock.split(),
        [list(pile) for pile in piles],
        redeals + 1,
        removal_seen,
    )
    both.game._settle()
    s = both.rows.states[0]
    for place in set(range(35)) - set(table):
        PUT(s, place, 0, False)
    s["table"] = sum(1 << place for place in table)
    s["free"] = sum(1 << place for place in table if not {*COVERERS.get(place, [])} & {*table})
    for pile in range(3):
        s["waste"][pile] = sum(1 << deck.index(card) for card in piles[pile])
        SHOW_WASTE(s, pile)
    s["stock"] = sum(1 << deck.index(card) for card in stock.split())
    SHOW_STOCK(s, rules)
    s["score"], s["redeals"] = both.game.score, redeals
    s["shown"]["removal_seen"] = both.game._now.removal_was_legal
    s["legal"] = sum(1 << action for action in both.game.legal())
    return both


def fewest_of(both: Both) -> int | None:
    """The fewest moves to a win, on which the solver and the exhaustive search agree."""
    truth = Exhaustive(both.game, 10_000)
    assert truth.complete
    fewest, values = truth.answer(0)
    check(both, fewest, values)
    return fewest


# The solver against the exhaustive search

LONE: list[dict[str, Any]] = [
    *({"passes": passes} for passes in range(10)),
    {"deal_when": "blocked"},
    {"first_deal": True},
    {"extra_row": True},
    {"covered_kings": True},
    {"match_cover": True},
    {"many_sum": True},
    {"waste_piles": 2},
    {"waste_piles": 3},
    {"stock_view": "top"},
    {"stock_view": "all"},
    {"stock_view": "top", "stock_play": True},
    {"stock_view": "all", "stock_play": True},
    {"clear_all": True},
]
"""Each option by itself; half of the games are by these, the others by random combinations."""
WALK = 8
"""So many moves are made from the first position of a game; some of what is met is looked at."""


def some_rules(number: int, rng: np.random.Generator) -> Any:
    if number % 2:
        options = {"passes": int(rng.choice([0, 1, 2, 3]))} | LONE[number // 2 % len(LONE)]
    else:
        options = random_options(GAME, rng) | {"shuffle_redeal": False, "undo": False}
    return GAME.rules_of(None, options)


def features(both: Both, truth: Exhaustive, at: int) -> Iterable[str]:
    """What is special about a position."""
    game, now, fewest = both.game, both.game._now, truth.far[at]
    if any(now.wastes):
        yield "waste"
    if now.passes_used > 1:
        yield "redealt"
    if game.picked:
        yield "picked"
    if game._rules.passes == 0 and now.removal_was_legal and not game._removals:
        forgetful = forked(game)
        forgetful._now.removal_was_legal = False
        forgetful._settle()
        if Exhaustive(forgetful, ENDLESS).far[0] != fewest:
            yield "memory of a removal matters"
    if fewest and not game.picked:
        best = [clicks for clicks, to in truth.after[at] if truth.far[to] == fewest - 1]
        if all(len(clicks) > 2 for clicks in best):
            yield "three cards are best"
        if all(clicks[0] == STOCK_TOP for clicks in best):
            yield "stock card is best"
        if all(clicks[0] >= DEAL for clicks in best) and game._removals:
            yield "turn is better than a removal"


def positions_agree(wanted: int, most: int) -> Counter[str]:
    """Compare so many positions; return how often what was met, with each answer.

    Games from which more than ``most`` positions can come are left out.
    """
    met, number = Counter[str](), 0
    while met["positions"] < wanted:
        rng = np.random.default_rng(number)
        both = late_game(some_rules(number, rng), rng)
        number += 1
        truth = Exhaustive(both.game, most)
        if not truth.complete:
            met["left out"] += 1
            continue
        met["games"] += 1
        try:
            game_agrees(both, truth, rng, met)
        except Exception as error:
            error.add_note(f"{plain(both.rows.rules)}, {both.deck}, actions {both.actions}")
            raise
    return met


def game_agrees(
    both: Both, truth: Exhaustive, rng: np.random.Generator, met: Counter[str]
) -> None:
    at, options = 0, [f"{name} {value}" for name, value in plain(both.rows.rules).items()]
    for move in range(WALK):
        blocked = both.rows.rules.passes == 0 and not both.game._removals
        if move == 0 or rng.random() < (0.5 if blocked else 0.15):
            position_agrees(both, truth, at, options, met)
        long = [clicks for clicks, _ in truth.after[at] if len(clicks) > 1]
        if long and rng.random() < 0.12:
            clicks, before, state = long[rng.integers(len(long))], both.game, both.state
            both.game = forked(before)
            both.play(clicks[: rng.integers(1, len(clicks))])
            position_agrees(both, truth, at, options, met)
            both.game = before
            both.rows.restore(state)
            both.actions = both.actions[: -1]
        winning = [move for move in truth.after[at] if truth.far[move[1]] is not None]
        moves = winning if winning and rng.random() < 0.7 else truth.after[at]
        clicks, at = moves[rng.integers(len(moves))]
        both.play(clicks)
        if both.game.over:
            return


def position_agrees(
    both: Both, truth: Exhaustive, at: int, options: list[str], met: Counter[str]
) -> None:
    fewest, values = truth.answer(at, both.game.picked)
    check(both, fewest, values)
    answer = "lost" if fewest is None else "won"
    met["positions"] += 1
    for feature in ["any", *options, *features(both, truth, at)]:
        met[f"{feature}: {answer}"] += 1


def check_spread(met: Counter[str]) -> None:
    """Both answers are there for every value of every option, and all that is special was met."""
    for option in LONE + [{name: False} for name in ("stock_play", "clear_all", "many_sum")]:
        for name, value in option.items():
            lost, won = (met[f"{name} {value}: {answer}"] for answer in ("lost", "won"))
            assert min(lost, won) >= 3, (name, value, lost, won)
            assert min(lost, won) >= (lost + won) / 10, (name, value, lost, won)
    for feature in ("any", "waste", "redealt", "picked"):
        least = met["positions"] / (50 if feature in ("redealt", "picked") else 5)
        assert min(met[f"{feature}: lost"], met[f"{feature}: won"]) >= least, (feature, met)
    for feature in (
        "memory of a removal matters",
        "three cards are best",
        "stock card is best",
        "turn is better than a removal",
    ):
        assert met[f"{feature}: won"], (feature, met)


def test_solver_agrees_with_exhaustive_search() -> None:
    check_spread(positions_agree(300, 1000))
