"""What a critic is told of hidden cards is what is hidden: all of it, and nothing else."""

import numpy as np
import pytest

from tests.contract.cases import Case, positions
from tests.contract.test_leaks import MOST, dealt_anew


def test_hidden_cards_are_those_that_are_resampled(case: Case) -> None:
    """Which entries hold a card is no secret; which cards they are is told apart, deck by deck."""
    hidden = case.game.hidden_cards
    if hidden is None or case.players > 1:
        pytest.skip("no critic sees its cards")
    env = case.whole(encoding="codes", max_moves=MOST)
    differing = hiding = 0
    for steps in positions(env, 4, seed=70, every=3):
        states = dealt_anew(case, env.clone(), steps)
        codes = hidden.read(states)
        assert codes.dtype == np.int8 and codes.shape == (len(states), hidden.piece.size)
        assert ((codes >= 0) & (codes <= hidden.piece.kind.max_code)).all()
        assert ((codes > 0) == (codes[0] > 0)).all()
        for i in range(len(states)):
            result = codes[i][codes[i] > 0].tolist()
            assert len(result) == len(set(result)) and set(result) <= set(
                states["deck"][i].tolist()
            )
        decks = [deck.tobytes() for deck in states["deck"]]
        hiding += len(set(decks)) > 1
        moved = [codes[i].tobytes() for i in range(len(states))]
        coming = (states["deck"] != states["deck"][0]).any(axis=0).sum() <= hidden.piece.size
        if coming:  # of a longer stock the rest is never dealt
            assert [decks.index(one) for one in decks] == [moved.index(one) for one in moved]
        differing += len(set(moved)) > 1
    assert (differing > 3) if hiding else (differing == 0), "all cards are known, or some are not"
