"""The solver of Pyramid against an exhaustive search through the reference game."""

import copy
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.contract import Solution
from parlour.envs.core.kernel.cards import PACK_SIZE
from parlour.envs.core.kernel.jit import plain_python as as_python
from parlour.envs.core.options import to_plain
from parlour.envs.core.rows import Rows, copy_states
from parlour.envs.core.rules_table import random_options
from parlour.envs.core.turn import legal_masks
from parlour.envs.games.pyramid.kernel import lay_card, show_stock, show_waste
from parlour.envs.games.pyramid.solver.solve import solve, winnable_after
from tests.marks import slow_if
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
    UNDO,
    WASTE_TOPS,
    Position,
    Pyramid,
)

GAME = GAMES["pyramid"]
ACTIONS = GAME.actions
ENDLESS = 10**9
"""A limit that is never met."""

# The exhaustive search


def forked(game: Pyramid) -> Pyramid:
    """A copy of a reference game that can be played on by itself."""
    twin, now = copy.copy(game), game._now
    twin._now = Position(
        list(now.pyramid),
        list(now.extra),
        list(now.stock),
        now.held,
        [list(pile) for pile in now.wastes],
        now.passes_used,
        now.removal_was_legal,
    )
    twin.picked = list(game.picked)
    twin._history = list(game._history)
    return twin


def key_of(game: Pyramid) -> tuple[Any, ...]:
    """All that the rest of the game depends on."""
    now = game._now
    memory = now.passes_used if game._rules.passes else now.removal_was_legal
    cards = (now.pyramid, now.extra, now.stock, *now.wastes)
    return (*map(tuple, cards), now.held, memory)


