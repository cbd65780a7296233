"""Sequential comparisons: error rates in simulations, invariance, tables, files, and errors."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.training import find_lost, load_replays
from parlour.training.cli import main
from parlour.training.evaluation import compare_until as sequential
from parlour.training.evaluation.compare import compare
from parlour.training.evaluation.compare_until import (
    SequentialComparison,
    compare_until,
    conclude,
    estimate_difference,
    next_look,
)
from parlour.training.evaluation.stats import Estimate, anytime_mean
from parlour.training.parallel.tasks import Cluster
from tests.marks import slow_if

UNTIL = 0.1
MOST = 3000
HERE = Cluster("sequential", 1)


def stop(first: np.ndarray, second: np.ndarray, until: float) -> tuple[Estimate, str]:
    """Return the difference and the conclusion at which a comparison of these values stops."""
    done = 0
    while True:
        done = next_look(done, len(first))
        difference = estimate_difference(first[:done], second[:done], until)
        conclusion = conclude(difference, until)
        if done == len(first) or conclusion != "undecided":
            return difference, conclusion


Draw = Callable[[np.random.Generator, float], tuple[np.ndarray, np.ndarray]]


def normal(rng: np.random.Generator, difference: float) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(MOST), rng.normal(difference, 1, MOST)


def skewed(rng: np.random.Generator, difference: float) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(MOST), rng.exponential(1, MOST) - 1 + difference


def rates(both: float) -> Draw:
    """Return a draw of wins: one agent alone wins in at least the share ``both`` of the deals."""

    def draw(rng: np.random.Generator, difference: float) -> tuple[np.ndarray, np.ndarray]:
        one, two = both + max(-difference, 0), both + max(difference, 0)
        place = rng.random(MOST)
        return place < one, (place >= one) & (place < one + two)

    return draw


def is_wrong(conclusion: str, difference: float) -> bool:
    return {
        "better": difference <= 0,
        "worse": difference >= 0,
        "equivalent": abs(difference) >= UNTIL,
        "undecided": False,
    }[conclusion]


def simulate(draw: Draw, difference: float, tries: int) -> tuple[float, float, list[str], float]:
    """Return shares of wrong conclusions and missing intervals, conclusions, and mean deals."""
    rng = np.random.default_rng(0)
    stops = [stop(*draw(rng, difference), UNTIL) for _ in range(tries)]
    conclusions = [conclusion for _, conclusion in stops]
    wrong = np.mean([is_wrong(one, difference) for one in conclusions])
    missed = np.mean([not one.low <= difference <= one.high for one, _ in stops])
    return float(wrong), float(missed), conclusions, float(np.mean([one.n for one, _ in stops]))


@pytest.mark.parametrize("difference", [0.0, 0.5 * UNTIL, UNTIL, -UNTIL, 2 * UNTIL])
@pytest.mark.parametrize(
    ("draw", "tries"),
    [
        slow_if(False, normal, 300, name="normal"),
        slow_if(True, normal, 4000, name="normal, many"),
        slow_if(True, skewed, 4000, name="skewed"),
        slow_if(False, rates(0.0), 300, name="one agent wins alone"),
        slow_if(True, rates(0.0), 4000, name="one agent wins alone, many"),
        slow_if(True, rates(0.01), 4000, name="agents seldom differ"),
        slow_if(True, rates(0.3), 4000, name="agents often differ"),
    ],
)
def test_conclusions_are_wrong_and_intervals_miss_at_most_as_often_as_stated(
    draw: Draw, tries: int, difference: float
) -> None:
    wrong, missed, _, _ = simulate(draw, difference, tries)
    allowed = 0.05 + 3 * np.sqrt(0.05 * 0.95 / tries)
    assert wrong <= missed <= allowed


def test_the_power_and_the_number_of_deals() -> None:
    """A fixed number of deals with an interval of width `UNTIL` always decides, too."""
    fixed = (2 * 1.96 / UNTIL) ** 2
    _, _, conclusions, deals = simulate(normal, UNTIL, 300)
    assert conclusions.count("better") > 0.97 * 300
    assert deals < 0.65 * fixed
    _, _, conclusions, deals = simulate(normal, 0, 300)
    assert conclusions.count("equivalent") > 0.94 * 300
    assert deals < 0.9 * fixed
    _, _, _, deals = simulate(normal, 4 * UNTIL, 300)
    assert deals < 0.15 * fixed


def test_all_intervals_of_a_sequence_contain_the_mean_together() -> None:
    rng, misses = np.random.default_rng(0), 0
    for _ in range(300):
        values = rng.normal(3, 1, 500)
        looks = [anytime_mean(values[:n], 0.3, 0.9, largest=3.0) for n in range(20, 501, 10)]
        misses += any(not one.low <= 3 <= one.high for one in looks)
    assert misses / 300 <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 300)


def test_the_interval_inverts_the_likelihood_ratio_tests() -> None:
    values, tuned, limit = np.random.default_rng(1).normal(0, 1, 50), 0.2, np.log(2 / 0.05)
    one = anytime_mean(values, tuned, largest=0.0)
    variance = values.var()

    def log_ratio(mean: float, other: float) -> float:
        squares = (values - mean) ** 2 - (values - other) ** 2
        return float(squares.sum() / (2 * variance))

    assert log_ratio(one.low, one.low + tuned) == pytest.approx(limit)
    assert log_ratio(one.high, one.high - tuned) == pytest.approx(limit)


def test_agents_that_have_not_differed_yet_may_still_differ() -> None:
    """In 100 equal deals, a difference of 1 % points can hide, but none of 10 % points."""
    same = np.arange(100) < 40
    assert conclude(estimate_difference(same, same, 0.01), 0.01) == "undecided"
    assert conclude(estimate_difference(same, same, 0.1), 0.1) == "equivalent"
    few = estimate_difference(np.zeros(50, bool), np.arange(50) < 16, 0.02)
    assert (few.low, few.high) == (-1, 1), "a difference of shares is between -1 and 1"
    scores = np.arange(100) % 50
    assert conclude(estimate_difference(scores, scores, 0.5), 0.5) == "undecided"
    assert conclude(estimate_difference(scores, scores, 5), 5) == "equivalent"


def test_batches_grow() -> None:
    looks = [0]
    while looks[-1] < 2250:
        looks.append(next_look(looks[-1], 2250))
    assert looks[:4] == [0, 100, 200, 300]
    assert looks[-4:] == [1900, 2000, 2200, 2250]


@pytest.fixture(scope="module")
def solitaire() -> SequentialComparison:
    return compare_until("pyramid", ["uniform", "greedy"], 0.04, evaluation_seed="k")


TABLE: dict[str, Any] = {"opponents": ["tight", "loose"], "evaluation_seed": "k", "deals": 150}


@pytest.fixture(scope="module")
def table() -> SequentialComparison:
    return compare_until("seven_twenty_seven", ["uniform", "greedy"], 4, **TABLE)


def assert_same(one: SequentialComparison, other: SequentialComparison) -> None:
    assert one.looks == other.looks
    for left, right in zip(one.comparison.evaluations, other.comparison.evaluations, strict=True):
        for fact, values in left.results.facts.items():
            np.testing.assert_array_equal(values, right.results.facts[fact])


def test_it_plays_the_deals_of_a_comparison_and_stops(solitaire: SequentialComparison) -> None:
    assert (solitaire.conclusion, solitaire.measure) == ("better", "won")
    assert solitaire.difference.low > 0
    deals = solitaire.difference.n
    assert 100 <= deals < 1000 and deals == solitaire.spec.deals == solitaire.looks[-1].n
    whole = compare("pyramid", ["uniform", "greedy"], deals=deals, evaluation_seed="k")
    for one, other in zip(solitaire.comparison.evaluations, whole.evaluations, strict=True):
        for fact, values in one.results.facts.items():
            np.testing.assert_array_equal(values, other.results.facts[fact])
    assert solitaire.difference.mean == pytest.approx(whole.differences[0].reached.mean)
    reverse = compare_until("pyramid", ["greedy", "uniform"], 0.04, evaluation_seed="k")
    assert reverse.conclusion == "worse"


def test_several_seats_compare_net_results(table: SequentialComparison) -> None:
    assert table.measure == "net"
    assert len(table.comparison.evaluations) == 2
    whole = compare(
        "seven_twenty_seven", ["uniform", "greedy"], **TABLE | {"deals": table.spec.deals}
    )
    assert table.difference.mean == pytest.approx(whole.differences[0].net.mean)
    assert "antes per hand" in str(table) and "opponents: tight, loose" in str(table)


def test_scores_are_compared_where_no_deal_is_won() -> None:
    result = compare_until("poker_squares", ["uniform", "greedy"], 5, evaluation_seed="k")
    assert (result.measure, result.conclusion) == ("score", "better")


def test_equal_agents_are_equivalent() -> None:
    result = compare_until("pyramid", ["greedy", "greedy"], 0.05)
    assert result.conclusion == "equivalent" and result.difference.n <= 300
    assert "the difference is smaller than 5 % points" in str(result)


def test_the_maximum_ends_an_undecided_comparison() -> None:
    result = compare_until("pyramid", ["uniform", "greedy"], 0.001, deals=130)
    assert (result.conclusion, result.difference.n, result.most_deals) == ("undecided", 130, 130)
    assert "the difference may be 0, or 0.1 % points and more" in str(result)


def test_chunks_and_resumed_chunks_give_the_same_result(
    solitaire: SequentialComparison, table: SequentialComparison, tmp_path: Path
) -> None:
    kept = Cluster("sequential", 1, chunks=tmp_path / "chunks")
    given: dict[str, Any] = {"evaluation_seed": "k", "cluster": kept}
    assert_same(compare_until("pyramid", ["uniform", "greedy"], 0.04, **given), solitaire)
    chunks = sorted((tmp_path / "chunks").glob("*.npz"))
    assert len(chunks) == 2 * 4 * len(solitaire.looks)
    for path in chunks[::2]:
        path.unlink()
    assert_same(compare_until("pyramid", ["uniform", "greedy"], 0.04, **given), solitaire)
    given = TABLE | {"cluster": HERE}
    assert_same(compare_until("seven_twenty_seven", ["uniform", "greedy"], 4, **given), table)


@pytest.mark.slow
def test_two_processes_give_the_same_result(solitaire: SequentialComparison) -> None:
    given: dict[str, Any] = {"evaluation_seed": "k", "cluster": Cluster("loky", 2)}
    assert_same(compare_until("pyramid", ["uniform", "greedy"], 0.04, **given), solitaire)


def test_the_summary_has_no_intervals_of_a_fixed_size(solitaire: SequentialComparison) -> None:
    summary = json.loads(json.dumps(solitaire.summary()))
    assert summary["difference"] == solitaire.difference._asdict()
    assert (summary["agent"], summary["minus"]) == ("greedy", "uniform")
    assert [sorted(one["won"]) for one in summary["results"]] == [["mean", "n"]] * 2
    assert '"low"' not in json.dumps(summary["results"])


def test_files(solitaire: SequentialComparison, tmp_path: Path) -> None:
    paths = solitaire.save(tmp_path)
    assert {path.name for path in paths} == {path.name for path in tmp_path.iterdir()}
    assert len(solitaire.to_pandas()) == 2 * solitaire.spec.deals
    assert json.loads((tmp_path / "summary.json").read_text()) == solitaire.summary()
    assert all(one.deal < solitaire.spec.deals for one in find_lost(tmp_path, "greedy"))


def test_an_invalid_smallest_difference_or_agents() -> None:
    for until in (0, -0.1, 1, float("nan")):
        with pytest.raises(ValueError, match="until must be a share of won deals between 0 and 1"):
            compare_until("pyramid", ["uniform", "greedy"], until)
    for until in (0, -1, float("inf")):
        with pytest.raises(ValueError, match="until must be a positive number, got"):
            compare_until("seven_twenty_seven", ["uniform", "greedy"], until)
    for agents in ("greedy", ["greedy"], ["greedy", "uniform", "greedy"]):
        with pytest.raises(ValueError, match="agents must be a list of two agents, got"):
            compare_until("pyramid", agents, 0.1)


COMMAND = ["compare", "pyramid", "--agents", "uniform", "greedy", "--evaluation-seed", "k"]


def test_the_command(
    solitaire: SequentialComparison,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = tmp_path / "games.jsonl"
    words = [*COMMAND, "--until", "0.04", "--json", "--out", str(tmp_path / "out")]
    assert main.main([*words, "--record", str(record)]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["looks"] == [one._asdict() for one in solitaire.looks]
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == summary
    deals = [one.deal for one in load_replays(record)]
    assert sorted(deals) == sorted(2 * list(range(solitaire.spec.deals)))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--until", "much"], "argument --until: must be a number, got 'much'"),
        (["--until", "inf"], "argument --until: must be a number, got 'inf'"),
        (["--until", "2"], "until must be a share of won deals between 0 and 1"),
        (["--until", "0.1", "--agents", "greedy"], "--until needs exactly two --agents, got 1"),
        (
            ["--until", "0.1", "--variant", "web", "book"],
            "--until needs exactly one --variant, got web, book",
        ),
        (
            ["--until", "0.1", "--report", "page.html"],
            "--report must not be given: --until has no HTML report",
        ),
    ],
)
def test_arguments_that_do_not_go_together(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main([*COMMAND, *words]) == main.FAILED
    assert message in capsys.readouterr().err


def test_an_interrupted_command_prints_the_finished_batches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*COMMAND, "--until", "0.01", "--json", "--out", str(tmp_path)]
    words += ["--jobs", "1", "--backend", "sequential"]
    play = sequential.evaluate_lineup

    def interrupt(spec: Any, *given: Any) -> Any:
        if spec.first == 200:
            raise KeyboardInterrupt
        return play(spec, *given)

    with monkeypatch.context() as patch:
        patch.setattr(sequential, "evaluate_lineup", interrupt)
        assert main.main(words) != 0
    result = capsys.readouterr()
    summary = json.loads(result.out)
    assert (summary["conclusion"], summary["difference"]["n"]) == ("undecided", 200)
    assert "Run the same command again to resume." in result.err
    assert main.main(words) == 0
    summary = json.loads(capsys.readouterr().out)
    whole = compare_until("pyramid", ["uniform", "greedy"], 0.01, evaluation_seed="k")
    assert summary["looks"] == [one._asdict() for one in whole.looks]
    assert not (tmp_path / ".chunks").exists()
