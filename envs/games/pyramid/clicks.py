"""Pyramid: which clicks are legal, as sets of places in an int64 (bit = place = action)."""

import numpy as np

from ...core.aliases import RulesRecord, State
from ...core.kernel.bits import lowest
from ...core.kernel.jit import jit
from .rules import KING, PLACES, PYRAMID, TARGET

PYRAMID_SET = (1 << PYRAMID) - 1


def _covers() -> tuple[np.ndarray, np.ndarray]:
    """For each slot: the set of its two coverers, and the slots it covers (-1: none)."""
    coverers = np.zeros(PYRAMID, np.int64)
    covers = np.full((PYRAMID, 2), -1, np.int64)
    for row in range(6):
        for column in range(row + 1):
            slot = row * (row + 1) // 2 + column
            left = slot + row + 1
            coverers[slot] = 1 << left | 1 << (left + 1)
            covers[left, 1] = slot
            covers[left + 1, 0] = slot
    return coverers, covers


COVERERS, COVERS = _covers()
ROWS = np.array([((2 << row) - 1) << (row * (row + 1) // 2) for row in range(7)])
"""The set of slots of each row."""


@jit
def is_uncovered(s: State, slot: int, taken: int) -> bool:
    """Whether a pyramid card is there and all its coverers are gone or among ``taken``."""
    table = s["table"]
    return (table >> slot) & 1 != 0 and table & ~taken & COVERERS[slot] == 0


@jit
def find_uncovered(table: int) -> int:
    """The set of all pyramid cards with no coverer left.

    Slot i of row r is covered by slots i + r + 1 and i + r + 2.
    """
    found = table & ROWS[6]
    for row in range(6):
        found |= table & ROWS[row] & ~(table >> (row + 1)) & ~(table >> (row + 2))
    return found


@jit
def pairs(s: State) -> int:
    """First clicks of pairs of free cards that total 13: the higher place of each pair."""
    free = s["free"]
    by_value = s["by_value"]
    clicks = 0
    for value in range(1, 7):
        low = by_value[value] & free
        high = by_value[TARGET - value] & free
        clicks |= low & -(high & -high) | high & -(low & -low)
    return clicks


@jit
def covered_pairs(s: State) -> int:
    """First clicks of pairs of a free pyramid card and the card that it alone covers."""
    clicks = 0
    places = s["shown"]["places"]
    rest = s["free"] & PYRAMID_SET
    while rest:
        slot = lowest(rest)
        rest &= rest - 1
        for side in range(2):
            under = COVERS[slot, side]
            if (
                under >= 0
                and (places[under] >> 2) + (places[slot] >> 2) == TARGET
                and is_uncovered(s, under, 1 << slot)
            ):
                clicks |= 1 << slot
    return clicks


@jit
def sums(s: State, top: int, need: int) -> int:
    """Clicks below ``top`` on free cards from which the missing points can be made up.

    Goes through the places upward; bit p of ``made`` says that p points can be made below here.
    """
    clicks = 0
    made = 1
    rest = s["free"] & ((1 << top) - 1)
    places = s["shown"]["places"]
    while rest:
        place = lowest(rest)
        rest &= rest - 1
        value = places[place] >> 2
        if value <= need:
            clicks |= ((made >> (need - value)) & 1) << place
            made |= made << value
    return clicks


@jit
def can_join(s: State, place: int, taken: int) -> bool:
    """Whether a card is free by itself or once the cards taken are gone."""
    if (s["free"] >> place) & 1:
        return True
    return place < PYRAMID and is_uncovered(s, place, taken)


@jit
def chain_can_end(s: State, taken: int, need: int) -> bool:
    """Whether cards below those taken can make up the missing points, coverers going with them.

    A search in depth whose stack is the set of cards taken: its lowest is the last (a kernel that
    called itself could not be linked from Numba's cache).
    """
    start = taken
    places = s["shown"]["places"]
    place = lowest(taken) - 1
    while True:
        while place >= 0:
            value = places[place] >> 2
            if 0 < value <= need and can_join(s, place, taken):
                if value == need:
                    return True
                taken |= 1 << place
                need -= value
            place -= 1
        if taken == start:
            return False
        place = lowest(taken)
        taken &= taken - 1
        need += places[place] >> 2
        place -= 1


@jit
def chains(s: State, taken: int, top: int, need: int) -> int:
    """The same as `sums` where a card also counts as free once its coverers are in the removal."""
    clicks = 0
    places = s["shown"]["places"]
    for place in range(top):
        value = places[place] >> 2
        if 0 < value <= need and can_join(s, place, taken):
            bit = 1 << place
            if value == need or chain_can_end(s, taken | bit, need - value):
                clicks |= bit
    return clicks


@jit
def first_clicks(s: State, rules: RulesRecord) -> int:
    """The set of clicks with which a removal can begin."""
    kings = s["free"]
    if rules.covered_kings:
        kings |= s["table"]
    clicks = s["by_value"][KING] & kings
    if not rules.many_sum:
        clicks |= pairs(s)
        if rules.match_cover:
            clicks |= covered_pairs(s)
    elif rules.match_cover:
        clicks |= chains(s, 0, PLACES, TARGET)
    else:
        clicks |= sums(s, PLACES, TARGET)
    return clicks


@jit
def next_clicks(s: State, rules: RulesRecord) -> int:
    """The set of clicks that can go on with the removal begun."""
    picked = s["picked"]
    last = lowest(picked)
    need = s["shown"]["need"]
    if rules.many_sum:
        return chains(s, picked, last, need) if rules.match_cover else sums(s, last, need)
    holding = s["by_value"][need] & ((1 << last) - 1)
    clicks = holding & s["free"]
    if rules.match_cover and last < PYRAMID:
        for side in range(2):
            under = COVERS[last, side]
            if under >= 0 and (holding >> under) & 1 and is_uncovered(s, under, picked):
                clicks |= 1 << under
    return clicks
