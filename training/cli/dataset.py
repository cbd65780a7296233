"""``parlour dataset``: write labeled decisions of an agent's games, and compare agents on them."""

import argparse
import re
from pathlib import Path
from typing import Any

from parlour.envs import find_game
from parlour.envs.core.schema import ENCODINGS
from parlour.envs.interfaces.arguments import REWARD_NAMES
from parlour.extras import name_extra

from ..datasets.decisions import EPISODES, WORLDS, DatasetSpec
from .arguments import (
    AGENT_HELP,
    MOST_DEALS,
    MOST_ROWS,
    add_agents,
    add_game_and_rules,
    add_json,
    add_opponents,
    read_line,
    read_options,
    read_path,
    read_whole,
    refuse_flags,
)
from .cluster import add_cluster, print_kept, use_cluster
from .output import print_and_save, progress_bars, reserve_stdout

FORMATS = ("parquet", "minari")
FOLDER = Path("datasets")
EXAMPLES = {
    "dataset": """\
  parlour dataset make pyramid --agent greedy --episodes 1000
  parlour dataset make klondike --variant draw-one --worlds 8 --jobs 8 --out draw-one
  parlour dataset make twenty-eight --agent pretrained --opponents pretrained --worlds 0
  parlour dataset make pyramid --exact --out puzzles
  parlour dataset make pyramid --format minari --out minari

A dataset has a row for each decision: the observation, the legal actions, the action taken, the
values of the actions, the solver label of the deal, and the result of the game. The games are
random deals, none of them in a deal set. After an interruption, run the same command again to
resume; with more --episodes, the command extends the dataset. With --format minari, an interrupted
command saves nothing.
""",
    "dataset compare": """\
  parlour dataset compare puzzles --agents greedy pretrained pimc@4
  parlour dataset compare puzzles more-puzzles --agents pretrained runs/my-agent --json

All agents choose an action in each decision that has values. A mistake is an action with a lower
value than the best one. In a dataset made with --exact, a mistake throws a win away. The datasets
must have the same game and rules. With --json, the command prints one object: agents (for each
agent: mistakes, mean regret, difference to the first agent, and mistakes by group) and groups (the
number of decisions in each group).
""",
}


def add_dataset(parser: argparse.ArgumentParser) -> None:
    """Add the commands of ``parlour dataset`` and their arguments."""
    actions = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="action", required=True
    )
    text = "write labeled decisions of an agent's games"
    make: Any = actions.add_parser(
        "make",
        help=text,
        description=f"{text.capitalize()}.",
        epilog=f"examples:\n{EXAMPLES['dataset']}",
    )
    make.words = getattr(parser, "words", ())
    add_game_and_rules(make)
    make.add_argument(
        "--agent", default="greedy", help=f"agent that plays: {AGENT_HELP} (default: greedy)"
    )
    make.add_argument(
        "--seat",
        type=read_whole(),
        help="games for several players: seat of the agent (default: 0)",
    )
    add_opponents(make, "greedy")
    make.add_argument(
        "--episodes",
        type=read_whole(MOST_DEALS),
        default=EPISODES,
        help=f"number of games (default: {EPISODES})",
    )
    make.add_argument(
        "--seed",
        type=read_whole(),
        default=0,
        help="seed of the first game; each following game has the next seed (default: 0)",
    )
    make.add_argument(
        "--worlds",
        type=read_whole(MOST_ROWS),
        default=WORLDS,
        help="number of sampled worlds per decision, from which the values of the actions are "
        f"computed; 0: no values (default: {WORLDS})",
    )
    make.add_argument(
        "--player",
        metavar="AGENT",
        help="agent that plays the sampled worlds to the end; double-dummy: the solver of "
        "Twenty-Eight, Twenty-Nine and Fifty-Six (default: the exact solver in solitaires that "
        "have one; otherwise pretrained, or greedy if there is no pretrained agent)",
    )
    make.add_argument(
        "--exact",
        action="store_true",
        help="values only for decisions in which nothing is hidden, so that they are exact",
    )
    make.add_argument(
        "--format",
        choices=FORMATS,
        default=FORMATS[0],
        help=f"format of the dataset (default: {FORMATS[0]})",
    )
    make.add_argument(
        "--out",
        type=read_path,
        metavar="FOLDER",
        help=f"folder of the dataset (default: {FOLDER}/GAME-VARIANT-AGENT); with --format minari, "
        "folder of all Minari datasets (default: $MINARI_DATASETS_PATH, or Minari's own folder)",
    )
    add_cluster(make)
    minari = make.add_argument_group("only with --format minari")
    minari.add_argument(
        "--name",
        type=read_line,
        help="id of the dataset (default: parlour/GAME-VARIANT/AGENT-v0)",
    )
    minari.add_argument(
        "--encoding",
        choices=ENCODINGS,
        help="encoding of the observations (default: onehot)",
    )
    minari.add_argument(
        "--reward",
        choices=REWARD_NAMES,
        help="reward function (default: progress)",
    )
    make.set_defaults(parser=make)
    _add_compare(actions, getattr(parser, "words", ()))


