"""A session without a browser: clicks, taking back moves, notices, agents and results."""

import json
import re
import sqlite3
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES, find_game
from parlour.envs.core.legal import MOST_ACTIONS
from parlour.envs.core.rows import resample_copies, write_states
from parlour.envs.core.solve import play_actions, solver_of
from parlour.page.play import SeatSession, SolitaireSession
from parlour.page.session import MOST_SESSIONS, Session, Sessions, answer, list_games
from parlour.page.store import COLUMNS, ResultStore
from parlour.page.thinking import PageAgent, Thinking, list_agents, load_page_agent
from parlour.page.workers import AbandonedError
from parlour.training.play.solitaire import LIMIT
from tests.marks import slow_if
from tests.page.conftest import agents_game

PYRAMID = find_game("pyramid")
ANY = 3
"""An arbitrary deal."""
DEAL, UNDO = 39, 41


def begin(session: Session | None = None, name: str = "pyramid", **fields: Any) -> Session:
    session = session or Session()
    given = {"variant": None, "options": {}, "deal": None, "winnable": False}
    given |= {"seat": None, "opponents": []}
    session.handle("new", {"game": name, **given, **fields})
    return session


def lone(session: Session) -> SolitaireSession:
    assert isinstance(session.play, SolitaireSession)
    return session.play


def click(session: Session, *actions: int) -> None:
    for action in actions:
        session.handle("click", {"action": action, "start": None})


def solution(session: Session) -> list[int]:
    play = lone(session)
    actual = solver_of(PYRAMID, play.rules)(play.deal.history[-1], play.rules)
    assert actual.actions is not None
    return actual.actions


@cache
def offered_by(session: Session) -> list[str]:
    """The agents for hints, as specs."""
    return [one["spec"] for one in session.view()["agents"]]


def winnable_deal(variant: str) -> int:
    rules = PYRAMID.make_rules(variant)
    solve = solver_of(PYRAMID, rules)
    for deal in range(50):
        play = SolitaireSession(PYRAMID, variant, {}, {"deal": deal, "deal_set": "pyramid-1"})
        if solve(play.deal.history[0], rules, limit=LIMIT).winnable:
            return deal
    raise AssertionError("no deal can be won")


def test_a_solvers_clicks_win_and_the_result_is_kept(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "new" / "results.sqlite")
    session = begin(Session(store), variant="classic", deal=(deal := winnable_deal("classic")))
    click(session, *solution(session))
    view = session.view()["play"]
    assert view["over"] == f"You won in {view['moves']} moves."
    assert view["outcome"] == "won"
    store.close()
    (row,) = ResultStore(tmp_path / "new" / "results.sqlite").rows()
    assert list(row) == list(COLUMNS)
    assert row["source"] == f"deal {deal}, deal set pyramid-1"
    assert (row["won"], row["score"], row["taken_back"]) == (1, view["score"], 0)
    assert (row["variant"], row["moves"]) == ("classic", view["moves"])


def test_cards_of_a_move_may_be_clicked_in_any_order() -> None:
    session = begin(variant="classic", deal=ANY)
    play = lone(session)
    pair = next(move for move in play.moves if len(move) == 2)
    click(session, pair[1])
    view = play.view()
    assert view["selected"] == [pair[1]]
    assert pair[0] in view["can"]
    click(session, pair[1])  # put back
    assert play.selected == []
    click(session, *reversed(pair))
    assert play.deal.info["moves"] == 1
    session.handle("restart", {})
    session.handle("click", {"action": pair[0], "start": pair[1]})  # dragged
    assert play.deal.info["moves"] == 1


def test_an_illegal_click_changes_nothing_and_says_why() -> None:
    session = begin(variant="classic", deal=ANY)
    before = session.view()
    output = answer(session, "click", {"action": 0, "start": None})
    assert output is not None
    assert output["kind"] == "refused"
    assert "covered by" in output["text"]
    for wrong in (41, 62):
        assert answer(session, "click", {"action": wrong, "start": None})
    after = session.view()
    assert after["number"] == before["number"]
    assert {**after["play"], "seconds": 0} == {**before["play"], "seconds": 0}


def test_what_is_taken_back_is_marked_where_the_rules_have_no_undo() -> None:
    for variant, marked in (("classic", True), ("web", False)):
        session = begin(variant=variant, deal=ANY)
        start = session.view()["play"]["scene"]
        assert answer(session, "take_back", {})  # nothing there
        session.handle("agent_move", {"agent": "greedy"})
        session.handle("take_back", {})
        view = session.view()["play"]
        assert view["scene"] == start
        assert view["taken_back"] is marked
        assert lone(session).result()["taken_back"] is marked


