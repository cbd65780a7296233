"""``parlour review``: what each decision of a game cost, or those of an agent over a bank."""

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from functools import partial
from typing import Any

from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.deals import default_bank
from parlour.envs.core.upper_bound import deal_position

from ..evaluation.check_outputs import REVIEW_FILES, check_folder
from ..evaluation.play_steps import Progress
from ..evaluation.reviews.review import review_deal
from ..evaluation.reviews.review_bank import DEALS, BankReview, make_review_spec, review_spec
from ..evaluation.reviews.review_judges import WORLDS, Judge, make_judge
from ..evaluation.reviews.review_lost import DEALS as LOST_DEALS
from ..evaluation.reviews.review_lost import choose_lost, make_lost_spec, review_lost_deals
from ..evaluation.spec import EvaluationSpec, check_number
from ..parallel.task_cache import read_key, write_key
from ..parallel.tasks import Cluster
from .arguments import (
    AGENT_HELP,
    MOST_DEALS,
    MOST_ROWS,
    read_options,
    read_path,
    read_text,
    read_whole,
    refuse_flags,
)
from .cluster import add_cluster, chunks_in, use_cluster
from .progress import progress_bars
from .solve import read_actions


def add_review(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour review`` beside game and rules."""
    whole = read_whole()
    parser.add_argument("--deal", type=whole, help="review one numbered deal of the bank")
    parser.add_argument(
        "--deals",
        type=read_whole(MOST_DEALS),
        help=f"instead: sum up so many deals of the bank (default: {DEALS})",
    )
    parser.add_argument("--first", type=whole, help="number of the first of them (default: 0)")
    parser.add_argument("--bank", type=read_text, help="bank of numbered deals (default: GAME-1)")
    parser.add_argument("--agent", help=f"who plays: {AGENT_HELP} (default: greedy)")
    parser.add_argument(
        "--actions",
        nargs="*",
        metavar="ACTION",
        help="with --deal, instead of an agent: numbers or names of all actions of the game, which "
        "may not have ended",
    )
    parser.add_argument(
        "--worlds",
        type=read_whole(MOST_ROWS),
        default=WORLDS,
        help=f"worlds that are dealt for each decision (default: {WORLDS})",
    )
    parser.add_argument("--seed", type=whole, default=0, help="of these worlds (default: 0)")
    parser.add_argument(
        "--player",
        metavar="AGENT",
        help="who plays worlds out, instead of the exact solver; where there is none, trained, or "
        "greedy if none was trained by these rules; double-dummy: the solver of Twenty-Eight, "
        "Twenty-Nine and Fifty-Six judges the play, all cards known to all",
    )
    parser.add_argument("--seat", type=whole, help="in games for several: whose decisions")
    parser.add_argument(
        "--field",
        nargs="+",
        metavar="AGENT",
        help="in games for several: who plays the other seats, taken round (default: greedy)",
    )
    parser.add_argument("--key", metavar="TEXT", help="the secret that all agents' draws come from")
    parser.add_argument(
        "--from",
        dest="results",
        type=read_path,
        metavar="RESULTS",
        help="instead of GAME: the folder that compare or evaluate --out wrote; goes with "
        "--lost-though-winnable",
    )
    parser.add_argument(
        "--lost-though-winnable",
        action="store_true",
        default=None,
        help="with --from: play the deals again that --agent lost there though they could be won; "
        f"the first {LOST_DEALS} (--deals), or one of them (--deal)",
    )
    parser.add_argument("--out", type=read_path, metavar="FOLDER", help="write table and pictures")
    parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")
    add_cluster(parser)


def run_review(arguments: argparse.Namespace) -> int:
    """Print what decisions cost, of one game or of many; what was done stays if it is stopped."""
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
        _tell(arguments, _review_actions(arguments, game, judge))
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
    """Review game after game; ``review`` is called with what shows progress, and a list to fill."""
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
    _tell(arguments, _sum_up(arguments, spec, reviews, lost))
    if failed is not None:
        raise failed  # what was reviewed before it is kept all the same
    return 0


def _run_lost(arguments: argparse.Namespace) -> int:
    """Review the deals that results say were lost though they could be won."""
    if arguments.results is None or not arguments.lost_though_winnable:
        raise ValueError("--from RESULTS and --lost-though-winnable go together")
    told = "--from says what was played"
    if arguments.game is not None:
        raise ValueError(f"game {arguments.game!r}: {told}")
    refuse_flags(arguments, ("first", "bank", "key", "actions", "seat", "field"), told)
    if arguments.option:
        raise ValueError(f"--option: {told}")
    if arguments.deal is not None:
        refuse_flags(arguments, ("deals",), "--deal names one deal")
    lost = choose_lost(arguments.results, arguments.agent, arguments.variant, arguments.deal)
    deals = LOST_DEALS if arguments.deals is None else arguments.deals
    check_number("deals", deals, 1)
    spec = make_lost_spec(lost, arguments.any_rules)
    judge = make_judge(spec.game, spec.rules, arguments.worlds, arguments.seed, arguments.player)
    if arguments.out:
        check_folder(arguments.out, REVIEW_FILES)

    with use_cluster(arguments, chunks_in(arguments.out)) as cluster:

        def review(progress: Any, reviews: list[Any]) -> None:
            given: dict[str, Any] = {"progress": progress, "finished": reviews, "cluster": cluster}
            review_lost_deals(spec, lost[:deals], judge, arguments.agent, **given)

        return _run_deals(arguments, spec, min(deals, len(lost)), review, len(lost))


def _check_flags(arguments: argparse.Namespace, game: Game, rules: Any) -> None:
    """Raise ValueError for flags that make no sense together."""
    if arguments.deal is not None:
        refuse_flags(arguments, ("deals", "first"), "--deal names one deal")
    if arguments.actions is not None:
        refuse_flags(arguments, ("agent", "key", "field"), "--actions says what was played")
        if arguments.deal is None:
            raise ValueError("--actions goes with --deal NUMBER")
    if game.num_players(rules) == 1:
        refuse_flags(arguments, ("seat", "field"), f"{game.title} as chosen is for one player")


def _read_spec(arguments: argparse.Namespace, game: Game, key: str | None) -> EvaluationSpec:
    """What the agent plays."""
    options, one = read_options(arguments.option), arguments.deal is not None
    several = game.num_players(game.make_rules(arguments.variant, options)) > 1
    deals = DEALS if arguments.deals is None else arguments.deals
    return make_review_spec(
        game,
        arguments.variant,
        options,
        several=several,
        deals=1 if one else deals,
        bank=arguments.bank,
        first=(arguments.deal if one else arguments.first) or 0,
        key=key,
        any_rules=arguments.any_rules,
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
    """The one game, or all of them together; ``lost`` is how many were lost though winnable."""
    if arguments.deal is not None:
        return reviews[0]
    return BankReview(spec, reviews[0].agent, reviews, lost)


def _review_actions(arguments: argparse.Namespace, game: Game, judge: Judge) -> Any:
    """Review what somebody has played."""
    bank = arguments.bank or default_bank(game.name)
    state = deal_position(game, judge.rules, bank, arguments.deal)
    actions = read_actions(game, judge.rules, state, arguments.actions)
    return review_deal(judge, arguments.deal, actions, bank=bank, seat=arguments.seat or 0)


def _tell(arguments: argparse.Namespace, found: Any) -> None:
    """Print what came of it, then write it: to save may fail."""
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
