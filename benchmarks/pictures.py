"""Rendering speed: ``python -m benchmarks.pictures``.

For each game, measures the time to draw a state as SVG, and the frames per second of games played
by random legal actions. A frame is the step, the scene and its pixels; the first use of each part
of the picture is included. Prints medians of processor time over blocks of frames, which a busy
machine changes little.
"""

from statistics import median
from time import process_time

import numpy as np

from parlour.envs import GAMES, CardEnv, Game
from parlour.envs.core import svg

BLOCKS, FRAMES = 5, 40


def play_step(env: CardEnv, rng: np.random.Generator) -> None:
    """Play a random legal action; start a new game when one is over."""
    *_, terminated, truncated, _ = env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))
    if terminated or truncated:
        env.reset()


def time_frames(game: Game) -> tuple[float, float]:
    """Return the milliseconds of an SVG, and of a frame with its step."""
    env = CardEnv(game, render_mode="rgb_array")
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    drawn, frames = [], []
    for _ in range(BLOCKS):
        start = process_time()
        for _ in range(FRAMES):
            play_step(env, rng)
            env.render()
        middle = process_time()
        for _ in range(FRAMES):
            svg(env.scene())
        frames.append((middle - start) / FRAMES)
        drawn.append((process_time() - middle) / FRAMES)
    return 1000 * median(drawn), 1000 * median(frames)


def main() -> None:
    for game in GAMES.values():
        drawn, frame = time_frames(game)
        print(f"{game.title:20} SVG {drawn:5.2f} ms, {1000 / frame:5.0f} frames/s", flush=True)


if __name__ == "__main__":
    main()
