"""The table of a finished hand shows the winners of 7 and 27, and their chips."""

import re

import numpy as np
import pytest

from parlour.envs import find_game
from parlour.envs.core.batch import DealSource, Over
from parlour.envs.core.rows import Rows, view_states
from parlour.envs.core.scene.scene import ansi

GAME = find_game("seven_twenty_seven")
TAKEN = re.compile(
    r"(?:7|27|7 and 27): (you|seats? [\d, and]+) (?:takes?|share) (\d+)$", re.MULTILINE
)
OPTIONS = ({"variant": "home"}, {"variant": "declare"}, {"variant": "mini"}, {"variant": "sarrett"})


def finished(variant: str, hands: int) -> Rows:
    """Hands played to their end by random legal actions."""
    rows = Rows(GAME, GAME.make_rules(variant), hands)
    rng = np.random.default_rng(7)
    rows.seed(rng.integers(0, 2**62, hands, np.uint64))
    rows.start(DealSource.DRAW)
    while (rows.states["over"] == Over.RUNNING).any():
        draws = rng.random(rows.buffers.masks.shape) * rows.buffers.masks
        draws[:, 0] *= 0.2  # so that most do not fold
        rows.step(draws.argmax(axis=1))
    return rows


@pytest.mark.parametrize("variant", [one["variant"] for one in OPTIONS])
def test_what_is_said_is_what_was_paid(variant: str) -> None:
    rows = finished(variant, 60)
    players, halves = GAME.num_players(rows.rules), 0
    for i in range(rows.n):
        state = view_states(GAME, rows.rules, rows.states[i : i + 1], np.zeros(1, np.int64))[0]
        text = ansi(GAME.layout(state, rows.rules))
        alone = int(state["live"]).bit_count() == 1
        result = TAKEN.findall(text)
        assert bool(result) is not alone or "nobody takes" in text, text
        got = np.zeros(players)
        for seats, chips in result:
            numbers = [int(one) for one in re.findall(r"\d+", seats.replace("you", "seat 0"))]
            got[numbers] += int(chips) / len(numbers)
        if result:
            halves += len(result) == 2
            paid = (state["net"] + state["paid"])[:players]
            assert got.sum() == paid.sum() == state["pot"], text
            assert np.abs(got - paid).max() <= 1, text  # chips left over go one by one
    assert halves > 5
