"""The report of a comparison: one file with tables, plots, and conditions."""

import json
import re
from base64 import b64decode
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from parlour.envs import find_game
from parlour.training import compare
from parlour.training.cli import main
from parlour.training.evaluation.report.plots import plot_scores, plot_variants
from parlour.training.evaluation.report.report_page import make_page
from parlour.training.evaluation.result import Comparison

GAME = find_game("pyramid")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(
        "pyramid",
        ["uniform", "greedy"],
        variants=["classic", "three-passes"],
        deals=30,
        evaluation_seed="k",
    )


def pictures_in(page: str) -> list[str]:
    return [b64decode(one).decode() for one in re.findall(r"image/svg\+xml;base64,([^\"]+)", page)]


def test_a_page_has_tables_pictures_and_conditions(comparison: Comparison) -> None:
    page = unescape(make_page(comparison))
    for one in comparison.evaluations:
        assert one.estimate("won").text(100, 2) in page
        assert one.estimate("score").text(1, 2) in page
    for message in (
        "deals 0 to 29 of deal set pyramid-1",
        "<td>evaluation seed</td><td>k</td>",
        "Python 3",
        "numba",
        "95 %",
    ):
        assert message in page
    assert len(pictures_in(page)) == 3
    assert page.count("<table") == page.count("</table>") >= 7
    assert all(one.startswith("<?xml") for one in pictures_in(page))


def test_the_title_names_few_variants_and_counts_many(comparison: Comparison) -> None:
    assert "<h1>Pyramid, classic, three-passes, deals 0 to 29 of " in make_page(comparison)
    many = compare("pyramid", ["uniform"], variants=list(GAME.variants)[:5], deals=2, max_moves=4)
    assert "<h1>Pyramid, 5 variants, deals 0 to 1 of " in make_page(many)


def test_a_page_loads_nothing(comparison: Comparison) -> None:
    page = make_page(comparison)
    for name in ("src", "href", "action", "data"):
        for value in re.findall(rf'\s{name}="([^"]*)"', page):
            assert value.startswith("data:image/svg+xml;base64,")
    assert not re.search(r"<script|<link|<iframe|@import|url\(", page)


def test_names_are_text_in_a_page() -> None:
    class Agent:
        name = "<b>&amp; $x$ [red]"
        sees_all = False

        def act(self, turn: Any) -> Any:
            return turn.masks.argmax(axis=1)

    page = make_page(compare("pyramid", [Agent()], deals=3, max_moves=4))
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;amp; $x$ [red]" in page


def test_tables_of_several_have_a_page() -> None:
    comparison = compare(
        "seven_twenty_seven",
        ["greedy", "uniform"],
        variants=["mini"],
        deals=2,
        opponents=["uniform"],
    )
    page = unescape(make_page(comparison))
    assert "row against column" in page
    assert "1 per deal, from every seat" in page
    assert len(pictures_in(page)) == 1


def test_figures_show_themselves_in_notebooks(comparison: Comparison) -> None:
    """Also without ``%matplotlib inline``."""
    for figure in (comparison.plot(), plot_variants(comparison), plot_scores(comparison)):
        assert figure._repr_png_().startswith(b"\x89PNG")


def test_percentages_have_two_decimals(comparison: Comparison) -> None:
    page = unescape(make_page(comparison))
    rates = re.findall(r"(\d+(?:\.\d+)?) \[\d+\.\d+, \d+\.\d+\]", page)
    labels = [text.get_text() for axes in comparison.plot().axes for text in axes.texts]
    rates += [label.removesuffix(" %") for label in labels if label.endswith(" %")]
    assert len(rates) > 6
    assert all(re.fullmatch(r"\d+\.\d\d", rate) for rate in rates)
    assert "font: 13px/1.5 ui-monospace" in page


def test_pictures_show_the_numbers(comparison: Comparison) -> None:
    lines = plot_variants(comparison).axes[0].lines
    dots = [float(line.get_xdata()[0]) for line in lines if line.get_marker() == "o"]  # type: ignore[index, arg-type]
    means = [100 * one.estimate("won").mean for one in comparison.evaluations]
    assert sorted(dots) == pytest.approx(sorted(means))
    compared = [one.label_comparison for one in comparison.evaluations if one.label_comparison]
    bounds = {100 * one.bound.mean for one in compared if one.bound}
    ticks = {float(line.get_xdata()[0]) for line in lines if line.get_color() == "#222222"}  # type: ignore[index, arg-type]
    assert sorted(ticks) == pytest.approx(sorted(bounds))
    names = [one.get_text() for one in plot_variants(comparison).axes[0].get_yticklabels()]
    assert names == list(comparison.variants)
    titles = [axes.get_title(loc="left") for axes in comparison.plot().axes[::2]]
    assert titles == names
    spread = plot_scores(comparison).axes[0].lines
    marks = [float(line.get_xdata()[0]) for line in spread if line.get_marker() == "^"]  # type: ignore[index, arg-type]
    assert marks == pytest.approx([one.results.score.mean() for one in comparison.evaluations])


def test_compare_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "report.html"
    words = ["compare", "pyramid", "--deals", "3", "--agents", "greedy", "--report", str(path)]
    assert main.main(words) == 0
    assert f"written: {path}" in capsys.readouterr().out
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert main.main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"]


def test_a_page_that_cannot_be_written_is_said_before_playing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    for path, message in (
        (tmp_path / "report.pdf", "must be a file that ends with .html"),
        (tmp_path / "file" / "report.html", "must be a folder"),
    ):
        words = ["compare", "pyramid", "--deals", "100000000", "--report", str(path)]
        assert main.main(words) == 2
        assert message in capsys.readouterr().err
