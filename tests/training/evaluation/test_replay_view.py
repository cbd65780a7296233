"""A replay as data and as one HTML file: scenes, actions, and review."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.agents.registry import choose_actions
from parlour.envs import find_game
from parlour.envs.core.kernel.cards import SUIT_SIGNS
from parlour.envs.core.rows import resample_copies, view_states
from parlour.envs.core.scene.seating import name_players
from parlour.training import Replay, evaluate, load_replays, review_replay, save_html
from parlour.training.evaluation.replays.paths import find_path
from parlour.training.evaluation.replays.replay_view import replay_data
from parlour.training.play.seats import SeatChoice, TableChoice, TableSession


@pytest.fixture(scope="module")
def lone(tmp_path_factory: pytest.TempPathFactory) -> Replay:
    path = tmp_path_factory.mktemp("recorded") / "greedy.jsonl"
    evaluate(
        "pyramid",
        "greedy",
        variant="classic",
        deals=1,
        first=2,
        evaluation_seed="view",
        record=path,
    )
    return load_replays(path)[0]


@pytest.fixture(scope="module")
def table() -> Replay:
    result = find_game("seven_twenty_seven")
    choice = TableChoice(result, result.make_rules("home"), None, 5, "view")
    session = TableSession(choice, SeatChoice(1), "greedy")
    session.begin_hand()
    while not session.is_over:
        session.play(int(choose_actions(session.agents[session.seat], session.make_turn())[0]))
    return session.replay("home")


def scenes_of(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the complete scenes."""
    items = data["items"]
    return [one | {"items": [items[k] for k in one["items"]]} for one in data["scenes"]]


@pytest.mark.parametrize("seat", [None, 0])
def test_every_scene_is_there(lone: Replay, table: Replay, seat: int | None) -> None:
    for replay in (lone, table):
        data = json.loads(json.dumps(replay_data(replay, seat), allow_nan=False))
        shown = [*data["starts"], len(replay.actions)]
        assert scenes_of(data) == [replay.scene(number, seat).to_dict() for number in shown]
        ends = [number - 1 for number in shown[1:]]
        assert data["moves"] == [replay.action_text(number) for number in ends]
        assert data["review"] is None
    assert data["starts"] == list(range(len(table.actions)))


def test_a_pair_is_one_step_with_a_path_between_its_cards(lone: Replay) -> None:
    data = replay_data(lone, 0)
    scenes, pairs = scenes_of(data), 0
    for move, phrase in enumerate(data["moves"]):
        places = {(item["x"], item["y"]): item for item in scenes[move]["items"]}
        assert all(tuple(point) in places for point in data["paths"][move])
        if " with " in phrase:
            cards = [places[point]["card"] for point in data["paths"][move]]
            drawn = {card[0] + SUIT_SIGNS["cdhs".index(card[1])] for card in cards}
            assert drawn == set(re.findall(r"\w[♣♦♥♠]", phrase))
            pairs += 1
        else:
            assert not phrase.startswith("choose")
    assert pairs > 3
    assert len(data["moves"]) == lone.result["moves"]


def test_a_seat_is_shown_nothing_of_the_others_cards(table: Replay) -> None:
    """With resampled hidden cards, the seat sees the same game until its end."""
    states, seat = table.states(), 1
    others = {k: name for k, name in enumerate(table.agents) if k != seat}
    scenes = scenes_of(replay_data(table, seat))
    seats, faces = np.array([seat]), set()
    paths = replay_data(table, seat)["paths"]
    for k in range(len(table.actions)):
        for seed in range(5):
            again = resample_copies(table.game, table.rules, states[k : k + 1], seed, seat)
            shown = view_states(table.game, table.rules, again, seats)
            drawn = name_players(table.game.layout(shown[0], table.rules), others)
            assert drawn.to_dict() == scenes[k]
            action = table.actions[k : k + 1]
            assert find_path(table.game, table.rules, again, action, seat) == paths[k]
        faces |= {item["face"] for item in scenes[k]["items"]}
    assert "down" in faces


def test_the_review_tells_of_every_decision_and_sums_up(lone: Replay) -> None:
    review = review_replay(lone, worlds=10)
    result = json.loads(json.dumps(replay_data(lone, 0, review), allow_nan=False))["review"]
    assert [one["step"] for one in result["decisions"]] == review.steps.tolist()
    totals = result["totals"]
    way = totals["first_chance"] - totals["loss"] - totals["unseen"] + totals["luck"]
    assert way == pytest.approx(totals["outcome"])
    with pytest.raises(ValueError, match="seat must be 0, got 3"):
        review_replay(lone, 3, 10)


def test_the_file_needs_nothing_else(lone: Replay, tmp_path: Path) -> None:
    path = tmp_path / "game.html"
    save_html(lone, path, 0, review_replay(lone, worlds=5))
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=\"(?!data:)|@import|url\((?!#)", text)
    assert "default-src 'none'" in text
    (data,) = re.findall(r'id="parlour-data">(.*?)</script>', text)
    result = json.loads(data)
    assert len(result["replay"]["scenes"]) == lone.result["moves"] + 1
    assert result["replay"]["review"]["decisions"]
    assert text.count("</script>") == 2
    assert len(text) < 2_000_000


def test_names_in_the_file_end_no_script(lone: Replay, tmp_path: Path) -> None:
    named = replace(lone, agents=("</script><b>",))
    save_html(named, tmp_path / "game.html")
    text = (tmp_path / "game.html").read_text(encoding="utf-8")
    assert "</script><b>" not in text
    assert text.count("</script>") == 2
