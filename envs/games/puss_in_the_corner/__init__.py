"""Puss in the Corner, a solitaire. README.md in this folder has the rules and sources."""

from ...core.batch import make_resample_rows, make_score_rows
from ...core.contract import Solving
from ...core.game import Game
from ...core.kernel.cards import PACK_SIZE
from .guide import VARIANT_NOTES, how_to_play, prompt, refusal
from .heuristic import WEIGHTS, heuristic, hopeful, tip
from .kernel import kernels
from .knowledge import HIDDEN, STATE_CHECK, resample_hidden
from .layout import action_words, describe_action, final_info, layout
from .plan_values import PLAN_VALUES
from .rules import (
    ACES,
    ACTIONS,
    DEFAULT,
    FEATURES,
    REFERENCES,
    SOURCES,
    STATE,
    VARIANTS,
    Rules,
    check,
    count_fewest_moves,
    label,
    pack,
)
from .solver.solve import solve, winnable_after
from .values import AFTERSTATES

GAME = Game(
    name="puss_in_the_corner",
    title="Puss in the Corner",
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
    score_range=(ACES, PACK_SIZE),
    shortest=count_fewest_moves,
    afterstates=AFTERSTATES,
    plan_values=PLAN_VALUES,
    solving=Solving(solve, winnable_after),
    hidden_cards=HIDDEN,
    state_check=STATE_CHECK,
    pack=pack,
    rule_agents={"tip": make_score_rows(tip), "hopeful": make_score_rows(hopeful)},
)
"""The game, registered in `parlour.envs.GAMES`."""

__all__ = ["GAME", "VARIANTS", "Rules"]
