"""Pixels, films and windows: through the shells, and through Gymnasium's wrappers."""

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import HumanRendering, RecordVideo

from parlour.envs import CardEnv, find_game, make, make_vec
from parlour.envs.core.scene.scene import Item, Scene
from parlour.envs.interfaces import pettingzoo as aec
from parlour.envs.render import pictures
from parlour.envs.render.pictures import RenderModeError

pytestmark = pytest.mark.skipif(not pictures.can_draw(), reason="needs parlour[pictures]")
ID = "parlour/Pyramid-v0"


@pytest.fixture
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in pictures.DISPLAYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A window that only SDL sees."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(CardEnv.metadata, "render_modes", ["ansi", "rgb_array", "human"])
    pygame.display.quit()
    yield pygame
    pygame.display.quit()


def play(env: Any, steps: int) -> None:
    _, info = env.reset(seed=3)
    for _ in range(steps):
        *_, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))


class Clip:
    """Stands for moviepy's: it keeps the frames that it was given."""

    made: ClassVar[list["Clip"]] = []

    def __init__(self, frames: list[np.ndarray], fps: float) -> None:
        self.frames, self.fps = frames, fps
        Clip.made.append(self)

    def write_videofile(self, path: str, logger: Any = None) -> None:
        Path(path).write_bytes(b"film")

    def close(self) -> None:
        pass


def test_record_video_films_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = types.ModuleType("moviepy.video.io.ImageSequenceClip")
    clip.ImageSequenceClip = Clip  # type: ignore[attr-defined]
    for name in ("moviepy", "moviepy.video", "moviepy.video.io"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, clip.__name__, clip)
    Clip.made.clear()
    env = RecordVideo(gym.make(ID, render_mode="rgb_array"), str(tmp_path), disable_logger=True)
    play(env, 5)
    env.close()
    (film,) = Clip.made
    assert len(film.frames) == 6
    assert len({frame.shape for frame in film.frames}) == 1
    assert film.fps == env.metadata["render_fps"]
    assert list(tmp_path.glob("*.mp4"))


