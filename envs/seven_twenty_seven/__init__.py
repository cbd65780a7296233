"""Seven Twenty-Seven, a vying game: rules and sources are in README.md beside this file."""

from ..core.contract import Seats
from ..core.game import Game
from ..core.row_kernels import make_resample_kernel, make_score_kernel, make_view_kernel
from .heuristic import WEIGHTS, heuristic
from .hiding import resample_hidden
from .kernel import kernels, reward_unit
from .layout import action_words, final_info, layout
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
    kernels=kernels,
    resample_kernel=make_resample_kernel(resample_hidden),
    score_kernel=make_score_kernel(heuristic),
    heuristic_weights=WEIGHTS,
    layout=layout,
    action_words=action_words,
    final_info=final_info,
    score_range=(-(10**6), 10**7),
    seats=Seats(SEATS, make_view_kernel(view), reward_unit),
    record=RECORD,
    pack=pack,
    rule_agents={"tight": make_score_kernel(tight), "loose": make_score_kernel(loose)},
)
"""The game, as `parlour.envs.GAMES` has it."""

__all__ = ["GAME", "VARIANTS", "Rules", "equity"]
