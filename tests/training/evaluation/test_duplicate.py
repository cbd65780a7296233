"""Comparisons in games for several players: pairs, differences, tables, files, and the plot."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from scipy import stats as scipy_stats

from parlour.agents.baselines import UniformAgent
from parlour.envs import find_game
from parlour.training.evaluation.compare import compare, default_opponents, evaluate
from parlour.training.evaluation.evaluation_spec import make_specs
from parlour.training.evaluation.play import EpisodeResults
from parlour.training.evaluation.report import report
from parlour.training.evaluation.report.plots import plot_comparison
from parlour.training.evaluation.result import FILES, Comparison, TableEvaluation, unit_name
from parlour.training.evaluation.stats import student_mean
from tests.training.evaluation.test_duplicate_play import Cautious

GAME = find_game("seven_twenty_seven")
OPPONENTS = [UniformAgent(5), Cautious()]


class Peeker(UniformAgent):
    name, sees_all = "peeker", True


class Looker(Cautious):
    name, other_rules = "looker", True


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    agents = ["uniform", Cautious(), Peeker(7), Looker()]
    variants = ["home", "declare"]
    keywords: dict[str, Any] = {
        "deals": 40,
        "opponents": OPPONENTS,
        "hands": 2,
        "evaluation_seed": "k",
    }
    return compare(GAME, agents, variants=variants, **keywords)


def by_hand(agent: str, nets: list[list[int]], ante: int = 2, hands: int = 1) -> TableEvaluation:
    options, deals = {"players": 2, "ante": ante}, len(nets)
    (spec,) = make_specs(GAME, None, options, first=10, deals=deals, hands=hands)
    facts = {"net": np.array(nets), "won": np.array(nets) > 0}
    results = EpisodeResults(facts, 0.0, hands)
    return TableEvaluation(spec, agent, False, results, opponents=("greedy",))


def test_everyone_plays_among_the_opponents_and_among_every_other(comparison: Comparison) -> None:
    names = ["uniform", "cautious", "peeker", "looker"]
    assert list(comparison.variants) == ["home", "declare"]
    for variant, group in comparison.variants.items():
        assert [one.agent for one in group] == names
        assert {one.opponents for one in group} == {("uniform", "cautious")}
        pairs = [(name, other) for name in names for other in names if other != name]
        assert list(comparison.pairs(variant)) == pairs


def test_numbers_of_a_case_worked_by_hand() -> None:
    # antes a hand, at the two positions and their mean: 1 3 2, 0 -2 -1, 2 2 2, 1 5 3
    match = by_hand("one", [[2, 6], [0, -4], [4, 4], [2, 10]])
    assert match.net.mean == 1.5
    spread = np.array([2, -1, 2, 3]).std(ddof=1) / 2 * scipy_stats.t.ppf(0.975, 3)
    assert (match.net.low, match.net.high) == pytest.approx((1.5 - spread, 1.5 + spread))
    assert [one.mean for one in match.position_means] == [1, 2]
    assert match.estimates["won"].mean == 0.75
    assert match.estimates["won"].n == 4
    assert by_hand("one", [[2, 6], [0, -4]], hands=4).net.mean == 0.125
    assert match.deals.tolist() == [10, 11, 12, 13]


def test_differences_are_paired_by_deal_and_position() -> None:
    one = by_hand("one", [[2, 6], [0, -4], [4, 4], [2, 10]])
    other = by_hand("other", [[0, 10], [-2, 0], [2, 9], [1, 14]])
    (difference,) = Comparison([one, other]).differences
    assert (difference.agent, difference.minus) == ("other", "one")
    assert difference.net == student_mean(np.array([0.5, 0.5, 0.75, 0.75]))
    # position 1: -1 -1 -1 -0.5, position 2: 2 2 2.5 2
    p = scipy_stats.ttest_1samp([[-1, 2], [-1, 2], [-1, 2.5], [-0.5, 2]], 0).pvalue
    assert [at.p for at in difference.positions] == pytest.approx([p[0], 2 * p[1]])
    assert (difference.below, difference.above) == ([1], [2])
    summary = difference.summary()
    assert summary["positions"][0]["mean"] == -0.875
    assert (summary["below"], summary["above"]) == ([1], [2])


def test_equals_differ_by_exactly_nothing() -> None:
    twins = [Cautious(), Cautious()]
    comparison = compare(GAME, twins, deals=20, opponents=[Cautious()])
    for match in comparison.evaluations:
        assert (match.nets.sum(axis=1) == 0).all()
        assert match.net[:3] == (0, 0, 0)
    (difference,) = comparison.differences
    assert (difference.agent, difference.minus) == ("cautious #2", "cautious")
    assert difference.net[:3] == (0, 0, 0)
    assert [(at.holm[:3], at.p) for at in difference.positions] == [((0, 0, 0), 1.0)] * 4
    assert difference.below == difference.above == []


def test_results_do_not_depend_on_who_else_is_compared(comparison: Comparison) -> None:
    alone = evaluate(GAME, "uniform", deals=40, opponents=OPPONENTS, hands=2, evaluation_seed="k")
    beside = comparison.variants["home"][0]
    assert np.array_equal(alone.nets, beside.nets)
    for fact, values in alone.results.facts.items():
        assert np.array_equal(values, beside.results.facts[fact])
    later = evaluate(
        GAME, "uniform", deals=15, first=25, opponents=OPPONENTS, hands=2, evaluation_seed="k"
    )
    assert np.array_equal(alone.nets[25:], later.nets)


def test_the_field_without_names_is_greedy_and_the_players_by_rule() -> None:
    assert default_opponents(GAME) == ["greedy", *GAME.rule_agents]
    assert evaluate(GAME, "uniform", deals=2).opponents == tuple(default_opponents(GAME))


def test_a_single_opponent_needs_no_list() -> None:
    for opponent, name in (("greedy", "greedy"), (Cautious(), "cautious")):
        assert evaluate(GAME, "uniform", deals=2, opponents=opponent).opponents == (name,)


@pytest.mark.parametrize(("game", "opponents"), [(GAME, ["greedy"]), ("pyramid", None)])
def test_evaluate_plays_what_compare_plays(game: Any, opponents: list[str] | None) -> None:
    """Parts equal the whole in games for one and several players, with progress and names."""
    ended: list[int] = []
    keywords: dict[str, Any] = {"deals": 6, "opponents": opponents, "evaluation_seed": "k"}
    one = evaluate(game, "uniform", name="mine", progress=ended.append, **keywords)
    (other,) = compare(game, ["mine=uniform"], **keywords).evaluations
    assert (one.agent, sum(ended)) == ("mine", 6)
    assert type(one) is type(other) and one.results.facts.keys() == other.results.facts.keys()
    for name, values in one.results.facts.items():
        assert np.array_equal(values, other.results.facts[name])


def test_the_summary_is_json(comparison: Comparison) -> None:
    summary = json.loads(json.dumps(comparison.summary(), allow_nan=False))
    assert [len(summary[part]) for part in ("results", "pairs", "differences")] == [8, 24, 12]
    for one in summary["results"] + summary["pairs"]:
        assert sorted(one["net"]) == ["high", "low", "mean", "n"]
        assert len(one["positions"]) == 4
        assert (one["unit"], one["hands"], one["net"]["n"]) == ("antes", 2, 40)
        for fact in ("won", "moves", "pot", "decisions"):
            assert one[fact]["low"] <= one[fact]["mean"] <= one[fact]["high"]
    for one in summary["differences"]:
        for at in one["positions"]:
            assert at["holm"]["low"] <= at["low"] <= at["high"] <= at["holm"]["high"]


def test_files(comparison: Comparison, tmp_path: Path) -> None:
    paths = report.save(comparison, tmp_path / "new")
    assert [path.name for path in paths] == [*FILES]
    rows = pq.read_table(paths[0])
    assert rows.num_rows == (4 + 12) * 2 * 40 * 4
    frame = rows.to_pandas()
    one = frame[(frame.variant == "declare") & (frame.agent == "peeker") & ~frame.pair]
    match = comparison.variants["declare"][2]
    assert one.net.to_numpy().reshape(40, 4).tolist() == match.results.nets.tolist()
    assert one.deal.tolist() == np.repeat(np.arange(40), 4).tolist()
    assert one.position.tolist() == [1, 2, 3, 4] * 40
    assert set(one.opponents) == {"uniform, cautious"}
    assert set(one.hands) == {2}
    assert one.sees_all.all()
    summary = json.loads(paths[1].read_text())
    assert json.loads(rows.schema.metadata[b"parlour"]) == summary
    assert summary == json.loads(json.dumps(comparison.summary()))
    assert paths[2].read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("width", [66, 80, 120])
def test_tables(comparison: Comparison, width: int) -> None:
    out = StringIO()
    report.show(comparison, Console(file=out, width=width))
    text = out.getvalue().replace(" \n", " ")
    for part in (
        "sessions of 2 hands",
        "home; opponents: uniform, cautious",
        "antes per hand",
        "cautious − uniform",
        "  as dealer",
        "Holm",
        "peeker* ",
        "looker~ ",
        "* sees the hidden cards",
        "~ was trained with other rules",
        ": row against column",
    ):
        assert part in text, part
    assert "…" not in text
    assert max(map(len, out.getvalue().splitlines())) <= width
    assert (" ± " in text) == (width > 66)


def test_the_picture_shows_pairs_opponents_and_positions(comparison: Comparison) -> None:
    figure = plot_comparison(comparison)
    titles = [axes.get_title("left") for axes in figure.axes[:3]]
    assert titles == [
        "home: pairs, antes per hand",
        "home; opponents: uniform, cautious",
        "by position (same colors)",
    ]
    cells = {text.get_text() for text in figure.axes[0].texts}
    assert f"{comparison.pairs('home')['uniform', 'cautious'].net.mean:+.2f}" in cells
    assert [tick.get_text() for tick in figure.axes[2].get_xticklabels()] == [
        "1",
        "2",
        "3",
        "dealer",
    ]
    assert len(plot_comparison(Comparison(comparison.variants["home"][:1])).axes) == 2


def test_a_game_without_a_dealer() -> None:
    comparison = compare("poker_squares", ["uniform", "columns"], variants=["duel"], deals=8)
    columns = comparison.pairs("duel")["columns", "uniform"]
    assert columns.net.mean > 0.5
    assert unit_name(columns.spec.rules) == "stakes"
    out = StringIO()
    report.show(comparison, Console(file=out, width=100))
    assert "stakes per game" in out.getvalue()
    assert "dealer" not in out.getvalue()


def test_progress_is_reported_match_by_match() -> None:
    ended: dict[str, int] = {}

    def report(name: str, variant: str) -> object:
        def count(deals: int) -> None:
            ended[f"{variant}: {name}"] = ended.get(f"{variant}: {name}", 0) + deals

        return count

    agents = ["uniform", Cautious()]
    compare(GAME, agents, variants=["mini"], deals=6, hands=2, opponents=OPPONENTS, report=report)  # type: ignore[arg-type]
    names = ("uniform", "cautious", "uniform among cautious", "cautious among uniform")
    assert ended == {f"mini: {name}": 6 for name in names}


def test_finished_matches_are_kept_if_an_agent_fails() -> None:
    class Failing(Cautious):
        name = "failing"

        def act(self, turn: object) -> np.ndarray:
            raise RuntimeError("a fault of its own")

    finished: list[TableEvaluation] = []
    with pytest.raises(RuntimeError, match="of its own"):
        agents = ["uniform", Failing()]
        compare(GAME, agents, deals=4, opponents=["uniform"], finished=finished)
    assert [one.agent for one in finished] == ["uniform"]
    out = StringIO()
    report.show(Comparison(finished), Console(file=out, width=80))
    assert "uniform" in out.getvalue()


def test_what_makes_no_sense_is_refused() -> None:
    for keywords, message in (
        ({"deals": 1}, "deals must be an integer >= 2, got 1"),
        ({"hands": 0}, "hands must be an integer >= 1, got 0"),
        ({"seed": -1}, "seed must be an integer >= 0, got -1"),
        ({"first": -1}, "deal must be .* got -1"),
        ({"opponents": ["gredy"]}, "Did you mean 'greedy'"),
        ({"opponents": ["human"]}, "agent must not be a human player, got 'human'"),
        ({"options": {"players": 99}}, "players must be an integer from .*, got 99"),
    ):
        with pytest.raises(ValueError, match=message):
            compare(GAME, ["uniform"], **keywords)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must not be a human player"):
        compare(GAME, ["uniform", "human"])
    for name, others in (
        ("opponents", {"opponents": ["greedy"]}),
        ("partner", {"partner": "greedy"}),
    ):
        message = f"^{name} must be None because web of Pyramid is for one player, got "
        with pytest.raises(ValueError, match=message):
            compare("pyramid", ["uniform"], variants=["web"], **others)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one"):
        compare(GAME, [])
