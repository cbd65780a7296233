"""Twenty-Eight: what each seat knows. Used by `twenty_eight`, in whose header the readings are
listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.reference.twenty_eight_tricks import Trick

if TYPE_CHECKING:
    from tests.reference.twenty_eight_table import Table


def voids(table: Table) -> list[set[str]]:
    """For each seat the suits in which everybody knows its hand to be void.

    What the bidder has shown says nothing of the card that lay apart: while everybody sees it back
    in his hand, he is not void in trumps.
    """
    known = [set(suits) for suits in table.shown_void]
    if table.bidder is not None and _is_laid_back(table):
        known[table.bidder].discard(table.trump or "")
    return known


def _is_laid_back(table: Table) -> bool:
    """Whether the card that lay apart is in the bidder's hand again, for everybody to know."""
    return table.shown and table.laid is not None and table.laid in table.hands[table.maker or 0]


def seen_by(table: Table, seat: int) -> dict[str, Any]:
    """All that this seat may know, by name.

    hand: its own cards, sorted; hand_sizes: how many each seat holds, without a card that lies
    apart; face_down: whether one lies; laid: the card that was laid, None if there is none or the
    seat has not seen it; laid_is_back: whether it is known to be in the bidder's hand; strain: see
    `Table`, None if there is none or the seat does not know it; laid_away: its own cards, sorted,
    where its partner plays alone; redealt: who demanded a redeal, None if nobody has, and
    shown_hand: the cards that this seat showed, sorted; tricks: each as a dictionary, the one that
    is being played last; voids: for each seat its suits, sorted. The others are as in `Table`.
    """
    knows_trumps = table.shown or seat == table.maker
    return {
        "options": table.options,
        "me": seat,
        "dealer": table.dealer,
        "phase": table.phase,
        "seat": table.seat,
        "hand": sorted(table.hands[seat]),
        "hand_sizes": [len(hand) for hand in table.hands],
        "laid_away": sorted(table.laid_away[seat]),
        "calls": list(table.auction.calls),
        "bidder": table.bidder,
        "number": table.number,
        "counts": table.counts,
        "doubles": table.doubles,
        "setter": table.setter,
        "single": table.single,
        "maker": table.maker,
        "face_down": table.face_down is not None,
        "laid": table.laid if knows_trumps else None,
        "laid_is_back": _is_laid_back(table),
        "strain": table.strain if knows_trumps else None,
        "shown": table.shown,
        "asked": table.asked,
        "pair": table.pair,
        "redealt": table.redealt,
        "shown_hand": [] if table.redealt is None else sorted(table.hands[table.redealt]),
        "tricks": [_seen_trick(trick) for trick in table.tricks],
        "voids": [sorted(suits) for suits in voids(table)],
        "points": list(table.points),
        "scores": list(table.scores),
        "void": table.void,
    }


def _seen_trick(trick: Trick) -> dict[str, Any]:
    return {
        "leader": trick.leader,
        "plays": list(trick.plays),
        "shown_after": trick.shown_after,
        "asker": trick.asker,
        "winner": trick.winner,
    }
