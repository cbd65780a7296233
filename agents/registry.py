"""The agent protocol, and how an agent is found by its name.

An agent chooses for one game or ten thousand at once: ``act(turn) -> actions``. Random, greedy,
search, learned and human agents are the same to everything that plays them.
"""

import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from parlour.envs import Game
from parlour.envs.core.options import unknown_text
from parlour.envs.core.turn import (
    Agent,
    FixedAgent,
    IllegalActionError,
    Turn,
    choose_actions,
    make_turn,
    prepare_turn,
    random_floats,
)

from . import greedy, human, oracle, rollouts, uniform
from .artefact import read_network_name
from .greedy import HEURISTIC_NETWORK, GreedyAgent
from .mcts import MCTSAgent, trained_reward
from .pimc import PIMC_WORLDS, PimcAgent
from .policy_table import POLICY_TABLE_NETWORK as CHANCES
from .policy_table import PolicyTableAgent
from .value_table import VALUE_TABLE_NETWORK, ValueTableAgent

__all__ = [
    "Agent",
    "FixedAgent",
    "IllegalActionError",
    "Turn",
    "check_agent",
    "choose_actions",
    "fix_agent",
    "load_agent",
    "make_turn",
    "prepare_turn",
    "random_floats",
    "trained_folder",
]


BUILT_IN: dict[str, Callable[[int], Agent]] = {
    "uniform": uniform.make,
    "greedy": greedy.make,
    "human": human.make,
}
"""Who plays by a bare word, in every game: ``make(seed)``."""
AGENT_FILE = "agent.json"
"""The file that makes a folder a saved agent."""
TRAINED_SPEC = "trained"
"""The agent that comes with Parlour for the rules played."""
TRAINED_FOLDER = Path(__file__).parent / "trained"
"""Their folders, GAME-VARIANT."""
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
EXPECTIMAX_WIDTH = 8
"""The actions that expectimax compares."""
LONGEST_NAME = 80
"""Letters of an agent's name: tables, pictures and files show it whole."""
MOST_TRIES, MOST_MILLISECONDS = 10_000_000, 3_600_000.0
"""The largest budgets of one decision; more would run for days, or not fit into memory."""


def load_agent(spec: str, game: Game, rules: Any, seed: int = 0) -> Agent:
    """Return the agent named by ``spec``: a built-in one, a saved one's folder, or one's own.

    ``"uniform"``, ``"greedy"``, ``"human"``; ``"oracle"`` or ``"oracle:fewest"``, which sees all
    cards, in games with a solver; a player by rule of the game (`Game.rule_agents`);
    ``"trained"``, the one that comes with Parlour for these rules; the path of an artefact folder
    (or of the ``agent.json`` in it), or of a run that made one agent; ``"expectimax:PATH"``, such a
    one with a table of values, looking one ply further; ``"rollouts:greedy"`` or
    ``"rollouts:PATH"``, such a one playing every action out; ``"mcts"``, a tree search that greedy
    leads, or ``"mcts:"`` and who else leads it; ``"pimc"``, who deals worlds and has the game's
    exact solver judge them; ``"mymodule:MyAgent"``, an agent, or a class that is called with
    ``seed`` where it takes one. The last three prefixes (`PREFIXES`) take a budget for each
    decision: ``"rollouts@2000:greedy"`` or ``"pimc@100"`` worlds, ``"mcts@800"`` iterations,
    ``"mcts@50ms"``.
    Raises ValueError saying what is wrong and what is allowed.
    """
    if not spec:
        raise ValueError(f"agent {spec!r}: name an agent, such as {', '.join(BUILT_IN)}")
    if spec in BUILT_IN:
        return BUILT_IN[spec](seed)
    if spec.partition(":")[0] == ORACLE:
        return oracle.make_oracle(game, rules, spec.partition(":")[2])
    if spec in game.rule_agents:
        return GreedyAgent(spec, rule_agent=spec)
    if re.split("[:@]", spec)[0] in PREFIXES:
        return _load_prefixed(spec, game, rules, seed)
    path = _agent_path(spec, game, rules)
    if path.is_dir() or path.name == AGENT_FILE:
        return check_agent(_load_saved(path, game, rules), spec)
    if ":" in spec:
        return _load_own_class(spec, seed)
    if len(path.parts) > 1:
        raise ValueError(f"agent {spec!r}: there is no such folder")
    raise ValueError(
        unknown_text("agent", spec, [*BUILT_IN, ORACLE, TRAINED_SPEC, *game.rule_agents])
        + ", the folder of a saved agent or run, or module:Class"
        + f"; {' or '.join(f'{prefix}:' for prefix in PREFIXES)} before it"
    )


