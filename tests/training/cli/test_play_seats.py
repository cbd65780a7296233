"""A human player in games for several players: output, sessions, and leaving."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from parlour.agents.human import parse_move
from parlour.agents.registry import choose_actions
from parlour.envs import GAMES, CardEnv, find_game
from parlour.envs.core.rows import Rows
from parlour.training.cli.play import (
    TerminalGame,
    TerminalSession,
    play_hands,
    play_solitaire,
)
from parlour.training.evaluation.report.terminal import wrap_lines
from parlour.training.play import seats as table
from parlour.training.play.seats import SeatChoice

GAME = find_game("seven_twenty_seven")
PACK = list(range(4, 56))
FIRST = SeatChoice()


@pytest.fixture(autouse=True)
def state_folder(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def script(*lines: str) -> Callable[[str], str]:
    """Return an `input` function that gives these lines, then the end of file."""
    left: Iterator[str] = iter(lines)

    def ask(_: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return ask


def played(
    *lines: str,
    variant: str | None = None,
    seat: SeatChoice = FIRST,
    agent: str = "human",
    **given: Any,
) -> str:
    """Return the output for a player who types these lines, against players that stand and call."""
    output: list[str] = []
    play_hands(
        TerminalGame(GAME, variant, ask=script(*lines), say=output.append, **given), seat, agent
    )
    return "\n".join(output)


class Quiet:
    """Stands, calls, and declares 27; never draws or bets."""

    name, sees_all = "quiet", False

    def act(self, turn: Any) -> np.ndarray:
        order = np.array([8, 1, 10])
        return order[turn.masks[:, order].argmax(axis=1)]


class Bold(Quiet):
    """Stands, and raises as high as allowed."""

    name = "bold"

    def act(self, turn: Any) -> np.ndarray:
        order = np.array([8, 6, 1, 10])
        return order[turn.masks[:, order].argmax(axis=1)]


class Folder(Quiet):
    """Folds whenever it is allowed."""

    name = "folder"

    def act(self, turn: Any) -> np.ndarray:
        order = np.array([0, 8, 1, 10])
        return order[turn.masks[:, order].argmax(axis=1)]


@pytest.fixture(autouse=True)
def players(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the names of these players known."""
    known = {kind.name: kind for kind in (Quiet, Bold, Folder)}
    load = table.load_agent
    monkeypatch.setattr(
        table,
        "load_agent",
        lambda name, *rest: known[name]() if name in known else load(name, *rest),
    )


def test_an_amount_is_typed_once() -> None:
    text = played(
        *("s", "bet 17", "q"),
        variant="any-amount",
        seat=SeatChoice(3, ["quiet"]),
        chosen={"deck": PACK},
    )
    assert "Choose the amount of your bet" not in text
    assert re.findall(r"^You (.*)$", text, re.MULTILINE)[-2:] == [
        "choose a bet from 16 to 20 chips",
        "bet 17 chips",
    ]
    text = played(
        *("s", "bet 16-20", "b20", "q"),
        variant="any-amount",
        seat=SeatChoice(3, ["quiet"]),
        chosen={"deck": PACK},
    )
    assert re.findall(r"^You (.*)$", text, re.MULTILINE)[-1] == "bet 20 chips"


def test_a_whole_hand() -> None:
    text = played(
        "d", "check", "s", "q", seat=SeatChoice(0, ["quiet"]), chosen={"deck": PACK}
    )  # seat 3 deals: seat 0 has A♣ and 2♣ and takes 3♣
    for part in (
        "Seven Twenty-Seven, home, deck ",
        "seat 0 (you), seat 1 (quiet), seat 2 (quiet), seat 3 (quiet)",
        "your cards make 3 or 13",
        "Seat 1 stands\nSeat 2 stands\nSeat 3 stands",
        "You check\nSeat 1 checks\nSeat 2 checks\nSeat 3 checks",
        "the hand is over",
    ):
        assert part in text, part
    assert text.count("stands") == 3 + 3
    (over,) = re.findall(r"^Result: (.*)\.$", text, re.MULTILINE)
    nets = [int(net) for net in re.findall(r"[+-]\d+", over)]
    assert len(nets) == 4
    assert sum(nets) == 0
    assert "After" not in text
    assert "Goodbye" not in text  # what was refused is another hand


