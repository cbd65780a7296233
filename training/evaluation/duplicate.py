"""Evaluation and comparison at tables of several seats: duplicate deals, seats rotated.

Each deal is played by each agent once from every seat: the same deck, the same dealer. For what is
made of that see `duplicate_results`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from parlour.agents.registry import Agent, FixedAgent, fix_agent, load_agent
from parlour.envs import Game
from parlour.envs import game as game_named
from parlour.envs.core.deals import bank_seeds, default_bank
from parlour.envs.core.keys import derive_key, new_key

from .compare import ProgressFactory, load_agents, number_names
from .duplicate_results import DuplicateComparison, DuplicateSpec, Match
from .evaluate import DEALS, SEES_ALL, Progress, check_number, describe_rules
from .stats import CONFIDENCE


def evaluate(
    game: Game | str, agent: Agent | str = "uniform", *, variant: str | None = None, **keywords: Any
) -> Match:
    """Let an agent play deals of a bank from every seat, with a field in the other seats.

    The other keywords are those of `compare`, and so are the errors.
    """
    return compare(game, [agent], variants=variant and [variant], **keywords).matches[0]


def compare(
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
    finished: list[Match] | None = None,
    key: str | None = None,
) -> DuplicateComparison:
    """Let each agent play the same deals from every seat, in a field and among each of the others.

    ``field`` plays the other seats: taken round, clockwise, and beginning with the next of them at
    each next deal (None: greedy and the game's players by rule). Then, for every ordered pair, one
    agent plays among seats all played by the other.

    For ``hands`` and ``key`` (None: a new one) see `DuplicateSpec`, for the rest
    `compare.compare`; ``finished``, a list of one's own, gets each match as it ends.
    Raises ValueError before a hand is played for what is unknown or out of range, and for rules for
    one player.
    """
    game = game_named(game) if isinstance(game, str) else game
    for name, value, low in (("deals", deals, 2), ("seed", seed, 0), ("hands", hands, 1)):
        check_number(name, value, low)
    bank = bank or default_bank(game.name)
    bank_seeds(bank, [first])
    key = new_key() if key is None else key
    tables = []
    for variant, (rules, cast) in load_agents(game, agents, variants, options, seed, True).items():
        known = {_key(one): fixed for one, fixed in zip(agents, cast.values(), strict=True)}
        name = describe_rules(game, rules, variant)
        setting = DuplicateSpec(game, rules, name, bank, first, deals, hands, seed, key, confidence)
        others = _field(setting, field, known)
        _refuse_people([*cast.values(), *(agent for _, agent in others)])
        tables.append((setting, variant, cast, others))
    found = [] if finished is None else finished
    for setting, variant, cast, others in tables:
        for name, rivals, pair in _list_seatings(cast, others):
            said = f"{name} among {rivals[0][0]}" if pair else name
            progress = report(said, variant) if report else None
            found.append(_evaluate_agent(setting, name, cast[name], rivals, pair, progress))
    return DuplicateComparison(list(found))


Named = tuple[str, FixedAgent]
"""An agent and what it is called in this comparison."""


def _key(agent: Agent | str) -> str | int:
    """What makes two given agents the same one: the words that name it, or the object."""
    return agent if isinstance(agent, str) else id(agent)


def _field(
    setting: DuplicateSpec,
    field: Sequence[Agent | str] | None,
    known: Mapping[str | int, FixedAgent],
) -> list[Named]:
    """Who sits in the field; whoever is compared, too, is the same agent there: asked but once.

    The name of one that sees hidden cards is marked, as in tables.
    """
    loaded, found = dict(known), []
    for one in field or default_field(setting.game):
        if _key(one) not in loaded:
            loaded[_key(one)] = fix_agent(
                load_agent(one, setting.game, setting.rules, setting.seed)
                if isinstance(one, str)
                else one
            )
        found.append(loaded[_key(one)])
    different = {id(one): one for one in found}
    names = number_names(one.name + SEES_ALL * one.sees_all for one in different.values())
    called = dict(zip(different, names, strict=True))
    return [(called[id(one)], one) for one in found]


def default_field(game: Game) -> list[str]:
    """Return who sits in a field that nobody has named: greedy, and the players by rule."""
    return ["greedy", *game.rule_agents]


def _refuse_people(agents: Sequence[FixedAgent]) -> None:
    for agent in agents:
        if agent.at_once is not None:
            raise ValueError(
                f"agent {agent.name!r} plays one hand at a time and would see each deal from every "
                "seat: see parlour play"
            )


def _list_seatings(
    cast: Mapping[str, FixedAgent], field: list[Named]
) -> Iterator[tuple[str, list[Named], bool]]:
    """Who plays among whom: each in the field, then each among every other."""
    for name in cast:
        yield name, field, False
    for name in cast:
        for other, agent in cast.items():
            if other != name:
                yield name, [(other, agent)], True


def _evaluate_agent(
    setting: DuplicateSpec,
    name: str,
    agent: FixedAgent,
    rivals: Sequence[Named],
    pair: bool,
    progress: Progress | None,
) -> Match:
    own = derive_key(setting.key, name, pair, *(rival for rival, _ in rivals))
    results = setting.play(agent, [rival for _, rival in rivals], own, progress)
    return Match(
        setting,
        name,
        agent.sees_all,
        agent.lookahead_config is not None,
        tuple(rival for rival, _ in rivals),
        pair,
        results,
    )