def walk_watched(variant: str, deal: int, seed: int) -> tuple[Session, list[bool | None]]:
    """Play at random until the game is lost or over, and compare each notice with the solver.

    The solver judges the same moves under the same rules without UNDO.
    """
    rng, plain = np.random.default_rng(seed), PYRAMID.make_rules(variant)._replace(undo=False)
    solve = solver_of(PYRAMID, plain)
    start = SolitaireSession(
        PYRAMID, None, plain._asdict(), {"deal": deal, "deal_set": "pyramid-1"}
    )
    session = begin(variant=variant, deal=deal)
    play, clicks, actual = lone(session), [], []
    while actual[-1:] != [False] and len(clicks) < 300:
        moves = [move for move in play.moves if move != [UNDO]]
        taking = [move for move in moves if min(move) < DEAL] or moves
        move = taking[rng.integers(len(taking))]
        click(session, *move)
        clicks += move
        assert play.view()["notice"] == ""  # before the solver has looked
        if play.deal.is_over:
            break
        session.judge()
        view, state = play.view(), play_actions(PYRAMID, plain, start.deal.history[0], clicks)
        truth = solve(state, plain, limit=LIMIT).winnable
        assert view["chances"]["position"] is truth
        assert bool(view["notice"]) is (truth is False)
        actual.append(truth)
    return session, actual


@pytest.mark.parametrize("variant", ["classic", "web"])
def test_the_notice_appears_exactly_when_the_solver_says_so(variant: str) -> None:
    deal = {"classic": winnable_deal("classic"), "web": 14}[variant]  # 14 is lost by such moves
    session, actual = walk_watched(variant, deal, seed=0)
    assert actual[-1] is False
    assert "take back moves" in session.view()["play"]["notice"]
    if variant == "web":
        click(session, UNDO)
    else:
        session.handle("take_back", {})
    session.judge()  # what was lost is won back
    view = session.view()["play"]
    assert view["chances"] == {"deal": True, "position": True}
    assert view["notice"] == ""


@pytest.mark.parametrize("variant", ["classic", "web"])
def test_a_deal_that_cannot_be_won_is_said_so_at_once(variant: str) -> None:
    rules = PYRAMID.make_rules(variant)
    solve = solver_of(PYRAMID, rules)
    for deal in (4, 7):  # 7 is lost by both
        session = begin(variant=variant, deal=deal)
        first = solve(lone(session).deal.history[0], rules, limit=LIMIT).winnable
        session.judge()
        assert session.view()["play"]["chances"] == {"deal": first, "position": first}
        output = session.view()["play"]["notice"]
        assert output == ("This deal cannot be won." if first is False else "")
    assert first is False


def test_klondike_on_the_page() -> None:
    session = begin(name="klondike", deal=ANY)
    offered = offered_by(session)
    assert {"pretrained", "hindsight@200", "pimc@8", "oracle"} <= set(offered)
    click(session, *[0] * 8)  # the whole stock
    advice = session.handle("advise", {"agent": "hindsight@20"})
    assert advice is not None
    session.handle("agent_move", {"agent": "hindsight@20"})
    assert lone(session).result()["agent_moves"] == 1
    before = session.view()["play"]["moves"]
    session.handle("take_back", {})
    assert session.view()["play"]["moves"] == before - 1
    assert "hindsight" not in offered_by(begin(name="klondike", variant="three-passes"))


def test_agents_with_a_solver_are_offered_where_it_supports_the_rules() -> None:
    solving = {"pimc@8", "oracle"}
    assert solving <= set(offered_by(begin(variant="classic", deal=ANY)))
    assert not solving & set(offered_by(begin(variant="second-chance", deal=ANY)))


def test_an_agent_advises_and_plays_to_the_end() -> None:
    session = begin(variant="classic", deal=ANY)
    advice = session.handle("advise", {"agent": "greedy"})
    assert advice is not None
    assert sum(row["probability"] for row in advice["actions"]) == 1
    json.dumps(advice, allow_nan=False)  # as it is sent
    assert advice["number"] == session.number
    while not session.view()["play"]["over"]:
        session.handle("agent_move", {"agent": "greedy"})
    assert answer(session, "agent_move", {"agent": "greedy"}) == {
        "kind": "refused",
        "text": "The game is over.",
    }
    assert lone(session).result()["agent_moves"] > 5
    assert lone(session).own_best == ""  # it was not the person's
    assert lone(session).replay()[0].agents == ("the greedy agent",)
    assert session.view()["play"]["helped"] == "played by the greedy agent"
    session.handle("take_back", {})
    click(session, *lone(session).moves[0])
    while not session.view()["play"]["over"]:
        session.handle("agent_move", {"agent": "greedy"})
    assert lone(session).replay()[0].agents == ("you and the greedy agent",)


