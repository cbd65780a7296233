"""``parlour review``: the cost of each decision of a game, or of an agent over many deals."""

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from functools import partial
from typing import Any

from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.kernel.cards import default_deal_set
from parlour.envs.core.solve import deal_position

from ..evaluation.outputs import REVIEW_FILES, check_folder
from ..evaluation.play import Progress
from ..evaluation.reviews.review import review_deal
from ..evaluation.reviews.review_deal_set import DEALS, DealSetReview, make_review_spec, review_spec
from ..evaluation.reviews.review_judges import WORLDS, Judge, make_judge
from ..evaluation.reviews.review_lost import DEALS as LOST_DEALS
from ..evaluation.reviews.review_lost import choose_lost, make_lost_spec, review_lost_deals
from ..evaluation.spec import EvaluationSpec, check_number
from ..parallel.tasks import Cluster
from .arguments import (
    AGENT_HELP,
    MOST_DEALS,
    MOST_ROWS,
    add_rules,
    add_rules_mismatch,
    read_options,
    read_path,
    read_text,
    read_whole,
    refuse_flags,
)
from .cluster import add_cluster, chunks_in, read_key, use_cluster, write_key
from .progress import progress_bars
from .solve import read_actions

EXAMPLES = {
    "review": """\
  parlour review pyramid --deal 17 --agent greedy --out results
  parlour review pyramid --deal 0 --actions "pyramid 22" "pyramid 21" DEAL
  parlour review pyramid --agent greedy --deals 200 --worlds 50
  parlour review seven-twenty-seven --deal 3 --agent greedy --field tight loose
  parlour compare pyramid --agents uniform greedy --deals 300 --out results
  parlour review --from results --lost-though-winnable --agent greedy

Of the worlds that fit what was known, the share that could still be won is found for every legal
action, by the exact solver; where there is none, actions are played out by an agent (--player).
--json prints one object on stdout: first_chance, loss, unseen, luck, outcome and the decisions, or
the means over a deal set with by_kind, by_phase and worst.
--out writes decisions.parquet (a row a decision), summary.json and review (png, svg, pdf).
""",
}


