"""Cards, decks and numbered deals.

A card is an int8 code ``value * 4 + suit``, where the value is 1 (ace) to 13 (king) and the suit
is 0 to 3 (clubs, diamonds, hearts, spades). The code 0 is no card. ``code >> 2`` is the value, so
kernels need no table. A deck is an array of codes in dealing order.

A deal set is a named, fixed set of deals on which agents are compared. The 64-bit seed of deal k
comes from the SHA-256 of ``"name/k"``, and its top bit is set. The top bit of the seeds of random
deals is cleared (`rng.TRAINING_SEED_MASK`), so no training run can contain a deal of a deal set.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from operator import index
from typing import Any, NamedTuple

import numpy as np

from ..options import is_integer, range_text, shorten
from ..type_aliases import State
from .jit import jit
from .rng import random_below

RANKS = "A23456789TJQK"
SUITS = "cdhs"
SUIT_SIGNS = "♣♦♥♠"
WHITE_SUIT_SIGNS = "♧♢♡♤"
PACK_SIZE = 52
FIRST_CARD = 4
"""Code of the ace of clubs. The 52 codes are FIRST_CARD to FIRST_CARD + 51."""
UNKNOWN = 0
"""Code of an unknown card."""

_SUIT_NUMBERS = {
    sign: number
    for signs in (SUITS, SUIT_SIGNS, WHITE_SUIT_SIGNS)
    for number, sign in enumerate(signs)
}
_IGNORED = dict.fromkeys(map(ord, "\ufe0e\ufe0f\ufeff[]"))
"""Ignored characters: variation selectors of suit signs, byte order marks, and the brackets around
playable cards in printed tables."""
_SEPARATORS = re.compile(r"[\s,;|]+")
_UNKNOWN_TEXT = re.compile(r"<?([?_xX#*▒·.-]{1,2})?>?|0[xX]")
"""Notations of an unknown card."""


def card_name(card: int) -> str:
    """Return the short name of a card code, such as ``"Th"``, or ``"--"`` for 0 (no card)."""
    return RANKS[(card >> 2) - 1] + SUITS[card & 3] if card else "--"


def card_symbol(card: int) -> str:
    """Return the name of a card code with a suit sign, such as ``"T♥"``; ``"--"`` for 0."""
    return RANKS[(card >> 2) - 1] + SUIT_SIGNS[card & 3] if card else "--"


def parse_card(text: str) -> int:
    """Return the code of a card.

    Args:
        text: A rank (A23456789TJQK or 10) and a letter or sign of the suit, such as ``Th``,
            ``10H``, ``T♥`` or ``T♡``. Case does not matter.

    Raises:
        ValueError: The text is not a card.
    """
    short = text.translate(_IGNORED).strip().replace("10", "T")
    if len(short) == 2:
        rank, suit = RANKS.find(short[0].upper()), _SUIT_NUMBERS.get(short[1].lower(), -1)
        if rank >= 0 and suit >= 0:
            return (rank + 1) * 4 + suit
    raise ValueError(
        f"card must be a rank of {RANKS} (or 10) and a suit of {SUITS} or {SUIT_SIGNS}, such as "
        f"'Th', got {shorten(text)}"
    )


def split_cards(text: str) -> list[str]:
    """Return the words of a text, separated by white space, commas, semicolons or bars."""
    return [word for word in _SEPARATORS.split(text.translate(_IGNORED)) if word]


def full_pack(rules: Any = None) -> tuple[int, ...]:
    """Return the codes of all 52 cards, the default deck of a game, for any rules."""
    return tuple(range(FIRST_CARD, FIRST_CARD + PACK_SIZE))


def parse_deck(cards: str | Iterable[str | int], pack: Sequence[int] | None = None) -> np.ndarray:
    """Return a deck from card names or codes.

    Args:
        cards: A list of names and codes in dealing order, or one text (see `split_cards` and
            `parse_card`).
        pack: The codes of the cards that the deck must contain (None: all 52).

    Returns:
        Codes in dealing order, int8.

    Raises:
        ValueError: Cards are unknown, missing, repeated or not in the game. The message names the
            first one.
    """
    wanted = sorted(full_pack() if pack is None else pack)
    if isinstance(cards, str):
        cards = split_cards(cards)
    try:
        codes = [_read_card(card) for card in cards]
    except ValueError as error:
        raise ValueError(f"deck: {error}") from None
    except TypeError:
        raise ValueError(
            f"deck must be a text of card names, or a list of card names or codes, "
            f"got {shorten(cards)}"
        ) from None
    unknown = codes.count(UNKNOWN)
    if unknown:
        raise ValueError(
            f"deck must have {len(wanted)} known cards, got {len(codes) - unknown} known and "
            f"{unknown} unknown"
        )
    left = list(wanted)
    for place, code in enumerate(codes):
        if code not in left:
            times = wanted.count(code)
            often = "twice" if times == 1 else f"{times + 1} times"
            foreign = f"{shorten(code)} is not a card of the game"
            what = f"{card_name(code)} is in the deck {often}" if times else foreign
            raise ValueError(f"deck: card {place + 1}: {what}")
        left.remove(code)
    if left:
        missing = " ".join(card_name(code) for code in left)
        raise ValueError(
            f"deck must have all {len(wanted)} cards, got {len(codes)}; missing: {missing}"
        )
    return np.array(codes, np.int8)


def _read_card(card: Any) -> int:
    """Return the code of a card given by name or code; `UNKNOWN` for an unknown card."""
    if isinstance(card, str):
        is_unknown = card.strip() and _UNKNOWN_TEXT.fullmatch(card.strip())
        return UNKNOWN if is_unknown else parse_card(card)
    return UNKNOWN if card is None else index(card)


@jit
def shuffle(s: State, deck: np.ndarray, first: int, last: int) -> None:
    """Shuffle the entries ``first`` to ``last - 1`` of ``deck`` in place (Fisher-Yates)."""
    for i in range(last - 1, first, -1):
        j = first + random_below(s, i - first + 1)
        card = deck[i]
        deck[i] = deck[j]
        deck[j] = card


@jit
def shuffle_pack(s: State, deck: np.ndarray) -> None:
    """Fill ``deck`` (52 entries) with a shuffled full deck."""
    for i in range(PACK_SIZE):
        deck[i] = FIRST_CARD + i
    shuffle(s, deck, 0, PACK_SIZE)


# ---- numbered deals -------------------------------------------------------------------------

NUMBERED_SEED_BIT = 1 << 63


class DeckFormat(NamedTuple):
    """Notation of another program for deals."""

    read: Callable[[str], np.ndarray]
    """Returns the deck of a text, int8 codes in dealing order; ValueError for an invalid text."""
    write: Callable[[np.ndarray], str]
    """Returns the text of a deck."""


def deal_seeds(deal_set: str, deals: Iterable[int]) -> np.ndarray:
    """Return the seeds of numbered deals of a deal set.

    Args:
        deal_set: Name of the deal set.
        deals: Numbers of the deals, integers >= 0.

    Returns:
        uint64 (n,).

    Raises:
        ValueError: The name is not a string, or a number is not an integer >= 0.
    """
    if not isinstance(deal_set, str):
        raise ValueError(f"deal_set must be the name of a deal set, got {shorten(deal_set)}")
    return np.array([_seed(deal_set, deal) for deal in deals], np.uint64)


def _seed(deal_set: str, deal: int) -> int:
    if not is_integer(deal) or not 0 <= deal < NUMBERED_SEED_BIT:
        raise ValueError(
            f"deal must be {range_text(0)}, got {shorten(deal)} (deal set {shorten(deal_set)})"
        )
    digest = sha256(f"{deal_set}/{deal}".encode()).digest()
    return int.from_bytes(digest[:8], "little") | NUMBERED_SEED_BIT


def default_deal_set(game: str) -> str:
    """Return the name of a game's default deal set: the name of the game and ``-1``."""
    return f"{game}-1"


def decks_digest(decks: np.ndarray) -> str:
    """Return the SHA-256 (hex) of decks, int8 (n, cards), which identifies a deal set."""
    return sha256(np.ascontiguousarray(decks, np.int8).tobytes()).hexdigest()
