"""Seven Twenty-Seven, a betting game. README.md in this folder has the rules and sources."""

from ...core.batch import make_resample_rows, make_score_rows, make_view_rows
from ...core.contract import Seats
from ...core.game import Game
from .guide import VARIANT_NOTES, how_to_play, prompt, refusal
from .heuristic import WEIGHTS, equity, heuristic, loose, tight
from .kernel import kernels, reward_unit
from .knowledge import HIDDEN, resample_hidden, view
from .layout import action_words, describe_action, final_info, is_choosing, layout
from .rules import (
    ACTIONS,
    DEFAULT,
    EARLIER,
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
from .state_check import STATE_CHECK

GAME = Game(
    name="seven_twenty_seven",
    title="Seven Twenty-Seven",
    nicknames=("727", "7-27"),
    rules=Rules,
    variants=VARIANTS,
    sources=SOURCES,
    variant_notes=VARIANT_NOTES,
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
    describe_action=describe_action,
    how_to_play=how_to_play,
    prompt=prompt,
    refusal=refusal,
    final_info=final_info,
    score_range=(-(10**6), 10**7),
    seats=Seats(SEATS, make_view_rows(view), reward_unit),
    hidden_cards=HIDDEN,
    state_check=STATE_CHECK,
    pack=pack,
    rule_agents={"tight": make_score_rows(tight), "loose": make_score_rows(loose)},
    is_choosing=is_choosing,
    earlier=EARLIER,
)
"""The game, registered in `parlour.envs.GAMES`."""

__all__ = ["GAME", "VARIANTS", "Rules", "equity"]
