"""Drawing of the table in the bidding games: the seats around it, and the trick in the middle.

Terminal text has a row for each seat instead, and lines below.
"""

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from ...core.batch import FINISHED
from ...core.kernel.cards import card_symbol
from ...core.legal import list_actions
from ...core.scene.drawing import HEIGHT, Box
from ...core.scene.drawing import WIDTH as CARD
from ...core.scene.scene import Button, Item, Mark, Panel, Scene, Text, Trick
from ...core.scene.seating import (
    BACK_SIZE,
    LINE,
    OWN_SIZE,
    PAD,
    WIDTH,
    Seating,
    arrange_seats,
    place_backs,
    place_hand,
    put_area,
    put_buttons,
    put_item,
    put_lines,
    put_message,
    put_text,
)
from .rules import NONE, OVER, POINTS_FROM_TOP, SUIT_WORDS

BACK = 1
"""Code of every face-down card; no card has this code."""
NAMES = 3.6
"""Left edge of the cards in terminal text, to the right of the names of the seats."""
STEP = 0.72
"""Offset from one card of a hand to the next in terminal text."""
ROW = 1.09
"""Height of a seat's row in terminal text."""
INSET = 0.05
APART_SIZE, SEEN_SIZE, SMALL_SIZE = 0.9, 0.7, 0.45
"""Scale of the card that sets trumps, of the cards that another seat has shown, and of such cards
if there are many."""
LONGEST_LINE = 15
"""Maximum number of characters in a line of a seat's area."""
LONGEST_STATUS = 16
"""Maximum number of characters in the last line of a seat's area."""
SEAT_LINES = 5
"""Maximum number of lines in a seat's area, with the name of its player."""
WHOSE = ("yours", "theirs")
CORNER_LINES = 5
"""Maximum number of lines of the contract and the points."""
MIDDLE = 184.0
"""Minimum height of the middle of the table."""

Words = dict[int, tuple[str, ...]]
"""The words that a person can type for each action. The first word is on the action's button."""


class Row(NamedTuple):
    """Content of the area of one seat."""

    said: str
    """The seat's last call, or the tricks and points that it has taken."""
    held: list[int]
    """Card numbers of the hand in drawing order."""
    known: list[int]
    """Cards of the hand that the viewer knows, which are drawn first."""
    lays_apart: bool
    """Whether the card that sets trumps is next to this hand."""
    is_out: bool = False
    """Whether the seat does not take part in the tricks."""


class Table(NamedTuple):
    """Content of the table in one position of a game."""

    title: str
    codes: np.ndarray
    """The card code of each card number."""
    copies: int
    """Number of copies of each card in the deck."""
    ranks: int
    """Number of ranks in a suit."""
    hand_size: int
    first_leader: int
    """Seat that leads to the first trick."""
    bonus: int
    """Points for the last trick of a hand."""
    sides: Sequence[int]
    rows: Sequence[Row]
    """One row for each seat, by seat number."""
    phase: str
    contract: Sequence[str]
    """Lines with the bid and what belongs to it."""
    points: Sequence[str]
    """Points of the viewer's side and of the others; empty before the play."""
    trumps: Sequence[str]
    """Lines with the trumps as far as the viewer knows them."""
    is_secret: bool
    """Whether the trumps are secret until they are shown."""
    words: Words
    button_rows: int
    net_unit: int
    """Net of one point."""
    apart_x: float
    """x coordinate of the card that sets trumps in terminal text."""
    trick_x: float
    """x coordinate of the card that a seat has played in terminal text."""


