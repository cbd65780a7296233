"""No message to a page depends on cards that are hidden from the person's seat.

A game is played on the page with one deck, and with further decks that fit everything that the seat
has seen at the end. All messages must be the same: views with the steps of the opponents, reasons
of refusals, hints, undo, the ending, and the recorded game.

Two things are left out, because they tell by design what a solver of the whole deal knows: the
warning that a deal cannot be won (`Session.judge`), and agents that see all cards.
"""

import json
import random
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core.kernel.rng import key_words
from parlour.envs.core.legal import list_actions
from parlour.envs.core.rows import Rows, copy_states, resample_copies
from parlour.envs.interfaces.arguments import read_reset_options, start_rows
from parlour.page.play import SeatSession, SolitaireSession
from parlour.page.session import Session, answer
from parlour.page.thinking import list_agents, load_page_agent
from tests.contract.cases import CASES, Case, random_cases
from tests.contract.test_leaks import Replay, distance
from tests.marks import slow_if

WORLDS = 2
"""Number of other decks for each game."""
MOST_CLICKS = 40
PROBES = 4
"""Number of illegal clicks and of items that are asked about, at each step that is probed."""
BUDGET = 2
QUICK = [case for case in CASES if case.variant == case.game.default]
SEED = np.array([5], np.uint64)
"""Seed of the generator in all games, so that the draws of agents are the same."""


@pytest.fixture(autouse=True)
def same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rows, "draw_seeds", lambda rows: rows.seed(SEED))


class Script:
    """An opponent that plays given actions, or random ones if there are none left."""

    name, spec, sees_all = "greedy", "greedy", True

    def __init__(self, actions: list[int], rng: random.Random) -> None:
        self.actions, self.rng, self.agent = actions, rng, self

    def act(self, turn: Any) -> np.ndarray:
        raise AssertionError("the page asks `choose`")

    def choose(self, states: np.ndarray, words: np.ndarray) -> int:
        legal = list_actions(states["legal"][0])
        return self.actions.pop(0) if self.actions else self.rng.choice(legal)


def open_session(case: Case, deck: list[int], seat: int, actions: list[int]) -> Session:
    """Return a session that begins a game with a deck; the opponents play these actions first."""
    session, game, chosen = Session(), case.game, {"deck": deck}
    settings = game, case.variant, case.options, chosen
    if case.players == 1:
        session.play = SolitaireSession(*settings)
        session.play.words = key_words("leaks")
    else:
        script: Any = Script(actions, random.Random(7))
        session.play = SeatSession(*settings, seat, [script])
        session.play.table.words = key_words("leaks")
    return session


def list_hints(case: Case, is_thorough: bool) -> list[str]:
    """The agents that are asked for hints, with small search budgets; none that see all cards."""
    names = [
        name.replace("@200", f"@{BUDGET}").replace("@8", f"@{BUDGET}")
        for name in (
            list_agents(case.game, case.rules)
            if is_thorough
            else ["greedy", "uniform", *case.game.rule_agents, "mcts@200"]
        )
    ]
    names = [name.replace("@20:", f"@{BUDGET}:") for name in names]
    return [name for name in names if not load_page_agent(name, case.game, case.rules).sees_all]


def choose_click(session: Session, rng: random.Random) -> int:
    return int(rng.choice(session.view()["play"]["can"]))


class Talk:
    """All messages of one session, whose person makes given clicks."""

    def __init__(self, case: Case, session: Session, hints: list[str]) -> None:
        self.case, self.session, self.hints = case, session, hints
        self.told: list[Any] = []
        self.look()

    @property
    def is_over(self) -> bool:
        return bool(self.session.view()["play"]["over"])

    def say(self, do: str, **fields: Any) -> None:
        self.told.append([do, fields, answer(self.session, do, fields)])

    def look(self) -> None:
        view = self.session.view()
        del view["session"], view["play"]["source"]
        view["play"].pop("seconds", None)
        self.told.append(view)

    def click(self, action: int) -> None:
        self.say("click", action=action, start=None)
        self.look()

    def probe(self, number: int) -> None:
        """Ask for everything that a person can ask for without a move."""
        rng, play = random.Random(number), self.session.view()["play"]
        for item in rng.sample(play["scene"]["items"], min(PROBES, len(play["scene"]["items"]))):
            onto = rng.choice(play["scene"]["items"])["id"]
            for target in (None, onto):
                self.say("why", item=item["id"], onto=target)
        taken = {*play["can"], *play["selected"]}
        illegal = [action for action in range(self.case.game.actions) if action not in taken]
        for action in rng.sample(illegal, min(PROBES, len(illegal))):
            self.say("click", action=action, start=None)
            if play["can"]:
                self.say("click", action=action, start=rng.choice(play["can"]))
        self.say("review")
        if not play["over"]:  # the next hand has other cards
            self.say("next_hand")
        if self.case.players > 1:
            self.say("take_back")
        for name in self.hints:
            self.say("advise", agent=name)

    def undo(self, clicks: list[int]) -> None:
        """Take back a move, and all moves, and play again what was played."""
        for do in ("take_back", "restart"):
            self.say(do)
            self.look()
            for name in self.hints[:1]:
                self.say("advise", agent=name)
        for action in clicks:
            self.click(action)


