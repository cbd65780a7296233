"""Every notebook runs from top to bottom, shows tables and figures, and is kept without outputs."""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.marks import slow_if

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
DRAWS = re.compile(r"\bplt\.(subplots|hist|plot)\(|\.plot\(")
"""What a cell that shows a figure calls."""
QUICK = ("01_meet_the_games",)
"""Those that run each time."""


def outputs(notebook: Any) -> list[dict[str, str]]:
    """What the cells show, each by its kinds (``text/html``, ``image/png`` ...)."""
    return [
        output["data"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "data" in output
    ]


def draws(cell: Any) -> bool:
    """Whether a cell draws a figure."""
    return cell.cell_type == "code" and bool(DRAWS.search(cell.source))


def shows_figure(cell: Any) -> bool:
    """Whether a figure is among what a cell shows."""
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_that_draws_asks_for_figures_in_its_first_cell(path: Path) -> None:
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert any(map(draws, cells))
    assert cells[0].source.startswith("%matplotlib inline\n")


@pytest.mark.parametrize(
    "path", [slow_if(path.stem not in QUICK, path, name=path.stem) for path in NOTEBOOKS]
)
def test_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder, with fewer steps and deals."""
    monkeypatch.setenv("PARLOUR_FAST", "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("MPLBACKEND", "agg")  # without %matplotlib inline it shows nothing
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = outputs(notebook)
    assert any("image/png" in one for one in shown), "no figure"
    assert any("<svg" in one.get("image/svg+xml", "") for one in shown), "no table of cards"
    assert any("<table" in one.get("text/html", "") for one in shown), "no table"
    blank = [cell.source for cell in notebook.cells if draws(cell) and not shows_figure(cell)]
    assert not blank, f"cells without their figure: {blank}"
    printed = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in printed if output.get("name") == "stderr"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
