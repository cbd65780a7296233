"""Twenty-Eight and Twenty-Nine: where each card lies, and what a person may call each action."""

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
    DOUBLE,
    HIGHEST_BID,
    LABELS,
    LOWEST_BID,
    MAKE,
    MAKE_NONE,
    MAKE_REVERSED,
    MAKE_SEVENTH,
    PACK_POINTS,
    PASS,
    RANKS,
    REDOUBLE,
    SHOW,
    SINGLE,
    SUIT_WORDS,
    TrumpBy,
    sides,
)
from .state import (
    AUCTION,
    DOUBLING,
    MAKING,
    NONE,
    OVER,
    PLAY,
    REDOUBLING,
    REVERSED,
    SECOND,
    SINGLES,
)

BACK = 1
"""Any number that is no card: a back is drawn without knowing which card it is."""
NAMES = 3.6
"""Where the cards begin, right of the names of the seats."""
STEP = 0.72
"""From one card of a hand to the next."""
APART = NAMES + 8 * STEP + 0.4
TRICK = APART + 1.15
"""Where a card lies that makes trumps, and the card played to this trick."""
WIDTH = TRICK + 1.1
ROW = 1.09
INSET = 0.05
LINES = 3
LINE = 0.27
PHASES = {
    OVER: "the hand is over",
    AUCTION: "auction",
    DOUBLING: "may be doubled",
    REDOUBLING: "may be redoubled",
    MAKING: "makes trumps",
    SECOND: "second auction",
    SINGLES: "who plays alone?",
    PLAY: "play",
}
SHORT = {
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
}
VERBS = ("pass", "double", "redouble", "ask", "show")
"""What others hear with an s: seat 1 passes."""


def layout(s: Any, rules: Any, title: str = "Twenty-Eight") -> Scene:
    """Return the table as the seat sees it whose pieces are shown; ``s`` is one record of states.

    The viewer's own row comes first, the other seats follow in the direction of play.
    """
    viewer, players = int(s["viewer"]), int(rules.players)
    seats = [(viewer + k) % players for k in range(players)]
    items: list[Item] = []
    texts: list[Text] = []
    side = _sides(s, rules)
    for k, seat in enumerate(seats):
        y = k * ROW
        items += _hand(s, seat, y + INSET)
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
    panels = tuple(_panel(s, seat, k * ROW) for k, seat in enumerate(seats))
    buttons = _buttons(s, rules, y)
    return Scene(title, tuple(items), tuple(texts), (WIDTH, y + 1.45), buttons, panels=panels)


def _legal(s: Any) -> list[int]:
    acts = s["viewer"] == s["turn"] and not s["over"]
    return list_actions(s["legal"]) if acts else []


def _sides(s: Any, rules: Any) -> list[int]:
    """The side of each seat; of three seats there are sides once the auction is over."""
    if rules.players != 3:
        return list(sides(rules))
    decided = s["bidder"] >= 0 and s["shown"]["phase"] in (OVER, PLAY)
    return [int(seat == s["bidder"]) if decided else seat for seat in range(3)]


def _said(s: Any, seat: int) -> str:
    """What a seat has said last, or taken."""
    public = s["seats"][seat]
    if s["tricks"]:
        return f"{count_word(public['tricks'], 'trick')}, {count_word(public['points'], 'point')}"
    if seat == s["alone"]:
        return "plays alone"
    if public["called"] > 1:
        return "doubled" if public["called"] == 2 else "redoubled"
    if seat == s["bidder"]:
        return f"bid {int(s['shown']['bid'])}"
    if public["passed"]:
        return "passed"
    return f"bid {int(public['bid'])}" if public["bid"] else ""


