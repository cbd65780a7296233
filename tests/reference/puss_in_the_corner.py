"""Puss in the Corner (patience, one player): a slow, plain reference for the fast kernel.

Written only from the project's rule page `docs/rules/puss_in_the_corner.md`, whose own source is
002 The Ultimate Book of Card Games. No code is shared with, or taken from, the kernel.

Actions: PLACE 1-4 are 0-3, PLAY 1-4 are 4-7, FOUNDATION 8, DEAL 9, REDEAL 10, GATHER 1-4 are
11-14, END 15. The page names no action for `sevens`; here PACKET[i, j] lays the packet of pile i
upon pile j, one action for each of the twelve pairs, 16 to 27. Piles and foundations are numbered
from 0 here; the foundations are in suit order (clubs, diamonds, hearts, spades) and begin with
their aces. Cards are strings such as "Th"; the stock is listed from its top, a pile from its
oldest card.

Readings taken where the page leaves something open:

1. The first card is turned up at once at the start and after a redeal, under `hold_back` too.
   DEAL turns the first card of a group; the others follow by themselves, each when the one
   before it has been put somewhere.
2. DEAL and REDEAL are there for `hold_back` alone, and are then never done for the player, not
   even where one of them is all that is legal.
3. The loss comes by itself: with the stock empty, no redeal left and nothing fitting, a
   `hold_back` game is lost without an END. So END is legal only while some top still fits.
   After END the game is lost, whatever the score. While a redeal is left there is no END.
4. A card that goes to a foundation by FOUNDATION counts as one of its group.
5. GATHER only says what comes next: all piles lie as they are, and the stock stays empty, until
   the last one is gathered; then the packet is turned over, and the redeal counts as used. From
   the beginning of the gathering on no top may be played.
6. A pile without cards is never gathered, nor listed as gathered. With a single non-empty pile
   there is no GATHER at all.
7. Which foundation takes a card is never chosen: it is the one that fits, the lower-numbered of
   two that fit, with `suits` that of its suit. FOUNDATION follows the same rule.
8. Every action is a move for `max_moves`, GATHER and END too; what happens by itself is none,
   and happens after the last move as well.
9. A move that reaches `max_moves` and also wins (or loses) wins (or loses).
10. `max_moves` may be any integer from 1. A switch must be a bool and a number must not
    be one. No two options exclude each other: `choose_pickup` without a redeal does nothing.
11. Known is what has been seen: the last card of the first pass, which could be told by
    elimination, counts as not known.

Readings of `sevens`, which the page gives in one sentence:

12. A seven has been dealt from when it is turned up until the next card is turned up, in every
    pass. In this time PACKET is legal wherever the player has something to decide anyway; the
    option makes no new halt. So it may come before the seven is put somewhere (in the middle of
    a group that is the only time, as the next card comes by itself), and with `hold_back` also
    after the last card of a group, beside PLAY and DEAL, REDEAL or END.
13. Without `hold_back` PACKET is not legal after a group: while a top fits the page allows
    "nothing else" than PLAY, and when none fits the next group begins by itself. Before the
    seven is put somewhere nothing is compulsory, so that a packet may then bury a top that fits.
14. "Once" is once for each seven dealt. All sevens count, of both colours.
15. "Upon another" is upon another packet: both piles have cards. Laying a packet on an empty
    pile would free none. With its order kept the top of the one is then the top of the other.
    The seven itself may lie in either of the piles.
16. A PACKET is a move, it is never compulsory, and it does not turn up a card. It makes nothing
    fit, so that a `hold_back` game is lost as by reading 3 even where a packet could be laid.
17. From the beginning of a gathering on no packet may be laid.
18. FOUNDATION with a seven leaves it the seven dealt last, as placing it does.

Readings of `next_open`:

19. It changes what is known, and nothing that may be done. The next card lies open at all times,
    between the cards of a group, while tops are played and before a DEAL. While the stock is
    empty none does: after a redeal it is the card below the one turned up.
"""

from typing import Any

