"""Fifty-Six: where each card lies, and what a person may call each action."""

from typing import Any

import numpy as np

from ...core.batch import FINISHED
from ...core.game import take_seats
from ...core.legal import list_actions
from ...core.scene.scene import Button, Item, Mark, Panel, Scene, Text
from ...core.scene.table_words import count_word, name_seat, tell_points
from .rules import (
    ASK,
    BID,
    CARDS,
    CODES,
    COPIES,
    DOUBLE,
    HIGHEST_BID,
    LABELS,
    LOWEST_BID,
    NO_TRUMPS,
    PASS,
    RANKS,
    REDOUBLE,
    STRAIN,
    STRAINS,
    Doubling,
    Rules,
    Trumps,
    sides,
)
from .state import AUCTION, DOUBLED, LAYING, NAMING, OVER, PASSED, PLAY, REDOUBLED

BACK = 1
"""Any number that is no card: a back is drawn without knowing which card it is."""
NAMES = 3.6
"""Where the cards begin, right of the names of the seats."""
STEP = 0.72
"""From one card of a hand to the next."""
ROW = 1.09
INSET = 0.05
LINES = 3
LINE = 0.27
BUTTONS = 15
"""Buttons of a row."""
PHASES = {
    OVER: "the hand is over",
    AUCTION: "auction",
    NAMING: "names the strain",
    LAYING: "lays a card down",
    PLAY: "play",
}
SHORT = {
    PASS: ("pass", "p"),
    DOUBLE: ("double", "d"),
    REDOUBLE: ("redouble", "r"),
    ASK: ("ask", "a"),
    **{STRAIN + suit: (word, word[:2]) for suit, word in enumerate(STRAINS)},
    NO_TRUMPS: ("none", "no trumps", "nt"),
}
VERBS = ("pass", "double", "redouble", "ask")
"""What others hear with an s: seat 1 passes."""


def layout(s: Any, rules: Rules) -> Scene:
    """Return the table as the seat sees it whose pieces are shown; ``s`` is one record of states.

    The viewer's own row comes first, the other seats follow in the direction of play.
    """
    viewer, players = int(s["viewer"]), int(rules.players)
    seats = [(viewer + k) % players for k in range(players)]
    width = _trick_at(rules) + 1.1
    items: list[Item] = []
    texts: list[Text] = []
    side = sides(rules)
    for k, seat in enumerate(seats):
        y = k * ROW
        items += _hand(s, seat, y + INSET, rules)
        texts.append(Text(0, y + INSET, name_seat(s, seat, side), only="ansi"))
        texts.append(Text(0, y + 0.5, _said(s, seat), only="ansi"))
        texts.append(Text(0.2, y + 0.2, name_seat(s, seat, side), "strong", "picture"))
        texts.append(Text(0.2, y + 0.52, _said(s, seat), "faint", "picture"))
    y = players * ROW + 0.2
    lines = _table(s, rules)
    texts += [Text(0, y + i / 2, line, "", "ansi") for i, line in enumerate(lines)]
    texts += [
        Text(0.2, y + i * LINE, line, "" if i else "strong", "picture")
        for i, line in enumerate(lines)
    ]
    y += LINES * LINE + 0.1
    panels = tuple(
        Panel(
            0,
            k * ROW,
            width,
            ROW,
            "turn" if s["over"] not in FINISHED and seat == s["turn"] else "",
        )
        for k, seat in enumerate(seats)
    )
    rows = _rows(rules)
    buttons = tuple(
        button for i, row in enumerate(rows) for button in _row(s, row, y + 0.47 * i, width)
    )
    size = (width, y + 0.47 * len(rows))
    return Scene("Fifty-Six", tuple(items), tuple(texts), size, buttons, panels=panels)


def _apart_at(rules: Rules) -> float:
    """Where a card lies that makes trumps, right of the hand."""
    return NAMES + (12 if rules.players == 4 and not rules.small_pack else 8) * STEP + 0.8


def _trick_at(rules: Rules) -> float:
    """Where the card played to this trick lies."""
    return _apart_at(rules) + (1.15 if rules.trumps == Trumps.HIDDEN else 0.0)


def _legal(s: Any) -> list[int]:
    acts = s["viewer"] == s["turn"] and not s["over"]
    return list_actions(s["legal"]) if acts else []


def _bid(number: Any, strain: Any) -> str:
    return f"{int(number)} {STRAINS[int(strain) - 1]}" if strain else f"{int(number)}"


def _said(s: Any, seat: int) -> str:
    """What a seat has said last, or taken."""
    public = s["seats"][seat]
    if s["tricks"]:
        return f"{count_word(public['tricks'], 'trick')}, {count_word(public['points'], 'point')}"
    words = {0: "", PASSED: "passed", DOUBLED: "doubled", REDOUBLED: "redoubled"}
    said = int(public["said"])
    return words[said] if said in words else f"bid {_bid(public['number'], public['strain'])}"


