"""Seven Twenty-Seven: the scene of a table, and the words for actions.

Pictures show the seats around the pot. Terminal text has a row for each seat.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.batch import FINISHED
from ...core.game import take_seats
from ...core.kernel.jit import plain_python
from ...core.rows import are_finished
from ...core.scene.drawing import HEIGHT, Box
from ...core.scene.drawing import WIDTH as CARD
from ...core.scene.scene import Button, Item, Mark, Scene, Text
from ...core.scene.seating import (
    LINE,
    LONGEST_ROW,
    OWN_SIZE,
    PAD,
    Seating,
    arrange_seats,
    place_hand,
    put_area,
    put_buttons,
    put_chips,
    put_item,
    put_message,
    put_text,
)
from .kernel import BETTING_PHASES, bet_range
from .rules import (
    CALL,
    DECLARE_7,
    DECLARE_27,
    DECLARE_BOTH,
    DRAW,
    FOLD,
    LEVELS,
    MOST_RAISES,
    RAISE,
    SEATS,
    STAND,
    Phase,
    Status,
    label,
)
from .showdown import find_shares

_bet_range = plain_python(bet_range)  # rules are a NamedTuple or their record
_find_shares = plain_python(find_shares)

BACK = 1
"""Code of every face-down card; no card has this code."""
NAMES = 5.0
"""Left edge of the cards in terminal text, to the right of the names of the seats."""
WIDTH = 10.5
"""Width of the table in terminal text."""
ROW = 1.09
"""Height of a seat's row in terminal text, slightly more than a card."""
INSET = 0.05
LEAST_STEP = 0.68
"""Minimum distance between the cards of a long hand in terminal text."""
SMALL_SIZE = 0.6
"""Scale of another seat's cards."""
IN_ROW = 5
"""Maximum number of another seat's cards in a row."""
LONG_HAND, LONG_ROW = 0.72, 7
"""Factor by which more than two rows of cards are smaller, and the number of cards in such a row.
"""
SMALL_STEP = 27.0
"""Distance between another seat's cards, in SVG units; it leaves their corners visible."""
SMALL_ROW = 19.0
"""Distance between the rows of another seat's cards, in SVG units."""
AREA = 3 * LINE + 2 * PAD + HEIGHT * SMALL_SIZE + SMALL_ROW
"""Height of another seat's area, in SVG units: three lines, one of them for the name of the player,
and two rows of cards."""
MIDDLE = 130.0
"""Minimum height of the middle of the table, in SVG units."""
MOST_NAMED = 4
"""Maximum number of seats that the line with the winners in a picture names."""
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

    The viewer is at the bottom; the other seats follow clockwise.
    """
    players = int(rules.players)
    seats = [(int(s["viewer"]) + k) % players for k in range(players)]
    sizes: dict[str, Any] = {"middle": MIDDLE, "messages": 2, "own_lines": 2}
    own_cards = int((s["owner"] == s["viewer"] + 1).sum())
    seating = arrange_seats(players, AREA, **sizes, cards=max(LONGEST_ROW, own_cards))
    canvas = arrange_seats(players, AREA, **sizes).canvas
    items = _draw_own(s, seating)
    texts = [*_write_own(s, seating), *_write_middle(s, rules, seating)]
    left, top, right, bottom = seating.center
    chips = [put_chips((left + right) / 2, (top + bottom) / 2, int(s["pot"]), "middle")]
    panels = []
    for seat, box in zip(seats, seating.areas, strict=True):
        is_at_turn = s["over"] not in FINISHED and seat == s["turn"]
        is_out = s["seats"][seat]["status"] != Status.IN
        panels.append(put_area(box, seat, is_at_turn, is_out))
        own = seat == s["viewer"]
        chips.append(put_chips(box[2] - PAD, box[1], int(s["paid"][seat]), "end"))
        if not own:
            items += _draw_other(s, seat, box)
            texts += _write_seat(s, seat, f"Seat {seat}", box)
    stock = int(s["size"] - s["next"])
    if stock:
        x, y = (
            (left + right - CARD * SMALL_SIZE) / 2,
            (top + bottom) / 2 - HEIGHT * SMALL_SIZE - PAD,
        )
        fields: dict[str, Any] = {"place": "stock", "pile_size": stock, "size": SMALL_SIZE}
        items.append(put_item(x, y, BACK, False, **fields))
    return Scene(
        "Seven Twenty-Seven",
        tuple(items),
        tuple(texts),
        canvas,
        _draw_buttons(s, rules, seating),
        tuple(chips),
        tuple(panels),
        terminal=_draw_rows(s, rules, seats),
    )


def _list_hand(s: Any, seat: int) -> list[tuple[int, bool, Mark]]:
    """Return the cards of a seat: code, whether the viewer sees the card, and mark."""
    is_viewer = seat == s["viewer"]
    cards: list[tuple[int, bool, Mark]] = []
    for place in range(int(s["next"])):
        if s["owner"][place] == seat + 1:
            is_up = bool(int(s["up"]) >> place & 1)
            is_seen = is_viewer or is_up
            code = int(s["deck"][place]) if is_seen else BACK
            cards.append((code, is_seen, "hidden" if is_viewer and not is_up else ""))
    return cards


def _draw_own(s: Any, seating: Seating) -> list[Item]:
    """Return the viewer's cards."""
    seat = int(s["viewer"])
    hand = _list_hand(s, seat)
    fields: dict[str, Any] = {"place": f"seat-{seat}", "origin": "stock", "size": OWN_SIZE}
    return [
        put_item(x, y, code, is_seen, mark=mark, **fields)
        for (code, is_seen, mark), (x, y) in zip(hand, place_hand(seating, len(hand)), strict=True)
    ]


