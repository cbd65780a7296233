"""The documentation site: links and pictures have existing targets, which a build checks."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def hook() -> Any:
    """Return the module of the hook that collects the pages; it does not need MkDocs."""
    spec = spec_from_file_location("collect_pages", ROOT / "docs/collect_pages.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def files(hook: Any) -> Any:
    """Return the files of the site in the form that MkDocs passes to hooks."""
    docs = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.*")}
    return SimpleNamespace(src_uris=docs | set(hook.PAGES.values()))


def test_every_address_on_the_built_site_exists(
    hook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test reads each `src`, `srcset` and `href`; the build also fails on broken ones."""
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    pages = {page: hook.read_addresses(page) for page in tmp_path.rglob("*.html")}
    assert len(pages) > 80
    assert sum(len(page.loaded) for page in pages.values()) > 500
    assert sum(len(page.links) for page in pages.values()) > 5000
    assert pages[tmp_path / "index.html"].loaded
    assert hook.find_missing(tmp_path) == []


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
def test_addresses_of_pictures_become_those_on_the_site(
    hook: Any, files: Any, text: str, turned: str
) -> None:
    assert hook.turn_links(text, "README.md", "index.md", files) == turned


def test_addresses_of_pictures_are_relative_to_pages_in_folders(hook: Any, files: Any) -> None:
    result = hook.turn_links(
        '<img src="../../../docs/demo.png">',
        "envs/games/pyramid/README.md",
        "games/pyramid.md",
        files,
    )
    assert result == '<img src="../demo.png">'


def test_a_notebook_becomes_a_page(hook: Any, files: Any) -> None:
    source = "notebooks/01_meet_the_games.ipynb"
    page = hook.PAGES[source]
    title, _, rest = hook.read_source(source).partition("\n")
    assert title == "# Meet the games"
    assert f"`{source}`" in rest and rest.count("```python\n") * 2 == rest.count("```") > 8
    turned = hook.turn_links(rest, source, page, files)
    assert "(02_variants_and_their_odds.md)" in turned and ".ipynb)" not in turned


def test_every_notebook_begins_with_its_title(hook: Any) -> None:
    notebooks = [source for source in hook.PAGES if source.endswith(".ipynb")]
    assert len(notebooks) == len(list((ROOT / "notebooks").glob("*.ipynb"))) > 0
    assert all(hook.read_source(source).startswith("# ") for source in notebooks)


def test_missing_files_pages_and_anchors_are_named(hook: Any, tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "there is.png").touch()
    (tmp_path / "index.html").write_text(
        '<link rel="stylesheet" href="style.css"><img src="there%20is.png"><img src="gone.png">'
        '<source srcset="there%20is.png 1x, twice.png 2x"><video poster="film.jpg"></video>'
        '<img src="https://a.example/far.png"><img src="data:image/png;base64,AA"><a href="no">'
        '<img><h1 id="top"><a href="#top"><a href="#bottom"><a href="games/one.html#here">'
        '<a href="games/one.html#gone"><a href="https://a.example">'
    )
    (tmp_path / "games/one.html").write_text(
        '<img src="../there%20is.png"><img src="/there%20is.png"><h1 id="here">'
        '<img src="up.png"><img src="/up.png"><a href="..">'
    )
    assert hook.find_missing(tmp_path) == [
        "games/one.html: up.png",
        "games/one.html: /up.png",
        "index.html: style.css",
        "index.html: gone.png",
        "index.html: twice.png",
        "index.html: film.jpg",
        "index.html: no",
        "index.html: #bottom",
        "index.html: games/one.html#gone",
    ]


def test_an_empty_address_is_missing(hook: Any, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<img src="">')
    assert hook.find_missing(tmp_path) == ["index.html: "]
