"""Seven Twenty-Seven, a vying game: rules and sources are in README.md beside this file."""

from ..core.batch import make_resample_kernel, make_score_kernel, make_view_kernel
from ..core.game import Game
from .heuristic import WEIGHTS, heuristic
from .hiding import hide
from .kernel import play, unit
from .layout import facts, layout, words
from .odds import equity
from .record import RECORD
from .rule_agents import loose, tight
from .rules import (
    ACTIONS,
    DEFAULT,
    FEATURES,
    REFERENCES,
    SEATS,
    SOURCES,
    STATE,
    VARIANTS,
    Rules,
    check,
    label,
    pack,
)
from .seat_view import view

GAME = Game(
    name="seven_twenty_seven",
    title="Seven Twenty-Seven",
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
    scores=(-(10**6), 10**7),
    seats=SEATS,
    view=make_view_kernel(view),
    unit=unit,
    record=RECORD,
    pack=pack,
    players={"tight": make_score_kernel(tight), "loose": make_score_kernel(loose)},
)

__all__ = ["GAME", "VARIANTS", "Rules", "equity"]