from tests.reference.puss_in_the_corner_rules import (
    DEAL,
    END,
    FOUNDATION,
    FROM_AND_UPON,
    GATHER,
    PACKET,
    PILES,
    PLACE,
    PLAY,
    RANKS,
    REDEAL,
    SEVEN,
    SUITS,
    Rules,
    is_black,
    read_deck,
    refused,
    value,
)

__all__ = [
    "DEAL",
    "END",
    "FOUNDATION",
    "GATHER",
    "PACKET",
    "PILES",
    "PLACE",
    "PLAY",
    "RANKS",
    "REDEAL",
    "SUITS",
    "PussInTheCorner",
    "Rules",
    "is_black",
    "refused",
    "value",
]


class PussInTheCorner:
    """One game of Puss in the Corner.

    deck: the 48 cards that are no aces, in dealing order.
    options: those of the rule page, and the most moves a game may take.
    Raises ValueError for options that `refused` refuses and for a deck that is no such pack.

    foundations: rank of the top of each, 1 to 13.
    piles: the four reserve piles, oldest card first.
    stock: the cards not yet turned up, from the top.
    card: the card turned up that waits to be put somewhere, or None.
    group_left: cards of the present group still to be put somewhere, `card` included.
    packet_left: whether a packet may still be laid upon another for the seven dealt last.
    gathering: piles gathered so far in a redeal that waits for GATHER, in this order.
    redeals_used: how often the piles have been turned over.
    won, lost, truncated: how the game ended, at most one of them True.
    moves: actions made.
    """

    def __init__(self, deck: list[str], **options: Any) -> None:
        if refused(options):
            raise ValueError(f"these options are refused: {options}")
        self._rules = Rules(**options)
        self.foundations = [1, 1, 1, 1]
        self.piles: list[list[str]] = [[], [], [], []]
        self.stock = read_deck(deck)
        self.card: str | None = None
        self.group_left = 0
        self.packet_left = False
        self.gathering: list[int] = []
        self.redeals_used = 0
        self.won = self.lost = self.truncated = False
        self.moves = 0
        self._picking_up = False  # a redeal has begun and its packet is not yet complete
        self._given_up = False  # END
        self._begin_group()

    # What the game says about itself

    @property
    def over(self) -> bool:
        """Whether the game has ended, for whatever reason."""
        return self.won or self.lost or self.truncated

    @property
    def score(self) -> int:
        """Cards on the foundations, 4 to 52."""
        return sum(self.foundations)

    def known_stock(self) -> list[str | None]:
        """The stock from its top, None for each card that the player cannot know."""
        if self.redeals_used > 0:
            return list(self.stock)
        seen = 1 if self._rules.next_open else 0
        return [*self.stock[:seen], *[None for _ in self.stock[seen:]]]

    # What may be done

    def legal(self) -> set[int]:
        """The legal actions; empty when the game is over."""
        return set() if self.over else self._legal_if_not_over()

    def _legal_if_not_over(self) -> set[int]:
        if self.card is not None:
            return self._legal_with_a_card()
        if self._picking_up:
            return {GATHER[pile] for pile in self._not_yet_gathered()}
        plays = {PLAY[pile] for pile in self._fitting_piles()}
        return self._legal_without_compulsion(plays) if self._rules.hold_back else plays

    def _legal_with_a_card(self) -> set[int]:
        assert self.card is not None
        straight = self._rules.direct and self._foundation_for(self.card) is not None
        actions = {*PLACE, FOUNDATION} if straight else {*PLACE}
        return actions | self._packets()

    def _packets(self) -> set[int]:
        """The packets that may be laid upon another for a seven; both piles have cards."""
        if not self.packet_left:
            return set()
        return {
            action
            for (source, target), action in PACKET.items()
            if self.piles[source] and self.piles[target]
        }

    def _legal_without_compulsion(self, plays: set[int]) -> set[int]:
        """What `hold_back` allows after a group, given the plays that are possible."""
        actions = plays | self._other_than_plays(plays)
        return actions | self._packets() if actions else set()

    def _other_than_plays(self, plays: set[int]) -> set[int]:
        """The actions of `hold_back` after a group, besides these plays."""
        if self.stock:
            return {DEAL}
        if self._redeal_is_left():
            return {REDEAL}
        return {END} if plays else set()

    def _foundation_for(self, card: str) -> int | None:
        """The foundation that would take this card now, None if it fits nowhere."""
        for foundation, suit in enumerate(SUITS):
            if self._rules.suits:
                goes_with = suit == card[1]
            else:
                goes_with = is_black(suit) == is_black(card[1])
            if goes_with and self.foundations[foundation] == value(card) - 1:
                return foundation
        return None

    def _fitting_piles(self) -> list[int]:
        """The piles whose top fits a foundation."""
        return [
            pile
            for pile in PILES
            if self.piles[pile] and self._foundation_for(self.piles[pile][-1]) is not None
        ]

    def _redeal_is_left(self) -> bool:
        return self.redeals_used < self._rules.redeals and any(self.piles)

    def _not_yet_gathered(self) -> list[int]:
        return [pile for pile in PILES if self.piles[pile] and pile not in self.gathering]

    # What is done

    def step(self, action: int) -> None:
        """Carry out one action; ValueError if it is not legal."""
        if action not in self.legal():
            raise ValueError(f"illegal action {action}; legal are {sorted(self.legal())}")
        if action in PLACE:
            self.piles[PLACE.index(action)].append(self._take_card())
        elif action in PLAY:
            self._build(self.piles[PLAY.index(action)].pop())
        elif action == FOUNDATION:
            self._build(self._take_card())
        elif action == DEAL:
            self._begin_group()
        elif action == REDEAL:
            self._picking_up = True
        elif action in GATHER:
            self.gathering.append(GATHER.index(action))
        elif action in FROM_AND_UPON:
            self._lay_packet(*FROM_AND_UPON[action])
        else:
            self._given_up = True
        self.moves += 1
        self._go_on()
        self._see_if_over()

    def _take_card(self) -> str:
        """The card turned up, which is then no longer so."""
        card = self.card
        assert card is not None
        self.card = None
        self.group_left -= 1
        return card

    def _build(self, card: str) -> None:
        """Put a card that fits on its foundation."""
        foundation = self._foundation_for(card)
        assert foundation is not None
        self.foundations[foundation] += 1

    def _lay_packet(self, source: int, target: int) -> None:
        """Lay all cards of one pile, in their order, upon another."""
        self.piles[target].extend(self.piles[source])
        self.piles[source] = []
        self.packet_left = False

    def _begin_group(self) -> None:
        """Turn up the first card of a group, which is short if the stock is."""
        self.group_left = min(self._rules.deal_size, len(self.stock))
        self._turn_up()

    def _turn_up(self) -> None:
        self.card = self.stock.pop(0)
        self.packet_left = self._rules.sevens and value(self.card) == SEVEN

    # What happens by itself

    def _go_on(self) -> None:
        """After each action: all that leaves the player no choice and is no action."""
        if self.card is not None:
            return
        if self.group_left > 0:
            self._turn_up()
        elif not self._picking_up and not self._rules.hold_back and not self._fitting_piles():
            self._next_group_or_redeal()
        if self._picking_up:
            self._pick_up()

    def _next_group_or_redeal(self) -> None:
        if self.stock:
            self._begin_group()
        elif self._redeal_is_left():
            self._picking_up = True

    def _pick_up(self) -> None:
        """Gather the piles whose order is not the player's; turn the packet over if complete."""
        left = self._not_yet_gathered()
        if self._rules.choose_pickup and len(left) > 1:
            return
        self.gathering.extend(left)
        self._turn_over()

    def _turn_over(self) -> None:
        """Make the new stock of the piles, in the order of gathering, each from its oldest card."""
        self.stock = [card for pile in self.gathering for card in self.piles[pile]]
        self.piles = [[], [], [], []]
        self.gathering = []
        self._picking_up = False
        self.redeals_used += 1
        self._begin_group()

    def _see_if_over(self) -> None:
        self.won = self.score == 52
        self.lost = not self.won and (self._given_up or not self._legal_if_not_over())
        out_of_moves = self.moves >= self._rules.max_moves
        self.truncated = out_of_moves and not self.won and not self.lost
