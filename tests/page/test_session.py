"""One game of one person, without a browser: clicks, taking back, notices, agents, results."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.envs import game
from parlour.envs.core.rows import resample_copies, write_states
from parlour.envs.core.truth import play_actions, solver_of
from parlour.page.lone import LonePlay
from parlour.page.players import list_agents, load_page_agent
from parlour.page.seats import SeatPlay
from parlour.page.session import MOST_SESSIONS, Session, Sessions, answer, list_games
from parlour.page.store import COLUMNS, ResultStore
from parlour.training.play.notice import LIMIT
from tests.page.conftest import agents_game

PYRAMID = game("pyramid")
ANY = 3
"""A deal."""
DEAL, UNDO = 39, 41


def begin(session: Session | None = None, name: str = "pyramid", **fields: Any) -> Session:
    session = session or Session()
    given = {"variant": None, "options": {}, "deal": None, "seat": 0, "opponents": []}
    session.handle("new", {"game": name, **given, **fields})
    return session


def lone(session: Session) -> LonePlay:
    assert isinstance(session.play, LonePlay)
    return session.play


def click(session: Session, *actions: int) -> None:
    for action in actions:
        session.handle("click", {"action": action, "start": None})


def solution(session: Session) -> list[int]:
    play = lone(session)
    found = solver_of(PYRAMID, play.rules)(play.deal.history[-1], play.rules)
    assert found.actions is not None
    return found.actions


def winnable_deal(variant: str) -> int:
    rules = PYRAMID.make_rules(variant)
    solve = solver_of(PYRAMID, rules)
    for deal in range(50):
        play = LonePlay(PYRAMID, variant, {}, {"deal": deal, "bank": "pyramid-1"})
        if solve(play.deal.history[0], rules, limit=LIMIT).winnable:
            return deal
    raise AssertionError("no deal can be won")


def test_a_solvers_clicks_win_and_the_result_is_kept(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "new" / "results.sqlite")
    session = begin(Session(store), variant="classic", deal=(deal := winnable_deal("classic")))
    click(session, *solution(session))
    view = session.view()["play"]
    assert view["over"] == "Won"
    store.close()
    (row,) = ResultStore(tmp_path / "new" / "results.sqlite").rows()
    assert list(row) == list(COLUMNS)
    assert row["source"] == f"deal {deal}, bank pyramid-1"
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
    said = answer(session, "click", {"action": 0, "start": None})
    assert said is not None
    assert said["kind"] == "refused"
    assert "covered by" in said["text"]
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
    """Play at random until the game is lost or over; hold each notice against the solver.

    The solver judges the same moves by the same rules without UNDO.
    """
    rng, plain = np.random.default_rng(seed), PYRAMID.make_rules(variant)._replace(undo=False)
    solve = solver_of(PYRAMID, plain)
    start = LonePlay(PYRAMID, None, plain._asdict(), {"deal": deal, "bank": "pyramid-1"})
    session = begin(variant=variant, deal=deal)
    play, clicks, found = lone(session), [], []
    while found[-1:] != [False] and len(clicks) < 300:
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
        found.append(truth)
    return session, found


@pytest.mark.parametrize("variant", ["classic", "web"])
def test_the_notice_appears_exactly_when_the_solver_says_so(variant: str) -> None:
    deal = {"classic": winnable_deal("classic"), "web": 14}[variant]  # 14 is lost by such moves
    session, found = walk_watched(variant, deal, seed=0)
    assert found[-1] is False
    assert "take moves back" in session.view()["play"]["notice"]
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
        said = session.view()["play"]["notice"]
        assert said == ("This deal cannot be won, whatever is played." if first is False else "")
    assert first is False


def test_klondike_on_the_page() -> None:
    session = begin(name="klondike", deal=ANY)
    offered = session.view()["agents"]
    assert {"trained", "hindsight@200", "pimc@8", "oracle"} <= set(offered)
    click(session, *[0] * 8)  # the whole stock
    advice = session.handle("advise", {"agent": "hindsight@20"})
    assert advice is not None
    session.handle("agent_move", {"agent": "hindsight@20"})
    assert lone(session).result()["agent_moves"] == 1
    before = session.view()["play"]["moves"]
    session.handle("take_back", {})
    assert session.view()["play"]["moves"] == before - 1
    assert "hindsight" not in begin(name="klondike", variant="three-passes").view()["agents"]


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
        "text": "the game is over",
    }
    assert lone(session).result()["agent_moves"] > 5
    assert lone(session).own_best == ""  # it was not the person's


def test_a_game_is_reviewed_when_it_is_over_and_not_before() -> None:
    """Its review knows all cards: whoever still plays must not see it."""
    session = begin(variant="classic", deal=ANY)
    assert answer(session, "review", {}) == {"kind": "refused", "text": "the game is not over yet"}
    while not session.view()["play"]["over"]:
        session.handle("agent_move", {"agent": "greedy"})
    number = session.number
    said = session.handle("review", {})
    assert said is not None
    assert said["kind"] == "replay"
    assert said["data"]["played"] == lone(session).deal.actions
    assert session.number == number  # the game itself has not changed
    found = session.review()
    assert (found["kind"], found["ticket"]) == ("review", said["ticket"])
    assert found["review"]["totals"]["outcome"] == float(lone(session).deal.result().won)
    json.dumps([said, found], allow_nan=False)


def test_a_hand_is_reviewed_as_ones_own_seat_sees_it() -> None:
    session = begin(name="seven_twenty_seven", variant="mini", deal=4, seat=1)
    if not table_of(session).table.is_over:
        assert answer(session, "review", {})
    play_hand(session)
    said = session.handle("review", {})
    assert said is not None
    assert session.shown is not None
    assert session.shown.seat == 1
    states = session.shown.replay.states()
    begin_at = said["data"]["begin"]
    assert states[begin_at]["turn"] == 1
    assert begin_at == (states["turn"][:-1] == 1).argmax()  # it always has a choice
    down = [item for item in said["data"]["items"] if item["face"] == "down"]
    assert all(item["card"] is None for item in down)


def test_recorded_games_are_opened_by_number() -> None:
    replay = agents_game("classic", ANY)
    session = Sessions(replays=(replay,)).find(None)
    assert list_games((replay,))["replays"] == [replay.headline]
    said = session.handle("replay", {"number": 0})
    assert said is not None
    assert len(said["data"]["scenes"]) == len(replay.actions) + 1
    assert answer(session, "replay", {"number": 1}) == {
        "kind": "refused",
        "text": "number=1: there are 1 recorded games",
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
        with pytest.raises(ValueError, match="allowed are"):
            load_page_agent(spec, PYRAMID, rules)
    assert load_page_agent("mine=greedy", PYRAMID, rules, ("mine=greedy",)).name == "mine"
    for spec in list_agents(PYRAMID, rules):
        if spec != "trained":
            load_page_agent(spec, PYRAMID, rules)


def table_of(session: Session) -> SeatPlay:
    assert isinstance(session.play, SeatPlay)
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
    totals = [seat["total"] for seat in view["seats"]]
    assert sum(totals) == 0
    rows = store.rows()
    assert [row["source"].rpartition(", ")[2] for row in rows] == ["hand 1", "hand 2"]
    assert sum(row["score"] for row in rows) == totals[0]
    assert rows[0]["players"] == ", ".join(["you", *["greedy"] * agents])


@pytest.mark.parametrize("name", ["twenty_eight", "fifty_six"])
def test_searches_are_offered_at_tables_and_play_there(name: str) -> None:
    session = begin(name=name, deal=4, opponents=["greedy"])
    assert {"pimc@8", "rollouts@20:greedy"} <= set(session.view()["agents"])
    for agent in ("pimc@8", "rollouts@20:greedy"):
        advice = session.handle("advise", {"agent": agent})
        assert advice is not None
        assert len(advice["actions"]) > 1
    offered = begin(name="seven_twenty_seven", deal=4).view()["agents"]
    assert "rollouts@20:greedy" in offered
    assert "pimc@8" not in offered


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
        states = resample_copies(play.game, play.rules, rows.states, seed, play.table.own)
        write_states(rows.states, slice(None), states)
        assert session.view() == before


def test_the_page_counts_ones_games_by_their_rules(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "results.sqlite")
    session = begin(Session(store), variant="classic", deal=(deal := winnable_deal("classic")))
    empty = {"played": 0, "won": 0, "score": None, "moves": None}
    assert session.view()["tally"] == empty
    click(session, *solution(session))
    view = session.view()
    best = {"score": view["play"]["score"], "moves": view["play"]["moves"]}
    assert view["tally"] == {"played": 1, "won": 1, **best}
    begin(session, variant="classic", deal=deal)
    session.handle("agent_move", {"agent": "greedy"})
    while not session.view()["play"]["over"]:
        session.handle("agent_move", {"agent": "greedy"})
    assert session.view()["tally"] == {"played": 2, "won": 1, **best}
    begin(session, variant="web", deal=deal)
    assert session.view()["tally"] == empty
    store.close()


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
        with pytest.raises(ValueError, match=r"allowed|unknown"):
            begin(session, **fields)
    with pytest.raises(ValueError, match="allowed are the seats 0–3"):
        begin(session, "seven_twenty_seven", seat=9)
    with pytest.raises(ValueError, match="agent='os:system'"):
        begin(session, "seven_twenty_seven", opponents=["os:system"])
    assert session.play is before