class Exhaustive:
    """Every position that can come of one without UNDO, breadth first, and its distance to a win.

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
        turns = [(action,) for action in game.legal() if action in (DEAL, REDEAL)]
        result = []
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
            result.append((clicks, to))
        return result

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
        self.game = Pyramid(deck, max_moves=ENDLESS, **to_plain(rules))
        self.deck, self.actions = deck, list[int]()

    @property
    def state(self) -> np.ndarray:
        return copy_states(self.rows.states)

    @property
    def size(self) -> tuple[int, int]:
        """How many cards of the pyramid are left, how many of stock and waste."""
        now = self.game._now
        deck = len(now.stock) + (now.held is not None) + sum(map(len, now.wastes))
        return 28 - self.game.score, deck

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
    result = winnable_after(both.state, rules)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result[:, :UNDO], [values[:UNDO]])


# Late positions

PYRAMID_LEFT, DECK_LEFT = 12, 8
"""Maximum numbers of cards in the pyramid, and in stock and waste, in a late position."""
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
        self.table, self.stock = set(range(first)), list(range(first, PACK_SIZE))
        self.wastes: list[list[int]] = [[], [], []]
        self.held: int | None = None
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
        deck = len(self.stock) + (self.held is not None) + sum(map(len, self.wastes))
        return len(self.table & set(PYRAMID)), deck

    def is_over(self) -> bool:
        if self.rules.clear_all:
            return self.size[1] == 0 and not self.table
        return not self.table & set(PYRAMID)

    def free(self) -> list[int]:
        """The places of the free cards, descending."""
        places = {p for p in self.table if not self.table & set(COVERERS.get(p, []))}
        places |= {WASTE_TOPS[pile] for pile in range(3) if self.wastes[pile]}
        if (self.rules.stock_play and self.stock) or self.held is not None:
            places.add(STOCK_TOP)
        return sorted(places, reverse=True)

    def pairs(self, free: list[int]) -> list[tuple[int, ...]]:
        if not self.couples:
            return []
        result = [(one, other) for one in free for other in free if one > other]
        for place in self.table & set(PYRAMID) if self.rules.match_cover else ():
            covers = self.table & set(COVERERS[place])
            if len(covers) == 1 and covers <= set(free):
                result.append((*covers, place))
        return result

    def special(self, free: list[int], pairs: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Removals that only an option allows."""
        covered = sorted(self.table & set(PYRAMID) - set(free))
        result = [pair for pair in pairs if pair[1] in covered]
        if self.rules.covered_kings and self.kings:
            result += [(place,) for place in covered]
        if self.rules.many_sum and len(free) > 2 and self.rng.random() < 0.2:
            three = self.rng.choice(free, 3, replace=False).tolist()
            result.append(tuple(sorted(three, reverse=True)))
        return result

    def next_move(self) -> tuple[int, ...]:
        """Most often a card of the deck with one of the table, else a turn; () if nothing can be.

        Late in the game, actions that require an option are included.
        """
        free = self.free()
        pairs, late = self.pairs(free), is_late(self.size)
        mixed = [pair for pair in pairs if pair[0] > 34 and (pair[1] < 28 or self.rules.clear_all)]
        special = self.special(free, pairs) if late else []
        if special and self.rng.random() < 0.4:
            return special[self.rng.integers(len(special))]
        if self.kings and free and self.rng.random() < (0.1 if late else 0.03):
            return (int(self.rng.choice(free)),)
        if mixed and self.rng.random() < self.eager:
            return mixed[self.rng.integers(len(mixed))]
        if self.stock or self.held is not None:
            return (DEAL,)
        passes = min(self.rules.passes or ENDLESS, MAX_REDEALS + 1)
        if any(self.wastes) and self.redeals + 1 < passes and self.rng.random() < 0.9:
            return (REDEAL,)
        if pairs:
            return pairs[self.rng.integers(len(pairs))]
        return (free[0],) if self.kings and free else ()

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
        if self.rules.held:
            self.wastes[0] += [] if self.held is None else [self.held]
            self.held = self.stock.pop(0) if self.stock else None
            return
        for pile in self.wastes[: self.rules.waste_piles]:
            turned, self.stock = self.stock[: self.rules.turn], self.stock[self.rules.turn :]
            pile += turned

    def taken(self, place: int) -> int:
        if place in WASTE_TOPS:
            return self.wastes[place - WASTE_TOPS.start].pop()
        if place == STOCK_TOP:
            card, self.held = self.held, None
            return self.stock.pop(0) if card is None else card
        self.table.remove(place)
        return place

    def deck(self, cut: int) -> list[str]:
        """A deck by which the moves can be made, but mixed up, more or less, behind the cut.

        After more cards than two have gone together, what is left may not suffice for all moves.
        """
        rng, deck = self.rng, [""] * PACK_SIZE
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
        late = [position for position in range(PACK_SIZE) if position not in early]
        swaps = rng.choice([0, 1, 2, 20]) if late else 0
        for _ in range(swaps):
            one, other = rng.choice(late, 2)
            deck[one], deck[other] = deck[other], deck[one]
        if self.rules.many_sum and rng.random() < 0.6:  # low cards in the pyramid go by threes
            noise = {deck[position]: rng.normal(0, 2) for position in late}
            cards = sorted(noise, key=lambda card: RANKS.index(card[0]) + noise[card])
            for position, card in zip(late, cards, strict=True):
                deck[position] = card
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

PUT, SHOW_WASTE, SHOW_STOCK = as_python(lay_card), as_python(show_waste), as_python(show_stock)


def placed(
    table: dict[int, str],
    stock: str = "",
    wastes: Sequence[str] = (),
    *,
    redeals: int = 0,
    removal_seen: bool = True,
    held_card: str | None = None,
    **options: Any,
) -> Both:
    """A position in which only these cards are left.

    ``table``: the cards at their places, extra row and all; ``stock`` from its top, ``wastes`` each
    from its bottom. In the deck the waste comes first, from the bottoms up, then the card held and
    the stock.
    """
    rules = GAME.make_rules(None, {"passes": 1} | options)
    piles = [pile.split() for pile in wastes] + [[]] * (3 - len(wastes))
    order = [pile[depth] for depth in range(PACK_SIZE) for pile in piles if depth < len(pile)]
    order += [held_card] if held_card else []
    order += stock.split()
    left = [*table.values(), *order]
    gone = [rank + suit for rank in RANKS for suit in SUITS if rank + suit not in left]
    deck = [table.get(place) or gone.pop() for place in range(PACK_SIZE - len(order))] + order
    both = Both(rules, deck)
    both.game._now = Position(
        [table.get(place) for place in PYRAMID],
        [table.get(place) for place in EXTRA],
        stock.split(),
        held_card,
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
    s["held"] = 1 << deck.index(held_card) if held_card else 0
    s["stock"] = sum(1 << deck.index(card) for card in stock.split())
    SHOW_STOCK(s, rules)
    s["score"], s["redeals"] = both.game.score, redeals
    s["shown"]["removal_seen"] = both.game._now.removal_was_legal
    s["legal"] = sum(1 << action for action in both.game.legal())
    s["over"] = both.game.over
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
    {"held": True},
    {"held": True, "deal_when": "blocked"},
    {"held": True, "clear_all": True},
    {"turn": 2},
    {"turn": 3},
]
"""Each option by itself; half of the games are by these, the others by random combinations."""
WALK = 8
"""Number of moves from the first position of a game; some of the positions are examined."""


