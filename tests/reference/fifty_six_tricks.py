"""Fifty-Six: tricks, and which card wins one. Used by `fifty_six`, in whose header the readings
are listed.
"""

from dataclasses import dataclass, field

from tests.reference.fifty_six_cards import RANKS, points


@dataclass
class Trick:
    """One trick, whole or as far as it has been played.

    leader: the seat that leads. plays: (seat, card) in order. shown_after: how many cards had been
    played to it when trumps were shown, None if that was not in this trick. asker: who asked for
    it, None if nobody did. winner: the seat that won it, None as long as it is not complete.
    """

    leader: int
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

    def best(self, trump: str | None) -> int:
        """The seat whose card is the best so far.

        trump: the suit that is in force by now, None if there is none.
        """
        best = 0
        for at in range(1, len(self.plays)):
            if self._force(at, trump) > self._force(best, trump):
                best = at
        return self.plays[best][0]

    def _force(self, at: int, trump: str | None) -> tuple[int, int]:
        """Trumps before cards of the suit led before others, then by rank; the first of equals."""
        _, card = self.plays[at]
        in_force = self.shown_after is None or at >= self.shown_after
        if card[1] == trump and in_force:
            return 2, RANKS.index(card[0])
        return int(card[1] == self.suit_led()), RANKS.index(card[0])
