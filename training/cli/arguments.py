"""Reading a command line: errors of one line, and the kinds of values that arguments have."""

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from parlour.agents.registry import BUILT_IN
from parlour.agents.validation import decode_text, naming_part, read_number
from parlour.envs import Game
from parlour.envs.core.kernel.cards import card_name, parse_deck

from ..evaluation.report.terminal import cut_middle, print_notice
from ..evaluation.spec import read_options as read_options

AGENT_HELP = (
    f"{', '.join(BUILT_IN)}, oracle (sees all cards; in games with a solver), trained, a player by "
    "rule of the game (parlour list), the folder of a saved agent or run, or your own as "
    "module:Class; mcts; pimc (in games with an exact solver); hindsight (Klondike); nested; "
    "expectimax:, rollouts:, mcts:, pimc:, hindsight: or nested: before one of them; with a budget "
    "for each decision (worlds, iterations, time) as in pimc@100, mcts@800:trained or "
    "rollouts@50ms:greedy; NAME=AGENT calls it so"
)
"""What may be named as an agent, in the words of the help."""
LARGEST = 2**62
"""The largest whole number: it fits into 64 bits with room for the deals behind it."""

MOST_DEALS, MOST_HANDS, MOST_ROWS = 100_000_000, 100_000, 1 << 20
"""More of them would not fit into memory."""
MOST_JOBS = 1024
HELP = {"-h", "--help", "--version"}


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        keywords.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        keywords["allow_abbrev"] = False
        self.commands: dict[str, Parser] = {}
        super().__init__(*args, **keywords)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read a command line; ``--flag=--``, which argparse takes for no value, is refused."""
        for word in args or ():
            if re.fullmatch(r"--[\w-]+=--", word):
                self.error(f"argument {word[:-3]}: a value is needed, not --")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Leave with the message; how to get help is the end of it."""
        raise ValueError(f"{message} (see {self.prog} --help)")

    def refuse(self, words: Sequence[str]) -> NoReturn:
        """Leave because of words that no argument takes; the flag that may be meant is named."""
        flags = re.findall(r"--([a-z-]+)", self.format_usage())
        given = [word.lstrip("-").partition("=")[0] for word in words if word.startswith("-")]
        near = [flag for word in given for flag in get_close_matches(word, flags, 1)]
        hint = f"; did you mean {', '.join(f'--{flag}' for flag in near)}?" if near else ""
        agents = next((flag for flag in ("agents", "agent") if flag in flags), None)
        if agents and not given:  # parlour compare pyramid uniform greedy
            hint = f"; did you mean --{agents} {' '.join(words)}?"
        self.error(f"unrecognized arguments: {' '.join(words)}{hint}")


def read_whole(most: int = LARGEST) -> Callable[[str], int]:
    """Return what reads a whole number, at most so large either way; lower bounds are elsewhere."""

    def read(text: str) -> int:
        try:
            number = read_number(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"invalid int value: {shorten(text)}") from None
        if abs(number) > most:
            raise argparse.ArgumentTypeError(f"{shorten(text)}: at most {most:,} is allowed")
        return number

    return read


