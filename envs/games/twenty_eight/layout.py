"""Drawing of the table of Twenty-Eight and Twenty-Nine, and the words for actions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.game import take_seats
from ...core.scene.scene import Scene
from ..bidding.layout import (
    NAMES,
    STEP,
    Row,
    Table,
    describe_points,
    describe_taken,
    draw_table,
    list_words,
    make_action_words,
    make_describe_action,
    name_player,
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
    PASS,
    PLAY,
    RANKS,
    REDEAL,
    REDOUBLE,
    REDOUBLING,
    REVERSED,
    SECOND,
    SET,
    SHOW,
    SINGLE,
    SINGLES,
    label,
    pack,
    sides,
)

APART = NAMES + 8 * STEP + 0.4
TRICK = APART + 1.15
PHASES = {
    OVER: "the hand is over",
    AUCTION: "auction",
    DOUBLING: "may be doubled",
    REDOUBLING: "may be redoubled",
    MAKING: "the bidder chooses trumps",
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
        REDEAL: ("redeal", "new"),
        SET: ("set",),
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
    players = int(rules.players)
    table = Table(
        title,
        CODES,
        copies=1,
        ranks=RANKS,
        hand_size=len(pack(rules)) // players,
        first_leader=int(s["alone"] if s["alone"] >= 0 else (s["dealer"] + 1) % players),
        bonus=int(rules.last_trick),
        sides=_list_sides(s, rules),
        rows=[_make_row(s, seat) for seat in range(players)],
        phase=_name_phase(s),
        contract=_list_contract(s, rules),
        points=_list_points(s, rules),
        trumps=_list_trumps(s),
        is_secret=True,
        words=WORDS,
        button_rows=1,
        net_unit=2 if players == 3 else 1,
        apart_x=APART,
        trick_x=TRICK,
    )
    return draw_table(s, table)


def _name_phase(s: Any) -> str:
    """Return the name of the phase. After a redouble, the opponents double by setting the bid."""
    phase = int(s["shown"]["phase"])
    return "may be set" if phase == DOUBLING and s["shown"]["doubled"] else PHASES[phase]


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
    if seat == s["set_by"]:
        return "set the bid"
    if public["called"] > 1:
        return "doubled" if public["called"] == 2 else "redoubled"
    if seat == s["bidder"]:
        return f"bid {int(s['shown']['bid'])}"
    if s["bidder"] < 0 and s["seen"][seat]:
        return "demanded a redeal"
    if public["passed"] > public["bid"]:
        return "passed"
    return f"bid {int(public['bid'])}" if public["bid"] else ""


def _list_trumps(s: Any) -> list[str]:
    """Return lines with the trumps as far as the viewer knows them."""
    made = int(s["shown"]["trumps"])
    if not made:
        return ["unknown" if s["made"] else "not chosen"]
    lines = ["no trumps" if made >= NONE else SUIT_WORDS[made - 1]]
    lines += ["ranks reversed"] if made == REVERSED else []
    return lines if s["shown"]["trumps_shown"] else [*lines, "secret"]


def _list_contract(s: Any, rules: Any) -> list[str]:
    """Return lines with the bid and the target."""
    shown = s["shown"]
    if s["alone"] >= 0:
        is_own = s["alone"] == s["viewer"]
        return [
            f"{name_player(s, s['alone'])} {'play' if is_own else 'plays'} alone for all tricks"
        ]
    if s["bidder"] < 0:
        return ["no bid"]
    lines = [f"{name_player(s, s['bidder'])} bid {int(shown['bid'])}"]
    lines += [f"must take {int(shown['target'])}"] if shown["target"] != shown["bid"] else []
    times = int(shown["stake"]) * (3 if s["set_by"] >= 0 and shown["doubled"] else 2) // 2
    return [*lines, f"times {times}"] if times > 1 else lines


def _list_points(s: Any, rules: Any) -> Sequence[str]:
    """Return the points of the viewer's side and of the others; empty before the play."""
    if s["alone"] >= 0 or s["bidder"] < 0 or s["shown"]["phase"] not in (OVER, PLAY):
        return ()
    return describe_points(s, _list_sides(s, rules), s["shown"]["target"])


def final_info(states: Any, rules: Any, seats: Any) -> dict[str, Any]:
    """Return the entries of ``info`` for seats: bid, target, bidder, points and tricks taken."""
    return {
        "bid": states["shown"]["bid"].astype(np.int64),
        "target": states["shown"]["target"].astype(np.int64),
        "bidder": states["bidder"].astype(np.int64),
        "points": take_seats(states["seats"]["points"], seats).astype(np.int64),
        "tricks": take_seats(states["seats"]["tricks"], seats).astype(np.int64),
    }
