"""Replays against the kernel: each game, played again, must come to the same; many at once."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from parlour.envs.core.batch import Over
from parlour.envs.core.turn import legal_masks

from .deal_play import CHUNK
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
    while some := list(islice(left, CHUNK)):
        by_rules: dict[object, list[Replay]] = {}
        for one in some:
            by_rules.setdefault((one.game.name, one.rules), []).append(one)
        found = [fault for group in by_rules.values() for fault in _verify_alike(group)]
        yield from sorted(found, key=lambda fault: fault.replay.line)


def _verify_alike(replays: list[Replay]) -> list[Fault]:
    """Do it with games by the same rules, side by side."""
    game, faults = replays[0].game, dict[int, str]()
    rows = start_replays(replays)
    actions, lengths = _action_table(replays)
    sound = np.ones(len(replays), np.bool_)
    for step in range(actions.shape[1]):
        live, made = sound & (step < lengths), np.ascontiguousarray(actions[:, step])
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
    """Actions int64 (n, most), 0 behind the last one of each, and their numbers, int64 (n,)."""
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
