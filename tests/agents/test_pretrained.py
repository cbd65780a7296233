"""Pretrained agents load, are small, and beat greedy or their opponents."""

import json
from pathlib import Path

import pytest

from parlour.agents.baselines import HEURISTIC_NETWORK
from parlour.agents.registry import load_agent
from parlour.agents.saved import MANY_RULES, PRETRAINED_FOLDER
from parlour.envs import GAMES
from parlour.training.evaluation.compare import compare, evaluate
from tests.marks import slow_if

FOLDERS = sorted(path for path in PRETRAINED_FOLDER.iterdir() if path.is_dir())
MOST = 5 * 2**20
SLOW = ("pyramid-book", "pyramid-many", "pyramid-open-stock", "puss_in_the_corner-no-redeal")
"""Agents whose tests are slow tests; other agents of their kind are tested in every run."""
PLAYED = {"pyramid-many": "turn-back"}
"""The rules by which agents for many rules are tested."""


@pytest.mark.parametrize(
    "folder", [slow_if(folder.name in SLOW, folder, name=folder.name) for folder in FOLDERS]
)
@pytest.mark.parametrize("deals", [2000, slow_if(True, 6000)])
def test_it_is_small_and_beats_greedy(folder: Path, deals: int) -> None:
    assert sum(file.stat().st_size for file in folder.iterdir()) <= MOST
    card = json.loads((folder / "agent.json").read_text(encoding="utf-8"))
    assert folder.name == f"{card['game']}-{card['variant'] or MANY_RULES}"
    variant = card["variant"] or PLAYED[folder.name]
    assert card["trained"]["settings"] and card["scored"]
    game = GAMES[card["game"]]
    if game.num_players(game.make_rules(variant)) > 1:
        match = evaluate(game, "pretrained", variant=variant, deals=800)
        assert match.net.low > 0
        return
    # Greedy's own weights, searched on from there, may be no better: then rule-based agents count.
    is_heuristic = card["network"]["name"] == HEURISTIC_NETWORK
    others = list(game.rule_agents) if is_heuristic else ["greedy"]
    result = compare(game, [*others, "pretrained"], variants=[variant], deals=deals)
    name = result.evaluations[-1].agent
    by_whom = {one.minus: one for one in result.differences if one.agent == name}
    assert set(by_whom) == set(others)
    for one in by_whom.values():
        assert (one.score if game.measure == "score" else one.reached).low > 0


def test_rules_without_one_are_told_which_there_are() -> None:
    game = GAMES["poker_squares"]
    with pytest.raises(
        ValueError, match=r"no pretrained agent for these rules\. .*: .*poker_squares-classic"
    ):
        load_agent("pretrained", game, game.make_rules("british"))
    with pytest.raises(ValueError, match="the folder 'greedy' does not exist"):
        load_agent("expectimax:greedy", game, game.make_rules())
