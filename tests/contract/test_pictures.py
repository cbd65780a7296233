"""Every table of every variant becomes pixels without a display, and shows nothing hidden."""

from xml.etree import ElementTree

import numpy as np
import pytest

from parlour.envs import Game
from parlour.envs.core.scene.scene import svg
from parlour.envs.render import pictures
from tests.contract.cases import Case, positions, random_cases
from tests.contract.test_leaks import dealt_anew, viewed_by
from tests.marks import slow_if

pytestmark = pytest.mark.skipif(not pictures.can_draw(), reason="needs parlour[pictures]")
SMALL = {"width": 200}


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


def check_frames(case: Case, games: int, seed: int) -> None:
    """Frames of one size, even as films need it, in which something is drawn."""
    env = case.env(encoding="codes", render_mode="rgb_array", max_moves=60, picture=SMALL)
    sizes, looks = set(), set()
    for _ in positions(env, games, seed, every=20):
        frame = env.render()
        assert isinstance(frame, np.ndarray)
        assert frame.dtype == np.uint8
        sizes.add(frame.shape)
        looks.add(frame.tobytes())
        assert len(np.unique(frame[..., 0])) > 20
    height, width, depth = sizes.pop()
    assert not sizes
    assert depth == 3
    assert height % 2 == width % 2 == 0
    assert len(looks) > 1


@pytest.mark.parametrize("games", [1, slow_if(True, 2)])
def test_frames_of_a_game(case: Case, games: int) -> None:
    check_frames(case, games, seed=80)


@pytest.mark.parametrize("seed", [1, slow_if(True, 2)])
def test_every_variant_has_pictures(game: Game, seed: int) -> None:
    """A deal of each, in the light and in the dark, as SVG and as pixels."""
    for variant in game.variants:
        env = Case(game, variant).env()
        env.reset(seed=seed)
        for theme in ("light", "dark"):
            ElementTree.fromstring(svg(env.scene(), theme=theme))
            assert pictures.draw_picture(env.scene(), {"theme": theme, **SMALL}).shape[1] == 200


@pytest.mark.parametrize("each", [1, slow_if(True, 3)])
def test_frames_with_random_options(each: int) -> None:
    for case in random_cases(each, seed=15):
        check_frames(case, 1, seed=81)


def test_pixels_show_nothing_hidden(case: Case) -> None:
    """Each seat's picture stays the same, byte for byte, whatever lies hidden from it."""
    env = case.whole(encoding="codes", max_moves=60)
    for steps in positions(env, 1 if case.players == 1 else 2, seed=82, every=25):
        for seat in range(min(case.players, 3)):
            states = dealt_anew(case, env.clone(), steps, seat)[:2]
            drawn = [
                pictures.draw_picture(case.game.layout(state, case.rules), SMALL).tobytes()
                for state in viewed_by(case, states, seat)
            ]
            assert len(set(drawn)) == 1, f"{case}: the picture of seat {seat} at step {steps}"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_theme_draws_the_table_in_its_colours(case: Case, theme: str) -> None:
    env = case.env(picture={"theme": theme, "width": 400}, render_mode="rgb_array")
    env.reset(seed=1)
    frame = env.render()
    assert isinstance(frame, np.ndarray)
    assert frame.shape[1] == 400
    felt = frame[2, 2].astype(int).mean()
    assert felt > 180 if theme == "light" else felt < 80
