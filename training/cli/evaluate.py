"""``parlour evaluate`` and ``parlour compare``: evaluate agents on the same deals."""

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
    add_agents,
    add_deal_range,
    add_game_and_rules,
    add_json,
    add_opponents,
    add_record,
    add_rules_mismatch,
    read_float,
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

--json prints one object. Its fields won, score, moves, and the game's other results are objects
{"mean", "low", "high", "n"}: low and high are the limits of the 95 % interval, and n is the number
of values. Other fields are ms_per_decision, agent, variant, rules, deal_set, seed, and
evaluation_seed. In games that have a score, but no win, such as Poker Squares, won is null, and
reached has the share of deals in which the score reached the target. --out writes episodes.parquet
(one row per game), summary.json, and the plot comparison (png, svg, pdf).

In a game for several players, the agent plays each deal from every seat, with --opponents in the
opposing seats. net is its mean net result per hand, in antes or stakes. positions has the net
result in each seat, counted from the dealer's left.
""",
    "compare": """\
  parlour compare pyramid --variant three-passes --agents uniform greedy runs/my-agent
  parlour compare pyramid --variant classic web --agents uniform greedy --out results --json
  parlour compare seven-twenty-seven --agents uniform greedy --opponents greedy --deals 2000
  parlour compare poker-squares --variant british --agents mine=pretrained --allow-rules-mismatch
  parlour compare pyramid --variant all --agents uniform greedy --report pyramid.html
  parlour compare pyramid --agents greedy pimc@40 --jobs -1 --out results
  parlour compare pyramid --agents greedy pretrained --until 0.02

All agents play the same deals. --json prints one object: {"results": [...], "differences": [...]}.
Each result has the fields of "parlour evaluate --json". There is a difference for each pair of
agents: the results of one agent (field agent) minus the results of an agent that is listed earlier
(field minus), on the same deals. The differences are in the fields won (or reached) and score. The
field variant names the rules. --out writes episodes.parquet (one row per game), summary.json, and
the plot comparison (png, svg, pdf). --report writes one HTML file with tables, plots, and the
settings of the comparison.

