"""Seven Twenty-Seven: hands dealt and played for the tests of its reference."""

from typing import Any

from tests.reference.seven_twenty_seven import CALL, RANKS, STAND, SUITS, SevenTwentySeven, shares

PACK = [rank + suit for rank in RANKS for suit in SUITS]
MINI = ["5c", "5d", "Ac", "Ad", "Tc", "Td"]
MINI_GAME = {"players": 2, "pack": "mini", "max_bet": 1, "max_raises": 1, "max_extra": 1}
BUST = {"nearness": "over_is_bust"}


def new(*hands: str, then: str = "", **options: Any) -> SevenTwentySeven:
    """A game in which the seats hold these cards, the first one face up; `then` are drawn.

    Seat 0 is at the dealer's left, the last seat is the dealer.
    """
    dealt = [hand.split() for hand in hands]
    rounds = [[hand[at] for hand in dealt] for at in range(len(dealt[0]))]
    begin = [card for cards in rounds for card in cards] + then.split()
    deck = begin + [card for card in PACK if card not in begin]
    options = {"players": len(hands), "start_down": len(rounds) - 1, **options}
    return SevenTwentySeven(deck, len(hands) - 1, **options)


def play(game: SevenTwentySeven, *actions: int) -> SevenTwentySeven:
    """The game after these actions."""
    for action in actions:
        game.step(action)
    return game


def until(game: SevenTwentySeven, phase: str) -> SevenTwentySeven:
    """The game after standing and checking up to this phase."""
    while game.phase != phase:
        game.step(CALL if CALL in game.legal() else STAND)
    return game


def declaring(*hands: str, said: list[int], pot: int, **options: Any) -> list[int]:
    """What the seats win with these hands and declarations, in seat order."""
    cards = {seat: hand.split() for seat, hand in enumerate(hands)}
    return list(shares(pot, cards, declared=dict(enumerate(said)), **options).values())