def test_no_agent_that_sees_hidden_cards_is_asked_at_a_table() -> None:
    session = begin(name="twenty_eight", deal=4)
    assert "oracle" not in offered_by(session)
    text = "agent must not see the hidden cards in Twenty-Eight, got 'oracle'"
    for request in ("advise", "agent_move"):
        assert answer(session, request, {"agent": "oracle"}) == {"kind": "refused", "text": text}


def test_a_game_is_reviewed_when_it_is_over_and_not_before() -> None:
    """A review knows all cards, so a player must not see it during the game."""
    session = begin(variant="classic", deal=ANY)
    assert answer(session, "review", {}) == {"kind": "refused", "text": "The game is not over yet."}
    while not session.view()["play"]["over"]:
        session.handle("agent_move", {"agent": "greedy"})
    number = session.number
    output = session.handle("review", {})
    assert output is not None
    assert output["kind"] == "replay"
    assert len(output["data"]["moves"]) == lone(session).env.state["moves"]
    assert session.number == number  # the game itself has not changed
    actual = session.review()
    assert (actual["kind"], actual["ticket"]) == ("review", output["ticket"])
    assert actual["review"]["totals"]["outcome"] == float(lone(session).deal.result().won)
    json.dumps([output, actual], allow_nan=False)


def test_a_hand_is_reviewed_as_ones_own_seat_sees_it() -> None:
    session = begin(name="seven_twenty_seven", variant="mini", deal=4, seat=1)
    if not table_of(session).table.is_over:
        assert answer(session, "review", {})
    play_hand(session)
    output = session.handle("review", {})
    assert output is not None
    assert session.shown is not None
    assert session.shown.seat == 1
    states = session.shown.replay.states()
    begin_at = output["data"]["begin"]
    assert states[begin_at]["turn"] == 1
    assert begin_at == (states["turn"][:-1] == 1).argmax()  # it always has a choice
    down = [item for item in output["data"]["items"] if item["face"] == "down"]
    assert all(item["card"] is None for item in down)


def test_recorded_games_are_opened_by_number() -> None:
    replay = agents_game("classic", ANY)
    session = Sessions(replays=(replay,)).find(None)
    assert list_games((replay,))["replays"] == [replay.headline]
    output = session.handle("replay", {"number": 0})
    assert output is not None
    assert len(output["data"]["scenes"]) == replay.result["moves"] + 1
    assert answer(session, "replay", {"number": 1}) == {
        "kind": "refused",
        "text": "number must be below the number of recorded games (1), got 1",
    }


def test_no_agent_is_a_path_or_a_module() -> None:
    rules = PYRAMID.make_rules("classic")
    for spec in (
        "os:system",
        "mcts:os:system",
        "/etc",
        "human",
        "x=greedy",
        "mcts@99999",
        "a" * 80,
    ):
        with pytest.raises(ValueError, match=r"^(agent|search budget) must be"):
            load_page_agent(spec, PYRAMID, rules)
    assert load_page_agent("mine=greedy", PYRAMID, rules, ("mine=greedy",)).name == "mine"
    for spec in list_agents(PYRAMID, rules):
        if spec != "pretrained":
            load_page_agent(spec, PYRAMID, rules)


def table_of(session: Session) -> SeatSession:
    assert isinstance(session.play, SeatSession)
    return session.play


def play_hand(session: Session) -> None:
    play = table_of(session)
    while not play.table.is_over:
        click(session, play.view()["can"][-1])


@pytest.mark.parametrize(
    ("name", "agents"),
    [("seven_twenty_seven", 3), ("twenty_eight", 3), ("twenty_nine", 3), ("fifty_six", 5)],
)
def test_hands_against_agents_and_what_they_bring(tmp_path: Path, name: str, agents: int) -> None:
    store = ResultStore(tmp_path / "results.sqlite")
    session = begin(Session(store), name, opponents=["greedy"], deal=4)
    view = session.view()["play"]
    assert [seat["you"] for seat in view["seats"]] == [True, *[False] * agents]
    together = name != "seven_twenty_seven"
    partners = [k for k, seat in enumerate(view["seats"]) if seat["partner"]]
    assert partners == [k for k in range(1, agents + 1) if together and k % 2 == 0]
    assert view["unit"] == ("stakes" if together else "chips")
    play_hand(session)
    session.handle("next_hand", {})
    assert answer(session, "next_hand", {})  # this one goes on
    play_hand(session)
    view = session.view()["play"]
    has_bid = re.search(r"\. (Your|The other) side bid \d+ and took \d+\.$", view["over"])
    assert bool(has_bid) is together
    totals = [seat["total"] for seat in view["seats"]]
    assert sum(totals) == 0
    rows = store.rows()
    assert [row["source"].rpartition(", ")[2] for row in rows] == ["hand 1", "hand 2"]
    assert sum(row["score"] for row in rows) == totals[0]
    assert rows[0]["players"] == ", ".join(["you", *["greedy"] * agents])