def states_of(case: Case, deck: list[int], actions: list[int]) -> list[np.ndarray]:
    """All states of a game."""
    rows = Rows(case.game, case.rules, 1)
    start_rows(rows, read_reset_options(case.game, case.rules, {"deck": deck}))
    states = [copy_states(rows.states)]
    for action in actions:
        rows.step(np.array([action]))
        states.append(copy_states(rows.states))
    return states


def played_actions(session: Session) -> list[int]:
    play = session.play
    assert play is not None
    return list(play.deal.actions if isinstance(play, SolitaireSession) else play.table.actions)


def begin_anywhere(case: Case, seat: int, rng: random.Random) -> tuple[list[int], Session]:
    """Return a random deck and a session with it."""
    while True:
        deck = [int(card) for card in case.game.pack(case.rules)]
        rng.shuffle(deck)
        try:
            return deck, open_session(case, deck, seat, [])
        except ValueError:  # the rules require another deal
            continue


def check(case: Case, seat: int, seed: int, stop: int, is_thorough: bool) -> int:
    """Play a game up to a number of clicks; return how many other decks were compared."""
    rng = random.Random(seed)
    deck, session = begin_anywhere(case, seat, rng)
    clicks: list[int] = []
    while not session.view()["play"]["over"] and len(clicks) < stop:
        clicks.append(choose_click(session, rng))
        assert answer(session, "click", {"action": clicks[-1], "start": None}) is None
    actions = played_actions(session)
    states = states_of(case, deck, actions)
    replay = Replay(case, states, actions)
    if replay.first:
        return 0  # chance has shuffled the cards since
    hints = list_hints(case, is_thorough)
    expected, compared = None, 0
    for world in range(WORLDS):
        other = resample_copies(case.game, case.rules, states[-1], seed + world, seat)
        passed, tried = replay.towards(other, seat)
        assert distance(case, passed[-1], other, seat) == 0
        new = other["deck"][0, : len(deck)].tolist()
        if new == deck:
            continue
        expected = expected or talk(case, seat, deck, actions, states, clicks, hints)
        told = talk(case, seat, new, tried, passed, clicks, hints)
        for number, pair in enumerate(zip(expected, told, strict=True)):
            assert pair[0] == pair[1], f"{case}, seat {seat}: message {number}"
        compared += 1
    return compared


def talk(
    case: Case,
    seat: int,
    deck: list[int],
    actions: list[int],
    states: list[np.ndarray],
    clicks: list[int],
    hints: list[str],
) -> list[str]:
    """Return all messages of a game as text."""
    turns = [int(state["turn"][0]) if case.players > 1 else 0 for state in states]
    others = [action for action, turn in zip(actions, turns, strict=False) if turn != seat]
    one = Talk(case, open_session(case, deck, seat, others), hints)
    for number, action in enumerate(clicks):
        if number % 3 == 0:
            one.probe(number)
        one.click(action)
    one.probe(len(clicks))
    if case.players == 1:
        one.undo(clicks)
    return [json.dumps(message, sort_keys=True) for message in one.told]


@pytest.mark.parametrize("case", QUICK, ids=str)
def test_messages_do_not_depend_on_hidden_cards(case: Case) -> None:
    compared = check(case, case.players - 1, seed=1, stop=4, is_thorough=False)
    compared += check(case, 0, seed=2, stop=MOST_CLICKS, is_thorough=False)
    assert compared


def test_a_recorded_hand_does_not_tell_of_secret_choices() -> None:
    """Trumps that were never shown stay secret after the hand, too."""
    case = Case(GAMES["twenty_nine"], "full")
    assert sum(check(case, 0, seed, MOST_CLICKS, is_thorough=False) for seed in range(3))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_messages_of_all_variants_do_not_depend_on_hidden_cards(case: Case) -> None:
    for seed in range(3):
        for stop in (2, 9, MOST_CLICKS):
            check(case, seed % case.players, seed, stop, is_thorough=seed == 0 and stop == 9)


@pytest.mark.parametrize("each", [slow_if(True, 10)])
def test_messages_with_random_options_do_not_depend_on_hidden_cards(each: int) -> None:
    for seed, case in enumerate(random_cases(each, seed=31)):
        for stop in (6, MOST_CLICKS):
            check(case, seed % case.players, seed, stop, is_thorough=False)


@pytest.mark.parametrize("name", ["klondike", "twenty_eight"])
def test_a_leak_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a message contains a hidden card, the check fails."""
    case = Case(GAMES[name], GAMES[name].default)
    kind = SolitaireSession if case.players == 1 else SeatSession
    real = kind.view

    def view_with_deck(play: Any) -> dict[str, Any]:
        rows = play.env.rows if case.players == 1 else play.table.rows
        return real(play) | {"last": int(rows.states["deck"][0].sum() + rows.states["deck"][0, 9])}

    monkeypatch.setattr(kind, "view", view_with_deck)
    with pytest.raises(AssertionError, match="message 0"):
        check(case, 0, seed=1, stop=4, is_thorough=False)
