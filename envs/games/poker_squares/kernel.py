"""Kernels of Poker Squares. They do not check that actions are legal, and allocate no memory.

Head to head, a state is arranged for one seat, the viewer. The other grid is stored separately, and
the two grids are swapped with the turn. So code that uses a single grid works for both seats.
"""

import numpy as np

from ...core.batch import Over, end_on_illegal, make_batch_kernels
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import FIRST_CARD, PACK_SIZE, RANKS, SUITS, shuffle_pack
from ...core.kernel.jit import jit
from ...core.schema import show_options
from ...core.type_aliases import Action, CardCode, RulesRecord, Seat, State
from .rules import (
    AMERICAN,
    CENTRE,
    DIGIT,
    ENGLISH,
    LEAST,
    SEATS,
    SIZE,
    SQUARES,
    TARGETS,
    Adjacent,
    Scoring,
    Wager,
)

ALL = (1 << SQUARES) - 1
ROW = 0b11111
COLUMN = sum(1 << (SIZE * row) for row in range(SIZE))
LEFT, RIGHT = ALL & ~COLUMN, ALL & ~(COLUMN << (SIZE - 1))
"""Sets of all squares except the first column, and except the last column."""
STARTER = 1 << CENTRE
POINTS = np.array([AMERICAN, ENGLISH], np.int16)
TARGET = np.array(TARGETS, np.int16)
POINTS_UNIT = 25.0
"""Number of points that pay 1 with the wager ``points``."""
PER_POINT = 1 / 100
"""Progress reward of a point. A good game pays slightly more than 1."""


# ---- hands ----------------------------------------------------------------------------------

HIGHEST_STRAIGHT = 0b1111 << (len(RANKS) - 4) | 1
STRAIGHTS = np.array(
    [*(0b11111 << low for low in range(len(RANKS) - 4)), HIGHEST_STRAIGHT], np.int64
)
"""The ten straights as sets of ranks (bit 0 is the ace); ten to ace is last."""
ACE_HIGH = 2
"""The entry of ten to ace in `RUNS`."""


def _make_runs() -> np.ndarray:
    """Return a table by sets of ranks: 1 for a straight, `ACE_HIGH` for ten to ace, otherwise 0."""
    runs = np.zeros(1 << len(RANKS), np.int8)
    runs[STRAIGHTS] = 1
    runs[HIGHEST_STRAIGHT] = ACE_HIGH
    return runs


RUNS = _make_runs()
BY_EQUALS = np.array([0, 1, 2, 3, 6, 0, 7], np.int8)
"""Category by the number of pairs of equal cards; for example, four of a kind make six pairs."""
BY_RUN = np.array([[0, 4, 4], [5, 8, 9]], np.int8)
"""Category of five different ranks, indexed by [flush][run]."""


@jit
def category(hand: np.ndarray) -> int:
    """Return the `Hand` of five card codes, in any order."""
    equals = ranks = 0
    flush = 1
    for i in range(5):
        ranks |= 1 << ((hand[i] >> 2) - 1)
        flush &= (hand[i] ^ hand[0]) & 3 == 0
        for j in range(i):
            equals += hand[i] >> 2 == hand[j] >> 2
    if equals:
        return BY_EQUALS[equals]
    return BY_RUN[flush, RUNS[ranks]]


# ---- the grid -------------------------------------------------------------------------------


@jit
def adjacent_squares(squares: int) -> int:
    """Return the set of squares directly above, below or beside a set of squares."""
    across = ((squares & RIGHT) << 1) | ((squares & LEFT) >> 1)
    return (across | (squares << SIZE) | (squares >> SIZE)) & ALL


@jit
def legal_squares(s: State, rules: RulesRecord) -> int:
    """Return the set of squares on which the next card can be placed."""
    filled = s["filled"]
    must_touch = rules.adjacent == Adjacent.ALL or (
        rules.adjacent == Adjacent.FIRST and rules.starter and filled == STARTER
    )
    return (adjacent_squares(filled) if must_touch and filled else ALL) & ~filled


