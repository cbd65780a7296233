"""Poker Squares: the explanation, the prompts and the refusals that a person reads."""

from collections.abc import Sequence
from typing import Any

from ...core.kernel.cards import card_symbol
from ...core.scene.items import Item
from .rules import AMERICAN, ENGLISH, SQUARES, TARGETS, Adjacent, Rules, Scoring

VARIANT_NOTES = {
    "book": "The first card is in the center; each card must touch another.",
    "classic": "An empty grid, and any square. The usual game.",
    "british": "As classic, with the English table of points.",
    "duel": "Head to head: the same cards for both, each card touching another.",
    "classic-duel": "Head to head on empty grids, with the same cards for both.",
}


def how_to_play(rules: Rules) -> list[str]:
    """Return the explanation of the game; see `contract.HowToPlay`."""
    several = rules.players > 1
    aim = "score more than the other player" if several else "score as many points as possible"
    goal = rules.target or TARGETS[rules.scoring]
    lines = [
        f"Aim: {aim} with the ten poker hands of the grid."
        + ("" if several else f" The goal is {goal} points."),
        "Cards: an ace is high or low in a straight. Each row and column is a hand of five.",
        _tell_points(rules),
        "Place the turned-up card on an empty square. It never moves again.",
        "The order of the cards in a hand does not matter.",
        "A line scores when its five squares are full. Its points are then shown at its end.",
    ]
    if rules.adjacent == Adjacent.ALL:
        lines.append("Each card must be directly above, below or beside another card.")
    if several:
        lines.append(
            "Both players place the same cards, and see a placement when both have made it."
        )
    return lines


def _tell_points(rules: Rules) -> str:
    names = "pair", "two pair", "three", "straight", "flush", "full house", "four"
    points = {Scoring.AMERICAN: AMERICAN, Scoring.ENGLISH: ENGLISH}.get(
        Scoring(int(rules.scoring)), rules.points
    )
    numbers = [int(one) for one in points]
    hands = (*names, "straight flush", "royal flush")
    listed = ", ".join(f"{hand} {n}" for hand, n in zip(hands, numbers[1:], strict=True))
    return f"Points: {listed}."


def prompt(s: Any, rules: Rules, selected: Sequence[int] = ()) -> str:
    """Return what the player can do now; see `contract.Prompt`."""
    if s["over"]:
        return "The game is over."
    if s["viewer"] != s["turn"]:
        return f"Waiting for player_{int(s['turn'])}."
    left = SQUARES - int(s["shown"]["placed"])
    squares = "the last square" if left == 1 else "an empty square"
    if int(s["legal"]).bit_count() < left:
        squares = "a square beside another card"
    return f"Place {card_symbol(int(s['shown']['card']))} on {squares}."


def refusal(s: Any, rules: Rules, item: Item, onto: Item | None = None) -> str:
    """Return why a card cannot be placed there; see `contract.Refusal`."""
    if s["viewer"] != s["turn"]:
        return prompt(s, rules)
    target = onto or item
    if target.place.startswith("other"):
        return "This is the other player's grid."
    if target.place == "hand":
        return "Click an empty square to place this card."
    if target.card or (item.place != "hand" and onto):
        return "A placed card never moves."
    return "The card must be directly above, below or beside another card."
