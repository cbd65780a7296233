"""The pages of rules: each source has a title and an address, and departures are named."""

import re
from pathlib import Path

import pytest

from parlour.envs import GAMES
from parlour.envs.games.seven_twenty_seven.rules import LEVELS

ROOT = Path(__file__).parents[2]
SHARED = {"twenty_nine": "twenty_eight"}
"""Pages whose sources are on the page of another game."""
FOUND = re.compile(
    r"\]\(https?://|ISBN|\*[^*]+\*, .*\d{4}|We have no address|list of poker variants"
)
"""An address, a printed source, or the remark that we have no address."""


def read_sources(name: str) -> list[str]:
    """The entries of the section on sources."""
    text = (ROOT / f"docs/rules/{SHARED.get(name, name)}.md").read_text(encoding="utf-8")
    section = text.split("\n## Sources\n")[1]
    return [" ".join(entry.split()) for entry in section.split("\n- ")[1:]]


@pytest.mark.parametrize("name", GAMES)
def test_each_source_has_an_address_or_says_that_there_is_none(name: str) -> None:
    entries = read_sources(name)
    assert [entry for entry in entries if not FOUND.search(entry)] == []
    assert any("](http" in entry for entry in entries)


@pytest.mark.parametrize("name", ["twenty_eight", "twenty_nine", "fifty_six", "pyramid"])
def test_each_mark_of_the_code_is_a_source_of_the_page(name: str) -> None:
    entries = read_sources(name)
    for mark in GAMES[name].references:
        assert any(entry.startswith(f"**{mark}**") for entry in entries), mark


@pytest.mark.parametrize("name", SHARED)
def test_a_page_without_sources_leads_to_them(name: str) -> None:
    text = (ROOT / f"docs/rules/{name}.md").read_text(encoding="utf-8")
    assert f"]({SHARED[name]}.md#sources)" in text


def test_bet_levels_are_named_as_a_departure() -> None:
    rules = (ROOT / "docs/rules/seven_twenty_seven.md").read_text(encoding="utf-8")
    readme = (ROOT / "envs/games/seven_twenty_seven/README.md").read_text(encoding="utf-8")
    assert LEVELS == 5
    for text in (rules, readme):
        assert "five levels" in text and "any amount within" in text
    assert "This is a departure from the sources" in rules
    assert "The sources allow any amount" in readme
