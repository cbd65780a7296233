"""Recorded games of an entry: the actions of every deal, from which the kernel computes its values.

Only games for one player can be verified from their actions alone. In a game for several players,
whoever sends the games could choose the actions of the opponents, too.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from parlour.agents.agent_spec import ORACLE
from parlour.envs.core.batch import MAX_MOVES, DealSource, Over, StepConfig
from parlour.envs.core.kernel.cards import deal_seeds
from parlour.envs.core.rows import Rows
from parlour.envs.core.turn import legal_masks

from ..evaluation.replays.replay import Replay
from ..files import pack_arrays, read_arrays, write_bytes
from .tasks import DEAL_SET, Task

SUFFIX = ".games.npz"
MOST_LENGTH = 10_000
"""Most actions of a game."""
MOST_BYTES = 1 << 26
"""Most bytes of a file of games, packed or unpacked."""


def check_recordable(task: Task) -> None:
    """Raise ValueError for a task whose entries cannot be verified from recorded games."""
    if task.is_multiplayer:
        raise ValueError(
            f"games of task {task.name} must not be given without an agent, because they contain "
            "the actions of opponents. Give the agent itself"
        )


def order_replays(task: Task, replays: Sequence[Replay]) -> list[tuple[int, ...]]:
    """Return the actions of each deal of a task, in the order of its values.

    Raises:
        ValueError: A game has other rules or another deal set, a deal is missing, or a deal has
            several games.
    """
    rules = {one: number for number, one in enumerate(task.list_test_rules())}
    actions: dict[int, tuple[int, ...]] = {}
    for replay in replays:
        where = f"game {replay.line}"
        if any(name.startswith(ORACLE) for name in replay.agents):
            raise ValueError(
                f"{where}: the agent must not see hidden cards, got {replay.agents[0]}"
            )
        if replay.game.name != task.game or replay.rules not in rules:
            raise ValueError(f"{where}: must have the rules of task {task.name}")
        if replay.deal_set != DEAL_SET or replay.deal is None or replay.deal >= task.deals:
            raise ValueError(
                f"{where}: must be one of deals 0 to {task.deals - 1} of {DEAL_SET}, got "
                f"{replay.source}"
            )
        number = rules[replay.rules] * task.deals + replay.deal
        if number in actions:
            raise ValueError(f"{where}: deal {replay.deal} must have one game, got several")
        actions[number] = replay.actions
    missing = [number for number in range(task.num_values) if number not in actions]
    if missing:
        raise ValueError(
            f"games must cover all {task.num_values:,} deals of task {task.name}; "
            f"{len(missing):,} are missing, such as deal {missing[0] % task.deals}"
        )
    return [actions[number] for number in range(task.num_values)]


def write_games(path: Path, actions: Sequence[Sequence[int]]) -> None:
    """Write the actions of all deals, compressed and atomically."""
    arrays = {
        "lengths": np.array([len(one) for one in actions], np.int32),
        "actions": np.array([action for one in actions for action in one], np.int16),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, pack_arrays(arrays, compress=True))


def read_games(path: Path, task: Task) -> list[np.ndarray]:
    """Return the actions of each deal of a task.

    Raises:
        ValueError: The file is damaged or does not fit the task.
        OSError: The file cannot be read.
    """
    arrays = read_arrays(path, MOST_BYTES)
    if set(arrays) != {"lengths", "actions"}:
        raise ValueError(f"{path}: must have the arrays lengths and actions, got {sorted(arrays)}")
    lengths, actions = arrays["lengths"], arrays["actions"]
    if lengths.shape != (task.num_values,) or lengths.dtype.kind != "i" or lengths.min() < 0:
        raise ValueError(f"{path}: lengths must have one integer >= 0 for each of the deals")
    total = int(lengths.sum())
    if actions.shape != (total,) or actions.dtype.kind != "i":
        raise ValueError(f"{path}: actions must have {total:,} integers, the sum of lengths")
    return np.split(actions, np.cumsum(lengths)[:-1])


def replay_values(task: Task, games: Sequence[Sequence[int] | np.ndarray]) -> np.ndarray:
    """Play recorded games with the kernel, and return the value of each deal.

    Raises:
        ValueError: An action is illegal or comes after the end of its game, or a game ends early:
            neither the rules nor the limit of moves ended it; or a game is too long.
    """
    longest = max(map(len, games))
    if longest > MOST_LENGTH:
        raise ValueError(f"lengths must be at most {MOST_LENGTH:,}, got {longest:,}")
    values = []
    for number, rules in enumerate(task.list_test_rules()):
        part = games[number * task.deals : (number + 1) * task.deals]
        values.append(_replay_part(task, rules, part))
    return np.concatenate(values)


def _replay_part(
    task: Task, rules: object, games: Sequence[Sequence[int] | np.ndarray]
) -> np.ndarray:
    game = task.game_object
    rows = Rows(game, rules, len(games), StepConfig())
    rows.seed(deal_seeds(DEAL_SET, np.arange(len(games))))
    rows.start(DealSource.SEED)
    lengths = np.array([len(one) for one in games])
    table = np.zeros((len(games), max(lengths.max(), 1)), np.int64)
    for row, actions in enumerate(games):
        table[row, : len(actions)] = actions
    for step in range(int(lengths.max())):
        live, made = step < lengths, np.ascontiguousarray(table[:, step])
        inside = (made >= 0) & (made < game.actions)
        legal = legal_masks(game, rows.states)[np.arange(len(made)), np.where(inside, made, 0)]
        right = inside & legal & (rows.states["over"] == Over.RUNNING)
        if (wrong := np.flatnonzero(live & ~right)).size:
            raise ValueError(
                f"deal {wrong[0]}: action {step + 1}, {made[wrong[0]]}, must be legal in its game"
            )
        rows.step(made, live)
    left = (rows.states["over"] == Over.RUNNING) & (rows.states["moves"] < MAX_MOVES)
    if left.any():
        raise ValueError(f"deal {int(np.argmax(left))}: the game must be played to its end")
    values: np.ndarray = np.asarray(game.results(rows.states, rules)[game.measure], np.float64)
    return values
