"""A replay in a notebook, with the review beside it."""

from typing import Any

import gymnasium as gym

from ..reviews.review import Review
from .replay import Replay
from .replay_view import replay_data


def show(replay: Replay, review: Review | None = None, seat: int | None = None) -> Any:
    """Return a widget that goes through a game step by step, for notebooks.

    ``review`` is what its decisions cost (`review_replay`); ``seat`` is whose cards are seen (None:
    of whoever acts). Raises ValueError as `Replay.scene` does, and DependencyNotInstalled without
    ``parlour[widget]``.
    """
    data = replay_data(replay, seat, review)
    try:
        from parlour.envs.render.widget import SceneWidget
    except ImportError as missing:
        raise gym.error.DependencyNotInstalled(
            "a widget needs anywidget: pip install 'parlour[widget]'"
        ) from missing
    return SceneWidget(replay=data)
