"""Fifty-Six: what a person reads to play, namely the explanation, the prompts and the refusals."""

from collections.abc import Sequence
from typing import Any

from ...core.scene.items import Item
from ..bidding.guide import (
    AIM,
    FOLLOW,
    POINTS,
    RANKING,
    TRICK,
    list_own_actions,
    prompt_bid,
    prompt_cards,
    refuse_card,
    wait_for,
)
from .rules import (
    ASK,
    BID,
    CARDS,
    CODES,
    DOUBLE,
    LAYING,
    LOWEST_BID,
    NAMING,
    PASS,
    PLAY,
    RANKS,
    REDOUBLE,
    STRAIN,
    Rules,
    Trumps,
)

VARIANT_NOTES = {
    "classic": "Six players in two sides; a bid names its trumps. The usual game.",
    "international": "A double adds 1 stake, and a redouble 2.",
    "four": "Four players with 32 cards, eight each.",
    "four-long": "Four players with 48 cards, twelve each.",
    "eight": "Eight players in two sides.",
    "hidden": "Bids are numbers only, and the bidder lays a secret trump card.",
}


def how_to_play(rules: Rules) -> list[str]:
    """Return the explanation of the game; see `contract.HowToPlay`."""
    partners = {4: "a partner", 6: "two partners", 8: "three partners"}[int(rules.players)]
    if rules.trumps == Trumps.OPEN:
        bid = "Bid a number and trumps (a suit, or none), or pass."
        last = "The auction ends when all others have passed after a bid."
    else:
        bid = "Bid a number, or pass. The highest bidder lays a secret trump card face down."
        last = (
            "If you cannot follow suit, you may ask for trumps, and must then play one if you can."
        )
    return [
        AIM,
        f"Cards: {RANKING[0].lower()}{RANKING[1:-1]}, and every card occurs twice.",
        f"{POINTS[:-1]}: 56 in all.",
        f"You play with {partners}; the sides alternate around the table. {bid}",
        last,
        TRICK,
        FOLLOW,
        "Of two identical cards in a trick, the first one ranks higher.",
    ]


def prompt(s: Any, rules: Rules, selected: Sequence[int] = ()) -> str:
    """Return what the person can do now; see `contract.Prompt`."""
    if waiting := wait_for(s):
        return waiting
    legal, phase = list_own_actions(s), int(s["shown"]["phase"])
    if phase == NAMING:
        return "Name the trumps of your bid, or no trumps."
    if phase == LAYING:
        return "Lay a card face down: its suit is trumps."
    if phase == PLAY:
        cards = [action for action in legal if action < CARDS]
        return prompt_cards(s, cards, ASK in legal, RANKS)
    bids = [action - BID + LOWEST_BID for action in legal if BID <= action < STRAIN]
    words = {DOUBLE: "double", REDOUBLE: "redouble", PASS: "pass"}
    return prompt_bid(bids, [word for action, word in words.items() if action in legal])


def refusal(s: Any, rules: Rules, item: Item, onto: Item | None = None) -> str:
    """Return why a card cannot be played; see `contract.Refusal`."""
    return refuse_card(s, item, onto, CODES, ASK in list_own_actions(s), prompt(s, rules))
