"""Pyramid, a patience for one player: rules and sources are in README.md beside this file."""

from ..core.batch import make_resample_kernel, make_score_kernel
from ..core.game import Game
from .heuristic import WEIGHTS, heuristic
from .kernel import hide, play
from .layout import facts, layout, words
from .record import RECORD
from .rules import (
    ACTIONS,
    DEAL,
    DEFAULT,
    FEATURES,
    PYRAMID,
    REFERENCES,
    SOURCES,
    STATE,
    VARIANTS,
    Rules,
    check,
    label,
)
from .solver.solve import outcomes, solve

GAME = Game(
    name="pyramid",
    title="Pyramid",
    rules=Rules,
    variants=VARIANTS,
    sources=SOURCES,
    references=REFERENCES,
    default=DEFAULT,
    check=check,
    features=FEATURES,
    state=STATE,
    actions=ACTIONS,
    label=label,
    play=play,
    hide=make_resample_kernel(hide),
    judge=make_score_kernel(heuristic),
    weights=WEIGHTS,
    layout=layout,
    words=words,
    facts=facts,
    scores=(0, PYRAMID),
    solve=solve,
    shortest=PYRAMID // 2,  # no move takes more than two cards
    outcomes=outcomes,
    record=RECORD,
)

__all__ = ["DEAL", "GAME", "VARIANTS", "Rules", "solve"]
