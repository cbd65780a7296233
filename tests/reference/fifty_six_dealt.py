"""Fifty-Six: hands dealt and played for the tests of its reference."""

from typing import Any

from tests.reference.fifty_six import AUCTION, LAY, STRAIN, Game
from tests.reference.fifty_six_cards import (
    ASK,
    CARDS,
    DOUBLE,
    KEEPING,
    NUMBERS,
    PASS,
    REDOUBLE,
    STRAINS,
    STRAINS_FIRST,
    card_action,
    full_pack,
    number_action,
)
from tests.reference.fifty_six_options import make_options

WORDS = {
    **dict(enumerate(CARDS)),
    **{action: str(number) for action, number in NUMBERS.items()},
    **STRAINS,
    PASS: "pass",
    DOUBLE: "double",
    REDOUBLE: "redouble",
    ASK: "ask",
    **{action: f"{strain}-first" for action, strain in STRAINS_FIRST.items()},
    **{action: f"with-{form}" for action, form in KEEPING.items()},
}
HIDDEN: dict[str, Any] = {"trumps": "hidden", "leader": "bidder"}

SUIT_EACH = (
    "Jh Jh 9h 9h Ah Ah Th Th",
    "Jc Jc 9c 9c Ac Ac Tc Tc",
    "Jd Jd 9d 9d Ad Ad Td Td",
    "Js Js 9s 9s As As Ts Ts",
)
"""Four hands of one suit each: the leader wins every trick unless another suit is trumps."""


def new(*hands: str, variant: str = "classic", dealer: int | None = None, **options: Any) -> Game:
    """A game in which the seats hold these cards, from the first speaker on.

    Without hands the pack is dealt as `full_pack` lists it.
    """
    if hands:
        options = {"players": len(hands), **options}
    chosen = make_options(variant, **options)
    if not hands:
        pack = full_pack(chosen.players, chosen.small_pack, chosen.six_each)
        return Game(chosen, pack, dealer)
    dealt = [hand.split() for hand in hands]
    size = 3 if chosen.six_each else 4
    rounds = range(0, len(dealt[0]), size)
    return Game(
        chosen, [card for at in rounds for hand in dealt for card in hand[at : at + size]], dealer
    )


def do(game: Game, words: str) -> Game:
    """The game after these actions, such as "28h pass double 30 ask Jh"."""
    for word in words.split():
        for action in _actions(word):
            game.step(action)
    return game


def _actions(word: str) -> list[int]:
    if word[:2].isdigit():
        strain = [action for action, letter in STRAINS.items() if letter == word[2:]]
        return [number_action(int(word[:2])), *strain]
    return [next(action for action, each in WORDS.items() if each == word)]


def can(game: Game) -> str:
    """What is legal, in words, by action numbers."""
    return " ".join(WORDS[action] for action in sorted(game.legal()))


def passed_out(game: Game) -> Game:
    """The game after passes to the end of the auction."""
    while game.phase in (AUCTION, STRAIN):
        game.step(PASS)
    return game


def contract(words: str, *hands: str, **options: Any) -> Game:
    """A game in which these calls have been made, and all others have passed."""
    return passed_out(do(new(*hands, **options), words))


def played_out(game: Game) -> Game:
    """The game after the lowest legal card of each seat, by action, to the end; nobody asks."""
    while not game.over:
        game.step(min(game.legal()))
    return game


def trick(game: Game, at: int = -1) -> list[str]:
    """The cards of a trick in the order of play."""
    return game.tricks[at].cards()


def lay(game: Game, card: str) -> Game:
    """The game after the auction, with this card laid down."""
    assert game.phase == LAY
    game.step(card_action(card))
    return game
