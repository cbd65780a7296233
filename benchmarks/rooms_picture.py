"""The picture of the rooms in docs/develop/architecture.md: which part imports which."""

from pathlib import Path
from typing import NamedTuple

from parlour.training.files import write_bytes


class Layer(NamedTuple):
    """A row of rooms in the picture, with a text about their content."""

    group: str
    rooms: tuple[str, ...]
    text: str


LAYERS = (
    Layer("command", ("training.cli",), "the command parlour"),
    Layer("page", ("page",), "server of the play page"),
    Layer(
        "training",
        ("training.tuning", "training.equilibrium", "training.benchmark", "training.play"),
        "hyperparameter search · CFR+ · benchmark · play sessions",
    ),
    Layer("training", ("training.learning",), "training runs, learning methods, presets"),
    Layer("training", ("training.datasets",), "labeled decisions as Parquet files, or for Minari"),
    Layer("training", ("training.evaluation",), "evaluation, comparison, solver labels, reviews"),
    Layer("training", ("training.parallel",), "worker processes, Ray, cached results"),
    Layer("agents", ("agents",), "baselines, searches, networks, pretrained agents"),
    Layer("envs", ("envs.interfaces",), "Gymnasium, vector, PettingZoo, OpenSpiel, RLlib, SB3"),
    Layer("envs", ("envs.render",), "images, windows, notebook widgets"),
    Layer("envs", ("envs.games",), "the rules of each game"),
    Layer("envs", ("envs.core",), "batch kernel, options, observations; knows no game"),
)
"""From the top of the picture to its bottom: rooms import only rooms in lower layers, or rooms of
their own layer that are further left."""
COLORS = {
    "envs": ("#d9efe0", "#1f4a33"),
    "agents": ("#d8e6f7", "#1d3d63"),
    "training": ("#fbe6cd", "#5c3d14"),
    "page": ("#ecdcf3", "#4b2b5a"),
    "command": ("#f6d9dc", "#5e2630"),
}
"""Fill of each group in the light and in the dark theme."""
WIDTH, HEIGHT, GAP, MARGIN, ARROW = 720, 46, 10, 16, 40
STYLE = """\
.panel { fill: #ffffff; }
text { font: 13px system-ui, sans-serif; fill: #1b1f24; }
.room { font-weight: 600; }
.line { stroke: #57606a; stroke-width: 2; fill: none; }
.head { fill: #57606a; }
@media (prefers-color-scheme: dark) {
  .panel { fill: #161b22; }
  text { fill: #e6edf3; }
  .line { stroke: #9ba6b2; }
  .head { fill: #9ba6b2; }
"""


def make_style() -> str:
    """Return the style sheet: the picture has its own background, so it is readable anywhere."""
    light = "".join(f".{group} {{ fill: {fill}; }}\n" for group, (fill, _) in COLORS.items())
    dark = "".join(f"  .{group} {{ fill: {fill}; }}\n" for group, (_, fill) in COLORS.items())
    return f"{light}{STYLE}{dark}}}"


def draw_layer(layer: Layer, y: int) -> list[str]:
    """Return the elements of a layer whose top is at ``y``."""
    left, n = MARGIN + ARROW, len(layer.rooms)
    width = (WIDTH - left - MARGIN - GAP * (n - 1)) / n
    parts = []
    for i, room in enumerate(layer.rooms):
        x = left + i * (width + GAP)
        box = f'x="{x:.0f}" y="{y}" width="{width:.0f}" height="{HEIGHT}" rx="6"'
        parts.append(f'<rect class="{layer.group}" {box}/>')
        texts = [layer.text] if n == 1 else layer.text.split(" · ")
        if n == 1:
            parts.append(f'<text class="room" x="{x + 14:.0f}" y="{y + 28}">{room}</text>')
            parts.append(f'<text x="{x + 180:.0f}" y="{y + 28}">{texts[0]}</text>')
        else:
            parts.append(f'<text class="room" x="{x + 14:.0f}" y="{y + 20}">{room}</text>')
            parts.append(f'<text x="{x + 14:.0f}" y="{y + 37}">{texts[i]}</text>')
    return parts


def draw_rooms(path: Path) -> None:
    """Draw the layers, and an arrow in the direction of imports."""
    tops = [MARGIN + i * (HEIGHT + GAP) for i in range(len(LAYERS))]
    height = tops[-1] + HEIGHT + MARGIN
    x, top, bottom = MARGIN + 14, tops[0] + 8, tops[-1] + HEIGHT - 8
    middle = (top + bottom) // 2
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img">',
        "<title>The rooms of Parlour; each room imports only rooms below it</title>",
        f"<style>\n{make_style()}\n</style>",
        f'<rect class="panel" width="{WIDTH}" height="{height}" rx="8"/>',
        f'<path class="line" d="M{x} {top}V{bottom - 8}"/>',
        f'<path class="head" d="M{x - 6} {bottom - 10}h12l-6 12z"/>',
        f'<text transform="translate({x - 8} {middle}) rotate(-90)" text-anchor="middle">'
        "imports</text>",
        *(part for layer, y in zip(LAYERS, tops, strict=True) for part in draw_layer(layer, y)),
        "</svg>",
    ]
    write_bytes(path, "\n".join([*lines, ""]).encode())
