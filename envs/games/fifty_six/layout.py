"""Drawing of the table of Fifty-Six, and the words for actions."""

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
from ..bidding.rules import OVER, SUIT_WORDS
from .rules import (
    ASK,
    AUCTION,
    BID,
    BY_NOES,
    BY_PASS,
    BY_PLUS,
    CARDS,
    CODES,
    DOUBLE,
    DOUBLED,
    LABELS,
    LAYING,
    LOWEST_BID,
    NAMING,
    NO_TRUMPS,
    NOES,
    NUMBER_PASS,
    PASS,
    PASSED,
    PLAY,
    PLUS,
    QUIET,
    RANKS,
    REDOUBLE,
    REDOUBLED,
    STRAIN,
    STRAIN_BEFORE,
    STRAIN_FIRST,
    STRAINS,
    Leader,
    Rules,
    Trumps,
    label,
    read_hand_size,
    sides,
)

PHASES = {
    OVER: "the hand is over",
    AUCTION: "auction",
    NAMING: "the bidder names trumps",
    LAYING: "the bidder lays a card down",
    PLAY: "play",
}
WORDS = list_words(
    LABELS,
    LOWEST_BID,
    range(BID, STRAIN),
    {
        PASS: ("pass", "p"),
        DOUBLE: ("double", "d"),
        REDOUBLE: ("redouble", "r"),
        ASK: ("ask", "a"),
        **{STRAIN + suit: (word, word[:2]) for suit, word in enumerate(STRAINS)},
        NO_TRUMPS: ("none", "no trumps", "nt"),
        **{STRAIN_FIRST + suit: (f"{word} first",) for suit, word in enumerate(STRAINS)},
        PLUS: ("plus", "+"),
        NOES: ("noes", "ns"),
        NUMBER_PASS: ("number pass", "np"),
    },
)
action_words = make_action_words(WORDS)
describe_action = make_describe_action(
    CODES,
    label,
    LAYING,
    {
        **{STRAIN + suit: f"name {word} as trumps" for suit, word in enumerate(SUIT_WORDS)},
        NO_TRUMPS: "name no trumps",
        **{
            STRAIN_FIRST + suit: f"name {word} as trumps before the number"
            for suit, word in enumerate(SUIT_WORDS)
        },
        STRAIN_FIRST + NO_TRUMPS - STRAIN: "name no trumps before the number",
        PLUS: "keep the trumps of your side with plus",
        NOES: "keep the trumps of your side with noes",
        NUMBER_PASS: "keep the trumps of your side with a pass",
    },
)


def layout(s: Any, rules: Rules) -> Scene:
    """Return the scene of the table as seen by the viewer of ``s``; see `draw_table`."""
    players = int(rules.players)
    hand_size = read_hand_size(rules)
    apart_x = NAMES + hand_size * STEP + 0.8
    table = Table(
        "Fifty-Six",
        CODES,
        copies=2,
        ranks=RANKS,
        hand_size=hand_size,
        first_leader=_find_first_leader(s, rules),
        bonus=0,
        sides=sides(rules),
        rows=[_make_row(s, seat) for seat in range(players)],
        phase=PHASES[int(s["shown"]["phase"])],
        contract=_list_contract(s),
        points=_list_points(s, rules),
        trumps=_list_trumps(s),
        is_secret=rules.trumps == Trumps.HIDDEN,
        words=WORDS,
        button_rows=2,
        net_unit=1,
        apart_x=apart_x,
        trick_x=apart_x + (1.15 if rules.trumps == Trumps.HIDDEN else 0.0),
    )
    return draw_table(s, table)


def _find_first_leader(s: Any, rules: Rules) -> int:
    if rules.leader == Leader.BIDDER:
        return int(s["bidder"])
    return int((s["dealer"] + 1) % rules.players)


def _make_row(s: Any, seat: int) -> Row:
    sets = int(s["hands"][seat]), int(s["twice"][seat])
    held = sort_cards([card for card in range(CARDS) for one in sets if one >> card & 1], RANKS)
    is_laid_back = s["shown"]["laid_back"] and seat == s["bidder"]
    seen = [int(s["laid"]) - 1] if is_laid_back else []
    return Row(
        _describe_said(s, seat),
        held,
        known=held if seat == s["viewer"] else seen,
        lays_apart=bool(s["card"]) and seat == s["bidder"],
    )


def _describe_bid(s: Any, number: Any, strain: Any) -> str:
    """Return a bid as it was said, such as ``"31 hearts"``, ``"hearts 31"`` or ``"31 plus"``."""
    if not strain:
        return f"{int(number)}"
    word = STRAINS[int(strain) - 1]
    form = int(s["shown"]["forms"][int(number) - LOWEST_BID])
    if form == STRAIN_BEFORE:
        return f"{word} {int(number)}"
    endings = {BY_PLUS: " plus", BY_NOES: " noes", BY_PASS: " pass"}
    return f"{int(number)} {word}{endings.get(form, '')}"


def _describe_said(s: Any, seat: int) -> str:
    """Return text with a seat's last call, or with the tricks and points that it has taken."""
    public = s["seats"][seat]
    if s["tricks"]:
        return describe_taken(public)
    words = {QUIET: "", PASSED: "passed", DOUBLED: "doubled", REDOUBLED: "redoubled"}
    call = int(public["said"])
    if call in words:
        return words[call]
    return f"bid {_describe_bid(s, public['number'], public['strain'])}"


def _list_trumps(s: Any) -> list[str]:
    """Return lines with the trumps as far as the viewer knows them."""
    made = int(s["shown"]["trump_suit"])
    if not made:
        strain = int(s["seats"][s["bidder"]]["strain"]) if s["bidder"] >= 0 else 0
        if strain:
            return [STRAINS[strain - 1], "so far"]
        return ["unknown" if s["made"] else "not chosen"]
    return [STRAINS[made - 1], *([] if s["shown"]["trumps_shown"] else ["secret"])]


def _list_contract(s: Any) -> list[str]:
    """Return lines with the bid."""
    shown, bidder = s["shown"], int(s["bidder"])
    if bidder < 0:
        return ["no bid"]
    if s["seats"][bidder]["number"] == 0:  # all passed
        return [f"{name_player(s, bidder)} must take {int(shown['number'])}"]
    bid = _describe_bid(s, shown["number"], s["seats"][bidder]["strain"])
    lines = [f"{name_player(s, bidder)} bid {bid}"]
    return [*lines, *([], ["doubled"], ["redoubled"])[int(shown["doubled"])]]


def _list_points(s: Any, rules: Rules) -> Sequence[str]:
    """Return the points of the viewer's side and of the others; empty before the play."""
    if s["bidder"] < 0 or s["shown"]["phase"] not in (OVER, PLAY):
        return ()
    return describe_points(s, sides(rules), s["shown"]["number"])


def final_info(states: Any, rules: Rules, seats: Any) -> dict[str, Any]:
    """Return the entries of ``info`` for seats: highest bid, bidder, points and tricks taken."""
    return {
        "bid": states["shown"]["number"].astype(np.int64),
        "bidder": states["bidder"].astype(np.int64),
        "points": take_seats(states["seats"]["points"], seats).astype(np.int64),
        "tricks": take_seats(states["seats"]["tricks"], seats).astype(np.int64),
    }
