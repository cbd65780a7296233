"""``parlour play``: which table is opened in the terminal."""

import argparse
import os
import sys
from typing import Any

from parlour.envs import find_game
from parlour.envs.core.deals import default_bank

from ..evaluation.replays.replay_files import make_replay_file
from .arguments import (
    AGENT_HELP,
    MOST_HANDS,
    add_record,
    is_for_several,
    load_deck,
    read_deck,
    read_options,
    read_seconds,
    read_text,
    read_whole,
    refuse_flags,
)
from .streams import attach_terminal


def add_play(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour play`` beside game and rules."""
    parser.add_argument("--agent", default="human", help=f"{AGENT_HELP} (default: human)")
    parser.add_argument(
        "--deck",
        type=read_deck,
        help="a chosen deck: card names in dealing order, the top row first; - reads it from "
        "standard input",
    )
    parser.add_argument("--deal", type=read_whole(), help="a numbered deal of the bank")
    parser.add_argument("--bank", type=read_text, help="bank of numbered deals (default: GAME-1)")
    parser.add_argument("--seed", type=read_whole(), help="deal at random from this seed")
    parser.add_argument(
        "--key", metavar="TEXT", help="the secret that agents' draws come from (default: a new one)"
    )
    parser.add_argument(
        "--seat",
        type=read_whole(),
        help="in games for several: the seat to play, or to watch (default: 0)",
    )
    parser.add_argument(
        "--opponents",
        nargs="+",
        metavar="AGENT",
        help="in games for several: who plays the seats after it, taken round (default: greedy and "
        "the game's players by rule)",
    )
    parser.add_argument(
        "--hands",
        type=read_whole(MOST_HANDS),
        help="in games for several: play so many hands, the dealer moving on (default: 1)",
    )
    parser.add_argument(
        "--until",
        type=read_whole(MOST_HANDS),
        metavar="N",
        help="in games for several: play hands until a seat, or a side, stands at +N or -N in all",
    )
    parser.add_argument(
        "--delay",
        type=read_seconds,
        help="seconds between the steps of an agent (default: wait for Enter)",
    )
    parser.add_argument(
        "--no-notice",
        action="store_true",
        help="solitaire: do not warn when the deal cannot be won, or when a move makes it "
        "unwinnable (the solver that finds this knows all cards)",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="show what a watched agent thinks: chances, values, statistics of its search",
    )
    parser.add_argument(
        "--advisor",
        metavar="AGENT",
        help="whose thoughts the word advice shows, where a person plays (default: greedy)",
    )
    add_record(parser)


def run_play(arguments: argparse.Namespace) -> int:
    """Play in the terminal."""
    from .play_alone import play_alone
    from .terminal_game import TerminalGame

    game, options = find_game(arguments.game), read_options(arguments.option)
    chosen: dict[str, Any] = {}
    if arguments.deck:
        rules = game.make_rules(arguments.variant, options)
        chosen["deck"] = load_deck(arguments.deck, game, rules)
        if arguments.deck == "-" and arguments.agent == "human":
            attach_terminal()
    if arguments.deal is not None:
        chosen["deal"] = arguments.deal
    if arguments.bank or arguments.deal is not None:
        chosen["bank"] = arguments.bank or default_bank(game.name)
    if chosen and arguments.seed is not None and arguments.agent == "human":
        raise ValueError("--seed makes the deal: it cannot go with --deck or --deal")
    if arguments.seed is not None and arguments.seed < 0:
        raise ValueError(f"seed={arguments.seed}: allowed are whole numbers from 0")
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    terminal = TerminalGame(
        game,
        arguments.variant,
        options,
        chosen or None,
        arguments.seed,
        arguments.delay,
        colour,
        key=arguments.key,
        any_rules=arguments.any_rules,
        notice=not arguments.no_notice,
        record=arguments.record,
        explain=arguments.explain,
        advisor=arguments.advisor or "greedy",
    )
    if arguments.agent != "human":
        refuse_flags(
            arguments, ("advisor",), "it advises a person; --explain shows what is thought"
        )
    elif arguments.explain:
        raise ValueError("--explain: a person plays; say advice at your turn (--advisor AGENT)")
    if arguments.record:
        make_replay_file(arguments.record)
    if not is_for_several(game, arguments.variant and [arguments.variant], options):
        flags = ("seat", "opponents", "hands", "until")
        refuse_flags(arguments, flags, f"{game.title} as chosen is for one player")
        play_alone(terminal, arguments.agent)
        return 0
    if arguments.hands is not None and arguments.until is not None:
        raise ValueError("--until says how long to play: it cannot go with --hands")
    from ..play.table import SeatChoice
    from .play_seats import play_session

    hands = 1 if arguments.hands is None else arguments.hands
    seat = SeatChoice(arguments.seat or 0, arguments.opponents, hands, arguments.until)
    play_session(terminal, seat, arguments.agent)
    return 0
