"""``parlour train``: hands all arguments to the trainer."""

import argparse
from collections.abc import Sequence

from parlour.envs import GAMES

from . import asks_help
from .arguments import name_options
from .progress import notify_if_slow


def add_train(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of all methods, for shell completion."""
    from ..learning.methods import METHODS
    from ..learning.settings.base import list_settings
    from ..learning.settings.files import presets

    names = {name for method in METHODS.values() for name in list_settings(method.settings)}
    parser.add_argument("game")
    parser.add_argument(
        "--preset", choices=sorted({one for game in GAMES for one in presets(game)})
    )
    parser.add_argument("--method", choices=list(METHODS))
    parser.add_argument("--resume")
    parser.add_argument("--settings")
    for name in sorted(names - {"game", "method"}):
        parser.add_argument(f"--{name.replace('_', '-')}")


def run_train(_: argparse.ArgumentParser, words: Sequence[str]) -> int:
    """Train, or print the help of the trainer."""
    words = name_options(words)
    if asks_help(words):
        from ..learning.settings.command import parse

        parse(words)
        return 0
    with notify_if_slow("parlour: loading torch ..."):
        from ..learning.train import main as train

    return train(words)
