"""``parlour tune``: search for the best training settings with Optuna."""

import argparse
import json
import sys
from collections.abc import Sequence

from ..tuning import check_extras
from .arguments import MOST_JOBS, add_json, name_options, read_line, read_path, read_whole
from .output import notify_if_slow, reserve_stdout
from .process import stop_status

EXAMPLES = {
    "tune": """\
  parlour tune poker-squares --preset td --total-steps 2e6 --trials 30
  parlour tune pyramid --preset ppo --trials 40 --jobs 4 --pruner hyperband
  parlour tune pyramid --preset ppo --space mine.toml --name wide --json
  parlour tune pyramid --preset ppo --storage sqlite:////shared/pyramid.db
  parlour tune klondike --method cma-es --generations 20 --backend ray --address auto

The command needs pip install "parlour[train]", and "parlour[ray]" with --backend ray.

All other arguments are those of the trainer (parlour train --help). For example, --preset,
--settings, and --method choose the settings of all trials, --total-steps sets the length of each
trial, and --eval-deals sets the number of validation deals.

After Ctrl-C or a crash, run the same command again to resume. A larger value of --trials extends
the search. Interrupted trials resume from their last checkpoint. Several processes, or machines
that share --storage, can search together.

The folder of the search is RUNS/GAME-VARIANT-tune-NAME. RUNS is the value of --runs (default:
runs), and NAME is the value of --name (default: the method). The folder has best.toml, tune.png,
tune.json, trials.parquet, and in trials the training run of each trial. Use best.toml as a settings
file:

  parlour train pyramid --settings runs/pyramid-three-passes-tune-ppo/best.toml

--json prints one object: game, variant, method, measure, seed, space, best (the best trial),
importance (of each setting), trials, folder, and settings (all settings of the best trial). Each
trial has number, state, value, part (number of evaluations), seconds, settings, and run.
"""
}


def add_tune(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour tune``; all others are the trainer's."""
    whole, jobs = read_whole(10**6), read_whole(MOST_JOBS)
    parser.add_argument("game", metavar="GAME", help="name of the game")
    parser.add_argument(
        "--trials",
        type=whole,
        default=20,
        help="number of trials, including those of earlier runs (default: 20)",
    )
    parser.add_argument(
        "--space",
        type=read_path,
        metavar="FILE",
        help="TOML file of the settings to search, with a table per method (default: "
        "training/tuning/spaces.toml of Parlour)",
    )
    parser.add_argument(
        "--seed", type=whole, default=0, help="seed of all trials and of the search (default: 0)"
    )
    parser.add_argument(
        "--evaluations",
        type=whole,
        default=5,
        help="number of evaluations per trial, for --pruner (default: 5)",
    )
    parser.add_argument(
        "--pruner",
        metavar="NAME",
        default="median",
        help="pruner that ends trials early: median, hyperband or none (default: median)",
    )
    parser.add_argument(
        "--storage",
        type=read_line,
        metavar="URL",
        help="storage of the trials: sqlite:///FILE, the URL of another database, or a file "
        "(default: journal.log in the folder of the search)",
    )
    parser.add_argument(
        "--jobs", type=jobs, default=1, help="number of worker processes (default: 1)"
    )
    parser.add_argument(
        "--backend",
        metavar="NAME",
        default="processes",
        help="backend of the workers: processes on this machine, or ray (default: processes)",
    )
    parser.add_argument(
        "--address",
        type=read_line,
        help="address of a Ray cluster: HOST:PORT or auto; the cluster runs as many workers as its "
        "CPU cores allow, whatever --jobs is (default: RAY_ADDRESS, or a new cluster on this "
        "machine if it is not set)",
    )
    add_json(parser)


def run_tune(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    """Search for settings, and print the table of trials."""
    arguments, rest = parser.parse_known_args(name_options(words))
    check_extras(arguments.backend)
    from ..learning.settings.command import parse

    if any(word.partition("=")[0] == "--seeds" for word in rest):
        raise ValueError("--seeds must not be given: all trials use the seed of --seed")
    base = parse([arguments.game, *rest])
    with notify_if_slow("parlour: loading torch ..."):
        from ..tuning.study import tune
    try:
        with reserve_stdout(arguments):
            study = tune(
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
        print("Interrupted. Run the same command again to resume.", file=sys.stderr)
        return stop_status(stopped)
    from ..evaluation.report.terminal_tables import open_console
    from ..tuning.report import BEST, show, summary

    if arguments.json:
        print(json.dumps(summary(study)), flush=True)
        return 0
    show(study, open_console())
    print(f"written: {study.folder / BEST}, tune.png, tune.json, trials.parquet")
    return 0