def _add_compare(actions: Any, words: Any) -> None:
    """Add the arguments of ``parlour dataset compare``."""
    text = "compare agents on the decisions of datasets"
    compare = actions.add_parser(
        "compare",
        help=text,
        description=f"{text.capitalize()}.",
        epilog=f"examples:\n{EXAMPLES['dataset compare']}",
    )
    compare.words = words
    compare.add_argument(
        "datasets", nargs="+", type=read_path, metavar="FOLDER", help="folders of datasets"
    )
    add_agents(compare)
    compare.add_argument(
        "--evaluation-seed",
        metavar="TEXT",
        default="dataset",
        help="seed of the agents' random draws (default: dataset)",
    )
    add_json(compare)
    compare.set_defaults(parser=compare)


def run_dataset(arguments: argparse.Namespace) -> int:
    """Write a dataset, or compare agents on datasets."""
    if arguments.action == "compare":
        return _compare(arguments)
    spec = DatasetSpec(
        find_game(arguments.game),
        arguments.variant,
        read_options(arguments.option),
        arguments.agent,
        arguments.seat,
        arguments.opponents,
        arguments.episodes,
        arguments.seed,
        arguments.worlds,
        arguments.player,
        exact=arguments.exact,
    )
    if arguments.format == "minari":
        refuse_flags(arguments, ("jobs", "backend", "address"), "--format minari uses one process")
        _write_minari(arguments, spec)
    else:
        refuse_flags(arguments, ("name", "encoding", "reward"), "add --format minari")
        _write_parquet(arguments, spec)
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    """Compare agents on the decisions of datasets, and print the result."""
    with name_extra("a dataset"):
        from ..datasets.dataset_comparison import compare_on_datasets

    with reserve_stdout(arguments):
        comparison = compare_on_datasets(
            arguments.datasets, arguments.agents, arguments.evaluation_seed
        )
    print_and_save(arguments, comparison.summary, comparison.show, list)
    return 0


def _write_parquet(arguments: argparse.Namespace, spec: DatasetSpec) -> None:
    with name_extra("a dataset"):
        from ..datasets.dataset import DATA, make_dataset

    variant = spec.variant or spec.game.default
    agent = re.sub(r"[^A-Za-z0-9_]+", "-", spec.agent).strip("-")
    folder = arguments.out or FOLDER / f"{spec.game.name}-{variant}-{agent}"
    try:
        with use_cluster(arguments, None) as cluster, progress_bars(spec.episodes) as begin:
            progress = begin(spec.agent, variant)
            written = make_dataset(spec, folder, cluster, progress or (lambda _: None))
    except BaseException as error:
        # A refused command would be refused again.
        if not isinstance(error, ValueError) and any((folder / DATA).glob("*.parquet")):
            print_kept(folder)
        raise
    decisions = written.statistics["decisions"]
    print(
        f"{spec.episodes:,} games, {decisions:,} decisions, "
        f"{written.statistics['judged']:,} with values"
    )
    each = written.bytes / max(decisions, 1)
    print(f"{written.bytes / 1e6:,.1f} MB, {each:.1f} bytes per decision")
    print(f"written: {folder}")


def _write_minari(arguments: argparse.Namespace, spec: DatasetSpec) -> None:
    from ..datasets.minari_files import write_minari

    with progress_bars(spec.episodes) as begin:
        progress = begin(spec.agent, spec.variant or spec.game.default)
        written = write_minari(
            spec,
            arguments.out,
            arguments.name,
            arguments.encoding or ENCODINGS[0],
            arguments.reward or REWARD_NAMES[0],
            progress or (lambda _: None),
        )
    print(f"{written.name}: {written.episodes:,} episodes, {written.steps:,} steps")
    print(f"written: {written.folder}")
