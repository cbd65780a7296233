"""Seven Twenty-Seven: views of the seats, and sampled worlds that fit what a seat knows.

With ``over_is_bust``, all seats know something about hidden cards: a seat that is still in or has
folded cannot be above 27, and a seat that has busted is above 27 and was not above 27 before its
last card. These conditions couple the hands. So resampling first deals the hidden cards at random.
Then it makes random swaps until the conditions hold, followed by more random swaps that keep them.
The sample does not depend on the actual hidden cards.
"""

import numpy as np

from ...core.batch import is_finished
from ...core.game import HiddenCards
from ...core.kernel.bits import count, lowest
from ...core.kernel.jit import jit
from ...core.kernel.rng import random_below
from ...core.kernel.table import wrap_seat
from ...core.schema import DIGIT_BASE, Piece, whole_number, write_digits
from ...core.type_aliases import RulesRecord, Seat, State, States
from .rules import CLASSES, FACE, FAR, SEATS, Declare, Nearness, Phase, Status
from .showdown import HALF_POINTS, LOWEST_BUST, NO_TOTAL, class_of, write_ranks

# ---- views ----------------------------------------------------------------------------------


@jit
def shown_distance(rank: int) -> int:
    """Return the distance of a total from its target as the observation shows it."""
    return FAR + 1 if rank == NO_TOTAL else min(rank >> 1, FAR)


