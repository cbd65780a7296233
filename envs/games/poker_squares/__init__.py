"""Poker Squares for one or two players. README.md in this folder has the rules and sources."""

from ...core.batch import make_resample_rows, make_score_rows, make_view_rows
from ...core.contract import Seats, Solving
from ...core.game import Game
from .guide import VARIANT_NOTES, how_to_play, prompt, refusal
from .heuristic import WEIGHTS, columns, heuristic
from .kernel import kernels, reward_unit, view
from .knowledge import HIDDEN, STATE_CHECK, resample_hidden
from .layout import action_words, describe_action, final_info, layout
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
    points_of,
)
from .solver import solve
from .values import AFTERSTATES

GAME = Game(
    name="poker_squares",
    title="Poker Squares",
    rules=Rules,
    variants=VARIANTS,
    sources=SOURCES,
    variant_notes=VARIANT_NOTES,
    references=REFERENCES,
    default=DEFAULT,
    check=check,
    features=FEATURES,
    state=STATE,
    actions=SQUARES,
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
    points_of=points_of,
    score_range=(LEAST * LINES, MOST * LINES),
    goal="reached",
    seats=Seats(SEATS, make_view_rows(view), reward_unit),
    rule_agents={"columns": make_score_rows(columns)},
    afterstates=AFTERSTATES,
    solving=Solving(solve),
    hidden_cards=HIDDEN,
    state_check=STATE_CHECK,
)
"""The game, registered in `parlour.envs.GAMES`."""

__all__ = ["GAME", "VARIANTS", "Rules"]
