"""Deal banks: named, fixed sets of deals on which agents are compared.

A bank is a name; deal k of it has the 64-bit seed made from the SHA-256 of ``"name/k"`` with the
top bit set. Deals drawn in play have that bit cleared (`cards.TRAINING_SEED_MASK`), so no training
run can meet a bank deal, whatever its seed.
"""

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from .options import is_whole, one_line

BANK_SEED_BIT = 1 << 63


class DeckFormat(NamedTuple):
    """How another program writes deals."""

    read: Callable[[str], np.ndarray]
    """Returns the deck of a text, int8 codes in dealing order; ValueError for one that is none."""
    write: Callable[[np.ndarray], str]
    """Returns the text of a deck."""


def bank_seeds(bank: str, deals: Iterable[int]) -> np.ndarray:
    """Return the seeds (uint64) of numbered deals of a bank; numbers from 0.

    Raises ValueError unless the bank is a string and the deal a whole number from 0.
    """
    if not isinstance(bank, str):
        raise ValueError(f"bank={one_line(bank)}: allowed is the name of a bank")
    return np.array([_seed(bank, deal) for deal in deals], np.uint64)


def _seed(bank: str, deal: int) -> int:
    if not is_whole(deal) or not 0 <= deal < BANK_SEED_BIT:
        raise ValueError(
            f"deal {one_line(deal)} of bank {one_line(bank)}: deals are numbered from 0"
        )
    digest = sha256(f"{bank}/{deal}".encode()).digest()
    return int.from_bytes(digest[:8], "little") | BANK_SEED_BIT


def default_bank(game: str) -> str:
    """Return the name of the bank used when none is named, the game's name and ``-1``."""
    return f"{game}-1"


def decks_digest(decks: np.ndarray) -> str:
    """Return the SHA-256 (hex) of decks, int8 (n, cards) in dealing order: a bank's identity."""
    return sha256(np.ascontiguousarray(decks, np.int8).tobytes()).hexdigest()
