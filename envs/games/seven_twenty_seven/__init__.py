"""Seven Twenty-Seven, a vying game: rules and sources are in README.md beside this file."""

from ...core.contract import Seats
from ...core.game import Game
from ...core.row_kernels import make_resample_rows, make_score_rows, make_view_rows
from .heuristic import WEIGHTS, heuristic
from .hidden import HIDDEN
from .hiding import resample_hidden
from .kernel import kernels, reward_unit
from .layout import VERBS, action_words, final_info, layout
from .odds import equity
from .rule_agents import loose, tight
from .rules import (
    ACTIONS,
    DEFAULT,
    REFERENCES,
    SEATS,
    SOURCES,
    VARIANTS,
    Rules,
    check,
    label,
    pack,
)
from .seat_view import view
from .state import EARLIER, FEATURES, STATE
from .state_check import STATE_CHECK

GAME = Game(
    name="seven_twenty_seven",
    title="Seven Twenty-Seven",
    nicknames=("727", "7-27"),
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
    resample_rows=make_resample_rows(resample_hidden),
    score_rows=make_score_rows(heuristic),
    heuristic_weights=WEIGHTS,
    layout=layout,
    action_words=action_words,
    final_info=final_info,
    score_range=(-(10**6), 10**7),
    seats=Seats(SEATS, make_view_rows(view), reward_unit, verbs=VERBS),
    hidden_cards=HIDDEN,
    earlier=EARLIER,
    state_check=STATE_CHECK,
    pack=pack,
    rule_agents={"tight": make_score_rows(tight), "loose": make_score_rows(loose)},
)
"""The game, as `parlour.envs.GAMES` has it."""

__all__ = ["GAME", "VARIANTS", "Rules", "equity"]
