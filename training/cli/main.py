"""Run a command line of ``parlour``: a table of commands, and one module for each command.

A module is imported when its command is used, so that ``parlour --help`` loads none of them. The
module of the command ``convert-deal`` has two functions:

- ``add_convert_deal(parser)`` adds the arguments to the parser of the command.
- ``run_convert_deal(arguments)`` runs the command and returns the exit status.

The module may have ``EXAMPLES``, the last part of the help of each of its commands. A command that
parses its words itself gets them instead of arguments: ``run_train(parser, words)``.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from parlour import __version__
from parlour.extras import describe_import_error

from ..evaluation.report.terminal import as_line, wrap_beside
from .process import READER_LEFT, drop_broken, has_reader_left, prepare_streams, stop_status

FAILED = 2
"""Exit status after an error, such as a wrong command line."""
HELP = {"-h", "--help", "--version"}
GAMES_FILE = Path(__file__).with_name("games.json")
EXAMPLES = {"list": "  parlour list\n"}
AGENT_HELP = (
    "a name such as greedy, pretrained or mcts@800 (parlour list shows all), the folder of a saved "
    "agent or training run, llm:URL, or module:Class"
)
"""Names of agents, for help texts. `AGENTS` is the full list."""
AGENTS = {
    "agents": "uniform, greedy, human, oracle (sees all cards; games with a solver), pretrained, "
    "and the rule-based agents of a game",
    "saved agents": "folder of a saved agent or training run",
    "your own": "module:Class",
    "language models": "llm:URL of an OpenAI-compatible server, such as "
    "llm:http://127.0.0.1:8000?model=NAME",
    "searches": "mcts; pimc (games with an exact solver); hindsight (Klondike); nested; "
    "pimc-bids, rollouts-cards:AGENT and rollouts-bids:AGENT (Twenty-Eight, Twenty-Nine, and "
    "Fifty-Six); and with an agent as a guide: expectimax:AGENT, rollouts:AGENT, mcts:AGENT, "
    "pimc:AGENT, hindsight:AGENT, nested:AGENT",
    "search budget": "worlds, iterations or time per decision: pimc@100, mcts@800:pretrained, "
    "rollouts@50ms:greedy",
    "name in tables": "NAME=AGENT sets the name of an agent in tables",
}
"""The agents that every command accepts, for ``parlour list``."""


class Command(NamedTuple):
    """A command: its module in this package, and its description in the overview."""

    module: str
    text: str
    reads_words: bool = False
    """Whether the command parses its words itself."""


COMMANDS = {
    "list": Command("main", "list games, variants, and agents"),
    "rules": Command("rules", "show options, variants, and sources of a game's rules"),
    "train": Command("train", "train an agent", True),
    "tune": Command("tune", "search for the best training settings with Optuna", True),
    "evaluate": Command("evaluate", "evaluate one agent on numbered deals"),
    "compare": Command("evaluate", "compare several agents on the same deals"),
    "exploitability": Command(
        "exploitability",
        "measure the exact exploitability of agents in small variants of Seven Twenty-Seven",
    ),
    "play": Command("play", "play a game in the terminal, or watch an agent"),
    "replay": Command("replay", "verify and show recorded games"),
    "review": Command("review", "review the loss of each decision, in one game or over many deals"),
    "serve": Command("serve", "serve a page on this machine, to play in a browser"),
    "solve": Command("solve", "solve a deal or a position with all cards known"),
    "deals": Command("deals", "make, show, and verify solver labels of numbered deals"),
    "dataset": Command("dataset", "write labeled decisions, or compare agents on them"),
    "convert-deal": Command(
        "convert_deal", "convert a deal from or to the notation of another program"
    ),
    "benchmark": Command(
        "benchmark", "run the benchmark, verify its results, and show them on leaderboards"
    ),
    "model-card": Command("model_card", "write the model card of a saved agent"),
    "compile": Command("compile", "compile the kernels of one game or all games"),
    "bench": Command("bench", "measure steps per second on this machine"),
    "completion": Command("completion", "print a shell completion script"),
}


class Parser(argparse.ArgumentParser):
    """An argument parser that raises ValueError with a one-line message."""

    words: Sequence[str] = ()
    """The words of the command line after the command."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        keywords.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        keywords["allow_abbrev"] = False
        self.commands: dict[str, Parser] = {}
        super().__init__(*args, **keywords)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words; reject ``--flag=--``, which argparse reads as a flag without a value."""
        for word in args or ():
            if re.fullmatch(r"--[\w-]+=--", word):
                self.error(f"argument {word[:-3]}: must have a value, got --")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise ValueError with the message and a pointer to the help."""
        raise ValueError(f"{message} (see {self.prog} --help)")

    def refuse(self, words: Sequence[str]) -> NoReturn:
        """Raise ValueError for unknown words; suggest similar flags."""
        flags = re.findall(r"--([a-z-]+)", self.format_usage())
        given = [word.lstrip("-").partition("=")[0] for word in words if word.startswith("-")]
        near = [flag for word in given for flag in get_close_matches(word, flags, 1)]
        hint = f"; did you mean {', '.join(f'--{flag}' for flag in near)}?" if near else ""
        agents = next((flag for flag in ("agents", "agent") if flag in flags), None)
        if agents and not given:  # parlour compare pyramid uniform greedy
            hint = f"; did you mean --{agents} {' '.join(words)}?"
        self.error(f"unrecognized arguments: {' '.join(words)}{hint}")


