"""Seven Twenty-Seven: where each card lies, and what a person may call each action."""

from typing import Any

import numpy as np

from ...core.batch import FINISHED
from ...core.game import take_seats
from ...core.kernel.jit import plain_python
from ...core.rows import are_finished
from ...core.scene.scene import Button, Chips, Item, Mark, Panel, Scene, Text
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
    Declare,
    Phase,
    Status,
)
from .showdown import find_shares

_level_chips = plain_python(level_chips)  # rules come as a NamedTuple, or as their record
_find_shares = plain_python(find_shares)

BACK = 1
"""Any number that is no card: a back is drawn without knowing which card it is."""
NAMES = 5.0
"""Where the cards begin, right of the names of the seats."""
WIDTH = 10.5
ROW = 1.09
"""From one seat to the next: the panel of a seat is a little higher than a card."""
INSET = 0.05
LINES = 5
"""Of words below the hands, in a picture."""
LINE = 0.27
"""From one of them to the next."""
LEAST_STEP = 0.68
"""From one card of a hand to the next, where there are many."""
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
VERBS = ("fold", "call", "check", "bet", "raise", "draw", "stand")
"""What others hear with an s: seat 1 folds."""


def layout(s: Any, rules: Any) -> Scene:
    """Return the table as the seat sees it whose pieces are shown; ``s`` is one record of states.

    The viewer's own row comes first, the other seats follow clockwise.
    """
    viewer, players = int(s["viewer"]), int(rules.players)
    items: list[Item] = []
    texts: list[Text] = []
    chips: list[Chips] = []
    for k in range(players):
        seat, y = (viewer + k) % players, k * ROW
        items += _hand(s, seat, y + INSET)
        texts.append(Text(0, y + INSET, _seat(s, seat, k == 0), only="ansi"))
        texts += _picture_seat(s, seat, y)
        chips.append(Chips(3.1, y + 0.36, int(s["paid"][seat])))
    y = players * ROW + 0.2
    texts += [Text(0, y + i / 2, line, "", "ansi") for i, line in enumerate(_table(s, rules))]
    texts += [
        Text(0, y + i * LINE, line, "" if i else "strong", "picture")
        for i, line in enumerate(_picture_table(s, rules))
    ]
    texts.append(Text(WIDTH - 2.55, y, "pot", "strong", "picture"))
    chips.append(Chips(WIDTH - 1.8, y - 0.01, int(s["pot"])))
    y += LINES * LINE + 0.1
    panels = tuple(_panel(s, (viewer + k) % players, k * ROW) for k in range(players))
    buttons = _buttons(s, rules, y)
    canvas = WIDTH, y + 0.95
    return Scene(
        "Seven Twenty-Seven", tuple(items), tuple(texts), canvas, buttons, tuple(chips), panels
    )


def _hand(s: Any, seat: int, y: float) -> list[Item]:
    """The cards of a seat, face down what the viewer may not see; one's own hidden ones raised."""
    own = seat == int(s["viewer"])
    hand = [place for place in range(int(s["next"])) if s["owner"][place] == seat + 1]
    step = max(LEAST_STEP, min(1.0, (WIDTH - NAMES - 1) / max(len(hand) - 1, 1)))
    items = []
    for n, place in enumerate(hand):
        is_up = bool(int(s["up"]) >> place & 1)
        seen = own or is_up
        card = int(s["deck"][place]) if seen else BACK
        mark: Mark = "hidden" if own and not is_up else ""
        items.append(Item(NAMES + n * step, y, card, seen, mark, place=f"seat-{seat}"))
    return items


def _panel(s: Any, seat: int, y: float) -> Panel:
    if s["seats"][seat]["status"] != Status.IN:
        return Panel(0, y, WIDTH, ROW, "out")
    return Panel(
        0, y, WIDTH, ROW, "turn" if s["over"] not in FINISHED and seat == s["turn"] else ""
    )


def _picture_seat(s: Any, seat: int, y: float) -> list[Text]:
    """The name of a seat, and below it what it does or has come to."""
    public = s["seats"][seat]
    name = f"you, seat {seat}" if seat == s["viewer"] else f"seat {seat}"
    says = ""
    if public["status"] != Status.IN:
        says = Status(int(public["status"])).name.lower()
    elif s["over"] in FINISHED:
        says = f"wins {int(s['net'][seat])}" if s["net"][seat] > 0 else ""
    elif public["declared"]:
        says = SAYS[int(public["declared"])]
    elif seat == s["turn"]:
        says = "to act"
    says += (", dealer" if says else "dealer") if seat == s["dealer"] else ""
    return [
        Text(0.2, y + 0.2, name, "strong", "picture"),
        Text(0.2, y + 0.52, says, "faint", "picture"),
    ]


