"""Agents by name: `load_agent` returns the agent that a spec such as ``mcts@200:pretrained`` names.

All agents have the same batched interface: ``act(turn) -> actions`` chooses one action for each
game of the turn. Code that plays games does not distinguish random, rule-based, search, learned and
human agents.
"""

import importlib
import inspect
import re
from collections.abc import Callable
from copy import copy
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from parlour.envs import Game
from parlour.envs.core.options import add_allowed, unknown_text
from parlour.envs.core.turn import (
    Agent,
    FixedAgent,
    IllegalActionError,
    Turn,
    agent_field,
    check_agent,
    choose_actions,
    is_person,
    make_turn,
    prepare_turn,
    random_floats,
)
from parlour.extras import name_extra

from .agent_spec import (
    BUILT_IN,
    LLM,
    ORACLE,
    SEARCHES,
    AgentSpec,
    Budget,
    SpecKind,
    imports_code,
    parse_spec,
    read_budget,
    split_name,
)
from .baselines import HEURISTIC_NETWORK, GreedyAgent, UniformAgent
from .human import HumanAgent
from .llm import make_llm_agent
from .networks.plan_network import PLAN_NETWORK, PlanNetworkAgent
from .networks.policy_table import POLICY_TABLE_NETWORK, PolicyTableAgent
from .networks.value_table import VALUE_TABLE_NETWORK, ValueTableAgent
from .saved import (
    PRETRAINED_SPEC,
    digest_agent,
    find_agent_folder,
    find_pretrained_folder,
    read_network_name,
    read_rules,
)
from .search.inference import check_auction
from .search.mcts import MCTSAgent, trained_reward
from .search.nested import NestedAgent
from .search.pimc import PimcAgent
from .search.planner import HindsightAgent, make_oracle
from .search.rollouts import RolloutAgent

__all__ = [
    "Agent",
    "FixedAgent",
    "IllegalActionError",
    "Turn",
    "can_load",
    "check_agent",
    "choose_actions",
    "find_pretrained_folder",
    "find_saved",
    "imports_code",
    "is_person",
    "load_agent",
    "make_turn",
    "prepare_turn",
    "random_floats",
    "split_name",
]

RESERVED_TEXT = "that of a built-in agent"
EXPECTIMAX_WIDTH = 8
"""Number of actions that expectimax compares."""


class Request(NamedTuple):
    """The game and rules that an agent must support, and how to load it: see `load_agent`."""

    game: Game
    rules: Any
    seed: int = 0
    allow_rules_mismatch: bool = False


def load_agent(
    spec: str, game: Game, rules: Any, seed: int = 0, allow_rules_mismatch: bool = False
) -> Agent:
    """Return the agent that a spec names.

    A spec is one of

    - ``"uniform"``, ``"greedy"``, ``"human"``, or a rule-based agent of the game;
    - ``"oracle"`` or ``"oracle:fewest"``, which see all cards (games with a solver);
    - ``"pretrained"``, the agent that ships with Parlour for these rules;
    - the folder of a saved agent, its ``agent.json``, or the folder of a run with one agent;
    - ``"llm:URL"``, a language model behind an OpenAI-compatible server, such as
      ``"llm:http://127.0.0.1:8000?model=NAME"``;
    - ``"mymodule:MyAgent"``, your own class, called with ``seed`` if it takes one;
    - a search, which another agent may guide: ``"mcts"``, ``"mcts:pretrained"``,
      ``"rollouts:greedy"``, ``"pimc"``, ``"pimc-bids"``, ``"hindsight"``, ``"nested"``,
      ``"expectimax:PATH"``. All except expectimax take a search budget, such as ``"mcts@100"``.
      The guide "Search agents" describes each search.

    ``"mine=PATH"`` names the agent "mine".

    Args:
        spec: name of the agent, see above.
        game: the game that the agent must play.
        rules: the rules that the agent must play by.
        seed: the seed of an agent that draws random numbers.
        allow_rules_mismatch: whether to accept a saved agent that was trained on other rules of the
            game. The field ``other_rules`` of such an agent is True.

    Raises:
        ValueError: the agent cannot be loaded, or a saved agent has the name of a built-in agent.
    """
    return _load_named(parse_spec(spec, game), Request(game, rules, seed, allow_rules_mismatch))


