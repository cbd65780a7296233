"""Cards, decks and numbered deals.

A card is an int8 code ``value * 4 + suit``: value 1 (ace) to 13 (king), suit 0 to 3 (clubs,
diamonds, hearts, spades); 0 is no card. ``code >> 2`` is the value, so kernels need no table.
A deck is an array of codes in dealing order.

A deal set is a named, fixed set of deals on which agents are compared. Deal k of it has the 64-bit
seed made from the SHA-256 of ``"name/k"`` with the top bit set. Deals drawn in play have that bit
cleared (`rng.TRAINING_SEED_MASK`), so no training run can meet a deal of a deal set.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from operator import index
from typing import Any, NamedTuple

import numpy as np

from ..options import is_integer, shorten
from ..type_aliases import State
from .jit import jit
from .rng import random_below

RANKS = "A23456789TJQK"
SUITS = "cdhs"
SUIT_SIGNS = "♣♦♥♠"
WHITE_SUIT_SIGNS = "♧♢♡♤"
PACK_SIZE = 52
FIRST_CARD = 4
"""Code of the ace of clubs; the 52 codes are FIRST_CARD .. FIRST_CARD + 51."""
UNKNOWN = 0
"""Code of a card that is not known."""

_SUIT_NUMBERS = {
    sign: number
    for signs in (SUITS, SUIT_SIGNS, WHITE_SUIT_SIGNS)
    for number, sign in enumerate(signs)
}
_IGNORED = dict.fromkeys(map(ord, "\ufe0e\ufe0f\ufeff[]"))
"""Text and emoji variants of a suit sign, the byte order mark of a file, and the brackets that a
board prints around a card that can be played."""
_SEPARATORS = re.compile(r"[\s,;|]+")
_UNKNOWN_TEXT = re.compile(r"<?([?_xX#*▒·.-]{1,2})?>?|0[xX]")
"""Ways to write an unknown card."""


def card_name(card: int) -> str:
    """Return the short name of a card code, such as ``"Th"``; ``"--"`` for 0 (no card)."""
    return RANKS[(card >> 2) - 1] + SUITS[card & 3] if card else "--"


def parse_card(text: str) -> int:
    """Return the code of a card: a rank of `RANKS` (or 10), then a letter or a sign for the suit.

    Case does not matter, nor whether a suit sign is filled, white or an emoji: ``Th``, ``10H``,
    ``T♥``, ``T♡``. Raises ValueError for other text.
    """
    short = text.translate(_IGNORED).strip().replace("10", "T")
    if len(short) == 2:
        rank, suit = RANKS.find(short[0].upper()), _SUIT_NUMBERS.get(short[1].lower(), -1)
        if rank >= 0 and suit >= 0:
            return (rank + 1) * 4 + suit
    raise ValueError(
        f"card {shorten(text)} is not a card: write a rank of {RANKS} (or 10) and a suit of "
        f"{SUITS} or {SUIT_SIGNS}, such as 'Th'"
    )


def split_cards(text: str) -> list[str]:
    """Return the words of a text: white space, commas, semicolons and bars separate them."""
    return [word for word in _SEPARATORS.split(text.translate(_IGNORED)) if word]


def full_pack(rules: Any = None) -> tuple[int, ...]:
    """Return the codes of all 52 cards: the pack of a game, whatever its rules."""
    return tuple(range(FIRST_CARD, FIRST_CARD + PACK_SIZE))


def parse_deck(cards: str | Iterable[str | int], pack: Sequence[int] | None = None) -> np.ndarray:
    """Return a deck, int8 codes in dealing order, from card names or codes.

    Args:
        cards: A list of names and codes, or one text (see `split_cards` and `parse_card`).
        pack: The codes that the deck must consist of (default: all 52).

    Raises:
        ValueError: If cards are unknown, missing, repeated, or not of the pack; the message names
            the first one.
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
            f"deck={shorten(cards)}: allowed is text, or a list, of card names or "
            "whole-number codes"
        ) from None
    unknown = codes.count(UNKNOWN)
    if unknown:
        raise ValueError(
            f"deck must have all {len(wanted)} cards known, got {len(codes) - unknown} known and "
            f"{unknown} unknown"
        )
    left = list(wanted)
    for place, code in enumerate(codes):
        if code not in left:
            times = wanted.count(code)
            often = "twice" if times == 1 else f"{times + 1} times"
            foreign = f"{shorten(code)} is not a card of this pack"
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
    """Return the code of a name or a code; `UNKNOWN` for a card that is not known."""
    if isinstance(card, str):
        is_unknown = card.strip() and _UNKNOWN_TEXT.fullmatch(card.strip())
        return UNKNOWN if is_unknown else parse_card(card)
    return UNKNOWN if card is None else index(card)


@jit
def shuffle(s: State, deck: np.ndarray, first: int, last: int) -> None:
    """Shuffle the entries first .. last-1 of ``deck`` in place (Fisher and Yates)."""
    for i in range(last - 1, first, -1):
        j = first + random_below(s, i - first + 1)
        card = deck[i]
        deck[i] = deck[j]
        deck[j] = card


@jit
def shuffle_pack(s: State, deck: np.ndarray) -> None:
    """Fill ``deck`` (52 entries) with a freshly shuffled full pack."""
    for i in range(PACK_SIZE):
        deck[i] = FIRST_CARD + i
    shuffle(s, deck, 0, PACK_SIZE)


# ---- numbered deals -------------------------------------------------------------------------

NUMBERED_SEED_BIT = 1 << 63


class DeckFormat(NamedTuple):
    """How another program writes deals."""

    read: Callable[[str], np.ndarray]
    """Returns the deck of a text, int8 codes in dealing order; ValueError for one that is none."""
    write: Callable[[np.ndarray], str]
    """Returns the text of a deck."""


def deal_seeds(deal_set: str, deals: Iterable[int]) -> np.ndarray:
    """Return the seeds (uint64) of numbered deals of a deal set; numbers from 0.

    Raises ValueError unless the deal set is a string and the deal a whole number from 0.
    """
    if not isinstance(deal_set, str):
        raise ValueError(f"deal_set={shorten(deal_set)}: allowed is the name of a deal set")
    return np.array([_seed(deal_set, deal) for deal in deals], np.uint64)


def _seed(deal_set: str, deal: int) -> int:
    if not is_integer(deal) or not 0 <= deal < NUMBERED_SEED_BIT:
        raise ValueError(
            f"deal must be a whole number from 0, got {shorten(deal)} "
            f"(deal set {shorten(deal_set)})"
        )
    digest = sha256(f"{deal_set}/{deal}".encode()).digest()
    return int.from_bytes(digest[:8], "little") | NUMBERED_SEED_BIT


def default_deal_set(game: str) -> str:
    """Return the name of the deal set used when none is named, the game's name and ``-1``."""
    return f"{game}-1"


def decks_digest(decks: np.ndarray) -> str:
    """Return the SHA-256 (hex) of decks, int8 (n, cards): the identity of a deal set."""
    return sha256(np.ascontiguousarray(decks, np.int8).tobytes()).hexdigest()
