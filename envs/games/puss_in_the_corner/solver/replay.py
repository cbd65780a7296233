"""Puss in the Corner: the actions of a win in the last pass, out of the positions on the way."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ....core.kernel.bits import highest
from ..rules import DEAL, FOUNDATION, PILES, PLACE, PLAY
from .alive import build_on_tops, fit_kind
from .last_pass import LastPass


def _list_plays(piles: list[int], tops: int, at: LastPass) -> Iterator[tuple[int, list[int], int]]:
    """What can be played: pile, piles and tops then; what strands no other card first."""
    for wanted in (2, 1):
        for p, pile in enumerate(piles):
            if pile:
                place = highest(pile)
                card = int(at.cards[place])
                if fit_kind(tops, card, at.rules.suits) == wanted:
                    rest = [*piles[:p], pile ^ 1 << place, *piles[p + 1 :]]
                    yield p, rest, build_on_tops(tops, card, at.rules.suits)


def _find_plays(
    piles: list[int], tops: int, at: LastPass, left: list[int]
) -> tuple[Any, list[int]]:
    """Play until the piles are, sorted, ``left``; return the piles and the actions."""
    stack: list[tuple[list[int], int, list[int]]] = [(piles, tops, [])]
    seen: set[tuple[int, ...]] = set()
    stay = sum(left)
    while stack:
        now, shown, actions = stack.pop()
        if sorted(now) == sorted(left):
            return now, actions
        if (*now, shown) in seen or sum(now) & stay != stay:
            continue
        seen.add((*now, shown))
        after = [(rest, top, [*actions, PLAY + p]) for p, rest, top in _list_plays(now, shown, at)]
        stack += after[::-1]
    return None, []


def _list_placements(
    piles: list[int], tops: int, at: LastPass, nxt: int
) -> Iterator[tuple[int, Any, int]]:
    """Where the next card can go: action, piles and tops then."""
    for p in range(PILES):
        yield PLACE + p, [*piles[:p], piles[p] | 1 << nxt, *piles[p + 1 :]], tops
    card = int(at.cards[nxt])
    if at.rules.direct and fit_kind(tops, card, at.rules.suits):
        yield FOUNDATION, piles, build_on_tops(tops, card, at.rules.suits)


def reconstruct_actions(at: LastPass, way: list[tuple[Any, int]]) -> list[int]:
    """The actions of a win whose positions after each card, piles sorted, are known."""
    piles = list(at.piles)
    actions: list[int] = []
    nxt, begun = at.nxt, at.begun
    if not begun:
        piles, actions = _find_plays(piles, at.tops, at, way[0][0])
    for (_, tops), (left, _) in pairwise(way):
        if not begun and at.rules.hold_back:
            actions.append(DEAL)
        for action, there, shown in _list_placements(piles, tops, at, nxt):
            now = there if sorted(there) == sorted(left) else None
            more: list[int] = []
            if at.ends[nxt]:
                now, more = _find_plays(there, shown, at, left)
            if now is not None:
                piles = now
                actions += [action, *more]
                break
        begun = not at.ends[nxt]
        nxt += 1
    return actions + _find_plays(piles, way[-1][1], at, [0] * PILES)[1]
