"""Solver labels: made in parallel, resumed, and rejected if changed."""

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from joblib.parallel import BACKENDS, ThreadingBackend
from rich.console import Console

from parlour.agents.baselines import GreedyAgent
from parlour.envs import CardEnv, CardVectorEnv, find_game
from parlour.envs.core.contract import Solution
from parlour.envs.core.kernel.cards import deal_seeds, decks_digest
from parlour.envs.core.turn import prepare_turn
from parlour.training.cli import main
from parlour.training.evaluation.compare import compare, evaluate
from parlour.training.evaluation.labels import labelling, labels
from parlour.training.evaluation.labels.label_comparison import Contradiction, verify_solution
from parlour.training.evaluation.labels.labels import (
    OWN_FOLDER,
    Labels,
    find_labels,
    find_settled,
    load_labels,
    save_labels,
)
from parlour.training.evaluation.play import play_deals
from parlour.training.evaluation.report import report
from parlour.training.evaluation.report.plots import plot_comparison
from parlour.training.evaluation.result import Evaluation
from parlour.training.evaluation.stats import wilson_rate
from tests.fake_solver import FakeSolver, SeesAll, solved

GAME = find_game("pyramid")
RULES = GAME.make_rules()
SQUARES = find_game("poker_squares")
SHIPPED = labels.SHIPPED_FOLDER


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(labels, "SHIPPED_FOLDER", tmp_path / "shipped")


@pytest.fixture
def fake() -> Iterator[FakeSolver]:
    with solved(GAME) as fake:
        yield fake


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Labels:
    """Return labels of deals 0 to 119 from the fake solver."""
    with solved(GAME):
        return load_labels(
            labelling.make_labels(GAME, deals=120, jobs=1, out=tmp_path_factory.mktemp("labels"))
        )


def test_labels_are_what_the_solver_says(whole: Labels) -> None:
    played = play_deals(GAME, RULES, SeesAll(), deal_seeds("pyramid-1", range(120)))
    won = played.facts["won"]
    assert np.array_equal(whole.winnable == 1, won)
    assert set(whole.winnable.tolist()) == {-1, 0, 1}
    assert np.array_equal(whole.fewest, np.where(won, played.moves, -1))
    assert {name: values.dtype.name for name, values in whole.columns.items()} == {
        "deck": "uint64",
        "winnable": "int8",
        "fewest": "int16",
        "nodes": "int64",
    }


def test_the_file_says_what_it_is(whole: Labels) -> None:
    assert whole.source is not None
    assert whole.source.name == "pyramid-three-passes.parquet"
    assert sorted(path.name for path in whole.source.parent.iterdir()) == [whole.source.name]
    metadata = json.loads(pq.read_schema(whole.source).metadata[b"parlour"])
    env = CardEnv(GAME)
    decks = [env.reset(options={"deal": deal}) and env.state["deck"].copy() for deal in range(120)]
    assert metadata["decks"] == decks_digest(np.array(decks))
    assert metadata["rules_digest"] == GAME.rules_digest(RULES)
    for name, value in {"deal_set": "pyramid-1", "first": 0, "n": 120, "optimal": True}.items():
        assert metadata[name] == value
    assert metadata == whole.metadata()


def test_room_follows_the_file_and_not_its_number_of_rows(whole: Labels, tmp_path: Path) -> None:
    """A million equal rows take only a few kilobytes on disk."""
    rows, path = 10**6, tmp_path / "small.parquet"
    table = pa.table({name: np.full(rows, values[0]) for name, values in whole.columns.items()})
    metadata = json.dumps(whole.metadata() | {"n": rows})
    pq.write_table(table.replace_schema_metadata({"parlour": metadata}), path, compression="zstd")
    size = path.stat().st_size
    assert size < 100_000
    with pytest.raises(ValueError, match=f"rows must fit the file's {size:,} bytes, got 1,000,000"):
        load_labels(path)


def test_in_parallel_it_is_the_same(fake: FakeSolver, whole: Labels) -> None:
    ended: list[int] = []
    keywords: dict[str, Any] = {"jobs": 2, "backend": "threading", "progress": ended.append}
    actual = load_labels(labelling.make_labels(GAME, deals=120, **keywords))
    assert actual.metadata()["content"] == whole.metadata()["content"]
    assert sum(ended) == 120


