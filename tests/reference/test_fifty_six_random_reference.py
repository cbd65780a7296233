"""The reference Fifty-Six at random: any options, any seats, any deck; and its walkers."""

import copy
import random

import pytest

from tests.reference.fifty_six import Game, Options
from tests.reference.fifty_six_cards import points
from tests.reference.fifty_six_options import VARIANTS, make_options, would_be_redealt
from tests.reference.fifty_six_walkers import DECKS, WALKERS, branches, random_options

MOST_CALLS = 8 * (29 * 4 + 1)
"""More than any auction has: 29 numbers, each with its strain, a double, two rounds of passes."""


def points_everywhere(game: Game) -> int:
    """The card points of all cards that are somewhere."""
    held = [card for hand in game.hands for card in hand]
    held += [game.face_down] if game.face_down else []
    held += [card for each in game.tricks if each.winner is None for card in each.cards()]
    return points(held) + sum(game.points)


def play_hand(options: Options, seed: int) -> Game:
    """A hand played by walkers of this seed, looked at after each action."""
    rng = random.Random(seed)
    walker = list(WALKERS.values())[seed % len(WALKERS)]
    deck = list(DECKS.values())[seed // len(WALKERS) % len(DECKS)](options, rng)
    game = Game(options, deck, rng.randrange(options.players))
    for _ in range(MOST_CALLS + len(deck) + 2):
        assert points_everywhere(game) == 56
        if game.over:
            return game
        game.step(walker(game, rng))
        assert sum(map(len, game.hands)) == sum(game.seen_by(0)["hand_sizes"])
        for seat, suits in enumerate(game.voids):
            assert not any(card[1] in suits for card in game.hands[seat])
    raise AssertionError("the hand does not end")


def check_end(game: Game) -> None:
    """Check the invariants at the end of every hand."""
    players = game.options.players
    rewards = [game.reward(seat) for seat in range(players)]
    assert rewards == [rewards[0], -rewards[0]] * (players // 2)
    assert game.legal() == set()
    if game.void:
        assert rewards[0] == 0 and game.tricks == []
        return
    assert rewards[0] != 0 and sum(game.points) == 56 and not any(game.hands)
    assert game.bidder is not None and game.scores[1 - game.bidder % 2] == 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_any_hand_of_a_variant(variant: str) -> None:
    for seed in range(2 * len(WALKERS) * len(DECKS)):
        check_end(play_hand(make_options(variant), seed))


def test_any_hand_with_any_options() -> None:
    rng = random.Random(56)
    for seed in range(400):
        check_end(play_hand(random_options(rng), seed))


def test_walkers_are_the_same_again_with_the_same_seed() -> None:
    for seed in range(20):
        one, other = (play_hand(make_options("hidden"), seed) for _ in range(2))
        assert one.seen_by(0) == other.seen_by(0)


def test_pointless_decks_would_be_redealt() -> None:
    options = make_options("eight", void_pointless=True)
    rng = random.Random(8)
    assert all(would_be_redealt(DECKS["pointless"](options, rng), options) for _ in range(20))


def test_branches_leave_the_game_as_it_is() -> None:
    rng = random.Random(1)
    for _ in range(12):
        options = random_options(rng)
        game = Game(options, DECKS["shuffled"](options, rng))
        while not game.over:
            action = WALKERS["mixed"](game, rng)
            before = copy.deepcopy(game)
            assert all(branches(game, action)) and game.legal() == before.legal()
            assert game.hands == before.hands and game.calls == before.calls
            assert game.tricks == before.tricks and game.voids == before.voids
            game.step(action)


def test_rare_branches_are_reached() -> None:
    """Names that a few hundred hands bring; all that `branches` knows take some thousands."""
    rng = random.Random(7)
    hit: set[str] = set()
    for seed in range(350):
        options = random_options(rng)
        walker = list(WALKERS.values())[seed % len(WALKERS)]
        deck = list(DECKS.values())[seed // len(WALKERS) % len(DECKS)](options, rng)
        game = Game(options, deck)
        while not game.over:
            action = walker(game, rng)
            hit.update(branches(game, action))
            game.step(action)
    assert {
        "asker has no trump",
        "auction ends at 56",
        "auction ends by passes after a double",
        "bid over a double",
        "bidder follows after the asking",
        "bidder must play the laid card",
        "bidder need not follow with the laid card",
        "double of a bid over a double",
        "made with no point over",
        "pass by the highest bidder, doubled",
        "redouble by the bidder",
        "shown: nothing but the laid card left, as follower",
        "taken by the first of two identical",
        "trumps led, shown, a later one won",
        "void again, the laid card played",
        "void: all pass",
        "void: opponents without trumps, open",
    } <= hit