def test_bets_are_said_in_full_or_short_and_told() -> None:
    text = played(
        "s", "bet", "BET  3", "raise", "raise 9", "r5", "s", "n",
        seat=SeatChoice(1, ["folder", "quiet", "bold"]), chosen={"deck": PACK},
    )  # fmt: skip
    for part in (
        "Seat 0 bets 5",
        "'bet' is not a legal move; ? lists the moves",
        "'bet  3' is not a legal move",
        "'raise' is incomplete; choose one: raise 1, raise 2, raise 3, raise 4, raise 5",
        "'raise 9' is not a legal move",
        "Seat 2 folds\nSeat 3 calls ",
        "\nSeat 0 raises by 5 chips",
    ):
        assert part in text, part


def test_help_lists_the_moves_and_a_hint_is_one() -> None:
    text = played("?", "hint", "wibble", "q", seat=SeatChoice(0, ["quiet"]), chosen={"deck": PACK})
    assert "moves now:\n  draw or d   draw a card\n  stand or s  stand\n" in text
    assert re.search("hint: (draw|stand)", text)
    assert "'wibble' is not a legal move" in text
    assert text.endswith("\nGoodbye.")


def test_quitting_or_the_end_of_the_input_leaves_at_any_moment() -> None:
    for lines in ((), ("q",), ("s", "quit"), ("s",)):
        text = played(*lines, seat=SeatChoice(2, ["quiet"]), seed=4)
        assert text.endswith("\nGoodbye.")
        assert "Result" not in text


def test_hands_are_shown_at_the_showdown_only() -> None:
    shown = played("s", "c", "s", seat=SeatChoice(0, ["quiet"]), chosen={"deck": PACK})
    assert "▒▒" in shown
    assert "▒▒" not in shown[shown.rindex("Seven Twenty-Seven\n") :]
    folded = played("s", "b5", seat=SeatChoice(0, ["folder"]), chosen={"deck": PACK})
    assert "Seat 1 folds\nSeat 2 folds\nSeat 3 folds" in folded
    last = folded[folded.rindex("Seven Twenty-Seven\n") :]
    assert last.count("▒▒") == 3
    assert "seat 0 (you) +3, seat 1 (folder) -1" in last


def test_a_secret_declaration_is_not_told_before_the_showdown() -> None:
    given: dict[str, Any] = {"seat": SeatChoice(3, ["quiet"]), "chosen": {"deck": PACK}}
    text = played("s", "c", "s", "?", "7", variant="declare", **given)
    asked = text[: text.index("  both or b  declare both 7 and 27")]
    assert asked.count("has chosen") == 3
    assert "declares 27" not in text
    assert "says 27" not in asked
    assert "says 27" in text
    given["options"] = {"declare": "sequential"}
    open_text = played("s", "c", "s", "both", variant="declare", **given)
    assert open_text.count("declares 27") == 3
    assert "has chosen" not in open_text


def test_a_secret_square_is_not_told() -> None:
    output: list[str] = []
    table = TerminalGame(
        find_game("poker_squares"), "classic-duel", ask=script("e5", "c3"), say=output.append
    )
    play_hands(table._replace(seed=1), SeatChoice(1, ["greedy"]))
    text = "\n".join(output)
    assert text.count("Seat 0 has chosen in secret") == 3
    assert not re.search(r"Seat 0 places|square \d", text)
    output.clear()
    play_hands(table._replace(seed=1, ask=script("e5", "c3")), SeatChoice(0, ["greedy"]))
    assert (
        len(
            re.findall(
                r"Seat 1 places [2-9TJQKA][♣♦♥♠] at [a-e][1-5]$", "\n".join(output), re.MULTILINE
            )
        )
        == 2
    )