def test_a_backend_that_cannot_hand_out_results_one_by_one(
    fake: FakeSolver, whole: Labels, monkeypatch: pytest.MonkeyPatch
) -> None:
    class AllAtOnce(ThreadingBackend):
        supports_return_generator = False

    monkeypatch.setitem(BACKENDS, "all-at-once", AllAtOnce)
    actual = load_labels(labelling.make_labels(GAME, deals=120, jobs=1, backend="all-at-once"))
    assert actual.metadata()["content"] == whole.metadata()["content"]


def test_what_was_done_is_not_done_again(
    fake: FakeSolver, whole: Labels, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []

    def stop(n: int) -> None:
        ended.append(n)
        if sum(ended) >= 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        labelling.make_labels(GAME, deals=120, jobs=1, progress=stop)
    assert fake.asked == 100
    assert not list(Path("runs/labels").glob("*.parquet"))
    (kept,) = Path("runs/labels").iterdir()
    next(kept.glob("0-*.npz")).write_bytes(b"cut")
    # another job touches nothing of this one
    labelling.make_labels(GAME, deals=10, optimal=False, jobs=1)
    fake.asked = 0
    with pytest.warns(UserWarning, match="is damaged, so this chunk is computed again"):
        actual = load_labels(labelling.make_labels(GAME, deals=120, jobs=1))
    assert fake.asked == 70
    assert actual.metadata()["content"] == whole.metadata()["content"]
    assert [path.name for path in Path("runs/labels").iterdir()] == ["pyramid-three-passes.parquet"]


def test_better_labels_are_not_lost(fake: FakeSolver) -> None:
    path = labelling.make_labels(GAME, deals=20, jobs=1)
    before, fake.asked = path.read_bytes(), 0
    for deals in (20, 5):
        assert labelling.make_labels(GAME, deals=deals, jobs=1) == path
    for keywords in ({"deals": 10, "limit": 99}, {"deals": 20, "optimal": False}):
        with pytest.raises(
            ValueError,
            match=r"has labels of 20 deals \(with shortest wins.*would replace",
        ):
            labelling.make_labels(GAME, jobs=1, **keywords)  # type: ignore[arg-type]
    assert (fake.asked, path.read_bytes()) == (0, before)
    path.write_bytes(before[:99])
    labelling.make_labels(GAME, deals=20, jobs=1)
    assert path.read_bytes() == before


def test_more_deals_or_a_higher_limit_solve_only_what_is_open(fake: FakeSolver) -> None:
    labelling.make_labels(GAME, deals=100, limit=50, jobs=1)
    fake.asked = 0
    more = load_labels(labelling.make_labels(GAME, deals=150, limit=50, jobs=1))
    assert (fake.asked, len(more), more.limit) == (50, 150, 50)
    undecided = (more.winnable == -1).reshape(-1, labelling.CHUNK).any(axis=1)
    fake.asked = 0
    higher = load_labels(labelling.make_labels(GAME, deals=150, jobs=1))
    assert (fake.asked, higher.limit) == (labelling.CHUNK * undecided.sum(), None)
    for name, values in more.columns.items():
        np.testing.assert_array_equal(values, higher.columns[name])


def test_labels_that_come_with_parlour_are_gone_on_from(
    fake: FakeSolver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "SHIPPED_FOLDER", tmp_path / "shipped")
    labelling.make_labels(GAME, deals=100, jobs=1, out=tmp_path / "shipped")
    fake.asked = 0
    for deals, asked in ((50, 0), (150, 50)):
        path = labelling.make_labels(GAME, deals=deals, jobs=1)
        assert (fake.asked, len(load_labels(path)), path.parent) == (asked, deals, OWN_FOLDER)
    labelling.make_labels(GAME, deals=200, jobs=1, out=tmp_path / "shipped")
    labelling.make_labels(GAME, deals=50, jobs=1)
    assert len(load_labels(path)) == 150


def test_labels_that_come_with_parlour_name_their_solver() -> None:
    files = sorted(SHIPPED.glob("*.parquet"))
    assert files and all(load_labels(file).solver for file in files)


def test_labels_of_another_solver_are_not_gone_on_from(
    fake: FakeSolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = labelling.make_labels(GAME, deals=50, jobs=1)
    monkeypatch.setattr(labelling, "digest_code", lambda solve: "another")
    with pytest.raises(ValueError, match=r"by another version of the solver.*would replace"):
        labelling.make_labels(GAME, deals=20, jobs=1)
    fake.asked = 0
    labelling.make_labels(GAME, deals=60, jobs=1)
    assert (fake.asked, load_labels(path).solver) == (60, "another")


def test_a_higher_limit_leaves_what_is_settled() -> None:
    columns = {
        "winnable": np.array([1, 1, 0, -1], np.int8),
        "fewest": np.array([30, -1, -1, -1], np.int16),
    }
    assert find_settled(True, columns).tolist() == [True, False, True, False]
    assert find_settled(False, columns).tolist() == [True, True, True, False]


def spoilt(whole: Labels, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> Path:
    """Write a file with changed columns or metadata."""
    table = pq.read_table(whole.source)
    columns = {name: table[name].to_numpy().copy() for name in table.column_names}
    metadata = json.loads(table.schema.metadata[b"parlour"])
    change(columns, metadata)
    made, buffer = pa.table(columns), BytesIO()
    pq.write_table(made.replace_schema_metadata({"parlour": json.dumps(metadata)}), buffer)
    Path("spoilt.parquet").write_bytes(buffer.getvalue())
    return Path("spoilt.parquet")


def flip(columns: dict[str, Any], _: dict[str, Any]) -> None:
    columns["winnable"][5] ^= 1


def other_deal(_: dict[str, Any], metadata: dict[str, Any]) -> None:
    metadata["first"] = 1
    metadata["content"] = labels._metadata_digest(metadata)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (flip, "column winnable was changed"),
        (lambda columns, _: columns.pop("nodes"), "column nodes was changed"),
        (
            lambda columns, _: columns.update(more=columns["deck"]),
            r"columns must be those of the metadata, got a difference in \['more'\]",
        ),
        (
            lambda _, metadata: metadata.update(deal_set="mine"),
            "metadata were changed",
        ),
        (lambda _, metadata: metadata.update(format=9), "format must be 1, got 9"),
        (
            lambda _, metadata: metadata.pop("columns"),
            "field columns must be an object, but is missing",
        ),
        (
            lambda _, metadata: metadata.pop("solver"),
            "field solver must be a string of at most 200 printable characters, but is missing",
        ),
        (other_deal, "decks must be those of deal set 'pyramid-1'"),
    ],
)
def test_an_edited_file_is_refused(whole: Labels, change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=rf"spoilt\.parquet.*{message}"):
        load_labels(spoilt(whole, change))


def test_a_cut_file_is_refused(whole: Labels) -> None:
    assert whole.source is not None
    data = whole.source.read_bytes()
    for part in (data[:-9], data[:200], b"", b"PAR1"):
        Path("cut.parquet").write_bytes(part)
        with pytest.raises(
            ValueError, match=r"cut\.parquet must be a label file, got a damaged file"
        ):
            load_labels("cut.parquet")
    pq.write_table(pa.table({"deck": [1]}), "other.parquet")
    with pytest.raises(ValueError, match="label file"):
        load_labels("other.parquet")


def test_files_are_found(fake: FakeSolver, whole: Labels) -> None:
    assert find_labels(GAME, RULES) is None
    assert whole.source is not None
    Path("shipped").mkdir()
    shutil.copy(whole.source, "shipped")
    assert len(find_labels(GAME, RULES) or ()) == 120
    labelling.make_labels(GAME, deals=20, jobs=1)
    labelling.make_labels(GAME, deals=30, first=500, jobs=1)
    labelling.make_labels(GAME, deals=4, deal_set="mine/1", jobs=1)
    for first, deals, n in ((0, 20, 20), (0, 60, 120), (500, 30, 30), (0, None, 120)):
        actual = find_labels(GAME, RULES, None, first, deals)
        assert actual is not None
        assert len(actual) == n
    assert len(find_labels(GAME, RULES, "mine/1") or ()) == 4
    assert find_labels(GAME, RULES, "other") is None
    assert find_labels(GAME, GAME.make_rules("web")) is None


def test_without_pyarrow_none_are_found(whole: Labels, monkeypatch: pytest.MonkeyPatch) -> None:
    save_labels(whole, Path("runs/labels/pyramid-three-passes.parquet"))
    assert find_labels(GAME, RULES) is not None
    labels._load.cache_clear()
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    assert find_labels(GAME, RULES) is None
    assert evaluate(GAME, "uniform", deals=3).label_comparison is None
    with pytest.raises(ModuleNotFoundError, match="pyarrow"):
        evaluate(GAME, "uniform", deals=3, labels="runs/labels/pyramid-three-passes.parquet")


def test_overlaps(whole: Labels) -> None:
    part = replace(whole, first=100)
    assert part.overlap(0, 10) == part.overlap(300, 10) == (slice(0, 0), slice(0, 0))
    assert part.overlap(90, 20) == (slice(10, 20), slice(0, 10))
    assert part.overlap(210, 50) == (slice(0, 10), slice(110, 120))
    assert part.overlap(0, 900) == (slice(100, 220), slice(0, 120))


def test_an_evaluation_says_what_could_be_reached(whole: Labels) -> None:
    actual = evaluate(GAME, "uniform", first=100, deals=60, labels=whole, evaluation_seed="k")
    compared = actual.label_comparison
    assert compared is not None
    winnable, won = whole.winnable[100:] == 1, actual.results.facts["won"][:20]
    assert (compared.deals, compared.undecided) == (
        20,
        np.count_nonzero(whole.winnable[100:] == -1),
    )
    assert compared.winnable == compared.bound == wilson_rate(winnable)
    assert compared.won == wilson_rate(won[winnable])
    assert compared.lost == np.count_nonzero(winnable & ~won)
    summary = json.loads(json.dumps(actual.summary()))["label_comparison"]
    assert summary["of_the_winnable_won"]["n"] == np.count_nonzero(winnable)
    assert summary["lost_though_winnable"] == compared.lost
    greedy = evaluate(GAME, SeesAll(), deals=120, labels=whole).label_comparison
    assert greedy is not None
    assert greedy.won is not None
    assert greedy.extra_moves is not None
    assert (greedy.lost, greedy.won.mean, greedy.extra_moves.mean) == (0, 1, 0)


def test_without_labels_nothing_is_said(whole: Labels) -> None:
    assert evaluate(GAME, "uniform", deals=3).summary()["label_comparison"] is None
    assert evaluate(GAME, "uniform", deals=3, first=120, labels=whole).label_comparison is None
    with pytest.raises(
        ValueError, match=r"rules of labels .* must be those played, got three-passes"
    ):
        evaluate(GAME, "uniform", variant="web", deals=3, labels=whole)
    with pytest.raises(ValueError, match=r"deal set of labels .* must be mine, got pyramid-1"):
        evaluate(GAME, "uniform", deal_set="mine", deals=3, labels=whole)
    with pytest.raises(ValueError, match=r"game of labels .* must be poker_squares, got pyramid"):
        evaluate(SQUARES, "uniform", deals=3, labels=whole)


def test_what_cannot_be_is_loud(fake: FakeSolver, whole: Labels) -> None:
    fake.lies = True
    lied = load_labels(labelling.make_labels(GAME, deals=60, jobs=1))
    deal = int(np.flatnonzero((whole.winnable[:60] == 1) & (lied.winnable == 0))[0])
    with pytest.raises(
        Contradiction, match=f"'greedy' has won deal {deal} of deal set 'pyramid-1', wh"
    ):
        evaluate(GAME, SeesAll(), deals=60)
    assert evaluate(GAME, SeesAll(), deals=60, labels="no").label_comparison is None
    assert evaluate(GAME, "uniform", deals=1, first=deal + 1).label_comparison is not None
    more = {"fewest": np.where(whole.winnable == 1, 400, -1).astype(np.int16)}
    with pytest.raises(Contradiction, match="which needs more moves according to"):
        evaluate(GAME, SeesAll(), deals=60, labels=replace(whole, columns=whole.columns | more))


def test_a_way_that_is_none_is_loud(fake: FakeSolver) -> None:
    state = CardEnv(GAME).clone()
    env = CardEnv(GAME)
    env.reset(seed=1)
    state = env.clone()
    legal = int(env.action_masks().argmax())
    for actual, message in (
        (Solution(True, [], 1, [41]), "got 41 \\(undo the last move\\)"),
        (Solution(True, [], 1, [legal]), "won of the solver's solution must be True, got False"),
        (
            Solution(None, [], 1, [legal], score=12),
            "score of the solver's solution must be 12, got",
        ),
        (Solution(None, [], 1, [legal], fewest=9), "moves of the solver's solution must be 9, got"),
    ):
        with pytest.raises(Contradiction, match=message):
            verify_solution(GAME, RULES, state, actual)


def test_tables_files_and_picture(whole: Labels, tmp_path: Path) -> None:
    actual = compare(GAME, ["uniform", "greedy"], deals=150, labels=whole, evaluation_seed="k")
    for width in (60, 80, 120):
        out = StringIO()
        report.show(actual, Console(file=out, width=width))
        assert "winnable (120 labeled deals" in " ".join(out.getvalue().split())
        assert "winnable won %" in out.getvalue()
        assert max(map(len, out.getvalue().splitlines())) <= width
    rows = report.episodes(actual).to_pandas()
    one = rows[rows.agent == "greedy"]
    assert one.winnable[:120].tolist() == whole.winnable.tolist()
    assert one.winnable[120:].isna().all()
    assert one.fewest.notna().sum() == np.count_nonzero(whole.fewest != -1)
    assert "dashed: winnable, " in plot_comparison(actual).axes[0].get_xlabel()
    without = report.episodes(compare(GAME, ["uniform"], deals=5))
    assert "winnable" not in without.column_names


def test_a_game_played_for_its_score(tmp_path: Path) -> None:
    with solved(SQUARES):
        made = load_labels(labelling.make_labels(SQUARES, deals=30, jobs=1))
        with pytest.raises(ValueError, match="winnable needs a game that can be won, got "):
            CardEnv(SQUARES, winnable=True)
    greedy = play_deals(
        SQUARES, SQUARES.make_rules(), GreedyAgent(), deal_seeds("poker_squares-1", range(30))
    )
    assert made.score.dtype == np.int32
    actual = compare(SQUARES, ["uniform", "greedy"], deals=30)
    compared = [one.label_comparison for one in actual.evaluations]
    assert compared[0] is not None
    assert compared[1] is not None
    assert compared[0].regret is not None
    assert compared[0].winnable is None
    assert compared[0].bound == compared[0].best == compared[1].best
    scores = actual.evaluations[0].results.score
    assert compared[0].regret.mean == pytest.approx((made.score - scores).mean())
    assert (made.score - greedy.score).mean() == pytest.approx(compared[1].regret.mean)  # type: ignore[union-attr]
    out = StringIO()
    report.show(actual, Console(file=out, width=80))
    assert "Upper bound: best score " in out.getvalue()
    assert "regret" in out.getvalue()
    assert report.episodes(actual).to_pandas().best_score[:30].tolist() == made.score.tolist()
    assert "dashed: best found" in plot_comparison(actual).axes[0].get_xlabel()


def test_commands(fake: FakeSolver, capsys: pytest.CaptureFixture[str]) -> None:
    line = "deals make pyramid --variant three-passes web --deals 60 --jobs 1"
    assert main.main(line.split()) == 0
    message = capsys.readouterr()
    assert "labels: runs/labels/pyramid-web.parquet" in message.err
    assert "Pyramid, web, deals 0 to 59 of deal set pyramid-1\n  winnable " in message.out
    assert main.main(["deals", "show", "pyramid", "--variant", "three-passes"]) == 0
    message = capsys.readouterr()
    for part in ("Wilson 95 % [", ", 99 % [", " undecided\n", "fewest moves mean "):
        assert part in message.out
    digests = r"^  deck digest  \w{64}\n  label digest \w{64}\n  file\s"
    assert re.search(digests, message.out, re.MULTILINE)
    assert main.main(["deals", "show", "runs/labels/pyramid-web.parquet", "--json"]) == 0
    (actual,) = json.loads(capsys.readouterr().out)
    assert (actual["variant"], sum(actual["counts"].values())) == ("web", 60)
    assert actual["winnable"]["99"]["low"] < actual["winnable"]["95"]["low"]
    assert sum(actual["fewest"]["counts"].values()) == actual["fewest"]["n"]
    assert main.main(["evaluate", "pyramid", "--agent", "oracle", "--deals", "50", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["label_comparison"]["lost_though_winnable"] == 0
    assert main.main(["evaluate", "pyramid", "--deals", "5", "--labels", "no", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["label_comparison"] is None


def test_all_variants_are_those_that_can_be_solved(
    fake: FakeSolver, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = FakeSolver.__call__

    def solve(self: FakeSolver, deck_or_state: Any, rules: Any, **keywords: Any) -> Any:
        self.refuses = "no undo" if rules.undo else ""
        return right(self, deck_or_state, rules, **keywords)

    monkeypatch.setattr(FakeSolver, "__call__", solve)
    assert (
        main.main(["deals", "make", "pyramid", "--variant", "all", "--deals", "2", "--jobs", "1"])
        == 0
    )
    message = capsys.readouterr()
    assert "web skipped: no undo" in message.err
    made = {path.stem for path in Path("runs/labels").iterdir()}
    assert made == {f"pyramid-{name}" for name, rules in GAME.variants.items() if not rules.undo}
    assert main.main(["deals", "make", "pyramid", "--variant", "web", "--deals", "2"]) == 2
    assert "parlour: error: no undo" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("deals make seven-twenty-seven", "Seven Twenty-Seven has no solver. Games with a solver:"),
        ("deals make pyramid --deals 0", "deals must be an integer >= 1, got 0"),
        ("deals make pyramid --limit 0", "limit must be an integer >= 1, got 0"),
        ("deals show seven_twenty_seven", "Seven Twenty-Seven has no solver. Games with a solver:"),
        ("deals show none.parquet", "none.parquet does not exist"),
        ("deals", "required: make|show (see parlour deals --help)"),
        (
            "deals make pyramid --deal-sett x",
            "did you mean --deal-set? (see parlour deals make --help)",
        ),
        ("evaluate pyramid --labels none.parquet", "none.parquet does not exist"),
        (
            "compare seven-twenty-seven --labels no",
            "--labels must not be given: deals of games for several",
        ),
    ],
)
def test_errors(
    fake: FakeSolver, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    assert main.main(line.split()) == 2
    assert message in capsys.readouterr().err


def test_the_environment_says_it_on_request(fake: FakeSolver) -> None:
    assert "winnable" not in CardEnv(GAME).reset(seed=1)[1]
    env = CardEnv(GAME, winnable=True)
    seen = set()
    for deal in range(6):
        _, info = env.reset(options={"deal": deal})
        over = False
        while not over:
            assert info["winnable"].dtype == np.int8
            assert info["winnable"] == fake(env.clone(), RULES).winnable_code
            *_, over, _, info = env.step(int(SeesAll().act(_turn(env))[0]))
        assert info["winnable"] == info["won"]
        seen.add(int(info["winnable"]))
    assert seen == {0, 1}


def _turn(env: CardEnv) -> Any:

    return prepare_turn(SeesAll(), GAME, RULES, env.clone(), 0)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_the_vector_environment_says_it(fake: FakeSolver, mode: str) -> None:
    envs = CardVectorEnv(GAME, 3, winnable=True, autoreset_mode=mode, max_moves=6)
    _, infos = envs.reset(seed=0)
    ended = 0
    for _ in range(14):
        assert infos["winnable"].dtype == np.int8
        running = envs.states["over"] == 0
        for row in np.flatnonzero(running):
            assert infos["winnable"][row] == fake(envs.states[row : row + 1], RULES).winnable_code
        assert not infos["winnable"][~running].any()
        *_, infos = envs.step(envs.action_masks().argmax(axis=1))
        if "final_info" in infos:
            ended += np.count_nonzero(infos["final_info"]["_winnable"])
            assert not infos["final_info"]["winnable"].any()
    assert (ended > 0) == (mode == "same_step")


def test_save_makes_the_folder(whole: Labels, tmp_path: Path) -> None:
    save_labels(whole, tmp_path / "a" / "b" / "c.parquet")
    assert load_labels(tmp_path / "a" / "b" / "c.parquet").metadata() == whole.metadata()


def test_labels_of_other_rules_are_refused_before_any_variant_is_played(whole: Labels) -> None:
    finished: list[Evaluation] = []
    with pytest.raises(ValueError, match="must be those played, got three-passes"):
        compare(
            GAME,
            ["uniform"],
            variants=["three-passes", "web"],
            labels=whole,
            deals=5,
            finished=finished,
        )
    assert finished == []