@pytest.mark.parametrize("name", ["seven_twenty_seven", "twenty_eight", "fifty_six"])
def test_steps_are_what_ones_own_seat_sees_after_each_action(name: str) -> None:
    """Every position of the hand is shown once, in order, as the person's seat sees it."""
    session = begin(name=name, opponents=["greedy"], deal=4, seat=1)
    play, shown, texts = table_of(session), [], []
    while True:
        view = session.view()["play"]
        shown += [*(step["scene"] for step in view["steps"]), view["scene"]]
        texts += [step["text"] for step in view["steps"]]
        if play.table.is_over:
            break
        click(session, view["can"][-1])
    replay = play.replay()[0]
    assert shown == [replay.scene(k, seat=1).to_dict() for k in range(len(replay.actions) + 1)]
    tricks = [text for text in texts if " the trick with " in text]
    assert bool(tricks) is (name != "seven_twenty_seven")


def test_a_page_that_connects_while_an_opponent_thinks_is_not_shown_earlier_steps() -> None:
    session = begin(name="twenty_eight", opponents=["greedy"], deal=4)
    play = table_of(session)
    choose, turns = play.opponents[0].choose, iter([True, False])

    def abandon(*arguments: Any) -> int:
        if next(turns, True):
            return choose(*arguments)
        raise AbandonedError

    play.opponents[0].choose = abandon  # type: ignore[method-assign]
    with pytest.raises(AbandonedError):
        while not play.table.is_over:
            click(session, play.view()["can"][-1])
    assert play.is_waiting
    assert play.view()["steps"] == []
    before = play.view()["scene"]
    seat = play.table.seat
    session.handle("go_on", {})
    prompt = f"Waiting for seat {seat}."
    assert play.view()["steps"][0] == {"scene": before, "prompt": prompt, "text": ""}


def test_only_cards_of_ones_own_hand_are_clicked_when_a_twin_is_on_the_table() -> None:
    """Fifty-Six has two packs: the other copy of a card may be in the trick."""
    twins = 0
    for deal in range(8):
        session = begin(name="fifty_six", opponents=["greedy"], deal=deal)
        play = table_of(session)
        while not play.table.is_over:
            view = play.view()
            items = {item["id"]: item for item in view["scene"]["items"]}
            hand = {name for name, item in items.items() if item["place"] == "seat-0"}
            assert set(view["targets"]) <= hand
            assert set(view["targets"].values()) <= set(view["can"])
            held = {items[name]["card"] for name in view["targets"]}
            table = {item["card"] for item in items.values() if item["place"] != "seat-0"}
            twins += bool(held & table)
            click(session, view["can"][0])
    assert twins


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("twenty_eight", ["pimc@8"]),  # rollouts compile for long
        slow_if(True, "twenty_eight", ["pimc@8", "rollouts@20:greedy"]),
        slow_if(True, "fifty_six", ["pimc@8", "rollouts@20:greedy"]),
    ],
)
def test_searches_are_offered_at_tables_and_play_there(name: str, asked: list[str]) -> None:
    session = begin(name=name, deal=4, opponents=["greedy"])
    assert {"pimc@8", "rollouts@20:greedy"} <= set(offered_by(session))
    for agent in asked:
        advice = session.handle("advise", {"agent": agent})
        assert advice is not None
        assert len(advice["actions"]) > 1
    offered = offered_by(begin(name="seven_twenty_seven", deal=4))
    assert "rollouts@20:greedy" in offered
    assert "pimc@8" not in offered


def test_a_hand_is_played_again_and_then_does_not_count_as_won(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "results.sqlite")
    session = begin(Session(store), "twenty_eight", deal=5, seat=0, opponents=["greedy"])
    play = session.play
    assert isinstance(play, SeatSession)
    own = play.view()["scene"]["items"]
    for is_repeated in (False, True):
        assert play.view()["scene"]["items"] == own
        assert play.is_repeated == is_repeated
        while not play.table.is_over:
            session.handle("agent_move", {"agent": "greedy"})
        total = play.table.totals.tolist()
        assert total == play.table.nets.tolist()
        session.handle("restart", {})
        assert play.table.totals.tolist() == [0, 0, 0, 0]
    assert [row["taken_back"] for row in store.rows()] == [0, 1]
    while not play.table.is_over:
        session.handle("agent_move", {"agent": "greedy"})
    session.handle("next_hand", {})
    assert (play.table.hand, play.is_repeated) == (2, False)


