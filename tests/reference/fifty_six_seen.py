"""Fifty-Six: what each seat knows. Used by `fifty_six`, in whose header the readings are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.reference.fifty_six import Game


def voids(game: Game) -> list[set[str]]:
    """For each seat the suits in which everybody knows its hand to be void.

    What the bidder has shown says nothing of the card that he laid down: while everybody sees it
    back in his hand, he is not void in trumps.
    """
    known = [set(suits) for suits in game.shown_void]
    if game.bidder is not None and _is_laid_back(game):
        known[game.bidder].discard(game.trump or "")
    return known


def _is_laid_back(game: Game) -> bool:
    """Whether the laid card is in the bidder's hand again, for everybody to know."""
    shown_in = [at for at, trick in enumerate(game.tricks) if trick.shown_after is not None]
    if not shown_in:
        return False
    since = [play for trick in game.tricks[shown_in[0] + 1 :] for play in trick.plays]
    trick = game.tricks[shown_in[0]]
    since += trick.plays[trick.shown_after :]
    return (game.bidder, game.laid) not in since


def seen_by(game: Game, seat: int) -> dict[str, Any]:
    """All that this seat may know, by name.

    hand: its own cards, sorted; hand_sizes: how many each seat holds, without a card that lies face
    down; face_down: whether one lies; laid: the card that was laid, None if there is none or the
    seat has not seen it; laid_is_back: whether it is known to be in the bidder's hand; trump: the
    suit, None if there is none or the seat does not know it; tricks: each as a dictionary of
    `Trick`'s fields, the one that is being played last; voids: for each seat its suits, sorted.
    The others are as in `Game`.
    """
    knows_trump = game.shown or seat == game.bidder
    return {
        "options": game.options,
        "me": seat,
        "dealer": game.dealer,
        "phase": game.phase,
        "seat": game.seat,
        "hand": sorted(game.hands[seat]),
        "hand_sizes": [len(hand) for hand in game.hands],
        "calls": list(game.calls),
        "bidder": game.bidder,
        "contract": game.contract,
        "doubles": game.doubles,
        "face_down": game.face_down is not None,
        "laid": game.laid if knows_trump else None,
        "laid_is_back": _is_laid_back(game),
        "trump": game.trump if knows_trump else None,
        "shown": game.shown,
        "asked": game.asked,
        "tricks": [{**vars(trick), "plays": list(trick.plays)} for trick in game.tricks],
        "voids": [sorted(suits) for suits in voids(game)],
        "points": list(game.points),
        "scores": list(game.scores),
        "void": game.void,
    }
