"""Twenty-Eight: all that is said before the play. Used by `twenty_eight`, in whose header the
readings are listed.
"""

from tests.reference.twenty_eight_cards import (
    BIDS,
    DOUBLE,
    PASS,
    REDEAL,
    REDOUBLE,
    SET,
    SINGLE,
    bid_action,
    is_same_side,
)
from tests.reference.twenty_eight_options import Options

AUCTION, DOUBLES, REDOUBLES, SETS = "auction", "double", "redouble", "set"
SECOND, SINGLES, ENDED = "second", "single", "ended"
WORDS = {
    PASS: "pass",
    DOUBLE: "double",
    REDOUBLE: "redouble",
    SINGLE: "single",
    REDEAL: "redeal",
    SET: "set",
}


class Auction:
    """The auction, the doubles, the second auction and the declarations of a single hand.

    stage: which of them goes on; ENDED between them. The first begins by itself, and so do the
    doubles without `trumps_first`; the others by `begin_doubles`, `begin_second` and
    `begin_singles`. seat: who calls. number, bidder: the highest bid. doubles: 0, 1 doubled,
    2 redoubled. setter: who has set the bid or an earlier one, None if nobody has. raised: whether
    the second auction has brought a bid. single: who declared SINGLE. calls: every call as (stage,
    seat, words) in order, the words being "pass", "double", "redouble", "set", "single", "redeal"
    or the number of a bid.
    """

    def __init__(self, options: Options, first: int) -> None:
        players = options.players
        self._options = options
        self._order = [(first + at) % players for at in range(players)]
        self._turns = list(self._order)  # who is still to speak, in a round of one turn each
        self._out: list[int] = []  # who has passed; with `reentry`, since the last bid
        self.seat = first
        self.stage = AUCTION
        self.number: int | None = None
        self.bidder: int | None = None
        self.doubles = 0
        self.setter: int | None = None
        self.raised = False
        self.single: int | None = None
        self.calls: list[tuple[str, int, str]] = []

    # What may be called

    def legal(self) -> set[int]:
        """The actions that the seat may choose from; empty when nothing goes on."""
        if self.stage == ENDED:
            return set()
        if self.stage in (AUCTION, SECOND):
            if self._must_bid() and self._options.forced_exact:
                return {bid_action(self._options.min_bid)}
            numbers = range(self._lowest(), self._options.highest_bid + 1)
            passes = set() if self._must_bid() else {PASS}
            return {bid_action(number) for number in numbers} | passes
        calls = {DOUBLES: DOUBLE, REDOUBLES: REDOUBLE, SETS: SET, SINGLES: SINGLE}
        return {PASS, calls[self.stage]}

    def _must_bid(self) -> bool:
        if self.stage != AUCTION or self.number is not None:
            return False
        first, dealer = self._order[0], self._order[-1]
        forced = {"first": first, "dealer": dealer, "nobody": None}[self._options.forced]
        others_are_out = len(self._out) == self._options.players - 1
        return self.seat == forced and (self.seat == first or others_are_out)

    def _lowest(self) -> int:
        """The lowest number that the seat may bid."""
        if self.number is None or self.bidder is None:
            return self._options.min_bid
        if self.stage == SECOND:
            return max(self._options.second_auction, self.number + 1)
        lowest = self.number if self._may_match() else self.number + 1
        if self._is_own_side(self.seat):
            lowest = max(lowest, self._options.partner_min)
        return lowest

    def _may_match(self) -> bool:
        if not self._options.match or self.bidder is None:
            return False
        return self._order.index(self.seat) < self._order.index(self.bidder)

    def _is_own_side(self, seat: int) -> bool:
        """Whether the seat is of the highest bidder's side."""
        return self.bidder is not None and is_same_side(self._options.players, seat, self.bidder)

    # What is called

    def call(self, action: int) -> None:
        """Carry out one of the legal actions."""
        words = str(BIDS[action]) if action in BIDS else WORDS[action]
        self.calls.append((self.stage, self.seat, words))
        if action in BIDS:
            self.number, self.bidder = BIDS[action], self.seat
        if self.stage == AUCTION:
            self._go_on_bidding(action)
        elif action == DOUBLE:
            self.doubles = 1
            self._begin(REDOUBLES, [seat for seat in self._order if self._is_own_side(seat)])
        elif action == REDOUBLE:
            self.doubles = 2
            self.stage = ENDED
            if self._options.set_bid:
                self._begin(SETS, self._list_opponents())
        elif action == SET:
            self.setter = self.seat
            self.stage = ENDED
        elif action == SINGLE:
            self.single = self.seat
            self.stage = ENDED
        else:
            self._go_on_in_turn(action)

    def _go_on_bidding(self, action: int) -> None:
        if action == REDEAL:
            self.stage = ENDED
            return
        if action == PASS or self._options.one_bid:
            self._out.append(self.seat)
        elif self._options.reentry:
            self._out = []
        left = [seat for seat in self._order if seat not in self._out]
        if left in ([], [self.bidder]) or self.number == self._options.highest_bid:
            self._end_bidding()
            return
        while True:
            self.seat = (self.seat + 1) % self._options.players
            if self.seat in left:
                return

    def _end_bidding(self) -> None:
        self.stage = ENDED
        if not self._options.trumps_first:
            self.begin_doubles()

    def _list_opponents(self) -> list[int]:
        return [seat for seat in self._order if not self._is_own_side(seat)]

    def _go_on_in_turn(self, action: int) -> None:
        """The next of those who have one turn each, after a pass or a bid of the second auction."""
        if action in BIDS:
            self.raised = True
            self.doubles = 0  # who doubled and who set it stays on record
        if not self._turns or (action in BIDS and self.number == self._options.highest_bid):
            self.stage = ENDED
        else:
            self.seat = self._turns.pop(0)

    # The rounds of one turn each

    def _begin(self, stage: str, turns: list[int]) -> None:
        self.stage = stage
        self.seat = turns[0]
        self._turns = turns[1:]

    def begin_doubles(self) -> None:
        """Begin the doubles, if there are any and there is a bid."""
        if self._options.doubles and self.bidder is not None:
            self._begin(DOUBLES, self._list_opponents())

    def begin_second(self) -> None:
        """Begin the second auction, if there is one and a higher bid is possible."""
        if self._options.second_auction and self.number != self._options.highest_bid:
            self._begin(SECOND, list(self._order))

    def begin_singles(self) -> None:
        """Begin the declarations of a single hand, if there are any."""
        if self._options.single_hand:
            self._begin(SINGLES, list(self._order))