def test_games_that_an_agent_played_do_not_count(tmp_path: Path) -> None:
    session = begin(Session(ResultStore(tmp_path / "results.sqlite")), variant="classic", deal=ANY)
    while not session.view()["play"]["over"]:
        session.handle("agent_move", {"agent": "greedy"})
    tally = session.view()["tally"]
    assert tally == {"played": 0, "won": 0, "score": None, "moves": None, "total": 0}
    session = begin(session, "twenty_eight", deal=4, opponents=["greedy"])
    while not session.view()["play"]["over"]:
        session.handle("agent_move", {"agent": "greedy"})
    view = session.view()
    assert (view["tally"]["played"], view["tally"]["score"]) == (0, None)
    assert "The greedy agent" in view["play"]["over"]
    assert table_of(session).replay()[0].agents[:2] == ("the greedy agent", "greedy")


@pytest.mark.parametrize("name", ["twenty_eight", "twenty_nine", "fifty_six"])
def test_a_bid_is_told_from_the_view_of_the_person(name: str) -> None:
    for seat in range(4):
        session = begin(name=name, opponents=["greedy"], deal=4, seat=seat)
        play = table_of(session)
        while not play.table.rows.states["tricks"][0]:
            session.handle("agent_move", {"agent": "greedy"})
        bidder = int(play.table.rows.states["bidder"][0])
        contract = " ".join(text["text"] for text in session.view()["play"]["scene"]["texts"])
        assert ("You bid" in contract) == (bidder == seat)
        assert (f"Seat {bidder} bid" in contract) == (bidder != seat)
        while not session.view()["play"]["over"]:
            session.handle("agent_move", {"agent": "greedy"})
        whose = "Your side" if bidder % 2 == seat % 2 else "The other side"
        assert f" {whose} bid " in session.view()["play"]["over"]
    session = begin(name="twenty_eight", variant="three", opponents=["greedy"], deal=4)
    play_hand(session)
    assert re.search(r" (You|Seat [12]) bid \d+ and took", session.view()["play"]["over"])


def test_cards_are_turned_up_in_the_order_of_the_table() -> None:
    session = begin(name="klondike", variant="classic", deal=ANY)
    deal = next(i["action"] for i in session.view()["play"]["scene"]["items"] if i["id"] == "stock")
    for _ in range(3):
        click(session, deal)
        view = session.view()["play"]
        waste = [i["card"] for i in view["scene"]["items"] if i["place"] == "waste"][-3:]
        (told,) = [text for text in view["events"] if text.startswith("Turned up: ")]
        signs = str.maketrans(dict(zip("cdhs", "♣♦♥♠", strict=True)))
        assert told == f"Turned up: {', '.join(card.translate(signs) for card in waste)}."


@pytest.mark.parametrize(
    ("name", "options", "ending"),
    [
        (
            "klondike",
            {"passes": "1", "worry_back": "no", "partial_runs": "no"},
            "Lost: no card of the columns, the stock or the waste can be ",
        ),
        ("poker_squares", {}, "The random agent scored "),
    ],
)
def test_the_ending_says_why(name: str, options: dict[str, str], ending: str) -> None:
    session = begin(name=name, options=options, deal=ANY)
    while not session.view()["play"]["over"]:
        session.handle("agent_move", {"agent": "uniform"})
    over = session.view()["play"]["over"]
    assert over.startswith(ending)
    assert name == "klondike" or over.endswith(" points. The goal was not reached.")


def test_a_seat_that_must_bid_is_told_why() -> None:
    prompts = [
        begin(name="twenty_eight", opponents=["greedy"], deal=4, seat=seat).view()["play"]["prompt"]
        for seat in range(4)
    ]
    assert "Bid at least 14: you speak first, so you must bid." in prompts
    assert all(", or pass." in text or "so you must bid" in text for text in prompts)


def test_of_three_players_stakes_may_be_halves() -> None:
    session = begin(name="twenty_eight", variant="three", opponents=["greedy"], deal=4)
    play_hand(session)
    nets = sorted(abs(seat["net"]) for seat in session.view()["play"]["seats"])
    assert nets == [0.5, 0.5, 1.0]


def test_a_seat_is_shown_nothing_of_hidden_cards() -> None:
    session = begin(name="seven_twenty_seven", deal=4, opponents=["greedy"])
    play = table_of(session)
    rows, before = play.table.rows, session.view()
    for seed in range(20):
        states = resample_copies(play.game, play.rules, rows.states, seed, play.table.own_seat)
        write_states(rows.states, slice(None), states)
        assert session.view() == before


