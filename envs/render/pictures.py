"""Pictures as pixels, without a display: for ``render_mode="rgb_array"``, films and files.

The pieces of a scene are drawn as SVG, the same for pages and pixels; resvg turns each into pixels
once, and Pillow lays them on the table, so a film needs no second drawing of the cards and a frame
takes a few milliseconds. resvg was chosen over cairosvg, which needs a system library, and over
drawing everything again with Pillow alone, which has no smooth edges. It is one wheel of 4 MB that
needs nothing else. Both come with ``parlour[pictures]``.

Words are drawn in a font that comes along (`fonts`, a part of Inter): none of the machine's is
looked for, so a picture is the same everywhere.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from io import BytesIO
from math import ceil, floor
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from ..core.options import shorten, unknown_text
from ..core.scene.drawing import FONT, THEMES, Box, card_art, find_theme
from ..core.scene.scene import Scene, grid_columns, picture_pieces, picture_size, svg

FONTS = Path(__file__).parent / "fonts"
WEB = Path(__file__).with_name("web")
"""The folder of the ES module that the play page, replays and notebooks share."""
MODULE, STYLE = WEB / "parlour.js", WEB / "parlour.css"
MISSING = "needs resvg_py and pillow: pip install 'parlour[pictures]'"


class PictureStyle(NamedTuple):
    """How pictures look: the keyword ``picture`` of environments, as a dictionary."""

    theme: str = "light"
    """``"light"`` or ``"dark"``."""
    four_colours: bool = False
    """Each suit has a colour of its own."""
    width: int | None = None
    """In pixels; None: as the table needs, at most 640, a grid 1280."""


def read_style(given: Any) -> PictureStyle:
    """Return the style that a dictionary describes; ValueError naming what is wrong with it."""
    if given is None:
        return PictureStyle()
    if isinstance(given, PictureStyle):
        given = given._asdict()
    if not isinstance(given, dict):
        raise ValueError(f"picture={shorten(given)}: allowed is a dictionary, or None")
    for key in given:
        if key not in PictureStyle._fields:
            raise ValueError(unknown_text("picture key", key, PictureStyle._fields))
    style = PictureStyle(**given)
    find_theme(style.theme)
    if not isinstance(style.four_colours, bool):
        raise ValueError(f"four_colours={shorten(style.four_colours)}: allowed are True and False")
    if style.width is not None:
        picture_size(Scene("", ()), style.width)
    return style


def all_art() -> dict[str, Any]:
    """Return the drawings of all cards by theme, as the ES module takes them."""
    return {theme: card_art(theme) for theme in THEMES}


def can_draw() -> bool:
    """Whether the libraries that pixels need are installed."""
    return bool(find_spec("resvg_py") and find_spec("PIL"))


def draw_picture(scene: Scene, style: PictureStyle | dict[str, Any] | None = None) -> np.ndarray:
    """Return a scene as pixels, uint8 (height, width, 3).

    Raises DependencyNotInstalled without ``parlour[pictures]``.
    """
    style = read_style(style)
    look = find_theme(style.theme, style.four_colours)
    (left, top, right, bottom), pieces = picture_pieces(scene, look)
    wide, high = picture_size(scene, style.width)
    scale = min(wide / (right - left), high / (bottom - top))
    left -= (wide / scale - (right - left)) / 2
    top -= (high / scale - (bottom - top)) / 2
    table = _image_module().new("RGB", (wide, high), look.felt)
    for piece in pieces:
        x, y = round((piece.x - left) * scale), round((piece.y - top) * scale)
        sprite, over, down = _draw_sprite(piece.drawn, piece.box, scale)
        table.paste(sprite, (x + over, y + down), sprite)
    return np.array(table)


@lru_cache(maxsize=2048)
def _draw_sprite(drawn: str, box: Box, scale: float) -> tuple[Any, int, int]:
    """A piece as a picture with transparency, and where its corner lies from (x, y), in pixels."""
    left, top = floor(box[0] * scale), floor(box[1] * scale)
    wide, high = ceil(box[2] * scale) - left, ceil(box[3] * scale) - top
    view = f"{left / scale} {top / scale} {wide / scale} {high / scale}"
    start = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}"'
    png = _to_png(f'{start} viewBox="{view}" font-family="{FONT}">{drawn}</svg>')
    with _image_module().open(BytesIO(png)) as picture:
        return picture.convert("RGBA"), left, top


def draw_grid(
    scenes: Sequence[Scene],
    style: PictureStyle | dict[str, Any] | None = None,
    columns: int | None = None,
) -> np.ndarray:
    """Return many scenes as one picture, uint8 (height, width, 3), row by row.

    As `svg_grid` does it, which says what ``columns`` is.
    """
    style = read_style(style)
    columns, each = grid_columns(scenes, style.width, columns)
    tables = [draw_picture(scene, style._replace(width=each)) for scene in scenes]
    high = max(table.shape[0] for table in tables)
    felt = _image_module().new("RGB", (1, 1), find_theme(style.theme).felt)
    whole = np.full((ceil(len(tables) / columns) * high, columns * each, 3), np.array(felt))
    for i, table in enumerate(tables):
        top, left = i // columns * high, i % columns * each
        whole[top : top + table.shape[0], left : left + table.shape[1]] = table
    return whole


def save_picture(
    scene: Scene, path: str | Path, style: PictureStyle | dict[str, Any] | None = None
) -> None:
    """Write a scene as ``.svg`` or ``.png``, whole or not at all; ValueError for other endings."""
    path = Path(path)
    if path.suffix not in (".svg", ".png"):
        raise ValueError(f"path={str(path)!r}: allowed are files that end in .svg or .png")
    beside = path.with_name(path.name + ".part")
    if path.suffix == ".svg":
        beside.write_text(svg(scene, **read_style(style)._asdict()), encoding="utf-8")
    else:
        _image_module().fromarray(draw_picture(scene, style)).save(beside, "png")
    beside.replace(path)


def _image_module() -> Any:
    """Pillow's; DependencyNotInstalled where it is missing."""
    try:
        from PIL import Image
    except ImportError as missing:
        raise gym.error.DependencyNotInstalled(f"a picture {MISSING}") from missing
    return Image


def _to_png(drawn: str) -> bytes:
    try:
        from resvg_py import svg_to_bytes
    except ImportError as missing:
        raise gym.error.DependencyNotInstalled(f"a picture {MISSING}") from missing
    fonts = [str(path) for path in sorted(FONTS.glob("*.otf"))]
    return bytes(svg_to_bytes(svg_string=drawn, skip_system_fonts=True, font_files=fonts))
