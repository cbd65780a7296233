"""Twenty-Eight, Twenty-Nine, Fifty-Six: the piece of hidden cards has holders, and no seen card."""

from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.batch import Autoreset, DealSource, StepConfig
from parlour.envs.core.legal import unpack_actions
from parlour.envs.core.rows import Rows

CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("twenty_eight", variant, {}) for variant in GAMES["twenty_eight"].variants
]
CASES += [("twenty_nine", variant, {}) for variant in GAMES["twenty_nine"].variants]
CASES += [("fifty_six", variant, {}) for variant in GAMES["fifty_six"].variants]


def bits(cards: int, most: int) -> list[int]:
    return [number for number in range(most) if cards >> number & 1]


def held_in_twenty_eight(s: Any, k: int, players: int) -> list[int]:
    """The cards that the k-th seat after the one to act holds, and that not all have seen."""
    seat = (int(s["turn"]) + k) % players
    return bits(int(s["hands"][seat]) & ~int(s["seen"][seat]), 36)


def held_in_fifty_six(s: Any, k: int, players: int) -> list[int]:
    seat = (int(s["turn"]) + k) % players
    return sorted(bits(int(s["hands"][seat]), 32) + bits(int(s["twice"][seat]), 32))


def is_secret(s: Any, maker: int) -> bool:
    """Whether the seat to act does not know the card or action that set trumps."""
    return bool(maker != s["turn"] and not s["shown"]["trumps_shown"])


@pytest.mark.parametrize(("name", "variant", "options"), CASES)
def test_the_codes_say_what_each_other_seat_holds(
    name: str, variant: str, options: dict[str, Any]
) -> None:
    game = GAMES[name]
    rules = game.make_rules(variant, options)
    rows = Rows(game, rules, 8, StepConfig(reset=Autoreset.DISABLED))
    rows.start(DealSource.DRAW)
    rng, apart, secret, two = np.random.default_rng(3), 0, 0, name == "fifty_six"
    held, seats, kinds = (held_in_fifty_six, 8, 32) if two else (held_in_twenty_eight, 6, 36)
    while (running := rows.states["over"] == 0).any():
        assert game.hidden_cards is not None
        codes = game.hidden_cards.read(rows.states)
        assert codes.dtype == np.int8 and codes.shape == (8, game.hidden_cards.piece.size)
        for s, code in zip(rows.states[running], codes[running], strict=True):
            cards = code[:-1]
            for k in range(1, rules.players):
                result = (np.flatnonzero(cards == k) % kinds).tolist()
                assert sorted(result) == held(s, k, rules.players)
            maker = s["bidder"] if two else s["maker"]
            kept = np.flatnonzero(cards == seats) % kinds
            hidden = s["card"] > 0 and (is_secret(s, maker) if two else maker != s["turn"])
            assert kept.tolist() == ([s["card"] - 1] if hidden else [])
            assert cards.max() <= seats
            assert code[-1] == (s["made"] if is_secret(s, maker) else 0)
            apart, secret = apart + len(kept), secret + int(code[-1] > 0)
        masks = unpack_actions(rows.states["legal"], game.actions)
        rows.step((rng.random(masks.shape) * masks).argmax(axis=1), running)
    assert bool(secret) == (not two or variant == "hidden")
    assert apart or (name, variant) not in [("twenty_eight", "classic"), ("fifty_six", "hidden")]
