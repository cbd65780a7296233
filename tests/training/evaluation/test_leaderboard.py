"""Lines of a leaderboard: parsing, claims, and allowed agents."""

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.agents.registry import find_saved
from parlour.agents.saved import PRETRAINED_FOLDER, digest_agent
from parlour.envs import GAMES
from parlour.training.cli.leaderboard import BOARD_FILE
from parlour.training.evaluation.compare import evaluate
from parlour.training.evaluation.labels.labelling import make_labels
from parlour.training.evaluation.labels.labels import find_labels
from parlour.training.evaluation.leaderboard import claims
from parlour.training.evaluation.leaderboard import entries as board
from tests.marks import slow_if

HEAD = ",".join(board.COLUMNS)
GREEDY = "poker_squares,classic,,greedy,,120"


def read(folder: Path, *lines: str, head: str = HEAD) -> list[board.Entry]:
    path = folder / "board.csv"
    path.write_text("\n".join([head, *lines]) + "\n")
    return board.read_leaderboard(path)


@pytest.fixture(scope="module")
def claimed() -> board.Entry:
    (entry,) = [board.make_entry(dict(zip(board.COLUMNS, GREEDY.split(","), strict=False)))]
    return board.make_claimed(entry, claims.make_claim(entry))


def test_empty_cells_stand_for_the_usual(tmp_path: Path) -> None:
    (entry,) = read(tmp_path, "pyramid,,passes=2 undo=yes,greedy")
    assert (entry.variant, entry.deal_set, entry.deals) == ("three-passes", "pyramid-1", 10_000)
    assert (entry.rules.passes, entry.rules.undo) == (2, True)
    assert entry.claim is None and entry.mark == "" and entry.line == 2


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("pyramyd,,,greedy", "line 3: game: game must be one of pyramid, "),
        ("pyramid,three,,greedy", "line 3: variant: .*three-passes"),
        (
            "pyramid,,passes=99,greedy",
            "line 3: options: option passes must be an integer from 0 to 9, got '99'",
        ),
        ("pyramid,,passes,greedy", "line 3: options: option must be NAME=VALUE"),
        ("pyramid,,,,", "line 3: agent: must be the name of an agent, got ''"),
        ("pyramid,,,greedy,,many", "line 3: deals: must be an integer from 1 .* got 'many'"),
        ("pyramid,,,greedy,,0", "line 3: deals: must be an integer from 1 .* got '0'"),
        ("seven_twenty_seven,,,greedy,,1", "line 3: deals: must be an integer from 2 "),
        ("pyramid,,,greedy,,99", "line 3: deals: must be from 100 to 100,000, got 99"),
        ("pyramid,,,greedy,,100001", "line 3: deals: must be from 100 to 100,000, got 100001"),
        (
            "pyramid,,,greedy,lucky,",
            "line 3: deal_set: must be pyramid-1 or pyramid-2, got 'lucky'",
        ),
        ("pyramid,,,greedy,klondike-1,", "line 3: deal_set: must be pyramid-1 or pyramid-2, got "),
        ("pyramid,,,greedy,,900,high", "line 3: score: must be a number, got 'high'"),
        ("pyramid,,,greedy,,900,nan", "line 3: score: must be a number, got 'nan'"),
        ("pyramid,,,greedy,,900,0.1,0,1,,1,maybe", "line 3: sees_all: must be yes or no, got"),
        ("pyramid,,,greedy,,900,0.1,0,1,?", "line 3: bound: must be a number or nothing, got"),
        (GREEDY, "line 3: must not have the same entry as line 2"),
        ("pyramid,,,greedy" + "," * 30, "line 3: must have at most 21 cells, got 34"),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_field(
    tmp_path: Path, line: str, error: str
) -> None:
    with pytest.raises(ValueError, match=error) as caught:
        read(tmp_path, GREEDY, line)
    assert str(tmp_path / "board.csv") in str(caught.value)


def test_the_names_of_the_columns_are_needed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="line 1: must name the columns: game,"):
        read(tmp_path, GREEDY, head="game,agent")
    with pytest.raises(ValueError, match=r"none\.csv: No such file"):
        board.read_leaderboard(tmp_path / "none.csv")


def test_a_line_is_written_as_it_was_read(tmp_path: Path, claimed: board.Entry) -> None:
    path = tmp_path / "board.csv"
    quoted = replace(claimed, mark='says "no", twice')
    board.write_leaderboard(path, [quoted])
    first = path.read_bytes()
    (entry,) = board.read_leaderboard(path)
    assert (entry.claim, entry.seal, entry.mark) == (claimed.claim, claimed.seal, quoted.mark)
    assert entry.is_sealed
    board.write_leaderboard(path, [entry])
    assert path.read_bytes() == first