def can_load(spec: str, game: Game, rules: Any) -> bool:
    """Return whether `load_agent` accepts a spec for these rules of a game."""
    try:
        load_agent(spec, game, rules)
    except ValueError:
        return False
    return True


def find_saved(
    spec: str, game: Game, rules: Any, allow_rules_mismatch: bool = False
) -> Path | None:
    """Return the folder of the saved agent that a spec names, alone or as the guide of a search.

    Returns None if the spec names no saved agent. Raises ValueError if `load_agent` cannot use the
    folder.
    """
    saved = parse_spec(spec, game).innermost
    if not saved.is_saved:
        return None
    request = Request(game, rules, allow_rules_mismatch=allow_rules_mismatch)
    return find_agent_folder(_saved_path(saved, request))


def digest_saved(spec: str, game: Game, rules: Any, allow_rules_mismatch: bool = False) -> str:
    """Return the digest of the saved agent that a spec names, empty if it names none.

    Raises ValueError as `find_saved` does.
    """
    folder = find_saved(spec, game, rules, allow_rules_mismatch)
    return "" if folder is None else digest_agent(folder)


def is_reserved(name: str, game: Game) -> bool:
    """Return whether a name is that of a built-in agent, or of a search that one guides."""
    base = re.split("[:@]", name.casefold().strip(" *+~"))[0]
    base = re.sub(f"(-({'|'.join(map(re.escape, SEARCHES))}))+$", "", base)
    built_in = {*BUILT_IN, LLM, ORACLE, f"{ORACLE}-fewest", PRETRAINED_SPEC, *SEARCHES}
    return base in built_in or base in game.rule_agents


def _load_named(spec: AgentSpec, request: Request) -> Agent:
    """Load the agent of a spec, under the name that the spec gives it."""
    if spec.name is None:
        return _load(spec, request)
    if spec.name != spec.text and is_reserved(spec.name, request.game):
        raise ValueError(
            f"agent {spec.name}={spec.text}: name must not be {RESERVED_TEXT}, got {spec.name!r}"
        )
    return _rename(_load(spec, request), spec.name)


def _load(spec: AgentSpec, request: Request) -> Agent:
    game = request.game
    match spec.kind:
        case SpecKind.BUILT_IN:
            return _make_built_in(spec.word, request.seed)
        case SpecKind.ORACLE:
            return make_oracle(game, request.rules, spec.rest)
        case SpecKind.RULE_AGENT:
            return GreedyAgent(spec.word, rule_agent=spec.word)
        case SpecKind.SEARCH:
            return _load_search(spec, request)
        case SpecKind.SAVED | SpecKind.PRETRAINED:
            return check_agent(_load_saved(spec, request), spec.text)
        case SpecKind.LLM:
            return make_llm_agent(spec.rest)
        case SpecKind.CODE:
            return _load_user_agent(spec.text, request.seed)
    if not spec.text:
        raise ValueError(f"agent must be a name, such as {', '.join(BUILT_IN)}, got {spec.text!r}")
    if len(spec.path.parts) > 1:
        raise ValueError(f"agent {spec.text!r}: the folder does not exist")
    names = [*BUILT_IN, ORACLE, PRETRAINED_SPEC, *game.rule_agents]
    text = unknown_text("agent", spec.text, names)
    searches = ", ".join(f"{word}:AGENT" for word in SEARCHES)
    others = "the folder of a saved agent or run, llm:URL, module:Class, and searches with a guide"
    raise ValueError(add_allowed(text, f"{others}: {searches}"))


