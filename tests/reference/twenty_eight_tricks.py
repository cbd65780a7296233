"""Twenty-Eight: tricks, which card wins one, and what may be played. Used by `twenty_eight`, in
whose header the readings are listed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.reference.twenty_eight_cards import RANKS, of_suit, points

if TYPE_CHECKING:
    from tests.reference.twenty_eight_table import Table


@dataclass
class Trick:
    """One trick, whole or as far as it has been played.

    leader: the seat that leads. trumps_from: from which place on cards of the trump suit are
    trumps, None if none is. turned: whether the ranking is turned over. plays: (seat, card) in
    order. shown_after: how many cards had been played to it when trumps were shown, None if that
    was not in this trick. asker: who asked for it. winner: who won it, None until it is complete.
    """

    leader: int
    trumps_from: int | None = None
    turned: bool = False
    plays: list[tuple[int, str]] = field(default_factory=list)
    shown_after: int | None = None
    asker: int | None = None
    winner: int | None = None

    def suit_led(self) -> str | None:
        """The suit of the first card, None before it."""
        return self.plays[0][1][1] if self.plays else None

    def cards(self) -> list[str]:
        """The cards in the order of play."""
        return [card for _, card in self.plays]

    def points(self) -> int:
        """The card points in it."""
        return points(self.cards())

    def trumps(self, trump: str | None) -> list[str]:
        """The cards in it that are trumps, if this suit is trump."""
        if self.trumps_from is None:
            return []
        return of_suit(self.cards()[self.trumps_from :], trump)

    def best(self, trump: str | None) -> int:
        """The seat whose card is the best, if this suit is trump."""
        contending = self.trumps(trump) or of_suit(self.cards(), self.suit_led())
        best = min(contending, key=_height) if self.turned else max(contending, key=_height)
        return next(seat for seat, card in self.plays if card == best)


def _height(card: str) -> int:
    return RANKS.index(card[0])


def can_follow(table: Table) -> bool:
    """Whether the seat that acts leads, or holds the suit led."""
    suit = table.tricks[-1].suit_led()
    return suit is None or bool(of_suit(table.hands[table.seat], suit))


def playable(table: Table) -> list[str]:
    """The cards that the seat which acts may play, not looking at what it must ask first."""
    hand, suit = table.hands[table.seat], table.tricks[-1].suit_led()
    if suit is None:
        return _may_lead(table, hand)
    if table.options.play_shown and table.asked and table.seat == table.bidder and table.laid:
        return [table.laid]
    if of_suit(hand, suit):
        return of_suit(hand, suit)
    trumps = of_suit(hand, table.trump) if table.shown else []
    others = [card for card in hand if card not in trumps]
    if table.options.overtrump:
        trumps = _beating(trumps, table.tricks[-1].trumps(table.trump)) or trumps
    if table.asked and table.options.asker_trumps and trumps:
        return trumps
    return others + trumps


def _may_lead(table: Table, hand: list[str]) -> list[str]:
    if table.shown or table.seat != table.bidder or table.options.lead_secret:
        return hand
    return [card for card in hand if card[1] != table.trump] or hand


def _beating(trumps: list[str], played: list[str]) -> list[str]:
    """Those trumps that are higher than all that have been played."""
    return [card for card in trumps if all(_height(card) > _height(other) for other in played)]


def may_show_pair(table: Table) -> bool:
    """Whether the seat that acts may show king and queen of trumps."""
    if not table.options.pair or table.pair is not None or table.trump is None or not table.shown:
        return False
    if not {"K" + table.trump, "Q" + table.trump} <= set(table.hands[table.seat]):
        return False
    shown_in = next(at for at, trick in enumerate(table.tricks) if trick.shown_after is not None)
    winners = [trick.winner for trick in table.tricks[shown_in:] if trick.winner is not None]
    return any(table.side(winner) == table.side(table.seat) for winner in winners)
