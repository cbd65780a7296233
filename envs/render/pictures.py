"""Pictures of tables as pixels, and the render modes of environments: text, pixels and a window.

Drawing pixels needs no display. The parts of a scene are the same SVG drawings as on the play page.
resvg turns each drawing into pixels once, and Pillow pastes the result on the table, so a frame
takes a few milliseconds. Other libraries do not fit: cairosvg needs a system library, and Pillow
alone does not draw smooth edges. resvg is a single wheel of 4 MB without dependencies. Both
libraries are part of ``parlour[pictures]``.

The font is part of the package (``fonts``, a subset of Inter), so pictures are the same on every
machine.
"""

import os
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from io import BytesIO
from math import ceil, floor
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from parlour.extras import install_command

from ..core.options import shorten, unknown_text
from ..core.scene.drawing import FONT, THEMES, Box, card_art, find_theme
from ..core.scene.scene import Scene, ansi, grid_columns, picture_pieces, picture_size, svg

FONTS = Path(__file__).parent / "fonts"
WEB = Path(__file__).with_name("web")
"""Folder of the ES module that the play page, replays and notebooks share."""
MODULE, STYLE = WEB / "parlour.js", WEB / "parlour.css"
MISSING = f"needs resvg_py and Pillow: {install_command('PIL')}"


class PictureStyle(NamedTuple):
    """Style of pictures; environments take the fields as the dictionary ``picture``."""

    theme: str = "light"
    """``"light"`` or ``"dark"``."""
    four_colours: bool = False
    """Whether each suit has its own color."""
    width: int | None = None
    """Width in pixels (None: the size of the table, at most 640; 1280 for a grid)."""


def read_style(given: Any) -> PictureStyle:
    """Return the style for a dictionary; raise ValueError for an invalid key or value."""
    if given is None:
        return PictureStyle()
    if isinstance(given, PictureStyle):
        given = given._asdict()
    if not isinstance(given, dict):
        raise ValueError(f"picture must be a dictionary or None, got {shorten(given)}")
    for key in given:
        if key not in PictureStyle._fields:
            raise ValueError(unknown_text("picture key", key, PictureStyle._fields))
    style = PictureStyle(**given)
    find_theme(style.theme)
    if not isinstance(style.four_colours, bool):
        raise ValueError(f"four_colours must be True or False, got {shorten(style.four_colours)}")
    if style.width is not None:
        picture_size(Scene("", ()), style.width)
    return style


def all_art() -> dict[str, Any]:
    """Return the drawings of all cards by theme, in the form that the ES module takes."""
    return {theme: card_art(theme) for theme in THEMES}


def can_draw() -> bool:
    """Return whether the libraries for drawing pixels are installed."""
    return bool(find_spec("resvg_py") and find_spec("PIL"))


def draw_picture(scene: Scene, style: PictureStyle | dict[str, Any] | None = None) -> np.ndarray:
    """Draw a scene as pixels.

    Args:
        scene: The scene.
        style: Style, a `PictureStyle` or a dictionary (None: the default style).

    Returns:
        uint8 (height, width, 3).

    Raises:
        ValueError: The style is invalid.
        DependencyNotInstalled: ``parlour[pictures]`` is not installed.
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
    """Return a piece as an RGBA image, and the offset of its corner from (x, y), in pixels."""
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
    """Draw several scenes as one picture, row by row; see `svg_grid`.

    Args:
        scenes: The scenes, at least one.
        style: Style, a `PictureStyle` or a dictionary (None: the default style). Its width is
            the width of the whole picture.
        columns: Number of columns (None: as many as make the picture approximately square).

    Returns:
        uint8 (height, width, 3).

    Raises:
        ValueError: The style or the number of columns is invalid, or there are no scenes.
        DependencyNotInstalled: ``parlour[pictures]`` is not installed.
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
    """Save a scene as an SVG or PNG file. A failure leaves no partial file.

    Args:
        scene: The scene.
        path: Path of the file. Its suffix, ``.svg`` or ``.png``, determines the format.
        style: Style, a `PictureStyle` or a dictionary (None: the default style).

    Raises:
        ValueError: The suffix or the style is invalid.
        DependencyNotInstalled: ``parlour[pictures]``, which PNG needs, is not installed.
    """
    path = Path(path)
    if path.suffix not in (".svg", ".png"):
        raise ValueError(f"path must end in .svg or .png, got {str(path)!r}")
    beside = path.with_name(path.name + ".part")
    if path.suffix == ".svg":
        beside.write_text(svg(scene, **read_style(style)._asdict()), encoding="utf-8")
    else:
        _image_module().fromarray(draw_picture(scene, style)).save(beside, "png")
    beside.replace(path)


def _image_module() -> Any:
    """Return Pillow's ``Image``; raise DependencyNotInstalled if Pillow is missing."""
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


# ---- render modes ---------------------------------------------------------------------------

MODES = ("ansi", "rgb_array", "human")
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
"""Environment variables. On Linux, a program can open a window if one of them is set."""
FRAMES_PER_SECOND = 4


class RenderModeError(ValueError, TypeError):
    """Error for a render mode that is unknown or cannot be used here.

    The class is also a TypeError, because libraries that test for a render mode catch TypeError.
    """