@jit
def line_points(s: State, first: int, stride: int) -> int:
    """Return the points of a full line, given by its first square and the stride of its squares."""
    grid = s["shown"]["grid"]
    return s["points"][category(grid[first : first + 4 * stride + 1 : stride])]


@jit
def points_with(s: State, first: int, stride: int, card: CardCode) -> int:
    """Return the points of a line with a card on its last empty square."""
    line = s["shown"]["grid"][first : first + 4 * stride + 1 : stride]
    points = 0
    for i in range(SIZE):
        if line[i] == 0:
            line[i] = card
            points = s["points"][category(line)]
            line[i] = 0
    return points


@jit
def place_card(s: State, square: int, card: CardCode) -> None:
    """Put a card on a square and score the lines that it fills."""
    shown = s["shown"]
    shown["grid"][square] = card
    shown["placed"] += 1
    s["filled"] |= 1 << square
    row, column = square // SIZE, square % SIZE
    if (s["filled"] >> (SIZE * row)) & ROW == ROW:
        s["score"] += line_points(s, SIZE * row, 1)
    if (s["filled"] >> column) & COLUMN == COLUMN:
        s["score"] += line_points(s, column, SIZE)


@jit
def turn_card_up(s: State) -> None:
    """Turn up the top card of the stock. Cards become known only through this kernel."""
    card = s["deck"][s["next"]]
    s["next"] += 1
    s["shown"]["card"] = card
    s["shown"]["unseen"][card - FIRST_CARD] = 0
    s["suits"][card & 3] -= 1
    s["ranks"][(card >> 2) - 1] -= 1


@jit
def step(s: State, rules: RulesRecord, action: Action) -> None:
    """Place the card in hand."""
    s["moves"] += 1
    if rules.players > 1:
        place_in_turn(s, rules, action)
        return
    place_card(s, action, s["shown"]["card"])
    if s["filled"] == ALL:
        end_game(s)
        s["won"] = s["score"] >= s["target"]
        return
    turn_card_up(s)
    s["legal"] = legal_squares(s, rules)


@jit
def end_game(s: State) -> None:
    """End the game after all cards are placed."""
    s["shown"]["card"] = 0
    s["legal"] = 0
    s["over"] = Over.TERMINATED


# ---- head to head ---------------------------------------------------------------------------


@jit
def bring_grid_to_front(s: State, seat: Seat) -> None:
    """Arrange the state for a seat, and swap the grids if the other one is in front."""
    if s["viewer"] == seat:
        return
    grid, other = s["shown"]["grid"], s["other_grid"]
    for square in range(SQUARES):
        card = grid[square]
        grid[square] = other[square]
        other[square] = card
    filled, score = s["filled"], s["score"]
    s["filled"] = s["other_filled"]
    s["score"] = s["other_score"]
    s["other_filled"] = filled
    s["other_score"] = score
    s["viewer"] = seat


