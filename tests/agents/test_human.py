"""The human agent: typed words become moves, errors are explained, and quitting always works."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from parlour.agents import human_bests
from parlour.agents.human import HumanAgent, PlayerQuit, parse_move, suggest_move
from parlour.agents.registry import prepare_turn
from parlour.envs import find_game
from parlour.envs.core.contract import Solution
from parlour.envs.core.moves import list_complete_moves, move_text
from parlour.envs.core.rows import Rows
from parlour.envs.core.scene.scene import ansi
from parlour.training.cli.play import TerminalGame, play_hands, play_solitaire
from parlour.training.evaluation.compare import evaluate
from parlour.training.play.seats import SeatChoice
from parlour.training.play.solitaire import GONE, Notice
from tests.fake_solver import FakeSolver, solved

GAME = find_game("pyramid")


def deck(**swapped: int) -> list[int]:
    """Return a deck in standard order with some cards at chosen positions; the bottom row is 6d 6h
    6s 7c 7d 7h 7s."""
    cards = list(range(4, 56))
    names = {"3c": 12, "Tc": 40, "Kc": 52, "Ac": 4, "5c": 20}
    for name, position in swapped.items():
        at = cards.index(names[name])
        cards[at], cards[position] = cards[position], cards[at]
    return cards


def table(cards: list[int], **options: object) -> Rows:
    rows = Rows(GAME, GAME.make_rules("three-passes", options), 1)
    rows.deal_deck(cards)
    return rows


def moved(text: str, rows: Rows) -> list[int]:
    return parse_move(text, GAME, rows.rules, rows.states)


def script(*lines: str) -> Callable[[str], str]:
    """Return an `input` that yields these lines and then raises EOFError."""
    left: Iterator[str] = iter(lines)

    def ask(_: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return ask


@pytest.mark.parametrize("text", ["7c 6d", "6d 7c", "6D,7C", " 21  24 ", "6d;24", "7c+6d", "7♣ 6♦"])
def test_cards_and_places_in_any_order(text: str) -> None:
    assert moved(text, table(deck())) == [24, 21]


@pytest.mark.parametrize("text", ["Tc", "10c", "3c", "10C 3C", "27", "T♣", "10♣ 3♣"])
def test_one_card_is_enough_where_one_move_has_it(text: str) -> None:
    assert moved(text, table(deck(Tc=27, **{"3c": 21}))) == [27, 21]


def test_a_king_alone_and_turns() -> None:
    rows = table(deck(Kc=22))
    assert moved("kc", rows) == [22]
    assert moved("d", rows) == moved("DEAL", rows) == moved("d deal", rows) == [39]


def test_longer_sums() -> None:
    rows = table(deck(Ac=21, **{"5c": 22}), many_sum=True)
    assert moved("5c ac 7h", rows) == [26, 22, 21]


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("6d", "6d is part of several moves; type a whole move: 7c 6d, 7d 6d, 7h 6d, 7s 6d"),
        ("6d 6h", r"6 \+ 6 = 12; you need 13\."),
        ("ac 6d", r"A♣ is covered by A♦ and A♥\."),
        ("6s 6s", "6s is part of several moves"),
        ("r", "you cannot turn the waste over now"),
        ("8c", "8c is not on the table"),
        ("zz", "'zz' is not a legal move"),
        (",", "type at least one card"),
    ],
)
def test_what_is_wrong_is_said(text: str, output: str) -> None:
    with pytest.raises(ValueError, match=output):
        moved(text.lower(), table(deck()))


def test_complete_moves_are_those_of_the_mask() -> None:
    rows = table(deck(Kc=22))
    moves = list_complete_moves(GAME, rows.rules, rows.states)
    assert moves == sorted([[22], [39], *([a, b] for a in (24, 25, 26, 27) for b in (21, 23))])


def test_a_hint_is_a_whole_legal_move() -> None:
    rows = table(deck())
    agent = HumanAgent()
    turn = prepare_turn(agent, GAME, rows.rules, rows.states, 0)
    assert suggest_move(turn) in list_complete_moves(GAME, rows.rules, rows.states)
    assert move_text([24, 21], GAME.action_words(rows.states[0], rows.rules)) == "7c 6d"


def test_a_person_plays_one_game_at_a_time() -> None:
    rows = Rows(GAME, GAME.make_rules(), 2)
    rows.deal_deck(deck())
    agent = HumanAgent(script("d"))
    with pytest.raises(ValueError, match="one game at a time, got 2 games"):
        agent.act(prepare_turn(agent, GAME, rows.rules, rows.states, 0))


def test_the_clock_goes_on_where_moves_of_a_deal_are_taken_back() -> None:
    agent = HumanAgent(lambda _: "6d 7c", lambda _: None)
    begun = []
    for rows in (table(deck()), table(deck()), table(deck(Kc=3))):
        agent.act(prepare_turn(agent, GAME, rows.rules, rows.states, 0))
        begun.append(agent.begun)
    assert begun[0] == begun[1] < begun[2]


def test_clicks_of_one_move_are_given_one_by_one() -> None:
    rows = table(deck())
    output: list[str] = []
    agent = HumanAgent(script("hint", "?", "", "nonsense", "6d 7c", "q"), output.append)
    for click in (24, 21):
        turn = prepare_turn(agent, GAME, rows.rules, rows.states, 0)
        actions = agent.act(turn)
        assert actions.tolist() == [click]
        rows.step(np.asarray(actions, np.int64))
    text = "\n".join(output)
    for part in (
        "hint: ",
        "moves now:\n",
        "  d deal  deal from the stock\n",
        "'nonsense' is not a legal move",
        "[7♣]",
    ):
        assert part in text
    with pytest.raises(PlayerQuit):
        agent.act(prepare_turn(agent, GAME, rows.rules, rows.states, 0))


def typed(name: str, variant: str | None, *lines: str, **keywords: object) -> str:
    """Return all output while these lines are typed; ``keywords`` name a deck or a deal."""
    output: list[str] = []
    table = TerminalGame(
        find_game(name), variant, ask=script(*lines), say=output.append, **keywords
    )  # type: ignore[arg-type]
    play_solitaire(table)
    return "\n".join(output)


@pytest.mark.parametrize(("hands", "until"), [(3, None), (None, 100)])
def test_games_of_a_solitaire_are_added_up(hands: int | None, until: int | None) -> None:
    output: list[str] = []
    terminal = TerminalGame(find_game("klondike"), "vegas", seed=1, delay=0, say=output.append)
    play_solitaire(terminal, "uniform", hands, until)
    text = "\n".join(output)
    scores = [int(score) for score in re.findall(r"score (-?\d+) in \d+ moves", text)]
    totals = [int(total) for total in re.findall(r"After \d+ games: total score (-?\d+)\.", text)]
    assert [scores[0], *totals] == np.cumsum(scores).tolist()
    if hands:
        assert len(scores) == hands
    else:
        assert abs(totals[-1]) >= 100 > max(map(abs, [scores[0], *totals[:-1]]))


def test_squares_are_named_by_row_and_column_or_by_number() -> None:
    cards = list(range(4, 56))
    text = typed("poker_squares", "classic", "c3", "b2", "c3", "13", "q", chosen={"deck": cards})
    assert "[··]   A♣   [··]" in text
    assert "'c3' is not a legal move" in text
    assert "3 of 25 placed" in text
    assert "A♣    A♥   [··]" in text
    book = typed("poker_squares", "book", "a1", "?", "b3", "q", chosen={"deck": cards})
    assert "you cannot place A♦ at a1 now" in book
    assert re.search(r"moves now:\n  b3  place .. at b3\n  c2 .*\n  c4 .*\n  d3 ", book)
    assert "2 of 25 placed" in book


def test_a_whole_game_of_squares_scores_its_lines() -> None:
    text = typed("poker_squares", "classic", *map(str, range(25)), chosen={"deal": 2})
    assert "25 of 25 placed" in text
    assert "in 25 moves" in text
    last = text[text.rindex("Poker Squares\n") :].splitlines()
    rows = [int(line.split()[5]) for line in last[1:6]]
    columns = [int(points) for points in last[6].split()]
    assert f"score {sum(rows + columns)}" in text


def test_piles_are_named_by_number_and_tops_by_card() -> None:
    cards = list(range(8, 56))  # twos, then threes: of clubs, diamonds, hearts, spades
    lines = ["1", "2", "3", "4", "3c", "2d", "d", "1", "2", "2", "3", "?", "2s", "4", "q"]
    text = typed("puss_in_the_corner", "free-hand", *lines, chosen={"deck": cards})
    for part in (
        "<2♣>",
        "A♣    A♦    A♥    A♠",
        "4 to be placed",
        "3c is not on the table",
        "moves now:\n  3h      play 3♥ to its foundation\n  2s ",
        "2♠    2♦    A♥    A♠",  # a black card went on the first black foundation
        "'4' is not a legal move",
    ):
        assert part in text, part


def test_words_that_the_table_does_not_show_are_explained() -> None:
    cards = list(range(4, 56))
    text = typed(
        "klondike",
        None,
        "?",
        "5>7",
        "ac",
        "7>1",
        "6h ks",
        "6♥>K♠",
        "3s",
        "q",
        chosen={"deck": cards},
    )
    assert "  Ac f    move A♣ to its foundation\n" in text
    assert re.search(r" 7♠\n +6♥\n", text)
    assert "'7>1' is not a legal move; ? lists the moves" in text
    assert text.count("not possible now: 6h") == 0
    assert "3s is not on the table" in text
    assert "score 1" in text
    assert "Name what you move" not in text


def played(agent: str, *lines: str, **keywords: object) -> str:
    output: list[str] = []
    play_solitaire(TerminalGame(GAME, ask=script(*lines), say=output.append, **keywords), agent)  # type: ignore[arg-type]
    return "\n".join(output)


@pytest.fixture(autouse=True)
def state_folder(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def test_a_whole_game_by_hints_is_the_greedy_one() -> None:
    output: list[str] = []
    answers = 0

    def ask(prompt: str) -> str:
        nonlocal answers
        answers += 1
        if "Another game" in prompt:
            return "q"
        hints = [text for text in output if text.startswith("hint: ")]
        return "hint" if answers % 2 else hints[-1].removeprefix("hint: ").partition(" (")[0]

    play_solitaire(TerminalGame(GAME, chosen={"deal": 4}, ask=ask, say=output.append))
    greedy = evaluate(GAME, "greedy", deals=1, first=4).results
    best = human_bests.load_best(human_bests.rules_key(GAME, GAME.make_rules()))
    assert best is not None
    assert best[:3] == (greedy.facts["won"][0], greedy.score[0], greedy.moves[0])
    assert "Your first result with these rules." in output


def test_results_are_kept_and_beaten() -> None:
    cards = deck(Kc=22)
    rules = GAME.make_rules("book", {})
    key = human_bests.rules_key(GAME, rules)
    assert human_bests.load_best(key) is None
    assert human_bests.save_if_best(key, human_bests.Best(False, 10, 40, 60.0))
    assert not human_bests.save_if_best(key, human_bests.Best(False, 9, 10, 1.0))
    assert human_bests.save_if_best(key, human_bests.Best(True, 28, 90, 100.0))
    assert human_bests.save_if_best(key, human_bests.Best(True, 28, 60, 200.0))
    assert human_bests.load_best(key) == human_bests.Best(True, 28, 60, 200.0)
    assert str(human_bests.load_best(key)) == "won in 60 moves, 3:20"
    assert "best: won in 60 moves, 3:20; d deal, ? for help > " in prompt_of(cards, rules)


def prompt_of(cards: list[int], rules: object) -> str:
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return "d"

    rows = Rows(GAME, rules, 1)
    rows.deal_deck(cards)
    agent = HumanAgent(ask, lambda _: None)
    agent.act(prepare_turn(agent, GAME, rules, rows.states, 0))
    return prompts[0]


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"x": 1}', '{"x": [1]}', '{"x": ["a", "b", 2, 3]}']
)
def test_a_damaged_file_of_results_spoils_nothing(content: str) -> None:
    path = human_bests.best_file()
    path.parent.mkdir(parents=True)
    path.write_text(content)
    assert human_bests.load_best("x") is None
    assert human_bests.save_if_best("x", human_bests.Best(True, 28, 60, 1.0))
    assert human_bests.load_best("x") == human_bests.Best(True, 28, 60, 1.0)


def test_a_folder_that_cannot_be_written_spoils_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    with pytest.raises(OSError, match="/dev/null"):
        human_bests.save_if_best("x", human_bests.Best(True, 28, 60, 1.0))
    assert human_bests.load_best("x") is None
    squares = list(map(str, range(25)))
    text = typed("poker_squares", "classic", *squares, chosen={"deal": 2})
    assert "Over, all cards are placed: score" in text
    assert "Your first result with these rules. It could not be saved: " in text


def test_a_file_that_cannot_be_replaced_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "best.json"
    assert human_bests.save_if_best("x", human_bests.Best(False, 3, 9, 1.0), path)
    before = path.read_text()

    def fail(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no room"):
        human_bests.save_if_best("x", human_bests.Best(True, 28, 9, 1.0), path)
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["poker_squares", "seven_twenty_seven"])
def test_a_game_that_cannot_be_recorded_is_played_to_its_end(tmp_path: Path, name: str) -> None:
    output: list[str] = []
    terminal = TerminalGame(
        find_game(name),
        ask=lambda _: "hint",
        say=output.append,
        record=tmp_path / "gone" / "games.jsonl",
        delay=0.0,
    )
    if name == "poker_squares":
        play_solitaire(terminal, "greedy")
    else:
        play_hands(terminal, SeatChoice(0, ["greedy"], 1), "greedy")
    text = "\n".join(output)
    assert (
        f"The game could not be recorded in {terminal.record}: No such file or directory." in text
    )
    assert (
        "Over, all cards are placed: score" if name == "poker_squares" else "\nResult: seat 0"
    ) in text


def test_watching_an_agent() -> None:
    text = played("greedy", *[""] * 500, chosen={"deal": 4})
    assert "Pyramid, three-passes, deal 4" in text
    assert "greedy: deal from the stock" in text
    assert "\nOver, no move is left: score" in text or "\nWon in" in text
    assert "Goodbye" in played("greedy", "", "q", seed=1)


def test_a_chosen_deck_is_checked() -> None:
    with pytest.raises(ValueError, match="twice"):
        played("human", "q", chosen={"deck": "Ac Ac"})
    text = played("human", "7c 6d", "q", chosen={"deck": deck()})
    assert "score 2, moves 1" in text


def test_ctrl_c_leaves() -> None:
    def ask(_: str) -> str:
        raise KeyboardInterrupt

    output: list[str] = []
    play_solitaire(TerminalGame(GAME, ask=ask, say=output.append))
    assert output[-1] == "\nGoodbye."


def test_a_free_card_without_a_partner_is_said_to_be_free() -> None:
    rows = table(deck(Tc=27, Kc=22, **{"3c": 0}))
    with pytest.raises(ValueError, match=r"10 \+ 7 = 17; you need 13\."):
        moved("tc 7h", rows)


def test_what_is_picked_is_told_apart_from_what_goes_with_it() -> None:
    rows = table(deck())
    rows.step(np.array([24]))
    text = ansi(GAME.layout(rows.states[0], rows.rules))
    assert "<7♣>" in text
    assert "[6♦]" in text


def test_moves_are_taken_back_in_every_variant() -> None:
    text = typed("pyramid", "classic", "u", "d", "7c 6d", "undo", "q", chosen={"deck": deck()})
    positions = text.split("\nPyramid\n")[1:]
    assert "There is no move to take back." in text
    assert positions[0].partition("\nThere is no move")[0] == positions[1].rstrip()
    assert "score 2, moves 2" in positions[3]
    assert positions[4].startswith(positions[2].rstrip())
    again = typed("pyramid", "classic", "7c 6d", "d", "restart", "q", chosen={"deck": deck()})
    assert "score 0, moves 0" in again.split("\nPyramid\n")[-1]
    own = typed("pyramid", "web", "7c 6d", "u", "q", chosen={"deck": deck()})
    assert "score 0, moves 2" in own  # there it is a move of the game's own


def test_a_result_with_moves_taken_back_is_marked() -> None:
    squares = list(map(str, range(25)))
    text = typed("poker_squares", "classic", "7", "u", *squares, "u", "24", chosen={"deal": 2})
    key = human_bests.rules_key(
        find_game("poker_squares"), find_game("poker_squares").make_rules("classic")
    )
    best = human_bests.load_best(key)
    assert best is not None
    assert best.taken_back
    assert text.count("Over, all cards are placed: score") == 2
    assert text.count(", with moves taken back.") == 3  # both ends, and the best so far
    assert human_bests.Best(False, 10, 40, 60.0).better_than(
        human_bests.Best(False, 10, 9, 1, True)
    )


def test_bests_of_older_files_are_read() -> None:
    path = human_bests.best_file()
    path.parent.mkdir(parents=True)
    path.write_text('{"x": [true, 28, 60, 1.0]}')
    assert human_bests.load_best("x") == human_bests.Best(True, 28, 60, 1.0, False)


def test_the_rules_and_the_points_of_hands_can_be_asked_for() -> None:
    text = typed("poker_squares", "british", "rules", "?", "q", chosen={"deal": 2})
    assert "Poker Squares, british [literature" in text
    assert re.search(r"30  royal flush\n +30  straight flush\n +16  four\n", text)
    assert "  rules    options of these rules\n" in text


def test_the_last_chance_given_away_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def solve(_: object, state: np.ndarray, *given: object, **limits: object) -> Solution:
        if isinstance(state, np.ndarray):
            asked.append(int(state["moves"][0]))
        return Solution(not asked or asked[-1] < 2, None, 1)

    monkeypatch.setattr(FakeSolver, "__call__", solve)
    lines = ("d", "d", "d", "u", "u", "d", "q")
    with solved(GAME):
        text = typed("pyramid", None, *lines, chosen={"deal": 2})
        assert text.count(GONE) == 2  # again after it was taken back
        assert asked[1:] == [0, 1, 2]  # the first shows that the rules are taken; 2 is then known
        asked.clear()
        assert GONE not in typed("pyramid", None, *lines, chosen={"deal": 2}, notice=False)
        assert not asked


def test_at_the_end_it_is_said_whether_the_deal_could_be_won() -> None:
    for first, output in ((True, "could have been"), (False, "could not be"), (None, "")):
        notice = Notice(GAME, GAME.make_rules(), True)
        assert notice.at_end(False) == ""
        notice.deal = first
        assert output in notice.at_end(False)
        assert notice.at_end(True) == ""
