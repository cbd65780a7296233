"""Names for what an int, or an array, is. They are aliases: nothing of them is left at run time."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Action: TypeAlias = int
"""Number of an action."""
ActionSet: TypeAlias = int
"""A set of actions as `legal` has it: an int64 with bit a for action a, or several words."""
CardCode: TypeAlias = int
"""A card as states and observations have it: value * 4 + suit; 0 for none."""
CardSet: TypeAlias = int
"""A set of cards: bit c stands for card code c."""
Places: TypeAlias = int
"""A set of places of the layout: bit p stands for place p."""
Positions: TypeAlias = int
"""A set of deck positions: bit i stands for the card dealt as number i."""
Seat: TypeAlias = int
"""Number of a seat."""
SeatSet: TypeAlias = int
"""A set of seats: bit n stands for seat n."""
State: TypeAlias = Any
"""One record of `Game.state`, as kernels see it; a dict where they run as plain Python."""
Progress: TypeAlias = Callable[[State], int]
"""A kernel: how far one state has come, of which the reward "progress" pays the change."""
States: TypeAlias = np.ndarray
"""Records of `Game.state`, (n,)."""
RulesRecord: TypeAlias = Any
"""One record of rules, as kernels see it: ``options.as_record(rules)[0]``."""
RulesRecords: TypeAlias = np.ndarray
"""What kernels over rows take for rules: an array (1,) of one record; those of `BatchKernels` one
of several, (k,)."""
Codes: TypeAlias = np.ndarray
"""Observations as codes, int8 (n, width)."""
Masks: TypeAlias = np.ndarray
"""Action masks, int8 (n, actions): 1 where legal."""
Scores: TypeAlias = np.ndarray
"""A number for each action, float64 (actions,) or (n, actions)."""
Weights: TypeAlias = np.ndarray
"""The weights of a heuristic, float64, in the order of `Game.heuristic_weights`."""
Table: TypeAlias = np.ndarray
"""The learned values of features, float32 (features,)."""
FeatureIds: TypeAlias = np.ndarray
"""Numbers of features of an afterstate, int32; -1 for none."""
Word: TypeAlias = Any
"""An unsigned word of 64 bits, as generators and hashes use it; wraps around in compiled code."""
