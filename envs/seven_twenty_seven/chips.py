"""Seven Twenty-Seven: bets and the pot. Chips are whole numbers."""

from typing import Any

from ..core.bits import highest
from ..core.features import BASE
from ..core.jit import jit
from .rules import CALL, FOLD, LEVELS, RAISE


@jit
def write_digits(digits: Any, value: int) -> None:
    """Write a number of chips or half points to base `BASE`."""
    for i in range(len(digits) - 1, -1, -1):
        digits[i] = value & (BASE - 1)
        value >>= 4


@jit
def show_pot(s: Any, rules: Any) -> None:
    """Show the chips in the pot."""
    shown = s["shown"]
    write_digits(shown["pot"], s["pot"])
    antes = s["pot"] if rules.ante == 1 else s["pot"] // rules.ante
    top = highest(antes)
    half = (antes >> (top - 1)) & 1 if top else 0
    shown["antes"] = min(2 * top + half, 2 * BASE)


@jit
def pay(s: Any, rules: Any, seat: int, chips: int) -> None:
    """Move chips from a seat to the pot."""
    if chips == 0:
        return
    s["paid"][seat] += chips
    s["staked"][seat] += chips
    s["pot"] += chips
    public = s["seats"][seat]
    write_digits(public["paid"], s["paid"][seat])
    write_digits(public["staked"], s["staked"][seat])
    show_pot(s, rules)


@jit
def level_chips(rules: Any, level: int) -> int:
    """The chips of a bet or raise."""
    return rules.min_bet + (rules.max_bet - rules.min_bet) * level // (LEVELS - 1)


@jit
def distinct_level_actions(rules: Any) -> int:
    """The set of actions that bet or raise: of equal levels only the lowest."""
    actions, last = 0, 0
    for level in range(LEVELS):
        more = level_chips(rules, level)
        if more > last:
            actions |= 1 << (RAISE + level)
        last = more
    return actions


@jit
def raise_bet(s: Any, rules: Any, seat: int, level: int) -> None:
    """Bet, or call and raise; all others still in have to answer."""
    if s["high"]:
        s["raises"] += 1
        s["shown"]["raises_left"] = rules.max_raises - s["raises"]
    pay(s, rules, seat, s["high"] - s["staked"][seat] + level_chips(rules, level))
    s["high"] = s["staked"][seat]
    s["bettor"] = seat
    s["pending"] = s["live"] & ~(1 << seat)


@jit
def bets(s: Any, rules: Any, seat: int) -> int:
    """The set of actions of a seat in a round of bets."""
    legal = 1 << CALL
    if s["high"] > s["staked"][seat]:
        legal |= 1 << FOLD
        if s["raises"] >= rules.max_raises:
            return legal
    return legal | s["levels"]
