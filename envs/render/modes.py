"""Render modes, for all shells: text, pixels, and a window where there is a display."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import gymnasium as gym
import numpy as np

from ..core.options import unknown_text
from ..core.scene.scene import Scene, ansi
from . import pictures

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


class Window:
    """A window that opens with its first picture."""

    def __init__(self, title: str, frames_per_second: float) -> None:
        self.title = title
        self.frames_per_second = frames_per_second
        self._screen: Any = None
        self._clock: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the open window: a copy opens its own with its first picture."""
        return self.__dict__ | {"_screen": None, "_clock": None}

    def show(self, picture: np.ndarray) -> None:
        """Show a picture, uint8 (height, width, 3), and wait as long as a frame lasts.

        Raises gymnasium.error.Error where the window cannot be opened.
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
            raise gym.error.Error(f"no window can be opened here: {failed}") from failed
        pygame.display.set_caption(self.title)
        self._clock = pygame.time.Clock()

    def close(self) -> None:
        """Close the window, if it is open; it opens again with the next picture."""
        if self._screen is not None:
            import pygame

            pygame.display.quit()
            self._screen = None


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
