"""``parlour list``: games, variants and agents.

The facts come from ``games.json`` beside this module, so the command imports no game. The file is
generated from the games (see `docs`), and ``make check`` tests that it is up to date.
"""

import argparse
import json
from pathlib import Path

from ..evaluation.report.terminal import wrap_beside

FILE = Path(__file__).with_name("games.json")
EXAMPLES = {"list": "  parlour list\n"}
AGENT_HELP = (
    "uniform, greedy, human, oracle (sees all cards; in games with a solver), pretrained, a "
    "rule-based agent of the game (parlour list), the folder of a saved agent or run, your own as "
    "module:Class; mcts; pimc (in games with an exact solver); hindsight (Klondike); nested; "
    "expectimax:, rollouts:, mcts:, pimc:, hindsight: or nested: before one of them; with a budget "
    "for each decision (worlds, iterations, time) as in pimc@100, mcts@800:pretrained or "
    "rollouts@50ms:greedy; NAME=AGENT calls it so"
)
"""Names of agents, for help texts."""


def add_list(_: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def run_list(_: argparse.Namespace) -> int:
    """Print games, their variants, and the agents that can play."""
    for game in json.loads(FILE.read_text(encoding="utf-8")):
        print(f"{game['name']}  {game['title']}, {game['id']}: {game['actions']} actions")
        default = game["default"]
        variants = [f"{name} (default)" if name == default else name for name in game["variants"]]
        print(wrap_beside("variants", ", ".join(variants)))
        if game["rule_agents"]:
            print(wrap_beside("players by rule", ", ".join(game["rule_agents"])))
    print(wrap_beside("agents", AGENT_HELP))
    return 0
