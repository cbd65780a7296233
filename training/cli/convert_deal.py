"""``parlour convert-deal``: convert deals between the notations of Parlour and other programs."""

import argparse

import numpy as np

from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.kernel.cards import DeckFormat, card_name, default_deal_set, parse_deck
from parlour.envs.core.options import unknown_text
from parlour.envs.core.solve import deal_position

from .arguments import add_deal_set, add_game, read_deck, read_input, read_line, read_whole

OWN = "parlour"
"""Parlour's notation, as for ``--deck`` of other commands: card names in dealing order."""


EXAMPLES = {
    "convert-deal": """\
  parlour convert-deal klondike --deal 17 --to ksolve
  parlour convert-deal klondike --from ksolve --deck - < deal.txt
  parlour convert-deal klondike --from solvitaire --deck - < deal.json > deck.txt
  parlour solve klondike --deck "$(cat deck.txt)"
""",
}


def add_convert_deal(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour convert-deal``."""
    add_game(parser)
    parser.add_argument(
        "--deck",
        type=read_deck,
        help="deck in the notation of --from; - reads standard input",
    )
    known = "; ".join(f"{name}: {', '.join(game.deck_formats)}" for name, game in _with_formats())
    for flag, word in (("--from", "source"), ("--to", "target")):
        parser.add_argument(
            flag,
            dest=word,
            type=read_line,
            default=OWN,
            metavar="NOTATION",
            help=f"notation of the {word}: {OWN} (card names in dealing order), or for {known} "
            f"(default: {OWN})",
        )
    parser.add_argument(
        "--deal", type=read_whole(), help="number of a deal to use instead of --deck"
    )
    add_deal_set(parser)


def run_convert_deal(arguments: argparse.Namespace) -> int:
    """Print a deal in the notation of ``--to``."""
    game = find_game(arguments.game)
    write = _find(game, "--to", arguments.target).write
    print(write(_read(game, arguments)))
    return 0


def _with_formats() -> list[tuple[str, Game]]:
    return [(name, game) for name, game in GAMES.items() if game.deck_formats]


def _read(game: Game, arguments: argparse.Namespace) -> np.ndarray:
    """Return the deck as card codes in dealing order; ValueError unless one source is given."""
    if (arguments.deck is None) == (arguments.deal is None):
        raise ValueError(
            "either --deck (in the notation of --from) or --deal must be given, not both"
        )
    if arguments.deal is not None:
        deal_set = arguments.deal_set or default_deal_set(game.name)
        state = deal_position(game, game.make_rules(), deal_set, arguments.deal)
        return np.asarray(state["deck"][0])
    notation = _find(game, "--from", arguments.source)
    return notation.read(read_input(arguments.deck))


def _find(game: Game, flag: str, name: str) -> DeckFormat:
    """Return the reader and writer of a notation; ValueError if it is unknown."""

    def read_names(text: str) -> np.ndarray:
        return parse_deck(text, game.pack(game.make_rules()))

    known = {OWN: DeckFormat(read_names, _write_names), **game.deck_formats}
    if name not in known:
        raise ValueError(f"{flag}: {unknown_text('notation', name, known)}")
    return known[name]


def _write_names(deck: np.ndarray) -> str:
    return " ".join(card_name(int(card)) for card in deck if card)
