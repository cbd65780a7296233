"""Evaluation and comparison: agents play the same deals, alone or from every seat of a table.

The deals depend on the deal set alone, so all compared agents play the same ones. At a table of
several seats each deal is played by each agent once from every seat: the same deck, the same
dealer.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple

from parlour.agents.registry import Agent, FixedAgent, is_person
from parlour.envs import Game
from parlour.envs.core.batch import MAX_MOVES, Over
from parlour.envs.core.kernel.rng import derive_key

from ..parallel.tasks import Cluster, join_cluster
from .labels.labels import Labels
from .labels.truth import check_against_labels
from .parts import play_parts, refuse_people
from .play import EpisodeResults, PlayedGames, Progress, RecordGames, play_deals, play_duplicate
from .replays.replay import CUT, OVER, Replay, read_result
from .replays.replay_files import append_replays
from .report.terminal import as_line
from .result import (
    OTHER_RULES,
    SEES_ALL,
    Comparison,
    Evaluation,
    SolitaireEvaluation,
    TableEvaluation,
)
from .spec import DEALS, EvaluationSpec, make_specs
from .stats import CONFIDENCE

ProgressFactory = Callable[[str, str], Progress | None]
"""Called with agent and variant before they play; returns what is called as deals end."""
NamedAgent = tuple[str, FixedAgent]
"""An agent and its name in this comparison."""


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
    field: Sequence[Agent | str] | None = None,
    partner: Agent | str | None = None,
    hands: int = 1,
    confidence: float = CONFIDENCE,
    progress: Progress | None = None,
    truth: Labels | Path | str | None = None,
    key: str | None = None,
    name: str | None = None,
    allow_rules_mismatch: bool = False,
    record: Path | str | None = None,
    cluster: Cluster | None = None,
) -> Evaluation:
    """Let an agent play numbered deals, in a game for several from every seat.

    Args:
        game: The game, or its name.
        agent: The agent, or what `parlour.agents.registry.load_agent` takes.
        variant: The variant (None: the game's default).
        options: Options of the rules that are not the variant's.
        deals: The number of deals.
        deal_set: The deal set (None: the game's own, such as ``"pyramid-1"``).
        first: The number of the first deal.
        seed: The seed of agents that take one.
        max_moves: Number of moves after which a game for one player is truncated (None or 0:
            no limit).
        field: The agents in the other seats: repeated clockwise, and beginning with the next of
            them at each next deal (None: `default_opponents`).
        partner: The agent in the other seats of the agent's side, where seats play together (None:
            the agent itself).
        hands: Number of hands of each deal, in games for several players.
        confidence: The confidence of all intervals.
        progress: Called with the number of deals that have ended.
        truth: Solver labels of the deals, or their file; None: those that `labels.find_labels`
            finds; ``"no"``: none.
        key: The secret that all draws come from (None: a new one). The key of an evaluation
            repeats it.
        name: The name of the agent in tables (None: its own). Draws depend on it.
        allow_rules_mismatch: Whether a saved agent may play that was trained by other rules of
            the game. Tables mark it.
        record: A new file for the games (`load_replays` reads it).
        cluster: Plays parts of the deals in other processes (None: this process plays).

    Raises:
        ValueError: Something is unknown or out of range; the message says what is allowed.
        truth.Contradiction: A deal was won that is labelled not winnable.
    """
    (spec,) = make_specs(
        game,
        None if variant is None else [variant],
        options,
        deals=deals,
        deal_set=deal_set,
        first=first,
        seed=seed,
        key=key,
        confidence=confidence,
        max_moves=max_moves,
        hands=hands,
        truth=truth,
        allow_rules_mismatch=allow_rules_mismatch,
        record=record,
    )
    (lineup,) = _list_lineups(spec, [agent], field, partner)
    if name:
        lineup = lineup._replace(name=name)
    return _evaluate_lineup(spec, lineup, cluster, progress)


def compare(
    game: Game | str,
    agents: Sequence[Agent | str],
    *,
    variants: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    deal_set: str | None = None,
    first: int = 0,
    seed: int = 0,
    max_moves: int | None = MAX_MOVES,
    field: Sequence[Agent | str] | None = None,
    partner: Agent | str | None = None,
    hands: int = 1,
    confidence: float = CONFIDENCE,
    report: ProgressFactory | None = None,
    finished: list[Any] | None = None,
    truth: Labels | Path | str | None = None,
    key: str | None = None,
    allow_rules_mismatch: bool = False,
    record: Path | str | None = None,
    cluster: Cluster | None = None,
) -> Comparison[Any]:
    """Let each agent play the same deals by each variant (None: the game's default).

    In a game for several each agent plays from every seat, first with ``field`` in the other seats,
    then among seats that are all played by each of the other agents.

    An agent's draws come from ``key`` and its name, so that no agent learns from another what a
    seed stands for. The keywords are those of `evaluate`. Besides, ``report`` is called with agent
    and variant before they play, and returns what is called as deals end; ``finished`` is a list
    that gets each evaluation as it ends, so that they are there if an agent fails later.

    Raises ValueError before any game is played if an agent cannot play one of the variants, or
    something is unknown or out of range.
    """
    specs = make_specs(
        game,
        variants,
        options,
        deals=deals,
        deal_set=deal_set,
        first=first,
        seed=seed,
        key=key,
        confidence=confidence,
        max_moves=max_moves,
        hands=hands,
        truth=truth,
        allow_rules_mismatch=allow_rules_mismatch,
        record=record,
    )
    return compare_specs(
        specs,
        agents,
        field=field,
        partner=partner,
        report=report,
        finished=finished,
        cluster=cluster,
    )


def compare_specs(
    specs: Sequence[EvaluationSpec],
    agents: Sequence[Agent | str],
    *,
    field: Sequence[Agent | str] | None = None,
    partner: Agent | str | None = None,
    report: ProgressFactory | None = None,
    finished: list[Any] | None = None,
    cluster: Cluster | None = None,
) -> Comparison[Any]:
    """Let each agent play what specifications say; see `compare`."""
    lineups = [_list_lineups(spec, agents, field, partner) for spec in specs]
    evaluations = [] if finished is None else finished
    with join_cluster(cluster):
        for spec, spec_lineups in zip(specs, lineups, strict=True):
            for lineup in spec_lineups:
                progress = report(lineup.title, spec.base_variant) if report else None
                evaluations.append(_evaluate_lineup(spec, lineup, cluster, progress))
    return Comparison(list(evaluations))


class Lineup(NamedTuple):
    """An agent that plays, and at a table of several the agents in the other seats."""

    name: str
    agent: FixedAgent
    given: Sequence[Agent | str]
    """All agents of the lineup as they were named."""
    others: Sequence[NamedAgent] = ()
    """The agents in the other seats, repeated clockwise."""
    pair: bool = False
    """Whether one agent that is compared, too, sits in all other seats."""
    partner: NamedAgent | None = None
    """The agent in the other seats of its side; None: it sits there itself."""

    @property
    def title(self) -> str:
        """Its name in progress lines."""
        if self.pair:
            return f"{self.name} among {self.others[0][0]}"
        return self.name if self.partner is None else f"{self.name} with {self.partner[0]}"


def _list_lineups(
    spec: EvaluationSpec,
    agents: Sequence[Agent | str],
    field: Sequence[Agent | str] | None,
    partner: Agent | str | None,
) -> list[Lineup]:
    """The lineups of a comparison: each agent alone, or in the field and among every other."""
    team = load_agents(spec, agents)
    if not spec.is_multiplayer:
        _refuse_others(spec, field, partner)
        return [
            Lineup(name, agent, [given])
            for (name, agent), given in zip(team.items(), agents, strict=True)
        ]
    field = field or default_opponents(spec.game)
    loaded = {_key(given): agent for given, agent in zip(agents, team.values(), strict=True)}
    others = _load_field(spec, field, loaded)
    partners = [] if partner is None else _load_partner(spec, partner, loaded)
    _refuse_people_at_tables([*team.values(), *(agent for _, agent in [*others, *partners])])
    named_partner = partners[0] if partners else None
    given_others = [*field, *([] if partner is None else [partner])]
    players = [(*named, given) for named, given in zip(team.items(), agents, strict=True)]
    in_field = [
        Lineup(name, agent, [given, *given_others], others, partner=named_partner)
        for name, agent, given in players
    ]
    pairs = [
        Lineup(name, agent, [given, rival_given], [(rival_name, rival)], pair=True)
        for name, agent, given in players
        for rival_name, rival, rival_given in players
        if rival_name != name
    ]
    return in_field + pairs


def _refuse_others(spec: EvaluationSpec, field: Any, partner: Any) -> None:
    """Raise ValueError if agents are named for seats that a game for one player does not have."""
    for name, given in (("field", field), ("partner", partner)):
        if given:
            raise ValueError(
                f"{name}={given!r}: {spec.game.title}, {spec.variant}, is for one player"
            )


def _evaluate_lineup(
    spec: EvaluationSpec, lineup: Lineup, cluster: Cluster | None, progress: Progress | None
) -> Evaluation:
    """Let a lineup play, in parts where ``cluster`` says; return the evaluation of its agent.

    Raises `truth.Contradiction` if a deal is won that is labelled not winnable, ValueError for a
    person who is to play on a cluster.
    """
    if cluster is not None:
        refuse_people([lineup.agent])
    results = play_parts(play_lineup, spec, lineup, cluster, progress)
    if spec.labels is not None:
        check_against_labels(spec.labels, results.facts, spec.first, lineup.name)
    kind = TableEvaluation if spec.is_multiplayer else SolitaireEvaluation
    return kind(
        spec=spec,
        agent=lineup.name,
        sees_all=lineup.agent.sees_all,
        looks_ahead=lineup.agent.lookahead_config is not None,
        results=results,
        other_rules=lineup.agent.other_rules,
        field=tuple(name for name, _ in lineup.others),
        pair=lineup.pair,
        partner=None if lineup.partner is None else lineup.partner[0],
    )


def play_lineup(
    spec: EvaluationSpec, lineup: Lineup, progress: Progress | None = None
) -> EpisodeResults:
    """Let a lineup play all deals of a specification, in a game for several from every seat."""
    if not spec.is_multiplayer:
        return play_deals(
            spec.game,
            spec.rules,
            lineup.agent,
            spec.seeds,
            max_moves=spec.max_moves,
            key=derive_key(spec.key, lineup.name),
            progress=progress,
            record=_record_games(spec, [lineup.name]),
        )
    names, partner = [name for name, _ in lineup.others], lineup.partner
    key_of_partner = () if partner is None else ("partner", partner[0])
    return play_duplicate(
        spec.game,
        spec.rules,
        lineup.agent,
        [agent for _, agent in lineup.others],
        spec.seeds,
        order=spec.numbers,
        hands=spec.hands,
        key=derive_key(spec.key, lineup.name, lineup.pair, *names, *key_of_partner),
        progress=progress,
        record=_record_games(spec, [lineup.name, *names, partner[0] if partner else lineup.name]),
        partner=partner[1] if partner else None,
    )


def _record_games(spec: EvaluationSpec, names: Sequence[str]) -> RecordGames | None:
    """The callback that appends games to the record of a specification; None if it has none.

    ``names`` are those of the agents by their numbers in `PlayedGames.who`.
    """
    path = spec.record
    if path is None:
        return None
    return lambda played: append_replays(path, _make_replays(spec, names, played))


def _make_replays(spec: EvaluationSpec, names: Sequence[str], played: PlayedGames) -> list[Replay]:
    lists = (one.tolist() for one in (played.places, played.hands, played.dealers, played.who))
    results = read_result(spec.game, spec.rules, played.states)
    over = played.states["over"].tolist()
    return [
        Replay(
            spec.game,
            spec.rules,
            spec.base_variant,
            agents=tuple(names[number] for number in who),
            actions=tuple(actions),
            result=result,
            end=CUT if over_code == Over.TRUNCATED else OVER,
            deal_set=spec.deal_set,
            deal=spec.first + place,
            hand=hand,
            dealer=dealer if spec.game.has_dealer and spec.is_multiplayer else None,
        )
        for place, hand, dealer, who, actions, result, over_code in zip(
            *lists, played.actions, results, over, strict=True
        )
    ]


def load_agents(spec: EvaluationSpec, agents: Sequence[Agent | str]) -> dict[str, FixedAgent]:
    """Return the agents, given or named, that play, by names that tell them apart."""
    if not agents:
        raise ValueError("agents: give at least one")
    players = [spec.load_agent(agent) for agent in agents]
    return dict(zip(_name_agents(players, agents), players, strict=True))


def _name_agents(players: Sequence[Agent], given: Sequence[Agent | str]) -> list[str]:
    """A name for each agent: its own, with its path or a number where two have the same."""
    own_names = [player.name for player in players]
    names = list(own_names)
    for i, spec in enumerate(given):
        if own_names.count(own_names[i]) > 1 and spec != own_names[i] and isinstance(spec, str):
            names[i] = f"{own_names[i]} ({as_line(spec)})"
    return number_names(names)


def number_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return names of which no two are the same, nor one of ``taken``: later ones get a number."""
    used, unique = set(taken), []
    for name in names:
        numbered = (f"{name} #{number}" for number in count(2))
        free = next(one for one in chain([name], numbered) if one not in used)
        used.add(free)
        unique.append(free)
    return unique


def _key(agent: Agent | str) -> str | int:
    """The identity of a given agent: the words that name it, or that of the object."""
    return agent if isinstance(agent, str) else id(agent)


def _load_field(
    spec: EvaluationSpec, field: Sequence[Agent | str], loaded: Mapping[str | int, FixedAgent]
) -> list[NamedAgent]:
    """The agents of a field; an agent that is compared, too, is the same object there.

    The name of one that sees hidden cards, or was trained by other rules, is marked as in tables.
    """
    loaded, agents = dict(loaded), []
    for given in field:
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
    """Raise ValueError if an agent in another seat has the name of another compared agent.

    A number behind its name, as compared agents get, would change the draws: results must not
    depend on who else is compared.
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
) -> list[NamedAgent]:
    """The agent in the other seats of an agent's side, as `_load_field` loads it."""
    seats = spec.game.seats
    if seats is None or len(set(sides := seats.sides(spec.rules))) == len(sides):
        raise ValueError(f"partner={partner!r}: by these rules every seat plays for itself")
    return _load_field(spec, [partner], loaded)


def default_opponents(game: Game) -> list[str]:
    """Return the agents of a field that nobody has named: greedy and the rule-based agents."""
    return ["greedy", *game.rule_agents]


def _refuse_people_at_tables(agents: Sequence[FixedAgent]) -> None:
    for agent in agents:
        if is_person(agent):
            raise ValueError(
                f"agent {agent.name!r} plays one hand at a time and would see each deal from every "
                "seat: see parlour play"
            )
