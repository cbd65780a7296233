"""The reference Twenty-Eight at random: any options, any seats, any deck; and its walkers."""

import copy
import random

import pytest

from tests.marks import slow_if
from tests.reference.twenty_eight import Game, Options
from tests.reference.twenty_eight_cards import points
from tests.reference.twenty_eight_options import VARIANTS, make_options, would_be_redealt
from tests.reference.twenty_eight_walkers import (
    DECKS,
    RARE_SETS,
    WALKERS,
    branches,
    random_options,
    rare_options,
)

MOST_ACTIONS = 18 * 6 * 2 + 4 * 6 + 2 + 36 + 2 + 1
"""More than any hand has: bids and passes, rounds of one turn each, trumps, cards, ASK, SHOW."""

ALL_VARIANTS = [(game, variant) for game, listed in VARIANTS.items() for variant in listed]


def points_everywhere(game: Game) -> int:
    """The card points of all cards that are somewhere, those to be dealt and those won too."""
    held = [card for hands in (game.hands, game.laid_away) for hand in hands for card in hand]
    held += [] if game.all_dealt else [card for hand in game._second for card in hand]
    held += [game.face_down] if game.face_down else []
    held += [card for each in game.tricks for card in each.cards()]
    assert len(held) == len(set(held)) == {3: 24, 4: 32, 6: 36}[game.options.players]
    return points(held)


def check_state(game: Game) -> None:
    """Check the invariants after every action."""
    assert points_everywhere(game) == 28
    taken = sum(trick.points() for trick in game.tricks if trick.winner is not None)
    is_last = not any(game.hands)
    assert sum(game.points) == taken + (game.options.last_trick if is_last else 0)
    assert bool(game.legal()) != game.over
    for seat, suits in enumerate(game.voids):
        assert not any(card[1] in suits for card in game.hands[seat])
    for seat in range(game.options.players):
        view = game.seen_by(seat)
        assert view["hand_sizes"] == [len(hand) for hand in game.hands]
        assert game.shown or seat == game.maker or view["strain"] is view["laid"] is None


def play_hand(options: Options, seed: int) -> Game:
    """A hand played by walkers of this seed, looked at after each action."""
    rng = random.Random(seed)
    walker = list(WALKERS.values())[seed % len(WALKERS)]
    deck = list(DECKS.values())[seed // len(WALKERS) % len(DECKS)](options, rng)
    game = Game(options, deck, rng.randrange(options.players))
    for _ in range(MOST_ACTIONS):
        check_state(game)
        if game.over:
            return game
        game.step(walker(game, rng))
    raise AssertionError("the hand does not end")


def check_end(game: Game) -> None:
    """Check the invariants at the end of every hand."""
    options, players = game.options, game.options.players
    rewards = [game.reward(seat) for seat in range(players)]
    assert sum(rewards) == 0
    if players != 3:
        assert rewards == [rewards[0], -rewards[0]] * (players // 2)
    assert game.legal() == set()
    if game.void:
        assert rewards == [0] * players
        return
    scorer = game.bidder if game.single is None else game.single
    assert scorer is not None and game.scores[game.side(scorer)] != 0
    assert game.scores.count(0) == len(game.scores) - 1, "one side scores"
    assert any(game.hands) <= options.early_end
    if game.single is None and not any(game.hands):
        assert sum(game.points) == 28 + options.last_trick


@pytest.mark.parametrize(("game", "variant"), ALL_VARIANTS)
def test_any_hand_of_a_variant(game: str, variant: str) -> None:
    for seed in range(len(WALKERS) * len(DECKS)):
        check_end(play_hand(make_options(game, variant), seed))


@pytest.mark.parametrize("hands", [150, slow_if(True, 500)])
def test_any_hand_with_any_options(hands: int) -> None:
    rng = random.Random(28)
    for seed in range(hands):
        check_end(play_hand(random_options(rng), seed))


def test_any_hand_with_rare_options() -> None:
    rng = random.Random(29)
    for seed in range(150):
        check_end(play_hand(rare_options(rng), seed))
    for chosen in RARE_SETS:
        Options(**chosen)


@pytest.mark.parametrize("hands", [100, slow_if(True, 300)])
def test_early_end_changes_no_score(hands: int) -> None:
    """Whoever plays on after the early end comes to the same score."""
    rng, early = random.Random(30), 0
    for seed in range(hands):
        options = random_options(rng)
        short, long = (
            play_hand(Options(**{**vars(options), "early_end": each}), seed)
            for each in (True, False)
        )
        assert short.scores == long.scores and short.void == long.void
        early += any(short.hands)
    assert early > hands / 6


def test_walkers_are_the_same_again_with_the_same_seed() -> None:
    for seed in range(20):
        one, other = (play_hand(make_options("29"), seed) for _ in range(2))
        assert one.seen_by(0) == other.seen_by(0)


def test_pointless_decks_would_be_redealt() -> None:
    options = make_options("28", redeal_pointless=True)
    rng = random.Random(8)
    assert all(would_be_redealt(DECKS["pointless"](options, rng), options) for _ in range(20))


def test_branches_leave_the_game_as_it_is() -> None:
    rng = random.Random(1)
    for _ in range(15):
        options = random_options(rng)
        game = Game(options, DECKS["shuffled"](options, rng))
        while not game.over:
            action = WALKERS["mixed"](game, rng)
            before = copy.deepcopy(game)
            assert all(branches(game, action)) and game.legal() == before.legal()
            assert vars(game.auction) == vars(before.auction)
            assert {**vars(game), "auction": 0} == {**vars(before), "auction": 0}
            game.step(action)


def test_rare_branches_are_reached() -> None:
    """Names that a few hundred hands bring; all that `branches` knows take some thousands."""
    rng = random.Random(12)
    hit: set[str] = set()
    for seed in range(600):
        options = random_options(rng) if seed % 2 else rare_options(rng)
        walker = list(WALKERS.values())[seed % len(WALKERS)]
        deck = list(DECKS.values())[seed // len(WALKERS) % len(DECKS)](options, rng)
        game = Game(options, deck)
        while not game.over:
            action = walker(game, rng)
            hit.update(branches(game, action))
            game.step(action)
    assert {
        "anew: a card goes back",
        "ask after the bidder played",
        "ask must by the bidder",
        "auction ends at 28",
        "auction ends at 29",
        "bidder need not follow with the card apart",
        "cot: all tricks won",
        "force later matters: trumps led",
        "force whole matters: trumps led",
        "last card shown as follower, force later",
        "made early",
        "made: seventh",
        "matched opponent",
        "overtrump: beats",
        "pair followed",
        "partner_min binds",
        "redouble by the bidder",
        "second: a redouble goes",
        "single lost",
        "taken by turned ranking",
        "void again, the card played",
        "void: all pass",
        "void: opponents without trumps",
    } <= hit
