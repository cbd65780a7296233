"""Decks of the trick games that the rules would deal again are refused where they are chosen."""

from typing import Any

import pytest

from parlour.envs import GAMES, make, make_vec
from parlour.envs.core.kernel.cards import card_name
from parlour.envs.core.rows import Rows

POINTLESS = "KQ87"
CASES: list[tuple[str, str, str]] = [
    ("twenty_nine", "redeal_jacks", "J"),
    ("twenty_eight", "redeal_jacks", "J"),
    ("twenty_eight", "redeal_pointless", POINTLESS),
    ("fifty_six", "void_pointless", POINTLESS),
]


def deck_with(name: str, rules: Any, ranks: str) -> list[str]:
    """A deck whose first speaker gets only cards of these ranks, as far as they suffice."""
    cards = [card_name(card) for card in GAMES[name].pack(rules)]
    special = [card for card in cards if card[0] in ranks]
    rest = [card for card in cards if card[0] not in ranks] + special[8:]
    first, second = special[:4], special[4:8] or rest[-4:]
    middle = [card for card in rest if card not in second or name == "fifty_six"]
    deal = 4 * rules.players
    return [*first, *middle[: deal - 4], *second, *middle[deal - 4 :]]


@pytest.mark.parametrize(("name", "option", "ranks"), CASES)
def test_a_chosen_deck_that_would_be_dealt_again_is_refused(
    name: str, option: str, ranks: str
) -> None:
    game = GAMES[name]
    on, off = (game.make_rules(None, {option: chosen}) for chosen in (True, False))
    deck = deck_with(name, on, ranks)
    Rows(game, off, 1).deal_deck(deck)
    rows = Rows(game, on, 1)
    before = rows.states.copy()
    with pytest.raises(
        ValueError, match=f"^deck must not be one that the rules redeal: .*{option}"
    ):
        rows.deal_deck(deck)
    assert (rows.states == before).all()


@pytest.mark.parametrize(("name", "option", "ranks"), CASES[2:])
def test_environments_refuse_it_before_anything_changes(name: str, option: str, ranks: str) -> None:
    rules = GAMES[name].make_rules(None, {option: True})
    deck = deck_with(name, rules, ranks)
    one, several = make(name, **{option: True}), make_vec(name, 2, **{option: True})
    for env, copy in ((one, one.clone), (several, lambda: several.states.copy())):
        env.reset(seed=1)
        before = copy()
        with pytest.raises(ValueError, match=f"^deck must not be .*{option}"):
            env.reset(options={"deck": deck})
        assert (copy() == before).all()
