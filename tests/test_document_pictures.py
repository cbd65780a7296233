"""Every picture in the documentation has a command that creates it, and drawings are up to date."""

import re
from pathlib import Path

import pytest

from benchmarks.document_pictures import BY_OTHERS, DOCS, PICTURES

ROOT = Path(__file__).parents[1]
SHOWN = re.compile(r"!\[[^\]]*\]\(([^)]+)\)|(?:src|srcset)=\"([^\"]+)\"")
DRAWN = sorted(name for name in PICTURES if name.endswith(".svg"))


def pictures_of(document: Path) -> set[Path]:
    """Return the picture files that a document shows."""
    result = SHOWN.findall(document.read_text())
    names = [one or other for one, other in result]
    return {(document.parent / name).resolve() for name in names if "://" not in name}


def test_every_picture_has_a_command() -> None:
    documents = [ROOT / "README.md", *DOCS.rglob("*.md"), *(ROOT / "envs").rglob("*.md")]
    shown = set().union(*map(pictures_of, documents))
    assert {path.name for path in shown} == PICTURES.keys() | BY_OTHERS.keys()
    assert all(path.parent == DOCS and path.is_file() for path in shown)


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawing_is_up_to_date(name: str, tmp_path: Path) -> None:
    PICTURES[name](tmp_path / name)
    drawn, kept = (folder / name for folder in (tmp_path, DOCS))
    assert drawn.read_text() == kept.read_text(), "run make pictures"
