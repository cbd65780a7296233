"""``parlour review``: the loss of each decision of a game, or of an agent over many deals."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from parlour.envs import GAMES, Game, find_game
from parlour.envs.core.kernel.cards import default_deal_set
from parlour.envs.core.options import check_range
from parlour.envs.core.solve import deal_position

from ..evaluation.evaluation_spec import EvaluationSpec
from ..evaluation.play import Progress
from ..evaluation.reviews.review import REVIEW_FILES, review_deal
from ..evaluation.reviews.review_deal_set import DEALS, DealSetReview, make_review_spec, review_spec
from ..evaluation.reviews.review_judges import WORLDS, Judge, make_judge
from ..evaluation.reviews.review_lost import choose_lost, make_lost_spec, review_lost_deals
from ..files import check_folder
from .arguments import (
    AGENT_HELP,
    MOST_DEALS,
    MOST_ROWS,
    add_deal_set,
    add_game_and_rules,
    add_json,
    add_opponents,
    add_rules_mismatch,
    read_options,
    read_path,
    read_whole,
    refuse_flags,
)
from .cluster import (
    add_cluster,
    chunks_in,
    read_evaluation_seed,
    use_cluster,
    write_evaluation_seed,
)
from .output import print_and_save, progress_bars, report_finished, reserve_stdout
from .solve import read_actions

EXAMPLES = {
    "review": """\
  parlour review pyramid --deal 17 --agent greedy --out results
  parlour review pyramid --deal 0 --actions "pyramid 22" "pyramid 21" DEAL
  parlour review pyramid --agent greedy --deals 200 --worlds 50
  parlour review seven-twenty-seven --deal 3 --agent greedy --opponents tight loose
  parlour compare pyramid --agents uniform greedy --deals 300 --out results
  parlour review --from results --lost-though-winnable --agent greedy

For each decision, the command samples worlds: assignments of the hidden cards that fit what the
player knows. The exact solver finds the value of a legal action: the share of worlds that can still
be won after it. Without an exact solver, an agent (--player) plays each world to the end. The loss
of a decision is the value of the best action minus the value of the chosen action.

--json prints one object. For one game, its fields are first_chance (value of the position before
the first decision), outcome, decisions, and three sums over the decisions: loss, unseen (value that
any player loses because cards are hidden), and luck (value gained from the cards turned up). The
outcome equals first_chance - loss - unseen + luck. For several deals, these fields have means over
the deals. Further fields are by_kind (statistics for each kind of action), by_phase (for each third
of the games), and worst (the decisions with the largest losses). --out writes decisions.parquet
(one row per decision), summary.json, and the plot review (png, svg, pdf).
""",
}


def add_review(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour review``."""
    add_game_and_rules(parser, optional=True)
    add_rules_mismatch(parser)
    whole = read_whole()
    parser.add_argument("--deal", type=whole, help="number of the single deal to review")
    parser.add_argument(
        "--deals",
        type=read_whole(MOST_DEALS),
        help=f"number of deals to review and summarize, without --deal (default: {DEALS})",
    )
    parser.add_argument(
        "--first", type=whole, help="with --deals: number of the first deal (default: 0)"
    )
    add_deal_set(parser)
    parser.add_argument("--agent", help=f"agent to review: {AGENT_HELP} (default: greedy)")
    parser.add_argument(
        "--actions",
        nargs="*",
        metavar="ACTION",
        help="with --deal, instead of --agent: numbers or names of the actions of a game, from its "
        "start; the game may be unfinished",
    )
    parser.add_argument(
        "--worlds",
        type=read_whole(MOST_ROWS),
        default=WORLDS,
        help=f"number of sampled worlds per decision (default: {WORLDS})",
    )
    parser.add_argument(
        "--seed", type=whole, default=0, help="seed of the sampled worlds (default: 0)"
    )
    parser.add_argument(
        "--player",
        metavar="AGENT",
        help="agent that plays the sampled worlds to the end; double-dummy: the solver of "
        "Twenty-Eight, Twenty-Nine and Fifty-Six, which computes the best card play with all cards "
        "known (default: the exact solver in solitaires that have one; otherwise pretrained, or "
        "greedy if there is no pretrained agent)",
    )
    parser.add_argument(
        "--seat",
        type=whole,
        help="games for several players: seat of the reviewed agent (default: 0)",
    )
    add_opponents(parser, "greedy")
    parser.add_argument(
        "--evaluation-seed",
        metavar="TEXT",
        help="seed of the agents' random draws (default: random)",
    )
    parser.add_argument(
        "--from",
        dest="results",
        type=read_path,
        metavar="RESULTS",
        help="folder of results from compare or evaluate --out, instead of GAME; needs "
        "--lost-though-winnable",
    )
    parser.add_argument(
        "--lost-though-winnable",
        action="store_true",
        default=None,
        help="with --from: review winnable deals that --agent lost; --deals limits "
        f"their number (default: {DEALS}), --deal selects one",
    )
    parser.add_argument(
        "--out",
        type=read_path,
        metavar="FOLDER",
        help="folder for the table, the summary, and the plots",
    )
    add_json(parser)
    add_cluster(parser)


def run_review(arguments: argparse.Namespace) -> int:
    """Review the decisions of one game or of many deals."""
    if arguments.results is not None or arguments.lost_though_winnable:
        _review_lost(arguments)
    elif arguments.game is None:
        raise ValueError(f"GAME or --from RESULTS is required; games: {', '.join(GAMES)}")
    elif arguments.actions is not None:
        _review_actions(arguments)
    else:
        _review_agent(arguments)
    return 0