def make_parser(names: Iterable[str] = COMMANDS, words: Sequence[str] = ()) -> Parser:
    """Return the parser of the command line.

    Args:
        names: The commands whose parsers get their arguments.
        words: The words after the command, for help texts that depend on the game.
    """
    top = Parser(
        prog="parlour",
        description="Card games for reinforcement learning: environments, agents, evaluation.",
        epilog="parlour COMMAND --help describes a command. With --debug, errors show a traceback.",
    )
    top.add_argument("--version", action="version", version=f"parlour {__version__}")
    added = top.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, command in COMMANDS.items():
        text = command.text
        description = f"{text[0].upper()}{text[1:]}."
        parser = top.commands[name] = added.add_parser(name, help=text, description=description)
        parser.words = words
        parser.set_defaults(parser=parser)
    for name in names:
        parser, module = top.commands[name], load_module(name)
        if name in getattr(module, "EXAMPLES", {}):
            parser.epilog = f"examples:\n{module.EXAMPLES[name]}"
        find_function("add", name)(parser)
    return top


def load_module(name: str) -> ModuleType:
    """Import the module of a command, and announce compilations of kernels from now on."""
    module = import_module(f".{COMMANDS[name].module}", __package__)
    if "parlour.envs" in sys.modules:
        from parlour.envs.core.kernel.compiling import COMPILATIONS

        COMPILATIONS.always = True
    return module


def find_function(verb: str, name: str) -> Callable[..., Any]:
    """Return a function of a command's module, such as ``run_convert_deal``."""
    function: Callable[..., Any] = getattr(load_module(name), f"{verb}_{name.replace('-', '_')}")
    return function


def run(words: Sequence[str], when_loaded: Callable[[], object] = lambda: None) -> int:
    """Run a command line and return its exit status; let errors pass."""
    name = words[0] if words else ""
    command = COMMANDS.get(name)
    if command is None:
        return _run_without_command(words)
    top = make_parser([name], words[1:])
    run_command = find_function("run", name)
    when_loaded()
    if command.reads_words:
        return int(run_command(top.commands[name], words[1:]))
    arguments, rest = top.parse_known_args(words)
    if rest:
        arguments.parser.refuse(rest)
    return int(run_command(arguments))


def _run_without_command(words: Sequence[str]) -> int:
    """Print the overview or the version; raise ValueError for other words."""
    if words and not words[0].startswith("-"):
        from parlour.envs.core.options import unknown_text

        raise ValueError(unknown_text("command", words[0], COMMANDS))
    top = make_parser([])
    if words:
        top.parse_known_args(words[:1])  # exits after --help and --version
        top.refuse(words)
    top.print_help()
    return FAILED


def main(
    arguments: Sequence[str] | None = None, when_loaded: Callable[[], object] = lambda: None
) -> int:
    """Run a command line and return its exit status.

    An error becomes one line on stderr; with ``--debug``, it is raised.

    Args:
        arguments: Words of the command line (default: those of this process).
        when_loaded: Called after the modules of the command are imported, before it runs.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # so that module:Class finds the module of an agent
    prepare_streams()
    try:
        status = run(words, when_loaded)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt as stopped:
        return stop_status(stopped)
    except BaseException as error:  # The code of an agent may raise anything, even SystemExit.
        if has_reader_left(error):  # as in: parlour rules pyramid | head
            return READER_LEFT
        if debug or (isinstance(error, SystemExit) and asks_help(words)):
            raise
        with suppress(OSError):
            print(f"parlour: error: {as_line(_explain(error))}", file=sys.stderr)
        return FAILED
    finally:
        drop_broken()


def _explain(error: BaseException) -> str:
    """Return the message of an error for users."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        if error.name.partition(".")[0] == "parlour":
            return (
                f"Parlour is not completely installed: {error.name} is missing; reinstall Parlour"
            )
        return describe_import_error("this command", error)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, ValueError | OSError) and str(error):
        return str(error)
    from parlour.agents.human import PlayerQuit
    from parlour.agents.registry import IllegalActionError

    if isinstance(error, PlayerQuit):
        return "the player left the game before its end"
    if isinstance(error, IllegalActionError) and str(error):
        return str(error)
    return f"{type(error).__name__}: {error} (--debug shows a traceback)"


def asks_help(words: Sequence[str]) -> bool:
    """Return whether a command line asks for help, a version or shell completion."""
    return any(word in HELP or word.startswith("--tyro-") for word in words)


# ``parlour list``, which imports no game.


def add_list(_: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def run_list(_: argparse.Namespace) -> int:
    """Print the games, their variants, and the agents."""
    for game in json.loads(GAMES_FILE.read_text(encoding="utf-8")):
        print(f"{game['name']}  {game['title']}, {game['id']}: {game['actions']} actions")
        default = game["default"]
        variants = [f"{name} (default)" if name == default else name for name in game["variants"]]
        print(wrap_beside("variants", ", ".join(variants)))
        if game["rule_agents"]:
            print(wrap_beside("rule-based", ", ".join(game["rule_agents"])))
    print()
    for heading, text in AGENTS.items():
        print(wrap_beside(heading, text))
    return 0
