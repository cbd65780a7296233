"""Klondike: what a person reads to play, namely the explanation, the prompts and the refusals."""

from collections.abc import Sequence
from typing import Any

from ...core.kernel.cards import SUIT_SIGNS, card_symbol
from ...core.legal import list_actions
from ...core.scene.items import RANK_WORDS, Item
from .layout import COLUMN_PLACES, FOUNDATION_PLACES
from .rules import COLUMN_UP, DEAL, REDEAL, WASTE_UP, Rules, Scoring

VARIANT_NOTES = {
    "classic": "Three cards per deal, any number of passes. The usual game.",
    "draw-one": "One card per deal, any number of passes. Easier.",
    "three-passes": "Three cards per deal, three passes.",
    "one-pass": "One card per deal, and only one pass.",
    "vegas": "Three cards per deal, three passes, Vegas scoring.",
    "vegas-one": "One card per deal, one pass, Vegas scoring.",
    "timed": "Three cards per deal, points of the common computer version, one second per move.",
    "whole-runs": "Only whole runs move from column to column.",
    "no-return": "Cards on a foundation stay there.",
    "thoughtful": "All cards are face up. Plan ahead.",
    "thoughtful-one": "All cards are face up, one card per deal.",
}
SCORES = {
    Scoring.CARDS: "Points: 1 for each card on a foundation.",
    Scoring.STANDARD: "Points: as in the common computer version, mostly 10 for each card on a "
    "foundation.",
    Scoring.VEGAS: "Points: you pay 52 and win 5 back for each card on a foundation.",
}


def how_to_play(rules: Rules) -> list[str]:
    """Return the explanation of the game; see `contract.HowToPlay`."""
    runs = "Face-up cards of a column move together, as a whole"
    runs += " or from any card down." if rules.partial_runs else "."
    count = "one card" if rules.draw == 1 else "three cards"
    passes = {
        0: "When the stock is empty, turn the waste over as often as you like.",
        1: "You go through the stock only once.",
    }
    again = passes.get(int(rules.passes), f"You may go through the stock {rules.passes} times.")
    lines = [
        "Aim: move all cards to the four foundations.",
        "Cards: a foundation is built up in one suit, from ace to king.",
        SCORES[Scoring(int(rules.scoring))],
        "Columns are built down in alternating colors: a black 6 goes on a red 7. "
        "Only a king goes to an empty column.",
        runs,
        f"Deal {count} from the stock to the waste, and play its top card. {again}",
    ]
    if rules.worry_back:
        lines.append("A card may return from its foundation to a column.")
    if rules.scoring == Scoring.STANDARD and rules.seconds_per_move:
        time = "1 second" if rules.seconds_per_move == 1 else f"{rules.seconds_per_move} seconds"
        lines.append(
            f"Each move takes {time}. Every 10 seconds cost 2 points, and a win adds 700,000 "
            "divided by its seconds."
        )
    return lines


def prompt(s: Any, rules: Rules, selected: Sequence[int] = ()) -> str:
    """Return what the player can do now; see `contract.Prompt`."""
    if s["over"]:
        return "The game is over."
    legal = set(list_actions(s["legal"]))
    turn = "deal" if DEAL in legal else "turn the waste over" if REDEAL in legal else ""
    moves = legal - {DEAL, REDEAL}
    if not moves:
        return (
            f"No card can move: {turn}." if turn else "No move is left. Undo, or start a new deal."
        )
    is_up = WASTE_UP in moves or any(COLUMN_UP + c in moves for c in range(len(COLUMN_PLACES)))
    begin = "Move a card to a foundation or a column" if is_up else "Move a card to another column"
    return f"{begin}, or {turn}." if turn else f"{begin}."


def refusal(s: Any, rules: Rules, item: Item, onto: Item | None = None) -> str:
    """Return why a card cannot move, or not there; see `contract.Refusal`."""
    if item.place == "stock":
        if item.action >= 0:
            return "Click the stock to deal."
        return "The stock is empty, and no pass is left."
    if not item.card:
        return "This place is empty."
    if not item.face_up:
        return "This card is turned up when the cards on it have moved away."
    name = card_symbol(item.card)
    if item.place == "waste" and item.card != s["shown"]["waste_top"]:
        return "Only the top card of the waste can move."
    if item.place == "open-stock":
        return "This card is still in the stock."
    if item.place in COLUMN_PLACES and not _is_in_run(s, item):
        return f"{name} is in play when the cards on it have moved away."
    if (
        onto is None
        or onto.place == item.place
        or onto.place not in (*COLUMN_PLACES, *FOUNDATION_PLACES)
    ):
        return _tell_needs(rules, item)
    if onto.place in FOUNDATION_PLACES:
        return _refuse_foundation(s, rules, item, onto)
    return _refuse_column(s, rules, item, onto)


def _is_in_run(s: Any, item: Item) -> bool:
    column = COLUMN_PLACES.index(item.place)
    cards = [int(card) for card in s["column"][column][: s["count"][column]]]
    return item.card in cards[int(s["shown"]["face_down"][column]) :]


def _tell_needs(rules: Rules, item: Item) -> str:
    """Return the places where a card would fit."""
    name, value, suit = card_symbol(item.card), item.card >> 2, item.card & 3
    if item.place in FOUNDATION_PLACES and not rules.worry_back:
        return "Cards on a foundation stay there."
    column = "an empty column" if value == 13 else f"a {_other_color(suit)} {RANK_WORDS[value]}"
    if item.place in FOUNDATION_PLACES:
        return f"{name} can return only to {column}."
    below = f"on {card_symbol(item.card - 4)}" if value > 1 else "now"
    return f"{name} has no other place: it goes to {column}, or to its foundation {below}."


def _other_color(suit: int) -> str:
    return "black" if suit in (1, 2) else "red"


def _refuse_foundation(s: Any, rules: Rules, item: Item, onto: Item) -> str:
    suit = FOUNDATION_PLACES.index(onto.place)
    if item.place in COLUMN_PLACES:
        column = COLUMN_PLACES.index(item.place)
        if item.card != s["shown"]["last"][column]:
            return "Only the last card of a column can go to a foundation."
    if item.card & 3 != suit:
        return f"This foundation is for {SUIT_SIGNS[suit]}."
    upper = 4 * (int(s["shown"]["foundations"][suit]) + 1) + suit
    return f"This foundation needs {card_symbol(upper)} next."


def _refuse_column(s: Any, rules: Rules, item: Item, onto: Item) -> str:
    column = COLUMN_PLACES.index(onto.place)
    last, name = int(s["shown"]["last"][column]), card_symbol(item.card)
    if item.place in FOUNDATION_PLACES and not rules.worry_back:
        return "Cards on a foundation stay there."
    if not last:
        if item.card >> 2 == 13:
            return f"{name} cannot move from there to an empty column."
        return "Only a king goes to an empty column."
    fits = last >> 2 == (item.card >> 2) + 1 and _other_color(last & 3) != _other_color(
        item.card & 3
    )
    if fits:
        return "Only the whole run can move."
    wanted = (last >> 2) - 1
    if not wanted:
        return f"Nothing goes on an ace in a column: {name} does not fit."
    need = f"{_other_color(last & 3)} {RANK_WORDS[wanted - 1]}"
    return f"{name} does not go on {card_symbol(last)}, which needs a {need}."
