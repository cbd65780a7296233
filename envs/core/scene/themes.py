"""The colours of pictures: light and dark, with two colours of suits or four."""

from typing import NamedTuple

from ..options import unknown_text


class Theme(NamedTuple):
    """The colours of a picture."""

    felt: str
    words: str
    faint: str
    face: str
    edge: str
    inks: tuple[str, str, str, str]
    """Of clubs, diamonds, hearts and spades."""
    four_inks: tuple[str, str, str, str]
    """The same where each suit has its own colour."""
    back: str
    back_lines: str
    empty: str
    legal: str
    picked: str
    last: str
    panel: str
    turn: str
    button: str
    button_words: str
    shadow: str


_BLACK, _RED = "#16191d", "#c2132d"

THEMES = {
    "light": Theme(
        felt="#dfece4",
        words="#17352a",
        faint="#5f7d70",
        face="#ffffff",
        edge="#a8beb3",
        inks=(_BLACK, _RED, _RED, _BLACK),
        four_inks=("#137a3a", "#1857c4", _RED, _BLACK),
        back="#3a68b0",
        back_lines="#87a9de",
        empty="#8aa79a",
        legal="#e39a00",
        picked="#d9480f",
        last="#1c7ed6",
        panel="#cfe2d7",
        turn="#e39a00",
        button="#1f6b4f",
        button_words="#ffffff",
        shadow="#17352a",
    ),
    "dark": Theme(
        felt="#15251f",
        words="#e6f1ea",
        faint="#8fac9f",
        face="#f4f2ea",
        edge="#0b1512",
        inks=(_BLACK, _RED, _RED, _BLACK),
        four_inks=("#0f6f34", "#1857c4", _RED, _BLACK),
        back="#31568f",
        back_lines="#6f93cc",
        empty="#5d7a6d",
        legal="#ffc83d",
        picked="#ff8a3d",
        last="#58b4ff",
        panel="#1e352c",
        turn="#ffc83d",
        button="#5fd0a0",
        button_words="#0c1a14",
        shadow="#000000",
    ),
}


def find_theme(theme: str, four_colours: bool = False) -> Theme:
    """Return the colours called ``"light"`` or ``"dark"``; ValueError for any other name."""
    if not isinstance(theme, str) or theme not in THEMES:
        raise ValueError(unknown_text("theme", theme, THEMES))
    found = THEMES[theme]
    return found._replace(inks=found.four_inks) if four_colours else found