def test_the_dealer_moves_on_and_totals_run() -> None:
    names = ["quiet", "bold", "folder"]
    text = played(*["s", "c", "s", "c"] * 9, seat=SeatChoice(1, names, 3), seed=2)
    assert [int(hand) for hand in re.findall(r"^Hand (\d+)$", text, re.MULTILINE)][:2] == [2, 3]
    dealers = [int(seat) for seat in re.findall(r"(?:seat|you) (\d) paid 1 D", text)]
    changes = [seat for k, seat in enumerate(dealers) if k == 0 or seat != dealers[k - 1]]
    assert all((b - a) % 4 == 1 for a, b in pairwise(changes))
    overs = re.findall(r"^Result: (.*)\.$", text, re.MULTILINE)
    totals = re.findall(r"^After (\d+) hands: (.*)\.$", text, re.MULTILINE)
    won = np.array([[int(net) for net in re.findall(r"[+-]\d+", over)] for over in overs])
    assert len(won) >= 3
    for number, total in totals:
        sums = won[: int(number)].sum(axis=0)
        assert [int(net) for net in re.findall(r"[+-]\d+", total)] == sums.tolist()


def test_another_hand_goes_on_with_the_session() -> None:
    text = played("s", "c", "s", "", "s", "c", "s", "n", seat=SeatChoice(0, ["quiet"]), seed=3)
    assert "Hand 2" in text
    assert "After 2 hands" in text
    assert "Hand 3" not in text


@pytest.mark.parametrize(("name", "until"), [("twenty_eight", 3), ("fifty_six", 6)])
def test_hands_are_played_until_a_side_stands_at_a_number(name: str, until: int) -> None:
    output: list[str] = []
    terminal = TerminalGame(find_game(name), say=output.append, seed=6, delay=0.0)
    play_hands(terminal, SeatChoice(0, ["greedy"], until=until), "greedy")
    text = "\n".join(output)
    sums = [
        [int(net) for net in re.findall(r" ([+-]\d+)", total)]
        for total in re.findall(r"^After \d+ hands: (.*)\.$", text, re.MULTILINE)
    ]
    assert len(sums) >= 1
    assert all(max(map(abs, one)) < until for one in sums[:-1])
    assert max(map(abs, sums[-1])) >= until
    assert sums[-1][0] == sums[-1][2] == -sums[-1][1]
    assert "Another" not in text


def test_of_three_players_half_stakes_are_counted() -> None:
    output: list[str] = []
    terminal = TerminalGame(
        find_game("twenty_eight"), "three", say=output.append, seed=6, delay=0.0
    )
    play_hands(terminal, SeatChoice(0, ["greedy"], until=2), "greedy")
    (last,) = re.findall(r"^After \d+ hands: (.*)\.$", "\n".join(output), re.MULTILINE)[-1:]
    nets = [float(net) for net in re.findall(r" ([+-][\d.]+)", last)]
    assert 2 <= max(map(abs, nets)) <= 2.5
    assert sum(nets) == 0


@pytest.mark.parametrize("chosen", [None, {"deal": 5, "deal_set": "mine"}])
def test_the_deal_is_that_of_the_environment(chosen: dict[str, Any] | None) -> None:
    env = CardEnv(GAME, "six", seat=2)
    env.reset(seed=9, options=chosen)
    place = TerminalSession(
        TerminalGame(GAME, "six", chosen=chosen, seed=9, say=lambda _: None), SeatChoice(), "quiet"
    )
    place.play_hand()
    for field in ("deck", "dealer"):
        assert np.array_equal(place.rows.states[field], env.rows.states[field]), field


def test_watching_an_agent() -> None:
    text = played(agent="quiet", seat=SeatChoice(2, ["bold"], 2), seed=5, delay=0.0)
    assert "seat 2 (quiet)" in text
    assert "quiet: stand\n" in text
    assert re.search(r"Seat \d bets 5", text)
    assert "After 2 hands" in text
    assert "Goodbye" in played("", "q", agent="quiet", seat=SeatChoice(2, ["bold"]), seed=5)