def _make_built_in(word: str, seed: int) -> Agent:
    if word == "uniform":
        return UniformAgent(seed)
    return GreedyAgent() if word == "greedy" else HumanAgent()


def _rename(agent: Agent, name: str) -> Agent:
    """Return a copy of an agent with another name."""
    renamed = copy(agent)  # the original may be shared by a user's module
    if isinstance(renamed, FixedAgent):
        return FixedAgent(renamed, name)
    renamed.name = name
    return check_agent(renamed)


# Saved agents.


def _saved_path(spec: AgentSpec, request: Request) -> Path:
    """Return the path that the spec of a saved agent names."""
    if spec.kind is SpecKind.PRETRAINED:
        return find_pretrained_folder(request.game, request.rules, request.allow_rules_mismatch)
    return spec.path


def _load_saved(spec: AgentSpec, request: Request, width: int = 0) -> Agent:
    """Load a saved agent; with ``width``, a table of values that looks one ply further ahead."""
    path = _saved_path(spec, request)
    folder = find_agent_folder(path)
    agent = _load_folder(folder, request, width)
    if spec.name is None and is_reserved(agent.name, request.game):
        raise ValueError(
            f"{path}: field name must not be {RESERVED_TEXT}, got {agent.name!r}. Give it "
            f"another name: NAME={path}"
        )
    if not request.allow_rules_mismatch:
        return agent
    return _mark_other_rules(agent, request.rules not in read_rules(folder, request.game))


def _load_folder(folder: Path, request: Request, width: int) -> Agent:
    network, game = read_network_name(folder), request.game
    if network == PLAN_NETWORK and not width:
        return PlanNetworkAgent.load(folder, game, request.rules, request.allow_rules_mismatch)
    rules = None if request.allow_rules_mismatch else request.rules
    if network == VALUE_TABLE_NETWORK:
        return ValueTableAgent.load(folder, game, rules, width)
    if width:
        raise ValueError(f"expectimax requires an agent with a table of values, got {folder}")
    if network == POLICY_TABLE_NETWORK:
        return PolicyTableAgent.load(folder, game, rules)
    if network == HEURISTIC_NETWORK:
        return GreedyAgent.load(folder, game, rules)
    with name_extra(f"the network in {folder}"):
        from .networks.learned import LearnedAgent  # imports torch, so only where a network plays

    return LearnedAgent.load(folder, game, rules)


def _mark_other_rules(agent: Agent, other_rules: bool) -> Agent:
    """Mark an agent if it, or the agent that guides it, was trained on other rules."""
    if other_rules:
        agent.other_rules = True  # type: ignore[attr-defined]
    return agent


# Searches.


def _load_search(spec: AgentSpec, request: Request) -> Agent:
    word, search, game = spec.word, SEARCHES[spec.word], request.game
    plays_several = search.several or (search.solved and game.winnable_after is not None)
    if game.num_players(request.rules) > 1 and not plays_several:
        if search.solved:
            raise ValueError(
                f"agent {spec.text!r}: {word} requires a game with a solver, got {game.title}"
            )
        raise ValueError(f"agent {spec.text!r}: {word} plays only games for one player")
    if spec.leader is None:
        raise ValueError(
            f"agent {spec.text!r}: {word} must have a guide after a colon, such as {word}:greedy "
            f"or {word}:{PRETRAINED_SPEC}"
        )
    agent = _SEARCH_MAKERS[word](spec.leader, request, read_budget(spec))
    if spec.budget is not None:
        agent.name += f"@{spec.budget}"  # distinguishes search budgets in tables
    return agent


def _make_expectimax(leader: AgentSpec, request: Request, budget: Budget) -> Agent:
    can_be_loaded = leader.is_saved and leader.name is None
    if not can_be_loaded or not _saved_path(leader, request).exists():
        raise ValueError(
            f"agent 'expectimax:{leader.text}': the folder {leader.text!r} does not exist"
        )
    return _load_saved(leader, request, EXPECTIMAX_WIDTH)


