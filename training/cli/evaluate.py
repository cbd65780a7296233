"""``parlour evaluate`` and ``parlour compare``: agents play the same deals."""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from typing import Any

from parlour.envs import find_game
from parlour.envs.core.batch import MAX_MOVES
from parlour.envs.core.game import digest16

from ..evaluation.outputs import FILES, check_folder
from ..evaluation.spec import DEALS, EvaluationSpec, is_for_several, make_specs
from ..parallel.tasks import Cluster
from .arguments import (
    AGENT_HELP,
    MOST_DEALS,
    MOST_HANDS,
    add_record,
    add_rules,
    add_rules_mismatch,
    read_options,
    read_path,
    read_text,
    read_variants,
    read_whole,
    refuse_flags,
)
from .cluster import (
    add_cluster,
    chunks_in,
    drop_record,
    note_record,
    read_key,
    use_cluster,
    write_key,
)
from .progress import progress_bars

EXAMPLES = {
    "evaluate": """\
  parlour evaluate pyramid --variant classic --agent uniform --deals 20000 --seed 1 --json
  parlour evaluate pyramid --agent mymodule:MyAgent --option passes=2 --option undo=yes
  parlour evaluate seven-twenty-seven --agent greedy --field uniform greedy

--json prints one object on stdout: won, score, moves and the game's further facts, each
{"mean", "low", "high", "n"}, with ms_per_decision, agent, variant, rules, deal set and seed. In a
game that nobody wins, won is null, and another word (reached) says how often its aim was reached.
--out writes episodes.parquet (a row a game), summary.json and comparison (png, svg, pdf).

In a game for several the agent plays each deal from every seat, with --field in the others: net is
what it won, in antes a hand, positions the same at each position from the dealer's left.
""",
    "compare": """\
  parlour compare pyramid --variant three-passes --agents uniform greedy runs/my-agent
  parlour compare pyramid --variant classic web --agents uniform greedy --out results --json
  parlour compare seven-twenty-seven --agents uniform greedy --field greedy --deals 2000
  parlour compare poker-squares --variant british --agents mine=pretrained --allow-rules-mismatch
  parlour compare pyramid --variant all --agents uniform greedy --report pyramid.html
  parlour compare pyramid --agents greedy pimc@40 --jobs -1 --out results

All agents play the same deals. --json prints one object on stdout: {"results": [...],
"differences": [...]}. A result is what "parlour evaluate --json" prints. A difference has variant,
agent, minus, won (or that other word) and score: agent less minus, deal by deal, for each agent and
all given before.
--out writes episodes.parquet (a row a game), summary.json and comparison (png, svg, pdf), --report
tables, pictures and conditions as one page that loads nothing.

In a game for several each agent plays each deal from every seat: in --field, and among seats all
played by each of the others. --json then has "pairs", too, and a difference has net and positions:
each from the dealer's left, with an interval and a p-value corrected by Holm's method.
""",
}


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour evaluate``."""
    add_rules(parser)
    parser.add_argument("--agent", default="uniform", help=f"{AGENT_HELP} (default: uniform)")
    _add_deals(parser)
    add_rules_mismatch(parser)


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour compare``."""
    add_rules(parser, many=True)
    parser.add_argument(
        "--agents",
        nargs="+",
        default=["uniform", "greedy"],
        metavar="AGENT",
        help=f"each: {AGENT_HELP}",
    )
    _add_deals(parser)
    parser.add_argument(
        "--report",
        type=read_path,
        metavar="FILE.html",
        help="write all of it as one page: tables, pictures, conditions",
    )
    add_rules_mismatch(parser)


def _add_deals(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--deals",
        type=read_whole(MOST_DEALS),
        default=DEALS,
        help=f"number of deals (default: {DEALS})",
    )
    parser.add_argument(
        "--deal-set", type=read_text, help="deal set of numbered deals (default: GAME-1)"
    )
    whole = read_whole()
    parser.add_argument(
        "--first", type=whole, default=0, help="number of the first deal (default: 0)"
    )
    parser.add_argument(
        "--seed", type=whole, default=0, help="seed of the agents' own draws (default: 0)"
    )
    parser.add_argument(
        "--key",
        metavar="TEXT",
        help="seed of all random draws; saved with the results (default: random)",
    )
    parser.add_argument(
        "--max-moves",
        type=read_whole(),
        help="in solitaires: truncate games after this many moves; 0: no limit "
        f"(default: {MAX_MOVES})",
    )
    parser.add_argument(
        "--field",
        nargs="+",
        metavar="AGENT",
        help="in games for several: agents in the other seats, repeated in order (default: greedy "
        "and the rule-based agents)",
    )
    parser.add_argument(
        "--partner",
        metavar="AGENT",
        help="in games with partners: agent in the other seats of the side (default: the agent "
        "itself)",
    )
    parser.add_argument(
        "--hands",
        type=read_whole(MOST_HANDS),
        help="in games for several: hands of each deal, dealt by one seat after the other "
        "(default: 1)",
    )
    parser.add_argument(
        "--truth",
        type=read_text,
        metavar="FILE",
        help="file of solver labels (parlour deals make), or no (default: labels of these deals)",
    )
    parser.add_argument(
        "--out", type=read_path, metavar="FOLDER", help="folder for Parquet, JSON and pictures"
    )
    add_record(parser)
    parser.add_argument(
        "--json", action="store_true", help="print JSON, and nothing else, on stdout"
    )
    add_cluster(parser)


