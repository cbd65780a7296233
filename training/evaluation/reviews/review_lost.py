"""Reviews of winnable deals that an agent lost, from saved results.

The results include the deals and the evaluation seed, so the same games can be played again.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from parlour.agents.registry import Agent, FixedAgent, imports_code, load_agent
from parlour.agents.validation import name_file_in_errors
from parlour.envs import Game, find_game
from parlour.envs.core.options import check_range, replace_options, unknown_text

from ...parallel.tasks import Cluster
from ..evaluation_spec import EvaluationSpec
from ..play import Progress
from ..result import EPISODES, Comparison, Evaluation
from ..stats import CONFIDENCE
from .review import Review
from .review_deal_set import DEALS, DealSetReview, ReviewChunk, review_chunks
from .review_judges import WORLDS, Judge, make_judge


class LostDeal(NamedTuple):
    """A deal that an agent lost although it is labeled winnable."""

    game: Game
    rules: Any
    variant: str
    """The rules' name for tables, such as ``"classic + passes=2"``."""
    deal_set: str
    deal: int
    """Its number in the deal set."""
    agent: str
    """The agent's name in the results."""
    fewest: int | None
    """The number of moves of its shortest win; None: unknown."""
    evaluation_seed: str
    """The evaluation seed, with which the game can be repeated."""
    seed: int
    """The seed of the agent, if it takes one."""
    score: int
    """The score of the lost game."""
    decisions: int
    """The number of actions of the game, including forced actions."""


def find_lost(
    results: Comparison[Any] | Evaluation | Path | str, agent: str | None = None
) -> list[LostDeal]:
    """Return the winnable deals that an agent lost, by variant and deal.

    Truncated games count as lost.

    Args:
        results: Results of `compare` or `evaluate`, or the folder that ``--out`` or ``save`` wrote,
            or its episodes.parquet.
        agent: The name of the agent in the results (None: the only one).

    Raises:
        ValueError: The results do not include the agent, have no solver labels, or have no result
            ``won``.
    """
    rows, summary = load_evaluations(results)
    names = list(dict.fromkeys(one["agent"] for one in summary))
    if agent is None:
        if len(names) > 1:
            raise ValueError(
                f"agent must be one of {', '.join(names)}, got none: the results have several "
                "agents"
            )
        agent = names[0]
    if agent not in names:
        raise ValueError(unknown_text("agent", agent, names))
    if "winnable" not in rows or "won" not in rows:
        raise ValueError("results must have solver labels, got none: see parlour deals make")
    lost = []
    for one in summary:
        if one["agent"] == agent:
            lost += _lost_of(rows, one)
    return lost


def load_evaluations(
    results: Comparison[Any] | Evaluation | Path | str,
) -> tuple[Any, list[dict[str, Any]]]:
    """Return a data frame with a row per game, and the summaries of the evaluations.

    Raises as `find_lost` does.
    """
    import pyarrow.parquet as pq

    from ..report.report import episodes

    if isinstance(results, Comparison | Evaluation):
        table = episodes(results)
    else:
        path = Path(results)
        path = path / EPISODES if path.is_dir() else path
        if not path.is_file():
            raise ValueError(f"results must be a folder with {EPISODES}, or this file, got {path}")
        with name_file_in_errors(path):
            table = pq.read_table(path, use_threads=False)
    summary = json.loads((table.schema.metadata or {}).get(b"parlour", b"null"))
    if summary is None or "pairs" in summary:
        raise ValueError(
            "results must be those of a game for one player, from compare or evaluate --out"
        )
    return table.to_pandas(), summary["results"]


def _lost_of(rows: Any, one: dict[str, Any]) -> list[LostDeal]:
    game = find_game(one["game"])
    rules = replace_options(game.rules(), one["rules"])
    own_rows = rows[(rows["agent"] == one["agent"]) & (rows["variant"] == one["variant"])]
    lost = own_rows[(own_rows["winnable"] == 1) & ~own_rows["won"].astype(bool)].sort_values("deal")
    fewest = lost["fewest"].tolist() if "fewest" in lost else [None] * len(lost)
    return [
        LostDeal(
            game,
            rules,
            one["variant"],
            one["deal_set"],
            int(deal),
            one["agent"],
            int(moves) if moves is not None and moves == moves else None,  # nan: not known
            one["evaluation_seed"],
            one["seed"],
            int(score),
            int(decisions),
        )
        for deal, moves, score, decisions in zip(
            lost["deal"], fewest, lost["score"], lost["decisions"], strict=True
        )
    ]


def review_lost(
    results: Comparison[Any] | Evaluation | Path | str,
    agent: Agent | str | None = None,
    *,
    variant: str | None = None,
    deals: int = DEALS,
    worlds: int = WORLDS,
    seed: int = 0,
    player: str | None = None,
    allow_rules_mismatch: bool = False,
) -> DealSetReview:
    """Replay the winnable deals that an agent lost, and review the games.

    Args:
        results: Results, as for `find_lost`.
        agent: The agent of the results: a name, the folder of a saved agent (``NAME=FOLDER`` if it
            has the name NAME in the results), or an agent object (None: the only one).
        variant: The variant, by its name in tables (None: the only one).
        deals: Maximum number of deals to review.
        worlds: Number of sampled worlds per decision.
        seed: Seed of the sampled worlds.
        player: Agent that plays the sampled worlds to their end, in place of the exact solver
            (None: the exact solver if there is one, otherwise ``"pretrained"`` or ``"greedy"``).
        allow_rules_mismatch: Whether to allow a saved agent trained with other rules.

    Raises:
        ValueError: The results are invalid (see `find_lost`), the agent lost no winnable deal, or a
            game does not end as in the results.
    """
    lost = choose_lost(results, agent, variant)
    check_range("deals", deals, 1)
    spec = make_lost_spec(lost, allow_rules_mismatch)
    judge = make_judge(spec.game, spec.rules, worlds, seed, player)
    return review_lost_deals(spec, lost, judge, agent, deals=deals)


