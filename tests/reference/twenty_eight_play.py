"""Twenty-Eight: the tricks of a hand, and its end. Used by `twenty_eight`, in whose header the
readings are listed.
"""

from tests.reference.twenty_eight_cards import ASK, SHOW, card_actions
from tests.reference.twenty_eight_scores import SINGLE_STAKE, change, is_decided
from tests.reference.twenty_eight_table import OVER, Table
from tests.reference.twenty_eight_tricks import Trick, can_follow, may_show_pair, playable


class Play(Table):
    """A hand as it is played, trick by trick."""

    def _legal_in_play(self) -> set[int]:
        actions = card_actions(playable(self))
        if not self.shown and not can_follow(self):
            is_bidder = self.seat == self.bidder
            if self.options.bidder_asks if is_bidder else self.options.ask == "must":
                return {ASK}
            actions.add(ASK)
        return actions | ({SHOW} if may_show_pair(self) else set())

    def _begin_trick(self, leader: int) -> None:
        trumps_from = 0 if self.shown else None
        self.tricks.append(Trick(leader, trumps_from, self.shown and self.strain == "r"))
        self._come_to_play(leader)

    def _come_to_play(self, seat: int) -> None:
        self.seat = seat
        if seat == self.bidder and self.face_down and not self.hands[seat]:
            self._show()

    def _ask(self) -> None:
        self._show_void(self.tricks[-1].suit_led())
        self.tricks[-1].asker = self.seat
        self.asked = True
        self._show()

    def _show(self) -> None:
        """Show trumps: a card that lies apart goes back to the bidder's hand."""
        if self.face_down and self.maker is not None:
            self.hands[self.maker].append(self.face_down)
        self.face_down = None
        self.shown = True
        trick, whole = self.tricks[-1], self.options.force == "whole"
        trick.shown_after = len(trick.plays)
        trick.trumps_from = 0 if whole else trick.shown_after
        trick.turned = whole and self.strain == "r"

    def _play(self, card: str) -> None:
        trick = self.tricks[-1]
        self.hands[self.seat].remove(card)
        trick.plays.append((self.seat, card))
        if card[1] != trick.suit_led():
            self._show_void(trick.suit_led())
        if self.asked and self.options.asker_trumps and card[1] != self.trump:
            self._show_void(self.trump)
        self.asked = False
        if len(trick.plays) == self.options.players - sum(map(bool, self.laid_away)):
            self._take_trick(trick)
        else:
            self._come_to_play(self._next_seat())

    def _next_seat(self) -> int:
        seat = (self.seat + 1) % self.options.players
        while self.laid_away[seat]:
            seat = (seat + 1) % self.options.players
        return seat

    def _show_void(self, suit: str | None) -> None:
        if suit:
            self.shown_void[self.seat].add(suit)

    def _take_trick(self, trick: Trick) -> None:
        trick.winner = trick.best(self.trump)
        is_last = not any(self.hands)
        self.points[self.side(trick.winner)] += trick.points()
        if is_last:
            self.points[self.side(trick.winner)] += self.options.last_trick
        if is_last or (self.options.early_end and is_decided(self)):
            self._end()
        else:
            self._begin_trick(trick.winner)

    # The end

    def _end_void(self) -> None:
        self.phase = OVER
        self.void = True

    def _end(self) -> None:
        self.phase = OVER
        if self.single is not None:
            worth = SINGLE_STAKE if self._won_all(self.single) else -self.options.single_lost
            self.scores[self.side(self.single)] = worth
        elif self.options.never_shown == "void" and not self.shown:
            self.void = True
        elif self.bidder is not None and self.number is not None:
            side, won_all = self.side(self.bidder), self._won_all(self.bidder)
            made = self.points[side] >= (self.counts or 0)
            self.scores[side] = change(
                self.options,
                self.number,
                made,
                self.doubles,
                won_all,
                is_set=self.setter is not None and self.doubles == 2,
                below_half=self.points[side] < self.number / 2,
            )

    def _won_all(self, seat: int) -> bool:
        """Whether the seat's side has won every trick."""
        winners = [trick.winner for trick in self.tricks if trick.winner is not None]
        return all(self.side(winner) == self.side(seat) for winner in winners)
