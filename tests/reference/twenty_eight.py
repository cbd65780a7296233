"""Twenty-Eight and Twenty-Nine (tricks, hidden trumps, 3, 4 or 6 players): a slow, plain reference.

Written only from the project's rule page `docs/rules/twenty_eight.md`. No code is shared with, or
taken from, the kernel or the reference of Fifty-Six; where that page refers to this one, both are
read alike. What can be set is in `twenty_eight_options`, packs, points and action numbers in
`twenty_eight_cards`, calls in `twenty_eight_auction`, tricks in `twenty_eight_tricks`, what a hand
is worth and when it is decided in `twenty_eight_scores`, what the seats know in
`twenty_eight_seen`.

Actions: cards 0-35 are suit * 9 + k, suits c d h s, k for 6 7 8 Q K T A 9 J; bids of 12-29 are
36-53; PASS 54, DOUBLE 55, REDOUBLE 56, ASK 57, SHOW 58, SINGLE 59; trump CLUBS 60, DIAMONDS 61,
HEARTS 62, SPADES 63, SEVENTH 64, NO TRUMPS 65, REVERSED 66; REDEAL 67. A card laid face down is
chosen by its card action. Cards are strings such as "Th".

Readings taken where the page leaves something open:

Seats, cards, options

1. Seats have their numbers at the table, and the dealer is one of them (the last, if none is
   named). "Seat 0" of the page is the first speaker, the seat after the dealer; with the last seat
   as the dealer both numbers are the same. Sides are the even seats (0) and the odd (1); of three
   players each is a side of its own, and the two others count as one against the bidder.
2. With 6 players the six cards of a seat come at once, the first speaker's first. These are its
   "first cards" and "all eight" too. Sixes rank below sevens, at the top where the ranking is
   turned over, and count nothing.
3. The refusals of the page are all. What says nothing with other settings is not refused:
   `partner_min` with 3 players, `seventh` with 6, `match` and `pair_from` where nothing comes of
   it. Options do not know of which game they are: `last_trick` 1 with `scoring` graded is refused
   in both.
4. A variant named like an option, or like a setting of `scoring`, and without settings on the
   page, sets just that.
5. A redeal for four jacks looks at whole hands, one for no point at the first speaker's first
   cards. The game here plays such a deck; `would_be_redealt` says whether it is one.

The auction

6. The turn goes from seat to seat past those that are out. It ends, too, when all are out.
7. A forced bid may be any number. The forced dealer's bid ends the auction, as all others are out.
8. `partner_min`: if the highest bid is one's own side's, all opponents between have passed, since a
   bid of theirs would be higher. So it is whenever the highest bid is a partner's, any partner's.
9. `match`: earlier is who comes earlier from the first speaker on, whatever has been said since.
   One's partner may be matched too (from `partner_min` on). At the highest possible bid the auction
   is over at once, so that this bid is never matched.
10. `doubles`: turns go from the first speaker on, as in the other rounds; the bidder is one of his
    side. The first DOUBLE ends the opponents' turns, the first REDOUBLE all of them. Nobody is
    asked for a REDOUBLE of what is not doubled.
11. `second_auction`: a new bid must be at least this number, and higher than the bid before, that
    of the first auction included. Nobody is out and nobody forced; `partner_min` and `match` are
    for the first auction. The bidder may bid over himself, and makes trumps anew like any other.
    If the highest possible bid stands, the second auction ends at once, or is not held.
12. A new bid takes the doubles of the old one away, and is not doubled: the page has doubles before
    trumps are made only.
13. With 6 players the second auction comes after trumps are made, though no cards do.

Trumps

14. Nobody acts between the making of trumps and the second four cards.
15. SEVENTH is legal only before the second four, so never with 6 players or in the making anew.
    "Known to him alone", "the bidder always": the bidder sees the seventh card when it is dealt,
    nobody else does. It then lies apart for everybody to see that SEVENTH was chosen, and goes like
    a card laid down: it is not in his hand, need not follow, goes back, is shown as his last card.
16. A suit, no trumps and the turned ranking are named in secret; nobody else knows which.
17. Trumps made anew may be as they were. All that lay apart has gone back into the hand before.
18. `void_without` is judged once, before the first lead, after all declarations, with all cards
    dealt. At no trumps there is nothing to judge. A void hand ends at once, with 0 for everybody;
    the hands are not turned up, and neither are trumps.
19. `single_hand`: the turns are SINGLE or PASS; the first SINGLE ends them. A card that lies apart
    goes back to its hand. There is nothing to ask for, no turned ranking, and what is won or lost
    is 3, whatever doubles, `cot` and `scoring` say. The partners' cards are seen by nobody else.

Play

20. Every trick is played, by actions even where one card is legal. At no trumps the highest card of
    the suit led wins.
21. The bidder's lead is bound in every trick until trumps are shown. What he holds is his hand
    without a card that lies apart. At no trumps it is not bound.
22. ASK is legal where trumps are not shown and the hand is without the suit led, so never to the
    seat that leads; the turn stays with the asker, and his next action is a card. Where he must
    ask, it is all that is legal. He asks at no trumps too, as he cannot know: everybody then knows
    that there are none, and whether the ranking is turned over.
23. With `asker_trumps` the asking bidder's trumps include the card that is back. Without it he may
    play what he likes, but if the card that is back is of the suit led he can follow, and must.
24. `force` later: in the trick in which they are shown a card is a trump if it was played after the
    showing. That is so too if the suit led is the trump suit: a later card of it is a trump, and
    beats the earlier ones, which are but cards of the suit led, however high they are.
25. Like trumps, the turned ranking has no force before it is shown. With `force` whole it holds
    from the trick in which it is shown, with `force` later from the next.
26. "As he comes to play": the last card is shown without an action, when the bidder's turn comes
    and his hand is empty, be it to lead. There is nothing to ask for then.
27. Showing shows the card, not the suit only: everybody knows that this card is in the bidder's
    hand until it is played. Where a suit was named, only the suit is shown.
28. `never_shown` void is for no trumps, too. A seventh card is always shown in the end.
29. `overtrump`: who cannot beat the highest trump may play a lower one. Who can may play those that
    beat it or cards that are no trumps; if he must play a trump, as asker or since he holds nothing
    else, those that beat it. Of the trick only what is a trump by `force` is to be beaten.
30. `pair`: a trick is won when its last card is played, so the trick in which trumps were shown is
    one won since. SHOW is legal before one's card, leading or not, once in a hand, also where it
    changes nothing; the turn stays, and the next action is a card.
31. "Never above 28" is for what is added: a bid of 29 stays 29. `pair_from` looks at the bid as it
    was made, and only at lowering.

The end

32. Stakes (`scoring`, `auto_double`) go by the bid as it was made; a pair changes only what must be
    reached. `graded`: bids below 14 are worth what 14 is.
33. `cot`: all tricks won by the bidder's side. All doublings multiply.
34. `early_end`: looked at when a trick has been won, with what everybody knows. Decided means that
    nothing can change the score any more: not while `never_shown` could void the hand; nor, with
    `cot`, if the bidder's side has made its bid and won every trick; and a pair could still be
    shown, by either side, as long as none was and trumps are not shown, or neither their king nor
    their queen has been played. A SINGLE is decided by the first trick lost.
35. What is left on the table is taken by nobody, and neither is `last_trick` then.
36. The `hands` of a session are a way of reporting, not an option: an episode is one hand.

What each seat knows

37. A seat shows a void when it plays another suit than the one led, and by ASK already. An asker
    who then plays no trump has shown that he has none, with `asker_trumps`.
38. A void of the bidder is one of his hand without the card that lies apart. So while that card is
    back in his hand he is not void in trumps, whatever he showed before; when he has played it,
    what he showed holds again.
39. That the bidder led trumps before they were shown tells, once they are shown, that he held
    nothing else. This is not listed as a void, nor what `overtrump`, `void_without`, `early_end`
    and the redeals tell: these can be worked out from what is listed.
40. Everybody also knows whose turn it is, how many cards each seat holds, that a card lies apart,
    who asked and when, who showed the pair, and how the bid counts. The end of a hand reveals no
    more. What a bidder named before another bid over him is not listed.

Rules of single sources

41. `reentry`: whoever has passed stands as if it had not spoken as soon as there is a new bid. So
    the auction goes on after the bid of a forced dealer. Before the first bid everybody has one
    turn. The second auction is as ever.
42. `may_redeal`: the first call of all only, and by whoever speaks first, forced or not. With 6
    players all its cards are looked at. Who does not demand says nothing about its cards. The
    cards shown are known to everybody; nothing else of that hand is.
43. `play_shown`: "asks itself" is ASK by the bidder. The card goes before `asker_trumps` and
    `overtrump`. Where a suit was named there is no such card. That a lower trump was played tells
    nothing then.
44. `highest_stake`: what is lost is one more than what would be won, as ever; at `one` nothing is
    above 2 or 3. Doublings multiply what is left of it. `single_lost` is not doubled either.

45. `one_bid`: who has bid stands as if it had passed. The highest bidder's partner may still bid
    over it, by `partner_min`. `match` never comes to anything then.
46. `forced_exact`: of the seat that must bid, be it the first speaker or the dealer. The first
    speaker may still demand a redeal, with `may_redeal`.
47. `trumps_first`: trumps made anew are not doubled, as without it.
48. `set_bid`: turns go as for a double; nobody is asked where nothing was redoubled. A set bid
    counts 6 times, not 4 times; `auto_double` and `cot` double that, too.

49. `bidder_asks`: with `ask` may, too. At no trumps the bidder asks as well, and shows that there
    are none. What has been shown before need not be asked for.
50. `lead_secret`: in every trick. That the bidder led a suit then tells nothing about trumps.
51. `half_lost`: half of the bid as it was made, whatever a pair has changed. Not of a single hand.
    It doubles what all other doublings have made of the loss. With `early_end` the hand goes on
    until it is known whether the loss is doubled.
52. `redeal_two`: the first speaker and the seat after it, so it says all that `redeal_pointless`
    says.
53. `seventh_void`: judged when the second cards are dealt, before the second auction, and of the
    cards that the bidder was dealt, the first four included. As in any void hand, neither hands nor
    trumps are turned up.

Options are refused if a name is unknown or a setting out of range (a switch must be a bool, a
number must not be one), and by the refusals of the page.
"""

