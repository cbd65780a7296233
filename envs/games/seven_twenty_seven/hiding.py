"""Seven Twenty-Seven: dealing anew what a seat does not know.

Where over is bust, all know more of hidden cards than how many they are: who is still in, or has
folded, cannot be above 27, and who has busted is, but was not without the last card. Such a
condition holds the hands together, so cards are swapped at random, at first until the conditions
hold, then while they do. Everything starts from a new deal: what the cards were is forgotten.
"""

from ...core.aliases import RulesRecord, Seat, State
from ...core.batch import is_finished
from ...core.kernel.bits import count, lowest
from ...core.kernel.cards import random_below
from ...core.kernel.jit import jit
from .rules import CLASSES, Declare, Nearness, Phase, Status
from .seat_view import view
from .totals import HALF_POINTS, LOWEST_BUST, class_of, write_ranks

SWAPS = 24
"""Swaps for each hidden card that a seat holds, once the conditions hold."""
LEAPS = 64
"""Before that, one swap in so many may make things worse: so no dead end is final."""


@jit
def hidden_positions(s: State, seat: Seat) -> int:
    """The set of deck positions whose cards a seat does not know."""
    places = 0
    for place in range(s["size"]):
        if not (s["up"] >> place) & 1 and s["owner"][place] != seat + 1:
            places |= 1 << place
    return places


@jit
def nth_member(members: int, n: int) -> int:
    """Member n of a set, counted from the lowest, 0."""
    for _ in range(n):
        members &= members - 1
    return lowest(members)


@jit
def reshuffle_positions(s: State, places: int) -> None:
    """Deal the cards on a set of deck positions to them by chance."""
    cards, rest = 0, places
    while rest:
        cards |= 1 << s["deck"][lowest(rest)]
        rest &= rest - 1
    while places:
        card = nth_member(cards, random_below(s, count(cards)))
        s["deck"][lowest(places)] = card
        cards &= ~(1 << card)
        places &= places - 1


@jit
def swap_positions(s: State, rules: RulesRecord, one: int, other: int) -> None:
    """Let two cards of the deck change places, and count the lowest totals of who holds them."""
    deck = s["deck"]
    first, second = deck[one], deck[other]
    more = (
        HALF_POINTS[rules.half_tens, class_of(second)]
        - HALF_POINTS[rules.half_tens, class_of(first)]
    )
    deck[one], deck[other] = second, first
    for place, gain in ((one, more), (other, -more)):
        owner = s["owner"][place] - 1
        if owner >= 0:
            s["low"][owner] += gain


@jit
def bust_violation(s: State, rules: RulesRecord, seat: Seat) -> int:
    """By how many half points a seat's cards miss what all know of them where over is bust."""
    low = s["low"][seat]
    if s["seats"][seat]["status"] == Status.BUSTED:
        place = s["next"] - 1
        while s["owner"][place] != seat + 1:
            place -= 1
        without = low - HALF_POINTS[rules.half_tens, class_of(s["deck"][place])]
        return max(LOWEST_BUST - low, 0) + max(without - LOWEST_BUST + 1, 0)
    if s["moves"] == 0 and is_finished(s) and seat == s["dealer"]:
        return 0  # all others busted before it was looked at
    return max(low - LOWEST_BUST + 1, 0)


@jit
def bust_violations(s: State, rules: RulesRecord, seat: Seat, one: int, other: int) -> int:
    """The breaches of who holds the cards at two places; nobody and the viewer have none."""
    first, second = s["owner"][one] - 1, s["owner"][other] - 1
    found = 0
    if first >= 0 and first != seat:
        found += bust_violation(s, rules, first)
    if second >= 0 and second != seat and second != first:
        found += bust_violation(s, rules, second)
    return found


@jit
def restore_bust_facts(s: State, rules: RulesRecord, seat: Seat, places: int) -> None:
    """Swap hidden cards until what is known of them holds, then on while it does."""
    held = places & ((1 << s["next"]) - 1)
    missing = 0
    for other in range(rules.players):
        if other != seat:
            missing += bust_violation(s, rules, other)
    left = SWAPS * count(held) + LEAPS if held else 0  # nobody's card is hidden: none to swap
    while missing or left:
        one, other = (
            nth_member(held, random_below(s, count(held))),
            nth_member(places, random_below(s, count(places))),
        )
        before = bust_violations(s, rules, seat, one, other)
        swap_positions(s, rules, one, other)
        after = bust_violations(s, rules, seat, one, other)
        if missing == 0:
            left -= 1
        if after > before and (missing == 0 or random_below(s, LEAPS)):
            swap_positions(s, rules, one, other)
        else:
            missing += after - before


@jit
def recount_hands(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Work out what all others hold after their hidden cards have changed."""
    for other in range(rules.players):
        if other == seat:
            continue
        for kind in range(CLASSES):
            s["cards"][other][kind] = 0
        s["low"][other] = 0
    for place in range(s["next"]):
        other = s["owner"][place] - 1
        if other != seat:
            kind = class_of(s["deck"][place])
            s["cards"][other][kind] += 1
            s["low"][other] += HALF_POINTS[rules.half_tens, kind]
    for other in range(rules.players):
        if other != seat:
            write_ranks(s, rules, other)


@jit
def resample_hidden(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Deal anew, from the state's generator, all that a seat does not know."""
    places = hidden_positions(s, seat)
    reshuffle_positions(s, places)
    recount_hands(s, rules, seat)
    if rules.nearness == Nearness.OVER_IS_BUST and places:
        restore_bust_facts(s, rules, seat, places)
        recount_hands(s, rules, seat)
    if s["phase"] == Phase.DECLARING and rules.declare == Declare.SIMULTANEOUS:
        for other in range(rules.players):
            if other != seat and s["said"][other]:
                s["said"][other] = 1 + random_below(s, 3)
    if s["viewer"] != seat:
        view(s, rules, s["viewer"])  # it shows cards of its own, which are others now