def draw_table(s: Any, table: Table) -> Scene:
    """Return the scene of the table as seen by the viewer of ``s``, one record of states.

    The viewer is at the bottom, and the other seats follow in the direction of play: the next seat
    is on the left.
    """
    players = len(table.rows)
    seats = [(int(s["viewer"]) + k) % players for k in range(players)]
    seating = arrange_seats(
        players,
        SEAT_LINES * LINE + PAD,
        middle=MIDDLE,
        corner=CORNER_LINES * LINE,
        messages=2,
        cards=table.hand_size,
        buttons=table.button_rows,
    )
    items, texts, panels = _draw_hand(s, table, seating), list[Text](), list[Panel]()
    for seat, box in zip(seats, seating.areas, strict=True):
        is_out, is_at_turn = table.rows[seat].is_out, _is_at_turn(s, seat)
        panels.append(put_area(box, seat, is_at_turn, is_out))
        own = seat == s["viewer"]
        texts += _write_own(s, table, box) if own else _write_seat(s, seat, table, box)
        items += [] if own else _draw_backs(seat, table, box)
    items += _draw_trick(s, table, seating, int(s["tricks"]) + 1) if s["size"] else []
    apart, labels = _draw_apart(s, table, seating)
    items += apart
    texts += labels
    left, right = seating.corners
    contract = ", ".join(table.contract)
    bid = wrap(contract[0].upper() + contract[1:], LONGEST_LINE)
    points = [f"{whose} {points}" for whose, points in zip(WHOSE, table.points, strict=False)]
    texts += put_lines(left[0] + PAD, 0, [*bid, *points])
    texts += put_lines(right[0] + PAD, 0, ["Trumps", *table.trumps])
    trick = _draw_last_trick(s, table, seating)
    if s["shown"]["phase"] == OVER and not trick:
        texts.append(put_message(seating, "The hand is over"))
    elif not s["tricks"] and not s["size"]:
        texts.append(put_message(seating, table.phase[0].upper() + table.phase[1:]))
    return Scene(
        table.title,
        tuple(items),
        tuple(texts),
        seating.canvas,
        _draw_buttons(s, table, seating),
        panels=tuple(panels),
        trick=trick,
        news=_tell_shown(s, table),
        terminal=_draw_rows(s, table, seats),
    )


def _is_at_turn(s: Any, seat: int) -> bool:
    return bool(s["over"] not in FINISHED and seat == s["turn"])


def _list_legal(s: Any) -> list[int]:
    """Return the actions that are legal for the viewer now."""
    acts = s["viewer"] == s["turn"] and not s["over"]
    return list_actions(s["legal"]) if acts else []


# ---- seats ----------------------------------------------------------------------------------


def _draw_hand(s: Any, table: Table, seating: Seating) -> list[Item]:
    """Return the viewer's cards."""
    viewer, legal = int(s["viewer"]), _list_legal(s)
    held = table.rows[viewer].held
    items = []
    for card, (x, y) in zip(held, place_hand(seating, len(held)), strict=True):
        mark: Mark = "legal" if card in legal else ""
        action, place = card if mark else -1, f"seat-{viewer}"
        code = int(table.codes[card])
        items.append(
            put_item(x, y, code, True, mark=mark, place=place, action=action, size=OWN_SIZE)
        )
    return items


def _draw_backs(seat: int, table: Table, box: Box) -> list[Item]:
    """Return the backs of another seat's cards."""
    row = table.rows[seat]
    places = place_backs(box, len(row.held) - len(row.known))
    return [put_item(x, y, BACK, False, place=f"seat-{seat}", size=BACK_SIZE) for x, y in places]


def _list_roles(s: Any, seat: int, table: Table) -> list[str]:
    roles = []
    if seat != s["viewer"] and table.sides[seat] == table.sides[s["viewer"]]:
        roles.append("partner")
    if seat == s["dealer"]:
        roles.append("dealer")
    if seat == s["bidder"] and (s["tricks"] or s["size"] or s["made"]):
        roles.append("bidder")
    if seat == s["leader"] and s["over"] not in FINISHED:
        roles.append("leads")
    return roles


