"""Poker Squares: how it is played. Compiled; kernels trust the mask and allocate nothing.

Head to head, a state is arranged for one seat, its viewer: the other's grid stands aside, and the
two change places with the turn. What looks at one grid alone knows nothing of that.
"""

import numpy as np

from ...core.aliases import Action, CardCode, RulesRecord, Seat, State
from ...core.batch import Over, end_on_illegal, make_batch_kernels
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import (
    FIRST_CARD,
    PACK_SIZE,
    RANKS,
    SUITS,
    random_below,
    shuffle,
    shuffle_pack,
)
from ...core.kernel.hands import category
from ...core.kernel.jit import jit
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
"""All squares but those of the first column, of the last column."""
STARTER = 1 << CENTRE
POINTS = np.array([AMERICAN, ENGLISH], np.int16)
TARGET = np.array(TARGETS, np.int16)
POINTS_UNIT = 25.0
"""Points that pay 1 where the wager is on points."""
PER_POINT = 1 / 100
"""PROGRESS reward of a point: a good game pays a little more than 1."""


@jit
def adjacent_squares(squares: int) -> int:
    """The set of squares directly above, below or beside a set."""
    across = ((squares & RIGHT) << 1) | ((squares & LEFT) >> 1)
    return (across | (squares << SIZE) | (squares >> SIZE)) & ALL


@jit
def legal_squares(s: State, rules: RulesRecord) -> int:
    """The set of squares on which the next card may be placed."""
    filled = s["filled"]
    bound = rules.adjacent == Adjacent.ALL or (
        rules.adjacent == Adjacent.FIRST and rules.starter and filled == STARTER
    )
    return (adjacent_squares(filled) if bound and filled else ALL) & ~filled


@jit
def line_points(s: State, first: int, stride: int) -> int:
    """The points of a full line: the square it begins with, and how far apart its squares are."""
    grid = s["shown"]["grid"]
    return s["points"][category(grid[first : first + 4 * stride + 1 : stride])]


@jit
def points_with(s: State, first: int, stride: int, card: CardCode) -> int:
    """The points of a line with a card on its last empty square."""
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
    """Put a card on a square; lines that it fills are scored."""
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
    """Turn up the top of the stock. All that the player learns of it passes through here."""
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
    """End the game: all cards are placed."""
    s["shown"]["card"] = 0
    s["legal"] = 0
    s["over"] = Over.TERMINATED


# ---- head to head ---------------------------------------------------------------------------


@jit
def bring_grid_to_front(s: State, seat: Seat) -> None:
    """Arrange the state for a seat: its grid comes to the front, the other's stands aside."""
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
    """Show what a seat sees: its own grid, and the other's but for a secret square."""
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
    """Place the card in hand for player_0: nobody else knows where until it lies there, too."""
    before = s["score"]
    place_card(s, square, s["shown"]["card"])
    s["secret"] = square
    s["secret_points"] = s["score"] - before


@jit
def pay_wager(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Write what each seat wins; the grid in front is that of ``seat``."""
    ahead = s["score"] - s["other_score"]
    if rules.wager == Wager.WIN:
        ahead = 1 if ahead > 0 else -1 if ahead < 0 else 0
    s["net"][seat] = ahead
    s["net"][1 - seat] = -ahead


@jit
def place_in_turn(s: State, rules: RulesRecord, square: int) -> None:
    """Place the card in hand for the seat whose turn it is; the next one comes after both."""
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
    """What is played for an illegal action: head to head the first legal square, else nothing."""
    return end_on_illegal(s, rules) if rules.players == 1 else lowest(s["legal"])


@jit
def reward_unit(rules: RulesRecord) -> float:
    """What a seat's reward is counted in: the wager, or so many points."""
    return POINTS_UNIT if rules.wager == Wager.POINTS else 1.0


# ---- the deal -------------------------------------------------------------------------------


@jit
def show_rules(s: State, rules: RulesRecord) -> None:
    """Work out points and target, and write the options into the observation."""
    shown = s["shown"]
    for hand in range(len(s["points"])):
        points = rules.points[hand]
        custom = rules.scoring == Scoring.CUSTOM
        s["points"][hand] = points if custom else POINTS[rules.scoring, hand]
        shown["points"][2 * hand] = (points - LEAST) // DIGIT
        shown["points"][2 * hand + 1] = (points - LEAST) % DIGIT
    target = rules.target
    s["target"] = target if target else TARGET[rules.scoring]
    shown["target"][0] = target // (DIGIT * DIGIT)
    shown["target"][1] = target // DIGIT % DIGIT
    shown["target"][2] = target % DIGIT
    shown["starter"] = rules.starter
    shown["adjacent"] = rules.adjacent
    shown["scoring"] = rules.scoring
    shown["players"] = rules.players
    shown["wager"] = rules.wager


@jit
def clear_other(s: State) -> None:
    """Clear what there is only head to head."""
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
    """Begin a game with the deck as it stands in the state."""
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
    """Fill the deck from the state's generator."""
    shuffle_pack(s, s["deck"])


@jit
def resample_secret_square(s: State, rules: RulesRecord) -> None:
    """Let player_0 have placed the secret card on any square where it could."""
    viewer = s["viewer"]
    bring_grid_to_front(s, 0)
    s["shown"]["grid"][s["secret"]] = 0
    s["filled"] &= ~(1 << s["secret"])
    s["score"] -= s["secret_points"]
    could = legal_squares(s, rules)
    for _ in range(random_below(s, count(could))):
        could &= could - 1
    place_secretly(s, lowest(could))
    view(s, rules, viewer)


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Redeal, from the state's generator, what a seat does not know.

    That is the stock, sorted first, so that its order is forgotten; and a secret square.
    """
    place = s["next"]
    for card in range(PACK_SIZE):
        if s["shown"]["unseen"][card]:
            s["deck"][place] = FIRST_CARD + card
            place += 1
    shuffle(s, s["deck"], s["next"], PACK_SIZE)
    if seat == 1 and s["secret"] >= 0:
        resample_secret_square(s, rules)


kernels = make_batch_kernels(
    new_deck, deal, step, SQUARES, PER_POINT, 0.0, fallback_action, reward_unit
)
