"""Seven Twenty-Seven: the scene of a table, and the words for actions."""

from typing import Any

import numpy as np

from ...core.batch import FINISHED
from ...core.game import take_seats
from ...core.kernel.jit import plain_python
from ...core.rows import are_finished
from ...core.scene.scene import Button, Chips, Item, Mark, Panel, Scene, Text
from .kernel import BETTING_PHASES, level_chips
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
    label,
)
from .showdown import find_shares

_level_chips = plain_python(level_chips)  # rules are a NamedTuple or their record
_find_shares = plain_python(find_shares)

BACK = 1
"""Code of every face-down card; no card has this code."""
NAMES = 5.0
"""Left edge of the cards, to the right of the names of the seats."""
WIDTH = 10.5
ROW = 1.09
"""Height of a seat's panel, slightly more than a card."""
INSET = 0.05
LINES = 5
"""Number of lines of text below the hands in a picture."""
LINE = 0.27
"""Height of a line of text."""
LEAST_STEP = 0.68
"""Minimum distance between the cards of a long hand."""
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
    """Return the scene of the table as seen by the viewer of ``s``, one record of states.

    The viewer's row comes first; the other seats follow clockwise.
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
    """Return the cards of a seat; those that the viewer cannot see are face down."""
    is_viewer = seat == int(s["viewer"])
    hand = [place for place in range(int(s["next"])) if s["owner"][place] == seat + 1]
    step = max(LEAST_STEP, min(1.0, (WIDTH - NAMES - 1) / max(len(hand) - 1, 1)))
    items = []
    for n, place in enumerate(hand):
        is_up = bool(int(s["up"]) >> place & 1)
        is_seen = is_viewer or is_up
        card = int(s["deck"][place]) if is_seen else BACK
        mark: Mark = "hidden" if is_viewer and not is_up else ""
        items.append(Item(NAMES + n * step, y, card, is_seen, mark, place=f"seat-{seat}"))
    return items


def _panel(s: Any, seat: int, y: float) -> Panel:
    if s["seats"][seat]["status"] != Status.IN:
        return Panel(0, y, WIDTH, ROW, "out")
    return Panel(
        0, y, WIDTH, ROW, "turn" if s["over"] not in FINISHED and seat == s["turn"] else ""
    )


def _picture_seat(s: Any, seat: int, y: float) -> list[Text]:
    """Return the name of a seat, and below it its status."""
    public = s["seats"][seat]
    name = f"you, seat {seat}" if seat == s["viewer"] else f"seat {seat}"
    status = ""
    if public["status"] != Status.IN:
        status = Status(int(public["status"])).name.lower()
    elif s["over"] in FINISHED:
        status = f"wins {int(s['net'][seat])}" if s["net"][seat] > 0 else ""
    elif public["declared"]:
        status = SAYS[int(public["declared"])]
    elif seat == s["turn"]:
        status = "to act"
    status += (", dealer" if status else "dealer") if seat == s["dealer"] else ""
    return [
        Text(0.2, y + 0.2, name, "strong", "picture"),
        Text(0.2, y + 0.52, status, "faint", "picture"),
    ]


def _buttons(s: Any, rules: Any, y: float) -> tuple[Button, ...]:
    """Return a button for every action: bets in one row, cards and declarations below."""
    acts = s["viewer"] == s["turn"] and not s["over"]
    legal = int(s["legal"]) if acts else 0
    words = _action_words(s, rules)
    below = [DRAW, STAND]
    below += [DECLARE_7, DECLARE_27, DECLARE_BOTH] if rules.declare != Declare.CARDS_SPEAK else []
    buttons = []
    for row, actions in enumerate(((FOLD, CALL, *range(RAISE, RAISE + LEVELS)), below)):
        width = WIDTH / 7
        for i, action in enumerate(actions):
            text = f"say {words[action][0]}" if action >= DECLARE_7 else words[action][0]
            is_legal = bool(legal >> action & 1)
            buttons.append(Button(i * width, y + 0.47 * row, width, text, action, is_legal))
    return tuple(buttons)


def _seat(s: Any, seat: int, is_viewer: bool) -> str:
    """Return the text next to a hand: seat, chips paid, status."""
    public = s["seats"][seat]
    words = [f"{'you' if is_viewer else 'seat'} {seat}", f"paid {int(s['paid'][seat])}"]
    if seat == s["dealer"]:
        words.append("D")
    if public["status"] != Status.IN:
        words.append(Status(int(public["status"])).name.lower())
        return " ".join(words)
    if s["over"] not in FINISHED and seat == s["turn"]:
        words.append("*")
    if public["declared"]:
        words.append(SAYS[int(public["declared"])])
    return " ".join(words)


def _table(s: Any, rules: Any) -> list[str]:
    """Return the lines below the hands for text output."""
    lines = [_totals(s), f"pot {int(s['pot'])}, {_stock(s)}"]
    if s["over"] in FINISHED:
        nets = ", ".join(f"seat {k} {int(s['net'][k]):+d}" for k in range(int(rules.players)))
        return [*lines, *_showdown(s, rules), f"{_phase(s)}: {nets}"]
    return [*lines, _phase(s)]


def _picture_table(s: Any, rules: Any) -> list[str]:
    """Return the lines below the hands for a picture, which shows pot and winnings elsewhere."""
    return [
        _phase(s),
        _totals(s),
        _stock(s),
        *(_showdown(s, rules) if s["over"] in FINISHED else []),
    ]


def _stock(s: Any) -> str:
    return f"stock {int(s['size'] - s['next'])}"


def _totals(s: Any) -> str:
    """Return the totals of the viewer's cards; a hand with aces has several."""
    viewer = int(s["viewer"])
    low, aces = int(s["low"][viewer]), int(s["cards"][viewer][0])
    totals = " or ".join(f"{(low + 20 * aces_high) / 2:g}" for aces_high in range(aces + 1))
    return f"your cards make {totals}"


