"""Results in Python and notebooks: data frames, files, pages, texts, colors, and labels."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from matplotlib.colors import to_hex

from parlour.agents.baselines import UniformAgent
from parlour.training.evaluation.compare import compare, evaluate
from parlour.training.evaluation.report.plots import (
    BASELINES,
    COLOURS,
    agent_colours,
    plot_comparison,
)
from parlour.training.evaluation.report.terminal import cut_middle, cut_names
from parlour.training.evaluation.result import Comparison
from tests.marks import slow_if

LONG = "pyramid-three-passes-20261122-080000/seed-{}"
BEGINS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def named(name: str) -> UniformAgent:
    agent = UniformAgent()
    agent.name = name
    return agent


def alone(*names: str) -> Comparison:
    return compare("pyramid", list(map(named, names)), deals=6, max_moves=9)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    comparison = compare("pyramid", ["uniform", "greedy"], deals=6, max_moves=9)
    keywords: dict[str, Any] = {"deals": 2, "opponents": ["uniform"]}
    several = compare("seven-twenty-seven", ["greedy", "uniform"], variants=["mini"], **keywords)
    return {
        "Comparison": comparison,
        "SolitaireEvaluation": evaluate("pyramid", "greedy", deals=6, max_moves=9),
        "Comparison of tables": several,
        "TableEvaluation": evaluate("seven-twenty-seven", "greedy", variant="mini", **keywords),
    }


KINDS = ["Comparison", "SolitaireEvaluation", "Comparison of tables", "TableEvaluation"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_draws_its_picture(kind: str, results: dict[str, Any]) -> None:
    figure = results[kind].plot()
    assert any(axes.has_data() for axes in figure.axes)


ROWS = dict(zip(KINDS, (12, 6, 16, 4), strict=True))  # duplicates: a row for each seat and pairing


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_becomes_a_data_frame(results: dict[str, Any], kind: str) -> None:
    frame = results[kind].to_pandas()
    assert len(frame) == ROWS[kind]
    assert {"variant", "agent", "deal", "won", "other_rules"} <= set(frame.columns)


@pytest.mark.parametrize(
    "kind", [slow_if(kind in ("Comparison", "TableEvaluation"), kind) for kind in KINDS]
)
def test_a_result_is_saved_with_its_picture_in_three_formats(
    results: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    comparison = results[kind]
    paths = comparison.save(tmp_path / "new" / "folder")
    assert sorted(paths) == sorted((tmp_path / "new" / "folder").iterdir())
    assert [path.name for path in paths] == [
        "episodes.parquet",
        "summary.json",
        *(f"comparison.{ending}" for ending in BEGINS),
    ]
    assert pq.read_table(paths[0]).num_rows == len(comparison.to_pandas())
    assert json.loads(paths[1].read_text())["results"]
    for path in paths[2:]:
        assert path.read_bytes().startswith(BEGINS[path.suffix[1:]])
    again = comparison.save(str(tmp_path / "again"))
    assert [path.read_bytes() for path in again[2:]] == [path.read_bytes() for path in paths[2:]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_tables(results: dict[str, Any], kind: str) -> None:
    page = results[kind]._repr_html_()
    assert re.search(r'<pre style="font-family: [^"]*\bmonospace;', page), "columns must line up"
    assert page.startswith("<pre ") and page.rstrip().endswith("</pre>")
    text = re.sub(r"<[^>]*>", "", page)
    assert "agent" in text and "greedy" in text and "Evaluation seed: " in text


def test_a_name_in_a_page_is_escaped() -> None:
    page = alone("<script>", "[bold]x")._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page and "[bold]x" in page


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_is_printed_on_one_line(results: dict[str, Any], kind: str) -> None:
    line = repr(results[kind])
    assert line.startswith(f"<{kind.split()[0]}: ") and "greedy" in line
    assert "\n" not in line and len(line) < 160, line


@pytest.mark.parametrize("kind", KINDS)
def test_str_of_a_result_is_its_table(results: dict[str, Any], kind: str) -> None:
    text = str(results[kind])
    assert "greedy" in text and "agent" in text and len(text.splitlines()) > 4
    assert "\x1b" not in text and "<pre" not in text


def test_what_a_result_has_is_printed_on_one_line(results: dict[str, Any]) -> None:
    one, match = results["SolitaireEvaluation"], results["TableEvaluation"]
    for part in (one.spec, one.results, match.results):
        assert "\n" not in repr(part) and len(repr(part)) < 160, part
    message = "<EvaluationSpec: pyramid, three-passes, deals 0 to 5 of deal set pyramid-1>"
    assert repr(one.spec) == message


def test_an_agent_has_one_colour_in_every_picture() -> None:
    first, second = (plot_comparison(alone(*names)) for names in (("uniform", "b"), ("b", "a")))
    bars = [figure.axes[0].patches for figure in (first, second)]
    colours = [[to_hex(bar.get_facecolor()) for bar in part] for part in bars]
    assert colours[0][1] == colours[1][0]  # b, at another place
    assert colours[0][0] == BASELINES["uniform"]
    lines = [to_hex(line.get_color()) for line in first.axes[1].lines]
    assert lines[::2] == colours[0]
    several = compare(
        "seven-twenty-seven",
        [named("b"), "greedy"],
        variants=["mini"],
        deals=2,
        opponents=["uniform"],
    )
    bar = plot_comparison(several).axes[1].patches[0]
    assert to_hex(bar.get_facecolor()) == colours[0][1]


def test_no_two_agents_of_a_picture_share_a_colour_while_there_are_enough() -> None:
    names = [f"agent {number}" for number in range(len(COLOURS))]
    comparison = agent_colours([*names, "uniform", "greedy"])
    assert len(set(comparison.values())) == len(COLOURS) + 2
    assert agent_colours(reversed(names)) == agent_colours(names)
    assert len(agent_colours(map(str, range(50)))) == 50


def test_labels_are_cut_in_the_middle_and_stay_apart() -> None:
    assert cut_middle("short", 5) == "short"
    assert cut_middle("0123456789", 5) == "01…89"
    assert cut_middle("0123456789", 6) == "012…89"
    names = [LONG.format(0), LONG.format(1), LONG.format(1) + "-mcts"]
    labels = plot_comparison(alone(*names)).axes[0].get_yticklabels()
    message = [label.get_text() for label in labels]
    assert message[0].startswith("pyramid-three-p") and message[0].endswith("seed-0")
    assert len(set(message)) == 3 and max(map(len, message)) <= 30
    near = ["a" * 20 + "x" + "b" * 20, "a" * 20 + "y" + "b" * 20]
    assert len(set(cut_names(near, 8))) == 2
    assert cut_names(["same" * 9] * 2, 8) == ["same…ame"] * 2


def test_agents_are_renamed_where_they_are_named() -> None:
    comparison = compare("pyramid", ["mine=greedy", "greedy", "yours=greedy"], deals=3, max_moves=5)
    assert [one.agent for one in comparison.evaluations] == ["mine", "greedy", "yours"]
    match = compare(
        "seven-twenty-seven", ["a=greedy"], variants=["mini"], deals=2, opponents=["b=greedy"]
    )
    assert (match.evaluations[0].agent, match.evaluations[0].opponents) == ("a", ("b",))
    assert np.array_equal(match.evaluations[0].deals, [0, 1])