class Budget(NamedTuple):
    """What a decision may cost: ``number`` tries (None: as many as usual), or milliseconds."""

    number: int | None = None
    milliseconds: float | None = None


class Prefix(NamedTuple):
    """A word before another agent's name, of whom it makes one that thinks longer.

    ``make(rest, game, rules, seed, budget)`` makes it, ``rest`` being that name; ``alone`` is the
    name where none is given (empty: one must be). ``counts`` says what the number of a budget
    counts (empty: it takes none); ``several``: it plays at tables of several seats, too.
    """

    make: Callable[[str, Game, Any, int, Budget], Agent]
    alone: str = ""
    counts: str = ""
    several: bool = False


def _load_prefixed(spec: str, game: Game, rules: Any, seed: int) -> Agent:
    kind, colon, rest = spec.partition(":")
    word, at, budget = kind.partition("@")
    prefix = PREFIXES[word]
    if game.num_players(rules) > 1 and not prefix.several:
        raise ValueError(f"agent {spec!r}: {word} is for games of one player")
    rest = rest if colon else prefix.alone
    if not rest:
        raise ValueError(
            f"agent {spec!r}: name an agent behind {word}:, such as greedy or {TRAINED_SPEC}"
        )
    if not at:
        return prefix.make(rest, game, rules, seed, Budget())
    agent = prefix.make(rest, game, rules, seed, _budget(spec, word, budget))
    agent.name += f"@{budget}"  # so that tables tell budgets apart
    return agent


def _budget(spec: str, word: str, text: str) -> Budget:
    """Read what stands behind @; ValueError saying what may."""
    counts = PREFIXES[word].counts
    if not counts:
        raise ValueError(f"agent {spec!r}: {word} takes no budget")
    found = re.fullmatch(r"([0-9]+)|([0-9]+(?:\.[0-9]+)?)ms", text)
    if found is None or not float(found[1] or found[2]):
        raise ValueError(
            f"agent {spec!r}: budget {text!r}; allowed are {counts} from 1, such as {word}@500, or "
            f"milliseconds, such as {word}@50ms"
        )
    if float(found[1] or 0) > MOST_TRIES or float(found[2] or 0) > MOST_MILLISECONDS:
        raise ValueError(
            f"agent {spec!r}: budget {text!r}; at most {MOST_TRIES:,} {counts} are allowed, or "
            f"{MOST_MILLISECONDS:,.0f} ms"
        )
    return Budget(int(found[1])) if found[1] else Budget(None, float(found[2]))


def _expectimax(rest: str, game: Game, rules: Any, seed: int, budget: Budget) -> Agent:
    table = _agent_path(rest, game, rules)
    if not table.exists():
        raise ValueError(f"agent '{EXPECTIMAX}:{rest}': there is no folder {rest!r}")
    return _load_saved(table, game, rules, EXPECTIMAX_WIDTH)


def _rollouts(rest: str, game: Game, rules: Any, seed: int, budget: Budget) -> Agent:
    return rollouts.make_rollout_agent(load_agent(rest, game, rules, seed), rest, *budget)


def _mcts(rest: str, game: Game, rules: Any, seed: int, budget: Budget) -> Agent:
    player = load_agent(rest, game, rules, seed)
    if not hasattr(player, "network"):
        return MCTSAgent(player, *budget, seed=seed)
    reward = trained_reward(_find_agent_folder(_agent_path(rest, game, rules)), game, rules)
    return MCTSAgent(player, *budget, reward=reward, seed=seed)


def _pimc(rest: str, game: Game, rules: Any, seed: int, budget: Budget) -> Agent:
    player = load_agent(rest, game, rules, seed)
    return PimcAgent(game, rules, player, budget.number or PIMC_WORLDS, budget.milliseconds)


PREFIXES = {
    EXPECTIMAX: Prefix(_expectimax),
    ROLLOUTS: Prefix(_rollouts, counts="whole numbers of worlds"),
    MCTS: Prefix(_mcts, "greedy", "whole numbers of iterations", several=True),
    PIMC: Prefix(_pimc, "greedy", "whole numbers of worlds"),
}
"""Every prefix by its word: the one table."""


def _agent_path(spec: str, game: Game, rules: Any) -> Path:
    return trained_folder(game, rules) if spec == TRAINED_SPEC else Path(spec)


def trained_folder(game: Game, rules: Any) -> Path:
    """Return the folder of the agent that comes with Parlour for a variant; ValueError if none."""
    folder = TRAINED_FOLDER / f"{game.name}-{game.variant_name(rules)}"
    if not folder.is_dir():
        there = sorted(path.name for path in TRAINED_FOLDER.glob("*-*"))
        raise ValueError(
            f"agent {TRAINED_SPEC!r}: none comes with Parlour for these rules; there are "
            f"{', '.join(there)}"
        )
    return folder


