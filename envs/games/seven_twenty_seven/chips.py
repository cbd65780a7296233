"""Seven Twenty-Seven: bets and the pot. Chips are whole numbers."""

import numpy as np

from ...core.aliases import RulesRecord, Seat, State
from ...core.kernel.bits import highest
from ...core.kernel.jit import jit
from ...core.schema import DIGIT_BASE
from .rules import CALL, FOLD, LEVELS, RAISE, Phase

BETTING_PHASES = 1 << Phase.BET | 1 << Phase.LAST_BET | 1 << Phase.FIRST_BET | 1 << Phase.AFTER_BET


@jit
def write_digits(digits: np.ndarray, value: int) -> None:
    """Write a number of chips or half points to base `DIGIT_BASE`."""
    for i in range(len(digits) - 1, -1, -1):
        digits[i] = value & (DIGIT_BASE - 1)
        value >>= 4


@jit
def show_pot(s: State, rules: RulesRecord) -> None:
    """Show the chips in the pot."""
    shown = s["shown"]
    write_digits(shown["pot"], s["pot"])
    antes = s["pot"] if rules.ante == 1 else s["pot"] // rules.ante
    top = highest(antes)
    half = (antes >> (top - 1)) & 1 if top else 0
    shown["antes"] = min(2 * top + half, 2 * DIGIT_BASE)


@jit
def pay_chips(s: State, rules: RulesRecord, seat: Seat, chips: int) -> None:
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
def is_betting(s: State) -> bool:
    """Whether bets are made."""
    return (BETTING_PHASES >> s["phase"]) & 1 != 0


@jit
def is_drawing(s: State) -> bool:
    """Whether cards are taken."""
    return s["phase"] == Phase.ASK or s["phase"] == Phase.DRAWING


@jit
def level_chips(rules: RulesRecord, level: int) -> int:
    """The chips of a bet or raise."""
    return rules.min_bet + (rules.max_bet - rules.min_bet) * level // (LEVELS - 1)


@jit
def distinct_level_actions(rules: RulesRecord) -> int:
    """The set of actions that bet or raise: of equal levels only the lowest."""
    actions, last = 0, 0
    for level in range(LEVELS):
        more = level_chips(rules, level)
        if more > last:
            actions |= 1 << (RAISE + level)
        last = more
    return actions


@jit
def raise_bet(s: State, rules: RulesRecord, seat: Seat, level: int) -> None:
    """Bet, or call and raise; all others still in have to answer."""
    if s["high"]:
        s["raises"] += 1
        s["shown"]["raises_left"] = rules.max_raises - s["raises"]
    pay_chips(s, rules, seat, s["high"] - s["staked"][seat] + level_chips(rules, level))
    s["high"] = s["staked"][seat]
    s["bettor"] = seat
    s["pending"] = s["live"] & ~(1 << seat)


@jit
def bet_actions(s: State, rules: RulesRecord, seat: Seat) -> int:
    """The set of actions of a seat in a round of bets."""
    legal = 1 << CALL
    if s["high"] > s["staked"][seat]:
        legal |= 1 << FOLD
        if s["raises"] >= rules.max_raises:
            return legal
    return legal | s["levels"]
