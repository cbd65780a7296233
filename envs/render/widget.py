"""Notebook widgets of tables and replays, made with anywidget and the play page's module."""

from typing import Any

import anywidget
import gymnasium as gym
import traitlets

from ..core.scene.scene import Scene
from .pictures import MODULE, STYLE, all_art

SHOWN_FIELDS = ("score", "moves")
"""Fields of the state shown above the table."""


class SceneWidget(anywidget.AnyWidget):
    """Widget of a ``scene`` with a line of ``facts`` above it, or of a ``replay``."""

    _esm = MODULE
    _css = STYLE
    art = traitlets.Dict().tag(sync=True)
    scene = traitlets.Dict().tag(sync=True)
    facts = traitlets.Unicode("").tag(sync=True)
    replay = traitlets.Dict(None, allow_none=True).tag(sync=True)

    def __init__(self, **given: Any) -> None:
        super().__init__(art=all_art(), **given)


class TableWidget(SceneWidget):
    """Widget of an environment's table; clicks on cards and buttons step the environment.

    The widget is redrawn when code resets, steps or restores the environment (`CardEnv.widget`).
    After other changes, call ``refresh()``. Copies and pickles of the environment have no widget.
    """

    def __init__(self, env: Any) -> None:
        self._env = env
        self._is_over = False
        super().__init__()
        self.on_msg(self._answer)
        self.refresh()

    def refresh(self) -> None:
        """Draw the current table of the environment."""
        scene: Scene = self._env.scene()
        state = self._env.state
        names = [name for name in SHOWN_FIELDS if name in state.dtype.names]
        self.facts = " · ".join([scene.title, *(f"{name} {int(state[name])}" for name in names)])
        self.scene = scene.to_dict()

    def _answer(self, _: Any, content: Any, __: Any) -> None:
        """Play the clicked action if it is legal. The browser may show an earlier position."""
        action = content.get("action") if isinstance(content, dict) else None
        if not isinstance(action, int) or not 0 <= action < self._env.action_space.n:
            return
        if not self._env.action_masks()[action]:
            return
        try:
            self._env.step(action)
        except gym.error.ResetNeeded as error:
            self.facts = str(error)
