"""Type aliases that name the meaning of ints and arrays. They have no effect at run time."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Action: TypeAlias = int
"""Number of an action."""
ActionSet: TypeAlias = int
"""A set of actions (see `legal`): an int64 with bit a for action a, or several words."""
CardCode: TypeAlias = int
"""Code of a card in states and observations: value * 4 + suit; 0 for no card."""
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
"""One record of `Game.state`, as kernels see it; a dict if kernels run as plain Python."""
Progress: TypeAlias = Callable[[State], int]
"""Kernel that returns the progress of one state. The reward "progress" is its change."""
States: TypeAlias = np.ndarray
"""Records of `Game.state`, (n,)."""
RulesRecord: TypeAlias = Any
"""One record of rules, as kernels see it: ``options.as_record(rules)[0]``."""
RulesRecords: TypeAlias = np.ndarray
"""Rules of kernels over rows: an array of one record, (1,); for `BatchKernels` one of several
records, (k,)."""
Codes: TypeAlias = np.ndarray
"""Observations as codes, int8 (n, width)."""
Masks: TypeAlias = np.ndarray
"""Action masks, int8 (n, actions): 1 where legal."""
Scores: TypeAlias = np.ndarray
"""Score of each action, float64 (actions,) or (n, actions)."""
Weights: TypeAlias = np.ndarray
"""The weights of a heuristic, float64, in the order of `Game.heuristic_weights`."""
Table: TypeAlias = np.ndarray
"""Learned values of features, float32 (features,)."""
FeatureIds: TypeAlias = np.ndarray
"""Numbers of features of an afterstate, int32; -1 for none."""
Word: TypeAlias = Any
"""Unsigned 64-bit word of generators and hashes. Its arithmetic wraps in compiled code."""