def run_evaluate(arguments: argparse.Namespace) -> int:
    """Print how one agent plays, alone or in a field of others."""
    variants = None if arguments.variant is None else [arguments.variant]
    return _compare(arguments, variants, [arguments.agent])


def run_compare(arguments: argparse.Namespace) -> int:
    """Print how several agents play the same deals, each alone or at tables of several seats."""
    game, options = find_game(arguments.game), read_options(arguments.option)
    variants = read_variants(game, arguments.variant, options)
    return _compare(arguments, variants, arguments.agents)


def _read_specs(
    arguments: argparse.Namespace, variants: Sequence[str] | None, key: str | None
) -> list[EvaluationSpec]:
    """What is to be played, by each variant; ValueError for flags that make no sense there."""
    game, options = find_game(arguments.game), read_options(arguments.option)
    if is_for_several(game, variants, options):
        refuse_flags(arguments, ("max_moves",), "a game for several always ends")
        refuse_flags(arguments, ("truth",), "deals of a game for several have no solver")
    else:
        alone = f"{game.title} as chosen is for one player"
        refuse_flags(arguments, ("field", "partner", "hands"), alone)
    return make_specs(
        game,
        variants,
        options,
        deals=arguments.deals,
        deal_set=arguments.deal_set,
        first=arguments.first,
        seed=arguments.seed,
        key=key,
        max_moves=MAX_MOVES if arguments.max_moves is None else arguments.max_moves,
        hands=1 if arguments.hands is None else arguments.hands,
        truth=arguments.truth,
        allow_rules_mismatch=arguments.allow_rules_mismatch,
        record=arguments.record,
    )


def _compare(
    arguments: argparse.Namespace, variants: Sequence[str] | None, agents: Sequence[str]
) -> int:
    """Let agents play where it was said; finished parts are kept beside the results."""
    with use_cluster(arguments, chunks_in(arguments.out)) as cluster:
        drop_record(cluster, arguments.record, _name_record(arguments))
        specs = _read_specs(arguments, variants, arguments.key or read_key(cluster))
        return _play(arguments, specs, agents, cluster)


def _name_record(arguments: argparse.Namespace) -> str:
    """What differs when games of something else, or another file of them, are asked for."""
    names = (
        "command",
        "game",
        "variant",
        "option",
        "agent",
        "agents",
        "field",
        "partner",
        "record",
    )
    return digest16(*(getattr(arguments, name, None) for name in names))


def _play(
    arguments: argparse.Namespace,
    specs: Sequence[EvaluationSpec],
    agents: Sequence[str],
    cluster: Cluster | None,
) -> int:
    """Let agents play, then print and save what came of it, even of those before one that fails."""
    from ..evaluation.compare import compare_specs
    from ..evaluation.result import Comparison

    if not arguments.json or arguments.out:  # a missing package is reported before hours of play
        from ..evaluation.report import report
    if arguments.out:
        check_folder(arguments.out, FILES)
        write_key(cluster, specs[0].key)
        if arguments.record:
            note_record(cluster, _name_record(arguments))
    page = getattr(arguments, "report", None)
    if page:
        from ..evaluation.report.report_page import (  # what is missing: said now
            check_page,
            write_page,
        )

        check_page(page)
    finished: list[Any] = []
    failed: BaseException | None = None
    aside = redirect_stdout(sys.stderr) if arguments.json else nullcontext()
    with aside, progress_bars(arguments.deals) as bars:
        try:
            compare_specs(
                specs,
                agents,
                field=arguments.field,
                partner=arguments.partner,
                report=bars,
                finished=finished,
                cluster=cluster,
            )
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            if not finished:
                raise
            failed = error
    comparison = Comparison(finished)
    try:  # the results are printed first: saving them may fail
        if arguments.json:
            _print_json(finished[0] if arguments.command == "evaluate" else comparison)
        else:
            _print_tables(comparison)
    finally:
        written = report.save(comparison, arguments.out) if arguments.out else []
        if page:
            write_page(comparison, page)
            written.append(page)
    if not arguments.json:
        for path in written:
            print(f"written: {path}")
    if failed is not None:
        raise failed  # what the others did before it is kept all the same
    return 0


def _print_json(result: Any) -> None:
    print(json.dumps(result.summary()), flush=True)


def _print_tables(comparison: Any) -> None:
    from ..evaluation.report.report import show
    from ..evaluation.report.terminal_tables import open_console

    show(comparison, open_console())
    sys.stdout.flush()
