"""The agent protocol, and how an agent is found by its name.

An agent chooses for one game or ten thousand at once: ``act(turn) -> actions``. Random, greedy,
search, learned and human agents are the same to everything that plays them.
"""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from parlour.envs import Game
from parlour.envs.core.options import unknown_text
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

from . import human
from .baselines import greedy, uniform
from .baselines.greedy import HEURISTIC_NETWORK, GreedyAgent
from .folders import TRAINED_SPEC, find_agent_folder, trained_folder
from .networks.policy_table import POLICY_TABLE_NETWORK as CHANCES
from .networks.policy_table import PolicyTableAgent
from .networks.value_table import VALUE_TABLE_NETWORK, ValueTableAgent
from .own_class import load_own_class
from .saved import AGENT_FILE, read_network_name, read_rules
from .search import oracle
from .search.budget import Budget, read_budget
from .search.hindsight import HindsightAgent
from .search.inference import check_auction
from .search.mcts import MCTSAgent, trained_reward
from .search.nested import NestedAgent
from .search.pimc import PIMC_BIDS, PimcAgent
from .search.rollouts import RolloutAgent
from .spec_names import is_there, rename, split_name

__all__ = [
    "Agent",
    "FixedAgent",
    "IllegalActionError",
    "Turn",
    "can_load",
    "check_agent",
    "choose_actions",
    "find_saved",
    "imports_code",
    "is_person",
    "load_agent",
    "make_turn",
    "prepare_turn",
    "random_floats",
    "split_name",
    "trained_folder",
]


BUILT_IN: dict[str, Callable[[int], Agent]] = {
    "uniform": uniform.make,
    "greedy": greedy.make,
    "human": human.make,
}
"""Who plays by a bare word, in every game: ``make(seed)``."""
ORACLE = "oracle"
"""Plays what the game's solver says of the true cards; ``oracle:fewest``: in the fewest moves."""
EXPECTIMAX = "expectimax"
"""In front of a saved agent's path: it looks one ply further, over all cards that may come."""
ROLLOUTS = "rollouts"
"""In front of ``greedy`` or of an agent with a table: it tries every action out, to the end."""
MCTS = "mcts"
"""In front of uniform, greedy, a player by rule or a saved agent: it searches, led by that."""
PIMC = "pimc"
"""Alone, or in front of who decides between equals: worlds are dealt, and solved exactly."""
HINDSIGHT = "hindsight"
"""Alone, or in front of who goes on where all is lost: a search of the game's own for plans."""
NESTED = "nested"
"""Alone, or in front of greedy or an agent with a table: its rollouts, played out by rollouts."""
EXPECTIMAX_WIDTH = 8
"""The actions that expectimax compares."""


class Request(NamedTuple):
    """For what an agent is looked for: see `load_agent`."""

    game: Game
    rules: Any
    seed: int = 0
    any_rules: bool = False
    is_named: bool = False
    """Whether the spec gives the agent a name, as ``mine=PATH`` does."""


def load_agent(spec: str, game: Game, rules: Any, seed: int = 0, any_rules: bool = False) -> Agent:
    """Return the agent named by ``spec``: a built-in one, a saved one's folder, or one's own.

    ``"uniform"``, ``"greedy"``, ``"human"``; ``"oracle"`` or ``"oracle:fewest"``, which sees all
    cards, in games with a solver; a player by rule of the game (`Game.rule_agents`);
    ``"trained"``, the one that comes with Parlour for these rules; the path of an artefact folder
    (or of the ``agent.json`` in it), or of a run that made one agent; ``"expectimax:PATH"``, such a
    one with a table of values, looking one ply further; ``"rollouts:greedy"`` or
    ``"rollouts:PATH"``, such a one playing every action out; ``"mcts"``, a tree search that greedy
    leads, or ``"mcts:"`` and who else leads it; ``"pimc"``, worlds solved, ``"pimc-bids"`` those
    that fit the bids; ``"hindsight"``, the game's own search for plans; ``"nested"``, rollouts in
    rollouts; ``"mymodule:MyAgent"``, your own, is called with ``seed`` where it takes one. All
    `PREFIXES` but expectimax take a budget, ``"mcts@50ms"``. ``"mine=PATH"`` calls one mine.

    ``any_rules``: a saved agent may have been trained by other rules of its game; what it returns
    then has ``other_rules`` True. A saved agent must not have the name of a built-in one.
    Raises ValueError saying what is wrong and what is allowed.
    """
    name, spec = split_name(spec)
    if name is not None and name != spec and is_reserved(name, game):
        raise ValueError(f"agent {name}={spec}: name must not be {RESERVED_TEXT}, got {name!r}")
    agent = _load(spec, Request(game, rules, seed, any_rules, name is not None))
    return agent if name is None else rename(agent, name)


