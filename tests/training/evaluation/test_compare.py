"""Several agents on the same deals: pairs, tables, files, and the plot."""

import json
import re
from io import StringIO
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from parlour.agents.baselines import GreedyAgent
from parlour.agents.networks.build import build_network
from parlour.envs import Game, find_game
from parlour.training.evaluation.compare import compare, evaluate
from parlour.training.evaluation.report import report
from parlour.training.evaluation.report.plots import plot_comparison
from parlour.training.evaluation.result import Comparison
from tests.networks import save_network

GAME = find_game("pyramid")


class Peeker(GreedyAgent):
    name, sees_all = "peeker", True


class Looker(GreedyAgent):
    name, other_rules = "embedding-0 of long run", True


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    agents = ["uniform", "greedy", Peeker()]
    return compare(GAME, agents, variants=["three-passes", "web"], deals=80, max_moves=60)


def test_every_agent_plays_every_variant(comparison: Comparison) -> None:
    played = [(one.variant, one.agent) for one in comparison.evaluations]
    names = ("uniform", "greedy", "peeker")
    assert played == [(variant, name) for variant in ("three-passes", "web") for name in names]


def test_all_play_the_same_deals_as_alone(comparison: Comparison) -> None:
    alone = evaluate(GAME, "greedy", deals=80, max_moves=60).results
    # The heuristic does not use the hidden cards that the peeker sees.
    for one in comparison.variants["three-passes"][1:]:
        for fact, values in alone.facts.items():
            assert np.array_equal(one.results.facts[fact], values)


def test_differences_are_paired_and_neighbours_come_first(comparison: Comparison) -> None:
    differences = [one for one in comparison.differences if one.variant == "three-passes"]
    names = [("greedy", "uniform"), ("peeker", "greedy"), ("peeker", "uniform")]
    assert [(one.agent, one.minus) for one in differences] == names
    uniform, greedy, _ = (one.results for one in comparison.variants["three-passes"])
    assert differences[0].score.mean == pytest.approx((greedy.score - uniform.score).mean())
    assert differences[0].score.low > 0
    assert differences[1].score[:3] == (0, 0, 0)


def test_the_summary_is_json(comparison: Comparison) -> None:
    summary = json.loads(json.dumps(comparison.summary()))
    assert [sorted(one["won"]) for one in summary["results"]] == [["high", "low", "mean", "n"]] * 6
    for one in summary["differences"]:
        assert one["won"]["low"] <= one["won"]["mean"] <= one["won"]["high"]


def test_names_tell_agents_apart() -> None:
    agents = ["greedy", GreedyAgent(), "parlour.agents.baselines:GreedyAgent"]
    names = [one.agent for one in compare(GAME, agents, deals=2).evaluations]
    assert names == ["greedy", "greedy #2", "greedy (parlour.agents.baselines:GreedyAgent)"]


def test_a_single_agent_and_a_single_variant_need_no_list() -> None:
    (one,) = compare(GAME, "greedy", variants="book", deals=2).evaluations
    assert (one.agent, one.variant) == ("greedy", "book")
    (one,) = compare("parlour/Pyramid-v0", GreedyAgent(), deals=2).evaluations
    assert (one.spec.game, one.agent) == (GAME, "greedy")
    with pytest.raises(ValueError, match=r"variant must be .*, got 'bok'. Did you mean 'book'"):
        compare(GAME, "greedy", variants="bok", deals=2)


def saved(folder: Path, one: Game) -> str:
    """Save an untrained network for the default rules of a game."""
    network = {"name": "mlp", "width": 8, "depth": 1, "options": {}}
    made = build_network("mlp", one, 8, 1)
    save_network(folder, "tr", one, one.make_rules(), made, network)
    return str(folder)


