"""Render modes, for all shells: text, pixels, and a window where there is a display."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..core.options import unknown_text
from ..core.scene.scene import Scene, ansi
from . import pictures
from .window import Window

MODES = ("ansi", "rgb_array", "human")
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
"""Of these variables one is set where a program may open a window, on Linux and its like."""
FRAMES_PER_SECOND = 4


class RenderModeError(ValueError, TypeError):
    """A render mode that there is not, or not here.

    A TypeError, too: libraries that probe for a render mode go on after that.
    """


def why_no_window() -> str:
    """Say why no window can be opened here; empty where one can."""
    if not pictures.can_draw():
        return pictures.MISSING
    if not find_spec("pygame"):
        return "needs pygame-ce: pip install 'parlour[window]'"
    if sys.platform not in ("win32", "darwin") and not any(map(os.environ.get, DISPLAYS)):
        return f"needs a display, and there is none here ({', '.join(DISPLAYS[:2])} are not set)"
    return ""


def missing_modes() -> dict[str, str]:
    """Return why render modes that there are cannot be used here, by their names."""
    reasons = {"rgb_array": "" if pictures.can_draw() else pictures.MISSING}
    reasons["human"] = why_no_window()
    return {mode: reason for mode, reason in reasons.items() if reason}


def usable_modes() -> list[str]:
    """Return the render modes that can be used here."""
    return [mode for mode in ("ansi", "rgb_array", "human") if mode not in missing_modes()]


METADATA: dict[str, Any] = {"render_modes": usable_modes(), "render_fps": FRAMES_PER_SECOND}
"""What environments say of themselves: only modes that can be used here, as checkers try all."""
KNOWN_METADATA: dict[str, Any] = METADATA | {"render_modes": list(MODES)}
"""What `gymnasium.make` reads: all modes, so that the environment can say why one is missing."""


def check_render_mode(mode: Any) -> str | None:
    """Return a render mode that can be used here, or None; else raise RenderModeError."""
    if mode is None:
        return None
    if not isinstance(mode, str) or mode not in MODES:
        raise RenderModeError(unknown_text("render_mode", mode, MODES))
    missing = missing_modes()
    if mode in missing:
        allowed = ", ".join(usable_modes())
        raise RenderModeError(f"render_mode={mode!r} {missing[mode]}; allowed here: {allowed}")
    return str(mode)


class Renderer:
    """Draws the tables of an environment in its render mode; ``style`` is read by `read_style`."""

    def __init__(self, mode: str | None, style: Any, title: str) -> None:
        self.mode = check_render_mode(mode)
        self.style = pictures.read_style(style)
        self.window = Window(title, FRAMES_PER_SECOND) if self.mode == "human" else None
        self.watchers: list[Callable[[], Any]] = []
        """Called after a reset or a step, such as a notebook's widget."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the watchers, which belong to this environment and not to copies of it."""
        return self.__dict__ | {"watchers": []}

    def draw(self, scene: Scene) -> str | np.ndarray | None:
        """Return a table as text, or as pixels, uint8 (height, width, 3); a window returns None."""
        if self.window is not None:
            self.window.show(pictures.draw_picture(scene, self.style))
            return None
        return pictures.draw_picture(scene, self.style) if self.mode == "rgb_array" else ansi(scene)

    def draw_rows(self, scenes: Sequence[Scene]) -> tuple[Any, ...] | None:
        """Return each table as `draw` does; a window shows them all, as a grid."""
        if self.window is not None:
            self.window.show(pictures.draw_grid(scenes, self.style))
            return None
        return tuple(self.draw(scene) for scene in scenes)

    def show(self, render: Callable[[], Any]) -> None:
        """Render after a reset or a step, where there is a window; tell the watchers."""
        if self.window is not None:
            render()
        for watcher in self.watchers:
            watcher()

    def close(self) -> None:
        """Close the window, if there is one."""
        if self.window is not None:
            self.window.close()
