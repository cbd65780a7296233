"""Networks for what an earlier version of a game showed say the same of what is shown today."""

import numpy as np
import pytest
import torch

from parlour.agents.networks.build import (
    NETWORKS,
    CardNetwork,
    build_network,
    make_network_function,
)
from parlour.agents.networks.carry_over import carry_over, find_columns, find_entries
from parlour.envs import GAMES, Game
from parlour.envs.core.game import EarlierFeatures
from parlour.envs.core.rows import Rows, observation_codes
from parlour.envs.core.schema import DIGIT, FLAG, Features, Piece, digit_piece, whole_number
from tests.walkers import legal_actions

MORE_PLACES = ("attention", "puss_in_the_corner")
"""It shows the next card, too: a place more to attend to."""


def can_be_built(name: str, game: Game) -> bool:
    try:
        build_network(name, game, 16, 2)
    except ValueError:
        return False
    return True


CASES = [
    (name, game.name)
    for game in GAMES.values()
    for name in NETWORKS
    if game.earlier and can_be_built(name, game) and (name, game.name) != MORE_PLACES
]


def positions(game: Game) -> np.ndarray:
    """Observations of random games by the default rules, ``codes`` (n, width)."""
    rows, rng, seen = Rows(game, game.make_rules(), 1), np.random.default_rng(0), []
    for deal in range(8):
        rows.deal_bank("carry", [deal])
        for _ in range(12):
            seen.append(observation_codes(rows.states)[0].copy())
            rows.step(rng.choice(legal_actions(rows), 1))
    return np.array(seen)


def earlier_network(name: str, earlier: EarlierFeatures) -> CardNetwork:
    torch.manual_seed(0)
    network = NETWORKS[name](*earlier, 16, 2)
    with torch.no_grad():
        for tensor in network.parameters():
            tensor.normal_()
        if name in ("embedding", "bonds"):
            network.table[0] = 0  # type: ignore[operator]
    return network.eval()


@pytest.mark.parametrize(("name", "game_name"), CASES)
def test_a_network_says_what_it_said(name: str, game_name: str) -> None:
    game = GAMES[game_name]
    codes = positions(game)
    for earlier in game.earlier:
        before = earlier_network(name, earlier)
        tensors = {key: tensor.numpy() for key, tensor in before.state_dict().items()}
        after = build_network(name, game, 16, 2)
        carried = carry_over(name, tensors, earlier, game)
        after.load_state_dict({key: torch.from_numpy(value) for key, value in carried.items()})
        old = codes[:, find_entries(earlier.features, game.features)]
        logits, values = make_network_function(before)(np.ascontiguousarray(old))
        logits_now, values_now = make_network_function(after.eval())(codes)
        np.testing.assert_allclose(values_now, values, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(logits_now[:, : earlier.actions], logits, rtol=1e-4, atol=1e-4)
        assert not logits_now[:, earlier.actions :].any()


def test_entries_and_columns_are_found_by_name_and_digits_from_the_last() -> None:
    old = Features([Piece("b", 2, whole_number(3), ""), digit_piece("n", 2, "")])
    new = Features(
        [
            Piece("a", 1, FLAG, ""),
            digit_piece("n", 3, ""),
            Piece("b", 2, whole_number(5), ""),
        ]
    )
    assert find_entries(old, new).tolist() == [4, 5, 2, 3]
    top = DIGIT.top
    first = 1 + 3 * top
    wanted = [*range(first, first + 3), *range(first + 5, first + 8)]
    wanted += [*range(1 + top, 1 + 2 * top), *range(1 + 2 * top, 1 + 3 * top)]
    assert find_columns(old, new).tolist() == wanted


def test_tensors_of_another_size_are_refused() -> None:
    game = GAMES["seven_twenty_seven"]
    (earlier,) = game.earlier
    with pytest.raises(ValueError, match="inputs"):
        carry_over("numbers", {"first.weight": np.zeros((4, 5), np.float32)}, earlier, game)


def test_pieces_that_are_not_there_cannot_be_left_out() -> None:
    with pytest.raises(ValueError, match="no pieces held"):
        Features([Piece("a", 1, FLAG, "")]).with_pieces({"held": None})


def test_attention_to_more_places_is_refused() -> None:
    name, game = MORE_PLACES[0], GAMES[MORE_PLACES[1]]
    earlier = game.earlier[0]
    tensors = {k: t.numpy() for k, t in earlier_network(name, earlier).state_dict().items()}
    with pytest.raises(ValueError, match="network 'attention': the game shows cards on other"):
        carry_over(name, tensors, earlier, game)
