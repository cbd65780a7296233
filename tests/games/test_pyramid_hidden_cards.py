"""Pyramid: resampling replaces exactly the stock cards that the player has not seen."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from parlour.envs import GAMES, CardEnv
from parlour.envs.core.rows import resample_copies
from parlour.envs.games.pyramid.rules import PYRAMID, REDEAL, UNDO
from tests.contract.cases import Case, positions, random_cases
from tests.marks import slow_if

GAME = GAMES["pyramid"]
IN_STOCK = 1


def unknown(env: CardEnv) -> np.ndarray:
    """Deck positions of stock cards that the observation does not show."""
    shown = env.state["shown"]
    there = (shown["pile_where"] == IN_STOCK) & (shown["pile_cards"] == 0)
    return PYRAMID + np.flatnonzero(there)


def walks(case: Case) -> Iterator[tuple[CardEnv, int]]:
    env = case.env(encoding="codes", max_moves=100)
    for steps in positions(env, 3, seed=80, every=3):
        yield env, steps


def check(case: Case) -> int:
    """Look at positions of three games; return how many had at least two unknown cards."""
    hiding = 0
    for env, steps in walks(case):
        places = unknown(env)
        known = np.setdiff1d(np.arange(len(GAME.pack(case.rules))), places)
        deck = env.state["deck"]
        others = resample_copies(GAME, case.rules, env.clone().repeat(24), steps)["deck"]
        assert (others[:, known] == deck[known]).all()
        assert (np.sort(others[:, places]) == np.sort(deck[places])).all()
        if len(places) >= 2:
            hiding += 1
            assert all(len(set(others[:, place])) > 1 for place in places), "a card stayed put"
    return hiding


@pytest.mark.parametrize("variant", GAME.variants)
def test_exactly_the_unknown_cards_move(variant: str) -> None:
    hiding = check(Case(GAME, variant))
    assert (hiding == 0) == (variant == "face-up")
    assert hiding == 0 or hiding > 10


@pytest.mark.parametrize("sets", [12, slow_if(True, 50)])
def test_exactly_the_unknown_cards_move_with_random_options(sets: int) -> None:
    assert sum(check(case) > 0 for case in random_cases(sets, 21, [GAME])) > 0.4 * sets


@pytest.mark.parametrize(
    ("variant", "at_start"),
    [
        ("three-passes", 24),
        ("classic", 23),
        ("extra-row", 16),
        ("three-piles", 24),
        ("open-stock", 23),
        ("face-up", 0),
    ],
)
def test_how_many_cards_are_unknown_at_the_start(variant: str, at_start: int) -> None:
    env = Case(GAME, variant).env()
    env.reset(seed=1)
    assert len(unknown(env)) == at_start


def test_every_order_of_the_unknown_cards_is_equally_likely() -> None:
    """Chi-square over the 24 orders of four cards, 0.1 % bound for 23 degrees of freedom."""
    env = Case(GAME, "three-passes").env()
    env.reset(seed=3)
    while len(unknown(env)) > 4:
        env.step(39)
    others = resample_copies(GAME, env.rules, env.clone().repeat(4800), 5)["deck"][:, unknown(env)]
    orders = Counter(order.tobytes() for order in others)
    assert len(orders) == 24
    assert sum((count - 200) ** 2 / 200 for count in orders.values()) < 49.73


@pytest.mark.parametrize("variant", GAME.variants)
def test_the_same_moves_look_the_same_until_a_card_is_turned(variant: str) -> None:
    """The effect of a click is visible in advance, regardless of the hidden cards."""
    env = Case(GAME, variant).env(encoding="codes", max_moves=100)
    other = Case(GAME, variant).env(encoding="codes", max_moves=100)
    rng = np.random.default_rng(2)
    other.reset(seed=0)
    compared = 0
    for steps in positions(env, 3, seed=90, every=6):
        other.restore(resample_copies(GAME, env.rules, env.clone(), steps))
        while not env.state["over"]:
            action = int(rng.choice(np.flatnonzero(env.action_masks())))
            seen = int(env.state["seen"])
            results, others = env.step(action), other.step(action)
            assert env.state["seen"] == other.state["seen"]
            if env.state["seen"] != seen or (action == REDEAL and env.rules.shuffle_redeal):
                break
            for one, two in zip(results[:4], others[:4], strict=True):
                assert np.array_equal(one, two)
            assert np.array_equal(env.action_masks(), other.action_masks())
            compared += 1
    assert compared > 5


def test_the_next_shuffle_is_unknown() -> None:
    """Two players with equal positions meet different orders after a shuffled redeal."""
    env = Case(GAME, "second-chance").env()
    env.reset(seed=1)
    while not env.action_masks()[REDEAL]:
        env.step(int(np.flatnonzero(env.action_masks())[-1]))
    here = env.clone()
    orders = set()
    for seed in range(10):
        env.restore(resample_copies(GAME, env.rules, here, seed))
        env.step(REDEAL)
        orders.add(env.state["deck"].tobytes())
    assert len(orders) == 10


def test_what_was_seen_stays_known_after_an_undo() -> None:
    env = Case(GAME, "web").env()
    env.reset(seed=1)
    for _ in range(3):
        env.step(39)
    for _ in range(3):
        env.step(UNDO)
    assert env.state["shown"]["stock_count"] == 24
    assert len(unknown(env)) == 21
    others = resample_copies(GAME, env.rules, env.clone().repeat(20), 1)["deck"]
    assert (others[:, 28:31] == env.state["deck"][28:31]).all()
