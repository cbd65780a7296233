"""Fifty-Six: hands of cards of which there may be two of a kind."""

from ...core.aliases import RulesRecord, Seat, State
from ...core.kernel.bits import count
from ...core.kernel.jit import jit


@jit
def put_card(s: State, seat: Seat, card: int) -> None:
    """Put a card into a hand."""
    bit = 1 << card
    s["twice"][seat] |= s["hands"][seat] & bit
    s["hands"][seat] |= bit


@jit
def take_card(s: State, seat: Seat, card: int) -> None:
    """Take a card out of a hand."""
    bit = 1 << card
    if s["twice"][seat] & bit:
        s["twice"][seat] &= ~bit
    else:
        s["hands"][seat] &= ~bit


@jit
def hand_count(s: State, seat: Seat) -> int:
    """How many cards a seat has in its hand."""
    return count(s["hands"][seat]) + count(s["twice"][seat])


@jit
def copies_held(s: State, seat: Seat, card: int) -> int:
    """How many of a card a seat has in its hand."""
    return (s["hands"][seat] >> card & 1) + (s["twice"][seat] >> card & 1)


@jit
def lowest_rank(rules: RulesRecord) -> int:
    """The lowest rank that is played with; see `rules.lowest_rank`."""
    if rules.players == 8:
        return 0
    return 4 if rules.players == 4 and rules.small_pack else 2


@jit
def hand_size(rules: RulesRecord) -> int:
    """How many cards each seat gets."""
    return 12 if rules.players == 4 and not rules.small_pack else 8
