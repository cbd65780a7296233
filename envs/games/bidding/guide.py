"""The explanation, the prompts and the refusals that the bidding games share."""

from typing import Any

import numpy as np

from ...core.kernel.cards import card_symbol
from ...core.legal import list_actions
from ...core.scene.items import Item
from .rules import SUIT_WORDS

AIM = (
    "Aim: if your side bids highest, take at least the points of your bid. Otherwise, prevent the "
    "other side from taking its bid."
)
POINTS = "Points: a jack counts 3, a nine 2, an ace or a ten 1."
TRICK = "In a trick, each seat plays one card. The winner takes its points and leads the next one."
BID_AGAIN = "You may bid again after a pass."
OPPOSITE = "The other side scores the opposite."
FOLLOW = (
    "Follow suit if you can. The highest trump wins the trick; without a trump, the highest card "
    "of the suit led wins it."
)


def tell_ranking(ranks: str) -> str:
    """Return the line about the ranks of the deck, such as ``"78QKTA9J"`` from low to high."""
    names = " ".join(reversed(ranks)).replace("T", "10")
    return f"Cards: in every suit the cards rank, from high to low, {names}."


def list_own_actions(s: Any) -> list[int]:
    """Return the legal actions of the viewer; none if another seat is to act."""
    return list_actions(s["legal"]) if s["viewer"] == s["turn"] and not s["over"] else []


def wait_for(s: Any) -> str:
    """Return the prompt of a viewer who is not to act; empty if the viewer is."""
    if s["over"]:
        return "The hand is over."
    return "" if s["viewer"] == s["turn"] else f"Waiting for seat {int(s['turn'])}."


def prompt_bid(bids: list[int], others: list[str], is_first: bool) -> str:
    """Return the prompt of an auction.

    Args:
        bids: The numbers that may be bid.
        others: The other calls, such as ``"pass"``. If there are none, the seat must bid.
        is_first: Whether the seat speaks first; otherwise the other seats have passed.
    """
    if not bids:
        return _capitalize(" or ".join(others))
    begin = f"bid at least {min(bids)}" if len(bids) > 1 else f"bid {bids[0]}"
    if not others:
        why = "you speak first" if is_first else "all others have passed"
        return f"{_capitalize(begin)[:-1]}: {why}, so you must bid."
    if len(others) > 1:
        return _capitalize(f"{begin}, {', '.join(others[:-1])} or {others[-1]}")
    return _capitalize(", or ".join([begin, *others]))


def prompt_cards(s: Any, cards: list[int], can_ask: bool, ranks: int) -> str:
    """Return the prompt of the play of the tricks.

    Args:
        s: The state in the view of the seat to act.
        cards: The cards that may be played.
        can_ask: Whether the seat may ask for trumps.
        ranks: Number of ranks of a suit.
    """
    if s["size"] == 0:
        leads_freely = {card // ranks for card in cards} >= _list_suits(s, ranks)
        return "Lead a card." if leads_freely else "Lead a card, but not of your secret trump suit."
    led = _led_suit(s, ranks)
    if led in _list_suits(s, ranks):
        return f"Your turn: follow {SUIT_WORDS[led]}."
    begin = f"You cannot follow {SUIT_WORDS[led]}: "
    if not cards:
        return f"{begin}ask for trumps."
    if _must_play_laid(s, cards):
        return "Play the card that set trumps: it has just been shown."
    if s["shown"]["must_trump"] and all(card // ranks == int(s["made"]) - 1 for card in cards):
        return "You asked for trumps: play one."
    return f"{begin}play any card{', or ask for trumps' if can_ask else ''}."


def _must_play_laid(s: Any, cards: list[int]) -> bool:
    """Return whether the only legal card is the card that set trumps, in the trick that showed it.

    The seat to act cannot follow suit and has other cards.
    """
    shown = s["shown"]["trumps_shown"] and s["shown"]["shown_trick"] == 1 + s["tricks"]
    others = int(s["hands"][s["viewer"]]) & ~(1 << cards[0])
    return bool(shown and cards == [int(s["laid"]) - 1] and others)


def _list_suits(s: Any, ranks: int) -> set[int]:
    """Return the suits of the viewer's hand, without a face-down card."""
    hand = int(s["hands"][s["viewer"]])
    return {card // ranks for card in range(4 * ranks) if hand >> card & 1}


def _led_suit(s: Any, ranks: int) -> int:
    """Return the suit led to the trick."""
    return (int(s["shown"]["trick"][0]) - 1) // ranks


def refuse_card(
    s: Any, item: Item, onto: Item | None, codes: np.ndarray, can_ask: bool, prompt: str
) -> str:
    """Return why a card of the table cannot be played.

    Args:
        s: The state in the view of the person's seat.
        item: The card.
        onto: Target of a drag, or None.
        codes: The card code of each card number.
        can_ask: Whether the seat may ask for trumps.
        prompt: The prompt, which answers what is possible instead.
    """
    ranks = len(codes) // 4
    own = item.place == f"seat-{int(s['viewer'])}" and item.card and item.face_up
    if item.place == "trumps":
        return "The face-down trump card is not in play."
    if not own:
        return "Only cards of your own hand can be played."
    legal = [card for card in list_own_actions(s) if card < len(codes)]
    if s["viewer"] != s["turn"] or s["over"] or not (legal or can_ask):
        return prompt
    if onto is not None and item.action >= 0:
        return "Drag the card to your place in the trick, or click it."
    name = card_symbol(item.card)
    if s["size"] == 0:
        return f"{name} is of your secret trump suit: lead another suit."
    led = _led_suit(s, ranks)
    if led in _list_suits(s, ranks):
        return f"You must follow {SUIT_WORDS[led]}."
    if not legal:
        return f"You cannot follow {SUIT_WORDS[led]}: ask for trumps first."
    if _must_play_laid(s, legal):
        return "You must play the card that set trumps, because it has just been shown."
    if s["shown"]["must_trump"]:
        return "You must play a trump, because you asked for trumps."
    return "You must beat the highest trump of the trick, or discard."


def _capitalize(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
