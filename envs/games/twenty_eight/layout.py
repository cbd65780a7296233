"""Drawing of the table of Twenty-Eight and Twenty-Nine, and the words for actions."""

from typing import Any

import numpy as np

from ...core.game import take_seats
from ...core.scene.scene import Scene
from ..bidding.layout import (
    NAMES,
    STEP,
    Row,
    Table,
    describe_phase,
    describe_points,
    describe_taken,
    draw_table,
    list_words,
    make_action_words,
    make_describe_action,
    sort_cards,
)
from ..bidding.rules import NONE, OVER, SUIT_WORDS
from .rules import (
    ASK,
    AUCTION,
    BID,
    CARDS,
    CODES,
    DOUBLE,
    DOUBLING,
    LABELS,
    LOWEST_BID,
    MAKE,
    MAKE_NONE,
    MAKE_REVERSED,
    MAKE_SEVENTH,
    MAKING,
    PACK_POINTS,
    PASS,
    PLAY,
    RANKS,
    REDOUBLE,
    REDOUBLING,
    REVERSED,
    SECOND,
    SHOW,
    SINGLE,
    SINGLES,
    TrumpBy,
    label,
    sides,
)

APART = NAMES + 8 * STEP + 0.4
TRICK = APART + 1.15
PHASES = {
    OVER: "the hand is over",
    AUCTION: "auction",
    DOUBLING: "may be doubled",
    REDOUBLING: "may be redoubled",
    MAKING: "chooses trumps",
    SECOND: "second auction",
    SINGLES: "who plays alone?",
    PLAY: "play",
}
WORDS = list_words(
    LABELS,
    LOWEST_BID,
    range(BID, PASS),
    {
        PASS: ("pass", "p"),
        DOUBLE: ("double", "d"),
        REDOUBLE: ("redouble", "r"),
        ASK: ("ask", "a"),
        SHOW: ("show", "pair"),
        SINGLE: ("single", "alone"),
        **{MAKE + suit: (word, word[:2]) for suit, word in enumerate(SUIT_WORDS)},
        MAKE_SEVENTH: ("seventh", "7th"),
        MAKE_NONE: ("none", "no trumps"),
        MAKE_REVERSED: ("reversed",),
    },
)
action_words = make_action_words(WORDS)
describe_action = make_describe_action(
    CODES,
    label,
    MAKING,
    {
        SINGLE: "play alone",
        **{MAKE + suit: f"make {word} trumps" for suit, word in enumerate(SUIT_WORDS)},
        MAKE_SEVENTH: "make the seventh card's suit trumps",
        MAKE_NONE: "choose no trumps",
        MAKE_REVERSED: "choose no trumps with reversed ranks",
    },
)


def layout(s: Any, rules: Any, title: str = "Twenty-Eight") -> Scene:
    """Return the scene of the table as seen by the viewer of ``s``; see `draw_table`."""
    phase = describe_phase(s, PHASES, int(rules.players), 2 if rules.players == 3 else 1)
    table = Table(
        title,
        CODES,
        copies=1,
        sides=_list_sides(s, rules),
        rows=[_make_row(s, seat) for seat in range(int(rules.players))],
        lines=[phase, _describe_contract(s, rules), _describe_trumps(s)],
        buttons=_list_buttons(rules),
        words=WORDS,
        apart_x=APART,
        trick_x=TRICK,
        buttons_height=1.45,
    )
    return draw_table(s, table)


def _list_sides(s: Any, rules: Any) -> list[int]:
    """Return the side of each seat. With three players there are sides only after the auction."""
    if rules.players != 3:
        return list(sides(rules))
    is_decided = s["bidder"] >= 0 and s["shown"]["phase"] in (OVER, PLAY)
    return [int(seat == s["bidder"]) if is_decided else seat for seat in range(3)]


def _make_row(s: Any, seat: int) -> Row:
    held = sort_cards([card for card in range(CARDS) if int(s["hands"][seat]) >> card & 1], RANKS)
    seen = [card for card in held if int(s["seen"][seat]) >> card & 1]
    return Row(
        _describe_said(s, seat),
        held,
        known=held if seat == s["viewer"] else seen,
        lays_apart=bool(s["card"]) and seat == s["maker"],
        is_out=s["shown"]["phase"] == PLAY and not int(s["playing"]) >> seat & 1,
    )


def _describe_said(s: Any, seat: int) -> str:
    """Return text with a seat's last call, or with the tricks and points that it has taken."""
    public = s["seats"][seat]
    if s["tricks"]:
        return describe_taken(public)
    if seat == s["alone"]:
        return "plays alone"
    if public["called"] > 1:
        return "doubled" if public["called"] == 2 else "redoubled"
    if seat == s["bidder"]:
        return f"bid {int(s['shown']['bid'])}"
    if public["passed"]:
        return "passed"
    return f"bid {int(public['bid'])}" if public["bid"] else ""


def _describe_trumps(s: Any) -> str:
    """Return text with the trumps as far as the viewer knows them."""
    made = int(s["shown"]["trumps"])
    if not made:
        return "trumps unknown" if s["made"] else "no trumps yet"
    words = "no trumps" if made >= NONE else f"trumps {SUIT_WORDS[made - 1]}"
    words += ", ranks reversed" if made == REVERSED else ""
    return words if s["shown"]["trumps_shown"] else f"{words}, secret"


def _describe_contract(s: Any, rules: Any) -> str:
    """Return text with the bid, the target, and the points taken so far."""
    shown = s["shown"]
    if s["alone"] >= 0:
        return f"seat {int(s['alone'])} plays alone for all tricks"
    if s["bidder"] < 0:
        return "no bid"
    words = f"seat {int(s['bidder'])} bid {int(shown['bid'])}"
    if shown["target"] != shown["bid"]:
        words += f", must take {int(shown['target'])}"
    words += f", times {int(shown['stake'])}" if shown["stake"] > 1 else ""
    if shown["phase"] in (OVER, PLAY):
        words += f"; {describe_points(s, _list_sides(s, rules), shown['target'])}"
    return words


def _list_buttons(rules: Any) -> list[list[int]]:
    """Return the rows of buttons: bids in one row, other calls and trumps below."""
    highest = PACK_POINTS + int(rules.last_trick)
    bids = [BID + bid - LOWEST_BID for bid in range(int(rules.min_bid), highest + 1)]
    calls = [PASS, ASK]
    calls += [DOUBLE, REDOUBLE] if rules.doubles else []
    calls += [SHOW] if rules.pair else []
    calls += [SINGLE] if rules.single_hand else []
    trumps = list(range(MAKE, MAKE + 4)) if rules.trump_by == TrumpBy.SUIT else []
    trumps += [MAKE_SEVENTH] if rules.seventh else []
    trumps += [MAKE_NONE, MAKE_REVERSED] if rules.no_trumps else []
    return [row for row in (bids, calls, trumps) if row]


def final_info(states: Any, rules: Any, seats: Any) -> dict[str, Any]:
    """Return the entries of ``info`` for seats: bid, target, bidder, points and tricks taken."""
    return {
        "bid": states["shown"]["bid"].astype(np.int64),
        "target": states["shown"]["target"].astype(np.int64),
        "bidder": states["bidder"].astype(np.int64),
        "points": take_seats(states["seats"]["points"], seats).astype(np.int64),
        "tricks": take_seats(states["seats"]["tricks"], seats).astype(np.int64),
    }
