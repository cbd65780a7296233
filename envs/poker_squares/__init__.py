"""Poker Squares, for one player or two: rules and sources are in README.md beside this file."""

from ..core.contract import Seats, Solving
from ..core.game import Game
from ..core.row_kernels import make_resample_kernel, make_score_kernel, make_view_kernel
from .heuristic import WEIGHTS, heuristic
from .kernel import kernels, resample_hidden, reward_unit, view
from .layout import action_words, final_info, layout
from .record import RECORD
from .rule_agents import columns
from .rules import (
    DEFAULT,
    FEATURES,
    LEAST,
    LINES,
    MOST,
    REFERENCES,
    SEATS,
    SOURCES,
    SQUARES,
    STATE,
    VARIANTS,
    Rules,
    check,
    label,
)
from .solver import solve
from .values import AFTERSTATES

GAME = Game(
    name="poker_squares",
    title="Poker Squares",
    rules=Rules,
    variants=VARIANTS,
    sources=SOURCES,
    references=REFERENCES,
    default=DEFAULT,
    check=check,
    features=FEATURES,
    state=STATE,
    actions=SQUARES,
    label=label,
    kernels=kernels,
    resample_kernel=make_resample_kernel(resample_hidden),
    score_kernel=make_score_kernel(heuristic),
    heuristic_weights=WEIGHTS,
    layout=layout,
    action_words=action_words,
    final_info=final_info,
    score_range=(LEAST * LINES, MOST * LINES),
    goal="reached",
    seats=Seats(SEATS, make_view_kernel(view), reward_unit),
    rule_agents={"columns": make_score_kernel(columns)},
    afterstates=AFTERSTATES,
    solving=Solving(solve),
    record=RECORD,
)
"""The game, as `parlour.envs.GAMES` has it."""

__all__ = ["GAME", "VARIANTS", "Rules"]
