"""Arguments shared by several commands, and functions that parse their values."""

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from parlour.agents.validation import decode_text, name_part_in_errors, read_number, shorten
from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.kernel.cards import card_name, parse_deck

from ..evaluation.evaluation_spec import DEALS, is_for_several
from ..evaluation.evaluation_spec import read_options as read_options
from ..evaluation.report.terminal import print_notice
from .main import AGENT_HELP as AGENT_HELP

LARGEST = 2**62
"""Largest integer of an argument. Sums with a number of deals still fit into 64 bits."""

MOST_DEALS, MOST_HANDS, MOST_ROWS = 100_000_000, 100_000, 1 << 20
"""Maximum numbers of deals, hands, and rows, which must fit into memory."""
MOST_JOBS = 1024


def read_whole(most: int = LARGEST) -> Callable[[str], int]:
    """Return a reader of integers from ``-most`` to ``most``."""

    def read(text: str) -> int:
        try:
            number = read_number(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be an integer, got {shorten(text)}") from None
        if abs(number) > most:
            raise argparse.ArgumentTypeError(f"must be at most {most:,}, got {shorten(text)}")
        return number

    return read


def read_seconds(text: str) -> float:
    """Return a number of seconds from 0 to 3600."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 3600:  # false for nan, too
        raise argparse.ArgumentTypeError(
            f"must be a number of seconds from 0 to 3600, got {shorten(text)}"
        )
    return number


def read_float(text: str) -> float:
    """Return a finite number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"must be a number, got {shorten(text)}")
    return number


def read_line(text: str) -> str:
    """Return the text, which must be one line and not empty."""
    if not text.strip() or not text.isprintable():
        raise argparse.ArgumentTypeError(f"must be one line of text, got {shorten(text)}")
    return text


def read_deck(text: str) -> str:
    """Return the text of a deck, one or several lines, or ``-`` (see `load_deck`)."""
    if not text.strip() or "\0" in text:
        raise argparse.ArgumentTypeError(f"must be a list of cards, got {shorten(text)}")
    return text


def read_input(text: str) -> str:
    """Return the text; for ``-``, return the text of standard input.

    Standard input is read as bytes and decoded as UTF-8, like files, whatever the terminal's
    encoding. Raises ValueError if it is not UTF-8.
    """
    if text != "-":
        return text
    source = getattr(sys.stdin, "buffer", sys.stdin)
    data = source.read()
    with name_part_in_errors("standard input"):
        return decode_text(data) if isinstance(data, bytes) else str(data)


def load_deck(text: str, game: Game, rules: Any) -> str:
    """Return the card names of a deck; ``-`` reads the deck from standard input.

    Raises ValueError unless the deck consists of the cards of these rules.
    """
    deck = parse_deck(read_input(text), game.pack(rules))
    return " ".join(map(card_name, deck.tolist()))


def read_path(text: str) -> Path:
    """Return a path, which must not be empty or contain NUL."""
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(f"must be a path, got {shorten(text)}")
    return Path(text)


def add_game(parser: argparse.ArgumentParser, optional: bool = False) -> None:
    """Add ``GAME``."""
    parser.add_argument(
        "game",
        metavar="GAME",
        nargs="?" if optional else None,
        help=f"name of the game: {', '.join(GAMES)}",
    )


def add_game_and_rules(
    parser: argparse.ArgumentParser, many: bool = False, optional: bool = False
) -> None:
    """Add ``GAME``, ``--variant`` and ``--option``.

    Args:
        parser: The parser of a command.
        many: Whether the command takes several variants.
        optional: Whether the game may be left out.
    """
    add_game(parser, optional)
    several: dict[str, Any] = {"nargs": "+", "action": "extend"} if many else {}
    intro = "variants of the rules, or all" if many else "variant of the rules"
    variants = describe_variants(getattr(parser, "words", ()))
    parser.add_argument("--variant", metavar="NAME", help=f"{intro}; {variants}", **several)
    add_option(parser)