In a game for several players, each agent plays each deal from every seat: first against the agents
of --opponents, then against each of the other agents in --agents. In these pairs (JSON field
"pairs"), the other agent has all opposing seats. A difference has the fields net and positions (one
item for each seat, counted from the dealer's left). The field holm of an item has the interval and
the p-value corrected by Holm's method.

With --until DIFFERENCE, two agents play batches of deals until the second one is clearly better or
worse than the first, or their difference is clearly smaller than DIFFERENCE. --deals is the maximum
number of deals. The probability of a wrong conclusion is at most 5 %, and the 95 % interval stays
valid although the comparison stops early. --json prints one object with the fields agent, minus,
measure (won, score, or net), difference, conclusion (better, worse, equivalent, or undecided),
looks (the difference after each batch), and results, whose means have no intervals.
""",
}


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour evaluate``."""
    add_game_and_rules(parser)
    parser.add_argument(
        "--agent", default="uniform", help=f"agent to evaluate: {AGENT_HELP} (default: uniform)"
    )
    _add_deals(parser)
    add_rules_mismatch(parser)


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour compare``."""
    add_game_and_rules(parser, many=True)
    add_agents(parser)
    _add_deals(parser)
    parser.add_argument(
        "--until",
        type=read_float,
        metavar="DIFFERENCE",
        help="smallest difference of interest; plays the deals in batches until two agents differ "
        "or their difference is smaller than this: share of won deals (0.02: 2 %% points), score, "
        "or net result per hand; --deals is then the maximum (default: play all deals)",
    )
    parser.add_argument(
        "--report",
        type=read_path,
        metavar="FILE.html",
        help="HTML file for a report with tables, plots, and the settings of the comparison",
    )
    add_rules_mismatch(parser)


def _add_deals(parser: argparse.ArgumentParser) -> None:
    add_deal_range(parser)
    parser.add_argument(
        "--seed",
        type=read_whole(),
        default=0,
        help="seed that is passed to the agents for their random draws; it does not change the "
        "deals (default: 0)",
    )
    parser.add_argument(
        "--evaluation-seed",
        metavar="TEXT",
        help="second seed of the agents' random draws: any text, which agents cannot read; saved "
        "with the results, so that you can repeat the evaluation (default: random)",
    )
    parser.add_argument(
        "--max-moves",
        type=read_whole(),
        help="solitaire: number of moves after which games are truncated; 0: no limit "
        f"(default: {MAX_MOVES})",
    )
    add_opponents(parser, "greedy and the rule-based agents", "opposing seats")
    parser.add_argument(
        "--partner",
        metavar="AGENT",
        help="games with partners: agent in the other seats of the evaluated agent's side "
        "(default: the evaluated agent)",
    )
    parser.add_argument(
        "--hands",
        type=read_whole(MOST_HANDS),
        help="games for several players: number of hands per deal: the deal itself, then hands "
        "whose cards derive from it; the dealer changes after each hand (default: 1)",
    )
    parser.add_argument(
        "--labels",
        type=read_line,
        metavar="FILE",
        help="file of solver labels from parlour deals make; no: use no solver labels (default: "
        "existing solver labels of these deals)",
    )
    parser.add_argument(
        "--out",
        type=read_path,
        metavar="FOLDER",
        help="folder for results as Parquet, JSON, and plots",
    )
    add_record(parser)
    add_json(parser)
    add_cluster(parser)


def run_evaluate(arguments: argparse.Namespace) -> int:
    """Evaluate one agent, alone or with opponents, and print the results."""
    variants = None if arguments.variant is None else [arguments.variant]
    return _compare(arguments, variants, [arguments.agent])


def run_compare(arguments: argparse.Namespace) -> int:
    """Evaluate several agents on the same deals, and print the results."""
    game, options = find_game(arguments.game), read_options(arguments.option)
    variants = read_variants(game, arguments.variant, options)
    if arguments.until is not None:
        _refuse_with_until(arguments, variants)
    return _compare(arguments, variants, arguments.agents)


def _refuse_with_until(arguments: argparse.Namespace, variants: Sequence[str] | None) -> None:
    """Raise ValueError for arguments that do not go together with ``--until``."""
    refuse_flags(arguments, ("report",), "--until has no HTML report; --out saves the results")
    if len(arguments.agents) != 2:
        raise ValueError(f"--until needs exactly two --agents, got {len(arguments.agents)}")
    if variants is not None and len(variants) != 1:
        raise ValueError(f"--until needs exactly one --variant, got {', '.join(variants)}")


def _read_specs(
    arguments: argparse.Namespace, variants: Sequence[str] | None, evaluation_seed: str | None
) -> list[EvaluationSpec]:
    """Return the specification of each variant; ValueError for flags that do not apply to it."""
    game, options = find_game(arguments.game), read_options(arguments.option)
    if is_for_several(game, variants, options):
        refuse_flags(arguments, ("max_moves",), "games for several players always end")
        refuse_flags(
            arguments, ("labels",), "deals of games for several players have no solver labels"
        )
    else:
        alone = f"these rules of {game.title} are for one player"
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
    """Evaluate agents; keep finished chunks in the output folder until all are done."""
    with use_cluster(arguments, chunks_in(arguments.out)) as cluster:
        drop_record(cluster, arguments.record, _name_record(arguments))
        specs = _read_specs(
            arguments, variants, arguments.evaluation_seed or read_evaluation_seed(cluster)
        )
        play = _play if getattr(arguments, "until", None) is None else _play_until
        play(arguments, specs, agents, cluster)
    return 0


def _name_record(arguments: argparse.Namespace) -> str:
    """Return a digest of the arguments that determine the recorded games and their file."""
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
        "until",
    )
    return digest16(*(getattr(arguments, name, None) for name in names))


def _prepare_folder(
    arguments: argparse.Namespace, spec: EvaluationSpec, cluster: Cluster | None
) -> None:
    """Check the folder of ``--out``, and save there what the command needs to resume."""
    if not arguments.out:
        return
    check_folder(arguments.out, FILES)
    write_evaluation_seed(cluster, spec.evaluation_seed)
    if arguments.record:
        note_record(cluster, _name_record(arguments))


def _play(
    arguments: argparse.Namespace,
    specs: Sequence[EvaluationSpec],
    agents: Sequence[str],
    cluster: Cluster | None,
) -> None:
    """Evaluate agents, then print and save the results.

    If an agent fails, the function prints and saves the results of the agents before it.
    """
    from ..evaluation.compare import compare_specs

    # Imported before hours of play, so that a missing package is reported first.
    if not arguments.json or arguments.out:
        from ..evaluation.report import report
    page = getattr(arguments, "report", None)
    if page:
        from ..evaluation.report.report_page import check_page, write_page
    _prepare_folder(arguments, specs[0], cluster)
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


def _play_until(
    arguments: argparse.Namespace,
    specs: Sequence[EvaluationSpec],
    agents: Sequence[str],
    cluster: Cluster | None,
) -> None:
    """Compare two agents until their difference is clear, then print and save the result.

    If the comparison is interrupted or fails, the function prints and saves the result of the
    finished batches, whose interval is valid at any time.
    """
    from ..evaluation.compare_until import play_until

    # Imported before hours of play, so that a missing package is reported first.
    if not arguments.json or arguments.out:
        from ..evaluation.report import report_until
    _prepare_folder(arguments, specs[0], cluster)
    looks: list[Any] = []

    def print_result() -> None:
        result = looks[-1]
        print_and_save(
            arguments,
            result.summary,
            lambda console: report_until.show(result, console),
            lambda: report_until.save(result, arguments.out) if arguments.out else [],
        )

    with (
        report_finished(looks, print_result),
        reserve_stdout(arguments),
        progress_bars(arguments.deals) as bars,
    ):
        for result in play_until(
            specs[0],
            agents,
            arguments.until,
            opponents=arguments.opponents,
            partner=arguments.partner,
            report=bars,
            cluster=cluster,
        ):
            looks[:] = [result]