@jit
def view(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Write the observation of a seat: its own grid, and the other grid without a secret square."""
    if rules.players == 1:
        return
    bring_grid_to_front(s, seat)
    shown = s["shown"]
    for square in range(SQUARES):
        shown["other"][square] = s["other_grid"][square]
    if seat == 1 and s["secret"] >= 0:
        shown["other"][s["secret"]] = 0
    shown["placed"] = count(s["filled"])
    shown["seat"] = seat
    shown["turn"] = 0 if shown["card"] == 0 else 1 + (s["turn"] != seat)


@jit
def place_secretly(s: State, square: int) -> None:
    """Place the card in hand for player_0; it stays secret until player_1 has also placed it."""
    before = s["score"]
    place_card(s, square, s["shown"]["card"])
    s["secret"] = square
    s["secret_points"] = s["score"] - before


@jit
def pay_wager(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Write the net of each seat. The grid in front is that of ``seat``."""
    lead = s["score"] - s["other_score"]
    if rules.wager == Wager.WIN:
        lead = 1 if lead > 0 else -1 if lead < 0 else 0
    s["net"][seat] = lead
    s["net"][1 - seat] = -lead


@jit
def place_in_turn(s: State, rules: RulesRecord, square: int) -> None:
    """Place the card in hand for the seat to act, and turn up the next card after both seats."""
    bring_grid_to_front(s, s["turn"])
    if s["turn"] == 0:
        place_secretly(s, square)
        s["turn"] = 1
    else:
        place_card(s, square, s["shown"]["card"])
        s["secret"] = -1
        s["secret_points"] = 0
        s["turn"] = 0
        if s["filled"] == ALL:
            end_game(s)
        else:
            turn_card_up(s)
    view(s, rules, s["turn"])
    if s["over"]:
        pay_wager(s, rules, 0)
        s["won"] = s["net"][0] > 0
    else:
        s["legal"] = legal_squares(s, rules)


@jit
def fallback_action(s: State, rules: RulesRecord) -> int:
    """Return the action that replaces an illegal one: head to head, the first legal square."""
    return end_on_illegal(s, rules) if rules.players == 1 else lowest(s["legal"])


@jit
def reward_unit(rules: RulesRecord) -> float:
    """Return the unit of a seat's reward: `POINTS_UNIT`, or 1 with the wager ``win``."""
    return POINTS_UNIT if rules.wager == Wager.POINTS else 1.0


# ---- the deal -------------------------------------------------------------------------------


@jit
def show_rules(s: State, rules: RulesRecord) -> None:
    """Compute points and target, and write the options to the observation."""
    shown = s["shown"]
    for hand in range(len(s["points"])):
        points = rules.points[hand]
        custom = rules.scoring == Scoring.CUSTOM
        s["points"][hand] = points if custom else POINTS[rules.scoring, hand]
        shown["points"][2 * hand] = (points - LEAST) // DIGIT
        shown["points"][2 * hand + 1] = (points - LEAST) % DIGIT
    s["target"] = rules.target if rules.target else TARGET[rules.scoring]
    show_options(shown, rules)


@jit
def clear_other(s: State) -> None:
    """Clear the fields that are used only head to head."""
    shown = s["shown"]
    for seat in range(SEATS):
        s["net"][seat] = 0
    for square in range(SQUARES):
        s["other_grid"][square] = 0
        shown["other"][square] = 0
    s["other_score"] = 0
    s["other_filled"] = 0
    s["viewer"] = 0
    s["secret"] = -1
    s["secret_points"] = 0
    shown["seat"] = 0
    shown["turn"] = 0


@jit
def deal(s: State, rules: RulesRecord) -> None:
    """Begin a game with the deck in the state."""
    shown = s["shown"]
    show_rules(s, rules)
    clear_other(s)
    for square in range(SQUARES):
        shown["grid"][square] = 0
    for card in range(PACK_SIZE):
        shown["unseen"][card] = 1
    for suit in range(len(SUITS)):
        s["suits"][suit] = len(RANKS)
    for rank in range(len(RANKS)):
        s["ranks"][rank] = len(SUITS)
    shown["placed"] = 0
    s["filled"] = 0
    s["next"] = 0
    turn_card_up(s)
    if rules.starter:
        place_card(s, CENTRE, shown["card"])
        if rules.players > 1:
            s["other_grid"][CENTRE] = shown["card"]
            s["other_filled"] = STARTER
        turn_card_up(s)
    view(s, rules, 0)
    s["legal"] = legal_squares(s, rules)


@jit
def new_deck(s: State, rules: RulesRecord) -> None:
    """Shuffle a new deck with the state's generator."""
    shuffle_pack(s, s["deck"])


kernels = make_batch_kernels(
    new_deck, deal, step, SQUARES, PER_POINT, 0.0, fallback_action, reward_unit
)
