"""Poker Squares, for one player or two: rules and sources are in README.md beside this file."""

from ..core.batch import make_resample_kernel, make_score_kernel, make_view_kernel
from ..core.game import Game
from .heuristic import WEIGHTS, heuristic
from .kernel import hide, play, unit, view
from .layout import facts, layout, words
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
from .values import VALUES

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
    play=play,
    hide=make_resample_kernel(hide),
    judge=make_score_kernel(heuristic),
    weights=WEIGHTS,
    layout=layout,
    words=words,
    facts=facts,
    scores=(LEAST * LINES, MOST * LINES),
    goal="reached",
    seats=SEATS,
    view=make_view_kernel(view),
    unit=unit,
    players={"columns": make_score_kernel(columns)},
    values=VALUES,
    solve=solve,
    record=RECORD,
)

__all__ = ["GAME", "VARIANTS", "Rules"]
