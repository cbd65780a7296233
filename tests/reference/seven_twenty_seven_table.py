"""Seven Twenty-Seven: the table and the knowledge of its seats. Used by `seven_twenty_seven`, in
whose header the readings are listed.
"""

from typing import Any

from tests.reference.seven_twenty_seven_options import MINI_RANKS, Rules, bet_levels, refused
from tests.reference.seven_twenty_seven_showdown import RANKS, SUITS

# The phases
FIRST_BET, ASK, BET, DRAWING = "first_bet", "ask", "bet", "draw"
LAST_BET, DECLARING, AFTER_BET, OVER = "last_bet", "declare", "after_bet", "over"
BETTING = (FIRST_BET, BET, LAST_BET, AFTER_BET)

ROUNDS_REMEMBERED = 8

Hand = list[tuple[str, bool]]  # each card, and whether it is face up


def _read_deck(deck: list[str], pack: str) -> list[str]:
    """The deck with "10h" written "Th"; ValueError unless it is a pack of this kind."""
    cards = ["T" + card[2:] if card.startswith("10") else card for card in deck]
    full = [rank + suit for rank in RANKS for suit in SUITS]
    if pack == "mini":
        known = set(cards) <= set(full) and len(set(cards)) == len(cards)
        right = known and "".join(sorted(card[0] for card in cards)) == MINI_RANKS
    else:
        right = sorted(cards) == sorted(full)
    if not right:
        raise ValueError(f"not a {pack} pack: {deck}")
    return cards


class Table:
    """The cards and chips of one hand, the seat to act, and the knowledge of each seat.

    phase: "first_bet" (before the opening ask), "ask" (the opening ask), "bet", "draw", "last_bet",
        "declare", "after_bet" (after the declarations) or "over".
    stock: the cards not yet dealt, from the top.
    hands: the cards of each seat in the order in which it got them, each with whether it is up.
    paid: chips that each seat has put in; staked: those of the present betting round, else zeros.
    folded, busted: which seats are out, and why.
    stands: chosen stands of each seat; taken: cards that each seat took after the deal.
    drew_in: numbers of the draw rounds in which each seat took a card, the opening ask being 0.
    draw_rounds: draw rounds begun, the opening ask included.
    lead: the seat with which the latest round of asking or betting began, whether or not it had a
        choice.
    won: chips that each seat got at the end.
    """

    def __init__(self, deck: list[str], dealer: int, **options: Any) -> None:
        if refused(options):
            raise ValueError(f"these options are refused: {options}")
        rules = self._rules = Rules(**options)
        if dealer not in range(rules.players):
            raise ValueError(f"no seat for dealer {dealer}")
        self.dealer = dealer
        self.levels = bet_levels(rules.min_bet, rules.max_bet)
        self.stock = _read_deck(deck, rules.pack)
        self.hands: list[Hand] = [[] for _ in range(rules.players)]
        self.paid = [rules.ante] * rules.players
        self.staked = [0] * rules.players
        self.folded = [False] * rules.players
        self.busted = [False] * rules.players
        self.stands = [0] * rules.players
        self.taken = [0] * rules.players
        self.drew_in: list[list[int]] = [[] for _ in range(rules.players)]
        self.draw_rounds = 0
        self.lead = self._around(dealer + 1)[0]
        self.won = [0] * rules.players
        self._order = self._around(dealer + 1)  # all seats, the dealer last
        self._queue: list[int] = []  # seats that still have to act in this phase
        self._raises = 0  # of this betting round
        self._amounts: list[int] = []  # among which the seat to act chooses; none: no choice begun
        self._last_bettor: int | None = None  # of the latest betting round
        self._said: list[int | None] = [None] * rules.players
        self.phase = ""  # not begun

    def _around(self, first: int) -> list[int]:
        """All seats, from this one on."""
        players = self._rules.players
        return [(first + at) % players for at in range(players)]

    @property
    def live(self) -> list[int]:
        """The seats still in, from the dealer's left."""
        return [seat for seat in self._order if not self.folded[seat] and not self.busted[seat]]

    @property
    def over(self) -> bool:
        """Whether the hand has ended."""
        return self.phase == OVER

    @property
    def turn(self) -> int | None:
        """The seat that acts, None when the hand is over."""
        return None if self.over else self._queue[0]

    @property
    def pot(self) -> int:
        """All chips put in."""
        return sum(self.paid)

    @property
    def net(self) -> list[int]:
        """After the end: chips won minus chips put in, for each seat. Before it zeros."""
        if not self.over:
            return [0] * self._rules.players
        return [won - paid for won, paid in zip(self.won, self.paid, strict=True)]

    @property
    def to_call(self) -> int:
        """What the seat that acts must add to stay in."""
        return self._missing(self._queue[0]) if self.phase in BETTING else 0

    @property
    def bet_range(self) -> tuple[int, int]:
        """The lowest and the highest amount of the bet that is being chosen; zeros for none."""
        return (self._amounts[0], self._amounts[-1]) if self._amounts else (0, 0)

    @property
    def raises_left(self) -> int:
        """How many raises this betting round can still have."""
        return self._rules.max_raises - self._raises if self.phase in BETTING else 0

    @property
    def declared(self) -> list[int | None]:
        """What each seat has publicly declared: DECLARE_7, DECLARE_27, BOTH or None."""
        if self._rules.declare == "simultaneous" and self.phase == DECLARING:
            return [None] * self._rules.players
        return list(self._said)

    def cards(self, seat: int) -> list[str]:
        """All cards of a seat."""
        return [card for card, _ in self.hands[seat]]

    def seen_by(self, seat: int) -> dict[str, Any]:
        """What this seat may know, and nothing else."""
        since = self.draw_rounds - ROUNDS_REMEMBERED
        return {
            "phase": self.phase,
            "turn": self.turn,
            "dealer": self.dealer,
            "own": list(self.hands[seat]),
            "up": [[card for card, face_up in hand if face_up] for hand in self.hands],
            "hidden": [sum(not face_up for _, face_up in hand) for hand in self.hands],
            "folded": list(self.folded),
            "busted": list(self.busted),
            "pot": self.pot,
            "paid": list(self.paid),
            "staked": list(self.staked),
            "to_call": self.to_call,
            "raises_left": self.raises_left,
            "bet_range": self.bet_range,
            "taken": list(self.taken),
            "drew_in": [[at for at in rounds if at >= since] for rounds in self.drew_in],
            "stands": list(self.stands),
            "declared": self.declared,
        }

    def _missing(self, seat: int) -> int:
        """The chips that this seat must still pay in this betting round."""
        return max(self.staked) - self.staked[seat]
