"""Poker Squares: hidden cards and validation of states.

A seat knows all cards that were turned up and all squares, except a secret square of the other
seat. `resample_hidden` replaces the rest.

`STATE_CHECK` validates a state from outside. The deck, the number of cards turned up and the
squares of these cards determine a state.
"""

import numpy as np

from ...core.batch import Over, is_finished
from ...core.checks import make_state_check
from ...core.game import HiddenCards
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE, RANKS, SUITS, shuffle
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.schema import CARD, Piece
from ...core.type_aliases import RulesRecord, Seat, State, States
from .kernel import (
    ALL,
    bring_grid_to_front,
    category,
    legal_squares,
    pay_wager,
    place_secretly,
    show_rules,
    view,
)
from .rules import CENTRE, FEATURES, SIZE, SQUARES, STATE

# ---- hidden cards ---------------------------------------------------------------------------


COMING = SQUARES - 1
"""Number of cards after the first one that are dealt. The rest of the deck is never dealt."""


@jit
def resample_secret_square(s: State, rules: RulesRecord) -> None:
    """Move the secret card of player_0 to a random square where it could have been placed."""
    viewer = s["viewer"]
    bring_grid_to_front(s, 0)
    s["shown"]["grid"][s["secret"]] = 0
    s["filled"] &= ~(1 << s["secret"])
    s["score"] -= s["secret_points"]
    possible = legal_squares(s, rules)
    for _ in range(random_below(s, count(possible))):
        possible &= possible - 1
    place_secretly(s, lowest(possible))
    view(s, rules, viewer)


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Replace everything that a seat does not know with a sampled world.

    This concerns the stock and a secret square. The stock is sorted before it is shuffled, so that
    the result does not depend on its actual order.
    """
    place = s["next"]
    for card in range(PACK_SIZE):
        if s["shown"]["unseen"][card]:
            s["deck"][place] = FIRST_CARD + card
            place += 1
    shuffle(s, s["deck"], s["next"], PACK_SIZE)
    if seat == 1 and s["secret"] >= 0:
        resample_secret_square(s, rules)


def read_hidden(states: States) -> np.ndarray:
    """Return the next cards of the stock in order, int8 (n, 24), then zeros."""
    places = states["next"].astype(np.int64)[:, None] + np.arange(COMING)
    cards = np.take_along_axis(states["deck"], np.minimum(places, PACK_SIZE - 1), axis=1)
    return np.where(places < PACK_SIZE, cards, np.int8(0))


HIDDEN = HiddenCards(
    Piece("hidden", COMING, CARD, "the next cards of the stock, in order"), read_hidden
)
"""The hidden cards as an observation piece; see `core.game.HiddenCards`."""


# ---- validation of states -------------------------------------------------------------------

ALLOWED = (
    ("viewer", "the seat whose grid is in front"),
    ("next", "1 plus the number of cards that both seats have placed; 25 at the end"),
    ("turn", "player_0, or player_1 if player_0 has placed one more card"),
    ("secret", "player_0's latest square while player_1 must place the same card, otherwise -1"),
    ("filled", "the set of squares of the shown grid with a card"),
    ("shown.grid", "each card that the seat has placed, once; a starter is in the center"),
    ("other_filled", "the set of squares of other_grid with a card"),
    ("other_grid", "each card that the other seat has placed, once; a starter is in the center"),
)
(VIEWER, NEXT, TURN, SECRET, FILLED, GRID, OTHER_FILLED, OTHER_GRID) = range(1, len(ALLOWED) + 1)


@jit
def squares_of(grid: np.ndarray) -> int:
    """Return the set of squares of a grid with a card."""
    squares = 0
    for square in range(SQUARES):
        squares |= (grid[square] != 0) << square
    return squares


@jit
def has_placed(s: State, rules: RulesRecord, grid: np.ndarray, cards: int) -> bool:
    """Return whether exactly the first ``cards`` cards of the deck are on a grid, each once."""
    placed = dealt = 0
    for square in range(SQUARES):
        if grid[square] < 0 or grid[square] >= FIRST_CARD + PACK_SIZE:
            return False
        placed |= (grid[square] != 0) << grid[square]
    for place in range(cards):
        dealt |= 1 << s["deck"][place]
    return placed == dealt and (not rules.starter or grid[CENTRE] == s["deck"][0])


@jit
def find_wrong_grid(s: State, rules: RulesRecord) -> int:
    """Return the number of the wrong grid or set of squares; 0 for none."""
    grid, other = s["shown"]["grid"], s["other_grid"]
    if s["filled"] != squares_of(grid):
        return FILLED
    if s["other_filled"] != squares_of(other) or (rules.players == 1 and s["other_filled"]):
        return OTHER_FILLED
    if not has_placed(s, rules, grid, count(s["filled"])):
        return GRID
    if rules.players > 1 and not has_placed(s, rules, other, count(s["other_filled"])):
        return OTHER_GRID
    return 0


@jit
def find_wrong(s: State, rules: RulesRecord) -> int:
    """Return the number of the first invalid field; 0 for none."""
    if s["viewer"] < 0 or s["viewer"] >= rules.players:
        return VIEWER
    wrong = find_wrong_grid(s, rules)
    if wrong:
        return wrong
    first, second = count(s["filled"]), count(s["other_filled"])
    grid = s["shown"]["grid"]
    if s["viewer"]:
        first, second = second, first
        grid = s["other_grid"]
    if rules.players > 1 and first - second != s["turn"]:
        return TURN
    if s["next"] != min(first + 1 - s["turn"], SQUARES):
        return NEXT
    secret = s["secret"]
    if s["turn"] == 0:
        return SECRET if secret != -1 else 0
    is_there = 0 <= secret < SQUARES and grid[secret] == s["deck"][s["next"] - 1]
    return 0 if is_there else SECRET


@jit
def score_grid(s: State, grid: np.ndarray, only: int) -> int:
    """Return the points of all full lines of a grid, or of the full lines through ``only``."""
    points = 0
    for line in range(2 * SIZE):
        row = line < SIZE
        first, stride = (line * SIZE, 1) if row else (line - SIZE, SIZE)
        if only >= 0 and (only // SIZE != line if row else only % SIZE != line - SIZE):
            continue
        cards = grid[first : first + 4 * stride + 1 : stride]
        full = True
        for i in range(SIZE):
            full &= cards[i] != 0
        if full:
            points += s["points"][category(cards)]
    return points


@jit
def derive_unseen(s: State) -> None:
    """Write the set of cards that have not been turned up."""
    for card in range(PACK_SIZE):
        s["shown"]["unseen"][card] = 1
    for suit in range(len(SUITS)):
        s["suits"][suit] = len(RANKS)
    for rank in range(len(RANKS)):
        s["ranks"][rank] = len(SUITS)
    for place in range(s["next"]):
        card = s["deck"][place]
        s["shown"]["unseen"][card - FIRST_CARD] = 0
        s["suits"][card & 3] -= 1
        s["ranks"][(card >> 2) - 1] -= 1


@jit
def derive_other(s: State, rules: RulesRecord) -> None:
    """Write the fields that are used only head to head."""
    shown, secret = s["shown"], s["secret"]
    s["secret_points"] = 0
    if secret >= 0:
        grid = shown["grid"] if s["viewer"] == 0 else s["other_grid"]
        s["secret_points"] = score_grid(s, grid, secret)
    s["net"][0] = 0
    s["net"][1] = 0
    if is_finished(s) and rules.players > 1:
        pay_wager(s, rules, s["viewer"])
    if rules.players == 1:
        shown["seat"] = 0
        shown["turn"] = 0
        for square in range(SQUARES):
            shown["other"][square] = 0


@jit
def derive(s: State, rules: RulesRecord) -> None:
    """Write the fields that follow from other fields."""
    shown, viewer = s["shown"], s["viewer"]
    show_rules(s, rules)
    derive_unseen(s)
    s["score"] = score_grid(s, shown["grid"], -1)
    s["other_score"] = score_grid(s, s["other_grid"], -1)
    shown["placed"] = count(s["filled"])
    over = s["filled"] == ALL and (rules.players == 1 or s["other_filled"] == ALL)
    s["over"] = Over.TERMINATED if over else Over.RUNNING
    derive_other(s, rules)
    if over:
        shown["card"] = 0
        s["legal"] = 0
        s["won"] = s["score"] >= s["target"] if rules.players == 1 else s["net"][0] > 0
    else:
        s["won"] = 0
        shown["card"] = s["deck"][s["next"] - 1]
        if rules.players > 1:
            bring_grid_to_front(s, s["turn"])
        s["legal"] = legal_squares(s, rules)
    view(s, rules, viewer)


STATE_CHECK = make_state_check(STATE, FEATURES, SQUARES, ALLOWED, find_wrong, derive)