def test_ctrl_c_leaves() -> None:
    def ask(_: str) -> str:
        raise KeyboardInterrupt

    output: list[str] = []
    play_hands(TerminalGame(GAME, ask=ask, say=output.append), SeatChoice(0, ["quiet"]))
    assert output[-1] == "\nGoodbye."


@pytest.mark.parametrize(
    ("seat", "output"),
    [
        (SeatChoice(4), "seat must be an integer from 0 to 3, got 4"),
        (SeatChoice(0, ["quiet"] * 4), "opponents must be 1 to 3 agents, got 4"),
        (SeatChoice(0, ["human"]), "opponents must not include human"),
        (SeatChoice(0, ["gredy"]), "Did you mean 'greedy'"),
        (SeatChoice(0, None, 0), "hands must be an integer >= 1, got 0"),
        (SeatChoice(0, None, until=0), "until must be an integer >= 1, got 0"),
    ],
)
def test_what_makes_no_sense_is_refused(seat: SeatChoice, output: str) -> None:
    with pytest.raises(ValueError, match=output):
        played(seat=seat)


def test_one_raise_is_meant_where_there_is_one() -> None:
    rows = Rows(GAME, GAME.make_rules("mini"), 1)
    rows.deal_deck(list(GAME.pack(rules := rows.rules)))
    for action in (8, 8):
        rows.step(np.array([action]))
    assert parse_move("bet", GAME, rules, rows.states) == [2]
    assert parse_move("B1", GAME, rules, rows.states) == [2]
    with pytest.raises(ValueError, match="'bet 2' is not a legal move"):
        parse_move("bet 2", GAME, rules, rows.states)


def test_opponents_actions_are_told_in_the_third_person() -> None:
    at = find_game("fifty_six")
    hand = table.TableSession(table.TableChoice(at, at.make_rules(), seed=1), FIRST, "greedy")
    hand.begin_hand()
    while not hand.is_over:
        hand.play(int(choose_actions(hand.agents[hand.seat], hand.make_turn())[0]))
    heard = "\n".join(hand.events)
    assert re.search(r"Seat \d plays [7-9TJQKA][♣♦♥♠]$", heard, re.MULTILINE)
    assert re.search(r"Seat \d names [a-z]", heard)
    assert re.search(r"Seat \d passes$", heard, re.MULTILINE)


def play_by_hints(name: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the lines of one game in which the player asks for every hint and plays it."""
    monkeypatch.setenv("COLUMNS", str(columns))
    output: list[str] = []
    typed: list[str] = []

    def ask(prompt: str) -> str:
        hints = [text for text in output if text.startswith("hint: ")]
        if "Another" in prompt:
            return "q"
        is_asking = not typed or typed[-1] != "hint"
        typed.append("hint" if is_asking else hints[-1].removeprefix("hint: ").split(" (")[0])
        return typed[-1]

    game = find_game(name)
    terminal = TerminalGame(game, seed=3, ask=ask, say=output.append, notice=False)
    if game.num_players(game.make_rules()) == 1:
        play_solitaire(terminal)
    else:
        play_hands(terminal, FIRST)
    assert "Goodbye." not in output[-1]
    return wrap_lines("\n".join(output)).split("\n")


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_fits_80_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = play_by_hints(name, 80, monkeypatch)
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if "None" in line or "array" in line]


@pytest.mark.parametrize("name", ["twenty_eight", "twenty_nine", "fifty_six"])
def test_tricks_are_printed_card_by_card(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = play_by_hints(name, 80, monkeypatch)
    cards, tricks = 0, 0
    for line in lines:
        if re.fullmatch(r"(You play|Seat \d plays) [2-9TJQKA][♣♦♥♠]", line):
            cards += 1
        elif re.fullmatch(
            r"(You take|Seat \d takes) the trick with \S\S, the \w+ \w+: \d+ points?", line
        ):
            tricks += 1
            assert cards == tricks * find_game(name).make_rules().players
    assert tricks == 8
