"""Deals that an agent has lost though they could be won, in what a comparison has left."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from parlour.agents.validation import naming
from parlour.envs import Game, find_game
from parlour.envs.core.options import replace_options, unknown_text

from ..check_outputs import EPISODES
from ..compare import Comparison
from ..evaluate import Evaluation


class LostDeal(NamedTuple):
    """A deal that an agent has lost though a solver says that it can be won."""

    game: Game
    rules: Any
    variant: str
    """The rules' name for tables, such as ``"classic + passes=2"``."""
    bank: str
    deal: int
    """Its number in the bank."""
    agent: str
    """What the results call the agent."""
    fewest: int | None
    """The moves of its shortest win; None: not known."""
    key: str
    """The secret that its draws came from: with it the same game can be played again."""
    seed: int
    """What the agent was made with, if it takes a seed."""
    score: int
    """The score that it was lost with."""
    decisions: int
    """How many actions the game had."""


def find_lost(
    results: Comparison | Evaluation | Path | str, agent: str | None = None
) -> list[LostDeal]:
    """Return the deals that an agent lost though labels say they can be won, by variant and deal.

    ``results`` are those of `compare` or `evaluate`, or the folder that ``--out`` or ``save`` wrote
    (or its episodes.parquet). ``agent`` may be left out where only one has played. Deals cut off at
    the limit of moves count as lost. Raises ValueError for an agent that has not played, and where
    there are no results, or none of labelled deals of a game that is won; naming what there is.
    """
    rows, summary = read_results(results)
    names = list(dict.fromkeys(one["agent"] for one in summary))
    if agent is None:
        if len(names) > 1:
            raise ValueError(f"agent: several have played, name one of {', '.join(names)}")
        agent = names[0]
    if agent not in names:
        raise ValueError(unknown_text("agent", agent, names))
    if "winnable" not in rows or "won" not in rows:
        raise ValueError("results: no deal is labelled winnable or not; see parlour deals make")
    found = []
    for one in summary:
        if one["agent"] == agent:
            found += _lost_of(rows, one)
    return found


def read_results(
    results: Comparison | Evaluation | Path | str,
) -> tuple[Any, list[dict[str, Any]]]:
    """Return a data frame with a row a game, and the summaries of the evaluations.

    Raises as `find_lost` does.
    """
    import pyarrow.parquet as pq

    from ..report.report import episodes

    if isinstance(results, Comparison | Evaluation):
        table = episodes(results)
    else:
        path = Path(results)
        path = path / EPISODES if path.is_dir() else path
        with naming(path):
            table = pq.read_table(path, use_threads=False)
    said = json.loads((table.schema.metadata or {}).get(b"parlour", b"null"))
    if said is None or "pairs" in said:
        raise ValueError("results: those of games for one player are needed (compare --out)")
    return table.to_pandas(), said["results"]


def _lost_of(rows: Any, one: dict[str, Any]) -> list[LostDeal]:
    game = find_game(one["game"])
    rules = replace_options(game.rules(), one["rules"])
    mine = rows[(rows["agent"] == one["agent"]) & (rows["variant"] == one["variant"])]
    lost = mine[(mine["winnable"] == 1) & ~mine["won"].astype(bool)].sort_values("deal")
    fewest = lost["fewest"].tolist() if "fewest" in lost else [None] * len(lost)
    return [
        LostDeal(
            game,
            rules,
            one["variant"],
            one["bank"],
            int(deal),
            one["agent"],
            int(moves) if moves is not None and moves == moves else None,  # nan: not known
            one["key"],
            one["seed"],
            int(score),
            int(decisions),
        )
        for deal, moves, score, decisions in zip(
            lost["deal"], fewest, lost["score"], lost["decisions"], strict=True
        )
    ]
