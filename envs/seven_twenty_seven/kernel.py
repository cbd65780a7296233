"""Seven Twenty-Seven: how it is played. Compiled; kernels trust the mask and allocate nothing.

Bets and pot are in `chips`, the showdown in `showdown`, what a seat sees in `sight`.
"""

from typing import Any

import numpy as np

from ..core.batch import Over, make_batch_kernels
from ..core.cards import FIRST_CARD, PACK, below, shuffle
from ..core.jit import jit
from .chips import bets, distinct_level_actions, pay, raise_bet, write_digits
from .rules import (
    ACTIONS,
    CALL,
    CLASSES,
    DECLARE,
    DRAW,
    FACE,
    FOLD,
    MINI,
    RAISE,
    ROUNDS,
    STAND,
    Declare,
    Nearness,
    Pack,
    Phase,
    Status,
)
from .seat_view import show_rules, view
from .seating import next_seat, wrap_seat
from .showdown import finish
from .totals import LOWEST_BUST, VALUES, class_of, weigh

MINI_PACK = np.array(MINI, np.int8)
DRAWS = 1 << DRAW | 1 << STAND
DECLARES = 0b111 << DECLARE
MOST_STANDS = 3
"""Of one seat, as they are shown and as the rules can count them."""


# ---- cards ----------------------------------------------------------------------------------


@jit
def deal_card(s: Any, rules: Any, seat: int, face_up: int) -> None:
    """Give a seat the top of the stock. All that anybody learns of cards passes through here."""
    place = s["next"]
    kind = class_of(s["deck"][place])
    s["next"] = place + 1
    s["owner"][place] = seat + 1
    s["cards"][seat][kind] += 1
    s["low"][seat] += VALUES[rules.half_tens, kind]
    public = s["seats"][seat]
    if not face_up:
        public["hidden"] += 1
        return
    s["up"] |= 1 << place
    if kind == FACE:
        public["up_faces"] += 1
    else:
        public["up"][kind] += 1


@jit
def leave(s: Any, seat: int, status: int) -> None:
    """Put a seat out."""
    s["live"] &= ~(1 << seat)
    s["seats"][seat]["status"] = status


@jit
def take(s: Any, rules: Any, seat: int) -> None:
    """Let a seat draw; where that busts it, it is out."""
    deal_card(s, rules, seat, rules.draw_up)
    weigh(s, rules, seat)
    public = s["seats"][seat]
    s["taken"][seat] += 1
    public["taken"] += 1
    public["drew"][0] = 1
    s["drawn"] = 1
    s["shown"]["stock"] = s["size"] - s["next"]
    if rules.nearness == Nearness.OVER_IS_BUST and s["low"][seat] >= LOWEST_BUST:
        leave(s, seat, Status.BUSTED)


@jit
def can_draw(s: Any, rules: Any, seat: int) -> bool:
    """Whether a seat may take a card."""
    return (
        s["next"] < s["size"]
        and (rules.max_extra == 0 or s["taken"][seat] < rules.max_extra)
        and (rules.max_stands == 0 or s["stands"][seat] < rules.max_stands)
    )


# ---- from phase to phase --------------------------------------------------------------------


@jit
def enter(s: Any, rules: Any, phase: int) -> None:
    """Begin a phase: all who are still in have to act."""
    for seat in range(rules.players):
        if s["staked"][seat]:
            s["staked"][seat] = 0
            write_digits(s["seats"][seat]["staked"], 0)
    s["phase"] = phase
    s["shown"]["phase"] = phase
    s["pending"] = s["live"]
    s["high"] = 0
    s["raises"] = 0
    betting = phase == Phase.BET or phase == Phase.LAST_BET
    s["shown"]["raises_left"] = rules.max_raises if betting else 0
    if betting:
        s["bettor"] = -1
    elif phase == Phase.DRAWING or phase == Phase.ASK:
        s["drawn"] = 0
        for seat in range(rules.players):
            drew = s["seats"][seat]["drew"]
            for k in range(ROUNDS - 1, 0, -1):
                drew[k] = drew[k - 1]
            drew[0] = 0


@jit
def next_phase(s: Any, rules: Any) -> int:
    """Go to the next phase, or to the end; return the seat from which its first is looked for."""
    phase = s["phase"]
    left = wrap_seat(s["dealer"] + 1, rules.players)
    if phase == Phase.ASK or (phase == Phase.DRAWING and s["drawn"]):
        enter(s, rules, Phase.BET)
    elif phase == Phase.BET:
        enter(s, rules, Phase.DRAWING)
    elif phase == Phase.DRAWING and rules.last_bets:
        enter(s, rules, Phase.LAST_BET)
    elif phase != Phase.DECLARING and rules.declare != Declare.CARDS_SPEAK:
        enter(s, rules, Phase.DECLARING)
        if rules.declare == Declare.SEQUENTIAL and s["bettor"] >= 0:
            return s["bettor"]
    else:
        enter(s, rules, Phase.OVER)
        finish(s, rules)
    return left


