"""Seven Twenty-Seven (vying game, 2 to 10 players): a slow, plain reference for the fast kernel.

Written only from the project's rule page `docs/rules/seven_twenty_seven.md`, whose own source is
000 the page on the vying game, with house rules from other published pages. No code is shared
with, or taken from, the kernel. What hands count and how a pot is divided is in
`seven_twenty_seven_showdown`, options in `seven_twenty_seven_options`, the table
and the knowledge of its seats in `seven_twenty_seven_table`.

Actions: FOLD 0, CHECK or CALL 1, BET or RAISE level 0-4 are 2-6, DRAW 7, STAND 8, DECLARE 7 is 9,
DECLARE 27 is 10, BOTH is 11. Seats are numbered around the table; "first" is the seat at the
dealer's left, the dealer is last. Cards are strings such as "Th"; the stock is listed from its
top. Totals are in half points.

Readings taken where the page leaves something open:

1. A seat that has reached `max_extra` cannot draw: it is skipped like one with no stands left.
   A seat that is skipped makes no chosen stand. The opening ask skips in the same way, and its
   card is one of `max_extra`.
2. Betting follows the opening ask even where nobody took a card or nobody could; then the first
   draw round is held in any case, and only a draw round without a drawn card ends the drawing.
3. A card that busts its taker counts as drawn: if two are left, another betting round follows.
4. Busted is not folded: `folded` is for FOLD alone. Both put a seat out.
5. The pot is not emptied at the end: what it paid out is in `won`.
6. `to_call` and `raises_left` are 0 outside a betting round; before the opening bet of one,
   `raises_left` is `max_raises`. The last bets have raises of their own.
7. "The last betting" before the declarations is known to be the last only after the draw round
   without a drawn card, so the declarations come after that draw round.
8. A seat may declare a side for which it is not eligible; it then contests nothing there, and
   the half of a side with nobody eligible goes to the other side. A seat that declared BOTH and
   is not eligible on one side cannot win, and drops out on the other side too.
9. If one side takes the whole pot it is one part, with one remainder.
10. Between 7 and 27 means above 7 on the 7 side and below 27 on the 27 side, whatever the
    distance (6.5 against 47.5: the 6.5 wins the 27 side where inside beats outside).
11. The seat that is last to be left after the deal takes the pot even if its own cards exceed 27.
12. Simultaneous declarations become public together, with the last of them; the seat itself does
    not see its own before either.
13. At a showdown the hands of all who are still in are turned up, winners' or not. Those of
    folded and busted seats stay hidden, and so does the hand of a seat that takes the pot because
    it is the last. `seen_by` keeps showing the face-up cards of a seat that is out. It names seats
    by their numbers at the table (nothing is rotated). The stands of each seat are public, as
    everybody saw them.
14. Draw rounds are numbered from 0, the opening ask; it is one of the "last 8" like any other,
    and so is the one that is going on.
15. The mini pack is any six cards of these ranks; its suits mean nothing.
16. The bets before the opening ask are a betting round like any other, with raises of its own.
    If the deal leaves one seat, that seat takes the pot before them.
17. The first to ask and to bet is one and the same seat, so a round, for `rotating_lead`, is a
    round of asking and the betting after it. The seat at the dealer's left leads the opening ask
    and the betting after it; with each draw round the lead moves on, and the betting after it
    begins with the same seat. Bets before the opening ask begin at the dealer's left too and do
    not move the lead; last bets begin with the seat that led the draw round before them.
18. Folded seats are passed over, and busted ones too. If the seat with the lead goes out, the
    next one still in has the lead from the next phase on: it begins that phase, and the round
    after is begun by the next still in after it. A seat that is skipped because it cannot draw
    keeps the lead, and a draw round in which nobody can draw moves it like any other.
19. `rotating_lead` is about asking and betting alone. The deal, the seats that bust by it, the
    declarations and the chips left over go from the dealer's left as ever; so "the first seat
    still in", with which sequential declaring begins if nobody bet, is the one at the dealer's
    left, not the one with the lead.
20. 5-A-A is a hand of these three cards and no other, in whatever order they came: 2-3-A-A, which
    is exactly 7 and 27 too, and 5-A-A with a face card beside it are not. It decides at the
    showdown, among those still in, and takes the whole pot whatever was declared, by itself or by
    others: "the whole pot" stands without a condition. The pot is then one part.
21. With `both_tie` shares a BOTH seat stays if on each side it is among the best of all who
    contest it, other BOTH seats included; if it is not eligible on a side, it is beaten there. It
    is judged once, as ever, and the other BOTH seats drop out; then each half goes to the best of
    those that are left, the BOTH seats that stay included. So one that tied with nobody but a
    BOTH seat that drops out takes that half alone, and one that ties with three gets a quarter
    of it.
22. Bets after the declarations begin at the dealer's left, or with the seat that led the last
    draws, and have raises of their own. The declarations are over by then: the "last betting"
    that says who begins them is the one before. All are public from the last of them on, also to
    those who look at a hand that ends by folds in these bets, and those of seats that have folded
    stay to be seen; but only those still in contest a side, or are in the way of a BOTH seat.
23. Where the cards speak `both_tie` says nothing; it is not refused.
24. What an illegal action counts as is played like the same action chosen: a STAND is one of
    `max_stands`, a FOLD puts the seat out, a 7 is its declaration. The penalty is no chips.
25. With `any_amount` the choice of an amount is one turn of one seat: nothing else happens before
    it ends. An illegal action counts as the first part then; the choice may go on after it.

Options are refused if a name is unknown or a setting out of range (a switch must be a bool, a
number must not be one), if `max_bet` is below `min_bet`, if `bets_after` is set where the cards
speak, and if the pack is too small for the first deal (mini: players times cards at the start
above 6; six itself is allowed, with an empty stock from the start). Nothing else is refused: no
other two options exclude each other.
"""

