"""Evaluation and comparison of agents on the same deals, in games for several from every seat.

The deals depend only on the deal set, so all compared agents play the same deals. In a game for
several players, each agent plays each deal once from every seat, with the same deck and dealer.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

from parlour.agents.registry import Agent, FixedAgent, is_person
from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES

from ..parallel.tasks import Cluster, join_cluster
from .evaluation_spec import DEALS, EvaluationSpec, make_specs
from .labels.label_comparison import check_against_labels
from .labels.labels import Labels
from .lineups import Lineup, NamedAgent, play_lineup
from .play import Progress
from .report.terminal import as_line
from .result import (
    OTHER_RULES,
    SEES_ALL,
    Comparison,
    Evaluation,
    SolitaireEvaluation,
    TableEvaluation,
)
from .stats import CONFIDENCE

ProgressFactory = Callable[[str, str], Progress | None]
"""Called with agent and variant before each evaluation; returns a progress function or None."""


def evaluate(
    game: Game | str,
    agent: Agent | str = "uniform",
    *,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    deal_set: str | None = None,
    first: int = 0,
    seed: int = 0,
    max_moves: int | None = MAX_MOVES,
    opponents: Agent | str | Sequence[Agent | str] | None = None,
    partner: Agent | str | None = None,
    hands: int = 1,
    confidence: float = CONFIDENCE,
    progress: Progress | None = None,
    labels: Labels | Path | str | None = None,
    evaluation_seed: str | None = None,
    name: str | None = None,
    allow_rules_mismatch: bool = False,
    record: Path | str | None = None,
    cluster: Cluster | None = None,
) -> Evaluation:
    """Evaluate an agent on numbered deals.

    In multiplayer games, the agent plays each deal from every seat.

    Args:
        game: The game, or its name.
        agent: The spec of an agent (see `parlour.agents.load_agent`), or an object that
            `parlour.agents.as_agent` accepts: an agent, a function ``(observation, mask) ->
            action``, a model of Stable-Baselines3, or a torch module.
        variant: The variant (None: the game's default).
        options: Rule options that override those of the variant.
        deals: The number of deals.
        deal_set: The deal set (None: the game's own, such as ``"pyramid-1"``).
        first: The number of the first deal.
        seed: Seed of agents that are given by their specs. Another seed changes their random
            choices, but not the deals.
        max_moves: Number of moves after which a game for one player is truncated (None or 0: no
            limit).
        opponents: One agent for all opposing seats, or a list (None: greedy and the rule-based
            agents of the game). A list fills the opposing seats clockwise from the seat after the
            agent, and is repeated as needed. The list starts one agent later in each deal.
        partner: The agent in the other seats of the agent's side, in games with partners (None: the
            agent itself).
        hands: Number of hands per deal, in multiplayer games. The first hand is the numbered deal;
            the cards of the following hands derive from the same seed.
        confidence: The confidence level of all intervals.
        progress: Function that is called repeatedly with the number of deals finished since the
            last call.
        labels: Solver labels of the deals, or their file (None: the labels in ``runs/labels`` or
            shipped with Parlour, if any; ``"no"``: no labels).
        evaluation_seed: Any text, from which all random draws derive (None: a random one). The
            same evaluation seed repeats an evaluation.
        name: The name of the agent in tables (None: its own). Random draws depend on it.
        allow_rules_mismatch: Whether to allow saved agents trained with other rules of the game.
            Tables mark the names of these agents.
        record: A new file for recorded games (`load_replays` reads it).
        cluster: Plays chunks of the deals in other processes (None: all in this process).

    Returns:
        The evaluation, with estimates, intervals, and the results of each deal.

    Raises:
        ValueError: A value is unknown or out of range; the message says what is allowed.
        label_comparison.Contradiction: The agent won a deal that is labeled not winnable.
    """
    (spec,) = make_specs(
        game,
        None if variant is None else [variant],
        options,
        deals=deals,
        deal_set=deal_set,
        first=first,
        seed=seed,
        evaluation_seed=evaluation_seed,
        confidence=confidence,
        max_moves=max_moves,
        hands=hands,
        labels=labels,
        allow_rules_mismatch=allow_rules_mismatch,
        record=record,
    )
    (lineup,) = list_lineups(spec, [agent], opponents, partner)
    if name:
        lineup = lineup._replace(name=name)
    return evaluate_lineup(spec, lineup, cluster, progress)


def compare(
    game: Game | str,
    agents: Agent | str | Sequence[Agent | str],
    *,
    variants: str | Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    deal_set: str | None = None,
    first: int = 0,
    seed: int = 0,
    max_moves: int | None = MAX_MOVES,
    opponents: Agent | str | Sequence[Agent | str] | None = None,
    partner: Agent | str | None = None,
    hands: int = 1,
    confidence: float = CONFIDENCE,
    report: ProgressFactory | None = None,
    finished: list[Any] | None = None,
    labels: Labels | Path | str | None = None,
    evaluation_seed: str | None = None,
    allow_rules_mismatch: bool = False,
    record: Path | str | None = None,
    cluster: Cluster | None = None,
) -> Comparison[Any]:
    """Compare agents on the same deals.

    In multiplayer games, each agent plays from every seat, first against ``opponents``, then
    against each of the other ``agents``. In the second case, one agent plays all opposing seats.
    An agent's random draws derive from ``evaluation_seed`` and its name, so agents with
    different names have independent draws.

    Args:
        game: The game, or its name.
        agents: The agents, or a single agent; see `evaluate`.
        variants: The variants, or a single variant; each agent plays all of them (None: the game's
            default variant).
        options: See `evaluate`, which also describes the arguments that are not listed here.
        report: Function that is called with agent and variant before each evaluation, and returns
            the argument ``progress`` of `evaluate`.
        finished: List to which each evaluation is appended when it ends, so that none is lost if an
            agent fails later.

    Returns:
        The comparison, with the evaluation of each agent and paired differences.

    Raises:
        ValueError: An agent cannot play one of the variants, or a value is unknown or out of range;
            raised before any game is played.
        label_comparison.Contradiction: An agent won a deal that is labeled not winnable.
    """
    specs = make_specs(
        game,
        variants,
        options,
        deals=deals,
        deal_set=deal_set,
        first=first,
        seed=seed,
        evaluation_seed=evaluation_seed,
        confidence=confidence,
        max_moves=max_moves,
        hands=hands,
        labels=labels,
        allow_rules_mismatch=allow_rules_mismatch,
        record=record,
    )
    return compare_specs(
        specs,
        agents,
        opponents=opponents,
        partner=partner,
        report=report,
        finished=finished,
        cluster=cluster,
    )


def compare_specs(
    specs: Sequence[EvaluationSpec],
    agents: Agent | str | Sequence[Agent | str],
    *,
    opponents: Agent | str | Sequence[Agent | str] | None = None,
    partner: Agent | str | None = None,
    report: ProgressFactory | None = None,
    finished: list[Any] | None = None,
    cluster: Cluster | None = None,
) -> Comparison[Any]:
    """Compare agents on the deals of each specification; see `compare`."""
    lineups = [list_lineups(spec, agents, opponents, partner) for spec in specs]
    evaluations = [] if finished is None else finished
    with join_cluster(cluster):
        for spec, spec_lineups in zip(specs, lineups, strict=True):
            for lineup in spec_lineups:
                progress = report(lineup.title, spec.base_variant) if report else None
                evaluations.append(evaluate_lineup(spec, lineup, cluster, progress))
    return Comparison(list(evaluations))


def list_lineups(
    spec: EvaluationSpec,
    agents: Agent | str | Sequence[Agent | str],
    opponents: Agent | str | Sequence[Agent | str] | None,
    partner: Agent | str | None,
) -> list[Lineup]:
    """List the lineups: each agent alone, or with the opponents and with each other agent."""
    agents = _list_agents(agents)
    team = load_agents(spec, agents)
    if not spec.is_multiplayer:
        _refuse_others(spec, opponents, partner)
        return [
            Lineup(name, agent, [given])
            for (name, agent), given in zip(team.items(), agents, strict=True)
        ]
    others_given = _list_agents(opponents or default_opponents(spec.game))
    loaded = {_key(given): agent for given, agent in zip(agents, team.values(), strict=True)}
    named_opponents, named_partner = _load_opponents(spec, others_given, loaded), None
    _refuse_people_at_tables([*team.values(), *(agent for _, agent in named_opponents)])
    if partner is not None:
        named_partner = _load_partner(spec, partner, loaded)
        _refuse_people_at_tables([named_partner[1]])
        others_given.append(partner)
    players = [(*named, given) for named, given in zip(team.items(), agents, strict=True)]
    with_opponents = [
        Lineup(name, agent, [given, *others_given], named_opponents, partner=named_partner)
        for name, agent, given in players
    ]
    pairs = [
        Lineup(name, agent, [given, rival_given], [(rival_name, rival)], pair=True)
        for name, agent, given in players
        for rival_name, rival, rival_given in players
        if rival_name != name
    ]
    return with_opponents + pairs


def _list_agents(given: Agent | str | Sequence[Agent | str]) -> list[Agent | str]:
    """Return the given agents as a list; a single agent may be given without a list."""
    if isinstance(given, str) or not isinstance(given, Collection):
        return [given]
    return list(given)


def _refuse_others(spec: EvaluationSpec, opponents: Any, partner: Any) -> None:
    """Raise ValueError if opponents or a partner are given in a game for one player."""
    for name, given in (("opponents", opponents), ("partner", partner)):
        if given:
            raise ValueError(
                f"{name} must be None because {spec.variant} of {spec.game.title} is for one "
                f"player, got {given!r}"
            )


def evaluate_lineup(
    spec: EvaluationSpec,
    lineup: Lineup,
    cluster: Cluster | None,
    progress: Progress | None,
    least: int | None = None,
) -> Evaluation:
    """Play the deals with a lineup, and return the evaluation of its agent.

    ``least`` is the fewest deals of a chunk on the cluster (None: `lineups.CHUNK`).

    Raises `label_comparison.Contradiction` if the agent wins a deal that is labeled not winnable,
    ValueError for a human player on a cluster.
    """
    results = play_lineup(spec, lineup, cluster, progress, least)
    if spec.labels is not None:
        check_against_labels(spec.labels, results.facts, spec.first, lineup.name)
    make_evaluation = TableEvaluation if spec.is_multiplayer else SolitaireEvaluation
    return make_evaluation(
        spec=spec,
        agent=lineup.name,
        sees_all=lineup.agent.sees_all,
        results=results,
        other_rules=lineup.agent.other_rules,
        opponents=tuple(name for name, _ in lineup.opponents),
        pair=lineup.pair,
        partner=None if lineup.partner is None else lineup.partner[0],
    )


def load_agents(spec: EvaluationSpec, agents: Sequence[Agent | str]) -> dict[str, FixedAgent]:
    """Load agents, and return them by unique names."""
    if not agents:
        raise ValueError("agents must have at least one agent, got none")
    players = [spec.load_agent(agent) for agent in agents]
    return dict(zip(_name_agents(players, agents), players, strict=True))


def _name_agents(players: Sequence[Agent], given: Sequence[Agent | str]) -> list[str]:
    """Return a unique name for each agent: its own, with its path or a number if needed."""
    own_names = [player.name for player in players]
    names = list(own_names)
    for i, spec in enumerate(given):
        if own_names.count(own_names[i]) > 1 and spec != own_names[i] and isinstance(spec, str):
            names[i] = f"{own_names[i]} ({as_line(spec)})"
    return number_names(names)


def number_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return unique names that are not in ``taken``; later duplicates get a number."""
    used, unique = set(taken), []
    for name in names:
        numbered = (f"{name} #{number}" for number in count(2))
        free = next(one for one in chain([name], numbered) if one not in used)
        used.add(free)
        unique.append(free)
    return unique


def _key(agent: Agent | str) -> str | int:
    """Return the identity of a given agent: its spec, or the id of the object."""
    return agent if isinstance(agent, str) else id(agent)


def _load_opponents(
    spec: EvaluationSpec, opponents: Sequence[Agent | str], loaded: Mapping[str | int, FixedAgent]
) -> list[NamedAgent]:
    """Load the opponents; an opponent that is also compared is the same object.

    Names have the marks of tables for agents that see hidden cards or were trained with other
    rules.
    """
    loaded, agents = dict(loaded), []
    for given in opponents:
        if _key(given) not in loaded:
            loaded[_key(given)] = spec.load_agent(given)
            _refuse_same_name(given, loaded)
        agents.append(loaded[_key(given)])
    different = {id(agent): agent for agent in agents}
    names = number_names(
        agent.name + SEES_ALL * agent.sees_all + OTHER_RULES * agent.other_rules
        for agent in different.values()
    )
    name_of = dict(zip(different, names, strict=True))
    return [(name_of[id(agent)], agent) for agent in agents]


def _refuse_same_name(given: Agent | str, loaded: Mapping[str | int, FixedAgent]) -> None:
    """Raise ValueError if an opponent or partner has the name of a different compared agent.

    Numbering its name, as for compared agents, would change its random draws, and results must not
    depend on which agents are compared.
    """
    name = loaded[_key(given)].name
    for other, agent in loaded.items():
        if (
            isinstance(given, str)
            and isinstance(other, str)
            and other != given
            and agent.name == name
        ):
            raise ValueError(
                f"agents {other} and {given} must not have the same name, got {name!r}; give one "
                f"of them another name: NAME={given}"
            )


def _load_partner(
    spec: EvaluationSpec, partner: Agent | str, loaded: Mapping[str | int, FixedAgent]
) -> NamedAgent:
    """Load the agent in the other seats of an agent's side, as `_load_opponents` does."""
    seats = spec.game.seats
    if seats is None or len(set(sides := seats.sides(spec.rules))) == len(sides):
        raise ValueError(
            f"partner must be None because these rules have no partners, got {partner!r}"
        )
    return _load_opponents(spec, [partner], loaded)[0]


def default_opponents(game: Game) -> list[str]:
    """Return the default opponents: greedy and the rule-based agents of the game."""
    return ["greedy", *game.rule_agents]


def _refuse_people_at_tables(agents: Sequence[FixedAgent]) -> None:
    for agent in agents:
        if is_person(agent):
            raise ValueError(
                f"agent must not be a human player, got {agent.name!r}, who would see each deal "
                "from every seat: use parlour play"
            )
