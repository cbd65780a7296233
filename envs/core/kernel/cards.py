"""Cards, decks and the random generator that every game state carries.

A card is an int8 code ``value * 4 + suit``: value 1 (ace) to 13 (king), suit 0 to 3 (clubs,
diamonds, hearts, spades); 0 is no card. ``code >> 2`` is the value, so kernels need no table.
A deck is an array of codes in dealing order.

Chance is an input: all of it comes from the field ``rng`` (uint64) of a state, the counter of
`splitmix`, so a deal is a pure function of its 64-bit seed and a copied state replays the same
game.
"""

import re
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

import numpy as np

from ..aliases import State, Word
from ..options import one_line
from .jit import jit
from .rng import GAMMA, WORD_MASK, finish_word, plain_finish

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

S32 = np.uint64(32)
TRAINING_SEED_MASK = np.uint64(2**63 - 1)
"""Deals drawn in play have the top bit of their seed cleared; deal banks have it set."""
RULES_SALT = np.uint64(0x52554C4553)
"""Keeps what says the rules of a new game apart from what says its cards."""


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
        f"card {one_line(text)} is not a card: write a rank of {RANKS} (or 10) and a suit of "
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
            f"deck={one_line(cards)}: allowed is text, or a list, of card names or "
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
            foreign = f"{one_line(code)} is not a card of this pack"
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


def _plain_next_word(s: Any) -> int:
    s["rng"] = word = (int(s["rng"]) + int(GAMMA)) & WORD_MASK
    return plain_finish(word)


def _plain_below(s: Any, n: int) -> int:
    return ((_plain_next_word(s) >> 32) * n) >> 32


@jit(twin=_plain_next_word)
def next_random_word(s: State) -> Word:
    """Advance the generator of a state; return 64 random bits (uint64)."""
    word = s["rng"] + GAMMA
    s["rng"] = word
    return finish_word(word)


@jit
def draw_training_seed(s: State) -> None:
    """Begin the generator of a state anew at a seed that it draws, of those for training."""
    s["rng"] = next_random_word(s) & TRAINING_SEED_MASK


@jit(twin=_plain_below)
def random_below(s: State, n: int) -> int:
    """Return a random integer 0 .. n-1 (n up to 2**31) from the generator of a state."""
    return np.int64(((next_random_word(s) >> S32) * np.uint64(n)) >> S32)  # type: ignore[return-value]


@jit
def draw_rules(s: State, k: int) -> int:
    """Return by which of k records the next game of a state is played.

    Its generator says so and is left as it was: so a row deals what a batch by those rules alone
    deals from there.
    """
    if k == 1:
        return 0
    before = s["rng"]
    s["rng"] = before ^ RULES_SALT
    number = random_below(s, k)
    s["rng"] = before
    return number


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
