"""Games with partners: the agent has all seats of its side, or a partner has the others."""

import numpy as np
import pytest

from parlour.agents.baselines import UniformAgent
from parlour.agents.registry import Turn
from parlour.envs import GAMES
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.training.evaluation.compare import compare
from parlour.training.evaluation.play import play_duplicate


class Seen(UniformAgent):
    """Plays the first legal action, and remembers the decks and seats of its decisions."""

    sees_all = True

    def __init__(self, name: str) -> None:
        self.name, self.seats = name, set[tuple[bytes, int]]()

    def act(self, turn: Turn) -> np.ndarray:
        states = turn.states
        self.seats |= {(one["deck"].tobytes(), int(one["turn"])) for one in states}
        return turn.masks.argmax(axis=1)


def test_a_partner_has_the_other_seats_of_a_side() -> None:
    table = GAMES["twenty_eight"]
    rules, seeds = table.make_rules(), deal_seeds("partners", range(30))
    own, mate, other = Seen("own"), Seen("mate"), Seen("other")
    result = play_duplicate(table, rules, own, [other], seeds, partner=mate, evaluation_seed="p")
    alone = play_duplicate(table, rules, Seen("alone"), [other], seeds, evaluation_seed="p")
    np.testing.assert_array_equal(result.nets, alone.nets)  # all play the same way
    assert own.seats == mate.seats == other.seats
    assert len({seat for _, seat in own.seats}) == 4 and (result.nets != 0).any()


def test_a_bad_partner_costs() -> None:
    good, bad = (
        compare(
            "twenty_eight",
            ["greedy"],
            opponents=["greedy"],
            partner=name,
            deals=60,
            evaluation_seed="k",
        ).evaluations[0]
        for name in (None, "uniform")
    )
    assert (good.partner, bad.partner) == (None, "uniform")
    assert good.net.mean == 0
    assert bad.net.high < -0.3


@pytest.mark.parametrize("name", ["seven_twenty_seven", "poker_squares"])
def test_where_all_play_for_themselves_there_is_no_partner(name: str) -> None:
    variants = ["duel"] if name == "poker_squares" else None
    with pytest.raises(
        ValueError, match="partner must be None because these rules have no partners, got 'greedy'"
    ):
        compare(name, ["uniform"], variants=variants, partner="greedy", deals=2)
