"""Contrast of the page: the colors of its style sheet and of the cards, in both themes."""

import re

import pytest

from parlour.envs.core.scene.drawing import THEMES
from parlour.envs.render.pictures import WEB

TEXT, OUTLINE = 4.5, 3.0
"""Least contrast of text and of outlines (WCAG 2.2, AA)."""
TEXTS = [
    *[(ink, ground) for ink in ("words", "faint") for ground in ("page", "field")],
    *[("words", ground) for ground in ("felt", "felt-in", "felt-out")],
    *[(ink, ground) for ink in ("accent", "good", "loss") for ground in ("page", "field")],
    *[("warn", "page"), ("warn", "field"), ("on", "accent")],
]
OUTLINES = [
    *[(edge, ground) for edge in ("edge", "words", "accent") for ground in ("page", "field")],
    *[("glow", ground) for ground in ("felt", "felt-in", "felt-out", "page")],
    ("words", "felt"),
]


def read_colors(theme: str) -> dict[str, str]:
    """Return the custom properties of a theme, as six hex digits."""
    css = (WEB / "parlour.css").read_text(encoding="utf-8")
    name = ".parlour" if theme == "light" else r".parlour\[data-theme=dark\]"
    block = re.search(rf"^{name} {{(.*?)}}", css, re.MULTILINE | re.DOTALL)
    assert block
    found = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6});", block[1]))
    return {
        key: value if len(value) == 7 else "#" + "".join(c + c for c in value[1:])
        for key, value in found.items()
    }


def luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_texts_and_outlines_of_the_page_are_clear(theme: str) -> None:
    colors = read_colors(theme)
    low = {
        (ink, ground, round(contrast(colors[ink], colors[ground]), 2))
        for pairs, least in ((TEXTS, TEXT), (OUTLINES, OUTLINE))
        for ink, ground in pairs
        if contrast(colors[ink], colors[ground]) < least
    }
    assert not low


@pytest.mark.parametrize("theme", THEMES)
def test_words_and_marks_on_the_table_are_clear(theme: str) -> None:
    """The felt of the page shades from one color to another. Outlines are around cards."""
    look, colors = THEMES[theme], read_colors(theme)
    grounds = [look.felt, colors["felt"], colors["felt-in"], colors["felt-out"]]
    texts = [(ink, ground) for ink in (look.words, look.faint) for ground in grounds]
    if theme == "dark":
        assert min(contrast(look.panel, ground) for ground in grounds) > 1.45
    texts += [(ink, look.face) for ink in (*look.inks, *look.four_inks)]
    texts += [(look.button_words, look.button), (look.faint, look.panel), (look.words, look.panel)]
    outlines = [
        (edge, ground)
        for edge in (look.empty, look.legal, look.picked, look.last, look.turn)
        for ground in grounds
    ]
    low = [(*pair, round(contrast(*pair), 2)) for pair in texts if contrast(*pair) < TEXT]
    low += [(*pair, round(contrast(*pair), 2)) for pair in outlines if contrast(*pair) < OUTLINE]
    assert not low