def read_seconds(text: str) -> float:
    """Return seconds from 0, at most an hour."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 3600:  # false for nan, too
        raise argparse.ArgumentTypeError(f"{shorten(text)}: allowed are seconds from 0 to 3600")
    return number


def read_text(text: str) -> str:
    """Return text of one line that is not empty, such as the name of a bank."""
    if not text.strip() or not text.isprintable():
        raise argparse.ArgumentTypeError(f"{shorten(text)}: allowed is one line of text")
    return text


def read_deck(text: str) -> str:
    """Return the text of a deck, of one line or several, or ``-`` (see `load_deck`)."""
    if not text.strip() or "\0" in text:
        raise argparse.ArgumentTypeError(f"{shorten(text)}: allowed is a list of cards")
    return text


def read_given(text: str) -> str:
    """Return the text itself, or that of standard input for ``-``; ValueError unless it is UTF-8.

    Standard input is read as bytes: its encoding is UTF-8 as in files, whatever the terminal's.
    """
    if text != "-":
        return text
    source = getattr(sys.stdin, "buffer", sys.stdin)
    given = source.read()
    with naming_part("standard input"):
        return decode_text(given) if isinstance(given, bytes) else str(given)


def load_deck(text: str, game: Game, rules: Any) -> str:
    """Return the names of the cards of a deck; ``-`` reads it from standard input.

    Raises ValueError for a deck that does not consist of the cards of these rules.
    """
    deck = parse_deck(read_given(text), game.pack(rules))
    return " ".join(map(card_name, deck.tolist()))


def read_path(text: str) -> Path:
    """Return a path that can be one: neither empty nor with NUL in it."""
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(f"{shorten(text)}: a path is needed")
    return Path(text)


def add_record(parser: argparse.ArgumentParser) -> None:
    """Add ``--record``: where games are written to."""
    parser.add_argument(
        "--record",
        type=read_path,
        metavar="FILE",
        help="write each game, its deal and its actions, to a new file (parlour replay)",
    )


def shorten(text: str) -> str:
    """Return text in quotation marks, its middle left out where it is long."""
    return repr(cut_middle(text, 60))


def asks_help(words: Sequence[str]) -> bool:
    """Whether to leave is what was asked for: help, a version, a shell's completion."""
    return any(word in HELP or word.startswith("--tyro-") for word in words)


def split_options(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Take ``--option NAME=VALUE`` and ``--set`` out of words; return the rest and the options."""
    rest: list[str] = []
    pairs: list[str] = []
    left = iter(words)
    for word in left:
        flag, equals, value = word.partition("=")
        if flag in ("--option", "--set"):
            pairs.append(value if equals else next(left, ""))
        else:
            rest.append(word)
    return rest, read_options(pairs)


def name_options(words: Sequence[str]) -> list[str]:
    """Return words in which ``--option a=b`` is one of the trainer's settings."""
    rest, options = split_options(words)
    pairs = [word for pair in options.items() for word in pair]
    return [*rest, "--options", *pairs] if pairs else rest


def read_variants(
    game: Game, names: Sequence[str] | None, options: Mapping[str, str]
) -> Sequence[str] | None:
    """Return the variants that are named; ``all`` alone stands for every one.

    In a game for one player or several it stands for those that are as the default is; a notice on
    stderr names the others.
    """
    if "all" not in (names or ()):
        return names
    if list(names or ()) != ["all"]:
        raise ValueError("variant 'all' goes alone: it stands for every variant")
    several = is_for_several(game, None, options)
    wanted = [name for name in game.variants if is_for_several(game, [name], options) == several]
    if left_out := [name for name in game.variants if name not in wanted]:
        kind = "one player" if several else "several players"
        print_notice(f"--variant all leaves out {', '.join(left_out)}, which are for {kind}")
    return wanted


def is_for_several(game: Game, variants: Sequence[str] | None, options: Mapping[str, str]) -> bool:
    """Whether rules are for several players; ValueError if some are and others are not."""
    found: dict[bool, list[str]] = {}
    for name in variants or [game.default]:
        found.setdefault(game.num_players(game.make_rules(name, options)) > 1, []).append(name)
    if len(found) > 1:
        raise ValueError(
            f"variants for one player ({', '.join(found[False])}) and for several "
            f"({', '.join(found[True])}) are compared apart"
        )
    return True in found


def refuse_flags(arguments: argparse.Namespace, names: Iterable[str], reason: str) -> None:
    """Raise ValueError for flags that were given and make no sense, by the names of arguments."""
    wrong = [f"--{n.replace('_', '-')}" for n in names if getattr(arguments, n) is not None]
    if wrong:
        raise ValueError(f"{', '.join(wrong)}: {reason}")
