"""Pyramid: what a person reads to play, namely the explanation, the prompts and the refusals."""

from collections.abc import Sequence
from typing import Any

from ...core.kernel.cards import card_symbol
from ...core.scene.items import RANK_WORDS, Item
from .rules import DEAL, KING, PYRAMID, REDEAL, DealWhen, Rules

VARIANT_NOTES = {
    "classic": "One pass through the stock, with its first card turned up at the start.",
    "blocked": "You may deal only when no pair can be removed.",
    "second-chance": "Deal only when blocked; one redeal with a shuffled stock.",
    "extra-row": "Seven extra cards below the pyramid; deal only when blocked.",
    "turn-back": "Any number of passes through the stock.",
    "any-sum": "Three or more cards that total 13 may be removed together.",
    "web": "Unlimited passes, and a card may pair with one that it alone covers.",
    "three-passes": "Three passes through the stock. The usual game.",
    "excerpt": "One pass; covered kings may be removed.",
    "excerpt-all": "One pass; covered kings may be removed; all 52 cards must go.",
    "book": "Three passes with a held card; all 52 cards must go.",
    "book-pyramid": "Three passes with a held card; the pyramid must go.",
    "book-blocked": "As book, but deal only when no removal is possible.",
    "by-threes": "Three passes, turning three cards at a time.",
    "three-piles": "Each deal turns a card onto each of three waste piles.",
    "face-up": "The whole stock is face up. Plan ahead.",
    "open-stock": "The top card of the stock is face up and in play.",
}


def how_to_play(rules: Rules) -> list[str]:
    """Return the explanation of the game; see `contract.HowToPlay`."""
    several = "cards, two or more," if rules.many_sum else "two cards"
    if rules.waste_piles > 1:
        free = "The top card of each waste pile is free, too."
    else:
        free = "The top card of the waste is free, too."
    free += " The held card is also in play." if rules.held else ""
    free += " So is the top card of the stock." if rules.stock_play else ""
    passes = {
        0: "When the stock is empty, turn the waste over as often as you like.",
        1: "You go through the stock only once.",
    }
    again = passes.get(int(rules.passes), f"You may go through the stock {rules.passes} times.")
    when = " when nothing can be removed" if rules.deal_when == DealWhen.BLOCKED else ""
    several_cards = "card" if rules.turn == 1 or rules.held else f"{rules.turn} cards"
    pile = "each waste pile" if rules.waste_piles > 1 else "the waste"
    deal = f"turn the next {several_cards} of the stock onto {pile}"
    if rules.held:
        deal = "turn up the next card of the stock"
    elif rules.waste_piles > 1:
        deal = f"turn {'a card' if rules.turn == 1 else several_cards} of the stock onto {pile}"
    lines = [
        "Aim: remove all 52 cards." if rules.clear_all else "Aim: remove the whole pyramid.",
        "Cards: an ace counts 1, a jack 11, a queen 12, a king 13; the others count their number.",
        "Points: 1 for each card removed from the pyramid.",
        f"Remove {several} that total 13, whatever their suits. A king goes alone.",
        "A pyramid card is free when the two cards that overlap it, in the row below, are gone.",
        free,
        f"Deal{when} to {deal}. {again}",
    ]
    if rules.covered_kings:
        lines.append("A king in the pyramid may go even while it is covered.")
    if rules.match_cover:
        lines.append("A card may go together with a card that only it covers.")
    return lines


def prompt(s: Any, rules: Rules, selected: Sequence[int] = ()) -> str:
    """Return what the player can do now; see `contract.Prompt`."""
    if s["over"]:
        return "The game is over."
    legal, places = int(s["legal"]), s["shown"]["places"]
    picked = [int(card) for card in places[s["shown"]["picked"] != 0]]
    picked += [int(places[action]) for action in selected if action < DEAL]
    if picked:
        need = KING - sum(card >> 2 for card in picked)
        names = " and ".join(map(card_symbol, picked))
        if rules.many_sum:
            return f"{names} selected. You need {need} more."
        return f"{names} selected. Pick {_name_rank(need)}: you need {need}."
    can_remove = bool(legal & (1 << DEAL) - 1)
    turns = [
        word
        for action, word in ((DEAL, "deal"), (REDEAL, "turn the waste over"))
        if legal >> action & 1
    ]
    if not can_remove and not turns:
        return "No move is left. Undo, or start a new deal."
    if not can_remove:
        return f"No free cards total 13: {turns[0]}."
    return ", or ".join(["Remove free cards that total 13", *turns]) + "."


def _name_rank(value: int) -> str:
    name = RANK_WORDS[value - 1]
    return f"an {name}" if name[0] in "ae" else f"a {name}"


def _name_value(card: int) -> str:
    """Return a card's rank with its value, such as ``"jack (11)"``; numbers speak for themselves.

    The ace is named with its value, too.
    """
    value = card >> 2
    return str(value) if 2 <= value <= 10 else f"{RANK_WORDS[value - 1]} ({value})"


def refusal(s: Any, rules: Rules, item: Item, onto: Item | None = None) -> str:
    """Return why a card cannot be removed, or not with another; see `contract.Refusal`."""
    for one in (item, onto):
        reason = _refuse_one(s, rules, one) if one else ""
        if reason:
            return reason
    if onto is None:
        return f"{card_symbol(item.card)} needs {_name_rank(KING - (item.card >> 2))} that is free."
    values = [item.card >> 2, onto.card >> 2]
    names = " + ".join(map(_name_value, (item.card, onto.card)))
    if KING in values:
        return "A king is removed alone: click it."
    if sum(values) == KING:
        return f"{card_symbol(item.card)} and {card_symbol(onto.card)} cannot be removed together."
    return f"{names[0].upper()}{names[1:]} = {sum(values)}; you need 13."


def _refuse_one(s: Any, rules: Rules, item: Item) -> str:
    """Return why one card cannot be part of a removal; empty if it may be free."""
    if item.place == "stock" and (not item.face_up or not item.card or not rules.stock_play):
        return _refuse_deal(s, rules)
    if item.place == "foundation" and item.card:
        return "Removed cards stay removed."
    if not item.card:
        return "This place is empty."
    if item.place == "open-stock":
        return "This card of the stock cannot be removed yet."
    covers = _list_covers(s, item)
    if covers:
        return f"{card_symbol(item.card)} is covered by {' and '.join(covers)}."
    return ""


def _list_covers(s: Any, item: Item) -> list[str]:
    """Return the cards that cover a pyramid card."""
    name, _, number = item.place.partition("-")
    slot = int(number) if name == "pyramid" else PYRAMID
    row = int(((8 * slot + 1) ** 0.5 - 1) / 2)
    places = s["shown"]["places"]
    if slot >= PYRAMID or row == 6:
        return []
    return [
        card_symbol(int(places[one])) for one in (slot + row + 1, slot + row + 2) if places[one]
    ]


def _refuse_deal(s: Any, rules: Rules) -> str:
    if s["shown"]["need"]:
        return "Complete the removal first."
    if int(s["legal"]) >> DEAL:
        return "Click the stock to deal."
    if rules.deal_when == DealWhen.BLOCKED and int(s["legal"]) & (1 << DEAL) - 1:
        return "You may deal only when nothing can be removed."
    if not s["shown"]["stock_count"]:
        return "The stock is empty, and no pass is left."
    return "You cannot deal now."
