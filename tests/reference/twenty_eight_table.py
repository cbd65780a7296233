"""Twenty-Eight: how a hand stands. Used by `twenty_eight`, in whose header the readings are
listed.
"""

from typing import Any

from tests.reference.twenty_eight_auction import Auction
from tests.reference.twenty_eight_cards import SUITS, deal
from tests.reference.twenty_eight_options import Options, check_deck
from tests.reference.twenty_eight_scores import lowered, raised
from tests.reference.twenty_eight_seen import seen_by, voids
from tests.reference.twenty_eight_tricks import Trick

TRUMPS, PLAY, OVER = "trumps", "play", "over"  # the phases, with the stages of the auction


class Table:
    """How one hand stands, and what follows from it.

    options: see `Options`. deck: the pack in dealing order. dealer: a seat, 0 to players - 1; the
    last seat if None.

    phase: a stage of `Auction`, TRUMPS, PLAY or OVER. seat: who acts; while nobody does, the seat
    that acted last. hands: the cards of each seat. auction: all calls. maker: who made trumps.
    strain: c, d, h, s, n (no trumps) or r (none, ranking turned over), None before. shown: whether
    everybody knows it. face_down: the card that lies apart, None if none does; laid: the same card,
    not forgotten when it goes back in play. tricks: all tricks, the one that is being played last.
    asked: whether the seat has asked and plays now. pair: who showed it. points: taken by each
    side, the last trick's included. laid_away: cards of the partners of a single hand, by seat.
    scores: what the hand changes in the score of each side. void: whether the hand was void.
    redealt: who has shown a hand without points and demanded a redeal.
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
        self._second: list[list[str]] = [[] for _ in range(players)]
        for at, (first, second) in enumerate(deal(deck, players)):
            seat = (self.first + at) % players
            self.hands[seat], self._second[seat] = list(first), list(second)
        self.auction = Auction(options, self.first)
        self.phase = self.auction.stage
        self.seat = self.first
        self.all_dealt = False
        self.maker: int | None = None
        self.strain: str | None = None
        self.shown = False
        self.face_down: str | None = None
        self.laid: str | None = None
        self._by_seventh = False  # whether the seventh card is to set trumps when it is dealt
        self.tricks: list[Trick] = []
        self.asked = False
        self.pair: int | None = None
        self.shown_void: list[set[str]] = [set() for _ in range(players)]  # see `voids`
        self.points = [0] * (3 if players == 3 else 2)
        self.laid_away: list[list[str]] = [[] for _ in range(players)]
        self.scores = [0] * len(self.points)
        self.void = False
        self.redealt: int | None = None

    @property
    def over(self) -> bool:
        """Whether the hand has ended."""
        return self.phase == OVER

    @property
    def bidder(self) -> int | None:
        """The highest bidder so far, None before the first bid."""
        return self.auction.bidder

    @property
    def number(self) -> int | None:
        """The highest bid so far, as it was made; None before the first."""
        return self.auction.number

    @property
    def doubles(self) -> int:
        """0, 1 if the highest bid is doubled, 2 if it is redoubled."""
        return self.auction.doubles

    @property
    def setter(self) -> int | None:
        """Who has set the highest bid, None if nobody has."""
        return self.auction.setter

    @property
    def single(self) -> int | None:
        """Who declared SINGLE, None if nobody has."""
        return self.auction.single

    @property
    def voids(self) -> list[set[str]]:
        """For each seat the suits in which everybody knows it to be void."""
        return voids(self)

    @property
    def counts(self) -> int | None:
        """What the bidder's side must reach, None before the first bid."""
        if self.number is None or self.pair is None:
            return self.number
        own = self.is_bidders_side(self.pair)
        return lowered(self.number, self.options) if own else raised(self.number)

    @property
    def trump(self) -> str | None:
        """The suit that is trump, be it known or not; None if there is none."""
        return self.strain if self.strain and self.strain in SUITS else None

    def side(self, seat: int) -> int:
        """The number of a seat's side, 0 or 1; with 3 players the seat itself."""
        return seat if self.options.players == 3 else seat % 2

    def is_bidders_side(self, seat: int) -> bool:
        """Whether the seat is the highest bidder or of his side; False before the first bid."""
        return self.bidder is not None and self.side(seat) == self.side(self.bidder)

    def seen_by(self, seat: int) -> dict[str, Any]:
        """All that this seat may know: see `twenty_eight_seen`."""
        return seen_by(self, seat)

    def reward(self, seat: int) -> float:
        """The change of its own side's score less the other's; 0 before the end.

        With 3 players that of the bidder is his, and the two others have half its opposite each.
        """
        own = self.scores[self.side(seat)]
        others = sum(self.scores) - own
        return own - others / (2 if self.options.players == 3 else 1)
