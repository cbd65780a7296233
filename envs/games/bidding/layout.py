"""Drawing of the table in the bidding games: a row for each seat, three lines, and buttons."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.batch import FINISHED
from ...core.kernel.cards import card_symbol
from ...core.legal import list_actions
from ...core.scene.scene import Button, Item, Mark, Panel, Scene, Text

BACK = 1
"""Code of every face-down card; no card has this code."""
NAMES = 3.6
"""Left edge of the cards, to the right of the names of the seats."""
STEP = 0.72
"""Offset from one card of a hand to the next."""
ROW = 1.09
INSET = 0.05
LINES = 3
LINE = 0.27
BUTTON = 0.47
"""Offset from one row of buttons to the next."""

Words = dict[int, tuple[str, ...]]
"""The words that a person can type for each action. The first word is on the action's button."""


class Row(NamedTuple):
    """Content of the row of one seat."""

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
    sides: Sequence[int]
    rows: Sequence[Row]
    """One row for each seat, by seat number."""
    lines: Sequence[str]
    """Three lines below the hands."""
    buttons: Sequence[list[int]]
    """Rows of actions below the lines."""
    words: Words
    apart_x: float
    """x coordinate of the card that sets trumps."""
    trick_x: float
    """x coordinate of the card that a seat has played to the current trick."""
    buttons_height: float


def draw_table(s: Any, table: Table) -> Scene:
    """Return the scene of the table as seen by the viewer of ``s``, one record of states.

    The viewer's row comes first, and the other seats follow in the direction of play.
    """
    viewer, players = int(s["viewer"]), len(table.rows)
    seats = [(viewer + k) % players for k in range(players)]
    width = table.trick_x + 1.1
    items: list[Item] = []
    texts: list[Text] = []
    for k, seat in enumerate(seats):
        y = k * ROW
        name, said = name_seat(s, seat, table.sides), table.rows[seat].said
        items += _draw_hand(s, seat, y + INSET, table)
        items += _draw_played(s, seat, y + INSET, table)
        texts.append(Text(0, y + INSET, name, only="ansi"))
        texts.append(Text(0, y + 0.5, said, only="ansi"))
        texts.append(Text(0.2, y + 0.2, name, "strong", "picture"))
        texts.append(Text(0.2, y + 0.52, said, "faint", "picture"))
    y = players * ROW + 0.2
    texts += [Text(0, y + i / 2, line, "", "ansi") for i, line in enumerate(table.lines)]
    texts += [
        Text(0.2, y + i * LINE, line, "" if i else "strong", "picture")
        for i, line in enumerate(table.lines)
    ]
    y += LINES * LINE + 0.1
    panels = tuple(_draw_panel(s, seat, k * ROW, width, table) for k, seat in enumerate(seats))
    buttons = tuple(_draw_buttons(s, y, width, table))
    size = (width, y + table.buttons_height)
    return Scene(table.title, tuple(items), tuple(texts), size, buttons, panels=panels)


def _list_legal(s: Any) -> list[int]:
    """Return the actions that are legal for the viewer now."""
    acts = s["viewer"] == s["turn"] and not s["over"]
    return list_actions(s["legal"]) if acts else []


def _draw_hand(s: Any, seat: int, y: float, table: Table) -> list[Item]:
    """Return the cards of a seat. Cards that the viewer does not know are face down."""
    is_own, place, row = seat == s["viewer"], f"seat-{seat}", table.rows[seat]
    legal = _list_legal(s) if is_own else []
    items = []
    for n in range(len(row.held)):
        x = NAMES + n * STEP
        if n < len(row.known):
            card = row.known[n]
            mark: Mark = "legal" if card in legal else ""
            action = card if card in legal else -1
            items.append(Item(x, y, int(table.codes[card]), True, mark, place=place, action=action))
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


def _draw_panel(s: Any, seat: int, y: float, width: float, table: Table) -> Panel:
    if table.rows[seat].is_out:
        return Panel(0, y, width, ROW, "out")
    is_at_turn = s["over"] not in FINISHED and seat == s["turn"]
    return Panel(0, y, width, ROW, "turn" if is_at_turn else "")


def _draw_buttons(s: Any, y: float, width: float, table: Table) -> list[Button]:
    legal, buttons = _list_legal(s), []
    for i, actions in enumerate(table.buttons):
        wide = width / max(len(actions), 8)
        for k, action in enumerate(actions):
            word = table.words[action][0]
            buttons.append(Button(k * wide, y + BUTTON * i, wide, word, action, action in legal))
    return buttons


# ---- words ----------------------------------------------------------------------------------


def name_seat(s: Any, seat: int, sides: Sequence[int]) -> str:
    """Return the name of a seat for the viewer. D marks the dealer, a star the seat to act."""
    name = f"partner, seat {seat}" if sides[seat] == sides[s["viewer"]] else f"seat {seat}"
    name = f"you, seat {seat}" if seat == s["viewer"] else name
    name += " D" if seat == s["dealer"] else ""
    return name + (" *" if s["over"] not in FINISHED and seat == s["turn"] else "")


def count_word(number: Any, word: str) -> str:
    """Return a number with a word, such as ``2 tricks``."""
    return f"{int(number)} {word}" if number == 1 else f"{int(number)} {word}s"


def describe_points(s: Any, sides: Sequence[int], target: Any) -> str:
    """Return text with the points of each side and the ``target`` of the bidder's side."""
    points = [0, 0]
    for seat, number in enumerate(sides):
        points[number == sides[s["viewer"]]] += int(s["seats"][seat]["points"])
    others, own_side = map(str, points)
    if sides[s["bidder"]] == sides[s["viewer"]]:
        own_side += f" of {int(target)}"
    else:
        others += f" of {int(target)}"
    return f"points: your side {own_side}, the others {others}"


def sort_cards(cards: list[int], ranks: int) -> list[int]:
    """Return the cards of a hand sorted by suit, the strongest card of each suit first."""
    return sorted(cards, key=lambda card: (card // ranks, -(card % ranks)))


def describe_taken(public: Any) -> str:
    """Return text with the tricks and points that a seat has taken."""
    return f"{count_word(public['tricks'], 'trick')}, {count_word(public['points'], 'point')}"


def describe_phase(s: Any, phases: dict[int, str], players: int, unit: int) -> str:
    """Return text with the phase of a hand and, after its end, the net of each seat.

    ``unit`` is the net of one point.
    """
    phase = phases[int(s["shown"]["phase"])]
    if s["over"] not in FINISHED:
        return phase
    nets = (f"{int(s['net'][seat]) / unit:+g}" for seat in range(players))
    return f"{phase}: {' '.join(nets)} for seats 0 to {players - 1}"


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