def add_review(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour review``."""
    add_rules(parser, optional=True)
    add_rules_mismatch(parser)
    whole = read_whole()
    parser.add_argument("--deal", type=whole, help="number of the one deal to review")
    parser.add_argument(
        "--deals",
        type=read_whole(MOST_DEALS),
        help=f"number of deals to review and summarize instead (default: {DEALS})",
    )
    parser.add_argument(
        "--first", type=whole, help="number of the first of these deals (default: 0)"
    )
    parser.add_argument(
        "--deal-set", type=read_text, help="deal set of numbered deals (default: GAME-1)"
    )
    parser.add_argument("--agent", help=f"agent that plays: {AGENT_HELP} (default: greedy)")
    parser.add_argument(
        "--actions",
        nargs="*",
        metavar="ACTION",
        help="with --deal, instead of an agent: numbers or names of all actions of the game; the "
        "game need not be over",
    )
    parser.add_argument(
        "--worlds",
        type=read_whole(MOST_ROWS),
        default=WORLDS,
        help=f"sampled worlds for each decision (default: {WORLDS})",
    )
    parser.add_argument("--seed", type=whole, default=0, help="seed of these worlds (default: 0)")
    parser.add_argument(
        "--player",
        metavar="AGENT",
        help="agent that plays the sampled worlds to the end (default: the exact solver; without "
        "one trained, or greedy if no pretrained agent has these rules); double-dummy: the solver "
        "of Twenty-Eight, Twenty-Nine and Fifty-Six judges the play with all cards known",
    )
    parser.add_argument(
        "--seat", type=whole, help="in games for several: seat whose decisions are reviewed"
    )
    parser.add_argument(
        "--field",
        nargs="+",
        metavar="AGENT",
        help="in games for several: agents in the other seats, repeated in order (default: greedy)",
    )
    parser.add_argument("--key", metavar="TEXT", help="seed of the agents' draws (default: random)")
    parser.add_argument(
        "--from",
        dest="results",
        type=read_path,
        metavar="RESULTS",
        help="instead of GAME: folder of results, from compare or evaluate --out; needs "
        "--lost-though-winnable",
    )
    parser.add_argument(
        "--lost-though-winnable",
        action="store_true",
        default=None,
        help="with --from: review the winnable deals that --agent lost there; the first "
        f"{LOST_DEALS} (--deals), or one of them (--deal)",
    )
    parser.add_argument(
        "--out", type=read_path, metavar="FOLDER", help="folder for table and pictures"
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, and nothing else, on stdout"
    )
    add_cluster(parser)


def run_review(arguments: argparse.Namespace) -> int:
    """Print the cost of decisions, of one game or of many."""
    if arguments.results is not None or arguments.lost_though_winnable:
        return _run_lost(arguments)
    if arguments.game is None:
        raise ValueError(f"name a game ({', '.join(GAMES)}), or results by --from")
    game = find_game(arguments.game)
    rules = game.make_rules(arguments.variant, read_options(arguments.option))
    _check_flags(arguments, game, rules)
    judge = make_judge(game, rules, arguments.worlds, arguments.seed, arguments.player)
    if arguments.out:
        check_folder(arguments.out, REVIEW_FILES)
    if arguments.actions is not None:
        _report(arguments, _review_actions(arguments, game, judge))
        return 0
    with use_cluster(arguments, chunks_in(arguments.out)) as cluster:
        spec = _read_spec(arguments, game, arguments.key or read_key(cluster))
        write_key(cluster, spec.key)
        review = partial(_review_deals, arguments, spec, judge, cluster)
        return _run_deals(arguments, spec, spec.deals, review)


def _run_deals(
    arguments: argparse.Namespace,
    spec: EvaluationSpec,
    deals: int,
    review: Callable[..., None],
    lost: int | None = None,
) -> int:
    """Review one game after another; ``review`` takes a progress function and a list to fill.

    If it fails, or is interrupted, the finished reviews are printed and saved first.
    """
    reviews: list[Any] = []
    failed: BaseException | None = None
    aside = redirect_stdout(sys.stderr) if arguments.json else nullcontext()
    with aside, progress_bars(deals) as bars:
        try:
            review(partial(_begin, bars, spec), reviews)
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            if not reviews:
                raise
            failed = error
    _report(arguments, _sum_up(arguments, spec, reviews, lost))
    if failed is not None:
        raise failed  # after the finished reviews are printed and saved
    return 0


def _run_lost(arguments: argparse.Namespace) -> int:
    """Review the winnable deals that were lost in saved results."""
    if arguments.results is None or not arguments.lost_though_winnable:
        raise ValueError("--from RESULTS and --lost-though-winnable go together")
    told = "--from says what was played"
    if arguments.game is not None:
        raise ValueError(f"game {arguments.game!r}: {told}")
    refuse_flags(arguments, ("first", "deal_set", "key", "actions", "seat", "field"), told)
    if arguments.option:
        raise ValueError(f"--option: {told}")
    if arguments.deal is not None:
        refuse_flags(arguments, ("deals",), "--deal names one deal")
    lost = choose_lost(arguments.results, arguments.agent, arguments.variant, arguments.deal)
    deals = LOST_DEALS if arguments.deals is None else arguments.deals
    check_number("deals", deals, 1)
    spec = make_lost_spec(lost, arguments.allow_rules_mismatch)
    judge = make_judge(spec.game, spec.rules, arguments.worlds, arguments.seed, arguments.player)
    if arguments.out:
        check_folder(arguments.out, REVIEW_FILES)

    with use_cluster(arguments, chunks_in(arguments.out)) as cluster:

        def review(progress: Any, reviews: list[Any]) -> None:
            given: dict[str, Any] = {"progress": progress, "finished": reviews, "cluster": cluster}
            review_lost_deals(spec, lost[:deals], judge, arguments.agent, **given)

        return _run_deals(arguments, spec, min(deals, len(lost)), review, len(lost))


def _check_flags(arguments: argparse.Namespace, game: Game, rules: Any) -> None:
    """Raise ValueError for flags that must not be combined."""
    if arguments.deal is not None:
        refuse_flags(arguments, ("deals", "first"), "--deal names one deal")
    if arguments.actions is not None:
        refuse_flags(arguments, ("agent", "key", "field"), "--actions says what was played")
        if arguments.deal is None:
            raise ValueError("--actions goes with --deal NUMBER")
    if game.num_players(rules) == 1:
        refuse_flags(arguments, ("seat", "field"), f"{game.title} as chosen is for one player")


def _read_spec(arguments: argparse.Namespace, game: Game, key: str | None) -> EvaluationSpec:
    """Return the specification of the games that the agent plays."""
    options, one = read_options(arguments.option), arguments.deal is not None
    deals = DEALS if arguments.deals is None else arguments.deals
    return make_review_spec(
        game,
        arguments.variant,
        options,
        deals=1 if one else deals,
        deal_set=arguments.deal_set,
        first=(arguments.deal if one else arguments.first) or 0,
        key=key,
        allow_rules_mismatch=arguments.allow_rules_mismatch,
    )


def _begin(
    bars: Callable[[str, str], Progress | None], spec: EvaluationSpec, agent: str
) -> Progress | None:
    return bars(agent, spec.base_variant)


def _review_deals(
    arguments: argparse.Namespace,
    spec: EvaluationSpec,
    judge: Judge,
    cluster: Cluster | None,
    progress: Callable[[str], Progress | None],
    reviews: list[Any],
) -> None:
    review_spec(
        spec,
        arguments.agent or "greedy",
        judge,
        seat=arguments.seat or 0,
        field=arguments.field or ["greedy"],
        progress=progress,
        finished=reviews,
        cluster=cluster,
    )


def _sum_up(
    arguments: argparse.Namespace, spec: EvaluationSpec, reviews: list[Any], lost: int | None
) -> Any:
    """Return the one review, or a summary; ``lost`` is the number of winnable deals lost."""
    if arguments.deal is not None:
        return reviews[0]
    return DealSetReview(spec, reviews[0].agent, reviews, lost)


def _review_actions(arguments: argparse.Namespace, game: Game, judge: Judge) -> Any:
    """Review a game whose actions are given."""
    deal_set = arguments.deal_set or default_deal_set(game.name)
    state = deal_position(game, judge.rules, deal_set, arguments.deal)
    actions = read_actions(game, judge.rules, state, arguments.actions)
    return review_deal(judge, arguments.deal, actions, deal_set=deal_set, seat=arguments.seat or 0)


def _report(arguments: argparse.Namespace, found: Any) -> None:
    """Print a review, then save it, which may fail."""
    from ..evaluation.report.terminal_tables import open_console
    from ..evaluation.reviews import review_report

    try:
        if arguments.json:
            print(json.dumps(found.summary()), flush=True)
        else:
            review_report.show(found, open_console())
            sys.stdout.flush()
    finally:
        written = review_report.save(found, arguments.out) if arguments.out else []
    if not arguments.json:
        for path in written:
            print(f"written: {path}")