def _draw_other(s: Any, seat: int, box: Box) -> list[Item]:
    """Return the cards of another seat, in rows at the lower edge of its area."""
    hand = _list_hand(s, seat)
    smaller = 1.0 if len(hand) <= 2 * IN_ROW else LONG_HAND
    in_row = IN_ROW if smaller == 1 else LONG_ROW
    place, size = f"seat-{seat}", SMALL_SIZE * smaller
    items = []
    for k, (code, is_seen, _) in enumerate(hand):
        row, column = divmod(k, in_row)
        x = box[0] + PAD + column * SMALL_STEP * smaller
        y = box[1] + PAD + 2 * LINE + row * SMALL_ROW * smaller
        items.append(put_item(x, y, code, is_seen, place=place, origin="stock", size=size))
    return items


def _describe_status(s: Any, seat: int) -> str:
    """Return the status of a seat and, during the hand, whether it is the dealer."""
    public = s["seats"][seat]
    words = []
    if public["status"] != Status.IN:
        words.append(Status(int(public["status"])).name.lower())
    elif s["over"] in FINISHED:
        words += [f"wins {int(s['net'][seat])}"] if s["net"][seat] > 0 else []
    elif public["declared"]:
        words.append(SAYS[int(public["declared"])])
    if seat == s["dealer"] and s["over"] not in FINISHED:
        words.append("dealer")
    return ", ".join(words)


def _write_seat(s: Any, seat: int, name: str, box: Box) -> list[Text]:
    """Return the name and the status of a seat."""
    x, y = box[0] + PAD, box[1] + PAD / 2
    texts, status = [put_text(x, y, name, "strong")], _describe_status(s, seat)
    return [*texts, put_text(x, y + LINE, status, "faint")] if status else texts


def _write_own(s: Any, seating: Seating) -> list[Text]:
    """Return the texts of the viewer's seat: name, status and totals."""
    seat, box = int(s["viewer"]), seating.areas[0]
    return [
        *_write_seat(s, seat, f"You, seat {seat}", box),
        put_text(box[2] - PAD, box[1] + PAD / 2 + LINE, f"total {_list_totals(s)}", "", "end"),
    ]


def _write_middle(s: Any, rules: Any, seating: Seating) -> list[Text]:
    """Return the texts about the pot, and below it the phase or the winners."""
    left, top, right, bottom = seating.center
    lines = [_phase(s)]
    if s["over"] in FINISHED:
        lines = _showdown(s, rules, MOST_NAMED) or lines
    return [
        put_text((left + right) / 2, (top + bottom) / 2 + LINE + PAD / 2, "pot", "", "middle"),
        *(put_message(seating, line[0].upper() + line[1:], k) for k, line in enumerate(lines)),
    ]


def _draw_buttons(s: Any, rules: Any, seating: Seating) -> tuple[Button, ...]:
    """Return a button for each legal action."""
    acts = s["viewer"] == s["turn"] and not s["over"]
    legal = int(s["legal"]) if acts else 0
    words = []
    for action, (word, *_) in sorted(_action_words(s, rules).items()):
        if legal >> action & 1:
            words.append((action, f"say {word}" if action >= DECLARE_7 else word))
    return put_buttons(seating, words)


# ---- terminal text --------------------------------------------------------------------------


