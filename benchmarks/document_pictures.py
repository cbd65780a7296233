"""The pictures of the documentation: ``make pictures``, or some of them by name.

    python -m benchmarks.document_pictures pyramid-light.svg page.gif

Pictures that need minutes of training have other commands: see `BY_OTHERS`. The film of the page
needs an installed Chromium.
"""

import shutil
import sys
from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from benchmarks.page import serve
from benchmarks.rooms_picture import draw_rooms
from parlour.envs import GAMES, Game
from parlour.envs.core import svg
from parlour.envs.render.pictures import draw_picture
from parlour.training import compare, evaluate, load_replays, review_deal_set
from parlour.training.evaluation.replays.replay_view import save_film
from parlour.training.evaluation.report.report import write_picture
from parlour.training.files import write_bytes

DOCS = Path(__file__).resolve().parents[1] / "docs"
THEMES = ("light", "dark")
DEAL, PLAYED, WIDTH = 4, 0.5, 480
"""Number of the deal that is shown, fraction of greedy's game that is played, width in pixels."""
FILM_DEALS, FILM_SECONDS = 20, 0.5
"""Number of deals among which the film picks greedy's shortest win; seconds per picture."""
TRICK_DEAL, TRICK_WIDTH = 3, 440
"""Film of a game with tricks: number of the deal, width in pixels."""
PAGE_DEAL, PAGE_FRAMES, PAGE_PAUSE = "5", 30, 400
"""Film of the page: deal, number of pictures, milliseconds between pictures."""
PAGE_SIZE, PAGE_WIDTH, COLOURS = {"width": 1180, "height": 890}, 720, 128


def draw_game(game: Game, theme: str, path: Path) -> None:
    """Draw a position from the middle of greedy's game."""
    with TemporaryDirectory() as folder:
        record = Path(folder) / "games.jsonl"
        how: dict[str, Any] = {
            "first": DEAL,
            "deals": 2,
            "evaluation_seed": "pictures",
            "record": record,
        }
        if game.num_players(game.make_rules(None)) == 1:
            evaluate(game, "greedy", **how)
        else:
            compare(game, ["greedy"], opponents=["greedy"], **how)
        replay = load_replays(record)[0]
    scene = replay.scene(int(PLAYED * len(replay.actions)))
    write_bytes(path, svg(scene, theme=theme, width=WIDTH).encode())


def draw_review(path: Path) -> None:
    """Draw the review at the top of the guide."""
    review = review_deal_set("pyramid", "greedy", deals=1, evaluation_seed="demo")
    write_picture(path, review.reviews[0].plot())


def film_game(path: Path) -> None:
    """Film the shortest of greedy's wins at Pyramid."""
    with TemporaryDirectory() as folder:
        record = Path(folder) / "games.jsonl"
        evaluate("pyramid", "greedy", deals=FILM_DEALS, evaluation_seed="pictures", record=record)
        won = [one for one in load_replays(record) if one.result["won"]]
    save_film(min(won, key=lambda one: len(one.actions)), path, seconds=FILM_SECONDS)


def film_tricks(path: Path) -> None:
    """Film a hand of Twenty-Eight in the view of one seat, played by the rule-based agent."""
    with TemporaryDirectory() as folder:
        record = Path(folder) / "games.jsonl"
        how: dict[str, Any] = {"first": TRICK_DEAL, "deals": 2, "evaluation_seed": "pictures"}
        compare("twenty_eight", ["rule"], opponents=["rule"], record=record, **how)
        replay = load_replays(record)[0]
    draw = partial(draw_picture, style={"width": TRICK_WIDTH})
    save_film(replay, path, seat=0, draw=draw)


def film_page(path: Path) -> None:
    """Film the page while the pretrained network plays a deal, and the review of the game."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("page.gif: no chromium is installed")
    with (
        TemporaryDirectory() as folder,
        serve(Path(folder)) as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=PAGE_SIZE, color_scheme="light")
        page.goto(url)
        page.wait_for_selector("svg .item", timeout=120_000)
        page.click("[data-do=choose]")
        page.click("dialog >> text=Deal number")
        page.fill("[name=deal]", PAGE_DEAL)
        page.click("dialog button:has-text('Start')")
        page.click("text=Got it")
        page.select_option("[data-part=agent]", "pretrained")
        page.click("[data-do=advise]")
        page.wait_for_timeout(4000)
        page.click("[data-do=auto]")
        frames = [take_frame(page) for _ in range(PAGE_FRAMES)]
        browser.close()
    file = BytesIO()
    first, *rest = frames
    how: dict[str, Any] = {"duration": PAGE_PAUSE, "loop": 0, "optimize": True}
    first.save(file, "GIF", save_all=True, append_images=rest, **how)
    write_bytes(path, file.getvalue())


def take_frame(page: Any) -> Image.Image:
    """Return a screenshot of the page, after a pause."""
    page.wait_for_timeout(PAGE_PAUSE)
    shot = Image.open(BytesIO(page.screenshot())).convert("RGB")
    small = shot.resize(
        (PAGE_WIDTH, shot.height * PAGE_WIDTH // shot.width), Image.Resampling.LANCZOS
    )
    return small.quantize(COLOURS, dither=Image.Dither.NONE)


PICTURES: Mapping[str, Callable[[Path], None]] = {
    **{
        f"{game.name}-{theme}.svg": partial(draw_game, game, theme)
        for game in GAMES.values()
        for theme in THEMES
    },
    "rooms.svg": draw_rooms,
    "review.png": draw_review,
    "replay.gif": film_game,
    "trick.gif": film_tricks,
    "page.gif": film_page,
}
"""The function that draws each file in docs/."""
BY_OTHERS = {
    "demo.png": "make demo, then python -m benchmarks.demo",
    "network_sizes.png": "python -m research.network_sizes",
}
"""Pictures in docs/ that take longer, with the command that writes each."""


def main(names: list[str]) -> None:
    """Write all pictures, or the named ones."""
    if unknown := [name for name in names if name not in PICTURES]:
        sys.exit(f"unknown picture: {', '.join(unknown)}; allowed: {', '.join(PICTURES)}")
    for name in names or PICTURES:
        PICTURES[name](DOCS / name)
        print(f"written: docs/{name}, {(DOCS / name).stat().st_size / 1024:.0f} KiB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