def _load_player(spec: str, asked: Request) -> Agent:
    """Return the agent that leads another one, such as a search."""
    return load_agent(spec, *asked[:-1])


RESERVED_TEXT = "that of a built-in agent"


def is_reserved(name: str, game: Game) -> bool:
    """Return whether this is the name of a built-in agent, or of a search led by one."""
    base = re.split("[:@]", name.casefold().strip(" *+~"))[0]
    base = re.sub(f"(-({'|'.join(map(re.escape, PREFIXES))}))+$", "", base)
    return base in {*BUILT_IN, ORACLE, f"{ORACLE}-fewest", TRAINED_SPEC, *PREFIXES} or (
        base in game.rule_agents
    )


def _check_name(agent: Agent, source: object, asked: Request) -> Agent:
    """Return a saved agent; ValueError if it has the name of a built-in one."""
    if not asked.is_named and is_reserved(agent.name, asked.game):
        raise ValueError(
            f"{source}: field name must not be {RESERVED_TEXT}, got {agent.name!r}; give it "
            f"another name: NAME={source}"
        )
    return agent


def _load(spec: str, asked: Request) -> Agent:
    """Return the agent that a spec without a name of its own stands for."""
    game, rules, seed = asked[:3]
    if not spec:
        raise ValueError(f"agent {spec!r}: name an agent, such as {', '.join(BUILT_IN)}")
    if spec in BUILT_IN:
        return BUILT_IN[spec](seed)
    if spec.partition(":")[0] == ORACLE:
        return oracle.make_oracle(game, rules, spec.partition(":")[2])
    if spec in game.rule_agents:
        return GreedyAgent(spec, rule_agent=spec)
    if re.split("[:@]", spec)[0] in PREFIXES:
        return _load_prefixed(spec, asked)
    path = _agent_path(spec, asked)
    if path.is_dir() or path.name == AGENT_FILE:
        return check_agent(_load_saved(path, asked), spec)
    if ":" in spec:
        return load_own_class(spec, seed)
    if len(path.parts) > 1:
        raise ValueError(f"agent {spec!r}: there is no such folder")
    raise ValueError(
        unknown_text("agent", spec, [*BUILT_IN, ORACLE, TRAINED_SPEC, *game.rule_agents])
        + ", the folder of a saved agent or run, or module:Class"
        + f"; {' or '.join(f'{prefix}:' for prefix in PREFIXES)} before it"
    )


class Prefix(NamedTuple):
    """A word before another agent's name, of whom it makes one that thinks longer.

    ``make(rest, asked, budget)`` makes it, ``rest`` being that name; ``alone`` is the
    name where none is given (empty: one must be). ``counts`` says what the number of a budget
    counts (empty: it takes none), ``timed`` whether it may be milliseconds; ``several``: it plays
    at tables of several seats, too, ``solved``: at those of games with an exact solver.
    """

    make: Callable[[str, Request, Budget], Agent]
    alone: str = ""
    counts: str = ""
    several: bool = False
    timed: bool = True
    solved: bool = False


def _load_prefixed(spec: str, asked: Request) -> Agent:
    kind, colon, rest = spec.partition(":")
    word, at, text = kind.partition("@")
    prefix = PREFIXES[word]
    takes = prefix.several or (prefix.solved and asked.game.winnable_after is not None)
    if asked.game.num_players(asked.rules) > 1 and not takes:
        raise ValueError(f"agent {spec!r}: {word} is for games of one player")
    rest = rest if colon else prefix.alone
    if not rest:
        raise ValueError(
            f"agent {spec!r}: name an agent behind {word}:, such as greedy or {TRAINED_SPEC}"
        )
    budget = read_budget(spec, word, prefix.counts, text, prefix.timed) if at else Budget()
    agent = prefix.make(rest, asked, budget)
    if at:
        agent.name += f"@{text}"  # so that tables tell budgets apart
    return agent


def _mark_other_rules(agent: Agent, other_rules: bool) -> Agent:
    """Note on an agent whether it, or who leads it, was trained by other rules."""
    if other_rules:
        agent.other_rules = True  # type: ignore[attr-defined]
    return agent


def _expectimax(rest: str, asked: Request, budget: Budget) -> Agent:
    table = _agent_path(rest, asked)
    if not table.exists():
        raise ValueError(f"agent '{EXPECTIMAX}:{rest}': there is no folder {rest!r}")
    return _load_saved(table, asked, EXPECTIMAX_WIDTH)


def _rollouts(cards_only: bool, rest: str, asked: Request, budget: Budget) -> Agent:
    if cards_only:
        check_auction(asked.game)
    player = _load_player(rest, asked)
    return _led_by(player, RolloutAgent(player, *budget, cards_only=cards_only))


