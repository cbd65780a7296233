"""Fifty-Six: the auction. Used by `fifty_six`, in whose header the readings are listed."""

from tests.reference.fifty_six_cards import (
    DOUBLE,
    HIGHEST,
    KEEPING,
    LOWEST,
    NO_TRUMPS,
    NUMBERS,
    PASS,
    REDOUBLE,
    STRAINS,
    STRAINS_FIRST,
    number_action,
)
from tests.reference.fifty_six_options import Options

LEVELS = (40, 48, 56)
NEXT_CALL, STRAIN, ENDED = "auction", "strain", "ended"


class Auction:
    """One auction, from the first call to the last.

    seat: who calls. number, strain, bidder: the highest bid; the strain is one of c, d, h, s and n
    (no trumps), None as long as it has not been named, and always with hidden trumps. doubles: 0,
    1 doubled, 2 redoubled. calls: every call as (seat, words) in order, the words being "pass",
    "double", "redouble" or a bid such as "31h", "28n"; "31" if no strain is named; with a form
    besides the number first "31h first", "31h plus", "31h noes" or "31h pass".
    """

    def __init__(self, options: Options, first: int) -> None:
        self._options = options
        self.first = first
        self.seat = first
        self.stage = NEXT_CALL
        self.number: int | None = None
        self.strain: str | None = None
        self.bidder: int | None = None
        self.doubles = 0
        self._kept: str | None = None  # the strain that the bid may keep
        self.calls: list[tuple[int, str]] = []
        self._passes = 0  # in succession

    # What may be called

    def legal(self) -> set[int]:
        """The actions that the seat may choose from; empty when the auction has ended."""
        if self.stage == ENDED:
            return set()
        if self.stage == STRAIN:
            return set(STRAINS) | self._forms()
        actions = {number_action(number) for number in range(self._lowest(), HIGHEST + 1)}
        if not self._must_bid():
            actions.add(PASS)
        if self._may_double():
            actions.add(DOUBLE)
        if self._may_redouble():
            actions.add(REDOUBLE)
        return actions

    def _forms(self) -> set[int]:
        """The forms of the bid besides the number first."""
        if not self._options.bid_forms:
            return set()
        if self._kept is None:
            return set(STRAINS_FIRST)
        without = "noes" if self._kept == NO_TRUMPS else ""
        return set(STRAINS_FIRST) | {action for action, form in KEEPING.items() if form != without}

    def _must_bid(self) -> bool:
        return self._options.forced and not self.calls

    def _lowest(self) -> int:
        """The lowest number that the seat may bid."""
        if self.number is None:
            return LOWEST
        if self._options.honours and self._is_own_side():
            return next(level for level in LEVELS if level > self.number)
        return self.number + 1

    def _is_own_side(self) -> bool:
        """Whether the highest bid is by a seat of the caller's side, the caller included."""
        return self.bidder is not None and (self.seat - self.bidder) % 2 == 0

    def _may_double(self) -> bool:
        if self._options.doubling == "none" or self.bidder is None:
            return False
        return self.doubles == 0 and not self._is_own_side()

    def _may_redouble(self) -> bool:
        return self.doubles == 1 and self._is_own_side()

    # What is called

    def call(self, action: int) -> None:
        """Carry out one of the legal actions."""
        if action in STRAINS:
            self._name_strain(STRAINS[action])
        elif action in STRAINS_FIRST:
            self._name_strain(STRAINS_FIRST[action], " first")
        elif action in KEEPING and self._kept is not None:
            self._name_strain(self._kept, f" {KEEPING[action]}")
        elif action in NUMBERS:
            self._bid(NUMBERS[action])
        elif action == PASS:
            self._pass()
        elif action == DOUBLE:
            self.calls.append((self.seat, "double"))
            self.doubles = 1
            self._passes = 0
            self._next_seat()
        elif action == REDOUBLE:
            self.calls.append((self.seat, "redouble"))
            self.doubles = 2
            self.stage = ENDED

    def _bid(self, number: int) -> None:
        self.calls.append((self.seat, str(number)))
        self._kept = self.strain if self._is_own_side() else None
        self.number, self.strain, self.bidder = number, None, self.seat
        self.doubles = 0
        self._passes = 0
        if self._options.trumps == "open":
            self.stage = STRAIN
        else:
            self._after_bid()

    def _name_strain(self, strain: str, form: str = "") -> None:
        self.strain = strain
        self.calls[-1] = (self.seat, f"{self.number}{strain}{form}")
        self._after_bid()

    def _after_bid(self) -> None:
        if self.number == HIGHEST:
            self.stage = ENDED
        else:
            self.stage = NEXT_CALL
            self._next_seat()

    def _pass(self) -> None:
        self.calls.append((self.seat, "pass"))
        self._passes += 1
        players = self._options.players
        if self._passes == (players if self.bidder is None else players - 1):
            self.stage = ENDED
        else:
            self._next_seat()

    def pass_out(self) -> None:
        """After passes of all: the first speaker has 28 in no trumps, without a call."""
        self.number, self.strain, self.bidder = LOWEST, "n", self.first

    def _next_seat(self) -> None:
        self.seat = (self.seat + 1) % self._options.players