def _members(cards: Any) -> list[int]:
    """The cards of a set, suit by suit, the strongest first."""
    found = [card for card in range(CARDS) if int(cards) >> card & 1]
    return sorted(found, key=lambda card: (card // RANKS, -(card % RANKS)))


def _hand(s: Any, seat: int, y: float) -> list[Item]:
    """The cards of a seat: face down what the viewer may not see; and what it has played."""
    own = seat == s["viewer"]
    legal = _legal(s) if own else []
    held = _members(s["hands"][seat])
    known = held if own else [card for card in held if int(s["seen"][seat]) >> card & 1]
    place = f"seat-{seat}"
    items = []
    for n in range(len(held)):
        x = NAMES + n * STEP
        if n < len(known):
            card = known[n]
            can = card in legal
            mark: Mark = "legal" if can else ""
            action = card if can else -1
            items.append(Item(x, y, int(CODES[card]), True, mark, place=place, action=action))
        else:
            items.append(Item(x, y, BACK, False, place=place))
    if s["card"] and seat == s["maker"]:
        sees = own
        card = int(CODES[s["card"] - 1]) if sees else BACK
        items.append(Item(APART, y, card, sees, "hidden" if sees else "", place="trumps"))
    return items + _played(s, seat, y)


def _played(s: Any, seat: int, y: float) -> list[Item]:
    """The card that a seat has in this trick; between tricks the one of the last."""
    size, tricks = int(s["size"]), int(s["tricks"])
    trick = tricks + 1 if size else tricks
    for card in range(CARDS):
        if s["player_of"][card] == seat + 1 and s["shown"]["when"][card] == trick and trick:
            mark: Mark = "last" if size else ""
            return [Item(TRICK, y, int(CODES[card]), True, mark, place=f"trick-{seat}")]
    return []


def _panel(s: Any, seat: int, y: float) -> Panel:
    if s["shown"]["phase"] == PLAY and not int(s["playing"]) >> seat & 1:
        return Panel(0, y, WIDTH, ROW, "out")
    return Panel(
        0, y, WIDTH, ROW, "turn" if s["over"] not in FINISHED and seat == s["turn"] else ""
    )


def _trumps(s: Any) -> str:
    """What trumps are, as far as the viewer knows."""
    made = int(s["shown"]["trumps"])
    if not made:
        return "trumps unknown" if s["made"] else "no trumps yet"
    words = "no trumps" if made >= NONE else f"trumps {SUIT_WORDS[made - 1]}"
    words += ", ranks reversed" if made == REVERSED else ""
    return words if s["shown"]["trumps_shown"] else f"{words}, secret"


def _contract(s: Any, rules: Any) -> str:
    """What was bid, what must be taken, and what has been."""
    shown = s["shown"]
    if s["alone"] >= 0:
        return f"seat {int(s['alone'])} plays alone for all tricks"
    if s["bidder"] < 0:
        return "no bid"
    words = f"seat {int(s['bidder'])} bid {int(shown['bid'])}"
    if shown["target"] != shown["bid"]:
        words += f", must take {int(shown['target'])}"
    words += f", times {int(shown['stake'])}" if shown["stake"] > 1 else ""
    return (
        f"{words}; {tell_points(s, _sides(s, rules), shown['target'])}"
        if shown["phase"] in (OVER, PLAY)
        else words
    )


def _table(s: Any, rules: Any) -> list[str]:
    """What stands below the hands."""
    first = PHASES[int(s["shown"]["phase"])]
    if s["over"] in FINISHED:
        unit = 2 if rules.players == 3 else 1
        nets = (f"{int(s['net'][k]) / unit:+g}" for k in range(int(rules.players)))
        first = f"{first}: {' '.join(nets)} for seats 0 to {int(rules.players) - 1}"
    return [first, _contract(s, rules), _trumps(s)]


def _row(s: Any, actions: list[int], y: float, words: dict[int, tuple[str, ...]]) -> list[Button]:
    legal, wide = _legal(s), WIDTH / max(len(actions), 8)
    return [
        Button(i * wide, y, wide, words[action][0], action, action in legal)
        for i, action in enumerate(actions)
    ]


def _buttons(s: Any, rules: Any, y: float) -> tuple[Button, ...]:
    """All that a seat may ever say: bids in one row, the other words below."""
    highest = PACK_POINTS + int(rules.last_trick)
    bids = [BID + bid - LOWEST_BID for bid in range(int(rules.min_bid), highest + 1)]
    said = [PASS, ASK]
    said += [DOUBLE, REDOUBLE] if rules.doubles else []
    said += [SHOW] if rules.pair else []
    said += [SINGLE] if rules.single_hand else []
    made = list(range(MAKE, MAKE + 4)) if rules.trump_by == TrumpBy.SUIT else []
    made += [MAKE_SEVENTH] if rules.seventh else []
    made += [MAKE_NONE, MAKE_REVERSED] if rules.no_trumps else []
    words = _all_words()
    rows = [row for row in (bids, said, made) if row]
    return tuple(
        button for i, row in enumerate(rows) for button in _row(s, row, y + 0.47 * i, words)
    )


def _all_words() -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {card: (LABELS[card],) for card in range(CARDS)}
    for bid in range(LOWEST_BID, HIGHEST_BID + 1):
        found[BID + bid - LOWEST_BID] = (str(bid), f"bid {bid}")
    return found | SHORT


def action_words(s: Any, rules: Any) -> dict[int, tuple[str, ...]]:
    """Return what a person may call each action in sight, such as ``"16"``, ``"Jh"``, ``"ask"``."""
    words = _all_words()
    return {action: words[action] for action in list_actions(s["legal"])}


def final_info(states: Any, rules: Any, seats: Any) -> dict[str, Any]:
    """Return what ``info`` tells a seat: the bid, whether its side bid, points and tricks taken."""
    shown = states["shown"]
    publics = states["seats"]
    return {
        "bid": shown["bid"].astype(np.int64),
        "target": shown["target"].astype(np.int64),
        "bidder": states["bidder"].astype(np.int64),
        "points": take_seats(publics["points"], seats).astype(np.int64),
        "tricks": take_seats(publics["tricks"], seats).astype(np.int64),
    }
