"""The command ``parlour``: what there is, training, evaluation, comparison, play.

Only NumPy, Numba and Gymnasium are needed to start it; what a command needs beyond them is imported
by that command.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from parlour import __version__
from parlour.agents.human import PlayerQuit
from parlour.agents.registry import IllegalActionError
from parlour.envs import GAMES
from parlour.envs.core.batch import MAX_MOVES
from parlour.envs.core.kernel.compiling import COMPILATIONS
from parlour.envs.core.options import unknown_text

from ..evaluation.report.terminal import as_line
from ..evaluation.spec import DEALS
from . import (
    bank,
    bench,
    board,
    card,
    completion,
    deal,
    evaluate,
    games,
    play,
    replay,
    review,
    serve,
    solve,
    stop_status,
    warm,
)
from .arguments import (
    AGENT_HELP,
    MOST_DEALS,
    MOST_HANDS,
    Parser,
    add_record,
    asks_help,
    name_options,
    read_path,
    read_text,
    read_whole,
)
from .cluster import add_cluster
from .examples import EXAMPLES
from .progress import notify_if_slow
from .streams import READER_LEFT, drop_broken, has_reader_left, prepare_streams

FAILED = 2
"""Exit status of a wrong command line, wrong rules, a wrong agent ..."""
PAGE = ("starlette", "uvicorn", "websockets")  # the extra page; all else comes with train
COMMANDS = {
    "list": "list games, variants and agents",
    "rules": "show options, variants and sources of a game's rules",
    "train": "train an agent (all arguments go to the trainer)",
    "tune": "search for settings by which training does best (Optuna)",
    "evaluate": "let one agent play numbered deals",
    "compare": "let several agents play the same deals",
    "exploit": "measure how far agents are from the exact equilibrium of small rules",
    "play": "play in the terminal, or watch an agent",
    "replay": "verify recorded games, and show them",
    "review": "say what each decision of a game, or of an agent over a bank, cost",
    "serve": "open a page on this machine to play on, in a browser",
    "solve": "say whether a deal can be won, and how, all cards known",
    "bank": "label the deals of a bank with what a solver finds",
    "deal": "convert deals from and to the notation of other programs",
    "board": "verify the claims of the leaderboard, or play new lines",
    "card": "write the model card of a saved agent",
    "warm": "compile the kernels of a game, or of all, beforehand",
    "bench": "measure steps per second on this machine",
    "completion": "print what lets a shell complete all this",
}


def parser() -> Parser:
    """Return the parser of the whole command line."""
    top = Parser(
        prog="parlour",
        description="Card games for reinforcement learning: environments, agents, evaluation.",
        epilog="Every command takes --debug: errors then show where they come from.",
    )
    top.add_argument("--version", action="version", version=f"parlour {__version__}")
    added = top.add_subparsers(title="commands", metavar="COMMAND", dest="command")

    parsers = top.commands
    for name, text in COMMANDS.items():
        examples = f"examples:\n{EXAMPLES[name]}" if name in EXAMPLES else None
        parsers[name] = added.add_parser(name, help=text, description=text, epilog=examples)
        parsers[name].set_defaults(parser=parsers[name])
    for name in ("rules", "evaluate", "play", "solve"):
        _add_rules(parsers[name])
    _add_rules(parsers["review"], optional=True)
    _add_rules(parsers["compare"], many=True)
    _add_rules(parsers["bench"], optional=True)
    parsers["evaluate"].add_argument(
        "--agent", default="uniform", help=f"{AGENT_HELP} (default: uniform)"
    )
    parsers["compare"].add_argument(
        "--agents",
        nargs="+",
        default=["uniform", "greedy"],
        metavar="AGENT",
        help=f"each: {AGENT_HELP}",
    )
    for name in ("evaluate", "compare"):
        _add_deals(parsers[name])
    parsers["compare"].add_argument(
        "--report",
        type=read_path,
        metavar="FILE.html",
        help="write all of it as one page: tables, pictures, conditions",
    )
    for name in ("evaluate", "compare", "play", "review"):
        parsers[name].add_argument(
            "--any-rules",
            action="store_true",
            help="let saved agents play that were trained by other rules of the game; tables mark "
            "them with ~",
        )
    play.add_play(parsers["play"])
    replay.add_replay(parsers["replay"])
    review.add_review(parsers["review"])
    serve.add_serve(parsers["serve"])
    solve.add_solve(parsers["solve"])
    bank.add_bank(parsers["bank"], _add_rules)
    deal.add_deal(parsers["deal"])
    board.add_board(parsers["board"])
    card.add_card(parsers["card"])
    bench.add_bench(parsers["bench"])
    _add_game(parsers["warm"], optional=True)
    parsers["completion"].add_argument("shell", choices=completion.SHELLS)
    return top


def _add_game(parser: Parser, optional: bool = False) -> None:
    parser.add_argument(
        "game", metavar="GAME", nargs="?" if optional else None, help=f"one of: {', '.join(GAMES)}"
    )


def _add_rules(parser: Parser, many: bool = False, optional: bool = False) -> None:
    _add_game(parser, optional)
    many_of: dict[str, Any] = {"nargs": "+", "action": "extend"} if many else {}
    several = "one or more of, or all: " if many else ""
    several += "; ".join(
        f"{game.name}: {', '.join(game.variants)} (default: {game.default})"
        for game in GAMES.values()
    )
    flags = ("--variant", "--variants") if many else ("--variant",)
    parser.add_argument(*flags, metavar="NAME", help=several, **many_of)
    parser.add_argument(
        "--option",
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="change an option of the rules; may be repeated (parlour rules GAME lists them)",
    )


def _add_deals(parser: Parser) -> None:
    parser.add_argument(
        "--deals", type=read_whole(MOST_DEALS), default=DEALS, help=f"how many (default: {DEALS})"
    )
    parser.add_argument("--bank", type=read_text, help="bank of numbered deals (default: GAME-1)")
    whole = read_whole()
    parser.add_argument("--first", type=whole, default=0, help="number of the first (default: 0)")
    parser.add_argument("--seed", type=whole, default=0, help="of the agents' own random choices")
    parser.add_argument(
        "--key",
        metavar="TEXT",
        help="the secret that all draws come from; results name theirs (default: a new one)",
    )
    parser.add_argument(
        "--max-moves",
        type=read_whole(),
        help=f"cut games off after so many moves; 0: no limit (default: {MAX_MOVES}); not in games "
        "for several, which always end",
    )
    parser.add_argument(
        "--field",
        nargs="+",
        metavar="AGENT",
        help="in games for several: who plays the other seats, taken round (default: greedy and "
        "the game's players by rule)",
    )
    partner_help = "with partners: who has the other seats of an agent's side (default: itself)"
    parser.add_argument("--partner", metavar="AGENT", help=partner_help)
    parser.add_argument(
        "--hands",
        type=read_whole(MOST_HANDS),
        help="in games for several: make each deal a session of so many hands, the dealer moving "
        "on (default: 1)",
    )
    parser.add_argument(
        "--truth",
        type=read_text,
        metavar="FILE",
        help="labels of the deals (parlour bank make), or no (default: those that are found)",
    )
    parser.add_argument(
        "--out", type=read_path, metavar="FOLDER", help="write Parquet, JSON and pictures"
    )
    add_record(parser)
    json_help = "print JSON, and nothing else, on stdout"
    parser.add_argument("--json", action="store_true", help=json_help)
    add_cluster(parser)


def run_completion(arguments: argparse.Namespace) -> int:
    """Print the script that a shell reads."""
    print(completion.write_script(parser(), arguments.shell))
    return 0


RUN: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": games.run_list,
    "rules": games.run_rules,
    "evaluate": evaluate.run_evaluate,
    "compare": evaluate.run_compare,
    "play": play.run_play,
    "replay": replay.run_replay,
    "review": review.run_review,
    "serve": serve.run_serve,
    "solve": solve.run_solve,
    "bank": bank.run_bank,
    "deal": deal.run_deal,
    "board": board.run_board,
    "card": card.run_card,
    "warm": warm.run_warm,
    "bench": bench.run_bench,
    "completion": run_completion,
}


def run_train(words: Sequence[str]) -> int:
    """Hand all arguments to the trainer."""
    with notify_if_slow("parlour: loading torch ..."):
        from ..learning.train import main as train

    return train(name_options(words))


def run_exploit(words: Sequence[str]) -> int:
    """Hand all arguments to the solver of small games."""
    from .exploit import run

    return run(words)


def hand_to_tune(words: Sequence[str]) -> int:
    """Hand all arguments to the search, which hands the trainer's on."""
    from .tune import run_tune

    return run_tune(name_options(words))


