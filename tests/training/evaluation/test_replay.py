"""Replays: recording of finished and unfinished games, and verification."""

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.agents.registry import load_agent
from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.batch import DealSource, Over
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rows import Rows
from parlour.envs.core.scene.scene import ansi
from parlour.training import Replay, load_replays, verify_replays
from parlour.training.evaluation.compare import compare, evaluate
from parlour.training.evaluation.replays import replay_view
from parlour.training.evaluation.replays.replay import CUT, LEFT, deal_fields, read_result
from parlour.training.evaluation.replays.replay_files import (
    MOST_ACTIONS,
    append_replays,
    iterate_replays,
    parse_replay,
    replay_line,
)

PYRAMID, TABLE = find_game("pyramid"), find_game("seven_twenty_seven")
ALONE = [
    (one, variant)
    for one in GAMES.values()
    for variant in one.variants
    if one.num_players(one.variants[variant]) == 1
]
SEVERAL = [
    (one, variant)
    for one in GAMES.values()
    for variant in one.variants
    if one.num_players(one.variants[variant]) > 1
]


def faults(replays: list[Replay]) -> list[tuple[int, str]]:
    return [(one.replay.line, one.text) for one in verify_replays(replays)]


def test_room_follows_the_file_and_not_its_longest_line() -> None:
    """Thousands of short games with one of the maximum length, and one that never ends."""
    short = random_replays(PYRAMID, "classic", 1, by_deck=False)[0]
    long = replace(short, actions=(0,) * MOST_ACTIONS, line=1)
    games = [long, *[replace(short, line=2 + i) for i in range(3000)]]
    tracemalloc.start()
    try:
        actual = faults(games)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [line for line, _ in actual] == [1]
    actions = sum(len(one.actions) for one in games)
    states = len(games) * PYRAMID.state.itemsize
    assert most < 10 * (8 * actions + states)


def random_replays(chosen: Game, variant: str, n: int, by_deck: bool) -> list[Replay]:
    """Return games of random legal actions, from numbered deals or random decks."""
    rules, rng = chosen.make_rules(variant), np.random.default_rng(5)
    names = ("someone",) * chosen.num_players(rules)
    actual = []
    for deal in range(n):
        rows = Rows(chosen, rules, 1)
        if by_deck:
            rows.seed([deal + 7])
            rows.start(DealSource.DRAW)
        else:
            rows.deal_numbered("a test", [deal])
        picked = None if by_deck else {"deal_set": "a test", "deal": deal}
        begun = deal_fields(chosen, rules, rows.states, picked)
        actions: list[int] = []
        while rows.states["over"][0] == Over.RUNNING and len(actions) < 300:
            actions.append(int(rng.choice(np.flatnonzero(rows.buffers.masks[0]))))
            rows.step(np.array(actions[-1:]))
        end = "over" if rows.states["over"][0] else LEFT
        result = read_result(chosen, rules, rows.states)[0]
        actual.append(Replay(chosen, rules, variant, names, tuple(actions), result, end, **begun))
    return actual


@pytest.mark.parametrize("by_deck", [False, True])
@pytest.mark.parametrize(
    ("chosen", "variant"), ALONE + SEVERAL, ids=lambda one: getattr(one, "name", one)
)
def test_every_variant_is_played_again(chosen: Game, variant: str, by_deck: bool) -> None:
    """The generator covers later random events: reshuffled stocks and drawn cards."""
    replays = random_replays(chosen, variant, 4, by_deck)
    read = [parse_replay(replay_line(one)) for one in replays]
    assert [replace(one, parlour="") for one in read] == replays
    assert faults(read) == []
    states = read[0].states()
    assert len(states) == len(read[0].actions) + 1
    assert read_result(chosen, read[0].rules, states[-1:].copy())[0] == read[0].result