def test_what_is_written_by_hand_meanwhile_is_kept(tmp_path: Path, claimed: board.Entry) -> None:
    path = tmp_path / "board.csv"
    read(tmp_path, GREEDY, "pyramid,,,uniform,,700")
    board.put_entry(path, claimed)
    entries = board.read_leaderboard(path)
    assert [entry.agent for entry in entries] == ["greedy", "uniform"]
    assert entries[0].claim == claimed.claim and entries[1].claim is None
    read(tmp_path, "pyramid,,,uniform,,700")  # its line has been taken out
    board.put_entry(path, claimed)
    assert [entry.agent for entry in board.read_leaderboard(path)] == ["uniform"]


def test_a_claim_is_what_evaluate_finds_by_the_same_key(claimed: board.Entry) -> None:
    estimate = evaluate(
        "poker_squares", "greedy", deals=120, evaluation_seed=claims.EVALUATION_SEED
    ).estimate("score")
    claim = claimed.claim
    assert claim is not None
    assert [claim.score, claim.low, claim.high] == [
        pytest.approx(x, rel=1e-5) for x in estimate[:3]
    ]
    assert claim.first == 120 and claim.agent_digest == "" and not claim.sees_all
    assert claim.rules_digest == claimed.game.rules_digest(claimed.rules)


def test_the_bound_is_that_of_the_shipped_labels_of_all_its_deals() -> None:
    cells = {"game": "pyramid", "agent": "uniform", "deals": "30"}
    known = claims.make_claim(board.make_entry(cells))
    compared = evaluate("pyramid", "uniform", deals=30).label_comparison
    assert compared is not None and compared.winnable is not None
    assert known.bound == pytest.approx(compared.winnable.mean, rel=1e-5)
    assert claims.make_claim(board.make_entry(cells | {"deal_set": "pyramid-2"})).bound is None
    longer = board.make_entry(cells | {"deals": "10001"})  # labels end with deal 9,999
    assert claims.find_bound(longer) is None


def test_labels_of_ones_own_make_no_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_labels(GAMES["pyramid"], "turn-back", deals=5, optimal=False, limit=1, jobs=1)
    cells = {"game": "pyramid", "variant": "turn-back", "agent": "uniform", "deals": "5"}
    entry = board.make_entry(cells)
    assert find_labels(entry.game, entry.rules) is not None
    assert claims.find_bound(entry) is None


def test_at_a_table_of_several_it_is_what_is_won_among_greedy() -> None:
    cells = {"game": "seven_twenty_seven", "variant": "mini", "agent": "tight", "deals": "30"}
    entry = board.make_entry(cells)
    claim = claims.make_claim(entry)
    match = evaluate(
        "seven_twenty_seven",
        "tight",
        variant="mini",
        deals=30,
        evaluation_seed=claims.EVALUATION_SEED,
        opponents=["greedy"],
    )
    assert claim.score == pytest.approx(match.net.mean, rel=1e-5)
    assert claim.low == pytest.approx(match.net.low, rel=1e-5)
    assert claims.verify_entry(board.make_claimed(entry, claim)) == claims.Verdict([], 30)


def test_an_agent_that_draws_by_turn_seeds_repeats_its_results() -> None:
    entry = board.make_entry({"game": "poker_squares", "agent": "uniform", "deals": "30"})
    entry = board.make_claimed(entry, claims.make_claim(entry))
    assert claims.verify_entry(entry).mark == ""


def test_the_saved_agent_behind_a_name_is_found(tmp_path: Path) -> None:
    game = GAMES["poker_squares"]
    rules, own = game.make_rules(), PRETRAINED_FOLDER / "poker_squares-classic"
    for spec in (
        "pretrained",
        "mine=pretrained",
        "expectimax:pretrained",
        "mcts@9:pretrained",
        str(own),
    ):
        assert find_saved(spec, game, rules) == own, spec
    for spec in ("greedy", "columns", "mcts@9", "oracle", "oracle:fewest", "expectimax", "a:B"):
        assert find_saved(spec, game, rules) is None, spec
    with pytest.raises(
        ValueError, match=r"neither the folder nor its subfolders have an agent\.json"
    ):
        find_saved(str(tmp_path), game, rules)