def _load_saved(path: Path, game: Game, rules: Any, width: int = 0) -> Agent:
    """The agent in a folder; ``width``: one that plays by a table is to look a ply ahead."""
    folder = _find_agent_folder(path)
    network = read_network_name(folder)
    if network == VALUE_TABLE_NETWORK:
        return ValueTableAgent.load(folder, game, rules, width)
    if width:
        raise ValueError(f"{EXPECTIMAX}:{path}: only an agent with a table of values can do that")
    if network == CHANCES:
        return PolicyTableAgent.load(folder, game, rules)
    if network == HEURISTIC_NETWORK:
        return GreedyAgent.load(folder, game, rules)
    from .learned import LearnedAgent  # torch is loaded only when a network plays

    return LearnedAgent.load(folder, game, rules)


def _find_agent_folder(folder: Path) -> Path:
    """The one agent that a training run, or one seed of it, has made; another path as it is.

    Raises ValueError if there are several, or none because the run has not been finished.
    """
    if not folder.is_dir() or (folder / AGENT_FILE).exists():
        return folder
    made = sorted(card.parent for card in folder.glob(f"agent/{AGENT_FILE}"))
    made = made or sorted(card.parent for card in folder.glob(f"seed-*/agent/{AGENT_FILE}"))
    if len(made) == 1:
        return made[0]
    if made:
        raise ValueError(f"{folder}: several agents, name one: {', '.join(map(str, made))}")
    for run in (folder, folder.parent):
        if (run / "settings.json").exists():
            raise ValueError(f"{run}: this run is not finished; parlour train --resume {run}")
    return folder


def _load_own_class(spec: str, seed: int) -> Agent:
    module_name, _, attribute = spec.partition(":")
    try:
        made = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"agent {spec!r}: {error}") from error
    except (Exception, SystemExit) as error:  # the module is somebody's program: it may do anything
        raise ValueError(
            f"agent {spec!r}: its module could not be imported: {type(error).__name__}: {error}"
        ) from error
    return check_agent(_called(spec, made, seed) if isinstance(made, type) else made, spec)


def _called(spec: str, made: type, seed: int) -> Any:
    """An agent of one's own class; ValueError if it cannot be called with ``seed`` alone."""
    try:
        known = inspect.signature(made).parameters
    except ValueError:  # of a class that is not written in Python nothing is known
        known = MappingProxyType({})
    wanted = [name for name, one in known.items() if name != "seed" and _is_needed(one)]
    if wanted:
        raise ValueError(
            f"agent {spec!r}: its class wants {', '.join(wanted)}; give each a default, for it is "
            "called with seed alone, or with nothing"
        )
    try:
        return made(seed=seed) if "seed" in known else made()
    except SystemExit as error:
        raise ValueError(f"agent {spec!r}: its class left with SystemExit: {error}") from error


def _is_needed(one: inspect.Parameter) -> bool:
    return one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)


def check_agent(agent: Any, spec: str = "") -> Agent:
    """Return an agent whose fields can be relied on; ``spec`` is what it was loaded by, if it was.

    Where it has none, it gets a name, that of its class, and ``sees_all`` False. Raises ValueError
    naming agent, field, value and what is allowed.
    """
    if isinstance(agent, FixedAgent):
        return agent
    own = spec.rpartition(":")[2] or getattr(agent, "__name__", type(agent).__name__)
    called = repr(spec or own)
    if isinstance(agent, type):
        raise ValueError(f"agent {called} is a class: give an object of it, such as {own}()")
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"agent {called} has no method act(turn); see parlour.agents.Agent")
    for field, value in (("name", own), ("sees_all", False)):
        if not hasattr(agent, field):
            try:
                setattr(agent, field, value)
            except (AttributeError, TypeError) as error:  # slots, or frozen
                raise ValueError(
                    f"agent {called} has no {field}, and takes none: {error}"
                ) from error
    _check_fields(agent, called)
    return cast(Agent, agent)


def fix_agent(agent: Any) -> FixedAgent:
    """Check an agent as `check_agent` does, and fix what it says of itself."""
    fixed = FixedAgent(check_agent(agent))
    _check_fields(fixed, repr(fixed.name))
    return fixed


def _check_fields(agent: Any, called: str) -> None:
    name, sees_all = agent.name, agent.sees_all
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ValueError(f"agent {called}: name={name!r}: allowed is one line of printable text")
    if len(name) > LONGEST_NAME:
        raise ValueError(
            f"agent {called}: name={name!r}: {len(name)} letters; allowed are 1–{LONGEST_NAME}"
        )
    if not isinstance(sees_all, bool):
        raise ValueError(f"agent {called}: sees_all={sees_all!r}: allowed are False, True")