def test_record_video_writes_a_film_where_moviepy_is_there(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    env = RecordVideo(gym.make(ID, render_mode="rgb_array"), str(tmp_path), disable_logger=True)
    play(env, 3)
    env.close()
    (film,) = tmp_path.glob("*.mp4")
    assert film.stat().st_size > 1000


def test_human_rendering_shows_a_game(window: Any) -> None:
    env = HumanRendering(gym.make(ID, render_mode="rgb_array"))
    play(env, 2)
    assert window.display.get_surface() is not None
    env.close()


def test_a_window_opens_again_after_another_one_was_closed(window: Any) -> None:
    one, two = (make("pyramid", render_mode="human") for _ in range(2))
    play(one, 1)
    play(two, 1)
    two.close()
    one.render()
    shown = window.surfarray.array3d(window.display.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, pictures.draw_picture(one.scene()))
    one.close()
    assert window.display.get_surface() is None


def test_a_window_follows_the_game(window: Any) -> None:
    env = CardEnv(find_game("pyramid"), render_mode="human")
    play(env, 1)
    shown = window.surfarray.array3d(window.display.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, pictures.draw_picture(env.scene()))
    assert env.render() is None
    env.close()
    env.close()
    assert not window.display.get_init()


def test_a_window_shows_all_tables_of_a_vector(window: Any) -> None:
    envs = make_vec("pyramid", 4, render_mode="human")
    envs.reset(seed=1)
    assert window.display.get_surface().get_size() == envs.render_grid().shape[1::-1]
    assert envs.render() is None
    envs.close()


@pytest.mark.usefixtures("_no_display")
@pytest.mark.parametrize("made", [make, make_vec, lambda name, **kw: gym.make(ID, **kw)])
def test_without_a_display_a_window_is_refused(made: Any) -> None:
    pytest.importorskip("pygame")
    with pytest.raises(RenderModeError, match=r"'human' needs a display.*: ansi, rgb_array"):
        made("pyramid", render_mode="human")


def test_without_its_library_a_window_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = pictures.find_spec
    monkeypatch.setattr(
        pictures, "find_spec", lambda name: None if name == "pygame" else find_spec(name)
    )
    with pytest.raises(RenderModeError, match=r"'human' needs pygame-ce.*parlour\[window\]"):
        make("pyramid", render_mode="human")


def test_a_vector_renders_a_picture_a_row_and_a_grid() -> None:
    envs = make_vec("pyramid", 5, render_mode="rgb_array", picture={"width": 320})
    envs.reset(seed=1)
    single = make("pyramid", render_mode="rgb_array", picture={"width": 320})
    single.reset(seed=3)
    rows = envs.render()
    assert rows is not None
    assert len(rows) == 5
    assert np.array_equal(rows[2], single.render())
    grid = envs.render_grid(columns=2)
    each = pictures.draw_picture(envs.scene(2), {"width": 160})
    high, wide = each.shape[:2]
    assert grid.shape == (3 * high, 2 * wide, 3)
    assert np.array_equal(grid[high : 2 * high, :wide], each)
    assert envs._repr_svg_().count("<svg xmlns") + envs._repr_svg_().count("<svg x=") >= 6


def test_a_seat_of_a_table_is_drawn_as_it_sees_it() -> None:
    env = aec.env("seven_twenty_seven", render_mode="rgb_array")
    env.reset(seed=1)
    frame = env.render()
    assert np.array_equal(frame, pictures.draw_picture(env.unwrapped.scene(env.agent_selection)))
    env.close()


@pytest.mark.parametrize(
    ("picture", "output"),
    [
        ({"theme": "blue"}, "theme"),
        ({"theme": []}, "theme"),
        ({"width": 7}, "width must be an integer from .*, got 7"),
        ({"width": "wide"}, "width must be an integer from .*, got 'wide'"),
        ({"four_colours": "no"}, "four_colours must be True or False, got 'no'"),
        ({"colour": 1}, "picture key"),
        ([], "picture must be a dictionary or None, got "),
    ],
)
def test_an_invalid_picture_style_is_rejected_when_the_environment_is_made(
    picture: Any, output: str
) -> None:
    for made in (make, lambda name, **kw: make_vec(name, 2, **kw)):
        with pytest.raises(ValueError, match=output):
            made("pyramid", picture=picture)


def test_pictures_are_written_whole(tmp_path: Path) -> None:
    scene = Scene("One", (Item(0, 0, 42),))
    pictures.save_picture(scene, tmp_path / "one.png", {"width": 200})
    pictures.save_picture(scene, tmp_path / "one.svg", {"theme": "dark"})
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    assert "ten of hearts" in (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(ValueError, match=r"\.svg or \.png"):
        pictures.save_picture(scene, tmp_path / "one.gif")


def test_suits_differ_by_shape_and_if_wanted_by_four_colours() -> None:
    def ink(card: int, four: bool) -> tuple[int, ...]:
        """The colour in the middle of the large suit."""
        frame = pictures.draw_picture(
            Scene("", (Item(0, 0, card),)), {"four_colours": four, "width": 188}
        )
        return tuple(frame[(2 * (18 + 55)), (2 * (18 + 29))].tolist())

    queens = [48, 49, 50, 51]
    assert len({ink(card, four=True) for card in queens}) == 4
    assert ink(48, False) == ink(51, False) != ink(49, False) == ink(50, False)
    assert (
        len({pictures.draw_picture(Scene("", (Item(0, 0, card),))).tobytes() for card in queens})
        == 4
    )


def test_words_do_not_depend_on_fonts_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are drawn in the font that comes along, and without it there are none."""
    scene = Scene("Words", (Item(0, 0, 42),))
    with_font = pictures.draw_picture(scene)
    monkeypatch.setattr(pictures, "FONTS", Path("nowhere"))
    pictures._draw_sprite.cache_clear()
    without = pictures.draw_picture(scene)
    pictures._draw_sprite.cache_clear()
    assert (with_font[:40] != without[:40]).any()
    assert np.array_equal(with_font[60:], without[60:])
