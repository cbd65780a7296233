"""``parlour compile``: compile the kernels of games, so that later commands start faster."""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import numpy as np

from parlour.agents.agent_spec import HINDSIGHT, MCTS, ORACLE, PIMC
from parlour.agents.registry import can_load, choose_actions, load_agent, prepare_turn
from parlour.agents.saved import PRETRAINED_SPEC
from parlour.envs import GAMES, CardEnv, CardVectorEnv, Game, find_game
from parlour.envs.core.batch import Autoreset
from parlour.envs.core.kernel.compiling import COMPILATIONS, target_processor
from parlour.envs.core.kernel.jit import count_compilations
from parlour.envs.core.kernel.shipped import PROCESSOR, has_instructions, write_manifest
from parlour.envs.core.rows import Rows
from parlour.envs.core.schema import ENCODINGS
from parlour.envs.core.solve import make_position, solver_of
from parlour.envs.core.turn import legal_masks

from ..files import check_folder
from .arguments import MOST_JOBS, add_game, read_path, read_whole

SHORT_SEARCH = f"{MCTS}@2"
"""A search with a minimal search budget."""
LOOK = 12
"""Number of moves after which the stock is known and the agent searches plans."""


EXAMPLES = {
    "compile": """\
  parlour compile
  parlour compile pyramid
  parlour compile --no-solver --out build/kernels

Compiled kernels are cached on disk. Without this command, each kernel is compiled on first use,
with a message on stderr.
""",
}


def add_compile(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``parlour compile``."""
    add_game(parser, optional=True)
    parser.add_argument(
        "--jobs",
        type=read_whole(MOST_JOBS),
        default=1,
        help="number of games that are compiled at the same time (default: 1)",
    )
    parser.add_argument(
        "--no-solver",
        action="store_true",
        help="leave out the solvers and the agents that use them",
    )
    parser.add_argument(
        "--out",
        type=read_path,
        metavar="FOLDER",
        help=f"new folder for kernels that run on every {PROCESSOR} processor; used by make wheel "
        "(default: compile for this processor into the cache)",
    )


def run_compile(arguments: argparse.Namespace) -> int:
    """Compile the kernels of one game or all games, and print the time for each part."""
    names = list(GAMES) if arguments.game is None else [find_game(arguments.game).name]
    if arguments.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, got {arguments.jobs}")
    options = ["--no-solver"] if arguments.no_solver else []
    if arguments.out is not None:
        return compile_for_wheel(names, arguments.out, arguments.jobs, options)
    if arguments.jobs > 1 and len(names) > 1:
        return compile_in_processes(names, arguments.jobs, options)
    COMPILATIONS.quiet = True  # this command prints its own line for each part
    for game in map(find_game, names):
        for part, compile_part in PARTS.items():
            if part == SOLVER and arguments.no_solver:
                continue
            print(f"{game.name}: {part} ...", end="", flush=True)
            kernels, seconds = count_compilations(), COMPILATIONS.seconds
            compile_part(game)
            kernels, seconds = count_compilations() - kernels, COMPILATIONS.seconds - seconds
            print(f" {kernels} compiled, {seconds:.1f} s" if kernels else " nothing to compile")
    return 0


def compile_in_processes(
    names: list[str],
    jobs: int,
    options: list[str],
    settings: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Compile games in processes of their own, the slowest to compile first.

    Args:
        names: Names of the games.
        jobs: Maximum number of processes at the same time.
        options: Options of the command in each process.
        settings: Environment variables of the processes.

    Returns:
        0, or the exit status of the first process that failed.
    """

    def compile_game(name: str) -> int:
        command = [sys.executable, "-m", "parlour", "compile", name, *options]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=os.environ | settings
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                print(line, end="", flush=True)
        return process.returncode

    with ThreadPoolExecutor(jobs) as pool:
        return next(filter(None, pool.map(compile_game, reversed(names))), 0)


def compile_for_wheel(names: list[str], folder: Path, jobs: int, options: list[str]) -> int:
    """Compile kernels for `PROCESSOR` into a new folder with a manifest.

    Args:
        names: Names of the games.
        folder: The folder, which must be new or empty.
        jobs: Maximum number of processes.
        options: Options of the command in each process.

    Returns:
        0, or the exit status of the first process that failed.
    """
    check_folder(folder)
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"--out must be a new or empty folder, got {folder}")
    triple, _, features = target_processor()
    if not has_instructions(features):
        raise ValueError(f"--out needs a processor of the level {PROCESSOR} or above")
    with TemporaryDirectory() as cache:
        settings = {
            "NUMBA_CPU_NAME": PROCESSOR,
            "NUMBA_CPU_FEATURES": "",
            "NUMBA_CACHE_DIR": cache,
        }
        if status := compile_in_processes(names, jobs, options, settings):
            return status
        folder.mkdir(parents=True, exist_ok=True)
        for file in sorted(Path(cache).rglob("*.nbc")):
            shutil.copy(file, folder / file.name)
    write_manifest(folder, (triple, PROCESSOR, ""))
    files = list(folder.glob("*.nbc"))
    size = sum(file.stat().st_size for file in files) / 2**20
    print(f"{len(files)} kernels, {size:.1f} MiB, in {folder}")
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
    """Compile the baselines, the tree search and the pretrained agents by one decision of each."""
    for rules in _kinds_of_rules(game):
        rows = _deal(game, rules)
        names = ["uniform", "greedy", *game.rule_agents, SHORT_SEARCH]
        with suppress(ImportError):  # A network needs torch.
            names += [PRETRAINED_SPEC] if can_load(PRETRAINED_SPEC, game, rules) else []
        for name in names:
            _decide(name, rows)
        with suppress(ImportError):  # An evaluation needs the extra `train`.
            from ..evaluation.compare import evaluate

            variant = game.variant_name(rules)
            for name in ("uniform", "greedy", SHORT_SEARCH):
                evaluate(game, name, variant=variant, deals=2, evaluation_seed="warm", labels="no")


def _deal(game: Game, rules: Any) -> Rows:
    """Return two games with a choice, because a search does nothing without one."""
    rows = Rows(game, rules, 2)
    rows.deal_numbered("warm", [0, 1])
    while (is_forced := (masks := legal_masks(game, rows.states)).sum(axis=1) == 1).any():
        rows.step(masks.argmax(axis=1), is_forced)
    return rows


def _decide(name: str, rows: Rows) -> np.ndarray:
    agent = load_agent(name, rows.game, rows.rules)
    return choose_actions(agent, prepare_turn(agent, rows.game, rows.rules, rows.states, 0))


def compile_solver(game: Game) -> None:
    """Compile the solver by short searches with a small limit, and the agents that use it."""
    for rules in _kinds_of_rules(game):
        rows = _deal(game, rules)
        if game.winnable_after is not None:
            _decide(f"{PIMC}@1", rows)
            if game.num_players(rules) == 1:
                _decide(ORACLE, rows)
        if can_load(f"{HINDSIGHT}@2", game, rules):
            for _ in range(LOOK):
                rows.step(_decide(f"{HINDSIGHT}@2", rows))
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


SOLVER = "solver"
PARTS: dict[str, Callable[[Game], None]] = {
    "environments": compile_environments,
    "agents": compile_agents,
    SOLVER: compile_solver,
}
"""The functions that compile each part, in order."""
