"""``parlour completion``: a shell completion script for commands, names and flags."""

import argparse
from collections.abc import Iterator, Mapping

from parlour.agents.agent_spec import BUILT_IN, ORACLE, SEARCHES
from parlour.agents.saved import PRETRAINED_SPEC
from parlour.envs import GAMES

from .main import Parser, make_parser

SHELLS = ("bash", "zsh", "fish", "tcsh")
VARIANTS = sorted({name for game in GAMES.values() for name in game.variants})
RULE_AGENTS = sorted({name for game in GAMES.values() for name in game.rule_agents})
AGENTS = [*BUILT_IN, ORACLE, PRETRAINED_SPEC, *SEARCHES, *RULE_AGENTS]
CHOICES: dict[str, list[str]] = {
    "game": list(GAMES),
    "only": list(GAMES),
    "variant": VARIANTS,
    **dict.fromkeys(("agent", "agents", "opponents", "advisor"), AGENTS),
}
"""Completed values, by the name of the argument. Arguments accept other values, too."""


EXAMPLES = {
    "completion": """\
  eval "$(parlour completion bash)"
  parlour completion zsh

For bash, add the first example to ~/.bashrc. For zsh, save the output as _parlour in a folder of
$fpath; for fish, as ~/.config/fish/completions/parlour.fish.
""",
}


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour completion``."""
    parser.add_argument("shell", choices=SHELLS, help="name of the shell")


def run_completion(arguments: argparse.Namespace) -> int:
    """Print the completion script of a shell."""
    print(write_script(make_parser(), arguments.shell))
    return 0


def write_script(top: Parser, shell: str) -> str:
    """Return the completion script of a shell for the parser of the whole command line."""
    import shtab

    for action in _actions(top):
        if action.dest in CHOICES:
            action.choices = CHOICES[action.dest]
        elif action.dest in ("folder", "out", "resume", "save", "runs"):
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.dest in ("settings", "file", "record", "svg", "film", "space"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(top, shell))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield every argument of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action.choices, Mapping):
            for command in action.choices.values():
                yield from _actions(command)
