"""The agent protocol, and how an agent is found by its name.

An agent chooses for one game or ten thousand at once: ``act(turn) -> actions``. Random, greedy,
search, learned and human agents are the same to everything that plays them.
"""

import importlib
import inspect
from pathlib import Path
from typing import Any

from parlour.envs import Game
from parlour.envs.core.options import unknown
from parlour.envs.core.turn import Agent, IllegalChoice, Turn, choose, draws, look

__all__ = ["Agent", "IllegalChoice", "Turn", "choose", "draws", "load", "look", "trained"]


BUILT_IN = ("uniform", "greedy", "human")
CARD = "agent.json"
"""The file that makes a folder a saved agent."""
TRAINED = "trained"
"""The agent that comes with Parlour for the rules played."""
SHARED = Path(__file__).parent / "trained"
"""Their folders, GAME-VARIANT."""
EXPECTIMAX = "expectimax"
"""In front of a saved agent's path: it looks one ply further, over all cards that may come."""
ROLLOUTS = "rollouts"
"""In front of ``greedy`` or of an agent with a table: it tries every action out, to the end."""
WIDTH = 8
"""The actions that it compares so."""


def load(spec: str, game: Game, rules: Any, seed: int = 0) -> Agent:
    """Return the agent named by ``spec``: a built-in one, a saved one's folder, or one's own.

    ``"uniform"``, ``"greedy"``, ``"human"``; a player by rule of the game (`Game.players`);
    ``"trained"``, the one that comes with Parlour for these rules; the path of an artefact folder
    (or of the ``agent.json`` in it), or of a run that made one agent; ``"expectimax:PATH"``, such a
    one with a table of values, looking one ply further; ``"rollouts:greedy"`` or
    ``"rollouts:PATH"``, such a one playing every action out; ``"mymodule:MyAgent"``, an agent, or a
    class that is called with ``seed`` where it takes one. Raises ValueError saying what is wrong
    and what is allowed.
    """
    if not spec or spec in (f"{EXPECTIMAX}:", f"{ROLLOUTS}:"):
        raise ValueError(f"agent {spec!r}: name an agent, such as {', '.join(BUILT_IN)}")
    if spec in BUILT_IN:
        module = importlib.import_module(f".{spec}", __package__)
        agent: Agent = module.make(seed)
        return agent
    if spec in game.players:
        from .greedy import GreedyAgent

        return GreedyAgent(spec, player=spec)
    kind, _, rest = spec.partition(":")
    if kind in (EXPECTIMAX, ROLLOUTS) and game.players_of(rules) > 1:
        raise ValueError(f"agent {spec!r}: {kind} is for games of one player")
    if kind == EXPECTIMAX:
        table = _place(rest, game, rules)
        if not table.exists():
            raise ValueError(f"agent {spec!r}: there is no folder {rest!r}")
        return _saved(table, game, rules, WIDTH)
    if kind == ROLLOUTS:
        from .rollouts import of

        return of(load(rest, game, rules, seed), rest)
    path = _place(spec, game, rules)
    if path.is_dir() or path.name == CARD:
        return _saved(path, game, rules)
    if ":" in spec:
        return _own(spec, seed)
    if len(path.parts) > 1:
        raise ValueError(f"agent {spec!r}: there is no such folder")
    raise ValueError(
        unknown("agent", spec, [*BUILT_IN, TRAINED, *game.players])
        + ", the folder of a saved agent or run, or module:Class"
        + f"; {EXPECTIMAX}: or {ROLLOUTS}: before it"
    )


def _place(spec: str, game: Game, rules: Any) -> Path:
    return trained(game, rules) if spec == TRAINED else Path(spec)


def trained(game: Game, rules: Any) -> Path:
    """Return the folder of the agent that comes with Parlour for a variant; ValueError if none."""
    folder = SHARED / f"{game.name}-{game.variant_of(rules)}"
    if not folder.is_dir():
        there = sorted(path.name for path in SHARED.glob("*-*"))
        raise ValueError(
            f"agent {TRAINED!r}: none comes with Parlour for these rules; there are "
            f"{', '.join(there)}"
        )
    return folder


def _saved(path: Path, game: Game, rules: Any, width: int = 0) -> Agent:
    """The agent in a folder; ``width``: one that plays by a table is to look a ply ahead."""
    from .artefact import network_of
    from .greedy import HEURISTIC, GreedyAgent
    from .tabular import TABLE as CHANCES
    from .tabular import TabularAgent
    from .values import TABLE, ValueAgent

    folder = _made_by(path)
    network = network_of(folder)
    if network == TABLE:
        return ValueAgent.load(folder, game, rules, width)
    if width:
        raise ValueError(f"{EXPECTIMAX}:{path}: only an agent with a table of values can do that")
    if network == CHANCES:
        return TabularAgent.load(folder, game, rules)
    if network == HEURISTIC:
        return GreedyAgent.load(folder, game, rules)
    from .learned import LearnedAgent  # torch is loaded only when a network plays

    return LearnedAgent.load(folder, game, rules)


def _made_by(folder: Path) -> Path:
    """The one agent that a training run, or one seed of it, has made; another path as it is.

    Raises ValueError if there are several, or none because the run has not been finished.
    """
    if not folder.is_dir() or (folder / CARD).exists():
        return folder
    made = sorted(card.parent for card in folder.glob(f"agent/{CARD}"))
    made = made or sorted(card.parent for card in folder.glob(f"seed-*/agent/{CARD}"))
    if len(made) == 1:
        return made[0]
    if made:
        raise ValueError(f"{folder}: several agents, name one: {', '.join(map(str, made))}")
    for run in (folder, folder.parent):
        if (run / "settings.json").exists():
            raise ValueError(f"{run}: this run is not finished; parlour train --resume {run}")
    return folder


def _own(spec: str, seed: int) -> Agent:
    module_name, _, attribute = spec.partition(":")
    try:
        made = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"agent {spec!r}: {error}") from error
    if isinstance(made, type):
        takes_seed = "seed" in inspect.signature(made).parameters
        agent = made(seed=seed) if takes_seed else made()
    else:
        agent = made
    if not hasattr(agent, "act"):
        raise ValueError(f"agent {spec!r} has no method act(turn); see parlour.agents.agent.Agent")
    if not hasattr(agent, "name"):
        agent.name = attribute
    if not hasattr(agent, "sees_all"):
        agent.sees_all = False
    return agent