def _read_judge(arguments: argparse.Namespace) -> Judge:
    """Return the judge of the named game; ValueError for flags that must not be combined."""
    game = find_game(arguments.game)
    rules = game.make_rules(arguments.variant, read_options(arguments.option))
    if arguments.deal is not None:
        refuse_flags(arguments, ("deals", "first"), "--deal selects one deal")
    if arguments.actions is not None:
        refuse_flags(
            arguments, ("agent", "evaluation_seed", "opponents"), "--actions replaces the agents"
        )
        if arguments.deal is None:
            raise ValueError("--actions needs --deal NUMBER")
    if game.num_players(rules) == 1:
        refuse_flags(
            arguments, ("seat", "opponents"), f"these rules of {game.title} are for one player"
        )
    return _make_judge(arguments, game, rules)


def _make_judge(arguments: argparse.Namespace, game: Game, rules: Any) -> Judge:
    """Return the judge of a game, after checking that the results can be written."""
    judge = make_judge(game, rules, arguments.worlds, arguments.seed, arguments.player)
    if arguments.out:
        check_folder(arguments.out, REVIEW_FILES)
    return judge


def _review_actions(arguments: argparse.Namespace) -> None:
    """Review a game whose actions are given."""
    judge = _read_judge(arguments)
    game = judge.game
    deal_set = arguments.deal_set or default_deal_set(game.name)
    state = deal_position(game, judge.rules, deal_set, arguments.deal)
    actions = read_actions(game, judge.rules, state, arguments.actions)
    seat = arguments.seat or 0
    _report(arguments, review_deal(judge, arguments.deal, actions, deal_set=deal_set, seat=seat))


def _review_agent(arguments: argparse.Namespace) -> None:
    """Review the games that an agent plays."""
    judge = _read_judge(arguments)
    is_single = arguments.deal is not None
    deals = DEALS if arguments.deals is None else arguments.deals
    with use_cluster(arguments, chunks_in(arguments.out)) as cluster:
        spec = make_review_spec(
            judge.game,
            arguments.variant,
            read_options(arguments.option),
            deals=1 if is_single else deals,
            deal_set=arguments.deal_set,
            first=(arguments.deal if is_single else arguments.first) or 0,
            evaluation_seed=arguments.evaluation_seed or read_evaluation_seed(cluster),
            allow_rules_mismatch=arguments.allow_rules_mismatch,
        )
        write_evaluation_seed(cluster, spec.evaluation_seed)
        with _reporting(arguments, spec, spec.deals) as (begin, reviews):
            review_spec(
                spec,
                arguments.agent or "greedy",
                judge,
                seat=arguments.seat or 0,
                opponents=arguments.opponents or ["greedy"],
                progress=begin,
                finished=reviews,
                cluster=cluster,
            )


def _review_lost(arguments: argparse.Namespace) -> None:
    """Review the winnable deals that an agent lost in saved results."""
    if arguments.results is None or not arguments.lost_though_winnable:
        raise ValueError("--from RESULTS and --lost-though-winnable must be given together")
    reason = "--from RESULTS selects the games"
    if arguments.game is not None:
        raise ValueError(f"GAME must not be given, got {arguments.game!r}: {reason}")
    refuse_flags(
        arguments, ("first", "deal_set", "evaluation_seed", "actions", "seat", "opponents"), reason
    )
    if arguments.option:
        raise ValueError(f"--option must not be given: {reason}")
    if arguments.deal is not None:
        refuse_flags(arguments, ("deals",), "--deal selects one deal")
    lost = choose_lost(arguments.results, arguments.agent, arguments.variant, arguments.deal)
    deals = DEALS if arguments.deals is None else arguments.deals
    check_range("deals", deals, 1)
    spec = make_lost_spec(lost, arguments.allow_rules_mismatch)
    judge = _make_judge(arguments, spec.game, spec.rules)
    with (
        use_cluster(arguments, chunks_in(arguments.out)) as cluster,
        _reporting(arguments, spec, min(deals, len(lost)), len(lost)) as (begin, reviews),
    ):
        review_lost_deals(
            spec,
            lost[:deals],
            judge,
            arguments.agent,
            progress=begin,
            finished=reviews,
            cluster=cluster,
        )


@contextmanager
def _reporting(
    arguments: argparse.Namespace, spec: EvaluationSpec, deals: int, lost: int | None = None
) -> Iterator[tuple[Callable[[str], Progress | None], list[Any]]]:
    """Yield a progress function of agents, and the list of reviews that the block fills.

    After the block, the function prints and saves the reviews, even if an error ended the block.
    ``lost`` is the number of winnable deals that the agent lost.
    """
    reviews: list[Any] = []

    def report() -> None:
        if arguments.deal is not None:
            _report(arguments, reviews[0])
        else:
            _report(arguments, DealSetReview(spec, reviews[0].agent, reviews, lost))

    with (
        report_finished(reviews, report),
        reserve_stdout(arguments),
        progress_bars(deals) as bars,
    ):
        yield lambda agent: bars(agent, spec.base_variant), reviews


def _report(arguments: argparse.Namespace, review: Any) -> None:
    """Print a review, then save it."""
    from ..evaluation.reviews import review_report

    print_and_save(
        arguments,
        review.summary,
        lambda console: review_report.show(review, console),
        lambda: review_report.save(review, arguments.out) if arguments.out else [],
    )
