"""The files of the one ES module that play page, replays in one file and notebooks share."""

from pathlib import Path
from typing import Any

from ..core.scene.drawing import card_art
from ..core.scene.themes import THEMES

WEB = Path(__file__).with_name("web")
MODULE, STYLE = WEB / "parlour.js", WEB / "parlour.css"


def all_art() -> dict[str, Any]:
    """Return the drawings of all cards by theme, as the module takes them."""
    return {theme: card_art(theme) for theme in THEMES}