def test_another_agent_in_the_folder_makes_a_claim_stale(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(PRETRAINED_FOLDER / "poker_squares-classic", folder)
    entry = board.make_entry({"game": "poker_squares", "agent": str(folder), "deals": "20"})
    entry = board.make_claimed(entry, claims.make_claim(entry))
    assert claims.check_claim(entry) == []
    message = json.loads((folder / "agent.json").read_text())
    message["trained"]["seed"] += 5
    (folder / "agent.json").write_text(json.dumps(message))
    assert claims.check_claim(entry) == []  # it plays as it did
    (folder / "agent.json").write_text(json.dumps(message | {"samples": True}))
    assert claims.verify_entry(entry).mark.startswith("agent_digest: must be ")
    (folder / "agent.json").unlink()
    assert claims.verify_entry(entry).mark.startswith("agent: ")
    shutil.rmtree(folder)
    assert claims.verify_entry(entry).mark == (
        f"agent: agent must be a built-in agent or a folder, got {str(folder)!r}; "
        f"folder {folder} does not exist"
    )


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a leaderboard and a saved agent, while another folder is the current one."""
    shutil.copytree(PRETRAINED_FOLDER / "poker_squares-classic", tmp_path / "boards" / "mine")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "boards"


@pytest.mark.parametrize(
    "agent", ["mine", "./mine", "mine/agent.json", slow_if(True, "expectimax:mine")]
)
def test_paths_are_relative_to_the_file(
    away: Path, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (entry,) = read(away, f"poker_squares,,,{agent},,100")
    entry = board.make_claimed(entry, claims.make_claim(entry))
    assert entry.claim is not None and entry.claim.agent_digest
    board.write_leaderboard(away / "board.csv", [entry])
    for here in (away, away.parent, Path("/")):
        monkeypatch.chdir(here)
        path = away / "board.csv"
        relative = Path("boards/board.csv") if here == away.parent else path
        for file in (path, relative):
            (again,) = board.read_leaderboard(file)
            assert again.agent == agent
            assert claims.check_claim(again) == []
    monkeypatch.chdir(away.parent / "elsewhere")
    assert claims.verify_entry(board.read_leaderboard(path)[0]).mark == ""


def test_a_folder_of_the_current_folder_is_not_that_of_the_file(away: Path) -> None:
    shutil.copytree(away / "mine", "yours")
    (entry,) = read(away, "poker_squares,,,yours,,100")
    with pytest.raises(ValueError, match=r"got 'yours'; folder .*boards/yours does not exist"):
        claims.make_claim(entry)


@pytest.mark.parametrize(
    "agent",
    ["evil:Agent", "mcts:evil:Agent", "mcts@5:rollouts@2:evil:Agent", "a.evil:Agent", "evil:x.y"],
)
def test_code_is_imported_only_if_it_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    (tmp_path / "a").mkdir()
    for place in (tmp_path, tmp_path / "a"):
        (place / "evil.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    for module in ("evil", "a.evil"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    (entry,) = read(tmp_path, f"poker_squares,,,{agent},,100")
    with pytest.raises(ValueError, match=r"must be a built-in agent or a saved folder, got code: "):
        claims.make_claim(entry)
    cells = dict(zip(board.COLUMNS, board.entry_cells(entry), strict=True))
    text = "0.5 0.4 0.6  1 no 10 0 0  0.1.0 m 2026-01-01 s "
    claim = text.split(" ")
    names = board.COLUMNS[len(board.ENTRY) :]
    claimed = board.make_entry(cells | dict(zip(names, claim, strict=True)), folder=tmp_path)
    verdict = claims.verify_entry(claimed)
    assert verdict.mark.startswith("agent: ") and "--allow-code" in verdict.mark
    assert not (tmp_path / "ran").exists()
    with pytest.raises(ValueError, match=r"evil"):  # there is no Agent in it
        claims.make_claim(entry, allow_code=True)
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("agent", ["nobody", "no/such/folder", "mcts:nobody", "x" * 300])
def test_an_unknown_agent_is_not_found(tmp_path: Path, agent: str) -> None:
    (entry,) = read(tmp_path, f"pyramid,,,{agent},,100")
    with pytest.raises(ValueError, match=r"^agent must be a built-in agent or a folder, got '"):
        board.resolve_agent(entry)


def test_the_leaderboard_of_the_repository_passes_all_checks_without_play() -> None:
    entries = board.read_leaderboard(BOARD_FILE)
    assert {entry.game.name for entry in entries} == set(GAMES)
    for entry in entries:
        assert entry.claim is not None, entry.title
        assert (entry.mark, claims.check_claim(entry)) == ("", []), f"{entry.title}: board --run"
    played = {board.digest_saved(entry) for entry in entries}
    folders = [path.parent for path in PRETRAINED_FOLDER.glob("*/agent.json")]
    assert {digest_agent(folder) for folder in folders} <= played


@pytest.mark.slow
def test_a_line_of_each_game_on_the_leaderboard_of_the_repository_reproduces() -> None:
    """Verify the cheapest line of each game by its first deals."""
    cheapest: dict[str, board.Entry] = {}
    for entry in board.read_leaderboard(BOARD_FILE):
        other = cheapest.setdefault(entry.game.name, entry)
        assert entry.claim is not None and other.claim is not None
        if entry.claim.ms < other.claim.ms:
            cheapest[entry.game.name] = entry
    assert set(cheapest) == set(GAMES)
    for entry in cheapest.values():
        faults = claims.verify_entry(entry).faults
        # The machine that runs the tests may be slow, or busy.
        assert [fault for fault in faults if fault.cells != "ms"] == [], entry.title
