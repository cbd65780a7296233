"""Evaluation and comparison at tables of several seats: duplicate deals, seats rotated.

Each deal is played by each agent once from every seat: the same deck, the same dealer. For what is
made of that see `duplicate_results`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from parlour.agents.registry import Agent, FixedAgent, is_person
from parlour.envs import Game
from parlour.envs.core.kernel.rng import derive_key

from ..parallel.tasks import Cluster, join_cluster
from .compare import ProgressFactory, load_agents, number_names
from .duplicate_play import DuplicateResults, play_duplicate
from .duplicate_results import DuplicateComparison, DuplicateEvaluation
from .evaluate import OTHER_RULES, SEES_ALL, Progress, load_player
from .parts import play_parts
from .replays.recording import record_hands
from .spec import DEALS, EvaluationSpec, make_specs
from .stats import CONFIDENCE


def evaluate_duplicate(
    game: Game | str, agent: Agent | str = "uniform", *, variant: str | None = None, **keywords: Any
) -> DuplicateEvaluation:
    """Let an agent play deals of a bank from every seat, with a field in the other seats.

    The other keywords are those of `compare_duplicate`, and so are the errors.
    """
    variants = None if variant is None else [variant]
    return compare_duplicate(game, [agent], variants=variants, **keywords).matches[0]


def compare_duplicate(
    game: Game | str,
    agents: Sequence[Agent | str],
    *,
    variants: Sequence[str] | None = None,
    options: Mapping[str, Any] | None = None,
    deals: int = DEALS,
    bank: str | None = None,
    first: int = 0,
    seed: int = 0,
    field: Sequence[Agent | str] | None = None,
    hands: int = 1,
    confidence: float = CONFIDENCE,
    report: ProgressFactory | None = None,
    finished: list[DuplicateEvaluation] | None = None,
    key: str | None = None,
    any_rules: bool = False,
    record: Path | str | None = None,
    cluster: Cluster | None = None,
    partner: Agent | str | None = None,
) -> DuplicateComparison:
    """Let each agent play the same deals from every seat, in a field and among each of the others.

    ``field`` plays the other seats: taken round, clockwise, and beginning with the next of them at
    each next deal (None: greedy and the game's players by rule). Where seats play together,
    ``partner`` has the others of an agent's side there (None: the agent itself). Then, for every
    ordered pair, one agent plays among seats all played by the other.

    For ``hands`` and ``key`` (None: a new one) see `EvaluationSpec`, for the rest
    `compare.compare`; ``finished``, a list of one's own, gets each match as it ends.
    Raises ValueError before a hand is played for what is unknown or out of range, and for rules for
    one player.
    """
    specs = make_specs(
        game,
        variants,
        options,
        several=True,
        deals=deals,
        bank=bank,
        first=first,
        seed=seed,
        key=key,
        confidence=confidence,
        hands=hands,
        any_rules=any_rules,
        record=record,
    )
    return compare_duplicate_specs(specs, agents, field, report, finished, cluster, partner)


def compare_duplicate_specs(
    specs: Sequence[EvaluationSpec],
    agents: Sequence[Agent | str],
    field: Sequence[Agent | str] | None = None,
    report: ProgressFactory | None = None,
    finished: list[DuplicateEvaluation] | None = None,
    cluster: Cluster | None = None,
    partner: Agent | str | None = None,
) -> DuplicateComparison:
    """Let each agent play, from every seat, what specifications say; see `compare_duplicate`."""
    seatings = [_list_seatings(spec, agents, field, partner) for spec in specs]
    given = [*agents, *(field or default_opponents(specs[0].game))]
    given += [] if partner is None else [partner]
    found = [] if finished is None else finished
    with join_cluster(cluster):
        for spec, several in zip(specs, seatings, strict=True):
            for seating in several:
                progress = report(seating.title, spec.base_variant) if report else None
                results = play_parts(
                    _play_seating, spec, (seating,), seating.title, given, cluster, progress
                )
                found.append(_make_evaluation(spec, seating, results))
    return DuplicateComparison(list(found))


NamedAgent = tuple[str, FixedAgent]
"""An agent and what it is called in this comparison."""


class Seating(NamedTuple):
    """Who plays, and who takes the other seats."""

    name: str
    agent: FixedAgent
    others: Sequence[NamedAgent]
    """Taken round, clockwise."""
    pair: bool
    """Whether one that is compared, too, sits in all other seats."""
    partner: NamedAgent | None = None
    """Who has the other seats of its side, if not it."""

    @property
    def title(self) -> str:
        """What progress calls it."""
        if self.pair:
            return f"{self.name} among {self.others[0][0]}"
        return self.name if self.partner is None else f"{self.name} with {self.partner[0]}"


def _list_seatings(
    spec: EvaluationSpec,
    agents: Sequence[Agent | str],
    field: Sequence[Agent | str] | None,
    partner: Agent | str | None,
) -> list[Seating]:
    """Who plays among whom: each in the field, then each among every other."""
    team = load_agents(spec, agents)
    known = {_key(one): fixed for one, fixed in zip(agents, team.values(), strict=True)}
    others = _load_field(spec, field or default_opponents(spec.game), known)
    mates = [] if partner is None else _load_partner(spec, partner, known)
    _refuse_people([*team.values(), *(agent for _, agent in [*others, *mates])])
    mate = mates[0] if mates else None
    found = [Seating(name, agent, others, pair=False, partner=mate) for name, agent in team.items()]
    for name, agent in team.items():
        rivals = [one for one in team.items() if one[0] != name]
        found += [Seating(name, agent, [rival], pair=True) for rival in rivals]
    return found


def _key(agent: Agent | str) -> str | int:
    """What makes two given agents the same one: the words that name it, or the object."""
    return agent if isinstance(agent, str) else id(agent)


def _load_field(
    spec: EvaluationSpec, field: Sequence[Agent | str], known: Mapping[str | int, FixedAgent]
) -> list[NamedAgent]:
    """Who sits in the field; whoever is compared, too, is the same agent there: asked but once.

    The name of one that sees hidden cards, or was trained by other rules, is marked as in tables.
    """
    loaded, found = dict(known), []
    for one in field:
        if _key(one) not in loaded:
            loaded[_key(one)] = load_player(spec, one)
            _refuse_same_name(one, loaded)
        found.append(loaded[_key(one)])
    different = {id(one): one for one in found}
    names = number_names(
        one.name + SEES_ALL * one.sees_all + OTHER_RULES * one.other_rules
        for one in different.values()
    )
    called = dict(zip(different, names, strict=True))
    return [(called[id(one)], one) for one in found]


def _refuse_same_name(spec: Agent | str, loaded: Mapping[str | int, FixedAgent]) -> None:
    """Raise ValueError if an agent in another seat has the name of another compared agent.

    A number behind its name, as compared agents get, would change the draws: results must not
    depend on who else is compared.
    """
    name = loaded[_key(spec)].name
    for other, agent in loaded.items():
        if (
            isinstance(spec, str)
            and isinstance(other, str)
            and other != spec
            and agent.name == name
        ):
            raise ValueError(
                f"agents {other} and {spec} must not have the same name, got {name!r}; give one of "
                f"them another name: NAME={spec}"
            )


def _load_partner(
    spec: EvaluationSpec, partner: Agent | str, known: Mapping[str | int, FixedAgent]
) -> list[NamedAgent]:
    """Who has the other seats of an agent's side, as `_load_field` does."""
    seats = spec.game.seats
    if seats is None or len(set(sides := seats.sides(spec.rules))) == len(sides):
        raise ValueError(f"partner={partner!r}: by these rules every seat plays for itself")
    return _load_field(spec, [partner], known)


def default_opponents(game: Game) -> list[str]:
    """Return who sits in a field that nobody has named: greedy, and the players by rule."""
    return ["greedy", *game.rule_agents]


def _refuse_people(agents: Sequence[FixedAgent]) -> None:
    for agent in agents:
        if is_person(agent):
            raise ValueError(
                f"agent {agent.name!r} plays one hand at a time and would see each deal from every "
                "seat: see parlour play"
            )


def _play_seating(
    spec: EvaluationSpec, seating: Seating, progress: Progress | None = None
) -> DuplicateResults:
    """Let an agent play all deals from every seat; the order of the others shifts with the deal."""
    names = [name for name, _ in seating.others]
    mate = seating.partner
    names_of_mate = () if mate is None else ("partner", mate[0])
    return play_duplicate(
        spec.game,
        spec.rules,
        seating.agent,
        [agent for _, agent in seating.others],
        spec.seeds,
        order=spec.numbers,
        hands=spec.hands,
        key=derive_key(spec.key, seating.name, seating.pair, *names, *names_of_mate),
        progress=progress,
        record=record_hands(spec, [seating.name, *names, mate[0] if mate else seating.name]),
        partner=mate[1] if mate else None,
    )


def _make_evaluation(
    spec: EvaluationSpec, seating: Seating, results: DuplicateResults
) -> DuplicateEvaluation:
    agent = seating.agent
    return DuplicateEvaluation(
        spec,
        seating.name,
        agent.sees_all,
        agent.lookahead_config is not None,
        tuple(name for name, _ in seating.others),
        seating.pair,
        results,
        agent.other_rules,
        None if seating.partner is None else seating.partner[0],
    )
