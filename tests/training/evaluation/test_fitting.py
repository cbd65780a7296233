"""Tables in terminals of any width: no text is cut, no number is broken."""

import re
from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from parlour.training.evaluation.report.terminal import as_line, time_text, wrap_beside
from parlour.training.evaluation.report.terminal_tables import (
    ENDLESS,
    make_terminal_table,
    open_console,
    print_fitting,
)

WIDTHS = (20, 40, 60, 80, 100, 200)
NAMES = ["greedy", "ppo[v1] of a long run", "x" * 80, "牌" * 40, "[/x] :smile: $a$"]
NUMBERS = ("34.33 \\[33.41, 35.27]", "-1234567.89", "0.00015")


def shown(width: int, names: list[str] = NAMES, shapes: int = 2) -> str:
    out = StringIO()
    tables = []
    for dropped in range(shapes):
        table = make_terminal_table(
            "a [title] of its own", "agent", *["won %", "score", "ms"][: 3 - dropped]
        )
        for name in names:
            table.add_row(Text(name), *NUMBERS[: 3 - dropped])
        tables.append(table)
    print_fitting(Console(file=out, width=width, emoji=False), tables)
    return out.getvalue()


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_at_any_width(width: int) -> None:
    text = shown(width)
    assert "…" not in text
    joined = re.sub(r"\s", "", text)
    for name in NAMES:
        assert re.sub(r"\s", "", name) in joined
    for number in ("34.33", "33.41", "35.27", "-1234567.89"):
        assert len(re.findall(rf"(?<![\d.]){re.escape(number)}(?![\d.])", text)) == len(NAMES)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("0.00015") == len(NAMES) or "Columns that do not fit: ms" in text


def test_what_does_not_fit_becomes_records() -> None:
    lines = shown(34, ["greedy", "ppo[v1]"]).splitlines()
    assert lines == [
        "a [title] of its own",
        "greedy",
        "  won %: 34.33 [33.41, 35.27]",
        "  score: -1234567.89",
        "  ms: 0.00015",
        "",
        "ppo[v1]",
        "  won %: 34.33 [33.41, 35.27]",
        "  score: -1234567.89",
        "  ms: 0.00015",
        "",
    ]


def test_columns_that_are_left_out_are_named() -> None:
    text = shown(52, ["greedy"])
    assert "0.00015" not in text
    assert text.splitlines()[-1] == "Columns that do not fit: ms"
    assert "no room" not in shown(80, ["greedy"])


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_the_width_is_that_of_the_terminal_and_endless_in_a_pipe(
    term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    for columns in ("20", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        assert open_console().width == int(columns)
    for wrong in ("0", "x", ""):
        monkeypatch.setenv("COLUMNS", wrong)
        assert open_console().width == ENDLESS  # under pytest stdout is no terminal
    monkeypatch.delenv("COLUMNS")
    assert open_console().width == ENDLESS


@pytest.mark.parametrize("columns", [*map(str, WIDTHS), "1", ""])
def test_text_beside_a_heading_keeps_its_words(
    columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    text = "three-passes (default), 1234567890, turn-three and other words " * 3
    assert wrap_beside("variants", text).split() == ["variants", *text.split()]


def test_one_line() -> None:
    assert as_line(" a\n\tb \x1b[31m\x00 \ud800♥ ") == "a b \\x1b[31m\\x00 \\ud800♥"


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        *((0.0, "0 µs"), (3.2e-5, "0.032 µs"), (0.0003, "0.3 µs"), (0.032, "32 µs")),
        *((0.64, "640 µs"), (0.9996, "1 ms"), (1.5, "1.5 ms"), (999.9, "1 s"), (95e3, "95 s")),
    ],
)
def test_times_have_the_unit_that_suits_them(milliseconds: float, text: str) -> None:
    assert time_text(milliseconds) == text