def some_rules(number: int, rng: np.random.Generator) -> Any:
    if number % 2:
        options = {"passes": int(rng.choice([0, 1, 2, 3]))} | LONE[number // 2 % len(LONE)]
    else:
        options = random_options(GAME, rng) | {"shuffle_redeal": False, "undo": False}
    return GAME.make_rules(None, options)


HELPFUL = ("covered_kings", "match_cover", "many_sum", "stock_play", "held")
"""Options under which some positions can be won that otherwise could not."""
RARE = ("memory of a removal is needed", "turn is better than a removal")
"""What few of the positions that can be won show."""


def features(game: Pyramid, truth: Exhaustive, at: int) -> Iterable[str]:
    """What is special about a position."""
    now, fewest = game._now, truth.far[at]
    if any(now.wastes):
        yield "waste"
    if now.passes_used > 1:
        yield "redealt"
    if game.picked:
        yield "picked"
        return
    if not fewest:
        return
    for option in HELPFUL:
        if getattr(game._rules, option):
            without = forked(game)
            without._rules = replace(game._rules, **{option: False})
            if is_lost(without):
                yield f"{option} is needed"
    if game._rules.passes == 0 and now.removal_was_legal and not game._removals:
        without = forked(game)
        without._now.removal_was_legal = False
        if is_lost(without):
            yield "memory of a removal is needed"
    best = [clicks for clicks, to in truth.after[at] if truth.far[to] == fewest - 1]
    if game._removals and all(clicks[0] >= DEAL for clicks in best):
        yield "turn is better than a removal"


def is_lost(game: Pyramid) -> bool:
    """Whether a reference game, changed by hand, cannot be won any more."""
    game._settle()
    return Exhaustive(game, ENDLESS).far[0] is None


def positions_agree(wanted: int, most: int) -> Counter[str]:
    """Compare a number of positions, and return the counts of features and answers.

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
            error.add_note(f"{to_plain(both.rows.rules)}, {both.deck}, actions {both.actions}")
            raise
    return met


def game_agrees(both: Both, truth: Exhaustive, rng: np.random.Generator, met: Counter[str]) -> None:
    at, options = 0, [f"{name} {value}" for name, value in to_plain(both.rows.rules).items()]
    for move in range(WALK):
        blocked = both.rows.rules.passes == 0 and not both.game._removals
        if move == 0 or rng.random() < (0.5 if blocked else 0.15):
            position_agrees(both, truth, at, options, met)
        long = [clicks for clicks, _ in truth.after[at] if len(clicks) > 1]
        if long and rng.random() < 0.12:
            clicks, made = long[rng.integers(len(long))], len(both.actions)
            before, state = both.game, both.state
            both.game = forked(before)
            both.play(clicks[: rng.integers(1, len(clicks))])
            position_agrees(both, truth, at, options, met)
            both.game = before
            both.rows.restore(state)
            del both.actions[made:]
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
    for feature in ["any", *options, *features(both.game, truth, at)]:
        met[f"{feature}: {answer}"] += 1


def check_values(met: Counter[str]) -> None:
    """Both answers are there for every value of every option, and rare things were met."""
    for option in LONE + [{name: False} for name in ("stock_play", "clear_all", "many_sum")]:
        for name, value in option.items():
            lost, won = (met[f"{name} {value}: {answer}"] for answer in ("lost", "won"))
            assert min(lost, won) >= 3, (name, value, lost, won)
            assert min(lost, won) >= (lost + won) / 10, (name, value, lost, won)
    for feature in RARE:
        assert met[f"{feature}: won"], (feature, met)


def check_features(met: Counter[str]) -> None:
    """All that is special was met, with both answers."""
    for feature in ("any", "waste", "redealt", "picked"):
        least = met["positions"] / (50 if feature in ("redealt", "picked") else 5)
        assert min(met[f"{feature}: lost"], met[f"{feature}: won"]) >= least, (feature, met)


def test_solver_agrees_with_exhaustive_search() -> None:
    met = positions_agree(60, 1000)
    assert met["any: lost"] and met["any: won"]


@pytest.mark.slow
def test_solver_agrees_with_exhaustive_search_on_250_positions() -> None:
    check_features(positions_agree(250, 1000))


def scattered(option: str, rng: np.random.Generator) -> Both:
    """A constructed position that exercises an option, which is set; other options may be set."""
    drawn = random_options(GAME, rng) | {"shuffle_redeal": False, "undo": False, option: True}
    if option == "held":
        drawn |= {"stock_view": "down", "stock_play": False, "waste_piles": 1, "first_deal": False}
    else:
        drawn["held"] = False
    if drawn["stock_play"]:
        drawn |= {"stock_view": "all", "passes": int(rng.integers(1, 3))}
    drawn["clear_all"] = bool(rng.random() < 0.1)
    options = to_plain(GAME.make_rules(None, drawn))
    lows = (rng.choice(6, 2, replace=False) + 1).tolist()
    values = range(1, 8) if option == "many_sum" else [*lows, *(13 - low for low in lows)]
    pack = rng.permutation([RANKS[v - 1] + suit for v in values for suit in SUITS]).tolist()
    slots = {0}
    for _ in range(rng.integers(2, 7)):
        slots.add(int(rng.choice([p for p in PYRAMID if p not in slots and under(p) <= slots])))
    extra = range(28, 28 + rng.integers(0, 3)) if options["extra_row"] else ()
    table = {place: pack.pop() for place in [*slots, *extra]}
    covered = sorted(set().union(*map(under, slots)))
    kings = rng.integers(1, 3) if option == "covered_kings" else rng.integers(2)
    for place, suit in zip(rng.permutation(covered)[:kings].tolist(), SUITS, strict=False):
        table[place] = "K" + suit
    piles, waste = options["waste_piles"], [pack.pop() for _ in range(rng.integers(4))]
    wastes = [" ".join(waste[pile::piles]) for pile in range(piles)]
    stock = [pack.pop() for _ in range(rng.integers(5))]
    if rng.random() < 0.3:
        stock.insert(int(rng.integers(len(stock) + 1)), "Ks")
    redeals = int(rng.integers(options["passes"] or 2))
    held_card = pack.pop() if options["held"] and rng.random() < 0.7 else None
    return placed(table, " ".join(stock), wastes, redeals=redeals, held_card=held_card, **options)


def under(place: int) -> set[int]:
    """The slots that a slot covers."""
    return {slot for slot in PYRAMID if place in COVERERS[slot]}


def scattered_agree(option: str, wanted: int, most: int) -> Counter[str]:
    """Compare a number of scattered positions, like `positions_agree`."""
    met, seed = Counter[str](), 0
    while met["positions"] < wanted:
        both = scattered(option, np.random.default_rng([seed, HELPFUL.index(option)]))
        seed += 1
        if both.game.over:
            continue
        truth = Exhaustive(both.game, most)
        if truth.complete:
            try:
                position_agrees(both, truth, 0, [], met)
            except Exception as error:
                now = both.game._now
                error.add_note(f"{to_plain(both.rows.rules)}, {now}, deck {both.deck}")
                raise
    return met


def check_needed(option: str, met: Counter[str]) -> None:
    """Both answers are there, and some wins depend on the option."""
    assert met[f"{option} is needed: won"] >= met["positions"] / 150, met
    assert min(met["any: lost"], met["any: won"]) >= met["positions"] / 6, met


@pytest.mark.parametrize("option", HELPFUL)
def test_solver_agrees_where_an_option_is_needed(option: str) -> None:
    met = scattered_agree(option, 30, 500)
    assert met["any: lost"] and met["any: won"]


@pytest.mark.slow
def test_solver_agrees_with_exhaustive_search_on_2000_positions() -> None:
    met = positions_agree(2000, 4000)
    check_values(met)
    check_features(met)


@pytest.mark.slow
@pytest.mark.parametrize("option", HELPFUL)
@pytest.mark.parametrize(("positions", "most"), [(150, 500), (500, 2000)])
def test_some_wins_depend_on_the_option(option: str, positions: int, most: int) -> None:
    check_needed(option, scattered_agree(option, positions, most))


# What is asked of it


def winnable_deck(rules: Any) -> list[str]:
    """A deck that can be won: its cards are chosen while it is played."""
    for seed in range(1000):
        blind = Blind(rules, np.random.default_rng(seed))
        if blind.is_over():
            return blind.deck(PACK_SIZE * 10)
    raise AssertionError("no game was played to its end")


@pytest.mark.parametrize(
    "variant", ["open-stock", "three-passes", "book", "by-threes", "three-piles"]
)
def test_deck_is_solved_as_its_deal(variant: str) -> None:
    rules = GAME.make_rules(variant)
    deck = winnable_deck(rules)
    both = Both(rules, deck)
    solution = solve(both.state, rules)
    assert solution.winnable
    check_wins(both.game, solution)
    assert solve(deck, rules) == solution
    assert solve(" ".join(deck), rules) == solution
    assert solve(both.rows.states["deck"][0], rules) == solution
    assert solve(both.rows.states[0], rules) == solution


def test_limit_is_kept_and_never_gives_a_wrong_answer() -> None:
    seen = Counter[str]()
    for number in range(40):
        rng = np.random.default_rng([number, 1])
        both = late_game(some_rules(number, rng), rng)
        rules, state = both.rows.rules, both.state
        whole = solve(state, rules, optimal=True)
        values = winnable_after(state, rules)
        for limit in (0, 1, 2, 4, 8, 16, 64, 256):
            quick = solve(state, rules, limit=limit)
            assert quick.nodes <= limit + 2  # two searches, each one too far at most
            assert quick.winnable in (None, whole.winnable)
            assert (quick.moves is None) == (quick.winnable is not True)
            best = solve(state, rules, optimal=True, limit=limit)
            assert best.winnable is quick.winnable
            assert best.nodes <= limit + 3
            assert best.fewest in (None, whole.fewest)
            some = winnable_after(state, rules, limit=limit)
            np.testing.assert_array_equal(some[some != 0.5], values[some != 0.5])
            seen["open"] += quick.winnable is None
            seen["open outcome"] += bool((some == 0.5).any())
            if best.winnable:
                check_wins(both.game, best)
                seen["not the shortest for sure"] += best.fewest is None
        last = solve(state, rules, optimal=True, limit=whole.nodes + 1)
        assert (last.winnable, last.fewest) == (whole.winnable, whole.fewest)
    assert all(seen[name] >= 5 for name in ("open", "open outcome", "not the shortest for sure"))


def test_rules_with_a_shuffle_are_refused() -> None:
    rules = GAME.make_rules(None, {"passes": 2, "shuffle_redeal": True})
    states = Rows(GAME, rules, 1)
    states.deal_numbered("reference", [0])
    with pytest.raises(ValueError, match="shuffle_redeal"):
        solve(states.states, rules)
    with pytest.raises(ValueError, match="shuffle_redeal"):
        winnable_after(states.states, rules)


def test_rules_with_undo_are_solved_as_the_same_rules_without() -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        options = random_options(GAME, rng) | {"shuffle_redeal": False, "undo": False}
        both = late_game(GAME.make_rules(None, options), rng)
        rows = Rows(GAME, GAME.make_rules(None, options | {"undo": True}), 1)
        rows.deal_deck(both.deck)
        for action in both.actions:
            before = copy_states(rows.states)
            rows.step(np.array([action]))
        plain, rules = both.rows.rules, rows.rules
        assert solve(rows.states, rules, optimal=True) == solve(both.state, plain, optimal=True)
        values = winnable_after(rows.states, rules)[0]
        np.testing.assert_array_equal(values[:UNDO], winnable_after(both.state, plain)[0][:UNDO])
        if action >= DEAL:
            assert values[UNDO] == solve(before, rules).winnable


@pytest.mark.parametrize("seed", [slow_if(seed >= 8 and seed != 23, seed) for seed in range(25)])
def test_solver_agrees_where_undo_allows_any_number_of_redeals(seed: int) -> None:
    rng = np.random.default_rng([seed, 2])
    options = random_options(GAME, rng) | {"shuffle_redeal": False, "passes": 0}
    plain = late_game(GAME.make_rules(None, options | {"undo": False}), rng)
    both = Both(GAME.make_rules(None, options | {"undo": True}), plain.deck)
    both.play(plain.actions)
    met = Counter[str]()
    for _ in range(WALK):
        truth = Exhaustive(both.game, 4000)
        assert truth.complete
        position_agrees(both, truth, 0, [], met)
        moves = truth.after[0]
        if not moves:
            break
        both.play(moves[rng.integers(len(moves))][0])
        if both.game.over:
            break
    assert met["positions"]


def test_a_redeal_after_a_pass_without_a_removal_may_win_with_undo() -> None:
    options = {"first_deal": True, "turn": 3, "passes": 0, "stock_view": "top", "stock_play": True}
    for undo, fewest in ((False, None), (True, 2)):
        both = placed({0: "9c"}, wastes=["4c 2c 3c"], removal_seen=False, undo=undo, **options)
        assert both.game.over is not undo
        if undo:
            assert fewest_of(both) == fewest and winning(both) == {REDEAL}
            both.play([REDEAL])
            assert winning(both) >= {STOCK_TOP}


def test_finished_games() -> None:
    won = placed({0: "9c"}, wastes=["4c"])
    won.play([35, 0])
    assert won.game.won
    assert solve(won.state, won.rows.rules) == Solution(True, [], 0, [], None, 0)
    lost = placed({0: "9c"}, "5c")
    lost.play([DEAL])
    assert lost.game.lost
    assert solve(lost.state, lost.rows.rules) == Solution(False, None, 0)
    for both in (won, lost):
        assert not winnable_after(both.state, both.rows.rules).any()


# Positions solved by hand, which show that the solver's shortcuts are sound

STOCK_PLAY = {"stock_view": "top", "stock_play": True}


def lost_at_sight(both: Both) -> bool:
    """Whether a position is lost, and known to be so without a search."""
    assert not both.game.over
    return fewest_of(both) is None and solve(both.state, both.rows.rules).nodes == 0


def winning(both: Both) -> set[int]:
    """The actions after which a win is left."""
    return set(np.flatnonzero(winnable_after(both.state, both.rows.rules)[0]).tolist())


def test_king_of_the_pyramid_goes_at_once() -> None:
    both = placed({0: "9c", 1: "Kc", 2: "Kd"}, wastes=["4c"])
    assert fewest_of(both) == 3
    # The turn is no help while a king withholds it.
    assert fewest_of(placed({0: "9c", 1: "Kc"}, "4c", deal_when="blocked")) == 3


def test_king_of_the_deck_goes_for_a_win_but_stays_for_the_shortest() -> None:
    over = placed({0: "9c"}, wastes=["4c Kc"])  # K; 4 and 9
    assert fewest_of(over) == 2
    beside = placed({0: "9c"}, "4c", ["Kc"])  # DEAL; 4 and 9
    assert fewest_of(beside) == 2
    quick = solve(beside.state, beside.rows.rules)
    assert quick.moves == ["waste 1", "DEAL", "waste 1 + pyramid 0"]
    everything = placed({0: "9c"}, "4c", ["Kc"], clear_all=True)
    assert fewest_of(everything) == 3
    on_top = placed({0: "9c"}, "Kc 4c", **STOCK_PLAY)  # taken or dealt, one move
    assert fewest_of(on_top) == 2


def test_king_of_the_deck_is_not_forced_with_several_piles() -> None:
    # 3 (slot 3) lies on 4 (slot 1), that on 5 (slot 0): T, 9 and 8 are needed, in this order.
    # The ace has no partner. It must not cover the 8, which happens unless the king is dealt.
    both = placed(
        {0: "5c", 1: "4c", 3: "3c"}, "Kc 9c Ac Tc", ["", "8c"], waste_piles=2, **STOCK_PLAY
    )
    assert both.game.legal() == {STOCK_TOP, DEAL}
    assert winning(both) == {DEAL}
    assert fewest_of(both) == 5  # two deals, three pairs


def test_pair_with_the_deck_is_not_forced_with_several_piles() -> None:
    # The same with J and 2 instead of the king: either has no other partner.
    table = {0: "5c", 1: "4c", 3: "3c", 4: "2c"}
    both = placed(table, "Jc 9c Ac Tc", ["", "8c"], waste_piles=2, **STOCK_PLAY)
    assert both.game.legal() == {STOCK_TOP, DEAL}
    assert winning(both) == {DEAL}
    assert fewest_of(both) == 6
    # One pile and the only partners: the forced removal wins.
    assert fewest_of(placed({0: "9c", 1: "2c"}, "4c", ["Jc"])) == 3


def test_pair_is_not_forced_where_more_cards_may_go() -> None:
    # 9 with 4 leaves 8 and, of A, 3, A, only A and 3: 12. But 9, 3 and A go, then 8, 4 and A.
    table = {21: "9c", 22: "4d", 23: "8h", 28: "Ac"}
    both = placed(table, wastes=["Ad 3c"], many_sum=True, extra_row=True)
    assert {22, 35} <= both.game.legal()
    assert winning(both) == {35}
    assert fewest_of(both) == 2
    # By pairs alone 8 has no partner.
    assert lost_at_sight(placed(table, wastes=["Ad 3c"], extra_row=True))


def test_waste_under_a_dead_card_is_lost_in_the_last_pass_only() -> None:
    wastes = ["4c 8d"]  # no five is left for the 8
    assert fewest_of(placed({0: "9c"}, "Ac", wastes, passes=2)) == 4
    last = placed({0: "9c"}, "Ac", wastes, passes=2, redeals=1)
    assert fewest_of(last) is None
    assert fewest_of(placed({0: "9c"}, "4d", wastes, passes=2, redeals=1)) == 2
    assert fewest_of(placed({0: "9c"}, "Ac", wastes, passes=0)) == 4
    assert fewest_of(placed({0: "9c"}, "Ac", wastes, passes=0, removal_seen=False)) is None
    # many_sum: 8, 3 and 2 go, then 4 and 9.
    rest = {0: "9c", 28: "2h", 29: "3h"}
    assert fewest_of(placed(rest, "Ac", wastes, extra_row=True)) is None
    assert fewest_of(placed(rest, "Ac", wastes, extra_row=True, many_sum=True)) == 2


def test_each_needs_a_partner_of_its_own() -> None:
    nines = {21: "9c", 23: "9d"}
    assert lost_at_sight(placed(nines, "4c"))
    assert fewest_of(placed(nines, "4c 4d")) == 4  # two deals, two pairs
    assert fewest_of(placed({0: "Kc"}, "4c")) == 1  # nobody must take the 4
    assert lost_at_sight(placed({0: "Kc"}, "4c", clear_all=True))
    assert fewest_of(placed({21: "9c"}, "Ac", ["3c"], many_sum=True)) is None
    assert fewest_of(placed({21: "9c"}, "Ac", ["3c"], many_sum=True, waste_piles=2)) is None
    both = placed({21: "9c"}, "Ac", ["3c"], many_sum=True, **STOCK_PLAY)
    assert fewest_of(both) == 1  # three values, of which no two are a pair


def test_card_cannot_go_with_one_that_it_lies_on() -> None:
    directly = {0: "9c", 1: "4d"}
    assert lost_at_sight(placed(directly, "Ac"))
    assert fewest_of(placed(directly, "Ac", match_cover=True)) == 1
    # 4 on Q on 9: when the queen goes, the 4 has gone, with nobody.
    chain = {0: "9c", 1: "Qc", 3: "4d"}
    assert lost_at_sight(placed(chain, "Ac"))
    assert lost_at_sight(placed(chain, "Ac", match_cover=True))
    assert fewest_of(placed(chain, "9d Ac", match_cover=True)) is None
    assert fewest_of(placed(chain, "9d Ac 4c", match_cover=True)) == 6  # three deals, three pairs


def test_what_lies_on_a_card_by_a_king_alone_can_go_with_it() -> None:
    by_king = {0: "9c", 1: "Kd", 3: "4h"}
    assert lost_at_sight(placed(by_king, "Ac"))
    assert fewest_of(placed(by_king, "Ac", covered_kings=True)) == 2  # K; 4 and 9
    # On the ace, too, which is no king: it goes after the 4 and before the 9.
    by_both = {0: "9c", 1: "Kd", 2: "Ad", 4: "4h"}
    assert lost_at_sight(placed(by_both, "Qc", covered_kings=True))
    assert (
        fewest_of(placed(by_both, "Qc 4c 9d", covered_kings=True)) is None
    )  # the 9 comes too late
    assert fewest_of(placed(by_both, "9d Qc 4c", covered_kings=True)) == 7


def test_two_cards_of_one_waste_pile_cannot_go_together() -> None:
    left: dict[str, Any] = {"table": {0: "Kc"}, "wastes": ["4c 9c"], "clear_all": True, "passes": 2}
    assert lost_at_sight(placed(**left))
    # K, REDEAL and DEAL: then they are the tops of two piles, or of waste and stock.
    assert fewest_of(placed(**left, waste_piles=2)) == 4
    assert fewest_of(placed(**left, **STOCK_PLAY)) == 4


def test_what_the_stock_must_give_up_is_dealt() -> None:
    assert fewest_of(placed({0: "9c"}, "2c 3c 4c")) == 4
    assert fewest_of(placed({0: "9c"}, "2c 3c 4c", waste_piles=2)) == 3
    assert fewest_of(placed({0: "9c"}, "2c 3c 4c", waste_piles=3)) == 2
    assert fewest_of(placed({0: "9c"}, "2c 3c 4c", **STOCK_PLAY)) == 3
    # From the stock straight with cards that must go, without a deal.
    assert fewest_of(placed({0: "9c", 1: "Jc"}, "2d 4d", **STOCK_PLAY)) == 2
    assert fewest_of(placed({0: "9c", 1: "Jc"}, "2d 4d")) == 4


def test_redeals_left_count() -> None:
    # J (slot 1) lies on 9: the 2 must come before the 4, on which a card lies that nobody takes.
    table = {0: "9c", 1: "Jc"}
    assert fewest_of(placed(table, "2c Ac", ["4c Ad"], passes=2, redeals=1)) is None
    # DEAL, 2 and J, DEAL, REDEAL, DEAL, 4 and 9.
    assert fewest_of(placed(table, "2c Ac", ["4c Ad"], passes=2)) == 6


@pytest.mark.parametrize("options", [{}, {"undo": True}, {"many_sum": True}])
def test_values_do_not_depend_on_the_positions_before_in_a_batch(options: dict[str, Any]) -> None:
    """The positions of a batch share working memory, in which nothing may be left."""
    rules = GAME.make_rules("three-passes", options)
    rows = Rows(GAME, rules, 12)
    rows.deal_numbered("pyramid-1", range(12))
    states = [rows.states.copy()]
    for _ in range(30):
        legal = [np.flatnonzero(row) for row in legal_masks(GAME, rows.states)]
        rows.step(np.array([row[len(states) % len(row)] if len(row) else 0 for row in legal]))
        states.append(rows.states.copy())
    batch = np.concatenate(states[::5])
    together = winnable_after(batch, rules, 200)
    alone = [winnable_after(batch[i : i + 1], rules, 200) for i in range(len(batch))]
    assert np.array_equal(together, np.concatenate(alone))
    assert 0 < together.sum() < legal_masks(GAME, batch).sum()
