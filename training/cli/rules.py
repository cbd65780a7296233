"""``parlour rules``: explain a game, and show options, variants, and sources of its rules."""

import argparse
from typing import Any

from parlour.envs import Game, find_game
from parlour.envs.core.options import changed_options, describe_options, options_text

from ..evaluation.report.terminal import wrap_beside
from .arguments import add_game_and_rules, read_options

EXAMPLES = {
    "rules": """\
  parlour rules pyramid
  parlour rules pyramid --variant web
  parlour rules pyramid --variant classic --option passes=2
"""
}


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour rules``."""
    add_game_and_rules(parser)


def run_rules(arguments: argparse.Namespace) -> int:
    """Print how to play, then all options and variants of a game or the options of one variant."""
    game = find_game(arguments.game)
    options = read_options(arguments.option)
    rules = game.make_rules(arguments.variant, options)
    if arguments.variant is None and not options:
        print(f"{game.title}\n")
        _print_guide(game, rules)
        _print_game(game)
    else:
        title, options_lines = rules_text(game, rules).split("\n\n", 1)
        print(f"{title}\n")
        _print_guide(game, rules)
        print(options_lines)
    print("\nsources")
    for number, title in game.references.items():
        print(wrap_beside(number, title))
    return 0


def _print_guide(game: Game, rules: Any) -> None:
    print("how to play")
    for line in game.how_to_play(rules):
        print(wrap_beside("", line))
    print()


def _print_game(game: Game) -> None:
    print("options (a variant may change the default; sources are listed at the end)")
    for option in describe_options(game.rules):
        text = f"{option.values} (default {option.default}): {option.doc}"
        print(wrap_beside(option.name, text))
    print("\nvariants, with the options that they change and their sources")
    for name, rules in game.variants.items():
        changed = options_text(changed_options(rules, game.rules())) or "no option"
        mark = "; the default variant" if name == game.default else ""
        note = game.variant_notes[name]
        print(wrap_beside(name, f"{note} {changed} [{game.sources[name]}]{mark}"))


def rules_text(game: Game, rules: Any) -> str:
    """Return a text with every option of the rules, and the points of each hand if hands score."""
    name = game.variant_name(rules)
    head = f"{name} [{game.sources[name]}]" if name else "custom rules"
    lines = [f"{game.title}, {head}\n"]
    changed = changed_options(rules, game.rules())
    for option in describe_options(rules):
        mark = " (changed)" if option.name in changed else ""
        lines.append(wrap_beside(option.name, f"{option.default}{mark}: {option.doc}"))
    points = game.points_of(rules) if game.points_of else {}
    if points:
        lines.append("\npoints")
        lines += [f"  {score:>5}  {hand}" for hand, score in points.items()]
    return "\n".join(lines)
