"""The site of documents: where links and pictures lead, and the check of what pages load."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def hook() -> Any:
    """The hook that builds the site; MkDocs itself is not needed."""
    spec = spec_from_file_location("collect_pages", ROOT / "docs/collect_pages.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def files(hook: Any) -> Any:
    """The files of the site, as MkDocs lists them."""
    docs = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.*")}
    return SimpleNamespace(src_uris=docs | set(hook.PAGES.values()))


def test_pictures_of_the_first_page_lead_to_files_of_the_site(hook: Any, files: Any) -> None:
    source = (ROOT / "README.md").read_text(encoding="utf-8")
    loaded = hook.LoadedFiles()
    loaded.feed(hook.turn_links(source, "README.md", "index.md", files))
    assert len(loaded.paths) >= 16
    assert [path for path in loaded.paths if path not in files.src_uris] == []


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ('<img src="docs/demo.png">', '<img src="demo.png">'),
        ('<source srcset="docs/demo.png">', '<source srcset="demo.png">'),
        (
            '<img srcset="docs/demo.png 1x, docs/review.png 2x">',
            '<img srcset="demo.png 1x, review.png 2x">',
        ),
        ('<img src="https://a.example/b.png">', '<img src="https://a.example/b.png">'),
        ('<img src="docs/no_such.png">', '<img src="docs/no_such.png">'),
        ("![demo](docs/demo.png)", "![demo](demo.png)"),
    ],
)
def test_a_picture_leads_to_where_it_is_on_the_site(
    hook: Any, files: Any, text: str, turned: str
) -> None:
    assert hook.turn_links(text, "README.md", "index.md", files) == turned


def test_a_picture_of_a_page_below_leads_up(hook: Any, files: Any) -> None:
    result = hook.turn_links(
        '<img src="../../../docs/demo.png">',
        "envs/games/pyramid/README.md",
        "games/pyramid.md",
        files,
    )
    assert result == '<img src="../demo.png">'


def test_what_a_page_loads_and_is_missing_is_named(hook: Any, tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "there is.png").touch()
    (tmp_path / "index.html").write_text(
        '<link rel="stylesheet" href="style.css"><img src="there%20is.png"><img src="gone.png">'
        '<source srcset="there%20is.png 1x, twice.png 2x"><video poster="film.jpg"></video>'
        '<img src="https://a.example/far.png"><img src="data:image/png;base64,AA"><a href="no">'
        "<img>"
    )
    (tmp_path / "games/one.html").write_text(
        '<img src="../there%20is.png"><img src="/there%20is.png">'
        '<img src="up.png"><img src="/up.png">'
    )
    assert hook.find_missing(tmp_path) == [
        "games/one.html: up.png",
        "games/one.html: /up.png",
        "index.html: style.css",
        "index.html: gone.png",
        "index.html: twice.png",
        "index.html: film.jpg",
    ]


def test_an_empty_address_is_missing(hook: Any, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<img src="">')
    assert hook.find_missing(tmp_path) == ["index.html: "]