from tests.reference.twenty_eight_auction import ENDED, SECOND, SINGLES
from tests.reference.twenty_eight_cards import (
    ASK,
    CARDS,
    NO_TRUMPS,
    REDEAL,
    REVERSED,
    SEVENTH,
    SEVENTH_AT,
    SHOW,
    SUIT_ACTIONS,
    card_actions,
    of_suit,
    points,
)
from tests.reference.twenty_eight_options import Options, refused, would_be_redealt
from tests.reference.twenty_eight_play import Play
from tests.reference.twenty_eight_table import OVER, PLAY, TRUMPS

__all__ = ["OVER", "PLAY", "TRUMPS", "Game", "Options", "refused", "would_be_redealt"]

STRAINS = {**SUIT_ACTIONS, NO_TRUMPS: "n", REVERSED: "r"}


class Game(Play):
    """One hand of Twenty-Eight, from the deal to the end: see `Table` for all that it has."""

    # What may be done

    def legal(self) -> set[int]:
        """The legal actions of the seat that acts; empty when the hand is over."""
        if self.over:
            return set()
        if self.phase == TRUMPS:
            return self._legal_trumps()
        if self.phase == PLAY:
            return self._legal_in_play()
        return self.auction.legal() | ({REDEAL} if self._may_redeal() else set())

    def _may_redeal(self) -> bool:
        pointless = points(self.hands[self.seat]) == 0
        return self.options.may_redeal and not self.auction.calls and pointless

    def _legal_trumps(self) -> set[int]:
        if self.options.trump_by == "card":
            return card_actions(self.hands[self.seat])
        actions = set(SUIT_ACTIONS)
        if self.options.seventh and self._second[self.seat] and not self.all_dealt:
            actions.add(SEVENTH)
        return actions | ({NO_TRUMPS, REVERSED} if self.options.no_trumps else set())

    # What is done

    def step(self, action: int) -> None:
        """Carry out one action of the seat that acts; ValueError if it is not legal."""
        if action not in self.legal():
            raise ValueError(f"illegal action {action}: allowed are {sorted(self.legal())}")
        if self.phase == TRUMPS:
            self._make_trumps(action)
        elif self.phase != PLAY:
            self._call(action)
        elif action == ASK:
            self._ask()
        elif action == SHOW:
            self.pair = self.seat
        else:
            self._play(CARDS[action])

    def _call(self, action: int) -> None:
        stage = self.auction.stage
        self.auction.call(action)
        if action == REDEAL:
            self.redealt = self.seat
            self._end_void()
        elif self.auction.stage != ENDED:
            self._hear()
        elif stage == SINGLES:
            self._begin_play()
        elif self.maker is not None and not self.all_dealt:
            self._begin_second()
        elif stage == SECOND and not self.auction.raised:
            self._begin_singles()
        elif self.bidder is None:
            self._end_void()
        else:
            self._take_back()
            self.phase, self.seat = TRUMPS, self.bidder

    def _hear(self) -> None:
        self.phase, self.seat = self.auction.stage, self.auction.seat

    def _take_back(self) -> None:
        """Trumps are no longer what they were, and a card that lies apart goes back."""
        if self.maker is not None and self.face_down:
            self.hands[self.maker].append(self.face_down)
        self.maker = self.strain = self.face_down = self.laid = None

    def _make_trumps(self, action: int) -> None:
        self.maker = self.seat
        if action in STRAINS:
            self.strain = STRAINS[action]
        elif action != SEVENTH:
            self._lay(self.seat, CARDS[action])
        self._by_seventh = action == SEVENTH
        if self.all_dealt:
            self._begin_singles()
            return
        if self.options.trumps_first:
            self.auction.begin_doubles()
        if self.auction.stage == ENDED:
            self._begin_second()
        else:
            self._hear()

    def _begin_second(self) -> None:
        """Deal the second cards, and begin what follows them."""
        self._deal_second()
        if self._by_seventh and self.maker is not None:
            self._lay(self.maker, self.hands[self.maker][SEVENTH_AT])
            alone = points(of_suit(self.hands[self.maker], self.strain)) == 0
            if self.options.seventh_void and alone:
                self._end_void()
                return
        self.auction.begin_second()
        if self.auction.stage == SECOND:
            self._hear()
        else:
            self._begin_singles()

    def _lay(self, seat: int, card: str) -> None:
        self.hands[seat].remove(card)
        self.face_down = self.laid = card
        self.strain = card[1]

    def _deal_second(self) -> None:
        self.all_dealt = True
        for hand, second in zip(self.hands, self._second, strict=True):
            hand += second

    def _begin_singles(self) -> None:
        self.auction.begin_singles()
        if self.auction.stage == SINGLES:
            self._hear()
        else:
            self._begin_play()

    def _begin_play(self) -> None:
        self.phase = PLAY
        if self.single is not None:
            self._begin_single_hand(self.single)
        elif self.options.void_without and self._others_lack_trumps():
            self._end_void()
        else:
            self._begin_trick(self.first)

    def _begin_single_hand(self, single: int) -> None:
        self._take_back()
        self.strain, self.shown = "n", True
        for seat in range(self.options.players):
            if seat != single and self.side(seat) == self.side(single):
                self.laid_away[seat], self.hands[seat] = self.hands[seat], []
        self._begin_trick(single)

    def _others_lack_trumps(self) -> bool:
        others = [hand for at, hand in enumerate(self.hands) if not self.is_bidders_side(at)]
        return self.trump is not None and not any(of_suit(hand, self.trump) for hand in others)