def _describe_status(s: Any, seat: int, table: Table) -> str:
    """Return a seat's last call, its tricks and points, or its net after the end."""
    if table.rows[seat].is_out:
        return "does not play"
    if s["over"] in FINISHED:
        return f"{_count_points(s['seats'][seat]['points'])}, net {_net(s, seat, table):+g}"
    if not s["tricks"]:
        return table.rows[seat].said
    public = s["seats"][seat]
    text = f"{count_word(public['tricks'], 'trick')}, {_count_points(public['points'])}"
    return text if len(text) <= LONGEST_STATUS else text.replace(",", "")


def _count_points(points: Any) -> str:
    """Return a number of points as short text for pictures."""
    return f"{int(points)} pt" if points == 1 else f"{int(points)} pts"


def _net(s: Any, seat: int, table: Table) -> float:
    """Return the net of a seat in points."""
    return int(s["net"][seat]) / table.net_unit


def _write_seat(s: Any, seat: int, table: Table, box: Box) -> list[Text]:
    """Return the texts of another seat: its name, number of cards, roles and status."""
    lines = [""]
    for role in _list_roles(s, seat, table):
        longer = f"{lines[-1]}, {role}" if lines[-1] else role
        if len(longer) <= LONGEST_LINE:
            lines[-1] = longer
        else:
            lines.append(role)
    lines = [line for line in lines if line]
    status = _describe_status(s, seat, table)
    x, y = box[0] + PAD, box[1] + PAD / 2
    texts = put_lines(x, y, [f"Seat {seat}", *lines])
    if status:
        texts.append(put_text(x, y + (1 + len(lines)) * LINE, status, "faint"))
    cards = str(len(table.rows[seat].held))
    return [*texts, put_text(box[2] - PAD, y, cards, "faint", "end")]


def _write_own(s: Any, table: Table, box: Box) -> list[Text]:
    """Return the texts of the viewer's seat in one line."""
    seat, y = int(s["viewer"]), box[1] + PAD
    name = f"You, seat {seat}"
    roles = ", ".join(_list_roles(s, seat, table))
    return [
        put_text(box[0] + PAD, y, name, "strong"),
        *([put_text(box[0] + 122, y, roles)] if roles else []),
        put_text(WIDTH - PAD, y, _describe_status(s, seat, table), "faint", "end"),
    ]


# ---- the middle -----------------------------------------------------------------------------


