"""Verification of replays: each game is played again by its kernel, many games in one batch."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from parlour.envs.core.batch import Over
from parlour.envs.core.turn import legal_masks

from ..deal_play import CHUNK
from .replay import OVER, Replay, action_fault, read_result, start_replays


class Fault(NamedTuple):
    """What is wrong with a replay."""

    replay: Replay
    text: str
    """Which action, or which fact, and why."""


def verify_replays(replays: Iterable[Replay]) -> Iterator[Fault]:
    """Play games again by their kernels; yield those that do not come to what was recorded.

    Every action must be legal, the game over after the last one and not before (unless it was cut
    off, or left), and the result the same.
    """
    left = iter(replays)
    while chunk := list(islice(left, CHUNK)):
        groups: dict[object, list[Replay]] = {}
        for one in chunk:
            groups.setdefault(_group_key(one), []).append(one)
        found = [fault for group in groups.values() for fault in _verify_alike(group)]
        yield from sorted(found, key=lambda fault: fault.replay.line)


def _group_key(replay: Replay) -> tuple[str, object, int]:
    """Return the key of the games that are verified in one batch.

    They have the same rules, and the longest is less than twice as long as the shortest: so a table
    of their actions is at most twice as large as the file, whatever the file holds.
    """
    return replay.game.name, replay.rules, len(replay.actions).bit_length()


def _verify_alike(replays: list[Replay]) -> list[Fault]:
    """Verify a group of games in one batch."""
    game, faults = replays[0].game, dict[int, str]()
    rows = start_replays(replays)
    actions, lengths = _action_table(replays)
    sound = np.ones(len(replays), np.bool_)
    for step in range(actions.shape[1]):
        live, made = sound & (step < lengths), np.ascontiguousarray(actions[:, step])
        if not live.any():
            break
        legal = legal_masks(game, rows.states)[np.arange(len(made)), made]
        for row in np.flatnonzero(live & ~(legal & (rows.states["over"] == Over.RUNNING))).tolist():
            faults[row] = action_fault(game, rows.states[row], step, int(made[row]))
            sound[row] = live[row] = False
        rows.step(made, live)
    results = read_result(game, replays[0].rules, rows.states)
    over = rows.states["over"] != Over.RUNNING
    for row in np.flatnonzero(sound).tolist():
        if text := _end_fault(replays[row], bool(over[row]), results[row]):
            faults[row] = text
    return [Fault(replays[row], text) for row, text in faults.items()]


def _action_table(replays: Sequence[Replay]) -> tuple[np.ndarray, np.ndarray]:
    """Return the actions, int64 (n, most), padded with 0, and their numbers, int64 (n,)."""
    lengths = np.array([len(one.actions) for one in replays])
    table = np.zeros((len(replays), lengths.max(initial=0)), np.int64)
    table[np.arange(table.shape[1]) < lengths[:, None]] = [
        action for one in replays for action in one.actions
    ]
    return table, lengths


def _end_fault(replay: Replay, over: bool, result: dict[str, object]) -> str:
    if over != (replay.end == OVER):
        said = "is over" if over else "is not over"
        return f"the game {said} after its {len(replay.actions)} actions, recorded: {replay.end}"
    names = dict.fromkeys((*result, *replay.result))
    wrong = [name for name in names if result.get(name) != replay.result.get(name)]
    return "; ".join(
        f"{name} is {result.get(name)}, recorded: {replay.result.get(name)}" for name in wrong
    )