def test_the_generator_belongs_to_a_deck() -> None:
    """Later shuffles derive from the generator."""
    replays = random_replays(PYRAMID, "second-chance", 4, by_deck=True)
    assert faults(replays) == []
    assert faults([replace(one, rng=1) for one in replays])


def test_evaluate_records_what_is_played(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    options = {"passes": 2}
    actual = evaluate(
        PYRAMID, "greedy", variant="classic", options=options, deals=60, first=5, record=path
    )
    replays = load_replays(path)
    assert sorted(one.deal for one in replays) == list(range(5, 65))  # type: ignore[type-var]
    assert faults(replays) == []
    facts = actual.results.facts
    for one in replays:
        row = one.deal - 5  # type: ignore[operator]
        assert one.result == {name: facts[name][row] for name in ("won", "score", "moves")}
        assert len(one.actions) == facts["decisions"][row]
        assert (one.agents, one.variant, one.deal_set) == (("greedy",), "classic", "pyramid-1")
        assert one.rules == PYRAMID.make_rules("classic", options)
    assert max(map(len, path.read_bytes().splitlines())) < 1000
    agent = load_agent("greedy", PYRAMID, replays[0].rules)
    for turn, action in replays[0].turns(agent):
        assert agent.act(turn).tolist() == [action]


def test_a_turn_of_a_replay_shows_what_the_seat_sees() -> None:
    (replay,) = random_replays(TABLE, "home", 1, by_deck=False)
    agent = load_agent("greedy", TABLE, replay.rules)
    states = replay.states()
    seen = list(replay.turns(agent, seed=3))
    assert [action for _, action in seen] == list(replay.actions)
    for (turn, _), state in zip(seen, states, strict=False):
        assert turn.states["turn"][0] == state["turn"]
        assert not (turn.states["deck"][0] == state["deck"]).all()


def test_compare_records_every_agent_and_variant(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    compare(
        "puss_in_the_corner",
        ["uniform", "greedy"],
        variants=["book", "suits"],
        deals=5,
        record=path,
    )
    replays = load_replays(path)
    names = {(one.agents[0], one.variant, one.deal) for one in replays}
    assert len(replays) == len(names) == 20 and faults(replays) == []


@pytest.mark.parametrize(("name", "variant"), [("seven_twenty_seven", "home"), ("poker", "duel")])
def test_tables_of_several_are_recorded(tmp_path: Path, name: str, variant: str) -> None:
    path, chosen = tmp_path / "hands.jsonl", find_game({"poker": "poker_squares"}.get(name, name))
    actual = compare(
        chosen, ["greedy", "uniform"], variants=[variant], deals=3, hands=2, record=path
    )
    replays = load_replays(path)
    assert faults(replays) == []
    seats = chosen.num_players(actual.evaluations[0].spec.rules)
    assert len(replays) == len(actual.evaluations) * 3 * 2 * seats
    assert {one.hand for one in replays} == {0, 1}
    assert {len(one.agents) for one in replays} == {seats}


def test_hands_are_those_that_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    actual = compare(TABLE, ["greedy", "uniform"], deals=4, record=path)
    pair = actual.pairs(actual.evaluations[0].spec.variant)["uniform", "greedy"]
    mine = [
        one
        for one in load_replays(path)
        if sorted(one.agents) == sorted(["uniform", *["greedy"] * (len(one.agents) - 1)])
    ]
    nets = [one.result["net"][one.agents.index("uniform")] for one in mine]
    assert len(mine) == pair.results.nets.size and sum(nets) == pair.results.nets.sum()
    for deal in range(4):
        of_deal = [net for one, net in zip(mine, nets, strict=True) if one.deal == deal]
        assert sorted(of_deal) == sorted(pair.results.nets[deal].tolist())


def test_games_cut_off_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    evaluate(PYRAMID, "greedy", deals=6, max_moves=3, record=path)
    replays = load_replays(path)
    assert {one.end for one in replays} == {CUT} and faults(replays) == []
    message = f"the game is not over after its {len(replays[0].actions)} actions, recorded: over"
    assert faults([replace(replays[0], end="over")]) == [(replays[0].line, message)]


def some(tmp_path: Path, n: int = 6) -> tuple[Path, list[Replay]]:
    path = tmp_path / "games.jsonl"
    append_replays(path, random_replays(PYRAMID, "classic", n, by_deck=False))
    return path, load_replays(path)


def test_what_is_not_as_recorded_is_named(tmp_path: Path) -> None:
    _, (one, two, *_) = some(tmp_path)
    state = one.states()[4]
    wrong = next(a for a in range(PYRAMID.actions) if a not in list_actions(state["legal"]))
    changed = (*one.actions[:4], wrong, *one.actions[5:])
    named = f"action 5, {PYRAMID.describe_action(state, one.rules, wrong)}, is not legal"
    assert faults([two, replace(one, actions=changed)]) == [(one.line, named)]
    with pytest.raises(ValueError, match=r"the replay cannot be played: action 5, "):
        replace(one, actions=changed).states()
    longer = replace(one, actions=(*one.actions, 0))
    assert "comes after the end of the game" in faults([longer])[0][1]
    shorter = replace(one, actions=one.actions[:-1])
    assert "the game is not over after its" in faults([shorter])[0][1]
    better = replace(one, result=one.result | {"score": 7000, "won": 1})
    assert "score is " in faults([better])[0][1] and "recorded: 7000" in faults([better])[0][1]
    assert faults([replace(one, deal=77)])
    assert faults([replace(one, result={"score": one.result["score"]})])


def test_many_are_verified_in_the_order_of_the_file(tmp_path: Path) -> None:
    _, replays = some(tmp_path, 30)
    broken = [replace(one, result={}) if one.line % 7 == 0 else one for one in replays]
    others = random_replays(find_game("poker_squares"), "book", 3, by_deck=True)
    assert [line for line, _ in faults([*broken, *others])] == [7, 14, 21, 28]


def test_a_last_line_cut_short_is_told_and_skipped(tmp_path: Path) -> None:
    path, replays = some(tmp_path, 3)
    data = path.read_bytes()
    last = data.rindex(b"\n", 0, -1) + 1
    for cut in range(last, len(data)):
        path.write_bytes(data[:cut])
        told: list[str] = []
        read = list(iterate_replays(path, told.append))
        assert read == replays[: len(read)]
        assert len(read) == (2 if cut < len(data) - 1 else 3)
        assert len(told) == (1 if last < cut < len(data) - 1 else 0)
    path.write_bytes(data[: last + 9])
    with pytest.warns(UserWarning, match="line 3, the last, is incomplete and was skipped"):
        assert load_replays(path) == replays[:2]


def test_games_are_in_the_file_as_soon_as_they_have_ended(tmp_path: Path) -> None:
    """An interrupted run keeps the games that have ended."""
    path = tmp_path / "games.jsonl"

    def stop(ended: int) -> None:
        if path.read_bytes().count(b"\n") >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(PYRAMID, "greedy", deals=300, record=path, progress=stop)
    replays = load_replays(path)
    assert 10 <= len(replays) < 300 and faults(replays) == []


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    path, _ = some(tmp_path, 1)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"record must be a new file, got .*games.jsonl"):
        evaluate(PYRAMID, "greedy", deals=1, record=path)
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match=r"record .*: No such file or directory"):
        evaluate(PYRAMID, "greedy", deals=1, record=tmp_path / "none" / "x.jsonl")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "field format must be 1, got 2"),
        ({"game": "whist"}, "got 'whist'"),
        ({"variant": "none"}, "got 'none'"),
        ({"options": {"passes": 99}}, "passes"),
        ({"rules": "0" * 16}, "got 0000000000000000: another version of Pyramid"),
        ({"actions": [1, 2.5]}, "field actions must be a list of integers"),
        ({"actions": [True]}, "field actions must be a list of integers"),
        ({"actions": [99]}, "field actions must have numbers from 0 to 41, got 99"),
        ({"actions": [-1]}, "field actions must have numbers from 0 to 41, got -1"),
        ({"agents": []}, "field agents must have 1 names, got 0"),
        ({"end": "soon"}, "field end must be one of over, cut, left"),
        (
            {"deal": None},
            "fields of the deal must be deal_set and deal, or deck and rng, got deal_set",
        ),
        ({"deal": -1}, "field deal"),
        ({"deck": "Ac"}, "or deck and rng, got deal, deal_set, deck"),
        ({"dealer": 0}, "or null in a game without a dealer, got 0"),
        ({"rng": "xyz"}, "field rng must be 16 hex digits, or null, got 'xyz'"),
        ({"more": 1}, "field must be one of format, .*, got 'more'"),
        ({"result": 3}, "field result must be a dict by names"),
        ({"result": {"\ud83d": 1}}, "field result must be a dict by names"),
        ({"agents": ["\ud83d"]}, "field agents must be a list of names"),
        ({"agents": ["two\nlines"]}, "field agents must be a list of names"),
    ],
)
def test_lines_that_cannot_be_are_refused_by_field(
    tmp_path: Path, change: Any, message: str
) -> None:
    path, _ = some(tmp_path, 2)
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{json.dumps(json.loads(second) | change)}\n")
    with pytest.raises(ValueError, match=rf"games.jsonl: line 2: .*{message}"):
        load_replays(path)


