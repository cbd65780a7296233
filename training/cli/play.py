"""``parlour play``: which table is opened in the terminal."""

import argparse
import os
import sys
from typing import Any

from parlour.envs import find_game
from parlour.envs.core.deals import default_bank

from .arguments import is_for_several, read_options, refuse_flags


def run_play(arguments: argparse.Namespace) -> int:
    """Play in the terminal."""
    from .play_alone import TerminalGame, play_alone

    game, options = find_game(arguments.game), read_options(arguments.option)
    chosen: dict[str, Any] = {"deck": arguments.deck} if arguments.deck else {}
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
    )
    if not is_for_several(game, arguments.variant and [arguments.variant], options):
        flags = ("seat", "opponents", "hands")
        refuse_flags(arguments, flags, f"{game.title} as chosen is for one player")
        play_alone(terminal, arguments.agent)
        return 0
    from .play_seats import SeatChoice, play_session

    hands = 1 if arguments.hands is None else arguments.hands
    play_session(
        terminal, SeatChoice(arguments.seat or 0, arguments.opponents, hands), arguments.agent
    )
    return 0
