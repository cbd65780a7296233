"""A comparison as one self-contained HTML file: tables, plots, and conditions."""

import platform
from base64 import b64encode
from collections.abc import Callable, Iterator
from html import escape
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...files import check_folder, write_bytes
from ..result import FONTS, Comparison, describe_machine
from .report import show
from .terminal import ENDLESS, percent_text

PACKAGES = ("parlour", "gymnasium", "numpy", "numba", "torch")
"""Packages whose versions may affect results."""
TITLED = 3
"""Most variants that the title lists by name."""
STYLE = (
    """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 2rem auto;
  max-width: 68rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .22rem .9rem .22rem 0; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th { border-bottom: 1.5px solid #888; font-weight: 600; } td { border-bottom: 1px solid #e6e6e6; }
.facts td + td { text-align: left; white-space: normal; }
.scroll { overflow-x: auto; } img { max-width: 100%; height: auto; } .note { color: #666; }
.green { color: #1b6e3c; } .red { color: #b3261e; } .dim { color: #777; }
"""
    + f".scroll table {{ font: 13px/1.5 {FONTS}; }}\n"
)


class PageConsole(Console):
    """A console that collects tables and text instead of printing them."""

    def __init__(self) -> None:
        super().__init__(width=ENDLESS, file=None, quiet=True)
        self.shown: list[Any] = []

    def print(self, *objects: Any, **_how: Any) -> None:
        """Collect tables and lines of text."""
        self.shown += objects


def check_page(path: Path) -> None:
    """Raise ValueError unless a path ends with .html and its folder can be written."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"report must be a file that ends with .html, got {path}")
    check_folder(path.parent, [path.name])


def write_page(comparison: Comparison[Any], path: Path | str) -> None:
    """Write the report of a comparison as one HTML file, whole or not at all.

    Raises ValueError for a path that does not end with .html, OSError if it cannot be written.
    """
    path = Path(path)
    check_page(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, make_page(comparison).encode())


def make_page(comparison: Comparison[Any]) -> str:
    """Return the HTML of the page, with the same tables as in the terminal."""
    title = escape(make_title(comparison))
    tables = "\n".join(map(format_html, _shown(comparison)))
    pictures = "\n".join(embed_picture(name, draw()) for name, draw in list_pictures(comparison))
    conditions = "\n".join(
        f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>"
        for name, value in list_conditions(comparison)
    )
    return frame_page(
        title,
        f"""{pictures}
<h2>Results</h2>
{tables}
<h2>Conditions</h2>
<table class="facts">{conditions}</table>""",
    )


def frame_page(title: str, body: str) -> str:
    """Return a whole HTML page; ``title`` and ``body`` are HTML."""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{STYLE}</style></head><body>
<h1>{title}</h1>
{body}
</body></html>
"""


def make_title(comparison: Comparison[Any]) -> str:
    """Return game, variants, deals and agents on one line; count more than `TITLED` variants."""
    variants, spec = list(comparison.variants), comparison.spec
    agents = ", ".join(dict.fromkeys(one.agent for one in comparison.evaluations))
    rules = f"{len(variants)} variants" if len(variants) > TITLED else ", ".join(variants)
    return f"{spec.game.title}, {rules}, {spec.deals_text}: {agents}"


def _shown(comparison: Comparison[Any]) -> list[Any]:
    """Return the tables and lines of text that the terminal shows below the title."""
    console = PageConsole()
    show(comparison, console)
    return console.shown[1:]


def format_html(shown: Any) -> str:
    """Return a rich table as an HTML table, anything else as a paragraph."""
    if not isinstance(shown, Table):
        return f'<p class="note">{_cell(shown)[0]}</p>'
    heads = "".join(f"<th>{_cell(column.header)[0]}</th>" for column in shown.columns)
    lines = zip(*(column.cells for column in shown.columns), strict=True)
    body = "".join(f"<tr>{''.join(map(_table_cell, line))}</tr>" for line in lines)
    caption = f"<caption>{_cell(shown.title)[0]}</caption>" if shown.title else ""
    head, body = f"<thead><tr>{heads}</tr></thead>", f"<tbody>{body}</tbody>"
    return f'<div class="scroll"><table>{caption}{head}{body}</table></div>'


def _table_cell(cell: Any) -> str:
    text, style = _cell(cell)
    named = f' class="{style}"' if style in ("green", "red", "dim") else ""
    return f"<td{named}>{text}</td>"


def _cell(cell: Any) -> tuple[str, str]:
    """Return the text of a cell, escaped for HTML, and its style."""
    text = cell if isinstance(cell, Text) else Text.from_markup(str(cell), emoji=False)
    style = str(text.spans[0].style) if text.spans else str(text.style)
    return escape(text.plain), style


def list_pictures(
    comparison: Comparison[Any],
) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the title of each plot and the function that draws it."""
    from .plots import plot_comparison, plot_scores, plot_variants

    if comparison.spec.is_multiplayer:
        name = "Pairs of agents, results against the opponents, and results by position"
        yield name, lambda: plot_comparison(comparison)
        return
    if len(comparison.variants) > 1:
        yield "Comparison of variants", lambda: plot_variants(comparison)
    yield "Score distributions", lambda: plot_scores(comparison)
    yield "Results of each variant", lambda: plot_comparison(comparison)


def embed_picture(name: str, figure: Any) -> str:
    """Return a figure as an SVG image of its own, so that element ids cannot collide."""
    from matplotlib import rc_context

    image = BytesIO()
    with rc_context({"svg.hashsalt": "parlour"}):
        figure.savefig(image, format="svg", metadata={"Date": None})
    data = b64encode(image.getvalue()).decode()
    title = escape(name)
    return f'<h2>{title}</h2>\n<img alt="{title}" src="data:image/svg+xml;base64,{data}">'


def list_conditions(comparison: Comparison[Any]) -> list[tuple[str, str]]:
    """Return the conditions of the results by name, which are needed to reproduce them."""
    spec, evaluations = comparison.spec, comparison.evaluations
    versions = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    conditions = [
        ("deals", spec.deals_text),
        ("rules", ", ".join(dict.fromkeys(one.variant for one in evaluations))),
        ("agents", ", ".join(dict.fromkeys(one.agent for one in evaluations))),
        ("evaluation seed", spec.evaluation_seed),
        ("agent seed", str(spec.seed)),
        ("intervals", percent_text(spec.confidence)),
    ]
    if spec.is_multiplayer:
        conditions.append(("hands", f"{spec.hands} per deal, from every seat"))
    else:
        limit = "none" if not spec.max_moves else f"{spec.max_moves} moves"
        conditions.append(("move limit", limit))
        labelled = sum(one.spec.labels is not None for one in evaluations)
        labels = f"{labelled} of {len(evaluations)} results" if labelled else "none for these deals"
        conditions.append(("solver labels", labels))
    conditions.append(("machine", f"{describe_machine()}, {platform.system()}"))
    return [*conditions, ("versions", versions)]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"