def _phase(s: Any) -> str:
    """Return the phase of the hand, and the chips that the viewer must pay to call."""
    if s["over"] in FINISHED:
        return PHASES[Phase.OVER]
    viewer, phase = int(s["viewer"]), PHASES[Phase(int(s["phase"]))]
    missing = int(s["high"]) - int(s["staked"][viewer])
    if BETTING_PHASES >> int(s["phase"]) & 1 and missing and int(s["live"]) >> viewer & 1:
        return f"{phase}: {missing} to call"
    return phase


def _showdown(s: Any, rules: Any) -> list[str]:
    """Return the winners of 7 and 27 and their chips; empty if only one seat was left."""
    if int(s["live"]).bit_count() == 1:
        return []
    winners_7, winners_27, chips_7 = (int(one) for one in _find_shares(s, rules))
    if not winners_7 | winners_27:
        return [f"nobody takes 7 or 27: {_takers(int(s['live']), int(s['pot']))}"]
    if winners_7 == winners_27:
        return [f"7 and 27: {_takers(winners_7, int(s['pot']))}"]
    sides = (7, winners_7, chips_7), (27, winners_27, int(s["pot"]) - chips_7)
    return [f"{side}: {_takers(seats, chips)}" for side, seats, chips in sides if seats]


def _takers(seats: int, chips: int) -> str:
    who = [str(seat) for seat in range(SEATS) if seats >> seat & 1]
    if len(who) == 1:
        return f"seat {who[0]} takes {chips}"
    return f"seats {' and '.join([', '.join(who[:-1]), who[-1]])} share {chips}"


def action_words(s: Any, rules: Any) -> dict[int, tuple[str, ...]]:
    """Return the words that a person can type for each legal action, such as ``"raise 3"``."""
    legal = int(s["legal"])
    words = _action_words(s, rules)
    return {action: words[action] for action in sorted(words) if legal >> action & 1}


def _action_words(s: Any, rules: Any) -> dict[int, tuple[str, ...]]:
    """Return the words for all actions at the current bets."""
    missing = bool(s["high"] > s["staked"][int(s["turn"])])
    raised = bool(s["high"] > 0)
    verb = "raise" if raised else "bet"
    words: dict[int, tuple[str, ...]] = {
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
        words[RAISE + level] = (f"{verb} {chips}", f"{verb[0]}{chips}")
    return words


def describe_action(s: Any, rules: Any, action: int) -> str:
    """Return an action as a phrase, such as ``"raise by 3 chips"``."""
    missing = int(s["high"]) - int(s["staked"][int(s["turn"])])
    if RAISE <= action < RAISE + LEVELS:
        verb = "raise by" if s["high"] > 0 else "bet"
        return f"{verb} {_count_chips(int(_level_chips(rules, action - RAISE)))}"
    if action == CALL and missing > 0:
        return f"call {_count_chips(missing)}"
    phrases = {CALL: "check", DRAW: "draw a card", DECLARE_BOTH: "declare both 7 and 27"}
    return phrases.get(action) or label(action)


def _count_chips(chips: int) -> str:
    return f"{chips} chip" if chips == 1 else f"{chips} chips"


def final_info(states: Any, rules: Any, seats: Any) -> dict[str, Any]:
    """Return the entries of ``info`` for seats: chips paid, pot, whether there was a showdown."""
    several = np.bitwise_count(states["live"]) > 1
    return {
        "paid": take_seats(states["paid"], seats).astype(np.int64),
        "pot": states["pot"].astype(np.int64),
        "showdown": several & are_finished(states),
    }
