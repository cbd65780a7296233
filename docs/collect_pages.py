"""A MkDocs hook that collects pages of the site from all over the repository.

Each text exists once, with links that work in the repository. This hook points links and pictures,
in Markdown and in HTML, to their targets on the site. A link to something that is not on the site,
such as a source file, keeps only its words. Notebooks become pages without outputs, and example
programs pages with their source. The build fails if a picture or another file that a page loads is
missing.
"""

import json
import posixpath
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]+)?\)")
PICTURE = re.compile(r"(!\[[^\]]*\])\((?!\w+:)([^)\s]+)\)")
HTML = re.compile(r"\b(src|srcset|poster)=\"(?!\w+:|//)([^\"]+)\"")
LOADED = {"src", "srcset", "poster", "data"}
"""HTML attributes that name a file which a browser loads with the page."""
NOTEBOOK_NOTE = """
!!! note
    This page shows the notebook `{path}` of the repository, without its outputs. To see them, run
    the notebook in a clone: `pip install jupyterlab`, then `jupyter lab {path}`
"""
EXAMPLE_PAGE = """\
# {name}

This program is the file `{path}` of the repository.

```python
{text}```
"""
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def list_pages() -> Iterator[tuple[str, str]]:
    """Each page that lies outside docs/: its path in the repository, its path on the site."""
    yield "README.md", "index.md"
    yield "CONTRIBUTING.md", "contributing.md"
    yield "CHANGELOG.md", "changelog.md"
    yield "agents/pretrained/README.md", "pretrained.md"
    yield "examples/README.md", "examples.md"
    for path in sorted(ROOT.glob("envs/games/*/README.md")):
        yield path.relative_to(ROOT).as_posix(), f"games/{path.parent.name}.md"
    for path in sorted(ROOT.glob("notebooks/*.ipynb")):
        yield path.relative_to(ROOT).as_posix(), f"notebooks/{path.stem}.md"
    for path in sorted(ROOT.glob("examples/*.py")):
        yield path.relative_to(ROOT).as_posix(), f"examples/{path.stem}.md"
    for path in sorted(ROOT.glob("agents/pretrained/*/README.md")):
        yield path.relative_to(ROOT).as_posix(), f"pretrained/{path.parent.name}.md"


PAGES = dict(list_pages())
SOURCES = {page: source for source, page in PAGES.items()}


def read_source(source: str) -> str:
    """Return the Markdown of a page outside docs/.

    The page of a notebook is made from its cells, and that of a program from its source.
    """
    text = (ROOT / source).read_text(encoding="utf-8")
    if source.endswith(".py"):
        return EXAMPLE_PAGE.format(name=source.rpartition("/")[2], path=source, text=text)
    if not source.endswith(".ipynb"):
        return text
    parts = []
    for cell in json.loads(text)["cells"]:
        content = "".join(cell["source"])
        parts.append(content if cell["cell_type"] == "markdown" else f"```python\n{content}\n```")
    title, _, rest = "\n\n".join(parts).partition("\n")
    return f"{title}\n{NOTEBOOK_NOTE.format(path=source)}{rest}\n"


def find_on_site(target: str, files: "Files") -> str | None:
    """Return the site path of a path of the repository; None if it is not on the site."""
    place = PAGES.get(target, target.removeprefix("docs/"))
    return place if place in files.src_uris else None


def split_srcset(value: str) -> list[list[str]]:
    """Return the candidates of a ``srcset``: each an address and, if it has one, a descriptor."""
    return [candidate.split() for candidate in value.split(",") if candidate.strip()]


def turn_links(text: str, source: str, page: str, files: "Files") -> str:
    """Point links and pictures of a text at ``source`` to their targets on the site."""

    def find(target: str) -> str | None:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        place = find_on_site(path, files)
        return place and posixpath.relpath(place, posixpath.dirname(page) or ".")

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found.groups()
        place = find(target)
        if place is None:
            return words if "`" in words else f"`{words}`"
        return f"[{words}]({place}{anchor or ''})"

    def load(found: re.Match[str]) -> str:
        name, value = found.groups()
        turned = [[find(path) or path, *size] for path, *size in split_srcset(value)]
        return f'{name}="{", ".join(map(" ".join, turned))}"'

    text = PICTURE.sub(lambda found: f"{found[1]}({find(found[2])})", LINK.sub(link, text))
    return HTML.sub(load, text)


class Addresses(HTMLParser):
    """The addresses in a page's HTML: files that it loads, links, and its own anchors."""

    def __init__(self) -> None:
        """Create a collector without addresses."""
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the addresses of a tag: pictures, films, scripts, style sheets, links."""
        for name, value in attrs:
            if name in LOADED or (tag == "link" and name == "href"):
                several = split_srcset(value or "") if name == "srcset" else [[value or ""]]
                self.loaded += [path for path, *_ in several]
            elif tag == "a" and name == "href":
                self.links.append(value or "")
            elif name in ("id", "name"):
                self.anchors.add(value or "")


def read_addresses(page: Path) -> Addresses:
    """Return the addresses in a page of a built site."""
    addresses = Addresses()
    addresses.feed(page.read_text(encoding="utf-8"))
    return addresses


def find_missing(site: Path) -> list[str]:
    """Return ``PAGE: ADDRESS`` for each file, page or anchor of a built site that is missing.

    Addresses on other sites are not checked.
    """
    pages = {page: read_addresses(page) for page in sorted(site.rglob("*.html"))}
    missing = []
    for page, addresses in pages.items():
        for address in dict.fromkeys(addresses.loaded + addresses.links):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path)
            folder = site if path.startswith("/") else page.parent
            target = (folder / path.lstrip("/")).resolve() if path else page
            target = target / "index.html" if target.is_dir() and path else target
            is_there = target.is_file() and (address or path)
            anchor = unquote(parts.fragment)
            if is_there and anchor and target in pages:
                is_there = anchor in pages[target].anchors
            if not is_there:
                missing.append(f"{page.relative_to(site).as_posix()}: {address}")
    return missing


def on_post_build(config: "MkDocsConfig") -> None:
    """Fail the build if a page loads a file, or links to a page or anchor, that is missing."""
    from mkdocs.exceptions import PluginError

    missing = find_missing(Path(config.site_dir).resolve())
    if missing:
        raise PluginError("addresses on pages lead nowhere:\n  " + "\n  ".join(missing))


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the pages that lie outside docs/."""
    from mkdocs.structure.files import File

    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=read_source(source)))
    return files


def on_page_markdown(markdown: str, page: "Page", config: "MkDocsConfig", files: "Files") -> str:
    """Point the links of a page to the site, but leave its blocks of code alone."""
    uri = page.file.src_uri
    source = SOURCES.get(uri, f"docs/{uri}")
    parts = FENCE.split(markdown)
    parts[::2] = [turn_links(text, source, uri, files) for text in parts[::2]]
    return "".join(parts)