def why_no_window() -> str:
    """Return the reason why no window can be opened here; empty if one can be opened."""
    if not can_draw():
        return MISSING
    if not find_spec("pygame"):
        return f"needs pygame-ce: {install_command('pygame')}"
    if sys.platform not in ("win32", "darwin") and not any(map(os.environ.get, DISPLAYS)):
        return f"needs a display, but {' and '.join(DISPLAYS[:2])} are not set"
    return ""


def missing_modes() -> dict[str, str]:
    """Return the render modes that cannot be used here, with the reasons."""
    reasons = {"rgb_array": "" if can_draw() else MISSING}
    reasons["human"] = why_no_window()
    return {mode: reason for mode, reason in reasons.items() if reason}


def usable_modes() -> list[str]:
    """Return the render modes that can be used here."""
    missing = missing_modes()
    return [mode for mode in MODES if mode not in missing]


METADATA: dict[str, Any] = {"render_modes": usable_modes(), "render_fps": FRAMES_PER_SECOND}
"""Metadata of environments. Only usable modes are listed, because checkers try all of them."""
KNOWN_METADATA: dict[str, Any] = METADATA | {"render_modes": list(MODES)}
"""Metadata for `gymnasium.make` with all modes; the environment reports a missing one."""


def check_render_mode(mode: Any) -> str | None:
    """Return a render mode or None; raise RenderModeError if it cannot be used here."""
    if mode is None:
        return None
    if not isinstance(mode, str) or mode not in MODES:
        raise RenderModeError(unknown_text("render_mode", mode, MODES))
    missing = missing_modes()
    if mode in missing:
        allowed = ", ".join(usable_modes())
        raise RenderModeError(f"render_mode {mode!r} {missing[mode]}. Available: {allowed}")
    return str(mode)


class Window:
    """Window that shows pictures and opens with the first one."""

    def __init__(self, title: str, frames_per_second: float) -> None:
        self.title = title
        self.frames_per_second = frames_per_second
        self._screen: Any = None
        self._clock: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the open window. A copy opens its own window with its first picture."""
        return self.__dict__ | {"_screen": None, "_clock": None}

    def show(self, picture: np.ndarray) -> None:
        """Show a picture, uint8 (height, width, 3), and wait for the duration of a frame.

        Raises:
            gymnasium.error.Error: The window cannot be opened.
        """
        import pygame

        size = picture.shape[1], picture.shape[0]
        # A process has only one display, which another window may have taken over or closed.
        is_open = self._screen is not None and self._screen is pygame.display.get_surface()
        if not is_open or self._screen.get_size() != size:
            self._open(size)
        surface = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        self._screen.blit(surface, (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self.frames_per_second)

    def _open(self, size: tuple[int, int]) -> None:
        import pygame

        try:
            pygame.display.init()
            self._screen = pygame.display.set_mode(size)
        except pygame.error as failed:
            raise gym.error.Error(f"the window cannot be opened: {failed}") from failed
        pygame.display.set_caption(self.title)
        self._clock = pygame.time.Clock()

    def close(self) -> None:
        """Close the window if it is open. The next picture opens it again."""
        if self._screen is not None:
            import pygame

            pygame.display.quit()
            self._screen = None


class Renderer:
    """Renderer of an environment's tables in its render mode.

    Args:
        mode: The render mode, or None.
        style: Style of pictures; see `read_style`.
        title: Title of the window.
    """

    def __init__(self, mode: str | None, style: Any, title: str) -> None:
        self.mode = check_render_mode(mode)
        self.style = read_style(style)
        self.window = Window(title, FRAMES_PER_SECOND) if self.mode == "human" else None
        self.watchers: list[Callable[[], Any]] = []
        """Functions to call after each reset and step, such as the update of a notebook widget."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the watchers, which belong to this environment and not to its copies."""
        return self.__dict__ | {"watchers": []}

    def draw(self, scene: Scene) -> str | np.ndarray | None:
        """Return a table as text or as pixels, uint8 (height, width, 3); None for a window."""
        if self.window is not None:
            self.window.show(draw_picture(scene, self.style))
            return None
        return draw_picture(scene, self.style) if self.mode == "rgb_array" else ansi(scene)

    def draw_rows(self, scenes: Sequence[Scene]) -> tuple[Any, ...] | None:
        """Return each table as `draw` does; a window shows all tables as a grid."""
        if self.window is not None:
            self.window.show(draw_grid(scenes, self.style))
            return None
        return tuple(self.draw(scene) for scene in scenes)

    def show(self, render: Callable[[], Any]) -> None:
        """Update the window, if there is one, and call the watchers; after a reset or a step."""
        if self.window is not None:
            render()
        for watcher in self.watchers:
            watcher()

    def close(self) -> None:
        """Close the window, if there is one."""
        if self.window is not None:
            self.window.close()


class RenderedTable:
    """Mixin for environments with one table, which a `Renderer` draws."""

    render_mode: str | None
    _renderer: Renderer

    def scene(self) -> Scene:
        """Return the table as the player sees it."""
        raise NotImplementedError

    def render(self) -> str | np.ndarray | None:
        """Return the table as the player that acts sees it: text, pixels, or None for a window."""
        if self.render_mode is None:
            gym.logger.warn(
                "render() needs a render mode: make the environment with render_mode='ansi'"
            )
            return None
        return self._renderer.draw(self.scene())

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def _repr_svg_(self) -> str:
        return svg(self.scene(), **self._renderer.style._asdict())
