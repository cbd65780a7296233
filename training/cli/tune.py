"""``parlour tune``: search for settings of a training run by Optuna."""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout

from ..tuning.extras import check_extras
from . import stop_status
from .arguments import MOST_JOBS, Parser, read_path, read_text, read_whole
from .progress import notify_if_slow

EXAMPLES = """\
examples:
  parlour tune poker-squares --preset td --total-steps 2e6 --trials 30
  parlour tune pyramid --preset ppo --trials 40 --jobs 4 --pruner hyperband
  parlour tune pyramid --preset ppo --space mine.toml --name wide --json
  parlour tune pyramid --preset ppo --storage sqlite:////shared/pyramid.db
  parlour tune klondike --method cma-es --generations 20 --backend ray --address auto

All other arguments are the trainer's (parlour train --help): --preset, --settings and --method say
what trials begin with, --total-steps how long each trains, --eval-deals on how many validation
deals it is evaluated. The settings that are searched are those of --space: a file as
training/tuning/spaces.toml, which is taken without it. All else is the same in all trials.

The same command goes on: after Ctrl-C, after a death, or to a larger number of --trials. What was
being trained goes on from its last checkpoint. Several processes, or machines that share --storage,
search together. Trials are runs in RUNS/GAME-VARIANT-tune-NAME/trials; beside them are best.toml,
tune.png, tune.json and trials.parquet. best.toml is a file of settings:

  parlour train pyramid --settings runs/pyramid-three-passes-tune-ppo/best.toml

--json prints one object on stdout: best, settings (all of the best trial), trials (number, state,
value, part, seconds, settings, run), importance, space, folder.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes, beside what the trainer does."""
    whole, jobs = read_whole(10**6), read_whole(MOST_JOBS)
    parser.add_argument("game", metavar="GAME")
    parser.add_argument(
        "--trials", type=whole, default=20, help="how many, earlier ones too (default: 20)"
    )
    parser.add_argument(
        "--space", type=read_path, metavar="FILE", help="what is searched: TOML, a table a method"
    )
    parser.add_argument(
        "--seed", type=whole, default=0, help="of all trials, and of the search (default: 0)"
    )
    parser.add_argument(
        "--evaluations", type=whole, default=5, help="of each trial, for --pruner (default: 5)"
    )
    parser.add_argument(
        "--pruner",
        metavar="NAME",
        default="median",
        help="what ends trials early: median, hyperband or none (default: median)",
    )
    parser.add_argument(
        "--storage",
        type=read_text,
        metavar="URL",
        help="where trials are kept: sqlite:///FILE or another data base, or a file (default: "
        "journal.log in the search's folder)",
    )
    parser.add_argument(
        "--jobs", type=jobs, default=1, help="trials at once on this machine (default: 1)"
    )
    parser.add_argument(
        "--backend",
        metavar="NAME",
        default="processes",
        help="processes (default), or ray, by Ray Tune",
    )
    parser.add_argument(
        "--address",
        type=read_text,
        help="of a Ray cluster that runs, such as auto or HOST:PORT (default: what RAY_ADDRESS "
        "says, else one is started here); it tries as many at once as it has room for",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, and nothing else, on stdout"
    )


def make_parser() -> Parser:
    """Return the parser of the command; what it does not know is the trainer's."""
    parser = Parser(
        prog="parlour tune",
        description="Search for settings of a training run by Optuna. It needs pip install "
        '"parlour[tune]", with --backend ray "parlour[ray,tune]".',
        epilog=EXAMPLES,
    )
    add_arguments(parser)
    return parser


def run_tune(words: Sequence[str]) -> int:
    """Search, print the table, return the exit status; errors are raised."""
    arguments, rest = make_parser().parse_known_args(words)
    check_extras(arguments.backend)
    with notify_if_slow("parlour: loading torch ..."):
        from ..learning.settings.command import parse
        from ..tuning.study_run import tune

    if any(word.partition("=")[0] == "--seeds" for word in rest):
        raise ValueError("--seeds: all trials train with one seed, that of --seed")
    base = parse([arguments.game, *rest])
    try:
        with redirect_stdout(sys.stderr) if arguments.json else nullcontext():
            found = tune(
                base,
                trials=arguments.trials,
                space=arguments.space,
                seed=arguments.seed,
                evaluations=arguments.evaluations,
                pruner=arguments.pruner,
                storage=arguments.storage,
                jobs=arguments.jobs,
                backend=arguments.backend,
                address=arguments.address,
            )
    except KeyboardInterrupt as stopped:
        print("stopped; what is done is kept, and the same command goes on", file=sys.stderr)
        return stop_status(stopped)
    from ..evaluation.report.terminal_tables import open_console
    from ..tuning.report import BEST, show, summary

    if arguments.json:
        print(json.dumps(summary(found)), flush=True)
        return 0
    show(found, open_console())
    print(f"written: {found.folder / BEST}, tune.png, tune.json, trials.parquet")
    return 0
