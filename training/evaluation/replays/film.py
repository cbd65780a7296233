"""A replay as a film: one picture a position, as an animated GIF.

Pillow writes it: it is there with Matplotlib, and a GIF plays everywhere. Where pictures come from
is `draw_frame` alone.
"""

from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from pathlib import Path

import numpy as np

from parlour.envs.core.scene.scene import Scene

from ...files import write_bytes
from .replay import Replay

SECONDS = 0.8
"""How long a picture stays."""
LAST = 4
"""The last one stays so many times as long."""
DrawFrame = Callable[[Scene], np.ndarray]
"""Returns a scene as pixels, uint8 (height, width, 3)."""


def draw_frame(scene: Scene) -> np.ndarray:
    """Return a scene as pixels; ValueError where this Parlour cannot draw any."""
    try:
        pictures = import_module("parlour.envs.render.pictures")
    except ModuleNotFoundError as error:
        raise ValueError(f"film: there is nothing that draws pixels ({error})") from error
    pixels: np.ndarray = pictures.draw_picture(scene)
    return pixels


def save_film(
    replay: Replay,
    path: Path | str,
    seat: int | None = None,
    seconds: float = SECONDS,
    draw: DrawFrame = draw_frame,
) -> None:
    """Write a replay as an animated GIF, which appears whole or not at all.

    ``seat`` is whose sight it is (None: at each position that of the seat that acts). Raises
    ValueError for another ending of the path, for times of 0 or less, and as `Replay.scene` does.
    """
    path = Path(path)
    if path.suffix.lower() != ".gif":
        raise ValueError(f"film {path}: allowed are files that end in .gif")
    if not 0 < seconds <= 60:
        raise ValueError(f"film: {seconds} seconds a picture; allowed are numbers above 0 to 60")
    from PIL import Image

    scenes = [replay.scene(move, seat) for move in range(len(replay.actions) + 1)]
    frames = [Image.fromarray(draw(scene)).quantize() for scene in scenes]
    lengths = [round(1000 * seconds)] * len(frames)
    lengths[-1] *= LAST
    film = BytesIO()
    frames[0].save(film, "GIF", save_all=True, append_images=frames[1:], duration=lengths, loop=0)
    write_bytes(path, film.getvalue())