def _buttons(s: Any, rules: Any, y: float) -> tuple[Button, ...]:
    """All that a seat may ever do: bets in one row, cards and declarations below."""
    acts = s["viewer"] == s["turn"] and not s["over"]
    legal = int(s["legal"]) if acts else 0
    words = _action_words(s, rules)
    below = [DRAW, STAND]
    below += [DECLARE_7, DECLARE_27, DECLARE_BOTH] if rules.declare != Declare.CARDS_SPEAK else []
    found = []
    for row, actions in enumerate(((FOLD, CALL, *range(RAISE, RAISE + LEVELS)), below)):
        wide = WIDTH / 7
        for i, action in enumerate(actions):
            text = f"say {words[action][0]}" if action >= DECLARE_7 else words[action][0]
            can = bool(legal >> action & 1)
            found.append(Button(i * wide, y + 0.47 * row, wide, text, action, can))
    return tuple(found)


def _seat(s: Any, seat: int, own: bool) -> str:
    """What stands before a hand: whose it is, what was paid, what has become of it."""
    public = s["seats"][seat]
    marks = [f"{'you' if own else 'seat'} {seat}", f"paid {int(s['paid'][seat])}"]
    if seat == s["dealer"]:
        marks.append("D")
    if public["status"] != Status.IN:
        marks.append(Status(int(public["status"])).name.lower())
        return " ".join(marks)
    if s["over"] not in FINISHED and seat == s["turn"]:
        marks.append("*")
    if public["declared"]:
        marks.append(SAYS[int(public["declared"])])
    return " ".join(marks)


def _table(s: Any, rules: Any) -> list[str]:
    """What stands below the hands, in text."""
    lines = [_totals(s), f"pot {int(s['pot'])}, {_stock(s)}"]
    if s["over"] in FINISHED:
        nets = ", ".join(f"seat {k} {int(s['net'][k]):+d}" for k in range(int(rules.players)))
        return [*lines, *_showdown(s, rules), f"{_phase(s)}: {nets}"]
    return [*lines, _phase(s)]


def _picture_table(s: Any, rules: Any) -> list[str]:
    """What stands below the hands in a picture, which has the pot and what each seat won itself."""
    return [
        _phase(s),
        _totals(s),
        _stock(s),
        *(_showdown(s, rules) if s["over"] in FINISHED else []),
    ]


def _stock(s: Any) -> str:
    return f"stock {int(s['size'] - s['next'])}"


def _totals(s: Any) -> str:
    """What the viewer's cards make: several totals where an ace is among them."""
    viewer = int(s["viewer"])
    low, aces = int(s["low"][viewer]), int(s["cards"][viewer][0])
    totals = " or ".join(f"{(low + 20 * aces_high) / 2:g}" for aces_high in range(aces + 1))
    return f"your cards make {totals}"


def _phase(s: Any) -> str:
    """Where the hand stands, and what the viewer still has to pay."""
    if s["over"] in FINISHED:
        return PHASES[Phase.OVER]
    viewer, phase = int(s["viewer"]), PHASES[Phase(int(s["phase"]))]
    missing = int(s["high"]) - int(s["staked"][viewer])
    if BETTING_PHASES >> int(s["phase"]) & 1 and missing and int(s["live"]) >> viewer & 1:
        return f"{phase}: {missing} to call"
    return phase


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
    found = _action_words(s, rules)
    return {action: found[action] for action in sorted(found) if legal >> action & 1}


def _action_words(s: Any, rules: Any) -> dict[int, tuple[str, ...]]:
    """What all actions are called as the bets stand."""
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
    return found


def final_info(states: Any, rules: Any, seats: Any) -> dict[str, Any]:
    """Return what ``info`` tells a seat: chips paid, the pot, at the end whether cards decided."""
    several = np.bitwise_count(states["live"]) > 1
    return {
        "paid": take_seats(states["paid"], seats).astype(np.int64),
        "pot": states["pot"].astype(np.int64),
        "showdown": several & are_finished(states),
    }
