"""Decks and games of Pyramid that the tests of its reference share."""

import copy

from tests.reference.pyramid import DEAL, RANKS, REDEAL, SUITS, UNDO, Pyramid

PACK = [rank + suit for rank in RANKS for suit in SUITS]


def deck_with(placed: dict[int, str]) -> list[str]:
    """A deck with ranks at deck positions, e.g. {21: "5"}; the rest in pack order, aces first."""
    left = list(PACK)
    deck: list[str | None] = [None] * 52
    for position, rank in placed.items():
        card = next(card for card in left if card[0] == rank)
        left.remove(card)
        deck[position] = card
    return [card if card is not None else left.pop(0) for card in deck]


def ranks(first: int, text: str) -> dict[int, str]:
    """{first: text[0], first + 1: text[1], ...}"""
    return {first + at: rank for at, rank in enumerate(text)}


def play(game: Pyramid, *actions: int) -> Pyramid:
    """The game after these actions."""
    for action in actions:
        game.step(action)
    return game


def tops(cards: list[str]) -> str:
    """The ranks of these cards as one word."""
    return "".join(card[0] for card in cards)


def removals(game: Pyramid) -> set[tuple[int, ...]]:
    """All removals that clicks can make from here, found by clicking through copies."""
    result = set()
    for place in game.legal() - {DEAL, REDEAL, UNDO}:
        after = play(copy.deepcopy(game), place)
        result |= removals(after) if after.picked else {(*game.picked, place)}
    return result


# No two of these, and none of them alone, total 13: nothing is free to go at the start.
DEAD_ROW = "8999TTT"


def no_removal_at_all() -> list[str]:
    """A deck in which no removal is ever legal (one pile): all aces, twos, kings are covered."""
    return deck_with({**ranks(0, "KKKK"), **ranks(21, "QQQQJJJ")})


def six_for_one_seven() -> list[str]:
    """A deck whose only legal removals are a waste six (first: the third card) with slot 21."""
    covered = ranks(0, "AAAA2222KKKK777")
    return deck_with({**covered, **ranks(21, "7QQQQJJ"), 30: "6"})


def paired_pyramid() -> dict[int, str]:
    """Slots 27 and 26, 25 and 24, ... 1 and 0 total 13 each, and there is no king."""
    pairs = ["AQ"] * 3 + ["2J"] * 3 + ["3T"] * 3 + ["49"] * 3 + ["58"] * 2
    return {27 - at: rank for at, rank in enumerate("".join(pairs))}


def deal_out(game: Pyramid) -> Pyramid:
    """Deal until the stock is empty."""
    while DEAL in game.legal():
        game.step(DEAL)
    return game
