"""Texts contain none of the phrases that made earlier texts of Parlour hard to read.

`REASONS` has a replacement for each phrase. A line that needs such a phrase, for example as a
quotation or a term of a game, is listed in `ALLOWED` with the reason.
"""

import re
from collections.abc import Iterator

import pytest

from tests.test_house import ROOT, files

REASONS = {
    r"\bso many\b": "name the number: the number of deals, n rows",
    r"\banew\b": "say again, or name what happens: redeal, resample, retrain",
    r"\bby rules?\b(?! \d)": "say rule-based, or under these rules",
    r"\bone's own\b": "say your own, or name the owner",
    r"\bcomes? along\b|\bcame along\b": "say ships with Parlour, or pretrained",
    r"\bis told of\b|\bare told of\b": "name who reports what",
    r"\bwhat came of\b": "say the result",
    r"\bby turns\b": "say alternating, or in turn",
    r"\bbeside it\b": "say next to it, or name the other thing",
    r"\bfor want of\b": "say because there is no",
    r"\bwho looks on\b": "say spectators",
    r"\bas it stands\b": "say unchanged, or in its present state",
    r"\bonce more\b": "say again",
    r"\bbeforehand\b": "say in advance, or before the step",
    r"\bthat there are\b": "name the set: all games, the available agents",
    r"\bgoes? on with\b|\bgoes? on from\b|\bgone on with\b": "say continue or resume",
    r"\bcut off\b": "say truncated",
    r"\btaken round\b": "say repeated in order",
    r"\bside by side by\b": "name the worker processes",
    r"\bheld against\b|\bholds? [\w`]+ against\b": "say compared with",
    r"(?<!as )(?<!called )(?<!\()(?-i:\b[Pp]atience\b)(?! games)(?! Games)": "say solitaire",
    r"(?<!a )(?-i:\b[Vv]ying\b)(?!/)": "say betting game",
    r"\bby whom\b|\bwherein\b|\bwhereof\b|\bthereof\b": "name the thing",
    r"\bnot a few\b|\bso often as\b|\bso long as\b": "say as often as, as long as",
    r"\bwhat is not named\b": "name the default",
    r"\bthe secret that\b": "say evaluation seed",
}
"""Refused phrases, as regular expressions without regard to case, with what to write instead.

The other names of solitaires and betting games may be mentioned for readers who search for them."""
ALLOWED: dict[str, tuple[str, ...]] = {
    # The field `patience` is a time in milliseconds.
    "envs/render/web/parlour.js": ("this.patience",),
}
"""By file: words of the lines that may contain a refused phrase."""
READ = (".py", ".md", ".ipynb", ".toml", ".js", ".html", "Makefile", ".cff", ".yml")
UNREAD = ("tests/", "constraints.txt")
"""Files that users of Parlour do not read."""


def lines() -> Iterator[tuple[str, int, str]]:
    """Yield the file, the line number and the text of each line."""
    for name in files():
        if name.endswith(READ) and not name.startswith(UNREAD):
            text = (ROOT / name).read_text(encoding="utf-8")
            for number, line in enumerate(text.splitlines(), 1):
                yield name, number, line


def is_allowed(name: str, line: str) -> bool:
    """Return whether a line is an exception."""
    return any(words in line for words in ALLOWED.get(name, ()))


def test_no_text_has_a_refused_phrase() -> None:
    refused = {re.compile(phrase, re.IGNORECASE): reason for phrase, reason in REASONS.items()}
    wrong = [
        f"{name}:{number}: {match[0]!r}: {reason}"
        for name, number, line in lines()
        for phrase, reason in refused.items()
        if (match := phrase.search(line)) and not is_allowed(name, line)
    ]
    assert wrong == []


def test_every_exception_is_needed() -> None:
    needed = re.compile("|".join(REASONS), re.IGNORECASE)
    for name, several in ALLOWED.items():
        text = (ROOT / name).read_text(encoding="utf-8").splitlines()
        for words in several:
            held = [line for line in text if words in line]
            assert held, f"{name}: no line has {words!r}"
            assert any(needed.search(line) for line in held), f"{name}: {words!r} is fine as it is"


@pytest.mark.parametrize("text", ["so many deals", "cards are dealt anew", "a player by rule"])
def test_refused_phrases_are_found(text: str) -> None:
    assert any(re.search(phrase, text, re.IGNORECASE) for phrase in REASONS)