@jit
def view(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Write the observation of a seat: public facts, with the seat as seat 0, and its own cards."""
    shown, players = s["shown"], rules.players
    s["viewer"] = seat
    for k in range(players):
        shown["seats"][k] = s["seats"][wrap_seat(seat + k, players)]
    cards, rank = s["cards"][seat], s["rank"][seat]
    for kind in range(FACE):
        shown["own"][kind] = cards[kind]
    shown["own_faces"] = cards[FACE]
    write_digits(shown["low"], s["low"][seat])
    shown["off_7"] = shown_distance(rank[0])
    shown["off_27"] = shown_distance(rank[1])
    shown["over_7"] = s["above"][seat][0]
    shown["over_27"] = s["above"][seat][1]
    shown["turn"] = 0 if is_finished(s) else 1 + wrap_seat(s["turn"] - seat + players, players)
    shown["dealer"] = 1 + wrap_seat(s["dealer"] - seat + players, players)
    shown["lead"] = 1 + wrap_seat(s["lead"] - seat + players, players)
    bettor = s["bettor"]
    shown["bettor"] = 0 if bettor < 0 else 1 + wrap_seat(bettor - seat + players, players)
    missing = s["high"] - s["staked"][seat] if (s["live"] >> seat) & 1 else 0
    write_digits(shown["to_call"], missing)
    shown["odds"] = DIGIT_BASE * missing // (s["pot"] + missing) if missing else 0


# ---- sampled worlds -------------------------------------------------------------------------

SWAPS = 24
"""Number of swaps for each hidden card in a hand after all conditions hold."""
LEAPS = 64
"""Until all conditions hold, one swap in `LEAPS` may break a condition, to leave dead ends."""


@jit
def hidden_positions(s: State, seat: Seat) -> int:
    """Return the set of deck positions whose cards a seat does not know."""
    places = 0
    for place in range(s["size"]):
        if not (s["up"] >> place) & 1 and s["owner"][place] != seat + 1:
            places |= 1 << place
    return places


@jit
def nth_member(members: int, n: int) -> int:
    """Return member ``n`` of a set, counted from the lowest member, which is 0."""
    for _ in range(n):
        members &= members - 1
    return lowest(members)


@jit
def reshuffle_positions(s: State, places: int) -> None:
    """Shuffle the cards on a set of deck positions."""
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
    """Swap two cards of the deck, and adjust the lowest totals of their owners."""
    deck = s["deck"]
    card, other_card = deck[one], deck[other]
    increase = (
        HALF_POINTS[rules.half_tens, class_of(other_card)]
        - HALF_POINTS[rules.half_tens, class_of(card)]
    )
    deck[one], deck[other] = other_card, card
    for place, change in ((one, increase), (other, -increase)):
        owner = s["owner"][place] - 1
        if owner >= 0:
            s["low"][owner] += change


@jit
def bust_violation(s: State, rules: RulesRecord, seat: Seat) -> int:
    """Return the half points by which a seat's cards violate what is known about its busting."""
    low = s["low"][seat]
    if s["seats"][seat]["status"] == Status.BUSTED:
        place = s["next"] - 1
        while s["owner"][place] != seat + 1:
            place -= 1
        without = low - HALF_POINTS[rules.half_tens, class_of(s["deck"][place])]
        return max(LOWEST_BUST - low, 0) + max(without - LOWEST_BUST + 1, 0)
    if s["moves"] == 0 and is_finished(s) and seat == s["dealer"]:
        return 0  # all others busted on the deal, before this seat was checked
    return max(low - LOWEST_BUST + 1, 0)


@jit
def bust_violations(s: State, rules: RulesRecord, seat: Seat, one: int, other: int) -> int:
    """Return the violations of the owners of two cards. Stock and viewer have no violations."""
    owner, other_owner = s["owner"][one] - 1, s["owner"][other] - 1
    total = 0
    if owner >= 0 and owner != seat:
        total += bust_violation(s, rules, owner)
    if other_owner >= 0 and other_owner != seat and other_owner != owner:
        total += bust_violation(s, rules, other_owner)
    return total


@jit
def restore_bust_facts(s: State, rules: RulesRecord, seat: Seat, places: int) -> None:
    """Swap hidden cards until all bust conditions hold, then make more swaps that keep them."""
    held = places & ((1 << s["next"]) - 1)
    violations = 0
    for other in range(rules.players):
        if other != seat:
            violations += bust_violation(s, rules, other)
    left = SWAPS * count(held) + LEAPS if held else 0  # no hidden card in a hand: nothing to swap
    while violations or left:
        one, other = (
            nth_member(held, random_below(s, count(held))),
            nth_member(places, random_below(s, count(places))),
        )
        before = bust_violations(s, rules, seat, one, other)
        swap_positions(s, rules, one, other)
        after = bust_violations(s, rules, seat, one, other)
        if violations == 0:
            left -= 1
        if after > before and (violations == 0 or random_below(s, LEAPS)):
            swap_positions(s, rules, one, other)
        else:
            violations += after - before


@jit
def recount_hands(s: State, rules: RulesRecord, seat: Seat) -> None:
    """Recompute the hands of all other seats after their hidden cards have changed."""
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
    """Replace everything that a seat does not know with a sampled world."""
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
        view(s, rules, s["viewer"])  # the viewer's own cards have changed


# ---- the hidden cards as an observation piece -----------------------------------------------

OTHERS = np.arange(1, SEATS)
"""Clockwise distances of the other seats from the seat to act."""


def read_hidden(states: States) -> np.ndarray:
    """Return facts about the hands of the other seats still in, int8 (n, 27).

    There are three numbers for each of nine seats, clockwise: the distances from 7 and 27 and the
    lowest total, all in half points plus 1 and at most 63 (far off, or unable to win). All three
    are 0 for a seat that is not in.
    """
    players = states["shown"]["players"].astype(np.int64)[:, None]
    seats = (states["turn"][:, None] + OTHERS) % players
    rows = np.arange(len(states))[:, None]
    totals = np.stack(
        [*np.moveaxis(states["rank"][rows, seats] >> 1, 2, 0), states["low"][rows, seats]], axis=2
    )
    is_in = (players > OTHERS) & ((states["live"][:, None] >> seats) & 1 == 1)
    codes = np.where(is_in[:, :, None], np.minimum(totals, FAR) + 1, 0)
    return codes.reshape(len(states), -1).astype(np.int8)


HIDDEN = HiddenCards(
    Piece(
        "others",
        3 * len(OTHERS),
        whole_number(FAR + 1),
        "for each other seat, clockwise: the distances from 7 and 27 and the lowest total, in half "
        "points plus 1; 0: the seat is not in",
    ),
    read_hidden,
)
"""See `core.game.HiddenCards`."""