def test_the_page_counts_ones_games_by_their_rules(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "results.sqlite")
    session = begin(Session(store), variant="classic", deal=(deal := winnable_deal("classic")))
    empty = {"played": 0, "won": 0, "score": None, "moves": None, "total": 0}
    assert session.view()["tally"] == empty
    click(session, *solution(session))
    view = session.view()
    best = {"score": view["play"]["score"], "moves": view["play"]["moves"]}
    best["total"] = best["score"]
    assert view["tally"] == {"played": 1, "won": 1, **best}
    begin(session, variant="classic", deal=deal)
    session.handle("agent_move", {"agent": "greedy"})
    while not session.view()["play"]["over"]:
        session.handle("agent_move", {"agent": "greedy"})
    assert session.view()["tally"] == {"played": 1, "won": 1, **best}  # the agent's does not count
    begin(session, variant="web", deal=deal)
    assert session.view()["tally"] == empty
    store.close()


def test_vegas_has_a_balance_of_all_games(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "results.sqlite")
    result = dict.fromkeys(COLUMNS, 0) | {"game": "klondike", "score": -30}
    session = begin(Session(store), "klondike", variant="vegas")
    assert session.view()["play"]["has_balance"]
    play = lone(session)
    result["rules"] = play.game.rules_digest(play.rules)
    for change in ({}, {"score": 12}, {"taken_back": 1}, {"agent_moves": 3}):
        store.add(result | change)
    begin(session, "klondike", variant="vegas")
    assert session.view()["tally"]["total"] == -18
    assert not begin(session, "klondike").view()["play"]["has_balance"]


def test_opponents_who_were_interrupted_play_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Meanwhile, nobody sees another seat's legal actions or plays for it."""
    session, calls, real = begin(name="twenty_eight", deal=4, seat=2), 0, PageAgent.choose

    def choose(agent: PageAgent, states: np.ndarray, words: np.ndarray) -> int:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise AbandonedError
        return real(agent, states, words)

    monkeypatch.setattr(PageAgent, "choose", choose)
    before = list(table_of(session).table.actions)
    action = session.view()["play"]["can"][0]
    output = answer(session, "click", {"action": action, "start": None})
    assert output is not None and output["kind"] == "refused"
    assert session.is_waiting
    assert len(table_of(session).table.actions) == len(before) + 2
    view = session.view()["play"]
    assert view["can"] == view["buttons"] == []
    for do, fields in (
        ("click", {"action": action, "start": None}),
        ("agent_move", {"agent": "greedy"}),
        ("advise", {"agent": "greedy"}),
    ):
        output = answer(session, do, fields)
        assert output is not None and output["text"] == "It is not your turn yet."
    session.handle("go_on", {})
    assert not session.is_waiting
    play_hand(session)
    assert table_of(session).table.is_over


def test_an_agent_that_is_interrupted_between_two_cards_has_made_no_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = begin(variant="classic", deal=ANY)
    play = lone(session)
    pair, calls = next(move for move in play.moves if len(move) == 2), iter(range(2))

    def choose(*_: Any) -> int:
        if next(calls):
            raise AbandonedError
        return pair[0]

    before = session.view()
    with monkeypatch.context() as broken:
        broken.setattr(PageAgent, "choose", choose)
        assert answer(session, "agent_move", {"agent": "greedy"})
    after = session.view()
    for view in (before, after):
        view["play"].pop("seconds")
    assert after == before
    assert play.deal.actions == []
    click(session, *pair)
    assert play.deal.info["moves"] == 1


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.rollback()


@contextmanager
def replaced_by_a_folder(path: Path) -> Iterator[None]:
    kept = path.rename(path.with_suffix(".kept"))
    path.mkdir()
    yield
    path.rmdir()
    kept.rename(path)


@contextmanager
def corrupt(path: Path) -> Iterator[None]:
    kept = path.read_bytes()
    path.write_bytes(b"no database" * 1000)
    yield
    path.write_bytes(kept)


@contextmanager
def no_room(path: Path) -> Iterator[None]:
    resource = pytest.importorskip("resource", reason="needs limits of the system")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def folder_gone(path: Path) -> Iterator[None]:
    kept = path.parent.rename(path.parent.with_name("kept"))
    yield
    kept.rename(path.parent)


