"""Klondike, a solitaire. README.md in this folder has the rules and sources."""

from ...core.batch import make_resample_rows, make_score_rows
from ...core.contract import Solving
from ...core.game import Game
from ...core.kernel.cards import DeckFormat
from .deck_strings import (
    from_ksolve,
    from_pysol,
    from_solvitaire,
    to_ksolve,
    to_pysol,
    to_solvitaire,
)
from .guide import VARIANT_NOTES, how_to_play, prompt, refusal
from .heuristic import WEIGHTS, heuristic, priority
from .hindsight import plan_ahead
from .kernel import kernels
from .knowledge import HIDDEN, STATE_CHECK, resample_hidden
from .layout import action_words, describe_action, final_info, layout
from .plan_values import PLAN_VALUES
from .rules import (
    ACTIONS,
    DEFAULT,
    EARLIER,
    FEATURES,
    HIGHEST_SCORE,
    LOWEST_SCORE,
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
    name="klondike",
    title="Klondike",
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
    score_range=(LOWEST_SCORE, HIGHEST_SCORE),
    may_cycle=True,
    shortest=count_fewest_moves,
    plan_values=PLAN_VALUES,
    hidden_cards=HIDDEN,
    state_check=STATE_CHECK,
    deck_formats={
        "ksolve": DeckFormat(from_ksolve, to_ksolve),
        "pysol": DeckFormat(from_pysol, to_pysol),
        "solvitaire": DeckFormat(from_solvitaire, to_solvitaire),
    },
    solving=Solving(solve, winnable_after, plan_ahead),
    rule_agents={"priority": make_score_rows(priority)},
    no_move_text="no card of the columns, the stock or the waste can be played any more",
    nicknames=("solitaire",),
    earlier=EARLIER,
)
"""The game, registered in `parlour.envs.GAMES`."""

__all__ = ["GAME", "VARIANTS", "Rules"]
