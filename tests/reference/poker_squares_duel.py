"""Poker Squares head to head (two players): a slow, plain reference for the fast kernel.

Written only from the project's rule page `docs/rules/poker_squares.md`, section "Head to head",
on top of the reference of the game for one, `poker_squares`: where a card may go and what a grid
is worth is settled there. No code is shared with, or taken from, the kernel.

Readings taken where the page leaves something open:

1. A card is turned up for both at once, so that both know it while player_0 places it; the next
   one is turned up when player_1 has placed this one, and not before.
2. That player_0 has placed is public (it is player_1's turn), where is not. Player_0 itself sees
   its own placement at once, and player_1's placements as soon as they are made.
3. The last placement of player_0 is hidden like any other; at the end both grids are open.
4. `adjacent` holds for each seat by its own grid alone, and so it is "first" for each seat once.
5. `totals` are those of the full lines, as they lie: between the two placements of a card they
   count one that player_1 does not know yet, so that they are not part of `seen_by`.
6. `target` is taken and does nothing: only the higher total wins, below 0 as well as above.
7. `players` is no option of this class; the others are those of the game for one, and `wager`.
8. `wager` "points" pays the difference exactly: it is divided by 25 and not rounded, so that four
   points are 0.16. The unit is 25 points under every `scoring` and whatever the `target`.
9. What one seat gets the other pays. Equal totals pay nothing under both wagers, and before the
   end nothing is paid. `totals` are points as ever, not units.
10. `wager` excludes no other option. It is an option of the duel alone ("the duel pays"), which
    the game for one refuses like any name that it does not know.
"""

from typing import Any

from tests.reference.poker_squares import PokerSquares
from tests.reference.poker_squares import refused as refused_for_one

WAGERS = ("win", "points")
UNIT = 25
"""Points of difference that are worth 1 by the wager "points"."""


def refused(options: dict[str, Any]) -> bool:
    """Whether some option is unknown or out of range (those not named have their default)."""
    others = {name: setting for name, setting in options.items() if name != "wager"}
    return options.get("wager", "win") not in WAGERS or refused_for_one(others)


class Duel:
    """One game of Poker Squares for two.

    deck: 52 cards in dealing order; with `starter` the first one goes to the centre of both grids.
    wager: "win" pays 1, "points" the difference of the totals in units of 25 points.
    options: those of `PokerSquares`.
    Raises ValueError for options that `refused` refuses and for a deck that is no pack.
    """

    def __init__(self, deck: list[str], *, wager: str = "win", **options: Any) -> None:
        if refused({"wager": wager, **options}):
            raise ValueError(f"these options are refused: {options}, wager {wager}")
        self._wager = wager
        # Each seat plays the game for one, from the same deck
        self._games = [PokerSquares(deck, **options) for _ in range(2)]

    # What the game says about itself

    @property
    def over(self) -> bool:
        """Whether both grids are full."""
        return all(game.over for game in self._games)

    @property
    def turn(self) -> int | None:
        """The seat that acts, None when the game is over."""
        if self.over:
            return None
        first, second = self._games
        return 0 if first.moves == second.moves else 1

    @property
    def card(self) -> str | None:
        """The card to be placed now, None when the game is over."""
        return self._games[1].card  # player_1 is the last to place it

    @property
    def unseen(self) -> set[str]:
        """The cards that have not been turned up, the same for both seats."""
        return self._games[1].unseen

    @property
    def grids(self) -> list[list[str | None]]:
        """Both grids as they lie, each square with its card or None."""
        return [list(game.grid) for game in self._games]

    @property
    def totals(self) -> list[int]:
        """The points of the full lines of each grid."""
        return [game.score for game in self._games]

    @property
    def net(self) -> list[float]:
        """The net of each seat after the end; zeros before."""
        first, second = self.totals
        if not self.over or first == second:
            return [0, 0]
        if self._wager == "points":
            return [(first - second) / UNIT, (second - first) / UNIT]
        return [1, -1] if first > second else [-1, 1]

    def seen_by(self, seat: int) -> dict[str, Any]:
        """What this seat may know, and nothing else."""
        own, other = self.grids[seat], self.grids[1 - seat]
        return {
            "own": own,
            "other": [None if card == self.card else card for card in other],
            "card": self.card,
            "unseen": self.unseen,
            "turn": self.turn,
        }

    # What may be done

    def legal(self) -> set[int]:
        """The squares where the seat to act may place; empty when the game is over."""
        return set() if self.turn is None else self._games[self.turn].legal()

    # What is done

    def step(self, square: int) -> None:
        """Place the card for the seat to act. ValueError if the square is not legal."""
        if self.turn is None:
            raise ValueError(f"illegal square {square}; the game is over")
        self._games[self.turn].step(square)