def test_agents_trained_with_other_rules_are_marked(tmp_path: Path) -> None:
    """Agents are marked in tables and files, in games for one and for several players."""
    poker = find_game("poker_squares")
    with pytest.raises(ValueError, match="Parlour has no pretrained agent for these rules"):
        compare(poker, ["pretrained"], variants=["british"], deals=2)
    comparison = compare(
        poker,
        ["greedy", "mine=pretrained"],
        variants=["book", "british"],
        deals=2,
        allow_rules_mismatch=True,
    )
    marks = [one.other_rules for one in comparison.evaluations]
    assert marks == [one["other_rules"] for one in comparison.summary()["results"]]
    assert marks == [False, False, False, True]  # the book's own is there
    assert report.episodes(comparison).to_pandas().groupby("variant").other_rules.sum().max() == 2
    out = StringIO()
    report.show(comparison, Console(file=out, width=100))
    assert "mine~ " in out.getvalue() and "mine " in out.getvalue()
    assert "~ was trained with other rules" in out.getvalue()
    other = saved(tmp_path / "agent", find_game("seven_twenty_seven"))
    match = compare(
        "seven_twenty_seven",
        [other],
        deals=2,
        options={"ante": 2},
        opponents=[other],
        allow_rules_mismatch=True,
    )
    assert match.evaluations[0].other_rules and match.evaluations[0].opponents == ("tr~",)
    out = StringIO()
    report.show(match, Console(file=out, width=100))
    assert "opponents: tr~" in out.getvalue() and "~ was trained with other rules" in out.getvalue()


def test_duplicate_rules_are_rejected() -> None:
    with pytest.raises(ValueError, match="got the same rules for 'excerpt' and 'excerpt-all'"):
        compare(GAME, ["greedy"], variants=["excerpt", "excerpt-all"], options={"clear_all": True})
    with pytest.raises(ValueError, match="at least one"):
        compare(GAME, [])


def test_files(comparison: Comparison, tmp_path: Path) -> None:
    paths = report.save(comparison, tmp_path / "new" / "folder")
    assert sorted(path.name for path in paths) == sorted(
        path.name for path in (tmp_path / "new" / "folder").iterdir()
    )
    rows = pq.read_table(paths[0])
    assert rows.num_rows == 6 * 80
    frame = rows.to_pandas()
    one = frame[(frame.variant == "web") & (frame.agent == "greedy")]
    expected = comparison.variants["web"][1]
    assert one.deal.tolist() == list(range(80))
    assert one.score.tolist() == expected.results.score.tolist()
    assert frame[frame.variant == "three-passes"].stuck.isna().all()
    assert json.loads(rows.schema.metadata[b"parlour"]) == json.loads(paths[1].read_text())
    assert paths[2].read_bytes().startswith(b"\x89PNG")


def test_tables_mark_agents_that_see_all_cards(comparison: Comparison) -> None:
    out = StringIO()
    report.show(comparison, Console(file=out, width=80))
    text = out.getvalue()
    assert "peeker* " in text
    assert "* sees the hidden cards" in text
    assert "greedy − uniform" in text
    assert "greedy*" not in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("width", "head", "decimals"),
    [
        (120, "agent won % score moves time", 2),
        (88, "agent won % score moves time", 1),
        (80, "agent won % score", 2),
        (70, "agent won % score", 1),
    ],
)
def test_narrow_tables_shorten_numbers_but_not_names(width: int, head: str, decimals: int) -> None:
    out = StringIO()
    report.show(compare(GAME, ["uniform", Looker()], deals=30), Console(file=out, width=width))
    lines = [" ".join(line.split()) for line in out.getvalue().splitlines()]
    assert head in lines
    number = rf"\d+\.\d{{{decimals}}}"
    row = re.compile(rf"{Looker.name}~( {number} \[{number}, {number}\]){{2}}")
    assert any(map(row.match, lines))
    assert "~ was trained with other rules" in lines
    assert max(map(len, out.getvalue().splitlines())) <= width


def test_truncated_games_have_a_column() -> None:
    def shown(max_moves: int) -> str:
        out = StringIO()
        comparison = compare(GAME, ["uniform"], variants=["classic"], deals=20, max_moves=max_moves)
        report.show(comparison, Console(file=out, width=120))
        return " ".join(out.getvalue().split())

    assert "truncated" not in shown(100_000)
    text = shown(9)
    assert "agent won % score truncated % moves time" in text
    assert "] 100.00 9.0 " in text
    assert "Truncated games ended after 9 moves (--max-moves), not won or lost." in text


def test_the_picture_names_variants_and_agents(comparison: Comparison) -> None:
    figure = plot_comparison(comparison)
    assert [axes.get_title("left") for axes in figure.axes[::2]] == ["three-passes", "web"]
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["uniform", "greedy", "peeker\n(sees all)"]
