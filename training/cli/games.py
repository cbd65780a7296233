"""``parlour list`` and ``parlour rules``: what there is to play, and by which rules."""

import argparse
from typing import Any

from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.options import changed_options, describe_options, options_text

from ..evaluation.report.terminal import wrap_beside
from .arguments import AGENT_HELP, read_options


def run_list(_: argparse.Namespace) -> int:
    """Print games, their variants, and the agents that can play."""
    for game in GAMES.values():
        print(f"{game.name}  {game.title}, {game.id}: {game.actions} actions")
        _print_wrapped(
            "variants",
            ", ".join(f"{n} (default)" if n == game.default else n for n in game.variants),
        )
        if game.rule_agents:
            _print_wrapped("players by rule", ", ".join(game.rule_agents))
    _print_wrapped("agents", AGENT_HELP)
    return 0


def run_rules(arguments: argparse.Namespace) -> int:
    """Print all options and variants of a game, or the options of one variant."""
    game = find_game(arguments.game)
    options = read_options(arguments.option)
    if arguments.variant is None and not options:
        _print_game(game)
    else:
        print(rules_text(game, game.make_rules(arguments.variant, options)))
    print("\nsources")
    for number, title in game.references.items():
        _print_wrapped(number, title)
    return 0


def _print_game(game: Game) -> None:
    print(f"{game.title}\n\noptions (default: where a variant does not change it)")
    for option in describe_options(game.rules):
        _print_wrapped(option.name, f"{option.values} (default {option.default}): {option.doc}")
    print("\nvariants, with the options that they change")
    for name, known in game.variants.items():
        changed = options_text(changed_options(known, game.rules())) or "nothing"
        mark = "; played when none is named" if name == game.default else ""
        _print_wrapped(name, f"{changed} [{game.sources[name]}]{mark}")


def rules_text(game: Game, rules: Any) -> str:
    """Say every option of rules, and what hands bring where they bring points."""
    name = game.variant_name(rules)
    head = f"{name} [{game.sources[name]}]" if name else "rules of your own"
    lines = [f"{game.title}, {head}\n"]
    changed = changed_options(rules, game.rules())
    for option in describe_options(rules):
        mark = " (changed)" if option.name in changed else ""
        lines.append(wrap_beside(option.name, f"{option.default}{mark}: {option.doc}"))
    points = game.points_of(rules) if game.points_of else {}
    lines += ["\npoints"] if points else []
    lines += [f"  {worth:>5}  {hand}" for hand, worth in points.items()]
    return "\n".join(lines)


def _print_wrapped(first: str, text: str) -> None:
    print(wrap_beside(first, text))
