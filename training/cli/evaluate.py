"""``parlour evaluate`` and ``parlour compare``: agents play the same deals."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from parlour.envs import find_game
from parlour.envs.core.batch import MAX_MOVES
from parlour.envs.core.game import digest16

from ..evaluation.evaluation_spec import EvaluationSpec, is_for_several, make_specs
from ..evaluation.result import FILES, Comparison
from ..files import check_folder
from ..parallel.tasks import Cluster
from .arguments import (
    AGENT_HELP,
    MOST_HANDS,
    add_deal_range,
    add_game_and_rules,
    add_json,
    add_opponents,
    add_record,
    add_rules_mismatch,
    read_line,
    read_options,
    read_path,
    read_variants,
    read_whole,
    refuse_flags,
)
from .cluster import (
    add_cluster,
    chunks_in,
    drop_record,
    note_record,
    read_evaluation_seed,
    use_cluster,
    write_evaluation_seed,
)
from .output import print_and_save, progress_bars, report_finished, reserve_stdout

EXAMPLES = {
    "evaluate": """\
  parlour evaluate pyramid --variant classic --agent uniform --deals 20000 --seed 1 --json
  parlour evaluate pyramid --agent mymodule:MyAgent --option passes=2 --option undo=yes
  parlour evaluate seven-twenty-seven --agent greedy --opponents uniform greedy

--json prints one object on stdout: won, score, moves and the game's further facts, each
{"mean", "low", "high", "n"}, with ms_per_decision, agent, variant, rules, deal set and seed. In a
game that nobody wins, won is null, and another word (reached) says how often its aim was reached.
--out writes episodes.parquet (a row a game), summary.json and comparison (png, svg, pdf).

In a game for several the agent plays each deal from every seat, with --opponents in the others: net
is what it won, in antes a hand, positions the same at each position from the dealer's left.
""",
    "compare": """\
  parlour compare pyramid --variant three-passes --agents uniform greedy runs/my-agent
  parlour compare pyramid --variant classic web --agents uniform greedy --out results --json
  parlour compare seven-twenty-seven --agents uniform greedy --opponents greedy --deals 2000
  parlour compare poker-squares --variant british --agents mine=pretrained --allow-rules-mismatch
  parlour compare pyramid --variant all --agents uniform greedy --report pyramid.html
  parlour compare pyramid --agents greedy pimc@40 --jobs -1 --out results

All agents play the same deals. --json prints one object on stdout: {"results": [...],
"differences": [...]}. A result is what "parlour evaluate --json" prints. A difference has variant,
agent, minus, won (or that other word) and score: agent less minus, deal by deal, for each agent and
all given before.
--out writes episodes.parquet (a row a game), summary.json and comparison (png, svg, pdf), --report
tables, pictures and conditions as one page that loads nothing.