@pytest.mark.parametrize(
    ("name", "trouble"),
    [
        slow_if(name == "pyramid" and trouble is not locked, name, trouble)
        for name in ("pyramid", "seven_twenty_seven")
        for trouble in (locked, replaced_by_a_folder, corrupt, no_room, folder_gone)
    ],
)
def test_results_that_cannot_be_saved_cost_no_game(
    tmp_path: Path, name: str, trouble: Callable[[Path], AbstractContextManager[None]]
) -> None:
    path = tmp_path / "results" / "results.sqlite"
    store = ResultStore(path, tmp_path / "best.json")

    def play() -> dict[str, Any]:
        begin(session, name, deal=ANY)
        while not session.view()["play"]["over"]:
            session.handle("agent_move", {"agent": "greedy"})
        return session.view()

    session = Session(store)
    assert play()["not_saved"] == ""
    with trouble(path):
        for unsaved in (1, 2):
            view = play()
            assert view["play"]["over"]
            assert view["not_saved"].startswith(f"The last result is not saved yet: {path}: ")
            assert len(store.unsaved) == unsaved
    view = play()
    assert view["not_saved"] == ""
    assert len(store.rows()) == 4
    assert view["tally"]["played"] == 0  # an agent played
    assert store.close() == 0


def test_a_deleted_file_of_results_is_made_again(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "results.sqlite")
    store.path.unlink()
    session = begin(Session(store), name="seven_twenty_seven", deal=4)
    play_hand(session)
    assert session.view()["not_saved"] == ""
    assert len(store.rows()) == 1


def test_what_is_not_saved_is_saved_when_the_server_stops(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "results.sqlite")
    session = begin(Session(store), name="seven_twenty_seven", deal=4)
    with locked(store.path):
        play_hand(session)
        assert store.close() == 1
    assert store.close() == 0
    assert len(store.rows()) == 1


def test_a_best_result_that_cannot_be_saved_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    session = begin(variant="classic", deal=(deal := winnable_deal("classic")))
    click(session, *solution(session))
    output = session.view()["play"]["own_best"]
    assert output.startswith("Your first result with these rules. It could not be saved: ")
    assert "/dev/null" in output
    kept = Session(ResultStore(tmp_path / "results.sqlite", tmp_path / "best.json"))
    begin(kept, variant="classic", deal=deal)
    click(kept, *solution(kept))
    assert kept.view()["play"]["own_best"] == "Your first result with these rules."
    assert kept.view()["play"]["best"].startswith("won in ")


def refused(session: Session, do: str, **fields: Any) -> str:
    """Return the error message of a refused message, and check that nothing has changed."""
    before = session.play, session.view()
    output = answer(session, do, fields)
    assert output is not None and output["kind"] == "refused"
    assert session.play is before[0]
    after = session.view()
    for view in (before[1], after):
        view.get("play", {}).pop("seconds", None)
    assert after == before[1]
    return str(output["text"])


def refused_new(session: Session, game: str, **fields: Any) -> str:
    given = {"variant": None, "options": {}, "deal": None, "winnable": False}
    given |= {"seat": None, "opponents": []}
    return refused(session, "new", **{"game": game, **given, **fields})


@pytest.mark.parametrize("name", GAMES)
def test_every_field_is_checked_in_every_game(name: str) -> None:
    session = begin(name=name, deal=ANY)
    chosen = GAMES[name]
    players = chosen.num_players(chosen.make_rules())
    assert "variant" in refused_new(session, name, variant="no such")
    assert "got 'no such'" in refused_new(session, name, options={"no_such": "1"})
    output = refused(session, "click", action=MOST_ACTIONS - 1, start=None)
    assert "must be from 0 to" in output or output.startswith("Not possible now. ")
    for do in ("advise", "agent_move"):
        assert "got 'no such'" in refused(session, do, agent="no such")
    assert "recorded games (0), got 0" in refused(session, "replay", number=0)
    assert "not over yet" in refused(session, "review")
    if players == 1:
        for seat in (0, 7):
            output = refused_new(session, name, seat=seat)
            assert output == f"seat must not be set in a game for one player, got {seat}"
        output = refused_new(session, name, opponents=["greedy"])
        assert output == "opponents must not be set in a game for one player, got ['greedy']"
        assert "only available in games for several players" in refused(session, "next_hand")
    else:
        output = refused_new(session, name, seat=players)
        assert output == f"seat must be an integer from 0 to {players - 1}, got {players}"
        assert "opponents" in refused_new(session, name, opponents=["greedy"] * players)
        assert "got 'human'" in refused_new(session, name, opponents=["human"])
        action = session.view()["play"]["can"][0]
        assert "start must be null" in refused(session, "click", action=action, start=action)
        assert "not over yet" in refused(session, "next_hand")
        assert "cannot be taken back" in refused(session, "take_back")
        assert refused(session, "restart") == "You have not played in this hand yet."


