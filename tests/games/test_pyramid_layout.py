"""The table of Pyramid: the foundation has the removed cards and accepts kings."""

import numpy as np
import pytest

from parlour.envs import GAMES, CardEnv
from parlour.envs.core.kernel.cards import PACK_SIZE
from parlour.envs.core.scene.items import Item
from parlour.envs.core.scene.scene import ansi
from parlour.envs.games.pyramid.layout import FOUNDATION
from parlour.envs.games.pyramid.rules import DEAL, KING
from tests.contract.cases import Case, positions, random_cases

GAME = GAMES["pyramid"]
CASES = [Case(GAME, name) for name in GAME.variants]


def in_play(env: CardEnv) -> int:
    """The number of cards on the table, in the stock and on the waste."""
    s = env.state
    piles = int(s["stock"]) | int(s["held"]) | int(np.bitwise_or.reduce(s["waste"]))
    return int(s["table"]).bit_count() + piles.bit_count()


def foundation(env: CardEnv) -> Item:
    (result,) = [item for item in env.scene().items if item.place == FOUNDATION]
    return result


@pytest.mark.parametrize("case", [*CASES, *random_cases(20, 81, [GAME])], ids=str)
def test_the_foundation_counts_the_cards_that_are_out_of_the_game(case: Case) -> None:
    env = case.env(max_moves=100)
    counts = set()
    for _ in positions(env, 3, seed=81):
        pile = foundation(env)
        assert pile.pile_size == PACK_SIZE - in_play(env)
        assert bool(pile.card) == bool(pile.pile_size)
        assert not pile.face_up  # which card is on top is not known
        counts.add(pile.pile_size)
    assert {0} < counts


@pytest.mark.parametrize("case", CASES, ids=str)
def test_free_kings_and_no_other_cards_are_dragged_to_the_foundation(case: Case) -> None:
    env, dragged = case.env(max_moves=100), 0
    for _ in positions(env, 3, seed=82):
        legal = set(np.flatnonzero(env.action_masks()).tolist())
        picked = int(env.state["shown"]["need"]) > 0
        for item in env.scene().items:
            is_free = item.action in legal and item.action < DEAL
            takes = is_free and item.card // 4 == KING and not picked
            assert item.drops == (((FOUNDATION, item.action),) if takes else ())
            if takes:
                here, before = env.clone(), foundation(env).pile_size
                env.step(item.action)
                assert foundation(env).pile_size == before + 1
                env.restore(here)
                dragged += 1
    assert dragged


def test_the_foundation_is_drawn_left_of_the_tip() -> None:
    env = CardEnv(GAME, "classic")
    env.reset(options={"deal": 3})
    assert ansi(env.scene()).split("\n")[1].startswith(" ··")
