"""Fifty-Six (trick-taking with two packs, 4, 6 or 8 players in two sides): a slow, plain reference.

Written only from the project's rule page `docs/rules/fifty_six.md` and, for hidden trumps, from
the page of Twenty-Eight that it refers to. No code is shared with, or taken from, the kernel or
the reference of Twenty-Eight. What can be set is in `fifty_six_options`, packs, points and action
numbers in `fifty_six_cards`, calls in `fifty_six_auction`, tricks in `fifty_six_tricks`, what the
seats know in `fifty_six_seen`.

Actions: cards 0-31 are suit * 8 + k, suits c d h s, k for 7 8 Q K T A 9 J; numbers 28-56 are
32-60; clubs, diamonds, hearts, spades, no trumps are 61-65; PASS 66, DOUBLE 67, REDOUBLE 68,
ASK 69. A card laid face down is chosen by its card action. Cards are strings such as "Th".

Readings taken where the pages leave something open:

Seats and cards

1. Seats have their numbers at the table, and the dealer is one of them (the last, if none is
   named). "Seat 0" of the page, which speaks first, is the seat after the dealer. With the last
   seat as the dealer both numbers are the same. Sides are the even seats (0) and the odd (1).
2. The first four cards go to the first speaker, the last four to the dealer: two rounds of four,
   with twelve cards each three.
3. `small_pack` is a choice of 4 players only: "no" is refused with 6 or 8, whose packs are given.
4. All cards are dealt before the auction, so `void_pointless` looks at the first speaker's whole
   hand. The game here plays such a deck; `would_be_redealt` says whether it is one.

The auction

5. The turn goes from seat to seat, past nobody: a seat that passed is asked again.
6. With `forced` only the first call of all is forced, and any number will do for it. "All pass"
   is one pass of every seat; it is void at once.
7. A chosen number is final: it cannot be taken back while the strain is chosen, and
   everybody hears it. PASS, DOUBLE and REDOUBLE are not legal then. Nobody acts in between.
8. "At 56" is at once: when its strain is named (hidden: when 56 is said). So 56 is never doubled.
9. "All others" have passed when as many seats less one pass in succession after a bid. DOUBLE is
   not a pass. After it the others are all but the doubler: the auction ends with as many passes
   after the DOUBLE, and the highest bidder has a turn among them.
10. The highest bidder may REDOUBLE himself, and he may bid higher over his own doubled bid. A bid
    is doubled once: DOUBLE is not legal while a double is in force.
11. As REDOUBLE ends the auction, a higher bid can only ever cancel a double ("cancels both"). The
    new bid may be doubled again.
12. `honours`: the highest bid is by a seat of the caller's side, including the caller (reading 10).
    Then no opponent has bid since, because that bid would be higher. A DOUBLE is not a bid, so it
    does not lift this. The next level above 28-39 is 40, above 40-47 is 48, above 48-55 is 56.
13. With hidden trumps `forced`, `honours` and `doubling` hold as they do with open ones. The card
    is laid down after the auction is over, doubles included.

Play

14. The winner of a trick leads to the next, as in Twenty-Eight; this page does not say it.
15. Every trick is played, by actions even where one card is legal; there is no early end.
16. Nobody must trump or beat a card (but for the two obligations of hidden trumps below).
17. At no trumps the highest card of the suit led wins.

Hidden trumps

18. Any card of the hand may be laid down, as all cards are dealt. It is not in the hand: it does
    not follow suit, and it is not among what the bidder holds when he may lead nothing but trumps.
19. "Bidder leads the first trick": `trumps` hidden with `leader` first is refused.
20. The bidder's lead is bound in every trick until trumps are shown, not only in the first.
21. ASK is legal where trumps are not shown and the hand is without the suit led, so never to the
    seat that leads. The turn stays with the asker, and his next action is a card: any trump of
    his hand, or any card if he has none. For the bidder the trumps include the card that is back.
22. `force` later: in the trick in which they are shown, a card is a trump if it was played after
    the showing. That is so too if the suit led is the trump suit: a later card of it is a trump,
    and beats the earlier ones, which are but cards of the suit led, however high they are.
23. "Of two identical cards the first played wins" is for two of equal force. Of two identical
    cards, one played before the showing, the other after it, the trump wins (by 22).
24. "He must play that card" is for the trick in which another asked, if the bidder has yet to
    play in it. Whether he can follow is judged with the card back in his hand. If he can, or has
    played already, the card is one like any other from then on.
25. "As he comes to play": it is shown without an action, when his turn comes and his hand is
    empty, be it to lead. By 22 the card is a trump, and the trumps played before it in that trick
    are none. There is nothing to ask for then.
26. Showing shows the card, not the suit only: everybody knows that this card is in the bidder's
    hand until it is played.

The end

27. A contract is made if the bidder's side takes at least as many card points as its number.
28. `void_without` is judged once: when trumps are made, before the first lead. With open trumps
    that is when the auction ends, with hidden ones when the card is laid. At no trumps there is
    nothing to judge. A void hand ends at once, with 0 for everybody; the hands are not turned up,
    and neither is the card that was laid.
29. The `hands` of a session are a way of reporting, not an option: an episode is one hand.

What each seat knows

30. A seat shows a void when it plays another suit than the one led, and by ASK already. An asker
    seat that then plays no trump has shown that it has none.
31. A void of the bidder is one of his hand without the card laid down. So while that card is back
    in his hand he is not void in trumps, whatever he showed before; when he has played it, what
    he showed holds again.
32. That the bidder led trumps before they were shown tells, once they are shown, that he held
    nothing else. This is not listed as a void, nor is it listed that the hand goes on under
    `void_without`, or was not dealt again: these can be worked out from what is listed.
33. Everybody also knows whose turn it is, how many cards each seat holds, that a card lies face
    down, who asked and when, and the points that each side has taken. Of the laid card, and of
    the trump suit until it is shown, only the bidder knows. The end of a hand reveals no more.

Later options

34. `all_pass` no_trumps: the first speaker is the highest bidder then, with 28 in no trumps, though
    it has made no bid: the auction has none. So it is with hidden trumps, too: nothing is laid down
    and everybody knows that there are no trumps. Nobody can double.
35. `six_each` is a choice of 8 players only. Three cards at a time.
36. `redouble_times` 3 with `doubling` add or none says nothing.

37. `bid_forms`: a form is chosen together with the strain, when the number has been said, though a
    strain may be said before it. The forms that keep the strain are for a bid over the own side's,
    the bidder's own included, if no opponent has bid since; a double in between changes nothing.
    Noes need a suit. With hidden trumps bids have no strain, and no forms.

Options are refused if a name is unknown or a setting out of range (a switch must be a bool, a
number must not be one), and by readings 3, 19 and 35. Nothing else is refused.
"""