from typing import Any

from tests.reference.seven_twenty_seven_options import (
    LEVELS,
    bet_levels,
    parts,
    refused,
)
from tests.reference.seven_twenty_seven_showdown import (
    BOTH,
    DECLARE_7,
    DECLARE_27,
    NEARNESS,
    RANKS,
    SEVEN,
    SUITS,
    TWENTY_SEVEN,
    best_total,
    shares,
    totals,
)
from tests.reference.seven_twenty_seven_table import (
    AFTER_BET,
    ASK,
    BET,
    DECLARING,
    DRAWING,
    FIRST_BET,
    LAST_BET,
    OVER,
    Table,
)

__all__ = [
    "BETS",
    "BOTH",
    "CALL",
    "DECLARE_7",
    "DECLARE_27",
    "DRAW",
    "FOLD",
    "NEARNESS",
    "RANKS",
    "SEVEN",
    "STAND",
    "SUITS",
    "TWENTY_SEVEN",
    "SevenTwentySeven",
    "best_total",
    "bet_levels",
    "refused",
    "shares",
    "totals",
]

FOLD, CALL = 0, 1  # CALL is CHECK where there is nothing to call
BETS = range(2, 2 + LEVELS)
DRAW, STAND = 7, 8


class SevenTwentySeven(Table):
    """One hand of Seven Twenty-Seven, from the deal to the end.

    deck: the pack in dealing order.
    dealer: the dealer's seat, 0 to players - 1.
    options: see `Rules`.
    Raises ValueError for options that `refused` refuses, for a deck that is no such pack and for
    a dealer who has no seat.
    """

    def __init__(self, deck: list[str], dealer: int, **options: Any) -> None:
        super().__init__(deck, dealer, **options)
        self._deal()
        if self._rules.bet_first:
            self._begin_betting(FIRST_BET)
        else:
            self._begin_draws(ASK)
        self._go_on()

    def _deal(self) -> None:
        for round_ in range(1 + self._rules.start_down):
            for seat in self._order:
                self.hands[seat].append((self.stock.pop(0), round_ == 0))
        for seat in self._order:
            if len(self.live) > 1:
                self._bust_if_over(seat)

    # What may be done

    def legal(self) -> set[int]:
        """The legal actions of the seat to act; empty when the hand is over."""
        if self.over:
            return set()
        if self.phase in (ASK, DRAWING):
            return {DRAW, STAND}
        if self.phase == DECLARING:
            return {DECLARE_7, DECLARE_27, BOTH}
        return self._legal_in_betting()

    def _legal_in_betting(self) -> set[int]:
        if self._amounts:
            return self._parts_to_choose()
        actions = {CALL}
        if self.to_call > 0:
            actions.add(FOLD)
        can_bet = self.to_call == 0 or self.raises_left > 0
        if can_bet and self._rules.any_amount:
            actions |= self._parts_to_choose()
        elif can_bet:
            for level, chips in enumerate(self.levels):
                if chips not in self.levels[:level]:
                    actions.add(BETS[level])
        return actions

    def _parts(self) -> list[list[int]]:
        """The parts of the amounts among which the seat to act chooses."""
        rules = self._rules
        return parts(self._amounts or list(range(rules.min_bet, rules.max_bet + 1)))

    def _parts_to_choose(self) -> set[int]:
        return {BETS[at] for at, part in enumerate(self._parts()) if part}

    def _can_draw(self, seat: int) -> bool:
        rules = self._rules
        has_cards_left = rules.max_extra == 0 or self.taken[seat] < rules.max_extra
        has_stands_left = rules.max_stands == 0 or self.stands[seat] < rules.max_stands
        return len(self.stock) > 0 and has_cards_left and has_stands_left

    # What is done

    def step(self, action: int) -> None:
        """Make one action of the seat to act. ValueError if it is not legal."""
        if action not in self.legal():
            raise ValueError(f"illegal action {action}; legal are {sorted(self.legal())}")
        chips = 0
        if action in BETS and not self._rules.any_amount:
            chips = self.levels[BETS.index(action)]
        elif action in BETS:
            part = self._parts()[BETS.index(action)]
            if len(part) > 1:
                self._amounts = part
                return
            self._amounts, chips = [], part[0]
        seat = self._queue.pop(0)
        if action == FOLD:
            self.folded[seat] = True
        elif action == CALL:
            self._pay(seat, self._missing(seat))
        elif action in BETS:
            self._bet_or_raise(seat, chips)
        elif action == DRAW:
            self._draw(seat)
        elif action == STAND:
            self.stands[seat] += 1
        else:
            self._said[seat] = int(action)
        self._go_on()

    def foul(self) -> int:
        """Make the action that replaces an illegal action, and return it."""
        if self.over:
            raise ValueError("the hand is over")
        legal = self.legal()
        action = next(each for each in (FOLD, CALL, STAND, DECLARE_7, *BETS) if each in legal)
        self.step(action)
        return action

    def _pay(self, seat: int, chips: int) -> None:
        self.paid[seat] += chips
        self.staked[seat] += chips

    def _bet_or_raise(self, seat: int, chips: int) -> None:
        if max(self.staked) > 0:
            self._raises += 1
        self._pay(seat, self._missing(seat) + chips)
        self._last_bettor = seat
        self._queue = [each for each in self._around(seat + 1) if each in self.live]
        self._queue.remove(seat)

    def _draw(self, seat: int) -> None:
        self.hands[seat].append((self.stock.pop(0), self._rules.draw_up))
        self.taken[seat] += 1
        self.drew_in[seat].append(self.draw_rounds - 1)
        self._bust_if_over(seat)

    def _bust_if_over(self, seat: int) -> None:
        """Put out a seat that cannot win anything any more, where the rules do so."""
        lowest = totals(self.cards(seat), self._rules.half_tens)[0]
        if self._rules.nearness == "over_is_bust" and lowest > TWENTY_SEVEN:
            self.busted[seat] = True

    # What follows from each action

    def _go_on(self) -> None:
        """Go to the next seat that has a choice, or to the end of the hand."""
        if len(self.live) == 1:
            self._finish({self.live[0]: self.pot})
        while not self.over:
            if self.phase in (ASK, DRAWING):
                self._skip_those_who_cannot_draw()
            if self._queue:
                return
            self._next_phase()

    def _skip_those_who_cannot_draw(self) -> None:
        while self._queue and not self._can_draw(self._queue[0]):
            self._queue.pop(0)

    def _next_phase(self) -> None:
        self.staked = [0] * self._rules.players
        if self.phase == FIRST_BET:
            self._begin_draws(ASK)
        elif self.phase == ASK:
            self._begin_betting(BET)
        elif self.phase == BET:
            self._begin_draws(DRAWING)
        elif self.phase == DRAWING and self._anybody_drew():
            self._begin_betting(BET)
        elif self.phase == DRAWING and self._rules.last_bets:
            self._begin_betting(LAST_BET)
        elif self.phase in (DRAWING, LAST_BET) and self._rules.declare != "cards_speak":
            self._begin_declaring()
        elif self.phase == DECLARING and self._rules.bets_after:
            self._begin_betting(AFTER_BET)
        else:
            self._show_down()

    def _begin_draws(self, phase: str) -> None:
        self.phase = phase
        self.draw_rounds += 1
        self._queue = self._from_the_lead()

    def _anybody_drew(self) -> bool:
        """Whether somebody took a card in the latest draw round."""
        return any(self.draw_rounds - 1 in rounds for rounds in self.drew_in)

    def _begin_betting(self, phase: str) -> None:
        self.phase = phase
        self._raises = 0
        self._last_bettor = None
        self._queue = self._from_the_lead()

    def _from_the_lead(self) -> list[int]:
        """The seats still in, in the order in which they ask or bet in the phase that begins."""
        first = self.dealer + 1
        if self._rules.rotating_lead:
            first = self.lead + 1 if self.phase == DRAWING else self.lead
        seats = [seat for seat in self._around(first) if seat in self.live]
        self.lead = seats[0]
        return seats

    def _begin_declaring(self) -> None:
        self.phase = DECLARING
        self._queue = self.live
        if self._rules.declare == "sequential" and self._last_bettor is not None:
            self._queue = [each for each in self._around(self._last_bettor) if each in self.live]

    def _show_down(self) -> None:
        hands = {seat: self.cards(seat) for seat in self.live}
        declared: dict[int, int] | None = None
        if self._rules.declare != "cards_speak":
            output = {seat: self._said[seat] for seat in self.live}
            declared = {seat: word for seat, word in output.items() if word is not None}
        for seat in self.live:
            self.hands[seat] = [(card, True) for card in self.cards(seat)]
        rules = self._rules
        self._finish(
            shares(
                self.pot,
                hands,
                rules.nearness,
                rules.half_tens,
                declared,
                perfect=rules.perfect,
                both_tie=rules.both_tie,
            )
        )

    def _finish(self, got: dict[int, int]) -> None:
        self.won = [got.get(seat, 0) for seat in range(self._rules.players)]
        self.staked = [0] * self._rules.players
        self._queue = []
        self.phase = OVER
