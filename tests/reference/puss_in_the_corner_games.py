"""Decks and games of Puss in the Corner that the tests of its reference share."""

from tests.reference.puss_in_the_corner import DEAL, PLACE, RANKS, SUITS, PussInTheCorner

# From the twos up, and from the kings down
RISING = [rank + suit for rank in RANKS[1:] for suit in SUITS]
FALLING = [rank + suit for rank in RANKS[:0:-1] for suit in SUITS]
ALL_PLACES = set(PLACE)


def deck_with(first: str = "", last: str = "") -> list[str]:
    """A deck that begins and ends with these cards; between them the rest from the kings down."""
    begin, end = first.split(), last.split()
    return begin + [card for card in FALLING if card not in begin + end] + end


def play(game: PussInTheCorner, *actions: int) -> PussInTheCorner:
    """The game after these actions."""
    for action in actions:
        game.step(action)
    return game


def deal_out(game: PussInTheCorner, piles: str = "1234", cards: int = 48) -> PussInTheCorner:
    """Place a number of cards, four on each of these piles in turn, with a DEAL if one is legal."""
    for at in range(cards):
        if game.card is None:
            game.step(DEAL)
        game.step(PLACE[int(piles[at // 4 % len(piles)]) - 1])
    return game


def buried() -> list[str]:
    """A deck of which nothing ever fits if each group is put on one pile: no two comes last."""
    return deck_with("Kc Kd 2s Ks", "2c 2d 2h Kh")


def two_on_top() -> list[str]:
    """As `buried`, but the last card of all is a two, which fits."""
    return deck_with("Kc Kd 2s Ks", "2c 2d Kh 2h")


def groups(deck: list[str], *numbers: int) -> list[str]:
    """The cards of these groups of four, counted from 0."""
    return [card for number in numbers for card in deck[4 * number : 4 * number + 4]]