def test_it_is_known_what_was_used_in_any_session() -> None:
    sessions = Sessions()
    first, other = sessions.find(None), sessions.find(None)
    assert first.view()["used"] == []
    begin(first, variant="classic", deal=ANY)
    assert first.view()["used"] == ["pyramid"]
    assert answer(first, "advise", {"agent": "gredy"})  # it was not used
    first.handle("advise", {"agent": "greedy"})
    first.handle("agent_move", {"agent": "uniform"})
    begin(other, "seven_twenty_seven", opponents=["tight"])
    used = first.view()["used"]
    assert used == other.view()["used"]
    assert {"pyramid greedy", "seven_twenty_seven", "seven_twenty_seven tight"} <= set(used)
    assert not any("gredy" in one for one in used)


def test_the_session_used_last_is_kept_longest() -> None:
    sessions = Sessions()
    first = sessions.find(None).id
    for _ in range(2 * MOST_SESSIONS):
        sessions.find(None)
        assert sessions.find(first).id == first
    assert len(sessions.open) == MOST_SESSIONS
    assert sessions.find("0" * 32).id != "0" * 32  # not there: a new one


@pytest.mark.slow
def test_memory_is_bounded_over_a_thousand_games() -> None:
    sessions = Sessions()

    def play(games: int) -> int:
        for _ in range(games):
            begin(sessions.find(None), variant="classic")
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        early = play(2 * MOST_SESSIONS)
        assert play(1000 - 2 * MOST_SESSIONS) < early * 1.2 + 1_000_000
    finally:
        tracemalloc.stop()
    assert len(sessions.open) == MOST_SESSIONS


def test_wrong_rules_are_refused_and_the_game_goes_on() -> None:
    session = begin(variant="classic", deal=ANY)
    before = session.play
    for fields in ({"variant": "clasic"}, {"options": {"passes": "99"}}, {"options": {"x": "1"}}):
        with pytest.raises(ValueError, match=r"must be|allowed|unknown"):
            begin(session, **fields)
    with pytest.raises(ValueError, match=r"^agent must be one of .*, got 'os:system'"):
        begin(session, "seven_twenty_seven", opponents=["os:system"])
    assert session.play is before


def test_only_winnable_deals_are_dealt_if_one_asks() -> None:
    for _ in range(3):
        session = begin(variant="classic", winnable=True)
        session.judge()
        view = session.view()
        assert view["play"]["chances"]["deal"] is True
        assert view["settings"]["winnable"]


def explained(session: Session, item: str, onto: str | None = None) -> str:
    output = answer(session, "why", {"item": item, "onto": onto})
    assert output is not None and output["kind"] == "refused"
    return str(output["text"])


def test_a_refusal_gives_the_reason() -> None:
    session = begin(variant="classic", deal=ANY)
    number, items = session.number, session.view()["play"]["scene"]["items"]
    free = [one for one in items if one["place"] in ("pyramid-21", "pyramid-25")]
    text = explained(session, *[one["id"] for one in free])
    assert text == "6 + ace (1) = 7; you need 13."
    top = next(one["id"] for one in items if one["place"] == "pyramid-0")
    assert " is covered by " in explained(session, top)
    assert explained(session, "no such card") == "This card is no longer there."
    assert session.number == number


def test_advice_names_whole_moves_and_where_they_are() -> None:
    session = begin(variant="classic", deal=ANY)
    advice = answer(session, "advise", {"agent": "greedy"})
    assert advice is not None
    assert re.fullmatch(r"take \S+ with \S+", advice["move"])
    assert len(advice["arrow"]) == 2
    assert any(row["text"] == advice["move"] for row in advice["actions"] if row["played"])


def test_a_game_that_only_needs_time_offers_to_finish_itself() -> None:
    for deal in range(40):
        session = begin(name="klondike", variant="draw-one", deal=deal)
        play = lone(session)
        greedy = PageAgent("greedy", play.game, play.rules, (), Thinking())
        while not play.deal.is_over and not play.finish and len(play.deal.actions) < 300:
            play.play_agent(greedy)
        if play.finish:
            break
    finish, hidden = list(play.finish), play.game.hidden_cards
    assert hidden is not None and not hidden.read(play.deal.history[-1]).any()
    for k, action in enumerate(finish):
        assert session.view()["play"]["finish"] == action == play.finish[0]
        assert len(play.finish) == len(finish) - k
        click(session, action)
    assert session.view()["play"]["outcome"] == "won"


def test_what_moved_is_told_in_words() -> None:
    session = begin(variant="classic", deal=ANY)
    click(session, DEAL)
    first, second = session.view()["play"]["events"]
    assert first == "You dealt from the stock."
    assert re.fullmatch(r"Turned up: \S+\.", second)
    session.handle("take_back", {})
    assert session.view()["play"]["events"] == ["Move taken back."]