def _make_rollouts(
    leader: AgentSpec,
    request: Request,
    budget: Budget,
    cards_only: bool = False,
    by_bids: bool = False,
) -> Agent:
    if cards_only or by_bids:
        check_auction(request.game)
    player = _load_named(leader, request)
    return _led_by(player, RolloutAgent(player, *budget, cards_only=cards_only, by_bids=by_bids))


def _make_mcts(leader: AgentSpec, request: Request, budget: Budget) -> Agent:
    player = _load_named(leader, request)
    if not leader.is_saved or not hasattr(player, "network"):
        return _led_by(player, MCTSAgent(player, *budget, seed=request.seed))
    folder = find_agent_folder(_saved_path(leader, request))
    reward = trained_reward(
        folder, request.game, None if request.allow_rules_mismatch else request.rules
    )
    return _led_by(player, MCTSAgent(player, *budget, reward=reward, seed=request.seed))


def _make_pimc(leader: AgentSpec, request: Request, budget: Budget, by_bids: bool = False) -> Agent:
    player = _load_named(leader, request)
    agent = PimcAgent(request.game, request.rules, player, *budget, by_bids=by_bids)
    return _led_by(player, agent)


def _make_planner(
    make: type[HindsightAgent] | type[NestedAgent],
    leader: AgentSpec,
    request: Request,
    budget: Budget,
) -> Agent:
    player = _load_named(leader, request)
    return _led_by(player, make(request.game, request.rules, player, budget.number))


def _led_by(player: Agent, agent: Agent) -> Agent:
    return _mark_other_rules(agent, agent_field(player, "other_rules"))


_SEARCH_MAKERS: dict[str, Callable[[AgentSpec, Request, Budget], Agent]] = {
    "expectimax": _make_expectimax,
    "rollouts": _make_rollouts,
    "rollouts-cards": partial(_make_rollouts, cards_only=True),
    "rollouts-bids": partial(_make_rollouts, by_bids=True),
    "mcts": _make_mcts,
    "pimc": _make_pimc,
    "pimc-bids": partial(_make_pimc, by_bids=True),
    "hindsight": partial(_make_planner, HindsightAgent),
    "nested": partial(_make_planner, NestedAgent),
}
"""Makes a search from the spec of its guide, the request and the search budget; keys as in
`SEARCHES`."""


# Agents in the user's own code.


def _load_user_agent(spec: str, seed: int) -> Agent:
    """Import a module and return the agent in it. Raises ValueError if that fails."""
    module_name, _, attribute = spec.partition(":")
    try:
        made = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"agent {spec!r}: {error}") from error
    except (Exception, SystemExit) as error:  # user code may raise anything
        raise ValueError(
            f"agent {spec!r}: its module could not be imported: {type(error).__name__}: {error}"
        ) from error
    return check_agent(_instantiate(spec, made, seed) if isinstance(made, type) else made, spec)


def _instantiate(spec: str, made: type, seed: int) -> Any:
    """Return an instance of a class. Raises ValueError if it needs an argument except ``seed``."""
    try:
        parameters = inspect.signature(made).parameters
    except ValueError:  # a class of C code may have no signature
        parameters = MappingProxyType({})
    needed = [
        name for name, parameter in parameters.items() if name != "seed" and _is_needed(parameter)
    ]
    if needed:
        raise ValueError(
            f"agent {spec!r}: its class must have no required argument except seed, got "
            f"{', '.join(needed)}. Give each of them a default"
        )
    try:
        return made(seed=seed) if "seed" in parameters else made()
    except SystemExit as error:
        raise ValueError(f"agent {spec!r}: its class raised SystemExit: {error}") from error


def _is_needed(parameter: inspect.Parameter) -> bool:
    is_variadic = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    return parameter.default is parameter.empty and not is_variadic