def _mcts(rest: str, asked: Request, budget: Budget) -> Agent:
    player = _load_player(rest, asked)
    if not hasattr(player, "network"):
        return _led_by(player, MCTSAgent(player, *budget, seed=asked.seed))
    folder = find_agent_folder(_agent_path(split_name(rest)[1], asked))
    reward = trained_reward(folder, asked.game, None if asked.any_rules else asked.rules)
    return _led_by(player, MCTSAgent(player, *budget, reward=reward, seed=asked.seed))


def _search(kind: Any, rest: str, asked: Request, budget: Budget) -> Agent:
    player = _load_player(rest, asked)
    timed = {} if budget.milliseconds is None else {"milliseconds": budget.milliseconds}
    return _led_by(player, kind(asked.game, asked.rules, player, budget.number, **timed))


def _led_by(player: Agent, agent: Agent) -> Agent:
    return _mark_other_rules(agent, agent_field(player, "other_rules"))


TRIES = "whole numbers of iterations"
WORLDS = "whole numbers of worlds"
PREFIXES = {
    EXPECTIMAX: Prefix(_expectimax),
    ROLLOUTS: Prefix(partial(_rollouts, False), counts=WORLDS, several=True),
    "rollouts-cards": Prefix(partial(_rollouts, True), counts=WORLDS, several=True),
    MCTS: Prefix(_mcts, "greedy", TRIES, several=True),
    PIMC: Prefix(partial(_search, PimcAgent), "greedy", WORLDS, solved=True),
    "pimc-bids": Prefix(partial(_search, PIMC_BIDS), "greedy", WORLDS, solved=True),
    HINDSIGHT: Prefix(partial(_search, HindsightAgent), "greedy", TRIES, timed=False),
    NESTED: Prefix(partial(_search, NestedAgent), "greedy", WORLDS, timed=False),
}
"""Every prefix by its word: the one table."""


def _agent_path(spec: str, asked: Request) -> Path:
    if spec != TRAINED_SPEC:
        return Path(spec)
    return trained_folder(asked.game, asked.rules, asked.any_rules)


def can_load(spec: str, game: Game, rules: Any) -> bool:
    """Return whether `load_agent` takes a name for these rules of a game."""
    try:
        load_agent(spec, game, rules)
    except ValueError:
        return False
    return True


def imports_code(spec: str) -> bool:
    """Return whether loading an agent imports a module of your own, as ``module:Class`` does.

    A name that comes from a file, and not from the user, must not do that.
    """
    _, spec = split_name(spec)
    word, colon, rest = spec.partition(":")
    if not colon or word == ORACLE or is_there(Path(spec)):
        return False
    return imports_code(rest) if word.partition("@")[0] in PREFIXES else True


def find_saved(spec: str, game: Game, rules: Any) -> Path | None:
    """Return the folder of the saved agent that ``spec`` names or that leads it; None if none does.

    Raises ValueError where `load_agent` does because of that folder.
    """
    _, spec = split_name(spec)
    word = re.split("[:@]", spec)[0]
    if word in PREFIXES:
        rest = spec.partition(":")[2] or PREFIXES[word].alone
        return find_saved(rest, game, rules) if rest else None
    if not spec or word == ORACLE or spec in (*BUILT_IN, *game.rule_agents):
        return None
    path = _agent_path(spec, Request(game, rules))
    return find_agent_folder(path) if path.is_dir() or path.name == AGENT_FILE else None


def _load_saved(path: Path, asked: Request, width: int = 0) -> Agent:
    """The agent in a folder; ``width``: one that plays by a table is to look a ply ahead."""
    folder = find_agent_folder(path)
    if not asked.any_rules:
        return _check_name(_load_kind(folder, asked.game, asked.rules, width), path, asked)
    agent = _check_name(_load_kind(folder, asked.game, None, width), path, asked)
    return _mark_other_rules(agent, asked.rules not in read_rules(folder, asked.game))


def _load_kind(folder: Path, game: Game, rules: Any, width: int) -> Agent:
    network = read_network_name(folder)
    if network == VALUE_TABLE_NETWORK:
        return ValueTableAgent.load(folder, game, rules, width)
    if width:
        raise ValueError(f"{EXPECTIMAX}:{folder}: only an agent with a table of values can do that")
    if network == CHANCES:
        return PolicyTableAgent.load(folder, game, rules)
    if network == HEURISTIC_NETWORK:
        return GreedyAgent.load(folder, game, rules)
    from .networks.learned import LearnedAgent  # torch is loaded only when a network plays

    return LearnedAgent.load(folder, game, rules)
