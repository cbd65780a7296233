"""Views of a replay: JSON data, an HTML file, a notebook widget, and an animated GIF."""

import json
from collections.abc import Callable
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from parlour.envs.core.scene.scene import Scene
from parlour.envs.render.pictures import MODULE, STYLE, all_art, draw_picture
from parlour.extras import explain_missing

from ...files import write_bytes
from ..reviews.review import Review
from ..reviews.review_judges import find_decisions
from ..reviews.review_words import review_data
from .paths import Point, find_path
from .replay import Replay, is_secret

SECONDS = 0.8
"""Seconds per frame of an animation."""
LAST, TRICK = 4, 2
"""Factors of the duration of the last frame, and of a frame with a complete trick."""
DrawFrame = Callable[[Scene], np.ndarray]
"""Function that renders a scene as pixels, uint8 (height, width, 3)."""
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
HTML = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
<div id="parlour" class="parlour"><noscript>This page needs JavaScript.</noscript></div>
<script type="application/json" id="parlour-data">{data}</script>
<script type="module">
{module}</script>
</body>
</html>
"""


def replay_data(
    replay: Replay, seat: int | None = None, review: Review | None = None
) -> dict[str, Any]:
    """Return a game for JSON: the position before each move in the view of ``seat``, and the move.

    ``seat`` None is the acting seat. A move may take several actions, such as the two cards of a
    pair; ``starts`` has the index of its first action, ``moves`` its phrase, and ``paths`` the
    places on the table that it connects. ``scenes`` are those of `Scene.to_dict` before each move
    and at the end, but their items are indices into ``items``, so that each item is written once.
    ``acts`` says whether the seat makes each move. ``begin`` is the first scene in which the seat
    has a choice. Raises ValueError as `Replay.scene` does.
    """
    numbers: dict[str, int] = {}
    scenes = []
    starts = _find_starts(replay)
    stops = [*starts[1:], len(replay.actions)]
    moves = list(zip(starts, stops, strict=True)) if replay.actions else []
    for move in [*(start for start, _ in moves), len(replay.actions)]:
        scene = replay.scene(move, seat).to_dict()
        texts = [json.dumps(item) for item in scene["items"]]
        scenes.append(scene | {"items": [numbers.setdefault(text, len(numbers)) for text in texts]})
    return {
        "headline": replay.headline,
        "items": [json.loads(text) for text in numbers],
        "scenes": scenes,
        "begin": _find_first_choice(replay, seat, starts),
        "starts": starts,
        "moves": [_describe_action(replay, stop - 1, seat) for _, stop in moves],
        "acts": _list_own_moves(replay, seat, starts),
        "paths": [_find_path(replay, start, stop, seat) for start, stop in moves],
        "review": None if review is None else review_data(review),
    }


def _describe_action(replay: Replay, number: int, seat: int | None) -> str:
    """Return an action as text, without another seat's secret choice."""
    states, action = replay.states()[number : number + 1], replay.actions[number]
    turn = int(states["turn"][0]) if replay.players > 1 else 0
    is_other = seat is not None and replay.players > 1 and turn != seat
    if is_other and is_secret(replay.game, replay.rules, states, action, int(seat or 0)):
        return f"seat {turn} ({replay.agents[turn]}): choose in secret"
    return replay.action_text(number)


def _list_own_moves(replay: Replay, seat: int | None, starts: list[int]) -> list[bool]:
    """Return whether a seat (None: every seat) makes each move."""
    if seat is None or replay.players == 1:
        return [True] * len(starts)
    return [bool(one) for one in replay.states()["turn"][starts] == seat]


def _find_starts(replay: Replay) -> list[int]:
    """Return the indices of the actions that begin a move."""
    counts = replay.states()["moves"]
    later = [k for k in range(1, len(replay.actions)) if counts[k] != counts[k - 1]]
    return [0, *later]


def _find_first_choice(replay: Replay, seat: int | None, starts: list[int]) -> int:
    """Return the first scene in which a seat of several has a choice; 0 if there is none."""
    if seat is None or replay.players == 1:
        return 0
    steps = find_decisions(replay.game, replay.states(), seat)
    return int(np.searchsorted(starts, steps[0], "right")) - 1 if len(steps) else 0


def _find_path(replay: Replay, start: int, stop: int, seat: int | None) -> list[Point]:
    """Return the places that the actions of a move connect, in the view of a seat."""
    state, actions = replay.states()[start : start + 1], replay.actions[start:stop]
    viewer = int(state["turn"][0]) if seat is None else seat
    return find_path(replay.game, replay.rules, state, actions, viewer)


def save_html(
    replay: Replay, path: Path | str, seat: int | None = None, review: Review | None = None
) -> None:
    """Write a replay as one HTML file that any browser opens offline.

    Args:
        replay: The replay.
        path: The file.
        seat: The seat whose view is shown (None: the acting seat).
        review: Review of the game to show with it.

    Raises:
        ValueError: The seat is out of range, or an action of the game is illegal.
        OSError: The file cannot be written.
    """
    data = json.dumps({"art": all_art(), "replay": replay_data(replay, seat, review)})
    page = HTML.format(
        policy=POLICY,
        title=escape(replay.headline),
        style=STYLE.read_text(encoding="utf-8"),
        data=data.replace("<", "\\u003c"),  # no </script> inside the data
        module=MODULE.read_text(encoding="utf-8"),
    )
    write_bytes(Path(path), page.encode())


def show(replay: Replay, review: Review | None = None, seat: int | None = None) -> Any:
    """Return a notebook widget that shows a game step by step.

    Args:
        replay: The replay.
        review: Review of the game to show with it (see `review_replay`).
        seat: The seat whose view is shown (None: the acting seat).

    Raises:
        ValueError: The seat is out of range, or an action of the game is illegal.
        gymnasium.error.DependencyNotInstalled: ``parlour[notebook]`` is not installed.
    """
    data = replay_data(replay, seat, review)
    try:
        from parlour.envs.render.widget import SceneWidget
    except ImportError as missing:
        text = explain_missing("a replay in a notebook", "anywidget")
        raise gym.error.DependencyNotInstalled(text) from missing
    return SceneWidget(replay=data)


def save_film(
    replay: Replay,
    path: Path | str,
    seat: int | None = None,
    seconds: float = SECONDS,
    draw: DrawFrame = draw_picture,
) -> None:
    """Write a replay as an animated GIF, which appears whole or not at all.

    ``seat`` is the seat whose view is shown (None: the acting seat), ``seconds`` the duration of a
    frame. Raises ValueError for a path that does not end with .gif, for a duration out of range,
    and as `Replay.scene` does.
    """
    path = Path(path)
    if path.suffix.lower() != ".gif":
        raise ValueError(f"film must be a file that ends with .gif, got {path}")
    if not 0 < seconds <= 60:
        raise ValueError(f"seconds per frame must be above 0 and at most 60, got {seconds}")
    from PIL import Image

    scenes = [replay.scene(move, seat) for move in range(len(replay.actions) + 1)]
    frames = [Image.fromarray(draw(scene)).quantize() for scene in scenes]
    factors = (TRICK if scene.trick and scene.trick.shown else 1 for scene in scenes)
    lengths = [round(1000 * seconds * factor) for factor in factors]
    lengths[-1] *= LAST
    film = BytesIO()
    frames[0].save(film, "GIF", save_all=True, append_images=frames[1:], duration=lengths, loop=0)
    write_bytes(path, film.getvalue())