@jit
def go_on(s: Any, rules: Any, seat: int) -> None:
    """Find, from a seat on, the next one that has a choice, through the phases or to the end."""
    if s["live"] & (s["live"] - 1) == 0:
        enter(s, rules, Phase.OVER)
        finish(s, rules)
    while s["over"] == Over.RUNNING:
        draws = s["phase"] == Phase.ASK or s["phase"] == Phase.DRAWING
        while s["pending"]:
            seat = next_seat(s["pending"], seat)
            if not draws or can_draw(s, rules, seat):
                break
            s["pending"] &= ~(1 << seat)
        if s["pending"]:
            s["turn"] = seat
            declares = s["phase"] == Phase.DECLARING
            s["legal"] = DRAWS if draws else DECLARES if declares else bets(s, rules, seat)
            break
        seat = next_phase(s, rules)
    view(s, rules, s["turn"])


@jit
def step(s: Any, rules: Any, action: int) -> None:
    """Let the seat whose turn it is act."""
    seat = s["turn"]
    s["moves"] += 1
    s["pending"] &= ~(1 << seat)
    if action == FOLD:
        leave(s, seat, Status.FOLDED)
    elif action == CALL:
        pay(s, rules, seat, s["high"] - s["staked"][seat])
    elif action < DRAW:
        raise_bet(s, rules, seat, action - RAISE)
    elif action == DRAW:
        take(s, rules, seat)
    elif action == STAND:
        s["stands"][seat] = min(s["stands"][seat] + 1, MOST_STANDS)
        s["seats"][seat]["stands"] = s["stands"][seat]
    else:
        s["said"][seat] = action - DECLARE + 1
        if rules.declare == Declare.SEQUENTIAL:
            s["seats"][seat]["declared"] = s["said"][seat]
    go_on(s, rules, seat + 1)


@jit
def instead(s: Any, rules: Any) -> int:
    """What is played for a seat that chose an illegal action: fold, check, stand or declare 7."""
    for action in (FOLD, CALL, STAND):
        if (s["legal"] >> action) & 1:
            return action
    return DECLARE


# ---- the deal -------------------------------------------------------------------------------


@jit
def clear(s: Any, rules: Any) -> None:
    """Make everything as it is before the first card."""
    s["size"] = len(MINI_PACK) if rules.pack == Pack.MINI else PACK
    for place in range(PACK):
        s["owner"][place] = 0
    before = s["shown"]["players"]  # seats without a player are clear already
    for seat in range(max(before, rules.players)):
        s["net"][seat] = 0
        s["paid"][seat] = 0
        s["staked"][seat] = 0
        s["low"][seat] = 0
        s["taken"][seat] = 0
        s["stands"][seat] = 0
        s["said"][seat] = 0
        for kind in range(CLASSES):
            s["cards"][seat][kind] = 0
        public = s["seats"][seat]
        public["status"] = Status.NONE
        for kind in range(FACE):
            public["up"][kind] = 0
        public["up_faces"] = 0
        public["hidden"] = 0
        public["taken"] = 0
        for k in range(ROUNDS):
            public["drew"][k] = 0
        public["stands"] = 0
        write_digits(public["paid"], 0)
        write_digits(public["staked"], 0)
        public["declared"] = 0
        if seat >= rules.players:
            s["shown"]["seats"][seat] = public
    s["next"] = 0
    s["up"] = 0
    s["pot"] = 0
    s["high"] = 0
    s["bettor"] = -1
    s["legal"] = 0


@jit
def deal(s: Any, rules: Any) -> None:
    """Begin a hand with the deck and the dealer as they stand in the state."""
    players = rules.players
    clear(s, rules)
    show_rules(s, rules)
    s["levels"] = distinct_level_actions(rules)
    s["live"] = (1 << players) - 1
    left = wrap_seat(s["dealer"] + 1, players)
    for seat in range(players):
        s["seats"][seat]["status"] = Status.IN
        pay(s, rules, seat, rules.ante)
    for turn in range(1 + rules.start_down):
        for k in range(players):
            deal_card(s, rules, wrap_seat(left + k, players), turn == 0)
    for k in range(players):
        seat = wrap_seat(left + k, players)
        weigh(s, rules, seat)
        if (
            rules.nearness == Nearness.OVER_IS_BUST
            and s["low"][seat] >= LOWEST_BUST
            and s["live"] & (s["live"] - 1)
        ):
            leave(s, seat, Status.BUSTED)
    s["shown"]["stock"] = s["size"] - s["next"]
    s["turn"] = left
    enter(s, rules, Phase.ASK)
    go_on(s, rules, left)


@jit
def new_deck(s: Any, rules: Any) -> None:
    """Draw the dealer, then fill the deck, from the state's generator."""
    s["dealer"] = below(s, rules.players)
    size = len(MINI_PACK) if rules.pack == Pack.MINI else PACK
    for place in range(PACK):
        s["deck"][place] = FIRST_CARD + place if size == PACK else 0
    if size < PACK:
        for place in range(size):
            s["deck"][place] = MINI_PACK[place]
    shuffle(s, s["deck"], 0, size)


@jit
def unit(rules: Any) -> float:
    """What a seat's reward is counted in: antes."""
    return float(rules.ante)


play = make_batch_kernels(new_deck, deal, step, ACTIONS, instead=instead, unit=unit)