def _draw_trick(s: Any, table: Table, seating: Seating, trick: int) -> list[Item]:
    """Return the cards of a trick, each in front of its seat.

    They overlap from left to right, so that no card covers the corner of another.
    """
    players, items = len(table.rows), []
    for k, (x, y) in enumerate(seating.spots):
        seat = (int(s["viewer"]) + k) % players
        played = (s["player_of"] == seat + 1) & (s["shown"]["when"] == trick)
        if played.any():
            code = int(table.codes[int(played.argmax()) // table.copies])
            mark: Mark = "wins" if trick <= s["tricks"] and _find_taker(s, trick) == seat else ""
            places = {"place": f"trick-{seat}", "origin": f"seat-{seat}"}
            items.append(put_item(x, y, code, True, mark=mark, **places))
    return sorted(items, key=lambda item: item.x)


def _find_taker(s: Any, trick: int) -> int:
    return int(s["taken_by"][trick - 1]) - 1


def _draw_last_trick(s: Any, table: Table, seating: Seating) -> Trick | None:
    """Return the last complete trick, which stays on the table until the next lead."""
    number = int(s["tricks"])
    if not number:
        return None
    items = tuple(_draw_trick(s, table, seating, number))
    lines = _describe_taking(s, table)
    texts = tuple(put_message(seating, line, k) for k, line in enumerate(lines))
    return Trick(items, texts, not s["size"])


def _describe_taking(s: Any, table: Table) -> tuple[str, str]:
    """Return two lines with the winner of the last complete trick, the reason and the points."""
    number = int(s["tricks"])
    cards = np.flatnonzero(s["shown"]["when"] == number) // table.copies
    points = int(POINTS_FROM_TOP[table.ranks - 1 - cards % table.ranks].sum())
    points += table.bonus if number == table.hand_size else 0
    taker = _find_taker(s, number)
    who = "You take" if taker == s["viewer"] else f"Seat {taker} takes"
    played = (s["player_of"] == taker + 1) & (s["shown"]["when"] == number)
    card = int(played.argmax()) // table.copies
    return (
        f"{who} the trick with {card_symbol(int(table.codes[card]))},",
        f"the {_name_rank(s, table, card, number)}: {count_word(points, 'point')}",
    )


def _name_rank(s: Any, table: Table, card: int, trick: int) -> str:
    """Return why a card won a trick, such as ``"highest trump"`` or ``"highest club"``."""
    suit, shown, made = card // table.ranks, s["shown"], int(s["made"])
    if shown["trumps_shown"] and made == suit + 1 and shown["shown_trick"] <= trick:
        return "highest trump"
    is_reversed = shown["trumps_shown"] and made > NONE
    return f"{'lowest' if is_reversed else 'highest'} {SUIT_WORDS[suit].removesuffix('s')}"


def _tell_shown(s: Any, table: Table) -> str:
    """Return a sentence about secret trumps that were shown during the play."""
    shown, made = s["shown"], int(s["made"])
    if not (made and shown["trumps_shown"] and shown["shown_trick"] and table.is_secret):
        return ""
    if made >= NONE:
        return f"There are no trumps{', and the ranks are reversed' if made > NONE else ''}"
    trumps = f"rumps are {SUIT_WORDS[made - 1]}"
    if not s["laid"]:
        return f"T{trumps}"
    who = "You show" if s["bidder"] == s["viewer"] else f"Seat {int(s['bidder'])} shows"
    return f"{who} {card_symbol(int(table.codes[s['laid'] - 1]))}: t{trumps}"


def _draw_apart(s: Any, table: Table, seating: Seating) -> tuple[list[Item], list[Text]]:
    """Return the card that sets trumps, and the cards that other seats have shown.

    They are in the upper right corner, to the right of the text with the trumps.
    """
    left, top, right, _ = seating.corners[1]
    shown = [
        (seat, row.known)
        for seat, row in enumerate(table.rows)
        if row.known and seat != s["viewer"]
    ]
    size = SEEN_SIZE if len(shown) == 1 and len(shown[0][1]) < 3 else SMALL_SIZE
    items: list[Item] = []
    texts: list[Text] = []
    for k, (seat, cards) in enumerate(shown):
        y = top + k * (HEIGHT * size + PAD)
        for n, card in enumerate(reversed(cards)):
            x = right - CARD * size * (1 + 0.8 * n)
            code = int(table.codes[card])
            items.insert(0, put_item(x, y, code, True, place=f"shown-{seat}", size=size))
        lines = len(table.trumps) + 1 + k
        texts.append(put_text(left + PAD, top + lines * LINE, f"seat {seat}", "faint"))
    for seat, row in enumerate(table.rows):
        if row.lays_apart:
            is_own = seat == s["viewer"]
            code = int(table.codes[s["card"] - 1]) if is_own else BACK
            mark: Mark = "hidden" if is_own else ""
            x = right - CARD * APART_SIZE
            items.append(put_item(x, top, code, is_own, mark=mark, place="trumps", size=APART_SIZE))
    return items, texts


def _draw_buttons(s: Any, table: Table, seating: Seating) -> tuple[Button, ...]:
    """Return a button for each legal action without a card, the bids last."""
    legal = [action for action in _list_legal(s) if action >= len(table.codes)]
    words = [(action, table.words[action][0]) for action in legal]
    return put_buttons(seating, sorted(words, key=lambda one: one[1].isdigit()))


# ---- terminal text --------------------------------------------------------------------------


def _draw_rows(s: Any, table: Table, seats: Sequence[int]) -> Scene:
    """Return the scene for terminal text: a row for each seat, and lines below."""
    items: list[Item] = []
    texts: list[Text] = []
    for k, seat in enumerate(seats):
        y = k * ROW + INSET
        items += _draw_row(s, seat, y, table)
        items += _draw_played(s, seat, y, table)
        texts.append(Text(0, y, name_seat(s, seat, table.sides)))
        texts.append(Text(0, y + 0.45, table.rows[seat].said))
    lines = [*_list_lines(s, table), *_list_last_trick(s, table)]
    y = len(seats) * ROW + 0.2
    texts += [Text(0, y + i / 2, line) for i, line in enumerate(lines)]
    return Scene(table.title, tuple(items), tuple(texts), (table.trick_x + 1.1, y + 1.5))


def _list_lines(s: Any, table: Table) -> tuple[str, str, str]:
    """Return the lines below the hands."""
    phase, contract, trumps = table.phase, ", ".join(table.contract), ", ".join(table.trumps)
    if s["leader"] >= 0 and s["over"] not in FINISHED:
        led = f", led by {name_player(s, s['leader'])}" if s["size"] else ""
        phase = f"trick {int(s['tricks']) + 1} of {table.hand_size}{led}"
    if s["over"] in FINISHED:
        nets = " ".join(f"{_net(s, seat, table):+g}" for seat in range(len(table.rows)))
        phase += f": {nets} for seats 0 to {len(table.rows) - 1}"
    if table.points:
        own_side, others = table.points
        contract += f"; points: your side {own_side}, the others {others}"
    trumps = trumps if trumps.startswith("no ") else f"trumps {trumps}"
    if table.is_secret and s["shown"]["trumps_shown"] and s["shown"]["shown_trick"]:
        trumps += f", shown in trick {int(s['shown']['shown_trick'])}"
    return phase, contract, trumps


def _list_last_trick(s: Any, table: Table) -> list[str]:
    """Return lines with the cards of the last complete trick in playing order, and its winner."""
    number = int(s["tricks"])
    if not number:
        return []
    leader = _find_taker(s, number - 1) if number > 1 else table.first_leader
    cards = []
    for k in range(len(table.rows)):
        seat = (leader + k) % len(table.rows)
        played = (s["player_of"] == seat + 1) & (s["shown"]["when"] == number)
        if played.any():
            cards.append(card_symbol(int(table.codes[int(played.argmax()) // table.copies])))
    led = f"last trick, led by {name_player(s, leader)}: {' '.join(cards)}"
    taken = " ".join(_describe_taking(s, table))
    return [led, taken[0].lower() + taken[1:]]


def _draw_row(s: Any, seat: int, y: float, table: Table) -> list[Item]:
    """Return the cards of a seat. Cards that the viewer does not know are face down."""
    is_own, place, row = seat == s["viewer"], f"seat-{seat}", table.rows[seat]
    legal = _list_legal(s) if is_own else []
    items = []
    for n in range(len(row.held)):
        x = NAMES + n * STEP
        if n < len(row.known):
            card = row.known[n]
            mark: Mark = "legal" if card in legal else ""
            items.append(Item(x, y, int(table.codes[card]), True, mark, place=place))
        else:
            items.append(Item(x, y, BACK, False, place=place))
    if row.lays_apart:
        code, mark = (int(table.codes[s["card"] - 1]), "hidden") if is_own else (BACK, "")
        items.append(Item(table.apart_x, y, code, is_own, mark, place="trumps"))
    return items


def _draw_played(s: Any, seat: int, y: float, table: Table) -> list[Item]:
    """Return the card that a seat played to the current trick or, between tricks, to the last."""
    size, tricks = int(s["size"]), int(s["tricks"])
    trick = tricks + 1 if size else tricks
    played = (s["player_of"] == seat + 1) & (s["shown"]["when"] == trick)
    if not trick or not played.any():
        return []
    code = int(table.codes[int(played.argmax()) // table.copies])
    mark: Mark = "last" if size else ""
    return [Item(table.trick_x, y, code, True, mark, place=f"trick-{seat}")]


# ---- words ----------------------------------------------------------------------------------


def name_seat(s: Any, seat: int, sides: Sequence[int]) -> str:
    """Return the name of a seat for the viewer. D marks the dealer, a star the seat to act."""
    name = f"partner, seat {seat}" if sides[seat] == sides[s["viewer"]] else f"seat {seat}"
    name = f"you, seat {seat}" if seat == s["viewer"] else name
    name += " D" if seat == s["dealer"] else ""
    return name + (" *" if s["over"] not in FINISHED and seat == s["turn"] else "")


def name_player(s: Any, seat: Any) -> str:
    """Return the name of a seat for the viewer in a sentence: ``"you"`` or ``"seat 2"``."""
    return "you" if seat == s["viewer"] else f"seat {int(seat)}"


def count_word(number: Any, word: str) -> str:
    """Return a number with a word, such as ``2 tricks``."""
    return f"{int(number)} {word}" if number == 1 else f"{int(number)} {word}s"


def describe_points(s: Any, sides: Sequence[int], target: Any) -> tuple[str, str]:
    """Return the points of the viewer's side and of the others, with the bidder's ``target``."""
    points = [0, 0]
    for seat, number in enumerate(sides):
        points[number == sides[s["viewer"]]] += int(s["seats"][seat]["points"])
    others, own_side = map(str, points)
    if sides[s["bidder"]] == sides[s["viewer"]]:
        own_side += f" of {int(target)}"
    else:
        others += f" of {int(target)}"
    return own_side, others


def sort_cards(cards: list[int], ranks: int) -> list[int]:
    """Return the cards of a hand sorted by suit, the strongest card of each suit first."""
    return sorted(cards, key=lambda card: (card // ranks, -(card % ranks)))


def describe_taken(public: Any) -> str:
    """Return text with the tricks and points that a seat has taken."""
    return f"{count_word(public['tricks'], 'trick')}, {count_word(public['points'], 'point')}"


def list_words(labels: Sequence[str], lowest_bid: int, bids: Sequence[int], words: Words) -> Words:
    """Return the words for all actions of a game.

    Args:
        labels: The labels of the actions, the cards first.
        lowest_bid: The number of the first bid.
        bids: The actions that bid, which follow the cards.
        words: The words for the other actions.
    """
    cards = {card: (labels[card],) for card in range(bids[0])}
    numbers = ((action, str(lowest_bid + k)) for k, action in enumerate(bids))
    return {**cards, **{action: (bid, f"bid {bid}") for action, bid in numbers}, **words}


def make_action_words(words: Words) -> Callable[[Any, Any], Words]:
    """Return a game's function ``action_words(s, rules)``."""

    def action_words(s: Any, rules: Any) -> Words:
        """Return the words that a person can type for each legal action, such as ``"16"``."""
        return {action: words[action] for action in list_actions(s["legal"])}

    return action_words


def make_describe_action(
    codes: np.ndarray, label: Callable[[int], str], laying: int, phrases: dict[int, str]
) -> Callable[[Any, Any, int], str]:
    """Return a game's function ``describe_action(s, rules, action)``.

    Args:
        codes: The card code of each card number. The cards are the first actions.
        label: The game's function ``label(action)``.
        laying: The phase in which a card is laid face down and makes its suit trumps.
        phrases: The phrases of actions that differ from their labels.
    """

    def describe_action(s: Any, rules: Any, action: int) -> str:
        """Return an action as a phrase, such as ``"play J♥"`` or ``"bid 17"``."""
        if not 0 <= action < len(codes):
            return phrases.get(action) or label(action)
        card = card_symbol(int(codes[action]))
        is_laid = s["shown"]["phase"] == laying
        return f"lay {card} face down as the trump card" if is_laid else f"play {card}"

    return describe_action