def choose_lost(
    results: Comparison[Any] | Evaluation | Path | str,
    agent: Agent | str | None = None,
    variant: str | None = None,
    deal: int | None = None,
) -> list[LostDeal]:
    """Return the winnable deals that one agent lost with one set of rules, or only ``deal``.

    Raises ValueError, naming the alternatives, if there are several sets of rules, or no such deal.
    """
    lost = find_lost(results, None if agent is None else _name_of(results, agent))
    names = list(dict.fromkeys(one.variant for one in lost))
    if not lost:
        raise ValueError("results must have a winnable deal that the agent lost, got none")
    if variant is None and len(names) > 1:
        raise ValueError(
            f"variant must be one of {', '.join(names)}, got none: the agent lost deals in several "
            "variants"
        )
    if variant is not None and variant not in names:
        raise ValueError(unknown_text("variant", variant, names))
    candidates = [one for one in lost if variant in (None, one.variant)]
    chosen = [one for one in candidates if deal in (None, one.deal)]
    if not chosen:
        examples = ", ".join(str(one.deal) for one in candidates[:10]) + (
            ", ..." if len(candidates) > 10 else ""
        )
        raise ValueError(
            f"deal must be one of the {len(candidates)} winnable deals that were lost "
            f"({examples}), got {deal}"
        )
    return chosen


def _name_of(results: Comparison[Any] | Evaluation | Path | str, agent: Agent | str) -> str:
    """Return the name of an agent in results; a saved agent is loaded for its name."""
    if not isinstance(agent, str):
        return agent.name
    _, summary = load_evaluations(results)
    if agent in (one["agent"] for one in summary):
        return agent
    game = find_game(summary[0]["game"])
    rules = replace_options(game.rules(), summary[0]["rules"])
    return load_agent(agent, game, rules, allow_rules_mismatch=True).name


def make_lost_spec(lost: Sequence[LostDeal], allow_rules_mismatch: bool = False) -> EvaluationSpec:
    """Return a specification that spans all of these deals."""
    one = lost[0]
    base = one.variant.split(" + ")[0]
    return EvaluationSpec(
        game=one.game,
        rules=one.rules,
        base_variant=base if base in one.game.variants else one.game.default,
        deal_set=one.deal_set,
        first=one.deal,
        deals=lost[-1].deal - one.deal + 1,
        seed=one.seed,
        evaluation_seed=one.evaluation_seed,
        confidence=CONFIDENCE,
        allow_rules_mismatch=allow_rules_mismatch,
    )


def review_lost_deals(
    spec: EvaluationSpec,
    lost: Sequence[LostDeal],
    judge: Judge,
    agent: Agent | str | None = None,
    *,
    deals: int = DEALS,
    progress: Callable[[str], Progress | None] | None = None,
    finished: list[Review] | None = None,
    cluster: Cluster | None = None,
) -> DealSetReview:
    """Run `review_lost` with an existing judge and the result of `make_lost_spec`.

    ``progress``, ``finished`` and ``cluster`` are as in `review_deal_set.review_spec`.
    """
    name = lost[0].agent
    player = FixedAgent(_load(spec, name, agent), name)
    update = progress(name) if progress else None
    reviews = [] if finished is None else finished
    reviewed = lost[:deals]
    chunk = ReviewChunk(spec, tuple(one.deal for one in reviewed), [player], 0, judge)

    def check(place: int, review: Review) -> None:
        _check_same(reviewed[place], review)

    review_chunks(chunk, [agent or name], reviews, cluster, update, check)
    return DealSetReview(spec, name, list(reviews), len(lost))


def _load(spec: EvaluationSpec, name: str, agent: Agent | str | None) -> Agent:
    """Load the agent of the results; errors explain how to name a saved agent."""
    if agent not in (None, name):
        return spec.load_agent(agent)
    if imports_code(name):
        raise ValueError(
            f"agent must be passed as an object if its name in the results is module:Class, got "
            f"{name!r}"
        )
    try:
        return spec.load_agent(name)
    except ValueError as error:
        raise ValueError(f"{error}; for a saved agent, give its folder as the agent") from error


def _check_same(lost: LostDeal, review: Review) -> None:
    """Raise ValueError if the replayed game differs from the game in the results."""
    was, now = (lost.score, lost.decisions), (review.facts["score"], review.length)
    if was != now:
        raise ValueError(
            f"deal {lost.deal} must end with score {was[0]} after {was[1]} actions as in the "
            f"results, got score {now[0]} after {now[1]}: {lost.agent} is not the same agent, or "
            "the move limit differs"
        )
