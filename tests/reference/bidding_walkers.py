"""What the walkers of the reference Twenty-Eight and Fifty-Six share: draws, decks, cards played.

It knows cards by their names, such as "Jh", and the references not at all. Of a generator only
`random()` is used, so both Python's and NumPy's will do.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Rng(Protocol):
    """What is needed of a generator."""

    def random(self) -> float:
        """Return a number from 0 to 1, 1 excluded."""


def pick(items: Sequence[T], rng: Rng) -> T:
    """Return one of the items, all alike."""
    return items[int(rng.random() * len(items))]


def count_suit(hand: Sequence[str], card: str) -> int:
    """Return how many cards of a hand are of the suit of a card."""
    return sum(held[1] == card[1] for held in hand)


def play_card(
    hand: Sequence[str],
    actions: Sequence[int],
    cards: Sequence[str],
    ranks: str,
    which: float,
    high: float,
    short: float,
    rng: Rng,
) -> int:
    """Return the action that plays the highest card, one of the shortest suit, or any card.

    Args:
        hand: The cards in hand.
        actions: The legal actions that play cards.
        cards: The card of each action.
        ranks: The letters of the ranks, the weakest first.
        which: A random number from 0 to 1, which chooses between the three.
        high: The chance to play the highest card.
        short: The chance to play one of the shortest suit.
        rng: The generator, which draws any card.
    """
    if which < high:
        return max(actions, key=lambda action: ranks.index(cards[action][0]))
    if which < high + short:
        return min(actions, key=lambda action: count_suit(hand, cards[action]))
    return pick(actions, rng)


# ---- decks ----------------------------------------------------------------------------------


def shuffle(pack: Sequence[str], rng: Rng) -> list[str]:
    """Return the pack, shuffled."""
    keys = [rng.random() for _ in pack]
    return [pack[at] for at in sorted(range(len(pack)), key=keys.__getitem__)]


def sort_loosely(pack: Sequence[str], packet: int, rng: Rng) -> list[str]:
    """Return the pack in an order with runs of one suit, turned by packets of a given size."""
    noise = rng.random() * len(pack)
    keys = [at + rng.random() * noise for at in range(len(pack))]
    deck = [pack[at] for at in sorted(range(len(pack)), key=keys.__getitem__)]
    turned = packet * int(rng.random() * len(deck) / packet)
    return deck[turned:] + deck[:turned]


def swap(deck: list[str], ones: list[int], others: list[int], share: float, rng: Rng) -> list[str]:
    """Exchange this share of the cards at some places of a deck for those at others."""
    for one, other in zip(ones, others, strict=False):
        if rng.random() < share:
            deck[one], deck[other] = deck[other], deck[one]
    return deck


def favor_side(
    deck: list[str],
    owners: Sequence[int],
    side: int,
    is_wanted: Callable[[str], bool],
    share: float,
    rng: Rng,
) -> list[str]:
    """Give this share of the wanted cards to one of two sides; ``owners`` by place in the deck."""
    mine = [at for at, seat in enumerate(owners) if seat % 2 == side]
    wanted = [at for at, card in enumerate(deck) if is_wanted(card) and at not in mine]
    return swap(deck, wanted, [at for at in mine if not is_wanted(deck[at])], share, rng)
