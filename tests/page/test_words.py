"""People read plain words on the page, not the identifiers of agents and options."""

import json
import re
from typing import Any

import pytest

from parlour.envs import GAMES, find_game
from parlour.page.session import Session, answer, describe_choice, list_games
from parlour.page.words import describe_agent, name_agent, spell_options

PYRAMID = find_game("pyramid")
RAW = re.compile(r"@|\w_\w|\w=\w")
"""Parts of identifiers: a search budget, an underscore, a value of an option."""


@pytest.mark.parametrize(
    ("spec", "name", "words"),
    [
        ("uniform", "random", "random (all moves equally likely)"),
        ("greedy", "greedy", "greedy"),
        ("pretrained", "pretrained", "pretrained (network)"),
        ("mcts@200", "tree search", "tree search (200 iterations)"),
        ("mcts@50ms:uniform", "tree search", "tree search (50 ms, guided by random)"),
        ("pimc@8", "world search", "world search (8 worlds)"),
        ("rollouts@20:greedy", "rollouts", "rollouts (20 worlds, guided by greedy)"),
        ("oracle", "oracle", "oracle (sees all cards)"),
        ("mine=runs/a/agent.json", "mine", "mine"),
        ("runs/my-agent/agent.json", "my-agent", "my-agent"),
        ("llm:http://localhost", "language model", "language model"),
        ("agents:Mine", "Mine", "Mine"),
    ],
)
def test_agents_have_plain_names(spec: str, name: str, words: str) -> None:
    assert (name_agent(spec, PYRAMID), describe_agent(spec, PYRAMID)) == (name, words)


def test_rule_based_agents_are_named_as_such() -> None:
    for game in GAMES.values():
        assert all("rule-based" in describe_agent(name, game) for name in game.rule_agents)


def test_options_are_spelled_in_words() -> None:
    text = "option stock_view must be top or all with stock_play=yes, got down"
    spelled = "option stock view must be top or all with stock play: yes, got down"
    assert spell_options(text) == spelled


def texts_of(value: Any, key: str = "") -> list[str]:
    """All texts that a person reads, in a part of a message; the page shortens ``source``."""
    if isinstance(value, dict):
        return [text for name, one in value.items() for text in texts_of(one, name)]
    if isinstance(value, list):
        return [text for one in value for text in texts_of(one, key)]
    technical = (
        "name",
        "spec",
        "value",
        "values",
        "default",
        "id",
        "place",
        "origin",
        "used",
        "source",
    )
    is_read = isinstance(value, str) and key not in (*technical, "game", "opponents", "settings")
    return [value] if is_read else []


@pytest.mark.parametrize("name", GAMES)
def test_no_identifier_is_shown(name: str) -> None:
    game = next(one for one in list_games()["games"] if one["name"] == name)
    for option in game["options"]:
        assert not RAW.search(" ".join([option["label"], option["doc"]])), option
        assert not any(RAW.search(choice["text"]) for choice in option["choices"]), option
    for variant in game["variants"]:
        assert not any(RAW.search(agent["text"]) for agent in variant["agents"]), variant
    session = Session()
    players = GAMES[name].num_players(GAMES[name].make_rules())
    seats = {"seat": 0, "opponents": ["mcts@2"]} if players > 1 else {"seat": None, "opponents": []}
    message = {"game": name, "variant": None, "options": {}, "deal": 3, "winnable": False}
    answer(session, "new", message | seats)
    told = [session.view()["play"], session.view()["agents"]]
    for spec in ("mcts@2", "greedy"):
        told.append(answer(session, "advise", {"agent": spec}))
        answer(session, "agent_move", {"agent": spec})
        told.append(session.view()["play"])
    shown = [text for one in told for text in texts_of(one)]
    assert not [text for text in shown if RAW.search(text)]
    assert players == 1 or any(text == "tree search" for text in shown)


def test_a_refused_option_is_named_in_words() -> None:
    options = {"stock_view": "down", "stock_play": "yes"}
    message = {"game": "pyramid", "variant": None, "options": options}
    told = answer(Session(), "rules", message)
    assert told is not None
    assert told["kind"] == "refused"
    assert told["text"] == spell_options(
        "option stock_view must be top or all with stock_play=yes, got down"
    )


def test_the_facts_of_a_choice_follow_the_options() -> None:
    session, message = Session(), {"game": "pyramid", "variant": None}
    told = answer(session, "rules", message | {"options": {"passes": "2"}})
    assert told is not None
    assert json.loads(json.dumps(told))["has_solver"]
    shuffled = {"passes": "2", "shuffle_redeal": "yes"}
    told = answer(session, "rules", message | {"options": shuffled})
    assert told is not None
    assert not told["has_solver"]
    game = find_game("seven_twenty_seven")
    facts = describe_choice(game, game.make_rules(None, {"players": 6}))
    assert (facts["players"], len(facts["sides"])) == (6, 6)
    assert "greedy" in [one["spec"] for one in facts["agents"]]