In a game for several each agent plays each deal from every seat: among --opponents, and among seats
all played by each of the others. --json then has "pairs", too, and a difference has net and
positions: each from the dealer's left, with an interval and a p-value corrected by Holm's method.
""",
}


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour evaluate``."""
    add_game_and_rules(parser)
    parser.add_argument("--agent", default="uniform", help=f"{AGENT_HELP} (default: uniform)")
    _add_deals(parser)
    add_rules_mismatch(parser)


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour compare``."""
    add_game_and_rules(parser, many=True)
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
    add_deal_range(parser)
    parser.add_argument(
        "--seed", type=read_whole(), default=0, help="seed of the agents' own draws (default: 0)"
    )
    parser.add_argument(
        "--evaluation-seed",
        metavar="TEXT",
        help="seed of all random draws; saved with the results (default: random)",
    )
    parser.add_argument(
        "--max-moves",
        type=read_whole(),
        help="in solitaires: truncate games after this many moves; 0: no limit "
        f"(default: {MAX_MOVES})",
    )
    add_opponents(parser, "greedy and the rule-based agents")
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
        "--labels",
        type=read_line,
        metavar="FILE",
        help="file of solver labels (parlour deals make), or no (default: labels of these deals)",
    )
    parser.add_argument(
        "--out", type=read_path, metavar="FOLDER", help="folder for Parquet, JSON and pictures"
    )
    add_record(parser)
    add_json(parser)
    add_cluster(parser)


def run_evaluate(arguments: argparse.Namespace) -> int:
    """Print how one agent plays, alone or among opponents."""
    variants = None if arguments.variant is None else [arguments.variant]
    return _compare(arguments, variants, [arguments.agent])


def run_compare(arguments: argparse.Namespace) -> int:
    """Print how several agents play the same deals, each alone or at tables of several seats."""
    game, options = find_game(arguments.game), read_options(arguments.option)
    variants = read_variants(game, arguments.variant, options)
    return _compare(arguments, variants, arguments.agents)


def _read_specs(
    arguments: argparse.Namespace, variants: Sequence[str] | None, evaluation_seed: str | None
) -> list[EvaluationSpec]:
    """Return the specification of each variant; ValueError for flags that do not apply to it."""
    game, options = find_game(arguments.game), read_options(arguments.option)
    if is_for_several(game, variants, options):
        refuse_flags(arguments, ("max_moves",), "a game for several always ends")
        refuse_flags(arguments, ("labels",), "deals of a game for several have no solver")
    else:
        alone = f"{game.title} as chosen is for one player"
        refuse_flags(arguments, ("opponents", "partner", "hands"), alone)
    return make_specs(
        game,
        variants,
        options,
        deals=arguments.deals,
        deal_set=arguments.deal_set,
        first=arguments.first,
        seed=arguments.seed,
        evaluation_seed=evaluation_seed,
        max_moves=MAX_MOVES if arguments.max_moves is None else arguments.max_moves,
        hands=1 if arguments.hands is None else arguments.hands,
        labels=arguments.labels,
        allow_rules_mismatch=arguments.allow_rules_mismatch,
        record=arguments.record,
    )


def _compare(
    arguments: argparse.Namespace, variants: Sequence[str] | None, agents: Sequence[str]
) -> int:
    """Let agents play, and keep finished parts next to the results until all is done."""
    with use_cluster(arguments, chunks_in(arguments.out)) as cluster:
        drop_record(cluster, arguments.record, _name_record(arguments))
        specs = _read_specs(
            arguments, variants, arguments.evaluation_seed or read_evaluation_seed(cluster)
        )
        _play(arguments, specs, agents, cluster)
    return 0


def _name_record(arguments: argparse.Namespace) -> str:
    """Return a digest of the arguments that decide which games are recorded, and where."""
    names = (
        "command",
        "game",
        "variant",
        "option",
        "agent",
        "agents",
        "opponents",
        "partner",
        "record",
    )
    return digest16(*(getattr(arguments, name, None) for name in names))


def _play(
    arguments: argparse.Namespace,
    specs: Sequence[EvaluationSpec],
    agents: Sequence[str],
    cluster: Cluster | None,
) -> None:
    """Let agents play, then print and save the results.

    If an agent fails, the results of the agents before it are printed and saved.
    """
    from ..evaluation.compare import compare_specs

    # Imported before hours of play, so that a missing package is reported first.
    if not arguments.json or arguments.out:
        from ..evaluation.report import report
    page = getattr(arguments, "report", None)
    if page:
        from ..evaluation.report.report_page import check_page, write_page
    if arguments.out:
        check_folder(arguments.out, FILES)
        write_evaluation_seed(cluster, specs[0].evaluation_seed)
        if arguments.record:
            note_record(cluster, _name_record(arguments))
    if page:
        check_page(page)
    evaluations: list[Any] = []

    def save() -> list[Path]:
        comparison = Comparison(evaluations)
        paths = report.save(comparison, arguments.out) if arguments.out else []
        if page:
            write_page(comparison, page)
            paths.append(page)
        return paths

    def print_results() -> None:
        comparison = Comparison(evaluations)
        result = evaluations[0] if arguments.command == "evaluate" else comparison
        print_and_save(
            arguments, result.summary, lambda console: report.show(comparison, console), save
        )

    with (
        report_finished(evaluations, print_results),
        reserve_stdout(arguments),
        progress_bars(arguments.deals) as bars,
    ):
        compare_specs(
            specs,
            agents,
            opponents=arguments.opponents,
            partner=arguments.partner,
            report=bars,
            finished=evaluations,
            cluster=cluster,
        )