from typing import Any

from tests.reference.fifty_six_auction import ENDED, STRAIN, Auction
from tests.reference.fifty_six_cards import ASK, CARDS, NO_TRUMPS, card_actions, deal, of_suit
from tests.reference.fifty_six_options import Options, check_deck, would_be_redealt
from tests.reference.fifty_six_scores import change
from tests.reference.fifty_six_seen import seen_by, voids
from tests.reference.fifty_six_tricks import Trick

__all__ = ["AUCTION", "LAY", "OVER", "PLAY", "STRAIN", "Game", "Options", "would_be_redealt"]

AUCTION, LAY, PLAY, OVER = "auction", "lay", "play", "over"  # the phases, with STRAIN


class Game:
    """One hand of Fifty-Six, from the deal to the end.

    options: see `Options`. deck: the pack in dealing order. dealer: a seat, 0 to players - 1; the
    last seat if None.

    phase: AUCTION, STRAIN (of the number just bid), LAY (a card face down), PLAY or OVER. seat:
    who acts; while nobody does, the seat that acted last. hands: the cards of each seat. face_down:
    the card that lies as trump, None if none lies; laid: the same card, never forgotten. trump: its
    suit, or that of the contract; None before and at no trumps. shown: whether everybody knows it.
    tricks: all tricks, the one that is being played last. points: card points taken by each side.
    asked: whether the seat has asked and plays now. scores: what the hand changes in the score of
    each side. void: whether the hand was void.
    Raises ValueError for a deck that is not the pack, and for a dealer who has no seat.
    """

    def __init__(self, options: Options, deck: list[str], dealer: int | None = None) -> None:
        check_deck(deck, options)
        players = options.players
        dealer = players - 1 if dealer is None else dealer
        if dealer not in range(players):
            raise ValueError(f"dealer={dealer!r}: allowed are the seats 0 to {players - 1}")
        self.options = options
        self.dealer = dealer
        self.first = (dealer + 1) % players
        self.hands: list[list[str]] = [[] for _ in range(players)]
        for at, hand in enumerate(deal(deck, players)):
            self.hands[(self.first + at) % players] = hand
        self.auction = Auction(options, self.first)
        self.phase = AUCTION
        self.seat = self.first
        self.face_down: str | None = None
        self.laid: str | None = None
        self.trump: str | None = None
        self.shown = False
        self.tricks: list[Trick] = []
        self.asked = False
        self.shown_void: list[set[str]] = [set() for _ in range(players)]  # see `voids`
        self.points = [0, 0]
        self.scores = [0, 0]
        self.void = False

    # What there is to be seen

    @property
    def over(self) -> bool:
        """Whether the hand has ended."""
        return self.phase == OVER

    @property
    def bidder(self) -> int | None:
        """The highest bidder so far, None before the first bid."""
        return self.auction.bidder

    @property
    def contract(self) -> tuple[int, str | None] | None:
        """Number and strain of the highest bid so far, None before the first bid."""
        number = self.auction.number
        return None if number is None else (number, self.auction.strain)

    @property
    def doubles(self) -> int:
        """0, 1 if the highest bid is doubled, 2 if it is redoubled."""
        return self.auction.doubles

    @property
    def calls(self) -> list[tuple[int, str]]:
        """The history of the auction: see `Auction`."""
        return self.auction.calls

    @property
    def voids(self) -> list[set[str]]:
        """For each seat the suits in which everybody knows it to be void."""
        return voids(self)

    def seen_by(self, seat: int) -> dict[str, Any]:
        """All that this seat may know: see `fifty_six_seen`."""
        return seen_by(self, seat)

    def reward(self, seat: int) -> int:
        """The change of its own side's score less the other's; 0 before the end."""
        return self.scores[seat % 2] - self.scores[1 - seat % 2]

    # What may be done

    def legal(self) -> set[int]:
        """The legal actions of the seat that acts; empty when the hand is over."""
        if self.over:
            return set()
        if self.phase in (AUCTION, STRAIN):
            return self.auction.legal()
        if self.phase == LAY:
            return card_actions(self.hands[self.seat])
        return self._legal_in_play()

    def _legal_in_play(self) -> set[int]:
        hand, suit = self.hands[self.seat], self.tricks[-1].suit_led()
        if self.asked:
            return card_actions(of_suit(hand, self.trump) or hand)
        if suit is None:
            return card_actions(self._may_lead())
        if of_suit(hand, suit):
            return card_actions(of_suit(hand, suit))
        if self._must_play_laid() and self.laid:
            return card_actions([self.laid])
        return card_actions(hand) | (set() if self.shown else {ASK})

    def _may_lead(self) -> list[str]:
        hand = self.hands[self.seat]
        if self.shown or self.seat != self.bidder:
            return hand
        return [card for card in hand if card[1] != self.trump] or hand

    def _must_play_laid(self) -> bool:
        """Whether the seat is the bidder, and another has asked in this trick."""
        asker = self.tricks[-1].asker
        return self.seat == self.bidder and asker is not None and asker != self.seat

    # What is done

    def step(self, action: int) -> None:
        """Carry out one action of the seat that acts; ValueError if it is not legal."""
        if action not in self.legal():
            raise ValueError(f"illegal action {action}: allowed are {sorted(self.legal())}")
        if self.phase in (AUCTION, STRAIN):
            self._call(action)
        elif self.phase == LAY:
            self._lay(CARDS[action])
        elif action == ASK:
            self._ask()
        else:
            self._play(CARDS[action])

    def _call(self, action: int) -> None:
        self.auction.call(action)
        self.seat = self.auction.seat
        self.phase = STRAIN if self.auction.stage == STRAIN else AUCTION
        if self.auction.stage == ENDED:
            self._make_trumps()

    def _make_trumps(self) -> None:
        if self.bidder is None and self.options.all_pass == "no_trumps":
            self.auction.pass_out()
            self.shown = True
            self._begin_play(self.first)
        elif self.bidder is None:
            self._end_void()
        elif self.options.trumps == "hidden":
            self.phase = LAY
            self.seat = self.bidder
        else:
            strain = self.auction.strain
            self.trump = None if strain == NO_TRUMPS else strain
            self.shown = True
            self._begin_play(self.bidder)

    def _lay(self, card: str) -> None:
        self.hands[self.seat].remove(card)
        self.face_down = self.laid = card
        self.trump = card[1]
        self._begin_play(self.seat)

    def _begin_play(self, bidder: int) -> None:
        if self.options.void_without and self._opponents_lack_trumps(bidder):
            self._end_void()
            return
        self.phase = PLAY
        self._begin_trick(bidder if self.options.leader == "bidder" else self.first)

    def _opponents_lack_trumps(self, bidder: int) -> bool:
        opponents = [hand for seat, hand in enumerate(self.hands) if (seat - bidder) % 2]
        return self.trump is not None and not any(of_suit(hand, self.trump) for hand in opponents)

    def _begin_trick(self, leader: int) -> None:
        self.tricks.append(Trick(leader))
        self._come_to_play(leader)

    def _come_to_play(self, seat: int) -> None:
        self.seat = seat
        if seat == self.bidder and self.face_down and not self.hands[seat]:
            self._show(self.face_down)

    def _ask(self) -> None:
        self._show_void(self.tricks[-1].suit_led())
        self.tricks[-1].asker = self.seat
        self.asked = True
        if self.face_down:
            self._show(self.face_down)

    def _show(self, card: str) -> None:
        """Show trumps: the card goes back to the bidder's hand."""
        if self.bidder is not None:
            self.hands[self.bidder].append(card)
        self.face_down = None
        self.shown = True
        self.tricks[-1].shown_after = len(self.tricks[-1].plays)

    def _play(self, card: str) -> None:
        trick = self.tricks[-1]
        self.hands[self.seat].remove(card)
        trick.plays.append((self.seat, card))
        if card[1] != trick.suit_led():
            self._show_void(trick.suit_led())
        if self.asked and card[1] != self.trump:
            self._show_void(self.trump)
        self.asked = False
        if len(trick.plays) == self.options.players:
            self._take_trick(trick)
        else:
            self._come_to_play((self.seat + 1) % self.options.players)

    def _show_void(self, suit: str | None) -> None:
        if suit:
            self.shown_void[self.seat].add(suit)

    def _take_trick(self, trick: Trick) -> None:
        winner = trick.best(self.trump if self.shown else None)
        trick.winner = winner
        self.points[winner % 2] += trick.points()
        if any(self.hands):
            self._begin_trick(winner)
        else:
            self._end()

    # The end

    def _end_void(self) -> None:
        self.phase = OVER
        self.void = True

    def _end(self) -> None:
        self.phase = OVER
        number, bidder = self.auction.number, self.bidder
        if number is not None and bidder is not None:
            made = self.points[bidder % 2] >= number
            options = self.options
            self.scores[bidder % 2] = change(
                number, made, self.doubles, options.doubling, options.redouble_times
            )
