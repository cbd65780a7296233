"""Which agents a page may ask: none that is a path or a module, for a page must run nothing."""

import re
from typing import Any

from parlour.agents.registry import Agent, can_load, load_agent, trained_folder
from parlour.envs import Game

MOST_TRIES, MOST_MILLISECONDS = 10_000, 10_000
"""The largest budgets of a decision: others wait meanwhile."""


def list_agents(game: Game, rules: Any, more: tuple[str, ...] = ()) -> list[str]:
    """Return the agents that a page offers for these rules; ``more`` are the server's own."""
    names = ["greedy", *game.rule_agents, "uniform", "mcts@200"]
    if _has_trained(game, rules):
        names.insert(0, "trained")
    if can_load("hindsight@1", game, rules):
        names.append("hindsight@200")
    if game.num_players(rules) == 1 and game.solve is not None:
        names += ["pimc@8", "oracle"] if game.goal_name(rules) == "won" else ["oracle"]
    if game.num_players(rules) > 1:
        names += ["rollouts@20:greedy", *(["pimc@8"] if game.winnable_after is not None else [])]
    return [*names, *more]


def _has_trained(game: Game, rules: Any) -> bool:
    try:
        trained_folder(game, rules)
    except ValueError:
        return False
    return True


def load_page_agent(spec: str, game: Game, rules: Any, more: tuple[str, ...] = ()) -> Agent:
    """Return the agent of that name. ValueError for one that a page may not name."""
    if spec not in more:
        _check_spec(spec, game)
    return load_agent(spec, game, rules)


def _check_spec(spec: str, game: Game) -> None:
    names = "|".join(map(re.escape, ("uniform", "greedy", "trained", *game.rule_agents)))
    search = rf"(?:mcts|pimc|rollouts|hindsight|nested)(?:@([0-9]{{1,6}})(ms)?)?(?::(?:{names}))?"
    found = re.fullmatch(rf"{names}|oracle(?::fewest)?|{search}", spec)
    if found is None:
        raise ValueError(
            f"agent={spec!r}: allowed are {names.replace('|', ', ')}, oracle, mcts@N, pimc@N, "
            "hindsight@N, nested@N, rollouts@N:NAME, and those that the server was started with "
            "(--agents)"
        )
    most = MOST_MILLISECONDS if found[2] else MOST_TRIES
    if found[1] and not 1 <= int(found[1]) <= most:
        raise ValueError(f"agent={spec!r}: allowed are budgets from 1 to {most:,}")
