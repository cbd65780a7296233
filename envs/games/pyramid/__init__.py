"""Pyramid, a solitaire. README.md in this folder has the rules and sources."""

from ...core.batch import make_resample_rows, make_score_rows
from ...core.contract import Solving
from ...core.game import Game
from .guide import VARIANT_NOTES, how_to_play, prompt, refusal
from .heuristic import WEIGHTS, heuristic
from .kernel import kernels
from .knowledge import HIDDEN, STATE_CHECK, resample_hidden
from .layout import action_words, describe_action, final_info, layout
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
    count_fewest_moves,
    label,
)
from .solver.solve import solve, winnable_after

GAME = Game(
    name="pyramid",
    title="Pyramid",
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
    score_range=(0, PYRAMID),
    solving=Solving(solve, winnable_after),
    shortest=count_fewest_moves,
    hidden_cards=HIDDEN,
    state_check=STATE_CHECK,
)
"""The game, registered in `parlour.envs.GAMES`."""

__all__ = ["DEAL", "GAME", "VARIANTS", "Rules", "solve"]