def _draw_rows(s: Any, rules: Any, seats: Sequence[int]) -> Scene:
    """Return the scene for terminal text: a row for each seat, and lines below."""
    items: list[Item] = []
    texts: list[Text] = []
    for k, seat in enumerate(seats):
        y = k * ROW + INSET
        hand = _list_hand(s, seat)
        step = max(LEAST_STEP, min(1.0, (WIDTH - NAMES - 1) / max(len(hand) - 1, 1)))
        for n, (code, is_seen, mark) in enumerate(hand):
            items.append(Item(NAMES + n * step, y, code, is_seen, mark, place=f"seat-{seat}"))
        texts.append(Text(0, y, _seat(s, seat, k == 0)))
    y = len(seats) * ROW + 0.2
    texts += [Text(0, y + i / 2, line) for i, line in enumerate(_table(s, rules))]
    return Scene("Seven Twenty-Seven", tuple(items), tuple(texts), (WIDTH, y + 1))


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
    """Return the lines below the hands."""
    stock = int(s["size"] - s["next"])
    lines = [f"your cards make {_list_totals(s)}", f"pot {int(s['pot'])}, stock {stock}"]
    if s["over"] in FINISHED:
        nets = ", ".join(f"seat {k} {int(s['net'][k]):+d}" for k in range(int(rules.players)))
        return [*lines, *_showdown(s, rules), f"{_phase(s)}: {nets}"]
    if not s["high"] or not BETTING_PHASES >> int(s["phase"]) & 1:
        return [*lines, _phase(s)]
    last = f"seat {int(s['bettor'])}" if s["bettor"] != s["viewer"] else "you"
    raises = int(s["shown"]["raises_left"])
    left = (
        ""
        if rules.max_raises == MOST_RAISES
        else f", {raises} {'raise' if raises == 1 else 'raises'} left"
    )
    return [*lines, _phase(s), f"last bet or raise by {last}{left}"]


def _list_totals(s: Any) -> str:
    """Return the totals of the viewer's cards; a hand with aces has several."""
    viewer = int(s["viewer"])
    low, aces = int(s["low"][viewer]), int(s["cards"][viewer][0])
    return " or ".join(f"{(low + 20 * aces_high) / 2:g}" for aces_high in range(aces + 1))


def _phase(s: Any) -> str:
    """Return the phase of the hand, and the chips that the viewer must pay to call."""
    if s["over"] in FINISHED:
        return PHASES[Phase.OVER]
    viewer, phase = int(s["viewer"]), PHASES[Phase(int(s["phase"]))]
    missing = int(s["high"]) - int(s["staked"][viewer])
    if BETTING_PHASES >> int(s["phase"]) & 1 and missing and int(s["live"]) >> viewer & 1:
        return f"{phase}: {missing} to call"
    return phase


def _showdown(s: Any, rules: Any, most_named: int = SEATS) -> list[str]:
    """Return the winners of 7 and 27 and their chips; empty if only one seat was left.

    More than ``most_named`` seats are only counted.
    """
    if int(s["live"]).bit_count() == 1:
        return []

    def takers(seats: int, chips: int) -> str:
        who = [str(seat) for seat in range(SEATS) if seats >> seat & 1]
        if len(who) == 1:
            is_own = int(who[0]) == s["viewer"]
            return f"you take {chips}" if is_own else f"seat {who[0]} takes {chips}"
        if len(who) > most_named:
            return f"{len(who)} seats share {chips}"
        return f"seats {' and '.join([', '.join(who[:-1]), who[-1]])} share {chips}"

    winners_7, winners_27, chips_7 = (int(one) for one in _find_shares(s, rules))
    if not winners_7 | winners_27:
        return [f"nobody takes 7 or 27: {takers(int(s['live']), int(s['pot']))}"]
    if winners_7 == winners_27:
        return [f"7 and 27: {takers(winners_7, int(s['pot']))}"]
    sides = (7, winners_7, chips_7), (27, winners_27, int(s["pot"]) - chips_7)
    return [f"{side}: {takers(seats, chips)}" for side, seats, chips in sides if seats]


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
        low, high = map(int, _bet_range(s, rules, level))
        chips = str(low) if low >= high else f"{low}-{high}"
        singles = range(low, high + 1) if low < high else ()
        words[RAISE + level] = (
            f"{verb} {chips}",
            f"{verb[0]}{chips}",
            *(f"{begin}{one}" for one in singles for begin in (f"{verb} ", verb[0])),
        )
    return words


def is_choosing(s: Any) -> bool:
    """Return whether a seat is choosing the amount of a bet, with ``any_amount``."""
    return bool(s["to_chips"])


def describe_action(s: Any, rules: Any, action: int) -> str:
    """Return an action as a phrase, such as ``"raise by 3 chips"``."""
    missing = int(s["high"]) - int(s["staked"][int(s["turn"])])
    if RAISE <= action < RAISE + LEVELS:
        low, high = map(int, _bet_range(s, rules, action - RAISE))
        if low < high:
            return f"choose a {'raise' if s['high'] > 0 else 'bet'} from {low} to {high} chips"
        verb = "raise by" if s["high"] > 0 else "bet"
        return f"{verb} {_count_chips(low)}"
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