HANDED_ON: dict[str, Callable[[Sequence[str]], int]] = {
    "train": run_train,
    "exploit": run_exploit,
    "tune": hand_to_tune,
}
"""Commands that read their arguments themselves."""


def run(words: Sequence[str]) -> int:
    """Run a command line; errors are raised."""
    if words and words[0] in HANDED_ON:
        return HANDED_ON[words[0]](words[1:])
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        raise ValueError(unknown_text("command", words[0], COMMANDS))
    top = parser()
    arguments, rest = top.parse_known_args(words)
    if rest:
        getattr(arguments, "parser", top).refuse(rest)
    if arguments.command is None:
        top.print_help()
        return FAILED
    return RUN[arguments.command](arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (None: the process's own) and return its exit status.

    Errors are one line on stderr; ``--debug`` lets them through instead.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    COMPILATIONS.always = True
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # so that one's own agent module is found
    prepare_streams()
    try:
        status = run(words)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt as stopped:
        return stop_status(stopped)
    except BaseException as error:  # an agent of one's own may raise anything, SystemExit too
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
    if isinstance(error, ModuleNotFoundError) and error.name:
        if error.name.partition(".")[0] == "parlour":
            return f"this install lacks {error.name}: install Parlour anew, as you did at first"
        extra = "page" if error.name.partition(".")[0] in PAGE else "train"
        return f'this needs {error.name}, which is not installed: pip install "parlour[{extra}]"'
    if isinstance(error, PlayerQuit):
        return "the game was left before its end"
    named = isinstance(error, ImportError) and "pip install" in str(error)
    if named or (isinstance(error, ValueError | IllegalActionError | OSError) and str(error)):
        return str(error)
    return f"{type(error).__name__}: {error} (--debug shows where)"