def _members(s: Any, seat: int) -> list[int]:
    """The cards of a hand, suit by suit, the strongest first."""
    hand, twice = int(s["hands"][seat]), int(s["twice"][seat])
    found = [card for card in range(CARDS) for held in (hand, twice) if held >> card & 1]
    return sorted(found, key=lambda card: (card // RANKS, -(card % RANKS)))


def _hand(s: Any, seat: int, y: float, rules: Rules) -> list[Item]:
    """The cards of a seat, face down what the viewer may not see; and what it has played."""
    own = seat == s["viewer"]
    legal = _legal(s) if own else []
    held = _members(s, seat)
    shows = s["shown"]["laid_back"] and seat == s["bidder"]
    known = held if own else [int(s["laid"]) - 1] if shows else []
    place = f"seat-{seat}"
    items = []
    for n in range(len(held)):
        x = NAMES + n * STEP
        if n < len(known):
            card, can = known[n], known[n] in legal
            mark: Mark = "legal" if can else ""
            action = card if can else -1
            items.append(Item(x, y, int(CODES[card]), True, mark, place=place, action=action))
        else:
            items.append(Item(x, y, BACK, False, place=place))
    if s["card"] and seat == s["bidder"]:
        card, mark = (int(CODES[s["card"] - 1]), "hidden") if own else (BACK, "")
        items.append(Item(_apart_at(rules), y, card, own, mark, place="trumps"))
    return items + _played(s, seat, y, rules)


def _played(s: Any, seat: int, y: float, rules: Rules) -> list[Item]:
    """The card that a seat has in this trick; between tricks the one of the last."""
    size, tricks = int(s["size"]), int(s["tricks"])
    trick = tricks + 1 if size else tricks
    for copy in range(COPIES):
        if trick and s["player_of"][copy] == seat + 1 and s["shown"]["when"][copy] == trick:
            mark: Mark = "last" if size else ""
            code = int(CODES[copy // 2])
            return [Item(_trick_at(rules), y, code, True, mark, place=f"trick-{seat}")]
    return []


def _trumps(s: Any) -> str:
    """What trumps are, as far as the viewer knows."""
    made = int(s["shown"]["trump_suit"])
    if not made:
        return "trumps unknown" if s["made"] else "no trumps yet"
    words = f"trumps {STRAINS[made - 1]}" if made <= 4 else "no trumps"
    return words if s["shown"]["trumps_shown"] else f"{words}, secret"


def _contract(s: Any, rules: Rules) -> str:
    """What was bid, and what the sides have taken."""
    shown, bidder = s["shown"], int(s["bidder"])
    if bidder < 0:
        return "no bid"
    words = f"seat {bidder} bid {_bid(shown['number'], s['seats'][bidder]['strain'])}"
    words += ("", ", doubled", ", redoubled")[int(shown["doubled"])]
    return (
        f"{words}; {tell_points(s, sides(rules), shown['number'])}"
        if shown["phase"] in (OVER, PLAY)
        else words
    )


def _table(s: Any, rules: Rules) -> list[str]:
    """What stands below the hands."""
    first = PHASES[int(s["shown"]["phase"])]
    if s["over"] in FINISHED:
        nets = (f"{int(s['net'][k]):+d}" for k in range(int(rules.players)))
        first = f"{first}: {' '.join(nets)} for seats 0 to {int(rules.players) - 1}"
    return [first, _contract(s, rules), _trumps(s)]


def _row(s: Any, actions: list[int], y: float, width: float) -> list[Button]:
    legal, words = _legal(s), _all_words()
    wide = width / max(len(actions), 8)
    return [
        Button(i * wide, y, wide, words[action][0], action, action in legal)
        for i, action in enumerate(actions)
    ]


def _rows(rules: Rules) -> list[list[int]]:
    """All that a seat may ever say: bids in two rows, the other words below."""
    bids = [BID + bid - LOWEST_BID for bid in range(LOWEST_BID, HIGHEST_BID + 1)]
    said = [PASS] if rules.doubling == Doubling.NONE else [PASS, DOUBLE, REDOUBLE]
    said += [ASK] if rules.trumps == Trumps.HIDDEN else list(range(STRAIN, NO_TRUMPS + 1))
    return [bids[:BUTTONS], bids[BUTTONS:], said]


def _all_words() -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {card: (LABELS[card],) for card in range(CARDS)}
    for bid in range(LOWEST_BID, HIGHEST_BID + 1):
        found[BID + bid - LOWEST_BID] = (str(bid), f"bid {bid}")
    return found | SHORT


def action_words(s: Any, rules: Rules) -> dict[int, tuple[str, ...]]:
    """Return what a person may call each action in sight, such as ``"32"``, ``"Jh"``, ``"ask"``."""
    words = _all_words()
    return {action: words[action] for action in list_actions(s["legal"])}


def final_info(states: Any, rules: Rules, seats: Any) -> dict[str, Any]:
    """Return what ``info`` tells a seat: the highest bid, who bid it, points and tricks taken."""
    publics = states["seats"]
    return {
        "bid": states["shown"]["number"].astype(np.int64),
        "bidder": states["bidder"].astype(np.int64),
        "points": take_seats(publics["points"], seats).astype(np.int64),
        "tricks": take_seats(publics["tricks"], seats).astype(np.int64),
    }
