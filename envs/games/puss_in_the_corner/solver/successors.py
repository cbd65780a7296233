"""Puss in the Corner: every state that one action leads to."""

import numpy as np

from ....core.aliases import RulesRecords, States
from ....core.kernel.jit import jit
from ....core.options import as_record
from ..kernel import kernels
from ..rules import ACTIONS, Rules

step = kernels.step


@jit
def write_successors(
    states: States, records: RulesRecords, out: np.ndarray, before: np.ndarray, actions: np.ndarray
) -> None:
    """Write where every legal action of every state leads, and which state and action that is."""
    found = 0
    for i in range(len(states)):
        for action in range(ACTIONS):
            if (states[i]["legal"] >> action) & 1:
                out[found] = states[i]
                step(out[found], records[0], action)
                before[found], actions[found] = i, action
                found += 1


def list_successors(states: States, rules: Rules) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the states after every legal action of some that are not over, and both numbers."""
    many = sum(int(legal).bit_count() for legal in states["legal"])
    out, before, actions = np.zeros(many, states.dtype), np.zeros(many, int), np.zeros(many, int)
    write_successors(states, as_record(rules), out, before, actions)
    return out, before, actions
