"""A hook of MkDocs: the pages of the site that lie elsewhere in the repository.

Each text stands once, where a reader of the repository looks for it, and its links are right there.
Here the links are turned to where their targets lie on the site; a target that is no page of the
site, such as a source file, leaves its name.
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]+)?\)")
PICTURE = re.compile(r"(!\[[^\]]*\])\((?!\w+:)([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def list_pages() -> Iterator[tuple[str, str]]:
    """Each page that lies outside docs/: its path in the repository, its path on the site."""
    yield "README.md", "index.md"
    yield "CONTRIBUTING.md", "contributing.md"
    yield "CHANGELOG.md", "changelog.md"
    yield "agents/trained/README.md", "trained.md"
    for path in sorted(ROOT.glob("envs/*/README.md")):
        yield path.relative_to(ROOT).as_posix(), f"games/{path.parent.name}.md"
    for path in sorted(ROOT.glob("agents/trained/*/README.md")):
        yield path.relative_to(ROOT).as_posix(), f"trained/{path.parent.name}.md"


PAGES = dict(list_pages())
SOURCES = {page: source for source, page in PAGES.items()}


def find_on_site(target: str, files: Files) -> str | None:
    """Where a path of the repository lies on the site; None if it does not."""
    place = PAGES.get(target, target.removeprefix("docs/"))
    return place if place in files.src_uris else None


def turn_links(text: str, source: str, page: str, files: Files) -> str:
    """Turn the links of a text, which lies at ``source``, to where the targets lie on the site."""

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

    return PICTURE.sub(lambda found: f"{found[1]}({find(found[2])})", LINK.sub(link, text))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie outside docs/."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the links of a page, but not what stands in its blocks of code."""
    uri = page.file.src_uri
    source = SOURCES.get(uri, f"docs/{uri}")
    parts = FENCE.split(markdown)
    parts[::2] = [turn_links(text, source, uri, files) for text in parts[::2]]
    return "".join(parts)
