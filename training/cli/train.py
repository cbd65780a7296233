"""``parlour train``: pass the settings on the command line to the trainer."""

import argparse
from collections.abc import Sequence

from parlour.envs import GAMES

from .arguments import name_options
from .main import asks_help
from .output import notify_if_slow


def add_train(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of all methods, which shell completion needs."""
    from ..learning.settings.base import list_settings
    from ..learning.settings.files import presets
    from ..learning.settings.methods import SETTINGS

    names = {name for one in SETTINGS.values() for name in list_settings(one)}
    parser.add_argument("game")
    parser.add_argument(
        "--preset", choices=sorted({one for game in GAMES for one in presets(game)})
    )
    parser.add_argument("--method", choices=list(SETTINGS))
    parser.add_argument("--resume")
    parser.add_argument("--settings")
    for name in sorted(names - {"game", "method"}):
        parser.add_argument(f"--{name.replace('_', '-')}")


def run_train(_: argparse.ArgumentParser, words: Sequence[str]) -> int:
    """Train, or print the help of the trainer; load torch only after the words are parsed."""
    from ..learning.settings.command import parse, print_error, read_command

    words = name_options(words)
    if asks_help(words):
        parse(words)
        return 0
    try:
        command = read_command(words)
    except (ValueError, OSError) as error:
        return print_error(error)
    with notify_if_slow("parlour: loading torch ..."):
        from ..learning.train import run_command

    return run_command(command)