@pytest.mark.parametrize("middle", ["{", "[]", "[" * 20_000, "\x00", '{"format":1}', "NaN"])
def test_a_broken_line_in_the_midst_is_refused(tmp_path: Path, middle: str) -> None:
    path, _ = some(tmp_path, 2)
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{middle}\n{second}\n")
    with pytest.raises(ValueError, match=r"games\.jsonl: line 2: "):
        load_replays(path)


def test_positions_are_shown(tmp_path: Path) -> None:
    _, (one, *_) = some(tmp_path)
    assert one.headline.startswith("Pyramid, classic, deal 0 of a test: someone: won ")
    assert repr(one) == f"<Replay: {one.headline}>"
    first = ansi(one.scene(0))
    assert first != ansi(one.scene()) == ansi(one.scene(len(one.actions)))
    for move in range(len(one.actions)):
        assert one.action_text(move)
    with pytest.raises(
        ValueError, match=r"move must be from 0 \(the deal\) to 42, or -1 \(the end\), got 999"
    ):
        one.scene(999)
    with pytest.raises(ValueError, match="seat must be 0, got 1"):
        one.scene(0, seat=1)
    (hand,) = random_replays(TABLE, "home", 1, by_deck=False)
    assert ansi(hand.scene(0, seat=0)) != ansi(hand.scene(0, seat=1))
    assert hand.action_text(0).startswith("seat ")
    with pytest.raises(ValueError, match=r"^move must be an integer from 0 to \d+, got -1$"):
        hand.action_text(-1)


def test_a_film_has_a_picture_a_position(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    _, (one, *_) = some(tmp_path)
    one = replace(one, actions=one.actions[:5])
    drawn: list[Any] = []

    def draw(scene: Any) -> np.ndarray:
        drawn.append(scene)
        return np.full((8, 9, 3), 20 * len(drawn), np.uint8)

    path = tmp_path / "game.gif"
    replay_view.save_film(one, path, seconds=0.1, draw=draw)
    assert drawn == [one.scene(move) for move in range(6)]
    with image.open(path) as made:
        assert (made.n_frames, made.size, made.info["duration"]) == (6, (9, 8), 100)
    for wrong in ({"path": tmp_path / "a.mp4"}, {"path": path, "seconds": 0}):
        with pytest.raises(ValueError, match="must be"):
            replay_view.save_film(one, draw=draw, **wrong)
