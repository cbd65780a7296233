"""Seven Twenty-Seven: where each card lies, and what a person may call each action."""

from typing import Any

import numpy as np

from ..core.game import take_seats
from ..core.jit import plain_python
from ..core.scene import Item, Scene, Text
from .chips import BETTING_PHASES, level_chips
from .rules import (
    CALL,
    DECLARE_7,
    DECLARE_27,
    DECLARE_BOTH,
    DRAW,
    FOLD,
    LEVELS,
    RAISE,
    SEATS,
    STAND,
    Phase,
    Status,
)
from .showdown import find_shares

_level_chips = plain_python(level_chips)  # rules come as a NamedTuple, or as their record
_find_shares = plain_python(find_shares)

BACK = 1
"""Any number that is no card: a back is drawn without knowing which card it is."""
NAMES = 5.5
"""Where the cards begin, right of the names of the seats."""
MOST_LINES = 5
"""Of words below the hands: at a showdown who took 7, and who took 27, have one each."""
STEP = 0.6
"""From one card of a hand to the next."""
SAYS = ("", "says 7", "says 27", "says both")
PHASES = {
    Phase.OVER: "the hand is over",
    Phase.ASK: "a card is offered",
    Phase.BET: "bets",
    Phase.DRAWING: "draws",
    Phase.LAST_BET: "last bets",
    Phase.DECLARING: "declarations",
    Phase.FIRST_BET: "bets before the first card is offered",
    Phase.AFTER_BET: "bets after the declarations",
}


def layout(s: Any, rules: Any) -> Scene:
    """Return the table as the seat sees it whose pieces are shown; ``s`` is one record of states.

    The viewer's own row comes first, the other seats follow clockwise.
    """
    viewer, players = int(s["viewer"]), int(rules.players)
    items: list[Item] = []
    texts: list[Text] = []
    for k in range(players):
        seat = (viewer + k) % players
        hand = [place for place in range(int(s["next"])) if s["owner"][place] == seat + 1]
        for n, place in enumerate(hand):
            seen = k == 0 or bool(int(s["up"]) >> place & 1)
            card = int(s["deck"][place]) if seen else BACK
            mark = "picked" if k == 0 and not int(s["up"]) >> place & 1 else ""
            items.append(Item(NAMES + n * STEP, k, card, seen, mark))  # type: ignore[arg-type]
        texts += [Text(0, k, line) for line in [_seat(s, seat, k == 0)]]
    texts += [Text(0, players + 0.25 + i / 2, line) for i, line in enumerate(_table(s, rules))]
    canvas = max(NAMES + 6.5, 2.5 + 1.75 * players), players + 0.25 + MOST_LINES / 2
    return Scene("Seven Twenty-Seven", tuple(items), tuple(texts), canvas)


def _seat(s: Any, seat: int, own: bool) -> str:
    """What stands before a hand: whose it is, what was paid, what has become of it."""
    public = s["seats"][seat]
    marks = [f"{'you' if own else 'seat'} {seat}", f"paid {int(s['paid'][seat])}"]
    if seat == s["dealer"]:
        marks.append("D")
    if public["status"] != Status.IN:
        marks.append(Status(int(public["status"])).name.lower())
        return " ".join(marks)
    if not s["over"] and seat == s["turn"]:
        marks.append("*")
    if public["declared"]:
        marks.append(SAYS[int(public["declared"])])
    return " ".join(marks)


def _table(s: Any, rules: Any) -> list[str]:
    viewer = int(s["viewer"])
    low, aces = int(s["low"][viewer]), int(s["cards"][viewer][0])
    totals = " or ".join(f"{(low + 20 * aces_high) / 2:g}" for aces_high in range(aces + 1))
    lines = [
        f"your cards make {totals}",
        f"pot {int(s['pot'])}, stock {int(s['size'] - s['next'])}",
    ]
    if s["over"]:
        nets = ", ".join(f"seat {k} {int(s['net'][k]):+d}" for k in range(int(rules.players)))
        return [*lines, *_showdown(s, rules), f"{PHASES[Phase.OVER]}: {nets}"]
    phase = PHASES[Phase(int(s["phase"]))]
    missing = int(s["high"]) - int(s["staked"][viewer])
    if BETTING_PHASES >> int(s["phase"]) & 1 and missing and int(s["live"]) >> viewer & 1:
        phase += f": {missing} to call"
    return [*lines, phase]


def _showdown(s: Any, rules: Any) -> list[str]:
    """Who took 7, who took 27, and how many chips: nothing where one seat was left."""
    if int(s["live"]).bit_count() == 1:
        return []
    sevens, others, part = (int(one) for one in _find_shares(s, rules))
    if not sevens | others:
        return [f"nobody takes 7 or 27: {_takers(int(s['live']), int(s['pot']))}"]
    if sevens == others:
        return [f"7 and 27: {_takers(sevens, int(s['pot']))}"]
    sides = (7, sevens, part), (27, others, int(s["pot"]) - part)
    return [f"{side}: {_takers(seats, chips)}" for side, seats, chips in sides if seats]


def _takers(seats: int, chips: int) -> str:
    who = [str(seat) for seat in range(SEATS) if seats >> seat & 1]
    if len(who) == 1:
        return f"seat {who[0]} takes {chips}"
    return f"seats {' and '.join([', '.join(who[:-1]), who[-1]])} share {chips}"


def action_words(s: Any, rules: Any) -> dict[int, tuple[str, ...]]:
    """Return what a person may call each action in sight, such as ``"raise 3"`` or ``"draw"``."""
    legal = int(s["legal"])
    missing = bool(s["high"] > s["staked"][int(s["turn"])])
    raised = bool(s["high"] > 0)
    more = "raise" if raised else "bet"
    found: dict[int, tuple[str, ...]] = {
        FOLD: ("fold", "f"),
        CALL: ("call", "c") if missing else ("check", "c"),
        DRAW: ("draw", "d", "card"),
        STAND: ("stand", "s"),
        DECLARE_7: ("7", "seven"),
        DECLARE_27: ("27",),
        DECLARE_BOTH: ("both", "b"),
    }
    for level in range(LEVELS):
        chips = _level_chips(rules, level)
        found[RAISE + level] = (f"{more} {chips}", f"{more[0]}{chips}")
    return {action: found[action] for action in sorted(found) if legal >> action & 1}


def final_info(states: Any, rules: Any, seats: Any) -> dict[str, Any]:
    """Return what ``info`` tells a seat: chips paid, the pot, at the end whether cards decided."""
    several = np.bitwise_count(states["live"]) > 1
    return {
        "paid": take_seats(states["paid"], seats).astype(np.int64),
        "pot": states["pot"].astype(np.int64),
        "showdown": several & (states["over"] != 0),
    }
