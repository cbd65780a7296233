"""Seven Twenty-Seven: the explanation, the prompts and the refusals that a person reads."""

from collections.abc import Sequence
from typing import Any

from ...core.scene.items import Item
from .rules import (
    CALL,
    DECLARE_7,
    FOLD,
    LEVELS,
    RAISE,
    Declare,
    Nearness,
    Phase,
    Rules,
    Status,
)

VARIANT_NOTES = {
    "home": "Four seats, bets from 1 to 5, at most three raises a round. The usual game.",
    "no-cap": "Raises are not limited.",
    "any-amount": "Bets of any whole amount from 1 to 25, chosen step by step.",
    "sarrett": "The lead rotates, and 5-A-A takes the whole pot.",
    "six": "Six seats.",
    "ten": "Ten seats.",
    "bust": "A total above 7 cannot win that half, and above 27 wins nothing.",
    "low-wins-ties": "Of two totals equally near, the lower one wins.",
    "declare": "All declare at once which half they contest.",
    "open-cards": "Cards taken after the deal are face up.",
    "three-card": "Everybody starts with two cards face down.",
    "mini": "Two seats and six cards: a small game to analyze.",
}


def how_to_play(rules: Rules) -> list[str]:
    """Return the explanation of the game; see `contract.HowToPlay`."""
    tens = "tens, jacks, queens and kings" if rules.half_tens else "jacks, queens and kings"
    bust = rules.nearness == Nearness.OVER_IS_BUST
    near = "without going over" if bust else "above or below"
    ante = "1 chip" if rules.ante == 1 else f"{rules.ante} chips"
    face = "face up" if rules.draw_up else "face down"
    lines = [
        "Aim: have the total nearest to 7, or nearest to 27, or both with aces.",
        f"Cards: {tens} count a half, an ace 1 or 11, the others their number.",
        f"Points: the total nearest to 7, {near}, takes half of the pot; the nearest to 27, half. "
        "You score the chips that you win less those that you pay.",
        f"Each seat pays {ante} and gets 1 card face up and {rules.start_down} face down.",
        f"In turn, take a card, {face}, or stand."
        + ("" if rules.max_stands else " You may draw again after standing."),
        f"Between draws, bet from {rules.min_bet} to {rules.max_bet}, call, raise or fold. "
        "A raise includes the call.",
        "The hand ends when nobody draws. If all others fold, you take the pot.",
    ]
    if rules.any_amount and rules.max_bet - rules.min_bet >= LEVELS:
        lines.append("Choose the amount of a bet step by step: first a range, then a part of it.")
    if rules.declare != Declare.CARDS_SPEAK:
        lines.append("At the end, each seat declares 7, 27 or both.")
    return lines


def prompt(s: Any, rules: Rules, selected: Sequence[int] = ()) -> str:
    """Return what the person can do now; see `contract.Prompt`."""
    if s["over"]:
        return "The hand is over."
    viewer = int(s["viewer"])
    if s["seats"][viewer]["status"] != Status.IN:
        return "You are out of this hand."
    if s["turn"] != viewer:
        return f"Waiting for seat {int(s['turn'])}."
    phase, legal = int(s["phase"]), int(s["legal"])
    if phase in (Phase.ASK, Phase.DRAWING):
        return "Take a card, or stand."
    if phase == Phase.DECLARING:
        return "Declare the half that you contest." if legal >> DECLARE_7 else "Declare."
    if s["to_chips"]:
        return f"Choose the amount of your {'raise' if s['high'] else 'bet'}."
    can_raise = bool(legal >> RAISE & (1 << LEVELS) - 1)
    missing = int(s["high"]) - int(s["staked"][viewer])
    if not legal >> FOLD & 1 and missing <= 0:
        return "Check, or bet." if can_raise else "Check."
    calls = [f"Call {missing}" if missing > 0 and legal >> CALL & 1 else "Check"]
    calls += ["raise" if s["high"] else "bet"] if can_raise else []
    calls += ["fold"] if legal >> FOLD & 1 else []
    return f"{', '.join(calls[:-1])} or {calls[-1]}." if len(calls) > 1 else f"{calls[0]}."


def refusal(s: Any, rules: Rules, item: Item, onto: Item | None = None) -> str:
    """Return why cards do not move in this game; see `contract.Refusal`."""
    return f"Cards stay where they are. {prompt(s, rules)}"
