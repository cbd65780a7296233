"""Puss in the Corner: the explanation, the prompts and the refusals that a person reads."""

from collections.abc import Sequence
from typing import Any

from ...core.kernel.cards import card_symbol
from ...core.scene.items import RANK_WORDS, Item
from .layout import FOUNDATIONS, PLACES
from .rules import DEAL, END, FOUNDATION, GATHER, PACKET, PILES, PLAY, REDEAL, Rules

VARIANT_NOTES = {
    "book": "One redeal. The rules of most books.",
    "no-redeal": "Without a redeal. The usual game here, and a hard one.",
    "two-redeals": "Two redeals.",
    "free-hand": "Playing to the foundations and the order of gathering are up to you.",
    "one-by-one": "Cards are turned up one by one and may go straight to a foundation.",
    "suits": "The foundations are built by suit instead of color.",
}


def how_to_play(rules: Rules) -> list[str]:
    """Return the explanation of the game; see `contract.HowToPlay`."""
    kind = "in one suit" if rules.suits else "by color, red on red and black on black"
    redeals = int(rules.redeals)
    times = {1: "once", 2: "twice"}.get(redeals, "")
    again = f"When the stock is empty, the piles are turned over and dealt again, {times}."
    place = "Cards are turned up in fours. Place each" if rules.deal_size > 1 else "Place each card"
    play = (
        "Then play the top cards of the piles that fit a foundation, or deal."
        if rules.hold_back
        else "After each four, the top cards that fit a foundation must be played."
    )
    lines = [
        "Aim: build all four foundations from ace to king.",
        f"Cards: the four aces are on the foundations, which are built up to the king {kind}.",
        "Points: 1 for each card on a foundation, so you begin with 4.",
        f"{place} on any of the four piles before you see the next.",
        play if rules.deal_size > 1 or rules.hold_back else "Top cards that fit must be played.",
        "A card in a pile waits until the cards on it have gone: keep low cards on top.",
    ]
    return [*lines, again if redeals else "There is no redeal."]


def prompt(s: Any, rules: Rules, selected: Sequence[int] = ()) -> str:
    """Return what the player can do now; see `contract.Prompt`."""
    if s["over"]:
        return "The game is over."
    shown, legal = s["shown"], int(s["legal"])
    if shown["card"]:
        name = card_symbol(int(shown["card"]))
        more = ", or on its foundation" if legal >> FOUNDATION & 1 else ""
        packet = " You may move one pile onto another first." if legal >> PACKET else ""
        return f"Place {name} on a pile{more}.{packet}"
    if legal >> GATHER & (1 << PILES) - 1:
        return "Choose the pile to gather next."
    words = {DEAL: "deal the next cards", REDEAL: "turn the piles over", END: "end the game"}
    turns = [word for action, word in words.items() if legal >> action & 1]
    if not legal >> PLAY & (1 << PILES) - 1:
        return f"{turns[0][0].upper()}{turns[0][1:]}." if turns else "No move is left."
    return ", or ".join(["Play a top card to a foundation", *turns]) + "."


def refusal(s: Any, rules: Rules, item: Item, onto: Item | None = None) -> str:
    """Return why a card cannot move, or not there; see `contract.Refusal`."""
    shown = s["shown"]
    if item.place == "stock":
        return "Click the stock to deal." if item.action >= 0 else _refuse_stock(s, rules)
    if item.place in FOUNDATIONS:
        return "Cards on a foundation stay there."
    if not item.card:
        return "This place is empty."
    name = card_symbol(item.card)
    if item.place == "hand":
        if onto is None or onto.place not in FOUNDATIONS:
            return f"Place {name} on one of the four piles."
        if not rules.direct:
            return f"{name} must go to a pile first."
        return f"{name} does not fit a foundation now. {_tell_next(s, rules)}"
    if shown["card"]:
        return f"First place {card_symbol(int(shown['card']))} on a pile."
    if item.place in PLACES and item.card != shown["tops"][PLACES.index(item.place)]:
        return f"Only the top card of a pile can be played: {name} is covered."
    if onto is not None and onto.place in PLACES:
        return "Cards do not move from pile to pile."
    return f"{name} does not fit now. {_tell_next(s, rules)}"


def _refuse_stock(s: Any, rules: Rules) -> str:
    if s["shown"]["card"]:
        return f"First place {card_symbol(int(s['shown']['card']))} on a pile."
    if not s["shown"]["stock_count"]:
        return "The stock is empty."
    return "Play the cards that fit first; the next cards follow by themselves."


def _tell_next(s: Any, rules: Rules) -> str:
    """Return text with the cards that the foundations need next."""
    heights = [int(value) for value in s["shown"]["foundations"]]
    if rules.suits:
        cards = [card_symbol(4 * (v + 1) + suit) for suit, v in enumerate(heights) if v < 13]
        return f"The foundations need {', '.join(cards)}." if cards else ""
    needs = []
    for color, suits in (("black", (0, 3)), ("red", (1, 2))):
        values = sorted({heights[suit] + 1 for suit in suits if heights[suit] < 13})
        if values:
            needs.append(f"{color} {' or '.join(RANK_WORDS[value - 1] for value in values)}")
    return f"The foundations need a {', or a '.join(needs)}." if needs else ""