def describe_variants(words: Sequence[str]) -> str:
    """Return the variants of the game that the command line names, for the help of ``--variant``.

    Without a game, the text refers to ``parlour list``, since all variants would be a long list.
    """
    for word in words:
        with suppress(ValueError):
            game = find_game(word)
            return f"{game.title} has {', '.join(game.variants)} (default: {game.default})"
    return "parlour list shows all of them (default: the game's default variant)"


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--option``."""
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="option of the rules to change; repeatable (parlour rules GAME lists all options)",
    )


def add_deal_set(parser: argparse.ArgumentParser) -> None:
    """Add ``--deal-set``."""
    parser.add_argument("--deal-set", type=read_line, help="name of the deal set (default: GAME-1)")


def add_deal_range(parser: argparse.ArgumentParser) -> None:
    """Add ``--deals``, ``--deal-set`` and ``--first``, which select numbered deals."""
    parser.add_argument(
        "--deals",
        type=read_whole(MOST_DEALS),
        default=DEALS,
        help=f"number of deals (default: {DEALS})",
    )
    add_deal_set(parser)
    parser.add_argument(
        "--first", type=read_whole(), default=0, help="number of the first deal (default: 0)"
    )


def add_opponents(
    parser: argparse.ArgumentParser, default: str, seats: str = "other seats"
) -> None:
    """Add ``--opponents``; ``seats`` describes the seats of the opponents."""
    parser.add_argument(
        "--opponents",
        nargs="+",
        metavar="AGENT",
        help=f"games for several players: agents in the {seats}, repeated in order "
        f"(default: {default})",
    )


def add_agents(parser: argparse.ArgumentParser) -> None:
    """Add ``--agents``, the agents to compare."""
    parser.add_argument(
        "--agents",
        nargs="+",
        default=["uniform", "greedy"],
        metavar="AGENT",
        help=f"agents to compare: {AGENT_HELP} (default: uniform greedy)",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print only JSON on stdout")


def add_rules_mismatch(parser: argparse.ArgumentParser) -> None:
    """Add ``--allow-rules-mismatch``."""
    parser.add_argument(
        "--allow-rules-mismatch",
        action="store_true",
        help="allow saved agents that were trained with other rules of the game; results mark them "
        "with ~",
    )


def add_record(parser: argparse.ArgumentParser) -> None:
    """Add ``--record``, the file of recorded games."""
    parser.add_argument(
        "--record",
        type=read_path,
        metavar="FILE",
        help="new file for recorded games (parlour replay shows them)",
    )


def split_options(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Remove each ``--option NAME=VALUE`` from words; return the other words and the options."""
    rest: list[str] = []
    pairs: list[str] = []
    left = iter(words)
    for word in left:
        flag, equals, value = word.partition("=")
        if flag == "--option":
            pairs.append(value if equals else next(left, ""))
        else:
            rest.append(word)
    return rest, read_options(pairs)


def name_options(words: Sequence[str]) -> list[str]:
    """Return words in which ``--options a b`` replaces ``--option a=b``."""
    rest, options = split_options(words)
    pairs = [word for pair in options.items() for word in pair]
    return [*rest, "--options", *pairs] if pairs else rest


def read_variants(
    game: Game, names: Sequence[str] | None, options: Mapping[str, str]
) -> Sequence[str] | None:
    """Return the named variants; ``all`` stands for every variant.

    If a game has variants for one player and for several players, ``all`` stands for those of the
    same kind as the default variant. A notice on stderr names the others.
    """
    if "all" not in (names or ()):
        return names
    if list(names or ()) != ["all"]:
        raise ValueError("--variant all must be given alone: it stands for every variant")
    several = is_for_several(game, None, options)
    wanted = [name for name in game.variants if is_for_several(game, [name], options) == several]
    if left_out := [name for name in game.variants if name not in wanted]:
        kind = "one player" if several else "several players"
        print_notice(f"--variant all leaves out {', '.join(left_out)}, which are for {kind}")
    return wanted


def refuse_flags(arguments: argparse.Namespace, names: Iterable[str], reason: str) -> None:
    """Raise ValueError, with a reason, if any of these arguments is given."""
    wrong = [f"--{n.replace('_', '-')}" for n in names if getattr(arguments, n) is not None]
    if wrong:
        raise ValueError(f"{', '.join(wrong)} must not be given: {reason}")
