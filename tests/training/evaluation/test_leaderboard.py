"""Lines of a leaderboard: what is read, what is claimed, and which claims hold."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from parlour.agents.folders import TRAINED_FOLDER
from parlour.agents.registry import find_saved
from parlour.envs import GAMES
from parlour.training.cli.board import BOARD_FILE
from parlour.training.evaluation import leaderboard as board
from parlour.training.evaluation import leaderboard_play as play
from parlour.training.evaluation.duplicate import evaluate_duplicate
from parlour.training.evaluation.evaluate import evaluate

HEAD = ",".join(board.COLUMNS)
GREEDY = "poker_squares,classic,,greedy,,40"


def read(folder: Path, *lines: str, head: str = HEAD) -> list[board.Entry]:
    path = folder / "board.csv"
    path.write_text("\n".join([head, *lines]) + "\n")
    return board.read_board(path)


@pytest.fixture(scope="module")
def claimed() -> board.Entry:
    (entry,) = [board.make_entry(dict(zip(board.COLUMNS, GREEDY.split(","), strict=False)))]
    return board.make_claimed(entry, play.make_claim(entry))


def change(entry: board.Entry, **values: object) -> board.Entry:
    """A claim that says something else, sealed as if the command had written it."""
    assert entry.claim is not None
    return board.make_claimed(entry, entry.claim._replace(**values))


def test_empty_cells_stand_for_the_usual(tmp_path: Path) -> None:
    (entry,) = read(tmp_path, "pyramid,,passes=2 undo=yes,greedy")
    assert (entry.variant, entry.bank, entry.deals) == ("three-passes", "pyramid-1", 10_000)
    assert (entry.rules.passes, entry.rules.undo) == (2, True)
    assert entry.claim is None and entry.mark == "" and entry.line == 2


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("pyramyd,,,greedy", "line 3: game: unknown game 'pyramyd'"),
        ("pyramid,three,,greedy", "line 3: variant: .*three-passes"),
        ("pyramid,,passes=99,greedy", "line 3: options: option passes='99'"),
        ("pyramid,,passes,greedy", "line 3: options: option 'passes': write NAME=VALUE"),
        ("pyramid,,,,", "line 3: agent: the name of an agent is needed, got ''"),
        ("pyramid,,,greedy,,many", "line 3: deals: a whole number from 1 .* got 'many'"),
        ("pyramid,,,greedy,,0", "line 3: deals: a whole number from 1 .* got '0'"),
        ("seven_twenty_seven,,,greedy,,1", "line 3: deals: a whole number from 2 "),
        ("pyramid,,,greedy,,9,high", "line 3: score: a number is needed, got 'high'"),
        ("pyramid,,,greedy,,9,nan", "line 3: score: a number is needed, got 'nan'"),
        ("pyramid,,,greedy,,9,0.1,0,1,,1,maybe", "line 3: sees_all: yes or no is needed"),
        ("pyramid,,,greedy,,9,0.1,0,1,?", "line 3: bound: a number or nothing is needed"),
        (GREEDY, "line 3: the same entry as line 2"),
        ("pyramid,,,greedy" + "," * 30, "line 3: 34 cells; at most 23 are allowed"),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_field(
    tmp_path: Path, line: str, error: str
) -> None:
    with pytest.raises(ValueError, match=error) as caught:
        read(tmp_path, GREEDY, line)
    assert str(tmp_path / "board.csv") in str(caught.value)


def test_the_names_of_the_columns_are_needed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="line 1: the names of the columns are needed: game,"):
        read(tmp_path, GREEDY, head="game,agent")
    with pytest.raises(ValueError, match=r"none\.csv: No such file"):
        board.read_board(tmp_path / "none.csv")


def test_a_line_is_written_as_it_was_read(tmp_path: Path, claimed: board.Entry) -> None:
    path = tmp_path / "board.csv"
    quoted = replace(claimed, mark='says "no", twice')
    board.write_board(path, [quoted])
    first = path.read_bytes()
    (entry,) = board.read_board(path)
    assert (entry.claim, entry.seal, entry.mark) == (claimed.claim, claimed.seal, quoted.mark)
    assert entry.is_sealed
    board.write_board(path, [entry])
    assert path.read_bytes() == first


def test_what_is_written_by_hand_meanwhile_is_kept(tmp_path: Path, claimed: board.Entry) -> None:
    path = tmp_path / "board.csv"
    read(tmp_path, GREEDY, "pyramid,,,uniform,,7")
    board.put_entry(path, claimed)
    entries = board.read_board(path)
    assert [entry.agent for entry in entries] == ["greedy", "uniform"]
    assert entries[0].claim == claimed.claim and entries[1].claim is None
    read(tmp_path, "pyramid,,,uniform,,7")  # its line has been taken out
    board.put_entry(path, claimed)
    assert [entry.agent for entry in board.read_board(path)] == ["uniform"]


def test_a_claim_is_what_evaluate_finds_by_the_same_key(claimed: board.Entry) -> None:
    found = evaluate("poker_squares", "greedy", deals=40, key=play.KEY).estimate("score")
    claim = claimed.claim
    assert claim is not None
    assert [claim.score, claim.low, claim.high] == [pytest.approx(x, rel=1e-5) for x in found[:3]]
    assert claim.first == 40 and claim.agent_digest == "" and not claim.sees_all
    assert claim.rules_digest == claimed.game.rules_digest(claimed.rules)


def test_the_bound_is_that_of_labels_of_all_its_deals() -> None:
    cells = {"game": "pyramid", "agent": "uniform", "deals": "30"}
    known = play.make_claim(board.make_entry(cells))
    truth = evaluate("pyramid", "uniform", deals=30).truth
    assert truth is not None and truth.winnable is not None
    assert known.bound == pytest.approx(truth.winnable.mean, rel=1e-5)
    assert play.make_claim(board.make_entry(cells | {"bank": "other"})).bound is None


def test_at_a_table_of_several_it_is_what_is_won_among_greedy() -> None:
    cells = {"game": "seven_twenty_seven", "variant": "mini", "agent": "tight", "deals": "30"}
    entry = board.make_entry(cells)
    claim = play.make_claim(entry)
    match = evaluate_duplicate(
        "seven_twenty_seven", "tight", variant="mini", deals=30, key=play.KEY, field=["greedy"]
    )
    assert claim.score == pytest.approx(match.net.mean, rel=1e-5)
    assert claim.low == pytest.approx(match.net.low, rel=1e-5)
    assert play.judge_claim(board.make_claimed(entry, claim)) == ""
    assert play.judge_claim(board.make_claimed(entry, claim), deals=1) == ""


def test_a_claim_holds_by_its_first_deals_and_by_all(claimed: board.Entry) -> None:
    cells = {"game": "poker_squares", "agent": "uniform", "deals": "30"}  # it draws
    drawn = board.make_entry(cells)
    drawn = change(board.make_claimed(drawn, play.make_claim(drawn)))
    assert drawn.claim is not None
    values = play.play_spec(play.make_spec(drawn, 12), "uniform").values
    part = change(drawn, first=12, first_digest=play.digest_values(values))
    for entry in (claimed, drawn, part):
        for deals in (None, 5, 12, 10_000):
            assert play.judge_claim(entry, deals) == ""


@pytest.mark.parametrize(
    ("values", "deals", "reason"),
    [
        ({"score": 160.0, "low": 150.0, "high": 170.0}, None, "does not reproduce: 160.00 claimed"),
        ({"score": 160.0, "low": 150.0, "high": 170.0}, 20, "does not reproduce: 160.00 claimed"),
        ({"first_digest": "0" * 16, "first_score": 180.0}, None, "reproduce: 180.00 claimed"),
        ({"rules_digest": "0" * 16}, None, "stale: the rules are others now"),
        ({"agent_digest": "0" * 16}, None, "stale: the saved agent is another now"),
    ],
)
def test_a_false_claim_is_told(
    claimed: board.Entry, values: dict[str, object], deals: int | None, reason: str
) -> None:
    assert reason in play.judge_claim(change(claimed, **values), deals)


def test_where_all_deals_are_played_the_last_digit_counts(claimed: board.Entry) -> None:
    assert claimed.claim is not None
    wrong = change(claimed, score=claimed.claim.score + 0.01)
    assert "does not reproduce" in play.judge_claim(wrong, 40)
    assert play.judge_claim(wrong, 20) == ""  # so few deals cannot tell


def test_a_line_changed_by_hand_is_told_without_playing(
    claimed: board.Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "play_spec", None)
    assert claimed.claim is not None
    for name, value in {"score": 0.1, "ms": 0.1, "date": "2020-01-01", "bound": 1.0}.items():
        forged = replace(claimed, claim=claimed.claim._replace(**{name: value}))
        assert play.judge_claim(forged).startswith("changed: the line is not as")
    assert play.judge_claim(replace(claimed, deals=39)).startswith("changed: ")


def test_an_agent_that_draws_by_itself_is_judged_by_its_interval() -> None:
    entry = board.make_entry({"game": "pyramid", "agent": "greedy", "deals": "4000"})
    rng = np.random.default_rng(1)
    values = rng.random(4000) < 0.5
    found = play.estimate_values(entry, values)
    claim = board.Claim(
        *found[:3], None, 1.0, False, 200, float(values[:200].mean()),
        play.digest_values(values[:200]), *[""] * 6,
    )  # fmt: skip
    again = [rng.random(200) < 0.5 for _ in range(50)]
    assert [play.judge_values(entry, claim, one) for one in again].count("") >= 49
    worse = [rng.random(200) < 0.2 for _ in range(20)]
    assert "" not in [play.judge_values(entry, claim, one) for one in worse]
    assert play.judge_values(entry, claim, values[:200]) == ""
    assert "20.00" not in play.judge_values(entry, claim, np.zeros(200, bool))
    assert play.judge_values(entry, claim, np.zeros(200, bool)) != ""


def test_the_saved_agent_behind_a_name_is_found(tmp_path: Path) -> None:
    game = GAMES["poker_squares"]
    rules, own = game.make_rules(), TRAINED_FOLDER / "poker_squares-classic"
    for spec in ("trained", "mine=trained", "expectimax:trained", "mcts@9:trained", str(own)):
        assert find_saved(spec, game, rules) == own, spec
    for spec in ("greedy", "columns", "mcts@9", "oracle", "oracle:fewest", "expectimax", "a:B"):
        assert find_saved(spec, game, rules) is None, spec
    with pytest.raises(ValueError, match="no agent in this folder"):
        find_saved(str(tmp_path), game, rules)


def test_another_agent_in_the_folder_makes_a_claim_stale(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(TRAINED_FOLDER / "poker_squares-classic", folder)
    entry = board.make_entry({"game": "poker_squares", "agent": str(folder), "deals": "20"})
    entry = board.make_claimed(entry, play.make_claim(entry))
    assert play.find_change(entry) == ""
    said = json.loads((folder / "agent.json").read_text())
    said["trained"]["seed"] += 5
    (folder / "agent.json").write_text(json.dumps(said))
    assert play.find_change(entry) == ""  # it plays as it did
    (folder / "agent.json").write_text(json.dumps(said | {"samples": True}))
    assert play.find_change(entry) == "stale: the saved agent is another now"
    (folder / "agent.json").unlink()
    assert play.judge_claim(entry).startswith("cannot be played: ")


def test_the_leaderboard_of_the_repository_is_whole_and_of_these_agents() -> None:
    entries = board.read_board(BOARD_FILE)
    assert {entry.game.name for entry in entries} == set(GAMES)
    for entry in entries:
        assert entry.claim is not None and entry.is_sealed, entry.title
        assert (entry.mark, play.find_change(entry)) == ("", ""), f"{entry.title}: board --run"
    played = {play.digest_saved(entry) for entry in entries}
    folders = [path.parent for path in TRAINED_FOLDER.glob("*/agent.json")]
    assert {play.digest_agent(folder) for folder in folders} <= played
