"""``parlour dataset``: write games of an agent as a Minari dataset."""

import argparse

from parlour.envs import find_game
from parlour.envs.core.schema import ENCODINGS
from parlour.envs.interfaces.arguments import REWARD_NAMES

from ..play.dataset import DatasetChoice, write_dataset
from .arguments import (
    AGENT_HELP,
    MOST_DEALS,
    add_game_and_rules,
    read_line,
    read_options,
    read_path,
    read_whole,
)
from .output import progress_bars

EPISODES = 1000
EXAMPLES = {
    "dataset": """\
  parlour dataset pyramid --agent greedy --episodes 1000 --out datasets
  parlour dataset twenty-eight --agent pretrained --opponents greedy --reward win

The games are random deals, none of them in a deal set. Episodes have observations, actions,
rewards, terminations, truncations, and infos with action_mask and the keys of the environment's
info. To load a dataset, set the environment variable MINARI_DATASETS_PATH to the folder of --out
and call minari.load_dataset(NAME).
""",
}


def add_dataset(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour dataset``."""
    add_game_and_rules(parser)
    parser.add_argument(
        "--agent", default="greedy", help=f"agent that plays: {AGENT_HELP} (default: greedy)"
    )
    parser.add_argument(
        "--episodes",
        type=read_whole(MOST_DEALS),
        default=EPISODES,
        help=f"number of games (default: {EPISODES})",
    )
    parser.add_argument(
        "--seed",
        type=read_whole(),
        default=0,
        help="seed of the first game; each following game has the next seed (default: 0)",
    )
    parser.add_argument(
        "--encoding",
        choices=ENCODINGS,
        default="onehot",
        help="encoding of the observations (default: onehot)",
    )
    parser.add_argument(
        "--reward",
        choices=REWARD_NAMES,
        default="progress",
        help="reward function (default: progress)",
    )
    parser.add_argument(
        "--seat",
        type=read_whole(),
        help="games for several players: seat of the agent (default: 0)",
    )
    parser.add_argument(
        "--opponents",
        nargs="+",
        metavar="AGENT",
        help="games for several players: uniform, greedy, or rule-based agents in the other seats, "
        "one for all or one for each (default: greedy)",
    )
    parser.add_argument(
        "--name",
        type=read_line,
        help="id of the dataset (default: parlour/GAME-VARIANT/AGENT-v0)",
    )
    parser.add_argument(
        "--out",
        type=read_path,
        metavar="FOLDER",
        help="folder of Minari datasets (default: $MINARI_DATASETS_PATH, or Minari's own folder)",
    )


def run_dataset(arguments: argparse.Namespace) -> int:
    """Play the games and write the dataset."""
    game = find_game(arguments.game)
    names = ("variant", "encoding", "reward", "seat", "opponents")
    given = {name: getattr(arguments, name) for name in names}
    keywords = {name: value for name, value in given.items() if value is not None}
    choice = DatasetChoice(
        game,
        keywords | read_options(arguments.option),
        arguments.agent,
        arguments.episodes,
        arguments.seed,
        arguments.name,
    )
    with progress_bars(arguments.episodes) as begin:
        progress = begin(arguments.agent, arguments.variant or game.default)
        written = write_dataset(choice, arguments.out, progress or (lambda _: None))
    print(f"{written.name}: {written.episodes:,} episodes, {written.steps:,} steps")
    print(f"written: {written.folder}")
    return 0
