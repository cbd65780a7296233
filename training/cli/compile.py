"""``parlour compile``: compile the kernels of games, so that later commands start faster."""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from parlour.agents.agent_spec import HINDSIGHT, MCTS, ORACLE, PIMC
from parlour.agents.registry import can_load, choose_actions, load_agent, prepare_turn
from parlour.envs import GAMES, CardEnv, CardVectorEnv, Game, find_game
from parlour.envs.core.batch import Autoreset
from parlour.envs.core.kernel.compiling import COMPILATIONS
from parlour.envs.core.kernel.jit import count_compilations
from parlour.envs.core.rows import Rows
from parlour.envs.core.schema import ENCODINGS
from parlour.envs.core.solve import make_position, solver_of

from .arguments import add_game

SHORT_SEARCH = f"{MCTS}@2"
"""A search with a minimal search budget."""
LOOK = 12
"""Number of moves after which the stock is known and the agent searches plans."""


EXAMPLES = {
    "compile": """\
  parlour compile
  parlour compile pyramid

Compiled kernels are cached on disk. Without this command, each kernel is compiled on first use,
with a message on stderr.
""",
}


def add_compile(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour compile``."""
    add_game(parser, optional=True)


def run_compile(arguments: argparse.Namespace) -> int:
    """Compile the kernels of one game or all games, and print the time for each part."""
    names = list(GAMES) if arguments.game is None else [arguments.game]
    COMPILATIONS.quiet = True  # this command prints its own line for each part
    for game in map(find_game, names):
        for part, compile_part in PARTS.items():
            print(f"{game.name}: {part} ...", end="", flush=True)
            kernels, seconds = count_compilations(), COMPILATIONS.seconds
            compile_part(game)
            kernels, seconds = count_compilations() - kernels, COMPILATIONS.seconds - seconds
            print(f" {kernels} compiled, {seconds:.1f} s" if kernels else " nothing to compile")
    return 0


def compile_environments(game: Game) -> None:
    """Compile the environments by one step in each, in every encoding."""
    for rules in _kinds_of_rules(game):
        variant = game.variant_name(rules)
        for encoding in ENCODINGS:
            env = CardEnv(game, variant, encoding=encoding)
            _, info = env.reset(seed=0)
            env.step(info["action_mask"].argmax())
            env.restore(env.clone())
            for mode in Autoreset:
                envs = CardVectorEnv(
                    game, 2, variant, encoding=encoding, autoreset_mode=mode.name.lower()
                )
                _, infos = envs.reset(seed=0)
                envs.step(infos["action_mask"].argmax(axis=1))
        env.reset(options={"deal": 0})


def compile_agents(game: Game) -> None:
    """Compile the agents that need no training by one decision of each."""
    for rules in _kinds_of_rules(game):
        rows = Rows(game, rules, 2)
        rows.deal_numbered("warm", [0, 1])
        names = ["uniform", "greedy", *game.rule_agents, SHORT_SEARCH]
        if game.winnable_after is not None:
            names.append(f"{PIMC}@1")
            names += [ORACLE] if game.num_players(rules) == 1 else []
        for name in names:
            agent = load_agent(name, game, rules)
            choose_actions(agent, prepare_turn(agent, game, rules, rows.states, 0))
        if can_load(f"{HINDSIGHT}@2", game, rules):
            planner = load_agent(f"{HINDSIGHT}@2", game, rules)
            for _ in range(LOOK):
                turn = prepare_turn(planner, game, rules, rows.states, 0)
                rows.step(choose_actions(planner, turn))


def compile_solver(game: Game) -> None:
    """Compile the solver by short searches with a small limit."""
    rules = game.make_rules()
    if game.solve is None or game.num_players(rules) > 1:
        return
    state = make_position(game, rules, list(game.pack(rules)))
    solve = solver_of(game, rules)
    for optimal in (False, True):
        solve(state, rules, optimal=optimal, limit=1000)
    if game.winnable_after is not None:
        game.winnable_after(state, rules, limit=1000)


def _kinds_of_rules(game: Game) -> Iterator[Any]:
    """Yield the default rules, and the first rules for one or several players if those differ."""
    several = set()
    for variant in (game.default, *game.variants):
        rules = game.make_rules(variant)
        if (kind := game.num_players(rules) > 1) not in several:
            several.add(kind)
            yield rules


PARTS: dict[str, Callable[[Game], None]] = {
    "environments": compile_environments,
    "agents": compile_agents,
    "solver": compile_solver,
}
"""The functions that compile each part, in order."""
