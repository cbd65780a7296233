"""Notebooks run from top to bottom, show tables and figures, and are stored without outputs."""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient

from tests.marks import slow_if

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
DRAWS = re.compile(r"\bplt\.(subplots|hist|plot)\(|\.plot\(")
"""Calls in cells that show a figure."""
INSTALL = """\
from importlib.util import find_spec

if find_spec("parlour") is None:
    %pip install -q "parlour[{}]\""""
"""The first code cell, for the extras that the notebook needs."""
QUICK = ("01_meet_the_games",)
"""Notebooks that run in the fast tests."""


def outputs(notebook: Any) -> list[dict[str, str]]:
    """Return the outputs of the cells by MIME type, such as ``text/html`` and ``image/png``."""
    return [
        output["data"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "data" in output
    ]


def names(cells: list[Any]) -> set[str]:
    """Return the words in the sources of all cells but the first."""
    return {word for cell in cells[1:] for word in re.findall(r"\w+", cell.source)}


def draws(cell: Any) -> bool:
    """Return whether a cell draws a figure."""
    return cell.cell_type == "code" and bool(DRAWS.search(cell.source))


def shows_figure(cell: Any) -> bool:
    """Return whether the output of a cell contains a figure."""
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_first_cells_install_parlour_and_enable_figures(path: Path) -> None:
    """If Parlour is missing, the first cell installs the extras that the text names."""
    text, *cells = nbformat.read(path, as_version=4).cells
    cells = [cell for cell in cells if cell.cell_type == "code"]
    requires = text.source.rpartition("Requires ")[2].partition(".")[0]
    extras = ",".join(re.findall(r"`(\w+)`", requires))
    assert cells[0].source == INSTALL.format(extras)
    assert set(extras.split(",")) == {"train"} | {"pettingzoo"} & names(cells)
    assert any(map(draws, cells))
    assert cells[1].source.startswith("%matplotlib inline\n")


@pytest.mark.parametrize("installed", [True, False])
def test_the_first_cell_installs_only_what_is_missing(installed: bool) -> None:
    ran: list[tuple[str, str]] = []
    shell = InteractiveShell()
    shell.register_magic_function(lambda line: ran.append(("pip", line)), magic_name="pip")
    source = INSTALL.format("train")
    if not installed:
        source = source.replace('"parlour")', '"a_missing_package")')
    shell.run_cell(source).raise_error()
    assert ran == ([] if installed else [("pip", 'install -q "parlour[train]"')])


@pytest.mark.parametrize(
    "path", [slow_if(path.stem not in QUICK, path, name=path.stem) for path in NOTEBOOKS]
)
def test_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Notebooks run in an empty folder, with fewer steps and deals."""
    monkeypatch.setenv("PARLOUR_FAST", "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    # With this backend, a notebook without %matplotlib inline shows no figures.
    monkeypatch.setenv("MPLBACKEND", "agg")
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
def test_notebook_is_stored_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
