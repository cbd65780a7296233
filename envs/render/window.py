"""A window that shows pictures, for ``render_mode="human"``: only where there is a display."""

from typing import Any

import gymnasium as gym
import numpy as np


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
