"""``parlour completion``: a shell completes commands, games, variants, agents and flags."""

import argparse
from collections.abc import Iterator, Mapping

from parlour.agents.folders import TRAINED_SPEC
from parlour.agents.registry import BUILT_IN, ORACLE, PREFIXES
from parlour.envs import GAMES

from . import exploit, tune
from .arguments import Parser

SHELLS = ("bash", "zsh", "fish", "tcsh")
VARIANTS = sorted({name for game in GAMES.values() for name in game.variants})
RULE_AGENTS = sorted({name for game in GAMES.values() for name in game.rule_agents})
AGENTS = [*BUILT_IN, ORACLE, TRAINED_SPEC, *PREFIXES, *RULE_AGENTS]
CHOICES: dict[str, list[str]] = {
    "game": list(GAMES),
    "only": list(GAMES),
    "variant": VARIANTS,
    **dict.fromkeys(("agent", "agents", "field", "opponents", "advisor"), AGENTS),
}
"""What may stand for an argument, by its name. A path is still taken where it is typed."""


def write_script(top: Parser, shell: str) -> str:
    """Return the script that a shell reads, made of the parser of the whole command line."""
    import shtab

    exploit.add_arguments(top.commands["exploit"])
    tune.add_arguments(top.commands["tune"])
    _add_training(top.commands["train"])
    for action in _actions(top):
        if action.dest in CHOICES:
            action.choices = CHOICES[action.dest]
        elif action.dest in ("folder", "out", "resume", "save", "runs"):
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.dest in ("settings", "file", "record", "svg", "film", "space"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(top, shell))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every argument of a parser and of the commands in it."""
    for action in parser._actions:
        yield action
        if isinstance(action.choices, Mapping):
            for command in action.choices.values():
                yield from _actions(command)


def _add_training(parser: argparse.ArgumentParser) -> None:
    """Add what the trainer, which reads its arguments itself, takes by any method."""
    from ..learning.methods import METHODS
    from ..learning.settings.base import list_settings
    from ..learning.settings.files import presets

    named = sorted({preset for game in GAMES for preset in presets(game)})
    parser.add_argument("game")
    parser.add_argument("--preset", choices=named)
    parser.add_argument("--method", choices=list(METHODS))
    parser.add_argument("--resume")
    parser.add_argument("--settings")
    names = {name for one in METHODS.values() for name in list_settings(one.settings)} - {
        "game",
        "method",
    }
    for name in sorted(names):
        parser.add_argument(f"--{name.replace('_', '-')}")
